"""What a browser tells of its pictures: where texts are, how they look, and whether they can be seen."""

import json

import pytest
from PIL import Image, ImageChops, ImageDraw

from helm_structext.errors import RenderError
from helm_structext.findings import compare
from helm_structext.layouts import TextBox
from helm_structext.renderers import render
from helm_structext.renderers.outcome import has_ink
from helm_structext.renderers.web import snapshot, tab, text_pieces
from helm_structext.renderers.web.box_styles import STYLES
from helm_structext.renderers.web.snapshot import read_snapshot

HTML = "<!DOCTYPE html><meta charset=utf-8><style>body { font: 16px sans-serif }</style><body>"


def drawn(code, format="html", protocol="published"):
    rendering = render(format, code, protocol=protocol, layout=True)
    assert rendering.layout, rendering.layout_reason
    assert rendering.layout.size == rendering.image.size
    return rendering


def layout(body, **options):
    return drawn(HTML + body, **options).layout


def texts(body):
    return {one.text: one for one in layout(body).texts}


def uncovered_ink(rendering, slack=2):
    """Where something is drawn that no box says."""
    picture = rendering.image.convert("L")
    pen = ImageDraw.Draw(picture)
    for one in (*rendering.layout.texts, *rendering.layout.elements):
        left, top, right, bottom = one.box
        pen.rectangle((left - slack, top - slack, right + slack, bottom + slack), 255)
    return ImageChops.invert(picture).point(lambda level: 255 * (level > 40)).getbbox()


def boxes_without_ink(rendering):
    """Texts that are said to be seen, where nothing is drawn."""
    blank = []
    for one in rendering.layout.texts:
        left, top, right, bottom = one.box
        part = rendering.image.crop((int(left), int(top), int(right) + 1, int(bottom) + 1))
        if one.visible and part.convert("L").getextrema()[0] > 200:
            blank.append(one)
    return blank


