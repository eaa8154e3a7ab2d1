import itertools
import json
import math
import tracemalloc
from datetime import date

import numpy as np
import pytest
from helm.benchmark.presentation.table import Cell, HeaderCell, Table
from scipy import stats

from helm_structext.results import statistics
from helm_structext.results.statistics import (
    bootstrap_intervals,
    bootstrap_means,
    bootstrap_win_rates,
    correlations,
    detectable_differences,
    holm,
    mean_win_rates,
    paired_comparisons,
    paired_permutation_test,
    rank_win_rates,
    recency_weights,
    shuffled_partners,
    skill,
    standard_errors,
    weighted_means,
)
from support import GOLDEN
from support.lazy import Lazy

summarize = Lazy("helm.benchmark.presentation.summarize")


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_the_published_column_is_that_of_ranks_and_not_of_strict_wins_nor_of_half_ties():
    table = json.loads((GOLDEN / "image2struct_table2.json").read_text())
    printed = {model: row[0] for model, row in table["rows"].items()}
    assert len(printed) == 14

    def differing(rates_of, order):
        columns = {
            name: {model: table["rows"][model][i] for model in order}
            for i, name in enumerate(table["columns"])
            if i
        }
        assert len(columns) == 6
        rates = rates_of(columns)
        return {model for model in printed if abs(rates[model] - printed[model]) > 0.0005 + 1e-9}

    # In print, these three tie with others at 0.000 or 0.001.
    strict = differing(lambda columns: mean_win_rates(columns, 0), printed)
    assert strict == {"GPT-4 Vision", "IDEFICS-instruct (9B)", "IDEFICS-instruct (80B)"}
    half = differing(mean_win_rates, printed)
    assert half == {*strict, "Qwen-VL Chat"}
    assert differing(rank_win_rates, table["order of Table A4"]) == set()
    assert differing(rank_win_rates, printed) == half, "another order of the rows gives others"


@pytest.mark.parametrize("seed", range(5))
def test_win_rates_are_those_of_helm_summarize(seed):
    random = np.random.default_rng(seed)
    # Few different values make many ties; -1 stands for a gap.
    values = random.integers(-1, 4, size=(6, 5)).tolist()
    rows = [[Cell(None if v < 0 else v) for v in row] for row in values]
    theirs = summarize.compute_aggregate_row_win_rates(
        Table("", [HeaderCell("", lower_is_better=False)] * 5, rows)
    )
    ours = mean_win_rates(
        {str(j): {str(i): values[i][j] for i in range(6) if values[i][j] >= 0} for j in range(5)}
    )
    assert [ours.get(str(i)) for i in range(6)] == pytest.approx(theirs)


def test_one_model_alone_wins_nothing():
    assert mean_win_rates({"EMS": {"a": 0.5}}) == {}


def test_means_leave_out_what_is_not_there():
    values = np.array([[1.0, np.nan, np.nan], [0.0, 0.5, np.nan]])
    means = weighted_means(values, np.array([3.0, 1.0]))
    assert means[:2].tolist() == [0.75, 0.5]
    assert np.isnan(means[2])


@pytest.mark.parametrize("tie", [0, 0.5])
def test_win_rates_of_samples_are_those_of_their_means(random, tie):
    columns = [
        (list("abcde"), random.integers(0, 4, (50, 5)) / 4),
        (list("bcf"), random.random((50, 3))),
    ]
    columns[0][1][random.random((50, 5)) < 0.2] = np.nan
    found = bootstrap_win_rates(columns, tie)
    for number in range(50):
        means = {
            str(place): {
                row: value
                for row, value in zip(rows, values[number], strict=True)
                if value == value
            }
            for place, (rows, values) in enumerate(columns)
        }
        rates = mean_win_rates(means, tie)
        for row in "abcdef":
            assert found[row][number] == pytest.approx(rates.get(row, np.nan), nan_ok=True), (
                row,
                number,
            )


def test_bootstrap_intervals_are_as_wide_as_theory_says(random):
    values = random.normal(0.5, 0.2, size=(400, 1))
    ((low, high),) = bootstrap_intervals(values)
    error = values.std() / np.sqrt(400)
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)
    ((narrow_low, narrow_high),) = bootstrap_intervals(values, confidence=0.5)
    assert low < narrow_low < narrow_high < high


