"""Which symbols of a formula are in another place than they should be.

The reference is cut along the gaps between its glyphs: into lines, these into what stands beside each other, this into
what stands above each other, and so on (the recursive cut of Nagy and Seth, 1984). A symbol has moved where it is higher,
lower, larger or smaller in its line than the line's letters are, or in another order; so has a line that is not below
the one before it. That a line or a part of it is elsewhere, as what is around it is larger or smaller, is no mistake:
where a row of a matrix is lost, what is left of it moves by half of its height.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, median_high, median_low
from typing import NamedTuple

import numpy as np

from helm_structext.layouts import RULE, PixelBox, box_around, middle_of
from helm_structext.metrics.formula_signs import Sign

HIGHER = 0.15
"""In sizes of the font: from where on a symbol is higher or lower in its line than it should be."""
SCRIPT = 0.85
"""The size of an index or exponent at most, in that of its line."""
STRETCH = 3.0
"""How many times as high above its line an exponent may be, or as low: it goes with what it stands on."""
FARTHEST = 0.8
"""In sizes of the font: how far it goes at most."""
ACROSS = 0.3
"""In sizes of the font: how far below a line that should be below something is not below it."""
LARGER = 1.2
"""Ratio of two sizes of a font from which on a symbol is of another size than its line."""
APART = 0.3
"""Share of their distance that two lines must keep to be two lines."""
BESIDE = 1.2
"""In sizes of the font: how far from a line of a fraction or a root is what belongs to it."""
ROOT = "√"
TOUCHING = 0.25
"""In sizes of the font: how far apart the parts of a root may be."""
LOWEST = 0.6
"""In sizes of the font: how high a letter is at least, where lines are parted."""
WHOLE = 0.9
"""Share of what is cut that the line of a fraction takes, if there is nothing beside it."""
ASIDE = 2.0
"""In sizes of the font: from what gap on two parts of a line, as two matrices of which one has lost a row, may have other heights."""
LOWER = 0.8
"""In sizes of the font: how much lower at least a line is that has lost one of what stands one below the other."""
FENCES = frozenset("()[]{}|‖⟨⟩⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭⌈⌉⌊⌋")
"""Signs that are as high as what they go around."""
MAX_DEPTH = 30
"""Of fractions in fractions."""
MAX_ROWS = 150
"""Of one block, of which is looked whether they are in order."""

Numbers = Sequence[int]
"""Of the reference's signs."""


class Level(NamedTuple):
    """Where a line is: what brings a letter of the reference's line to the prediction's, and the size of its font.

    Args:
        ratio: of the sizes of their letters.
        shift: prediction's height by this ratio, less the reference's, in the reference's pixels.
        middle: of its letters in the reference.
        size: of their font in the reference.
        slack: by how much parts of it may be higher or lower, as something is lost in others; in the reference's pixels.
    """

    ratio: float
    shift: float
    middle: float
    size: float
    slack: float = 0.0

    def steady(self, shift: float) -> float:
        """How much lower something is than its line, less what follows of what is lost."""
        return min((shift - self.shift + way * self.slack for way in (0, 1, -1)), key=abs)


class Reach(NamedTuple):
    """From where to where a sign goes with all that it belongs to.

    Args:
        box: around it and, if it is an index or exponent, the letter that it belongs to.
        bars: lines of the fractions in which it stands.
    """

    box: PixelBox
    bars: Sequence[PixelBox]


@dataclass(frozen=True)
class SignPairs:
    """The reference's signs, and those of the prediction that are the same.

    Args:
        wanted: of the reference.
        found: by the number of the reference's sign.
        reaches: of the reference's letters.
    """

    wanted: Sequence[Sign]
    found: Mapping[int, Sign]
    reaches: Mapping[int, Reach]

    def ratio(self, number: int) -> float:
        """How much larger a sign's font is than it should be."""
        return size_ratio(self.found[number], self.wanted[number])

    def shift(self, number: int, ratio: float) -> float:
        """How much lower a sign is, by a ratio of sizes."""
        return middle_of(self.found[number].box)[1] / ratio - middle_of(self.wanted[number].box)[1]

    def is_level(self, number: int, other: int) -> bool:
        """Whether two signs stand beside each other."""
        one, two = self.wanted[number].box, self.wanted[other].box
        return one[1] < two[3] and two[1] < one[3]


