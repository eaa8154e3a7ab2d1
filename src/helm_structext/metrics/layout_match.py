"""Which text and which shape of one picture is which of another.

Texts are put together to lines first, as engines and authors cut them in their own ways, and then matched one
to one. All is a pure function of two `PictureLayout`s.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from helm_structext.layouts import ElementBox, PictureLayout, PixelBox, TextBox, middle_of
from helm_structext.metrics.assignment import assign_pairs
from helm_structext.metrics.element_pairs import Frame, match_elements
from helm_structext.metrics.text_lines import (
    find_rewrapped,
    is_number,
    join_lines,
    join_paragraph,
    letters_of,
    likeness_of,
    paragraph_likeness,
)

Floats = npt.NDArray[np.float64]

MAX_TEXTS = 1_000
"""Lines that are matched by likeness, of those without an equal one."""
LIKE, LIKE_FAR = 0.5, 0.85
"""Share of letters that two lines must have in common to be one and the same, misspelt: at one place, and from `FAR` on."""
SHORT = 3
"""Letters of a text that is another one where it stands far away, as numbers are."""
FAR = 0.25
"""Share of the picture's diagonal by which a text counts as being anywhere."""
OVERLAP, MARGIN = 0.15, 0.15
"""Share of the smaller one of two texts that may lie on the other; share of a line's height above and below its ink."""
AS_IT_IS = Frame()
FORBIDDEN = 9.0
"""What it costs to match what can't be the same."""


@dataclass(frozen=True)
class TextPair:
    """A line of the prediction and of the reference; one is None where the other is missing or extra.

    Args:
        prediction: what is there.
        reference: what should be there.
        similarity: of their letters, 0 to 1; a number is right or wrong: of two that differ it is 0.
    """

    prediction: TextBox | None
    reference: TextBox | None
    similarity: float = 0.0

    @property
    def texts(self) -> tuple[TextBox | None, TextBox | None]:
        """Both."""
        return self.prediction, self.reference


@dataclass(frozen=True)
class LayoutMatch:
    """What of a prediction is what of a reference.

    Args:
        texts: each line of both once.
        elements: each element of both once, as pairs.
        size: of the reference's picture, in pixels.
        predicted_size: of the prediction's.
        frame: in which the prediction's elements lie on the reference's: all as they are, or pushed along with the
            texts, or in the measure of a larger page.
        overlaps: share of the letters of the prediction, and of the reference, that other letters lie on.
        cuts: share that the picture's edge cuts off.
    """

    texts: tuple[TextPair, ...]
    elements: tuple[tuple[ElementBox | None, ElementBox | None], ...]
    size: tuple[int, int]
    predicted_size: tuple[int, int]
    frame: Frame = AS_IT_IS
    overlaps: tuple[float, float] = (0.0, 0.0)
    cuts: tuple[float, float] = (0.0, 0.0)

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
            overlaps=(self.overlaps[1],) * 2,
            cuts=(self.cuts[1],) * 2,
        )

    @property
    def diagonal(self) -> float:
        """Of the reference's picture, in pixels; 1 where it has none."""
        return math.hypot(*self.size) or 1.0

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
        return _list_matched(self.texts)

    @property
    def displacements(self) -> list[tuple[float, float]]:
        """By how much each of these lines is displaced, in pixels to the right and down."""
        return _displacements(self.texts)


