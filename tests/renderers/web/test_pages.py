"""SVG and Markdown: pages of the browser."""

import base64
import io
from pathlib import Path

import matplotlib
import pytest
from PIL import Image, ImageChops

from helm_structext.renderers import python, render
from helm_structext.renderers.web import browser, markdown, svg
from helm_structext.renderers.web.html import find_scripts


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


def test_a_page_that_says_much_is_drawn():
    code = "<p>drawn</p><script>for (let n = 0; n < 6e4; n++) console.log(n)</script>"
    assert render("html", code).text.strip() == "drawn"


@pytest.mark.parametrize(
    "way",
    [
        "<meta http-equiv=refresh content='0;URL=../'>",
        "<script>onload = () => location.reload()</script>",
        "<script>onload = () => { location.search = performance.timeOrigin + Math.random() }</script>",
    ],
)
def test_a_page_that_is_sent_to_itself_stays(way):
    code = f"{way}<p>drawn</p><script src=a.js></script>"
    assert render("html", code).text.strip() == "drawn"


@pytest.mark.parametrize(
    ("document", "texts"),
    [
        ("<script>a</script><SCRIPT src=b>c</SCRIPT >", ["a", "c"]),
        ("<!-- <script>a</script> --><script>b</script>", ["b"]),
        ("<script>'<!--'</script>'-->'<script>b</script>", ["'<!--'", "b"]),
        ("<script>'<script>'</script><script>b</script>", ["'<script>'", "b"]),
        ("<!-- <script>a</script>", []),
        ("<script>a", []),
        ("</script>--><scripts>a</script><script>b</script>", ["b"]),
    ],
)
def test_scripts_are_none_of_comments_or_of_scripts(document, texts):
    assert [document[start:end] for _, start, end in find_scripts(document)] == texts


def test_entities_of_a_document_type_have_no_effect():
    code = "<!DOCTYPE svg [<!ENTITY a 'replaced'>]><svg><text y='20'>&a;</text></svg>"
    assert "replaced" not in render("svg", code).text


def made_of(text, protocol):
    """The body that is made of Markdown."""
    limits = markdown.ENGINE.limits
    return python.make("markdown_job", markdown.PACKAGES, text, {}, protocol, limits).page.decode()


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
    assert html in made_of(markdown_text, "published")


@pytest.mark.parametrize(
    ("markdown_text", "html"),
    [
        ("> [!TIP]\n> use it", "markdown-alert-tip"),
        ("a[^1]\n\n[^1]: b", 'class="footnotes"'),
        ("---\ntitle: x\n---\ntext", "<p>text</p>\n"),
        ("see www.example.com", 'href="http://www.example.com"'),
        ("- [x] done", 'type="checkbox"'),
        ("word\n: what it means", "<dd>what it means</dd>"),
        ("$x^2$", '<span class="math inline">x^2</span>'),
        ("$$\na\n$$", '<div class="math block">'),
        ("from $5 to $10", "<p>from $5 to $10</p>"),
        ("~~gone~~", "<s>gone</s>"),
    ],
)
def test_the_corrected_protocol_reads_markdown_as_github_does(markdown_text, html):
    assert html in made_of(markdown_text, "corrected")


RICH = """Go :rocket: at 12:30:45, `:rocket:`

```math
\\frac{x}{7}
```

```python
def f(): return None
```

```mermaid
flowchart LR
  A --> B
```

```mermaid
flowchart LR
  A[f(x)]
```
"""


def test_mathematics_diagrams_code_and_emoji_are_drawn_in_the_corrected_protocol():
    published = render("markdown", RICH)
    corrected = render("markdown", RICH, protocol="corrected")
    assert corrected.text.startswith("Go 🚀 at 12:30:45, :rocket:\n")
    assert "\\frac" in published.text
    assert "\\frac" not in corrected.text
    assert (published.text.count("flowchart"), corrected.text.count("flowchart")) == (2, 1)
    assert (215, 58, 73) in dict(map(reversed, corrected.image.getcolors(10**6)))  # of "def"
    assert "diagram 2: Parse error on line 2" in corrected.log
    assert corrected.missing == published.missing == ()


