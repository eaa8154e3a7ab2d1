"""A report's folder: what the page reads later, in scripts that it loads when they are looked at.

A page from disk may fetch no file and read no pixel of a picture beside it, but it may load scripts.
So texts, plans and pictures stand in scripts, some of a kind in each, by number: ``data/a/0/12.js``
holds the answers from 192 on, if there are 16 to a script. A script is one call with JSON as it is in
a literal, from which nothing of it can be anything but text.
"""

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.texts import one_line

SHARDS = {"a": 16, "i": 32, "p": 8, "t": 16}
"""Kind of block, the first letter of its id, to how many stand in a script."""

PER_FOLDER = 1000
"""Scripts in a folder."""

MARK = "report.json"
"""The file by which a folder is known as a report of ours, also one that is not finished."""

MAKER = "helm-structext"


def write_shards(folder: Path, entries: Iterable[tuple[str, str]]) -> None:
    """Writes what a page reads later.

    Args:
        folder: of the report.
        entries: ids and texts, of pictures and thumbnails in Base64, of others JSON; those of each
            kind by ascending number.

    Raises:
        OSError: they can't be written.
    """
    for kind, place, content in _shards(entries):
        path = folder / "data" / kind / f"{place // PER_FOLDER}" / f"{place}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="ascii", newline="\n") as file:  # no shard is written twice
            file.write(shard_script(f"{kind}/{place // PER_FOLDER}/{place}", content))


def shard_script(name: str, content: dict[str, str]) -> str:
    r"""Returns the script that gives the page a shard.

    Args:
        name: of the shard.
        content: id to JSON in ASCII.

    >>> print(shard_script("a/0/0", {"a0": '"${x} `y`"'}))
    shard("a/0/0",String.raw`{"a0":"\u0024{x} \u0060y\u0060"}`);
    """
    items = ",".join(f'"{id}":{text}' for id, text in content.items())
    # Neither stands in JSON outside of strings, and a raw literal has no other special characters.
    text = items.replace("`", r"\u0060").replace("$", r"\u0024")
    return f'shard("{name}",String.raw`{{{text}}}`);'


def _shards(entries: Iterable[tuple[str, str]]) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Collects entries into shards: kind, number and content."""
    open_shards: dict[str, tuple[int, dict[str, str]]] = {}
    for id, text in entries:
        kind, place = id[0], int(id[1:]) // SHARDS[id[0]]
        before, content = open_shards.setdefault(kind, (place, {}))
        if place != before:
            yield kind, before, content
            content = {}
            open_shards[kind] = (place, content)
        content[id] = json.dumps(text) if kind in "pt" else text
    for kind, (place, content) in open_shards.items():
        yield kind, place, content


@contextmanager
def folder_in_place(folder: Path) -> Iterator[Path]:
    """Yields an empty folder, which takes the place of a report when it is finished.

    Until then the earlier report stays, and at any end of the process one of the two is on the disk.

    Raises:
        SetupError: what is there is no report of ours, or it can't be written.
    """
    folder = folder.resolve()
    draft, old = (folder.with_name(f".{folder.name}.{what}") for what in ("part", "old"))
    for place in (folder, draft, old):
        check_replaceable(place)
    try:
        _put_back(old, folder)  # where an earlier call ended between the two names' changes
        for left in (draft, old):
            if left.exists():  # of a report that was not finished
                shutil.rmtree(left)
        draft.mkdir()
        mark = {"made_by": f"{MAKER} {__version__}", "open": "index.html"}
        (draft / MARK).write_text(f"{json.dumps(mark)}\n", encoding="utf-8")
        yield draft
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise SetupError(f"{folder} can't be written: {error}") from error
    finally:
        with suppress(OSError):
            _put_back(old, folder)
        shutil.rmtree(draft, ignore_errors=True)


def _put_back(old: Path, folder: Path) -> None:
    if old.exists() and not (folder.exists() and any(folder.iterdir())):
        old.rename(folder)


def check_replaceable(folder: Path) -> None:
    """Checks that a folder is absent, empty, or a report of ours.

    Raises:
        SetupError: it is not.
    """
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
        if (folder / MARK).is_file():  # a pipe would be waited for
            with (folder / MARK).open(encoding="utf-8") as file:
                mark = json.loads(file.read(1000))
            if str(mark["made_by"]).startswith(MAKER):
                return
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        pass
    raise SetupError(
        f"{one_line(str(folder))} holds something that is no report of ours; name another folder"
    )
