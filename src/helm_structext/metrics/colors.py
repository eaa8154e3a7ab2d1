"""Colors as integers, and which of them a picture is mostly made of."""

from collections.abc import Iterable
from itertools import chain

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.metrics.sharing import share_result

_SAMPLE = 1000
_FEW_COLORS = 0.9
"""Of the pixels, this share at most may be left without the color that a sample has most of."""


def pack_colors(picture: Image.Image) -> npt.NDArray[np.uint32]:
    """Returns one integer 0xRRGGBB a pixel for an RGB picture, row by row.

    >>> [hex(color) for color in pack_colors(Image.new("RGB", (2, 1), (1, 2, 3)))]
    ['0x10203', '0x10203']
    """
    return np.frombuffer(picture.tobytes("raw", "BGRX"), np.dtype("<u4"))


@share_result
def gray_levels(picture: Image.Image) -> npt.NDArray[np.uint8]:
    """Returns 0.299 R + 0.587 G + 0.114 B of each pixel, rounded; shape (height, width).

    >>> gray_levels(Image.new("RGB", (2, 1), (255, 0, 0)))
    array([[76, 76]], dtype=uint8)
    """
    return np.asarray(picture.convert("L"))


def most_frequent_color(colors: npt.NDArray[np.uint32]) -> tuple[int, float]:
    """Returns the most frequent of packed colors and its share of them, in (0, 1].

    Of equally frequent ones it is the smallest, by red before green before blue.

    >>> most_frequent_color(np.array([0xFF0000, 0x00FF00, 0xFF0000, 0x00FF00])) == (0x00FF00, 0.5)
    True
    """
    rest = colors
    most = (0, 0)  # how often, and which: negative, so that more is a smaller color
    while True:
        # Most pages have few colors: one that is frequent in a sample is counted and taken out.
        _, guess = _most_frequent(rest[:: 1 + len(rest) // _SAMPLE])
        differs = rest != -guess
        left = int(np.count_nonzero(differs))
        if left > _FEW_COLORS * len(rest):
            most = max(most, _most_frequent(rest))
            break
        most = max(most, (len(rest) - left, guess))
        if most[0] > left:  # No other color can be as frequent.
            break
        rest = rest[differs]
    return -most[1], most[0] / len(colors)


def _most_frequent(colors: npt.NDArray[np.uint32]) -> tuple[int, int]:
    values, counts = _count_colors(colors)
    best = counts.argmax()
    return int(counts[best]), -int(values[best])


def most_frequent_of_all(parts: Iterable[npt.NDArray[np.uint32]]) -> int:
    """Returns the most frequent color of many arrays, as `most_frequent_color` does of one.

    >>> most_frequent_of_all(np.array(part, np.uint32) for part in ([7, 7], [9, 9, 7], [9]))
    7
    """
    iterator = iter(parts)
    first, second = next(iterator), next(iterator, None)
    if second is None:
        return most_frequent_color(first)[0]
    # What sorting them together takes is more than this table of all colors.
    table = np.zeros(1 << 24, np.uint32)
    most = (0, 0)
    for part in chain((first, second), iterator):
        values, counts = _count_colors(part)
        table[values] += counts.astype(np.uint32)
        # The last part that has a color sees all of its count.
        so_far = table[values]
        best = so_far.argmax()
        most = max(most, (int(so_far[best]), -int(values[best])))
    return -most[1]


def _count_colors(
    colors: npt.NDArray[np.uint32],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.intp]]:
    """Returns the colors that occur, in order, and how often."""
    # As `np.unique` does it, without what it does besides: half the time on photos.
    colors = np.sort(colors)
    starts = np.append(0, np.flatnonzero(colors[1:] != colors[:-1]) + 1)
    return colors[starts], np.diff(starts, append=len(colors))


def channels(color: int) -> npt.NDArray[np.uint8]:
    """Returns red, green and blue of a packed color.

    >>> channels(0x0A0B0C).tolist()
    [10, 11, 12]
    """
    return np.array([color >> 16, color >> 8 & 255, color & 255], np.uint8)
