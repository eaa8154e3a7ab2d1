"""What a suite took, on answers made by hand and on a suite as HELM writes it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from helm_structext.benchmarks import suite_result_sets, suite_tables
from helm_structext.image2struct.results import result_sets as image2struct_sets
from helm_structext.results.tabular import Table
from helm_structext.results.usage import usage_tables
from helm_structext.structeval.results import result_sets as structeval_sets
from support import GOLDEN
from support.image2struct_answers import result, rows
from support.structeval_answers import OCR, VLM, answer


def took(model: str, instance: str, tokens: tuple[float, float] | None, **changes: Any) -> Any:
    names = "num_prompt_tokens", "num_output_tokens"
    scores = dict(zip(names, tokens, strict=True)) if tokens else {}
    fields = {"prompt": "Draw this, please.", "sent_pictures": 1, **changes}
    return result(model, instance, 0.5, scores=scores, **fields)


def tables(*answers: Any) -> tuple[Table, Table]:
    whole, runs = usage_tables(image2struct_sets(answers))
    return whole, runs


def test_models_runs_and_the_suite_are_summed():
    whole, runs = tables(
        took("a", "1", (10, 100), run="one"),
        took("a", "2", (20, 200), run="two"),
        took("b", "1", (5, 7), run="three", sent_pictures=2),
    )
    assert [column.name for column in whole.columns] == [
        *("Model", "Requests", "Pictures", "Input tokens", "Output tokens")
    ]
    assert whole.rows == [["a", 2, 2, 30, 300], ["b", 1, 2, 5, 7], ["all", 3, 4, 35, 307]]
    assert runs.rows == [["one", 1, 1, 10, 100], ["three", 1, 2, 5, 7], ["two", 1, 1, 20, 200]]


def test_what_is_unknown_is_counted_and_never_a_zero():
    whole, _ = tables(
        took("a", "1", (10, 100)),
        took("a", "2", None),
        took("b", "1", (1, 1)),  # HELM's count of many words where it knows no tokenizer
        took("b", "2", (1, 0), sent_pictures=None),
    )
    found = rows(whole)
    assert found["a"]["Output tokens"] == 100
    assert found["a"]["Output tokens?"] == 1
    assert (found["b"]["Input tokens"], found["b"]["Output tokens"]) == (None, None)
    assert (found["b"]["Input tokens?"], found["b"]["Output tokens?"]) == (2, 2)
    assert (found["b"]["Pictures"], found["b"]["Pictures?"]) == (1, 1)
    assert found["all"]["Output tokens?"] == 3
    assert "| b     |        2 |        1 |         1 |            – |" in whole.markdown()


def test_one_token_is_one_where_it_is_a_word_or_nothing():
    whole, _ = tables(
        took("a", "1", (9, 1), completion="yes"), took("a", "2", (9, 0), completion="")
    )
    assert whole.rows[0] == ["a", 2, 2, 18, 1]


def test_offline_models_stand_apart_and_take_no_tokens():
    whole, _ = tables(took("structext/oracle", "1", (9, 9)), took("a", "1", (10, 100)))
    assert whole.rows == [
        ["a", 1, 1, 10, 100],
        ["all", 1, 1, 10, 100],
        ["structext/oracle", 1, 1, None, None],
    ]
    assert whole.apart == 1
    alone, _ = tables(took("structext/oracle", "1", (9, 9)))
    assert alone.rows == [["structext/oracle", 1, 1, None, None]]
    assert alone.apart == 0


def test_judges_have_rows_of_their_own():
    judged = {"judge_reply": "{}", "judge_tokens": (900, None), "sent_pictures": 0}
    answers = [
        answer("m", "text_to_html", 0.5, **judged),
        answer("m", "text_to_svg", 0.5, **judged, instance="2"),
        answer("m", "text_to_svg", 0.5, instance="3", sent_pictures=0),  # nothing to judge
        answer("m", "text_to_svg", 0.5, instance="4", judge=OCR, **judged),
        answer("m", "text_to_json", 0.5, sent_pictures=0),  # in the sets of both judges
    ]
    whole, _ = usage_tables(structeval_sets(answers))
    found = rows(whole)
    assert found["m"]["Requests"] == 5
    assert found["m"]["Pictures"] == 0
    judge = found[f"{VLM} (judge)"]
    assert (judge["Requests"], judge["Pictures"], judge["Input tokens"]) == (2, 2, 1800)
    assert (judge["Output tokens"], judge["Output tokens?"]) == (None, 2)
    assert found["all"]["Requests"] == 7
    assert whole.rows[-1][0] == f"{OCR} (judge)"


def test_a_judge_that_was_asked_again_took_more_requests():
    again = answer(
        "m", "text_to_html", 0.5, judge_reply="", judge_tokens=(9, 9), scores={"judge_requests": 2}
    )
    whole, _ = usage_tables(structeval_sets([again]))
    assert rows(whole)[f"{VLM} (judge)"]["Requests"] == 2


def test_without_answers_there_is_no_table():
    assert list(usage_tables([])) == []


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    shutil.copytree(GOLDEN / "suite", tmp_path / "here")
    return tmp_path / "here" / "benchmark_output" / "runs" / "demo"


def usage_of(suite: Path) -> dict[str, dict[str, Any]]:
    return rows(next(suite_tables(suite_result_sets(suite), ["usage"])))


def test_pictures_of_helms_requests_are_counted(suite):
    found = usage_of(suite)
    assert found["structext/replay-careful"]["Requests"] == 16
    assert found["structext/replay-careful"]["Pictures"] == 10  # five of LaTeX and five of MMR


def test_a_suite_without_requests_does_not_say_how_many_pictures(suite):
    for file in suite.glob("*/scenario_state.json"):
        content = json.loads(file.read_text())
        for state in content["request_states"]:
            state.pop("request", None)
        file.write_text(json.dumps(content))
    assert usage_of(suite)["structext/replay-careful"]["Pictures"] is None
