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
from pathlib import Path

from helm_structext.errors import RenderError
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
CONVERT_ERROR = Pattern(r"(?m)^convert-ly: error: score.ly: (.*)")
MISSING_FILE = Pattern(r"cannot find file: [`']([^`'\n]{1,200})'")
ERROR = Pattern(r"(?m)^score\.ly:(\d+:\d+: error: .*)")

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
        error = first_error(log, CONVERT_ERROR) or "convert-ly failed"
    elif page is None or protocol == "corrected":
        error = explain_error(log, code)
    return Drawing(
        page,
        code,
        code,
        log,
        error,
        visible=page is not None and has_ink(page),
        nothing="LilyPond made no page",
        missing=find_packages(MISSING_FILE, log, kind="data"),
        cause=find_packages(MISSING_FILE, error, kind="data"),
    )


def explain_error(log: str, code: str) -> str:
    r"""The first error of LilyPond in a log, with what stands in its line of the code; or nothing.

    >>> explain_error("score.ly:1:3: error: unknown escaped string: `\\foo'", "c \\foo d")
    "line 1, column 3: unknown escaped string: `\\foo': c \\foo d"
    """
    place, _, said = first_error(log, ERROR).partition(" error: ")
    line, _, column = place.partition(":")
    if not said:
        return ""
    return add_place(code, said, int(line[:9]), int(column[:-1][:9]))


def first_error(log: str, pattern: Pattern) -> str:
    """The first line of a log that matches, or nothing."""
    found = pattern.search(log)
    return found[1] if found else ""


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
