"""Pieces of text on a page: which are one text, and which can be seen."""

import bisect
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from helm_structext.layouts import PixelBox, box_area, box_around

MAX_COMPARED = 300_000
"""Pairs of a text and a box that may cover it: of more boxes, the largest."""
COVERED = 0.2
"""The share of a text's box that something lies over, from which on it can't all be seen."""
SLACK = 0.2
"""The share of a text's height that may lie beyond an edge: its glyphs hardly reach there."""
UPRIGHT = 0.9
"""Sine of the angle from which on a text is read up or down."""
GAP = 0.4
"""Of the font size: pieces of a line that lie closer are one text."""

Paint = tuple[int, int]
"""When something is painted: the browser's number, and in a drawing the place in it."""


class TextPiece(NamedTuple):
    """A text, or a part of one, on its way into a layout.

    Args:
        raw: with its blanks.
        box: on the picture.
        color: see `TextBox`; so is `size`.
        seen: whether its color and opacity let it be seen.
        clip: where on the picture it can be seen.
        paint: when it is painted.
        block: the box whose lines it is in.
        turned: see `TextBox`.
        faces: of each letter, see `TextBox`.
    """

    raw: str
    box: PixelBox
    color: str
    size: float
    seen: bool
    clip: PixelBox
    paint: Paint
    block: tuple[int, int]
    turned: bool = False
    faces: str = ""


class Covers:
    """The opaque boxes of a page, and which texts they hide.

    Args:
        boxes: with when each is painted.
        texts: how many will be asked for: of more boxes than can be compared with all, the largest count.

    >>> text = TextPiece("a", (0, 0, 10, 10), "", 9, True, (0, 0, 99, 99), (1, 0), (0, 0))
    >>> Covers([((2, 0), (0, 0, 5, 10))], 1).hide(text), Covers([((1, 0), (0, 0, 5, 10))], 1).hide(text)
    (True, False)
    """

    def __init__(self, boxes: Sequence[tuple[Paint, PixelBox]], texts: int) -> None:
        most = MAX_COMPARED // max(texts, 1)
        if len(boxes) > most:
            boxes = sorted(boxes, key=lambda one: -box_area(one[1]))[:most]
        self._boxes = sorted(boxes)
        self._paints = [paint for paint, _ in self._boxes]

    def hide(self, piece: TextPiece) -> bool:
        """Returns whether a good part of a text lies below one of them."""
        first = bisect.bisect_right(self._paints, piece.paint)
        most = COVERED * box_area(piece.box)
        return any(box_area(common_box(piece.box, box)) > most for _, box in self._boxes[first:])


def join_pieces(pieces: Iterable[TextPiece]) -> Iterator[TextPiece]:
    """Joins what reads as one text: neighbors on a line of one box that look alike.

    >>> style = {"color": "", "size": 10, "seen": True, "clip": (0, 0, 99, 99), "paint": (1, 0), "block": (0, 0)}
    >>> pieces = TextPiece("To ", (0, 0, 10, 9), **style), TextPiece("be", (10, 0, 15, 9), **style)
    >>> [(piece.raw, piece.box) for piece in join_pieces(pieces)]
    [('To be', (0, 0, 15, 9))]
    """
    last: TextPiece | None = None
    for piece in pieces:
        if last is not None and (gap := _gap(last, piece)) is not None:
            blank = " " * (gap > GAP / 2 * piece.size)
            last = last._replace(
                raw=last.raw + blank + piece.raw,
                box=box_around((last.box, piece.box)),
                faces=last.faces + piece.faces,
            )
            continue
        if last is not None and last.raw.split():
            yield last
        last = piece
    if last is not None and last.raw.split():
        yield last


def _gap(one: TextPiece, other: TextPiece) -> float | None:
    """Pixels between two pieces that belong together; None between others."""
    if one[2:-1] != other[2:-1]:  # all but what it says, where, and with which letters
        return None
    (left, top, right, bottom), (left2, top2, right2, bottom2) = one.box, other.box
    beside = min(bottom, bottom2) - max(top, top2)
    if beside < min(bottom - top, bottom2 - top2) / 2:
        return None
    gap = left2 - right if left2 > left else left - right2
    return gap if -1 <= gap <= GAP * one.size else None


def is_seen(piece: TextPiece) -> bool:
    """Whether the eye can have all of a text, but for what covers it."""
    (left, top, right, bottom), clip = piece.box, piece.clip
    slack = SLACK * min(bottom - top, right - left)
    beside = left >= clip[0] - slack and right <= clip[2] + slack
    return piece.seen and beside and top >= clip[1] - slack and bottom <= clip[3] + slack


def is_upright(angle: float) -> bool:
    """Whether a text that is turned by so many degrees is read up or down.

    >>> [is_upright(angle) for angle in (-90, 45, 180, 270)]
    [True, False, False, True]
    """
    return abs(math.sin(math.radians(angle))) > UPRIGHT


def common_box(one: PixelBox, other: PixelBox) -> PixelBox:
    """What two boxes share; its sides change places where that is nothing."""
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )


def has_extent(box: PixelBox) -> bool:
    """Whether a box can leave a mark: a line may have no height."""
    width, height = box[2] - box[0], box[3] - box[1]
    return min(width, height) >= 0 and max(width, height) >= 1
