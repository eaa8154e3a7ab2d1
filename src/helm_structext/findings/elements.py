"""What is wrong with shapes, pictures, rules and controls, each told once.

A card that moves takes its texts along, one that grows pushes what stands below it, and a text that moves has its
frame with it: of what changes together, one thing is told (`find_causes`, `without_texts`).
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from helm_structext.findings.kinds import (
    FEW,
    RECOLORED,
    RESTYLED,
    PictureFinding,
    box_others,
    group_alike,
    name_others,
)
from helm_structext.layouts import (
    PAPER,
    ChartData,
    ElementBox,
    Music,
    PictureLayout,
    PixelBox,
    TextBox,
    box_area,
    holds_box,
    middle_of,
)
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.element_changes import (
    LEAST,
    MOVED,
    ElementChange,
    find_changes,
    frame_of,
)
from helm_structext.metrics.element_pairs import ElementPairs, is_beside
from helm_structext.metrics.layout import DIFFERENT
from helm_structext.metrics.layout_match import FAR, LayoutMatch, displacement

MAX_CAUSES = 50
"""Changes of a picture that others may follow from, the largest elements."""
ROOM = 2.0
"""How many times its own size a text or an element takes at most, with what is left free around it."""
ALIKE = 1.1
"""Ratio of two sizes up to which elements have grown alike."""
BEAM = 2.0
"""How many times as high as a head a beam is at most, from its lower to its upper end."""
STEM = 4.0
"""How many times as high as a head what belongs to it may be away from it."""

Floats = npt.NDArray[np.float64]


def element_findings(
    pairs: ElementPairs,
    changes: Sequence[ElementChange],
    match: LayoutMatch,
    told_colors: Sequence[tuple[str, str]] = (),
    told_dashes: Collection[str] = (),
) -> Iterator[PictureFinding]:
    """Yields what is wrong with elements: missing, extra and recolored ones, and changes.

    Args:
        pairs: each element of both pictures once.
        changes: those that are to be told.
        match: of the pictures.
        told_colors: colors, and those that they should be, that something else tells.
        told_dashes: colors of lines whose dashes something else tells.
    """
    total = math.prod(match.size) or 1
    changed = {
        colors for one, other in pairs if one and other for colors in _other_colors(one, other)
    }
    told = {
        colors
        for colors in changed
        if any(max(map(color_distance, colors, one)) <= RECOLORED for one in told_colors)
    }
    for one, other in pairs:
        if other is None and one is not None:
            yield PictureFinding("element extra", _name(one), one.box, None, _share(one, total))
        elif one is None and other is not None:
            share = _share(other, total)
            yield PictureFinding("element missing", _name(other), None, other.box, share)
        elif one and other:
            for is_color, color in {*_other_colors(one, other)} - told:
                said = f"{other.kind} is {is_color}, not {color}"
                if (color, is_color) in changed:
                    said = f"{other.kind}: {' and '.join(sorted((is_color, color)))} are swapped"
                wrong = min(color_distance(is_color, color) / DIFFERENT, 1)
                yield PictureFinding("element recolored", said, one.box, other.box, wrong)
    yield from _restyled(
        (one, other)
        for one, other in match.elements
        if not (other and {other.color, other.line}.intersection(told_dashes))
    )
    yield from _moved([one for one in changes if one.moved], match)
    yield from _resized([one for one in changes if not one.moved])


def _other_colors(one: ElementBox, other: ElementBox) -> list[tuple[str, str]]:
    """The color of an element and that which it should have, where they differ: of what fills it, or else of its outline.

    What is filled with the paper's color, and what is not filled, look alike.
    """
    colors = [(one.color, other.color)]
    if one.line and other.line:
        colors.append((one.line, other.line))
        if one.filled != other.filled and PAPER in colors[0]:
            del colors[0]
    return [pair for pair in colors if color_distance(*pair) > RECOLORED][:1]


def _restyled(
    pairs: Iterable[tuple[ElementBox | None, ElementBox | None]],
) -> Iterator[PictureFinding]:
    """Lines and outlines that are dashed and should not be, or the other way round; of each, what is told once."""
    changed = [
        (one, other)
        for one, other in pairs
        if one and other and None not in (one.dashed, other.dashed) and one.dashed != other.dashed
    ]
    for numbers in group_alike([(one.dashed, other.color) for one, other in changed]):
        one, other = changed[numbers[0]]
        how = "dashed, not solid" if one.dashed else "solid, not dashed"
        said = f"{_name(other)}{name_others(numbers)} is {how}"
        others = box_others([changed[number] for number in numbers])
        yield PictureFinding(
            *("element restyled", said, one.box, other.box, RESTYLED, len(numbers), others)
        )


def _moved(changes: Sequence[ElementChange], match: LayoutMatch) -> Iterator[PictureFinding]:
    """Elements that are elsewhere; those that went the same way are told once."""
    unit = MOVED / 2 * match.diagonal
    for numbers in group_alike([_rounded(one.way, unit) for one in changes]):
        first = changes[numbers[0]]
        right, down = first.way
        size = f", and has {_size(first.placed)}" if first.resized else ""
        said = f"{_name(first.reference)}{name_others(numbers)} by {right:+.0f}, {down:+.0f} px"
        far = min(math.hypot(right, down) / match.diagonal / FAR, 1)
        there, should = first.prediction.box, first.reference.box
        others = box_others([changes[number].sides for number in numbers])
        yield PictureFinding("element moved", said + size, there, should, far, len(numbers), others)


def _resized(changes: Sequence[ElementChange]) -> Iterator[PictureFinding]:
    """Elements of another size; those that grew alike are told once."""
    for numbers in group_alike([_growth(one) for one in changes]):
        first = changes[numbers[0]]
        left, top, right, bottom = first.edges
        sides = {"left": -left, "top": -top, "right": right, "bottom": bottom}
        most = max(map(abs, sides.values()))
        grown = ", ".join(
            f"{by:+.0f} px at the {side}" for side, by in sides.items() if abs(by) > most / 10
        )
        said = f"{_name(first.reference)}{name_others(numbers)} has {_size(first.placed)}: {grown}"
        there, should = first.prediction.box, first.reference.box
        others = box_others([changes[number].sides for number in numbers])
        yield PictureFinding(
            *("element resized", said, there, should, 1 - first.likeness, len(numbers), others)
        )


def _growth(change: ElementChange) -> tuple[float, ...]:
    """By which powers of `ALIKE` an element is wider and higher."""
    sides = [
        (box[2] - box[0] + 1, box[3] - box[1] + 1) for box in (change.placed, change.reference.box)
    ]
    ratios = (max(one, 1e-9) / other for one, other in zip(*sides, strict=True))
    return _rounded([math.log(ratio) for ratio in ratios], math.log(ALIKE))


def find_causes(
    pairs: ElementPairs, match: LayoutMatch, page: Sequence[ElementChange] = ()
) -> list[ElementChange]:
    """Returns the changes of elements that do not follow from others, the largest elements first.

    A change follows from that of what it lies in, or what has grown and pushes it; and from texts and elements in it that are
    missing, extra or of another length, for which it makes room.

    Args:
        pairs: each element of both pictures once.
        match: of the pictures.
        page: the page's own, where it is told as its size.
    """
    content = _Content(pairs, match)
    causes: list[ElementChange] = []
    for one in sorted(find_changes(pairs, match), key=lambda it: -box_area(it.reference.box)):
        before = [*page, *islice(causes, MAX_CAUSES)]
        if not any(_follows(one.reference.box, one.edges, it, match) for it in before) and not (
            one.resized and content.explains(one, _near(match))
        ):
            causes.append(one)
    return causes


def change_of_page(match: LayoutMatch) -> ElementChange:
    """Returns the change of the page itself, which keeps its upper left corner."""
    there, should = (
        (0.0, 0.0, float(width), float(height))
        for width, height in (match.predicted_size, match.size)
    )
    return change_of_box(there, should)


def change_of_box(there: PixelBox, should: PixelBox) -> ElementChange:
    """Returns the change of what is in another box than it should be, of which it is known why that is so."""
    left, top, right, bottom = (one - other for one, other in zip(there, should, strict=True))
    return ElementChange(
        ElementBox("shape", there),
        ElementBox("shape", should),
        (left, top, right, bottom),
        displacement(there, should),
        moved=False,
        resized=True,
    )


def follows_any(
    pair: tuple[TextBox, TextBox], causes: Sequence[ElementChange], match: LayoutMatch
) -> bool:
    """Returns whether a text has gone along with one of some elements."""
    right, down = displacement(frame_of(match).place(pair[0].box), pair[1].box)
    edges = right, down, right, down
    return any(_follows(pair[1].box, edges, one, match) for one in causes[:MAX_CAUSES])


def _follows(box: PixelBox, edges: PixelBox, cause: ElementChange, match: LayoutMatch) -> bool:
    """Whether each edge of a box is as far away as an edge or the middle of a cause, or in its place.

    What is not within the cause has gone as a whole, pushed by what has grown.
    """
    near = _near(match)
    left, top, right, bottom = edges
    whole = abs(left - right) <= near and abs(top - bottom) <= near
    left, top, right, bottom = cause.reference.box
    within = holds_box((left - near, top - near, right + near, bottom + near), box)
    if not within and not (whole and cause.resized):
        return False
    return all(
        any(abs(edges[side] - by) <= near for by in (0.0, *_steps(cause.edges, side % 2)))
        for side in range(4)
    )


def _steps(edges: PixelBox, axis: int) -> tuple[float, ...]:
    first, last = edges[axis], edges[axis + 2]
    return first, (first + last) / 2, last


class _Content:
    """Texts and elements that are missing, extra or of another length, with the room that each takes or leaves.

    Args:
        pairs: each element of both pictures once.
        match: of the pictures.
    """

    def __init__(self, pairs: ElementPairs, match: LayoutMatch) -> None:
        extra, lost = [], []
        for one, other in (*((it.prediction, it.reference) for it in match.texts), *pairs):
            if one and other is None:
                extra.append((middle_of(one.box), np.multiply(ROOM, _sides(one.box))))
            elif other and one is None:
                lost.append((middle_of(other.box), -np.multiply(ROOM, _sides(other.box))))
            elif isinstance(one, TextBox) and other:
                longer = np.subtract(_sides(one.box), _sides(other.box))
                lost.append((middle_of(other.box), longer))
        self._middles = [
            np.array([middle for middle, _ in side]).reshape(-1, 2) for side in (extra, lost)
        ]
        self._rooms = [
            np.array([room for _, room in side]).reshape(-1, 2) for side in (extra, lost)
        ]

    def explains(self, change: ElementChange, near: float) -> bool:
        """Returns whether an element has grown or shrunk by no more than what is in it."""
        rooms = []
        for side, box in enumerate((change.prediction.box, change.reference.box)):
            middles = self._middles[side]
            inside = ((middles >= box[:2]) & (middles <= box[2:])).all(axis=1)
            rooms.append(self._rooms[side][inside])
        room = np.concatenate(rooms)
        least, most = np.minimum(room, 0).sum(axis=0), np.maximum(room, 0).sum(axis=0)
        grown = np.subtract(_sides(change.placed), _sides(change.reference.box))
        within = (grown >= least - near).all() and (grown <= most + near).all()
        return bool(within and len(room) > 0)


def without_texts(
    changes: Sequence[ElementChange], match: LayoutMatch, moved: Sequence[Sequence[int]]
) -> list[ElementChange]:
    """Returns changes without those that went along with texts that are told as moved.

    Args:
        changes: of elements.
        match: of the pictures.
        moved: numbers of the pairs of texts that moved by the same way.
    """
    pushed = []
    for numbers in moved:
        pairs = [match.matched[number] for number in numbers]
        way = displacement(frame_of(match).place(pairs[0][0].box), pairs[0][1].box)
        pushed.append((way, [other.box for _, other in pairs]))
    near, push = _near(match), (match.frame.right, match.frame.down)
    return [
        one
        for one in changes
        if one.resized
        or not any(
            math.dist(one.way, way) <= near
            and (
                len(texts) >= FEW
                or math.dist(way, push) <= near
                or is_beside(one.reference.box, texts)
            )
            for way, texts in pushed
        )
    ]


def plots_with_other_data(prediction: PictureLayout, reference: PictureLayout) -> list[PixelBox]:
    """Returns where the reference's plots are, where both pictures' charts are known and have other data."""
    ours, theirs = prediction.charts or (), reference.charts or ()
    same = len(ours) == len(theirs) and all(
        data_of(one) == data_of(other) for one, other in zip(ours, theirs, strict=True)
    )
    return [] if same or not ours else [plot.box for plot in theirs if plot.box]


def data_of(chart: ChartData) -> tuple[object, ...]:
    """Returns what of a plot decides where its marks are."""
    points = [[(point.at, point.value) for point in one.points] for one in chart.series]
    return chart.x, chart.y, chart.horizontal, points


def untold_by_notes(pairs: ElementPairs, ours: Music, theirs: Music) -> ElementPairs:
    """Returns elements that neither belong to notes nor are on both pictures, elsewhere and of the same size.

    Stems, beams and ledger lines belong to heads; where other notes stand in a bar, its bar line is elsewhere: the notes
    tell why. With another rhythm lines break elsewhere, and all that is on one picture alone follows from it.

    Args:
        pairs: each element of both pictures once.
        ours: the music to judge.
        theirs: the music that should be there.
    """
    if has_other_rhythm(ours, theirs):
        return [pair for pair in pairs if all(pair)]
    heads = [
        np.array([note.box for note in music.notes if note.step]).reshape(-1, 4)
        for music in (ours, theirs)
    ]
    beside = (
        tuple(
            None if one and _is_at_head(one, these) else one
            for one, these in zip(pair, heads, strict=True)
        )
        for pair in pairs
    )
    return _without_displaced([(one, other) for one, other in beside if one or other])


def has_other_rhythm(ours: Music, theirs: Music) -> bool:
    """Returns whether notes begin at other times, or take other ones, in any staff."""
    one, other = (
        sorted((note.staff, note.onset, note.duration) for note in music.notes)
        for music in (ours, theirs)
    )
    return one != other


def _is_at_head(element: ElementBox, heads: Floats) -> bool:
    """Whether something is a stem or ledger line by its place, or a beam of two heads; heads have shape (n, 4)."""
    box = element.box
    width, height = heads[:, 2] - heads[:, 0], heads[:, 3] - heads[:, 1]
    near = (box[1] <= heads[:, 3] + STEM * height) & (box[3] >= heads[:, 1] - STEM * height)
    first, last = (
        (side >= heads[:, 0] - width / 2) & (side <= heads[:, 2] + width / 2) & near
        for side in (box[0], box[2])
    )
    if element.kind == "rule" and (first & last).any():
        return True
    thick = box[3] - box[1]
    return bool(first.any() and last.any() and len(heads) and thick <= BEAM * height.max())


def _without_displaced(pairs: ElementPairs) -> ElementPairs:
    """Returns elements without those alone that are on the other picture, too, elsewhere and of the same size.

    >>> stem, later = ElementBox("rule", (9, 0, 10, 28)), ElementBox("rule", (50, 3, 51, 31))
    >>> _without_displaced([(stem, None), (None, later), (None, stem)])
    [(None, ElementBox(kind='rule', box=(9, 0, 10, 28), color='', line='', dashed=None))]
    """
    ours, theirs = (
        Counter(_look_of(pair[side]) for pair in pairs if not pair[1 - side]) for side in (0, 1)
    )
    left = ours & theirs, ours & theirs  # What of each side is yet to be left out.
    return [
        (one, other)
        for one, other in pairs
        if not ((one is None or other is None) and _take(left[one is None], _look_of(one or other)))
    ]


def _look_of(element: ElementBox | None) -> tuple[str, str, int, int] | None:
    if element is None:
        return None
    width, height = _sides(element.box)
    return element.kind, element.color, round(width), round(height)


def _take(left: Counter[Any], look: Any) -> bool:
    """Takes one of what is left, if there is one."""
    left[look] -= 1
    return left[look] >= 0


def _sides(box: PixelBox) -> tuple[float, float]:
    left, top, right, bottom = box
    return right - left, bottom - top


def _rounded(values: Iterable[float], unit: float) -> tuple[float, ...]:
    return tuple(float(round(value / unit)) for value in values)


def _near(match: LayoutMatch) -> float:
    """Pixels by which places differ for no reason."""
    return max(LEAST * match.diagonal, 1.0)


def _size(box: PixelBox) -> str:
    width, height = _sides(box)
    return f"{width:.0f}x{height:.0f}"


def _name(element: ElementBox) -> str:
    left, top, *_ = element.box
    color = f"{element.color} " if element.color else ""
    return f"{color}{element.kind} of {_size(element.box)} at {left:.0f}, {top:.0f}"


def _share(element: ElementBox, total: float) -> float:
    return min(box_area(element.box) / total, 1.0)
