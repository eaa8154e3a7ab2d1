"""Whether a picture shows its scene, by what its engine says lies where: nobody has to look at each."""

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from PIL import Image

from helm_structext.layouts import ElementBox, PixelBox, TextBox, middle_of
from helm_structext.metrics.color_difference import ciede2000, color_distance, lab_of
from helm_structext.metrics.text_lines import is_turned
from helm_structext.renderers import Rendering
from helm_structext.scenes.colors import luminance
from helm_structext.scenes.scene import Scene, SceneMark

CONTRAST = 2.0
"""Least contrast of a text to what is behind it, as WCAG 2.2 defines it: 1 to 21."""
SPACES_DASHES_QUOTES = ("Zs", "Zl", "Zp", "Cc", "Cf", "Pd", "Pi", "Pf")
"""Categories of Unicode that engines set in their own way; so are `STRAIGHT`, and a minus."""
STRAIGHT = "\"'`\N{MINUS SIGN}"
BEHIND = 0.05
"""Share of a text's box from which on a color is one that stands behind it, and no edge of a letter."""
SHADES = 32
"""Of 256 levels of a channel, how many are taken together where it is asked what stands behind a text."""
OVERLAP = 0.15
"""Share of the smaller of two texts' boxes that may lie on the other: line boxes are taller than their ink."""
OVERHANG = 0.35
"""Share of a box's height by which it may leave the picture: it is larger than its ink."""
MARGIN = 0.15
"""Of a line box, above and below, where ink is rare."""
SAME_COLOR, TOLD_APART = 5.0, 8.0
"""CIEDE2000 below which a shape has a color, and from which on two colors are told apart."""
JOINED = 2
"""Elements of a color that may be all of its shapes: pgfplots draws a series as one, and its sign in the legend."""
MAX_COLORS = 4_096
"""Of a picture among which one is looked for, the most frequent first."""
NUMBER = 8
"""Signs that a number with its unit has at most: what is longer may stand right behind the number of a footnote."""
NUMBER_SIGNS = frozenset("0123456789.,")
"""What a number ends with that could go on in a digit."""
SLANTED = 1.6
"""How many times as high as its letters the box of a slanted text is at least, however short it is."""
LINE = 0.8
"""Of the size of letters, how far the lines of two slanted texts stand apart at least; their boxes say nothing."""
SET_CLOSELY = frozenset({"formula", "score"})
"""Kinds whose boxes overlap by rights: exponents, accents, lyrics below notes."""


def prove(kind: str, scene: Scene, rendering: Rendering) -> str:
    """Returns what is wrong with the picture of a scene, or "".

    Each of the scene's texts has to be readable on it, as often as the scene has it. No text may lie on
    another, leave the picture or be as dark as what is behind it. The scene's shapes have to be there, in their
    colors, and as many as it has, as far as the engine tells shapes; colors that a legend names have to differ.

    Args:
        kind: of the scene.
        scene: what the picture should show.
        rendering: with its layout.
    """
    layout = rendering.layout
    if layout is None:
        return "no layout"
    seen = [text for text in layout.texts if text.visible and _letters(text.text)]
    whole = kind not in SET_CLOSELY
    if lost := missing_words(scene.texts, (text.text for text in seen), whole):
        hidden = [text.text for text in layout.texts if not text.visible]
        return "text hidden" if not missing_words(lost, hidden) else "text missing"
    if any(_leaves(text.box, layout.size) for text in seen):
        return "text off the picture"
    if kind not in SET_CLOSELY and any(_on_each_other(*pair) for pair in _near(seen)):
        return "texts overlap"
    # A bar of a determinant fills its box: nothing is behind it.
    colored = [text for text in seen if text.color and any(map(str.isalnum, text.text))]
    if any(contrast_of(text, rendering.image) < CONTRAST for text in colored):
        return "text too faint"
    if lost_marks(scene.marks, rendering.image, layout.elements):
        return "shape missing"
    return "colors alike" if are_alike([mark.color for mark in scene.marks if mark.named]) else ""


