"""StructEval in the report, as a user meets it in a browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helm_structext.report.writing import write_report
from helm_structext.structeval.results import StructEvalResult
from support.report_page import HOSTILE, Page, parts
from support.rows import png
from support.structeval_answers import OCR, VLM, answer

PAIRS = [
    {"question": "What is the title?", "answer": "Trip Summary"},
    {"question": "How many rows are there?", "answer": HOSTILE},
]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))


def results(folder: Path) -> list[StructEvalResult]:
    """Two models, one text, one picture and one failure each, the pictures judged by two."""
    picture = folder / "page.png"
    picture.write_bytes(png((200, 220, 240), (400, 200)))
    text = {"instance": "000500", "keywords": ["a", "b[0].c"], "query": f"Make JSON. {HOSTILE}"}
    drawn = {"pairs": PAIRS, "keywords": ["<h1>"], "instance": "000400", "rendering": picture}
    found = [
        answer("x/good", "text_to_json", 1.0, completion='{"a": 1, "b": [{"c": 2}]}', **text),
        answer("x/bad", "text_to_json", 0.6, completion='{"a": 1}', **text),
    ]
    found[0].scores.update(syntax_score=1.0, path_score=1.0)  # type: ignore[attr-defined]
    for judge, verdicts in ((VLM, [True, None]), (OCR, [False, True])):
        asked = {"judge": judge, "judge_reply": "{}", "verdicts": verdicts}
        found += [
            answer("x/good", "text_to_html", 0.65, completion="<h1>Trip</h1>", **drawn, **asked),
            answer(
                "x/bad",
                "text_to_html",
                0.0,
                **{**drawn, "rendering": None, "judge": judge, "verdicts": [None, None]},
                **{"completion": HOSTILE, "error_kind": "syntax", "error": "syntax: no tag"},
            ),
        ]
    unreadable = {"judge": VLM, "judge_reply": "Yes!", "judge_parsed": False}
    unreadable |= {**drawn, "verdicts": [None, None], "instance": "000401"}
    found.append(answer("x/good", "text_to_html", 0.3, completion="<p>", **unreadable))
    return found


@pytest.fixture
def page_(tmp_path: Path, opened: Callable[..., Page]) -> Page:
    file = tmp_path / "report.html"
    count = write_report(parts(structeval=results(tmp_path)), file, title="A suite")
    assert count == (7, 7)
    return opened(file)


def shown(page_: Page, **filters: str) -> list[dict[str, Any]]:
    """Filters the answers, and returns what the cards say when they are filled."""
    page_.show("structeval", **filters)
    page_.until("document.querySelectorAll('.card').length")
    page_.filled()
    return page_.run(
        """return [...document.querySelectorAll(".card")].map(card => ({
            label: card.ariaLabel,
            query: card.querySelector(".text pre").textContent,
            result: card.querySelector(".code, .rendering").textContent,
            pictures: card.querySelectorAll("img").length,
            judge: card.querySelector(".checks figcaption").textContent,
            verdicts: [...card.querySelectorAll("figure.checks > ol .verdict")].map(v => v.ariaLabel),
            judged: card.querySelector(".panels").textContent}))"""
    )


def table(page_: Page) -> list[list[str]]:
    return page_.run(
        """return [...document.querySelectorAll("#structeval .board tr")].map(
            row => [...row.children].map(cell => cell.innerText.trim()))"""
    )


def test_a_judges_board_shows_table_6_and_every_task(page_):
    assert table(page_) == [
        [
            "Model",
            "Text only, generation",
            "Text only, conversion",
            "Rendered, generation",
            "Rendered, conversion",
            "Average",
            "Tied",
        ],
        ["x/bad", "60.00", "–", "0.00", "–", "–", "a"],
        ["x/good", "100.00", "–", "47.50", "–", "–", "a"],
    ]
    tasks = page_.run(
        """return [...document.querySelectorAll("#structeval .heat tbody tr:not(.group)")].map(
            row => [...row.children].map(cell => cell.innerText.trim()))"""
    )
    assert tasks == [["Text → JSON", "60.00", "100.00"], ["Text → HTML", "0.00", "47.50"]]


def test_a_judge_that_is_not_comparable_is_marked(page_):
    label = "return report.sheetOf(report.views[0]).label"
    warning = "return document.querySelector('#structeval .warning').checkVisibility()"
    assert VLM in page_.run(label)
    assert not page_.run(warning)
    page_.choose_condition("structeval", 1)
    assert OCR in page_.run(label)
    assert page_.run(warning)
    assert table(page_)[2][3] == "65.00"
    (card,) = shown(page_, task="text_to_html", model=str(model(page_, "x/good")))
    assert card["judge"] == f"{OCR} (not comparable): 1 of 2"
    assert card["verdicts"] == ["false", "true"]


def model(page_: Page, name: str) -> int:
    return page_.run("return report.models.indexOf(arguments[0])", name)


def test_an_answer_shows_query_rendering_and_verdicts(page_):
    good, unreadable, *_ = shown(page_, task="text_to_html", model=str(model(page_, "x/good")))
    assert good["label"] == "x/good, Text → HTML, 000400"
    assert good["query"] == "Make something."
    assert good["pictures"] == 1
    assert (good["judge"], good["verdicts"]) == (f"{VLM}: 1 of 2", ["true", "no verdict"])
    assert f"How many rows are there? {HOSTILE}" in good["judged"]
    assert "Keywords: 1 of 1" in good["judged"]
    assert unreadable["judge"] == f"{VLM}: unreadable"
    assert "Yes!" in unreadable["judged"]


def test_a_failure_shows_the_message_and_the_code(page_):
    (card,) = shown(page_, outcome="syntax")
    assert card["label"].startswith("x/bad")
    assert card["pictures"] == 0
    assert "no tag" in card["result"]
    assert HOSTILE in card["result"]
    assert card["judge"] == f"{VLM}: not asked, no picture"


def test_text_shows_which_paths_are_there(page_):
    bad, good = shown(page_, task="text_to_json")
    assert (bad["verdicts"], good["verdicts"]) == (["true", "false"], ["true", "true"])
    assert HOSTILE in good["query"]


def test_answers_are_found_by_text_and_outcome(page_):
    assert [card["label"] for card in shown(page_, outcome="unreadable")] == [
        "x/good, Text → HTML, 000401"
    ]
    assert len(shown(page_, text="b[0].c")) == 2
    worst, *_ = shown(page_, order="worst")
    assert worst["label"] == "x/bad, Text → HTML, 000400"
