"""What went wrong in answers, on answers made by hand."""

from typing import Any

from helm_structext.mmr.results import result_sets as mmr_sets
from helm_structext.mmr.tables import SECTIONS as MMR
from helm_structext.scoring.handling import UNDRAWN
from helm_structext.structeval.results import result_sets as structeval_sets
from helm_structext.structeval.tables import SECTIONS as STRUCTEVAL
from support import mmr_answers
from support.image2struct_answers import result, rows, section
from support.structeval_answers import answer


def structeval(*answers: Any) -> dict[str, dict[str, Any]]:
    (table,) = STRUCTEVAL["mistakes"](structeval_sets(answers))
    return rows(table)


def wrong(model: str, instance: str, **scores: float) -> Any:
    return answer(model, "csv_to_json", None, instance=instance, scores=scores)


def test_failures_are_counted_by_kind():
    answers = [
        result("m", "1", None),
        result("m", "2", None, error_kind="timeout"),
        result("m", "3", 0.5, finish_reason="length", scores={"metric_errors": 2.0}),
        result("m", "4", None, completion="", error_kind="empty"),
        result("m", "5", None, error_kind="missing"),
        result("m", "6", 0.5, scores={UNDRAWN: 1.0}),  # blank, and a picture as published
        result("n", "1", 0.5),
    ]
    found = rows(section("mistakes", answers)["latex-mistakes"])
    assert found["m"] == {
        **{"Model": "m", "n": 6, "Cut": 1, "Refused": 0, "Empty": 1},
        **{
            "Syntax": 1,
            "Timeout": 1,
            "Resource": 0,
            "No page": 1,
            "Missing": 2,
            "Metric errors": 2,
        },
    }
    assert sum(value for name, value in found["n"].items() if name not in ("Model", "n")) == 0


def test_what_could_not_be_handled_is_none_of_the_model_s_mistakes():
    lost = result("m", "1", None, scores={"internal_error": 1.0})
    found = rows(section("mistakes", [lost, result("m", "2", 0.5)])["latex-mistakes"])
    assert (found["m"]["n"], found["m"]["Syntax"], found["m"]["Not handled"]) == (1, 0, 1)


def test_lost_hierarchies_are_counted_by_answer_and_by_path():
    found = structeval(
        wrong("phi", "1", malformed_end_tag=1.0, lost_paths=3.0),
        wrong("phi", "2", malformed_end_tag=0.0, lost_paths=2.0),
        wrong("phi", "3", malformed_end_tag=1.0),  # it did not parse
        wrong("gpt", "1", malformed_end_tag=0.0, lost_paths=0.0),
    )
    mistakes = ("Malformed tags", "Lost hierarchy", "Lost paths")
    assert [found["phi"][name] for name in mistakes] == [2, 2, 5]
    assert [found["gpt"][name] for name in mistakes] == [0, 0, 0]


def test_suites_that_were_scored_without_it_do_not_say_so():
    found = structeval(wrong("m", "1"))
    assert (found["m"]["Malformed tags"], found["m"]["Lost hierarchy"]) == (None, None)
    assert found["m"]["Syntax"] == 0


def test_mmrs_wrong_answers_are_told_from_unreadable_ones():
    answers = [
        mmr_answers.answer("m", "font_size", 1, 0.0),
        mmr_answers.answer("m", "font_size", 2, 0.0, scores={"valid_format": 0.0}),
        mmr_answers.answer("m", "grounding_o", 1, 0.0),
        mmr_answers.answer("m", "grounding_t", 1, 0.0, scores={"pnls_correct": 1.0}),
        mmr_answers.answer("m", "localize_o", 1),
    ]
    (table,) = MMR["mistakes"](mmr_sets(answers))
    row = rows(table)["m"]
    names = ("n", "Unreadable", "Wrong choice", "Wrong text", "Wrong box")
    assert [row[name] for name in names] == [5, 1, 1, 0, 2]
    assert "Timeout" not in row
