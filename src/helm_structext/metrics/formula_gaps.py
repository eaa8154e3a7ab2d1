"""Which of several equal symbols in a row is the one that is lost, or too many.

Of ``7z`` at the end of a line and ``z`` at the start of the next one, the order alone does not say which ``z`` is gone.
Each choice is a gap at another place of the same pairs: the one is right at which the symbols around it stand to each
other as they should.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from helm_structext.layouts import middle_of
from helm_structext.metrics.formula_signs import Sign

SAME = 0.25
"""In sizes of the font: by how much better another place for a gap must be."""
ACROSS = 0.5
"""What counts of two neighbors between which the gap is: their distance may have changed."""
LOOSE = 3.0
"""In sizes of the font: what two neighbors count at most that do not stand to each other as they should."""
MAX_PLACES = 30
"""On each side of a gap, to which it may be moved."""

IndexPairs = list[tuple[int, int]]
"""Numbers of equal symbols of the prediction and of the reference, in the order of both."""


def place_gaps(pairs: IndexPairs, ours: Sequence[Sign], theirs: Sequence[Sign]) -> IndexPairs:
    """Returns pairs of equal symbols, with those around a gap paired as they stand to each other.

    Args:
        pairs: of letters, as their order has them.
        ours: of the prediction.
        theirs: of the reference.

    >>> line = [Sign("7", (0, 0, 5, 9), 10, 0), Sign("z", (5, 0, 10, 9), 10, 1), Sign("z", (0, 20, 5, 29), 10, 2)]
    >>> place_gaps([(0, 0), (1, 1)], [line[0], line[2]], line)
    [(0, 0), (1, 2)]
    """
    pairs = _place_missing(pairs, ours, theirs)
    swapped = _place_missing([(j, i) for i, j in pairs], theirs, ours)
    return [(i, j) for j, i in swapped]


def _place_missing(pairs: IndexPairs, ours: Sequence[Sign], theirs: Sequence[Sign]) -> IndexPairs:
    """Places the gaps of symbols that only the second side has."""
    pairs = [(-1, -1), *pairs, (len(ours), len(theirs))]
    for before in range(len(pairs) - 1):
        (i, j), (next_i, next_j) = pairs[before : before + 2]
        if next_i == i + 1 and next_j > j + 1:
            _place_gap(pairs, before, next_j - j - 1, ours, theirs)
    return pairs[1:-1]


def _place_gap(
    pairs: IndexPairs, before: int, length: int, ours: Sequence[Sign], theirs: Sequence[Sign]
) -> None:
    """Moves the gap behind a pair to where it fits best, among equal symbols."""
    first, last = _reach(pairs, before, length, theirs)
    if first > last:
        return

    def strain(one: tuple[int, int], two: tuple[int, int]) -> float:
        if one[0] < 0 or two[0] == len(ours):
            return 0.0
        return _strain(ours[one[0]], ours[two[0]], theirs[one[1]], theirs[two[1]])

    left = pairs[first : before + 1]
    left += [(i, j - length) for i, j in pairs[before + 1 : last + 1]]
    right = [(i, j + length) for i, j in left]
    ahead, behind = [pairs[first - 1], *left], [*right, pairs[last + 1]]
    joined, parted = ([strain(*link) for link in pairwise(side)] for side in (ahead, behind))
    costs = [
        sum(joined[:cut]) + ACROSS * strain(ahead[cut], behind[cut]) + sum(parted[cut:])
        for cut in range(len(left) + 1)
    ]
    now = before + 1 - first
    best = min(range(len(costs)), key=lambda cut: (costs[cut], abs(cut - now)))
    if costs[best] < costs[now] - SAME:
        pairs[first : last + 1] = [*left[:best], *right[best:]]


def _reach(pairs: IndexPairs, before: int, length: int, theirs: Sequence[Sign]) -> tuple[int, int]:
    """The first and the last pair of those around a gap that may lie on its other side."""

    def is_free(place: int, step: int) -> bool:
        """Whether a symbol is equal to the one a gap farther."""
        if not 0 < place < len(pairs) - 1 or abs(place - before) > MAX_PLACES:
            return False
        j = pairs[place][1]
        return theirs[j].identity == theirs[j + step].identity

    first, last = before + 1, before
    while is_free(first - 1, length) and _is_next(pairs, first - 1, before):
        first -= 1
    while is_free(last + 1, -length) and _is_next(pairs, last, before):
        last += 1
    return first, last


def _is_next(pairs: IndexPairs, place: int, gap: int) -> bool:
    """Whether nothing is between a pair and the one behind it but the gap."""
    (i, j), (next_i, next_j) = pairs[place : place + 2]
    return place == gap or (next_i, next_j) == (i + 1, j + 1)


def _strain(one: Sign, two: Sign, other: Sign, another: Sign) -> float:
    """How much two symbols stand otherwise to each other than two others, in sizes of the font."""
    ratio = one.size / other.size
    here, there = (
        [
            end - start
            for start, end in zip(middle_of(first.box), middle_of(second.box), strict=True)
        ]
        for first, second in ((one, two), (other, another))
    )
    apart = math.dist([way / ratio for way in here], there) / other.size
    return min(apart + abs(math.log(two.size / another.size / ratio)), LOOSE)
