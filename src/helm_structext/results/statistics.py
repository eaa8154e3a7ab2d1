"""Statistics of scores: win rates, weighted means, intervals, tests, correlations.

Pure functions. Scores are arrays of instances × models (or × metrics), in which NaN says that
there is no value; what is random has a seed, so the same scores give the same numbers.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from helm_structext.threads import in_one_blas_thread

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]
"""One for each instance; instances with the same one belong together."""

RESAMPLES = 10_000
CONFIDENCE = 0.95

# Rows of random numbers that are drawn at a time, and elements that these rows have at most, so that
# memory grows neither with RESAMPLES nor with instances. The numbers drawn are the same in batches of any
# multiple of four rows: signs come four from one draw, of which none may be left over.
_BATCH, _ELEMENTS, _SIGNS_FROM_A_DRAW = 500, 5_000_000, 4
_COLUMNS = 512
"""Columns that are summed at a time: of tests, pairs of models."""


def mean_win_rates(
    columns: Mapping[str, Mapping[str, float]], tie: float = 0.5
) -> dict[str, float]:
    """Returns each row's mean over columns of the share of other rows that it beats.

    Higher values win. A column with fewer than two rows compares nothing and does not count.

    Args:
        columns: column to row to value; a row may be absent from a column.
        tie: what a tie counts: 0.5 of a win in helm-summarize, 0 by the paper's words.

    Returns:
        Row to rate, from 0 to 1, without the rows that were never compared.

    Source: Image2Struct, section 3.3: "the average fraction of other models that a model outperforms
    across scenarios". The paper's own column came about as in `rank_win_rates`.

    >>> columns = {"EMS": {"a": 0.9, "b": 0.5, "c": 0.5}, "rendered": {"a": 1, "b": 1}}
    >>> mean_win_rates(columns)
    {'a': 0.75, 'b': 0.375, 'c': 0.25}
    >>> mean_win_rates(columns, tie=0)
    {'a': 0.5, 'b': 0.0, 'c': 0.0}
    """
    rates: dict[str, list[float]] = defaultdict(list)
    for column in columns.values():
        if len(column) < 2:
            continue
        for row, value in column.items():
            others = [other for name, other in column.items() if name != row]
            wins = sum((value > other) + tie * (value == other) for other in others)
            rates[row].append(wins / len(others))
    return {row: fmean(of_row) for row, of_row in rates.items()}


def rank_win_rates(columns: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Returns each row's mean over columns of its rank, from 0 for the lowest value to 1 for the highest.

    Of rows that tie, one that comes later in a column ranks higher: a later row may beat another by
    nothing but its place.

    Args:
        columns: as in `mean_win_rates`, their rows in the order that decides.

    Returns:
        As `mean_win_rates`.

    Source: HELM's win rates of 2024. From the printed values of Image2Struct's Table 2, with the rows
    of Table A4 in their order, they give its column for 14 of 14 models, where `mean_win_rates` gives 11
    with ties as nothing, and 10 with ties as half.

    >>> rank_win_rates({"EMS": {"a": 0.9, "b": 0.5, "c": 0.5}})
    {'b': 0.0, 'c': 0.5, 'a': 1.0}
    """
    rates: dict[str, list[float]] = defaultdict(list)
    for column in columns.values():
        if len(column) < 2:
            continue
        for rank, row in enumerate(sorted(column, key=column.__getitem__)):
            rates[row].append(rank / (len(column) - 1))
    return {row: fmean(of_row) for row, of_row in rates.items()}


