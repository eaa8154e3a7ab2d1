"""MMR's tables, on answers made by hand."""

import csv
from typing import Any

import pytest

from helm_structext.errors import SetupError
from helm_structext.mmr.results import MMRResult, MMRResultSet, result_sets
from helm_structext.mmr.tables import SECTIONS
from helm_structext.mmr.tasks import TASKS
from helm_structext.results.comparisons import comparison_tables
from helm_structext.results.result_sets import group_by_condition
from helm_structext.results.tabular import Table, section_tables, write_tables
from support.mmr_answers import FIGURES, answer, published


def the_result_set(results: list[MMRResult]) -> MMRResultSet:
    (result_set,) = result_sets(results)
    return result_set


def tables(results: list[MMRResult]) -> dict[str, Table]:
    return {
        table.name.removeprefix("mmr-hub-"): table
        for table in section_tables(SECTIONS, group_by_condition(result_sets(results)))
    }


def cells(table: Table) -> dict[str, dict[str, Any]]:
    names = [column.name for column in table.columns]
    return {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}


@pytest.fixture(scope="module")
def board_of_the_paper() -> Table:
    return tables(published())["leaderboard"]


def test_the_paper_s_counts_give_the_paper_s_totals(board_of_the_paper):
    names = [column.name for column in board_of_the_paper.columns]
    assert names[1:14] == [*(f"{column} /50" for column in FIGURES["columns"][:12]), "Total /600"]
    ours = {row[0]: list(row[1:14]) for row in board_of_the_paper.rows}
    # Of two rows the paper prints another total than its own counts add up to.
    misprints = {"LLaVA 1.5 13B": (237, 243), "LLaVA-NEXT 13B": (341, 335)}
    for model, row in FIGURES["rows"].items():
        total, printed = misprints.get(model, (row[-1], row[-1]))
        assert row[-1] == printed
        assert ours[model] == [*row[:-1], total]


def test_the_best_stand_first_and_per_cent_are_of_600(board_of_the_paper):
    first, *_, last = board_of_the_paper.rows
    assert first[0] == "Claude 3.5 Sonnet"
    assert first[-2] == pytest.approx(100 * 463 / 600)
    assert last[0] == "Idefics 80B"


def test_files_hold_the_same_as_is_printed(board_of_the_paper, tmp_path):
    written = write_tables([board_of_the_paper], tmp_path)
    names = [f"mmr-hub-leaderboard.{ending}" for ending in ("csv", "tex", "png")]
    assert [path.name for path in written] == names
    rows = list(csv.reader(written[0].open()))
    assert rows[1][:3] == ["Claude 3.5 Sonnet", "42", "31"]
    assert r"Claude 3.5 Sonnet & 42 & 31 &" in written[1].read_text()
    assert "| Claude 3.5 Sonnet | " in board_of_the_paper.markdown()


def test_denominators_are_those_of_the_suite():
    results = [answer("a", task, number) for task in TASKS for number in range(5)]
    results += [answer("b", "font_size", number, 0.0) for number in range(3)]
    table = tables(results)["leaderboard"]
    assert "Size /5" in [column.name for column in table.columns]
    rows = cells(table)
    assert rows["a"]["Total /60"] == 60
    assert rows["b"]["Size /5"] == 0
    assert rows["b"]["Label /5"] is None
    assert "Not all models have all: b 3." in table.note


def test_text_grounding_counts_twice():
    scores = {"pnls_correct_published": 1.0, "iou_correct": 0.0}
    row = cells(tables([answer("a", "grounding_t", 0, 0.5, scores=scores)])["leaderboard"])["a"]
    assert (row["T-PNLS /1"], row["T-Box /1"], row["Total /2"]) == (1, 0, 1)


def test_published_readings_are_counted():
    scores = {"pnls_correct_published": 1.0, "pnls_correct": 0.0}
    row = cells(tables([answer("a", "recognition_pos", 0, scores=scores)])["leaderboard"])["a"]
    assert row["Pos. /1"] == 1