WRAPPED = "<p style='width: 150px'>Some words that take a few lines, <i>and slanted ones</i>, and more</p>"
SCROLLED = (
    "<h1>Top</h1><div style='height: 3000px'></div><h2 id=x>Here</h2><p>and below</p>"
    "<div style='height: 2000px'></div><script>x.scrollIntoView()</script>"
)
PAGES = {
    "lines": ("html", HTML + WRAPPED + "<ul><li>one<li>two</ul><ol><li>first</ol>"),
    "long page": ("html", HTML + "<div style='height: 1700px'></div>" + WRAPPED),
    "wide page": ("html", HTML + "<p style='width: 2000px; text-align: right'>far right</p>"),
    "scrolled": ("webpage", json.dumps([{"filename": "index.html", "content": HTML + SCROLLED}])),
    "turned": (
        "html",
        HTML
        + "<br><br><p style='transform: rotate(-20deg) scale(1.5); width: 90px; margin: 99px'>turned",
    ),
    "columns": (
        "html",
        HTML
        + "<div style='columns: 3; width: 600px'><p>"
        + "some words in columns " * 9
        + "</p></div>",
    ),
    "vertical": (
        "html",
        HTML + "<p style='writing-mode: vertical-rl; height: 99px'>several words down",
    ),
    "mixed directions": (
        "html",
        HTML + "<p dir=rtl style='width: 250px'>שלום עולם and Latin עוד טקסט ארוך",
    ),
    "zoomed": (
        "html",
        HTML + "<p style='zoom: 1.7'>zoomed</p><p style='scale: 2; width: 60px'>scaled",
    ),
    "frames": (
        "html",
        HTML + "<iframe width=300 height=90 style='border: 0; padding: 9px; background: white' "
        "srcdoc=\"<p>inside</p><p style='margin-top: 300px'>scrolled to</p>"
        '<script>scrollTo(0, 999)</script>"></iframe>',
    ),
    "scaled frame": (
        "html",
        HTML
        + "<div style='transform: scale(.5)'><iframe width=300 height=90 style='border: 0; background: white' "
        'srcdoc="<p>inside</p>"></iframe></div>',
    ),
    "shadows": (
        "html",
        HTML
        + "<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = '<p>in a shadow'</script>",
    ),
    "canvas": (
        "canvas",
        "const c = document.getElementById('canvas').getContext('2d'); c.font = '20px serif'; c.fillText('at', 40, 60);"
        "c.textAlign = 'right'; c.fillText('right', 900, 60); c.textAlign = 'center'; c.textBaseline = 'top';"
        "c.translate(400, 300); c.rotate(1); c.scale(2, 1); c.fillText('turned', 0, 0)",
    ),
    "svg": (
        "svg",
        '<svg xmlns="http://www.w3.org/2000/svg" width="500" height="200" viewBox="0 0 1000 400">'
        '<text x="50" y="90" font-size="60">scaled <tspan fill="#333">part</tspan></text>'
        '<text x="10 90 180" y="300" font-size="60">abc</text>'
        '<text transform="translate(500 300) rotate(-40)" font-size="40">slanted</text></svg>',
    ),
    "uses": (
        "svg",
        '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 400 200"><use href="#late" x="9" y="9"/>'
        '<defs><g id="late"><text x="50" y="50">again</text></g></defs><use href="#late" x="150" y="90"/></svg>',
    ),
    "markdown": ("markdown", "# Title\n\nSome *words* and `code`.\n\n1. one\n2. two\n\n> quoted"),
    "react": (
        "react",
        "export default () => <ul>{['a', 'b'].map(x => <li key={x}>item {x}</li>)}</ul>",
    ),
    "vue": ("vue", "<template><p>{{ 1 + 1 }} things</p></template>"),
    "mermaid": ("mermaid", "flowchart LR\n  A[Begin] -->|yes| B{Is it?}\n  B --> C((End))"),
    "vega": (
        "vega",
        json.dumps(
            {
                "data": {"values": [{"a": "A", "b": 28}, {"a": "B", "b": 55}]},
                "mark": "bar",
                "title": "Bars",
                "encoding": {"x": {"field": "a"}, "y": {"field": "b", "type": "quantitative"}},
            }
        ),
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_boxes_are_where_things_are_drawn(name):
    rendering = drawn(PAGES[name][1], PAGES[name][0])
    assert [one.text for one in rendering.layout.texts]
    assert uncovered_ink(rendering) is None
    assert boxes_without_ink(rendering) == []


@pytest.mark.parametrize("name", ["lines", "scrolled", "canvas", "uses", "vega"])
def test_the_picture_is_the_same_with_and_without_its_layout(name):
    format, code = PAGES[name]
    first, second = drawn(code, format), drawn(code, format)
    assert render(format, code).image.tobytes() == first.image.tobytes() == second.image.tobytes()
    assert first.layout == second.layout


def test_texts_are_told_by_line_and_in_the_order_of_reading():
    found = layout(
        WRAPPED + "<p dir=rtl>שלום עולם and Latin עוד</p><p>pre<b>fix</b> {}</p>"
        "<table><tr><td>a<td>b</table><p style='text-transform: uppercase'>😀 loud <i>text</i>"
    )
    assert [one.text for one in found.texts] == [
        "Some words that",
        "take a few lines, and",
        "slanted ones, and",
        "more",
        "שלום עולם and Latin עוד",
        "prefix {}",
        "a",
        "b",
        "😀 LOUD TEXT",
    ]


SEEN = {
    "half": "<p style='opacity: .5'>half</p>",
    "glass": "<div style='position: relative'>glass<i style='position: absolute; inset: 0; background: #ff03'></i></div>",
    "gradient": "<b style='background: linear-gradient(red, blue); -webkit-background-clip: text; color: transparent'>"
    "gradient</b>",
    "scroller": "<div style='height: 40px; overflow: auto'>scroller</div>",
    "escaped": "<div style='overflow: hidden; height: 5px'><p style='position: absolute'>escaped</p></div>",
    "behind": "<div style='position: relative'><i style='position: absolute; z-index: -1'>behind</i></div>",
}
UNSEEN = {
    "faint": "<p style='opacity: .3'><span style='opacity: .2'>faint</span></p>",
    "clear": "<p style='color: transparent'>clear</p>",
    "hidden": "<p style='visibility: hidden'>hidden</p>",
    "covered": "<div style='position: relative'>covered<i style='position: absolute; inset: 0; background: gold'></i></div>",
    "clipped": "<div style='height: 12px; overflow: hidden'><br>clipped</div>",
    "long": "<p style='width: 20px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis'>long</p>",
    "away": "<p style='position: absolute; left: -999px'>away</p>",
    "indented": "<p style='text-indent: -9999px'>indented</p>",
    "reader": "<p style='position: absolute; width: 1px; height: 1px; overflow: hidden'>reader</p>",
    "inset": "<p style='clip-path: inset(50%)'>inset</p>",
    "below": "<iframe height=30 srcdoc='<br><br><br>below'></iframe>",
    "painted": "<svg width=99 height=40><text y=20>painted</text><rect width=99 height=40 fill=gold /></svg>",
}


def test_what_a_person_can_see_is_told_from_what_they_can_not():
    seen = texts("".join(f"<section>{one}</section>" for one in (SEEN | UNSEEN).values()))
    assert {name for name in SEEN if not seen[name].visible} == set()
    assert {name for name in UNSEEN if seen[name].visible} == set()


def test_what_is_not_displayed_is_not_told():
    found = texts("<p style='display: none'>gone</p><template>spare</template><details><summary>Open</summary>closed</details>"
                  "<script type=x>code</script><svg><title>name</title><defs><text>spare</text></defs></svg>"
                  "<input type=hidden value=secret><noscript>without</noscript>end")  # fmt: skip
    assert set(found) == {"▸ Open", "end"}


def test_colors_and_sizes_are_those_on_the_picture():
    found = texts(
        "<p style='color: oklch(0.628 0.258 29.2); font-size: 20px'>lch</p><p style='color: rgb(1 2 3 / 50%)'>half</p>"
        "<p style='zoom: 2'>zoomed</p><p style='-webkit-text-stroke: 1px blue; color: transparent'>lined</p><p style='transform: scale(1.5)'>scaled</p>"
        "<svg width=200 height=100 viewBox='0 0 100 50'><text y=20 font-size=10 fill='#123456'>drawn</text></svg>"
    )
    assert {name: (one.color, round(one.size, 2)) for name, one in found.items()} == {
        "lch": ("#ff0000", 20),
        "half": ("#010203", 16),
        "zoomed": ("#000000", 32),
        "lined": ("#0000ff", 16),
        "scaled": ("#000000", 24),
        "drawn": ("#123456", 20),
    }


def test_what_stands_in_no_text_of_the_page_is_told_too():
    found = texts(
        "<style>q::before { content: 'before ' } li::marker { content: 'mark ' }</style><q>quoted</q><ul><li>item</ul>"
        "<input value=first id=i><input placeholder=hint><input type=submit><input type=password value=abc>"
        "<select><option>one<option selected label=Two>2</select><textarea>some text</textarea>"
        "<select size=2><option>A<option>B</select><input type=date value=2024-02-03><img src=no.png alt='no picture'>"
        "<script>i.value = 'typed'</script>"
    )
    assert [*found] == [
        "before quoted",
        "mark",
        "item",
        "typed",
        "hint",
        "Submit",
        "•••",
        "Two",
        "some text",
        "A",
        "B",
        "no picture",
    ]


def test_a_control_says_its_words_in_the_case_in_which_they_are_shown():
    found = texts(
        "<input type=submit value='add to cart' style='text-transform: uppercase'>"
        "<input placeholder='your name' style='text-transform: capitalize'>"
    )
    assert [*found] == ["ADD TO CART", "Your Name"]


def test_what_is_not_seen_of_a_text_is_not_in_it():
    assert {"zerowidth", "hyphen-", "ated word"} == set(
        texts("<p>zero&#8203;width</p><p style='width: 80px'>hyphen&shy;ated w&shy;ord</p>")
    )


def test_a_background_that_has_not_come_is_no_picture():
    kinds = [
        one.kind
        for address in (
            "missing.png",
            "https://example.org/a.png#b",
            "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==",
        )
        for one in layout(f"<p style='background: url({address})'>words").elements
    ]
    assert kinds == ["image"]


def test_elements_are_told_from_the_lowest_to_the_uppermost():
    found = layout(
        "<style>body { background: #eee } .b { position: absolute; width: 50px; height: 50px; top: 300px; left: 0 }</style>"
        "<hr style='border: 1px solid #00f'><img width=30 height=20><button style='background: #0a0'>x</button>"
        "<div style='border-bottom: 2px solid red; width: 100px'>u</div>"
        "<div class=b style='z-index: 2; background: #111'></div><div class=b style='z-index: 1; background: #222'></div>"
        "<svg width=50 height=20><line x2=50 y1=5 y2=5 stroke=teal /><circle r=5 cx=9 cy=9 fill=url(#none) stroke=red />"
        "</svg>"
    )
    kinds = [(one.kind, one.color) for one in found.elements]
    assert kinds[0] == ("shape", "#eeeeee")
    assert found.elements[0].box == (0, 0, *found.size)
    assert set(kinds) == {
        ("shape", "#eeeeee"),
        ("rule", "#0000ff"),
        ("image", ""),
        ("control", "#00aa00"),
        ("rule", "#ff0000"),
        ("rule", "#008080"),
        ("shape", ""),
        ("shape", "#222222"),
        ("shape", "#111111"),
    }
    assert kinds[-2:] == [("shape", "#222222"), ("shape", "#111111")]
    (rule,) = (one.box for one in found.elements if one.color == "#ff0000")
    assert (rule[2] - rule[0], rule[3] - rule[1]) == (100, 2)


@pytest.mark.parametrize(
    "written",
    [
        "<path d='M9 50H90' stroke=blue />",
        "<path d='M9,9 L90,90' stroke=blue />",
        "<polyline points='9 9 90 90' stroke=blue />",
        "<line x1=9 y1=9 x2=90 y2=90 stroke=blue />",
        "<path d='M9 50L90 50L50 50' stroke=blue />",
        "<rect x=9 y=50 width=90 height=2 stroke=blue />",
    ],
)
def test_a_straight_line_has_the_color_of_its_stroke(written):
    """What would fill it, black where nothing is said, is not to be seen."""
    found = layout(f"<svg width=99 height=99>{written}</svg>")
    assert [(one.kind, one.color, one.line) for one in found.elements] == [("rule", "#0000ff", "")]


@pytest.mark.parametrize(
    ("written", "faces"),
    [
        ("<p>one <b>two</b> <i>x</i></p>", "rrrbbbi"),
        ("<p style='font-weight: 600'>one <em>two</em></p>", "bbbzzz"),
        (
            "<p style='font-weight: 500'>one <span style='font-style: oblique 9deg'>t</span></p>",
            "rrri",
        ),
        ("<h1>one two</h1>", "b"),
        ("<button style='font: italic 20px Arial'>one two</button>", "i"),
        ("<input style='font: bold 20px Arial' value='one two'>", "b"),
        ("<svg width=200 height=50><text y=20 font-weight=bold>one two</text></svg>", "b"),
    ],
)
def test_letters_are_bold_or_italic_by_their_style(written, faces):
    (text,) = layout(written).texts
    assert text.faces == faces


def test_lines_are_dashed_or_solid():
    found = layout(
        "<div style='border: 1px dashed blue'>a</div><div style='border: 1px solid blue'>b</div>"
        "<div style='background: #eee'>c</div><div style='border-top: 2px dotted red'>d</div>"
        "<svg width=99 height=50><path d='M9 9H90' stroke=blue stroke-dasharray=4 /><rect width=30 height=9 "
        "fill=lime stroke=navy /><circle r=9 fill=teal /><path d='M9 20H90' stroke=red stroke-dasharray=0 /></svg>"
    )
    assert [one.dashed for one in found.elements] == [
        True,
        False,
        None,
        True,
        True,
        False,
        None,
        False,
    ]


CANVAS = HTML + (
    "<canvas id=a width=400 height=200 style='width: 200px; padding: 7px'></canvas><script>"
    "const c = a.getContext('2d'); c.font = 'bold 20px serif'; %s</script>"
)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("c.fillText('gone', 9, 50); c.clearRect(0, 0, 400, 200)", []),
        ("c.fillText('gone', 9, 50); c.fillRect(0, 0, 300, 80)", []),
        ("c.fillText('gone', 9, 50); a.width = 300", []),
        ("c.fillText('gone', 9, 50); c.beginPath(); c.rect(0, 0, 300, 90); c.fill()", []),
        ("c.fillText('stays', 9, 50); c.clearRect(0, 90, 400, 100)", [("stays", "#000000", True)]),
        ("c.fillText('stays', 9, 50); c.rect(0, 0, 5, 5); c.clip(); c.clearRect(0, 0, 400, 200)",
         [("stays", "#000000", True)]),
        ("c.fillText('stays', 9, 50); c.clearRect(0, NaN, 400, 200)", [("stays", "#000000", True)]),
        ("c.fillText('gone', 9, 50); c.rect(0, 0, 300, 80); c.clip(); c.clearRect(0, 0, 400, 200)", []),
        ("c.fillText('stays', 9, 50); c.fillStyle = '#fff3'; c.fillRect(0, 0, 400, 200)", [("stays", "#000000", True)]),
        ("for (const x of [1, 2, 3]) c.fillText('once', 9, 50)", [("once", "#000000", True)]),
        (
            "c.strokeStyle = 'red'; c.fillStyle = '#00f'; c.strokeText('lined', 9, 50); c.fillText('lined', 9, 50)",
            [("lined", "#0000ff", True)],
        ),
        ("c.fillStyle = 'oklch(0.628 0.258 29.2)'; c.fillText(12.5, 9, 50)", [("12.5", "#ff0000", True)]),
        ("c.fillText('out', 390, 50); c.globalAlpha = .05; c.fillText('faint', 9, 99)",
         [("out", "#000000", False), ("faint", "#000000", False)]),
    ],
)  # fmt: skip
def test_texts_of_a_canvas_are_those_that_are_still_there(script, expected):
    found = drawn(CANVAS % script).layout.texts
    assert [(one.text, one.color, one.visible) for one in found] == expected
    assert {one.size for one in found} <= {10}


