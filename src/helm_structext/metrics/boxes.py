"""Similarity of boxes: how much of two boxes is common to both."""

import math
from collections.abc import Iterable, Sequence
from numbers import Real

from helm_structext.errors import check_types


def iou(prediction: Sequence[float], reference: Sequence[float]) -> float:
    """Returns the intersection of two boxes over their union.

        IoU = |A ∩ B| / |A ∪ B|

    A box without area, or one whose maximum lies below its minimum, has nothing in common with
    any box, not even with itself: 0. The published code gives 0 for them too, or divides by 0.

    Args:
        prediction: ``x_min, y_min, x_max, y_max`` in any unit.
        reference: the same, in the same unit.

    Returns:
        A value in [0, 1]; higher is better.

    Raises:
        TypeError: an argument is not a list of numbers.
        ValueError: one is not four finite numbers.

    Source: MMR, section 4.1 (IoU scores).

    >>> iou([0.0, 0.0, 0.5, 1.0], [0.0, 0.0, 1.0, 1.0])
    0.5
    >>> iou([0.5, 0.5, 0.1, 0.1], [0.5, 0.5, 0.1, 0.1])
    0.0
    """
    for name, box in (("prediction", prediction), ("reference", reference)):
        check_types(Iterable, **{name: box})
        for number in box:
            check_types(Real, **{name: number})
        if len(box) != 4 or not all(map(math.isfinite, box)):
            raise ValueError(f"{name}: expected four finite numbers, got {box!r}")
    width = min(prediction[2], reference[2]) - max(prediction[0], reference[0])
    height = min(prediction[3], reference[3]) - max(prediction[1], reference[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (prediction, reference)]
    union = sum(areas) - width * height
    # Boxes as large or as small as the numbers allow have areas that are not numbers.
    return width * height / union if 0 < union < math.inf else 0.0
