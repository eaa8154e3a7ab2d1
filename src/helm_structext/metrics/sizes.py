"""Pictures of one mode and one size: the step before every comparison."""

from typing import Literal, get_args

from PIL import Image

SizeHandling = Literal["padding", "resize", "error"]
"""What to do with pictures of different sizes: pad both with white, resize the prediction, or raise."""

# Modes with 8-bit (or 1-bit) channels that Pillow converts to RGB without loss of range. As in the
# published pipeline, transparency is dropped: a hidden color counts as the color it hides.
_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV")


def as_rgb(image: Image.Image, name: str) -> Image.Image:
    """Returns `image` as RGB after checking that it is a picture at all.

    Args:
        image: a Pillow image with 8-bit channels; a palette, a grey scale or an alpha channel is
            converted, and alpha is dropped.
        name: what to call the picture in an error message.

    Raises:
        TypeError: `image` is not a Pillow image.
        ValueError: its area is zero, or its mode has other than 8-bit channels.

    >>> as_rgb(Image.new("LA", (3, 2), (255, 0)), "reference").getpixel((0, 0))
    (255, 255, 255)
    """
    if not isinstance(image, Image.Image):
        raise TypeError(f"{name}: expected a PIL.Image.Image, got {type(image).__name__}")
    if image.mode not in _MODES:
        raise ValueError(f"{name}: expected one of the modes {', '.join(_MODES)}, got {image.mode}")
    if 0 in image.size:
        raise ValueError(f"{name}: expected a picture with an area, got {_size(image)} pixels")
    return image if image.mode == "RGB" else image.convert("RGB")


def match_sizes(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> tuple[Image.Image, Image.Image]:
    """Returns both pictures as RGB, in one size.

    Every picture metric of this package begins with this step. For several metrics of one pair,
    take it once and give its result to all of them: matched pictures pass through unchanged.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: ``padding`` adds white to the right and at the bottom of either picture, up
            to the larger width and the larger height (published for LaTeX and music); ``resize``
            scales the prediction to the reference's size, bicubically (published for webpages);
            ``error`` refuses pictures of different sizes.

    Raises:
        TypeError: an argument is not a Pillow image.
        ValueError: a picture has no area or no 8-bit channels, `size_handling` is unknown, or it
            is ``error`` and the sizes differ.

    >>> wide, tall = Image.new("RGB", (40, 10)), Image.new("RGB", (10, 30))
    >>> [image.size for image in match_sizes(wide, tall)]
    [(40, 30), (40, 30)]
    >>> [image.size for image in match_sizes(wide, tall, "resize")]
    [(10, 30), (10, 30)]
    """
    if size_handling not in get_args(SizeHandling):
        raise ValueError(
            f"size_handling: expected one of {', '.join(get_args(SizeHandling))}, "
            f"got {size_handling!r}"
        )
    prediction, reference = as_rgb(prediction, "prediction"), as_rgb(reference, "reference")
    if prediction.size == reference.size:
        return prediction, reference
    if size_handling == "error":
        raise ValueError(
            f"prediction: expected the reference's size, {_size(reference)} pixels, "
            f"got {_size(prediction)}"
        )
    if size_handling == "resize":
        return prediction.resize(reference.size), reference
    size = (max(prediction.width, reference.width), max(prediction.height, reference.height))
    return _padded(prediction, size), _padded(reference, size)


def _padded(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    canvas = Image.new("RGB", size, "white")
    canvas.paste(image, (0, 0))
    return canvas


def _size(image: Image.Image) -> str:
    return f"{image.width}×{image.height}"
