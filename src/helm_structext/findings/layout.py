"""What is wrong with texts, shapes, and the page: `helm_structext.metrics.layout` by name and place."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from helm_structext.findings.chart_styles import find_told_dashes
from helm_structext.findings.elements import (
    change_of_page,
    element_findings,
    find_causes,
    follows_any,
    has_other_rhythm,
    plots_with_other_data,
    untold_by_notes,
    without_texts,
)
from helm_structext.findings.formula import is_formula
from helm_structext.findings.kinds import (
    FEW,
    RECOLORED,
    Comparison,
    PictureFinding,
    box_others,
    count_too_many,
    group_alike,
    in_order,
    name_others,
    quote_text,
    worst_by_kind,
)
from helm_structext.findings.labels import part_texts
from helm_structext.findings.letters import find_restyled
from helm_structext.findings.plots import (
    find_changed_plots,
    find_told_colors,
    have_same_plots,
    untold_by_charts,
)
from helm_structext.findings.pushed import are_pushed
from helm_structext.layouts import (
    RULE,
    SHAPE,
    PictureLayout,
    PixelBox,
    TextBox,
    holds_box,
    middle_of,
)
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.element_changes import ElementChange, pair_elsewhere
from helm_structext.metrics.element_pairs import ElementPairs, Frame
from helm_structext.metrics.layout import DIFFERENT, layout_scores
from helm_structext.metrics.layout_match import (
    FAR,
    LayoutMatch,
    TextPair,
    displacement,
    match_layouts,
)
from helm_structext.metrics.text_lines import letters_of, likeness_of

Floats = npt.NDArray[np.float64]

MOVED = 0.02
"""Share of the diagonal from which on a text is in another place."""
EXCHANGED, NEAR = 0.5, 0.2
"""In heights of a text: how far it is from its place at least where another one has that; and from the other one's at most."""
MAX_LEFT = 10_000
"""Pairs of what is missing and what is too many that are looked at."""
MAX_EXCHANGED = 500
"""Texts of which it is looked whether they are exchanged."""
RESIZED = 0.8
"""Ratio of two sizes of letters below which they differ."""
ALIKE = 1.1
"""Ratio of two sizes of letters up to which texts have grown alike."""
PAGE = 0.9
"""Ratio of two pictures' widths or heights below which they differ."""
LABELS = {"title": "title", "label": "axis label"}
"""What charts' texts are to what that is called."""
TOLD = 0.5
"""Share of a text's letters that are symbols, from which on these tell what is wrong with it."""


def compare_boxes(prediction: PictureLayout, reference: PictureLayout) -> Comparison:
    """Returns what of a prediction's texts, shapes and page is not as in the reference."""
    match = match_layouts(prediction, reference)
    beside = _pair_left(_beside_symbols(match, prediction, reference))
    texts = part_texts(beside, prediction, reference)
    pages = [*_page_findings(match)]
    plots = find_changed_plots(prediction, reference)
    causes = [*[change_of_page(match)] * bool(pages and match.frame.across == 1), *plots]
    pairs, changes = _find_changes(match, prediction, reference, causes)
    moved = _moved_texts(texts.match, [*plots, *changes])
    told = _without_pushed(moved, texts.match, prediction, reference)
    found = in_order(
        (
            *_text_findings(match, texts.match, told),
            *find_restyled(beside),
            *texts.findings,
            *element_findings(
                pairs,
                without_texts(changes, texts.match, moved.groups),
                match,
                find_told_colors(prediction, reference),
                find_told_dashes(prediction, reference),
            ),
            *pages,
        )
    )
    return Comparison(layout_scores(match), tuple(found), tuple(_clauses(match, found)))


def _find_changes(
    match: LayoutMatch,
    prediction: PictureLayout,
    reference: PictureLayout,
    causes: Sequence[ElementChange],
) -> tuple[ElementPairs, list[ElementChange]]:
    """Elements of both, and which of them are elsewhere or of another size for a reason of their own.

    Lines of formulas and scores are where their symbols and notes have them, and marks of charts where the data has them.
    """
    if is_formula(reference):
        return _beside_lines(match, prediction, reference), []
    if prediction.notes and reference.notes:
        return untold_by_notes([*match.elements], prediction.notes, reference.notes), []
    elements = pair_elsewhere(match)
    pairs = untold_by_charts(elements, prediction, reference)
    told = plots_with_other_data(prediction, reference)
    # Where a plot is elsewhere, or of another size, its marks are, too.
    placed = elements if have_same_plots(prediction, reference) else pairs
    changes = find_causes(placed, match, causes)
    return pairs, [
        one for one in changes if not any(holds_box(plot, one.reference.box) for plot in told)
    ]


def _beside_lines(
    match: LayoutMatch, prediction: PictureLayout, reference: PictureLayout
) -> ElementPairs:
    """Elements that are no lines of fractions and roots, which are symbols, too."""
    lines = [
        {one.box for one in layout.symbols or () if one.text in (RULE, SHAPE)}
        for layout in (prediction, reference)
    ]
    return [
        pair
        for pair in match.elements
        if not all(one.box in side for one, side in zip(pair, lines, strict=True) if one)
    ]


