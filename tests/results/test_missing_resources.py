"""What answers asked for and did not get: from HELM's files to tables and the report."""

import json
from pathlib import Path

import pytest

from helm_structext.benchmarks import benchmark_named, suite_result_sets, suite_tables
from helm_structext.cli import main
from helm_structext.errors import HOW_TO_GET, NPM, MissingResource
from helm_structext.results.missing_resources import ANY, MAX_ROWS, NO_HOST
from helm_structext.scoring.handling import MISSING_RESOURCES, UNDRAWN
from support.helm import dry_requests, helm_run, init, stats_of, suite, write_replay
from support.image2struct_answers import result, rows, section

FONT = MissingResource("font", "fonts.googleapis.com", "Inter", "https://fonts.googleapis.com/a")
OTHER = MissingResource("font", "fonts.googleapis.com", "Inter", "https://fonts.googleapis.com/b")
SCRIPT = MissingResource("script", "unpkg.com", "left-pad", "https://unpkg.com/left-pad")
IMPORT = MissingResource("package", NPM, "zustand")
OLD_IMPORT = MissingResource("package", package="zustand")
"""As suites have it that do not say whose package it is."""
MISSING = "what was asked for and is not here"


def answer(model: str, instance: str, ems: float | None, *missing: MissingResource, **more):
    scores = {MISSING_RESOURCES: float(len(missing)), UNDRAWN: float(more.pop("undrawn", 0))}
    return result(model, instance, ems, scores=scores, missing=missing, **more)


def test_table_shows_hosts_and_packages_with_scores_of_those_who_ask():
    results = [
        answer("a", "1", 0.2, FONT, OTHER),
        answer("a", "2", None, FONT, SCRIPT, error_kind="missing", undrawn=True),
        answer("a", "3", 0.9),
        answer("b", "1", 0.4, FONT, undrawn=True),
        answer("b", "2", 0.8, IMPORT, OLD_IMPORT),
        answer("structext/oracle", "1", 1.0, FONT),
        answer("structext/oracle", "2", 1.0),
    ]
    (table,) = section("missing", results).values()
    headers = ["Host", "Package", "Answers", "Not drawn", "Instances", "References"]
    headers += [f"{name} {side}" for name in ("R", "EMS") for side in ("with", "without")]
    assert [column.name for column in table.columns] == [*headers, "How to get it"]
    # As without baselines apart: the oracle's answers count, too.
    assert [row[:6] for row in table.rows] == [
        [ANY, "", 5, 2, 2, 1],
        ["fonts.googleapis.com", "Inter", 4, 2, 2, 1],
        [NO_HOST, "zustand", 1, 0, 1, 0],
        [NPM, "zustand", 1, 0, 1, 0],
        ["unpkg.com", "left-pad", 1, 1, 1, 0],
    ]
    assert table.rows[1][6:-1] == pytest.approx([3 / 4, 1, (0.2 + 0 + 0.4 + 1) / 4, 2.7 / 3])
    assert table.rows[4][6:-1] == pytest.approx([0, 1, 0, (0.2 + 0.9 + 0.4 + 0.8 + 2) / 6])
    assert [row[-1] for row in table.rows[2:]] == ["", HOW_TO_GET[NPM], SCRIPT.how_to_get]
    assert "2 answers in all" in table.note


def test_suites_that_do_not_say_have_no_table_and_answers_that_do_count_alone():
    old = [result("a", "1", 0.2), result("a", "2", 0.4)]
    assert section("missing", old) == {}
    (table,) = section("missing", [*old, answer("a", "3", 0.6, SCRIPT)]).values()
    assert rows(table)[ANY]["EMS with"] == 0.6
    assert rows(table)[ANY]["EMS without"] is None
    (table,) = section("missing", [answer("a", "3", 0.6)]).values()
    assert rows(table) == {
        ANY: {"Host": ANY, "Package": "", "Answers": 0, "Not drawn": 0, "Instances": 0, "R with": None,
              "R without": 1.0, "EMS with": None, "EMS without": 0.6, "How to get it": ""},
    }  # fmt: skip


def test_a_long_table_is_printed_in_part_and_whole_in_files():
    many = [MissingResource("picture", f"h{n}.example") for n in range(MAX_ROWS + 5)]
    printed, whole = section("missing", [answer("a", "1", 0.5, *many)]).values()
    assert (printed.printed, len(printed.rows)) == (True, MAX_ROWS)
    assert (whole.printed, len(whole.rows)) == (False, MAX_ROWS + 6)


PAGES = [
    "<p>a<script src=https://unpkg.com/left-pad@1></script><link rel=stylesheet "
    "href='https://fonts.googleapis.com/css2?family=Roboto&family=No+Such'>",
    "<p>b",
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A folder with a suite of two answers, of which one asks for what is not there."""
    folder = tmp_path_factory.mktemp("missing")
    init(folder)
    entry = "image2struct_webpage:subset=css,source=sample"
    limit = ("--max-eval-instances", "2")
    requests = dry_requests(folder, *limit, "-r", f"{entry},model=structext/blank")
    filled = (
        {**request, "completion": json.dumps([{"filename": "index.html", "content": page}])}
        for request, page in zip(requests, PAGES, strict=True)
    )
    write_replay(folder, filled)
    models = [f"{entry},model=structext/{name}" for name in ("replay-mine", "oracle", "blank")]
    helm_run(folder, *limit, "-r", *models)
    return folder


def test_statistic_is_helms_and_resources_stand_in_the_annotation(finished, monkeypatch):
    monkeypatch.chdir(finished)
    (mine,) = suite(finished).glob("*replay-mine")
    assert stats_of(mine)[MISSING_RESOURCES] == 1
    results = benchmark_named("image2struct").read(suite(finished))
    again = benchmark_named("image2struct").read(suite(finished))  # from columns
    for read in (results, again):
        (asking,) = (one for one in read if one.missing)
        assert [(one.kind, one.package) for one in asking.missing] == [
            *(("font", "No Such"), ("script", "left-pad"))
        ]
        assert all(isinstance(one, MissingResource) for one in asking.missing)
        assert asking.scores[MISSING_RESOURCES] == 2
    (table,) = suite_tables(suite_result_sets(suite(finished)), ["missing"])
    assert [row[:6] for row in table.rows] == [
        [ANY, "", 1, 0, 1, 0],
        ["fonts.googleapis.com", "No Such", 1, 0, 1, 0],
        ["unpkg.com", "left-pad", 1, 0, 1, 0],
    ]


def test_commands_show_it(finished, monkeypatch, capsys):
    monkeypatch.chdir(finished)
    assert main(["tables", "s", "--show", "missing"]) == 0
    said = capsys.readouterr().out
    assert MISSING in said
    assert "left-pad" in said
    assert main(["report", "s", "-o", "report.html", "--no-plans"]) == 0
    page = Path("report.html").read_text()
    assert "Asked for and not here: 2" in page
    assert "font No Such of fonts.googleapis.com" in page
    Path("page.html").write_text(PAGES[0])
    capsys.readouterr()
    assert main(["render", "html", "page.html", "-o", "page.png"]) == 0
    assert "drawn without: script left-pad of unpkg.com" in capsys.readouterr().out
    assert main(["explain", "html", "page.html"]) == 0
    assert "  missing  font No Such of fonts.googleapis.com" in capsys.readouterr().out
    assert main(["explain", "html", "page.html", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["readings"][0]["missing"]
    assert [one["host"] for one in found] == ["fonts.googleapis.com", "unpkg.com"]
