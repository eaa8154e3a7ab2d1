"""Documents and programs without tags and fences are cut out of prose in the corrected protocol, and nothing else is."""

from collections.abc import Iterator
from random import Random

import pytest

from helm_structext.extraction import extract
from helm_structext.formats import FORMATS
from helm_structext.image2struct.samples import REPLAYS
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.scene import LANGUAGES, LEVELS
from helm_structext.structeval.samples import REPLAYS as STRUCTEVAL_REPLAYS
from helm_structext.structeval.tasks import CODES, TYPE_FORMATS
from support.completions import read_lines

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>a: b</text></svg>'
HTML = "<!DOCTYPE html>\n<html><body><p>1 < 2</p></body></html>"
LATEX = "\\documentclass{article}\n\\begin{document}\n50\\% of $x$\n\\end{document}"
DOCUMENTS = [
    ("svg", SVG),
    ("svg", f'<?xml version="1.0"?>\n{SVG}'),
    ("html", HTML),
    ("html", "<html lang='en'>\n<p>Hi.\n</html>"),
    ("canvas", HTML),
    ("vue", HTML),
    ("xml", "<a>\n<b c='1'/>\n</a>"),
    ("xml", "<?xml version='1.0'?>\n<größe/>"),
    ("latex", LATEX),
    ("latex_document", LATEX),
    ("tikz", LATEX),
    ("json", '{"a": [1, "x: {y}"]}'),
    ("json", '[\n  {"a": 1},\n  {"b": 2}\n]'),
    ("vega", '{"mark": "bar"}'),
    ("webpage", '[{"filename": "index.html", "content": "<p>1</p>"}]'),
]
PROSE = [
    ("Here it is: ", " Hope it helps"),
    ("Here it is: ", "\n\nHope it helps (as in [1])!"),
    ("Sure! This is what you asked for.\n\n", "\n"),
    ("Sure, this does it\n", ". I used two colors: red and blue"),
    ("**Answer:** ", "\n\n**Notes**\n- none"),
    ("好的，代码如下：", "\n希望有帮助。"),
    ("", "\n\nThat's it."),
]


@pytest.mark.parametrize(("before", "behind"), PROSE)
@pytest.mark.parametrize(("format", "code"), DOCUMENTS)
def test_a_document_is_cut_out_of_prose(format, code, before, behind):
    completion = f"{before}{code}{behind}"
    assert extract(completion, format, "corrected") == code
    assert extract(completion, format) == completion.strip()
    assert extract(code, format, "corrected") == code


@pytest.mark.parametrize(
    ("format", "text"),
    [
        # Valid by itself: comments, other roots, text of a page, what LaTeX reads before its class.
        ("svg", f"<!-- A dot. -->\n{SVG}"),
        ("html", f"<!-- A page. -->\n{HTML}\n<!-- Its end. -->"),
        ("html", "Dear all:\n<p>It is done.</p>\nYours"),
        ("html", f"<body>A chart:\n{SVG}\n</body>"),
        ("xml", "<a>Text:\n<b/>\nmore</a>"),
        ("latex_document", f"% A report.\n{LATEX}"),
        ("latex_document", f"\\RequirePackage{{fix-cm}}.\n{LATEX}"),
        ("tikz", "A line:\n\\begin{tikzpicture}\\draw (0,0) -- (1,1);\\end{tikzpicture}"),
        ("json", '"Here: {1}"'),
        # Not JSON, and no prose around it either.
        ("json", '{"a": 1}\n{"b": 2}'),
        ("json", '{"a": 1},'),
        ("json", '"a": {"b": 1}'),
        ("json", '"a":\n{"b": 1}'),
        ("json", '// A comment.\n{"a": 1}'),
        ("json", '[\n{"a": 1}\n'),
        ("json", 'Sure:\n[\n  {"a": 1}\n'),
        ("json", 'Sure:\n{"a": {"b": 1}, "c": [1,'),
        ("vega", 'const spec =\n{"mark": "bar"};'),
        # No document at all.
        ("xml", "I can't write the <b>tags</b> for this."),
        ("svg", "I can't draw a <svg> of this."),
        ("json", "I can't do [1] or {2}, sorry."),
        ("markdown", f"Here it is:\n{HTML}\nDone."),
        ("typst", f"Here it is:\n{SVG}\nDone."),
    ],
)
def test_what_may_be_code_stays(format, text):
    assert extract(text, format, "corrected") == text.strip()


