"""LilyPond → picture, by the steps of Image2Struct.

`convert-ly` brings the code to LilyPond's own version, and in the published benchmark it fails
where the code names none; LilyPond compiles what it can; if there is a picture of a single page,
that is a success, whatever else was wrong. It is cropped to its ink.

LilyPond takes two seconds to start and a tenth of that for a usual score. So one that has started
waits, and forks for each score (`etc/lilypond_server.scm`): a score has its own process and folder.
LilyPond has no safe mode: a score is a program. What it starts, or leaves behind, ends the server.

Source: Image2Struct, Section 2.1.3, and its published code (HELM 0.5.16).
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from helm_structext.errors import MAX_MISSING, MissingResource, RenderError
from helm_structext.machine.fonts import FAMILIES
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import (
    Engine,
    add_place,
    crop_to_ink,
    find_packages,
    read_engine_picture,
    run_own,
)
from helm_structext.renderers.outcome import Drawing, has_ink
from helm_structext.sandbox import ForkServer, Limits, SandboxProfile, workers

REVISION = "5"
FOOTER = {"published": 0.2, "corrected": 0.0}
CONVERT_FAILED = 3
CONVERT_ERROR = Pattern(
    r"(?m)^(?:convert-ly: error: score\.ly: )?"
    r"(Unable .*|Not smart enough to convert .*|(?:[a-z]{1,20}\.)?[A-Za-z]{0,40}[Ee]rror: .*)"
)
"""What convert-ly says, or Python, in which it is written; the last one ended it."""
NO_VERSION = "Unable to determine version"
ERROR = Pattern(r"(?m)^score\.ly:(\d+):(\d+): error: (.*)(?:\n.*\n.*\n(.+))?")
"""Of LilyPond: line, column, what is wrong, and below the line's two halves what Scheme says, if it is its error."""
IN_SCHEME = "Guile signaled an error"
DEATH = Pattern(r"(?m)(?:\.scm:\d+:\d+|^fatal error): (.+)")
"""What ends LilyPond wherever it is."""
PROCEDURE = Pattern(r"#<procedure ([^ >]{1,100})")
NOTE = "not a note name"
INCLUDED = Pattern(r"cannot find file: [`']([^`'\n]{1,300})'")
FONT = Pattern(
    r'(?:\bfonts\.\w+\s*=\s*#?|\bfont-name\s*(?:=\s*#?|\.\s*)|#:(?:roman|sans|typewriter)\s+)"([^"\n]{1,100})"'
    r'|make-pango-font-tree\s+"([^"\n]{1,100})"\s+"([^"\n]{1,100})"\s+"([^"\n]{1,100})"',
    ascii=True,
)
"""Where code names families of fonts."""
ALIASES = (
    "Arial",
    "Courier",
    "Helvetica",
    "LilyPond",
    "Times",
    "Monospace",
    "Sans",
    "Serif",
    "Emmentaler",
    "Feta",
)
"""Families, or how they begin, that others stand for, or that LilyPond brings."""

PROFILE = SandboxProfile(
    programs=("lilypond", "convert-ly", "gs", "rm"),
    paths=(
        "/usr/share/lilypond",
        "/usr/share/guile",
        "/usr/bin/python3",
        *(str(path) for path in sorted(Path("/usr/lib").glob("python3*"))),
        "/usr/share/ghostscript",
        "/var/lib/ghostscript",
        "/usr/share/color",
        "/usr/share/poppler",
        "/usr/share/fonts/type1/urw-base35",
        "/var/cache/fontconfig",
    ),
    etc=(
        "passwd",
        "nsswitch.conf",
        "lilypond_server.scm",
        "warm.ly",
        "corrected.ly",
    ),
    fonts=tuple(FAMILIES),
    # Garbage is collected by one thread: a fork has only one.
    environment={"HOME": "/nowhere", "GC_MARKERS": "1"},
)
LINE = (
    "lilypond",
    "--png",
    "-dno-point-and-click",
    "--evaluate",
    '(primitive-load (string-append (getenv "ETC") "/lilypond_server.scm"))',
    "none",
)


