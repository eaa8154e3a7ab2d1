"""LilyPond → picture, by the steps of Image2Struct.

`convert-ly` brings the code to LilyPond's own version, and in the published benchmark it fails
where the code names none; LilyPond compiles what it can; if there is a picture of a single page,
that is a success, whatever else was wrong. It is cropped to its ink.

LilyPond takes two seconds to start and a tenth of that for a usual score. So one that has started
waits, and forks for each score (`etc/lilypond_server.scm`): a score has its own process and folder.
LilyPond has no safe mode: a score is a program. What it starts, or leaves behind, ends the server.

What is on the picture LilyPond tells itself: it draws the page a second time, in words. Told are texts, lines and
boxes, and what was printed of the music (`lilypond_notes.py`).

Source: Image2Struct, Section 2.1.3, and its published code (HELM 0.5.16).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from PIL import Image

from helm_structext.errors import MAX_MISSING, MissingResource, RenderError
from helm_structext.layouts import ElementBox, PictureLayout, PixelBox, TextBox
from helm_structext.layouts.notes import MusicNote, MusicSign, music_record
from helm_structext.machine.fonts import FAMILIES
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import (
    Engine,
    add_place,
    find_packages,
    ink_box,
    read_engine_picture,
    run_own,
)
from helm_structext.renderers.lilypond_notes import (
    PrintedSign,
    keep_seen,
    make_music,
    read_sign,
)
from helm_structext.renderers.limits import LILYPOND_LIMITS
from helm_structext.renderers.outcome import Drawing, has_ink
from helm_structext.renderers.page_layout import (
    UNREADABLE,
    Told,
    check_layout,
    tells_too_much,
)
from helm_structext.sandbox import ForkServer, Limits, SandboxProfile, workers

REVISION = "6"
MILLIMETERS = 25.4
"""Of an inch."""
THIN = 0.5
"""In LilyPond's units, of which a staff has four: how thick a rule is at most."""
Matrix = tuple[float, float, float, float, float, float]
"""As PostScript has them: x and y are a * x + c * y + e and b * x + d * y + f in pixels."""
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
LOADED = Pattern(r'Unable to find file "(?:\./)?([^"\n]{1,300})" in load path')
MODULE = Pattern(r"no code for module \(([^()\n]{1,100})\)")
NOT_FOUND = ((INCLUDED, "data"), (LOADED, "data"), (MODULE, "package"))
"""What LilyPond and Guile say of files and of modules of Scheme that they do not find, and what these are."""
FONT = Pattern(
    r'(?:\bfonts\.\w+\s*=\s*#?|\bfont-name\s*(?:=\s*#?|\.\s*)|#:(?:music|roman|sans|typewriter)\s+)"([^"\n]{1,100})"'
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


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text. A score has no assets."""
    files = {"score.ly": code.encode("utf-8", "replace"), "protocol": protocol.encode()}
    files |= {"wanted": b""} if layout else {}
    key = ("lilypond", replace(limits, seconds=0))
    with workers.checkout(key, lambda: ForkServer(LINE, PROFILE, limits)) as server:
        reply = server.process(files, limits.seconds)
    single, log = reply.files["score.png"], reply.log
    png = single or reply.files["score-page1.png"]
    if png and not single and protocol == "published":
        raise RenderError("syntax", "the score has more than one page", log)
    if not png:
        reply.check_signal()
    page: Image.Image | None = None
    told: Told = None, ""
    if png:
        whole = read_engine_picture(png)
        box = ink_box(whole, FOOTER[protocol])
        page = whole.crop(box)
        told = read_steps(reply.files["layout"], whole, box) if layout else told
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
        cause=find_unfound(error),
        layout=told[0],
        layout_reason=told[1],
    )


def read_steps(data: bytes, page: Image.Image, box: tuple[int, int, int, int]) -> Told:
    """Returns what is on a page, by what LilyPond tells of its drawing (`etc/lilypond_server.scm`).

    Args:
        data: of LilyPond, or of the score, which may have written it itself.
        page: all of it.
        box: left, top, right and bottom of what became the picture, in pixels.
    """
    if not data or tells_too_much(data):
        return None, "LilyPond tells nothing of the page, or too much"
    try:
        (_, dpi, unit, *sides), *steps = map(json.loads, data.splitlines())
        scale = unit * dpi / MILLIMETERS
        turned = not has_sides(page, sides, scale) and has_sides(page, sides[::-1], scale)
        if turned:
            box = page.height - box[3], box[0], page.height - box[1], box[2]
            page = page.transpose(Image.Transpose.ROTATE_270)
        if not has_sides(page, sides, scale):
            return None, "the page is of another size than its picture"
        drawn = follow_steps(steps, scale, dpi / MILLIMETERS, box[:2])
        picture = page.crop(box)
        music = make_music(keep_seen(drawn.signs, picture))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return None, UNREADABLE
    record = {"size": picture.size, "texts": drawn.texts, "elements": drawn.elements}
    layout, reason = check_layout(record | {"notes": music_record(music)}, picture)
    return (turn_layout(layout) if layout and turned else layout), reason


def has_sides(page: Image.Image, sides: Sequence[float], scale: float) -> bool:
    """Returns whether a page has the sides that LilyPond tells, in its unit of so many pixels."""
    return all(abs(side * scale - drawn) <= 2 for side, drawn in zip(sides, page.size, strict=True))


Boxed = TypeVar("Boxed", TextBox, ElementBox, MusicNote, MusicSign)


def turn_layout(layout: PictureLayout) -> PictureLayout:
    """Returns what is on a page that is drawn to the left, as LilyPond does with a page in landscape.

    >>> turn_layout(PictureLayout((90, 50), (TextBox("Rain", (10, 0, 40, 20)),))).texts[0].box
    (0, 50, 20, 80)
    """
    width, height = layout.size

    def turn_all(boxes: Sequence[Boxed]) -> tuple[Boxed, ...]:
        return tuple(replace(one, box=turned(one.box)) for one in boxes)

    def turned(box: PixelBox) -> PixelBox:
        left, top, right, bottom = box
        return top, width - right, bottom, width - left

    music = layout.notes
    return replace(
        layout,
        size=(height, width),
        texts=turn_all(layout.texts),
        elements=turn_all(layout.elements),
        notes=music and replace(music, notes=turn_all(music.notes), signs=turn_all(music.signs)),
    )


class DrawnPage(NamedTuple):
    """What LilyPond draws: texts and elements as `layout_record` has them, and signs of music."""

    texts: list[Any]
    elements: list[Any]
    signs: list[PrintedSign]


def follow_steps(
    steps: Iterable[Any], scale: float, millimeter: float, corner: tuple[int, int]
) -> DrawnPage:
    """Returns what LilyPond draws step by step.

    Args:
        steps: those of `etc/lilypond_server.scm`.
        scale: LilyPond's unit in pixels.
        millimeter: in pixels.
        corner: of the picture on the page.

    >>> steps = [["color", 1, 0, 0], ["move", 2, -3], ["text", [72, 105], 2, 4, 0, 1.5], ["reset"]]
    >>> follow_steps(steps, 10, 6, (10, 10))
    DrawnPage(texts=[['Hi', (10, 5.0, 50, 20), '#ff0000', 12.0, True]], elements=[], signs=[])
    """
    texts: list[Any] = []
    elements: list[Any] = []
    signs: list[PrintedSign] = []
    lines: list[tuple[int, float]] = []
    matrix: Matrix = (scale, 0, 0, -scale, -corner[0], -corner[1])
    color = "#000000"
    outer: list[tuple[Matrix, str]] = []
    x = y = 0.0
    for step in steps:
        match step:
            case ["move", x, y]:
                continue
            case ["reset"]:
                matrix, color = outer.pop()
                continue
            case ["color" | "rotate" | "scale", *_]:
                outer.append((matrix, color))
        match step:
            case ["color", *levels]:
                color = "#" + "".join(
                    f"{round(255 * min(max(one, 0), 1)):02x}" for one in levels[:3]
                )
            case ["rotate", angle, x0, y0]:
                matrix = turn(matrix, math.radians(angle), x0, y0)
            case ["scale", across, up]:
                a, b, c, d, e, f = matrix
                matrix = a * across, b * across, c * up, d * up, e, f
            case ["text", list(codes), size, width, low, high]:
                box = enclose_points(matrix, ((x, y + low), (x + width, y + high)))
                height = math.hypot(*matrix[2:4]) / scale * size * millimeter
                texts.append(["".join(map(chr, codes)), box, color, height, True])
                lines.append((round(place(matrix, x, y)[1] / scale), box[0]))
            case ["sign", *told, [x0, y0, left, right, low, high]]:
                ends = ((x0 + left, y0 + low), (x0 + right, y0 + high))
                around = enclose_points(matrix, ends)
                signs.append(read_sign(told, around, color))
            case ["line", thick, x0, y0, x1, y1]:
                ends = ((x + x0, y + y0), (x + x1, y + y1))
                elements.append(name_element(enclose_points(matrix, ends, thick / 2), color, scale))
            case ["box", left, right, bottom, top, _]:
                ends = ((x - left, y - bottom), (x + right, y + top))
                elements.append(name_element(enclose_points(matrix, ends), color, scale))
            case ["polygon", *points]:
                corners = tuple(
                    (x + one, y + other)
                    for one, other in zip(points[::2], points[1::2], strict=True)
                )
                elements.append(name_element(enclose_points(matrix, corners), color, scale))
    # LilyPond draws in no order that means something.
    order = sorted(range(len(texts)), key=lines.__getitem__)
    return DrawnPage([texts[index] for index in order], elements, signs)


def turn(matrix: Matrix, angle: float, x: float, y: float) -> Matrix:
    """Returns a matrix that first turns by an angle, around a point."""
    a, b, c, d, e, f = matrix
    cosine, sine = math.cos(angle), math.sin(angle)
    along, up = x - cosine * x + sine * y, y - sine * x - cosine * y
    return (
        a * cosine + c * sine,
        b * cosine + d * sine,
        c * cosine - a * sine,
        d * cosine - b * sine,
        a * along + c * up + e,
        b * along + d * up + f,
    )


def place(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Returns where a point is, in pixels."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def enclose_points(
    matrix: Matrix, corners: Sequence[tuple[float, float]], more: float = 0
) -> PixelBox:
    """Returns the box around a rectangle of two corners, or around other points, in pixels."""
    (xs, ys) = zip(*corners, strict=True)
    sides = (min(xs) - more, max(xs) + more), (min(ys) - more, max(ys) + more)
    places = [place(matrix, x, y) for x in sides[0] for y in sides[1]]
    across, down = zip(*places, strict=True)
    return min(across), min(down), max(across), max(down)


def name_element(box: PixelBox, color: str, scale: float) -> list[Any]:
    """Returns a rule or another shape, as `layout_record` has it."""
    thick, long = sorted((box[2] - box[0], box[3] - box[1]))
    return ["rule" if thick < scale * THIN and long > 2 * thick else "shape", box, color]


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
    r"""What the code asked for and this machine does not have: files, modules of Scheme, and families of fonts.

    >>> print(*find_missing('fonts.serif = "Papyrus"', "error: cannot find file: `a.ily'"), sep=", ")
    data a.ily, font Papyrus
    """
    named = (name for match in FONT.finditer(code) for name in match.groups() if name)
    known = tuple(name.lower() for name in (*FAMILIES, *ALIASES))
    unknown = dict.fromkeys(name for name in named if not name.lower().startswith(known))
    return [
        *find_unfound(log),
        *(MissingResource("font", package=name) for name in islice(unknown, MAX_MISSING)),
    ]


def find_unfound(said: str) -> list[MissingResource]:
    """What LilyPond says that it did not find.

    Args:
        said: all of its log, or one error.

    >>> print(*find_unfound("no code for module (oll-core tree)"))
    package oll-core tree
    """
    return [one for pattern, kind in NOT_FOUND for one in find_packages(pattern, said, kind=kind)]


@lru_cache(maxsize=1)
def version() -> str:
    """Returns the renderer's version: our own revision and those of LilyPond and Ghostscript."""
    said = run_own(["sh", "-c", "lilypond --version && gs --version"], PROFILE, Limits())
    lines = said.output.split("\n")
    return f"lilypond {REVISION} ({lines[0]}; Ghostscript {lines[-2]})"


ENGINE = Engine(
    draw=draw,
    version=version,
    limits=LILYPOND_LIMITS,
    packages={"lilypond": "lilypond", "gs": "ghostscript"},
    draw_with_layout=partial(draw, layout=True),
)