def bootstrap_win_rates(
    columns: Iterable[tuple[Sequence[str], Floats]], tie: float = 0.5
) -> dict[str, Floats]:
    """Returns each row's win rate (`mean_win_rates`) in samples of the instances.

    Args:
        columns: for each the rows, and resamples × rows means as from `bootstrap_means`. A sample of one
            column belongs to that of the same number of the others.
        tie: as in `mean_win_rates`.

    Returns:
        Row to the rates in all samples; NaN where it is compared in no column.

    Source: Efron, "Bootstrap methods", Annals of Statistics 7 (1979). Of what depends on ranks the bootstrap
    is cautious, as a sample may well exchange two rows that are close: Hall and Miller, "Using the bootstrap to
    quantify the authority of an empirical ranking", Annals of Statistics 37 (2009).

    >>> means = np.array([[0.9, 0.5, 0.5], [0.7, 0.8, np.nan]])
    >>> bootstrap_win_rates([("abc", means)])
    {'a': array([1., 0.]), 'b': array([0.25, 1.  ]), 'c': array([0.25,  nan])}
    """
    sums: dict[str, Floats] = {}
    numbers: dict[str, Floats] = {}
    for rows, means in columns:
        batches = (means[at : at + _BATCH] for at in range(0, len(means), _BATCH))
        parts = zip(*(_rates(batch, tie) for batch in batches), strict=True)
        rates, counted = (np.concatenate(part) for part in parts)
        for row, rate, counts in zip(rows, rates.T, counted.T, strict=True):
            sums[row] = sums.get(row, 0) + rate * counts
            numbers[row] = numbers.get(row, 0) + counts
    return {row: _quotient(sums[row], numbers[row]) for row in sums}


def weighted_means(values: Floats, weights: Floats | None = None) -> Floats:
    """Returns the mean of each column over its values.

    Args:
        values: n instances × k columns.
        weights: n weights, not negative; equal by default.

    Returns:
        k means; NaN for a column without values.

    >>> weighted_means(np.array([[0.5, 1.0], [1.0, np.nan], [0.0, np.nan]]))
    array([0.5, 1. ])
    >>> weighted_means(np.array([[0.0], [1.0]]), np.array([1.0, 3.0]))
    array([0.75])
    """
    filled, present = _weigh(values, weights)
    return _quotient(filled.sum(axis=0), present.sum(axis=0))


def clusters_held(values: Floats, clusters: Labels | None = None) -> npt.NDArray[np.int_]:
    """Returns in how many clusters each column has values.

    Args:
        values: n instances × k columns.
        clusters: as in `bootstrap_means`.

    >>> clusters_held(np.array([[0.5, 0.5], [1.0, np.nan]])), clusters_held(np.ones((2, 1)), np.array(["a", "a"]))
    (array([2, 1]), array([1]))
    """
    return _count_clusters(np.isfinite(values), clusters)


