"""Plots of tables: correlations, scores along dates, bars, histograms, scores against sizes and
lengths, shares on a radar; and rows of pictures.

Of Matplotlib's global state only the list of its fonts changes, behind a lock: plots may be drawn from several
threads, and the same numbers give the same bytes.
"""

from __future__ import annotations

import io
import math
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import chain, cycle, islice, product
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.machine.fonts import Font, installed_fonts
from helm_structext.results.statistics import Floats
from helm_structext.results.tabular import SCORE, format_cell
from helm_structext.texts import make_printable, one_line

if TYPE_CHECKING:  # Matplotlib takes a while to import, and most commands plot nothing.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONT = "DejaVu Sans"
"""Comes with Matplotlib; what it lacks is drawn by other fonts of the machine."""

ADDING = Lock()
"""Held by whoever adds one of these to Matplotlib's list."""

INK, GRAY, PALE = "#222222", "#777777", "#e4e4e4"
BEFORE, AFTER = "#c2571a", "#1f6fb2"

DPI = 144
MAX_LABEL, MAX_TITLE = 100, 500
"""Characters."""
CELL = 0.58
"""Edge of a cell of the heat map, in inches."""
PANEL = (7.2, 1.5)
"""Width and height of a model's panel in the timeline, in inches."""
PLOT = (4.6, 3.4)
"""Width of bars and points, and the least height of points, in inches: a figure is as wide as a page of print."""
BAR, LINE = 0.26, 0.2
"""Height of a bar with what is left below it, and of a label, in inches."""
DOT = 0.11
"""Height of the line of a dot, in inches."""
MAX_BARS = 200
"""Of a plot; more are left out, which its title says."""
NO_INTERVAL = (np.nan, np.nan)
HISTOGRAM = (7.2, 1.3)
"""Width and height of a histogram, in inches."""
MAX_BINS = 60
RADAR = 3.6
"""Diameter of a radar, in inches."""

COLORS = (
    "#1f6fb2",
    "#c2571a",
    "#2a8a57",
    "#8a4fa3",
    "#b0862a",
    "#3b9aa8",
    "#c04673",
    "#555555",
    "#111111",
)
"""Of kinds of points and of lines, which can be told apart on paper and by the color-blind."""
LINES = [(style, color) for style, color in product(("-", (0, (4, 2))), COLORS)]
"""Style and color of as many lines as a radar can show."""
TICKS = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 2, 5)]
"""Of an axis in powers."""
GRID = 4
"""Pictures side by side."""
BOX = 2.4
"""Width of the box of a picture in a grid, in inches."""
LEAST_SHAPE, LARGEST_SHAPE = 0.35, 1.3
"""Height of the boxes for each width, of what is wide and of what is tall."""
WRAPPED = 40
"""Letters that are as wide as a box."""
MARGIN = 0.05
"""Of what is in a box, in inches."""
TEXT_LINE = 0.125
"""Height of a line of text in a box, in inches."""
WIDE = 20
"""Lengths that differ by more than this factor are on a logarithmic axis."""


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

    labels = [_label(label) for label in labels]
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
    font = _font(10, texts=labels)
    axes.set_yticks(middles, labels, **font)
    axes.set_xticks(middles, labels, **font, rotation=45, ha="left", rotation_mode="anchor")
    _write_title(axes, title, figure, 14)
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
        _style_grid(axes)
        _style_ticks(axes)
        label = f"{_label(name)}, mean {mean:.2f}"
        axes.set_title(label, _font(10, texts=[label]), loc="left", pad=5)
    _write_title_above(figure, title)
    return _png(figure)


class BinMean(NamedTuple):
    """The mean of the instances from one length to another, and the ends of its interval."""

    start: float
    end: float
    mean: float
    low: float
    high: float