def match_layouts(prediction: PictureLayout, reference: PictureLayout) -> LayoutMatch:
    """Returns which line and which element of one picture is which of the other.

    Equal lines are matched by their place; then paragraphs that are wrapped in other ways; then what is left by
    letters, place and size. Hidden texts are not there.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    ours, theirs = join_lines(prediction.texts), join_lines(reference.texts)
    sizes = prediction.size, reference.size
    same = _match_equal(ours, theirs, sizes)
    taken = {i for i, _ in same}, {j for _, j in same}
    mine = [one for i, one in enumerate(ours) if i not in taken[0]]
    wanted = [one for j, one in enumerate(theirs) if j not in taken[1]]
    texts = [
        *(TextPair(ours[i], theirs[j], 1.0) for i, j in sorted(same)),
        *_match_others(*_match_rewrapped(mine, wanted), sizes),
    ]
    frames = _push(texts), Frame(*_measure(sizes))
    frame, elements = match_elements(
        prediction.elements, reference.elements, frames, _ways_of(texts)
    )
    return LayoutMatch(
        tuple(texts),
        tuple(elements),
        reference.size,
        prediction.size,
        frame,
        (overlap_share(ours), overlap_share(theirs)),
        (cut_share(prediction), cut_share(reference)),
    )


Sizes = tuple[tuple[int, int], tuple[int, int]]
"""Of the prediction's and the reference's picture."""
Pairs = tuple[list[TextPair], list[TextBox], list[TextBox]]
"""What is matched, and what is left of both sides."""


def _match_equal(
    ours: Sequence[TextBox], theirs: Sequence[TextBox], sizes: Sizes
) -> list[tuple[int, int]]:
    groups: defaultdict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, lines in enumerate((ours, theirs)):
        for number, line in enumerate(lines):
            groups[letters_of(line.text)][side].append(number)
    pairs: list[tuple[int, int]] = []
    for letters, (mine, wanted) in groups.items():
        if len(mine) * len(wanted) > MAX_TEXTS**2:  # as many equal texts are matched in their order
            pairs += zip(mine, wanted, strict=False)
        elif mine and wanted:
            apart = _apart([ours[i] for i in mine], [theirs[j] for j in wanted], sizes)
            near = apart <= (FAR if len(str(letters)) <= SHORT else np.inf)
            costs = np.where(near, apart, FORBIDDEN)
            pairs += [(mine[i], wanted[j]) for i, j in assign_pairs(costs) if near[i, j]]
    return pairs


def _match_rewrapped(ours: Sequence[TextBox], theirs: Sequence[TextBox]) -> Pairs:
    mine, wanted = ours[:MAX_TEXTS], theirs[:MAX_TEXTS]
    pairs: list[TextPair] = []
    taken: tuple[set[int], set[int]] = set(), set()
    for first, second in find_rewrapped(mine, wanted):
        one = join_paragraph([mine[i] for i in first])
        other = join_paragraph([wanted[j] for j in second])
        pairs.append(TextPair(one, other, paragraph_likeness(one, other)))
        taken[0].update(first)
        taken[1].update(second)
    left = [one for i, one in enumerate(ours) if i not in taken[0]]
    return pairs, left, [one for j, one in enumerate(theirs) if j not in taken[1]]


def _match_others(
    pairs: Sequence[TextPair], ours: Sequence[TextBox], theirs: Sequence[TextBox], sizes: Sizes
) -> list[TextPair]:
    """Pairs, those of misspelt lines, and each line that is left."""
    mine, wanted = ours[:MAX_TEXTS], theirs[:MAX_TEXTS]
    taken: tuple[set[int], set[int]] = set(), set()
    found = [*pairs]
    if mine and wanted:
        alike = np.array([[likeness_of(one.text, other.text) for other in wanted] for one in mine])
        apart = _apart(mine, wanted, sizes)
        short = np.array([[len(letters_of(one.text)) <= SHORT] for one in mine])
        possible = alike >= LIKE + (LIKE_FAR - LIKE) * np.minimum(apart / FAR, 1)
        possible &= ~(short & (apart > FAR))
        costs = np.where(possible, 1 - alike + np.minimum(apart, 1) / 2, FORBIDDEN)
        for i, j in assign_pairs(costs):
            if possible[i, j]:
                right = 0.0 if is_number(wanted[j].text) else float(alike[i, j])
                found.append(TextPair(mine[i], wanted[j], right))
                taken[0].add(i)
                taken[1].add(j)
    found += [TextPair(one, None) for i, one in enumerate(ours) if i not in taken[0]]
    return found + [TextPair(None, one) for j, one in enumerate(theirs) if j not in taken[1]]


def _push(pairs: Sequence[TextPair]) -> Frame:
    """Pushes back by as much as most texts are elsewhere."""
    ways = _displacements(pairs)
    right, down = np.median(ways, axis=0).tolist() if ways else (0.0, 0.0)
    return Frame(right=right, down=down)


def _ways_of(pairs: Sequence[TextPair]) -> dict[Frame, list[PixelBox]]:
    """By how many whole pixels texts are elsewhere → where these should be; the most frequent ways first."""
    pushed: defaultdict[Frame, list[PixelBox]] = defaultdict(list)
    wanted = (one.reference.box for one in pairs if one.prediction and one.reference)
    for (right, down), box in zip(_displacements(pairs), wanted, strict=True):
        pushed[Frame(right=round(right), down=round(down))].append(box)
    return dict(sorted(pushed.items(), key=lambda one: -len(one[1])))


def _list_matched(pairs: Sequence[TextPair]) -> list[tuple[TextBox, TextBox]]:
    both = (one.texts for one in pairs)
    return [(first, second) for first, second in both if first and second]


def _displacements(pairs: Sequence[TextPair]) -> list[tuple[float, float]]:
    return [displacement(first.box, second.box) for first, second in _list_matched(pairs)]


def _measure(sizes: Sizes) -> tuple[float, float]:
    """The reference's sides in those of the prediction."""
    across, along = np.divide(sizes[1], np.maximum(sizes[0], 1)).tolist()
    return across, along


