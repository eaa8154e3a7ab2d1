"""A report of a sample: which answers it shows, and that tables are of all."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helm_structext.report.parts import Shown, all_shown
from helm_structext.report.shown_answers import SampleDraw, draw_answers
from helm_structext.report.writing import write_report, write_report_folder
from support.report_page import Folder, Page, mixed_suite, parts

pytestmark = pytest.mark.usefixtures("cache_of_this_module")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    return mixed_suite(Folder(tmp_path_factory.mktemp("suite")))


def shown(suite: dict[str, list[Any]]) -> dict[str, list[Shown[Any]]]:
    return {name: all_shown(part.make_view(sets)) for name, (part, sets) in parts(**suite).items()}


def drawn(suite: dict[str, list[Any]], *sample: int) -> list[tuple[str, str, str, str]]:
    return [
        (name, answer.part, answer.model, answer.instance)
        for name, ours in draw_answers(shown(suite), SampleDraw(*sample)).items()
        for one in ours
        for answer in one.answers
    ]


def test_so_many_answers_of_each_part_and_model_are_drawn(suite):
    found = drawn(suite, 1, 1)
    counts = Counter(key[:3] for key in found)
    assert set(counts.values()) == {1}
    assert {key[:3] for key in found} == {key[:3] for key in drawn(suite, 1000, 1)}
    assert found != drawn(suite, 1, 2)


def test_models_are_looked_at_by_the_same_instances_whatever_order_files_have(suite):
    found = drawn(suite, 1, 1)
    by_part = Counter((name, part, instance) for name, part, _, instance in found)
    assert set(by_part.values()) == {3}  # models
    turned = {name: results[::-1] for name, results in suite.items()}
    assert sorted(drawn(turned, 1, 1)) == sorted(found)


def index_of(text: str) -> Any:
    return json.loads(re.findall(r'id="index">(.*?)</script>', text)[0])


def test_the_page_holds_the_sample_alone_and_tables_of_all(suite, tmp_path):
    every, some = tmp_path / "all.html", tmp_path / "some.html"
    write_report(parts(**suite), every, title="s", plans=False)
    number = len(drawn(suite, 1, 1))
    written = write_report(parts(**suite), some, title="s", plans=False, sample=SampleDraw(1, 1))
    assert written == (number, number)
    whole, sample = (index_of(path.read_text("utf-8")) for path in (every, some))
    assert sample["sample"] == {"number": 1, "seed": 1, "shown": number, "of": 60}
    assert sample["overview"] == whole["overview"]
    assert [view["sheets"] for view in sample["views"]] == [
        view["sheets"] for view in whole["views"]
    ]
    assert sum(len(view["answers"]["model"]) for view in sample["views"]) == number
    assert sample["pictures"] < whole["pictures"]
    folder = tmp_path / "folder"
    assert write_report_folder(
        parts(**suite), folder, title="s", plans=False, sample=SampleDraw(1, 1)
    ) == (number, number)


def test_the_page_says_that_it_is_a_sample(suite, tmp_path, browser):
    file = tmp_path / "some.html"
    write_report(parts(**suite), file, title="s", plans=False, sample=SampleDraw(1, 7))
    page = Page(browser, file.as_uri())
    said = page.until("document.getElementById('partial').textContent")
    number = len(drawn(suite, 1, 7))
    assert said == (
        f"This report shows a sample of {number} of 60 answers: 1 of each model and subset or "
        "task, drawn with seed 7. Tables and charts are of all answers."
    )
    assert page.stderr() == []


def test_a_bounded_file_of_a_sample_says_both(suite, tmp_path, browser):
    file = Path(tmp_path / "some.html")
    whole = tmp_path / "whole.html"
    write_report(parts(**suite), whole, title="s", plans=False, sample=SampleDraw(2, 1))
    size = whole.stat().st_size - 5000
    written = write_report(
        parts(**suite), file, title="s", plans=False, sample=SampleDraw(2, 1), max_bytes=size
    )
    assert 0 < written.answers < written.of
    said = Page(browser, file.as_uri()).until("document.getElementById('partial').textContent")
    assert f"This file shows {written.answers} of {written.of} answers" in said
    assert "2 of each model" in said
