"""What is wrong with texts, shapes, and the page: `helm_structext.metrics.layout` by name and place."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from helm_structext.findings.formula import is_formula
from helm_structext.findings.kinds import (
    RECOLORED,
    Comparison,
    PictureFinding,
    in_order,
    quote_text,
    worst_by_kind,
)
from helm_structext.layouts import ElementBox, PictureLayout, TextBox, box_area, middle_of
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.element_pairs import Frame
from helm_structext.metrics.layout import DIFFERENT, layout_scores
from helm_structext.metrics.layout_match import FAR, LayoutMatch, displacement, match_layouts
from helm_structext.metrics.text_lines import letters_of

Floats = npt.NDArray[np.float64]

MOVED = 0.02
"""Share of the diagonal from which on a text is in another place."""
FEW = 3
"""Texts from which on what they do together is one mistake."""
RESIZED = 0.8
"""Ratio of two sizes of letters below which they differ."""
ALIKE = 1.1
"""Ratio of two sizes of letters up to which texts have grown alike."""
PAGE = 0.9
"""Ratio of two pictures' widths or heights below which they differ."""
TOLD = 0.5
"""Share of a text's letters that are symbols, from which on these tell what is wrong with it."""


def compare_boxes(prediction: PictureLayout, reference: PictureLayout) -> Comparison:
    """Returns what of a prediction's texts, shapes and page is not as in the reference."""
    match = match_layouts(prediction, reference)
    beside = _beside_formula(match, prediction, reference) if is_formula(reference) else match
    found = in_order(
        (
            *_text_findings(match, beside),
            *_element_findings(match),
            *_page_findings(match),
        )
    )
    return Comparison(layout_scores(match), tuple(found), tuple(_clauses(match, found)))


def _beside_formula(
    match: LayoutMatch, prediction: PictureLayout, reference: PictureLayout
) -> LayoutMatch:
    """Texts that no symbols tell: a formula's lines are pieces that a numerator or an index cuts at will.

    In a web page words beside a formula are no symbols.
    """
    ours, theirs = (
        np.array([middle_of(one.box) for one in layout.symbols or ()]).reshape(-1, 2)
        for layout in (prediction, reference)
    )
    beside = (
        pair
        for pair in match.texts
        if not (_is_told(pair.prediction, ours) and _is_told(pair.reference, theirs))
    )
    return replace(match, texts=tuple(beside))


def _is_told(text: TextBox | None, symbols: Floats) -> bool:
    """Whether symbols tell a text, if there is one."""
    if text is None:
        return True
    left, top, right, bottom = text.box
    within = ((symbols >= (left, top)) & (symbols <= (right, bottom))).all(axis=1)
    return int(within.sum()) >= TOLD * len(letters_of(text.text))


def _text_findings(match: LayoutMatch, beside: LayoutMatch) -> Iterator[PictureFinding]:
    """What is wrong with texts; with those beside a formula alone what symbols would tell."""
    lines = [pair.reference or pair.prediction for pair in match.texts]
    letters = sum(len(line.text) for line in lines if line) or 1
    for pair in beside.texts:
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
    yield from _moved(beside)
    yield from _resized(match)
    for one, other in match.matched:
        if (difference := color_distance(one.color, other.color)) > RECOLORED:
            said = f"{quote_text(other.text)} is {one.color}, not {other.color}"
            wrong = min(difference / DIFFERENT, 1)
            yield PictureFinding("text recolored", said, one.box, other.box, wrong)


def _moved(match: LayoutMatch) -> Iterator[PictureFinding]:
    """Texts that are elsewhere; those that are pushed along by the same way are told once."""
    if not match.matched:
        return
    diagonal = math.hypot(*match.size) or 1.0
    ways = _ways(match) / diagonal
    groups = _grouped(np.round((ways - np.median(ways, axis=0)) / (MOVED / 2)))
    for numbers in groups:
        first = numbers[0]
        far = float(np.hypot(*ways[first]))
        if far > MOVED:
            one, other = match.matched[first]
            right, down = ways[first] * diagonal
            said = f"{_named(other, numbers)} by {right:+.0f}, {down:+.0f} px"
            yield PictureFinding("text moved", said, one.box, other.box, min(far / FAR, 1))


def _ways(match: LayoutMatch) -> Floats:
    """How far each text is from its place, in pixels to the right and down; shape (n, 2).

    On a page of another size, places count in its measure if more of them are right then.
    """
    frames = [Frame()]
    if min(match.side_ratios) < PAGE:
        frames.append(Frame(*np.divide(match.size, np.maximum(match.predicted_size, 1)).tolist()))
    ways = [
        np.array([displacement(frame.place(a.box), b.box) for a, b in match.matched])
        for frame in frames
    ]
    return min(ways, key=lambda way: float(np.median(np.hypot(*way.T))))


def _resized(match: LayoutMatch) -> Iterator[PictureFinding]:
    """Texts with letters of another size; those that grew alike are told once, or by the page's size."""
    pairs = [(one, other) for one, other in match.matched if one.size and other.size]
    ratios = np.array([one.size / other.size for one, other in pairs])
    (wide, high), (width, height) = match.predicted_size, match.size
    page = math.sqrt(wide * high / (width * height)) if width * height else 1.0
    for numbers in _grouped(np.round(np.log(ratios) / math.log(ALIKE))[:, None]):
        one, other = pairs[numbers[0]]
        ratio = min(one.size, other.size) / max(one.size, other.size)
        with_page = len(numbers) >= FEW and 1 / ALIKE < ratios[numbers[0]] / page < ALIKE
        if ratio < RESIZED and not (with_page and min(match.side_ratios) < PAGE):
            said = f"{_named(other, numbers)} has {one.size:.0f} px, not {other.size:.0f}"
            yield PictureFinding("text resized", said, one.box, other.box, 1 - ratio)


def _grouped(keys: Floats) -> list[list[int]]:
    """Numbers of those that have the same key, if they are at least `FEW`; each of the others alone."""
    groups: defaultdict[tuple[float, ...], list[int]] = defaultdict(list)
    for number, key in enumerate(keys.tolist()):
        groups[tuple(key)].append(number)
    return [
        part
        for group in groups.values()
        for part in ([group] if len(group) >= FEW else [[one] for one in group])
    ]


def _named(text: TextBox, numbers: Sequence[int]) -> str:
    others = f" and {len(numbers) - 1} others" if len(numbers) > 1 else ""
    return quote_text(text.text) + others


def _element_findings(match: LayoutMatch) -> Iterator[PictureFinding]:
    total = math.prod(match.size) or 1
    changed = {
        (one.color, other.color)
        for one, other in match.elements
        if one and other and color_distance(one.color, other.color) > RECOLORED
    }
    for one, other in match.elements:
        if other is None and one is not None:
            yield PictureFinding("element extra", _name(one), one.box, None, _share(one, total))
        elif one is None and other is not None:
            share = _share(other, total)
            yield PictureFinding("element missing", _name(other), None, other.box, share)
        elif one and other and (one.color, other.color) in changed:
            said = f"{other.kind} is {one.color}, not {other.color}"
            if (other.color, one.color) in changed:
                said = f"{other.kind}: {' and '.join(sorted((one.color, other.color)))} are swapped"
            wrong = min(color_distance(one.color, other.color) / DIFFERENT, 1)
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
