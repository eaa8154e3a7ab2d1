"""Tar archives of strangers, read in one pass, in memory, without recursion.

Python's `tarfile` is made for archives that one trusts. It recurses for each header that follows
another, makes a sparse file as large as its header says, and takes numbers of any size. Here a
file's content is a part of the archive's own bytes, so that no archive holds more than it is long.
What is read: v7, ustar, GNU's long names, and pax. The rest is an error.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

BLOCK = 512
FOLDER, SPARSE, GLOBAL, OLD_FILE = b"5", b"S", b"g", b"\0"
FILES = (b"0", OLD_FILE, b"7")
EMPTY = (FOLDER, b"1", b"2", b"3", b"4", b"6")
"""Folders, links and devices: they have no content, whatever their size says."""
MAX_HEADER, MAX_RECORDS = 65536, 100
"""Bytes of what a header says of the next entry, and parts of it."""
MAX_DIGITS = 20


class TarError(ValueError):
    """The bytes are not a plain tar archive."""


class TarMember(NamedTuple):
    """What an archive has under one name.

    Args:
        name: as stored; bytes that are not UTF-8 are lone surrogates.
        kind: ``other`` stands for links, devices, and whatever else there may be.
        content: the bytes of a file, a view into the archive.
    """

    name: str
    kind: Literal["file", "folder", "other"]
    content: memoryview


def entries(archive: bytes) -> Iterator[TarMember]:
    """Yields what is in an archive, in its order.

    Raises:
        TarError: it is no tar archive, it is cut off, its parts contradict each other, or it has
            sparse files.

    >>> import io, tarfile
    >>> buffer = io.BytesIO()
    >>> with tarfile.open(fileobj=buffer, mode="w") as archive:
    ...     info = tarfile.TarInfo("a.txt")
    ...     info.size = 2
    ...     archive.addfile(info, io.BytesIO(b"ab"))
    >>> [(entry.name, entry.kind, bytes(entry.content)) for entry in entries(buffer.getvalue())]
    [('a.txt', 'file', b'ab')]
    """
    view = memoryview(archive)
    place = 0
    told: dict[str, str] = {}  # what headers said of the next entry
    while True:
        header = bytes(view[place : place + BLOCK])
        place += BLOCK
        if len(header) < BLOCK:
            raise TarError("it is cut off")
        if not any(header):
            return
        _check_sum(header)
        kind = header[156:157]
        size = int(told["size"]) if "size" in told else _number(header[124:136])
        length = 0 if kind in EMPTY else size
        content = view[place : place + length]
        if len(content) < length:
            raise TarError("a file is cut off")
        place += -(-length // BLOCK) * BLOCK
        if kind == SPARSE:
            raise TarError("it has a sparse file")
        if kind in HEADERS:
            if length > MAX_HEADER:
                raise TarError("a header is too long")
            for key, value in HEADERS[kind](bytes(content)):
                if key.startswith("GNU.sparse"):
                    raise TarError("it has a sparse file")
                if key in told or kind == GLOBAL:
                    raise TarError("headers contradict each other")
                told[key] = value
            continue
        name = told.get("path") or _name(header)
        told = {}
        if kind == FOLDER or (kind == OLD_FILE and name.endswith("/")):
            yield TarMember(name, "folder", view[:0])
        else:
            yield TarMember(name, "file" if kind in FILES else "other", content)


def _check_sum(header: bytes) -> None:
    """The sum of a header's bytes, signed in some old archives; its own field counts as blanks."""
    rest = header[:148] + b" " * 8 + header[156:]
    said = _number(header[148:156])
    if said != sum(rest) and said != sum(memoryview(rest).cast("b")):
        raise TarError("a header's checksum is wrong")


def _number(field: bytes) -> int:
    """A number in octal digits, or in binary if the first bit says so."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.partition(b"\0")[0].strip(b" ")
    if digits and not (digits.isdigit() and max(digits) < ord("8")):
        raise TarError("a header's number is wrong")
    return int(digits or b"0", 8)


def _text(field: bytes) -> str:
    return field.decode("utf-8", "surrogateescape")


def _name(header: bytes) -> str:
    name, prefix = (field.partition(b"\0")[0] for field in (header[:100], header[345:500]))
    # GNU has other things in the place of ustar's prefix.
    return _text(b"/".join([prefix, name]) if prefix and header[257:263] == b"ustar\0" else name)


def _long_name(content: bytes) -> Iterator[tuple[str, str]]:
    yield "path", _text(content.partition(b"\0")[0])


def _long_link(content: bytes) -> Iterator[tuple[str, str]]:
    yield from ()


def _pax(content: bytes) -> Iterator[tuple[str, str]]:
    """Records of a length, a blank, a key, an equals sign, a value and the line's end."""
    place = 0
    for _ in range(MAX_RECORDS):
        if place == len(content):
            return
        length, blank, _ = content[place : place + MAX_DIGITS + 1].partition(b" ")
        if not (blank and length.isdigit()):
            raise TarError("a pax header's length is wrong")
        record = content[place : place + int(length)]
        place += int(length)
        key, equals, value = record[len(length) + 1 : -1].partition(b"=")
        if len(record) < int(length) or not record.endswith(b"\n") or not equals:
            raise TarError("a pax header is wrong")
        if key == b"size" and not (value.isdigit() and len(value) <= MAX_DIGITS):
            raise TarError("a pax header's size is wrong")
        if key in (b"path", b"size") or key.startswith(b"GNU.sparse"):
            yield _text(key), _text(value)
    raise TarError("a pax header has too many parts")


HEADERS = {b"L": _long_name, b"K": _long_link, b"x": _pax, b"X": _pax, GLOBAL: _pax}
"""Kinds of entries that say something of the next one, or of all, by what they say."""