def _beside_symbols(
    match: LayoutMatch, prediction: PictureLayout, reference: PictureLayout
) -> LayoutMatch:
    """Texts that neither a formula's symbols nor the signs beside notes tell.

    A formula's lines are pieces that a numerator or an index cuts at will; in a web page words beside it are no symbols.
    Syllables, dynamics and times are signs of music.
    """
    sides: list[Sequence[tuple[str, PixelBox]]]
    if is_formula(reference):
        sides = [[("x", one.box) for one in it.symbols or ()] for it in (prediction, reference)]
    elif prediction.notes and reference.notes:
        if has_other_rhythm(prediction.notes, reference.notes):
            match = _without_bar_numbers(match)
        sides = [
            [(one.value, one.box) for one in notes.signs]
            for notes in (prediction.notes, reference.notes)
        ]
    else:
        return match
    told = [
        (np.array([box for _, box in side]).reshape(-1, 4), np.array([len(it) for it, _ in side]))
        for side in sides
    ]
    beside = (
        pair
        for pair in match.texts
        if not (_is_told(pair.prediction, *told[0]) and _is_told(pair.reference, *told[1]))
    )
    return replace(match, texts=tuple(beside))


def _without_bar_numbers(match: LayoutMatch) -> LayoutMatch:
    """Texts but those of digits alone, which stand where lines begin."""
    texts = (
        pair for pair in match.texts if not all(one.text.isdecimal() for one in pair.texts if one)
    )
    return replace(match, texts=tuple(texts))


def _is_told(text: TextBox | None, boxes: Floats, letters: npt.NDArray[np.int_]) -> bool:
    """Whether what is in boxes of shape (n, 4), so many letters in each, tells a text, if there is one."""
    if text is None:
        return True
    left, top, right, bottom = text.box
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    within = ((middles >= (left, top)) & (middles <= (right, bottom))).all(axis=1)
    middle = middle_of(text.box)
    around = ((boxes[:, :2] <= middle) & (boxes[:, 2:] >= middle)).all(axis=1)
    return int(letters[within | around].sum()) >= TOLD * len(letters_of(text.text))


def _pair_left(match: LayoutMatch) -> LayoutMatch:
    """Texts with what is missing and what is too many put together, where that says more.

    A text that is elsewhere has moved, however short it is; and what stands in a text's place stands for it.
    """
    missing = [pair.reference for pair in match.texts if pair.reference and not pair.prediction]
    extra = [pair.prediction for pair in match.texts if pair.prediction and not pair.reference]
    if not 0 < len(missing) * len(extra) <= MAX_LEFT:
        return match
    costs = sorted(
        (cost, j, i)
        for i, one in enumerate(extra)
        for j, other in enumerate(missing)
        if (cost := _cost_of(one, other)) is not None
    )
    partners: dict[int, int] = {}
    for _, j, i in costs:
        if j not in partners and i not in partners.values():
            partners[j] = i
    told = {id(extra[i]) for i in partners.values()} | {id(missing[j]) for j in partners}
    kept = [
        pair
        for pair in match.texts
        if all(pair.texts) or not told.intersection(map(id, pair.texts))
    ]
    paired = (
        TextPair(extra[i], missing[j], likeness_of(extra[i].text, missing[j].text))
        for j, i in partners.items()
    )
    return replace(match, texts=(*kept, *paired))


def _cost_of(one: TextBox, other: TextBox) -> tuple[bool, float] | None:
    """How unlikely it is that one text stands for another one; None where it does not."""
    far = math.hypot(*displacement(one.box, other.box))
    same = letters_of(one.text) == letters_of(other.text)
    if same or far <= NEAR * (other.box[3] - other.box[1]):
        return not same, far
    return None


class _MovedTexts(NamedTuple):
    """Texts that are elsewhere.

    Args:
        groups: their numbers; those that are pushed along by the same way are together.
        ways: how far each text is from its place, in pixels to the right and down; shape (n, 2).
        partners: the number of the text with which each is exchanged, or -1.
    """

    groups: list[list[int]]
    ways: Floats
    partners: npt.NDArray[np.int_]


def _text_findings(
    match: LayoutMatch, beside: LayoutMatch, moved: _MovedTexts
) -> Iterator[PictureFinding]:
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
    yield from _moved(beside, moved)
    yield from _resized(match)
    for one, other in match.matched:
        if (difference := color_distance(one.color, other.color)) > RECOLORED:
            said = f"{quote_text(other.text)} is {one.color}, not {other.color}"
            wrong = min(difference / DIFFERENT, 1)
            yield PictureFinding("text recolored", said, one.box, other.box, wrong)