def test_a_cut_answer_that_is_cut_off_gets_no_credit():
    """What is left of it is not JSON."""
    completion = 'Sure: {"a": {"b": 1}\n"c": 2'
    assert extract(completion, "json", "corrected") == '{"a": {"b": 1}'


TAGGED = [name for name, row in FORMATS.items() if row.extraction == "tagged"]


@pytest.mark.parametrize("format", [*TAGGED, "latex", "webpage", "lilypond"])
def test_of_two_fences_the_first_in_a_language_of_the_format_is_taken(format):
    own, other = (f"```{FORMATS[format].fences[-1]}\na = 1\n```", "```text\nb = 2\n```")
    for completion in (f"{own}\n{other}", f"{other}\n{own}", f"{own}\n{own.replace('1', '3')}"):
        if format == "markdown" and completion.startswith("```text"):
            continue  # A document may begin with a fence of its own.
        code = extract(completion, format, "corrected").strip()
        assert code.splitlines()[-1] == "a = 1"
    if format != "markdown":
        two = f"{other}\n```text\nc = 3\n```"
        assert extract(two, format, "corrected").strip() == "b = 2"


PYTHON = (
    "import matplotlib.pyplot as plt\n\nplt.plot([1, 2], [3, 4])\nplt.title('A: b')\nplt.show()"
)
PICTURE = "\\begin{tikzpicture}\n  \\draw (0,0) -- (1,1);\n\\end{tikzpicture}"
PROGRAMS = [
    ("matplotlib", PYTHON),
    ("matplotlib", f"# A line.\n\n{PYTHON}"),
    ("matplotlib", f'"""Draws a line."""\n{PYTHON}'),
    ("matplotlib", "x = [1, 2]\n\nplt.plot(x)"),
    ("mermaid", "flowchart TD\n  A[Start] --> B{Is it?}\n\n  B --> C"),
    ("mermaid", "---\ntitle: Parts\n---\npie showData\n  \"a\": 1"),
    ("mermaid", "%%{init: {'theme': 'dark'}}%%\nsequenceDiagram\n  A->>B: Hi"),
    ("lilypond", '\\version "2.24.0"\n\n{ c\' d\' }'),
    ("lilypond", "melody = { c' }\n\n\\score { \\melody }"),
    ("tikz", PICTURE),
    ("tikz", f"\\usetikzlibrary{{arrows}}\n\n{PICTURE}"),
    ("latex", "\\begin{equation}\n  x^2\n\\end{equation}"),
    ("latex_document", "\\section{One}\n\nA text."),
    ("typst", '#set page(width: 9cm)\n\n= Title\n\nThe text of it.'),
    ("typst", "= Title\n#table([a])"),
    ("react", "import React from 'react';\n\nexport default function App() {\n  return <p>Hi.</p>;\n}"),
    ("angular", "@Component({template: ''})\nexport class App {}"),
    ("vue", "<script setup>\nconst a = 1\n</script>\n\n<template><p>One.</p></template>"),
]  # fmt: skip
AROUND = [
    ("Here is the code:\n\n", "\n\nThis code draws what you asked for, and `a = 1` more."),
    ("Certainly! Here's the Code:\n", "\n\nLet me know if it should have other colors!"),
    ("Sure!\n\nBelow is the **code**:\n\n", "\n\n**Explanation:**\n\n1. The first line.\n2. `x`\n- the end"),
    ("好的，代码如下：\n\n", "\n\nExplanation:\n- one\n\n### Notes\n\nThis will create one picture."),
    ("Here is the code:\n\n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("before", "behind"), AROUND)
@pytest.mark.parametrize(("format", "code"), PROGRAMS)
def test_a_program_is_cut_out_of_prose(format, code, before, behind):
    completion = f"{before}{code}{behind}"
    assert extract(completion, format, "corrected") == code
    assert extract(completion, format) == completion.strip()
    assert extract(code, format, "corrected") == code


@pytest.mark.parametrize("behind", ["\n\nThis draws a line.", "\n\nIt has two parts:\n- one"])
@pytest.mark.parametrize(("format", "code"), PROGRAMS)
def test_prose_behind_is_cut_off_where_no_program_may_have_it(format, code, behind):
    text_is_code = format in ("tikz", "latex", "latex_document", "typst")
    completion = code + behind
    assert extract(completion, format, "corrected") == (completion if text_is_code else code)


@pytest.mark.parametrize(
    ("format", "text"),
    [
        # Sentences that are code, or stand in it.
        ("matplotlib", f'"""\nDraws a line.\n\nThis is it.\n"""\n{PYTHON}'),
        ("matplotlib", 'plt.title("""One.\n\nThis is two.\n""")'),
        ("matplotlib", f"{PYTHON}\n\n# This draws a line."),
        ("tikz", f"Two lines:\n\n{PICTURE}"),
        ("latex_document", f"We draw this:\n\n{PICTURE}\n\nIt is a line."),
        ("latex", "Hence the code is\n\n$x^2$"),
        ("typst", "Here are the results:\n\n#table([a])\n\nThis is all."),
        ("typst", "#set page(width: 9cm)\n\nThis code is text."),
        ("mermaid", "timeline\n  2002 : One\n\n  2003 : Two"),
        ("mermaid", "gantt\n  title A\nDesign of it all :a1, 2024-01-01, 3d"),
        # No program, or none that begins as programs do.
        ("matplotlib", "I can't draw this.\n\nPlease show me the picture."),
        ("matplotlib", "Here is the code:\n\n<svg/>\n"),
        ("mermaid", "Here it is:\n\nA --> B"),
        ("lilypond", "Here it is:\n\nc d e f"),
    ],
)
def test_of_a_program_nothing_is_cut_off(format, text):
    assert extract(text, format, "corrected") == text.strip()


WORKFLOW = "name: CI\n\non: [push]\njobs:\n  build:\n    runs-on: ubuntu"
TABLES = [
    ("yaml", WORKFLOW),
    ("yaml", "---\nname: CI"),
    ("toml", '[package]\nname = "a"\n\n[dependencies]\nb = "1"'),
    ("csv", "name,age\nAnn,3"),
    ("html", '<div class="a">\n  <p>One.</p>\n</div>'),
]


@pytest.mark.parametrize("behind", ["", "\n\nThis has all that you asked for, and more."])
@pytest.mark.parametrize("before", ["Here is an example:\n\n", "Sure!\n\nThe file is below:\n"])
@pytest.mark.parametrize(("format", "code"), TABLES)
def test_text_formats_and_parts_of_pages_are_cut_out_of_prose(format, code, before, behind):
    assert extract(f"{before}{code}{behind}", format, "corrected") == code
    assert extract(code, format, "corrected") == code


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("yaml", "Project name: A\n\nowner: Ann"),
        ("yaml", "name: A\n\nThis key: is one."),
        ("yaml", "text: |\n  One.\n\n  This is two."),
        ("csv", "Name of it,Age\n\nAnn,3"),
        ("html", "Dear all:\n\n<p>It is done.</p>"),
    ],
)
def test_of_text_formats_nothing_is_cut_off_that_they_may_have(format, text):
    assert extract(text, format, "corrected") == text


