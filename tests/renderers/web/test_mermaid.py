"""Mermaid: drawn by its own package, on a page without network."""

import json

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.web import browser, mermaid

FLOW = "flowchart TD\n  A[First] --> B[Second]"


def test_picture_is_the_whole_page():
    assert render("mermaid", FLOW).image.size == (1280, 720)
    chain = "flowchart TD\n" + "\n".join(f"N{n} --> N{n + 1}" for n in range(30))
    assert render("mermaid", chain).image.height > 2000


def test_text_is_what_can_be_read_on_the_diagram():
    assert render("mermaid", FLOW).text.split() == ["First", "Second"]


def test_a_parse_error_is_named_and_is_no_picture_of_a_bomb():
    """Mermaid would draw its own error page, with a bomb and the words "Syntax error in text"."""
    with pytest.raises(RenderError) as caught:
        render("mermaid", "flowchart TD\n  A -->")
    assert caught.value.kind == "syntax"
    assert caught.value.message.startswith("line 2: Expecting 'AMP', ")
    assert caught.value.message.endswith(", got 'EOF': A -->")
    assert caught.value.log.startswith("Error: Parse error on line 3:\n")
    assert "Syntax error in text" not in caught.value.log


def test_only_files_of_the_package_are_served():
    assert mermaid.read_packaged("mermaid.esm.min.mjs").status == 200
    for name in ("../package.json", "../../tslib/tslib.es6.mjs", "/etc/passwd", "x.mjs", "", ".."):
        assert mermaid.read_packaged(name).status == 404


def test_version_is_that_of_the_package_and_of_the_browser(monkeypatch, tmp_path):
    mermaid.version.cache_clear()
    before = mermaid.version()
    assert browser.version() in before
    folder = tmp_path / "node_modules" / "mermaid"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"version": "99.0"}))
    monkeypatch.setattr(mermaid, "packages", lambda: tmp_path / "node_modules")
    mermaid.version.cache_clear()
    assert "Mermaid 99.0" in mermaid.version()
    mermaid.version.cache_clear()
