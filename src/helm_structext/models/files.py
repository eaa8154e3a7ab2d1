"""The user's files that describe models to HELM: entries are added, and every line stays."""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from helm_structext.errors import SetupError
from helm_structext.texts import write_file


class ModelFile(NamedTuple):
    """A file of HELM's local configuration, and the key of its list."""

    name: str
    key: str


METADATA = ModelFile("model_metadata.yaml", "models")
DEPLOYMENTS = ModelFile("model_deployments.yaml", "model_deployments")


def add_entries(folder: Path, file: ModelFile, entries: Sequence[Mapping[str, Any]]) -> str:
    """Adds the entries whose names are missing, before the user's own.

    Args:
        folder: of HELM's local configuration.
        file: where they belong.
        entries: each with a ``name``.

    Returns:
        A line that says what was done.

    Raises:
        SetupError: the file can't be merged into; the message holds what to add by hand.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> add_entries(folder, METADATA, [{"name": "me/my-vlm"}]).startswith("added 1 entry to ")
    True
    >>> add_entries(folder, METADATA, [{"name": "me/my-vlm"}]).endswith(" is up to date")
    True
    """
    path, key = folder / file.name, file.key
    text, document = _read(path, key)
    before = document.get(key) or CommentedSeq()
    present = {item["name"] for item in before}
    missing = [entry for entry in entries if entry["name"] not in present]
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
    if not _holds(merged, key, [*missing, *before]):
        raise SetupError(f"{path} can't be merged into; add to its list {key}:\n{block}")
    write_file(path, merged.encode())
    return f"added {len(missing)} {'entry' if len(missing) == 1 else 'entries'} to {path}"


def check_field(folder: Path, file: ModelFile, entry: Mapping[str, Any], field: str) -> None:
    """Checks that an entry, if the user's file has it, has the same there.

    Args:
        folder: of HELM's local configuration.
        file: where the entry belongs.
        entry: with a ``name``.
        field: of the entry.

    Raises:
        SetupError: it has something else there; the message names the line.
    """
    path = folder / file.name
    _, document = _read(path, file.key)
    entries = document.get(file.key) or CommentedSeq()
    for number, item in enumerate(entries):
        if item["name"] == entry["name"] and item.get(field) != entry[field]:
            raise SetupError(
                f"{path}, line {entries.lc.item(number)[0] + 1}: {entry['name']} is there already, with "
                f"another {field}; change it there, or choose another name. It would be:\n"
                f"{_dumped([entry])}"
            )


def _read(path: Path, key: str) -> tuple[str, CommentedMap]:
    """A file's text and what it says: under a key, a list of things with names, if anything."""
    try:
        text = path.read_bytes().decode() if path.exists() else ""
        document = YAML().load(text) or CommentedMap()
        for item in document.get(key) or ():
            item["name"]
    except MarkedYAMLError as error:
        raise SetupError(f"{path}: {_place_and_problem(error)}") from error
    except (YAMLError, AttributeError, TypeError, KeyError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} is not a list of {key} in YAML: {error}") from error
    return text, document


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
