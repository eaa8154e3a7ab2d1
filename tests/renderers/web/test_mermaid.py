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
    assert caught.value.message.startswith("line 2: an arrow leads nowhere (Expecting 'AMP', ")
    assert caught.value.message.endswith(", got 'EOF'): A -->")
    assert caught.value.log.startswith("Error: Parse error on line 3:\n")
    assert "Syntax error in text" not in caught.value.log


def test_only_files_of_the_package_are_served():
    assert mermaid.serve({}, "mermaid/mermaid.esm.min.mjs").status == 200
    for name in ("../package.json", "../../tslib/tslib.es6.mjs", "/etc/passwd", "x.mjs", "", ".."):
        assert mermaid.serve({}, f"mermaid/{name}").status == 404


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


PLUGINS = {
    "layout: elk": (
        "---\nconfig:\n  layout: elk\n---\nflowchart TD\n  A --> B & C\n  C --> D\n  B --> D & A",
        "",
    ),
    "tidy tree": (
        "---\nconfig:\n  layout: tidy-tree\n---\nmindmap\n  r\n    a\n      b\n    c",
        "",
    ),
    "Font Awesome": ("flowchart TD\n  A[fa:fa-car Car]", ""),
    "icon pack": ('flowchart TD\n  A@{ icon: "logos:aws-lambda", label: "L" }', "?"),
}


@pytest.mark.parametrize(("code", "instead"), PLUGINS.values(), ids=PLUGINS)
def test_the_corrected_protocol_has_what_a_diagram_names_beside_mermaid(code, instead):
    published, corrected = (
        render("mermaid", code, protocol=protocol) for protocol in ("published", "corrected")
    )
    assert published.image.tobytes() != corrected.image.tobytes()
    assert published.text.split() == [*corrected.text.split(), *instead]
    assert corrected.missing == ()


def test_zenuml_is_drawn_in_the_corrected_protocol():
    assert "Alice" in render("mermaid", "zenuml\n  Alice.greet()", protocol="corrected").text
    with pytest.raises(RenderError, match="need the plug-in ZenUML"):
        render("mermaid", "zenuml\n  Alice.greet()")


def test_mathematics_is_drawn():
    assert render("mermaid", 'flowchart TD\n  A["$$\\frac{x}{7}$$"]').text == "𝑥\n7"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('flowchart TD\n  A@{ icon: "absent:home", label: "L" }', {"published": ["absent"], "corrected": ["absent"]}),
        ('flowchart TD\n  A@{ icon: "fa:user", label: "L" }', {"published": ["fa"], "corrected": []}),
        ("architecture-beta\n  service a(mdi:server)[A]", {"published": ["mdi"], "corrected": []}),
        ('flowchart TD\n  A["?"] --> B[todo:all]', {"published": [], "corrected": []}),
    ],
)  # fmt: skip
def test_icon_packs_that_leave_a_question_mark_are_missing(code, told):
    for protocol, names in told.items():
        found = render("mermaid", code, protocol=protocol).missing
        assert [(one.kind, one.package) for one in found] == [("icon", name) for name in names]


def test_a_diagram_that_names_no_plug_in_loads_none():
    assert mermaid.find_plugins(FLOW + "\n  C[12:30] --> D[https://a.example]") == ""
    script = mermaid.find_plugins("architecture-beta\n  service a(mdi:server)[A]")
    assert '{"mdi": "mdi"}' in script