def test_bootstrap_depends_on_its_seed_alone(random):
    values = random.random((30, 2))
    assert bootstrap_intervals(values) == bootstrap_intervals(values)
    assert bootstrap_intervals(values) != bootstrap_intervals(values, seed=1)


def test_bootstrap_of_values_with_gaps_is_that_of_the_values(random):
    values = random.random((300, 1))
    gaps = np.vstack([values, np.full((300, 1), np.nan)])
    assert bootstrap_intervals(gaps)[0] == pytest.approx(bootstrap_intervals(values)[0], abs=0.005)


def test_bootstrap_samples_are_the_same_for_all_columns(random):
    column = random.random((20, 1))
    means = bootstrap_means(np.hstack([column, column + 0.25]), resamples=1234)
    assert means.shape == (1234, 2)
    assert np.allclose(means[:, 1] - means[:, 0], 0.25)


def test_bootstrap_weighs_instances():
    values = np.array([[0.0], [1.0]] * 50)
    ((low, high),) = bootstrap_intervals(values, np.array([1.0, 9.0] * 50))
    assert low < 0.9 < high
    assert low > 0.8


def test_one_value_has_no_interval():
    low, high = bootstrap_intervals(np.array([[0.5], [np.nan]]))[0]
    assert np.isnan(low)
    assert np.isnan(high)


def brute_force(differences) -> float:
    sums = [
        abs(np.dot(signs, differences))
        for signs in itertools.product([1, -1], repeat=len(differences))
    ]
    return float(np.mean(np.array(sums) >= abs(sum(differences)) - 1e-12))


def test_few_instances_are_tested_exactly(random):
    differences = random.normal(0.1, 0.2, size=(9, 3))
    p_values = paired_permutation_test(differences)
    assert p_values.tolist() == [brute_force(column) for column in differences.T]
    reference = stats.permutation_test(
        (differences[:, 0], np.zeros(9)),
        lambda x, y: np.mean(x - y),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert p_values[0] == pytest.approx(reference.pvalue)


def test_many_instances_are_tested_by_chance_and_never_give_zero(random):
    differences = random.normal(0.05, 0.2, size=(15, 1))
    p_value = paired_permutation_test(differences, resamples=10_000)[0]
    assert p_value == pytest.approx(brute_force(differences[:, 0]), abs=0.02)
    assert paired_permutation_test(np.ones((15, 1)), resamples=999).tolist() == [0.001]


def test_what_no_random_sign_change_reaches_may_be_rarer_than_their_number_tells(random):
    """Of n equal differences 2 of 2^n sign changes reach the sum, and the inequality says e^(-n/2)."""
    for number in (30, 60, 100):
        (p_value,) = paired_permutation_test(np.ones((number, 1)))
        assert p_value == pytest.approx(2 * math.exp(-number / 2))
        assert p_value > 2 * 2.0**-number
    (p_value,) = paired_permutation_test(np.ones((18, 1)))
    assert p_value == 1 / 10_001  # the inequality bounds it by 0.0002
    assert paired_permutation_test(np.ones((5_000, 1)))[0] > 0


def test_sums_that_random_signs_reach_are_tested_by_these_alone(random):
    differences = random.normal(0.3, 1, size=(60, 200))
    p_values = paired_permutation_test(differences, resamples=1_000)
    counts = p_values * 1_001 - 1
    assert (counts > 0.5).sum() > 100
    assert np.allclose(counts[counts > 0.5], counts[counts > 0.5].round())


def test_the_test_has_the_error_rate_that_it_claims(random):
    alike = random.normal(size=(40, 1000))
    p_values = paired_permutation_test(alike, resamples=1000)
    assert 0.03 < (p_values < 0.05).mean() < 0.07
    assert 0.45 < (p_values < 0.5).mean() < 0.55


def test_signs_and_gaps_do_not_matter_to_the_test(random):
    differences = random.normal(size=(8, 1))
    padded = np.vstack([differences, [[np.nan]] * 3])
    expected = paired_permutation_test(differences)
    assert paired_permutation_test(-differences) == pytest.approx(expected)
    assert paired_permutation_test(padded) == pytest.approx(expected)


@pytest.mark.parametrize("nothing", [np.nan, 0.0])
def test_each_column_is_tested_exactly_if_few_of_its_rows_tell_something(random, nothing):
    differences = random.normal(0.1, 0.2, size=(100, 4))
    few = {0: 5, 2: 10, 3: 13}
    for column, number in few.items():
        rows = random.choice(100, 100 - number, replace=False)
        differences[rows, column] = nothing
    p_values = paired_permutation_test(differences)
    for column in few:
        told = differences[np.nan_to_num(differences[:, column]) != 0, column]
        assert p_values[column] == brute_force(told)
    assert p_values[1] == paired_permutation_test(differences[:, [1]])[0]


def test_random_sign_changes_agree_with_scipy(random):
    differences = random.normal(0.02, 0.2, size=(60, 5))
    reference = stats.permutation_test(
        (differences,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        batch=500,
        rng=random,
    )
    assert paired_permutation_test(differences) == pytest.approx(reference.pvalue, abs=0.025)


def test_identical_models_do_not_differ_and_strangers_are_not_compared():
    p_values = paired_permutation_test(np.array([[0.0, np.nan]] * 30))
    assert p_values[0] == 1
    assert np.isnan(p_values[1])


def test_comparisons_bring_everything_together(random):
    difference = random.normal(0.5, 0.1, size=(50, 1))
    strong, none = paired_comparisons(np.hstack([difference, difference - difference.mean()]))
    assert strong.number == 50
    assert strong.interval[0] < strong.difference < strong.interval[1]
    assert strong.p_value < 0.001
    assert strong.adjusted == 2 * strong.p_value
    assert none.adjusted > 0.9


def test_holm_follows_its_steps():
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.5, 0.001]) == pytest.approx([0.5, 0.002])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