def draw(code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits) -> Drawing:
    """Renders code; see the module's text. A score has no assets."""
    files = {"score.ly": code.encode("utf-8", "replace"), "protocol": protocol.encode()}
    key = ("lilypond", replace(limits, seconds=0))
    with workers.checkout(key, lambda: ForkServer(LINE, PROFILE, limits)) as server:
        reply = server.process(files, limits.seconds)
    single, log = reply.files["score.png"], reply.log
    png = single or reply.files["score-page1.png"]
    if png and not single and protocol == "published":
        raise RenderError("syntax", "the score has more than one page", log)
    if not png:
        reply.check_signal()
    page = crop_to_ink(read_engine_picture(png), FOOTER[protocol]) if png else None
    error = ""
    if reply.status == CONVERT_FAILED:
        error = explain_conversion(log)
    elif page is None or protocol == "corrected":
        error = explain_error(log, code)
    return Drawing(
        page,
        code,
        code,
        log,
        error,
        visible=page is not None and has_ink(page),
        nothing=explain_nothing(log),
        missing=find_missing(code, log),
        cause=find_packages(INCLUDED, error, kind="data"),
    )


def explain_error(log: str, code: str) -> str:
    r"""The first error of LilyPond in a log, with what stands in its line of the code; or nothing.

    >>> explain_error("score.ly:1:3: error: unknown escaped string: `\\foo'", "c \\foo d")
    "line 1, column 3: unknown escaped string: `\\foo': c \\foo d"
    >>> explain_error("Parsing...ice-9/eval.scm:336:13: Wrong number of arguments", "{ c }")
    'Wrong number of arguments'
    """
    if found := ERROR.search(log):
        line, column, said, scheme = found.groups()
        if said.startswith(IN_SCHEME):
            said = scheme or said
        elif said.startswith(NOTE):
            said += ' (names of other languages need \\language, as \\language "english")'
        return add_place(code, said, int(line[:9]), int(column[:9]))
    if not (death := DEATH.search(log)):
        return ""
    named = PROCEDURE.search(death[1])
    place = code.find(named[1]) if named else -1
    return death[1] if place < 0 else add_place(code, death[1], code.count("\n", 0, place) + 1)


def explain_conversion(log: str) -> str:
    r"""Why convert-ly failed.

    >>> explain_conversion("2.17.15,\nNot smart enough to convert #(x).\nconvert-ly: error: Error")
    'convert-ly failed: Not smart enough to convert #(x).'
    """
    said = ([match[1] for match in CONVERT_ERROR.finditer(log)] or [""])[-1]
    if NO_VERSION in said:
        return f'{said} (the code has no \\version "2.24.0")'
    return "convert-ly failed" + f": {said}" * bool(said)


def explain_nothing(log: str) -> str:
    """Why there is no page, where nothing is wrong."""
    if "MIDI output to" in log:
        return "LilyPond made no page: a \\score with \\midi needs \\layout to be printed"
    return "LilyPond made no page: all music is part of definitions, or there is none"


def find_missing(code: str, log: str) -> list[MissingResource]:
    r"""What the code asked for and this machine does not have: other files, and families of fonts.

    >>> print(*find_missing('fonts.serif = "Papyrus"', "error: cannot find file: `a.ily'"), sep=", ")
    data a.ily, font Papyrus
    """
    files = find_packages(INCLUDED, log, kind="data")
    named = (name for match in FONT.finditer(code) for name in match.groups() if name)
    known = tuple(name.lower() for name in (*FAMILIES, *ALIASES))
    unknown = dict.fromkeys(name for name in named if not name.lower().startswith(known))
    return [
        *files,
        *(MissingResource("font", package=name) for name in islice(unknown, MAX_MISSING)),
    ]


@lru_cache(maxsize=1)
def version() -> str:
    """Returns the renderer's version: our own revision and those of LilyPond and Ghostscript."""
    said = run_own(["sh", "-c", "lilypond --version && gs --version"], PROFILE, Limits())
    lines = said.output.split("\n")
    return f"lilypond {REVISION} ({lines[0]}; Ghostscript {lines[-2]})"


ENGINE = Engine(
    draw=draw,
    version=version,
    limits=Limits(seconds=60, memory=2048, processes=16, scratch=128, output=64),
    packages={"lilypond": "lilypond", "gs": "ghostscript"},
)
