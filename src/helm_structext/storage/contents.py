"""What lies in the cache folder: a table of its kinds, and a walk over its entries.

An entry is a record (JSON) and what it vouches for, such as a rendered picture. Entries are found one after
the other, and nothing of them is held: a million take as little memory as ten. What has another name
than ours, and whatever is a link, is foreign, and not followed.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.storage.cache import SEALED, remove_folder

RECORD = ".json"


class CacheFolder(NamedTuple):
    """One of the cache's folders.

    Args:
        holds: what it holds, for people.
        names: what its files are called, without their endings.
        ending: of the files beside the records; None where the records are all, or there are none.
        records: whether there are records.
    """

    holds: str
    names: str
    ending: str | None
    records: bool = True

    @property
    def pattern(self) -> Pattern:
        """What a file of this kind is called."""
        endings = [self.ending] if self.ending is not None else []
        endings += [RECORD] if self.records else []
        return Pattern(rf"{self.names}({'|'.join(e.replace('.', '[.]') for e in endings)})")


KEY = "[0-9a-f]{64}"
KINDS = {
    "renderings": CacheFolder("rendered answers", KEY, ".png"),
    "report": CacheFolder("pictures of reports", KEY, ""),
    "runs": CacheFolder("finished runs in columns", rf"[A-Za-z0-9]+-{KEY}", ".arrow"),
    "judge": CacheFolder("pictures that judges saw", KEY, ".png", records=False),
    "references": CacheFolder("questions and references", rf"{KEY}[.][a-z0-9]+", "", records=False),
    "networks": CacheFolder("what networks see in references", KEY, None),
    "floors": CacheFolder("floors of Image2Struct", KEY, None),
    "fingerprints": CacheFolder("fingerprints of published instances", KEY, None),
    "formats": CacheFolder("LaTeX's formats", "latex-[0-9a-f]{32}", ".fmt"),
    "scripts": CacheFolder("Vega's scripts", "vega-[0-9a-f]{32}", ".js"),
}
"""Name of a folder to what is in it."""
INSTALLED = {"weights": "weights of networks", "typst": "packages of Typst"}
"""Folders of what was installed, and what they hold."""
PACKAGES = "js-KEY"
"""Stands for the folders of JavaScript packages."""
SUPERSEDED = "superseded"
LEFTOVERS = "leftovers"
GROUPS = {
    **{name: (kind.holds, f"{name}/") for name, kind in KINDS.items()},
    **{name: (holds, f"{name}/") for name, holds in INSTALLED.items()},
    PACKAGES: ("JavaScript packages", f"{PACKAGES}/"),
    SUPERSEDED: ("JavaScript packages of another version", "js-*/"),
    LEFTOVERS: ("unfinished files", ".*"),
}
"""What is ours: by its name, what it holds, for people, and where it lies."""
FOREIGN = "foreign"
UNREADABLE = "unreadable"

_PREFIX = Pattern("[0-9a-f]{2}")
_PACKAGES = Pattern("js-[0-9a-f]{16}")
_BESIDE_PACKAGES = Pattern("js-[0-9a-f]{16}[.](lock|checked[.]json)")
_TEMPORARY = Pattern(r"[.][A-Za-z0-9._-]{1,99}[.][a-z0-9_]{8}")
_PATTERNS = {name: kind.pattern for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in the cache folder.

    Args:
        group: a key of `KINDS` for an entry, of `INSTALLED` or `PACKAGES` for what was installed and is never
            removed, `SUPERSEDED` for packages of another version; `LEFTOVERS` of a program that was
            killed, or that is writing; `FOREIGN` or `UNREADABLE`.
        path: within the cache folder.
        size: bytes of all its files.
        used: when it was last used, in seconds since 1970.
        remove: removes it, as long as the next one was not asked for.
    """

    group: str
    path: str
    size: int = 0
    used: float = 0.0
    remove: Callable[[], object] = lambda: None


def walk(folder: Path, packages: str, *, tidy: bool = False) -> Iterator[Found]:
    """Yields what lies in a cache folder, in no order.

    Args:
        folder: as from `helm_structext.storage.cache.cache_folder`.
        packages: the name of this version's JavaScript packages in it.
        tidy: whether folders are removed that are empty in the end.

    Raises:
        SetupError: the folder can't be read.
    """
    with ExitStack() as stack:
        try:
            top = stack.enter_context(_opened(folder))
            listed = stack.enter_context(os.scandir(top))
        except FileNotFoundError:
            return
        except OSError as error:
            raise SetupError(f"{folder} can't be read: {error.strerror}") from error
        for entry in listed:
            if entry.is_dir(follow_symlinks=False) and entry.name in KINDS:
                yield from _of_folder(entry.name, top, entry.name, entry.name, tidy)
            else:
                yield from _of_top(folder / entry.name, entry, packages)


