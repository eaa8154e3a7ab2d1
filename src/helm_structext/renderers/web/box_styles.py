"""Styles of boxes, as the browser's snapshot of a page tells them."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache

from helm_structext.layouts import FACES, PixelBox
from helm_structext.patterns import Pattern

SIDES = ("left", "top", "right", "bottom")
STYLES = (
    *(
        "color",
        "font-size",
        "font-weight",
        "font-style",
        "text-transform",
        "opacity",
        "visibility",
        "display",
    ),
    *(f"-webkit-text-{what}" for what in ("fill-color", "stroke-color", "stroke-width")),
    *("writing-mode", "position", "overflow-x", "overflow-y", "clip-path"),
    *("transform", "scale", "zoom", "column-count", "column-width", "column-gap"),
    *("background-color", "background-image", "background-clip"),
    *("fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-dasharray"),
    *(f"border-{side}-{what}" for side in SIDES for what in ("width", "color", "style")),
    *(f"padding-{side}" for side in SIDES),
    *("border-image-source", "mask-image", "list-style-image", "content"),
)
"""What the browser is asked for, in this order."""
BOLD = 600
"""The weight from which on letters are bold."""
PICTURES = ("background-image", "border-image-source", "mask-image", "list-style-image", "content")
"""Where a style may name pictures."""
COLORS = frozenset(name for name in STYLES if name.endswith("color")) | {"fill", "stroke"}
NUMBER = Pattern(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")

Color = tuple[str, float]
"""As ``#rrggbb``, or "" where it is none alone, and its opacity."""


@lru_cache(maxsize=10_000)
def read_numbers(written: str) -> tuple[float, ...]:
    """Returns the numbers in a value of a style.

    >>> read_numbers("matrix(1, 0, -0.5, 1e-2, 0, 0)")[2:4]
    (-0.5, 0.01)
    """
    return tuple(float(one[0]) for one in NUMBER.finditer(written))


class ColorReader:
    """Reads colors as a style tells them.

    Args:
        resolved: color that is written otherwise than in red, green and blue → these and opacity, up to 255.

    >>> read = ColorReader({"oklch(0 0 0)": (0, 0, 0, 255)})
    >>> read("rgba(255, 0, 10, 0.5)"), read("#00ff00"), read("none"), read("oklch(0 0 0)")
    (('#ff000a', 0.5), ('#00ff00', 1.0), ('', 0.0), ('#000000', 1.0))
    >>> read('url("#gradient")')
    ('', 1.0)
    """

    def __init__(self, resolved: Mapping[str, Sequence[float]]) -> None:
        self._resolved = resolved
        self._read: dict[str, Color] = {}

    def __call__(self, written: str) -> Color:
        if written not in self._read:
            self._read[written] = self._parsed(written)
        return self._read[written]

    def _parsed(self, written: str) -> Color:
        if written.startswith("#"):
            return written, 1.0
        if written.startswith("url("):
            return "", 1.0
        if written.startswith("rgb"):
            parts: Sequence[float] = read_numbers(written)
        elif resolved := self._resolved.get(written):
            parts = [*resolved[:3], resolved[3] / 255]
        else:
            return "", 0.0
        red, green, blue = (min(max(round(one), 0), 255) for one in parts[:3])
        return f"#{red:02x}{green:02x}{blue:02x}", parts[3] if len(parts) > 3 else 1.0


def name_face(bold: bool, slanted: bool) -> str:
    """Returns the sign of letters' weight and slant (`helm_structext.layouts.FACES`)."""
    return [*FACES][bold + 2 * slanted]


def capitalize(text: str) -> str:
    """Returns a text in which each word begins with a capital.

    >>> capitalize("add to CART")
    'Add To CART'
    """
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


CASES: Mapping[str, Callable[[str], str]] = {
    "uppercase": str.upper,
    "lowercase": str.lower,
    "capitalize": capitalize,
}
"""What a style may make of letters."""


