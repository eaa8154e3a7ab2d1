"""Findings drawn on the picture."""

import math
from collections.abc import Mapping

from PIL import Image, ImageDraw

from helm_structext.findings.kinds import FindingKind, Findings
from helm_structext.layouts import PixelBox, middle_of

MARKS: Mapping[str, str] = {
    "missing": "#d00000",
    "extra": "#8338ec",
    "misspelt": "#e36414",
    "wrong": "#e36414",
    "moved": "#0077b6",
    "resized": "#588157",
    "recolored": "#b5179e",
    "restyled": "#bc6c25",
    "swapped": "#9d0208",
    "renamed": "#e36414",
    "order": "#9d0208",
    "type": "#5a189a",
    "range": "#bc6c25",
    "transposed": "#0077b6",
    "pitch": "#e36414",
    "octave": "#e36414",
    "accidental": "#e36414",
    "duration": "#588157",
    "tie": "#588157",
    "key": "#b5179e",
    "time": "#b5179e",
    "clef": "#b5179e",
    "lyric": "#e36414",
    "dynamic": "#588157",
    "articulation": "#588157",
    "slur": "#588157",
}
"""The last word of a finding's kind to the color in which it is drawn."""


def draw_findings(picture: Image.Image, found: Findings) -> Image.Image:
    """Returns a copy of a picture with its findings: a box at each, an arrow to where what moved should be, and a thin
    box where an element of another size should be; where the same has become of several, at each of these.

    What is missing has its box where the reference has it.
    """
    marked = picture.convert("RGB")
    draw = ImageDraw.Draw(marked)
    for one in found.findings:
        if color := MARKS.get(one.kind.rpartition(" ")[2]):
            for there, should in ((one.there, one.should), *one.others):
                _draw_mark(draw, one.kind, there, should, color)
    return marked


def _draw_mark(
    draw: ImageDraw.ImageDraw,
    kind: FindingKind,
    there: PixelBox | None,
    should: PixelBox | None,
    color: str,
) -> None:
    box = there or should
    if not box:
        return
    left, top, right, bottom = box
    outer = (left - 2, top - 2, max(right, left) + 2, max(bottom, top) + 2)
    draw.rectangle(outer, outline=color, width=2)
    if kind == "element resized" and should:
        draw.rectangle(should, outline=color)
    if kind.endswith(" moved") and should:
        _draw_arrow(draw, middle_of(box), middle_of(should), color)


def _draw_arrow(
    draw: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], color: str
) -> None:
    draw.line((start, end), fill=color, width=2)
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    for turned in (angle + 2.7, angle - 2.7):
        draw.line(
            (end, (end[0] + 9 * math.cos(turned), end[1] + 9 * math.sin(turned))),
            fill=color,
            width=2,
        )