RULED = [one for one in PROGRAMS if one[0] in ("matplotlib", "react")]


@pytest.mark.parametrize(("format", "code"), RULED)
@pytest.mark.parametrize("end", ["\n-----------\n\nExplanation:\n\n1. f(x) = 1 is `x`.", ""])
def test_lines_of_dashes_stand_around_a_program_as_fences_do(format, code, end):
    before = "Below is one way, with f(x) = 1.\n\n-----------\nFile: a.js\n-----------\n"
    assert extract(f"{before}{code}{end}", format, "corrected").strip() == code


def test_prose_behind_the_only_line_of_dashes_is_cut_off():
    text = "Here is the code:\n\n--------\nimport a\na.plot()\n\nThis draws all points of it."
    assert extract(text, "matplotlib", "corrected") == "import a\na.plot()"


def test_a_table_with_a_line_of_dashes_is_no_prose_and_its_rows():
    table = "Name, Age\n--------\nAnn, 3\nBob, 4"
    assert extract(table, "csv", "corrected") == table


def test_a_fence_in_a_list_that_is_never_closed_is_not_indented():
    text = "1. Write this:\n\n   ```yaml\n   a:\n     b: 1\n   c: 2"
    assert extract(text, "yaml", "corrected") == "a:\n  b: 1\nc: 2"


