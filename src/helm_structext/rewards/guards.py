"""Tricks by which a completion can look right to a metric, and how each is noticed.

A model that is trained on a reward finds what the reward overlooks. A completion that a guard notices
has failed, whatever the metrics say of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PIL import Image

from helm_structext.patterns import Pattern
from helm_structext.texts import quote_value

MAX_CHARACTERS = 100_000
"""Of a completion: more than any right answer of the benchmarks has."""
MAX_EMBEDDED = 4000
"""Characters of data in letters and digits, in all of its lines; a font's icon has some 2,000."""
DATA_LINE, DATA_LETTERS = 40, 10
"""Characters without a space, and different ones among them, from which on they are a line of data."""
MIN_INK = 0.02
"""Share of the reference's marked pixels that a rendering has at least."""
SAME = 16
"""Levels of gray, of 256, by which the background of a photographed or compressed page differs."""
MAX_SIDES = 4
"""How many times as wide or high as the reference a rendering may be, or the other way round."""
MAX_TEXT = 4
"""How many times as much text as the reference a rendering may have, `SPARE_TEXT` not counted."""
SPARE_TEXT = 1000
"""Characters of text that any rendering may have."""
SPARE_REPLY = 200
"""Characters that a reply may have around `MAX_TEXT` times its answer."""

_DATA = Pattern(f"[0-9A-Za-z+/=_-]{{{DATA_LINE},}}")


@dataclass(frozen=True)
class Page:
    """What guards look at of a rendering or a reference.

    Args:
        size: width and height in pixels.
        ink: share of pixels that are not of the most frequent gray, nor within `SAME` of it.
        text: the text that was drawn, reduced to its content; "" if it is not known.
    """

    size: tuple[int, int]
    ink: float
    text: str


def page(picture: Image.Image, text: str) -> Page:
    """Returns what guards look at.

    >>> page(Image.new("RGB", (2, 1), "white"), "")
    Page(size=(2, 1), ink=0.0, text='')
    """
    counts = picture.convert("L").histogram()
    background = counts.index(max(counts))
    same = counts[max(background - SAME, 0) : background + SAME + 1]
    return Page(picture.size, 1 - sum(same) / sum(counts), text)


def _long(completion: str) -> str | None:
    if len(completion) > MAX_CHARACTERS:
        return f"{len(completion):,} characters; at most {MAX_CHARACTERS:,} are scored"
    return None


def _embedded(completion: str) -> str | None:
    found = (match[0] for match in _DATA.finditer(completion))
    lines = [line for line in found if len(set(line)) >= DATA_LETTERS]
    if (length := sum(map(len, lines))) > MAX_EMBEDDED:
        return f"it holds {length:,} characters of data: {quote_value(lines[0][:100], 40)}"
    return None


def _blank(rendering: Page, reference: Page) -> str | None:
    if rendering.ink < MIN_INK * reference.ink:
        return (
            f"it visibly marks {rendering.ink:.2%} of the page, the reference {reference.ink:.2%}"
        )
    return None


def _stretched(rendering: Page, reference: Page) -> str | None:
    for side, ours, theirs in zip(("wide", "high"), rendering.size, reference.size, strict=True):
        if not theirs <= MAX_SIDES * ours <= MAX_SIDES**2 * theirs:
            return f"it is {ours} pixels {side}, the reference {theirs}"
    return None


def _heap_of_text(rendering: Page, reference: Page) -> str | None:
    ours, theirs = len(rendering.text), len(reference.text)
    if theirs and ours > MAX_TEXT * theirs + SPARE_TEXT:
        return f"it shows {ours:,} characters of text, the reference {theirs:,}"
    return None


def _copied(reply: str, answer: str) -> str | None:
    if len(reply) > MAX_TEXT * len(answer) + SPARE_REPLY:
        return f"it has {len(reply):,} characters, the answer {len(answer)}"
    return None


OF_COMPLETIONS: Mapping[str, Callable[[str], str | None]] = {
    "length": _long,
    "embedded": _embedded,
}
"""Guards that look at what was written, before anything is rendered: name to what finds a reason."""

OF_RENDERINGS: Mapping[str, Callable[[Page, Page], str | None]] = {
    "blank": _blank,
    "size": _stretched,
    "text": _heap_of_text,
}
"""Guards that compare a rendering with the reference: name to what finds a reason."""

OF_TEXTS: Mapping[str, Callable[[str, str], str | None]] = {"text": _copied}
"""Guards that compare a reply with the text that it should say: name to what finds a reason."""

GUARDS = (*OF_COMPLETIONS, *OF_RENDERINGS)
"""The names of all guards, which are the kinds of what they notice."""