def test_correlations_are_over_the_rows_that_a_pair_shares(random):
    values = random.random((50, 3))
    assert np.allclose(correlations(values), np.corrcoef(values, rowvar=False))
    values[:40, 2] = np.nan
    partial = correlations(values)
    assert partial[0, 1] == pytest.approx(np.corrcoef(values[:, 0], values[:, 1])[0, 1])
    assert partial[0, 2] == pytest.approx(np.corrcoef(values[40:, 0], values[40:, 2])[0, 1])


def test_constant_and_short_columns_have_no_correlation():
    values = np.array([[0.1, 1.0, 0.3], [0.2, 1.0, np.nan], [0.3, 1.0, 0.1]])
    matrix = correlations(values)
    assert np.isnan(matrix[1]).all()
    assert np.isnan(matrix[0, 2])
    assert np.isnan(matrix[2, 2])
    assert matrix[0, 0] == 1


def test_skill_is_the_way_from_floor_to_one():
    floor = np.array([0.5, 0.7, np.nan])
    scores = np.array([[0.5, 1.0, 0.25], [0.7, 1.0, np.nan], [0.0, 0.0, 0.0]])
    assert skill(scores, floor).tolist() == pytest.approx([0, 1, -0.5])
    assert np.isnan(skill(np.ones((2, 1)), np.ones(2)))[0]
    assert np.isnan(skill(np.ones((2, 1)), np.full(2, np.nan)))[0]


def test_weights_halve_with_every_half_life():
    days = [date(2024, 3, 1), date(2024, 2, 29), date(2024, 2, 1)]
    assert recency_weights(days, days[0], 1).tolist() == [1, 0.5, 2.0**-29]
    assert recency_weights(days, days[0], float("inf")).tolist() == [1, 1, 1]


@pytest.mark.parametrize("number", [2, 3, 10, 300])
def test_nobody_is_their_own_partner(number):
    partners = shuffled_partners(number)
    assert sorted(partners) == list(range(number))
    assert all(partner != i for i, partner in enumerate(partners))
    assert partners == shuffled_partners(number)
    assert number < 10 or partners != shuffled_partners(number, seed=1)


def test_clusters_of_one_change_no_number():
    values = np.random.default_rng(0).random((40, 3))
    labels = np.array([f"{number * 7 % 40}" for number in range(40)])
    assert bootstrap_intervals(values, clusters=labels) == bootstrap_intervals(values)
    differences = values - values.mean()
    assert paired_comparisons(differences, clusters=labels) == paired_comparisons(differences)


