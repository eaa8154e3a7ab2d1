"""Pixel similarity: the share of pixels whose colors agree."""

from collections import Counter
from hashlib import sha256

import numpy as np
from PIL import Image

from helm_structext.metrics.colors import gray_levels, most_frequent_of_all
from helm_structext.metrics.sharing import shared_steps
from helm_structext.metrics.sizes import SizeHandling, background_of, match_unpadded, pad_rows
from helm_structext.pictures import bands

# 2% of the edge of the color cube, in whole 8-bit steps.
_TOLERANCE = int(0.02 * 255)
_FOUR_TRUE = 0x01010101  # red, green, blue and the byte that is 0


def pixel_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    """Returns the share of pixels that have the same color in both pictures, background aside.

    The background is the most frequent color of the two pictures together; pixels that have it
    in both are left out. Of the remaining ones those count as the same whose red, green and blue
    each differ by at most 2% of their range (5 of 255 steps).

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.

    Returns:
        A value in [0, 1]; higher is more similar, and 1 also when nothing is left to compare.

    Raises:
        TypeError, ValueError: as `match_sizes`.

    Source: Image2Struct, Appendix A, equation 5 and the text below it.

    >>> page = Image.new("RGB", (10, 10), "white")
    >>> page.paste("black", (0, 0, 2, 2))
    >>> shifted = Image.new("RGB", (10, 10), "white")
    >>> shifted.paste("black", (1, 0, 3, 2))
    >>> pixel_similarity(page, page)
    1.0
    >>> round(pixel_similarity(shifted, page), 4)  # 2 of 6 pixels with ink agree
    0.3333
    """
    first, second = match_unpadded(prediction, reference, size_handling)
    with shared_steps():
        background = background_of(*first)
        if background != background_of(*second):
            background = most_frequent_of_all(
                map(np.concatenate, zip(first.colors(), second.colors(), strict=True))
            )
        compared = same = 0
        for a, b in zip(first.colors(), second.colors(), strict=True):
            counted = int(np.count_nonzero((a != background) | (b != background)))
            differing = np.flatnonzero(a != b)  # of which none is background in both
            steps = np.stack([a[differing], b[differing]]).view(np.uint8)
            near = steps.max(axis=0) - steps.min(axis=0) <= _TOLERANCE
            all_near = near.view(np.uint32) == _FOUR_TRUE
            compared += counted
            same += counted - len(differing) + int(np.count_nonzero(all_near))
    return float(same / compared) if compared else 1.0


def pixel_similarity_published(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    """Returns the "pixel similarity" of the published tables, which compares rows, not pixels.

    Kept only to read those tables. A row of the grey pictures agrees when the Euclidean norm of
    its differences is at most 2% of 255, where the differences are unsigned bytes that wrap
    around; a row that makes up more than a quarter of all rows of both pictures is ignored, and
    ignored rows count as different. So identical pages may score 0.35, and blank ones 0.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.

    Returns:
        A value in [0, 1]; higher is more similar.

    Raises:
        TypeError, ValueError: as `match_sizes`.

    Source: HELM 0.5.16, `pixel_similarity` of its vision-language metrics.

    >>> blank = Image.new("RGB", (10, 10), "white")
    >>> pixel_similarity_published(blank, blank)
    0.0
    """
    first, second = match_unpadded(prediction, reference, size_handling)
    size, pictures = first.size, (first.picture, second.picture)
    grays = [gray_levels(picture) for picture in pictures]
    rows: tuple[list[bytes], list[bytes]] = [], []
    near = []
    for top, bottom in bands(size):
        pair = [pad_rows(gray, size, top, bottom) for gray in grays]
        # Whole steps: a norm of at most 5.1 is a sum of squares of at most 26.
        squares = np.square(pair[0] - pair[1], dtype=np.uint16)
        near.append(squares.sum(axis=1, dtype=np.int64) <= 5.1**2)
        for found, band in zip(rows, pair, strict=True):
            found.extend(sha256(row).digest() for row in band)
    count = Counter(rows[0] + rows[1])
    frequent = {row for row, times in count.items() if times > size[1] / 2}
    counted = [frequent.isdisjoint(pair) for pair in zip(*rows, strict=True)]
    return float((np.concatenate(near) & counted).mean())
