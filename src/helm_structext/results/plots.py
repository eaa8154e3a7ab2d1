"""Plots of tables: a heat map of correlations, and scores along the dates of instances.

Nothing is left to Matplotlib's global state, so plots may be drawn from several threads, and the
same numbers give the same bytes.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

import numpy as np
from PIL import Image

from helm_structext.results.statistics import Floats
from helm_structext.texts import make_printable, one_line

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
"""Width and height of a model's panel, in inches."""
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
        axes.grid(False)
        axes.grid(axis="y", color=PALE, linewidth=1, linestyle="-")
        axes.set_axisbelow(True)
        axes.spines[:].set_visible(False)
        _style_ticks(axes)
        axes.set_title(one_line(model, MAX_LABEL), _font(10), loc="left", pad=5)
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
    ticks.set_xlabel(one_line(unit, MAX_LABEL), _font(9, GRAY))
    figure.text(0, 1 + 0.42 / figure.get_figheight(), _wrapped(title, figure), _font(12))
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
    notes = [textwrap.wrap(make_printable(c.below), _letters_in_box(c.below)) for c in cells]
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
        label = one_line(cell.label, _letters_in_box(cell.label) - 4)
        axes.set_title(label, _font(8.5), loc="left", pad=4)
        axes.set(xlim=(0, BOX), ylim=(0, height))
        if cell.picture:
            fitted, extent = _fit(cell.picture, BOX, height)
            axes.imshow(fitted, extent=extent, aspect="auto", zorder=0)
            axes.set(xlim=(0, BOX), ylim=(0, height))
        else:
            said = _wrap_text(cell.text, int(height / TEXT_LINE))
            axes.text(MARGIN, height - MARGIN, said, _font(7, GRAY), va="top", clip_on=True)
        axes.text(0, -0.05, "\n".join(note), _font(7.5), va="top")
    figure.text(0, 1 + 0.12 / whole[1], _wrapped(title, figure), _font(10), va="bottom")
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
    return "\n".join([*found[: lines - 1], "…"] if cut else found)


def _letters_in_box(text: str) -> int:
    """How many letters of a text are as wide as a box; some take the place of two."""
    wide = any(east_asian_width(letter) in "WF" for letter in text)
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
