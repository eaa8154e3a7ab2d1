"""Content hashes, and the files that we write and read back: whole, or noticed and made anew.

What goes to a user (`write_atomically`) is on the disk before it has its name. What is kept to save
time is not waited for. It has a record instead, beside it or alone: JSON with the SHA-256 of the
file, and one of the record itself and its name. A file that is cut off, altered, or another's is no
longer what its record says, and is made anew. So there are no locks: any number of processes, on any
number of machines, may write the same at a time, and what is kept may be removed at any moment
(`helm_structext.storage.pruning`). A record's date says when it was last used.
"""

import hashlib
import json
import logging
import os
import secrets
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError

# Below HELM's own logger, whose handlers and level are then those of this one, too.
_log = logging.getLogger("helm.structext")

MAX_KEPT = 2**30
"""Bytes of a file that is read back; a larger one is none of ours."""

USED_SECONDS = 600
"""After how long a use is noted again."""

ATTEMPTS = 10
"""At a file in a folder that others remove whenever it is empty."""


def content_key(*parts: str | bytes) -> str:
    """Returns the SHA-256 of `parts` in hexadecimal digits; where one part ends matters.

    >>> content_key("ab", "c") == content_key("a", "bc")
    False
    >>> len(content_key("latex", b"x^2"))
    64
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def cache_folder() -> Path:
    """Returns the user's cache folder of this package (`HELM_STRUCTEXT_CACHE` moves it).

    Where there is no home, or it can't be written, that is a folder for temporary files, and a warning says so.

    Raises:
        SetupError: it would have to be that folder, and someone else has made it.
    """
    named = os.environ.get("HELM_STRUCTEXT_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return _make_folder(base) if base.startswith("~") else _usable(Path(base, "helm-structext"))


@lru_cache
def _usable(folder: Path) -> Path:
    """A folder, or, if it is not there and can't be made, one for temporary files."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return folder if there == folder or os.access(there, os.W_OK) else _make_folder(str(folder))


