"""What lies in the cache folder: a table of its kinds, and a walk over its entries.

An entry is a record (JSON) and what it vouches for, such as a rendered picture. Entries are found one after
the other, and nothing of them is held: a million take as little memory as ten. What has another name
than ours, and whatever is a link, is foreign, and not followed.
"""

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.storage.cache import SEALED, remove_folder

RECORD = ".json"


class Kind(NamedTuple):
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
    "renderings": Kind("rendered answers", KEY, ".png"),
    "report": Kind("pictures of reports", KEY, ""),
    "runs": Kind("finished runs in columns", rf"[A-Za-z0-9]+-{KEY}", ".parquet"),
    "judge": Kind("pictures that judges saw", KEY, ".png", records=False),
    "references": Kind("questions and references", rf"{KEY}[.][a-z0-9]+", "", records=False),
    "networks": Kind("what networks see in references", KEY, None),
    "floors": Kind("floors of Image2Struct", KEY, None),
    "fingerprints": Kind("fingerprints of published instances", KEY, None),
    "formats": Kind("LaTeX's formats", "latex-[0-9a-f]{32}", ".fmt"),
    "scripts": Kind("Vega's scripts", "vega-[0-9a-f]{32}", ".js"),
}
"""Name of a folder to what is in it."""
WEIGHTS = "weights"
PACKAGES = "js-KEY"
"""Stands for the folders of JavaScript packages."""
HOLDS = {
    **{name: kind.holds for name, kind in KINDS.items()},
    WEIGHTS: "weights of networks",
    PACKAGES: "JavaScript packages",
}
"""What each kind holds, for people."""

_PREFIX = Pattern("[0-9a-f]{2}")
_PACKAGES = Pattern("js-[0-9a-f]{16}")
_BESIDE_PACKAGES = Pattern("js-[0-9a-f]{16}[.](lock|checked[.]json)")
_TEMPORARY = Pattern(r"[.][A-Za-z0-9.-]{1,80}[.][a-z0-9_]{8}")
_PATTERNS = {name: kind.pattern for name, kind in KINDS.items()}