def lost_marks(
    marks: Iterable[SceneMark], picture: Image.Image, elements: Iterable[ElementBox]
) -> list[SceneMark]:
    """Returns the marks that a picture lacks: their color, or some of them where its engine tells any in it.

    Args:
        marks: what the scene promises.
        picture: its rendering.
        elements: what the engine tells of it; none where it tells nothing.

    >>> bars, line = SceneMark("#3366cc", 4), SceneMark("#cc3333")
    >>> page = Image.new("RGB", (9, 9), "#3366cc")
    >>> lost_marks([bars, line], page, [])
    [SceneMark(color='#cc3333', count=1, named=False)]
    >>> lost_marks([bars], page, 3 * [ElementBox("shape", (0, 0, 9, 9), "#3366cc")]) == [bars]
    True
    """
    told = Counter(one.color for one in elements if one.color)
    lost, looked_for = [], []
    for mark in marks:
        alike = sum(told[color] for color in told if color_distance(color, mark.color) < SAME_COLOR)
        if JOINED < alike < mark.count:
            lost.append(mark)
        elif not alike:
            looked_for.append(mark)
    if looked_for:
        counted: Any = picture.getcolors(picture.width * picture.height) or ()
        largest = sorted(counted, reverse=True)[:MAX_COLORS]
        shown = lab_of([f"#{bytes(color).hex()}" for _, color in largest])
        for mark in looked_for:
            wanted = np.repeat(lab_of([mark.color]), len(shown), axis=0)
            if not (ciede2000(shown, wanted) < SAME_COLOR).any():
                lost.append(mark)
    return lost


def are_alike(colors: Sequence[str]) -> bool:
    """Returns whether some of several colors can't be told apart on a picture.

    >>> are_alike(["#3366cc", "#cc3333"]), are_alike(["#3366cc", "#cc3333", "#3468cc"])
    (False, True)
    """
    return any(color_distance(*pair) < TOLD_APART for pair in combinations(colors, 2))


def missing_words(wanted: Iterable[str], shown: Iterable[str], whole: bool = True) -> list[str]:
    """Returns the words of some texts that others lack, each as often as it is missing.

    Lines may break anywhere, and pieces of a text lie in several boxes; blanks, dashes, quotes and capitals,
    which engines change, don't count.

    Args:
        wanted: texts.
        shown: texts, or pieces of them.
        whole: whether a number within a longer one is not it; exponents are set closely.

    >>> missing_words(["Rain in May", "May"], ["Rain in", "May"])
    ['may']
    >>> missing_words(["雨の多い月", "e-mail"], ["雨の多", "い月", "e-", "mail"])
    []
    >>> missing_words(["12 mm"], ["2012", "mm"])
    ['12']
    """
    pieces = [*map(_letters, shown)]
    free, alone, rest = Counter(pieces), Counter[str](), []
    for text in wanted:  # what stands alone is itself, and no part of another text
        if free[letters := _letters(text)] > alone[letters]:
            alone[letters] += 1
        else:
            rest.append(text)
    # Then what stands there as it is, then its words; the longest first, so that none takes a part of another.
    others = _without(pieces, alone)
    # Formulas in Markdown have accents of their own above letters.
    joined = _join(others) if whole else unicodedata.normalize("NFC", "".join(others))
    left, broken = _take(joined, sorted(rest, key=len, reverse=True), whole)
    words = [word for text in broken for word in text.split()]
    return [*map(_letters, _take(left, sorted(words, key=len, reverse=True), whole)[1])]


def _without(pieces: Iterable[str], taken: Counter[str]) -> Iterator[str]:
    """Pieces in their order, without the first ones that are taken."""
    left = taken.copy()
    for piece in pieces:
        if left[piece]:
            left[piece] -= 1
        else:
            yield piece


