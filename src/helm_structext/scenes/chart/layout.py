"""Where the parts of a chart are, in pixels: for formats in which a person computes places."""

from dataclasses import dataclass

from helm_structext.scenes.chart.scene import (
    LABEL_SIZE,
    TICK_SIZE,
    ChartScene,
    text_width,
)

EDGE = 16
BAR_SHARE = 0.8
"""Of a category's room, what its bars take."""
BOX_SHARE = 0.5


@dataclass(frozen=True)
class ChartLayout:
    """The rectangle of a chart's plot, and places of texts around it.

    Args:
        left, top, right, bottom: of the plot.
        legend: left end and middle of the legend's first entry.
        across: baseline of the horizontal axis's label.
        beside: middle of the vertical axis's label.
    """

    left: int
    top: int
    right: int
    bottom: int
    legend: tuple[float, float]
    across: int
    beside: int

    @property
    def width(self) -> int:
        """Of the plot."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Of the plot."""
        return self.bottom - self.top


def entry_width(text: str) -> float:
    """Returns how much room an entry of a legend in one line takes, with the gap behind it."""
    return text_width(text, LABEL_SIZE) + 46


def lay_out(scene: ChartScene) -> ChartLayout:
    """Returns where the parts of a chart are, so that none meets another."""
    width, height = scene.size
    widest = max((text_width(text, TICK_SIZE) for text in scene.categories), default=0)
    ticks = max((text_width(str(tick), TICK_SIZE) for tick in scene.y.ticks), default=0)
    top = 60 + 22 * (scene.reference is not None and scene.horizontal)
    legend_line = 34 if scene.legend == "bottom" else 0
    names = [name for name, _ in scene.entries]
    column = max((text_width(name, LABEL_SIZE) * 0.95 for name in names), default=0) + 52
    if scene.type == "pie":
        bottom = height - EDGE - legend_line
        right = width - EDGE - round(column if scene.legend == "right" else 0)
        left = EDGE
        across = beside = 0
    else:
        rows = [series.name for series in scene.series] if scene.type == "heat map" else []
        beside = EDGE + 10
        if rows:
            left = EDGE + round(max(text_width(row, TICK_SIZE) for row in rows)) + 8
        else:
            left = EDGE + 22 + round(widest if scene.horizontal else ticks) + 10
        hang = round(widest * 0.7) + 18 if scene.tilted else 24
        across = height - EDGE - legend_line - 4
        bottom = across - LABEL_SIZE - 6 - hang
        right = width - EDGE - 12
        if scene.type == "heat map":
            right -= round(ticks) + 68
        elif scene.legend == "right":
            right -= round(column)
        elif scene.reference:
            right -= round(text_width(scene.reference.text, TICK_SIZE) * 0.95)
    if scene.legend == "bottom":
        line = sum(entry_width(name) for name in names) - 24
        legend = (round((left + right - line) / 2, 1), height - EDGE - 10.0)
    else:
        legend = (right + 24.0, top + 12.0)
    return ChartLayout(left, top, right, bottom, legend, across, beside)