def _of_top(path: Path, entry: "os.DirEntry[str]", packages: str) -> Iterator[Found]:
    """What lies beside the folders of entries."""
    name = path.name
    is_folder, is_file = entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)
    if is_folder and name in INSTALLED:
        for file, of_file in _tree(path):
            within = str(file.relative_to(path.parent))
            yield Found(name, within, of_file.st_size, _last_use(of_file))
    elif is_folder and _PACKAGES.fullmatch(name):
        beside = [path.with_name(name + ending) for ending in (".lock", ".checked.json")]
        # Not the folder's own date, which is also read to find out its size.
        dates = [_last_use(about) for file in (path / SEALED, *beside) if (about := _stat(file))]
        group = PACKAGES if name == packages else SUPERSEDED
        yield _whole(group, [path, *beside], max(dates, default=None))
    elif (is_folder or is_file) and _TEMPORARY.fullmatch(name):
        yield _whole(LEFTOVERS, [path])
    elif is_file and _BESIDE_PACKAGES.fullmatch(name):
        owner = name.partition(".")[0]
        if owner != packages and not path.with_name(owner).is_dir():  # else it counts with it
            yield _whole(LEFTOVERS, [path])
    else:
        yield Found(FOREIGN, name)


def _whole(group: str, paths: list[Path], used: float | None = None) -> Found:
    """Files and folders that go together; what was begun is as old as the first of them."""

    def remove() -> None:
        if first.is_dir():
            remove_folder(first)
        for path in paths:
            path.unlink(missing_ok=True)

    first = paths[0]
    if used is None:
        about = _stat(first)
        used = about.st_mtime if about else time.time()
    size = sum(about.st_size for path in paths for _, about in _tree(path))
    return Found(group, first.name, size, used, remove)


def _of_folder(kind: str, parent: int, name: str, path: str, tidy: bool) -> Iterator[Found]:
    """What lies in a folder of a kind, or in one of its 256 folders."""
    try:
        with _opened(name, parent) as here, os.scandir(here) as listed:
            for entry in listed:
                below = f"{path}/{entry.name}"
                if not entry.is_dir(follow_symlinks=False):
                    yield from _of_file(kind, here, entry.name, below)
                elif path == kind and _PREFIX.fullmatch(entry.name):
                    yield from _of_folder(kind, here, entry.name, below, tidy)
                else:
                    yield Found(FOREIGN, below)
    except FileNotFoundError:
        return
    except OSError as error:
        yield Found(UNREADABLE, f"{path} ({error.strerror})")
    if tidy:
        with suppress(OSError):  # Something is left in it, or new.
            os.rmdir(name, dir_fd=parent)


def _of_file(kind: str, folder: int, name: str, path: str) -> Iterator[Found]:
    """An entry at its record; a file beside a record is counted there."""
    about = KINDS[kind]
    if (own := _stat(name, folder)) is None:
        return
    if stat.S_ISREG(own.st_mode) and _TEMPORARY.fullmatch(name):
        remove = partial(_unlink, folder, name)
        yield Found(LEFTOVERS, path, own.st_size, own.st_mtime, remove)
    elif not stat.S_ISREG(own.st_mode) or not _PATTERNS[kind].fullmatch(name):
        yield Found(FOREIGN, path)
    elif about.records and not name.endswith(RECORD):
        if _size(name.removesuffix(about.ending or "") + RECORD, folder) is None:
            yield Found(kind, path, own.st_size, _last_use(own), partial(_unlink, folder, name))
    else:
        names, size = [name], own.st_size
        if about.records and about.ending is not None:
            beside = name.removesuffix(RECORD) + about.ending
            if (more := _size(beside, folder)) is not None:
                names.append(beside)
                size += more
        yield Found(kind, path, size, _last_use(own), partial(_unlink, folder, *names))


@contextmanager
def _opened(name: str | Path, parent: int | None = None) -> Iterator[int]:
    """A folder; a link to one only at the top, where the user has put it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if parent is None else os.O_NOFOLLOW)
    descriptor = os.open(name, flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _tree(top: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """A file, or all files below a folder."""
    below = (Path(here, name) for here, _, names in os.walk(top) for name in names)
    for path in below if top.is_dir() else [top]:
        if about := _stat(path):
            yield path, about


def _stat(path: str | Path, folder: int | None = None) -> os.stat_result | None:
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None


def _size(name: str, folder: int) -> int | None:
    """Bytes of a regular file; None for anything else."""
    about = _stat(name, folder)
    return about.st_size if about and stat.S_ISREG(about.st_mode) else None


def _last_use(about: os.stat_result) -> float:
    # The date of reading is that of another user's file, whose other one can't be set.
    return max(about.st_mtime, about.st_atime)


def _unlink(folder: int, *names: str) -> None:
    for name in names:
        with suppress(FileNotFoundError):  # Another one was faster.
            os.unlink(name, dir_fd=folder)
