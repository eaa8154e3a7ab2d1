"""Edits of code before it is compiled, so that a place in the result can be traced back to the code."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from helm_structext.patterns import Pattern

Edit = tuple[int, int, str]
"""Where a piece of text begins and ends, and what comes instead of it."""
Edits = Callable[[str], Iterable[Edit]]
"""Finds the edits of a text, from left to right."""


@dataclass(frozen=True)
class Traced:
    r"""A text, and the edits that it comes from.

    Args:
        text: as it is now.
        history: the text before each step, and the edits of the step.

    >>> code = Traced("a\\label{b}\n\\c").edited(replace_text("\\label{b}\n", ""))
    >>> code.text, code.origin(code.text.index("\\c"))
    ('a\\c', 11)
    """

    text: str
    history: tuple[tuple[str, Edits], ...] = ()

    def edited(self, edits: Edits) -> "Traced":
        """Returns the text after one more step."""
        pieces, done = [], 0
        for start, end, text in edits(self.text):
            pieces += [self.text[done:start], text]
            done = end
        if not pieces:
            return self
        text = "".join([*pieces, self.text[done:]])
        return Traced(text, (*self.history, (self.text, edits)))

    def origin(self, place: int) -> int:
        """Returns where a place of the text stood at first, or what came there instead."""
        for text, edits in reversed(self.history):
            place = _before(place, edits(text))
        return place


def _before(place: int, edits: Iterable[Edit]) -> int:
    longer = 0
    for start, end, text in edits:
        if place < start + longer:
            break
        if place < start + longer + len(text):
            return start
        longer += len(text) - (end - start)
    return place - longer


def replace_text(old: str, new: str) -> Edits:
    """Replaces a text wherever it stands."""

    def edits(text: str) -> Iterator[Edit]:
        start = text.find(old)
        while start >= 0:
            yield start, start + len(old), new
            start = text.find(old, start + len(old))

    return edits


def remove_matches(pattern: Pattern) -> Edits:
    """Removes what a pattern finds."""
    return lambda text: ((found.start(), found.end(), "") for found in pattern.finditer(text))


def surround_text(before: str, after: str) -> Edits:
    """Puts something before and after a text."""
    return lambda text: [(0, 0, before), (len(text), len(text), after)]