def test_a_page_of_markdown_loads_only_what_it_has():
    assert markdown.find_extras("<p>a</p>", "a") == markdown.STYLES
    extras = markdown.find_extras('<pre><code class="language-mermaid">', "zenuml")
    assert "mermaid-zenuml" in extras
    assert "katex" not in extras


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


RED = "<rect width='100%' height='100%' fill='red'/>"


def corners(code: str, protocol: str) -> tuple[tuple[int, int], tuple[int, int, int, int]]:
    """The size of an SVG's picture, and the box of what is not white."""
    image = render("svg", code, protocol=protocol).image
    return image.size, ImageChops.invert(image).getbbox()


@pytest.mark.parametrize(
    ("size", "box"),
    [
        ("", (0, 0, 1280, 720)),
        ("width='100%' height='100%'", (0, 0, 1280, 720)),
        ("width='50%' height='50%'", (320, 180, 960, 540)),
        ("width='600'", (340, 0, 940, 720)),
        ("width='100' height='80'", (590, 320, 690, 400)),
        ("viewBox='0 0 200 100'", (0, 40, 1280, 680)),
        ("style='width: 400px; height: 200px'", (440, 260, 840, 460)),
    ],
)
def test_a_size_in_percent_is_that_of_the_window_in_the_corrected_protocol(size, box):
    assert corners(f"<svg {size}>{RED}</svg>", "corrected") == ((1280, 720), box)


def test_all_of_an_image_that_is_larger_than_the_page_is_seen_in_the_corrected_protocol():
    code = (
        "<svg width='5000' height='3000'><rect x='4000' y='2000' width='500' height='500'/></svg>"
    )
    assert corners(code, "published") == ((1280, 768), None)
    assert corners(code, "corrected") == ((1280, 768), (1024, 512, 1152, 640))
    assert corners(f"<svg viewBox='0 0 10 200'>{RED}</svg>", "corrected")[0] == (1280, 10_000)


def test_the_size_of_an_image_inside_of_another_is_its_own_in_the_corrected_protocol():
    code = f"<svg width='400' height='400'><svg width='100' height='40'>{RED}</svg></svg>"
    assert corners(code, "corrected")[1] == (440, 160, 540, 200)


def test_a_font_that_an_image_imports_comes_from_its_package():
    code = (
        (
            "<svg width='300' height='60'><style>@import url('https://fonts.googleapis.com/css2?family=%s')"
            ";text {{ font: 40px '%s' }}</style><text y='40'>Words</text></svg>"
        )
        .replace("{{", "{")
        .replace("}}", "}")
    )
    known, unknown = (render("svg", code % (name, name)) for name in ("Pacifico", "Nowhere Sans"))
    assert known.missing == ()
    assert known.image.tobytes() != unknown.image.tobytes()
    assert [str(one) for one in unknown.missing] == [
        "font Nowhere Sans of fonts.googleapis.com (https://fonts.googleapis.com/css2?family=Nowhere%20Sans)"
    ]


def test_what_an_image_uses_of_other_hosts_is_missing():
    link = "xlink:href='https://example.com/a.svg#b'"
    missing = render("svg", f"<svg><use {link}/><use href='#b'/></svg>").missing
    assert [str(one) for one in missing] == ["picture example.com (https://example.com/a.svg#b)"]


def test_a_font_that_claims_to_be_another_is_drawn_in_its_own_page_alone():
    text = "<p style='font: 40px Roboto'>Handgloves</p>"
    file = Path(matplotlib.get_data_path(), "fonts/ttf/cmmi10.ttf").read_bytes()
    address = f"data:font/ttf;base64,{base64.b64encode(file).decode()}"
    face = f"<style>@font-face {{ font-family: Roboto; src: url({address}) }}</style>"
    plain, claimed, broken, again = (
        render("html", code).image.tobytes()
        for code in (text, face + text, face.replace("AAEA", "BBEB", 1) + text, text)
    )
    assert claimed != plain
    assert plain == again == broken
