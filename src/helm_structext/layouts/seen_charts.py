"""Which data of charts can be seen: bars in the color of what they lie on show nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from helm_structext.layouts.boxes import PAPER, ElementBox, PixelBox, are_same_box, holds_box
from helm_structext.layouts.charts import ChartData, PlotSeries

ALIKE = 8
"""Levels of 255 by which no part of two colors differs that nobody tells apart."""
SAME_PLACE = 3.0
"""Pixels by which the sides of a mark and of its point's box differ at most."""


def seen_charts(
    charts: Sequence[ChartData], elements: Sequence[ElementBox]
) -> tuple[ChartData, ...]:
    """Returns charts without the series that have the color of all that they may lie on, and no outline in another one.

    Args:
        charts: as their engine tells them.
        elements: of the same picture.

    >>> from helm_structext.layouts.charts import PlotPoint
    >>> pale = ChartData(series=(PlotSeries("", "bar", "#fdfdfd", (PlotPoint("A", 2.0, box=(0, 0, 9, 9)),)),))
    >>> [len(one.series) for one in seen_charts([pale], [])]
    [0]
    >>> [len(one.series) for one in seen_charts([pale], [ElementBox("shape", (0, 0, 9, 9), PAPER, "#000000")])]
    [1]
    """
    return tuple(
        replace(
            chart,
            series=tuple(one for one in chart.series if _is_seen(one, chart.box, elements)),
        )
        for chart in charts
    )


def _is_seen(series: PlotSeries, plot: PixelBox | None, elements: Sequence[ElementBox]) -> bool:
    own = {point.color or series.color for point in series.points} or {series.color}
    grounds = {
        one.color
        for one in elements
        if plot and one.filled and one.color and holds_box(one.box, plot, SAME_PLACE)
    } or {PAPER}
    if any(not color or not _is_alike(color, ground) for color in own for ground in grounds):
        return True
    return any(
        line and not all(_is_alike(line, ground) for ground in grounds)
        for line in _lines_of(series, elements)
    )


def _lines_of(series: PlotSeries, elements: Iterable[ElementBox]) -> set[str]:
    """Colors of the outlines of a series' marks."""
    boxes = [point.box for point in series.points if point.box]
    return {
        one.line
        for one in elements
        if one.line and any(are_same_box(one.box, it, SAME_PLACE) for it in boxes)
    }


def _is_alike(color: str, other: str) -> bool:
    return all(
        abs(int(color[at : at + 2], 16) - int(other[at : at + 2], 16)) <= ALIKE for at in (1, 3, 5)
    )
