"""How charts look: grounds, inks and palettes whose colors can be told apart."""

from dataclasses import dataclass
from random import Random
from typing import Literal

from helm_structext.scenes.colors import luminance

FontClass = Literal["sans", "serif"]


@dataclass(frozen=True, kw_only=True)
class ChartTheme:
    """How a chart looks. Colors are ``#rrggbb``.

    Args:
        ground: color behind all.
        ink: color of texts and axes.
        rule: color of grid lines.
        palette: colors of series, in their order.
        ramp: colors of the least and the greatest value of a heat map.
        font: class of the texts' family.
        grid: whether there are grid lines.
    """

    ground: str
    ink: str
    rule: str
    palette: tuple[str, ...]
    ramp: tuple[str, str]
    font: FontClass
    grid: bool

    @property
    def dark(self) -> bool:
        """Whether texts are lighter than the ground."""
        return luminance(self.ground) < luminance(self.ink)


LIGHT_GROUNDS = (
    ("#ffffff", "#222222", "#dddddd"),
    ("#ffffff", "#333333", "#e3e3e3"),
    ("#fafafa", "#1f2933", "#d9dde2"),
    ("#fdf8ef", "#3b2f2f", "#e6dccb"),
    ("#f5f7fb", "#1d2b45", "#d5dbe7"),
)
DARK_GROUNDS = (
    ("#1e1e2e", "#e6e6f0", "#3c3c54"),
    ("#14213d", "#f0f0f0", "#31405f"),
    ("#111827", "#e5e7eb", "#333d4d"),
    ("#202124", "#e8eaed", "#414347"),
)
LIGHT_PALETTES = (
    ("#3366a6", "#e07b39", "#4f9d69", "#c23b4b", "#8064a2", "#d9b02c"),
    ("#005f73", "#ee9b00", "#ae2012", "#76b5a0", "#6a4c93", "#8a8a8a"),
    ("#1b4965", "#f26419", "#2a9d8f", "#b5179e", "#8ac926", "#7d8597"),
    ("#264653", "#e9b44c", "#e76f51", "#2a9d8f", "#9d4edd", "#8d99ae"),
    ("#4263eb", "#f08c00", "#2f9e44", "#e03131", "#9c36b5", "#868e96"),
    ("#0b7285", "#e8590c", "#5f3dc4", "#74b816", "#c2255c", "#868e96"),
    ("#d1495b", "#00798c", "#e0a030", "#30508e", "#7a9e3f", "#9a6fb0"),
)
DARK_PALETTES = (
    ("#4dabf7", "#ffa94d", "#51cf66", "#ff6b6b", "#b197fc", "#ffe066"),
    ("#4cc9f0", "#f72585", "#ffd166", "#06d6a0", "#b388eb", "#f4814a"),
    ("#5aa9e6", "#ffb703", "#fb6f92", "#90be6d", "#c8a8ff", "#e5e5e5"),
    ("#2dd4bf", "#fbbf24", "#f87171", "#60a5fa", "#c084fc", "#a3e635"),
)
LIGHT_RAMPS = (
    ("#eaf2fb", "#08519c"),
    ("#edf7ec", "#12692f"),
    ("#fdeee4", "#a33803"),
    ("#f4eefa", "#54278f"),
    ("#e9f6f5", "#016450"),
)
DARK_RAMPS = (
    ("#22304a", "#7cc7ff"),
    ("#2b2440", "#ffcf70"),
    ("#1f3a36", "#8ff0c4"),
)


def draw_theme(rng: Random, serif: bool) -> ChartTheme:
    """Returns a theme by lot.

    Args:
        rng: the lot.
        serif: whether its texts may have a family with serifs.
    """
    dark = rng.random() < 0.25
    ground, ink, rule = rng.choice(DARK_GROUNDS if dark else LIGHT_GROUNDS)
    palette = rng.choice(DARK_PALETTES if dark else LIGHT_PALETTES)
    first = rng.randrange(len(palette))
    return ChartTheme(
        ground=ground,
        ink=ink,
        rule=rule,
        palette=palette[first:] + palette[:first],
        ramp=rng.choice(DARK_RAMPS if dark else LIGHT_RAMPS),
        font="serif" if serif and rng.random() < 0.3 else "sans",
        grid=rng.random() < 0.65,
    )


def ink_on(color: str) -> str:
    """Returns which of black and white can be read better on a color.

    >>> ink_on("#ffe066"), ink_on("#08519c")
    ('#000000', '#ffffff')
    """
    return "#000000" if luminance(color) > 0.179 else "#ffffff"
