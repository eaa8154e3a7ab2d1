"""Plots of tables: a heat map of correlations, bars, histograms, and scores along the dates of instances.

Nothing is left to Matplotlib's global state, so plots may be drawn from several threads, and the
same numbers give the same bytes.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from helm_structext.results.statistics import Floats
from helm_structext.texts import one_line

if TYPE_CHECKING:  # Matplotlib takes a while to import, and most commands plot nothing.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONT = "DejaVu Sans"
"""Comes with Matplotlib."""

INK, GRAY, PALE = "#222222", "#777777", "#e4e4e4"
BEFORE, AFTER = "#c2571a", "#1f6fb2"

DPI = 144
MAX_LABEL = 100
"""Characters."""
CELL = 0.58
"""Edge of a cell of the heat map, in inches."""
PANEL = (7.2, 1.5)
"""Width and height of a model's panel in the timeline, in inches."""


def heat_map(labels: Sequence[str], matrix: Floats, title: str) -> bytes:
    """Plots a matrix of correlations: red for 1, white for 0, blue for -1, the numbers on top.

    Args:
        labels: of rows and columns.
        matrix: k × k values in [-1, 1]; NaN is an empty gray cell.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    Raises:
        ValueError: `matrix` does not have as many rows and columns as there are labels.

    >>> heat_map(["EMS", "SSIM"], np.array([[1.0, 0.9], [0.9, 1.0]]), "Correlation")[1:4]
    b'PNG'
    """
    if matrix.shape != (len(labels), len(labels)):
        raise ValueError(
            f"matrix: expected {len(labels)} × {len(labels)} values, got the shape {matrix.shape}"
        )
    from matplotlib import colormaps

    labels = [one_line(label, MAX_LABEL) for label in labels]
    side = CELL * len(labels)
    figure = _figure(side, side)
    axes = figure.add_axes((0, 0, 1, 1), facecolor=PALE)
    axes.pcolormesh(
        np.ma.masked_invalid(matrix),
        cmap=colormaps["RdBu_r"],
        vmin=-1,
        vmax=1,
        edgecolors="white",
        linewidth=2,
    )
    for (row, column), value in np.ndenumerate(matrix):
        if not np.isnan(value):
            font = _font(9, "white" if abs(value) > 0.7 else INK)
            number = f"{value:.2f}".replace("-0.00", "0.00")
            axes.text(column + 0.5, row + 0.5, number, font, ha="center", va="center")
    axes.grid(False)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, pad=6, top=True, labeltop=True, labelbottom=False)
    middles = np.arange(len(labels)) + 0.5
    axes.set_yticks(middles, labels, **_font(10))
    axes.set_xticks(middles, labels, **_font(10), rotation=45, ha="left", rotation_mode="anchor")
    axes.set_title(_wrapped(title, figure), _font(12), loc="left", pad=14)
    return _png(figure)


BAR = 0.26
"""Height of a bar with what is left below it, in inches."""
MAX_BARS = 200
BARS_WIDTH = 5.0
"""Inches of the longest bar."""
HISTOGRAM = (7.2, 1.3)
"""Width and height of a histogram, in inches."""
MAX_BINS = 60


def draw_bars(labels: Sequence[str], values: Sequence[float], title: str) -> bytes:
    """Plots a bar for each label, from top to bottom, with its number at its end.

    Args:
        labels: what is counted.
        values: from 0 on, at least one.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    Raises:
        ValueError: there are more labels than values, or fewer.

    >>> draw_bars(["JSON", "CSV"], [50, 25], "Tasks")[1:4]
    b'PNG'
    """
    if len(labels) != len(values):
        raise ValueError(f"values: expected {len(labels)}, got {len(values)}")
    if len(labels) > MAX_BARS:
        title = f"{title} (the first {MAX_BARS} of {len(labels):,})"
        labels, values = labels[:MAX_BARS], values[:MAX_BARS]
    figure = _figure(BARS_WIDTH, BAR * len(labels))
    axes = figure.add_axes((0, 0, 1, 1))
    places = range(len(labels))
    axes.barh(places, values, height=0.72, color=AFTER)
    most = max(values) or 1
    axes.set_xlim(0, most)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    for place, value in zip(places, values, strict=True):
        axes.text(value + 0.01 * most, place, f"{value:,.0f}", _font(8, GRAY), va="center")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, pad=6, labelbottom=False)
    axes.set_yticks(places, [one_line(label, MAX_LABEL) for label in labels], **_font(9))
    axes.set_title(_wrapped(title, figure), _font(12), loc="left", pad=10)
    return _png(figure)


