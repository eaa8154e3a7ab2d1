"""Structural similarity (SSIM) of grey pictures."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.metrics.colors import gray_levels
from helm_structext.metrics.sizes import Canvas, SizeHandling, match_unpadded, pad_rows

Grays = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.signedinteger[Any]]

_EDGE = 7
_WINDOW = _EDGE**2
# The constants of the definition, K₁ = 0.01 and K₂ = 0.03 of the range of grey values, times what
# sums over a window are times means (C₁) and unbiased variances (C₂).
_C1 = (0.01 * 255) ** 2 * _WINDOW**2
_C2 = (0.03 * 255) ** 2 * _WINDOW * (_WINDOW - 1)
# So that sums stay in the processor's cache, and wide pictures take no more memory than others.
_ROWS_AT_A_TIME, _COLUMNS_AT_A_TIME = 64, 512


def structural_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    r"""Returns the mean structural similarity of two pictures in grey, mapped to [0, 1].

    .. math::
        \frac{1}{2} \left[ 1 + \operatorname{mean}
        \frac{(2 \mu_x \mu_y + C_1)(2 \sigma_{xy} + C_2)}
             {(\mu_x^2 + \mu_y^2 + C_1)(\sigma_x^2 + \sigma_y^2 + C_2)} \right]

    over all windows of 7 × 7 pixels that lie inside the pictures, with unbiased variances,
    C₁ = (0.01 · 255)² and C₂ = (0.03 · 255)². Grey is 0.299 R + 0.587 G + 0.114 B, rounded. Sums
    are taken in integers, so that nothing is lost in differences of large numbers.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`. A picture of fewer than 7 rows or columns then has its
            last one repeated up to 7, where scikit-image raises.

    Returns:
        A value in [0, 1]; higher is more similar, 1 for pictures of equal grey values, 0.5 where
        nothing agrees but brightness, and less for negatives.

    Raises:
        TypeError, ValueError: as `match_sizes`.

    Source: Image2Struct, Appendix A; Wang et al., "Image quality assessment: from error visibility
    to structural similarity" (2004), equation 13, with the defaults of scikit-image. HELM 0.5.16
    calls it `ssim_similarity`.

    >>> ramp = Image.linear_gradient("L")
    >>> structural_similarity(ramp, ramp)
    1.0
    >>> round(structural_similarity(ramp.rotate(180), ramp), 4)
    0.7198
    """
    first, second = match_unpadded(prediction, reference, size_handling)
    grays = [_at_least_a_window(canvas) for canvas in (first, second)]
    width, height = (max(length, _EDGE) for length in first.size)
    last = height - _EDGE + 1
    starts = [*range(0, last, _ROWS_AT_A_TIME), last]
    total = 0.0
    for top, end in pairwise(starts):
        rows = (pad_rows(gray, (width, height), top, end + _EDGE - 1) for gray in grays)
        total += _sum_of_similarities(*rows)
    mean = total / (last * (width - _EDGE + 1))
    return (1 + mean) / 2


def _sum_of_similarities(first: Grays, second: Grays) -> float:
    height, width = (length - _EDGE + 1 for length in first.shape)
    similarity = np.ones((height, width))
    for left in range(0, width, _COLUMNS_AT_A_TIME):
        columns = slice(left, left + _COLUMNS_AT_A_TIME + _EDGE - 1)
        x, y = first[:, columns], second[:, columns]
        if not np.array_equal(x, y):  # else it is exactly 1
            similarity[:, left : left + _COLUMNS_AT_A_TIME] = _similarities(x, y)
    return float(similarity.sum())


def _similarities(first: Grays, second: Grays) -> npt.NDArray[np.float64]:
    rows, width = len(first) - _EDGE + 1, first.shape[1]
    # Sums of gray values, at most 12,495, fit into 16 bits.
    sum_x, sum_y = (
        _window_sums(gray.astype(np.int16)).astype(np.int32) for gray in (first, second)
    )
    x, y = first.astype(np.int32), second.astype(np.int32)
    sum_xy, sum_of_squares = _window_sums(x * y), _window_sums(x * x + y * y)
    product = 2 * sum_x * sum_y
    means = sum_x * sum_x + sum_y * sum_y
    covariance = 2 * _WINDOW * sum_xy - product
    variances = _WINDOW * sum_of_squares - means
    similarity = np.empty((rows, width))
    np.multiply(
        _ratio(product, means, _C1),
        _ratio(covariance, variances, _C2),
        out=similarity.ravel()[: len(means)],
    )
    return similarity[:, : width - _EDGE + 1]


def _ratio(above: Ints, below: Ints, constant: float) -> npt.NDArray[np.float64]:
    # Converting and adding in one step takes twice as long.
    first, second = above.astype(np.float64), below.astype(np.float64)
    first += constant
    second += constant
    first /= second
    return first


def _window_sums(values: Ints) -> Ints:
    """Returns the sum over each window: 7 as 4 + 2 + 1, down and across.

    Rows follow one another in one array, which is much faster than row by row. So the last 6 sums of
    a row reach into the next row, and mean nothing; the very last row ends without them.
    """
    width = values.shape[1]
    values = values.ravel()
    for step in (width, 1):
        twos = values[:-step] + values[step:]
        fours = twos[: -2 * step] + twos[2 * step :]
        sevens = fours[: -3 * step]
        sevens += twos[4 * step : -step]
        sevens += values[6 * step :]
        values = sevens
    return values


def _at_least_a_window(canvas: Canvas) -> Grays:
    """A canvas' picture in gray, or all of the canvas where that is less than a window."""
    gray = gray_levels(canvas.picture)
    if min(canvas.size) >= _EDGE:
        return gray
    gray = pad_rows(gray, canvas.size, 0, canvas.size[1])
    missing = [(0, max(0, _EDGE - length)) for length in gray.shape]
    return np.pad(gray, missing, mode="edge")
