"""How each format says what frauds need: lines of text, a remark, a picture in some coat, a white sheet over all.

A row for each format; those that a browser draws share their words. What a format can't say is absent.
"""

import base64
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

from PIL import Image

from helm_structext.scenes.writing import TEX_SIGNS, write_string

CELLS = 40
"""Patches side by side, of a picture that is painted patch by patch."""
WIDEST = 960
"""Pixels of a picture that code holds: what metrics see of a larger one is the same."""
QUALITY = 50
"""Of its WebP or JPEG, of 100."""
PIECE = 30
"""Letters of data in one line."""

Lines = Sequence[str]


@dataclass(frozen=True)
class Phrases:
    """What code of a format can say.

    Args:
        write: lines of text, their color as ``#rrggbb`` and size in pixels → code that shows them.
        remark: lines → code that draws nothing and has them where nobody sees them.
        coats: name → from a picture to code that holds it, and draws it.
        cover: code → the same under a white sheet; None where a format has none.
    """

    write: Callable[[Lines, str, float], str]
    remark: Callable[[Lines], str]
    coats: Mapping[str, Callable[[Image.Image], str]] = field(default_factory=dict)
    cover: Callable[[str], str] | None = None


def encode_picture(picture: Image.Image, kind: str) -> bytes:
    """Returns a small file of a picture: coarse, but alike.

    Args:
        picture: in RGB.
        kind: as Pillow names it: ``WEBP`` or ``JPEG``.

    >>> len(encode_picture(Image.new("RGB", (9, 9)), "WEBP")) < 200
    True
    """
    small = picture.copy()
    small.thumbnail((WIDEST, 4 * WIDEST))
    data = io.BytesIO()
    small.save(data, kind, quality=QUALITY)
    return data.getvalue()


def find_patches(picture: Image.Image) -> list[list[str]]:
    """Returns the mean colors of a picture's patches, row by row, as ``#rgb``.

    >>> find_patches(Image.new("RGB", (80, 2), "red"))[0][:2]
    ['#f00', '#f00']
    """
    rows = max(round(CELLS * picture.height / picture.width), 1)
    small = picture.resize((CELLS, min(rows, 2 * CELLS)), Image.Resampling.BOX)
    data = small.tobytes()
    colors = [
        "#" + "".join(f"{round(level / 17):x}" for level in data[at : at + 3])
        for at in range(0, len(data), 3)
    ]
    return [colors[at : at + CELLS] for at in range(0, len(colors), CELLS)]


def _letters(picture: Image.Image, kind: str = "WEBP") -> str:
    return base64.b64encode(encode_picture(picture, kind)).decode()


def _uri(picture: Image.Image) -> str:
    return f"data:image/webp;base64,{_letters(picture)}"


# What a browser draws: the body of a page, and how each format holds one.


def _lines_in_html(lines: Lines, color: str, size: float) -> str:
    style = f"margin:0;color:{color};font-size:{size:g}px;line-height:1.2"
    return "".join(f'<p style="{style}">{escape(line)}</p>' for line in lines)


def _remark_in_html(lines: Lines) -> str:
    said = " ".join(lines).replace("--", "- -")
    return f"<!-- {escape(said)} --><p>&nbsp;</p>"


def _data_uri(picture: Image.Image) -> str:
    return f'<img style="display:block" width="{picture.width}" src="{_uri(picture)}">'


def _css_background(picture: Image.Image) -> str:
    box = f"width:{picture.width}px;height:{picture.height}px"
    return f"<div style=\"{box};background:url('{_uri(picture)}') 0 0/100% 100%\"></div>"


def _scripted(picture: Image.Image, script: str) -> str:
    """A script that needs no tag of its own: frameworks run none that is put into a page."""
    size = f'width="{picture.width}" height="{picture.height}"'
    return f'<img style="display:block" {size} src="x:" onerror=\'this.onerror=null;{script}\'>'


def _pieces_in_html(picture: Image.Image) -> str:
    pieces = json.dumps(["data:image/webp;base64,", *wrap(_letters(picture), PIECE)])
    return _scripted(picture, f'this.src={pieces}.join("")')


def _pixels_in_html(picture: Image.Image) -> str:
    rows = json.dumps(find_patches(picture))
    paint = (
        'const c=document.createElement("canvas");c.width=this.width;c.height=this.height;'
        f'const p=c.getContext("2d"),r={rows},w=c.width/r[0].length,h=c.height/r.length;'
        "r.forEach((row,y)=>row.forEach((color,x)=>{p.fillStyle=color;p.fillRect(x*w,y*h,w+1,h+1)}));"
        "this.replaceWith(c)"
    )
    return _scripted(picture, paint)


