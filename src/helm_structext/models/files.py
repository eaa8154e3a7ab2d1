"""The user's files that describe models to HELM: entries are added, and every line stays."""

import io
import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from helm_structext.errors import SetupError
from helm_structext.results import model_facts
from helm_structext.storage.files import write_file


class ModelFile(NamedTuple):
    """A file of HELM's local configuration, or beside it, and the key of its list."""

    name: str
    key: str


METADATA = ModelFile("model_metadata.yaml", "models")
DEPLOYMENTS = ModelFile("model_deployments.yaml", "model_deployments")

FACTS = ModelFile(model_facts.FILE, model_facts.KEY)

MAX_LINE = 10_000
"""Characters, after which a line of YAML is broken."""


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
    margin = 2
    if before:
        first = lines[before.lc.item(0)[0]]
        margin = len(first) - len(first.lstrip())
    else:
        lines[number] = re.sub(r":\s*\[\s*\]", ":", lines[number], count=1)
    block = _dump(missing, margin)
    lines.insert(number + 1, block)
    merged = "".join(lines)
    if not _holds(merged, key, [*missing, *before]):
        raise SetupError(f"{path} can't be merged into; add to its list {key}:\n{block}")
    write_file(path, merged.encode())
    return f"added {len(missing)} {'entry' if len(missing) == 1 else 'entries'} to {path}"


def entries_of(folder: Path, file: ModelFile) -> list[dict[str, Any]]:
    """Returns the entries of a file of the user's, none where there is no file.

    Raises:
        SetupError: it can't be read as such a file.
    """
    _, document = _read(folder / file.name, file.key)
    return [*(document.get(file.key) or ())]


def put_entry(
    folder: Path, file: ModelFile, entry: Mapping[str, Any], name: str | None = None
) -> list[str]:
    """Adds an entry, or changes the one that is there to it; every other line stays.

    What the user's entry has beyond the new one stays, too, and so do its comments.

    Args:
        folder: of HELM's local configuration.
        file: where it belongs.
        entry: with a ``name``; a field that is None is taken away.
        name: of the entry that it takes the place of, if that is another one.

    Returns:
        Lines that say what was done, one for each field that changed.

    Raises:
        SetupError: the file can't be changed so; the message holds what to write by hand.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = put_entry(folder, METADATA, {"name": "me/my-vlm", "access": "open"})
    >>> (line,) = put_entry(folder, METADATA, {"name": "me/my-vlm", "access": "limited"})
    >>> line.partition("changed ")[2]
    'access: open → limited'
    """
    path, key = folder / file.name, file.key
    text, document = _read(path, key)
    items = document.get(key) or CommentedSeq()
    place = next((n for n, item in enumerate(items) if item["name"] == (name or entry["name"])), -1)
    if place < 0:
        return [add_entries(folder, file, [entry])]
    changes = list(_merge(items[place], entry))
    if not changes:
        return [f"{path} is up to date"]

    lines = text.splitlines(keepends=True)
    first = items.lc.item(place)[0]
    starts = [items.lc.item(n)[0] for n in range(len(items))]
    starts += [document.lc.key(other)[0] for other in document]
    last = min((line for line in starts if line > first), default=len(lines))
    margin = len(lines[first]) - len(lines[first].lstrip())
    block = _dump([items[place]], margin)
    merged = "".join([*lines[:first], block, *lines[last:]])
    if not _holds(merged, key, [*items]):
        raise SetupError(
            f"{path}, line {first + 1}: {entry['name']} can't be changed there; write in its place:\n{block}"
        )
    write_file(path, merged.encode())
    return [f"{path}, {entry['name']}: changed {change}" for change in changes]


def _merge(
    item: MutableMapping[str, Any], new: Mapping[str, Any], within: str = ""
) -> Iterator[str]:
    """Gives an entry the fields of another, and yields what changes, field by field."""
    for field, value in new.items():
        old, name = item.get(field), f"{within}{field}"
        if old == value:
            continue
        if isinstance(old, MutableMapping) and isinstance(value, Mapping):
            yield from _merge(old, value, f"{name}.")
            continue
        if isinstance(old, list) and isinstance(value, list):
            more = [f"with {one}" for one in value if one not in old]
            less = [f"without {one}" for one in old if one not in value]
            yield f"{name}: {', '.join(more + less) or 'their order'}"
            old[:] = value  # a list keeps the form in which it is written
            continue
        yield f"{name}: {'nothing' if old is None else old} → {'nothing' if value is None else value}"
        if value is None:
            del item[field]
        else:
            item[field] = value


def _read(path: Path, key: str) -> tuple[str, CommentedMap]:
    """A file's text and what it says: under a key, a list of things with names, if anything."""
    try:
        text = path.read_bytes().decode() if path.exists() else ""
        yaml = YAML()
        yaml.preserve_quotes = True
        document = yaml.load(text) or CommentedMap()
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


def _dump(entries: list[Any], margin: int) -> str:
    """The lines of entries at the place in a line where those of their list begin."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = MAX_LINE
    yaml.indent(mapping=2, sequence=margin + 2, offset=margin)
    stream = io.StringIO()
    yaml.dump({"entries": entries}, stream)
    return stream.getvalue().partition("\n")[2]


def _holds(text: str, key: str, entries: list[Any]) -> bool:
    try:
        return bool(YAML().load(text)[key] == entries)
    except YAMLError:
        return False