def length_panels(
    points: Mapping[str, tuple[Floats, Floats]],
    means: Mapping[str, Sequence[BinMean]],
    title: str,
    unit: str,
    most: float = 1,
) -> bytes:
    """Plots each model's scores against the length of what was asked for, with means of bins.

    Args:
        points: model to lengths above 0, and to as many scores; NaN is no point.
        means: model to its bins, for the models of `points`.
        title: is written above.
        unit: of the lengths, which is written below.
        most: the highest score that there may be.

    Returns:
        Bytes of a PNG file.

    >>> points = {"a": (np.array([10.0, 20.0]), np.array([0.5, 0.4]))}
    >>> length_panels(points, {"a": [BinMean(10, 20, 0.45, 0.4, 0.5)]}, "EMS", "characters")[1:4]
    b'PNG'
    """
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    every = np.concatenate([lengths for lengths, _ in points.values()])
    lowest = min(0.0, *(float(np.nanmin(scores, initial=0)) for _, scores in points.values()))
    figure = _figure(PANEL[0], PANEL[1] * len(points))
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1)
    panels = figure.subplots(len(points), sharex=True, squeeze=False, gridspec_kw={"hspace": 0.4})
    for axes, (model, (lengths, scores)) in zip(panels[:, 0], points.items(), strict=True):
        _style_grid(axes, "y")
        _style_ticks(axes)
        name = _label(model)
        axes.set_title(name, _font(10, texts=[name]), loc="left", pad=5)
        axes.set_ylim(lowest, most)
        axes.set_yticks([most * share for share in (0, 0.5, 1)])
        style: dict[str, Any] = {"color": GRAY, "alpha": 0.5, "linewidths": 0, "clip_on": False}
        axes.scatter(lengths, scores, s=8, zorder=1, **style)
        for start, end, mean, low, high in means[model]:
            middle = float(np.sqrt(start * end))
            axes.plot([start, end], [mean, mean], color=AFTER, linewidth=1.6, zorder=3)
            axes.plot(middle, mean, "o", color=AFTER, markersize=4, clip_on=False, zorder=3)
            axes.vlines(middle, low, high, color=AFTER, linewidth=1.6, zorder=2)
    ticks = panels[-1, 0]
    if every.max() > WIDE * every.min():  # most instances are short, and a few very long
        ticks.set_xscale("log")
        ticks.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        ticks.xaxis.set_minor_locator(NullLocator())
    ticks.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    ticks.set_xlabel(_label(unit), _font(9, GRAY, [_label(unit)]))
    _write_title_above(figure, title)
    return _png(figure)


@dataclass(frozen=True)
class PictureCell:
    """A picture of a grid, with what is said of it.

    Args:
        label: above it.
        picture: in RGB, or None.
        text: what stands in its place.
        below: what stands below it.
    """

    label: str
    picture: Image.Image | None = None
    text: str = ""
    below: str = ""


