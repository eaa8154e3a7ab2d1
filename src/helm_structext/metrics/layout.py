"""What differs between what lies on two pictures, as numbers: texts lost, misspelt, moved, resized, recolored; shapes."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from helm_structext.layouts import PictureLayout, TextBox, box_area, middle_of
from helm_structext.metrics.color_difference import ciede2000, color_distance, lab_of
from helm_structext.metrics.element_pairs import common_area, widen_box
from helm_structext.metrics.layout_match import (
    FAR,
    MAX_TEXTS,
    LayoutMatch,
    match_layouts,
)
from helm_structext.metrics.means import weighted_mean
from helm_structext.metrics.text_lines import letters_of

Floats = npt.NDArray[np.float64]

DIFFERENT = 50.0
"""CIEDE2000 from which on colors count as any other."""
NEIGHBORS, VOUCHING = 4, 2
"""Texts nearest to one, and how many of them it should stand beside."""
TEXT_PLACES = ("text_position", "text_order", "text_size", "text_color")
"""Scores of texts that are on both pictures; without any, they are None."""


def layout_scores(match: LayoutMatch) -> dict[str, float | None]:
    """Returns how much of a reference's layout a prediction has: name → value in [0, 1], or None without any text.

    ``text_recall`` and ``text_precision``: share of the reference's and of the prediction's letters that are
    there on the other side, misspelt ones in proportion. ``text_neighbors``: F1 of these letters, each by how far its
    text stands beside the same ones as there: texts that were exchanged have little, texts moved together lose nothing.
    ``text_edit``: likeness of the texts that are on both.
    Of these, ``text_position``: how near they are to their place, 0 from a quarter of the diagonal on;
    ``text_order``: share of pairs of texts with the same order from left to right and from top to bottom;
    ``text_size`` and ``text_color``. ``text_overlap`` and ``text_cut``: share of the prediction's letters that do not
    lie on others, and are not cut off by the picture's edge, beyond those of the reference. ``elements``: F1 of shapes,
    pictures, rules and controls by area in common; each counts by the root of its area, or a ground would hide what is
    drawn on it. ``arrowheads``: F1 of those that an engine tells. ``page_size``: of the pictures.
    """
    pairs = [
        (one, len(letters_of((one.reference or one.prediction or _NOTHING).text)))
        for one in match.texts
    ]
    recall = [(one.similarity, letters) for one, letters in pairs if one.reference]
    precision = [
        (one.similarity, len(letters_of(one.prediction.text))) for one, _ in pairs if one.prediction
    ]
    both = match.matched
    found: dict[str, float | None] = {
        "text_recall": weighted_mean(recall),
        "text_precision": weighted_mean(precision) if recall or precision else None,
        "text_neighbors": _beside_neighbors(match),
        "text_edit": weighted_mean(
            [(one.similarity, n) for one, n in pairs if one.prediction and one.reference]
        ),
        **dict.fromkeys(TEXT_PLACES),
        "text_overlap": _beyond(match.overlaps) if pairs else None,
        "text_cut": _beyond(match.cuts) if pairs else None,
        "elements": _element_score(match),
        "arrowheads": _arrowhead_score(match),
        "page_size": math.prod(match.side_ratios),
    }
    if both:
        ours, theirs = zip(*both, strict=True)
        moved = np.hypot(*np.array(match.displacements).T) / match.diagonal
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
    "text_neighbors": 0.4,
    "text_position": 0.15,
    "text_order": 0.05,
    "text_size": 0.05,
    "text_color": 0.1,
    "elements": 0.2,
    "arrowheads": 0.15,
    "page_size": 0.05,
}
"""What each score counts in `layout_similarity`: most goes to the texts, where they belong."""


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
    return weighted_mean([(found[name] or 0.0, WEIGHTS[name]) for name in counted]) or 0.0


_NOTHING = TextBox("", (0.0, 0.0, 0.0, 0.0))


def _beyond(shares: tuple[float, float]) -> float:
    return 1 - max(shares[0] - shares[1], 0.0)


def _beside_neighbors(match: LayoutMatch) -> float | None:
    """F1 of letters of both pictures that are on the other one, each by how far its text is beside its neighbors."""
    sides = ([one.prediction for one in match.texts], [one.reference for one in match.texts])
    letters = sum(len(letters_of(text.text)) for side in sides for text in side if text)
    pairs = [one for one in match.texts if one.prediction and one.reference]
    shared = [
        len(letters_of(text.text)) * one.similarity * kept
        for one, kept in zip(pairs, _neighbors_kept(match), strict=True)
        for text in one.texts
        if text
    ]
    return math.fsum(shared) / letters if letters else None


def _neighbors_kept(match: LayoutMatch) -> list[float]:
    """How far the way from each matched text to the second best of its neighbors is what it should be, or is so in the
    measure of a larger page.

    A text is not blamed for another that was moved; one that was moved itself has no neighbor that vouches for it.
    """
    matched = match.matched
    both, others = matched[:MAX_TEXTS], len(matched[MAX_TEXTS:])
    if len(both) < 2:
        return [1.0] * len(both)
    centers, found = (_centers(texts) for texts in reversed([*zip(*both, strict=True)]))
    measure = np.divide(match.size, np.maximum(match.predicted_size, 1))
    ways = np.array(match.displacements[: len(both)])
    moved = np.stack([ways, found * measure - centers])
    apart = ((centers[:, None] - centers) ** 2).sum(axis=-1)
    np.fill_diagonal(apart, np.inf)
    # Of those as far away, as in a grid, the first ones: on every machine.
    near = np.argsort(apart, axis=1, kind="stable")[:, : min(NEIGHBORS, len(both) - 1)]
    off = np.hypot(*np.moveaxis(moved[:, near] - moved[:, :, None], -1, 0)).min(axis=0)
    heights = np.array([[max(other.box[3] - other.box[1], 1)] for _, other in both])
    lengths = np.maximum(np.sqrt(np.take_along_axis(apart, near, 1)), heights)
    kept = np.sort(1 - np.minimum(off / lengths, 1), axis=1)[:, -VOUCHING:][:, 0]
    return [*kept.tolist(), *[1.0] * others]


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
        extra = math.fsum(box_area(one.box) for one, _ in match.elements if one)
        return max(1 - extra / (math.prod(match.size) or 1), 0.0)
    total = shared = 0.0
    for one, other in match.elements:
        areas = [box_area(widen_box(it.box)) for it in (one, other) if it]
        total += (weight := math.fsum(map(math.sqrt, areas)))
        if one and other:
            alike = 1 - min(color_distance(one.color, other.color) / DIFFERENT, 1)
            common = common_area(one.box, other.box, match.frame)
            shared += weight * min(2 * common / math.fsum(areas), 1.0) * alike
    return shared / total if total else None


def _arrowhead_score(match: LayoutMatch) -> float | None:
    heads = [
        pair for pair in match.elements if any(one and one.kind == "arrowhead" for one in pair)
    ]
    present = sum(one is not None for pair in heads for one in pair)
    return 2 * sum(None not in pair for pair in heads) / present if present else None


def _centers(texts: Sequence[TextBox]) -> Floats:
    return np.array([middle_of(text.box) for text in texts])
