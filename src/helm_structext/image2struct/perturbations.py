"""Input pictures made worse, as paper and cameras make them (Image2Struct, section 6.1).

Only what the model sees changes; the reference stays as it is. The same picture, kind and
severity always give the same bytes.
"""

import io
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageFilter

from helm_structext.cache import content_key

SEVERITIES = range(1, 6)


def perturb(png: bytes, kind: str, severity: int) -> bytes:
    """Returns a picture made worse.

    Args:
        png: bytes of a PNG file.
        kind: a key of `PERTURBATIONS`.
        severity: 1 (hardly visible) to 5 (hard to read).

    Returns:
        Bytes of a PNG file, RGB; ``skew`` and ``scan`` make it somewhat larger.

    >>> page = io.BytesIO()
    >>> Image.new("RGB", (40, 30), "white").save(page, "PNG")
    >>> one, two = (perturb(page.getvalue(), "noise", 3) for _ in range(2))
    >>> one == two != page.getvalue()
    True
    """
    image = Image.open(io.BytesIO(png)).convert("RGB")
    seed = int(content_key(png, kind, str(severity))[:16], 16)
    worse = PERTURBATIONS[kind](image, severity - 1, np.random.default_rng(seed))
    buffer = io.BytesIO()
    worse.save(buffer, "PNG")
    return buffer.getvalue()


def _jpeg(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=(60, 35, 20, 10, 5)[level])
    return Image.open(buffer).convert("RGB")


def _blur(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur((0.7, 1.1, 1.6, 2.2, 3.0)[level]))


def _noise(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    pixels = np.asarray(image, dtype=np.float32)
    grain = random.normal(0, (8, 16, 30, 50, 80)[level], pixels.shape)
    return _clipped(pixels + grain)


def _skew(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    angle = (0.5, 1.0, 2.0, 4.0, 7.0)[level] * random.choice([-1, 1])
    corner = image.getpixel((0, 0))
    return image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=corner)


def _scan(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    """A photocopy: slightly turned, blurred and grainy, pale ink on unevenly lit paper."""
    strength = (level + 1) / 5
    corner = image.getpixel((0, 0))
    angle = random.uniform(-2, 2) * strength
    turned = image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=corner)
    pixels = np.asarray(
        turned.convert("L").filter(ImageFilter.GaussianBlur(1.4 * strength)), dtype=np.float32
    )
    height, width = pixels.shape
    light = (
        np.linspace(0, random.uniform(-1, 1), width)
        + np.linspace(0, random.uniform(-1, 1), height)[:, None]
    )
    paper = pixels * (1 - 0.35 * strength) + 255 * 0.2 * strength - 60 * strength * np.abs(light)
    grain = random.normal(0, 14 * strength, pixels.shape)
    gray = np.asarray(_clipped(paper + grain))
    return Image.fromarray(gray).convert("RGB")


def _clipped(pixels: np.ndarray) -> Image.Image:
    return Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8))


PERTURBATIONS: dict[str, Callable[[Image.Image, int, np.random.Generator], Image.Image]] = {
    "scan": _scan,
    "jpeg": _jpeg,
    "blur": _blur,
    "skew": _skew,
    "noise": _noise,
}
