"""Colors as ``#rrggbb``: between two, and how bright they are."""


def luminance(color: str) -> float:
    """Returns the relative luminance of a color, from 0 (black) to 1 (white), as WCAG 2 defines it.

    >>> luminance("#000000"), round(luminance("#ffffff"), 6), round(luminance("#ff0000"), 4)
    (0.0, 1.0, 0.2126)
    """
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mix_colors(first: str, second: str, share: float) -> str:
    """Returns the color at a share (0 to 1) of the way from one color to another, in RGB.

    >>> mix_colors("#000000", "#ff8000", 0.5)
    '#804000'
    """
    pairs = ((int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a * (1 - share) + b * share):02x}" for a, b in pairs)
