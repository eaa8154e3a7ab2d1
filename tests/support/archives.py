"""Tar archives: by Python's module, and byte by byte, as no honest program writes them."""

import gzip
import io
import tarfile
from collections.abc import Mapping

END = bytes(1024)


def padded(data: bytes) -> bytes:
    """Data, filled up to whole blocks."""
    return data + bytes(-len(data) % 512)


def header(
    name: str | bytes, length: int = 0, kind: bytes = b"0", *, size: bytes | None = None
) -> bytes:
    """The header of an entry, with a right checksum.

    Args:
        name: at most 100 bytes.
        length: of the content.
        kind: its type.
        size: 12 bytes in place of the length.
    """
    named = name.encode() if isinstance(name, str) else name
    size = size or b"%011o\0" % length
    fields = named.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2
    fields += size.ljust(12, b"\0") + b"00000000000\0"
    rest = kind + bytes(100) + b"ustar\00000" + bytes(247)
    return fields + b"%06o\0 " % sum(fields + b" " * 8 + rest) + rest


def long_name(name: str) -> bytes:
    """GNU's entry that names the next one."""
    data = name.encode() + b"\0"
    return header("././@LongLink", len(data), b"L") + padded(data)


def pax(records: dict[str, str], kind: bytes = b"x") -> bytes:
    """POSIX's entry that says something of the next one, or (`g`) of all."""
    data = b""
    for key, value in records.items():
        rest = f" {key}={value}\n".encode()
        length = len(rest)
        while len(rest) + len(str(length)) != length:
            length = len(rest) + len(str(length))
        data += str(length).encode() + rest
    return header("PaxHeader", len(data), kind) + padded(data)


def tar_gz(
    files: Mapping[str, bytes], links: Mapping[str, str] | None = None, *, comment: str = ""
) -> bytes:
    """Returns a tar.gz.

    Args:
        files: name → content; names may be anything.
        links: symbolic links, name → target.
        comment: of the whole archive, in its header; Git writes the commit there.
    """
    buffer = io.BytesIO()
    headers = {"comment": comment} if comment else {}
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", pax_headers=headers) as archive,
    ):
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return buffer.getvalue()