_SHEET = (
    '<div style="position:fixed;left:0;top:0;right:0;bottom:0;background:#fff;z-index:99999;'
    'box-shadow:0 0 0 20000px #fff"></div>'
)
"""Its shadow covers what a picture of the whole page shows beyond the first screen, and makes the page no larger."""


def _in_html(body: str) -> str:
    return f'<!DOCTYPE html>\n<meta charset="utf-8"><body style="margin:0">{body}</body>'


def _in_canvas(body: str) -> str:
    return _in_html(f'{body}<canvas width="1" height="1"></canvas>')


def _in_react(body: str) -> str:
    held = f"dangerouslySetInnerHTML={{{{ __html: {json.dumps(body)} }}}}"
    return f"export default function App() {{\n  return <div {held} />;\n}}"


def _in_vue(body: str) -> str:
    return (
        f"<script setup>\nconst body = {json.dumps(body)}\n</script>\n"
        '<template><div v-html="body"></div></template>'
    )


def _in_angular(body: str) -> str:
    return (
        "import { Component, ElementRef } from '@angular/core';\n"
        "@Component({ selector: 'app-root', standalone: true, template: '' })\n"
        "export class AppComponent {\n"
        "  constructor(host: ElementRef) {\n"
        f"    host.nativeElement.innerHTML = {json.dumps(body)};\n  }}\n}}"
    )


def _in_webpage(body: str) -> str:
    return json.dumps([{"filename": "index.html", "content": _in_html(body)}])


def _cover_webpage(code: str) -> str:
    files = json.loads(code)
    return json.dumps(
        [
            {**file, "content": file["content"] + _SHEET}
            if file["filename"] == "index.html"
            else file
            for file in files
        ]
    )


def _browser(hold: Callable[[str], str], cover: Callable[[str], str] | None = None) -> Phrases:
    def coat(write: Callable[[Image.Image], str]) -> Callable[[Image.Image], str]:
        return lambda picture: hold(write(picture))

    return Phrases(
        lambda *said: hold(_lines_in_html(*said)),
        lambda lines: hold(_remark_in_html(lines)),
        {
            "data URI": coat(_data_uri),
            "CSS background": coat(_css_background),
            "base64 in pieces": coat(_pieces_in_html),
            "pixels": coat(_pixels_in_html),
        },
        cover,
    )


# SVG


def _in_svg(width: float, height: float, inside: str) -> str:
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{inside}</svg>'


