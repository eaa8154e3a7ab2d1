"""How far raters agree: figures of the literature, and by another way of computing them."""

import random
from itertools import permutations

import pytest

from helm_structext.results.agreement import krippendorffs_alpha


def test_alpha_is_that_of_krippendorff_s_example():
    """Krippendorff (2011), section C: 4 observers, 12 units with missing data, α = 0.743."""
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[one for one in unit if one is not None] for unit in zip(*observers, strict=True)]
    assert krippendorffs_alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_alpha_is_that_of_two_observers_of_yes_and_no():
    """Krippendorff (2011), section A: 10 units, α = 0.095."""
    first, second = "0100000010", "1110010000"
    found = krippendorffs_alpha(list(zip(first, second, strict=True)))
    assert found == pytest.approx(0.095, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_one_minus_observed_by_expected_disagreement(seed):
    """By its definition, pair by pair."""
    numbers = random.Random(seed)
    units = [[numbers.randrange(3) for _ in range(numbers.randrange(4))] for _ in range(30)]
    rated = [unit for unit in units if len(unit) > 1]
    values = [value for unit in rated for value in unit]
    observed = sum(
        sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in rated
    ) / len(values)
    expected = sum(a != b for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))
    assert krippendorffs_alpha(units) == pytest.approx(1 - observed / expected)


def test_alpha_is_not_known_where_nothing_could_differ():
    assert krippendorffs_alpha([]) is None
    assert krippendorffs_alpha([[True], [False]]) is None
    assert krippendorffs_alpha([[True, True], [True, True]]) is None
