"""What became of the shapes, pictures, rules and controls of a picture: which are elsewhere, and which have grown.

All is a pure function of boxes. What lies in its place is found by `helm_structext.metrics.element_pairs`; of what
is left, here is found what moved too far to have an area in common with its place, or grew too much.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from helm_structext.layouts import ElementBox, PixelBox, box_area
from helm_structext.metrics.assignment import assign_pairs
from helm_structext.metrics.element_pairs import ElementPairs, Frame, widen_box
from helm_structext.metrics.layout_match import FAR, FORBIDDEN, LayoutMatch, displacement

Floats = npt.NDArray[np.float64]

MAX_LOST = 300
"""Elements of each side without a place that are looked for elsewhere, the largest ones."""
EQUAL = 0.9
"""Ratio of two sides from which on they are the same, if they differ by less than `MOVED`, too."""
ALIKE, GROWN = 0.5, 0.04
"""Ratio of two elements' areas from which on one may have moved and grown; and may have grown and kept an edge."""
MOVED = 0.02
"""Share of the diagonal from which on an element is in another place, or a side has another length."""
EDGE = 1.0
"""Pixels from the outermost element up to which a side may be cut off."""
LEAST = 0.005
"""Share of the diagonal by which sides and places differ for no reason that a person sees."""


@dataclass(frozen=True)
class ElementChange:
    """An element that is elsewhere or of another size.

    Args:
        prediction: where it is.
        reference: where it should be.
        edges: by how many pixels its left, top, right and bottom edges are to the right or below, in the reference's.
        way: by how many it is in another place, to the right and down: an edge or the middle that it keeps is 0.
        moved: whether that is another place.
        resized: whether a side has another length.
    """

    prediction: ElementBox
    reference: ElementBox
    edges: PixelBox
    way: tuple[float, float]
    moved: bool
    resized: bool

    @property
    def sides(self) -> tuple[ElementBox, ElementBox]:
        """It as it is, and as it should be."""
        return self.prediction, self.reference

    @property
    def likeness(self) -> float:
        """The smaller over the larger width, times the same of the heights, from 0 to 1."""
        return math.prod(_ratios(self.placed, self.reference.box))

    @property
    def placed(self) -> PixelBox:
        """Where it is, on the reference's picture."""
        left, top, right, bottom = (
            side + by for side, by in zip(self.reference.box, self.edges, strict=True)
        )
        return left, top, right, bottom


def pair_elsewhere(match: LayoutMatch) -> ElementPairs:
    """Returns a match's elements, those that are missing and extra together where they are one that moved or grew.

    These are of the same kind and color. One of the same size may be anywhere; of another size, it is within `FAR` of
    its place, or keeps an edge or its middle along both axes.

    >>> from helm_structext.layouts import PictureLayout
    >>> from helm_structext.metrics.layout_match import match_layouts
    >>> here, there = (PictureLayout((99, 99), (), (ElementBox("shape", (x, 0, x + 9, 9), "#ff0000"),)) for x in (0, 60))
    >>> match = match_layouts(there, here)
    >>> len(match.elements), len(pair_elsewhere(match))
    (2, 1)
    """
    lost = [other for one, other in match.elements if one is None and other]
    extra = [one for one, other in match.elements if other is None and one]
    mine, wanted = (
        sorted(side, key=lambda it: -box_area(it.box))[:MAX_LOST] for side in (extra, lost)
    )
    if not (mine and wanted):
        return [*match.elements]
    costs = _costs(mine, wanted, match)
    found = [(mine[i], wanted[j]) for i, j in assign_pairs(costs) if costs[i, j] < FORBIDDEN]
    # Equal elements may be there several times: each is taken as often as it was found.
    taken = [one for one, _ in found], [other for _, other in found]
    left = [pair for pair in match.elements if not _take(pair, taken)]
    return [*left, *found]


def _take(
    pair: tuple[ElementBox | None, ElementBox | None],
    taken: tuple[list[ElementBox], list[ElementBox]],
) -> bool:
    """Whether a pair of one alone is one of those that are taken, which it then is no more."""
    for side, other in ((0, 1), (1, 0)):
        one = pair[side]
        if pair[other] is None and one in taken[side]:
            taken[side].remove(one)
            return True
    return False