PLAIN_CANVAS = HTML + (
    "<style>body { margin: 0 }</style><canvas id=a width=400 height=200></canvas><script>"
    "const c = a.getContext('2d'); c.fillStyle = '#f00'; c.strokeStyle = '#00f'; %s</script>"
)
FULL = (0, 0, 400, 200)


def test_shapes_have_the_color_of_their_outlines():
    found = layout(
        "<div style='border: 1px solid blue'>a</div><div style='border: 1px solid blue; background: red'>b</div>"
        "<svg width=90 height=40><rect width=30 height=30 fill=lime stroke=navy /><circle r=9 fill=teal />"
        "<path d='M 40 0 Q 60 0 80 30' stroke=red fill=none /></svg>"
    )
    told = [(one.color, one.line) for one in found.elements if one.kind == "shape"]
    assert told == [
        ("#0000ff", "#0000ff"),
        ("#ff0000", "#0000ff"),
        ("#00ff00", "#000080"),
        ("#008080", ""),
        ("#ff0000", "#ff0000"),
    ]
    canvas = drawn(PLAIN_CANVAS % "c.fillRect(5, 5, 50, 50); c.strokeRect(5, 5, 50, 50)").layout
    assert [(one.color, one.line) for one in canvas.elements if one.kind == "shape"] == [
        ("#ff0000", ""),
        ("#0000ff", "#0000ff"),
    ]


