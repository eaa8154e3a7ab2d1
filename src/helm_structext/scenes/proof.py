"""Whether a picture of a scene is as it should be."""

import numpy as np
from PIL import Image

from helm_structext.renderers import Rendering
from helm_structext.scenes.scene import Scene

SMALLEST = 16
"""Pixels that a picture has at least, in each direction."""

CROPPED = frozenset({"latex", "lilypond"})
"""Formats whose pictures end where their ink does."""

BANDS = 12
"""Changes of color along an edge of a picture; where there are more, something is cut off there."""

CHANGE = 64
"""Levels of a color, of 256, by which neighboring pixels differ at a change."""


def prove(scene: Scene, format: str, rendering: Rendering) -> str:
    """Returns why a picture of a scene is not as it should be, in a word or two, or "".

    Args:
        scene: what it should show.
        format: in which the scene was written.
        rendering: the picture.

    >>> white = Image.new("RGB", (64, 64), "white")
    >>> scene = Scene(type="", language="en", level="easy")
    >>> prove(scene, "svg", Rendering(white, "<svg/>", "", "", 0.1, None))
    'blank'
    """
    image = rendering.image
    if rendering.missing:
        return "missing"
    if rendering.tex_errors:
        return "syntax"
    if min(image.size) < SMALLEST:
        return "too small"
    if all(low == high for low, high in image.getextrema()):
        return "blank"
    if format not in CROPPED and _is_cut_off(image):
        return "cut off"
    return ""


def _is_cut_off(image: Image.Image) -> bool:
    """Whether there is so much along an edge that it is more than bands of color."""
    pixels = np.asarray(image.convert("RGB"), dtype=np.int16)
    edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    changes = (np.abs(np.diff(edge, axis=0)).max(axis=1) > CHANGE for edge in edges)
    return any(int(change.sum()) > BANDS for change in changes)
