r"""LaTeX and TikZ → picture, by the steps of StructEval.

A document keeps its own preamble; a fragment goes into `standalone` with the usual packages. pdfTeX
compiles it, and its first page becomes a picture of 300 DPI, in spite of errors: only a document
without any page fails, or with errors and nothing on the first one but its number.

The class makes a page of each `tikzpicture` in a fragment; a fragment without one gives a whole
page of text.

Source: StructEval, Section 3, and its published code, where a white page counts as rendered.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PIL import Image, ImageChops

from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName
from helm_structext.renderers import latex, tex_log
from helm_structext.renderers.edits import Traced, surround_text
from helm_structext.renderers.engine import tidy_text
from helm_structext.renderers.outcome import Drawing, has_ink
from helm_structext.renderers.page_layout import read_page
from helm_structext.renderers.tex_charts import HOOKS, read_log_charts
from helm_structext.renderers.tex_needs import write_needs
from helm_structext.sandbox import Limits

REVISION = "5"
PREAMBLE = r"""\documentclass[tikz,border=2pt]{standalone}
\usepackage{amsmath,amssymb,graphicx,xcolor}
\usepackage{tikz}
\usepackage{pgfplots}
\pgfplotsset{compat=1.18}
"""
PROFILE = latex.Profile(PREAMBLE, dpi=300, errors=True)

# Goes before a document to leave out the numbers of its pages.
UNNUMBERED = (
    r"\AtBeginDocument{\pagestyle{empty}"
    + "".join(
        rf"\expandafter\let\csname ps@{style}\expandafter\endcsname\csname ps@empty\endcsname"
        for style in ("plain", "headings", "myheadings")
    )
    + "}"
)
PLOTS = "\\addplot"
"""In a document that may have charts."""
NUMBER_SIZE = 600, 60
"""Pixels; no page number is larger."""


def complete_document(code: str, protocol: ProtocolName = DEFAULT_PROTOCOL) -> Traced:
    r"""Returns the document that a fragment becomes; a document stays as it is.

    The packages that a fragment loads are loaded in the preamble; in the published code they are
    text and an error.

    >>> print(complete_document("$x$").text.removeprefix(PREAMBLE))
    \begin{document}
    $x$
    \end{document}
    >>> print(complete_document("\\usepackage{bm}\n$x$", "corrected").text.removeprefix(PREAMBLE))
    \usepackage{bm}
    \begin{document}
    <BLANKLINE>
    $x$
    \end{document}
    """
    document = Traced(code)
    if latex.BEGIN not in code:
        document = document.edited(surround_text(f"{PREAMBLE}{latex.BEGIN}\n", f"\n{latex.END}"))
    return document.edited(latex.STEPS[protocol].packages) if protocol == "corrected" else document


def may_be_number(page: Image.Image) -> bool:
    """Whether a page has so little on it that it may be the page's number.

    >>> page = Image.new("RGB", (2550, 3300), "white")
    >>> page.paste("black", (1260, 3000, 1280, 3030))
    >>> may_be_number(page)
    True
    """
    left, top, right, bottom = ImageChops.invert(page).getbbox() or (0, 0, 0, 0)
    return right - left <= NUMBER_SIZE[0] and bottom - top <= NUMBER_SIZE[1]


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    document = complete_document(code, protocol)
    prologue = latex.LOADING if protocol == "corrected" else ""

    hooks = HOOKS if layout and PLOTS in document.text else ""

    def compiled(before: str) -> latex.TexOutput:
        made = latex.compile_once(
            document.text, hooks + before, assets, limits, PROFILE, keep=layout
        )
        if hooks and count_errors(made.log):  # They may be those of what tells its charts.
            return latex.compile_once(document.text, before, assets, limits, PROFILE, keep=layout)
        return made

    page, log, pdf = compiled(prologue)
    errors = count_errors(log)
    if errors and protocol == "corrected" and (needs := write_needs(code, log)):
        with_needs = prologue + latex.before_document(needs)
        again = compiled(with_needs)
        if again.page is not None and (page is None or count_errors(again.log) < errors):
            (page, log, pdf), prologue = again, with_needs
    told = tex_log.find_errors(log, document, code)
    failed = bool(told) or (page is None and latex.NO_PAGE not in log)
    visible = page is not None and has_ink(page)
    if failed and page is not None and visible and may_be_number(page):
        unnumbered = compiled(prologue + UNNUMBERED).page
        visible = unnumbered is not None and has_ink(unnumbered)
    error = tex_log.reason(log, document, code) if failed else ""
    found, reason = None, ""
    if layout and page is not None:
        found, reason = read_page(pdf, PROFILE.dpi, page)
        found = found and found.with_charts(read_log_charts(log, PROFILE.dpi))
    return Drawing(
        page,
        document.text,
        tidy_text(code),
        log,
        error=error,
        visible=visible,
        nothing="the document has no page",
        missing=tex_log.find_missing(log),
        cause=tex_log.find_cause(error, log),
        tex_errors=told,
        layout=found,
        layout_reason=reason,
    )


def count_errors(log: str) -> int:
    """Returns how many errors TeX told, whether or not it went on after them."""
    return sum(1 for _ in tex_log.ERROR.finditer(log))


def version(format: str) -> str:
    """Returns the renderer's version: our own revision and that of the programs."""
    return f"{format} {REVISION} ({latex.programs_version()})"


LATEX_DOCUMENT, TIKZ = (
    replace(
        latex.ENGINE,
        draw=draw,
        version=partial(version, format),
        draw_with_layout=partial(draw, layout=True),
    )
    for format in ("latex_document", "tikz")
)