def shapes(script):
    """What is told of a canvas beside itself, which is told where it shows something."""
    told = [(one.kind, one.box, one.color) for one in drawn(PLAIN_CANVAS % script).layout.elements]
    return told[1:] if told[:1] == [("image", FULL, "")] else told


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("c.fillRect(10, 20, 50, 30)", [("shape", (10, 20, 60, 50), "#ff0000")]),
        ("c.fillRect(60, 50, -50, -30)", [("shape", (10, 20, 60, 50), "#ff0000")]),
        ("c.lineWidth = 4; c.strokeRect(10, 20, 50, 30)", [("shape", (8, 18, 62, 52), "#0000ff")]),
        ("c.fillRect(10, 20, 50, 2)", [("rule", (10, 20, 60, 22), "#ff0000")]),
        ("c.beginPath(); c.arc(50, 50, 20, 0, Math.PI); c.fill()", [("shape", (30, 50, 70, 70), "#ff0000")]),
        ("c.beginPath(); c.ellipse(50, 50, 40, 20, Math.PI / 2, 0, 7); c.fill()",
         [("shape", (30, 10, 70, 90), "#ff0000")]),
        ("c.beginPath(); c.roundRect(10, 20, 50, 30, 8); c.fill()", [("shape", (10, 20, 60, 50), "#ff0000")]),
        ("c.lineWidth = 2; c.moveTo(10, 10); c.lineTo(90, '50'); c.lineTo(30, 80); c.stroke()",
         [("shape", (9, 9, 91, 81), "#0000ff")]),
        ("c.moveTo(0, 0); c.bezierCurveTo(0, 80, 80, 80, 80, 0); c.fill()", [("shape", (0, 0, 80, 60), "#ff0000")]),
        ("c.moveTo(0, 0); c.quadraticCurveTo(40, 80, 80, 0); c.fill()", [("shape", (0, 0, 80, 40), "#ff0000")]),
        ("c.fill(new Path2D('M10 20h50v30H10z'))", [("shape", (10, 20, 60, 50), "#ff0000")]),
        ("c.fill(new Path2D('M100,50a20,20 0 1,0 40,0a20 20 0 1040 0z'))", [("shape", (100, 50, 180, 70), "#ff0000")]),
        ("const p = new Path2D(), q = new Path2D(); q.rect(0, 0, 20, 10); p.addPath(q, new DOMMatrix([1, 0, 0, 1, 40, 50]));"
         "c.fill(new Path2D(p))", [("shape", (40, 50, 60, 60), "#ff0000")]),
        ("c.translate(100, 50); c.rotate(Math.PI / 2); c.scale(2, 1); c.fillRect(0, 0, 20, 10)",
         [("shape", (90, 50, 100, 90), "#ff0000")]),
        ("c.save(); c.scale(9, 9); c.restore(); c.fillRect(10, 20, 50, 30)", [("shape", (10, 20, 60, 50), "#ff0000")]),
        ("c.fillRect(380, 180, 90, 90)", [("shape", (380, 180, 400, 200), "#ff0000")]),
        ("c.save(); c.rect(10, 20, 50, 30); c.clip(); c.fillRect(0, 0, 30, 99); c.restore(); c.fillRect(90, 0, 9, 99)",
         [("shape", (10, 20, 30, 50), "#ff0000"), ("shape", (90, 0, 99, 99), "#ff0000")]),
        ("c.fillStyle = c.createLinearGradient(0, 0, 9, 9); c.fillStyle.addColorStop(0, 'red'); c.fillRect(10, 20, 50, 30)",
         [("shape", (10, 20, 60, 50), "")]),
        ("const b = new OffscreenCanvas(30, 20); b.getContext('2d').fillRect(0, 0, 9, 9); c.drawImage(b, 50, 60);"
         "c.drawImage(b, 0, 0, 9, 9, 100, 90, 40, 50)", [("image", (50, 60, 80, 80), ""), ("image", (100, 90, 140, 140), "")]),
    ],
)  # fmt: skip
def test_shapes_on_a_canvas_have_their_boxes_and_colors(script, expected):
    assert [(kind, pytest.approx(box, abs=0.4), color) for kind, box, color in expected] == shapes(
        script
    )


