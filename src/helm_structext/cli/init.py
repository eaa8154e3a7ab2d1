"""`helm-structext init`: what a user without a checkout needs in the current folder."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from helm_structext.cache import write_atomically
from helm_structext.data.packaged import packaged_folder
from helm_structext.errors import SetupError
from helm_structext.models.registry import OFFLINE_MODELS, REPLAY_PREFIX, deployment, metadata


def init(folder: Path, local_path: Path) -> Iterator[str]:
    """Writes conf files and schema into `folder`, models and replays into `local_path`.

    A file of the user's is never replaced; to the model files only what is missing is added.

    Yields:
        A line for each file, saying what was done.

    Raises:
        SetupError: a model file of the user's can't be merged into; the message holds the text
            to add by hand.
    """
    share = packaged_folder()
    for source in (share / "schema.yaml", *sorted((share / "run_specs").glob("*.conf"))):
        yield _place(folder / source.relative_to(share), source.read_bytes())
    for name, lines in sample_replays().items():
        yield _place(local_path / "replay" / f"{name}.jsonl", lines)

    replays = sorted(path.stem for path in (local_path / "replay").glob("*.jsonl"))
    names = [*OFFLINE_MODELS, *(REPLAY_PREFIX + name for name in replays)]
    for file, key, entry in (
        ("model_metadata.yaml", "models", metadata),
        ("model_deployments.yaml", "model_deployments", deployment),
    ):
        yield _merge(local_path / file, key, names, entry)


def sample_replays() -> dict[str, bytes]:
    """Returns the embedded completions as replay files: name to the bytes of a JSONL file."""
    from helm_structext.image2struct import samples as image2struct
    from helm_structext.mmr import samples as mmr
    from helm_structext.structeval import samples as structeval

    replays: dict[str, list[dict[str, str]]] = {}
    for benchmark in (image2struct, mmr, structeval):
        for path in sorted(benchmark.REPLAYS.glob("*.jsonl")):
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            replays.setdefault(path.stem, []).extend(benchmark.replay_lines(records))
    return {
        name: "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        for name, lines in replays.items()
    }


def _place(path: Path, data: bytes) -> str:
    if not path.exists():
        write_atomically(path, data)
        return f"wrote {path}"
    if path.read_bytes() == data:
        return f"{path} is up to date"
    return f"kept {path}, which differs from this version's (move it away to get that)"


def _merge(path: Path, key: str, names: list[str], entry: Callable[[str], dict[str, Any]]) -> str:
    """Adds the missing entries as text, so that comments and layout of the user's file stay."""
    text = path.read_text(encoding="utf-8") if path.exists() else f"{key}:\n"
    try:
        before = (yaml.safe_load(text) or {}).get(key) or []
        present = {item["name"] for item in before}
    except (yaml.YAMLError, AttributeError, TypeError, KeyError) as error:
        raise SetupError(f"{path} is not a list of {key} in YAML: {error}") from error
    missing = [entry(name) for name in names if name not in present]
    if not missing:
        return f"{path} is up to date"

    heading = re.search(rf"^{key}:[ \t]*(\[\])?[ \t]*(#[^\n]*)?$\n?", text, re.MULTILINE)
    start, end = heading.span() if heading else (len(text), len(text))
    first_item = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*( *)- ", text[end:])
    indent = first_item[1] if first_item else "  "
    block = "".join(
        f"{indent}{line}\n"
        for line in yaml.safe_dump(missing, sort_keys=False, allow_unicode=True).splitlines()
    )
    line = text[start:end].replace("[]", "").rstrip("\n") or f"\n{key}:"
    merged = f"{text[:start]}{line}\n{block}{text[end:]}"
    if not _holds(merged, key, missing + before):
        raise SetupError(f"{path} can't be merged into; add to its list {key}:\n{block}")
    write_atomically(path, merged.encode())
    return f"added {len(missing)} entries to {path}"


def _holds(text: str, key: str, entries: list[Any]) -> bool:
    try:
        return yaml.safe_load(text)[key] == entries
    except yaml.YAMLError:
        return False
