"""Categories in the report: chosen by keys, kept by the browser, shown, filtered, saved and loaded."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By

from helm_structext import report
from helm_structext.report.writing import write_report, write_report_folder
from helm_structext.results.categories import RESERVED, Categories, read_answer_labels
from support.report_page import Folder, Page, mixed_suite, parts

NAMES = {"n": "missing newline", "C": "wrong <b>colors</b>", "l": "layout"}
PAGE = Path(report.__file__).parent / "page"


pytestmark = pytest.mark.usefixtures("cache_of_this_module")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    return mixed_suite(Folder(tmp_path_factory.mktemp("suite")))


@pytest.fixture(scope="module")
def file(suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "report.html"
    categories = Categories("s-1", NAMES)
    write_report(parts(**suite), path, title="s", plans=False, categories=categories)
    return path


@pytest.fixture
def page(file, browser) -> Page:
    """The report, of which the browser keeps nothing yet."""
    found = Page(browser, file.as_uri())
    found.run("localStorage.clear()")
    return Page(browser, file.as_uri())


def pressed(page: Page) -> list[str]:
    return page.run(
        """return [...document.querySelectorAll("#viewer-categories [aria-pressed=true]")]
        .map(button => button.dataset.key)"""
    )


def chips(page: Page) -> list[str]:
    """What cards show, of which the first are in the page once they are looked at."""
    page.select(0)
    page.until("document.querySelector('.card')")
    page.filled()
    return page.run("return [...document.querySelectorAll('.card .chip')].map(c => c.textContent)")


def close(page: Page) -> None:
    page.run("document.getElementById('viewer').close()")
    page.until("!document.getElementById('viewer').open")


def saved(page: Page, button: str) -> str:
    """What a button of the section gives as a file."""
    page.run(
        """window.files = [];
        URL.createObjectURL = blob => { blob.text().then(text => files.push(text)); return "data:,"; };
        [...document.querySelectorAll("#categories button")].find(
            one => one.textContent === arguments[0]).click();""",
        button,
    )
    return page.until("window.files[0]")


def load(page: Page, path: Path) -> str:
    """Loads a file, and returns what is said of it."""
    page.run("document.getElementById('categories-said').textContent = ''")
    page.browser.find_element(By.CSS_SELECTOR, "#categories [type=file]").send_keys(str(path))
    return page.until("document.getElementById('categories-said').textContent")


def test_keys_choose_categories_which_cards_show_and_the_next_visit_finds(page, file):
    page.open(0)
    assert pressed(page) == []
    page.press("n", "C")
    assert pressed(page) == ["n", "C", "."]
    page.press("n")
    assert pressed(page) == ["C", "."]
    page.press("j", ".")  # the next answer: nothing to say of it
    assert pressed(page) == ["."]
    close(page)
    assert chips(page) == ["wrong <b>colors</b>"]  # as text
    again = Page(page.browser, file.as_uri())
    assert chips(again) == ["wrong <b>colors</b>"]
    assert "2 of 60 answers looked at" in again.run("return document.body.textContent")
    again.open(1)
    again.press(".")  # takes it back
    assert pressed(again) == []
    assert again.stderr() == []


def test_a_click_does_the_same_and_stays_where_it_is(page):
    page.open(0)
    page.browser.find_element(By.CSS_SELECTOR, "[data-key=l]").click()
    assert pressed(page) == ["l", "."]
    assert page.run("return document.activeElement.dataset.key") == "l"
    page.press(" ")  # a button's own key
    assert pressed(page) == ["."]


def test_a_note_is_written_without_its_letters_choosing_anything(page):
    page.open(0)
    note = page.browser.find_element(By.CSS_SELECTOR, "#viewer-categories input")
    note.send_keys("no line\t")
    page.until(
        "document.querySelector('#viewer-categories [data-key=\".\"]').ariaPressed === 'true'"
    )
    assert pressed(page) == ["."]
    assert "no line" in saved(page, "Save CSV")


def test_answers_are_filtered_by_category_and_by_whether_they_were_looked_at(page):
    page.open(0)
    page.press("n", "j", ".")
    close(page)
    assert page.choose(category="n") == "1 of 33"
    assert page.choose(category="none") == "1 of 33"
    assert page.choose(category="unseen") == "31 of 33"
    # What is looked at leaves the list when the large view is closed.
    page.open(0)
    page.press("l")
    assert page.items() == 31
    close(page)
    page.patience.until(lambda _: page.items() == 30)  # the list is made anew in a frame of its own
    assert page.run("return document.activeElement.matches('[role=listitem]')")
    assert page.choose(category="") == "33 answers"
    assert page.count("mmr") == "6 questions"


def test_what_is_saved_is_read_by_tables_and_loaded_again(page, tmp_path):
    page.run(
        """const who = document.getElementById("categories-annotator");
        who.value = "ann"; who.dispatchEvent(new Event("change"));"""
    )
    page.open(0)
    page.press("n", "C", "j", ".")
    close(page)
    path, tasks = tmp_path / "ann.csv", tmp_path / "ann.json"
    path.write_text(saved(page, "Save CSV"), encoding="utf-8")
    tasks.write_text(saved(page, "Save Label Studio's tasks"), encoding="utf-8")
    found = read_answer_labels(path)
    assert [label.categories for label in found] == [{NAMES["n"], NAMES["C"]}, set()]
    assert {label.annotator for label in found} == {"ann"}
    assert [(one.answer, one.categories) for one in read_answer_labels(tasks)] == [
        (one.answer, one.categories) for one in found
    ]
    every = json.loads(tasks.read_text())
    assert len(every) == 60
    assert every[0]["data"]["text"] == "code of x/good for a"
    for name in (path, tasks):
        page.run("localStorage.clear()")
        page = Page(page.browser, page.run("return location.href.split('#')[0]"))
        assert chips(page) == []
        assert load(page, name) == "2 labels loaded."
        assert chips(page) == [NAMES["n"], NAMES["C"]]
        assert page.run("return document.getElementById('categories-annotator').value") == "ann"


def test_the_labeling_interface_has_the_categories(page):
    text = saved(page, "Save its labeling interface")
    assert '<Choice value="missing newline"/>' in text
    assert "<b>" not in text


def test_files_of_others_are_told_and_nothing_is_lost(page, tmp_path):
    path = tmp_path / "others.csv"
    head = "answer,model,run,categories,annotator,note"
    path.write_text(f"{head}\na,x/good,run,layout; fonts,bob,\nzz,x/none,run,layout,bob,\n")
    said = load(page, path)
    assert "2 labels loaded." in said
    assert "1 of them are of answers that this page does not show, such as zz of x/none" in said
    assert "Not in this page's list, and kept: fonts." in said
    assert chips(page) == ["layout"]
    text = saved(page, "Save CSV")
    assert "layout; fonts" in text
    assert "zz,x/none" in text
    for content, why in {
        f"{head}\na,x/good,run,,ann,\nb,x/good,run,,bob,\n": "several annotators (ann, bob)",
        "a,b\n1,2\n": "there is no column answer, model, run, categories",
        '[{"data": {}}]': "the data of task 1 has no run, model and answer",
        "[": "JSON",
    }.items():
        path.write_text(content)
        said = load(page, path)
        assert said.startswith("others.csv can't be loaded")
        assert why in said
    assert chips(page) == ["layout"]


def test_another_suite_s_labels_are_not_these(page, suite, tmp_path, browser):
    page.open(0)
    page.press("n")
    other = tmp_path / "other.html"
    write_report(parts(**suite), other, title="s", plans=False, categories=Categories("s-2", NAMES))
    assert chips(Page(browser, other.as_uri())) == []


def test_what_else_the_browser_keeps_does_no_harm(page, file):
    for kept in ("{", "null", '"x"', '{"labels": 5}', '{"labels": [5]}'):
        page.run(
            "for (const name of Object.keys(localStorage)) localStorage[name] = arguments[0]", kept
        )
        page.run("localStorage.setItem('helm-structext s s-1', arguments[0])", kept)
        again = Page(page.browser, file.as_uri())
        again.open(0)
        assert pressed(again) == []


def test_who_has_no_room_to_keep_it_is_told(page):
    page.run("Storage.prototype.setItem = () => { throw new DOMException('full') }")
    page.open(0)
    page.press("n")
    assert pressed(page) == ["n", "."]
    assert "save a file before you close the page" in (page.viewer() or "")


def test_a_folder_has_them_too_and_other_reports_have_none(suite, tmp_path, browser):
    folder, plain = tmp_path / "folder", tmp_path / "plain.html"
    write_report_folder(
        parts(**suite), folder, title="s", plans=False, categories=Categories("s-3", NAMES)
    )
    page = Page(browser, (folder / "index.html").as_uri())
    page.open(0)
    page.press("n")
    assert pressed(page) == ["n", "."]
    assert json.loads(saved(page, "Save Label Studio's tasks"))[0]["annotations"]
    write_report(parts(**suite), plain, title="s", plans=False)
    page = Page(browser, plain.as_uri())
    page.open(0)
    page.press("n", ".")
    assert not page.run("return document.getElementById('viewer-categories').checkVisibility()")
    assert not page.run("return document.getElementById('categories').checkVisibility()")
    assert page.run("return report.viewNamed('mmr').form.elements.category === undefined")


def test_letters_that_do_something_else_are_reserved():
    """Those of keys.js: what it does in the large view is done first."""
    text = (PAGE / "keys.js").read_text("utf-8")
    tables = re.findall(r"const (?:VIEWER_)?KEYS = \{(.*?)\n\};", text, re.DOTALL)
    assert len(tables) == 2
    letters = re.findall(r"^  ([A-Za-z]):", "\n".join(tables), re.MULTILINE)
    assert sorted(letters) == sorted(RESERVED)
