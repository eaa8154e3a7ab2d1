"""The report by axe-core's rules, at the widths of a desk, a tablet and a phone, light and dark."""

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from helm_structext.report.writing import write_report
from helm_structext.results.categories import Categories
from helm_structext.results.tabular import Column, Table
from support.report_page import Folder, Page, mixed_suite, parts

AXE = (files("selenium_axe_python") / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
WIDTHS = (1440, 768, 400)
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A report of all three benchmarks, with answers that fail in many ways."""
    folder = Folder(tmp_path_factory.mktemp("mixed"))
    file = folder.path / "report.html"
    settings = [Table("settings", "Settings", "", [Column("Run entry")], [["mmr"]])]
    categories = Categories("s", {"n": "missing newline", "i": "italics <b>or</b> bold"})
    write_report(
        parts(**mixed_suite(folder)),
        file,
        title="A suite",
        settings=settings,
        categories=categories,
    )
    return file


@pytest.fixture
def screen(browser) -> Iterator[Callable[[int, str], None]]:
    """Gives the browser a screen of that width, and a preference of light or dark."""

    def show(width: int, scheme: str) -> None:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    yield show
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def violations(page_: Page) -> list[str]:
    """Each rule that is broken, with the first elements that break it."""
    page_.run(AXE)
    page_.browser.set_script_timeout(120)
    found: list[dict[str, Any]] = page_.browser.execute_async_script(
        """const done = arguments[arguments.length - 1];
        axe.run(document, {resultTypes: ["violations"]}).then(
            result => done(result.violations), error => done([{id: error.message, nodes: []}]));"""
    )
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for one in found
        for node in one["nodes"][:3] or [{"html": "", "failureSummary": ""}]
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_breaks_no_rule_of_accessibility(mixed, opened, screen, width, scheme):
    screen(width, scheme)
    page_ = opened(mixed)
    page_.run("for (const one of document.querySelectorAll('details')) one.open = true")
    page_.open(0)
    page_.press("n", "i")  # chips on a card
    page_.run("document.getElementById('viewer').close()")
    page_.select(0)
    page_.filled()
    assert violations(page_) == []
    for view in (None, "overlay", "code"):
        page_.run("report.viewer.panel = arguments[0]", view)
        page_.open(1)
        page_.filled()
        assert violations(page_) == []
    page_.run(
        "document.getElementById('viewer').close(); document.getElementById('help-button').click()"
    )
    assert violations(page_) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_but_tables_scrolls_sideways(mixed, opened, screen, width):
    screen(width, "light")
    page_ = opened(mixed)
    assert page_.run("return document.documentElement.scrollWidth") <= width
    wide = page_.run(
        """return [...document.querySelectorAll("main *")].filter(e =>
            !e.closest(".scroll, nav, .list, svg, .hidden") && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert wide == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_section_is_reached_by_a_link_on_every_screen(mixed, opened, screen, width):
    screen(width, "light")
    page_ = opened(mixed)
    links = page_.run(
        "return [...document.querySelectorAll('nav a')].filter(a => a.checkVisibility()).map(a => a.hash)"
    )
    sections = page_.run(
        "return [...document.querySelectorAll('main section')].map(s => '#' + s.id)"
    )
    assert sorted(links) == sorted(sections)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_link_to_a_section_leaves_its_heading_in_sight(mixed, opened, screen, width):
    screen(width, "light")
    page_ = opened(mixed)
    hidden = page_.run(
        """const bar = document.querySelector(".top");
        return [...document.querySelectorAll("main section")].filter(section => {
            section.scrollIntoView();
            return section.querySelector("h2, h3").getBoundingClientRect().top < bar.getBoundingClientRect().bottom;
        }).map(section => section.id)"""
    )
    assert hidden == []


def test_no_table_shows_anything_but_texts(mixed, opened):
    assert "[object" not in opened(mixed).run("return document.body.textContent")
