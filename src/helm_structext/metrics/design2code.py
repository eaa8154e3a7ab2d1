"""Design2Code's scores of the texts on a webpage's picture: block match, text, position and color, as published.

Source: C. Si et al., "Design2Code", arXiv 2403.03163, section 3.2, and ``visual_score.py`` of its published code,
which decides where the paper says nothing: in which order blocks are merged, and what neighbors add to a match.
The paper's fifth score, of CLIP, is none of texts, and is not computed here.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from Levenshtein import ratio

from helm_structext.layouts import PictureLayout, PixelBox, box_area, box_around, middle_of
from helm_structext.metrics.assignment import assign_pairs
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.means import mean

Floats = npt.NDArray[np.float64]

DESIGN2CODE_SCORES = ("block_match", "block_text", "block_position", "block_color")
"""Names of the scores: each in [0, 1], higher is better."""
MAX_BLOCKS = 150
"""Of a picture; of more, the largest count. Time grows with the third power of their number."""
MAX_LETTERS = 2_000
"""Of a block that are compared."""
EXACT = 2_000_000
"""Letters of one picture times those of the other up to which blocks are matched by the published likeness, and else
by the letters of their longest common subsequence, which takes a hundredth of the time. Scores have the former."""
ALIKE = 0.5
"""Least likeness of two texts that are matched."""
GAIN = 0.05
"""What the mean likeness has to gain for two neighbors to be merged."""
NEIGHBORS, BONUS = 2, 0.1
"""How many of the best matches beside a match add what share of their likeness to it."""
BLACK_AND_WHITE = 100.0
"""CIEDE2000 from which on colors are as different as can be."""


Likeness = Callable[[str, str], float]


class PageBlock(NamedTuple):
    """A text on a picture.

    Args:
        text: in small letters.
        box: in shares of the picture's width and height.
        color: as ``#rrggbb``, or "" where it is not known.
    """

    text: str
    box: PixelBox
    color: str


def design2code_scores(
    prediction: PictureLayout, reference: PictureLayout
) -> Mapping[str, float | None]:
    """Returns Design2Code's scores of a picture's texts by `DESIGN2CODE_SCORES`.

    ``block_match`` is the share of all texts' areas on both pictures that belongs to texts which were matched. Of the
    matched ones, each as much as any other: ``block_text`` is twice what both have in common over what both have
    (Sørensen and Dice); ``block_position`` 1 - max(dx, dy) between their middles, in shares of the picture's sides;
    ``block_color`` 1 - CIEDE2000 / 100.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.

    Returns:
        All 0 where nothing matches, and None where the reference has no text.

    Source: Design2Code, section 3.2 (low-level element matching).

    >>> from helm_structext.layouts import TextBox
    >>> rain = TextBox("Rain in May", (0, 0, 40, 20), "#000000")
    >>> moved = TextBox("Rain in June", (10, 0, 50, 20), "#000000")
    >>> found = design2code_scores(PictureLayout((100, 50), (moved,)), PictureLayout((100, 50), (rain,)))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'block_match': 1.0, 'block_text': 0.696, 'block_position': 0.9, 'block_color': 1.0}
    """
    return _scores(prediction, reference)


@lru_cache(maxsize=4)  # Each score is a metric of its own, and asks for all.
def _scores(prediction: PictureLayout, reference: PictureLayout) -> Mapping[str, float | None]:
    ours, theirs = blocks_of(prediction), blocks_of(reference)
    if not theirs:
        return dict.fromkeys(DESIGN2CODE_SCORES)
    likeness = _likeness_for(ours, theirs)
    ours, theirs = merge_neighbors(ours, theirs, likeness)
    pairs = [
        (one, other, alike)
        for one, other in _match(ours, theirs, likeness)
        if (alike := text_likeness(one.text, other.text)) >= ALIKE
    ]
    if not pairs:
        return dict.fromkeys(DESIGN2CODE_SCORES, 0.0)
    total = math.fsum(box_area(block.box) for block in (*ours, *theirs))
    matched = math.fsum(box_area(one.box) + box_area(other.box) for one, other, _ in pairs)
    texts = [alike for *_, alike in pairs]
    places = [1 - _apart(one, other) for one, other, _ in pairs]
    colors = [
        max(1 - color_distance(one.color, other.color) / BLACK_AND_WHITE, 0.0)
        for one, other, _ in pairs
    ]
    shares = matched / total if total else 0.0, *map(_mean, (texts, places, colors))
    return dict(zip(DESIGN2CODE_SCORES, shares, strict=True))


def blocks_of(layout: PictureLayout) -> list[PageBlock]:
    """Returns the texts that can be seen on a picture, those with the same box as one, in the order of reading."""
    width, height = (max(side, 1) for side in layout.size)
    by_box: dict[PixelBox, PageBlock] = {}
    for one in layout.texts:
        left, top, right, bottom = one.box
        block = PageBlock(
            one.text.lower(),
            (left / width, top / height, right / width, bottom / height),
            one.color,
        )
        if one.visible and box_area(one.box):
            by_box[one.box] = _merge_blocks(by_box[one.box], block) if one.box in by_box else block
    blocks = [*by_box.values()]
    largest = sorted(range(len(blocks)), key=lambda at: -box_area(blocks[at].box))[:MAX_BLOCKS]
    return [blocks[at] for at in sorted(largest)]


def text_likeness(one: str, other: str) -> float:
    """Returns twice the letters that two texts have in common, as `difflib` finds them, over all their letters.

    >>> text_likeness("rain", "raining")
    0.7272727272727273
    """
    if one == other:
        return 1.0
    return SequenceMatcher(None, one[:MAX_LETTERS], other[:MAX_LETTERS]).ratio()


def _likeness_for(ours: Sequence[PageBlock], theirs: Sequence[PageBlock]) -> Likeness:
    letters = [sum(len(block.text) for block in blocks) for blocks in (ours, theirs)]
    # Merging asks for the same pairs again and again; they are forgotten with the pictures.
    return lru_cache(maxsize=None)(text_likeness) if math.prod(letters) <= EXACT else ratio


def merge_neighbors(
    ours: Sequence[PageBlock], theirs: Sequence[PageBlock], likeness: Likeness = text_likeness
) -> tuple[list[PageBlock], list[PageBlock]]:
    """Returns two pictures' blocks, neighbors merged as long as both sides' texts become more alike by it.

    Args:
        ours: of the prediction, in the order of reading.
        theirs: of the reference.
        likeness: of two texts, from 0 to 1.
    """
    sides = [*ours], [*theirs]
    changed = True
    while changed and all(sides):
        changed = False
        for at in (0, 1):
            blocks, others = sides[at], sides[1 - at]
            if merges := _useful_merges(blocks, others, likeness):
                sides[at][:] = _merge(blocks, merges)
                changed = True
    return sides


def _useful_merges(
    blocks: Sequence[PageBlock], others: Sequence[PageBlock], likeness: Likeness
) -> list[int]:
    """Which blocks gain by being merged with the next one; of those that touch each other, what gains most."""
    alike = _all_likenesses([block.text for block in blocks], others, likeness)
    before = _assign(alike)
    gains = {}
    for at in range(len(blocks) - 1):
        row = _all_likenesses([f"{blocks[at].text} {blocks[at + 1].text}"], others, likeness)
        merged = np.vstack([alike[:at], row, alike[at + 2 :]])
        gain = gain_of_means(before, _assign(merged))
        if gain > GAIN:
            gains[at] = gain
    merges: set[int] = set()
    for at in sorted(gains, key=lambda one: -gains[one]):
        if not merges & {at - 1, at, at + 1}:
            merges.add(at)
    return sorted(merges)


def _merge(blocks: Sequence[PageBlock], merges: Sequence[int]) -> list[PageBlock]:
    second = {at + 1 for at in merges}
    return [
        _merge_blocks(block, blocks[at + 1]) if at in merges else block
        for at, block in enumerate(blocks)
        if at not in second
    ]


def gain_of_means(before: Sequence[float], after: Sequence[float]) -> float:
    """Returns by how much the mean of a matching's likenesses has grown, those left out that stayed the same.

    It has not, as the published code has it, where the best match among them has not grown, too.

    Args:
        before: likenesses in [0, 1] of the pairs of a matching.
        after: those of the matching that is compared with it.

    >>> gain_of_means([0.5, 1.0], [0.75, 1.0]), gain_of_means([0.2, 0.9], [0.8])
    (0.25, 0.0)
    """
    lost, won = Counter(before) - Counter(after), Counter(after) - Counter(before)
    old, new = [*lost.elements()], [*won.elements()]
    gain = _mean(new) - _mean(old)
    # The published code has costs, of which the least is the best match.
    return gain if gain <= 0 or max(old, default=0.0) < max(new, default=0.0) else 0.0


def _match(
    ours: Sequence[PageBlock], theirs: Sequence[PageBlock], likeness: Likeness
) -> list[tuple[PageBlock, PageBlock]]:
    """Pairs of blocks by likeness; a match counts more where those beside it match, too."""
    if not ours or not theirs:
        return []
    alike = _all_likenesses([block.text for block in ours], theirs, likeness)
    better = alike.copy()
    for i, j in zip(*np.nonzero(alike > ALIKE), strict=True):
        beside = alike[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].flatten()
        beside = np.delete(beside, np.flatnonzero(beside == alike[i, j])[0])
        better[i, j] += BONUS * np.sort(beside)[-NEIGHBORS:].sum()
    return [(ours[i], theirs[j]) for i, j in assign_pairs(-better)]


def _all_likenesses(texts: Sequence[str], others: Sequence[PageBlock], by: Likeness) -> Floats:
    """Of each text with each block; shape (n, m)."""
    return np.array([[by(text, other.text) for other in others] for text in texts])


def _assign(alike: Floats) -> list[float]:
    return [float(alike[i, j]) for i, j in assign_pairs(-alike)]


def _merge_blocks(one: PageBlock, other: PageBlock) -> PageBlock:
    return PageBlock(
        f"{one.text} {other.text}",
        box_around((one.box, other.box)),
        _mean_color(one.color, other.color),
    )


def _mean_color(one: str, other: str) -> str:
    if not one or not other:
        return one or other
    levels = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{(first + second) // 2:02x}" for first, second in levels)


def _apart(one: PageBlock, other: PageBlock) -> float:
    (x, y), (x2, y2) = middle_of(one.box), middle_of(other.box)
    return min(max(abs(x - x2), abs(y - y2)), 1.0)


def _mean(values: Sequence[float]) -> float:
    return mean(values) or 0.0
