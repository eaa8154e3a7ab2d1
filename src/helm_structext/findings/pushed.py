"""Texts that stand elsewhere as others above them are lost or too many: the loss tells why, and they are no mistakes."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from helm_structext.layouts import PictureLayout, PixelBox
from helm_structext.metrics.element_changes import LEAST
from helm_structext.metrics.layout_match import LayoutMatch
from helm_structext.metrics.text_lines import letters_of

Floats = npt.NDArray[np.float64]

ROOM = 2.0
"""How many times its own height a text takes at most, with what is left free around it."""
MOST = 0.9
"""Share of the texts below that go along at least."""


def are_pushed(
    numbers: Sequence[int],
    ways: Floats,
    match: LayoutMatch,
    prediction: PictureLayout,
    reference: PictureLayout,
) -> bool:
    """Returns whether texts have moved up or down by the room of what is missing, or too many, above all of them.

    All that stands below that must go along, and no more than its room; what is covered is not missing.

    Args:
        numbers: of pairs of texts that moved by the same way.
        ways: of all pairs, in pixels to the right and down; shape (n, 2).
        match: of the texts.
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    right, down = ways[numbers[0]].tolist()
    near = max(LEAST * match.diagonal, 1.0)
    if abs(right) > near or abs(down) <= near:
        return False
    lost = down < 0
    side = int(
        lost
    )  # What is missing has its place on the reference, what is too many on the prediction.
    boxes = np.array([pair[side].box for pair in match.matched])
    above = _find_lone(match, side, prediction if lost else reference)
    first = boxes[numbers][:, 1].min()
    above = [box for box in above if box[3] <= first + near]
    if not above or abs(down) > ROOM * _height_of(above) + near:
        return False
    column = (
        min(boxes[numbers][:, 0].min(), *(box[0] for box in above)),
        max(boxes[numbers][:, 2].max(), *(box[2] for box in above)),
    )
    below = boxes[:, 1] >= max(box[3] for box in above) - near
    below &= (boxes[:, 0] < column[1]) & (boxes[:, 2] > column[0])
    along = (np.abs(ways - (right, down)) <= near).all(axis=1)
    return bool((along & below).sum() >= MOST * below.sum())


def _find_lone(match: LayoutMatch, side: int, other: PictureLayout) -> list[PixelBox]:
    """Where texts are that are on one side alone, and not hidden on the other picture."""
    hidden = {letters_of(one.text) for one in other.texts if not one.visible}
    lone = (pair.texts[side] for pair in match.texts if not pair.texts[1 - side])
    return [one.box for one in lone if one and letters_of(one.text) not in hidden]


def _height_of(boxes: Sequence[PixelBox]) -> float:
    """How many pixels from top to bottom some box covers.

    >>> _height_of([(0, 0, 9, 10), (20, 2, 29, 12), (0, 30, 9, 40)])
    22.0
    """
    total, reached = 0.0, -np.inf
    for _, top, _, bottom in sorted(boxes, key=lambda one: one[1]):
        total += max(bottom - max(top, reached), 0.0)
        reached = max(reached, bottom)
    return float(total)
