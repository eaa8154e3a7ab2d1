"""Pictures of one mode and one size: the step before every comparison."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.metrics.colors import most_frequent_of_all, pack_colors
from helm_structext.metrics.sharing import share_result
from helm_structext.pictures import MAX_PIXELS, as_rgb, bands
from helm_structext.storage.cache import content_key

SizeHandling = Literal["padding", "resize", "error"]
"""What to do with pictures of different sizes: pad both with white, resize the prediction, or raise."""


def check_picture(image: Image.Image, name: str) -> Image.Image:
    """Returns `image` as `helm_structext.pictures.as_rgb` does, if it is a picture at all.

    Args:
        image: a Pillow image.
        name: what to call the picture in an error message.

    Raises:
        TypeError: `image` is not a Pillow image.
        ValueError: its area is zero, or its mode has other channels than those of 8 or 16 bits.
    """
    if not isinstance(image, Image.Image):
        raise TypeError(f"{name}: expected a PIL.Image.Image, got {type(image).__name__}")
    if 0 in image.size:
        raise ValueError(f"{name}: expected a picture with an area, got {_size(image)} pixels")
    try:
        return as_rgb(image)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def match_sizes(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> tuple[Image.Image, Image.Image]:
    """Returns both pictures as RGB, in one size.

    Every picture metric of this package begins with this step, and matched pictures pass through it
    unchanged. (Metrics themselves use `match_unpadded`, which takes no memory for what is padded.)

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: ``padding`` adds white to the right and at the bottom of either picture, up
            to the larger width and the larger height (published for LaTeX and music); ``resize``
            scales the prediction to the reference's size, bicubically (published for webpages);
            ``error`` refuses pictures of different sizes.

    Raises:
        TypeError: an argument is not a Pillow image.
        ValueError: a picture has no area or is of an unknown mode, `size_handling` is unknown, or
            it is ``error`` and the sizes differ.

    >>> wide, tall = Image.new("RGB", (40, 10)), Image.new("RGB", (10, 30))
    >>> [image.size for image in match_sizes(wide, tall)]
    [(40, 30), (40, 30)]
    >>> [image.size for image in match_sizes(wide, tall, "resize")]
    [(10, 30), (10, 30)]
    """
    first, second = match_unpadded(prediction, reference, size_handling)
    return first.band(0, first.size[1]), second.band(0, second.size[1])


class Canvas(NamedTuple):
    """A picture in the upper left corner of a white one, which is never made as a whole.

    Beside a tall picture and a wide one, the white one may be a hundred times as large as both.
    """

    picture: Image.Image  # RGB
    size: tuple[int, int]  # width and height of the white one

    def band(self, top: int, bottom: int) -> Image.Image:
        """Returns the rows from `top` up to `bottom`."""
        picture, (width, height) = self.picture, self.size
        if (0, bottom - top, picture.size) == (top, height, self.size):
            return picture
        rows = picture.crop((0, top, picture.width, max(top, min(bottom, picture.height))))
        if rows.size == (width, bottom - top):
            return rows
        band = Image.new("RGB", (width, bottom - top), "white")
        band.paste(rows, (0, 0))
        return band

    def bands(self) -> Iterator[Image.Image]:
        """Yields one band of rows after the other."""
        return (self.band(top, bottom) for top, bottom in bands(self.size))

    def colors(self) -> Iterator[npt.NDArray[np.uint32]]:
        """Yields each band's packed colors."""
        spans = list(bands(self.size))
        if len(spans) == 1:
            return iter([_colors(self.picture, self.size)])
        return (pack_colors(self.band(top, bottom)) for top, bottom in spans)

    def resized(
        self, size: tuple[int, int], resample: Image.Resampling = Image.Resampling.BICUBIC
    ) -> Image.Image:
        """Returns the white picture in another size.

        One of more than `MAX_PIXELS` is scaled in width first, band by band, and then in height.
        Pillow takes the cheaper order, so that its own values may differ by their rounding.

        Args:
            size: width and height in pixels.
            resample: one of Pillow's filters.
        """
        if self.size[0] * self.size[1] <= MAX_PIXELS:
            return self.band(0, self.size[1]).resize(size, resample)
        narrow = Image.new("RGB", (size[0], self.size[1]))
        for top, bottom in bands(self.size):
            rows = self.band(top, bottom).resize((size[0], bottom - top), resample)
            narrow.paste(rows, (0, top))
        return narrow.resize(size, resample)