def _moved_texts(match: LayoutMatch, changes: Sequence[ElementChange]) -> _MovedTexts:
    """Texts that are elsewhere, without what goes along with an element that has changed."""
    if not match.matched:
        return _MovedTexts([], np.zeros((0, 2)), np.zeros(0, int))
    pixels = _ways(match)
    partners = _find_partners(match, pixels)
    exchanged = partners >= 0
    ways = pixels / match.diagonal
    far = (np.hypot(*ways.T) > MOVED) | exchanged
    free = [
        number
        for number in np.flatnonzero(far).tolist()
        if exchanged[number] or not follows_any(match.matched[number], changes, match)
    ]
    keys = np.round((ways - np.median(ways, axis=0)) / (MOVED / 2))[free]
    groups = [
        [free[number] for number in group] for group in group_alike([*map(tuple, keys.tolist())])
    ]
    return _MovedTexts(groups, pixels, partners)


def _without_pushed(
    moved: _MovedTexts, match: LayoutMatch, prediction: PictureLayout, reference: PictureLayout
) -> _MovedTexts:
    """Texts that are elsewhere for a reason of their own, or are exchanged."""
    groups = [
        group
        for group in moved.groups
        if moved.partners[group[0]] >= 0
        or not are_pushed(group, moved.ways, match, prediction, reference)
    ]
    return moved._replace(groups=groups)


def _find_partners(match: LayoutMatch, ways: Floats) -> npt.NDArray[np.int_]:
    """For each text the one with which it is exchanged, or -1: each stands in the other's place, which may be near."""
    found = np.full(len(ways), -1)
    height = np.array([other.box[3] - other.box[1] for _, other in match.matched])
    numbers = np.flatnonzero(np.hypot(*ways.T) > EXCHANGED * height)[:MAX_EXCHANGED]
    if len(numbers):
        ours, theirs = (
            np.array([_lines_of(match.matched[number][side].box) for number in numbers])
            for side in (0, 1)
        )
        beside = np.abs(ours[:, None] - theirs[None]).min(axis=2)
        stands = (beside <= NEAR * height[numbers, None, None]).all(axis=2)
        both = stands & stands.T
        found[numbers] = np.where(both.any(axis=1), numbers[both.argmax(axis=1)], -1)
    return found


def _lines_of(box: PixelBox) -> list[tuple[float, float]]:
    """The first edge of a box, its middle and its last edge, each across and down."""
    return [box[:2], middle_of(box), box[2:]]


def _moved(match: LayoutMatch, moved: _MovedTexts) -> Iterator[PictureFinding]:
    """Texts that are elsewhere; those that are pushed along by the same way are told once."""
    groups, ways, partners = moved.groups, moved.ways, moved.partners.tolist()
    alone = {numbers[0] for numbers in groups if len(numbers) == 1}
    for numbers in groups:
        one, other = match.matched[numbers[0]]
        right, down = ways[numbers[0]].tolist()
        said = f"{_named(other, numbers)} by {right:+.0f}, {down:+.0f} px"
        partner = partners[numbers[0]]
        if len(numbers) == 1 and partner in alone and partners[partner] == numbers[0]:
            if partner < numbers[0]:
                continue  # It was told with the other one.
            numbers = [numbers[0], partner]
            both = sorted(
                (other, match.matched[partner][1]), key=lambda text: (text.box[1], text.box[0])
            )
            said = f"{' and '.join(quote_text(text.text) for text in both)} are exchanged"
        far = math.hypot(right, down) / match.diagonal
        others = box_others([match.matched[number] for number in numbers])
        yield PictureFinding(
            "text moved", said, one.box, other.box, min(far / FAR, 1), len(numbers), others
        )


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
    for numbers in group_alike(np.round(np.log(ratios) / math.log(ALIKE)).tolist()):
        one, other = pairs[numbers[0]]
        ratio = min(one.size, other.size) / max(one.size, other.size)
        with_page = len(numbers) >= FEW and 1 / ALIKE < ratios[numbers[0]] / page < ALIKE
        if ratio < RESIZED and not (with_page and min(match.side_ratios) < PAGE):
            said = f"{_named(other, numbers)} has {one.size:.0f} px, not {other.size:.0f}"
            others = box_others([pairs[number] for number in numbers])
            yield PictureFinding(
                "text resized", said, one.box, other.box, 1 - ratio, len(numbers), others
            )


def _named(text: TextBox, numbers: Sequence[int]) -> str:
    return quote_text(text.text) + name_others(numbers)


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
        if what in LABELS:
            yield _label_clause(LABELS[what], how, number, worst)
        elif kind == "page size":
            yield f"the page has {worst.text}"
        elif how == "extra":
            yield f"{count_too_many(number, what)} ({worst.text})"
        else:
            of = texts if what == "text" else elements
            yield f"{min(number, of)} of {of} {what}s {how} ({worst.text})"


def _label_clause(name: str, how: str, number: int, worst: PictureFinding) -> str:
    """How many titles or labels are missing, too many or wrong."""
    if how == "extra":
        return f"{count_too_many(number, name)} ({worst.text})"
    said = f"the {name} is {how}" if number == 1 else f"{number} {name}s are {how}"
    return f"{said} ({worst.text})"
