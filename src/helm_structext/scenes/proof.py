"""Whether a picture shows its scene, by what its engine says lies where: nobody has to look at each."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from PIL import Image

from helm_structext.layouts import PixelBox, TextBox
from helm_structext.renderers import Rendering
from helm_structext.scenes.colors import luminance
from helm_structext.scenes.scene import Scene

CONTRAST = 2.0
"""Least contrast of a text to what is behind it, as WCAG 2.2 defines it: 1 to 21."""
SPACES_DASHES_QUOTES = ("Zs", "Zl", "Zp", "Cc", "Cf", "Pd", "Pi", "Pf")
"""Categories of Unicode that engines set in their own way; so are `STRAIGHT`, and a minus."""
STRAIGHT = "\"'`\N{MINUS SIGN}"
BEHIND = 0.05
"""Share of a text's box from which on a color is one that stands behind it, and no edge of a letter."""
OVERLAP = 0.15
"""Share of the smaller of two texts' boxes that may lie on the other: line boxes are taller than their ink."""
OVERHANG = 0.35
"""Share of a box's height by which it may leave the picture: it is larger than its ink."""
MARGIN = 0.15
"""Of a line box, above and below, where ink is rare."""
SET_CLOSELY = frozenset({"formula", "score"})
"""Kinds whose boxes overlap by rights: exponents, accents, lyrics below notes."""


def prove(kind: str, scene: Scene, rendering: Rendering) -> str:
    """Returns what is wrong with the picture of a scene, or "".

    Each of the scene's texts has to be readable on it, as often as the scene has it. No text may lie on
    another, leave the picture or be as dark as what is behind it.

    Args:
        kind: of the scene.
        scene: what the picture should show.
        rendering: with its layout.
    """
    layout = rendering.layout
    if layout is None:
        return "no layout"
    seen = [text for text in layout.texts if text.visible and _letters(text.text)]
    if lost := missing_words(scene.texts, (text.text for text in seen)):
        hidden = [text.text for text in layout.texts if not text.visible]
        return "text hidden" if not missing_words(lost, hidden) else "text missing"
    if any(_leaves(text.box, layout.size) for text in seen):
        return "text off the picture"
    if kind not in SET_CLOSELY and any(_on_each_other(*pair) for pair in _near(seen)):
        return "texts overlap"
    if any(contrast_of(text, rendering.image) < CONTRAST for text in seen if text.color):
        return "text too faint"
    return ""


def missing_words(wanted: Iterable[str], shown: Iterable[str]) -> list[str]:
    """Returns the words of some texts that others lack, each as often as it is missing.

    Lines may break anywhere, and pieces of a text lie in several boxes; blanks, dashes, quotes and capitals,
    which engines change, don't count.

    >>> missing_words(["Rain in May", "May"], ["Rain in", "May"])
    ['may']
    >>> missing_words(["雨の多い月", "e-mail"], ["雨の多", "い月", "e-", "mail"])
    []
    """
    pieces = Counter(map(_letters, shown))
    rest = []
    for text in wanted:  # what stands alone is itself, and no part of another text
        if pieces[letters := _letters(text)]:
            pieces[letters] -= 1
        else:
            rest.append(text)
    # Then what stands there as it is, then its words; the longest first, so that none takes a part of another.
    left, broken = _take("".join(pieces.elements()), sorted(rest, key=len, reverse=True))
    words = [word for text in broken for word in text.split()]
    return [*map(_letters, _take(left, sorted(words, key=len, reverse=True))[1])]


def _take(shown: str, wanted: Iterable[str]) -> tuple[str, list[str]]:
    """Returns what is left of some letters without some texts, and those that are not among them."""
    lost = []
    for text in wanted:
        if (letters := _letters(text)) in shown:
            shown = shown.replace(letters, "\n", 1)
        else:
            lost.append(text)
    return shown, lost


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(
        letter
        for letter in plain
        if letter not in STRAIGHT and unicodedata.category(letter) not in SPACES_DASHES_QUOTES
    )


def contrast_of(text: TextBox, picture: Image.Image) -> float:
    """Returns the contrast of a text's color to what is behind it: the best of the colors that its box is full of.

    Source: WCAG 2.2, contrast ratio and relative luminance.

    >>> contrast_of(TextBox("x", (0, 0, 9, 9), "#000000"), Image.new("RGB", (9, 9), "white"))
    21.0
    """
    left, top, right, bottom = map(round, text.box)
    box = picture.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
    number = box.width * box.height
    colors: Any = box.getcolors(number) or ()  # of an RGB picture
    behind = [f"#{bytes(color).hex()}" for count, color in colors if count > BEHIND * number]
    own = luminance(text.color)
    levels = [*map(luminance, behind), own]
    ratios = [(max(one, own) + 0.05) / (min(one, own) + 0.05) for one in levels]
    return round(max(ratios), 2)


def _leaves(box: PixelBox, size: tuple[int, int]) -> bool:
    left, top, right, bottom = box
    width, height = size
    over = OVERHANG * (bottom - top)
    return min(left, top) < -over or right > width + over or bottom > height + over


def _near(texts: Sequence[TextBox]) -> Iterable[tuple[TextBox, TextBox]]:
    """The pairs of texts that share any height, which are few of all."""
    ordered = sorted(texts, key=lambda text: text.box[1])
    for number, text in enumerate(ordered):
        for other in ordered[number + 1 :]:
            if other.box[1] >= text.box[3]:
                break
            yield text, other


def _on_each_other(one: TextBox, other: TextBox) -> bool:
    if one.box[3] == other.box[3] and any(
        len(it.text) == 1 and it.text.isalpha() for it in (one, other)
    ):
        return False  # a letter reaches below the next one, as Q does, and engines tell it apart
    (left, top, right, bottom), (left2, top2, right2, bottom2) = map(_ink, (one.box, other.box))
    width, height = min(right, right2) - max(left, left2), min(bottom, bottom2) - max(top, top2)
    least = min((right - left) * (bottom - top), (right2 - left2) * (bottom2 - top2))
    return width > 1 and height > 1 and width * height > OVERLAP * least


def _ink(box: PixelBox) -> PixelBox:
    left, top, right, bottom = box
    less = MARGIN * (bottom - top)
    return left, top + less, right, bottom - less
