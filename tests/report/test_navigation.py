"""Every way to a section of the report: it ends exactly there, and stays though lists grow and shrink."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from helm_structext.report.writing import write_report
from helm_structext.results.tabular import Column, Table
from support.report_page import Folder, Page, mixed_suite, parts

WIDTHS = (1400, 360)
PARTS = {
    "image2struct": ("leaderboard", "domains", "metrics", "tables", "answers"),
    "mmr": ("leaderboard", "tables", "answers"),
    "structeval": ("leaderboard", "tasks", "tables", "answers"),
}
VIEWS = ("overview", *PARTS, "settings")
SECTIONS = (*VIEWS, *(f"{view}.{part}" for view, parts_ in PARTS.items() for part in parts_))
OFF = """
const section = document.getElementById(arguments[0]);
const padding = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
return Math.abs(section.getBoundingClientRect().top - padding)
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Folder(tmp_path_factory.mktemp("mixed"))
    settings = [Table("settings", "Settings", "", [Column("Run entry")], [["mmr"]])]
    file = folder.path / "report.html"
    write_report(
        parts(**mixed_suite(folder)), file, title="A suite", plans=False, settings=settings
    )
    return file


@pytest.fixture(params=WIDTHS)
def sized(request, browser, mixed, opened) -> Iterator[Callable[..., Page]]:
    """Opens the report on a screen of one of the widths; its lists guess their heights badly."""
    width = request.param
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield lambda hash="": opened(mixed, hash)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def grow(page_: Page, by: int) -> None:
    """Changes the heights of all lists, and waits until the page is quiet."""
    page_.run(
        """for (const list of report.lists) {
            list.heights = list.heights.map(height => height + arguments[0]);
            report.placeCards(list);
        }""",
        by,
    )
    page_.rest()


def is_at(page_: Page, section: str) -> None:
    """Says that a section is where it was gone to, and stays there."""
    page_.rest()
    assert page_.run(OFF, section) < 1
    for by in (70, -150):
        grow(page_, by)
        assert page_.run(OFF, section) < 1, (section, by)


def click(page_: Page, section: str) -> None:
    # Cards whose heights are wrong on purpose may cover the links of the next view.
    page_.run("for (const list of report.lists) report.showItems(list, list.items, list.selected)")
    link = f"document.querySelector(\"nav a[href='#{section}']\")"
    for _ in range(3):  # on the way lists find their cards' heights
        page_.run(f"{link}.scrollIntoView()")
        page_.rest()
    page_.browser.find_element(By.CSS_SELECTOR, f"nav a[href='#{section}']").click()


def test_a_click_lands_on_the_section(sized):
    page_ = sized()
    assert page_.run("return [...document.querySelectorAll('nav a')].map(a => a.hash)") == [
        f"#{section}" for section in SECTIONS
    ]
    for section in (*SECTIONS, *reversed(SECTIONS)):
        click(page_, section)
        is_at(page_, section)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_link_from_outside_lands_on_the_section(sized, section):
    is_at(sized(f"#{section}"), section)


def test_a_link_may_name_a_section_and_what_is_chosen(sized):
    page_ = sized("#mmr&image2struct.outcome=failed&mmr.outcome=wrong")
    is_at(page_, "mmr")
    assert page_.count() == "4 of 33"
    page_.choose(outcome="")
    assert page_.run("return location.hash").startswith("#mmr&mmr.outcome=wrong")
    assert "&image2struct.outcome=" not in page_.run("return location.hash")


def test_back_and_forward_land_on_the_sections(sized):
    page_ = sized()
    page_.run("window.same = true")
    for section in ("structeval", "image2struct.answers", "settings"):
        click(page_, section)
        page_.rest()
    for move, section in (
        *(("back", "image2struct.answers"), ("back", "structeval")),
        *(("forward", "image2struct.answers"), ("forward", "settings")),
    ):
        page_.run(f"history.{move}()")
        page_.until(f"location.hash === '#{section}'")
        is_at(page_, section)
    page_.run("history.go(-3)")
    page_.until("location.hash === ''")
    page_.rest()
    assert page_.run("return [scrollY, window.same]") == [0, True]


def test_back_leads_to_what_was_chosen(sized):
    page_ = sized()
    click(page_, "mmr")
    page_.choose(outcome="failed")
    click(page_, "settings")
    page_.choose(outcome="")
    page_.run("history.back()")
    page_.until(
        "document.readyState === 'complete' && document.querySelector('#image2struct output').textContent === '4 of 33'"
    )
    is_at(page_, "mmr")


def test_a_reload_lands_on_the_section(sized):
    page_ = sized("#structeval")
    page_.run("window.same = true")
    page_.browser.refresh()
    page_.until("!window.same && document.readyState === 'complete'")
    is_at(page_, "structeval")


def test_keys_land_on_the_section_and_go_on_from_there(sized):
    page_ = sized()
    for section in ("structeval", "image2struct.leaderboard"):
        link = page_.browser.find_element(By.CSS_SELECTOR, f"nav a[href='#{section}']")
        link.send_keys(Keys.ENTER)
        is_at(page_, section)
        page_.press(Keys.TAB)
        assert page_.run("return document.activeElement.closest('section').id") == section


def test_a_reader_who_scrolls_is_let_go(sized):
    page_ = sized("#mmr")
    is_at(page_, "mmr")
    page_.run("scrollBy({top: 300, behavior: 'instant'})")
    page_.rest()
    assert 295 < page_.run(OFF, "mmr") < 305
    place = page_.run("return scrollY")
    page_.run("document.querySelector('#structeval .list').style.height = '9000px'")
    page_.rest()
    assert page_.run("return scrollY") == place


def test_what_a_table_leads_to_is_held_too(sized):
    page_ = sized()
    for view, filters in (
        ("image2struct", {"outcome": "failed"}),
        ("structeval", {"order": "worst"}),
    ):
        page_.show(view, **filters)
        is_at(page_, f"{view}.answers")