What = Literal["entry", "kept", "superseded", "leftover", "foreign", "unreadable"]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in the cache folder.

    Args:
        what: ``entry``; ``kept`` and ``superseded``, what was installed and is never removed, and that
            of another version; ``leftover`` of a program that was killed; ``foreign`` and ``unreadable``.
        kind: a key of `KINDS`, or `WEIGHTS` or `PACKAGES`.
        path: within the cache folder.
        size: bytes of all its files.
        used: when it was last used, in seconds since 1970.
        remove: removes it, as long as the next one was not asked for.
    """

    what: What
    kind: str
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
            yield from _of_top(folder, top, entry, packages, tidy)


def _of_top(
    folder: Path, top: int, entry: "os.DirEntry[str]", packages: str, tidy: bool
) -> Iterator[Found]:
    name, path = entry.name, folder / entry.name
    is_folder, is_file = entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)
    if is_folder and name in KINDS:
        yield from _of_folder(name, top, name, name, tidy)
    elif is_folder and name == WEIGHTS:
        for file, about in _tree(path):
            yield Found("kept", WEIGHTS, file, about.st_size, _used(about))
    elif is_folder and _PACKAGES.fullmatch(name):
        yield _packages(path, "kept" if name == packages else "superseded")
    elif (is_folder or is_file) and _TEMPORARY.fullmatch(name):
        yield _leftover(path)
    elif is_file and _BESIDE_PACKAGES.fullmatch(name):
        owner = name.partition(".")[0]
        if owner != packages and not (folder / owner).is_dir():  # else it counts with it
            yield _leftover(path)
    else:
        yield Found("foreign", "", name)


def _leftover(path: Path) -> Found:
    """A file or a folder beside the folders of entries."""
    if path.is_dir():
        size = sum(about.st_size for _, about in _tree(path))
        remove: Callable[[], object] = partial(shutil.rmtree, path)
    else:
        about = _lstat(path)
        size, remove = about.st_size if about else 0, path.unlink
    return Found("leftover", "", path.name, size, _began(path), remove)


def _began(path: Path) -> float:
    about = _lstat(path)
    return about.st_mtime if about else time.time()


def _packages(folder: Path, what: What) -> Found:
    """A folder of packages, and the files beside it."""
    beside = [folder.with_name(folder.name + ending) for ending in (".lock", ".checked.json")]
    # Not the folder's own, which is also read to find out its size.
    dates = [_used(about) for path in (folder / SEALED, *beside) if (about := _lstat(path))]
    used = max(dates, default=_began(folder))
    files = [*_tree(folder), *((str(path), about) for path in beside if (about := _lstat(path)))]
    size = sum(about.st_size for _, about in files)
    return Found(what, PACKAGES, folder.name, size, used, partial(_remove_packages, folder, beside))


def _remove_packages(folder: Path, beside: list[Path]) -> None:
    remove_folder(folder)
    for path in beside:
        path.unlink(missing_ok=True)


def _of_folder(kind: str, parent: int, name: str, path: str, tidy: bool) -> Iterator[Found]:
    """What lies in a folder of a kind, or in one of its 256 folders."""
    try:
        with _opened(name, parent) as here, os.scandir(here) as listed:
            for entry in listed:
                below = f"{path}/{entry.name}"
                if not entry.is_dir(follow_symlinks=False):
                    yield from _of_file(kind, here, entry, below)
                elif path == kind and _PREFIX.fullmatch(entry.name):
                    yield from _of_folder(kind, here, entry.name, below, tidy)
                else:
                    yield Found("foreign", kind, below)
    except FileNotFoundError:
        return
    except OSError as error:
        yield Found("unreadable", kind, f"{path} ({error.strerror})")
    if tidy:
        with suppress(OSError):  # Something is left in it, or new.
            os.rmdir(name, dir_fd=parent)


def _of_file(kind: str, folder: int, entry: "os.DirEntry[str]", path: str) -> Iterator[Found]:
    """An entry at its record; a file beside a record is counted there."""
    name, about = entry.name, KINDS[kind]
    if (own := _regular(folder, name)) is None:
        if not _is_gone(folder, name):
            yield Found("foreign", kind, path)
        return
    if name[0] == "." and _TEMPORARY.fullmatch(name):
        remove = partial(_unlink, folder, name)
        yield Found("leftover", kind, path, own.st_size, own.st_mtime, remove)
    elif not _PATTERNS[kind].fullmatch(name):
        yield Found("foreign", kind, path)
    elif about.records and name.endswith(RECORD):
        names, size = [name], own.st_size
        if about.ending is not None:
            beside = name.removesuffix(RECORD) + about.ending
            if (other := _regular(folder, beside)) is not None:
                names.append(beside)
                size += other.st_size
        yield Found("entry", kind, path, size, _used(own), partial(_unlink, folder, *names))
    else:
        record = name.removesuffix(about.ending or "") + RECORD
        if not about.records or _regular(folder, record) is None:
            remove = partial(_unlink, folder, name)
            yield Found("entry", kind, path, own.st_size, _used(own), remove)


@contextmanager
def _opened(name: str | Path, parent: int | None = None) -> Iterator[int]:
    """A folder; a link to one only at the top, where the user has put it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if parent is None else os.O_NOFOLLOW)
    descriptor = os.open(name, flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _tree(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """All files below a folder, by their paths from the one that holds it."""
    for here, _, names in os.walk(folder):
        for name in names:
            path = Path(here, name)
            if about := _lstat(path):
                yield str(path.relative_to(folder.parent)), about


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _regular(folder: int, name: str) -> os.stat_result | None:
    """What a regular file is like; None for anything else."""
    try:
        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return about if stat.S_ISREG(about.st_mode) else None


def _is_gone(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return True
    return False


def _used(about: os.stat_result) -> float:
    # The date of reading is that of another user's file, whose other one can't be set.
    return max(about.st_mtime, about.st_atime)


def _unlink(folder: int, *names: str) -> None:
    for name in names:
        with suppress(FileNotFoundError):  # Another one was faster.
            os.unlink(name, dir_fd=folder)