def test_instances_that_are_copies_say_no_more_than_one():
    """Each instance four times: the interval, and p, of the instances themselves."""
    values = np.random.default_rng(1).normal(0.1, 0.5, (30, 2))
    copies, labels = np.repeat(values, 4, axis=0), np.repeat(np.arange(30), 4)
    assert bootstrap_intervals(copies, clusters=labels) == pytest.approx(
        np.array(bootstrap_intervals(values))
    )
    assert paired_permutation_test(copies, clusters=labels) == pytest.approx(
        paired_permutation_test(values)
    )
    assert standard_errors(copies, clusters=labels) == pytest.approx(standard_errors(values))
    naive = bootstrap_intervals(copies)
    assert all(
        high - low < 0.7 * (b - a)
        for (low, high), (a, b) in zip(naive, bootstrap_intervals(values), strict=True)
    )


def test_clustered_intervals_cover_the_mean_as_often_as_they_say():
    """Of 300 evaluations with five questions about each of 40 pictures; naive ones do far less."""
    chance = np.random.default_rng(2)
    labels = np.repeat(np.arange(40), 5)
    covered = np.zeros(2)
    for _ in range(300):
        values = (np.repeat(chance.normal(0, 1, 40), 5) + chance.normal(0, 0.5, 200))[:, None]
        for place, clusters in enumerate((labels, None)):
            ((low, high),) = bootstrap_intervals(values, clusters=clusters, resamples=400)
            covered[place] += low <= 0 <= high
    assert 0.9 < covered[0] / 300 < 0.98
    assert covered[1] / 300 < 0.75


def test_standard_errors_of_clusters_are_those_of_a_regression_on_a_constant():
    """Liang and Zeger's sandwich, written as matrices."""
    chance = np.random.default_rng(3)
    values, labels = chance.random((60, 1)), chance.integers(0, 12, 60)
    weights = chance.random(60)
    mean = np.average(values[:, 0], weights=weights)
    scores = np.array(
        [(weights * (values[:, 0] - mean))[labels == label].sum() for label in np.unique(labels)]
    )
    bread, number = 1 / weights.sum(), len(scores)
    expected = np.sqrt(bread * (number / (number - 1)) * (scores**2).sum() * bread)
    assert standard_errors(values, weights, labels) == pytest.approx(expected)
    assert np.isnan(standard_errors(values, clusters=np.zeros(60)))


def test_a_detectable_difference_is_found_in_eight_of_ten_evaluations():
    chance = np.random.default_rng(4)
    differences = chance.normal(0, 1, (200, 400))
    size = detectable_differences(differences).mean()
    p_values = paired_permutation_test(differences + size, resamples=1000)
    assert 0.75 < (p_values < 0.05).mean() < 0.85


@pytest.mark.parametrize(("tests", "number"), [(20, 200), (1_000, 600)])
def test_so_it_is_as_one_of_several(tests, number):
    differences = np.random.default_rng(4).normal(0, 1, (number, 300))
    size = detectable_differences(differences, tests=tests).mean()
    p_values = paired_permutation_test(differences + size)
    assert 0.72 < (p_values < 0.05 / tests).mean() < 0.87
    assert (paired_permutation_test(differences + 0.8 * size) < 0.05 / tests).mean() < 0.6


def test_the_number_needed_grows_with_the_square():
    differences = np.random.default_rng(5).normal(0.1, 1, (100, 1))
    (found,) = paired_comparisons(differences)
    assert found.needed == math.ceil(100 * (found.detectable / found.difference) ** 2)
    (none,) = paired_comparisons(np.zeros((10, 1)))
    assert none.needed is None


def test_differences_are_detectable_as_those_of_all_tests_together():
    differences = np.random.default_rng(5).normal(0.1, 1, (100, 30))
    differences[:, 20:] = np.nan
    found = paired_comparisons(differences)
    expected = detectable_differences(differences, tests=20)[:20]
    assert [one.detectable for one in found[:20]] == expected.tolist()
    assert expected[0] > 1.3 * detectable_differences(differences)[0]


def test_too_few_clusters_show_no_difference():
    """Of ten pairs, in nine clusters of five instances each: eight can't show a thing."""
    labels = np.repeat(np.arange(9), 5)
    differences = np.random.default_rng(6).normal(0.9, 0.01, (45, 10))
    (enough, *_) = paired_comparisons(differences, clusters=labels)
    assert (enough.clusters, enough.needed) == (9, 45)
    assert enough.adjusted < 0.05
    assert enough.detectable < 0.1
    differences[labels == 8] = np.nan
    for found in paired_comparisons(differences, clusters=labels):
        assert (found.number, found.clusters, found.needed) == (40, 8, 45)
        assert found.adjusted > 0.05
        assert np.isnan(found.detectable)


