"""HTML, Canvas, React, Vue and Angular: what is right is drawn, what is broken says why."""

import re

import numpy as np
import pytest

from helm_structext.errors import RenderError
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render, render_completion
from helm_structext.renderers.web.frameworks import parts, tailwind
from helm_structext.renderers.web.tab import MAX_HEIGHT, MAX_WIDTH
from support.pages import BROKEN, RIGHT


def each(table):
    return [
        pytest.param(format, snippet, id=f"{format}: {name}")
        for format, snippets in table.items()
        for name, snippet in snippets.items()
    ]


@pytest.mark.parametrize(("format", "right"), each(RIGHT))
def test_right_code_is_drawn(format, right):
    rendered = render(format, right.code)
    for words in right.words:
        assert words in rendered.text
    assert rendered.image.width >= 1280
    assert rendered.image.height >= 720
    if right.color:
        colors = rendered.image.getcolors(rendered.image.width * rendered.image.height)
        assert right.color in {color for count, color in colors if count > 50}


@pytest.mark.parametrize(("format", "broken"), each(BROKEN))
def test_broken_code_says_why(format, broken):
    with pytest.raises(RenderError) as caught:
        render(format, broken.code)
    assert caught.value.kind == broken.kind
    assert re.search(broken.message, caught.value.message)


def test_picture_is_the_whole_page():
    page = (
        "<body style='margin:0'><div style='height:100vh;background:navy'></div>"
        "<div style='height:500px;background:gold'></div><i style='position:fixed;bottom:0'>fixed</i>"
    )
    image = render("html", page).image
    assert image.size == (1280, 1220)
    # A viewport is as high as before, and what is fixed to it stays there.
    assert image.getpixel((600, 719)) == (0, 0, 128)
    assert image.getpixel((600, 1219)) == (255, 215, 0)


def test_picture_of_a_page_without_end_is_cut():
    image = render("html", "<div style='width:99999px;height:99999px'>x").image
    assert image.size == (MAX_WIDTH, MAX_HEIGHT)


def test_script_with_a_canvas_of_its_own_gets_no_other():
    code = (
        "const canvas = document.createElement('canvas'); document.body.append(canvas);"
        "canvas.getContext('2d').fillRect(0, 0, 9, 9)"
    )
    image = render("canvas", code).image
    assert image.size == (1280, 720)
    assert image.getpixel((4, 4)) == (0, 0, 0)


def test_short_page_fills_the_window():
    assert render("html", "<p>short").image.size == (1280, 720)


def test_picture_waits_for_what_changes_and_for_no_more():
    page = (
        "<p id=p>0<script>let n = 0; const timer = setInterval(() => {{"
        "p.textContent = ++n * 100; if (n == {}) clearInterval(timer) }}, 100)</script>"
    )
    assert render("html", page.format(25)).text == "2500"
    assert 2800 <= int(render("html", page.format(1000)).text) <= 3100


def test_blank_page_is_a_picture_unless_something_was_thrown():
    assert (
        render("html", "<div></div><style>p { color: red }</style>").image.getextrema()
        == ((255, 255),) * 3
    )
    blank = render("canvas", "let a = 1")
    assert (blank.image.getextrema(), blank.text) == (((255, 255),) * 3, "let a = 1")
    drawn = render("html", "<p>Something<script>missing()</script>")
    assert "missing is not defined" in drawn.log


def test_what_is_refused_is_in_the_log():
    log = render(
        "html",
        "<p>x<img src=https://example.com/a.png><script src=http://127.0.0.1:9/b.js></script>"
        "<link rel=stylesheet href=https://cdn.jsdelivr.net/npm/left-pad@1/c.css><img src=d.png>",
    ).log
    for name in ("example.com/a.png", "127.0.0.1:9/b.js", "left-pad@1/c.css"):
        assert f"{name} was refused" in log
    assert "d.png is not in the answer" in log


def test_what_an_answer_can_not_bring_is_left_out_and_noted():
    code = (
        "import './App.css';\nimport logo from './logo.svg';\n"
        "export default () => <img src={logo} alt='logo' />"
    )
    log = render("react", code).log
    assert "App.jsx: ./App.css is not in the answer and was left out" in log
    assert "App.jsx: ./logo.svg is not in the answer and was left out" in log


def test_same_code_gives_the_same_picture():
    for format, snippets in RIGHT.items():
        code = next(iter(snippets.values())).code
        first, second = render(format, code), render(format, code)
        assert first.image.tobytes() == second.image.tobytes()


