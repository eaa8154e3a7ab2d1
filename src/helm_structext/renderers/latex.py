r"""LaTeX → picture, by the steps of Image2Struct.

Code may be a fragment or a document. Its `\documentclass` and `\usepackage` lines give
way to the benchmark's fixed preamble, numbering environments are starred, labels go; pdfTeX
compiles it, any error being a failure unless one of two repairs helps; the first page becomes a
picture of 200 DPI, cropped to its ink.

The preamble takes pdfTeX four times as long as a usual answer, so it is loaded once and
dumped into a format file (`\dump`), which lies in the cache folder.

Source: Image2Struct, Section 2.1.2, and its published code (HELM 0.5.16).
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from helm_structext.errors import MAX_MISSING, MissingResource, RenderError, SetupError
from helm_structext.machine.fonts import PAGE_FAMILIES
from helm_structext.machine.programs import find_program
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import tex_log, tex_text
from helm_structext.renderers.edits import (
    Edits,
    Traced,
    remove_matches,
    replace_text,
    surround_text,
)
from helm_structext.renderers.engine import (
    Engine,
    ink_box,
    read_engine_picture,
    run_own,
    tidy_text,
)
from helm_structext.renderers.limits import LATEX_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.page_layout import read_page
from helm_structext.renderers.tex_needs import UNICODE, write_needs
from helm_structext.sandbox import (
    MIB,
    Limits,
    SandboxProfile,
    limits_for,
    run,
    run_job,
    uncounted,
)
from helm_structext.storage.cache import cache_folder, content_key, get_or_make_file

REVISION = "2"
DPI = 200

CLASS = r"\documentclass{article}"
BEGIN, END = r"\begin{document}", r"\end{document}"
PACKAGES = r"""
\usepackage{amsmath,amssymb,amsfonts}
\usepackage{graphicx}
\usepackage{amsmath}
\usepackage{xcolor}
\usepackage{algorithm}
\usepackage{algorithmicx}
\usepackage{algpseudocode}
\usepackage{listings}
\usepackage{stfloats}
\usepackage{epstopdf}
\usepackage{pgfplots}
\usepackage{tikz}
\usepackage{tikz-cd}
\usepackage{tikz-qtree}
\usepackage{tikz-dependency}
\usepackage{tikz-3dplot}
\usepackage{tikz-network}
\usepackage[flushleft]{threeparttable}
\usepackage{adjustbox}
"""
PREAMBLE = f"{CLASS}\n{PACKAGES}\n"

PROVIDED = frozenset(
    name for line in PACKAGES.split() for name in line.rpartition("{")[2].strip("}").split(",")
)

NUMBERING = (
    *("equation", "align", "alignat", "gather", "flalign", "multline", "eqnarray"),
    *("subeqnarray", "aligneq"),
)

# Errors that no repair is tried for: they are the model's own.
OWN_ERRORS = (
    r"Undefined control sequence",
    r"LaTeX Error: Lonely \item--perhaps a missing list environment.",
    r"Missing } inserted",
    r"Missing { inserted",
    r"Double subscript.",
    r"LaTeX Error: Not in outer par mode.",
    r"Extra alignment tab has been changed to \cr.",
    "Missing \\",
    r"LaTeX Error: \begin{",
    r"Misplaced \noalign",
    r" already defined.",
)
NO_PAGE = "No pages of output"
MATH_ERRORS = ("Missing $ inserted", " allowed only in math mode")

# The class comes before the style, wherever they stand.
HEADERS = ("documentclass", "documentstyle")
LABEL = Pattern(r"\\label\{.*?\}[\t ]*\n?")
LINE_OF_PACKAGES = Pattern(r"\\usepackage(?:\[.*?\])?\{.*\}")
BEGIN_OF_DOCUMENT = Pattern(r"\\begin\{document\}\n*")
UNDEFINED = Pattern(r"LaTeX Error: Environment ([\w-]+)\*? undefined")

FONT_ALIASES = {
    "Times New Roman": "Liberation Serif",
    "Times": "Liberation Serif",
    "Arial": "Liberation Sans",
    "Helvetica": "Liberation Sans",
    "Courier New": "Liberation Mono",
    "Courier": "Liberation Mono",
    "SimSun": "WenQuanYi Micro Hei",
    "SimHei": "WenQuanYi Micro Hei",
}
"""Families that XeTeX is asked for → those that stand for them."""

# Loads packages as \usepackage does, but leaves out what is not installed, and gives xcolor, which a preamble
# or class of ours has loaded, the options that would clash. Then, what `tex_needs` writes.
LOADING = "".join(
    line.strip()
    for line in r"""\makeatletter
    \def\helm@load{\let\usepackage\helm@usepackage}
    \def\helm@usepackage{\@ifnextchar[\helm@options{\helm@options[]}}
    \def\helm@options[#1]#2{\@ifnextchar[{\helm@dated[#1]{#2}}{\helm@dated[#1]{#2}[]}}
    \def\helm@dated[#1]#2[#3]{\edef\helm@names{\zap@space#2 \@empty}
    \@for\helm@name:=\helm@names\do{\expandafter\helm@one\expandafter{\helm@name}{#1}{#3}}}
    \def\helm@one#1#2#3{\def\helm@found{\RequirePackage[#2]{#1}[#3]}
    \IfFileExists{#1.sty}{}{\def\helm@found{\typeout{Left out: File `#1.sty' not found}}}
    \@ifpackageloaded{#1}{\@ifundefined{helm@#1}{}{\def\helm@found{\csname helm@#1\endcsname{#2}}}}{}
    \helm@found}
    \def\helm@xcolor#1{\edef\helm@names{\zap@space#1 \@empty}
    \@for\helm@name:=\helm@names\do{\csname helm@xcolor@\helm@name\endcsname}}
    \def\helm@xcolor@table{\RequirePackage{colortbl}}
    \def\helm@xcolor@dvipsnames{\makeatletter\input{dvipsnam.def}\makeatother}
    \def\helm@xcolor@svgnames{\makeatletter\input{svgnam.def}\makeatother}
    \def\helm@xcolor@x11names{\makeatletter\input{x11nam.def}\makeatother}
    \def\helmneeds#1#2{\@ifundefined{#1}{#2}{}}
    \def\helmsign#1#2#3{\expandafter\ifx\csname u8:\detokenize{#2}\endcsname\relax
    \DeclareUnicodeCharacter{#1}{\ensuremath{#3}}\fi}
    \def\helmcjk{\let\CJK@XXXX\helm@four\let\helm@kept\CJK@XXX\let\CJK@XXX\helm@three}
    \protected\def\helm@three{\ifmmode\expandafter\helm@text\else\expandafter\helm@kept\fi}
    \def\helm@text#1#2#3{\text{\helm@kept#1#2#3}}
    \def\helm@four#1#2#3#4{\csname u8:\string#1\string#2\string#3\string#4\endcsname}
    \AddToHook{package/bbm/after}{\IfFileExists{dsfont.sty}{\DeclareFontFamily{U}{bbm}{}
    \@for\helm@name:=m,bx\do{\DeclareFontShape{U}{bbm}{\helm@name}{n}{<->dsrom10}{}}}{}}
    \AddToHook{file/t2acmr.fd/after}{\helm@lgc{cmr}{fcm}}
    \AddToHook{file/t2acmss.fd/after}{\helm@lgc{cmss}{fcs}}
    \AddToHook{file/t2acmtt.fd/after}{\helm@lgc{cmtt}{fct}}
    \def\helm@lgc#1#2{\IfFileExists{t2a#2.fd}{\@for\helm@name:=m/n,m/it,m/sl,m/sc,bx/n,bx/it,bx/sl\do{
    \expandafter\helm@shape\helm@name\@nil{#1}{#2}}}{}}
    \def\helm@shape#1/#2\@nil#3#4{\DeclareFontShape{T2A}{#3}{#1}{#2}{<->ssub*#4/#1/#2}{}}
    \AddToHook{package/fontspec/after}{\@for\helm@name:=main,sans,mono\do{\helm@wrap{set\helm@name font}}}
    \AddToHook{package/xeCJK/after}{\@for\helm@name:=main,sans,mono\do{\helm@wrap{setCJK\helm@name font}}}
    \def\helm@wrap#1{\expandafter\let\csname helm@#1\expandafter\endcsname\csname#1\endcsname
    \expandafter\edef\csname#1\endcsname{\noexpand\helm@font\expandafter\noexpand\csname helm@#1\endcsname}}
    \NewDocumentCommand\helm@font{m O{} m O{}}{
    \edef\helm@found{\@ifundefined{helm@font@#3}{#3}{\csname helm@font@#3\endcsname}}
    \IfFontExistsTF{\helm@found}{#1{\helm@found}[#2,#4]}{\typeout{Left out: font "#3" not found}}}
    FONT_ALIASES
    \ifx\usepackage\RequirePackage\helm@load\else\AddToHook{class/after}{\helm@load}\fi
    \makeatother """.splitlines()
).replace(
    "FONT_ALIASES",
    "".join(rf"\@namedef{{helm@font@{name}}}{{{family}}}" for name, family in FONT_ALIASES.items()),
)

MAX_LENGTH = 20_000_000
"""Characters of a document, with a preamble in place of each header like its first."""


@dataclass(frozen=True)
class Steps:
    """Where the protocols part.

    Args:
        packages: what becomes of the lines that load packages. They are removed by the published
            expression, which runs to the last brace of the line and takes along what else stands
            there; else those of the body move into the preamble.
        end: closes a fragment; a comment on its last line takes the published one along.
        math: what the body is wrapped in after an error that math mode would mend.
        tries: how often a document is repaired.
        load: whether packages are really loaded: those of the code, what it is known to need
            (`tex_needs`), and the one named like an undefined environment. In the published code
            the next try's clean-up removes that one's line again, so that it never is.
        prologue: goes before the document.
        footer: the share of the page that is cut at the bottom.
        comments: whether comments stay in the text.
    """

    packages: Edits
    end: str
    math: tuple[str, str]
    tries: int
    load: bool
    prologue: str
    footer: float
    comments: bool


STEPS: dict[ProtocolName, Steps] = {
    "published": Steps(
        packages=remove_matches(LINE_OF_PACKAGES),
        end=END,
        math=("$$", "$$"),
        tries=3,
        load=False,
        prologue="",
        footer=0.2,
        comments=True,
    ),
    "corrected": Steps(
        packages=partial(tex_text.move_packages, begin=BEGIN),
        end=f"\n{END}",
        math=("\\begin{equation*}", "\\end{equation*}"),
        tries=3,
        load=True,
        prologue=LOADING + r"\AtBeginDocument{\pagestyle{empty}\expandafter\let"
        r"\csname ps@plain\expandafter\endcsname\csname ps@empty\endcsname}",
        footer=0,
        comments=False,
    ),
}


@dataclass(frozen=True)
class Profile:
    """What the benchmarks' ways of running pdfTeX differ in.

    Args:
        preamble: dumped into a format; documents that begin with it are compiled with that.
        dpi: of the picture.
        errors: whether a page counts that comes in spite of errors.
    """

    preamble: str
    dpi: int
    errors: bool


IMAGE2STRUCT = Profile(PREAMBLE, dpi=DPI, errors=False)
LENIENT = Profile(PREAMBLE, dpi=20, errors=True)
"""Compiles on after errors, for what the log says."""

# Lines of an aux file that would give the same page again: those of any document, and of hyperref.
IDLE = (
    r"\\relax|\\gdef *\\@abspage@last|\\providecommand|\\@writefile|$|"
    r"\\(gdef)?\\?HyperFirst|\\global\\let|\\gdef\\newlabel|\\AtEndDocument|\\let\\newlabel|\\fi$"
)
# Runs TeX, again while the aux file changes (five times at most), then pdftoppm. An aux file
# without references, next to no list of contents, would give the same page again.
SCRIPT = rf"""
program=$1 dpi=$2 worst=$3
shift 3
compile() {{
    $program "$@" -interaction=batchmode -no-shell-escape -file-line-error -jobname=job job.tex
    status=$?
    [ $status -le $worst ] || exit $status
}}
settled() {{
    [ -z "$(ls job.toc job.lo[aflt] 2>/dev/null)" ] &&
        ! grep -qvE '^({IDLE})' job.aux
}}
compile "$@"
for run in 2 3 4 5; do
    [ -f job.pdf ] && ! settled && ! cmp -s job.aux before.aux || break
    cp job.aux before.aux
    compile "$@"
done
[ ! -f job.pdf ] || pdftoppm -r $dpi -f 1 -l 1 job.pdf >page.ppm
"""

# The page itself is brought back where it is asked what is on it, if it is not too large.
MAX_PDF = 8
"""MiB."""
KEEP_PDF = f"[ ! -f job.pdf ] || ( ulimit -f {MAX_PDF * MIB // 512}; cp job.pdf page.pdf ) 2>/dev/null || :\n"

# The format is dumped in the middle of a document, so the page begun there is thrown away: else
# \dump, like \end, would fill it, and the document would start below the filling.
DUMP = r"""
\begingroup\output={\setbox0=\box255 \global\deadcycles=0 }\hbox{}\penalty-10000 \endgroup
\dump
"""
# The same pictures every time. (The date is fixed by the environment.)
STEADY = r"\pdfsetrandomseed1 \chardef\pdfelapsedtime0 "

PROFILE = SandboxProfile(
    programs=("pdflatex", "pdftoppm", "grep", "cmp", "cp", "ls"),
    paths=(
        "/usr/share/texlive",
        "/usr/share/texmf",
        "/usr/local/share/texmf",
        "/usr/local/texlive",
        "/var/lib/texmf",
        "/etc/texmf",
        "/usr/share/fonts",
        "/usr/share/poppler",
        "/etc/fonts",
    ),
    environment={
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "1000",
        "MKTEXPK": "0",
        "MKTEXTFM": "0",
        "TEXMFVAR": "/nowhere",
        "TEXMFCONFIG": "/nowhere",
        "openin_any": "p",
        "openout_any": "p",
    },
)

# Fonts of the system are found by their names: those of pages, and no others.
XETEX = "xelatex"
PAPERS = "/etc/paperspecs"
"""Where libpaper 2 has the sizes of all papers, without which xdvipdfmx makes no page; libpaper 1 has no such file."""
XETEX_PROFILE = replace(
    PROFILE,
    programs=(*PROFILE.programs, XETEX, "xdvipdfmx"),
    paths=(*(path for path in PROFILE.paths if path != "/etc/fonts"), PAPERS),
    fonts=PAGE_FAMILIES,
    # Of the machine's own setting nothing is seen.
    environment={**PROFILE.environment, "PAPERSIZE": "letter"},
)
# Chinese has no fonts of TeX that XeTeX reads.
XETEX_FILES = {
    "ctex-fontset-helm.def": b"\\setCJKmainfont{WenQuanYi Micro Hei}\\setCJKsansfont{WenQuanYi Micro Hei}"
    b"\\setCJKmonofont{WenQuanYi Micro Hei Mono}"
}
# A page is as large as pdfTeX makes it.
XETEX_STEADY = (
    r"\AtBeginDocument{\ifdim\pdfpagewidth=0pt \pdfpagewidth\paperwidth\pdfpageheight\paperheight\fi}"
    r"\PassOptionsToPackage{fontset=helm}{ctex}"
    + "".join(
        rf"\PassOptionsToClass{{fontset=helm}}{{ctex{kind}}}"
        for kind in ("art", "rep", "book", "beamer")
    )
)


def complete(code: str, steps: Steps, *, alone: bool = False) -> Traced:
    r"""Returns the document that a fragment or document becomes: the steps before compilation.

    Args:
        code: a fragment or document.
        steps: those of the protocol.
        alone: whether the code keeps its own class, and gets no packages of the benchmark.

    >>> document = complete(r"\newcommand{\x}{1} $\x$", STEPS["published"])
    >>> print(document.text.replace(PREAMBLE, "…"))
    …
    <BLANKLINE>
    \begin{document}\newcommand{\x}{1} $\x$\end{document}
    """
    document = Traced(code)
    for name in NUMBERING:
        document = document.edited(replace_text(f"{{{name}}}", f"{{{name}*}}"))
    document = document.edited(remove_matches(LABEL))
    if BEGIN not in document.text and CLASS not in document.text:
        document = document.edited(surround_text(BEGIN, ""))
    if END not in document.text:
        document = document.edited(surround_text("", steps.end))
    classes, styles = (tex_text.on_a_line(document.text, [name]) for name in HEADERS)
    header = next(classes, None) or next(styles, None)
    if not header:
        document = document.edited(surround_text(f"{CLASS}\n\n", ""))
    elif not alone:
        document = document.edited(replace_text(header.text, CLASS))
    document = document.edited(steps.packages)
    if alone:
        return document
    if len(document.text) + document.text.count(CLASS) * len(PREAMBLE) > MAX_LENGTH:
        raise RenderError("resource", "the document has too many headers")
    return document.edited(replace_text(CLASS, PREAMBLE))


def repair_document(document: Traced, log: str, steps: Steps) -> tuple[Traced, str]:
    """Returns the document to try after an error, and how it was repaired.

    Args:
        document: what was compiled; it is returned where there is nothing to try.
        log: pdfTeX's log of it.
        steps: those of the protocol.
    """
    log = log.replace("\n", "")
    if any(error in log for error in OWN_ERRORS):
        return document, ""
    if any(error in log for error in MATH_ERRORS):
        begin, end = steps.math
        bodies = partial(tex_text.surround_bodies, before=begin, after=end, begin=BEGIN)
        return document.edited(bodies), "in display math"
    undefined = UNDEFINED.search(log)
    if undefined and steps.load:
        line = f"\\usepackage{{{undefined[1]}}}\n"
        if line not in document.text:
            loading = replace_text(PREAMBLE, PREAMBLE + line)
            return document.edited(loading), f"with the package {undefined[1]}"
    return document, ""


def content(code: str, steps: Steps) -> str:
    r"""Returns the structure reduced to its content, as the benchmark compares it.

    Headers, package lines and what stands outside the document go; each `\begin` and `\end` ends
    its line; runs of blanks, indentation and empty lines go. In the published code comments stay.

    >>> code = "% why\n\\begin{center}  a % b\n\n\n c\\end{center}"
    >>> code = complete(code, STEPS["published"]).text
    >>> print(content(code, STEPS["published"]))
    % why
    \begin{center}
    a % b
    c\end{center}
    >>> print(content(code, STEPS["corrected"]))
    \begin{center}
    a
    c\end{center}
    """
    if not steps.comments:
        code = tex_text.strip_comments(code)
    code = tex_text.remove_commands(code, tex_text.on_a_line(code, HEADERS))
    packages = (
        tex_text.across_lines(code, "usepackage")
        if steps.load
        else tex_text.on_a_line(code, ["usepackage"])
    )
    code = tex_text.remove_commands(code, packages)
    code = BEGIN_OF_DOCUMENT.sub("", code).partition(END)[0]
    return tidy_text(tex_text.lines_ended(code))


def file_lists() -> list[Path]:
    """The lists of TeX's files, which whoever installs or updates a package writes anew."""
    return sorted(path for root in PROFILE.paths for path in Path(root).glob("ls-R*"))


@lru_cache(maxsize=1)
def programs_version() -> str:
    """What the programs call themselves, on one line, and a hash of which files TeX has."""
    said = run_own(["sh", "-c", "pdflatex --version && pdftoppm -v"], PROFILE, Limits())
    lines = [line for line in said.output.splitlines() if "ersion" in line or "TeX" in line]
    files = content_key(*(path.read_bytes() for path in file_lists()))
    return "; ".join([*lines[:1], *lines[-1:], f"files {files[:16]}"])


def version() -> str:
    """Returns the renderer's version: our own revision and that of the programs."""
    return f"latex {REVISION} ({programs_version()})"


@uncounted()
def preamble_format(preamble: str) -> Path:
    """Returns a dumped preamble, made at the first call on this machine, and anew if it is damaged.

    Raises:
        SetupError: the preamble does not compile, which means that TeX packages are missing.
    """
    # A package that is updated may have the same files, by name, as before.
    stamps = [f"{path}:{path.stat().st_mtime_ns}" for path in file_lists()]
    key = content_key(REVISION, preamble, DUMP, programs_version(), *stamps)
    path = cache_folder() / "formats" / f"latex-{key[:32]}.fmt"
    return get_or_make_file(path, lambda: _dump_format(preamble))


def _dump_format(preamble: str) -> bytes:
    command = ["pdflatex", "-ini", "-interaction=batchmode", "-halt-on-error"]
    command += ["-no-shell-escape", "-jobname=preamble", "&pdflatex", "preamble.tex"]
    finished = run_own(
        command,
        PROFILE,
        Limits(seconds=300),
        files={"preamble.tex": (preamble + DUMP).encode()},
        outputs=("preamble.fmt", "preamble.log"),
    )
    if finished.status or "preamble.fmt" not in finished.files:
        log = finished.files.get("preamble.log", b"").decode("utf-8", "replace")
        raise SetupError(
            "The LaTeX preamble of the benchmark does not compile here; install the TeX "
            f"packages that `helm-structext doctor` names. {tex_log.fault(log).message}"
        )
    # pdfTeX reads a format that is not compressed in half the time.
    return gzip.decompress(finished.files["preamble.fmt"])


class TexOutput(NamedTuple):
    """What TeX made.

    Args:
        page: the first one; None if there is none, or an error that counts.
        log: of TeX, and of what was started beside it.
        pdf: of all pages, where it is kept.
    """

    page: Image.Image | None
    log: str
    pdf: bytes = b""


def compile_once(
    code: str,
    prologue: str,
    assets: Mapping[str, bytes],
    limits: Limits,
    profile: Profile,
    *,
    keep: bool = False,
) -> TexOutput:
    """Runs pdfTeX and pdftoppm once; or XeTeX, where packages may be loaded and only that can read them.

    Args:
        code: a document.
        prologue: what goes before it.
        assets: files beside it.
        limits: what it may use.
        profile: of the benchmark.
        keep: whether the PDF is wanted, too, up to `MAX_PDF`.
    """
    arguments = (
        [str(profile.dpi), "1"] if profile.errors else [str(profile.dpi), "0", "-halt-on-error"]
    )
    shared = {}
    program, sandbox, steady = "pdflatex", PROFILE, STEADY
    if LOADING in prologue and UNICODE.search(code) and find_program(XETEX):
        program, sandbox, steady = XETEX, XETEX_PROFILE, XETEX_STEADY
        assets = {**XETEX_FILES, **assets}
    elif code.startswith(profile.preamble):
        # The preamble's lines stay as empty lines, so that errors name the right line.
        arguments.append("-fmt=preamble")
        shared["preamble.fmt"] = preamble_format(profile.preamble)
        code = "\n" * profile.preamble.count("\n") + code.removeprefix(profile.preamble)
    more = MAX_PDF * keep
    finished = run(
        ["sh", "-c", SCRIPT + KEEP_PDF * keep, "sh", program, *arguments],
        sandbox,
        replace(limits, scratch=limits.scratch + more, output=limits.output + more),
        files={**assets, "job.tex": (steady + prologue + code).encode("utf-8", "surrogatepass")},
        shared=shared,
        outputs=("job.log", "page.ppm", *["page.pdf"] * keep),
    )
    log = finished.files.get("job.log", b"").decode("utf-8", "replace")
    if finished.status or "page.ppm" not in finished.files:
        return TexOutput(None, log + finished.output)
    if "Bogus memory allocation" in finished.output:
        raise RenderError("resource", "the page is too large to be rendered", log)
    page = read_engine_picture(finished.files["page.ppm"])
    return TexOutput(page, log, finished.files.get("page.pdf", b""))


def find_undefined(code: str, timeout: float) -> frozenset[str]:
    r"""Returns what a fragment uses and neither it nor the preamble defines (`tex_log.find_undefined`).

    Args:
        code: the fragment.
        timeout: seconds.

    Raises:
        RenderError: TeX takes too long or too much.
        SetupError: see `preamble_format`.

    >>> sorted(find_undefined(r"$\R$ \begin{note}\end{note}", timeout=30))
    ['\\R', '{note}']
    """
    steps = STEPS["corrected"]
    source = complete(code, steps).text
    limits = replace(limits_for("latex", ENGINE.limits), seconds=timeout)
    made = run_job(lambda: compile_once(source, steps.prologue, {}, limits, LENIENT), timeout)
    return frozenset(tex_log.find_undefined(made.log))


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    steps = STEPS[protocol]
    drawing = _draw(code, complete(code, steps), steps, assets, limits, layout)
    if steps.load:
        if drawing.error and any(f"\\{name}" in code for name in (*HEADERS, "usepackage")):
            # Its own packages and class may not go together with ours.
            alone = _draw(code, complete(code, steps, alone=True), steps, assets, limits, layout)
            return drawing if alone.error else alone
    elif removed := explain_removal(code):
        error = f"{drawing.error}; {removed}" if drawing.error else ""
        return replace(drawing, error=error, log=f"{removed}\n{drawing.log}")
    return drawing


def _draw(
    code: str,
    document: Traced,
    steps: Steps,
    assets: Mapping[str, bytes],
    limits: Limits,
    layout: bool,
) -> Drawing:
    errors: list[str] = []
    missing: list[MissingResource] = []
    cause: list[MissingResource] = []
    repair = needs = ""
    for _ in range(1 + steps.tries):
        source = document.text
        prologue = steps.prologue + before_document(needs)
        page, log, pdf = compile_once(source, prologue, assets, limits, IMAGE2STRUCT, keep=layout)
        if page is not None:
            box = ink_box(page, steps.footer)
            image, text = page.crop(box), content(source, steps)
            told, reason = read_page(pdf, DPI, page, box) if layout else (None, "")
            missing = tex_log.find_missing(log)
            return Drawing(
                image, source, text, log, missing=missing, layout=told, layout_reason=reason
            )
        if NO_PAGE in log:
            return Drawing(None, source, "", log, nothing="the document has no page")
        errors.append(tex_log.reason(log, document, code))
        if not repair:  # A repair may try what nobody asked for.
            missing, cause = tex_log.find_missing(log), tex_log.find_cause(errors[0], log)
        if steps.load and not needs and (needs := write_needs(code, log)):
            repair = "with what it needs"
            continue
        mended, how = repair_document(document, log, steps)
        if mended.text == source:
            break
        document, repair = mended, how
    said = explain_failure(errors, repair)
    return Drawing(None, source, "", log, said, missing=missing, cause=cause)


def before_document(lines: str) -> str:
    """Returns what makes lines of LaTeX be read where a preamble ends, whatever preamble it is."""
    return f"\\AddToHook{{env/document/before}}{{{lines.replace(chr(10), '')}}}" if lines else ""


def explain_removal(code: str) -> str:
    r"""Returns which packages the published steps take from code, or "" if the preamble has them all.

    >>> print(explain_removal("\\usepackage{amsmath}\n\\usepackage[table]{xcolor}\\usepackage{booktabs, bm}"))
    Image2Struct's preamble is fixed: \usepackage{booktabs}, \usepackage{bm} were removed
    """
    commands = islice(tex_text.on_a_line(code, ["usepackage"]), MAX_MISSING)
    loaded = (command.text.rpartition("{")[2].strip("}").split(",") for command in commands)
    names = dict.fromkeys(name.strip() for of_command in loaded for name in of_command)
    removed = [rf"\usepackage{{{name}}}" for name in names if name not in PROVIDED]
    if not removed:
        return ""
    verb = "was" if len(removed) == 1 else "were"
    return f"Image2Struct's preamble is fixed: {', '.join(removed)} {verb} removed"


def explain_failure(errors: Sequence[str], repair: str) -> str:
    """The error of the code as it was written, and what was wrong still once it was repaired.

    Args:
        errors: what TeX said of each try, at least one; the first is of the code as it was written.
        repair: what the last try had more, such as ``in display math``.

    >>> explain_failure(["line 1: Missing $ inserted: x^", "line 1: Missing { inserted: x^"], "in display math")
    'line 1: Missing $ inserted: x^; in display math, line 1: Missing { inserted: x^'
    """
    first, last = errors[0], errors[-1]
    return first if first == last else f"{first}; {repair}, {last}"


ENGINE = Engine(
    draw,
    version,
    LATEX_LIMITS,
    {"pdflatex": "texlive-latex-base", "pdftoppm": "poppler-utils"},
    partial(draw, layout=True),
)