def picture_grid(cells: Sequence[PictureCell], title: str) -> bytes:
    """Plots pictures in rows on white, each in a box of one size, as large as it fits.

    Args:
        cells: at least one; of more than `GRID` in a row the others stand below.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    >>> from PIL import Image
    >>> picture_grid([PictureCell("Reference", Image.new("RGB", (9, 9))), PictureCell("a")], "One")[1:4]
    b'PNG'
    """
    shapes = [cell.picture.height / cell.picture.width for cell in cells if cell.picture]
    # The first is what the others should look like.
    shape = shapes[0] if cells[0].picture else max(shapes, default=1)
    height = BOX * min(max(shape, LEAST_SHAPE), LARGEST_SHAPE)
    notes = [
        [*map(_label, textwrap.wrap(make_printable(cell.below), _letters_in_box(cell.below)))]
        for cell in cells
    ]
    lines = max(map(len, notes))
    columns = min(len(cells), GRID)
    step = height + 0.3 + 0.17 * lines + 0.14
    rows = -(-len(cells) // columns)
    figure = _figure(columns * (BOX + 0.16), rows * step)
    whole = figure.get_figwidth(), figure.get_figheight()
    for number, (cell, note) in enumerate(zip(cells, notes, strict=True)):
        row, column = divmod(number, columns)
        left, bottom = column * (BOX + 0.16), whole[1] - row * step - 0.3 - height
        place = (left / whole[0], bottom / whole[1], BOX / whole[0], height / whole[1])
        axes = figure.add_axes(place, facecolor="white", xticks=[], yticks=[])
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set(visible=True, color=PALE, linewidth=1)
        label = _label(cell.label, _letters_in_box(cell.label) - 4)
        axes.set_title(label, _font(8.5, texts=[label]), loc="left", pad=4)
        axes.set(xlim=(0, BOX), ylim=(0, height))
        if cell.picture:
            fitted, extent = _fit(cell.picture, BOX, height)
            axes.imshow(fitted, extent=extent, aspect="auto", zorder=0)
            axes.set(xlim=(0, BOX), ylim=(0, height))
        else:
            said = _wrap_text(cell.text, int(height / TEXT_LINE))
            font = _font(7, GRAY, texts=[said])
            axes.text(MARGIN, height - MARGIN, said, font, va="top", clip_on=True)
        axes.text(0, -0.05, "\n".join(note), _font(7.5, texts=note), va="top")
    text = _wrap(title, figure)
    figure.text(0, 1 + 0.12 / whole[1], text, _font(10, texts=[text]), va="bottom")
    return _png(figure)


def _fit(
    picture: Image.Image, width: float, height: float
) -> tuple[Image.Image, tuple[float, float, float, float]]:
    """A picture as large as fits in a box of so many inches, and its edges there."""
    scale = min((width - 2 * MARGIN) / picture.width, (height - 2 * MARGIN) / picture.height)
    wide, high = picture.width * scale, picture.height * scale
    size = max(1, round(wide * DPI)), max(1, round(high * DPI))
    fitted = picture.resize(size, resample=1, reducing_gap=2.0)  # Lanczos
    left, bottom = (width - wide) / 2, (height - high) / 2
    return fitted, (left, left + wide, bottom, bottom + high)


def _wrap_text(text: str, lines: int) -> str:
    """The first lines of a text, each as wide as a box at most."""
    shown = make_printable(text[: WRAPPED * lines])
    width = _letters_in_box(shown)
    found = [part for line in shown.splitlines() for part in textwrap.wrap(line, width) or [""]]
    cut = len(found) > lines or len(text) > len(shown)
    left = [*found[: lines - 1], "…"] if cut else found
    return "\n".join(" " * (len(line) - len(line.lstrip())) + _label(line) for line in left)


def _letters_in_box(text: str) -> int:
    """How many letters of a text are as wide as a box; some take the place of two."""
    wide = any(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return WRAPPED // 2 if wide else WRAPPED


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
    _write_title_above(figure, title)
    return _png(figure)


def _panel(axes: Axes, model: str, points: Sequence[Point], cutoff: date) -> None:
    from matplotlib.dates import date2num

    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.5, 1])
    _style_grid(axes, "y")
    _style_ticks(axes)
    name = f"{_label(model)}, cut-off {cutoff}"
    axes.set_title(name, _font(10, texts=[name]), loc="left", pad=5)
    # A cut-off before or after all instances stands at the edge.
    edge = np.clip(date2num(cutoff), *axes.get_xlim())
    axes.axvline(edge, color=INK, linewidth=1.2, linestyle=(0, (3, 2)), clip_on=False, zorder=1)
    for color, early in ((BEFORE, True), (AFTER, False)):
        for point in (p for p in points if (p.day <= cutoff) == early):
            day = date2num(point.day)
            axes.vlines(day, point.low, point.high, color=color, linewidth=1.6, zorder=2)
            axes.plot(day, point.mean, "o", color=color, markersize=5, clip_on=False, zorder=3)


def horizontal_bars(
    bars: Mapping[str, tuple[float, tuple[float, float]]],
    title: str,
    most: float = 1,
    format: str = SCORE,
) -> bytes:
    """Plots a bar for each of some numbers, with its interval and the number behind it.

    Args:
        bars: label to number and the ends of its interval, `NO_INTERVAL` where there is none; from top to bottom.
        title: is written above.
        most: where the axis ends.
        format: of the numbers.

    Returns:
        Bytes of a PNG file.

    >>> horizontal_bars({"Text → TOML": (0.32, (0.25, 0.4))}, "Hardest tasks")[1:4]
    b'PNG'
    """
    if len(bars) > MAX_BARS:
        title = f"{title} (the first {MAX_BARS} of {len(bars):,})"
        bars = dict(islice(bars.items(), MAX_BARS))
    labels = [_label(label) for label in bars]
    figure = _figure(PLOT[0], BAR * max(len(bars), 1))
    axes = figure.add_axes((0, 0, 1, 1))
    least = min([0, *(value for value, _ in bars.values())])
    axes.set_xlim(least, most)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.axvline(0, color=GRAY, linewidth=0.8)
    for place, (value, interval) in enumerate(bars.values()):
        axes.barh(place, value, height=0.62, color=AFTER)
        axes.hlines(place, *interval, color=INK, linewidth=1.2)
        end = np.nanmax([value, 0, interval[1]])
        number = f" {format_cell(float(value), format)}"
        axes.text(end, place, number, _font(9), ha="left", va="center", clip_on=False)
    _style_grid(axes, "x")
    _style_ticks(axes)
    axes.set_yticks(range(len(bars)), labels, **_font(10, texts=labels))
    _write_title(axes, title, figure, 10)
    return _png(figure)


