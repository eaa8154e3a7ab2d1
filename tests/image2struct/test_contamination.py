"""Instances by their dates: recent ones weigh more, and training cut-offs part them."""

import io
from datetime import date

import numpy as np
import pytest
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.image2struct.contamination import date_tables
from helm_structext.image2struct.results import result_sets
from helm_structext.results.result_sets import Selection
from support.image2struct_answers import (
    dated,
    result,
    rows,
    section,
)


def test_recent_instances_weigh_more():
    results = dated(("2024-03-01", 1.0), ("2024-01-31", 0.0))
    table = section("scores", results, half_life=30)["latex-scores"]
    assert rows(table)["m"]["EMS"] == pytest.approx(2 / 3)
    assert (
        "have a half-life of 30 days, counted from 2024-03-01 (worth 1.8 equal ones)" in table.note
    )
    later = dated(("2024-03-31", 1.0), subset="wild", model="n")
    ours, _ = result_sets([*results, *later], Selection(half_life=30))
    assert ours.weights.tolist() == [0.25, 0.5]  # in order of the ids, which begin with dates


def test_a_result_set_without_dates_is_not_weighed_and_says_so():
    results = [*dated(("2024-03-01", 1.0)), result("m", "x", 0.4, subset="wild")]
    table = section("scores", results, half_life=30)["latex-wild-scores"]
    assert rows(table)["m"]["EMS"] == 0.4
    assert "have no dates and count the same" in table.note


def test_instances_without_a_date_among_others_are_named():
    results = [*dated(("2024-03-01", 1.0)), result("m", "nodate", 0.4)]
    with pytest.raises(SetupError, match="1 of 2 instances of LaTeX have none: nodate"):
        section("scores", results, half_life=30)
    with pytest.raises(SetupError, match=r"date 'yesterday'.*YYYY-MM-DD"):
        result_sets(dated(("yesterday", 0.1)), Selection(half_life=30))


def test_scores_before_and_after_the_cutoff():
    results = [
        *dated(*[("2024-01-31", 0.9)] * 5, *[("2024-02-01", 0.5)] * 5),
        *dated(*[("2024-01-31", 0.6)] * 5, *[("2024-02-01", 0.6)] * 5, model="structext/blank"),
        *dated(("2024-01-31", 0.9), model="unlisted"),
    ]
    cutoff, periods = date_tables(result_sets(results), {"m": date(2024, 1, 31)})
    found = {row[2]: row[3:] for row in cutoff.rows}
    assert found["up to cut-off"] == [5, pytest.approx(0.9), (0.9, 0.9), pytest.approx(0.75)]
    assert found["later"][:2] == [5, pytest.approx(0.5)]
    assert found["change"][1:] == [pytest.approx(-0.4), (-0.4, -0.4), pytest.approx(-1.0)]
    assert {row[0] for row in cutoff.rows} == {"m"}
    assert [row[1:5] for row in periods.rows] == [
        ["2024-01-31", "2024-01-31", "up to cut-off", 5],
        ["2024-02-01", "2024-02-01", "later", 5],
    ]
    assert Image.open(io.BytesIO(periods.drawing())).size > (600, 200)


def test_periods_have_equal_lengths_and_are_cut_at_the_cutoff():
    results = dated(*[(f"2024-01-{day:02}", day / 100) for day in range(1, 25)])
    _, periods = date_tables(result_sets(results), {"m": date(2024, 1, 2)})
    assert [row[4] for row in periods.rows] == [2, 1, *[3] * 7]
    assert [row[5] for row in periods.rows[:2]] == [pytest.approx(0.015), pytest.approx(0.03)]


def test_a_cutoff_before_all_instances_leaves_nothing_to_compare():
    (cutoff, _) = date_tables(
        result_sets(dated(("2024-01-31", 0.9), ("2024-02-01", 0.5))), {"m": date(2020, 1, 1)}
    )
    assert [row[3] for row in cutoff.rows] == [0, 2, None]
    assert np.isnan(cutoff.rows[2][4])
    assert "–" in cutoff.markdown()


def test_cutoffs_for_none_of_the_models():
    with pytest.raises(SetupError, match="none of the models m"):
        list(date_tables(result_sets(dated(("2024-01-31", 0.9))), {"x": date(2024, 1, 1)}))
