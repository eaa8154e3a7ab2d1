"""LilyPond → picture, by the steps of Image2Struct.

`convert-ly` brings the code to LilyPond's own version, and in the published benchmark it fails
where the code names none; LilyPond compiles what it can; if there is a picture of a single page,
that is a success, whatever else was wrong. It is cropped to its ink.

LilyPond takes two seconds to start and a tenth of that for a usual score. So one that has started
waits, and forks for each score (`etc/lilypond_server.scm`): a score has its own process and folder.
LilyPond has no safe mode: a score is a program. What it starts, or leaves behind, ends the server.

Source: Image2Struct, Section 2.1.3, and its published code (HELM 0.5.16).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from helm_structext.errors import RenderError
from helm_structext.extraction import fenced_corrected
from helm_structext.renderers.engine import Drawing, Engine, ProtocolName, crop_to_ink, picture
from helm_structext.renderers.web.browser import FONTS
from helm_structext.sandbox.pool import workers
from helm_structext.sandbox.process import (
    START_SECONDS,
    Limits,
    Process,
    ProcessDied,
    SandboxProfile,
    run,
    shell,
)

REVISION = "2"
FOOTER = {"published": 0.2, "corrected": 0.0}
CONVERT_FAILED = 3

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
        "/usr/share/fonts/opentype/urw-base35",
        "/usr/share/fonts/type1/urw-base35",
        "/var/cache/fontconfig",
        *FONTS,
    ),
    etc=(
        "passwd",
        "nsswitch.conf",
        "fonts/fonts.conf",
        "lilypond_server.scm",
        "warm.ly",
        "corrected.ly",
    ),
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


class Server:
    """One started LilyPond in one sandbox.

    Args:
        limits: what it may use; the time is that of each score.
    """

    def __init__(self, limits: Limits) -> None:
        self._process = Process(shell('exec "$@"', LINE, limits), PROFILE, limits)
        self._process.exchange(b"", lambda data: data == b"ready\n", START_SECONDS)
        self._processes = self._process.processes
        self._left = 0

    def reusable(self) -> bool:
        """Whether the last score left neither files nor processes."""
        return self._left == 0 and self._process.processes == self._processes

    def close(self) -> None:
        """Ends it."""
        self._process.close()

    def engrave(
        self, code: str, protocol: ProtocolName, seconds: float
    ) -> tuple[int, str, bytes, bool]:
        """Compiles one score.

        Returns:
            The exit status (below 0 for a signal), the log, the first page as a PNG file (or
            nothing), and whether it is the only one.

        Raises:
            RenderError: kind ``timeout`` or ``resource``.
            ProcessDied: the server itself ended.
        """
        score = code.encode("utf-8", "replace")
        request = f"{protocol} {len(score)}\n".encode() + score
        reply = self._process.exchange(request, _whole, seconds)
        head, _, body = reply.partition(b"\n")
        status, log, page, single, self._left = map(int, head.split())
        return (
            status,
            body[:log].decode("utf-8", "replace"),
            bytes(body[log : log + page]),
            single == 1,
        )


def _whole(reply: bytearray) -> bool:
    head, newline, body = reply.partition(b"\n")
    if not newline:
        return False
    _, log, page, *_ = map(int, head.split())
    return len(body) == log + page


def draw(
    source: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits
) -> Drawing:
    """Renders a completion; see the module's text. A score has no assets."""
    code = source.strip()
    if protocol == "corrected":
        code = fenced_corrected(code, "lilypond")
    with workers.checkout(
        ("lilypond", replace(limits, seconds=0)), lambda: Server(limits)
    ) as server:
        status, log, png, single = server.engrave(code, protocol, limits.seconds)
    if png and not single and protocol == "published":
        raise RenderError("syntax", "the score has more than one page", log)
    if png:
        return Drawing(crop_to_ink(picture(png), FOOTER[protocol]), code, code, log)
    if status == CONVERT_FAILED:
        message = first_error(log, r"^convert-ly: error: score.ly: (.*)")
        raise RenderError("syntax", message or "convert-ly failed", log)
    if status < 0:
        raise ProcessDied(f"LilyPond was ended by signal {-status}")
    if message := first_error(log, r"^score\.ly:(\d+:\d+: error: .*)"):
        raise RenderError("syntax", message, log)
    raise RenderError("empty", "LilyPond made no page", log)


def first_error(log: str, pattern: str) -> str:
    """The first line of a log that matches, or nothing."""
    found = re.search(pattern, log, re.MULTILINE)
    return found.group(1) if found else ""


@lru_cache(maxsize=1)
def version() -> str:
    """Returns the renderer's version: our own revision and those of LilyPond and Ghostscript."""
    said = run(["sh", "-c", "lilypond --version; gs --version"], PROFILE, Limits()).output.split(
        "\n"
    )
    return f"lilypond {REVISION} ({said[0]}; Ghostscript {said[-2]})"


ENGINE = Engine(
    draw=draw,
    version=version,
    limits=Limits(seconds=60, memory=2048, processes=16, scratch=128, output=64),
    packages={"lilypond": "lilypond", "gs": "ghostscript"},
)
