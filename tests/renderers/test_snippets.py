"""Code of StructEval's formats: what is right is drawn, what is wrong is named.

The right ones lie in `snippets/<format>/`; what can be read on their pictures is read by Tesseract.
"""

import io
import json
import os
import subprocess
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from helm_structext.errors import RenderError
from helm_structext.renderers import render, render_completion

SNIPPETS = Path(__file__).parent / "snippets"

# Format → name of the snippet → words on its picture.
WORDS = {
    "latex_document": {
        "report": "report Intro display",
        "references": "Contents One Two See section def return",
        "fragment": "Energy Einstein Item Price Apple 1.20",
        "slide": "Talk January 1, 2024",
        "with_errors": "Hello world",
        "plot": "data",
        "unicode": "Café menu naive quoted",
    },
    "tikz": {
        "flowchart": "yes",
        "bars": "Weather Oslo Rome Lima",
        "automaton": "idle",
        "article": "Circle",
        "tree": "Root Left Right Leaf",
        "surface": "Surface",
    },
    "typst": {
        "table": "Quarterly Report Region Sales Growth North 120 4% Figure",
        "formulas": "Quadratic formula",
        "letter": "Contents Introduction Dear Ada Lovelace 2024-01-01",
        "code": "Code listing greet Warm Cold Item",
        "resume": "Jane Doe Experience Engineer Education 2020-2024",
        "shapes": "Shapes",
    },
    "matplotlib": {
        "lines": "Waves Time sine cosine",
        "frame": "Weather City Rain",
        "points": "Points 2024",
        "pie": "Fruit Apples Pears Plums",
        "heat": "Overview Histogram",
        "dates": "Growth Peak",
    },
    "vega": {
        "bars": "Sales by region",
        "lines": "Temperature Oslo Rome",
        "vega_bars": "Amounts Alpha Beta Gamma Category",
        "pie": "Budget Shares percent Rent Food Travel",
        "facet": "Scores",
        "heat": "Heat Now 2024-01-01",
        "javascript": "Written JavaScript",
    },
    "svg": {
        "shapes": "Shapes here",
        "badge": "Award of the year",
        "large": "Top End of the page",
        "animated": "Moving dot",
        "chart": "Monday Tuesday Friday",
        "foreign": "Paragraph in a box that wraps",
    },
    "markdown": {
        "readme": "Project Title description bold Features First nested two wise text",
        "table": "Price list Item Apples 1.20 Pears",
        "tasks": "To do list Buy milk Call Anna",
        "code": "Example program greet Inline entity 2024",
        "html": "Mixed content golden box Summary details missing picture",
        "long": "Beginning of it",
        "unicode": "eins zwei caf",
    },
    "mermaid": {
        "flow": "raining? Yes Walk freely",
        "sequence": "Alice Bob Hello Every minute Reply thinks",
        "classes": "Animal Duck beak",
        "gantt": "Project plan Design Build",
        "pie": "Pets adopted Dogs Cats Rats",
        "states": "Idle Running",
        "er": "CUSTOMER ORDER LINE",
        "mindmap": "Flowers Roses Carrots",
        "git": "develop",
        "journey": "My working day Make tea Commute",
        "timeline": "History Google",
    },
}

DOCUMENT = "\\documentclass{article}\n\\begin{document}\n"
PICTURE = "\\documentclass[tikz]{standalone}\n\\begin{document}\n"


def chart(**parts) -> str:
    """A chart of Vega-Lite."""
    encoding = {"x": {"field": "a", "type": "nominal"}}
    return json.dumps({"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": encoding} | parts)


def vega(**parts) -> str:
    """A chart of Vega."""
    return json.dumps({"$schema": "https://vega.github.io/schema/vega/v5.json"} | parts)