@pytest.mark.parametrize(
    "script",
    [
        "c.fillRect(10, 20, 50, 30); c.clearRect(0, 0, 400, 200)",
        "c.fillRect(10, 20, 50, 30); c.clearRect(5, 5, 90, 90)",
        "c.fillRect(10, 20, 50, 30); a.width = 400",
        "c.fillRect(10, 20, 50, 30); c.reset()",
        "c.globalAlpha = .05; c.fillRect(10, 20, 50, 30)",
        "c.fillStyle = '#ff000005'; c.fillRect(10, 20, 50, 30)",
        "c.globalCompositeOperation = 'destination-out'; c.fillRect(10, 20, 50, 30)",
        "c.fillRect(500, 20, 50, 30); c.fillRect(NaN, 0, 9, 9); c.moveTo(3, 3); c.stroke(); c.fill()",
        "c.beginPath(); c.arc(1e308, 0, 1e308, 1e308, -1e308); c.fill(); c.fill(new Path2D('M0 0x'))",
    ],
)
def test_what_is_not_seen_of_a_canvas_is_no_shape(script):
    assert shapes(script) == []


NOTHING = "c.createLinearGradient(0, 0, 1, 0)"


@pytest.mark.parametrize(
    "body",
    [
        f"<canvas id=a width=400 height=200></canvas><script>const c = a.getContext('2d'); {script}</script>"
        for script in (
            f"c.fillStyle = {NOTHING}; c.fillRect(10, 20, 50, 30); c.fill(new Path2D('M90 90h50v30H90z'))",
            f"c.fillText('word', 60, 60); c.fillStyle = {NOTHING}; c.fillRect(50, 30, 90, 50)",
            f"c.strokeStyle = {NOTHING}; c.strokeRect(10, 20, 50, 30)",
            "const b = new OffscreenCanvas(1, 1); b.getContext('2d'); c.drawImage(b, 10, 20, 50, 30);"
            "c.fillStyle = c.createPattern(b, 'repeat'); c.fillRect(90, 90, 50, 30)",
        )
    ]
    + [
        "<div style='background: linear-gradient(#fff, #fff); width: 99px; padding: 30px'>word</div>",
        "<div style='background: linear-gradient(transparent, #00000002); height: 99px'></div>" * 9,
        "<input style='appearance: none; background: none; border: 0; width: 99px'>",
        "<img width=99 height=99 src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\"/>'>",
    ],
)
def test_what_has_no_color_and_shows_nothing_is_no_element(body):
    assert layout(body).elements == ()


