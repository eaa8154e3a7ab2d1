"""What differs between what lies on two pictures: texts lost, misspelt, moved, resized, recolored; shapes.

Texts are put together to lines first, as engines and authors cut them in their own ways, and then matched one
to one. All is a pure function of two `PictureLayout`s.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import bidirectional

import numpy as np
import numpy.typing as npt
from Levenshtein import ratio
from scipy.optimize import linear_sum_assignment

from helm_structext.layouts import (
    ElementBox,
    PictureLayout,
    PixelBox,
    TextBox,
    box_area,
    box_around,
    middle_of,
)
from helm_structext.metrics.color_difference import ciede2000, color_distance, lab_of

Floats = npt.NDArray[np.float64]

MAX_PIECES = 5_000
"""Pieces of text of a picture that are put together to lines: the first ones from the top."""
MAX_TEXTS = 1_000
"""Lines that are matched by likeness, of those without an equal one; and elements that are matched."""
SAME_SIZE = 0.95
"""Least ratio of two sizes of letters in one line."""
LIKE = 0.5
"""Share of letters that two lines must have in common to be one and the same, misspelt."""
GAP = 0.8
"""Share of a line's height by which pieces of a text may stand apart."""
FAR = 0.25
"""Share of the picture's diagonal by which a text counts as being anywhere."""
DIFFERENT = 50.0
"""CIEDE2000 from which on colors count as any other."""
PAPER = "#ffffff"
NEAR = 200
"""Elements below one among which the one right below it is looked for."""
WIDER = 2.0
"""Pixels by which boxes of elements are widened on each side before they are compared."""
IOU = 0.3
"""Least share of two elements' union that they must have in common to be the same."""


@dataclass(frozen=True)
class TextPair:
    """A line of the prediction and of the reference; one is None where the other is missing or extra.

    Args:
        prediction: what is there.
        reference: what should be there.
        similarity: of their letters, 0 to 1.
    """

    prediction: TextBox | None
    reference: TextBox | None
    similarity: float = 0.0


@dataclass(frozen=True)
class LayoutMatch:
    """What of a prediction is what of a reference.

    Args:
        texts: each line of both once.
        elements: each element of both once, as pairs.
        size: of the reference's picture, in pixels.
        predicted_size: of the prediction's.
    """

    texts: tuple[TextPair, ...]
    elements: tuple[tuple[ElementBox | None, ElementBox | None], ...]
    size: tuple[int, int]
    predicted_size: tuple[int, int]

    @property
    def of_reference(self) -> "LayoutMatch":
        """The reference matched with itself."""
        texts = (one.reference for one in self.texts)
        elements = (other for _, other in self.elements)
        return LayoutMatch(
            tuple(TextPair(text, text, 1.0) for text in texts if text),
            tuple((element, element) for element in elements if element),
            self.size,
            self.size,
        )

    @property
    def side_ratios(self) -> tuple[float, float]:
        """The smaller of both widths over the larger one, and the same of the heights."""
        width, height = (
            min(sides) / max(sides) if max(sides) else 1.0
            for sides in zip(self.size, self.predicted_size, strict=True)
        )
        return width, height

    @property
    def matched(self) -> list[tuple[TextBox, TextBox]]:
        """The pairs of lines that are on both pictures."""
        pairs = ((one.prediction, one.reference) for one in self.texts)
        return [(first, second) for first, second in pairs if first and second]


