"""Input pictures made worse, as paper and cameras make them (Image2Struct, section 6.1).

Only what the model sees changes; the reference stays as it is. The same picture, kind and
severity always give the same bytes.
"""

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.pictures import decode
from helm_structext.storage.cache import content_key

SEVERITIES = range(1, 6)

Floats = npt.NDArray[np.float64]


def perturb(png: bytes, kind: str, severity: int) -> bytes:
    """Returns a picture made worse.

    Args:
        png: bytes of a PNG file.
        kind: a key of `PERTURBATIONS`, or ``none``, which leaves the picture as it is.
        severity: 1 (hardly visible) to 5 (hard to read).

    Returns:
        Bytes of a PNG file, RGB; ``skew`` and ``scan`` make it somewhat larger.

    >>> page = io.BytesIO()
    >>> Image.new("RGB", (40, 30), "white").save(page, "PNG")
    >>> one, two = (perturb(page.getvalue(), "noise", 3) for _ in range(2))
    >>> one == two != page.getvalue()
    True
    """
    if kind == "none":
        return png
    image = decode(png)
    seed = int(content_key(png, kind, str(severity))[:16], 16)
    worse = PERTURBATIONS[kind](image, severity - 1, np.random.default_rng(seed))
    buffer = io.BytesIO()
    worse.save(buffer, "PNG")
    return buffer.getvalue()


def _jpeg(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=(60, 35, 20, 10, 5)[level])
    return decode(buffer.getvalue())


def _blur(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    return _picture(_blur_levels(_levels(image), (0.7, 1.1, 1.6, 2.2, 3.0)[level]))


def _noise(image: Image.Image, level: int, random: np.random.Generator) -> Image.Image:
    return _picture(_add_grain(_levels(image), (8, 16, 30, 50, 80)[level], random))


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
    gray = _blur_levels(_levels(turned.convert("L")), 1.4 * strength)
    height, width = gray.shape
    light = (
        np.linspace(0, random.uniform(-1, 1), width)
        + np.linspace(0, random.uniform(-1, 1), height)[:, None]
    )
    paper = gray * (1 - 0.35 * strength) + 0.2 * strength - 60 / 255 * strength * np.abs(light)
    return _picture(_add_grain(paper, 14 * strength, random)).convert("RGB")


def _levels(image: Image.Image) -> Floats:
    return np.asarray(image) / 255


def _blur_levels(levels: Floats, sigma: float) -> Floats:
    from skimage.filters import gaussian

    blurred: Floats = gaussian(levels, sigma, channel_axis=2 if levels.ndim == 3 else None)
    return blurred


def _add_grain(levels: Floats, sigma: float, random: np.random.Generator) -> Floats:
    from skimage.util import random_noise

    grained: Floats = random_noise(levels, "gaussian", random, var=(sigma / 255) ** 2)
    return grained


def _picture(levels: Floats) -> Image.Image:
    return Image.fromarray(np.rint(np.clip(levels, 0, 1) * 255).astype(np.uint8))


PERTURBATIONS: dict[str, Callable[[Image.Image, int, np.random.Generator], Image.Image]] = {
    "scan": _scan,
    "jpeg": _jpeg,
    "blur": _blur,
    "skew": _skew,
    "noise": _noise,
}
