r"""Regular expressions over texts that a model influenced, in linear time.

The engine is RE2: no text makes a search take more than its length allows, unlike with the standard
library's `re`. It knows neither look-around nor back-references; what needs them is a scanner of its
own, which `Cursor` keeps linear.

The patterns mean what they mean in `re`: ``\w``, ``\d`` and ``\s`` are those of Unicode unless
`ascii` is given, and a match keeps the text as it was. Three things differ: the end of the text is
``\z``; ``\b`` is only for ASCII; and where case doesn't matter, letters are equal that Unicode folds
to one (``i`` has no dotless or dotted sister).

UTF-8, which RE2 reads, has no lone surrogates: a pattern sees U+FFFD in place of each.

A search is linear, whatever the pattern. Finding all matches is so only where no match has to wait
for something far behind it before it is known (`a.*b|a` reads on to the end at each `a`): where a
bracket may or may not follow, and may or may not be closed, use `Cursor`.
"""

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

_CLASSES = {
    "w": r"\pL\pN_",
    "d": r"\p{Nd}",
    "s": r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}",
}
_ASCII_CLASSES = {"w": "A-Za-z0-9_", "d": "0-9", "s": r"\t-\r\x20"}

_REPLACE_SURROGATES = "helm_structext.surrogates"


def _replacement(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "\ufffd".encode() * (error.end - error.start), error.end


codecs.register_error(_REPLACE_SURROGATES, _replacement)


@dataclass(frozen=True, slots=True)
class Match:
    """What a pattern matched.

    Args:
        text: all of the text.
        spans: where the match begins and ends, then where its groups do; (-1, -1) for a group
            that took no part.
        names: of groups, with their numbers.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    names: dict[str, int]

    def __getitem__(self, group: int | str) -> str | Any:
        start, end = self.spans[self.names[group] if isinstance(group, str) else group]
        return None if start < 0 else self.text[start:end]

    def groups(self) -> tuple[str | Any, ...]:
        """What each group matched."""
        return tuple(self[group] for group in range(1, len(self.spans)))

    def start(self, group: int = 0) -> int:
        """Where the match, or a group, begins."""
        return self.spans[group][0]

    def end(self, group: int = 0) -> int:
        """Where the match, or a group, ends."""
        return self.spans[group][1]


class Pattern:
    r"""A regular expression of RE2; see the module's text.

    Args:
        pattern: the expression; flags stand in it, such as ``(?is)``.
        ascii: whether ``\w``, ``\d`` and ``\s`` mean those of ASCII.

    Raises:
        ValueError: the expression can't be read.

    >>> Pattern(r"(?i)<(\w+)>").search("a <Größe>")[1]
    'Größe'
    >>> Pattern(r"\d+", ascii=True).sub("#", "1 and 22")
    '# and #'
    """

    def __init__(self, pattern: str, *, ascii: bool = False) -> None:
        try:
            self._compiled = re2.compile(_translate(pattern, ascii))
        except re2.error as error:
            raise ValueError(f"pattern {pattern!r} can't be read by RE2: {error}") from error
        self._names: dict[str, int] = self._compiled.groupindex
        self._groups = range(self._compiled.groups + 1)

    def _match(self, text: str, found: Any) -> Match | None:
        if found is None:
            return None
        return Match(text, tuple(map(found.span, self._groups)), self._names)

    def search(self, text: str) -> Match | None:
        """Returns the first match anywhere."""
        return self._match(text, self._compiled.search(_readable(text)))

    def match(self, text: str) -> Match | None:
        """Returns the match at the beginning of a text."""
        return self._match(text, self._compiled.match(_readable(text)))

    def fullmatch(self, text: str) -> Match | None:
        """Returns the match of a whole text."""
        return self._match(text, self._compiled.fullmatch(_readable(text)))

    def finditer(self, text: str) -> Iterator[Match]:
        """Yields the matches from left to right; none overlaps another."""
        for found in self._compiled.finditer(_readable(text)):
            yield Match(text, tuple(map(found.span, self._groups)), self._names)

    def sub(self, replacement: str | Callable[[Match], str], text: str) -> str:
        """Returns a text with its matches replaced.

        Args:
            replacement: a text, taken as it is, or what makes one of a match.
            text: the text.
        """
        pieces, done = [], 0
        for match in self.finditer(text):
            new = replacement if isinstance(replacement, str) else replacement(match)
            pieces += [text[done : match.start()], new]
            done = match.end()
        return "".join([*pieces, text[done:]])


def escape_pattern(text: str) -> str:
    r"""Returns the pattern that matches a text and nothing else.

    >>> escape_pattern("a.b")
    'a\\.b'
    """
    pattern: str = re2.escape(text)
    return pattern


def _readable(text: str) -> str:
    """The text with U+FFFD for lone surrogates, so that all keep their place."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", _REPLACE_SURROGATES).decode()
    return text


def _translate(pattern: str, ascii: bool) -> str:
    r"""Writes out the classes of `re` in a pattern.

    >>> _translate(r"[\w.]\W\s", True)
    '[A-Za-z0-9_.][^A-Za-z0-9_][\\t-\\r\\x20]'
    """
    classes = _ASCII_CLASSES if ascii else _CLASSES
    pieces: list[str] = []
    inside = False
    position = 0
    while position < len(pattern):
        piece = pattern[position : position + 2] if pattern[position] == "\\" else pattern[position]
        position += len(piece)
        name = piece[1:].lower()
        if name in classes and piece[0] == "\\":
            negated = "^" if piece[1].isupper() else ""
            if inside and negated:
                raise ValueError(f"pattern {pattern!r} has {piece} in a class")
            piece = classes[name] if inside else f"[{negated}{classes[name]}]"
        elif inside:
            inside = piece != "]"
        elif piece == "[":
            inside = True
            # A bracket that comes first is one of the class.
            for first in ("^", "]"):
                if pattern.startswith(first, position):
                    piece += first if first == "^" else r"\]"
                    position += 1
        elif piece == r"\b" and not ascii:
            raise ValueError(rf"pattern {pattern!r} has a \b, which is only for ASCII")
        pieces.append(piece)
    return "".join(pieces)


class Cursor:
    """Finds where something comes next in a text; asked from left to right, it reads it once.

    >>> comma = Cursor("a,b,c", ",")
    >>> comma.next(0), comma.next(1), comma.next(2), comma.next(4)
    (1, 1, 3, 5)
    """

    def __init__(self, text: str, wanted: str) -> None:
        self._text, self._wanted = text, wanted
        self._found = -1

    def next(self, start: int) -> int:
        """Returns the first place from a start on, or the text's length if there is none.

        Args:
            start: not before the one of the last call.
        """
        if self._found < start:
            found = self._text.find(self._wanted, start)
            self._found = len(self._text) if found < 0 else found
        return self._found
