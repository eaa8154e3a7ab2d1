"""Errors of TeX: in the line of the code that a model wrote, with the macro and what stands there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_structext.errors import CTAN, MissingResource, RenderError
from helm_structext.renderers import latex, latex_document, render, tex_log

TOKENS = [
    *(r"\documentclass{article}", r"\documentstyle{x}", r"\usepackage{a}", "\\usepackage{\nb}"),
    *(
        r"\begin{document}",
        r"\end{document}",
        r"\label{a}",
        "\\label{b}\t\n",
        "{align}",
        "{equation}",
    ),
    *("\n", "\n\n", " ", "%", "$x$", "a"),
]


@given(st.lists(st.sampled_from(TOKENS), max_size=15))
@settings(deadline=None, max_examples=300)
def test_what_is_left_of_code_is_traced_back_to_where_it_stood(tokens):
    code = "".join(f"{token}{chr(0xE000 + number)}" for number, token in enumerate(tokens))
    documents = [latex_document.complete_document(code, protocol) for protocol in latex.STEPS]
    for steps in latex.STEPS.values():
        document = latex.complete(code, steps)
        documents += [document, latex.repair_document(document, "Missing $ inserted", steps)[0]]
        loads = "LaTeX Error: Environment a undefined"
        documents.append(latex.repair_document(document, loads, steps)[0])
    for document in documents:
        for number in range(len(tokens)):
            mark = chr(0xE000 + number)
            if (place := document.text.find(mark)) >= 0:
                assert document.origin(place) == code.index(mark)


ALIGN = "\\begin{align}\na &= b \\\\\nc &= \\foo{d} + \\frac{1}{2}\n\\end{align}"
DOCUMENT = (
    "\\documentclass[12pt]{article}\n\\usepackage{amsmath}\n\\usepackage{tikz}\n"
    "\\title{A}\n\\begin{document}\nHello\n\\foo x\n\\end{document}"
)

BROKEN = {
    "a macro in an alignment": (
        ALIGN,
        r"line 3: Undefined control sequence \foo: c &= \foo{d} + \frac{1}{2}",
    ),
    "a document, with packages": (DOCUMENT, r"line 7: Undefined control sequence \foo: \foo x"),
    "labels before": (
        "\\label{a}\n\\label{b}\nHello \\foo",
        r"line 3: Undefined control sequence \foo: Hello \foo",
    ),
    "the definition of a macro": (
        "\\newcommand{\\x}[1]{\\foo #1}\n\n\\x{a}\nb",
        r"line 1: Undefined control sequence \foo: \newcommand{\x}[1]{\foo #1}",
    ),
    "a longer name before": (
        "\\newcommand{\\foobar}{y}\\foobar\n\n\\foo",
        r"line 3: Undefined control sequence \foo: \foo",
    ),
    "a column too many": (
        "a\n\\begin{tabular}{cc}\na & b & c\n\\end{tabular}",
        r"line 3: Extra alignment tab has been changed to \cr: a & b & c",
    ),
    "an index too many": (
        "\\begin{equation}\na = b_c_d\n\\end{equation}",
        "line 2: Double subscript: a = b_c_d",
    ),
    "an open argument": (
        "a\n\\textbf{b\n\nc",
        r"line 2: File ended while scanning use of \textbf . Runaway argument? {b \par",
    ),
    "an open environment": (
        "a\n\\begin{align}\nb\n\nc",
        r"line 2: Paragraph ended before \align* was complete. Runaway argument? b:",
    ),
    "an environment": (
        "a\n\\begin{foo}\nb\n\\end{foo}",
        r"line 2: LaTeX Error: Environment foo undefined: \begin{foo}",
    ),
    "a picture": (
        "a\n\\includegraphics{nothere.png}",
        "line 2: Package pdftex.def Error: File `nothere.png' not found",
    ),
    "math outside of it": (
        "a\nx_1 \\foo\n",
        "line 2: Missing $ inserted: x_1 \\foo; in display math, ",
    ),
    "another end": (
        "a\n\n\\begin{center}\nb\n\\end{quote}",
        r"line 5: LaTeX Error: \begin{center} on line 3 ended by \end{quote}: \end{quote}",
    ),
}


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize(("code", "message"), BROKEN.values(), ids=BROKEN)
def test_errors_of_fragments_and_documents(code, message, protocol):
    with pytest.raises(RenderError) as caught:
        render("latex", code, protocol=protocol)
    assert caught.value.message.startswith(message)


DRAWN = {
    "a macro": (
        "\\begin{tikzpicture}\n\\foo;\n\\end{tikzpicture}",
        r"line 2: Undefined control sequence \foo: \foo;",
    ),
    "a coordinate": (
        "\\begin{tikzpicture}\n\\draw (a) -- (b);\n\\end{tikzpicture}",
        "line 2: Package pgf Error: No shape named `a' is known: \\draw (a) -- (b);",
    ),
    "an open coordinate": (
        "\\begin{tikzpicture}\n\\draw (0,0) -- (1,1;\n\\end{tikzpicture}",
        r"line 2: File ended while scanning use of \tikz@scan@no@calculator. Runaway",
    ),
    "a package": (
        "% mine\n\\documentclass{article}\n\\usepackage{nothere}\n\\begin{document}\na\\end{document}",
        r"line 3: LaTeX Error: File `nothere.sty' not found: \usepackage{nothere}",
    ),
    "a title": (
        "\\documentclass{article}\n\\begin{document}\n\\title{x\n\n\\foo\n\\end{document}",
        r"line 3: File ended while scanning use of \title",
    ),
}


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize(("code", "message"), DRAWN.values(), ids=DRAWN)
def test_errors_of_documents_and_drawings(code, message, protocol):
    if protocol == "corrected" and "nothere" in code:
        assert render("tikz", code, protocol=protocol).missing == (
            MissingResource("package", CTAN, "nothere"),
        )
        return
    with pytest.raises(RenderError) as caught:
        render("tikz", code, protocol=protocol)
    said = caught.value.message
    assert f"({message}" in said if caught.value.kind == "missing" else said.startswith(message)


def test_a_log_that_lies_names_a_line_that_is_there():
    log = "./job.tex:999999999: no such line\nl.999999999 x\n"
    document = latex.complete("$x$\n\n", latex.STEPS["published"])
    assert tex_log.reason(log, document, "$x$\n\n") == "line 1: no such line: $x$"


def test_every_error_is_told_with_its_line_of_the_code():
    code = "$x$\n\\label{a}\n\\nope\n\n$x_1_2$"
    document = latex_document.complete_document(code)
    first = latex_document.PREAMBLE.count("\n") + 2
    log = (
        f"./job.tex:{first + 2}: Undefined control sequence.\nl.{first + 2} \\nope\n     \n! Bad.\n"
    )
    assert tex_log.find_errors(log, document, code) == [
        "line 3: Undefined control sequence \\nope",
        "Bad.",
    ]
    assert len(tex_log.find_errors("! Bad.\n" * 300, document, code)) == tex_log.MAX_ERRORS


def test_signs_without_a_font_are_told_by_alphabet():
    named = "".join(
        f"! LaTeX Error: Unicode character {c} (U+{ord(c):04X})\n" for c in "你好你Жא😀"
    )
    bytes_alone = "".join(
        f"Missing character: There is no {c} in font cmr10!\n" for c in ("^^e4", "\ufffd")
    )
    found = tex_log.find_missing(named + bytes_alone)
    assert [(one.kind, one.package, one.address) for one in found] == [
        ("font", "with CJK signs", "你好"),
        ("font", "with Cyrillic signs", "Ж"),
        ("font", "with Hebrew signs", "א"),
        ("font", "with other signs", "😀"),
    ]
    assert tex_log.find_missing("Unicode character x (U+FFFFFF)\nUnicode character  (U+)") == []