PLOT = "import matplotlib.pyplot as plt\n"
# Format → code, kind of the error, a part of its message.
BROKEN = {
    "latex_document": [
        (DOCUMENT + "Hello", "syntax", r"\end{document} is missing"),
        (
            "\\documentclass{article}\n\\usepackage{nowhere}\n\\begin{document}x\\end{document}",
            "missing",
            "File `nowhere.sty' not found",
        ),
        (
            r"\documentclass{mycompany}\begin{document}x\end{document}",
            "missing",
            "`mycompany.cls' not found",
        ),
        (DOCUMENT + r"\input{chapter}\end{document}", "syntax", "`chapter.tex' not found"),
        (DOCUMENT + "\\end{document}", "empty", "the document has no page"),
        (DOCUMENT + "\\textbf{never closed \\end{document}", "syntax", "{never closed"),
        (
            r"\documentclass{article}\usepackage{fontspec}\begin{document}x\end{document}",
            "missing",
            "requires either XeTeX or LuaTeX",
        ),
        (
            DOCUMENT + r"\newcount\n\loop\nope\advance\n1\ifnum\n<200\repeat\end{document}",
            "syntax",
            "line 3: Undefined control sequence \\nope (and 99 other errors): \\newcount",
        ),
        (
            "<|BEGIN_CODE|>```latex\n\\documentclass{article}\n\\begin{document}x\\end{document}",
            "syntax",
            "line 1: LaTeX Error: Missing \\begin{document}",
        ),
        ("", "empty", "there is no code"),
        (DOCUMENT + "\\nope\\end{document}", "syntax", "line 3: Undefined control sequence"),
    ],
    "tikz": [
        (PICTURE + r"\begin{tikzpicture}\draw (0,0)--(1,1);", "syntax", "document} is missing"),
        (PICTURE + r"\end{document}", "empty", "the document has no page"),
        (
            "\\documentclass{tikzpage}" + PICTURE.partition("\n")[2],
            "missing",
            "`tikzpage.cls' not found",
        ),
        (
            r"\documentclass{article}\usepackage{tikz-flowers}\begin{document}\end{document}",
            "missing",
            "`tikz-flowers.sty' not found",
        ),
        (r"\begin{tikzpicture}\input{shapes-of-mine}\end{tikzpicture}", "syntax", "not found"),
        (
            r"\begin{tikzpicture}\foreach \x in {1,...,150} {\nope;}\end{tikzpicture}",
            "syntax",
            "line 1: Undefined control sequence \\nope (and 99 other errors): \\begin",
        ),
    ],
    "typst": [
        ("= Title\n#nope(1)", "syntax", "line 2, column 1: unknown variable: nope"),
        ("#table(columns: 2, [a]", "syntax", "line 1, column 6: unclosed delimiter"),
        ("$ x = frac(1 $", "syntax", "line 1, column 10: unclosed delimiter"),
        (
            '#import "@preview/no-such:0.3.1"',
            "missing",
            "(line 1, column 8: the package @preview/no-such:0.3.1 is not installed",
        ),
        ('= Cat\n#image("cat.png")', "syntax", "line 2, column 7: file not found: cat.png"),
        (
            '= Cat\n#import "../../cats.typ": *',
            "syntax",
            "line 2, column 8: there is no such file in the answer: ../../cats.typ",
        ),
        ('#set page(width: "wide")', "syntax", "expected length or auto, found string"),
        ("#let f(n) = f(n + 1)\n#f(0)", "syntax", "maximum function call depth exceeded"),
        ("See @nowhere.", "syntax", "label `<nowhere>` does not exist in the document"),
        ("", "empty", "there is no code"),
    ],
    "matplotlib": [
        (f"{PLOT}plt.plot([1, 2, 3], [1, 2])", "syntax", "line 2: ValueError: x and y must have"),
        (
            "import no_such as sns",
            "missing",
            "line 1: ModuleNotFoundError: No module named 'no_such'",
        ),
        (
            f"{PLOT}plt.plot([1, 2\nplt.show()",
            "syntax",
            "line 2: SyntaxError: '[' was never closed",
        ),
        ("print('a bar chart')", "empty", "the script ended without a figure"),
        (f"{PLOT}plt.title(r'$\\frac{{1}}$')", "syntax", "ParseSyntaxException: Expected"),
        ("def f():\n    plt.bar(x, 1)\n\nf()", "syntax", "line 2: NameError: name 'x' is not"),
        ("raise SystemExit('no data')", "syntax", "line 1: SystemExit: no data"),
        ("x = [1, 2]\n  plt.plot(x)", "syntax", "line 2: IndentationError: unexpected indent"),
        (f"{PLOT}plt.figure(figsize=(9e3, 9e3)).text(0, 0, 'x')", "resource", "out of memory"),
        ("import os\nos._exit(0)", "empty", "the script ended without a figure"),
        ("input('How many? ')", "syntax", "line 1: EOFError"),
        (r"raise ValueError('\ud800')", "syntax", "line 1: ValueError: ?"),
        ("Here is a plot of the data.", "syntax", "line 1: SyntaxError: invalid syntax"),
    ],
    "vega": [
        (
            '{"data": {"values": [{"a": 1}]}, "mark": "bar"',
            "syntax",
            "line 1, column 47: the chart is not JSON: Expecting ',' delimiter: ",
        ),
        (chart(mark="barr"), "syntax", 'Vega has no mark "barr"'),
        (chart(encoding={"x": {"field": "a", "type": "sort"}}), "syntax", "Invalid field type"),
        (
            chart(transform=[{"calculate": "datum.a +* 2", "as": "b"}]),
            "syntax",
            "Unexpected token *",
        ),
        (vega(signals=[{"name": "w"}, {"name": "w"}]), "syntax", 'Duplicate signal name: "w"'),
        (
            vega(marks=[{"type": "rect", "from": {"data": "t"}}]),
            "syntax",
            'Undefined data set name: "t"',
        ),
        (
            '{"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": "Cars"}',
            "syntax",
            'at least one of the following properties: "mark", "layer"',
        ),
        ("[1, 2, 3]", "syntax", "the chart is [1, 2, 3]; expected an object"),
        (
            "Here is your chart.",
            "syntax",
            "line 1, column 1: the chart is not JSON: Expecting value: ",
        ),
    ],
    "svg": [
        (
            "<svg>\n<g><rect></g></svg>",
            "syntax",
            "line 2, column 12: </g> comes before </rect>: <rect> of line 2 is not closed",
        ),
        ("<svg><circle r=9 /></svg>", "syntax", "line 1, column 16: a value stands in quotes: r="),
        (
            "<svg><text>a & b</text></svg>",
            "syntax",
            '"&" as a character is written "&amp;" (not well-formed): <svg><text>a & b',
        ),
        ("<svg>\n<circle r='9'/>", "syntax", "the text ends, but <svg> of line 1 is not closed"),
        (
            "<svg><text>&nbsp;</text></svg>",
            "syntax",
            "&nbsp;, which is HTML's: write &#160; (undefined entity): <svg><text>&nbsp;",
        ),
        (
            "<svg><g id='a' id='b'/></svg>",
            "syntax",
            'line 1, column 16: the attribute "id" stands twice',
        ),
        ("<svg/><svg/>", "syntax", "line 1, column 7: a second one, <svg>,"),
        ("<html><svg/></html>", "syntax", "the root element is <html>; expected <svg>"),
        (
            "Here is a drawing.",
            "syntax",
            "line 1, column 1: there is text before the first element",
        ),
        ("", "empty", "there is no code"),
        (
            "<svg><script>document.body.textContent = ''; draw()</script></svg>",
            "syntax",
            "ReferenceError: draw is not defined",
        ),
    ],
    "mermaid": [
        (
            "flowchart TD\n  A[Start] -->\n  B[End",
            "syntax",
            "line 3: a label, or its quote, is not closed",
        ),
        ("flowchart TD\n  A --> end", "syntax", 'line 2: "end" is the word that closes a subgraph'),
        (
            "flowchat TD\n  A --> B",
            "syntax",
            "it may be meant as flowchart (No diagram type detected",
        ),
        ("sequenceDiagram\n  Alice->Bob Hello\n", "syntax", "Expecting 'TXT', got 'NEWLINE'"),
        ("classDiagram\n  class A {\n    +x", "syntax", "got 'EOF_IN_STRUCT'"),
        (
            'pie\n  "Dogs" : many',
            "syntax",
            "line 2, column 12: a value is a number without other signs",
        ),
        ("gantt\n  dateFormat YYYY-MM-DD\n  Task : soon, 3d", "syntax", "Invalid date"),
        ("Here is your diagram.", "syntax", "the first word says which kind it is"),
        ("", "empty", "there is no code"),
    ],
    "markdown": [
        ("", "empty", "there is no code"),
        (" \n\n ", "empty", "there is no code"),
        ("<|BEGIN_CODE|>\n<|END_CODE|>", "empty", "there is no code"),
        (
            "<div id=app></div>\n<script>React.render()</script>",
            "syntax",
            "ReferenceError: React is not defined",
        ),
        ("<script>throw new Error('no data')</script>", "syntax", "Error: no data"),
        (
            "# Page\n\n<script>document.body.textContent = ''; JSON.parse('{')</script>",
            "syntax",
            "SyntaxError: Expected property name",
        ),
    ],
}


