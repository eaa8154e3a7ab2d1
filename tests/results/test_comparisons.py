"""Two suites against each other."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.results import Image2StructResult, result_sets
from helm_structext.results.comparisons import ScoreGrid, comparison_tables, pair_tables
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

    def of(origin: str) -> tuple[dict[str, int], Table]:
        results = [
            replace(answer, origin=origin and f"{origin}{int(answer.instance) % 3}")
            for answer in scored(better=better, worse=worse)
        ]
        (grid,) = (one.grid for one in result_sets(results))
        return grid.ranks, next(pair_tables(grid, ""))

    ranks, apart = of("")
    assert ranks == {"better": 1, "worse": 2}
    ranks, together = of("paper")
    assert ranks == {"better": 1, "worse": 1}
    assert apart.rows[0][2:4] == together.rows[0][2:4]


def test_a_table_of_pairs_says_what_could_have_been_seen():
    chance = np.random.default_rng(0)
    first, second = chance.random((2, 200))
    (grid,) = (one.grid for one in result_sets(scored(a=[*first], b=[*second])))
    row = rows(next(pair_tables(grid, "")))[grid.ranking[0]]
    error = np.std(first - second, ddof=1) / np.sqrt(200)
    assert row["Detectable"] == pytest.approx((1.959964 + 0.841621) * error, rel=1e-5)
    assert row["n needed"] == math.ceil(200 * (row["Detectable"] / row["Difference"]) ** 2)