def of_tasks(chance: np.random.Generator, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Evaluations on new instances of the same twelve tasks, which differ much; and the tasks."""
    tasks = np.repeat(np.arange(12), 10)
    return np.linspace(-2, 2, 12)[tasks, None] + chance.normal(0, 0.5, (120, columns)), tasks


def test_errors_within_fixed_tasks_are_those_of_new_instances_of_the_same_tasks(random):
    values, tasks = of_tasks(random, 400)
    weights = np.repeat(random.random(12), 10)
    for of_task in (None, weights):
        spread = weighted_means(values, of_task).std(ddof=1)
        within = standard_errors(values, of_task, strata=tasks)
        assert within.mean() == pytest.approx(spread, rel=0.1)
        assert standard_errors(values, of_task).mean() > 2 * spread
        ((low, high),) = bootstrap_intervals(values[:, :1], of_task, strata=tasks)
        assert high - low == pytest.approx(2 * 1.96 * within[0], rel=0.1)


def test_errors_within_tasks_are_those_of_each_added_up(random):
    values, tasks = of_tasks(random, 3)
    clusters = np.arange(120) // 2
    of_each = np.array(
        [
            standard_errors(values[tasks == task], clusters=clusters[tasks == task])
            for task in range(12)
        ]
    )
    expected = np.sqrt((of_each**2).sum(axis=0)) / 12
    assert standard_errors(values, None, clusters, tasks) == pytest.approx(expected)
    shuffled = random.permutation(120)
    again = standard_errors(values[shuffled], None, clusters[shuffled], tasks[shuffled])
    assert again == pytest.approx(expected)
    intervals = bootstrap_intervals(values, clusters=clusters, strata=tasks)
    assert [high - low for low, high in intervals] == pytest.approx(2 * 1.96 * expected, rel=0.05)


def test_one_stratum_changes_no_error(random):
    values = random.random((40, 3))
    one = np.zeros(40)
    assert standard_errors(values, strata=one).tolist() == standard_errors(values).tolist()


def test_what_is_alone_in_its_task_deviates_from_the_mean_of_all(random):
    values = random.normal(size=(200, 1))
    each = np.arange(200)
    assert standard_errors(values, strata=each) == pytest.approx(standard_errors(values))
    ((low, high),) = bootstrap_intervals(values, strata=each)
    assert (low, high) == pytest.approx(bootstrap_intervals(values)[0], abs=0.03)
    # Nine of a task that are alike, and one of another: all that varies is which there are.
    values, tasks = np.array([[0.0]] * 9 + [[1.0]]), np.array([0] * 9 + [1])
    assert standard_errors(values, strata=tasks) == pytest.approx(0.9 / 10 * np.sqrt(10 / 9))
    assert bootstrap_intervals(values, strata=tasks)[0][1] > 0.2


def test_the_test_does_not_know_of_tasks_and_what_is_detectable_says_so(random):
    values, tasks = of_tasks(random, 300)
    values = values / 4
    size = detectable_differences(values, strata=tasks).mean()
    p_values = paired_permutation_test(values + size, resamples=1_000)
    assert 0.7 < (p_values < 0.05).mean() < 0.9


@pytest.mark.parametrize("number", [30, 31, 997])
def test_smaller_batches_change_no_number(random, monkeypatch, number):
    values = random.normal(size=(number, 3))
    clusters = np.arange(number) // 2
    means = bootstrap_means(values, resamples=1001)
    p_values = paired_permutation_test(values / 30 + 0.001, resamples=1001)
    clustered = paired_permutation_test(values, clusters=clusters, resamples=1001)
    for elements in (1, 12 * number, 100 * number):
        monkeypatch.setattr(statistics, "_ELEMENTS", elements)
        assert np.allclose(bootstrap_means(values, resamples=1001), means, rtol=1e-13, atol=1e-13)
        again = paired_permutation_test(values / 30 + 0.001, resamples=1001)
        assert again.tolist() == p_values.tolist()
        again = paired_permutation_test(values, clusters=clusters, resamples=1001)
        assert again.tolist() == clustered.tolist()


def test_memory_of_resampling_does_not_grow_with_instances(random):
    values = random.normal(size=(100_000, 1))
    tracemalloc.start()
    try:
        bootstrap_means(values, resamples=100)
        paired_permutation_test(values, resamples=100)
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()