def _costs(mine: Sequence[ElementBox], wanted: Sequence[ElementBox], match: LayoutMatch) -> Floats:
    """What it costs that one element is another one; shape (n, m)."""
    diagonal = match.diagonal
    ours = np.array([widen_box(frame_of(match).place(one.box)) for one in mine])[:, None]
    theirs = np.array([widen_box(one.box) for one in wanted])[None]
    edges = ours - theirs
    middles = (edges[..., :2] + edges[..., 2:]) / 2
    apart = np.hypot(middles[..., 0], middles[..., 1]) / diagonal
    sides = [one[..., 2:] - one[..., :2] for one in (ours, theirs)]
    ratios = np.minimum(*sides) / np.maximum(np.maximum(*sides), 1e-9)
    area = ratios.prod(axis=-1)
    kept = np.minimum.reduce([abs(edges[..., :2]), abs(edges[..., 2:]), abs(middles)])
    in_place = (kept <= LEAST * diagonal).all(axis=-1)
    possible = (ratios >= EQUAL).all(axis=-1)
    possible |= (area >= ALIKE) & (apart <= FAR)
    possible |= (area >= GROWN) & in_place
    possible &= np.array([[_looks_like(one, other) for other in wanted] for one in mine])
    return np.where(possible, np.minimum(apart, 1) + 1 - area, FORBIDDEN)


def _looks_like(one: ElementBox, other: ElementBox) -> bool:
    """Whether two elements are of one kind and color, or have one outline: what is in it may be its ground's color."""
    outlined = one.line == other.line != ""
    return one.kind == other.kind and (one.color == other.color or outlined)


def frame_of(match: LayoutMatch) -> Frame:
    """Returns the frame of a match without its push: how far all went along with the texts is a change, too."""
    return match.frame._replace(right=0.0, down=0.0)


def find_changes(pairs: ElementPairs, match: LayoutMatch) -> Iterator[ElementChange]:
    """Yields what of paired elements is elsewhere or of another size, so that a person sees it.

    Args:
        pairs: as `pair_elsewhere` has them.
        match: of the pictures.
    """
    frame, diagonal = frame_of(match), match.diagonal
    ends, wanted = _ends([one for one, _ in pairs]), _ends([other for _, other in pairs])
    for one, other in pairs:
        if one and other:
            change = _compare(one, other, frame, diagonal)
            if change.moved or change.resized:
                yield change
            elif _is_cut(change, ends, wanted[:1], LEAST * diagonal):
                yield replace(change, resized=True)


def _ends(elements: Sequence[ElementBox | None]) -> Floats:
    """The outermost sides of all elements, and those next to them; shape (2, 4), or (1, 4) of one, or (0, 4)."""
    boxes = np.array([one.box for one in elements if one]).reshape(-1, 4)
    inwards = np.array([1, 1, -1, -1])
    return np.asarray(np.sort(boxes * inwards, axis=0)[:2] * inwards)


def _is_cut(change: ElementChange, ends: Floats, wanted: Floats, least: float) -> bool:
    """Whether a side has left the picture: it is where another element ends, and nothing goes on."""
    outside = (abs(np.subtract(change.prediction.box, ends)) <= EDGE).all(axis=0)
    inside = (abs(np.subtract(change.reference.box, wanted)) > EDGE).all(axis=0)
    return bool((outside & inside & (abs(np.array(change.edges)) > least)).any())


def _compare(one: ElementBox, other: ElementBox, frame: Frame, diagonal: float) -> ElementChange:
    box = frame.place(one.box)
    left, top, right, bottom = (side - wanted for side, wanted in zip(box, other.box, strict=True))
    way = displacement(box, other.box)
    resized = any(
        abs(by) > MOVED * diagonal or (abs(by) > LEAST * diagonal and ratio < EQUAL)
        for by, ratio in zip((right - left, bottom - top), _ratios(box, other.box), strict=True)
    )
    moved = math.hypot(*way) > MOVED * diagonal
    return ElementChange(one, other, (left, top, right, bottom), way, moved, resized)


def _ratios(box: PixelBox, other: PixelBox) -> tuple[float, float]:
    sides = [
        (wide[at + 2] - wide[at], long[at + 2] - long[at])
        for wide, long in [(widen_box(box), widen_box(other))]
        for at in (0, 1)
    ]
    width, height = (min(side) / max(*side, 1e-9) for side in sides)
    return width, height
