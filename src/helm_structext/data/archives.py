"""Repositories of webpages as the published dataset holds them: base64 of a tar.gz."""

import base64
import binascii
import gzip
import io
import tarfile
import zlib
from pathlib import PurePosixPath

MAX_BYTES = 64 * 2**20
MAX_FILES = 2000
PICTURES = frozenset(["png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "tiff"])
"""Extensions of the files that are given to a model as assets."""


def unpack_repository(structure: str) -> dict[str, bytes]:
    """Unpacks a repository in memory; only its regular files exist.

    Args:
        structure: base64 of a tar.gz archive.

    Returns:
        Each file's content by its path within the repository, sorted by path.

    Raises:
        ValueError: it is no such archive; a path leads out of it; it has links or devices; or it
            is larger than `MAX_BYTES` or `MAX_FILES`.
    """
    files: dict[str, bytes] = {}
    try:
        packed = base64.b64decode(structure, validate=True)
        # Decompressing with a bound comes first: a few kB of gzip can hold many GB of zeros.
        with gzip.open(io.BytesIO(packed)) as stream:
            unpacked = stream.read(MAX_BYTES + 1)
        if len(unpacked) > MAX_BYTES:
            raise ValueError(f"it holds more than {MAX_BYTES // 2**20} MiB")
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            for member in archive:
                if member.isdir():
                    continue
                path = PurePosixPath(member.name)
                if not member.isreg():
                    raise ValueError(f"'{member.name}' is not a regular file")
                if path.is_absolute() or ".." in path.parts or not path.parts:
                    raise ValueError(f"'{member.name}' leads out of the repository")
                if len(files) == MAX_FILES:
                    raise ValueError(f"it holds more than {MAX_FILES} files")
                content = archive.extractfile(member)
                assert content is not None
                files[str(path)] = content.read()
    except (binascii.Error, OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise ValueError(f"it is not the base64 of a tar.gz archive: {error}") from error
    return dict(sorted(files.items()))


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