def match_layouts(prediction: PictureLayout, reference: PictureLayout) -> LayoutMatch:
    """Returns which line and which element of one picture is which of the other.

    Equal lines are matched by their place, the others by letters, place and size. Hidden texts are not there.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    ours, theirs = join_lines(prediction.texts), join_lines(reference.texts)
    diagonal = math.hypot(*reference.size) or 1.0
    left, right = [*range(len(ours))], [*range(len(theirs))]
    pairs: list[tuple[int, int]] = []
    groups: defaultdict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, lines in enumerate((ours, theirs)):
        for number, line in enumerate(lines):
            groups[_letters(line.text)][side].append(number)
    for mine, wanted in groups.values():
        if len(mine) * len(wanted) > MAX_TEXTS**2:  # as many equal texts are matched in their order
            pairs += zip(mine, wanted, strict=False)
        elif mine and wanted:
            costs = _distances([ours[i] for i in mine], [theirs[j] for j in wanted]) / diagonal
            pairs += [(mine[i], wanted[j]) for i, j in zip(*_assign(costs), strict=True)]
    taken = {i for i, _ in pairs}, {j for _, j in pairs}
    left = [i for i in left if i not in taken[0]][:MAX_TEXTS]
    right = [j for j in right if j not in taken[1]][:MAX_TEXTS]
    if left and right:
        mine_left, wanted_left = [ours[i] for i in left], [theirs[j] for j in right]
        alike = np.array([[_similarity(one, other) for other in wanted_left] for one in mine_left])
        costs = 1 - alike + np.minimum(_distances(mine_left, wanted_left) / diagonal, 1) / 2
        costs[alike < LIKE] = 9.0
        pairs += [
            (left[i], right[j]) for i, j in zip(*_assign(costs), strict=True) if alike[i, j] >= LIKE
        ]
    taken = {i for i, _ in pairs}, {j for _, j in pairs}
    texts = [
        *(TextPair(ours[i], theirs[j], _similarity(ours[i], theirs[j])) for i, j in sorted(pairs)),
        *(TextPair(one, None) for i, one in enumerate(ours) if i not in taken[0]),
        *(TextPair(None, one) for j, one in enumerate(theirs) if j not in taken[1]),
    ]
    elements = _match_elements(prediction.elements, reference.elements)
    return LayoutMatch(tuple(texts), tuple(elements), reference.size, prediction.size)


def join_lines(texts: Sequence[TextBox]) -> list[TextBox]:
    """Returns visible pieces of text put together to lines, from top to bottom.

    >>> pieces = [TextBox("red", (30, 0, 50, 10)), TextBox("A", (0, 0, 26, 10)), TextBox("b", (90, 0, 99, 10))]
    >>> [line.text for line in join_lines(pieces)]
    ['A red', 'b']
    """
    seen = [one for one in texts if one.visible and _letters(one.text)]
    lines: list[TextBox] = []
    open_lines: list[int] = []
    ordered = sorted(seen, key=lambda text: (middle_of(text.box)[1], text.box[0]))
    for one in ordered[:MAX_PIECES]:
        open_lines = [i for i in open_lines if lines[i].box[3] > one.box[1]]
        joined = next((i for i in open_lines if _goes_on(lines[i], one)), None)
        if joined is None:
            open_lines.append(len(lines))
            lines.append(one)
        else:
            lines[joined] = _joined(lines[joined], one)
    return lines


def _goes_on(line: TextBox, piece: TextBox) -> bool:
    """Whether a piece stands beside a line, as its next word does."""
    (left, top, right, bottom), (left2, top2, right2, bottom2) = line.box, piece.box
    height = min(bottom - top, bottom2 - top2)
    beside = min(bottom, bottom2) - max(top, top2) > 0.6 * height
    apart = max(left2 - right, left - right2)
    sizes = sorted((line.size, piece.size))
    same = not sizes[0] or sizes[0] / sizes[1] > SAME_SIZE
    return beside and same and -0.2 * height < apart < GAP * height


def _joined(line: TextBox, piece: TextBox) -> TextBox:
    leftmost = sorted((line, piece), key=lambda one: one.box[0])
    backwards = all(_reads_leftwards(one.text) for one in leftmost)
    first, second = reversed(leftmost) if backwards else leftmost
    apart = leftmost[1].box[0] - leftmost[0].box[2]
    blank = " " if apart > 0.12 * (first.box[3] - first.box[1]) else ""
    longer = max(line, piece, key=lambda one: len(one.text))
    box = box_around((line.box, piece.box))
    return TextBox(f"{first.text}{blank}{second.text}", box, longer.color, longer.size)


def _reads_leftwards(text: str) -> bool:
    """Whether a text's first letter that has a direction is of a script from right to left."""
    kinds = (bidirectional(letter) for letter in text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


def layout_scores(match: LayoutMatch) -> dict[str, float | None]:
    """Returns how much of a reference's layout a prediction has: name → value in [0, 1], or None without any text.

    ``text_recall`` and ``text_precision``: share of the reference's and of the prediction's letters that are
    there on the other side, misspelt ones in proportion. ``text_edit``: likeness of the texts that are on both.
    Of these, ``text_position``: how near they are to their place, 0 from a quarter of the diagonal on;
    ``text_order``: share of pairs of texts with the same order from left to right and from top to bottom;
    ``text_size`` and ``text_color``. ``elements``: F1 of shapes, pictures, rules and controls by area in common.
    ``page_size``: of the pictures.
    """
    pairs = [
        (one, len(_letters((one.reference or one.prediction or _NOTHING).text)))
        for one in match.texts
    ]
    recall = [(one.similarity, letters) for one, letters in pairs if one.reference]
    precision = [
        (one.similarity, len(_letters(one.prediction.text))) for one, _ in pairs if one.prediction
    ]
    both = match.matched
    found: dict[str, float | None] = {
        "text_recall": _weighted(recall),
        "text_precision": _weighted(precision) if recall or precision else None,
        "text_edit": _weighted(
            [(one.similarity, n) for one, n in pairs if one.prediction and one.reference]
        ),
        **dict.fromkeys(("text_position", "text_order", "text_size", "text_color")),
        "elements": _element_score(match),
        "page_size": math.prod(match.side_ratios),
    }
    if both:
        ours, theirs = zip(*both, strict=True)
        diagonal = math.hypot(*match.size) or 1.0
        moved = np.hypot(*(_centers(ours) - _centers(theirs)).T) / diagonal
        found["text_position"] = float((1 - np.minimum(moved / FAR, 1)).mean())
        found["text_order"] = _order_kept(_centers(ours), _centers(theirs))
        sizes = [
            min(one.size, other.size) / max(one.size, other.size)
            for one, other in both
            if one.size and other.size
        ]
        found["text_size"] = float(np.mean(sizes)) if sizes else None
        colored = [(one.color, other.color) for one, other in both if one.color and other.color]
        if colored:
            mine, wanted = (lab_of([*colors]) for colors in zip(*colored, strict=True))
            differences = np.minimum(ciede2000(mine, wanted) / DIFFERENT, 1)
            found["text_color"] = float((1 - differences).mean())
    return found


WEIGHTS = {
    "text_recall": 0.25,
    "text_precision": 0.15,
    "text_position": 0.15,
    "text_order": 0.05,
    "text_size": 0.05,
    "text_color": 0.1,
    "elements": 0.2,
    "page_size": 0.05,
}
"""What each score counts in `layout_similarity`: half goes to the texts themselves and where they are."""


def layout_similarity(prediction: PictureLayout, reference: PictureLayout) -> float:
    """Returns the weighted mean of `layout_scores` in [0, 1], by `WEIGHTS`.

    What the reference has nothing of is left out; what the prediction has nothing of is 0.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.

    >>> line = TextBox("Rain", (0, 0, 40, 20), "#000000", 16.0)
    >>> full, empty = PictureLayout((90, 60), (line,)), PictureLayout((90, 60), ())
    >>> layout_similarity(full, full), round(layout_similarity(empty, full), 3)
    (1.0, 0.067)
    """
    match = match_layouts(prediction, reference)
    found, wanted = layout_scores(match), layout_scores(match.of_reference)
    # Texts or elements where there should be none count against a picture, too.
    counted = [name for name in WEIGHTS if wanted[name] is not None or found[name] is not None]
    total = sum(WEIGHTS[name] for name in counted)
    return sum(WEIGHTS[name] * (found[name] or 0.0) for name in counted) / total


_NOTHING = TextBox("", (0.0, 0.0, 0.0, 0.0))


def _weighted(values: Sequence[tuple[float, int]]) -> float | None:
    total = sum(weight for _, weight in values)
    return sum(value * weight for value, weight in values) / total if total else None


def _order_kept(ours: Floats, theirs: Floats) -> float | None:
    """The share of pairs whose order is the same along both axes; those level in the reference don't count."""
    if len(ours) < 2:
        return None
    first, second = np.triu_indices(min(len(ours), MAX_TEXTS), 1)
    kept, counted = 0, 0
    for axis in (0, 1):
        wanted = theirs[first, axis] - theirs[second, axis]
        found = ours[first, axis] - ours[second, axis]
        clear = np.abs(wanted) > 2
        kept += int((np.sign(wanted) == np.sign(found))[clear].sum())
        counted += int(clear.sum())
    return kept / counted if counted else None


def _element_score(match: LayoutMatch) -> float | None:
    if not match.elements:
        return None
    if not any(other for _, other in match.elements):
        extra = sum(box_area(one.box) for one, _ in match.elements if one)
        return max(1 - extra / (math.prod(match.size) or 1), 0.0)
    total = shared = 0.0
    for one, other in match.elements:
        areas = [box_area(_widen(it.box)) for it in (one, other) if it]
        total += sum(areas)
        if one and other:
            alike = 1 - min(color_distance(one.color, other.color) / DIFFERENT, 1)
            shared += 2 * _common(_widen(one.box), _widen(other.box)) * alike
    return min(shared / total, 1.0) if total else None


def _match_elements(
    ours: Sequence[ElementBox], theirs: Sequence[ElementBox]
) -> list[tuple[ElementBox | None, ElementBox | None]]:
    """Pairs of elements of one kind by area in common; of more than `MAX_TEXTS`, the largest."""
    largest = [
        sorted(_drawn(one), key=lambda it: (-box_area(it.box), it.box, it.color))[:MAX_TEXTS]
        for one in (ours, theirs)
    ]
    pairs: list[tuple[ElementBox | None, ElementBox | None]] = []
    mine, wanted = largest
    taken: tuple[set[int], set[int]] = set(), set()
    if mine and wanted:
        shared = _overlaps([_widen(one.box) for one in mine], [_widen(one.box) for one in wanted])
        kinds = np.array([[one.kind == other.kind for other in wanted] for one in mine])
        shared[~kinds] = 0
        for i, j in zip(*_assign(1 - shared), strict=True):
            if shared[i, j] >= IOU:
                pairs.append((mine[i], wanted[j]))
                taken[0].add(i)
                taken[1].add(j)
    pairs += [(one, None) for i, one in enumerate(mine) if i not in taken[0]]
    pairs += [(None, one) for j, one in enumerate(wanted) if j not in taken[1]]
    return pairs


def _drawn(elements: Sequence[ElementBox]) -> list[ElementBox]:
    """Those that differ from what lies right below them, of the last ones: white on white is nothing."""
    drawn: list[ElementBox] = []
    for one in elements:
        below = next((it for it in reversed(drawn[-NEAR:]) if _holds(it.box, one.box)), None)
        ground = below.color if below else PAPER
        if not one.color or one.color != ground or one.kind in ("image", "control"):
            drawn.append(one)
    return drawn


def _holds(outer: PixelBox, inner: PixelBox) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and outer[2] >= inner[2]
        and outer[3] >= inner[3]
    )