def draw_histograms(spreads: Mapping[str, Mapping[float, int]], title: str) -> bytes:
    """Plots how often whole numbers occur, a panel for each kind of number, with a line at the mean.

    The upper hundredth of the numbers is in the last bar.

    Args:
        spreads: what is measured, to number and how often it occurs; at least one number of each.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    >>> draw_histograms({"Words": {3: 10, 4: 20, 90: 1}}, "Lengths")[1:4]
    b'PNG'
    """

    from matplotlib.ticker import MaxNLocator

    figure = _figure(HISTOGRAM[0], HISTOGRAM[1] * len(spreads))
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1)
    panels = figure.subplots(len(spreads), squeeze=False, gridspec_kw={"hspace": 0.75})
    for axes, (name, counts) in zip(panels[:, 0], spreads.items(), strict=True):
        numbers = np.array(sorted(counts), dtype=float)
        times = np.array([counts[number] for number in sorted(counts)], dtype=float)
        mean = float(numbers @ times / times.sum())
        shown = numbers[np.searchsorted(times.cumsum(), 0.99 * times.sum())]
        low, high = numbers[0], max(shown, numbers[0] + 1)
        step = np.ceil((high - low + 1) / MAX_BINS)
        edges = np.arange(low - 0.5, high + step + 0.5, step)
        axes.hist(np.minimum(numbers, high), bins=edges, weights=times, color=AFTER, rwidth=0.9)
        for axis, most in ((axes.xaxis, 8), (axes.yaxis, 4)):
            axis.set_major_locator(MaxNLocator(most, integer=True, min_n_ticks=1))
        axes.axvline(min(mean, high), color=INK, linewidth=1.2, linestyle=(0, (3, 2)))
        axes.grid(False)
        axes.spines[:].set_visible(False)
        _style_ticks(axes)
        axes.set_title(
            f"{one_line(name, MAX_LABEL)}, mean {mean:.2f}", _font(10), loc="left", pad=5
        )
    figure.text(0, 1 + 0.42 / figure.get_figheight(), _wrapped(title, figure), _font(12))
    return _png(figure)


@dataclass(frozen=True)
class Point:
    """The mean of some days' instances: when, how much, and the ends of its interval."""

    day: date
    mean: float
    low: float
    high: float


def timeline(
    series: Mapping[str, Sequence[Point]], cutoffs: Mapping[str, date], title: str
) -> bytes:
    """Plots each model's scores along the dates of instances, its training cut-off as a line.

    Args:
        series: model to its points; those up to the cut-off are orange, later ones blue.
        cutoffs: model to cut-off, for the models of `series`.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    >>> points = [Point(date(2024, 1, 15), 0.5, 0.4, 0.6), Point(date(2024, 2, 14), 0.4, 0.3, 0.5)]
    >>> timeline({"a": points}, {"a": date(2024, 1, 31)}, "EMS by date")[1:4]
    b'PNG'
    """
    from matplotlib.dates import AutoDateLocator, DateFormatter, date2num

    days = [date2num(point.day) for points in series.values() for point in points]
    margin = max(1, 0.03 * (max(days) - min(days)))
    span = min(days) - margin, max(days) + margin
    figure = _figure(PANEL[0], PANEL[1] * len(series))
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1)
    panels = figure.subplots(len(series), sharex=True, squeeze=False, gridspec_kw={"hspace": 0.4})
    for axes, (model, points) in zip(panels[:, 0], series.items(), strict=True):
        axes.set_xlim(span)
        _panel(axes, model, points, cutoffs[model])
    dates = panels[-1, 0].xaxis
    dates.set_major_locator(AutoDateLocator(minticks=3, maxticks=6))
    dates.set_major_formatter(DateFormatter("%Y-%m-%d"))
    _style_ticks(panels[-1, 0])
    figure.text(0, 1 + 0.42 / figure.get_figheight(), _wrapped(title, figure), _font(12))
    return _png(figure)


def _panel(axes: Axes, model: str, points: Sequence[Point], cutoff: date) -> None:
    from matplotlib.dates import date2num

    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.5, 1])
    axes.grid(False)
    axes.grid(axis="y", color=PALE, linewidth=1, linestyle="-")
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    _style_ticks(axes)
    axes.set_title(f"{one_line(model, MAX_LABEL)}, cut-off {cutoff}", _font(10), loc="left", pad=5)
    # A cut-off before or after all instances stands at the edge.
    edge = np.clip(date2num(cutoff), *axes.get_xlim())
    axes.axvline(edge, color=INK, linewidth=1.2, linestyle=(0, (3, 2)), clip_on=False, zorder=1)
    for color, early in ((BEFORE, True), (AFTER, False)):
        for point in (p for p in points if (p.day <= cutoff) == early):
            day = date2num(point.day)
            axes.vlines(day, point.low, point.high, color=color, linewidth=1.6, zorder=2)
            axes.plot(day, point.mean, "o", color=color, markersize=5, clip_on=False, zorder=3)


def _figure(width: float, height: float) -> Figure:
    """A figure whose axes measure as many inches; what stands around them comes on top."""
    from matplotlib.figure import Figure

    return Figure((width, height), dpi=DPI, facecolor="white")


def _font(size: float, color: str = INK) -> dict[str, Any]:
    # A name may hold two dollars, and is no formula.
    font = {"family": FONT, "size": size, "color": color, "weight": "normal"}
    return {**font, "parse_math": False}


def _style_ticks(axes: Axes) -> None:
    axes.tick_params(length=0, pad=6, labelsize=8, labelcolor=GRAY, labelfontfamily=FONT)


def _wrapped(title: str, figure: Figure) -> str:
    """The title on lines about as wide as the figure, or as wide as a short sentence."""
    return textwrap.fill(one_line(title), max(40, int(figure.get_figwidth() * 11)))


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(
        buffer,
        format="png",
        dpi=DPI,
        facecolor="white",
        transparent=False,
        bbox_inches="tight",
        pad_inches=0.2,
        metadata={"Software": None},  # Matplotlib's version
    )
    return buffer.getvalue()
