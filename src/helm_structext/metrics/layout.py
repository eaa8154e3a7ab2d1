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
    displacement,
    match_layouts,
)
from helm_structext.metrics.means import weighted_mean
from helm_structext.metrics.text_lines import letters_of

Floats = npt.NDArray[np.float64]

DIFFERENT = 50.0
"""CIEDE2000 from which on colors count as any other."""


def layout_scores(match: LayoutMatch) -> dict[str, float | None]:
    """Returns how much of a reference's layout a prediction has: name → value in [0, 1], or None without any text.

    ``text_recall`` and ``text_precision``: share of the reference's and of the prediction's letters that are
    there on the other side, misspelt ones in proportion. ``text_edit``: likeness of the texts that are on both.
    Of these, ``text_position``: how near they are to their place, 0 from a quarter of the diagonal on;
    ``text_order``: share of pairs of texts with the same order from left to right and from top to bottom;
    ``text_size`` and ``text_color``. ``text_overlap`` and ``text_cut``: share of the prediction's letters that do not
    lie on others, and are not cut off by the picture's edge, beyond those of the reference. ``elements``: F1 of shapes, pictures, rules and controls by area in common.
    ``page_size``: of the pictures.
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
        "text_edit": weighted_mean(
            [(one.similarity, n) for one, n in pairs if one.prediction and one.reference]
        ),
        **dict.fromkeys(("text_position", "text_order", "text_size", "text_color")),
        "text_overlap": _beyond(match.overlaps) if pairs else None,
        "text_cut": _beyond(match.cuts) if pairs else None,
        "elements": _element_score(match),
        "page_size": math.prod(match.side_ratios),
    }
    if both:
        ours, theirs = zip(*both, strict=True)
        ways = [displacement(one.box, other.box) for one, other in both]
        moved = np.hypot(*np.array(ways).T) / match.diagonal
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
    return weighted_mean([(found[name] or 0.0, WEIGHTS[name]) for name in counted]) or 0.0


_NOTHING = TextBox("", (0.0, 0.0, 0.0, 0.0))


def _beyond(shares: tuple[float, float]) -> float:
    return 1 - max(shares[0] - shares[1], 0.0)


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
        total += math.fsum(areas)
        if one and other:
            alike = 1 - min(color_distance(one.color, other.color) / DIFFERENT, 1)
            shared += 2 * common_area(one.box, other.box, match.frame) * alike
    return min(shared / total, 1.0) if total else None


def _centers(texts: Sequence[TextBox]) -> Floats:
    return np.array([middle_of(text.box) for text in texts])
