"""What is wrong with a picture, by name, by place and by number.

>>> wrong, right = ('<svg xmlns="http://www.w3.org/2000/svg"><text y="40">%s</text></svg>' % word for word in ("Rian", "Rain"))
>>> found = compare("svg", wrong, right)
>>> found.sentence
'1 of 1 texts misspelt ("Rian" for "Rain").'
>>> found.scores["text_edit"]
0.75
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from PIL import Image, ImageDraw

from helm_structext.layouts import (
    ElementBox,
    PictureLayout,
    PixelBox,
    TextBox,
    box_area,
    middle_of,
)
from helm_structext.metrics.color_difference import ciede2000, lab_of
from helm_structext.metrics.layout import (
    DIFFERENT,
    FAR,
    LayoutMatch,
    layout_scores,
    match_layouts,
)
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName
from helm_structext.renderers import Rendering, render
from helm_structext.texts import one_line

FindingKind = Literal[
    "text missing",
    "text extra",
    "text misspelt",
    "text moved",
    "text resized",
    "text recolored",
    "element missing",
    "element extra",
    "element recolored",
    "page size",
]
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)

MOVED = 0.02
"""Share of the diagonal from which on a text is in another place than its neighbors are."""
FEW = 3
"""Texts from which on there is such a thing as what most of them do."""
RESIZED = 0.8
"""Ratio of two sizes of letters below which they differ."""
RECOLORED = 5.0
"""CIEDE2000 from which on two colors differ where they are not side by side."""
PAGE = 0.9
"""Ratio of two pictures' widths or heights below which they differ."""
MAX_FINDINGS = 200
"""Of one picture; further ones are counted in the scores alone."""
MAX_QUOTED = 40
"""Characters of a text in a sentence."""


@dataclass(frozen=True)
class PictureFinding:
    """One thing that is wrong.

    Args:
        kind: one of `FINDING_KINDS`.
        text: what it is about, for people.
        there: where it is on the prediction, in its pixels, or None.
        should: where it should be, in the reference's pixels, or None.
        size: of the mistake, from 0 to 1, where everything is wrong.
    """

    kind: FindingKind
    text: str
    there: PixelBox | None
    should: PixelBox | None
    size: float


@dataclass(frozen=True)
class Findings:
    """What is wrong with a picture.

    Args:
        scores: name to value in [0, 1], as `helm_structext.metrics.layout.layout_scores` says, or None where
            there is nothing to compare.
        findings: what is wrong, the largest mistakes of each kind first.
        sentence: the same in short.
        reason: why there are none, where a picture's engine could not tell what is on it; else "".
    """

    scores: Mapping[str, float | None]
    findings: tuple[PictureFinding, ...]
    sentence: str
    reason: str = ""


def compare(
    format: str,
    prediction: str | Rendering,
    reference: str | Rendering,
    *,
    protocol: ProtocolName = DEFAULT_PROTOCOL,
) -> Findings:
    """Returns what of a prediction is not as in the reference.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        prediction: code, or a rendering with its layout.
        reference: the same of what it should be.
        protocol: by which code is rendered.

    Raises:
        RenderError: code that does not render.
        SetupError: a program is missing.
    """
    layouts = []
    for what, one in (("prediction", prediction), ("reference", reference)):
        drawn = render(format, one, protocol=protocol, layout=True) if isinstance(one, str) else one
        if drawn.layout is None:
            reason = f"what is on the {what} is not known: {drawn.layout_reason or 'no layout was asked for'}"
            return Findings({}, (), "", reason)
        layouts.append(drawn.layout)
    return compare_layouts(*layouts)


def compare_layouts(prediction: PictureLayout, reference: PictureLayout) -> Findings:
    """Returns what of a prediction's layout is not as in the reference's."""
    match = match_layouts(prediction, reference)
    found = sorted(
        [*_text_findings(match), *_element_findings(match), *_page_findings(match)],
        key=lambda one: (FINDING_KINDS.index(one.kind), -one.size, one.text),
    )
    return Findings(layout_scores(match), tuple(found[:MAX_FINDINGS]), explain(match, found))


def _text_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    lines = [pair.reference or pair.prediction for pair in match.texts]
    letters = sum(len(line.text) for line in lines if line) or 1
    for pair in match.texts:
        one, other = pair.prediction, pair.reference
        if one is None and other is not None:
            share = len(other.text) / letters
            yield PictureFinding("text missing", _quote(other), None, other.box, share)
        elif other is None and one is not None:
            share = len(one.text) / letters
            yield PictureFinding("text extra", _quote(one), one.box, None, share)
        elif one and other and pair.similarity < 1:
            said = f"{_quote(one)} for {_quote(other)}"
            yield PictureFinding("text misspelt", said, one.box, other.box, 1 - pair.similarity)
    yield from _moved(match)
    for one, other in match.matched:
        if (
            one.size
            and other.size
            and min(one.size, other.size) / max(one.size, other.size) < RESIZED
        ):
            said = f"{_quote(other)} has {one.size:.0f} px, not {other.size:.0f}"
            wrong = 1 - min(one.size, other.size) / max(one.size, other.size)
            yield PictureFinding("text resized", said, one.box, other.box, wrong)
        if (difference := _difference(one, other)) > RECOLORED:
            said = f"{_quote(other)} is {one.color}, not {other.color}"
            wrong = min(difference / DIFFERENT, 1)
            yield PictureFinding("text recolored", said, one.box, other.box, wrong)


