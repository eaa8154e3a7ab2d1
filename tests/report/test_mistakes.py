"""What is wrong with pictures in the report: found by kind, drawn where it is, and said in words."""

from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from helm_structext.findings import Findings, PictureFinding
from helm_structext.report.writing import write_report
from support.report_page import HOSTILE, Folder, page, parts

FOUND = Findings(
    {"text_recall": 0.5},
    (
        PictureFinding("text missing", f'"{HOSTILE}"', None, (8.0, 8.0, 48.0, 28.0), 0.5),
        PictureFinding(
            "text misspelt", '"Rian" for "Rain"', (80.0, 8, 120, 28), (80, 8, 120, 28), 0.2
        ),
        PictureFinding(
            "text moved", '"May" by -40, +0 px', (60, 50, 80, 60), (100, 50, 120, 60), 0.1
        ),
        PictureFinding(
            "text recolored", '"May" is #d00000, not #00aa00', (60, 50, 80, 60), None, 0.1
        ),
        PictureFinding("page size", "9x9 pixels, not 160x96", None, None, 0.1),
    ),
    "1 of 4 texts missing.",
)
NOTHING = Findings({"text_recall": 1.0}, (), "Nothing differs that is on the picture.")


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    folder = Folder(tmp_path_factory.mktemp("suite"))
    answers = [
        folder.answer("x/bad", "a", rendering=page(7), findings=FOUND),
        folder.answer("x/good", "a", findings=NOTHING),
        folder.answer("x/bad", "b", findings=Findings({}, (), "", "too many boxes")),
        folder.answer("x/many", "c", findings=replace(FOUND, left_out=58)),
        folder.answer("x/good", "b", rendering=None),
        replace(folder.answer("x/bad", "c", "css", rendering=page(7, (80, 48))), findings=FOUND),
    ]
    path = folder.path / "report.html"
    write_report(parts(image2struct=answers), path, title="s", plans=False)
    return path


def test_answers_are_found_by_their_mistakes(opened, file):
    report = opened(file)
    assert report.choose(mistake="text moved") == "3 of 6"
    assert report.choose(mistake="nothing") == "1 of 6"
    options = "[...document.querySelectorAll('[name=mistake] option')].map(one => one.value)"
    kinds = ["text missing", "text misspelt", "text moved", "text recolored", "page size"]
    assert report.until(options) == ["", *kinds, "nothing"]


def test_all_that_a_mistake_is_about_has_its_box(opened, tmp_path):
    others = (((10.0, 50, 30, 60), (10, 70, 30, 80)), (None, (40.0, 50, 55, 60)))
    one = PictureFinding("text moved", "two", (60, 50, 80, 60), (60, 70, 80, 80), 0.1, 3, others)
    folder = Folder(tmp_path)
    answer = folder.answer("x/bad", "a", rendering=page(7), findings=Findings({}, (one,), "moved"))
    path = tmp_path / "report.html"
    write_report(parts(image2struct=[answer]), path, title="s", plans=False)
    report = opened(path)
    report.show("image2struct", mistake="text moved")
    report.open(0)
    report.press("f")
    drawn = report.until(
        """(document.querySelectorAll(".marks .mark").length &&
        [document.querySelectorAll(".marks .mark rect:not(.casing)").length,
         document.querySelectorAll(".marks .mark .arrow").length])"""
    )
    assert drawn == [3, 2]


def test_a_key_draws_them_on_the_picture_where_they_are(opened, file):
    report = opened(file)
    report.show("image2struct", mistake="text moved")
    report.open(0)
    report.press("f")
    boxes = report.until(
        """(document.querySelectorAll(".marks .mark").length === 4 &&
        [...document.querySelectorAll(".marks .mark")].map(mark => {
            const {x, y, width, height} = mark.querySelector("rect:not(.casing)").getBBox();
            return [mark.dataset.mistake, mark.classList.contains("wanted"),
                    Boolean(mark.querySelector(".arrow")), x + width / 2, y + height / 2];
        }))"""
    )
    assert [box[:3] for box in boxes] == [
        ["text missing", True, False],
        ["text misspelt", False, False],
        ["text moved", False, True],
        ["text recolored", False, False],
    ]
    middles = [pytest.approx(middle) for middle in ([28, 18], [100, 18], [70, 55], [70, 55])]
    assert [box[3:] for box in boxes] == middles
    assert report.run("return window.hacked") is None


def test_boxes_of_a_picture_that_is_scaled_are_scaled(opened, file):
    report = opened(file)
    report.show("image2struct", mistake="text moved", subset="image2struct_webpage/css")
    report.open(0)
    report.press("f")
    box = report.until(
        """document.querySelector(".marks [data-mistake='text misspelt'] rect:not(.casing)")?.getBBox().x"""
    )
    assert box == pytest.approx(160, abs=8)  # 80 of 80 pixels, on twice as many


def test_words_say_them_with_letters_and_colors_and_a_button_hides_a_kind(opened, file):
    report = opened(file)
    report.show("image2struct", mistake="text moved")
    report.open(0)
    report.press("f")
    report.until("document.querySelectorAll('.mistakes li').length === 5")
    facts = report.browser.find_element(By.ID, "viewer-facts").text
    assert facts.startswith("What is wrong: 5\n1 of 4 texts missing.")
    assert HOSTILE in facts
    marked = (
        "return [...document.querySelectorAll('.mistakes mark')].map(m => m.textContent).join()"
    )
    assert sorted(report.run(marked).split(",")) in (["a", "a"], ["i", "i"])
    swatches = """return [...document.querySelectorAll(".mistakes li:nth-child(4) .swatch")]
        .map(one => one.style.background)"""
    assert report.run(swatches)[1:] == ["rgb(208, 0, 0)", "rgb(0, 170, 0)"]
    (button,) = (
        one
        for one in report.browser.find_elements(By.CSS_SELECTOR, ".kinds button")
        if one.text == "text moved 1"
    )
    button.click()
    hidden = "return [...document.querySelectorAll('[data-mistake][hidden]')].map(m => m.dataset.mistake)"
    assert report.run(hidden) == ["text moved", "text moved"]
    button.click()
    assert report.run(hidden) == []


def test_what_is_not_listed_is_counted(opened, file):
    report = opened(file)
    report.open_first("image2struct", "report.models[answer.model] === 'x/many'")
    assert report.facts().startswith("What is wrong: 5 of 63, the largest of each kind\n")


@pytest.mark.parametrize("filters", [{"mistake": "nothing"}, {"outcome": "failed"}])
def test_where_nothing_is_wrong_or_known_there_is_no_such_picture(filters, opened, file):
    report = opened(file)
    report.show("image2struct", **filters)
    report.open(0)
    report.press("f")
    assert "Mistakes" not in report.browser.find_element(By.ID, "viewer-views").text
    assert report.run("return document.querySelectorAll('.marks').length") == 0