def size_ratio(sign: Sign, other: Sign) -> float:
    """Returns how much larger a sign's font is than another's; 1 where they have none.

    >>> size_ratio(Sign("x", (0, 0, 9, 9), 12.0, 0), Sign("x", (0, 0, 9, 9), 8.0, 0))
    1.5
    """
    return sign.size / other.size if sign.size and other.size else 1.0


def find_moved(
    ours: Sequence[Sign], theirs: Sequence[Sign], pairs: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Returns which of the pairs of the same sign are of one in another place.

    Args:
        ours: of the prediction.
        theirs: of the reference.
        pairs: numbers of both.

    >>> power = [Sign("x", (0, 4, 8, 12), 12.0, 0), Sign("2", (9, 0, 14, 7), 8.0, 1)]
    >>> index = [power[0], Sign("2", (9, 8, 14, 15), 8.0, 1)]
    >>> find_moved(index, power, [(0, 0), (1, 1)])
    {(1, 1)}
    """
    pairs = [*pairs]
    if all(ours[i].box == theirs[j].box for i, j in pairs):
        return set()
    reaches = _find_reaches(theirs)
    both = SignPairs(theirs, {j: ours[i] for i, j in pairs}, reaches)
    letters = [*reaches]
    moved = set(_find_moved_in_block(letters, both, 0))
    moved |= {*_find_moved_lines([j for _, j in pairs if j not in moved], both)}
    return {(i, j) for i, j in pairs if j in moved}


def _find_reaches(signs: Sequence[Sign]) -> dict[int, Reach]:
    """From where to where letters go, with the larger ones to which they belong, and lines of fractions."""
    letters = [number for number, sign in enumerate(signs) if sign.size]
    drawn = (sign for sign in signs if sign.identity == RULE and not _is_of_root(sign, signs))
    bars = [sign.box for sign in drawn]
    lines = [_find_lines(signs[number], bars) for number in letters]
    owners = np.array([bars.index(one[0]) if one else -1 for one in lines])
    boxes = np.array([signs[number].box for number in letters]).reshape(-1, 4)
    sizes = np.array([signs[number].size for number in letters])
    reaches = {}
    for place, number in enumerate(letters):
        box = boxes[place]
        around = [signs[number].box]
        larger = boxes[(sizes * SCRIPT > sizes[place]) & (owners == owners[place])]
        if len(larger):
            apart = np.maximum(np.maximum(larger[:, :2] - box[2:], box[:2] - larger[:, 2:]), 0)
            around.append(larger[np.argmin(apart.sum(axis=1))].tolist())
        reaches[number] = Reach(box_around(around), lines[place])
    return reaches


def _is_of_root(line: Sign, signs: Sequence[Sign]) -> bool:
    """Whether a line goes on where the sign of a root ends; there is nothing above it."""
    left, top, _, bottom = line.box
    return any(
        sign.identity == ROOT
        and abs(sign.box[2] - left) < TOUCHING * sign.size
        and sign.box[1] - TOUCHING * sign.size < top < bottom < sign.box[3]
        for sign in signs
    )


def _find_lines(sign: Sign, bars: Iterable[PixelBox]) -> list[PixelBox]:
    """The next line below a letter and the next one above it, the shorter one first."""
    middle, height = middle_of(sign.box)
    over = [bar for bar in bars if bar[0] < middle < bar[2]]
    below = min((bar for bar in over if bar[1] > height), key=lambda bar: bar[1], default=None)
    above = max((bar for bar in over if bar[1] <= height), key=lambda bar: bar[1], default=None)
    near = [
        bar
        for bar in (below, above)
        if bar and max(bar[1] - sign.box[3], sign.box[1] - bar[3]) < BESIDE * sign.size
    ]
    return sorted(near, key=lambda bar: bar[2] - bar[0])


def _find_moved_in_block(block: Numbers, both: SignPairs, depth: int) -> Iterator[int]:
    """What has moved of lines one below the other."""
    rows = _cut(block, both, 1)
    lost = len(rows) > 1 and any(number not in both.found for number in block)
    for row, kept in zip(rows, _in_order(rows, both, 1), strict=True):
        if kept:
            yield from _find_moved_in_row(row, both, depth, lost)
        else:
            yield from row


def _find_moved_in_row(row: Numbers, both: SignPairs, depth: int, lost: bool) -> Iterator[int]:
    """What has moved of what stands beside each other.

    Where something of several rows is lost, what is left of one matrix stands elsewhere beside the other one.
    """
    singles: list[int] = []
    stacks: list[list[list[int]]] = []
    columns = _cut(row, both, 0)
    for group in _join_columns(columns, both) if depth < MAX_DEPTH else columns:
        parts = _cut(group, both, 1)
        if len(parts) > 1:
            stacks.append(parts)
        else:
            singles += group
    slack = _find_slack(row, both)
    moved: set[int] = set()
    level = _find_level(singles, both)
    for part in _part_widely(singles, row, both) if lost else [singles]:
        if level:
            own = _level_of_part(part, level, both)._replace(slack=slack)
            moved |= {number for number in part if _is_off(number, own, both)}
    for stack in stacks:
        moved |= {
            *_find_moved_in_block([number for part in stack for number in part], both, depth + 1)
        }
        moved |= {
            number
            for part in stack
            if level and _is_across(part, level._replace(slack=slack), both)
            for number in part
        }
    left = [[number for number in column if number not in moved] for column in columns]
    for column, kept in zip(left, _in_order(left, both, 0), strict=True):
        if not kept:
            moved |= {*column}
    yield from moved


def _join_columns(columns: Sequence[list[int]], both: SignPairs) -> Iterator[list[int]]:
    """Columns, those of one matrix together: as long as a gap goes through all of them from left to right."""
    block: list[int] = []
    for column in columns:
        if block and len(_cut(wider := [*block, *column], both, 1)) > 1:
            block = wider
            continue
        if block:
            yield block
        block = column
    if block:
        yield block


def _cut(group: Numbers, both: SignPairs, axis: int) -> list[list[int]]:
    """A group cut where a gap goes through all of it: into columns (axis 0), or into rows (1)."""
    boxes = {number: both.reaches[number].box for number in group}
    left, _, right, _ = box_around(boxes.values()) if boxes else (0.0,) * 4
    for number in group:  # With its fraction, unless that is all that there is.
        bars = both.reaches[number].bars
        whole = [bar for bar in bars if bar[2] - bar[0] < WHOLE * (right - left)]
        boxes[number] = box_around((boxes[number], *whole))
    spans = {number: box[axis::2] for number, box in boxes.items()}
    if axis:  # A line is higher than a minus or a point is.
        spans = {number: _heighten(spans[number], both.wanted[number].size) for number in group}
    parts: list[list[int]] = []
    end = 0.0
    for number in sorted(group, key=lambda one: spans[one]):
        low, high = spans[number]
        if parts and low < end:
            parts[-1].append(number)
            end = max(end, high)
        else:
            parts.append([number])
            end = high
    return parts


def _heighten(span: Sequence[float], size: float) -> tuple[float, float]:
    low, high = span
    free = max(LOWEST * size - (high - low), 0) / 2
    return low - free, high + free


def _part_widely(singles: Numbers, row: Numbers, both: SignPairs) -> Iterator[Numbers]:
    """Parts of a line that nothing of the row is between, as rows of two matrices."""
    alone = {*singles}
    part: list[int] = []
    right = 0.0
    for number in sorted(row, key=lambda one: both.reaches[one].box[0]):
        box, size = both.reaches[number].box, both.wanted[number].size
        if part and box[0] - right > ASIDE * size:
            yield part
            part = []
        right = max(right, box[2])
        if number in alone:
            part.append(number)
    if part:
        yield part


def _find_slack(row: Numbers, both: SignPairs) -> float:
    """Half of how much lower a line is than it should be, where it has lost as much as a row.

    What stands one below the other is centered on its line, so that what is left moves by so much.
    """
    known = [number for number in row if number in both.found]
    if not known or len(known) == len(row):
        return 0.0
    size = max(both.wanted[number].size for number in row)
    ratio = median_high(map(both.ratio, known))
    should, found = (
        box_around(boxes)
        for boxes in (
            [both.wanted[number].box for number in row],
            [both.found[number].box for number in known],
        )
    )
    lower = (should[3] - should[1]) - (found[3] - found[1]) / ratio
    return lower / 2 if lower > LOWER * size else 0.0


def _find_level(singles: Numbers, both: SignPairs) -> Level | None:
    """Where a line is, by its largest letters; None where none of it is known."""
    known = [number for number in singles if number in both.found]
    if not known:
        return None
    largest = max(both.wanted[number].size for number in known)
    voters = [number for number in known if both.wanted[number].size > SCRIPT * largest]
    # One that a letter has, not one between two, where a line is torn in halves.
    ratio = median_high(map(both.ratio, voters))
    agreed = [number for number in voters if 1 / LARGER < both.ratio(number) / ratio < LARGER]
    shift = median_low(both.shift(number, ratio) for number in agreed)
    middle = median(middle_of(both.wanted[number].box)[1] for number in voters)
    return Level(ratio, shift, middle, largest)


def _level_of_part(part: Numbers, level: Level, both: SignPairs) -> Level:
    """Where a part of a line is; where its line is, unless its letters are as large as these are."""
    own = _find_level(part, both)
    return own if own and 1 / LARGER < own.ratio / level.ratio < LARGER else level


def _is_off(number: int, level: Level, both: SignPairs) -> bool:
    """Whether a sign is not where its line has it, or of another size."""
    if number not in both.found:
        return False
    larger = both.ratio(number) / level.ratio
    if not 1 / LARGER < larger < LARGER:
        return True
    wanted = both.wanted[number]
    if level.slack and wanted.identity in FENCES:
        return False
    shift = level.steady(both.shift(number, level.ratio))
    free = FARTHEST if wanted.size <= SCRIPT * level.size else HIGHER
    if not HIGHER * level.size < abs(shift) < free * level.size:
        return abs(shift) > HIGHER * level.size
    # An index or exponent goes with what it stands on.
    above = middle_of(wanted.box)[1] - level.middle
    return not 1 / STRETCH < (above + shift) / (above or 1.0) < STRETCH


def _is_across(part: Numbers, level: Level, both: SignPairs) -> bool:
    """Whether a part that stands above or below others is on the other side of its line."""
    known = [number for number in part if number in both.found]
    if not known:
        return False
    shift = level.steady(median(both.shift(number, level.ratio) for number in known))
    above = median(middle_of(both.wanted[number].box)[1] for number in known) - level.middle
    return above * (above + shift) < 0 and abs(above + shift) > ACROSS * level.size


def _in_order(groups: Sequence[Numbers], both: SignPairs, axis: int) -> list[bool]:
    """Which of the groups are in their order: as many signs as possible are."""
    known = [[number for number in group if number in both.found] for group in groups[:MAX_ROWS]]
    steps = zip(known[1:], known, strict=False)
    if all(_follows(group, before, both, axis) for group, before in steps):
        return [True] * len(groups)
    best: list[tuple[int, int]] = []  # Signs in the longest chain that ends here; the one before.
    for last, group in enumerate(known):
        chains = (
            (best[one][0], one) for one in range(last) if _follows(group, known[one], both, axis)
        )
        length, before = max(chains, default=(0, -1))
        best.append((length + len(group), before))
    kept = [not group for group in known] + [True] * (len(groups) - len(known))
    one = max(range(len(best)), key=lambda last: best[last][0])
    while one >= 0:
        kept[one] = True
        one = best[one][1]
    return kept


def _follows(group: Numbers, before: Numbers, both: SignPairs, axis: int) -> bool:
    """Whether a group is behind or below another one, as it should be."""
    if axis == 0:  # What stands above or below of others is not behind them.
        group, before = (
            [one for one in side if any(both.is_level(one, two) for two in other)]
            for side, other in ((group, before), (before, group))
        )
    if not group or not before:
        return True
    is_at, should = (
        median(middle_of(signs[number].box)[axis] for number in group)
        - median(middle_of(signs[number].box)[axis] for number in before)
        for signs in (both.found, both.wanted)
    )
    return is_at > (APART * should if axis else 0)


def _find_moved_lines(numbers: Numbers, both: SignPairs) -> Iterator[int]:
    """Lines of fractions, roots and marks that go over other signs than they should."""
    letters = [number for number in numbers if both.wanted[number].size]
    if not letters:
        return
    size = median(both.wanted[number].size for number in letters)
    ratio = median(map(both.ratio, letters))
    middles = [
        np.array([middle_of(sign.box) for sign in signs])
        for signs in (
            [both.found[number] for number in letters],
            [both.wanted[number] for number in letters],
        )
    ]
    for number in numbers:
        if both.wanted[number].size:
            continue
        within, near = [], []
        boxes = both.found[number].box, both.wanted[number].box
        for box, points, em in zip(boxes, middles, (size * ratio, size), strict=True):
            within.append((points[:, 0] > box[0]) & (points[:, 0] < box[2]))
            apart = np.maximum(box[1] - points[:, 1], points[:, 1] - box[3])
            near.append(apart < BESIDE * em)
        if (near[0] & near[1] & (within[0] != within[1])).any():
            yield number
