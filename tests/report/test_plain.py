"""A benchmark that describes nothing of its own in the report."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helm_structext.report import plain
from helm_structext.report.writing import write_report
from helm_structext.results.model_facts import ModelFacts
from support.report_page import HOSTILE, page
from support.riddles import Riddle, Riddles, Sketch


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))


def common(model: str, instance: str, right: float) -> dict[str, Any]:
    return {
        **{"run": "run", "model": model, "conditions": {"protocol": "published"}},
        **{"instance": instance, "finish_reason": "length" if instance == "3" else "stop"},
        "scores": {"brief": 1.0, "right": right},
    }


def riddles() -> Riddles:
    answers = [
        Riddle(
            **common(model, f"{n}", right),
            completion=f"{model} says {n} {HOSTILE}",
            topic="sea" if n % 2 else "land",
            reference=f"the answer {n}",
        )
        for n in range(4)
        for model, right in (("x/wise", 1.0), ("x/fool", float(n == 1)))
    ]
    return set_of(answers)


def test_leaderboards_say_which_models_are_open_and_how_large(tmp_path, opened):
    facts = {"x/wise": ModelFacts("closed"), "x/fool": ModelFacts("open", 0.5)}
    described = replace(riddles(), model_facts=facts)
    write_report({"riddles": (plain, [described])}, tmp_path / "r.html", title="A suite")
    page_ = opened(tmp_path / "r.html")
    texts = """return [...document.querySelectorAll("#riddles .board tr")].map(
        row => [...row.children].slice(1, 4).map(cell => cell.innerText.split("\\n")[0].trim()))"""
    assert page_.run(texts) == [
        ["Model", "Access", "Size (B)"],
        ["x/wise", "closed", "–"],
        ["x/fool", "open", "0.5"],
    ]


def set_of(answers: list[Any]) -> Riddles:
    return Riddles(
        conditions=(("protocol", "published"),),
        models=sorted({answer.model for answer in answers}),
        instances=sorted({answer.key for answer in answers}),
        answers={(answer.model, answer.key): answer for answer in answers},
    )


def test_it_has_a_board_facets_and_answers(tmp_path, opened):
    file = tmp_path / "report.html"
    assert write_report({"riddles": (plain, [riddles()])}, file, title="A suite") == (8, 8)
    page_ = opened(file)
    rows = page_.run(
        """return [...document.querySelectorAll("#riddles .board tr")].map(
            row => [...row.children].map(cell => cell.innerText.split("\\n")[0].trim()))"""
    )
    assert rows == [
        ["Key", "Model", "Brief", "Right", "Tied"],
        ["1", "x/wise", "100.0", "100.0", "a"],
        ["2", "x/fool", "100.0", "25.0", "a"],
    ]
    assert page_.choose("riddles", part="sea") == "4 of 8"
    assert page_.choose("riddles", outcome="truncated") == "2 of 8"
    facts = page_.open_first("riddles", "answer.instance.id === '3'")
    assert "x/wise says 3" in facts
    assert HOSTILE in facts
    assert "the answer 3" in facts
    assert page_.run("return typeof hacked") == "undefined"
    page_.press("c")
    assert "the answer 3" in page_.until("document.querySelector('#viewer .diff')?.textContent")


def test_pictures_and_errors_are_shown(tmp_path, opened):
    picture = tmp_path / "picture.png"
    page(1).save(picture)
    answers = [
        Sketch(
            **common("x/a", "1", 1.0),
            completion="a house",
            rendering=picture,
            error_kind=None,
            error="",
        ),
        Sketch(
            **common("x/b", "1", 0.0),
            completion="no house",
            rendering=None,
            error_kind="syntax",
            error="syntax: line 1",
        ),
    ]
    file = tmp_path / "report.html"
    write_report({"riddles": (plain, [set_of(answers)])}, file, title="A suite")
    page_ = opened(file)
    page_.select(0, "riddles")
    page_.filled()
    cards = page_.run("return [...document.querySelectorAll('.card')].map(card => card.innerText)")
    assert "Rendering" in cards[0]
    assert "syntax" in cards[1]
    assert "line 1\nno house" in cards[1]
    assert page_.choose("riddles", outcome="syntax") == "1 of 2"
