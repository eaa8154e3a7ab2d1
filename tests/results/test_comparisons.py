"""Two suites against each other."""

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.results import Image2StructResult, result_sets
from helm_structext.results.comparisons import (
    MIN_SHARED,
    ScoreGrid,
    comparison_tables,
    groups_note,
    letters,
    pair_tables,
)
from helm_structext.results.statistics import (
    SIGNIFICANT,
    paired_comparisons,
    paired_permutation_test,
)
from helm_structext.results.tabular import Table
from support.image2struct_answers import result, rows, scored


def grids(results: list[Image2StructResult]) -> list[ScoreGrid]:
    return [one.grid for one in result_sets(results)]


def test_what_changed_between_two_suites():
    old = grids(scored(a=[0.5, 0.5, 0.5], b=[0.6, 0.6, 0.6], gone=[0.1]))
    new = grids(scored(a=[0.7, 0.8, 0.9], b=[0.6, 0.6, None], added=[0.2]))
    (table,) = comparison_tables(old, new)
    found = rows(table)
    assert list(found) == ["a", "b"]
    assert found["a"]["Change"] == pytest.approx(0.3)
    assert found["a"]["Rank"] == "2 → 1"
    assert found["b"]["R new"] == pytest.approx(2 / 3)
    assert found["b"]["Change"] == pytest.approx(-0.2)
    assert found["a"]["p (Holm)"] == 0.5  # a quarter for three instances, times two


def test_suites_with_other_instances_are_refused_with_the_difference():
    old, new = grids(scored(m=[0.5, 0.6])), grids(scored(m=[0.5, 0.6, 0.7]))
    with pytest.raises(SetupError, match=r"image2struct_latex, equation: 1 only in the new.*\(2\)"):
        list(comparison_tables(old, new))
    corrected = grids([result("m", "0", 0.5, arguments={"protocol": "corrected"})])
    with pytest.raises(SetupError, match=r"protocol=corrected.*only in the old.*only in the new"):
        list(comparison_tables(corrected, grids(scored(m=[0.5]))))
    other = grids([result("m", "0", 0.5, picture=Path("other.png"))])
    with pytest.raises(SetupError, match="1 with another content"):
        list(comparison_tables(grids(scored(m=[0.5])), other))
    with pytest.raises(SetupError, match="no model in common"):
        list(comparison_tables(grids(scored(x=[0.5])), old))


def test_the_models_of_both_suites_need_the_same_instances_each():
    old = grids([*scored(a=[0.5, 0.6]), *scored(b=[0.5, 0.6])])
    new = grids([*scored(a=[0.5]), *scored(b=[0.5, 0.6])])
    with pytest.raises(SetupError, match="1 only in the old suite"):
        list(comparison_tables(old, new))


def test_questions_about_one_picture_count_as_what_they_share():
    """The same 60 scores: apart they tell two models apart, about three pictures they don't."""
    better = [0.5 + 0.01 * (number % 7) for number in range(60)]
    worse = [score - 0.02 for score in better]

    def of(origin: str) -> tuple[ScoreGrid, Table]:
        results = [
            replace(answer, origin=origin and f"{origin}{int(answer.instance) % 3}")
            for answer in scored(better=better, worse=worse)
        ]
        (grid,) = (one.grid for one in result_sets(results))
        return grid, next(pair_tables(grid, ""))

    grid, apart = of("")
    assert grid.groups == {"better": "a", "worse": "b"}
    assert grid.barely_compared == []
    grid, together = of("paper")
    assert grid.groups == {"better": "a", "worse": "a"}
    assert grid.barely_compared == ["better and worse 3"]
    assert [row[7] for row in together.rows] == [pytest.approx(float("nan"), nan_ok=True)]
    assert apart.rows[0][2:4] == together.rows[0][2:4]


def test_a_table_of_pairs_says_what_could_have_been_seen():
    chance = np.random.default_rng(0)
    first, second = chance.random((2, 200))
    (grid,) = (one.grid for one in result_sets(scored(a=[*first], b=[*second])))
    row = rows(next(pair_tables(grid, "")))[grid.ranking[0]]
    error = np.std(first - second, ddof=1) / np.sqrt(200)
    assert row["Detectable"] == pytest.approx((1.959964 + 0.841621) * error, rel=1e-5)
    assert row["n needed"] == math.ceil(200 * (row["Detectable"] / row["Difference"]) ** 2)