def check_size_handling(size_handling: str) -> None:
    """Raises ValueError if there is no such way of handling sizes."""
    if size_handling not in get_args(SizeHandling):
        raise ValueError(
            f"size_handling: expected one of {', '.join(get_args(SizeHandling))}, "
            f"got {size_handling!r}"
        )


def match_unpadded(
    prediction: Image.Image, reference: Image.Image, size_handling: SizeHandling
) -> tuple[Canvas, Canvas]:
    """Returns both pictures as `match_sizes` does, without the white that padding adds.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.

    Raises:
        TypeError, ValueError: as `match_sizes`.

    >>> wide, tall = Image.new("RGB", (65500, 1)), Image.new("RGB", (1, 65500))
    >>> [canvas.size for canvas in match_unpadded(wide, tall, "padding")]
    [(65500, 65500), (65500, 65500)]
    """
    check_size_handling(size_handling)
    prediction, reference = (
        check_picture(prediction, "prediction"),
        check_picture(reference, "reference"),
    )
    if prediction.size == reference.size:
        return Canvas(prediction, reference.size), Canvas(reference, reference.size)
    if size_handling == "error":
        raise ValueError(
            f"prediction: expected the reference's size, {_size(reference)} pixels, "
            f"got {_size(prediction)}"
        )
    if size_handling == "resize":
        size = reference.size
        return Canvas(_resize(prediction, size), size), Canvas(reference, size)
    size = (max(prediction.width, reference.width), max(prediction.height, reference.height))
    return Canvas(prediction, size), Canvas(reference, size)


@share_result
def pixels_key(picture: Image.Image) -> str:
    """Returns a hash of a picture's pixels, in a row of any width."""
    whole = Canvas(picture, picture.size)
    return content_key(*(content_key(band.tobytes()) for band in whole.bands()))


@share_result
def background_of(picture: Image.Image, whole: tuple[int, int]) -> int:
    """Returns the most frequent color of a `Canvas`, packed.

    Args:
        picture: in RGB, in the upper left corner.
        whole: width and height of the canvas in pixels; what the picture does not cover is white.

    Returns:
        Red, green and blue in one number, as `helm_structext.metrics.colors.pack_colors` has them.
    """
    return most_frequent_of_all(Canvas(picture, whole).colors())


@share_result
def _colors(picture: Image.Image, whole: tuple[int, int]) -> npt.NDArray[np.uint32]:
    return pack_colors(Canvas(picture, whole).band(0, whole[1]))


@share_result
def _resize(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    return picture.resize(size)


def pad_rows(
    gray: npt.NDArray[np.uint8], size: tuple[int, int], top: int, bottom: int
) -> npt.NDArray[np.uint8]:
    """Returns rows of a gray picture, shape (height, width), on a white one of `size`.

    Args:
        gray: levels, shape (height, width), neither of which is above that of `size`.
        size: width and height of the white picture in pixels.
        top: the first row.
        bottom: the row behind the last one.

    Returns:
        Levels, shape (bottom − top, width of `size`).

    >>> pad_rows(np.zeros((1, 2), np.uint8), (3, 9), 0, 2).tolist()
    [[0, 0, 255], [255, 255, 255]]
    """
    rows = gray[top:bottom]
    if rows.shape == (bottom - top, size[0]):
        return rows
    padded = np.full((bottom - top, size[0]), 255, np.uint8)
    padded[: len(rows), : rows.shape[1]] = rows
    return padded


def _size(image: Image.Image) -> str:
    return f"{image.width}×{image.height}"