@pytest.mark.parametrize("format", ["html", "canvas"])
def test_a_page_that_is_cut_off_is_cut_out_of_the_prose_before_it(format):
    page = "<!DOCTYPE html>\n<html><body><p>One"
    assert extract(f"Here it is:\n\n{page}", format, "corrected") == page


@pytest.mark.parametrize(
    ("format", "code", "before", "behind"),
    [
        ("latex_document", LATEX, "Use \\tableofcontents. For example:\n\n", ""),
        ("latex_document", LATEX, "Here it is:\n\n", "\n\nThe \\section{} command is one."),
        ("tikz", LATEX, "Here it is:\n\\begin{code}\n", "\n\\end{code}"),
        ("html", HTML, "Here it is:\n", "\n\nThe <p> element is a paragraph."),
        ("svg", SVG, "Here it is:\n", "\n\nThe <text> element is one."),
    ],
)
def test_prose_around_a_document_may_speak_of_its_commands(format, code, before, behind):
    assert extract(f"{before}{code}{behind}", format, "corrected").strip() == code


@pytest.mark.parametrize("kind", KINDS)
def test_generated_code_stays_as_it_is_and_is_cut_out_of_prose(kind):
    for number, language in enumerate(LANGUAGES):
        scene = KINDS[kind].draw(Random(number), LEVELS[number % len(LEVELS)], language)
        for format in KINDS[kind].formats_of(scene):
            code = KINDS[kind].writers[format](scene, Random(number)).strip()
            assert extract(code, format, "corrected").strip() == code
            if format != "markdown":
                completion = f"Here is the code:\n\n{code}\n\nThis code draws a picture of it."
                assert extract(completion, format, "corrected").strip() == code


def completions_of_samples() -> Iterator[tuple[str, str]]:
    """Right answers that come with the samples, each with its format."""
    own = {"image2struct_music": "lilypond"}
    for path in sorted(REPLAYS.glob("careful*.jsonl")):
        for line in read_lines(path):
            last = line["scenario"].removeprefix("image2struct_").removeprefix("format_")
            yield own.get(line["scenario"], last), line["completion"]
    formats = {CODES[type]: format for type, format in TYPE_FORMATS.items()}
    for line in read_lines(STRUCTEVAL_REPLAYS / "careful.jsonl"):
        yield formats[line["instance"][2:4]], line["completion"]


def test_code_of_the_samples_stays_as_it_is():
    checked = set()
    for format, completion in completions_of_samples():
        code = extract(completion, format, "corrected").strip()
        if "```" not in code and "_CODE" not in code:
            assert extract(code, format, "corrected").strip() == code
            checked.add(format)
    assert checked == set(FORMATS)
