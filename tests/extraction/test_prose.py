"""Documents without tags and fences are cut out of prose in the corrected protocol, and nothing else is."""

import pytest

from helm_structext.extraction import extract
from helm_structext.formats import FORMATS

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
