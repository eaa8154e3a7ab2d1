"""What is on a picture and where, as the engine that drew it knows."""

from dataclasses import dataclass
from typing import Literal

PixelBox = tuple[float, float, float, float]
"""Left, top, right and bottom in the picture's pixels, from its upper left corner."""


@dataclass(frozen=True)
class TextBox:
    """A piece of text on one line.

    Args:
        text: as it is read, blanks joined.
        box: around its glyphs' line box, or their ink where an engine knows no more.
        color: of its letters, as ``#rrggbb``, or "" where it is not known.
        size: of its font in pixels; 0 where it is not known.
        visible: whether a person can see all of it: not clipped, transparent, covered, or off the picture.
    """

    text: str
    box: PixelBox
    color: str = ""
    size: float = 0.0
    visible: bool = True


@dataclass(frozen=True)
class ElementBox:
    """Something else on a picture, in the order in which it was drawn: what comes later lies above.

    Args:
        kind: what it is.
        box: around what is seen of it.
        color: of what it is filled with, or else of its line, as ``#rrggbb``, or "" where that is none alone.
    """

    kind: Literal["image", "rule", "shape", "control"]
    box: PixelBox
    color: str = ""


@dataclass(frozen=True)
class PictureLayout:
    """What is on a picture.

    Args:
        size: width and height of the picture in pixels.
        texts: in the order of reading, as far as the engine knows it.
        elements: from the lowest to the uppermost.
        left_out: boxes beyond the bound (`MAX_BOXES`), which are not listed.
    """

    size: tuple[int, int]
    texts: tuple[TextBox, ...]
    elements: tuple[ElementBox, ...] = ()
    left_out: int = 0


MAX_BOXES = 50_000
"""Of a layout, texts and elements together."""