def draw_intervals(
    groups: Mapping[str, Mapping[str, tuple[float, tuple[float, float]]]], title: str
) -> bytes:
    """Plots dots with their intervals, a line of them for each name, in groups one below the other.

    Args:
        groups: group to name, to number and the ends of its interval, `NO_INTERVAL` where there is none; a name has
            its color in all groups.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    >>> draw_intervals({"svg": {"image": (0.2, (0.1, 0.4)), "layout": (0.3, NO_INTERVAL)}}, "Presets")[1:4]
    b'PNG'
    """
    names = dict.fromkeys(name for group in groups.values() for name in group)
    colors = dict(zip(names, cycle(COLORS), strict=False))
    lines = sum(map(len, groups.values())) + len(groups)
    figure = _figure(PLOT[0], DOT * max(lines, 1))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_ylim(max(lines, 1) - 0.5, -0.5)
    middles, line = [], 0
    for group in groups.values():
        middles.append(line + (len(group) - 1) / 2)
        for name, (value, interval) in group.items():
            axes.hlines(line, *interval, color=colors[name], linewidth=1.2)
            axes.plot(value, line, "o", color=colors[name], markersize=3.5)
            line += 1
        axes.axhline(line, color=PALE, linewidth=1)
        line += 1
    axes.axvline(0, color=GRAY, linewidth=0.8)
    _style_grid(axes, "x")
    _style_ticks(axes)
    labels = [_label(group) for group in groups]
    axes.set_yticks(middles, labels, **_font(10, texts=labels))
    legend = {name: ("o", "", color) for name, color in colors.items()}
    _write_legend(axes, legend, "upper left", (1.02, 1))
    _write_title(axes, title, figure, 10)
    return _png(figure)


def draw_curves(
    curves: Mapping[str, Sequence[tuple[float, float]]], title: str, what: str
) -> bytes:
    """Plots values over something that grows, a line for each name.

    Args:
        curves: name to pairs of place and value.
        title: is written above.
        what: grows; is written below.

    Returns:
        Bytes of a PNG file.

    >>> draw_curves({"reward": [(1, 0.2), (2, 0.4)]}, "Training", "steps")[1:4]
    b'PNG'
    """
    figure = _figure(*PLOT)
    axes = figure.add_axes((0, 0, 1, 1))
    shown = dict(zip(curves, cycle(LINES), strict=False))
    for name, (style, color) in shown.items():
        places, values = zip(*curves[name], strict=True) if curves[name] else ((), ())
        axes.plot(places, values, linestyle=style, color=color, linewidth=1.6)
    _style_grid(axes, "y")
    _style_ticks(axes)
    axes.set_xlabel(_label(what), _font(9))
    legend = {name: ("", style, color) for name, (style, color) in shown.items()}
    _write_legend(axes, legend, "upper left", (1.02, 1))
    _write_title(axes, title, figure, 10)
    return _png(figure)


@dataclass(frozen=True)
class Mark:
    """A point with a name.

    Args:
        label: its name.
        x: above 0.
        y: the number.
        interval: of `y`, NaN where it is not known.
        kind: points of one kind have one color.
    """

    label: str
    x: float
    y: float
    interval: tuple[float, float]
    kind: str = ""