@pytest.mark.parametrize(
    "style",
    [
        "background: linear-gradient(red, blue)",
        "background: linear-gradient(#eee, #eee)",
        "background: radial-gradient(red, transparent 30%)",
        "background: linear-gradient(red, red); display: inline",
    ],
)
def test_a_gradient_that_is_seen_is_a_shape(style):
    found = layout(f"<div style='{style}; width: 99px; padding: 9px'>word</div>")
    assert [(one.kind, one.color) for one in found.elements] == [("shape", "")]


@pytest.mark.parametrize(
    "reset",
    [
        "a.width = 400",
        "a.setAttribute('width', 400)",
        "a.removeAttribute('height'); a.height = 200",
        "a.toggleAttribute('height'); a.toggleAttribute('height'); a.height = 200",
        "a.getAttributeNode('width').value = 400",
    ],
)
def test_a_canvas_begins_anew_however_its_size_is_set(reset):
    script = (
        "c.save(); c.rect(0, 0, 9, 9); c.clip(); c.scale(3, 3); c.fillRect(0, 0, 9, 9); c.fillText('gone', 1, 5);"
        f"{reset}; c.fillStyle = '#f00'; c.fillRect(10, 20, 50, 30)"
    )
    assert shapes(script) == [("shape", (10, 20, 60, 50), "#ff0000")]
    assert drawn(PLAIN_CANVAS % script).layout.texts == ()


def test_shapes_that_others_lie_on_are_not_on_a_canvas():
    script = "c.fillRect(20, 20, 20, 20); c.fillStyle = '#00f'; c.rect(10, 10, 60, 60); c.fill()"
    assert shapes(script) == [("shape", (10, 10, 70, 70), "#0000ff")]


def test_of_a_canvas_that_moves_its_last_frame_is_told():
    script = """let frame = 0; const draw = () => { c.clearRect(0, 0, 400, 200); c.fillRect(20 * frame, 50, 20, 20)
      if (++frame < 6) requestAnimationFrame(draw) }; draw()"""
    assert shapes(script) == [("shape", (100, 50, 120, 70), "#ff0000")]


def test_of_very_many_shapes_on_a_canvas_the_last_are_told_and_the_others_are_counted():
    script = "for (let i = 0; i < 5100; i++) { c.fillRect(4 * (i % 100), 3 * Math.floor(i / 100), 3, 2) }"
    found = drawn(PLAIN_CANVAS % script).layout
    assert (len(found.elements), found.left_out) == (5001, 100)


def test_a_canvas_looks_as_if_nobody_watched():
    script = """c.beginPath(); c.arc(99, 99, 40, 0, 5, true); c.stroke(); c.fill(new Path2D('M9 9l50 20-30 30z'))
      const p = new Path2D(); p.roundRect(200, 20, 90, 40, 9); c.rotate(.1); c.stroke(p)
      c.globalAlpha = .3; c.clip(p); c.fillRect(0, 0, 400, 200)
      document.body.append(Path2D + Path2D.name + new Path2D().constructor.length, p instanceof Path2D)"""
    plain, watched = render("html", PLAIN_CANVAS % script), drawn(PLAIN_CANVAS % script)
    assert watched.image.tobytes() == plain.image.tobytes()
    assert watched.text == plain.text


def test_a_page_does_not_notice_that_its_canvases_are_watched():
    probe = """
      const own = [Object.getOwnPropertyNames(self).length, Object.getOwnPropertyNames(a).length]
      const about = name => {
        const {value, get, set, ...flags} = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, name)
        return [value + '', value.name, value.length, 'prototype' in value, flags, Object.getOwnPropertyNames(value)]
      }
      let thrown = ''
      try { c.fillText('x') } catch (error) { thrown = error.message }
      const {set} = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width')
      document.title = JSON.stringify([own, about('fillText'), about('clearRect'), thrown, set + '', set.name,
        Function.prototype.toString + '', Function.prototype.toString.call(Function.prototype.toString)])
      const shown = document.createElement('p'); shown.textContent = document.title; document.body.append(shown)"""
    code = CANVAS % probe
    told = render("html", code).text
    assert "native code" in told
    assert drawn(code).text == told


def test_a_page_does_not_notice_how_often_its_numbers_are_read():
    probe = """
      let count = 0
      const read = () => { count++; return 9 }
      const one = Object.assign(() => {}, {valueOf: read}), other = {valueOf: read}
      HTMLAllCollection.prototype.toString = read
      for (const value of [one, other, document.all]) {
        c.fillText('word', 9, 50); c.fillRect(value, 9, 9, 9); c.fillRect(9, 9, value, value)
        c.clearRect(value, value, value, value); c.lineTo(value, 9); c.arc(9, 9, value, value, value)
        c.drawImage(a, value, 9, 9, value); c.strokeRect(value, 9, 9, 9)
      }
      const shown = document.createElement('p'); shown.textContent = count; document.body.append(shown)"""
    code = CANVAS % probe
    told = render("html", code).text
    assert told.strip().isdigit()
    assert drawn(code).text == told


