"""Alignments cost as little as can be, and have every item once."""

import random

import numpy as np
import pytest

from helm_structext.metrics.alignment import align


def least_cost(first, second, wrong):
    rows = np.zeros((len(first) + 1, len(second) + 1))
    rows[:, 0], rows[0] = range(len(first) + 1), range(len(second) + 1)
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            ways = rows[i, j] + wrong * (one != other), rows[i, j + 1] + 1, rows[i + 1, j] + 1
            rows[i + 1, j + 1] = min(ways)
    return rows[-1, -1]


def laid(first, second, wrong=1.5, **options):
    def costs(i, low, high):
        return [wrong * (first[i] != one) for one in second[low:high]]

    return align((len(first), len(second)), costs, **options)


@pytest.mark.parametrize("seed", range(40))
def test_it_costs_what_the_whole_table_says(seed):
    rng = random.Random(seed)
    first, second = (rng.choices("abc", k=rng.randrange(9)) for _ in "ab")
    found = laid(first, second)
    assert found.cost == least_cost(first, second, 1.5)
    alone = sum(None in pair for pair in found.pairs)
    wrong = sum(None not in pair and first[pair[0]] != second[pair[1]] for pair in found.pairs)
    assert alone + 1.5 * wrong == found.cost


@pytest.mark.parametrize("cells", [1, 10, 40])
@pytest.mark.parametrize("sizes", [(0, 7), (7, 0), (1, 30), (30, 1), (12, 17)])
def test_every_item_is_there_once_however_little_is_looked_at(sizes, cells):
    found = laid("a" * sizes[0], "b" * sizes[1], max_cells=cells)
    for side, size in enumerate(sizes):
        assert [pair[side] for pair in found.pairs if pair[side] is not None] == [*range(size)]


def test_long_sequences_are_looked_at_near_the_diagonal():
    looked = []

    def costs(i, low, high):
        looked.append(high - low)
        return np.zeros(high - low)

    align((3000, 3000), costs, max_cells=100_000)
    assert sum(looked) < 200_000