def _widen(box: PixelBox) -> PixelBox:
    """A rule that is a pixel away is the same, and what has no area has some."""
    left, top, right, bottom = box
    return left - WIDER, top - WIDER, right + WIDER, bottom + WIDER


def _overlaps(ours: Sequence[PixelBox], theirs: Sequence[PixelBox]) -> Floats:
    """Intersection over union of each two boxes; shape (n, m)."""
    a, b = np.array(ours)[:, None], np.array(theirs)[None]
    low, high = np.maximum(a[..., :2], b[..., :2]), np.minimum(a[..., 2:], b[..., 2:])
    common = np.prod(np.maximum(high - low, 0), axis=-1)
    areas = [np.prod(one[..., 2:] - one[..., :2], axis=-1) for one in (a, b)]
    return np.asarray(common / np.maximum(areas[0] + areas[1] - common, 1e-9))


def _assign(costs: Floats) -> tuple[list[int], list[int]]:
    rows, columns = linear_sum_assignment(costs)
    return rows.tolist(), columns.tolist()


def _distances(ours: Sequence[TextBox], theirs: Sequence[TextBox]) -> Floats:
    """Pixels between the middles of each two lines; shape (n, m)."""
    apart = _centers(ours)[:, None] - _centers(theirs)[None]
    return np.asarray(np.hypot(apart[..., 0], apart[..., 1]))


def _centers(texts: Sequence[TextBox]) -> Floats:
    return np.array([middle_of(text.box) for text in texts])


def _common(one: PixelBox, other: PixelBox) -> float:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return box_area((left, top, right, bottom)) if left < right and top < bottom else 0.0


def _similarity(one: TextBox, other: TextBox) -> float:
    first, second = _letters(one.text), _letters(other.text)
    return 1.0 if first == second else float(ratio(first, second))


def _letters(text: Any) -> str:
    return "".join(str(text).split())
