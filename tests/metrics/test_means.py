"""Means are rounded once, whatever Python does."""

from math import fsum

from helm_structext.metrics.means import mean, weighted_mean

TENTHS = [0.1] * 10


def test_means_are_those_of_exact_sums():
    assert mean(TENTHS) == 0.1
    assert weighted_mean([(one, 0.1) for one in TENTHS]) == fsum([0.1 * 0.1] * 10) / 1.0


def test_nothing_has_no_mean():
    assert mean([]) is weighted_mean([]) is weighted_mean([(1.0, 0.0)]) is None
