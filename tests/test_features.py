"""The table of features: each named test exists, and no section of the chapters for users is left out."""

import ast
import re
from functools import cache

import pytest

from support.documents import ROOT

DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (.+) \| `([\w/.]+)::(\w+)` \|$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/-]+\.md)#([\w-]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

ROWS = ROW.findall((DOCS / "features.md").read_text(encoding="utf-8"))
CHAPTERS = (
    *("getting-started", "models", "results", "slurm", "rewards", "training", "harnesses"),
    *("audit", "serving", "collecting", "generating", "formats", "safety", "troubleshooting"),
    *("benchmarks/image2struct", "benchmarks/mmr", "benchmarks/structeval"),
)
NO_FEATURES = {
    "collecting.md#how-the-published-rounds-were-made",
    "safety.md#what-it-does-not-promise",
}


@cache
def functions(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def slug(heading: str) -> str:
    """The anchor of a heading, as the site has it."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def test_each_row_names_a_test_that_exists():
    text = (DOCS / "features.md").read_text(encoding="utf-8")
    heads = 2 * text.count("\n## ")
    assert len(ROWS) == len(re.findall(r"^\|", text, re.MULTILINE)) - heads > 100
    missing = [
        f"{feature}: {path}::{name}"
        for feature, path, name in ROWS
        if not (path.startswith("tests/") and name in functions(path))
    ]
    assert missing == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_section_of_a_chapter_is_left_out(chapter):
    text = FENCE.sub("", (DOCS / f"{chapter}.md").read_text(encoding="utf-8"))
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    shown = {f"{page}#{anchor}" for feature, _, _ in ROWS for page, anchor in LINK.findall(feature)}
    sections = {f"{chapter}.md#{slug(heading)}" for heading in headings}
    assert sections
    assert sections - NO_FEATURES <= shown
    # A section that was renamed is linked no longer.
    assert {one for one in shown if one.startswith(f"{chapter}.md#")} <= sections