def displacement(box: PixelBox, wanted: PixelBox) -> tuple[float, float]:
    """Returns by how much a box is to the right of and below another one, in pixels.

    One that is wider or higher and keeps an edge or its middle is in its place.

    >>> displacement((10, 0, 50, 20), (10, 5, 30, 25))
    (0, -5)
    """
    edges = [
        (box[at] - wanted[at], middle - other, box[at + 2] - wanted[at + 2])
        for at, middle, other in zip((0, 1), middle_of(box), middle_of(wanted), strict=True)
    ]
    right, down = (min(axis, key=abs) for axis in edges)
    return right, down


def overlap_share(lines: Sequence[TextBox]) -> float:
    """Returns which share of the letters belongs to lines that lie on each other, of the first `MAX_TEXTS`.

    >>> lines = [TextBox("Rain", (0, 0, 40, 20)), TextBox("in", (20, 0, 40, 20)), TextBox("May", (0, 30, 30, 50))]
    >>> round(overlap_share(lines), 3)
    0.667
    """
    lines = lines[:MAX_TEXTS]
    letters = np.array([len(letters_of(line.text)) for line in lines], float)
    if len(lines) < 2:
        return 0.0
    boxes = np.array([_ink(line.box) for line in lines])
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = np.prod(np.maximum(high - low, 0), axis=-1)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    covered = common > OVERLAP * np.minimum(areas[:, None], areas[None])
    np.fill_diagonal(covered, False)
    return float(letters[covered.any(axis=1)].sum() / letters.sum())


def cut_share(layout: PictureLayout) -> float:
    """Returns which share of a picture's letters belongs to texts that its edge cuts off.

    >>> texts = TextBox("Rain", (80, 0, 120, 20), visible=False), TextBox("in May", (0, 0, 60, 20))
    >>> round(cut_share(PictureLayout((100, 50), texts)), 3)
    0.444
    """
    width, height = layout.size
    letters = cut = 0
    for one in layout.texts:
        left, top, right, bottom = one.box
        within = left >= 0 and top >= 0 and right <= width and bottom <= height
        partly = left < width and top < height and right > 0 and bottom > 0
        if one.visible or (partly and not within):
            letters += len(letters_of(one.text))
            cut += len(letters_of(one.text)) * (not one.visible)
    return cut / letters if letters else 0.0


def _ink(box: PixelBox) -> PixelBox:
    left, top, right, bottom = box
    less = MARGIN * (bottom - top)
    return left, top + less, right, bottom - less


def _apart(ours: Sequence[TextBox], theirs: Sequence[TextBox], sizes: Sizes) -> Floats:
    """How far the middles of each two lines are apart, in shares of the reference's diagonal; shape (n, m).

    Of a page that is larger, what is as far to the right and down in its measure is in its place, too.
    """
    measures = (1.0, 1.0), _measure(sizes)
    ways = [_centers(ours)[:, None] * by - _centers(theirs)[None] for by in measures]
    least = np.minimum(*(np.hypot(way[..., 0], way[..., 1]) for way in ways))
    return np.asarray(least / (math.hypot(*sizes[1]) or 1.0))


def _centers(texts: Sequence[TextBox]) -> Floats:
    return np.array([middle_of(text.box) for text in texts])
