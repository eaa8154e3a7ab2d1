"""SVG and Markdown: pages of the browser."""

import io

import pytest
from PIL import Image

from helm_structext.renderers import python, render
from helm_structext.renderers.web import browser, markdown, svg


def red() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (300, 200), "red").save(buffer, "PNG")
    return buffer.getvalue()


def test_drawing_stands_in_the_middle_of_the_window():
    image = render(
        "svg", "<svg width='100' height='80'><rect width='100' height='80'/></svg>"
    ).image
    assert image.size == (1280, 720)
    assert Image.eval(image.convert("L"), lambda value: 255 - value).getbbox() == (
        590, 320, 690, 400,
    )  # fmt: skip


def test_no_mouse_hovers_over_the_corner():
    rect = "<rect width='100%' height='100%' fill='red'/>"
    size = "width='1280' height='720'"
    code = f"<svg {size}><style>rect:hover {{ fill: blue }}</style>{rect}</svg>"
    assert render("svg", code).image.getpixel((400, 200)) == (255, 0, 0)


def test_drawing_needs_no_declared_name_spaces():
    code = "<svg width='9' height='9'><g id='a'/><use xlink:href='#a'/></svg>"
    assert render("svg", code).image.size == (1280, 720)


def test_entities_of_a_document_type_have_no_effect():
    code = "<!DOCTYPE svg [<!ENTITY a 'replaced'>]><svg><text y='20'>&a;</text></svg>"
    assert "replaced" not in render("svg", code).text


@pytest.mark.parametrize(
    ("markdown_text", "html"),
    [
        ("# Title", "<h1>Title</h1>"),
        ("|a|\n|-|\n|b|", "<table>"),
        ("~~gone~~", "<s>gone</s>"),
        ("- [x] done", 'type="checkbox"'),
        ("<b>raw</b>", "<b>raw</b>"),
        ("x < y & z", "x &lt; y &amp; z"),
    ],
)
def test_markdown_becomes_html(markdown_text, html):
    page = python.make(
        "markdown_job", markdown.PACKAGES, markdown_text, {}, "published", markdown.ENGINE.limits
    ).page
    assert html in page.decode()


def test_page_of_markdown_is_whole_and_1280_wide():
    assert render("markdown", "text").image.size == (1280, 720)
    assert render("markdown", "text\n\n" * 100).image.height > 2000
    assert render("markdown", "# Title\n\n- *item*").text == "Title\nitem"


@pytest.mark.parametrize(
    ("format", "code"),
    [
        ("markdown", "![red](img/red.png)"),
        ("svg", "<svg width='300' height='200'><image href='img/red.png'/></svg>"),
    ],
)
def test_assets_lie_beside_the_code(format, code):
    image = render(format, code, assets={"img/red.png": red()}).image
    assert (255, 0, 0) in [color for _, color in image.getcolors(100_000)]


@pytest.mark.parametrize("engine", [markdown, svg])
def test_version_changes_with_the_browser(engine, monkeypatch):
    engine.version.cache_clear()
    before = engine.version()
    assert browser.version() in before
    monkeypatch.setattr(browser, "version", lambda: "Another 1.0")
    engine.version.cache_clear()
    assert engine.version() != before
    engine.version.cache_clear()