def _join(pieces: Iterable[str]) -> str:
    """Pieces one after the other; numbers don't go on in the next one."""
    found: list[str] = []
    for piece in pieces:
        parted = found and piece[:1].isdigit() and found[-1][-1:] in NUMBER_SIGNS
        found.append("\n" + piece if parted else piece)
    return "".join(found)


def _take(shown: str, wanted: Iterable[str], whole: bool) -> tuple[str, list[str]]:
    """Returns what is left of some letters without some texts, and those that are not among them."""
    lost = []
    for text in wanted:
        letters = _letters(text)
        at = _find(shown, letters, whole)
        if at is None:
            lost.append(text)
        else:
            shown = f"{shown[:at]}\n{shown[at + len(letters) :]}"
    return shown, lost


def _find(shown: str, letters: str, whole: bool) -> int | None:
    """Where some letters stand in others: those that begin or end with a digit, not within a longer number."""
    at = shown.find(letters)
    while at >= 0 and whole and len(letters) <= NUMBER and _goes_on(shown, at, at + len(letters)):
        at = shown.find(letters, at + 1)
    return at if at >= 0 else None


def _goes_on(shown: str, start: int, end: int) -> bool:
    before, after = shown[max(start - 1, 0) : start], shown[end : end + 1]
    first, last = shown[start : start + 1], shown[max(end - 1, 0) : end]
    return (before.isdigit() and first.isdigit()) or (last.isdigit() and after.isdigit())


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    parted = "".join(
        "\n" if one.isspace() and plain[at - 1 : at + 2 : 2].isdigit() else _letter(one)
        for at, one in enumerate(plain)
    )
    return parted.strip("\n")


def _letter(one: str) -> str:
    """A sign, or nothing for one that engines set in their own way."""
    own_way = one in STRAIGHT or unicodedata.category(one) in SPACES_DASHES_QUOTES
    return "" if own_way else one


def contrast_of(text: TextBox, picture: Image.Image) -> float:
    """Returns the contrast of a text's color to what is behind it: the best of the colors that its box is full of.

    Source: WCAG 2.2, contrast ratio and relative luminance.

    >>> contrast_of(TextBox("x", (0, 0, 9, 9), "#000000"), Image.new("RGB", (9, 9), "white"))
    21.0
    """
    left, top, right, bottom = map(round, text.box)
    box = picture.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
    number = box.width * box.height
    counted: Any = box.getcolors(number) or ()  # of an RGB picture
    own = luminance(text.color)
    levels = [*map(luminance, _common_colors(counted, BEHIND * number)), own]
    ratios = [(max(one, own) + 0.05) / (min(one, own) + 0.05) for one in levels]
    return round(max(ratios), 2)


def _common_colors(counted: Iterable[tuple[int, tuple[int, ...]]], least: float) -> list[str]:
    """The most frequent color of each group of like ones that has so many pixels: in a gradient few are the same."""
    groups = defaultdict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]](list)
    for count, color in counted:
        groups[tuple(part // SHADES for part in color)].append((count, color))
    return [
        f"#{bytes(max(group)[1]).hex()}"
        for group in groups.values()
        if sum(count for count, _ in group) > least
    ]


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
    if width <= 1 or height <= 1 or width * height <= OVERLAP * least:
        return False
    return not (_rises(one) and _rises(other) and _stand_apart(one, other))


def _rises(text: TextBox) -> bool:
    """Says whether a text stands aslant, as long names below narrow columns do."""
    _, top, _, bottom = text.box
    return bool(text.size) and bottom - top > SLANTED * text.size and not is_turned(text)


def _stand_apart(one: TextBox, other: TextBox) -> bool:
    """Says whether two texts that rise by 45° are on different lines."""
    (across, down), (across2, down2) = middle_of(one.box), middle_of(other.box)
    between = abs(across + down - across2 - down2) / math.sqrt(2)
    return between >= LINE * max(one.size, other.size)


def _ink(box: PixelBox) -> PixelBox:
    left, top, right, bottom = box
    less = MARGIN * (bottom - top)
    return left, top + less, right, bottom - less
