r"""Texts that a model, a row of a dataset or a user's file influenced, on their way to people and disk.

Python's texts may hold what has no bytes (lone surrogates, which JSON can carry), what a terminal
obeys (control characters), and messages that can't even be made (numbers of thousands of digits).
These functions take any text, and give one that can be written, printed or named.

One rule for all: what can't stand where it goes is written as an escape with four digits, such as
``\udc80``. So what was JSON stays the same JSON.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

MAX_MESSAGE = 1000
"""Characters of a message in one line."""

MAX_NAME = 200
"""Bytes of a file's name, without its ending."""

FEW_VALUES = 1_000_000
"""Values that JSON of any length may hold."""
BYTES_OF_VALUE = 12
"""Of JSON in which there are more: a file of empty lists takes fifty times its size in memory."""
WINDOW = 2**20
"""Bytes of JSON that are cut at its quotes at a time."""

_UNWRITABLE = (
    *(range(0x00, 0x09), range(0x0B, 0x20), range(0x7F, 0xA0)),  # control characters
    range(0x2028, 0x202F),  # ends of lines, and marks that turn the direction of writing
    range(0x2066, 0x206A),
    range(0xD800, 0xE000),  # surrogates
)
_ESCAPES = {code: f"\\u{code:04x}" for codes in _UNWRITABLE for code in codes}
_BLANKS = dict.fromkeys([*_ESCAPES, ord("/"), ord("\t"), ord("\n")], "_")


def make_printable(text: str) -> str:
    r"""Returns a text that a terminal or a log shows and does not obey; lines and tabs stay.

    Control characters, surrogates and marks that turn the direction of writing are escaped.

    >>> make_printable("a\tb\r\n"), make_printable("\x1b[2J\ud800\u202e"), make_printable("é·中")
    ('a\tb\n', '\\u001b[2J\\ud800\\u202e', 'é·中')
    """
    return text.replace("\r\n", "\n").translate(_ESCAPES)


def utf8(text: str) -> bytes:
    r"""Returns the bytes of a file of text: those of `make_printable` in UTF-8.

    >>> utf8("é"), json.loads(utf8(json.dumps("\ud800\x9b", ensure_ascii=False))) == "\ud800\x9b"
    (b'\xc3\xa9', True)
    """
    return make_printable(text).encode()


def parse_json(data: bytes, most: int | None = None) -> Any:
    """Returns what JSON of a stranger's holds, as `check_json_size` allows.

    Args:
        data: in UTF-8.
        most: how many values there may be; see `check_json_size`.

    Raises:
        ValueError: it is not JSON, or holds too many values, or nests them too deeply.

    >>> parse_json(b'{"a": [1, "[[,"]}', most=3)
    {'a': [1, '[[,']}
    """
    check_json_size(data, most)
    try:
        return json.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error


def check_json_size(data: bytes, most: int | None = None) -> None:
    """Looks how many values JSON holds, before anything is made of it that takes memory.

    Args:
        data: in UTF-8, with a byte order mark or without.
        most: values, counted by commas and opening brackets outside of strings; by default some for its length.

    Raises:
        ValueError: they are more.

    >>> check_json_size(b"[[],[],[]]", most=3)
    Traceback (most recent call last):
    ValueError: it holds more than 3 values
    """
    if most is None:
        most = FEW_VALUES + len(data) // BYTES_OF_VALUE
    if _count_marks(data) > most and sum(map(_count_marks, _outside_strings(data))) > most:
        raise ValueError(f"it holds more than {most:,} values")


def _outside_strings(data: bytes) -> Iterator[bytes]:
    """Yields what of JSON stands outside of its strings, in pieces."""
    plain = data.replace(rb"\\", b"").replace(rb"\"", b"")
    inside = 0
    for start in range(0, len(plain), WINDOW):
        pieces = plain[start : start + WINDOW].split(b'"')
        yield b"".join(pieces[inside::2])
        inside = (inside + len(pieces) - 1) % 2


def _count_marks(data: bytes) -> int:
    return sum(map(data.count, (b",", b"[", b"{")))


def json_line(value: Any) -> str:
    r"""Returns a line of a file in JSON lines.

    >>> json_line({"completion": "é\n"})
    '{"completion": "é\\n"}\n'
    """
    return f"{json.dumps(value, ensure_ascii=False)}\n"


def file_name(text: str) -> str:
    r"""Returns a name for a file, without folders; what no file name can have becomes ``_``.

    >>> file_name("published-openai_gpt"), file_name("a/b\0\ud800")
    ('published-openai_gpt', 'a_b__')
    >>> len(file_name("é" * 1000).encode()) <= MAX_NAME
    True
    """
    name = text.translate(_BLANKS)
    data = name.encode()
    if len(data) <= MAX_NAME:
        return name
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{data[: MAX_NAME - 9].decode(errors='ignore')}-{digest}"


def one_line(text: str, length: int = MAX_MESSAGE) -> str:
    r"""Returns a text as one line for people, its middle left out if it is long.

    Args:
        text: whatever somebody wrote.
        length: how many characters are kept, without the mark in their middle.

    >>> one_line("line 1:\n  what?"), one_line("0123456789", 4)
    ('line 1: what?', '01 … 89')
    """
    # Escapes are longer than what they stand for.
    said = shorten_text(make_printable(" ".join(shorten_text(text, length).split())), length)
    return " ".join(said.split())


def unquote_json(text: str) -> str:
    r"""Returns a text without the quotes of a JSON string, if it is one.

    >>> unquote_json('"a\\n"'), unquote_json('"a"b"'), unquote_json("a")
    ('a\n', '"a"b"', 'a')
    """
    if len(text) < 2 or not text[0] == text[-1] == '"':
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text


def quote_value(value: object, length: int = 80) -> str:
    """Returns what a value looks like in Python, in one line for people, whatever it is.

    Args:
        value: whatever it is.
        length: see `one_line`.

    >>> quote_value({"a": 1}), quote_value(10**5000)
    ("{'a': 1}", '<int>')
    """
    try:
        return one_line(repr(value), length)
    except Exception:  # a message is not worth a second error
        return f"<{type(value).__name__}>"


def describe_error(error: BaseException) -> str:
    """Returns type and message of an exception in one line, even if it can't say its message.

    >>> describe_error(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    >>> class Unspeakable(Exception):
    ...     def __str__(self) -> str:
    ...         return str(10**5000)
    >>> describe_error(Unspeakable())
    'Unspeakable'
    """
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # as above
        message = ""
    return one_line(f"{name}: {message}" if message else name)


def byte_size(number: float) -> str:
    """Returns a number of bytes for people.

    >>> byte_size(999), byte_size(815_000_000), byte_size(2 * 10**12)
    ('999 B', '815.0 MB', '2.0 TB')
    """
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} B"


def shorten_text(text: str, length: int = 20_000) -> str:
    r"""Cuts the middle out of a text that is too long to be kept.

    Args:
        text: of any length.
        length: how many characters are kept.

    >>> shorten_text("0123456789", 4)
    '01\n…\n89'
    """
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}\n…\n{text[-half:]}"
