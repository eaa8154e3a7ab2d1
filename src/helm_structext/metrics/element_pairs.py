"""Which shape, picture, rule or control of one picture is which of another. All is a pure function of boxes."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from helm_structext.layouts import PAPER, ElementBox, PixelBox, are_same_box, box_area, holds_box
from helm_structext.metrics.assignment import assign_pairs

Floats = npt.NDArray[np.float64]

MAX_ELEMENTS = 1_000
"""Of a picture that are matched: of more, the largest."""
OUTLINE = 4
"""Elements below one among which the shape may be that it is the outline of."""
MOSTLY = 0.5
"""Share of an element from which on what is below this part of it is what it lies on."""
NEAR = 200
"""Elements below one among which the one right below it is looked for."""
WIDER = 2.0
"""Pixels by which boxes of elements are widened on each side before they are compared."""
IOU = 0.3
"""Least share of two elements' union that they must have in common to be the same."""
ALONG = 0.7
"""The same of two that only the way of a text near them brings together."""
LIKE = 0.5
"""What an area in common counts of two elements that don't look alike: one of its own color is rather the same."""
BESIDE = 1.5
"""In heights of a text: how far from it an element may be to go along with it."""
MAX_WAYS, MAX_LEFT = 16, 300
"""Ways of texts that elements may have gone along, the most frequent ones; and elements of each side that are left for them."""

ElementPairs = list[tuple[ElementBox | None, ElementBox | None]]
"""Each element of both sides once: of the prediction, and of the reference."""


class Frame(NamedTuple):
    """How a picture lies on another one: its places are scaled, and then pushed back.

    Args:
        across: to the right; so is `along` downwards.
        right: by how many pixels all has been pushed; so is `down`.
    """

    across: float = 1.0
    along: float = 1.0
    right: float = 0.0
    down: float = 0.0

    def place(self, box: PixelBox) -> PixelBox:
        """Returns a box of the picture on the other one."""
        left, top, right, bottom = box
        return (
            left * self.across - self.right,
            top * self.along - self.down,
            right * self.across - self.right,
            bottom * self.along - self.down,
        )


def match_elements(
    ours: Sequence[ElementBox],
    theirs: Sequence[ElementBox],
    frames: Sequence[Frame],
    ways: Mapping[Frame, Sequence[PixelBox]] = MappingProxyType({}),
) -> tuple[Frame, ElementPairs]:
    """Returns pairs of elements of one kind by area in common; of more than `MAX_ELEMENTS`, the largest.

    Args:
        ours: of the prediction.
        theirs: of the reference.
        frames: in which the prediction may lie on the reference.
        ways: by which texts have been pushed, the most frequent first → where these are in the reference. What is left
            by the frame and lies in its place by one of them has gone along with a text near it: a box with its words.

    Returns:
        The frame in which most is in common, the first one of equals; and each element of both once.
    """
    (mine, unseen), (wanted, unwanted) = (_split_seen(one) for one in (ours, theirs))
    found: dict[tuple[int, int], float] = {}
    frame = Frame()
    if mine and wanted:
        matches = {way: _in_common(mine, wanted, way) for way in dict.fromkeys((frame, *frames))}
        frame = max(matches, key=lambda way: sum(matches[way].values()))
        found = matches[frame]
        found |= _gone_along(mine, wanted, found, ways)
    pairs: ElementPairs = [(mine[i], wanted[j]) for i, j in found]
    extra, missing = _left(mine, {i for i, _ in found}), _left(wanted, {j for _, j in found})
    on_like = _on_their_like(extra, unwanted, frame), _on_their_like(unseen, missing, frame)
    pairs += [(extra[i], unwanted[j]) for i, j in on_like[0]]
    pairs += [(unseen[i], missing[j]) for i, j in on_like[1]]
    pairs += [(one, None) for one in _left(extra, {i for i, _ in on_like[0]})]
    pairs += [(None, one) for one in _left(missing, {j for _, j in on_like[1]})]
    return frame, pairs