def scatter(
    marks: Sequence[Mark], title: str, x_label: str, y_label: str, most: float = 1
) -> bytes:
    """Plots points over an axis in powers, each with its interval, and its name at the right.

    Args:
        marks: at least one.
        title: is written above.
        x_label: what `Mark.x` is.
        y_label: what `Mark.y` is.
        most: where the other axis ends.

    Returns:
        Bytes of a PNG file.

    >>> scatter([Mark("me/small", 7, 0.5, (0.4, 0.6), "open")], "Size", "billions", "EMS")[1:4]
    b'PNG'
    """
    figure = _figure(PLOT[0], max(PLOT[1], 1.1 * LINE * len(marks)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xscale("log")
    low, high = min(mark.x for mark in marks) / 1.5, max(mark.x for mark in marks) * 1.5
    least = min([0, *(mark.y for mark in marks)])
    axes.set_xlim(low, high)
    axes.set_ylim(least, most)
    colors = dict(zip(dict.fromkeys(mark.kind for mark in marks), COLORS, strict=False))
    heights = [mark.y for mark in marks]
    step = (most - least) * LINE / figure.get_figheight()
    for mark, height in zip(marks, _apart(heights, step, least, most), strict=True):
        color, label = colors[mark.kind], _label(mark.label)
        axes.vlines(mark.x, *mark.interval, color=color, linewidth=1.2, zorder=2)
        axes.plot(mark.x, mark.y, "o", color=color, markersize=6, clip_on=False, zorder=3)
        axes.annotate(
            label,
            (mark.x, mark.y),
            (1.03, (height - least) / (most - least)),
            textcoords="axes fraction",
            va="center",
            arrowprops={
                **{"arrowstyle": "-", "relpos": (0, 0.5)},
                **{"color": color, "linewidth": 0.5, "alpha": 0.6},
            },
            annotation_clip=False,
            **_font(9, texts=[label]),
        )
    _style_grid(axes, "both")
    _style_ticks(axes)
    ticks = [tick for tick in TICKS if low <= tick <= high] or [marks[0].x]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    kinds = [kind for kind in colors if kind]
    for write, text in ((axes.set_xlabel, x_label), (axes.set_ylabel, y_label)):
        write(_label(text), _font(9, texts=[_label(text)]), labelpad=6)
    if len(kinds) > 1:
        legend = {kind: ("o", "", colors[kind]) for kind in kinds}
        _write_legend(axes, legend, "upper right", (1, -0.42 / figure.get_figheight()), len(kinds))
    _write_title(axes, title, figure, 10)
    return _png(figure)


def _apart(heights: Sequence[float], step: float, least: float, most: float) -> list[float]:
    """Heights of labels as near to their points as lets them stand apart, in the order of the points.

    >>> _apart([0.5, 0.5, 0.1], 0.25, 0.0, 1.0)
    [0.5, 0.75, 0.125]
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    free = max((most - least) - step * len(heights), 0)
    # What remains of a height when the labels below it are taken away grows from label to label.
    bare = [heights[place] - least - (i + 0.5) * step for i, place in enumerate(order)]
    places = np.clip(np.maximum.accumulate(bare), 0, free)
    found = dict(zip(order, places, strict=True))
    rank = {place: i for i, place in enumerate(order)}
    return [float(least + found[p] + (rank[p] + 0.5) * step) for p in range(len(heights))]


def radar(axes: Sequence[str], lines: Mapping[str, Sequence[float | None]], title: str) -> bytes:
    """Plots shares on an axis each, from the middle to the rim, with a line for each model.

    Args:
        axes: labels, from the top to the right.
        lines: model to a share from 0 to 1 for each axis; where one is missing, the line has a gap. Of more
            than `LINES` the first are shown, and the title says so.
        title: is written above.

    Returns:
        Bytes of a PNG file.

    Raises:
        ValueError: a line has more or fewer shares than there are axes.

    >>> radar(["Label", "Pos.", "Size"], {"me/small": [0.5, None, 1.0]}, "Right answers")[1:4]
    b'PNG'
    """
    for model, shares in lines.items():
        if len(shares) != len(axes):
            raise ValueError(f"lines: expected {len(axes)} shares, got {len(shares)} for {model}")
    figure = _figure(RADAR, RADAR)
    plot = figure.add_axes((0, 0, 1, 1), projection="polar")
    plot.set_theta_zero_location("N")  # type: ignore[attr-defined]
    plot.set_theta_direction(-1)  # type: ignore[attr-defined]
    angles = np.linspace(0, 2 * math.pi, len(axes), endpoint=False)
    shown = dict(zip(lines, LINES, strict=False))
    for model, (style, color) in shown.items():
        ring: Floats = np.array(lines[model], dtype=float)
        plot.plot(
            np.append(angles, angles[:1]),
            np.append(ring, ring[:1]),
            color=color,
            linestyle=style,
            linewidth=1.6,
            marker="o",
            markersize=3,
            clip_on=False,
        )
    plot.set_ylim(0, 1)
    plot.grid(True, color=PALE, linewidth=1, linestyle="-")
    plot.spines["polar"].set_color(PALE)
    _style_ticks(plot)
    plot.set_yticks([0.25, 0.5, 0.75, 1], ["", "0.5", "", "1"])
    plot.set_rlabel_position(180 / max(len(axes), 1))  # type: ignore[attr-defined]
    plot.set_xticks(angles, [])
    labels = [_label(axis) for axis in axes]
    for angle, label in zip(angles, labels, strict=True):
        side = round(math.sin(angle), 3)
        plot.text(
            angle,
            1.08,
            label,
            _font(9, texts=[label]),
            ha="left" if side > 0 else "right" if side < 0 else "center",
            va="bottom" if math.cos(angle) > 0.5 else "top" if math.cos(angle) < -0.5 else "center",
        )
    legend = {model: ("", style, color) for model, (style, color) in shown.items()}
    _write_legend(plot, legend, "upper left", (0, -0.14))
    some = f" (the first {len(shown)} of {len(lines)} models)" if len(shown) < len(lines) else ""
    _write_title(plot, f"{title}{some}", figure, 34)
    return _png(figure)


def _write_legend(
    axes: Axes,
    rows: Mapping[str, tuple[str, Any, str]],
    place: Any,
    anchor: tuple[float, float],
    columns: int = 1,
) -> None:
    """Says which marker, line style and color is what."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.lines import Line2D

    labels = [_label(row) for row in rows]
    handles = [
        Line2D([], [], marker=marker, linestyle=style, color=color, markersize=5, linewidth=1.6)
        for marker, style, color in rows.values()
    ]
    legend = axes.legend(
        handles,
        labels,
        loc=place,
        bbox_to_anchor=anchor,
        ncols=columns,
        frameon=False,
        borderaxespad=0.6,
        prop=FontProperties(family=_families("".join(labels)), size=9),
        labelcolor=INK,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _figure(width: float, height: float) -> Figure:
    """A figure whose axes measure as many inches; what stands around them comes on top."""
    from matplotlib.figure import Figure

    return Figure((width, height), dpi=DPI, facecolor="white")


def _font(size: float, color: str = INK, texts: Iterable[str] = ()) -> dict[str, Any]:
    """What texts are written in; only those with other signs than digits and letters need to be named."""
    # A name may hold two dollars, and is no formula.
    font = {"family": _families("".join(texts)), "size": size, "color": color, "weight": "normal"}
    return {**font, "parse_math": False}


def _label(text: str, length: int = MAX_LABEL) -> str:
    """A text of others in one line; what no font of the machine has is a question mark, and no box."""
    return "".join(
        sign if _family_of(sign) else "" if unicodedata.category(sign) in ("Mn", "Cf") else "?"
        for sign in one_line(text, length)
    )


def _families(text: str) -> list[str]:
    """The fonts that have all signs of a text, the usual one first."""
    return [*dict.fromkeys([FONT, *(family for sign in text if (family := _family_of(sign)))])]


@lru_cache(maxsize=4096)
def _family_of(sign: str) -> str | None:
    """A font of the machine that has a sign and can be drawn, as Matplotlib knows it, or None."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

    usual = Path(findfont(FontProperties(family=FONT)))
    others: Sequence[Font] = ()
    if sign > "~":
        with suppress(SetupError):  # no fontconfig
            others = installed_fonts()
    for path in chain([usual], (font.path for font in reversed(others) if font.has(sign))):
        try:
            face = get_font(path)
        except (OSError, RuntimeError):  # a font of bitmaps
            continue
        if not face.get_char_index(ord(sign)) or not face.scalable:
            continue
        with ADDING:
            if face.family_name not in fontManager.get_font_names():
                fontManager.addfont(path)
        return str(face.family_name)
    return None


def _style_grid(axes: Axes, which: Any = None) -> None:
    axes.grid(False)
    if which:
        axes.grid(axis=which, color=PALE, linewidth=1, linestyle="-")
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)


def _write_title(axes: Axes, title: str, figure: Figure, pad: float) -> None:
    text = _wrap(title, figure)
    axes.set_title(text, _font(12, texts=[text]), loc="left", pad=pad)


def _write_title_above(figure: Figure, title: str) -> None:
    """Writes a title above all panels of a figure."""
    text = _wrap(title, figure)
    figure.text(0, 1 + 0.42 / figure.get_figheight(), text, _font(12, texts=[text]))


def _style_ticks(axes: Axes) -> None:
    axes.tick_params(length=0, pad=6, labelsize=8, labelcolor=GRAY, labelfontfamily=FONT)


def _wrap(title: str, figure: Figure) -> str:
    """The title on lines about as wide as the figure, or as wide as a short sentence."""
    return textwrap.fill(_label(title, MAX_TITLE), max(40, int(figure.get_figwidth() * 11)))


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
