"""The page's numbers have the digits of the terminal's tables: each is rounded once, in one place."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helm_structext.benchmarks import benchmark_named, suite_tables
from helm_structext.report.parts import round_score
from helm_structext.report.writing import write_report
from helm_structext.results.tabular import Estimate, Table, format_cell
from support.report_page import EMS, Folder, mixed_suite, parts

AWKWARD = (0.0625, 0.1875, 0.49045, 0.4904999, 0.4905001, 0.5624999, 0.99949, 0.0004999)
"""Half-way between two texts of three decimals, and what is so once it is rounded."""
NUMBER = re.compile(r"[+-]?\d+\.\d+")


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(text))


def intervals(tables: list[Table]) -> set[str]:
    """The ends of intervals, of which the terminal shows half the width, and files both."""
    cells = (cell for table in tables for row in table.rows for cell in row)
    return {
        number
        for cell in cells
        if isinstance(cell, Estimate)
        for number in numbers(format_cell(cell.interval))
    }


def awkward_suite(folder: Folder) -> dict[str, list[Any]]:
    """Answers of all benchmarks whose scores, and means of these, are hard to round."""
    suite = mixed_suite(folder)
    generator = np.random.default_rng(0)

    def score() -> float:
        return float(generator.choice([*AWKWARD, generator.uniform()]))

    images = [
        replace(
            answer,
            scores={
                name: score() if value not in (0.0, 1.0) or name == EMS else value
                for name, value in answer.scores.items()
            },
        )
        for answer in suite["image2struct"]
    ]
    structures = [
        replace(answer, scores={**answer.scores, "structeval_score": score()})
        for answer in suite["structeval"]
    ]
    return {**suite, "image2struct": images, "structeval": structures}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Table]]:
    """The report of the suite, and all tables that the terminal prints of it."""
    folder = Folder(tmp_path_factory.mktemp("awkward"))
    found = parts(**awkward_suite(folder))
    file = folder.path / "report.html"
    write_report(found, file, title="A suite", plans=False)
    return file, [
        *suite_tables([(benchmark_named(name), sets) for name, (_, sets) in found.items()])
    ]


@pytest.mark.parametrize(
    ("place", "choice"),
    [
        ("overview", False),
        ("image2struct.leaderboard", False),
        ("image2struct.domains", False),
        ("image2struct.metrics", False),
        ("image2struct.tables", True),
        ("mmr.tables", True),
        ("structeval.leaderboard", False),
        ("structeval.tasks", False),
        ("structeval.tables", True),
    ],
)
def test_every_number_of_the_page_is_one_of_the_tables(suite, opened, place, choice):
    file, tables = suite
    page_ = opened(file)
    printed = numbers(" ".join(table.markdown() for table in tables)) | intervals(tables)
    choices = (
        page_.run(f"return document.getElementById('{place}').querySelector('select').length")
        if choice
        else 1
    )
    found: set[str] = set()
    for number in range(choices):
        if choice:
            page_.run(
                """const choice = document.getElementById(arguments[0]).querySelector("select");
                choice.selectedIndex = arguments[1];
                choice.dispatchEvent(new Event("change"));""",
                *(place, number),
            )
        # The text alone: titles of charts have numbers of their own.
        text = page_.run(
            r"""const cells = [...document.getElementById(arguments[0]).querySelectorAll("td, th")];
            return cells.map(cell => cell.innerHTML.replace(/<svg.*?<\/svg>|<[^>]*>/gs, " ")).join(" ")""",
            place,
        )
        found |= numbers(text)
    assert found
    assert found <= printed


def test_every_mean_of_a_domain_is_one_of_the_tables(suite, opened):
    file, tables = suite
    means = opened(file).run(
        """const domains = report.views[0].sheets[0].sections.find(({name}) => name === "domains");
        return domains.items.filter(({kind}) => kind === "board").flatMap(({columns, rows}) =>
            columns.flatMap(({title}, i) => ["all", "wild"].includes(title) ?
                rows.map(({cells}) => cells[i]).filter(Boolean).map(([text]) => text) : []))"""
    )
    assert len(means) > 50
    assert {*means} <= numbers(" ".join(table.markdown() for table in tables))


def test_the_leaderboard_and_the_overview_have_the_same_digits(suite, opened):
    page_ = opened(suite[0])
    ems = page_.run(
        """const rows = [...document.querySelectorAll("[id='image2struct.leaderboard'] tbody tr")];
        return Object.fromEntries(rows.map(row => [row.querySelector(".model-name").textContent,
            [...row.querySelectorAll("td.number")].map(cell => cell.lastChild?.previousSibling?.textContent)]))"""
    )
    columns, rows = page_.run(
        "return [report.data.overview[0].columns, report.data.overview[0].rows]"
    )
    for row in rows:
        for domain in ("LaTeX", "Web", "Music"):
            assert row[columns.index(domain)].split()[0] in ems[row[0]]


def test_the_summary_has_the_digits_of_the_overview(suite, opened):
    file, tables = suite
    page_ = opened(file)
    columns, rows = page_.run(
        "return [report.data.overview[0].columns, report.data.overview[0].rows]"
    )
    summaries = [table for table in tables if table.title.startswith("Summary")]
    assert len(summaries) > 1
    for table in summaries:
        for row in table.rows:
            (ours,) = (one for one in rows if one[0] == row[0])
            for column, cell in zip(table.columns[1:], row[1:], strict=True):
                name = column.name if column.name in columns else columns[1]
                assert ours[columns.index(name)] == format_cell(cell, column.format)


def test_an_answers_score_has_the_digits_that_a_table_would_give_it(suite, opened):
    page_ = opened(suite[0])
    generator = random.Random(0)
    values = [
        *AWKWARD,
        *(-value for value in AWKWARD),
        *(number / 2**power for power in range(1, 14) for number in (1, 3, 5, 2**power - 1)),
        *(round(generator.random(), digits) for digits in (4, 5, 6, 7) for _ in range(2000)),
        *(generator.uniform(-1, 2) for _ in range(2000)),
    ]
    sent = [round_score(value) for value in values]
    assert page_.run("return arguments[0].map(value => report.number(value))", sent) == [
        format_cell(value) for value in values
    ]
    assert max(abs(a - b) for a, b in zip(sent, values, strict=True) if a is not None) < 5.1e-4
