"""How different two colors look."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# From linear sRGB to CIE XYZ under D65, each row over its sum, so that white is 1, 1, 1 (IEC 61966-2-1).
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.119192, 0.9503041],
    ]
)
_WHITE = _XYZ.sum(axis=1)
_POWER = 25.0**7


def lab_of(colors: list[str]) -> Floats:
    """Returns the CIELAB coordinates of sRGB colors under D65; shape (n, 3).

    Args:
        colors: each as ``#rrggbb``.

    >>> lab_of(["#ffffff", "#ff0000"]).round(1).tolist()
    [[100.0, 0.0, 0.0], [53.2, 80.1, 67.2]]
    """
    levels = np.array([[int(one[n : n + 2], 16) for n in (1, 3, 5)] for one in colors], dtype=float)
    parts = levels.reshape(-1, 3) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    ratios = linear @ _XYZ.T / _WHITE
    x, y, z = np.where(
        ratios > (6 / 29) ** 3, np.cbrt(ratios), ratios * (29 / 6) ** 2 / 3 + 4 / 29
    ).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def ciede2000(first: Floats, second: Floats) -> Floats:
    """Returns the color differences of CIELAB coordinates, pair by pair; 1 is about the least that is seen.

    Args:
        first: n colors, shape (n, 3); so is `second`.

    Returns:
        n differences, from 0 on: black and white are 100 apart.

    Source: Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", Color Research and Application
    30(1), 2005.

    >>> ciede2000(lab_of(["#000000", "#ff0000"]), lab_of(["#ffffff", "#fe0000"])).round(2).tolist()
    [100.0, 0.21]
    """
    (lightness1, a1, b1), (lightness2, a2, b2) = first.T, second.T
    mean_chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean_chroma**7 / (mean_chroma**7 + _POWER))
    a1, a2 = a1 * stretch, a2 * stretch
    chroma1, chroma2 = np.hypot(a1, b1), np.hypot(a2, b2)
    hue1, hue2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    gray = chroma1 * chroma2 == 0
    turn = (hue2 - hue1 + 180) % 360 - 180
    # Opposite hues differ by 180 degrees in the direction in which the numbers go.
    turn = np.where((turn == -180) & (hue2 > hue1), 180, turn)
    turn = np.where(gray, 0, turn)
    hue = np.where(gray, hue1 + hue2, (hue1 + turn / 2) % 360)
    lightness, chroma = (lightness1 + lightness2) / 2, (chroma1 + chroma2) / 2
    weight = (
        1
        - 0.17 * _cosine(hue - 30)
        + 0.24 * _cosine(2 * hue)
        + 0.32 * _cosine(3 * hue + 6)
        - 0.20 * _cosine(4 * hue - 63)
    )
    by_lightness = 1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    by_chroma = 1 + 0.045 * chroma
    by_hue = 1 + 0.015 * chroma * weight
    turned = 60 * np.exp(-(((hue - 275) / 25) ** 2))
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + _POWER)) * np.sin(np.radians(turned))
    parts = (
        (lightness2 - lightness1) / by_lightness,
        (chroma2 - chroma1) / by_chroma,
        2 * np.sqrt(chroma1 * chroma2) * np.sin(np.radians(turn / 2)) / by_hue,
    )
    squares = sum(part**2 for part in parts) + rotation * parts[1] * parts[2]
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def _cosine(degrees: Floats) -> Floats:
    return np.asarray(np.cos(np.radians(degrees)))


def color_distance(one: str, other: str) -> float:
    """Returns the CIEDE2000 of two colors; 0 where one is not known.

    Args:
        one: as ``#rrggbb``, or "".
        other: the same.

    >>> round(color_distance("#ff0000", "#ee0000"), 1), color_distance("#ff0000", "")
    (3.6, 0.0)
    """
    if not one or not other or one == other:
        return 0.0
    return float(ciede2000(lab_of([one]), lab_of([other]))[0])