def test_a_page_can_not_break_or_forge_what_is_told_of_it():
    page = (
        HTML
        + """<p>fine</p><canvas id=a></canvas><script>
      const c = a.getContext('2d'); c.font = '20px serif'
      const lie = () => 'forged'
      JSON.stringify = JSON.parse = lie
      Object.prototype.toJSON = lie
      Array.prototype.toJSON = lie
      Array.prototype[Symbol.iterator] = null
      EventTarget.prototype.dispatchEvent = EventTarget.prototype.addEventListener = lie
      WeakMap.prototype.get = WeakMap.prototype.has = Reflect.apply = lie
      self.CustomEvent = Math.min = Math.max = Math.round = lie
      Document.prototype.querySelectorAll = Document.prototype.evaluate = lie
      Element.prototype.getBoundingClientRect = CanvasRenderingContext2D.prototype.getImageData = lie
      CanvasRenderingContext2D.prototype.measureText = RegExp.prototype.exec = String.prototype.toLowerCase = lie
      Math.abs = Math.cos = lie
      Object.defineProperty(Array.prototype, '0', {set: lie, get: lie, configurable: true})
      c.fillText('drawn', 9, 40); c.fill(new Path2D('M10 50h40v30z'))</script>"""
    )
    found = drawn(page).layout
    assert [(one.text, one.visible) for one in found.texts] == [("fine", True), ("drawn", True)]
    (shape,) = (one.box for one in found.elements if one.kind == "shape")
    assert (shape[2] - shape[0], shape[3] - shape[1]) == (40, 30)


def test_a_page_with_too_many_nodes_has_a_picture_and_no_layout(monkeypatch):
    monkeypatch.setattr(tab, "MAX_NODES", 50)
    rendering = render("html", HTML + "<p>x" * 100, layout=True)
    assert rendering.layout is None
    assert rendering.layout_reason == "the page has more than 50 nodes"
    assert rendering.image.height > 720


def test_a_page_of_60_000_nodes_is_drawn_and_says_that_it_has_more_than_are_looked_at():
    page = "<body style='font: 8px monospace'>" + "<b>x</b> " * 30_000
    large, small = (render("html", code, layout=True) for code in (page, HTML + "<p>x"))
    reason = "the page has more than 50,000 nodes"
    assert (large.layout, large.layout_reason) == (None, reason)
    assert has_ink(large.image)
    found = compare("html", large, small)
    assert found.reason == f"what is on the prediction is not known: {reason}"
    assert (dict(found.scores), found.findings) == ({}, ())


def test_where_the_layout_takes_too_much_the_page_is_drawn_without_it(monkeypatch):
    def slow(*_):
        raise RenderError("timeout", "not finished in time")

    monkeypatch.setattr(tab.Tab, "_snapshot", slow)
    rendering = render("html", HTML + "<p>x", layout=True)
    assert rendering.layout is None
    assert rendering.layout_reason == "reading what is on the page: timeout: not finished in time"
    assert rendering.image.tobytes() == render("html", HTML + "<p>x").image.tobytes()


def test_what_is_used_many_times_is_told_as_often_within_bounds(monkeypatch):
    uses = "".join(f'<use href="#a" x="{40 * number}"/>' for number in range(20))
    image = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="99"><defs><g id="a"><text y="20">one</text>'
        f'<text y="50">two</text></g></defs>{uses}</svg>'
    )
    found = drawn(image, "svg").layout
    assert sorted(one.text for one in found.texts) == ["one"] * 20 + ["two"] * 20
    assert len({one.box[0] for one in found.texts}) == 20
    monkeypatch.setattr(snapshot, "MAX_BOXES", 9)
    found = drawn(image, "svg").layout
    assert (len(found.texts), found.left_out) == (9, 31)


def test_what_lies_nowhere_is_left_out_and_counted():
    found = layout("<p style='position: absolute; top: 1e9px'>far</p><p>near</p>")
    assert ([one.text for one in found.texts], found.left_out) == (["near"], 1)


PAGE = {"canvases": [], "broken": [], "heads": []}
STYLE = dict.fromkeys(STYLES, "none") | {
    "visibility": "visible",
    "writing-mode": "horizontal-tb",
    "-webkit-text-fill-color": "rgb(1, 2, 3)",
    "font-size": "16px",
}


def told_by_a_browser():
    """A snapshot of a page with one word."""
    strings = ["#document", "BODY", "#text", "word", *STYLE.values()]
    style = list(range(len(strings) - len(STYLE), len(strings)))
    none = {"index": [], "value": []}
    nodes = {
        "parentIndex": [-1, 0, 1],
        "nodeName": [0, 1, 2],
        "nodeValue": [-1, -1, 3],
        "attributes": [[], [], []],
        **{name: dict(none) for name in ("inputValue", "textValue", "optionSelected")},
        **{name: dict(none) for name in ("contentDocumentIndex", "shadowRootType")},
    }
    layout = {
        "nodeIndex": [0, 1, 2],
        "styles": [[], style, style],
        "bounds": [[0, 0, 9, 9], [0, 0, 90, 20], [1, 2, 30, 18]],
        "text": [-1, -1, 3],
        "paintOrders": [0, 1, 1],
    }
    lines = {"layoutIndex": [2], "start": [0], "length": [4], "bounds": [[1, 2, 30, 18]]}
    return {
        "strings": strings,
        "documents": [{"nodes": nodes, "layout": layout, "textBoxes": lines}],
    }


def test_a_snapshot_is_read_without_a_browser():
    (text,) = read_snapshot(told_by_a_browser(), PAGE, (99, 99), {}).texts
    assert text == TextBox("word", (1, 2, 31, 20), "#010203", 16, True, "r")