def bootstrap_means(
    values: Floats,
    weights: Floats | None = None,
    *,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Floats:
    """Returns the means of samples of the instances, drawn with replacement.

    All columns share the samples, so the difference of two columns is that of a paired sample.

    Args:
        values: n instances × k columns.
        weights: n weights, not negative; equal by default. Instances are drawn alike, and a drawn
            instance brings its weight along.
        clusters: n labels of what instances share, such as a picture: a cluster is drawn as a whole.
            By default each instance is one.
        strata: n labels of what is the same in all samples, such as tasks. Of the clusters of each, one
            less is drawn than it has, and counts as much more, without which means of small strata would
            vary too little. A cluster lies in one stratum. One that is alone in its stratum is in samples
            as often as if drawn from all, since nothing is known of what else the stratum might hold.
        resamples: number of samples.
        seed: of the random numbers.

    Returns:
        resamples × k means; NaN in samples that hold no value of a column.

    Source: for strata, Rao and Wu, "Resampling inference with complex survey data", Journal of the American
    Statistical Association 83 (1988).

    >>> means = bootstrap_means(np.array([[0.0], [1.0]]), resamples=1000)
    >>> means.shape, sorted(set(means.ravel().tolist()))
    ((1000, 1), [0.0, 0.5, 1.0])
    >>> values, tasks = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array(["a", "a", "b", "b"])
    >>> bootstrap_means(values, strata=tasks, resamples=3).ravel()
    array([0.5, 0.5, 0.5])
    """
    filled, present = (_sum_clusters(part, clusters) for part in _weigh(values, weights))
    number = len(filled)
    kinds, places_of = _kinds(present) if weights is None else (present, slice(None))
    groups = [] if strata is None else _rows_of(_of_clusters(strata, clusters))
    generator = np.random.default_rng(seed)
    batches = []
    with in_one_blas_thread():
        for _, size in _batches(resamples, number):
            if strata is None:
                counts = _draws(generator, size, number, number)
            else:
                counts = np.empty((size, number))
                for members in groups:
                    of = len(members)
                    counts[:, members] = (
                        _draws(generator, size, of, of - 1) * of / (of - 1)
                        if of > 1
                        else generator.binomial(number, 1 / number, (size, 1))
                    )
            batches.append(_quotient(counts @ filled, (counts @ kinds)[:, places_of]))
    return np.concatenate(batches)


def percentile_intervals(
    means: Floats, confidence: float = CONFIDENCE
) -> list[tuple[float, float]]:
    """Returns the middle of each column's resampled means, without the tails on both sides.

    Args:
        means: as from `bootstrap_means`: resamples × k.
        confidence: the share that lies in the middle.

    Returns:
        k pairs (low, high); NaN for a column without values.

    >>> percentile_intervals(np.linspace(0, 1, 5)[:, None], 0.5)
    [(0.25, 0.75)]
    """
    intervals = []
    for column in means.T:
        known = column[~np.isnan(column)]
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        low, high = np.quantile(known, tails) if len(known) else (np.nan, np.nan)
        intervals.append((float(low), float(high)))
    return intervals


def bootstrap_intervals(
    values: Floats,
    weights: Floats | None = None,
    *,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[tuple[float, float]]:
    """Returns percentile bootstrap intervals of each column's mean.

    Args:
        values: n instances × k columns.
        weights: as in `bootstrap_means`; so are `clusters` and `strata`.
        confidence: coverage of the intervals.
        resamples: number of samples.
        seed: of the random numbers.

    Returns:
        k pairs (low, high); NaN for a column with values in fewer than two clusters, which says
        nothing of how much it varies.

    Source: Efron, "Bootstrap methods", Annals of Statistics 7 (1979); for clusters, Cameron, Gelbach
    and Miller, "Bootstrap-based improvements for inference with clustered errors", Review of Economics
    and Statistics 90 (2008).

    >>> bootstrap_intervals(np.array([[0.0, 0.7], [1.0, 0.7], [0.5, 0.7], [0.5, 0.7]]))
    [(0.125, 0.875), (0.7, 0.7)]
    >>> bootstrap_intervals(np.array([[0.5]]))
    [(nan, nan)]
    >>> bootstrap_intervals(np.array([[0.0], [0.0], [1.0]]), clusters=np.array(["a", "a", "b"]))
    [(0.0, 1.0)]
    """
    intervals = []
    for start in range(0, values.shape[1], _COLUMNS):  # memory is that of some columns, not of all
        some = values[:, start : start + _COLUMNS]
        means = bootstrap_means(
            some, weights, clusters=clusters, strata=strata, resamples=resamples, seed=seed
        )
        means[:, clusters_held(some, clusters) < 2] = np.nan
        intervals += percentile_intervals(means, confidence)
    return intervals


INTERVALS = (
    "95%: percentile bootstrap over instances, those of one picture, paper or repository together."
)
"""What the notes of tables say of `bootstrap_intervals`."""

WITHIN_TASKS = "The tasks are fixed: instances are drawn, and deviate, within each."
"""What they say besides where tasks are strata."""

ERRORS = "SE: standard error of the mean, clustered alike."
"""What they say, after that, of `standard_errors`."""


def paired_permutation_test(
    differences: Floats,
    *,
    clusters: Labels | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Floats:
    r"""Tests for each column whether the sum of paired differences may be chance, on both sides.

    If two models were alike, each difference might as well have the other sign. The p-value is
    the share of sign changes whose sum is at least as far from 0 as the one observed: over all
    2^n of them where these are no more than `resamples`, n being the column's differences that are
    known and not 0; else over random ones (then counted with the observed one, so that p is never
    0). Both are as from `scipy.stats.permutation_test`, which takes a hundred times as long.

    Where no random sign change gets as far, their number alone would bound p. It is then no more
    than Hoeffding's inequality allows for the sum of the clusters' differences d_c with random signs:

    .. math::
        2 \exp\Big(-\frac{(\sum_c d_c)^2}{2 \sum_c d_c^2}\Big)

    Args:
        differences: n instances × k pairs of models; NaN where one of a pair has no score. For
            weighted means, times the weights.
        clusters: n labels of what instances share: the differences of a cluster change sign together.
        resamples: number of sign changes.
        seed: of the random numbers.

    Returns:
        k p-values; NaN for a column without values.

    Source: Fisher, "The Design of Experiments" (1935), section 21; Hoeffding, "Probability inequalities
    for sums of bounded random variables", Journal of the American Statistical Association 58 (1963),
    theorem 2.

    >>> paired_permutation_test(np.array([[0.1, 0.1], [0.2, -0.1], [0.3, np.nan]]))
    array([0.25, 1.  ])
    """
    known = _sum_clusters(np.where(np.isnan(differences), 0, differences), clusters)
    # The same sum in another order may differ in the last digits.
    bar = np.abs(known.sum(axis=0)) - 1e-9 * np.abs(known).sum(axis=0)

    # The sign of 0 changes nothing: what there is to try are the signs of the others.
    others = np.count_nonzero(known, axis=0)
    exact = others <= np.log2(resamples)
    p_values = np.full(len(exact), np.nan)
    if exact.any():
        most = others[exact].max()
        others_first = np.argsort(known[:, exact] == 0, axis=0, kind="stable")[:most]
        terms = np.take_along_axis(known[:, exact], others_first, axis=0)
        p_values[exact] = _extreme(_all_signs(most), terms, bar[exact]) / 2**most
    if not exact.all():
        signs = _random_signs(len(known), resamples, seed)
        found = _extreme(signs, known[:, ~exact], bar[~exact])
        chance = (found + 1) / (resamples + 1)
        bound = _bound_by_hoeffding(known[:, ~exact])
        p_values[~exact] = np.where(found == 0, np.fmin(chance, bound), chance)
    return np.where(np.isnan(differences).all(axis=0), np.nan, p_values)


def holm(p_values: npt.ArrayLike) -> Floats:
    """Returns p-values adjusted for being several: below 0.05, all errors together are below 5%.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none gets below an earlier
    one, nor above 1.

    Args:
        p_values: of tests that are read together; NaN stays NaN and does not count.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6 (1979).

    >>> holm([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.06, 0.06,  nan])
    """
    adjusted = np.array(p_values, dtype=float)
    order = np.argsort(adjusted, kind="stable")[: np.isfinite(adjusted).sum()]  # NaN is last
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.maximum.accumulate(np.minimum(adjusted[order] * factors, 1))
    return adjusted


class PairedComparison(NamedTuple):
    """How far apart two models are, over the instances that both have.

    Args:
        number: of these instances.
        difference: mean of the first one's score minus the second's.
        interval: of that mean (`bootstrap_intervals`).
        p_value: that it is chance (`paired_permutation_test`).
        adjusted: the same for being one of several (`holm`).
        detectable: the smallest difference that this many instances would show, as one of several
            (`detectable_differences`).
        needed: how many instances like these would show a difference as large as the one that was
            seen, or None where there is no difference, or nothing is known of how much it varies.
        clusters: how many clusters these instances are of.
    """

    number: int
    difference: float
    interval: tuple[float, float]
    p_value: float
    adjusted: float
    detectable: float
    needed: int | None
    clusters: int


@dataclass(frozen=True)
class PairedTests:
    """Which of several paired differences are more than chance: an array each, k long.

    Args:
        differences: their means.
        p_values: as from `paired_permutation_test`.
        adjusted: the same, each for being one of all (`holm`).
        clusters: how many clusters the instances are of that both have.
        number: of all tests that are read together.
    """

    differences: Floats
    p_values: Floats
    adjusted: Floats
    clusters: npt.NDArray[np.int_]
    number: int

    def at(self, places: Sequence[int]) -> "PairedTests":
        """Returns some of them, which are still read together with the others."""
        return PairedTests(
            self.differences[places],
            self.p_values[places],
            self.adjusted[places],
            self.clusters[places],
            self.number,
        )


POWER, SIGNIFICANT = 0.8, 0.05


def standard_errors(
    values: Floats,
    weights: Floats | None = None,
    clusters: Labels | None = None,
    strata: Labels | None = None,
) -> Floats:
    r"""Returns the standard error of each column's mean, from sums over clusters.

    .. math::
        \frac{1}{W} \sqrt{\sum_s \frac{C_s}{C_s - 1}
        \sum_{c \in s} \Big(\sum_{i \in c} w_i (x_i - \bar x_s)\Big)^2}

    Args:
        values: n instances × k columns.
        weights: as in `weighted_means`.
        clusters: as in `bootstrap_means`; C_s is the number of those of a stratum that have values.
        strata: as in `bootstrap_means`, by default all are one. A cluster that is alone in its stratum
            deviates from the mean of all, which errs on the safe side, and C_s is then that of all.

    Returns:
        k values; NaN for a column with values in fewer than two clusters.

    Source: Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73
    (1986); for evaluations of models, Miller, "Adding error bars to evals" (2024), equation 4; for strata,
    Cochran, "Sampling Techniques" (1977), section 5.4, and for a cluster alone in its stratum, Lumley,
    "Complex Surveys" (2010), section 3.2, "adjust".

    >>> standard_errors(np.array([[0.0], [1.0], [0.0], [1.0]])).round(4)
    array([0.2887])
    >>> standard_errors(np.array([[0.0], [0.0], [1.0], [1.0]]), clusters=np.array([0, 0, 1, 1]))
    array([0.5])
    >>> standard_errors(np.array([[0.0], [0.0], [1.0], [1.0]]), strata=np.array([0, 0, 1, 1]))
    array([0.])
    """
    filled, present = _weigh(values, weights)
    means = _quotient(filled.sum(axis=0), present.sum(axis=0))
    held = _count_clusters(present, clusters)
    squares = np.zeros(values.shape[1])
    everywhere = [np.arange(len(values))]
    for rows in everywhere if strata is None else _rows_of(strata):
        ours = None if clusters is None else clusters[rows]
        number = _count_clusters(present[rows], ours)
        own = _quotient(filled[rows].sum(axis=0), present[rows].sum(axis=0))
        center = np.where(number > 1, own, means)
        counted = np.where(number > 1, number, held).astype(float)
        sums = _sum_clusters(
            filled[rows] - np.where(np.isnan(center), 0, center) * present[rows], ours
        )
        squares += _quotient((sums**2).sum(axis=0) * counted, counted - 1)
    return _quotient(np.sqrt(squares), present.sum(axis=0))


def least_clusters(tests: int = 1) -> int:
    """Returns how many clusters may show a difference at all, if all favor one model.

    Args:
        tests: number of tests, of which each counts as significant below 5% / `tests`.

    >>> least_clusters(), least_clusters(tests=10)
    (6, 9)
    """
    return next(
        number for number in count(1) if _smallest_p_value(number) < SIGNIFICANT / max(tests, 1)
    )


def detectable_differences(
    differences: Floats,
    weights: Floats | None = None,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    *,
    tests: int = 1,
) -> Floats:
    r"""Returns the smallest difference of two models that these instances would show.

    .. math::
        (z_{1 - \alpha / 2} + z_{\text{power}}) \cdot \text{standard error}, \quad
        \alpha = 5\% / \text{tests}

    A difference of this size is significant, on both sides, in 80% of such evaluations, as one of
    several (Bonferroni). Where alpha is less than a share of random sign changes can be, the first
    quantile is that of the inequality by which `paired_permutation_test` goes on.

    Args:
        differences: n instances × k pairs of models, from which the standard errors come
            (`standard_errors`).
        weights: as in `weighted_means`.
        clusters: as in `bootstrap_means`.
        strata: as in `bootstrap_means`. The second quantile is then of the standard error within them;
            the first stays of that across them, as the test does not know of them.
        tests: number of tests that are read together.

    Returns:
        k values; NaN for a column with values in fewer than `least_clusters`, which can't show any.

    Source: Card et al., "With little power comes great responsibility", EMNLP 2020, section 3; Miller,
    "Adding error bars to evals" (2024), section 5.

    >>> differences = np.array([[0.0], [1.0]] * 10)
    >>> detectable_differences(differences).round(3)
    array([0.321])
    >>> detectable_differences(differences, tests=10).round(3)
    array([0.419])
    >>> detectable_differences(differences[:5])
    array([nan])
    """
    sizes = _sizes_shown(differences, weights, clusters, strata, tests)
    return np.where(clusters_held(differences, clusters) < least_clusters(tests), np.nan, sizes)


def paired_tests(
    differences: Iterable[Floats], weights: Floats | None = None, clusters: Labels | None = None
) -> PairedTests:
    """Tests many columns of paired differences, some at a time, so that memory grows with their number alone.

    Args:
        differences: arrays of n instances × some pairs, in all k pairs; NaN where one of a pair has no score.
        weights: as in `weighted_means`.
        clusters: n labels of what instances share, as in `bootstrap_means`.

    >>> paired_tests([np.array([[0.25], [0.5], [0.75], [np.nan]]), np.ones((4, 1))]).p_values
    array([0.25 , 0.125])
    """
    found = [
        (
            weighted_means(some, weights),
            paired_permutation_test(
                some if weights is None else some * weights[:, None], clusters=clusters
            ),
            clusters_held(some, clusters),
        )
        for some in differences
    ]
    means, p_values, held = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return PairedTests(means, p_values, holm(p_values), held, int(np.isfinite(p_values).sum()))


def paired_comparisons(
    differences: Floats,
    weights: Floats | None = None,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    *,
    tests: PairedTests | None = None,
    draws: Floats | None = None,
) -> list[PairedComparison]:
    """Returns mean, interval and significance of several columns of paired differences.

    Args:
        differences: n instances × k pairs; NaN where one of a pair has no score.
        weights: as in `weighted_means`.
        clusters: n labels of what instances share, as in `bootstrap_means`.
        strata: n labels of what is the same in all samples, as in `bootstrap_means`. Only the tests pay
            no regard to them, which errs on the safe side.
        tests: of these k, if they are read together with others.
        draws: resamples × k means of samples, as from `bootstrap_means`, if they are known.

    >>> paired_comparisons(np.array([[0.25], [0.5], [0.75], [np.nan]]))[0][:2]
    (3, 0.5)
    """
    tests = tests or paired_tests([differences], weights, clusters)
    if draws is None:
        draws = bootstrap_means(differences, weights, clusters=clusters, strata=strata)
    means, held = tests.differences, tests.clusters
    # The standard error falls with the square root of the number of instances.
    sizes = _sizes_shown(differences, weights, clusters, strata, tests.number)
    least = least_clusters(tests.number)
    times = np.maximum(_quotient(sizes**2, means**2), least / np.maximum(held, 1))
    numbers = np.isfinite(differences).sum(axis=0)
    return [
        PairedComparison(*row)
        for row in zip(
            numbers.tolist(),
            means.tolist(),
            percentile_intervals(np.where(held < 2, np.nan, draws)),
            tests.p_values.tolist(),
            tests.adjusted.tolist(),
            np.where(held < least, np.nan, sizes).tolist(),
            [None if np.isnan(n) else math.ceil(n - 1e-6) for n in (numbers * times).tolist()],
            held.tolist(),
            strict=True,
        )
    ]


def correlations(values: Floats) -> Floats:
    """Returns Pearson's correlation of each pair of columns, over the rows that have both.

    Args:
        values: n rows × k columns.

    Returns:
        k × k values in [-1, 1]; NaN for pairs with fewer than three rows in common, and where one
        of the pair is the same in all of them.

    >>> correlations(np.array([[1, 2, 0.0], [2, 4, np.nan], [3, 6, np.nan], [0, 0, np.nan]]))
    array([[ 1.,  1., nan],
           [ 1.,  1., nan],
           [nan, nan, nan]])
    """
    from pandas import DataFrame

    found: Floats = DataFrame(values).corr(min_periods=3).to_numpy()
    return found


def wilson_interval(count: float, total: int, level: float = 0.95) -> tuple[float, float]:
    """Returns an interval of a share that few of a few have, of independent ones.

    Args:
        count: of those that have something, from 0 to `total`.
        total: of those that were looked at; of none there is no interval.
        level: of confidence, between 0 and 1.

    Returns:
        Its ends, in [0, 1]; NaN of none.

    Source: Wilson, Journal of the American Statistical Association, 1927.

    >>> [round(end, 3) for end in wilson_interval(3, 14)], wilson_interval(0, 7)[0]
    ([0.076, 0.476], 0.0)
    """
    if not total:
        return math.nan, math.nan
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, spread = count / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * share * (1 - share) + spread * spread / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def skill(scores: Floats, floor: Floats, weights: Floats | None = None) -> Floats:
    r"""Returns how much of the way from a floor to 1 the mean scores went.

    .. math::
        \frac{\bar s - \bar f}{1 - \bar f}

    Args:
        scores: n instances × k models.
        floor: the n scores that something without any skill has on the same instances. A model
            without a score on an instance is compared on the others.
        weights: as in `weighted_means`.

    Returns:
        k values, at most 1: 0 is as good as the floor, less is worse. NaN where model and floor
        have no instance in common, or the floor is 1.

    >>> skill(np.array([[0.9, 0.5], [0.8, 0.6]]), np.array([0.5, 0.6]))
    array([0.66666667, 0.        ])
    """
    both = np.isfinite(scores) & np.isfinite(floor)[:, None]
    floors = weighted_means(np.where(both, floor[:, None], np.nan), weights)
    means = weighted_means(np.where(both, scores, np.nan), weights)
    return _quotient(means - floors, np.where(floors < 1, 1 - floors, 0))


def recency_weights(dates: Sequence[date], newest: date, half_life: float) -> Floats:
    r"""Returns weights that halve with every `half_life` of age.

    .. math::
        w = 2^{-\text{age} / \text{half-life}}

    Args:
        dates: of the instances.
        newest: the date from which ages count.
        half_life: in days, more than 0.

    Source: the weighting that Image2Struct proposes in section 6, "Updates with fresh data".

    >>> days = [date(2024, 1, 31), date(2024, 1, 1), date(2023, 12, 2)]
    >>> recency_weights(days, max(days), half_life=30)
    array([1.  , 0.5 , 0.25])
    """
    ages = np.array([(newest - day).days for day in dates], dtype=float)
    return np.exp2(-ages / half_life)


def shuffled_partners(number: int, seed: int = 0) -> list[int]:
    """Returns for each of `number` things another one, each being the partner of one.

    Args:
        number: at least 2.
        seed: of the random numbers.

    >>> shuffled_partners(4)
    [1, 3, 0, 2]
    """
    circle = np.random.default_rng(seed).permutation(number).tolist()
    partners = dict(zip(circle, circle[1:] + circle[:1], strict=True))
    return [partners[i] for i in range(number)]


def _weigh(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """The weighted values with 0 for NaN, and the weights of the values that are there."""
    present = np.isfinite(values) * (np.ones(len(values)) if weights is None else weights)[:, None]
    return np.where(np.isfinite(values), values, 0) * present, present


def _sum_clusters(rows: Floats, clusters: Labels | None) -> Floats:
    """The sums of each cluster's rows, the clusters in the order in which they come."""
    if clusters is None:
        return rows
    first, places = _places(clusters)
    if len(first) == len(rows):
        return rows
    sums = np.zeros((len(first), rows.shape[1]))
    np.add.at(sums, places, rows)
    return sums


def _places(labels: Labels) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
    """The first row of each label, and each row's place among the labels in the order of these."""
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    return np.sort(first), np.argsort(np.argsort(first))[numbers]


def _rows_of(strata: Labels) -> list[npt.NDArray[np.int_]]:
    """The rows of each stratum."""
    first, places = _places(strata)
    return [np.flatnonzero(places == stratum) for stratum in range(len(first))]


def _of_clusters(strata: Labels, clusters: Labels | None) -> Labels:
    """The stratum of each cluster, the clusters in the order in which they come."""
    return strata if clusters is None else strata[_places(clusters)[0]]


def _draws(generator: np.random.Generator, size: int, number: int, drawn: int) -> Floats:
    """How often each of several things is in each of `size` samples of `drawn`, with replacement."""
    draws = generator.integers(number, size=(size, drawn))
    places = (draws + number * np.arange(size)[:, None]).ravel()
    return np.bincount(places, minlength=size * number).reshape(size, number).astype(float)


def _count_clusters(present: npt.ArrayLike, clusters: Labels | None) -> npt.NDArray[np.int_]:
    """In how many clusters each column has what is present, that is, more than 0."""
    held: npt.NDArray[np.int_] = (
        _sum_clusters(np.asarray(present, dtype=float), clusters) > 0
    ).sum(axis=0)
    return held


def _sizes_shown(
    differences: Floats,
    weights: Floats | None,
    clusters: Labels | None,
    strata: Labels | None,
    tests: int,
) -> Floats:
    """As `detectable_differences`, though the clusters be too few."""
    level = SIGNIFICANT / max(tests, 1)
    critical = NormalDist().inv_cdf(1 - level / 2)
    if level <= 1 / (RESAMPLES + 1):
        critical = math.sqrt(2 * math.log(2 / level))
    across = standard_errors(differences, weights, clusters)
    within = across if strata is None else standard_errors(differences, weights, clusters, strata)
    return critical * across + NormalDist().inv_cdf(POWER) * within


def _smallest_p_value(clusters: int) -> float:
    """What `paired_permutation_test` gives for so many equal differences, at least."""
    if clusters <= math.log2(RESAMPLES):
        return 2.0 ** (1 - clusters)
    return min(1 / (RESAMPLES + 1), 2 * math.exp(-clusters / 2))


def _kinds(present: Floats) -> tuple[Floats, Any]:
    """The columns that differ, and the place of each column among them: mostly all are the same.

    Counts are whole numbers, so that sums of fewer columns are exactly the same.
    """
    kinds, places = np.unique(present, axis=1, return_inverse=True)
    return kinds, places


def _rates(means: Floats, tie: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The share of the others of its row that each mean beats, and whether there are others."""
    known = np.isfinite(means)
    others = known.sum(axis=1, keepdims=True) - 1
    # The same mean may differ in its last digits. What is missing is below all.
    beaten = _beaten(np.where(known, np.round(means, 12), -np.inf), tie)
    beaten -= (~known).sum(axis=1, keepdims=True)
    return np.where(known, beaten, 0) / np.maximum(others, 1), known & (others > 0)


def _beaten(values: Floats, tie: float) -> Floats:
    """How many others of its row each value beats, a tie counting as much as it says."""
    order = values.argsort(axis=1)
    ranked = np.take_along_axis(values, order, axis=1)
    places = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    differs = np.ones(values.shape, dtype=bool)
    differs[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    # Of those that are equal the first and the last: so many are less, and so many are not more.
    first = np.maximum.accumulate(np.where(differs, places, 0), axis=1)
    ends = np.roll(differs, -1, axis=1)
    last = np.where(ends, places, values.shape[1] - 1)[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    beaten = np.empty(values.shape)
    np.put_along_axis(beaten, order, first + tie * (last - first), axis=1)
    return beaten


def _quotient(dividend: Floats, divisor: Floats) -> Floats:
    undefined = np.full(dividend.shape, np.nan)
    quotient: Floats = np.divide(dividend, divisor, out=undefined, where=divisor > 0)
    return quotient


def _bound_by_hoeffding(terms: Floats) -> Floats:
    """Bounds for each column how probable it is that random signs get its sum as far from 0."""
    exponents = _quotient(terms.sum(axis=0) ** 2, 2 * (terms**2).sum(axis=0))
    bounds: Floats = np.maximum(2 * np.exp(-exponents), np.finfo(float).tiny)
    return bounds


def _batches(total: int, width: int) -> Iterator[tuple[int, int]]:
    """Yields start and size of each batch of rows of this width."""
    draws = _ELEMENTS // max(width, 1) // _SIGNS_FROM_A_DRAW
    rows = min(_BATCH, max(draws, 1) * _SIGNS_FROM_A_DRAW)
    for start in range(0, total, rows):
        yield start, min(rows, total - start)


def _extreme(signs: Iterable[Floats], terms: Floats, bar: Floats) -> Floats:
    """Counts for each column of terms the sign changes whose sum reaches the bar."""
    found = np.zeros(len(bar))
    with in_one_blas_thread():
        for batch in signs:
            for start in range(0, len(bar), _COLUMNS):  # what a processor's cache holds
                some = slice(start, start + _COLUMNS)
                sums = batch @ terms[:, some]
                # Of _BATCH rows at most: small numbers will do, and are added faster.
                found[some] += (np.abs(sums, out=sums) >= bar[some]).sum(axis=0, dtype=np.uint16)
    return found


def _all_signs(number: int) -> Iterator[Floats]:
    for start, size in _batches(2**number, number):
        bits = np.arange(start, start + size)[:, None] >> np.arange(number)
        yield (1 - 2 * (bits & 1)).astype(np.float64)


def _random_signs(number: int, resamples: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    for _, size in _batches(resamples, number):
        signs = 1 - 2 * generator.integers(2, size=(size, number), dtype=np.int8)
        yield signs.astype(np.float64)
