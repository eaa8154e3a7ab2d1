"""What a renderer is: a function from source to picture, its version, and what it may use."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from PIL import Image, ImageChops

from helm_structext.errors import MAX_MISSING, MissingResource, RenderError, SetupError
from helm_structext.patterns import Pattern
from helm_structext.pictures import (
    MADE,
    PictureCutOff,
    PictureError,
    PictureTooLarge,
    bands,
    decode,
)
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.outcome import Drawing
from helm_structext.sandbox import Finished, Limits, ProcessDied, SandboxProfile, run

TRIES = 3
"""Of a program that we run for ourselves: it may be killed."""
MAX_EXCERPT = 80
"""Characters of a line of code in a message."""


class ReaderDied(ProcessDied):
    """What reads a page died, not what draws it: where it does each time, the picture is to be drawn without it."""


class Draw(Protocol):
    """From code to what comes of it; raises `RenderError`, `SetupError` or `ProcessDied`.

    Args:
        code: what extraction left of a completion.
        assets: files that the code may name, by their relative names.
        protocol: by whose rules the code is read, repaired and drawn.
        limits: seconds, memory and processes of the job.
    """

    def __call__(
        self, code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits
    ) -> Drawing: ...


@dataclass(frozen=True)
class Engine:
    """One way to make pictures.

    Args:
        draw: the renderer.
        version: changes whenever the same code may give another picture.
        limits: what one job may use, unless the user says otherwise; those of all engines are in `limits.py`.
        packages: program → Debian package that has it.
        draw_with_layout: as `draw`, with the same picture, and what is on it (`Drawing.layout`); None where
            the engine can't tell.
    """

    draw: Draw
    version: Callable[[], str]
    limits: Limits
    packages: Mapping[str, str]
    draw_with_layout: Draw | None = None


def run_own(
    command: Sequence[str],
    profile: SandboxProfile,
    limits: Limits,
    *,
    files: Mapping[str, bytes] | None = None,
    outputs: Sequence[str] = (),
) -> Finished:
    """Runs what no completion has a part in, as `helm_structext.sandbox.run` does.

    Raises:
        SetupError: it took too much, or was killed, each time: no completion's fault.
    """
    failure: Exception | None = None
    for _ in range(TRIES):
        try:
            return run(command, profile, limits, files=files, outputs=outputs)
        except (ProcessDied, RenderError) as error:
            failure = error
    raise SetupError(f"`{' '.join(command)}` can't be run: {failure}") from failure


def read_engine_picture(data: bytes) -> Image.Image:
    """Returns an engine's picture file as RGB; an answer may have written any bytes there itself.

    Raises:
        RenderError: kind ``resource``: it is too large, or cut off where its space ended; kind
            ``syntax``: it is not a picture.
    """
    try:
        return decode(data, MADE)
    except (PictureTooLarge, PictureCutOff) as error:
        raise RenderError("resource", f"the picture is too large: {error}") from error
    except PictureError as error:
        raise RenderError("syntax", f"what was made is not a picture: {error}") from error


def add_place(code: str, message: str, line: int, column: int = 0) -> str:
    r"""Returns a message with its place in the code that a model wrote, and what stands there.

    Args:
        code: all of it.
        message: what is wrong.
        line: from 1; what lies behind the code, as its missing end, is in its last line.
        column: from 1, or 0 if it is not known.

    >>> add_place("a\nb c;\n\n", "unexpected end.", 9)
    'line 2: unexpected end: b c;'
    >>> add_place(f"{'x' * 99} y", "no y", 1, 101)
    'line 1, column 101: no y: … xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx y'
    """
    last = code.rstrip().count("\n") + 1
    if line > last:
        line, column = last, 0
    place = f"line {line}" + f", column {column}" * bool(column)
    return f"{place}: {quote_line(code, message, line, column)}"


def explain_json_error(code: str, name: str, error: Exception) -> str:
    """Returns that code is not JSON, and where."""
    if not isinstance(error, json.JSONDecodeError):
        return f"{name} is not JSON: {error}"
    return add_place(code, f"{name} is not JSON: {error.msg}", error.lineno, error.colno)


def quote_line(code: str, message: str, line: int, column: int = 0) -> str:
    """Returns a message with what stands in its line of the code, if there is such a line.

    >>> quote_line("a\\nb", "what?", 2), quote_line("a", "what?", 0)
    ('what?: b', 'what?')
    """
    text = "".join(code.split("\n")[line - 1 : line]) if line else ""
    first = max(column - 1 - MAX_EXCERPT // 2, 0)
    piece = text[first : first + MAX_EXCERPT].strip()
    before, after = "… " * bool(first), " …" * (len(text) > first + MAX_EXCERPT)
    said = message.strip().rstrip(".") if piece else message.strip()
    return said + f": {before}{piece}{after}" * bool(piece)


def find_packages(
    pattern: Pattern, output: str, host: str = "", kind: str = "package"
) -> list[MissingResource]:
    r"""Returns what an engine looked for in vain.

    Args:
        pattern: of what it says then; the first of its groups that matched is the name.
        output: of the engine.
        host: see `MissingResource`; so is `kind`.

    >>> print(*find_packages(Pattern(r"no (\w+)"), "no cetz, no codly, no cetz"), sep=", ")
    package cetz, package codly
    """
    found = (
        next(filter(None, match.groups()), match[0])
        for match in islice(pattern.finditer(output), MAX_MISSING)
    )
    return [MissingResource(kind, host, name) for name in dict.fromkeys(found)]


def tidy_text(text: str) -> str:
    """Joins blanks, drops indentation and empty lines, as the benchmark does before comparing.

    >>> tidy_text(" a   b\\n \\n\\n  c ")
    'a b\\nc'
    """
    while "  " in text:
        text = text.replace("  ", " ")
    lines = (line.strip(" ") for line in text.replace("\t", " ").split("\n"))
    return "\n".join(line for line in lines if line.strip()).strip()


def crop_to_ink(page: Image.Image, footer: float) -> Image.Image:
    """Cuts the bottom of a page and then its white margins.

    Args:
        page: RGB, black on white.
        footer: see `ink_box`.

    Source: Image2Struct's published code (HELM).

    >>> page = Image.new("RGB", (100, 200), "white")
    >>> crop_to_ink(page, 0.2).size
    (100, 160)
    >>> page.paste("black", (10, 20, 30, 190))
    >>> crop_to_ink(page, 0.2).size, crop_to_ink(page, 0).size
    ((20, 140), (20, 170))
    """
    return page.crop(ink_box(page, footer))


def ink_box(page: Image.Image, footer: float) -> tuple[int, int, int, int]:
    """Returns what `crop_to_ink` leaves of a page: left, top, right and bottom.

    Args:
        page: RGB, black on white.
        footer: the share of the height to cut (0.2 in the published benchmark, which gets rid of
            the page number that way). What is white all over stays as it is.
    """
    width, height = page.width, page.height - int(page.height * footer)
    # By bands: a copy of all, and another one of that inverted, may take 300 MB.
    inked = [
        (box[0], top + box[1], box[2], top + box[3])
        for top, bottom in bands((width, height))
        if (box := ImageChops.invert(page.crop((0, top, width, bottom))).getbbox())
    ]
    if not inked:
        return 0, 0, width, height
    left, top, right, bottom = zip(*inked, strict=True)
    return min(left), min(top), max(right), max(bottom)
