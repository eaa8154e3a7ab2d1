"""How many marks of a picture look like letters, whatever they say: no text needs to be read."""

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.pictures import bands

EDGE = 16
"""Levels of gray, of 256, by which a pixel of an edge differs from the one before or above."""
HEIGHTS = 5, 64
"""Pixels, from the least to the most, that a letter or a group of touching letters is high."""
MAX_ASPECT = 16
"""Widths of such a group, in heights: wider ones are rules and frames."""
MIN_DENSITY = 0.15
"""Share of edges in a letter's box at least; a frame's box is nearly empty."""
MARGIN, MAX_AROUND = 2, 1.5
"""Pixels around the box, and edges in all of it, in those of the letter: texture has more beside it."""


def count_letters(picture: Image.Image) -> int:
    """Returns how many connected edges have a letter's size and density, on a calm ground.

    Letters that touch are as many as their width has heights. Signs and icons count, large headings don't; a photograph may have
    any number. Tall pictures are looked at in bands.

    Source: Fletcher and Kasturi, "A Robust Algorithm for Text String Separation from Mixed
    Text/Graphics Images" (IEEE PAMI 10(6), 1988), section III: components by size, aspect and density.

    >>> from PIL import ImageDraw
    >>> page = Image.new("RGB", (90, 90), "white")
    >>> ImageDraw.Draw(page).rectangle((2, 2, 87, 87), outline="black")
    >>> empty = count_letters(page)
    >>> ImageDraw.Draw(page).text((9, 60), "H e l l o", fill="black")
    >>> empty, count_letters(page)
    (0, 5)
    """
    gray = picture.convert("L")
    rows = (gray.crop((0, top, gray.width, bottom)) for top, bottom in bands(picture.size))
    return sum(_count(np.asarray(band)) for band in rows)


def _count(gray: npt.NDArray[np.uint8]) -> int:
    from scipy.ndimage import label

    edges = np.zeros(gray.shape, bool)
    edges[:, 1:] |= _differ(gray[:, 1:], gray[:, :-1])
    edges[1:] |= _differ(gray[1:], gray[:-1])
    labels, count = label(edges, np.ones((3, 3)))
    ys, xs = np.nonzero(edges)
    which = labels[ys, xs] - 1
    top, left = (np.full(count, max(gray.shape)) for _ in range(2))
    bottom, right = (np.zeros(count, int) for _ in range(2))
    for least, most, places in ((top, bottom, ys), (left, right, xs)):
        np.minimum.at(least, which, places)
        np.maximum.at(most, which, places + 1)
    own = np.bincount(which, minlength=count)
    height, width = bottom - top, right - left
    around = np.zeros((gray.shape[0] + 1, gray.shape[1] + 1), np.int32)
    around[1:, 1:] = edges.cumsum(0, np.int32).cumsum(1)
    upper, first = np.maximum(top - MARGIN, 0), np.maximum(left - MARGIN, 0)
    lower = np.minimum(bottom + MARGIN, gray.shape[0])
    last = np.minimum(right + MARGIN, gray.shape[1])
    near = around[lower, last] - around[upper, last] - around[lower, first] + around[upper, first]
    letters = (
        (height >= HEIGHTS[0])
        & (height <= HEIGHTS[1])
        & (width > 1)
        & (width <= MAX_ASPECT * height)
        & (own >= MIN_DENSITY * height * width)
        & (near <= MAX_AROUND * own)
    )
    return int(np.maximum(width[letters] // height[letters], 1).sum())


def _differ(a: npt.NDArray[np.uint8], b: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    return np.maximum(a, b) - np.minimum(a, b) > EDGE
