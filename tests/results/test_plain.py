"""Answers, result sets and tables of a benchmark that adds nothing of its own."""

from dataclasses import replace

import pytest

from helm_structext.errors import SetupError
from helm_structext.results.plain import (
    answer_tables,
    leaderboard,
    part_tables,
    result_set_class,
    result_sets,
)
from helm_structext.results.result_sets import Selection
from helm_structext.results.tabular import PER_CENT, format_cell
from support.plain_answers import answer

DATES = result_set_class(
    "dates", "Dates", {"Readable": "readable", "Right": "right"}, 100, PER_CENT
)


ANSWERS = [
    *(answer("me/good", instance, 1.0) for instance in ("a1", "a2", "b1", "b2")),
    *(answer("me/half", instance, right) for instance, right in (("a1", 1.0), ("b1", 0.0))),
]


def cells(table):
    formats = [column.format for column in table.columns]
    return [
        [format_cell(cell, f) for cell, f in zip(row, formats, strict=True)] for row in table.rows
    ]


def test_sources_and_other_conditions_never_mix():
    other = [replace(one, conditions={"source": "new"}) for one in ANSWERS]
    found = result_sets(DATES, [*ANSWERS, *other])
    assert [(one.condition, len(one.answers)) for one in found] == [
        *(("source=new", 6), ("source=sample", 6))
    ]
    assert [one.name for one in found] == ["dates-new", "dates-sample"]
    (found,) = result_sets(DATES, ANSWERS, Selection(models=["me/half"]))
    assert found.models == ["me/half"]


def test_two_answers_of_a_model_to_an_instance_are_a_mistake():
    again = replace(ANSWERS[0], run="again", completion="soon")
    with pytest.raises(SetupError, match="two answers to instance a1"):
        result_sets(DATES, [*ANSWERS, again])
    assert len(result_sets(DATES, [*ANSWERS, replace(ANSWERS[0], run="again")])[0].answers) == 6


def test_the_leaderboard_has_win_rates_means_and_who_lacks_what():
    ((table,),) = ([*leaderboard(one)] for one in result_sets(DATES, ANSWERS))
    assert [column.name for column in table.columns] == [
        *("Model", "n", "Win rate", "Readable", "Right")
    ]
    assert [row[:2] for row in cells(table)] == [["me/good", "4"], ["me/half", "2"]]
    assert [format_cell(row[4].value, PER_CENT) for row in table.rows] == ["100.0", "50.0"]
    assert "Not all models have all: me/half 2." in table.note
    assert "4 instances of 2 subsets" in table.note
    (alone,) = leaderboard(result_sets(DATES, ANSWERS[:4])[0])
    assert [column.name for column in alone.columns] == ["Model", "n", "Readable", "Right"]


def test_subsets_are_shown_where_there_are_several():
    (one,) = result_sets(DATES, ANSWERS)
    (table,) = part_tables(one)
    assert cells(table) == [["me/good", "100.0", "100.0"], ["me/half", "100.0", "0.0"]]
    (whole,) = result_sets(DATES, [replace(answer, subset="") for answer in ANSWERS])
    assert [*part_tables(whole)] == []


def test_what_could_not_be_handled_is_in_no_mean_and_said():
    lost = [*ANSWERS, answer("me/half", "b2", None)]
    (one,) = result_sets(DATES, lost)
    (table,) = leaderboard(one)
    assert [column.name for column in table.columns][-1] == "Not handled"
    assert [row[-1] for row in table.rows] == [0, 1]
    assert "1 answer could not be handled" in table.note
    assert format_cell(table.rows[1][4].value, PER_CENT) == "50.0"


def test_answers_are_counted_by_what_is_wrong_with_them():
    failed = answer(
        "me/half", "b2", 0.0, error_kind="syntax", completion="", finish_reason="length"
    )
    for ours, columns in ((ANSWERS, 3), ([*ANSWERS, failed], 8)):
        (table,) = answer_tables(result_sets(DATES, ours)[0])
        assert len(table.columns) == 2 + columns
    assert cells(table)[1] == ["me/half", "3", "33.3", "0.0", "33.3", "33.3", *["0.0"] * 4]


def test_suites_have_the_same_instances_where_the_same_is_asked():
    (one,) = result_sets(DATES, ANSWERS)
    asked = {one.content(answer) for answer in one.answers.values()}
    assert len(asked) == 1
    assert one.content(replace(ANSWERS[0], target="2026-11-26")) not in asked