def test_sources_limits_and_prompts_are_never_mixed():
    conditions = {"source": "hub", "limit": "50", "system": "scale"}
    others = [{"source": "sample"}, {"limit": "100"}, {"system": "none"}]
    results = [answer("a", "font_size", 0, conditions={**conditions, **o}) for o in [{}, *others]]
    found = result_sets(results)
    assert {one.name for one in found} == {
        "mmr-hub",
        "mmr-sample",
        "mmr-hub-limit-100",
        "mmr-hub-system-none",
    }
    names = [table.name for table in section_tables(SECTIONS, group_by_condition(found))]
    assert len(names) == len(set(names))


def test_runs_may_overlap_but_not_contradict():
    one, same = (answer("a", "font_size", 0, run=run) for run in ("one", "two"))
    assert len(the_result_set([one, same]).of_model("a")) == 1
    other = answer("a", "font_size", 0, run="two", completion="something else")
    with pytest.raises(SetupError, match="two answers to instance font_size-0, in the runs one"):
        result_sets([one, other])


def test_lenient_scores_stand_beside_the_published_with_their_scale():
    lenient = {"iou_correct_lenient": 1.0, "pnls_correct_lenient": 1.0, "pnls_correct": 0.0}
    results = [
        answer("a", "grounding_o", 0, 0.0, lenient="pixel", scores=lenient),
        answer("a", "grounding_t", 0, 0.0, lenient="pixel", scores=lenient),
        answer("a", "grounding_o", 0, 0.0),
        answer("b", "grounding_o", 0, 1.0),
    ]
    found = tables(results)
    assert cells(found["leaderboard"])["a"]["O-Box /1"] == 0
    assert cells(found["lenient"]) == {
        "a": {
            "Model": "a",
            "Scale": "pixel",
            "O-Box /1": 0,
            "O-Box len. /1": 1,
            "T-PNLS /1": 0,
            "T-PNLS len. /1": 1,
            "T-Box /1": 0,
            "T-Box len. /1": 1,
        }
    }


def test_shares_say_why_answers_scored_nothing():
    results = [
        answer("a", "font_size", 0, finish_reason="length"),
        answer("a", "font_size", 1, 0.0, completion=" ", scores={"valid_format": 0.0}),
        answer("a", "font_size", 2, 0.0, completion="I cannot read the image."),
        answer("a", "font_size", 3),
    ]
    row = cells(tables(results)["answers"])["a"]
    assert row == {
        **{"Model": "a", "n": 4, "Cut": 0.25, "Refused": 0.25, "Empty": 0.25},
        "Unreadable": 0.25,
    }


def test_a_difference_that_is_always_there_is_significant():
    results = [
        answer(model, task, number, right)
        for model, right in (("good", 1.0), ("bad", 0.0))
        for task in TASKS
        for number in range(3)
    ]
    row = cells(tables(results)["significance"])["good"]
    assert (row["against"], row["n"], row["Difference"]) == ("bad", 33, 1.0)
    assert row["p"] < 0.001


def test_what_changed_since_another_suite():
    def grids(*scores: float, **changes: Any) -> list[Any]:
        results = [answer("m", "font_size", n, score, **changes) for n, score in enumerate(scores)]
        return [one.grid for one in result_sets(results)]

    (table,) = comparison_tables(grids(0.0, 1.0), grids(1.0, 1.0))
    row = cells(table)["m"]
    assert (row["n"], row["Right old"], row["Right new"], row["Change"]) == (2, 0.5, 1.0, 0.5)
    with pytest.raises(SetupError, match="mmr, font_size: 1 with another content"):
        list(comparison_tables(grids(0.0), grids(0.0, question="Which one?")))


def test_sections_are_chosen_by_name():
    found = result_sets([answer("a", "font_size", 0)])
    (table,) = section_tables(SECTIONS, group_by_condition(found), ["leaderboard", "correlations"])
    assert table.title == "MMR (Table 1)"
    assert set(SECTIONS) == {
        *("leaderboard", "scores", "groups", "sizes", "tasks", "metrics", "answers"),
        *("difficulty", "mistakes", "significance"),
    }