# More threads than pictures only wait for each other, at five times the processor time.
ONE_THREAD = {**os.environ, "OMP_THREAD_LIMIT": "1"}


def read(image: Image.Image, size: int) -> str:
    """What Tesseract reads in a picture whose longer side is scaled to that many pixels."""
    factor = size / max(image.size)
    scaled = image.resize((round(image.width * factor), round(image.height * factor)))
    png = io.BytesIO()
    scaled.save(png, "PNG")
    command = ["tesseract", "-", "-", "--psm", "11"]
    said = subprocess.run(
        command, input=png.getvalue(), capture_output=True, check=True, env=ONE_THREAD
    )
    return " ".join(said.stdout.decode().split())


def find_unread(words: list[str], image: Image.Image) -> tuple[list[str], str]:
    """Which words Tesseract reads in a picture of no size, and what it reads instead.

    Each size finds words that others miss; the next one is read where some are missing.
    """
    image = ImageOps.expand(image.convert("L"), 40, 255)
    seen = ""
    for size in (1500, 600, 1800):
        seen += f" {read(image, size)}"
        words = [word for word in words if word not in seen]
        if not words:
            break
    return words, seen


@pytest.mark.parametrize(
    ("format", "name"), [(format, name) for format, names in WORDS.items() for name in names]
)
def test_right_code_is_drawn_the_same_every_time(format, name):
    (path,) = SNIPPETS.glob(f"{format}/{name}.*")
    image = render(format, path.read_text()).image
    assert render(format, path.read_text()).image.tobytes() == image.tobytes()
    unread, seen = find_unread(WORDS[format][name].split(), image)
    assert unread == [], seen


@pytest.mark.parametrize(
    ("format", "code", "kind", "message"),
    [
        pytest.param(format, *case, id=f"{format}: {case[2]}")
        for format, cases in BROKEN.items()
        for case in cases
    ],
)
def test_wrong_code_is_named(format, code, kind, message):
    with pytest.raises(RenderError) as caught:
        render_completion(format, code)
    assert (caught.value.kind, message in caught.value.message) == (kind, True), caught.value
