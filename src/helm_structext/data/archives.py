"""Repositories of webpages as the published dataset holds them: base64 of a tar.gz."""

import base64
import gzip
import io
import tarfile
import zlib
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import PurePosixPath

from helm_structext.storage.tar import TarError, entries

MAX_BYTES = 64 * 2**20
MAX_FILES = 2000
MAX_NAME, MAX_PART = 4096, 255
"""Bytes of a path, and of a name in it: no file can have a longer one."""
PICTURES = frozenset(["png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "tiff"])
"""Extensions of the files that are given to a model as assets."""
NO_ARCHIVE = "it is not a tar.gz archive"


def unpack_repository(structure: str) -> dict[str, bytes]:
    """Unpacks a repository in memory; see `unpack_archive`.

    Args:
        structure: base64 of a tar.gz archive.

    Raises:
        ValueError: it is no such archive, or not one of a plain repository.
    """
    try:
        packed = base64.b64decode(structure, validate=True)
    except ValueError as error:
        raise ValueError(f"it is not base64: {error}") from error
    return unpack_archive(packed)


def unpack_archive(packed: bytes) -> dict[str, bytes]:
    """Unpacks a tar.gz archive in memory; see `unpack_tar`.

    Raises:
        ValueError: it is no such archive, or not one of a plain repository.
    """
    return unpack_tar(gunzip(packed))


def gunzip(packed: bytes) -> bytes:
    """Returns what gzip packed.

    Raises:
        ValueError: it is not what gzip packs, or it is larger than `MAX_BYTES`.
    """
    # With a bound: a few kB of gzip can hold many GB of zeros, or millions of empty parts.
    if len(packed) <= MAX_BYTES:
        try:
            with gzip.open(io.BytesIO(packed)) as stream:
                unpacked = stream.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{NO_ARCHIVE}: {error}") from error
        if len(unpacked) <= MAX_BYTES:
            return unpacked
    raise ValueError(f"it holds more than {MAX_BYTES // 2**20} MiB")


def unpack_tar(archive: bytes) -> dict[str, bytes]:
    """Unpacks a tar archive in memory; only its regular files exist.

    Returns:
        Each file's content by its path within the repository, sorted by path. Of several files
        with one path, the last.

    Raises:
        ValueError: it is no such archive; a path leads out of it, can't be one, or is a file and
            a folder; it has links or devices; or it has more than `MAX_FILES`.
    """
    files: dict[str, bytes] = {}
    folders: set[str] = set()
    count = 0
    try:
        for name, kind, content in entries(archive):
            path = _path(name)
            if kind == "folder":
                folders.add(path)
                continue
            if kind != "file" or path == ".":
                raise ValueError(f"{name[:100]!r} is not a regular file")
            count += 1
            if count > MAX_FILES:
                raise ValueError(f"it holds more than {MAX_FILES} files")
            files[path] = bytes(content)
    except TarError as error:
        raise ValueError(f"{NO_ARCHIVE}: {error}") from error
    _check_folders(files, folders)
    return dict(sorted(files.items()))


def pack_repository(files: Mapping[str, bytes]) -> str:
    """Packs a repository: the same files give the same text, as it holds no times and no owners.

    Args:
        files: path within the repository → content.

    >>> unpack_repository(pack_repository({"css/a.css": b"p {}", "a.html": b"<p>"}))
    {'a.html': b'<p>', 'css/a.css': b'p {}'}
    """
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return base64.b64encode(buffer.getvalue()).decode()


def _path(name: str) -> str:
    """An entry's path within the repository, as short as can be."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{name[:100]!r} leads out of the repository")
    try:
        lengths = [len(part.encode()) for part in path.parts]
    except UnicodeEncodeError as error:
        raise ValueError(f"the name {name[:100]!r} is not UTF-8") from error
    if "\0" in name or sum(lengths) > MAX_NAME or max(lengths, default=0) > MAX_PART:
        raise ValueError(f"{name[:100]!r} is no name of a file")
    return str(path)


def _check_folders(files: Collection[str], folders: Collection[str]) -> None:
    """Each file's name, with a slash, comes right before those of what it would be the folder of."""
    names = sorted(f"{path}/" for path in (*files, *folders))
    for name, after in pairwise(names):
        if after.startswith(name) and name[:-1] in files:
            raise ValueError(f"{name[:-1][:100]!r} is both a file and a folder")


def asset_names(files: dict[str, bytes]) -> list[str]:
    """Returns the pictures among a repository's files, but those of hidden and built folders.

    >>> asset_names({"a.PNG": b"", "index.html": b"", ".git/b.png": b"", "_site/c.png": b""})
    ['a.PNG']
    """
    return [
        name
        for name in files
        if name.rpartition(".")[2].lower() in PICTURES and not name.startswith((".", "_site"))
    ]
