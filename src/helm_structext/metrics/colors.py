"""Colours as integers, and which of them a picture is mostly made of."""

import numpy as np
import numpy.typing as npt
from PIL import Image


def packed(picture: Image.Image) -> npt.NDArray[np.uint32]:
    """Returns one integer a pixel for an RGB picture, row by row, with red in its lowest byte.

    >>> packed(Image.new("RGB", (1, 1), (1, 2, 3))).tolist() == [1 + 2 * 256 + 3 * 256**2]
    True
    """
    four_bytes = np.frombuffer(picture.convert("RGBX").tobytes(), np.dtype("<u4"))
    return four_bytes & np.uint32(0xFFFFFF)


def most_frequent_color(colors: npt.NDArray[np.uint32]) -> tuple[npt.NDArray[np.uint8], float]:
    """Returns the most frequent of packed colours as RGB and its share of all, in (0, 1].

    Of equally frequent ones it is the smallest, by red before green before blue.

    >>> color, share = most_frequent_color(np.array([0x0000FF, 0x00FF00, 0x0000FF, 0x00FF00]))
    >>> color.tolist(), share
    ([0, 255, 0], 0.5)
    """
    values, counts = np.unique(colors, return_counts=True)
    tied = values[counts == counts.max()]
    channels = np.stack((tied, tied >> 8, tied >> 16), axis=1) & 255
    smallest = channels[np.lexsort(channels.T[::-1])[0]]
    return smallest.astype(np.uint8), float(counts.max() / len(colors))
