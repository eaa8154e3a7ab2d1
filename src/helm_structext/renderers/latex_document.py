r"""LaTeX and TikZ → picture, by the steps of StructEval.

A document keeps its own preamble; a fragment goes into `standalone` with the usual packages. pdfTeX
compiles it, and its first page becomes a picture of 300 DPI, in spite of errors: only a document
without any page fails, or with errors and nothing on the first one but its number.

The class makes a page of each `tikzpicture` in a fragment; a fragment without one gives a whole
page of text.

Source: StructEval, Section 3, and its published code, where a white page counts as rendered.
"""

from collections.abc import Mapping
from functools import partial

from PIL import Image, ImageChops

from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import latex, tex_text
from helm_structext.renderers.engine import Engine, tidied
from helm_structext.renderers.outcome import Drawing, has_ink
from helm_structext.sandbox import Limits

REVISION = "4"
PREAMBLE = r"""\documentclass[tikz,border=2pt]{standalone}
\usepackage{amsmath,amssymb,graphicx,xcolor}
\usepackage{tikz}
\usepackage{pgfplots}
\pgfplotsset{compat=1.18}
"""
PROFILE = latex.Profile(PREAMBLE, dpi=300, errors=True)

ERROR = Pattern(r"(?m)^(?:(?P<file>\S+):(?P<line>\d+): |! )(?P<message>.+(?:\n\(\w+\) .+)*)")
# TeX goes on after most errors; these are the ones that it doesn't.
FATAL = Pattern(
    r"LaTeX Error: File .* not found|File ended while scanning|TeX capacity exceeded|Fatal "
)
MORE_OF_MESSAGE = Pattern(r"\n\(\w+\) +")
RUNAWAY = Pattern(r"(?m)^Runaway .*\n.*")
OWN_FILE = "./job.tex"
# Goes before a document to leave out the numbers of its pages.
UNNUMBERED = (
    r"\AtBeginDocument{\pagestyle{empty}"
    + "".join(
        rf"\expandafter\let\csname ps@{style}\expandafter\endcsname\csname ps@empty\endcsname"
        for style in ("plain", "headings", "myheadings")
    )
    + "}"
)
NUMBER_SIZE = 600, 60
"""Pixels; no page number is larger."""


def completed(code: str, protocol: ProtocolName = "published") -> str:
    r"""Returns the document that a fragment becomes; a document stays as it is.

    The packages that a fragment loads are loaded in the preamble; in the published code they are
    text and an error.

    >>> print(completed("$x$").removeprefix(PREAMBLE))
    \begin{document}
    $x$
    \end{document}
    >>> print(completed("\\usepackage{bm}\n$x$", "corrected").removeprefix(PREAMBLE))
    \usepackage{bm}
    \begin{document}
    <BLANKLINE>
    $x$
    \end{document}
    """
    if latex.BEGIN in code:
        return code
    loaded = ""
    if protocol == "corrected":
        lines = list(tex_text.across_lines(code, "usepackage", alone=True))
        loaded = "".join(f"{line.text.strip()}\n" for line in lines)
        code = tex_text.without(code, iter(lines))
    return f"{PREAMBLE}{loaded}{latex.BEGIN}\n{code}\n{latex.END}"


def reason(log: str) -> str:
    r"""Why a document has no page, from pdfTeX's log of it.

    >>> reason("./job.tex:2: Undefined control sequence.\n! LaTeX Error: File `a' not found.")
    "LaTeX Error: File `a' not found."
    >>> reason("Runaway argument?\n{one \n! File ended while scanning use of \\textbf .")
    'File ended while scanning use of \\textbf . Runaway argument? {one'
    >>> reason("! Emergency stop.\n*** (job aborted, no legal \\end found)")
    '\\end{document} is missing'
    """
    fatal = next((one for one in ERROR.finditer(log) if FATAL.match(one["message"])), None)
    if not fatal and r"no legal \end found" in log:
        return rf"{latex.END} is missing"
    error = fatal or ERROR.search(log)
    if not error:
        return latex.last_error(log)
    message = MORE_OF_MESSAGE.sub(" ", error["message"])
    if "That makes 100 errors" in log:
        message = f"{message} (and 99 other errors)"
    if runaway := RUNAWAY.search(log[: error.start()]):
        message += f" {' '.join(runaway[0].split())}"
    return f"line {error['line']}: {message}" if error["file"] == OWN_FILE else message


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
) -> Drawing:
    """Renders code; see the module's text."""
    document = completed(code, protocol)
    page, log = latex.compiled(document, "", assets, limits, PROFILE)
    failed = bool(ERROR.search(log)) or (page is None and latex.NO_PAGE not in log)
    visible = page is not None and has_ink(page)
    if failed and page is not None and visible and may_be_number(page):
        unnumbered, _ = latex.compiled(document, UNNUMBERED, assets, limits, PROFILE)
        visible = unnumbered is not None and has_ink(unnumbered)
    return Drawing(
        page,
        document,
        tidied(code),
        log,
        error=reason(log) if failed else "",
        visible=visible,
        missing="the document has no page",
    )


def version(format: str) -> str:
    """Returns the renderer's version: our own revision and that of the programs."""
    return f"{format} {REVISION} ({latex.programs_version()})"


LATEX_DOCUMENT, TIKZ = (
    Engine(
        draw=draw,
        version=partial(version, format),
        limits=latex.ENGINE.limits,
        packages=latex.ENGINE.packages,
    )
    for format in ("latex_document", "tikz")
)
