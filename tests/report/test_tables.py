"""The page's tables on screens of every width, and what stands below them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helm_structext.image2struct import report as image2struct_report
from helm_structext.mmr import report as mmr_report
from helm_structext.report.words import WORDS, words_in, words_of
from helm_structext.report.writing import write_report
from helm_structext.results.summary import RATE
from helm_structext.results.tabular import Column, Estimate, Table
from helm_structext.structeval import report as structeval_report
from helm_structext.structeval.tasks import NAMES as FORMATS
from support.report_page import Folder, Page, mixed_suite, parts

WIDTHS = (360, 768, 1024, 1400, 1920)
OURS = {**image2struct_report.WORDS, **mmr_report.WORDS, **structeval_report.WORDS}
NAMES = {"MMR", "LaTeX", "StructEval", *FORMATS.values()}
"""Of benchmarks and formats, which are no short words."""


CHOOSE = """
const choices = [...document.querySelectorAll("section section > .controls select")];
for (const choice of choices) {
    choice.selectedIndex = Math.min(arguments[0], choice.length - 1);
    choice.dispatchEvent(new Event("change"));
}
return Math.max(...choices.map(choice => choice.length))
"""
"""Chooses an option of that number everywhere, and returns how many there are at most."""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Folder(tmp_path_factory.mktemp("mixed"))
    columns = [Column("Run entry"), Column("Models")]
    settings = [Table("settings", "Settings", "A note.", columns, [["mmr", "x/good, x/bad"]])]
    file = folder.path / "report.html"
    write_report(
        parts(**mixed_suite(folder)), file, title="A suite", plans=False, settings=settings
    )
    return file


@pytest.fixture
def sized(browser, mixed, opened) -> Iterator[Callable[[int], Page]]:
    def open_at(width: int) -> Page:
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        page_ = opened(mixed)
        page_.run("for (const one of document.querySelectorAll('main details')) one.open = true")
        page_.rest()
        return page_

    yield open_at
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def through_all_choices(page_: Page, script: str) -> list[Any]:
    """What a script returns, under each option of the sections' choices."""
    found = []
    for number in range(page_.run(CHOOSE, 0)):
        page_.run(CHOOSE, number)
        page_.rest()
        found += page_.run(script)
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_fits_or_says_that_it_goes_on_sideways(sized, width):
    page_ = sized(width)
    boxes = through_all_choices(
        page_,
        """const tables = [...document.querySelectorAll("main table")].filter(one => one.checkVisibility());
        return tables.map(table => {
            const box = table.closest(".scroll");
            const [outer, inner] = [box.getBoundingClientRect(), table.getBoundingClientRect()];
            return {
                table: table.textContent.slice(0, 80),
                inside: outer.left >= 0 && outer.right <= innerWidth,
                fits: inner.width <= outer.width + 1,
                hint: getComputedStyle(box, "::after").content.includes("sideways"),
                fades: getComputedStyle(box).maskImage !== "none",
            };
        })""",
    )
    assert len({box["table"] for box in boxes}) > 40
    for box in boxes:
        assert box["inside"], box
        assert (not box["fits"]) == box["hint"] == box["fades"], box
    if width == 360:
        assert any(box["hint"] for box in boxes)


def test_a_table_that_was_scrolled_to_its_end_fades_no_more_and_keeps_its_names(sized):
    page_ = sized(360)
    box = "document.querySelector('#overview .scroll')"
    page_.run(f"{box}.scrollLeft = 10_000")
    page_.until(f"!{box}.classList.contains('more-right')")
    left, name = page_.run(
        f"return [{box}, {box}.querySelector('tbody th')].map(e => e.getBoundingClientRect().left)"
    )
    assert abs(left - name) < 2


def test_tables_stand_before_their_notes_and_these_are_closed(mixed, opened):
    page_ = opened(mixed)
    notes = through_all_choices(
        page_,
        """return [...document.querySelectorAll("main .caption")].map(caption => {
            const details = caption.closest(".notes details");
            const table = details?.closest(".notes").previousElementSibling;
            return [caption.textContent.slice(0, 60), Boolean(details), details?.open,
                Boolean(table?.querySelector("table"))];
        })""",
    )
    assert len({text for text, *_ in notes}) > 20
    assert [note for note in notes if note[1:] != [True, False, True]] == []


def test_the_first_table_is_on_the_first_screen_of_a_phone(browser, mixed, opened):
    metrics = {"width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page_ = opened(mixed)
        for link in page_.run("return [...document.querySelectorAll('nav a')].map(a => a.hash)"):
            page_.run("report.goTo(arguments[0].slice(1))", link)
            top = page_.run(
                """const table = document.getElementById(arguments[0].slice(1)).querySelector("table, form");
                return table.getBoundingClientRect().top""",
                link,
            )
            assert top < 320, link
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_short_words_in_headers_are_explained_below(mixed, opened):
    page_ = opened(mixed)
    tables = page_.run(
        """return [...document.querySelectorAll("main table:not(.replies)")].map(table =>
            [[...table.querySelectorAll("thead th")].map(th => th.innerHTML.replace(/<[^>]*>/g, " ")),
                table.closest("section").textContent])"""
    )
    short = re.compile(r"\b(?:[A-Z]\b|[A-Z]*[A-Z]{2}[A-Za-z]*|[A-Za-z]+\.)")
    seen = set()
    for headers, text in tables:
        for header in headers:
            explained = [
                word for word, meaning in words_in([header], OURS) if word + " " + meaning in text
            ]
            for word in set(short.findall(header)) - NAMES:
                assert any(word in one.split() for one in explained), (word, header)
                seen.add(word)
    assert seen >= {"EMS", "R", "SSIM", "SE"}


def test_each_win_rate_says_what_it_is_over(mixed, opened):
    page_ = opened(mixed)
    overview, board = page_.run(
        """return ["overview", "image2struct.leaderboard"].map(id =>
            [...document.getElementById(id).querySelectorAll(".words > div")].map(e => e.textContent))"""
    )
    assert f"{RATE} {WORDS[RATE]}" in overview
    (rate,) = (text for text in board if text.startswith("Win rate"))
    assert "in rendering and EMS of LaTeX, Web, Music alone, among 3 models" in rate
    assert "the overview's is over all its columns" in rate
    headers = page_.run(
        "return [...document.querySelectorAll('#overview thead th')].map(e => e.textContent)"
    )
    assert RATE in headers


def test_words_are_found_whole_and_in_any_place():
    found = words_in(["x (publ.)", "LaTeX R", "Rate", "SSIMs"], OURS)
    assert [word for word, _ in found] == ["R", "publ."]
    table = Table("t", "T", "Holm.", [Column("Model"), Column("SE")], [["1 LPIPS", 0.5]])
    assert [word for word, _ in words_of(table, OURS)] == ["LPIPS", "SE"]
    estimate = Estimate(0.5, (0.4, 0.6), "a")
    estimates = Table("t", "T", "", [Column("Model"), Column("EMS")], [["a", estimate]])
    assert [word for word, _ in words_of(estimates, OURS)] == ["EMS", "Tied", "±"]
