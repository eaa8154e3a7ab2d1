"""What a composition fills: a page with its colors, and short ways to put texts on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from helm_structext.scenes.drawing.shapes import DrawingText, Item, fitted_size

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class DrawingPalette:
    """Colors that go together.

    Args:
        paper: light, of the page.
        ink: dark, of texts on it.
        muted: of lesser texts and lines on it.
        accents: five colors, darker than the paper, on which white can be read.
        pale: two colors a little darker than the paper, on which the ink can be read.
    """

    paper: str
    ink: str
    muted: str
    accents: tuple[str, ...]
    pale: tuple[str, ...]


PALETTES = (
    DrawingPalette(
        "#fbf7ef",
        "#22313f",
        "#66727c",
        ("#c8553d", "#2a6f77", "#b07d12", "#43506c", "#7c4a6a"),
        ("#efe3cc", "#dce6e2"),
    ),
    DrawingPalette(
        "#ffffff",
        "#1d2433",
        "#667085",
        ("#2457c5", "#0f8a6a", "#d1462f", "#8a3ffc", "#b7791f"),
        ("#e8eefb", "#e3f4ee"),
    ),
    DrawingPalette(
        "#fdf6f0",
        "#3b1f2b",
        "#80636e",
        ("#9c2c4c", "#d0603f", "#5b7553", "#31628a", "#7a5230"),
        ("#f4dfd2", "#e4e9dd"),
    ),
    DrawingPalette(
        "#f4f7f4",
        "#17332a",
        "#5f776d",
        ("#1f7a4d", "#3f6fa3", "#c26a1b", "#8c4b8a", "#a33b3b"),
        ("#dcebe0", "#dfe8f2"),
    ),
    DrawingPalette(
        "#f7f5fb",
        "#2a2140",
        "#6c6486",
        ("#5b3fa0", "#c43d7a", "#1c7c91", "#c2571a", "#3c6e3c"),
        ("#e6dff4", "#f7e0ea"),
    ),
    DrawingPalette(
        "#fffdf5",
        "#2b2b20",
        "#72705c",
        ("#33658a", "#a4452c", "#5a7a2b", "#8f6a14", "#5d3a6b"),
        ("#f3ecd0", "#dde8ee"),
    ),
    DrawingPalette(
        "#f3f8fb",
        "#0f2a3d",
        "#5b7486",
        ("#0b6e99", "#d2543b", "#2e8b6f", "#6a56a5", "#a66f12"),
        ("#d8eaf3", "#fae3da"),
    ),
    DrawingPalette(
        "#fcfaf8",
        "#2d2926",
        "#76706a",
        ("#b23a2e", "#2f5d50", "#c07a15", "#27496d", "#74507a"),
        ("#eee6dd", "#dfe9e4"),
    ),
)


@dataclass(kw_only=True)
class DrawingSheet:
    """A page while it is composed."""

    title: str
    width: float
    height: float
    background: str
    items: list[Item] = field(default_factory=list)

    def write(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        color: str,
        *,
        anchor: Anchor = "start",
        bold: bool = False,
        within: float | None = None,
    ) -> None:
        """Puts a text on the page, smaller where it would be wider than ``within``."""
        self.items.append(
            lettering(text, x, y, size, color, anchor=anchor, bold=bold, within=within)
        )


def lettering(
    text: str,
    x: float,
    y: float,
    size: float,
    color: str,
    *,
    anchor: Anchor = "start",
    bold: bool = False,
    within: float | None = None,
) -> DrawingText:
    """Returns a text that is at most ``within`` wide."""
    if within is not None:
        size = fitted_size(text, size, within, bold)
    return DrawingText(
        text=text, x=round(x, 1), y=round(y, 1), size=size, color=color, anchor=anchor, bold=bold
    )


def mix(color: str, other: str, share: float) -> str:
    """Returns a color between two.

    >>> mix("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = [(int(color[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{int(a + (b - a) * share + 0.5):02x}" for a, b in pairs)


def cycle(values: Sequence[str], count: int, rng: Random) -> list[str]:
    """Returns so many values, all in turn from a drawn one on, so that neighbors differ."""
    start = rng.randrange(len(values))
    return [values[(start + i) % len(values)] for i in range(count)]
