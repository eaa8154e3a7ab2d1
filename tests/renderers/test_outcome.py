"""One meaning of empty: what comes of an answer without code, of comments, errors and blank pages.

The rule is that of `helm_structext.renderers.outcome`, for every format of every benchmark.
"""

import json

import pytest

from helm_structext.errors import MissingResource, RenderError
from helm_structext.formats import FORMATS, rendered_formats, text_formats
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import Rendering, render_completion
from helm_structext.renderers.outcome import MAX_NAMED, make_error
from helm_structext.renderers.web import browser, empty, tab
from helm_structext.renderers.web.frameworks import WRAPPERS

VERSION = '\\version "2.24.0" '
BLANK_SCORE = VERSION + "\\header { tagline = ##f } \\markup \\null "


def site(page: str) -> str:
    return json.dumps([{"filename": "index.html", "content": page}])


def component(body: str, template: str = "") -> str:
    return (
        "import { Component } from '@angular/core';\n"
        f"@Component({{ selector: 'app-root', standalone: true, template: '{template}' }})\n"
        f"export class AppComponent {{ {body} }}"
    )


def chart(**parts: object) -> str:
    encoding = {"x": {"field": "a", "type": "nominal"}}
    return json.dumps({"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": encoding} | parts)


# Format → code of nothing but comments, and what comes of it; where the protocols differ, of both.
COMMENTS = {
    "latex": ("% soon", "syntax", "empty"),  # The published fragment is closed on the same line.
    "webpage": (site("<!-- soon -->"), "picture"),
    "lilypond": ("% soon", "syntax", "empty"),  # The published convert-ly wants a version.
    "angular": ("// soon", "syntax"),
    "canvas": ("// soon", "empty"),
    "html": ("<!-- soon -->", "empty"),
    "latex_document": ("% soon", "empty"),
    "markdown": ("<!-- soon -->", "picture"),
    "matplotlib": ("# soon", "empty"),
    "mermaid": ("%% soon", "syntax"),
    "react": ("// soon", "syntax"),
    "svg": ("<!-- soon -->", "syntax"),
    "tikz": ("% soon", "empty"),
    "typst": ("// soon", "picture"),
    "vega": ("// soon", "syntax"),
    "vue": ("<!-- soon -->", "picture"),
    "json": ("// soon", "syntax"),
    "csv": ("# soon", "empty"),
    "toml": ("# soon", "empty"),
    "xml": ("<!-- soon -->", "syntax"),
    "yaml": ("# soon", "empty"),
}

# Code that does not compile, or that throws and leaves nothing to see; and a part of the reason.
BROKEN = {
    "latex": (r"\nope", "Undefined control sequence"),
    "webpage": ("[{", "not JSON"),
    "lilypond": (VERSION + "{ c d", "syntax error, unexpected"),
    "angular": (component("constructor() { missing() }"), "missing is not defined"),
    "canvas": ("missing()", "script.js"),
    "html": ("<div></div><script>missing()</script>", "index.html:1: ReferenceError: missing"),
    "latex_document": (r"\nope", "Undefined control sequence"),
    "markdown": ("<script>missing()</script>", "ReferenceError: missing"),
    "matplotlib": ("missing()", "line 1: NameError"),
    "mermaid": ("flowchart TD\n  A -->", "line 2: an arrow leads nowhere (Expecting "),
    "react": ("export default () => missing()", "App.jsx:1: ReferenceError: missing"),
    "svg": ("<svg><script>document.body.textContent = ''; missing()</script></svg>", "missing"),
    "tikz": (r"\begin{tikzpicture}\nope\end{tikzpicture}", "Undefined control sequence"),
    "typst": ("#nope(1)", "unknown variable: nope"),
    "vega": (chart(mark="barr"), 'Vega has no mark "barr"'),
    "vue": ("<template>{{ missing() }}</template>", "missing"),
    "json": ("[1", "line 1, column 3"),
    "csv": ("a,b\n1", "row 1 has 1 cell"),
    "toml": ("a =", "Invalid value"),
    "xml": ("<a>", "no element found"),
    "yaml": ("a: [", "line 2"),
}

