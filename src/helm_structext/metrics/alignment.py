"""Two sequences laid beside each other, so that what differs costs least."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MAX_CELLS = 4_000_000
"""Pairs of items that are looked at: of longer sequences those near to the diagonal."""
BOTH, FIRST, SECOND = range(3)

IndexPair = tuple[int | None, int | None]
"""Of an item of each sequence; None where the other one has no partner."""


class Alignment(NamedTuple):
    """What stands beside what.

    Args:
        pairs: in order.
        cost: of all.
    """

    pairs: list[IndexPair]
    cost: float


def align(
    sizes: tuple[int, int],
    costs_of: Callable[[int, int, int], Any],
    *,
    alone: float = 1.0,
    max_cells: int = MAX_CELLS,
) -> Alignment:
    """Returns the alignment of two sequences that costs least (Needleman and Wunsch, 1970).

    Args:
        sizes: of both sequences.
        costs_of: number of an item of the first, and from which item of the second to which one (without it) →
            what it costs to lay each of these beside it.
        alone: what an item without a partner costs.
        max_cells: how many pairs are looked at.

    >>> first, second = "abcd", "acde"
    >>> align((4, 4), lambda i, low, high: [2 * (first[i] != second[j]) for j in range(low, high)])
    Alignment(pairs=[(0, 0), (1, None), (2, 1), (3, 2), (None, 3)], cost=2.0)
    """
    rows, columns = sizes
    reach = max(max_cells // (2 * max(rows, 1)), 1)
    spans = [_span(row, rows, columns, reach) for row in range(rows + 1)]
    before: Floats = alone * np.arange(spans[0][1], dtype=float)
    ways: list[NDArray[np.int8]] = [np.full(len(before), SECOND, np.int8)]
    for row in range(rows):
        (low, high), (old_low, old_high) = spans[row + 1], spans[row]
        above = np.full(high - low, np.inf)
        above[: old_high - low] = before[low - old_low :][: high - low] + alone
        beside = np.full(high - low, np.inf)
        start = max(low, old_low + 1)
        end = min(high, old_high + 1)
        if end > start:
            known = before[start - 1 - old_low : end - 1 - old_low]
            beside[start - low : end - low] = known + np.asarray(
                costs_of(row, start - 1, end - 1), dtype=float
            )
        best = np.minimum(above, beside)
        steps = alone * np.arange(high - low)
        now = np.minimum.accumulate(best - steps) + steps
        way = np.where(beside <= above, BOTH, FIRST).astype(np.int8)
        way[now < best - 1e-9] = SECOND
        ways.append(way)
        before = now
    return Alignment([*_walk_back(sizes, spans, ways)][::-1], float(before[-1]))


def _span(row: int, rows: int, columns: int, reach: int) -> tuple[int, int]:
    """From which column to which one (without it) a row is looked at; the last row reaches the last column."""
    middle = row * columns // max(rows, 1)
    slope = columns // max(rows, 1) + 1
    return max(middle - reach - slope, 0), min(middle + reach + slope, columns) + 1


def _walk_back(
    sizes: tuple[int, int], spans: Sequence[tuple[int, int]], ways: Sequence[NDArray[np.int8]]
) -> Iterator[IndexPair]:
    row, column = sizes
    while row or column:
        way = ways[row][column - spans[row][0]]
        row -= int(way != SECOND)
        column -= int(way != FIRST)
        yield (None if way == SECOND else row), (None if way == FIRST else column)
