"""`helm-structext init`: what a user without a checkout needs in the current folder."""

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

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
    from helm_structext.benchmarks import BENCHMARKS

    replays: dict[str, list[dict[str, str]]] = {}
    for samples in (benchmark.samples for benchmark in BENCHMARKS if benchmark.samples):
        for path in sorted(samples.REPLAYS.glob("*.jsonl")):
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            replays.setdefault(path.stem, []).extend(samples.replay_lines(records))
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
    """Adds the missing entries before the user's own, of whose file every line stays as it is."""
    text = path.read_bytes().decode() if path.exists() else ""
    try:
        document = YAML().load(text) or CommentedMap()
        before = document.get(key) or CommentedSeq()
        present = {item["name"] for item in before}
    except MarkedYAMLError as error:
        raise SetupError(f"{path}: {_place_and_problem(error)}") from error
    except (YAMLError, AttributeError, TypeError, KeyError) as error:
        raise SetupError(f"{path} is not a list of {key} in YAML: {error}") from error
    missing = [entry(name) for name in names if name not in present]
    if not missing:
        return f"{path} is up to date"

    # A dump of the whole document would keep its comments, but neither indentation nor columns.
    if text and not text.endswith("\n"):
        text += "\n"
    if key not in document:
        text += f"{key}:\n"
    lines = text.splitlines(keepends=True)
    number = document.lc.key(key)[0] if key in document else len(lines) - 1
    margin = "  "
    if before:
        first = lines[before.lc.item(0)[0]]
        margin = first[: len(first) - len(first.lstrip())]
    else:
        lines[number] = re.sub(r":\s*\[\s*\]", ":", lines[number], count=1)
    block = indent(_dumped(missing), margin)
    lines.insert(number + 1, block)
    merged = "".join(lines)
    if not _holds(merged, key, missing + before):
        raise SetupError(f"{path} can't be merged into; add to its list {key}:\n{block}")
    write_atomically(path, merged.encode())
    return f"added {len(missing)} entries to {path}"


def _place_and_problem(error: MarkedYAMLError) -> str:
    """Says where in a file something is wrong, and what: a key that is there twice, for example."""
    begin, mark = error.context_mark, error.problem_mark
    since = f" ({error.context} that begins in line {begin.line + 1})" if begin else ""
    return f"{f'line {mark.line + 1}: ' if mark else ''}{error.problem}{since}"


def _dumped(entries: list[Any]) -> str:
    stream = io.StringIO()
    YAML().dump(entries, stream)
    return stream.getvalue()


def _holds(text: str, key: str, entries: list[Any]) -> bool:
    try:
        return bool(YAML().load(text)[key] == entries)
    except YAMLError:
        return False
