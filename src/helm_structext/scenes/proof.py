"""Whether a picture of a scene is as it should be."""

from PIL import Image

from helm_structext.renderers import Rendering
from helm_structext.scenes.scene import Scene

SMALLEST = 48
"""Pixels that a picture has at least, in each direction."""

BLEEDING = frozenset({"page", "drawing"})


def prove(scene: Scene, format: str, rendering: Rendering) -> str:
    """Returns what is wrong with a picture of a scene, or "".

    Args:
        scene: what it should show.
        format: in which the scene was written.
        rendering: the picture.
    """
    image = rendering.image
    if rendering.missing:
        return "missing"
    if min(image.size) < SMALLEST:
        return "too small"
    if _is_plain(image):
        return "blank"
    return ""


def _is_plain(image: Image.Image) -> bool:
    return all(low == high for low, high in image.getextrema())