# Code that throws beside something to see, and a part of the log.
BESIDE = {
    "webpage": (site("<p>x<script>missing()</script>"), "missing is not defined"),
    "lilypond": (VERSION + "{ c' \\nonsense }", "unknown escaped string"),
    "angular": (component("constructor() { setTimeout(() => missing()) }", "<p>x</p>"), "missing"),
    "canvas": ("<p>x</p><canvas></canvas><script>missing()</script>", "missing"),
    "html": ("<p>x<script>missing()</script>", "missing"),
    "latex_document": (r"x \nope", "Undefined control sequence"),
    "markdown": ("x\n\n<script>missing()</script>", "missing"),
    "react": (
        "export default () => { React.useEffect(() => { setTimeout(() => missing()) }); "
        "return <p>x</p> }",
        "missing",
    ),
    "svg": ("<svg><text y='20'>x</text><script>missing()</script></svg>", "missing"),
    "tikz": (r"\begin{tikzpicture}\draw (0,0)--(1,1);\nope\end{tikzpicture}", "Undefined control"),
    "vue": (
        "<script setup>setTimeout(() => missing())</script><template><p>x</p></template>",
        "missing",
    ),
}
# What these print is there in the end or not at all, as in the published code.
WHOLE = {
    "latex": r"x \nope",
    "matplotlib": "plt.plot([1])\nplt.show()\nmissing()",
    "mermaid": "flowchart TD\n  A --> B\n  B -->",
    "typst": "x #nope(1)",
    "vega": chart(title="x", mark="barr"),
}


def outcome(format: str, code: str, protocol: str = "published") -> str:
    """``picture``, ``parsed`` or the kind of error."""
    try:
        result = render_completion(format, code, protocol=protocol)
    except RenderError as error:
        return error.kind
    return "picture" if isinstance(result, Rendering) else "parsed"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", FORMATS)
def test_no_code_is_empty_and_starts_no_engine(format, protocol, monkeypatch):
    monkeypatch.setattr("helm_structext.renderers.run_job", None)
    for completion in ("", " \n\t"):
        with pytest.raises(RenderError, match="empty: there is no code"):
            render_completion(format, completion, protocol=protocol)


@pytest.mark.parametrize("format", FORMATS)
def test_comments_alone(format):
    code, *expected = COMMENTS[format]
    assert [outcome(format, code, protocol) for protocol in PROTOCOLS] == (expected * 2)[:2]


@pytest.mark.parametrize("format", FORMATS)
def test_code_that_leaves_nothing_but_an_error_is_a_syntax_error_with_its_reason(format):
    code, reason = BROKEN[format]
    for protocol in PROTOCOLS:
        with pytest.raises(RenderError) as caught:
            render_completion(format, code, protocol=protocol)
        assert caught.value.kind == "syntax"
        assert reason in caught.value.message


@pytest.mark.parametrize("format", BESIDE)
def test_code_that_throws_beside_something_to_see_is_a_picture_with_the_error_in_its_log(format):
    code, reason = BESIDE[format]
    for protocol in PROTOCOLS:
        rendering = render_completion(format, code, protocol=protocol)
        assert len(rendering.image.getcolors(1_000_000)) > 1
        assert reason in rendering.log


@pytest.mark.parametrize("format", WHOLE)
def test_what_comes_whole_or_not_at_all_does_not_come_with_an_error(format):
    assert outcome(format, WHOLE[format]) == "syntax"


def test_every_rendered_format_throws_in_one_way_or_the_other():
    assert {*BESIDE, *WHOLE} == set(rendered_formats())