def test_models_that_share_too_few_instances_are_not_told_apart_and_named():
    """Better than the second, which is better than the third, and not better than the third."""
    answers = [
        *(result("first", f"{n}", 0.9) for n in range(12)),
        *(result("second", f"{n}", 0.5) for n in range(24)),
        *(result("third", f"{n}", 0.1) for n in range(11, 24)),
    ]
    (grid,) = (one.grid for one in result_sets(answers))
    assert grid.groups == {"first": "a", "second": "b", "third": "a"}
    assert grid.barely_compared == ["first and third 1"]
    note = groups_note([grid], "EMS")
    assert "share a letter can't be told apart by EMS (p ≥ 0.05" in note
    assert note.endswith(
        "Nor can those with fewer than 6 instances in common, or fewer pictures, papers or "
        "repositories that these are about: LaTeX: first and third 1."
    )


def test_who_is_better_than_one_with_a_higher_mean_is_named():
    """The one had only easy instances, on which the other was better."""
    answers = [
        *(result("lucky", f"{n}", 0.8) for n in range(12)),
        *(result("better", f"{n}", 0.9 if n < 12 else 0.2) for n in range(40)),
        *(result("third", f"{n}", 0.1) for n in range(40)),
    ]
    (grid,) = (one.grid for one in result_sets(answers))
    assert grid.ranking == ["lucky", "better", "third"]
    assert grid.groups == {"lucky": "a", "better": "b", "third": "c"}
    assert groups_note([grid]).endswith(
        "On the instances that both have, some are better than others with a higher mean: "
        "LaTeX: better than lucky."
    )
    assert "some are better" not in groups_note([grid.of(["better", "third"])])


def test_pairs_are_compared_as_their_differences_are():
    """Also those of models that lack instances, whose means are over other ones."""
    scores = np.random.default_rng(6).random((3, 20))
    answers = [
        result(model, f"{n}", scores[place, n])
        for place, model in enumerate("abc")
        for n in range(20 - 5 * (model == "c"))
    ]
    (grid,) = (one.grid for one in result_sets(answers))
    values = grid.measures[grid.score]
    columns = [[grid.models.index(model) for model in pair] for pair in grid.pairs]
    expected = paired_comparisons(
        np.stack([values[:, i] - values[:, j] for i, j in columns], axis=1)
    )
    for found, right in zip(grid.comparisons(range(3)), expected, strict=True):
        assert found.interval == pytest.approx(right.interval, abs=1e-12)
        assert found._replace(interval=()) == right._replace(interval=())


def test_who_is_between_two_that_differ_shares_a_letter_with_each():
    noise = np.random.default_rng(2).normal(size=(3, 40)) / 10
    means = np.array([[0.600], [0.565], [0.530]])
    best, between, worst = np.clip(means + noise, 0, 1)
    (grid,) = (
        one.grid for one in result_sets(scored(best=[*best], between=[*between], worst=[*worst]))
    )
    assert grid.groups == {"best": "a", "between": "ab", "worst": "b"}


def test_forty_models_can_be_told_apart():
    """Of 780 pairs, which Holm multiplies p by; those of a ten are alike."""
    noise = np.random.default_rng(8).normal(0, 0.02, (40, 100))
    scores = {
        f"m{number:02}": [*np.clip(0.9 - 0.2 * (number // 10) + noise[number], 0, 1)]
        for number in range(40)
    }
    (grid,) = (one.grid for one in result_sets(scored(**scores)))
    for place, (model, found) in enumerate(sorted(grid.groups.items())):
        assert found == "abcd"[place // 10], model
    *_, whole = pair_tables(grid, "")
    assert whole.name.endswith("significant")
    assert sum(row.count(">") for row in whole.rows) == 600


@pytest.mark.parametrize("seed", range(20))
def test_letters_say_of_all_pairs_whether_they_differ(seed):
    generator = np.random.default_rng(seed)
    models = [f"m{number}" for number in range(9)]
    different = np.triu(generator.random((9, 9)) < seed / 20, 1)
    found = letters(models, different | different.T)
    for a, b in combinations(range(9), 2):
        assert bool({*found[models[a]]} & {*found[models[b]]}) == (not different[a, b])
    assert all(found.values())
    assert found["m0"].startswith("a")


def test_the_smallest_number_of_instances_is_that_of_the_test():
    for number in (MIN_SHARED - 1, MIN_SHARED):
        (p_value,) = paired_permutation_test(np.ones((number, 1)))
        assert (p_value < SIGNIFICANT) == (number == MIN_SHARED)
