"""The page's sources: its bundle is that of its modules, and nothing in it knows a benchmark."""

import re
import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

from helm_structext import report
from helm_structext.benchmarks import BENCHMARKS
from helm_structext.image2struct.results import LABELS
from helm_structext.image2struct.tasks import PUBLISHED_DOMAINS
from helm_structext.mmr.tasks import TASKS as QUESTIONS
from helm_structext.renderers.web.javascript import node, packages
from helm_structext.report.writing import MAX_WIDTH, write_report
from helm_structext.structeval.tasks import SUBSETS, TASKS
from support.report_page import Folder, mixed_suite, parts

REPORT = Path(report.__file__).parent
PAGE = REPORT / "page"
SOURCES = sorted(
    path
    for path in REPORT.rglob("*")
    if path.suffix in {".py", ".js", ".mjs", ".css", ".html"} and "node_modules" not in path.parts
)
ROOT = Path(__file__).resolve().parents[2]


def names_of_benchmarks(folder: Path) -> set[str]:
    """Names of benchmarks, run entries, domains, tasks and subsets, and of what only one of them measures."""
    suite = parts(**mixed_suite(Folder(folder)))
    views = {name: part.make_view(sets) for name, (part, sets) in suite.items()}
    metrics = {metric.name for view in views.values() for metric in view.metrics}
    labels = {m.label for view in views.values() for m in view.metrics if m.label.isupper()}
    named = {
        *(one.name for one in BENCHMARKS),
        *(one.title for one in BENCHMARKS),
        *(entry for one in BENCHMARKS for entry in one.entries),
        *(
            name
            for domain in PUBLISHED_DOMAINS.values()
            for name in (domain.dataset, *domain.subsets)
        ),
        *(LABELS[name] for name in PUBLISHED_DOMAINS),
        *(*QUESTIONS, *TASKS, *SUBSETS),
    }
    # Words that mean something without a benchmark, too.
    return (named | metrics | labels) - {
        "Web",
        "Music",
        "css",
        "html",
        "javascript",
        "table",
        "plot",
    }


def test_no_source_names_a_benchmark(tmp_path):
    names = names_of_benchmarks(tmp_path)
    assert {
        "MMR",
        "mmr",
        "EMS",
        "structeval",
        "Image2Struct",
        "LaTeX",
        "earth_mover_similarity",
    } <= names
    assert {"grounding_t", "text_to_json", "PNLS", "t_generation"} <= names
    pattern = re.compile(
        "|".join(rf"(?<![A-Za-z_]){re.escape(name)}(?![A-Za-z_])" for name in names)
    )
    assert len(SOURCES) > 30
    found = {
        (path.name, match[0])
        for path in SOURCES
        for match in pattern.finditer(path.read_text("utf-8"))
    }
    assert found == set()


def test_the_bundle_is_that_of_the_modules():
    command = [str(node()), str(PAGE / "bundle.mjs"), str(packages()), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_bundle_of_other_modules_is_noticed(tmp_path):
    copy = tmp_path / "page"
    copy.mkdir()
    for path in PAGE.glob("*.*js*"):
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / "radar.js").write_text((PAGE / "radar.js").read_text().replace("680", "681"))
    command = [str(node()), str(copy / "bundle.mjs"), str(packages()), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "call make page" in done.stderr


def test_the_bundle_stands_in_a_page():
    text = (PAGE / "bundle.js").read_text("utf-8")
    assert "</script" not in text.lower()
    assert "<!--" not in text  # after which a browser reads scripts otherwise


def test_pure_functions():
    files = sorted(str(path) for path in Path(__file__).with_name("page").glob("*.test.mjs"))
    assert len(files) == 4
    done = subprocess.run([str(node()), "--test", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_a_page_is_renewed_as_it_is_written(tmp_path):
    page = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "page.py")))
    file = tmp_path / "report.html"
    suite = parts(image2struct=[Folder(tmp_path).answer("x/m", "a")])
    write_report(suite, file, title=page.SUITE_TITLE, plans=False, max_width=MAX_WIDTH)
    before = file.read_bytes()
    page.renew(file)
    assert file.read_bytes() == before
    assert {PAGE / "page.css", PAGE / "main.js", REPORT / "parts.py"} <= {*page.watched()}
