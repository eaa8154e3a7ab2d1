"""Colours as integers, and which of them a picture is mostly made of."""

import numpy as np
import numpy.typing as npt
from PIL import Image


def pixels(image: Image.Image) -> npt.NDArray[np.uint8]:
    """Returns an RGB picture as an array of shape (height, width, 3)."""
    return np.asarray(image, dtype=np.uint8)


def packed(colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """Returns one integer 0xRRGGBB a pixel for an array of shape (..., 3)."""
    wide = colors.astype(np.int32)
    return (wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]


def most_frequent_color(colors: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.uint8], float]:
    """Returns the most frequent of packed colours and its share of all pixels, in (0, 1].

    Of equally frequent ones it is the smallest, red before green before blue.

    >>> most_frequent_color(np.array([0x00FF00, 0xFF0000, 0x00FF00]))
    (array([  0, 255,   0], dtype=uint8), 0.666...)
    """
    colors = colors.ravel()
    values, counts = np.unique(colors, return_counts=True)
    best = counts.argmax()
    color = int(values[best])
    rgb = np.array([color >> 16, color >> 8 & 255, color & 255], dtype=np.uint8)
    return rgb, float(counts[best] / colors.size)