@pytest.mark.parametrize("format", rendered_formats())
def test_a_blank_page_is_a_picture(format):
    for protocol in PROTOCOLS:
        rendering = render_completion(format, FORMATS[format].blank, protocol=protocol)
        # The published page around components of React and Vue is nearly white.
        wrapped = WRAPPERS[protocol].get(format)
        darkest = min(low for low, _ in rendering.image.convert("RGB").getextrema())
        assert darkest > 230 if wrapped else len(rendering.image.getcolors()) == 1


NOTHING_TO_SEE = [
    "<!DOCTYPE html>",
    "<html></html>",
    "<html lang=en>\n<head><meta charset='utf-8'><title>A title</title></head>\n<body>\n</body></html>",
    "<!DOCTYPE html><html><body><div class='a b' id=\"x\"><p></p></div><br/></body></html>",
    "<!-- a --> <!-- b > c --><!----><!---->",
    "<body><!-- it never ends <p>x</p>",
    "<canvas id=c width=300 height=200></canvas>",
    "<canvas>Your browser has no canvas.</canvas><script></script>",
    "<canvas></canvas><script>\n// soon\n/* or later */\n</script><style></style>",
    "\ufeff<html><body></body></html>",
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", ["html", "canvas"])
@pytest.mark.parametrize("code", NOTHING_TO_SEE)
def test_a_page_without_content_is_empty(code, format, protocol):
    assert outcome(format, code, protocol) == "empty"


@pytest.mark.parametrize("code", ["// a", "/* a */ // b", "/* never ends"])
def test_a_script_of_comments_is_empty(code):
    assert outcome("canvas", code) == outcome("canvas", code, "corrected") == "empty"


@pytest.mark.parametrize(
    "code",
    [
        "x",
        "<p>&nbsp;",
        "<hr>",
        "<img alt=a>",
        "<p style='height: 9px'>",
        "<body bgcolor=red>",
        "<body onload='x()'>",
        "<style>body { background: red }</style>",
        "<canvas></canvas><script>x()</script>",
        "<canvas></canvas><script>// a\nx()</script>",
        "<script src=a.js></script>",
        "<!-- a --><p>x</p><!-- b -->",
        "<!--> x -->",
        "<canvas></canvas> x",
        "<ul><li></ul>",
        "<title>a</title><svg></svg>",
        "// a\nx()",
        "/* a */ x()",
    ],
)
def test_a_page_with_anything_is_a_page(code):
    assert not empty.is_empty_page(code)
    assert not empty.is_empty_script(code)


@pytest.mark.parametrize("format", text_formats())
def test_a_structure_that_holds_nothing_is_empty(format):
    # The root of XML is something, as in the published code.
    assert outcome(format, FORMATS[format].blank) == ("parsed" if format == "xml" else "empty")


@pytest.mark.parametrize(
    ("format", "code"),
    [
        ("webpage", site("<div></div><script>missing()</script>")),
        ("lilypond", BLANK_SCORE + "\\nonsense"),
    ],
)
def test_in_the_published_protocol_of_image2struct_any_page_is_a_picture(format, code):
    assert outcome(format, code) == "picture"
    assert outcome(format, code, "corrected") == "syntax"


@pytest.mark.parametrize(
    ("errors", "expected"), [([], "empty"), (["ReferenceError: missing\n    at a"], "syntax")]
)
def test_a_page_that_closes_itself_is_empty_unless_it_threw(errors, expected, monkeypatch):
    closed = tab.Screenshot(b"", "", errors, visible=False)
    monkeypatch.setattr(browser.Browser, "screenshot", lambda *arguments, **options: closed)
    assert outcome("html", "<p>x") == expected
    assert outcome("svg", "<svg/>") == expected


def test_what_is_missing_is_named_once_and_the_count_of_the_rest_is_of_different_things():
    lacking = [MissingResource("package", "npmjs.com", f"part{one}") for one in (1, 1, 2, 3, 4, 4)]
    said = make_error("cannot import", "", lacking, lacking).message
    assert said.count("the package part1 of") == 1
    assert said.count("is not here") == min(4, MAX_NAMED)
    assert said.count("; and") == int(MAX_NAMED < 4)
