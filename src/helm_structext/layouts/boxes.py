"""Boxes on a picture: texts, and what else there is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from helm_structext.patterns import Pattern

PixelBox = tuple[float, float, float, float]
"""Left, top, right and bottom in the picture's pixels, from its upper left corner."""


def middle_of(box: PixelBox) -> tuple[float, float]:
    """Returns the middle of a box.

    >>> middle_of((0, 0, 4, 2))
    (2.0, 1.0)
    """
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def box_area(box: PixelBox) -> float:
    """Returns how many square pixels a box has; one whose sides are the wrong way round has none.

    >>> box_area((0, 0, 4, 2)), box_area((4, 0, 0, 2))
    (8, 0)
    """
    left, top, right, bottom = box
    return max(right - left, 0) * max(bottom - top, 0)


def box_around(boxes: Iterable[PixelBox]) -> PixelBox:
    """Returns the smallest box that holds others, of which there is at least one.

    >>> box_around([(0, 0, 4, 2), (3, 1, 9, 8)])
    (0, 0, 9, 8)
    """
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def holds_box(outer: PixelBox, inner: PixelBox, slack: float = 0.0) -> bool:
    """Returns whether a box lies within another one, or beyond it by so many pixels at most.

    >>> holds_box((0, 0, 9, 9), (1, 1, 9, 8)), holds_box((0, 0, 9, 9), (1, 1, 10, 8)), holds_box((0, 0, 9, 9), (1, 1, 10, 8), 1)
    (True, False, True)
    """
    low = all(outer[at] <= inner[at] + slack for at in (0, 1))
    return low and all(outer[at] >= inner[at] - slack for at in (2, 3))


def are_same_box(box: PixelBox, other: PixelBox, slack: float) -> bool:
    """Returns whether no side of a box is further from that of another one than so many pixels.

    >>> are_same_box((0, 0, 9, 9), (1, 0, 9, 8), 1), are_same_box((0, 0, 9, 9), (1, 0, 9, 8), 0.5)
    (True, False)
    """
    return all(abs(one - two) <= slack for one, two in zip(box, other, strict=True))


PAPER = "#ffffff"
"""The color of a ground that nobody painted."""
MAX_PLACE = 1e6
"""Pixels from the picture's corner: what lies beyond, in any direction, is nowhere."""
COLOR = Pattern("(?:#[0-9a-f]{6})?")


FACES = {"r": "plain", "b": "bold", "i": "italic", "z": "bold and italic"}
UNKNOWN_FACE = "?"
"""Of a letter whose face no engine tells, beside others."""

ElementKind = Literal["image", "rule", "shape", "control", "arrowhead"]


@dataclass(frozen=True)
class TextBox:
    """A piece of text on one line.

    Args:
        text: as it is read, blanks joined.
        box: around its glyphs' line box, or their ink where an engine knows no more.
        color: of its letters, as ``#rrggbb``, or "" where it is not known.
        size: of its font in pixels; 0 where it is not known.
        visible: whether a person can see all of it: not clipped, transparent, covered, or off the picture.
        faces: weight and slant of each letter without the blanks, or of all where they are alike: one of `FACES`;
            "" where they are not known.
        turned: whether its engine tells that it is read up or down, which the box of a short text does not say.
    """

    text: str
    box: PixelBox
    color: str = ""
    size: float = 0.0
    visible: bool = True
    faces: str = ""
    turned: bool = False

    @property
    def spread_faces(self) -> str:
        """The face of each letter.

        >>> TextBox("in May", (0, 0, 9, 9), faces="b").spread_faces, TextBox("in", (0, 0, 9, 9)).spread_faces
        ('bbbbb', '??')
        """
        letters = sum(map(len, self.text.split()))
        return self.faces if len(self.faces) > 1 else (self.faces or UNKNOWN_FACE) * letters


@dataclass(frozen=True)
class ElementBox:
    """Something else on a picture, in the order in which it was drawn: what comes later lies above.

    Args:
        kind: what it is.
        box: around what is seen of it.
        color: of what it is filled with, or else of its line, as ``#rrggbb``, or "" where that is none alone.
        line: color of a shape's outline, or "" where it has none, or an engine does not tell.
        dashed: whether a rule, or a shape's outline, is dashed or dotted; None where an engine does not tell.
    """

    kind: ElementKind
    box: PixelBox
    color: str = ""
    line: str = ""
    dashed: bool | None = None

    @property
    def filled(self) -> bool:
        """Whether it is more than an outline: what lies in it lies on it."""
        return not self.line or self.line != self.color


def read_text(
    text: str,
    box: Any,
    color: str,
    size: float,
    visible: bool,
    faces: str = "",
    turned: Any = False,
) -> TextBox:
    letters = round(float(size), 2) if 0 < float(size) < MAX_PLACE else 0.0
    words = read_words(text)
    looks = read_faces(faces, sum(map(len, words.split())))
    seen, upright = bool(visible), bool(turned)
    return TextBox(words, read_box(*box), read_color(color), letters, seen, looks, upright)


def read_faces(faces: Any, letters: int) -> str:
    """Returns the faces of so many letters as briefly as they can be said, or "" where they are of another number or unknown.

    >>> read_faces("bbb", 3), read_faces("bbr", 3), read_faces("b", 3), read_faces("bb", 3), read_faces("bold", 4)
    ('b', 'bbr', 'b', '', '')
    """
    if not isinstance(faces, str):
        raise TypeError(faces)
    known = set(faces)
    if len(faces) not in (1, letters) or not known.issubset((*FACES, UNKNOWN_FACE)):
        return ""
    return faces if len(known) > 1 else faces[:1].replace(UNKNOWN_FACE, "")


def read_words(text: Any, most: int | None = None) -> str:
    """Returns the beginning of a text that an engine tells, blanks joined.

    Args:
        text: what it tells.
        most: characters that are read; by default all.

    Raises:
        TypeError: it is no text.
    """
    if not isinstance(text, str):
        raise TypeError(text)
    # JSON can carry halves of characters, which have no bytes.
    return " ".join(text[:most].encode("utf-8", "replace").decode().split())


def read_element(kind: Any, box: Any, color: str, line: str = "", dashed: Any = None) -> ElementBox:
    if kind not in get_args(ElementKind):
        raise ValueError(kind)
    dashes = None if dashed is None else bool(dashed)
    return ElementBox(kind, read_box(*box), read_color(color), read_color(line), dashes)


def read_box(*sides: float) -> PixelBox:
    left, top, right, bottom = (round(float(side), 2) for side in sides)
    return left, top, right, bottom


def read_color(color: str) -> str:
    return color if COLOR.fullmatch(color) else ""


def is_placed(box: PixelBox) -> bool:
    """Whether a box has a place; what is not a number compares as false."""
    left, top, right, bottom = box
    return -MAX_PLACE <= left <= right <= MAX_PLACE and -MAX_PLACE <= top <= bottom <= MAX_PLACE