@pytest.mark.parametrize(
    "damage",
    [
        lambda told: told.clear(),
        lambda told: told["documents"].clear(),
        lambda told: told["strings"].clear(),
        lambda told: told["strings"].__setitem__(3, 7),
        lambda told: told["documents"][0].pop("textBoxes"),
        lambda told: told["documents"][0]["nodes"].pop("parentIndex"),
        lambda told: told["documents"][0]["nodes"].update(parentIndex=[2, 0, 1]),
        lambda told: told["documents"][0]["nodes"].update(parentIndex=[-5, 0, 1]),
        lambda told: told["documents"][0]["nodes"].update(parentIndex=[None, 0, 1]),
        lambda told: told["documents"][0]["layout"].update(nodeIndex=[0, 1, 99]),
        lambda told: told["documents"][0]["layout"].update(bounds=[[0], [0], [0]]),
        lambda told: told["documents"][0]["layout"].update(styles=[[], [0], [0]]),
        lambda told: told["documents"][0]["layout"].update(text=[]),
        lambda told: told["documents"][0]["textBoxes"].update(bounds=[["1", 2, 3, 4]]),
        lambda told: told["documents"][0]["textBoxes"].update(start=["x"]),
    ],
)
def test_a_snapshot_of_another_form_is_no_layout(damage):
    told = told_by_a_browser()
    damage(told)
    with pytest.raises(ValueError, match="snapshot can't be read"):
        read_snapshot(told, PAGE, (9, 9), {})


def test_a_snapshot_whose_frames_are_in_themselves_has_an_end():
    told = told_by_a_browser()
    told["documents"] *= 2
    frames = {"index": [1], "value": [1]}
    told["documents"][0]["nodes"]["contentDocumentIndex"] = frames
    assert len(read_snapshot(told, PAGE, (99, 99), {}).texts) == 2


def test_boxes_that_cover_texts_are_compared_within_bounds(monkeypatch):
    monkeypatch.setattr(text_pieces, "MAX_COMPARED", 3)
    boxes = [((2, 0), (0, 0, size, size)) for size in (1, 50, 3, 40)]
    piece = text_pieces.TextPiece(
        "a", (20, 20, 30, 30), "", 9, True, (0, 0, 99, 99), (1, 0), (0, 0)
    )
    assert text_pieces.Covers(boxes, 3).hide(piece)
    assert not text_pieces.Covers(boxes[::2], 3).hide(piece)


def test_a_picture_of_a_broken_page_has_a_layout_too():
    rendering = drawn(HTML + "<p>before</p><script>nope()</script>")
    assert [one.text for one in rendering.layout.texts] == ["before"]
    assert isinstance(rendering.image, Image.Image)


ARROWS = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><defs>'
    '<marker id="tip" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="6" markerHeight="6" {}>'
    '<path d="M0 0L10 5L0 10z" fill="#cc0000"/></marker></defs>{}</svg>'
)
LINE = '<path d="M20 100H220" stroke="black" stroke-width="{}" {}/>'


def heads(orient, body):
    drawn_layout = drawn(ARROWS.format(orient, body), "svg", "corrected").layout
    return [one for one in drawn_layout.elements if one.kind == "arrowhead"]


@pytest.mark.parametrize(
    ("orient", "width", "ends", "places"),
    [
        ('orient="auto"', 2, 'marker-end="url(#tip)"', [(208, 94, 220, 106)]),
        ('orient="auto"', 1, 'style="marker-end: url(#tip)"', [(214, 97, 220, 103)]),
        ('orient="auto"', 2, 'marker-start="url(#tip)"', [(8, 94, 20, 106)]),
        ('orient="auto-start-reverse"', 2, 'marker-start="url(#tip)"', [(20, 94, 32, 106)]),
        ('orient="90"', 2, 'marker-end="url(#tip)"', [(214, 88, 226, 100)]),
        ('markerUnits="userSpaceOnUse" orient="auto"', 9, 'marker-end="url(#tip)"', [(214, 97, 220, 103)]),
    ],
)  # fmt: skip
def test_arrowheads_are_told_where_they_are_drawn(orient, width, ends, places):
    found = heads(orient, LINE.format(width, ends))
    origin = (1280 - 400) / 2, (720 - 300) / 2
    boxes = [
        tuple(round(side - origin[place % 2]) for place, side in enumerate(one.box))
        for one in found
    ]
    assert boxes == places
    assert [one.color for one in found] == ["#cc0000"] * len(places)


@pytest.mark.parametrize(
    "ends",
    [
        "",
        'marker-end="url(#absent)"',
        'visibility="hidden" marker-end="url(#tip)"',
        'opacity="0.01" marker-end="url(#tip)"',
        'transform="translate(2000 0)" marker-end="url(#tip)"',
        'transform="scale(1e38)" marker-end="url(#tip)"',
    ],
)
def test_arrowheads_that_nobody_sees_are_not_told(ends):
    assert heads('orient="auto"', LINE.format(2, ends)) == []


@pytest.mark.parametrize("code", ["flowchart LR\n A --> B", "sequenceDiagram\n A->>B: Hello"])
def test_arrows_of_diagrams_have_heads(code):
    kinds = [one.kind for one in drawn(code, "mermaid", "corrected").layout.elements]
    assert kinds.count("arrowhead") == 1