def _moved(match: LayoutMatch) -> Iterator[PictureFinding]:
    """Texts that are elsewhere, and not just pushed along with all others."""
    if not match.matched:
        return
    diagonal = math.hypot(*match.size) or 1.0
    ways = np.array([np.subtract(middle_of(a.box), middle_of(b.box)) for a, b in match.matched])
    common = np.median(ways, axis=0)
    # What pushes most texts along is one mistake, if it is one: that of the first of them.
    pushed = len(ways) >= FEW and np.hypot(*common) / diagonal <= FAR / 2
    told = False
    for (one, other), way in zip(match.matched, ways, strict=True):
        own = np.hypot(*(way - common)) / diagonal if pushed else np.hypot(*way) / diagonal
        if pushed and own <= MOVED < np.hypot(*way) / diagonal and not told:
            told = True
            said = f"{_quote(other)} and most others by {way[0]:+.0f}, {way[1]:+.0f} px"
            wrong = min(float(np.hypot(*way)) / diagonal / FAR, 1)
            yield PictureFinding("text moved", said, one.box, other.box, wrong)
        elif own > MOVED:
            said = f"{_quote(other)} by {way[0]:+.0f}, {way[1]:+.0f} px"
            yield PictureFinding("text moved", said, one.box, other.box, min(float(own) / FAR, 1))


def _element_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    total = math.prod(match.size) or 1
    for one, other in match.elements:
        if other is None and one is not None:
            yield PictureFinding("element extra", _name(one), one.box, None, _share(one, total))
        elif one is None and other is not None:
            share = _share(other, total)
            yield PictureFinding("element missing", _name(other), None, other.box, share)
        elif one and other and (difference := _difference(one, other)) > RECOLORED:
            said = f"{other.kind} is {one.color}, not {other.color}"
            wrong = min(difference / DIFFERENT, 1)
            yield PictureFinding("element recolored", said, one.box, other.box, wrong)


def _page_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    if (ratio := min(match.side_ratios)) < PAGE:
        (width, height), (wide, high) = match.size, match.predicted_size
        said = f"{wide}x{high} pixels, not {width}x{height}"
        yield PictureFinding("page size", said, None, None, 1 - ratio)


def explain(match: LayoutMatch, findings: Sequence[PictureFinding]) -> str:
    """Returns findings in one sentence: how many of how many, by kind, with the worst one of each."""
    counts = Counter(one.kind for one in findings)
    if not counts:
        return "Nothing differs that is on the picture."
    texts = sum(pair.reference is not None for pair in match.texts)
    elements = sum(other is not None for _, other in match.elements)
    said = []
    for kind, number in counts.items():
        worst = next(one.text for one in findings if one.kind == kind)
        what, _, how = kind.partition(" ")
        if kind == "page size":
            said.append(f"the page has {worst}")
        elif how == "extra":
            said.append(f"{number} {what}s too many ({worst})")
        else:
            of = texts if what == "text" else elements
            said.append(f"{number} of {of} {what}s {how} ({worst})")
    return "; ".join(said) + "."


MARKS: Mapping[str, str] = {
    "missing": "#d00000",
    "extra": "#8338ec",
    "misspelt": "#e36414",
    "moved": "#0077b6",
    "resized": "#588157",
    "recolored": "#b5179e",
}
"""The last word of a finding's kind to the color in which it is drawn."""


def draw_findings(picture: Image.Image, found: Findings) -> Image.Image:
    """Returns a copy of a picture with its findings: a box at each, an arrow to where what moved should be.

    What is missing has its box where the reference has it.
    """
    marked = picture.convert("RGB")
    draw = ImageDraw.Draw(marked)
    for one in found.findings:
        color = MARKS.get(one.kind.rpartition(" ")[2])
        box = one.there or one.should
        if color and box:
            left, top, right, bottom = box
            draw.rectangle(
                (left - 2, top - 2, max(right, left) + 2, max(bottom, top) + 2),
                outline=color,
                width=2,
            )
            if one.kind == "text moved" and one.should:
                _draw_arrow(draw, middle_of(box), middle_of(one.should), color)
    return marked


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


def _difference(one: TextBox | ElementBox, other: TextBox | ElementBox) -> float:
    if not one.color or not other.color or one.color == other.color:
        return 0.0
    return float(ciede2000(lab_of([one.color]), lab_of([other.color]))[0])


def _quote(text: TextBox) -> str:
    return f'"{one_line(text.text, MAX_QUOTED)}"'


def _name(element: ElementBox) -> str:
    left, top, right, bottom = element.box
    color = f"{element.color} " if element.color else ""
    return (
        f"{color}{element.kind} of {right - left:.0f}x{bottom - top:.0f} at {left:.0f}, {top:.0f}"
    )


def _share(element: ElementBox, total: float) -> float:
    return min(box_area(element.box) / total, 1.0)