def _left(elements: Sequence[ElementBox], taken: Collection[int]) -> list[ElementBox]:
    return [one for number, one in enumerate(elements) if number not in taken]


def _on_their_like(
    mine: Sequence[ElementBox], wanted: Sequence[ElementBox], frame: Frame
) -> list[tuple[int, int]]:
    """Numbers of two elements of one color in one place; on one side they are not seen, as something else there is gone."""
    if not (mine and wanted):
        return []
    found = _in_common(mine[:MAX_LEFT], wanted[:MAX_LEFT], frame)
    return [
        (i, j)
        for (i, j), share in found.items()
        if share >= ALONG and mine[i].color == wanted[j].color and mine[i].line == wanted[j].line
    ]


def _gone_along(
    mine: Sequence[ElementBox],
    wanted: Sequence[ElementBox],
    found: Collection[tuple[int, int]],
    ways: Mapping[Frame, Sequence[PixelBox]],
) -> dict[tuple[int, int], float]:
    """Numbers of two elements that are not found, which the way of a text near them brings together → what they share."""
    taken = {i for i, _ in found}, {j for _, j in found}
    left = [i for i in range(len(mine)) if i not in taken[0]][:MAX_LEFT]
    missed = [j for j in range(len(wanted)) if j not in taken[1]][:MAX_LEFT]
    along: dict[tuple[int, int], float] = {}
    for way, texts in islice(ways.items(), MAX_WAYS):
        if not (left and missed):
            break
        ours, theirs = [mine[i] for i in left], [wanted[j] for j in missed]
        near = {
            (left[i], missed[j]): share
            for (i, j), share in _in_common(ours, theirs, way).items()
            if share >= ALONG and is_beside(theirs[j].box, texts)
        }
        along |= near
        left = [i for i in left if i not in {one for one, _ in near}]
        missed = [j for j in missed if j not in {other for _, other in near}]
    return along


def is_beside(box: PixelBox, texts: Sequence[PixelBox]) -> bool:
    """Returns whether one of some texts is within an element, or next to it.

    Args:
        box: of the element.
        texts: boxes, at least one; how near is near depends on each one's height.

    >>> is_beside((0, 0, 40, 20), [(44, 0, 80, 20)]), is_beside((0, 0, 40, 20), [(90, 0, 99, 20)])
    (True, False)
    """
    left, top, right, bottom = np.array(texts).T
    apart = np.maximum.reduce([left - box[2], box[0] - right, top - box[3], box[1] - bottom])
    return bool((apart <= BESIDE * (bottom - top)).any())


def _in_common(
    mine: Sequence[ElementBox], wanted: Sequence[ElementBox], frame: Frame
) -> dict[tuple[int, int], float]:
    """Numbers of two elements that are one → the share of their union that they have in common."""
    shared = _overlaps(
        [widen_box(frame.place(one.box)) for one in mine], [widen_box(one.box) for one in wanted]
    )
    kinds, colors, lines = (
        np.array([getattr(one, name) for one in mine])[:, None]
        == np.array([getattr(one, name) for one in wanted])
        for name in ("kind", "color", "line")
    )
    shared[~kinds] = 0
    costs = 1 - shared * np.where(colors & lines, 1, LIKE)
    return {(i, j): float(shared[i, j]) for i, j in assign_pairs(costs) if shared[i, j] >= IOU}


def common_area(one: PixelBox, other: PixelBox, frame: Frame) -> float:
    """Returns how many square pixels two elements have in common, widened, the first one in its frame.

    Args:
        one: of the prediction.
        other: of the reference.
        frame: leads from the prediction's places to the reference's.
    """
    return _shared_area(widen_box(frame.place(one)), widen_box(other))


def _shared_area(one: PixelBox, other: PixelBox) -> float:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return box_area((left, top, right, bottom)) if left < right and top < bottom else 0.0


