"""Two suites against each other."""

from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.results import Image2StructResult, result_sets
from helm_structext.results.comparisons import ScoreGrid, comparison_tables
from support.image2struct_answers import result, rows, scored


def grids(results: list[Image2StructResult]) -> list[ScoreGrid]:
    return [one.grid() for one in result_sets(results)]


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