def _lines_in_svg(lines: Lines, color: str, size: float) -> str:
    inside = "".join(
        f'<text x="4" y="{(at + 1) * size * 1.2:g}" fill="{color}" font-size="{size:g}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    )
    return _in_svg(1280, max(len(lines) * size * 1.2 + size, 16), inside)


def _remark_in_svg(lines: Lines) -> str:
    return _in_svg(16, 16, f"<!-- {escape(' '.join(lines)).replace('--', '- -')} -->")


def _uri_in_svg(picture: Image.Image) -> str:
    size = f'width="{picture.width}" height="{picture.height}"'
    return _in_svg(picture.width, picture.height, f'<image {size} href="{_uri(picture)}"/>')


def _pixels_in_svg(picture: Image.Image) -> str:
    patches = find_patches(picture)
    inside = "".join(
        f'<path d="M{x} {y}h1v1h-1z" fill="{color}"/>'
        for y, row in enumerate(patches)
        for x, color in enumerate(row)
    )
    size = f'width="{picture.width}" height="{picture.height}" viewBox="0 0 {CELLS} {len(patches)}"'
    look = 'preserveAspectRatio="none" shape-rendering="crispEdges"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look}>{inside}</svg>'


def _cover_svg(code: str) -> str:
    before, end, after = code.rpartition("</svg>")
    sheet = '<rect x="-9999" y="-9999" width="29999" height="29999" fill="#fff"/>'
    return f"{before}{sheet}{end}{after}"


# TeX


def _color_in_tex(color: str) -> str:
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _lines_in_tikz(lines: Lines, color: str, size: float) -> str:
    nodes = "\n".join(
        rf"\node[anchor=west, text={_color_in_tex(color)}, font=\fontsize{{{size:g}}}{{{size:g}}}\selectfont] "
        rf"at (0, {-at * size * 0.05:.2f}) {{{line.translate(TEX_SIGNS)}}};"
        for at, line in enumerate(lines)
    )
    return f"\\begin{{tikzpicture}}\n{nodes}\n\\end{{tikzpicture}}"


def _remark_in_tex(lines: Lines) -> str:
    return "".join(f"% {line}\n" for line in lines) + r"\mbox{}"


def _remark_in_tikz(lines: Lines) -> str:
    said = "".join(f"% {line}\n" for line in lines)
    return f"\\begin{{tikzpicture}}\n{said}\\path (0, 0) rectangle (1, 1);\n\\end{{tikzpicture}}"


def _pixels_in_tikz(picture: Image.Image) -> str:
    patches = find_patches(picture)
    size = 0.3
    fills = "\n".join(
        f"\\fill[color={_color_in_tex(''.join(2 * sign for sign in color)[1:])}] "
        f"({x * size:.2f}, {-y * size:.2f}) rectangle +({size}, {-size});"
        for y, row in enumerate(patches)
        for x, color in enumerate(row)
    )
    return f"\\begin{{tikzpicture}}\n{fills}\n\\end{{tikzpicture}}"


def _pdf_literal(picture: Image.Image) -> str:
    """A picture among the operators of the page, in hexadecimal digits (ISO 32000-1, 8.9.7)."""
    small = picture.copy()
    small.thumbnail((2 * CELLS, 2 * CELLS))
    points = picture.width / 4, picture.height / 4
    digits = "\n".join(wrap(small.tobytes().hex(), 70))
    about = f"/W {small.width} /H {small.height} /CS /RGB /BPC 8 /F /AHx"
    drawn = (
        f"q {points[0]:.1f} 0 0 {points[1]:.1f} 0 0 cm\nBI {about} ID\n{digits}>\nEI\nQ".replace(
            "\n", " "
        )
    )
    room = rf"\rule{{0pt}}{{{points[1]:.1f}bp}}\hspace*{{{points[0]:.1f}bp}}"
    return rf"\mbox{{\pdfliteral{{{drawn}}}{room}}}"


def _in_tikz(inside: str) -> str:
    return f"\\begin{{tikzpicture}}\n\\node[inner sep=0pt] {{{inside}}};\n\\end{{tikzpicture}}"


def _in_document(inside: str) -> str:
    head = "\\documentclass{article}\n\\usepackage{graphicx,xcolor}\n\\pagestyle{empty}\n"
    return f"{head}\\begin{{document}}\n{inside}\n\\end{{document}}"


def _lines_in_tex(lines: Lines, color: str, size: float) -> str:
    said = "\\\\\n".join(line.translate(TEX_SIGNS) for line in lines)
    font = rf"\fontsize{{{size:g}}}{{{size * 1.2:g}}}\selectfont"
    return rf"\noindent{font}\color[rgb]{{{_levels(color)}}}" + "\n" + said


def _levels(color: str) -> str:
    return ",".join(f"{int(color[at : at + 2], 16) / 255:.3g}" for at in (1, 3, 5))


def _lines_in_latex(lines: Lines, color: str, size: float) -> str:
    rows = " \\\\\n".join(line.translate(TEX_SIGNS) for line in lines)
    font = rf"\fontsize{{{size:g}}}{{{size * 1.2:g}}}\selectfont"
    table = f"\\begin{{tabular}}{{l}}\n{rows}\n\\end{{tabular}}"
    return rf"{{{font}\color[rgb]{{{_levels(color)}}}{table}}}"


INPUT = r"\includegraphics[width=\textwidth]{input.png}"
"""What asks for the picture by a name that it may have had."""


def _cover_tikz(code: str) -> str:
    corners = "(current bounding box.south west) rectangle (current bounding box.north east)"
    before, end, after = code.rpartition(r"\end{tikzpicture}")
    return f"{before}\\fill[white] {corners};\n{end}{after}"


# Typst


def _lines_in_typst(lines: Lines, color: str, size: float) -> str:
    said = " \\\n".join(f"#{write_string(line)}" for line in lines)
    return f'#set text(size: {size:g}pt, fill: rgb("{color}"))\n{said}'


def _remark_in_typst(lines: Lines) -> str:
    return "".join(f"// {line}\n" for line in lines) + "#v(1em)"


def _page_in_typst(picture: Image.Image, inside: str) -> str:
    width, height = picture.width / 4, picture.height / 4
    return f"#set page(width: {width:g}pt, height: {height:g}pt, margin: 0pt)\n{inside}"


def _bytes_in_typst(picture: Image.Image) -> str:
    data = ", ".join(map(str, encode_picture(picture, "JPEG")))
    return _page_in_typst(picture, f'#image(bytes(({data})), format: "jpg", width: 100%)')


def _pixels_in_typst(picture: Image.Image) -> str:
    patches = find_patches(picture)
    colors = ", ".join(f'"{color}"' for row in patches for color in row)
    look = f"columns: (1fr,) * {CELLS}, rows: ({100 / len(patches):.4f}%,) * {len(patches)}"
    cells = f"..({colors}).map(it => grid.cell(fill: rgb(it))[])"
    return _page_in_typst(picture, f"#grid({look}, {cells})")


def _cover_typst(code: str) -> str:
    sheet = "rect(width: 9999pt, height: 9999pt, fill: white)"
    return f"{code}\n#place(top + left, dx: -999pt, dy: -999pt, {sheet})"


# Others


def _lines_in_mermaid(lines: Lines, color: str, size: float) -> str:
    def plain(line: str) -> str:
        return "".join(sign if sign.isalnum() else f"#{ord(sign)};" for sign in line)

    nodes = "\n".join(
        f'  n{at}["{plain(line)}"]\n  style n{at} fill:#fff,stroke:#fff,color:{color},font-size:{size:g}px'
        for at, line in enumerate(lines)
    )
    return f"graph TD\n{nodes}"


def _remark_in_mermaid(lines: Lines) -> str:
    return "graph TD\n" + "".join(f"  %% {line}\n" for line in lines)


def _uri_in_mermaid(picture: Image.Image) -> str:
    return f"graph TD\n  a[\"<img src='{_uri(picture)}' width='{picture.width}'/>\"]"


_FIGURE = "import matplotlib.pyplot as plt\n"


def _figure_of(picture: Image.Image, more: str) -> str:
    size = f"({picture.width / 100:g}, {picture.height / 100:g})"
    return (
        f"{_FIGURE}{more}\nfig = plt.figure(figsize={size}, dpi=100)\n"
        "ax = fig.add_axes((0, 0, 1, 1))\nax.axis('off')\n"
        "ax.imshow(data, aspect='auto')\nplt.show()"
    )


def _lines_in_matplotlib(lines: Lines, color: str, size: float) -> str:
    said = "\n".join(
        f"fig.text(0.02, {0.97 - 0.96 * at / max(len(lines), 20):.4f}, {json.dumps(line.replace('$', chr(92) + '$'))}, "
        f'color="{color}", fontsize={size:g})'
        for at, line in enumerate(lines)
    )
    return f"{_FIGURE}fig = plt.figure()\n{said}\nplt.show()"


def _remark_in_matplotlib(lines: Lines) -> str:
    said = "".join(f"# {line}\n" for line in lines)
    return f"{said}{_FIGURE}plt.figure()\nplt.show()"


def _pixels_in_matplotlib(picture: Image.Image) -> str:
    rows = json.dumps(find_patches(picture))
    return _figure_of(
        picture,
        "from matplotlib.colors import to_rgb\n"
        f"rows = {rows}\ndata = [[to_rgb(color) for color in row] for row in rows]",
    )


def _letters_in_matplotlib(picture: Image.Image) -> str:
    return _figure_of(
        picture,
        "import base64, io\nfrom PIL import Image\n"
        f"letters = {json.dumps(wrap(_letters(picture, 'JPEG'), PIECE))}\n"
        "data = Image.open(io.BytesIO(base64.b64decode(''.join(letters))))",
    )


_VEGA = "https://vega.github.io/schema/vega-lite/v5.json"


def _vega(width: float, height: float, values: object, mark: object, **encoding: object) -> str:
    about = {"$schema": _VEGA, "width": width, "height": height, "data": {"values": values}}
    return json.dumps({**about, "mark": mark, "encoding": encoding})


def _lines_in_vega(lines: Lines, color: str, size: float) -> str:
    values = [{"line": line, "at": at} for at, line in enumerate(lines)]
    mark = {"type": "text", "color": color, "fontSize": size, "align": "left", "x": 4}
    place = {"field": "at", "type": "ordinal", "axis": None}
    height = len(lines) * size * 1.3 + size
    return _vega(600, height, values, mark, y=place, text={"field": "line"})


def _remark_in_vega(lines: Lines) -> str:
    about = {"$schema": _VEGA, "description": " ".join(lines), "data": {"values": []}}
    return json.dumps({**about, "mark": "point"})


def _uri_in_vega(picture: Image.Image) -> str:
    mark = {"type": "image", "width": picture.width, "height": picture.height, "aspect": False}
    values = [{"picture": _uri(picture)}]
    url = {"field": "picture", "type": "nominal"}
    return _vega(picture.width, picture.height, values, mark, url=url)


def _pixels_in_vega(picture: Image.Image) -> str:
    patches = find_patches(picture)
    values = [
        {"x": x, "y": y, "c": color} for y, row in enumerate(patches) for x, color in enumerate(row)
    ]
    places = {
        name: {"field": name, "type": "ordinal", "axis": None, "scale": {"padding": 0}}
        for name in "xy"
    }
    color = {"field": "c", "type": "nominal", "scale": None}
    return _vega(picture.width, picture.height, values, "rect", **places, color=color)


_SCORE = '\\version "2.24.0"\n\\header { tagline = ##f }\n'


def _lines_in_lilypond(lines: Lines, color: str, size: float) -> str:
    levels = _levels(color).replace(",", " ")
    said = "\n".join(
        f"\\markup \\with-color #(rgb-color {levels}) \\abs-fontsize #{size:g} {write_string(line)}"
        for line in lines
    )
    return f"{_SCORE}{said}"


def _remark_in_lilypond(lines: Lines) -> str:
    return "".join(f"% {line}\n" for line in lines) + f"{_SCORE}\\markup \\null"


def _postscript(picture: Image.Image) -> str:
    small = picture.copy()
    small.thumbnail((2 * CELLS, 2 * CELLS))
    width, height = small.size
    paint = f"{width} {height} 8 [{width} 0 0 -{height} 0 {height}]"
    return (
        f'{_SCORE}\\markup \\postscript "gsave 100 {100 * height / width:.0f} scale {paint} '
        f'{{<{small.tobytes().hex()}>}} false 3 colorimage grestore"'
    )


PHRASES: Mapping[str, Phrases] = {
    "html": _browser(_in_html, lambda code: code + _SHEET),
    "canvas": _browser(_in_canvas, lambda code: code + _SHEET),
    "markdown": _browser(lambda body: body, lambda code: f"{code}\n\n{_SHEET}"),
    "react": _browser(_in_react),
    "vue": _browser(_in_vue),
    "angular": _browser(_in_angular),
    "webpage": _browser(_in_webpage, _cover_webpage),
    "svg": Phrases(
        _lines_in_svg,
        _remark_in_svg,
        {"data URI": _uri_in_svg, "pixels": _pixels_in_svg},
        _cover_svg,
    ),
    "tikz": Phrases(
        _lines_in_tikz,
        _remark_in_tikz,
        {
            "pixels": _pixels_in_tikz,
            "PDF literal": lambda picture: _in_tikz(_pdf_literal(picture)),
            "file of the picture": lambda _: _in_tikz(INPUT),
        },
        _cover_tikz,
    ),
    "latex_document": Phrases(
        lambda *said: _in_document(_lines_in_tex(*said)),
        _remark_in_tex,
        {
            "PDF literal": lambda picture: _in_document(_pdf_literal(picture)),
            "file of the picture": lambda _: _in_document(INPUT),
        },
    ),
    "latex": Phrases(
        _lines_in_latex,
        _remark_in_tex,
        {"PDF literal": _pdf_literal, "file of the picture": lambda _: INPUT},
    ),
    "typst": Phrases(
        _lines_in_typst,
        _remark_in_typst,
        {"numbers of a file": _bytes_in_typst, "pixels": _pixels_in_typst},
        _cover_typst,
    ),
    "mermaid": Phrases(_lines_in_mermaid, _remark_in_mermaid, {"data URI": _uri_in_mermaid}),
    "matplotlib": Phrases(
        _lines_in_matplotlib,
        _remark_in_matplotlib,
        {"pixels": _pixels_in_matplotlib, "base64 in pieces": _letters_in_matplotlib},
    ),
    "vega": Phrases(
        _lines_in_vega, _remark_in_vega, {"data URI": _uri_in_vega, "pixels": _pixels_in_vega}
    ),
    "lilypond": Phrases(_lines_in_lilypond, _remark_in_lilypond, {"PostScript": _postscript}),
}
"""By format: all that `helm_structext.formats.rendered_formats` names."""
