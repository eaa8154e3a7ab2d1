"""`helm-structext init`: what a user without a checkout needs in the current folder."""

import json
from collections.abc import Iterator
from pathlib import Path

from helm_structext.baselines import REPLAY_PREFIX
from helm_structext.data.packaged import packaged_folder
from helm_structext.models.files import DEPLOYMENTS, METADATA, add_entries
from helm_structext.models.registry import OFFLINE_MODELS, deployment, metadata
from helm_structext.storage.files import write_file
from helm_structext.texts import json_line, utf8


def init(folder: Path, local_path: Path) -> Iterator[str]:
    """Writes conf files and schema into `folder`, models and replays into `local_path`.

    A file of the user's is never replaced; to the model files only what is missing is added.

    Yields:
        A line for each file, saying what was done.

    Raises:
        SetupError: a model file of the user's can't be merged into; the message holds the text
            to add by hand.
    """
    yield from place_run_files(folder)
    for name, lines in sample_replays().items():
        yield _place(local_path / "replay" / f"{name}.jsonl", lines)

    replays = sorted(path.stem for path in (local_path / "replay").glob("*.jsonl"))
    names = [*OFFLINE_MODELS, *(REPLAY_PREFIX + name for name in replays)]
    yield add_entries(local_path, METADATA, [metadata(name) for name in names])
    yield add_entries(local_path, DEPLOYMENTS, [deployment(name) for name in names])


def place_run_files(folder: Path) -> Iterator[str]:
    """Writes conf files and schema into `folder`, and yields a line for each; see `init`."""
    share = packaged_folder()
    for source in (share / "schema.yaml", *sorted((share / "run_specs").glob("*.conf"))):
        yield _place(folder / source.relative_to(share), source.read_bytes())


def sample_replays() -> dict[str, bytes]:
    """Returns the embedded completions as replay files: name to the bytes of a JSONL file."""
    from helm_structext.benchmarks import BENCHMARKS

    replays: dict[str, list[dict[str, str]]] = {}
    for samples in (benchmark.samples for benchmark in BENCHMARKS if benchmark.samples):
        for path in sorted(samples.REPLAYS.glob("*.jsonl")):
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            name = path.name.partition(".")[0]
            replays.setdefault(name, []).extend(samples.replay_lines(records))
    return {name: utf8("".join(map(json_line, lines))) for name, lines in replays.items()}


def _place(path: Path, data: bytes) -> str:
    if not path.exists():
        write_file(path, data)
        return f"wrote {path}"
    if path.read_bytes() == data:
        return f"{path} is up to date"
    return f"kept {path}, which differs from this version's (move it away to get that)"
