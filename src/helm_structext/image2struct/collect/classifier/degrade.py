"""What happens to pages on their way through printers, copiers, scanners and files."""

import io
import math
from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from helm_structext.pictures import decode

CLEAN = 0.3
"""The share of pages to which nothing happens but that they are placed a little differently."""
MOST = 4
"""Effects that one page can have."""


def degraded(page: Image.Image, random: Random) -> Image.Image:
    """Returns a page after some of the effects below, at the same size.

    Args:
        page: in grayscale.
        random: what happens to it.

    >>> degraded(Image.new("L", (60, 80), 255), Random(3)).size
    (60, 80)
    """
    page = placed(page, random)
    if random.random() < CLEAN:
        return page
    for effect in random.sample(EFFECTS, random.randint(1, MOST)):
        page = effect(page, random)
    return page


def placed(page: Image.Image, random: Random) -> Image.Image:
    """Larger or smaller by up to a fifth, aside, and sometimes askew by up to three degrees."""
    width, height = page.size
    angle = math.radians(random.choice((0.0, 0.0, random.gauss(0, 1), random.uniform(-3, 3))))
    zoom = random.uniform(0.83, 1.2)
    x, y = width * random.uniform(-0.04, 0.04), height * random.uniform(-0.04, 0.04)
    cosine, sine = math.cos(angle) / zoom, math.sin(angle) / zoom
    center = width / 2, height / 2
    matrix = (
        cosine,
        sine,
        center[0] + x - cosine * center[0] - sine * center[1],
        -sine,
        cosine,
        center[1] + y + sine * center[0] - cosine * center[1],
    )
    return page.transform(
        page.size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=255
    )


def _chance(random: Random) -> np.random.Generator:
    return np.random.default_rng(random.getrandbits(64))


def _image(values: NDArray[np.float32]) -> Image.Image:
    return Image.fromarray(values.clip(0, 255).astype(np.uint8))


def _clouds(size: tuple[int, int], random: Random, cells: int) -> NDArray[np.float32]:
    """Values in [0, 1] that change slowly over a picture."""
    grid = Image.fromarray((_chance(random).random((cells, cells)) * 255).astype(np.uint8))
    return np.asarray(grid.resize(size, Image.Resampling.BICUBIC), np.float32) / np.float32(255)


def tone(page: Image.Image, random: Random) -> Image.Image:
    """Gray paper and pale ink, unevenly lit."""
    light = np.float32(random.uniform(150, 255)) - 50 * random.random() * _clouds(
        page.size, random, 3
    )
    ink = np.float32(random.uniform(0, 110))
    values = np.asarray(page, np.float32) / 255
    return _image(ink + values * (light - ink))


def noise(page: Image.Image, random: Random) -> Image.Image:
    """The grain of a sensor."""
    grain = _chance(random).standard_normal(page.size[::-1], np.float32)
    return _image(np.asarray(page, np.float32) + np.float32(random.uniform(4, 28)) * grain)


def specks(page: Image.Image, random: Random) -> Image.Image:
    """Dust: dark or light dots of a few pixels."""
    page = page.copy()
    draw = ImageDraw.Draw(page)
    dust = random.choice((0, 0, 255))
    for _ in range(round(page.width * page.height * random.uniform(2e-5, 4e-4))):
        x, y, size = (
            random.random() * page.width,
            random.random() * page.height,
            random.random() * 4,
        )
        draw.ellipse((x, y, x + size, y + size), fill=dust)
    return page


def stains(page: Image.Image, random: Random) -> Image.Image:
    """Foxing and coffee: large, soft, darker spots."""
    clouds = _clouds(page.size, random, random.randint(4, 14))
    spots = (clouds > random.uniform(0.6, 0.8)) * np.float32(random.uniform(20, 120))
    soft = _image(spots).filter(ImageFilter.GaussianBlur(random.uniform(2, 12)))
    return ImageChops.subtract(page, soft)


def blur(page: Image.Image, random: Random) -> Image.Image:
    """Out of focus."""
    return page.filter(ImageFilter.GaussianBlur(random.uniform(0.6, 2.0)))


def low_resolution(page: Image.Image, random: Random) -> Image.Image:
    """Scanned, or rasterized, with fewer pixels."""
    share = random.uniform(0.4, 0.8)
    small = (max(1, round(page.width * share)), max(1, round(page.height * share)))
    way = random.choice((Image.Resampling.BILINEAR, Image.Resampling.NEAREST))
    return page.resize(small, Image.Resampling.BOX).resize(page.size, way)


def jpeg(page: Image.Image, random: Random) -> Image.Image:
    """Compressed with loss."""
    file = io.BytesIO()
    page.save(file, "JPEG", quality=random.randint(12, 60))
    return decode(file.getvalue()).convert("L")


def bilevel(page: Image.Image, random: Random) -> Image.Image:
    """Black and white only, as most scans of printed music are."""
    dark, paper, light = np.percentile(np.asarray(page), (1, 50, 99))
    ink = light if light - paper > paper - dark else dark
    threshold = round(ink + (paper - ink) * random.uniform(0.35, 0.8))
    return page.point([0] * threshold + [255] * (256 - threshold))


def thick(page: Image.Image, random: Random) -> Image.Image:
    """Too much ink, or too little."""
    return page.filter(random.choice((ImageFilter.MinFilter(3), ImageFilter.MaxFilter(3))))


def show_through(page: Image.Image, random: Random) -> Image.Image:
    """The other side of the leaf, pale and mirrored."""
    other = ImageOps.mirror(page).filter(ImageFilter.GaussianBlur(1.5))
    pale = ImageChops.invert(other).point(
        [round(v * random.uniform(0.08, 0.25)) for v in range(256)]
    )
    return ImageChops.subtract(page, pale)


def inverted(page: Image.Image, random: Random) -> Image.Image:
    """Light on dark, with less contrast."""
    if random.random() < 0.5:  # Rarer than other effects.
        return page
    low = random.randint(0, 90)
    return ImageOps.invert(page).point([low + v * (255 - low) // 255 for v in range(256)])


EFFECTS: tuple[Callable[[Image.Image, Random], Image.Image], ...] = (
    tone,
    noise,
    specks,
    stains,
    blur,
    low_resolution,
    jpeg,
    bilevel,
    thick,
    show_through,
    inverted,
)
"""All that can happen, in whatever order."""