def _split_seen(elements: Sequence[ElementBox]) -> tuple[list[ElementBox], list[ElementBox]]:
    """Those that differ from what lies right below them, of the last ones, and those that don't: white on white is nothing.

    Of both, the largest first, up to `MAX_ELEMENTS`. What lies in an outline lies on what is below that. Where a shape
    is told twice, as what it is filled with and as its outline, it is the former; of two rules in one place, the latter;
    what several colors fill, as a gradient does, has none alone and lies above.
    """
    seen: list[ElementBox] = []
    unseen: list[ElementBox] = []
    covered = _covered_rules(elements)
    for number, one in enumerate(elements):
        last = range(len(seen))[-OUTLINE:]
        twice = [at for at in last if _is_same(seen[at], one)]
        if twice and not one.color:
            seen[twice[-1]] = one
        if number in covered or twice:
            continue
        plain = one.kind not in ("image", "control", "arrowhead") and _is_plain(one, seen[-NEAR:])
        (unseen if plain else seen).append(one)
    mine, others = (
        sorted(side, key=lambda it: (-box_area(it.box), it.box, it.color))[:MAX_ELEMENTS]
        for side in (seen, unseen)
    )
    return mine, others


def _covered_rules(elements: Sequence[ElementBox]) -> set[int]:
    """Numbers of rules that a later one lies on, as an axis does on a line of its grid; of the last `MAX_ELEMENTS`."""
    rules = [number for number, one in enumerate(elements) if one.kind == "rule"][-MAX_ELEMENTS:]
    if not rules:
        return set()
    from scipy.spatial import KDTree

    boxes = KDTree([elements[number].box for number in rules])
    return {rules[first] for first, _ in boxes.query_pairs(WIDER, p=np.inf)}


def _is_plain(one: ElementBox, below: Sequence[ElementBox]) -> bool:
    """Whether an element has the color of what it lies on, and of no outline that it interrupts.

    What most of it lies on, in another color, may be between them: the door of a house in the color of the sky.
    """
    ground = PAPER
    between = []
    for it in reversed(below):
        if it.line and it.line != one.color and _crosses(one.box, it.box):
            return False
        if it.filled:
            if holds_box(it.box, one.box):
                ground = it.color
                break
            between.append(it)
    plain = bool(one.color) and one.color == ground and one.line in ("", ground)
    return plain and not any(
        it.color != ground and _shared_area(it.box, one.box) >= MOSTLY * box_area(one.box) > 0
        for it in between
    )


def _crosses(box: PixelBox, outline: PixelBox) -> bool:
    """Whether a box lies over a side of an outline that goes on on both sides of it: a gap in a wall.

    >>> _crosses((40, 95, 60, 105), (0, 100, 100, 200)), _crosses((0, 95, 100, 105), (0, 100, 100, 200))
    (True, False)
    """
    return any(
        box[1 - axis] > outline[1 - axis]
        and box[3 - axis] < outline[3 - axis]
        and any(box[axis] < outline[side] < box[axis + 2] for side in (axis, axis + 2))
        for axis in (0, 1)
    )


def _is_same(below: ElementBox, one: ElementBox) -> bool:
    """Whether an element is the outline of one below it, or is that once more."""
    once_more = not one.filled or not one.line or one.color == below.color
    return below.kind == one.kind and once_more and are_same_box(below.box, one.box, WIDER)


def widen_box(box: PixelBox) -> PixelBox:
    """Returns a box with `WIDER` more on each side: a rule that is a pixel away is the same, and has an area."""
    left, top, right, bottom = box
    return left - WIDER, top - WIDER, right + WIDER, bottom + WIDER


def _overlaps(ours: Sequence[PixelBox], theirs: Sequence[PixelBox]) -> Floats:
    """Intersection over union of each two boxes; shape (n, m)."""
    a, b = np.array(ours)[:, None], np.array(theirs)[None]
    low, high = np.maximum(a[..., :2], b[..., :2]), np.minimum(a[..., 2:], b[..., 2:])
    common = np.prod(np.maximum(high - low, 0), axis=-1)
    areas = [np.prod(one[..., 2:] - one[..., :2], axis=-1) for one in (a, b)]
    return np.asarray(common / np.maximum(areas[0] + areas[1] - common, 1e-9))
