"""Colors: which can be told apart, and what they are called."""

import numpy as np
from PIL import Image

RGB = tuple[int, int, int]

INKS: dict[str, tuple[str, ...]] = {
    "black": ("#141414",),
    "white": ("#ffffff",),
    "red": ("#cc1a1a", "#ee2e24"),
    "orange": ("#ff8a14",),
    "yellow": ("#ffdc28",),
    "green": ("#0d7a34", "#4fd068"),
    "blue": ("#1746c4", "#5b9dff"),
    "purple": ("#6a1fa8",),
    "pink": ("#d6197f", "#ff8ec6"),
    "brown": ("#6e3b12",),
    "turquoise": ("#3ee0d2",),
}
"""Colors of texts: a name, and the tones that anyone would call by it."""

CONFUSABLE = (
    {"red", "orange"},
    {"red", "pink"},
    {"red", "brown"},
    {"orange", "yellow"},
    {"orange", "brown"},
    {"orange", "pink"},
    {"green", "turquoise"},
    {"blue", "turquoise"},
    {"blue", "purple"},
    {"purple", "pink"},
    {"purple", "brown"},
    {"brown", "black"},
)
"""Names that people may disagree about: never choices of the same question."""


def rgb(color: str) -> RGB:
    """Returns the three channels of a color.

    >>> rgb("#ff8000")
    (255, 128, 0)
    """
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue


def mix(first: RGB, second: RGB, share: float) -> RGB:
    """Returns a color between two: `share` of the second, the rest of the first.

    >>> mix((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def against(color: RGB) -> RGB:
    """Returns black or white, whichever is further from a color.

    >>> against((250, 240, 200))
    (0, 0, 0)
    """
    return (255, 255, 255) if sum(color) < 384 else (0, 0, 0)


def average(picture: Image.Image) -> RGB:
    """Returns the mean color of an RGB picture."""
    red, green, blue = np.asarray(picture.resize((1, 1), Image.Resampling.BOX))[0, 0]
    return int(red), int(green), int(blue)


def luminance(colors: np.ndarray) -> np.ndarray:
    """Returns the relative luminance of colors, from 0 to 1.

    Args:
        colors: 8-bit RGB in the last axis.

    Source: WCAG 2.2, "relative luminance".
    """
    found: np.ndarray = _linear(colors) @ np.array([0.2126, 0.7152, 0.0722])
    return found


def contrast(ink: RGB, ground: np.ndarray) -> float:
    """Returns the contrast of a color with the worst of a ground's pixels, but for the last 2%.

    Args:
        ink: the color of a text.
        ground: 8-bit RGB in the last axis.

    Returns:
        From 1 (none) to 21 (black on white).

    Source: WCAG 2.2, "contrast ratio".

    >>> round(contrast((0, 0, 0), np.full((4, 4, 3), 255)), 1)
    21.0
    """
    own = float(luminance(np.array(ink)))
    others = luminance(ground.reshape(-1, 3))
    lighter, darker = np.maximum(own, others), np.minimum(own, others)
    return float(np.quantile((lighter + 0.05) / (darker + 0.05), 0.02))


def lab(colors: np.ndarray) -> np.ndarray:
    """Returns colors in CIE L*a*b* (D65), where distances are about as large as they look.

    Args:
        colors: 8-bit RGB in the last axis.

    >>> float(lab(np.array([255, 255, 255]))[0].round(3))
    100.0
    """
    matrix = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = _linear(colors) @ matrix.T / matrix.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def distance(first: RGB, second: np.ndarray) -> np.ndarray:
    """Returns how far colors are from one, in L*a*b*; 2 is just noticeable.

    >>> float(distance((10, 10, 10), np.array([10, 10, 10])))
    0.0
    """
    distances: np.ndarray = np.linalg.norm(lab(second) - lab(np.array(first)), axis=-1)
    return distances


def name_of(color: RGB, names: list[str]) -> str:
    """Returns which of some names of `INKS` is nearest to a color.

    >>> name_of((200, 40, 30), ["blue", "red", "black"])
    'red'
    """
    return min(
        names,
        key=lambda name: min(float(distance(color, np.array(rgb(tone)))) for tone in INKS[name]),
    )


def distractors(name: str) -> list[str]:
    """Returns the names that nobody would take for `name`.

    >>> "orange" in distractors("red"), "blue" in distractors("red")
    (False, True)
    """
    return [other for other in INKS if other != name and {name, other} not in CONFUSABLE]


def _linear(colors: np.ndarray) -> np.ndarray:
    values = np.asarray(colors, dtype=float) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