class BoxStyle:
    """A style as the snapshot tells it, and what follows from it.

    Args:
        written: property → value.
        read_color: from a color as it is written.
    """

    def __init__(self, written: Mapping[str, str], read_color: ColorReader) -> None:
        self._written = written
        self._read_color = read_color
        self.shown = written["visibility"] == "visible"
        self.position = written["position"]
        self.transformed = written["transform"] != "none"
        self.opacity = self.number("opacity", 1.0)
        self.clips = written["overflow-x"] != "visible", written["overflow-y"] != "visible"
        self.vanishes = written["clip-path"].startswith(("inset(50%", "inset(100%"))
        self.lettered = "text" in written["background-clip"]
        self.upright = written["writing-mode"].startswith("horizontal")
        self.inline = written["display"] in ("inline", "contents")

    def number(self, name: str, default: float = 0.0) -> float:
        """Returns the first number of a value."""
        numbers = read_numbers(self._written[name])
        return numbers[0] if numbers else default

    def color(self, name: str, opacity: str = "") -> Color:
        """Returns a color; its opacity may be that of another property, too."""
        color, alpha = self._read_color(self._written[name])
        return color, alpha * (self.number(opacity, 1.0) if opacity else 1.0)

    @cached_property
    def scale(self) -> float:
        """How much larger it makes what is in it."""
        scale = self.number("zoom", 1.0)
        if self.transformed:
            numbers = read_numbers(self._written["transform"])
            if len(numbers) == len("abcdef"):
                scale *= math.sqrt(abs(numbers[0] * numbers[3] - numbers[1] * numbers[2]))
        factors = read_numbers(self._written["scale"])
        return scale * math.sqrt(abs(factors[0] * factors[:2][-1])) if factors else scale

    @cached_property
    def angle(self) -> float:
        """By how many degrees it turns what is in it."""
        numbers = read_numbers(self._written["transform"]) if self.transformed else ()
        return math.degrees(math.atan2(numbers[1], numbers[0])) if len(numbers) == 6 else 0.0

    @cached_property
    def text_color(self) -> Color:
        """What letters are filled with, or else outlined."""
        filled, outlined = (self.color(f"-webkit-text-{what}-color") for what in ("fill", "stroke"))
        return outlined if not filled[1] and self.number("-webkit-text-stroke-width") else filled

    @cached_property
    def fill(self) -> Color:
        return self.color("fill", "fill-opacity")

    @cached_property
    def stroke(self) -> Color:
        return self.color("stroke", "stroke-opacity")

    @cached_property
    def background(self) -> Color:
        return self.color("background-color")

    @cached_property
    def background_image(self) -> str:
        return self._written["background-image"]

    @cached_property
    def background_addresses(self) -> list[str]:
        """Of the pictures in the background; the browser writes each in double quotes."""
        return [part.partition('"')[0] for part in self.background_image.split('url("')[1:]]

    @cached_property
    def pictures(self) -> list[str]:
        """Values in which it may name pictures."""
        return [self._written[name] for name in PICTURES]

    @cached_property
    def borders(self) -> list[tuple[float, Color]]:
        """Width and color of each side."""
        return [
            (self.number(f"border-{side}-width"), self.color(f"border-{side}-color"))
            for side in SIDES
        ]

    @cached_property
    def dashed(self) -> bool:
        """Whether the stroke of what is drawn is."""
        return any(read_numbers(self._written["stroke-dasharray"]))

    @cached_property
    def border_dashes(self) -> list[bool]:
        """Whether the border of each side is dashed or dotted."""
        return [self._written[f"border-{side}-style"] in ("dashed", "dotted") for side in SIDES]

    def name_faces(self, text: str) -> str:
        """Returns the face of each letter of a text, see `TextBox`."""
        slanted = self._written["font-style"].startswith(("italic", "oblique"))
        return name_face(self.number("font-weight") >= BOLD, slanted) * sum(map(len, text.split()))

    def as_shown(self, text: str) -> str:
        """Returns a text of a control in the case in which it is shown; other texts are told so."""
        shown = CASES.get(self._written["text-transform"])
        return shown(text) if shown else text

    def content_box(self, box: PixelBox, scale: float) -> PixelBox:
        """Returns what of a box is within its border and padding."""
        left, top, right, bottom = (
            scale * (self.number(f"border-{side}-width") + self.number(f"padding-{side}"))
            for side in SIDES
        )
        return box[0] + left, box[1] + top, box[2] - right, box[3] - bottom

    def columns(self, box: PixelBox, scale: float) -> tuple[float, float] | None:
        """Returns where the columns of a box begin, and pixels from one to the next, if it has any."""
        count, width = self.number("column-count"), self.number("column-width")
        if not (count or width) or scale <= 0:
            return None
        left, top, right, _ = self.content_box(box, scale)
        inside = (right - left) / scale
        gap = self.number("column-gap", self.number("font-size"))
        fit = max((inside + gap) // (width + gap), 1) if width else count
        return top, scale * (inside + gap) / min(fit, count or fit)
