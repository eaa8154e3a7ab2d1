r"""Texts that a model, a row of a dataset or a file influenced, on their way to people and to disk.

Python's texts may hold what has no bytes (lone surrogates, which JSON can carry), what a terminal
obeys (control characters), and messages that can't even be made (numbers of thousands of digits).
These functions take any text, and give one that can be written, printed or named.

One rule for all: what can't stand where it goes is written as Python's escape, such as ``\udc80``.
"""

import unicodedata

MAX_MESSAGE = 1000
"""Characters of a message in one line."""


def utf8(text: str) -> bytes:
    r"""Returns a text's bytes in UTF-8, surrogates as escapes; JSON stays the same JSON.

    >>> utf8("é"), utf8('"\ud800"')
    (b'\xc3\xa9', b'"\\ud800"')
    """
    return text.encode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    r"""Returns a text that a terminal or a log shows and does not obey; lines and tabs stay.

    Control characters, surrogates and marks that turn the direction of writing are escaped.

    >>> printable("a\tb\n"), printable("\x1b[2J\ud800\u202e"), printable("é·中")
    ('a\tb\n', '\\x1b[2J\\ud800\\u202e', 'é·中')
    """
    return "".join(
        character if character in "\n\t" or not _obeyed(character) else _escape(character)
        for character in text
    )


def _obeyed(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(character) in _TURNS


_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def one_line(text: str, length: int = MAX_MESSAGE) -> str:
    r"""Returns a text as one line for people, its middle left out if it is long.

    >>> one_line("line 1:\n  what?"), one_line("0123456789", 4)
    ('line 1: what?', '01 … 89')
    """
    # Both ends of what is shortened are all that is looked at, however long the text.
    return " ".join(printable(shortened(text, length)).split())


def described(error: BaseException) -> str:
    """Returns type and message of an exception in one line, even if it can't say its message.

    >>> described(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    >>> class Unspeakable(Exception):
    ...     def __str__(self) -> str:
    ...         return str(10**5000)
    >>> described(Unspeakable())
    'Unspeakable'
    """
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # a message is not worth a second error
        message = ""
    return one_line(f"{name}: {message}" if message else name)


def shortened(text: str, length: int = 20_000) -> str:
    r"""Cuts the middle out of a text that is too long to be kept.

    >>> shortened("0123456789", 4)
    '01\n…\n89'
    """
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}\n…\n{text[-half:]}"