def test_names_that_every_object_has_are_no_packages():
    for name in ("constructor", "toString", "__proto__"):
        with pytest.raises(RenderError, match=f'cannot import "{name}"'):
            render("react", f"import x from '{name}'; export default () => <p>{{x}}</p>")


def test_completion_in_tags_and_fences():
    code = "export default () => <p>Tagged</p>"
    assert render_completion("react", f"<|BEGIN_CODE|>\n{code}\n<|END_CODE|>").text == "Tagged"
    assert render_completion("react", f"```jsx\n{code}\n```").text == "Tagged"


def test_only_a_line_of_its_own_names_a_file():
    code = "// App.jsx\nconst a = 'b.css' // see c.css for more\n"
    assert parts(code, "x.jsx") == {"App.jsx": "\nconst a = 'b.css' // see c.css for more\n"}


def test_scripts_of_many_languages_have_their_letters():
    pictures = [render("html", f"<p>{letter}").image.tobytes() for letter in "ä数学日한ж"]
    assert len(set(pictures)) == len(pictures)


HEADINGS = "<h1>First</h1><h2>Second</h2>"
COMPONENTS = {
    "react": f"export default () => <>{HEADINGS}<hr style={{{{height: 9, background: 'navy'}}}} /></>",
    "vue": f"<template>{HEADINGS}<hr style='height: 9px; background: navy'></template>",
}
# Format → color of the page around the column.
AROUND = {"react": (245, 245, 245), "vue": (245, 247, 250)}
GREEN, WHITE = (66, 185, 131), (255, 255, 255)


def measured(format, protocol):
    """The color of the first pixel, the ends of a line as wide as it can be, colors of the page."""
    image = render(format, COMPONENTS[format], protocol=protocol).image
    columns = np.where(np.all(np.asarray(image) == (0, 0, 128), axis=-1))[1]
    colors = {color for _, color in image.getcolors(image.width * image.height)}
    return image.getpixel((0, 0)), (columns.min() - 1, columns.max() + 2), colors


@pytest.mark.parametrize("format", COMPONENTS)
def test_components_stand_in_the_published_page_in_its_protocol_alone(format):
    corner, ends, colors = measured(format, "published")
    assert (corner, ends, GREEN in colors) == (AROUND[format], (40, 1240), True)
    corner, ends, colors = measured(format, "corrected")
    assert (corner, ends, GREEN in colors) == (WHITE, (8, 1272), False)


@pytest.mark.parametrize(("format", "level"), [("react", 2), ("vue", 1)])
def test_one_level_of_headings_is_green(format, level):
    for one in (1, 2):
        code = COMPONENTS[format].replace(HEADINGS, f"<h{one}>Heading</h{one}>")
        image = render(format, code, protocol="published").image
        colors = {color for _, color in image.getcolors(image.width * image.height)}
        assert (GREEN in colors) == (one == level)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_wrapper_alone_is_nothing_to_see(protocol):
    for format, code in {
        "react": "export default () => { throw new Error('thrown') }",
        "vue": "<script setup>\nthrow new Error('thrown')\n</script>\n<template><p/></template>",
    }.items():
        with pytest.raises(RenderError, match="thrown"):
            render(format, code, protocol=protocol)


def test_pages_of_their_own_have_no_wrapper():
    code = "<div id=app>{{ a }}</div><script>Vue.createApp({data: () => ({a: 1})}).mount('#app')</script>"
    pictures = {render("vue", code, protocol=one).image.tobytes() for one in PROTOCOLS}
    assert len(pictures) == 1


def test_styles_of_an_answer_win_over_those_of_the_wrapper():
    code = (
        "<template><h1>A</h1></template><style>h1 { background: teal } #app { padding: 0 }</style>"
    )
    image = render("vue", code, protocol="published").image
    assert image.getpixel((41, 70)) == (0, 128, 128)


@pytest.mark.parametrize(
    ("fill", "color"),
    [("var(--chart-1)", "hsl(12 76% 61%);"), ("hsl(var(--chart-1))", "12 76% 61%;")],
)
def test_colors_of_charts_are_what_the_code_takes_them_for(fill, color):
    code = f"import {{Card}} from '@/components/ui/card'; export default () => <i fill='{fill}'/>"
    assert f"--chart-1: {color}" in tailwind(code, "")
