"""Text that Tesseract read from a picture, written down as code: a floor that really reads."""

import html
import json
import unicodedata
from collections.abc import Callable

from helm_structext.models.ocr import Reader, read_text

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "{}$&#%_"},
        **dict(zip("‘’“”—–", ["`", "'", "``", "''", "---", "--"], strict=True)),
    }
)


def latex(text: str) -> str:
    r"""Returns LaTeX that prints lines of text.

    >>> print(latex("50% of x_1\n\nnext — line"))
    \noindent 50\% of x\_1 \\
    \noindent next --- line
    """
    lines = [_ascii(line.translate(LATEX_ESCAPES)) for line in text.splitlines() if line.strip()]
    return " \\\\\n".join(f"\\noindent {line}" for line in lines)


def webpage(text: str) -> str:
    """Returns the files of a webpage that shows lines of text, as JSON.

    >>> print(webpage("a < b"))
    [{"filename": "index.html", "content": "<!DOCTYPE html><pre>a &lt; b</pre>"}]
    """
    page = f"<!DOCTYPE html><pre>{html.escape(text, quote=False)}</pre>"
    return json.dumps([{"filename": "index.html", "content": page}])


def lilypond(text: str) -> str:
    r"""Returns LilyPond code that prints lines of text above one empty bar.

    >>> print(lilypond('Waltz "in" A'))
    \version "2.24.0" \header { tagline = ##f }
    \markup \column { "Waltz \"in\" A" }
    { s1 }
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines = " ".join(f'"{line}"' for line in escaped.splitlines() if line.strip())
    header = r'\version "2.24.0" \header { tagline = ##f }'
    return f"{header}\n\\markup \\column {{ {lines} }}\n{{ s1 }}"


def _ascii(text: str) -> str:
    # pdflatex stops at characters that it has no font for.
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def html_page(text: str) -> str:
    """Returns a page that shows lines of text.

    >>> html_page("a < b")
    '<!DOCTYPE html><pre>a &lt; b</pre>'
    """
    return f"<!DOCTYPE html><pre>{_escape(text)}</pre>"


def canvas(text: str) -> str:
    """Returns a page that draws lines of text on a canvas."""
    return (
        "<!DOCTYPE html><canvas width=1200 height=680></canvas>\n<script>\n"
        "const context = document.querySelector('canvas').getContext('2d');\ncontext.font = '16px sans-serif';\n"
        f"{_quote(text)}.split('\\n').forEach((line, i) => context.fillText(line, 20, 30 + 22 * i));\n</script>"
    )


def svg(text: str) -> str:
    """Returns an image of lines of text.

    >>> print(svg("a < b"))
    <svg xmlns="http://www.w3.org/2000/svg" width="1280" height="62" font-family="sans-serif" font-size="16">
    <text x="20" y="30">a &lt; b</text>
    </svg>
    """
    lines = text.splitlines()
    texts = "\n".join(
        f'<text x="20" y="{30 + 22 * number}">{_escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    head = f'width="1280" height="{40 + 22 * len(lines)}" font-family="sans-serif" font-size="16"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>\n{texts}\n</svg>'


def react(text: str) -> str:
    """Returns a component of React that shows lines of text."""
    return f"export default function App() {{\n  return <pre>{{{_quote(text)}}}</pre>;\n}}"


def vue(text: str) -> str:
    """Returns a component of Vue that shows lines of text."""
    return (
        f"<script setup>\nconst text = {_quote(text)};\n</script>\n"
        '<template><pre v-text="text"></pre></template>'
    )


def angular(text: str) -> str:
    """Returns a component of Angular that shows lines of text."""
    return (
        "import { Component } from '@angular/core';\n"
        "@Component({ selector: 'app-root', standalone: true, template: '<pre>{{ text }}</pre>' })\n"
        f"export class AppComponent {{ text = {_quote(text)}; }}"
    )


def mermaid(text: str) -> str:
    """Returns a diagram of one node with lines of text."""
    lines = "<br>".join(_escape(line).replace('"', "#quot;") for line in text.splitlines())
    return f'flowchart TD\n  text["{lines or " "}"]'


def vega(text: str) -> str:
    """Returns a specification of Vega-Lite that shows lines of text."""
    lines = [line for line in text.splitlines() if line.strip()] or [" "]
    return json.dumps(
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "data": {"values": [{"line": line, "row": row} for row, line in enumerate(lines)]},
            "mark": {"type": "text", "align": "left"},
            "encoding": {
                "y": {"field": "row", "type": "ordinal", "axis": None},
                "text": {"field": "line", "type": "nominal"},
            },
            "view": None,
        },
        ensure_ascii=False,
    )


def matplotlib(text: str) -> str:
    """Returns a script that writes lines of text into a figure."""
    return (
        "import matplotlib.pyplot as plt\n"
        f"plt.figtext(0.02, 0.98, {text!r}, va='top', parse_math=False)\nplt.show()"
    )


def tikz(text: str) -> str:
    """Returns a drawing of one node with lines of text."""
    lines = latex(text).replace("\\noindent ", "") or "~"
    return f"\\begin{{tikzpicture}}\n\\node[align=left] {{{lines}}};\n\\end{{tikzpicture}}"


def latex_document(text: str) -> str:
    """Returns a document that prints lines of text."""
    return (
        f"\\documentclass{{article}}\n\\begin{{document}}\n{latex(text) or '~'}\n\\end{{document}}"
    )


def typst(text: str) -> str:
    """Returns a document in Typst that prints lines of text.

    >>> typst('"a"')
    '#raw("\\\\"a\\\\"", block: true)'
    """
    return f"#raw({json.dumps(text, ensure_ascii=False)}, block: true)"


def _escape(text: str) -> str:
    return html.escape(text, quote=False)


def _quote(text: str) -> str:
    """A string of JSON, and so of JavaScript."""
    # No text ends a script that it stands in.
    return json.dumps(text, ensure_ascii=False).replace("</", "<\\u002f")


WRITERS: dict[str, Callable[[str], str]] = {
    **{"latex": latex, "webpage": webpage, "lilypond": lilypond, "angular": angular},
    **{"canvas": canvas, "html": html_page, "latex_document": latex_document},
    **{"markdown": lambda text: f"<pre>{_escape(text)}</pre>", "matplotlib": matplotlib},
    **{"mermaid": mermaid, "react": react, "svg": svg, "tikz": tikz, "typst": typst},
    **{"vega": vega, "vue": vue},
}
"""Format to what writes lines of text in it."""


def _reader(writer: Callable[[str], str]) -> Reader:
    return Reader(read_text, lambda text, _: writer(text))


READERS = {format: _reader(writer) for format, writer in WRITERS.items()}
"""Format to how the OCR model answers in it."""