@lru_cache
def _make_folder(wanted: str) -> Path:
    """This user's folder for temporary files, in place of another one."""
    folder = Path(tempfile.gettempdir(), f"helm-structext-{os.getuid()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    about = folder.lstat()
    if about.st_uid != os.getuid() or not stat.S_ISDIR(about.st_mode) or about.st_mode & 0o022:
        raise SetupError(f"{folder} is someone else's: let HELM_STRUCTEXT_CACHE name a folder.")
    _log.warning(
        "%s can't be written, so the cache is %s, which may not stay: "
        "let HELM_STRUCTEXT_CACHE name a folder",
        wanted,
        folder,
    )
    return folder


def renderings_folder() -> Path:
    """Returns the folder of finished renderings, shared by runs, models, judges and rescoring."""
    return cache_folder() / "renderings"


def prefix_folder(folder: Path, key: str) -> Path:
    """Returns the folder of an entry among millions: one of 256, by its key's first digits.

    Args:
        folder: of all entries.
        key: what `content_key` returns.

    >>> prefix_folder(Path("renderings"), "ab54d286") == Path("renderings/ab")
    True
    """
    return folder / key[:2]


def mark_used(path: Path) -> None:
    """Notes in the date of a file that it is in use, if that was noted some time ago."""
    with suppress(OSError):  # It may be gone, or belong to someone else.
        if time.time() - path.lstat().st_mtime > USED_SECONDS:
            os.utime(path, follow_symlinks=False)


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file by renaming a finished one: whole after a crash, too, or not there at all.

    Raises:
        OSError: the disk is full or the folder not writable.
    """
    _replace(path, data, durable=True)


def _replace(path: Path, data: bytes, *, durable: bool) -> None:
    with _temporary_beside(path) as (folder, handle, temporary):
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                os.fchmod(file.fileno(), 0o644)  # those of a shared cache are read by others
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise
        if durable:
            os.fsync(folder)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """A descriptor of a folder, which is made: what is written by it lands there, whatever its name becomes.

    What is made below the user's cache folder is open to the same users as that is; so links in it may be
    theirs, and only those of this user and of root are followed.
    """
    descriptor = _open_folder(folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def _is_in_cache(folder: Path) -> bool:
    try:
        base = cache_folder()
    except SetupError:  # which matters to who wants the cache
        return False
    return folder != base and folder.is_relative_to(base)


def _open_folder(folder: Path) -> int:
    if not _is_in_cache(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder, _FOLDER)
    with _opened(folder.parent) as parent:
        try:
            os.mkdir(folder.name, dir_fd=parent)
        except FileExistsError:
            return _open_below(parent, folder.name)
        descriptor = os.open(folder.name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
        os.fchmod(descriptor, stat.S_IMODE(os.fstat(parent).st_mode))
        return descriptor


def _open_below(parent: int, name: str) -> int:
    """Opens a folder, or where a link leads that nobody but this user or root can have set."""
    link = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        about = os.fstat(link)
        if not stat.S_ISLNK(about.st_mode):
            return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
        if about.st_uid not in (0, os.geteuid()):
            raise PermissionError(f"{name} is a link that someone else has set")
        return os.open(os.readlink("", dir_fd=link), _FOLDER, dir_fd=parent)
    finally:
        os.close(link)


@contextmanager
def _temporary_beside(path: Path) -> Iterator[tuple[int, int, str]]:
    """A new file in the same folder, which is made; others may remove it as long as it is empty."""
    with ExitStack() as stack:
        for attempt in count(1):
            try:
                folder = stack.enter_context(_opened(path.parent))
                name = f".{path.name[:80]}.{secrets.token_hex(8)}"
                created = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                handle = os.open(name, created, 0o600, dir_fd=folder)
                break
            except (FileNotFoundError, FileExistsError):  # gone before it was looked at, or after
                if attempt == ATTEMPTS:
                    raise
        yield folder, handle, name


def sync_folder(folder: Path) -> None:
    """Waits until the names in a folder are on the disk.

    Raises:
        OSError: the disk fails.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_record(path: Path, fields: Mapping[str, Any]) -> None:
    """Keeps a JSON object, with a hash of it and of the file's name.

    Raises:
        SetupError: the disk is full or the folder not writable.
    """
    _keep(path, json.dumps({**fields, "sha256": _seal(path, fields)}).encode())


def read_record(path: Path) -> dict[str, Any] | None:
    """Returns what `write_record` kept, or None if nothing is there that is whole.

    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> write_record(path, {"x": 1})
    >>> read_record(path)
    {'x': 1}
    >>> _ = path.write_text(path.read_text().replace("1", "2", 1))
    >>> read_record(path) is None
    True
    """
    data = _content(path)
    if data is None:
        return None
    try:
        record = json.loads(data)
        if isinstance(record, dict) and record.pop("sha256", None) == _seal(path, record):
            mark_used(path)
            return record
    except (ValueError, RecursionError):
        pass
    _log.warning(f"{path} is damaged; it is made anew")
    return None


def keep(path: Path, data: bytes, fields: Mapping[str, Any] | None = None) -> None:
    """Keeps a file, and beside it its record, with the suffix ``.json``.

    Args:
        path: of the file.
        data: its content.
        fields: what else the record holds.

    Raises:
        SetupError: the disk is full or the folder not writable.
    """
    _keep(path, data)
    write_record(path.with_suffix(".json"), {**(fields or {}), "content": _sha256(data)})


def read_kept(path: Path, record: Mapping[str, Any]) -> bytes | None:
    """Returns the content of a file, or None if it is not what its record says."""
    data = _content(path)
    if data is not None and _sha256(data) == record.get("content"):
        return data
    _log.warning(f"{path} is missing or damaged; it is made anew")
    return None


def get_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Returns the content of a file that is made at the first call, and anew if it is damaged.

    Raises:
        SetupError: it can't be written.

    >>> path = Path(tempfile.mkdtemp()) / "a"
    >>> get_or_make(path, lambda: b"x"), get_or_make(path, lambda: b"y")
    (b'x', b'x')
    """
    record = read_record(path.with_suffix(".json"))
    data = None if record is None else read_kept(path, record)
    if data is None:
        data = make()
        keep(path, data)
    return data


_checking = threading.Lock()
_checked: dict[Path, tuple[int, ...]] = {}


def get_or_make_file(path: Path, make: Callable[[], bytes]) -> Path:
    """Returns a file as `get_or_make` makes it; one that did not change since is not read again.

    Raises:
        SetupError: it can't be written.
    """
    with _checking:
        if not _state(path) or _checked.get(path) != _state(path):
            get_or_make(path, make)
            _checked[path] = _state(path)
    mark_used(path.with_suffix(".json"))
    return path


SEALED = "installed.json"
"""The record in a folder whose files stay as they are."""


def seal_folder(folder: Path) -> None:
    """Records the content of every file below a folder.

    Raises:
        SetupError: the record can't be written.
    """
    write_record(folder / SEALED, {"files": {name: _hash(entry) for name, entry in _files(folder)}})


def remove_folder(folder: Path) -> None:
    """Removes a folder with all that is in it: nobody sees half of it under its name.

    Raises:
        OSError: it can't be removed.
    """
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        folder.rename(Path(scratch) / folder.name)


def changed_files(folder: Path) -> list[str]:
    """Returns what in a sealed folder is not as it was: relative names, sorted.

    Contents are read again only if a size or a date has changed since they were read last.

    Raises:
        SetupError: the folder can't be read.
    """
    sealed, checked = folder / SEALED, folder.with_name(f"{folder.name}.checked.json")
    try:
        state = content_key("\0".join(f"{name} {_stamps(entry)}" for name, entry in _files(folder)))
        if (seen := read_record(checked)) and seen.get("state") == state:
            return []
        if (record := read_record(sealed)) is None:
            return [SEALED]
        found = {name: _hash(entry) for name, entry in _files(folder)}
    except OSError as error:
        raise SetupError(f"{folder} can't be read: {error}") from error
    changed = {name for name, _ in found.items() ^ record["files"].items()}
    if not changed:
        with suppress(SetupError):  # It may belong to someone else.
            write_record(checked, {"state": state})
    return sorted(changed)


def _files(folder: str | Path, inside: str = "") -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """All that is not a folder, by its path below the first one, but the record itself."""
    with os.scandir(folder) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, f"{inside}{entry.name}/")
            elif inside or entry.name != SEALED:
                yield inside + entry.name, entry


def _hash(entry: "os.DirEntry[str]") -> str:
    if entry.is_symlink():
        return f"→ {Path(entry.path).readlink()}"
    data = _content(Path(entry.path))
    return "" if data is None else _sha256(data)


def _stamps(entry: "os.DirEntry[str]") -> tuple[int, ...]:
    about = entry.stat(follow_symlinks=False)
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _state(path: Path) -> tuple[int, ...]:
    try:
        about = path.stat()
    except OSError:
        return ()
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def hash_file(path: Path) -> str:
    """Returns the SHA-256 of a file of any size.

    Raises:
        OSError: there is none that can be read.
    """
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"{path} is not a file")
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _seal(path: Path, fields: Mapping[str, Any]) -> str:
    return content_key(path.name, json.dumps(fields, sort_keys=True))


def _content(path: Path) -> bytes | None:
    """The bytes of a regular file; None if there is none that can be read."""
    try:
        # A pipe in its place would be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning(f"{path} can't be read: {error}")
        return None
    try:
        about = os.fstat(descriptor)
        if stat.S_ISREG(about.st_mode) and about.st_size <= MAX_KEPT:
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read()
        _log.warning(f"{path} is no file of ours")
    except OSError as error:
        _log.warning(f"{path} can't be read: {error}")
    finally:
        os.close(descriptor)
    return None


def _keep(path: Path, data: bytes) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            with _opened(path.parent) as folder:
                shutil.rmtree(path.name, dir_fd=folder)
        if not _create(path, data):
            _replace(path, data, durable=False)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error}") from error


def _create(path: Path, data: bytes) -> bool:
    """Writes a file that gets its name when it is whole: nothing is left of it if this process dies.

    Returns:
        Whether it is there: not where something else is, or where a file needs a name.
    """
    try:
        with _opened(path.parent) as folder:
            handle = os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o644, dir_fd=folder)
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, 0o644)
                file.write(data)
                file.flush()
                # With a folder's number, which does not matter here, Python follows the link.
                os.link(f"/proc/self/fd/{handle}", path.name, src_dir_fd=handle, dst_dir_fd=folder)
    except OSError:
        return False
    return True


def ensure_content(path: Path, data: bytes) -> None:
    """Writes a file, unless it is there with this content.

    Raises:
        SetupError: the disk is full or the folder not writable.
    """
    if _content(path) != data:
        _keep(path, data)


def store(folder: Path, content: bytes, extension: str) -> Path:
    """Writes a file that is named by its content, and returns its path.

    Raises:
        SetupError: the disk is full or the folder not writable.

    >>> folder = Path(tempfile.mkdtemp())
    >>> store(folder, b"a", "png") == store(folder, b"a", "png")
    True
    """
    path = stored_path(folder, content, extension)
    ensure_content(path, content)
    mark_used(path)
    return path


def stored_path(folder: Path, content: bytes, extension: str) -> Path:
    """Returns where `store` puts a file, whether or not it is there."""
    return folder / f"{_sha256(content)}.{extension}"


def store_copy(folder: Path, file: Path) -> Path:
    """Puts a finished file into a folder, named by its content: a hard link where there can be one.

    Raises:
        SetupError: the file can't be read, the disk is full or the folder not writable.

    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "a.txt").write_bytes(b"a")
    1
    >>> store_copy(folder / "copies", folder / "a.txt") == store(folder / "copies", b"a", "txt")
    True
    """
    if (content := _content(file)) is None:
        raise SetupError(f"{file} can't be read")
    path = folder / f"{_sha256(content)}{file.suffix}"
    try:
        with _opened(folder) as there:
            os.link(file, path.name, dst_dir_fd=there)
    except OSError:  # it is there, or on another file system, or there are no hard links
        store(folder, content, file.suffix.removeprefix("."))
    return path


def read_stored(file: Path) -> bytes:
    """Returns the content of a picture of a run; that of `store` and `store_copy` is in the name.

    Raises:
        SetupError: it can't be read, or is not what its name says.

    >>> path = store(Path(tempfile.mkdtemp()), b"a", "png")
    >>> read_stored(path)
    b'a'
    """
    content = _content(file)
    named = len(file.stem) == 64
    if content is None or (named and file.stem != _sha256(content)):
        raise SetupError(f"{file} is damaged or missing: run its run entry again with helm-run")
    return content
