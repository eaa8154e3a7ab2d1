"""Structural similarity (SSIM) of grey pictures."""

import numpy as np
from PIL import Image

from helm_structext.metrics.sizes import SizeHandling, match_sizes

_WINDOW = 7


def structural_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    """Returns the mean structural similarity of the two pictures in grey, mapped to [0, 1].

    >>> page = Image.linear_gradient("L")
    >>> structural_similarity(page, page)
    1.0
    """
    from skimage.metrics import structural_similarity as ssim

    matched = match_sizes(prediction, reference, size_handling)
    first, second = (_at_least(np.asarray(image.convert("L")), _WINDOW) for image in matched)
    return float((ssim(first, second) + 1) / 2)


def _at_least(gray: np.ndarray, edge: int) -> np.ndarray:
    missing = [(0, max(0, edge - length)) for length in gray.shape]
    return np.pad(gray, missing, mode="edge")
