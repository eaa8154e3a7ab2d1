"""Means that are the same to the last bit on every Python: from 3.12 on the builtin `sum` rounds otherwise."""

from collections.abc import Sequence
from math import fsum


def mean(values: Sequence[float]) -> float | None:
    """Returns the mean of some numbers; None of none.

    >>> mean([0.1] * 10), mean([])
    (0.1, None)
    """
    return fsum(values) / len(values) if values else None


def weighted_mean(values: Sequence[tuple[float, float]]) -> float | None:
    """Returns the mean of numbers, each with its weight; None where no weight is above 0.

    Args:
        values: pairs of a number and its weight, of 0 or more.

    >>> weighted_mean([(1.0, 3), (0.0, 1)]), weighted_mean([(1.0, 0)])
    (0.75, None)
    """
    total = fsum(weight for _, weight in values)
    return fsum(value * weight for value, weight in values) / total if total else None
