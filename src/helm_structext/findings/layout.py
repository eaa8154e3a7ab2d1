"""What is wrong with texts, shapes, and the page: `helm_structext.metrics.layout` by name and place."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from helm_structext.findings.kinds import (
    RECOLORED,
    Comparison,
    PictureFinding,
    in_order,
    quote_text,
    worst_by_kind,
)
from helm_structext.layouts import ElementBox, PictureLayout, box_area, middle_of
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.layout import (
    DIFFERENT,
    FAR,
    LayoutMatch,
    layout_scores,
    match_layouts,
)

MOVED = 0.02
"""Share of the diagonal from which on a text is in another place than its neighbors are."""
FEW = 3
"""Texts from which on there is such a thing as what most of them do."""
RESIZED = 0.8
"""Ratio of two sizes of letters below which they differ."""
PAGE = 0.9
"""Ratio of two pictures' widths or heights below which they differ."""


def compare_boxes(prediction: PictureLayout, reference: PictureLayout) -> Comparison:
    """Returns what of a prediction's texts, shapes and page is not as in the reference."""
    match = match_layouts(prediction, reference)
    found = in_order([*_text_findings(match), *_element_findings(match), *_page_findings(match)])
    return Comparison(layout_scores(match), tuple(found), tuple(_clauses(match, found)))


def _text_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    lines = [pair.reference or pair.prediction for pair in match.texts]
    letters = sum(len(line.text) for line in lines if line) or 1
    for pair in match.texts:
        one, other = pair.prediction, pair.reference
        if one is None and other is not None:
            share = len(other.text) / letters
            yield PictureFinding("text missing", quote_text(other.text), None, other.box, share)
        elif other is None and one is not None:
            share = len(one.text) / letters
            yield PictureFinding("text extra", quote_text(one.text), one.box, None, share)
        elif one and other and pair.similarity < 1:
            said = f"{quote_text(one.text)} for {quote_text(other.text)}"
            yield PictureFinding("text misspelt", said, one.box, other.box, 1 - pair.similarity)
    yield from _moved(match)
    for one, other in match.matched:
        if (
            one.size
            and other.size
            and min(one.size, other.size) / max(one.size, other.size) < RESIZED
        ):
            said = f"{quote_text(other.text)} has {one.size:.0f} px, not {other.size:.0f}"
            wrong = 1 - min(one.size, other.size) / max(one.size, other.size)
            yield PictureFinding("text resized", said, one.box, other.box, wrong)
        if (difference := color_distance(one.color, other.color)) > RECOLORED:
            said = f"{quote_text(other.text)} is {one.color}, not {other.color}"
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
            said = f"{quote_text(other.text)} and most others by {way[0]:+.0f}, {way[1]:+.0f} px"
            wrong = min(float(np.hypot(*way)) / diagonal / FAR, 1)
            yield PictureFinding("text moved", said, one.box, other.box, wrong)
        elif own > MOVED:
            said = f"{quote_text(other.text)} by {way[0]:+.0f}, {way[1]:+.0f} px"
            yield PictureFinding("text moved", said, one.box, other.box, min(float(own) / FAR, 1))


def _element_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    total = math.prod(match.size) or 1
    for one, other in match.elements:
        if other is None and one is not None:
            yield PictureFinding("element extra", _name(one), one.box, None, _share(one, total))
        elif one is None and other is not None:
            share = _share(other, total)
            yield PictureFinding("element missing", _name(other), None, other.box, share)
        elif one and other and (difference := color_distance(one.color, other.color)) > RECOLORED:
            said = f"{other.kind} is {one.color}, not {other.color}"
            wrong = min(difference / DIFFERENT, 1)
            yield PictureFinding("element recolored", said, one.box, other.box, wrong)


def _page_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    if (ratio := min(match.side_ratios)) < PAGE:
        (width, height), (wide, high) = match.size, match.predicted_size
        said = f"{wide}x{high} pixels, not {width}x{height}"
        yield PictureFinding("page size", said, None, None, 1 - ratio)


def _clauses(match: LayoutMatch, findings: Sequence[PictureFinding]) -> Iterator[str]:
    """How many of how many, by kind, with the worst one of each."""
    texts = sum(pair.reference is not None for pair in match.texts)
    elements = sum(other is not None for _, other in match.elements)
    for kind, (number, worst) in worst_by_kind(findings).items():
        what, _, how = kind.partition(" ")
        if kind == "page size":
            yield f"the page has {worst.text}"
        elif how == "extra":
            yield f"{number} {what}s too many ({worst.text})"
        else:
            of = texts if what == "text" else elements
            yield f"{number} of {of} {what}s {how} ({worst.text})"


def _name(element: ElementBox) -> str:
    left, top, right, bottom = element.box
    color = f"{element.color} " if element.color else ""
    return (
        f"{color}{element.kind} of {right - left:.0f}x{bottom - top:.0f} at {left:.0f}, {top:.0f}"
    )


def _share(element: ElementBox, total: float) -> float:
    return min(box_area(element.box) / total, 1.0)
