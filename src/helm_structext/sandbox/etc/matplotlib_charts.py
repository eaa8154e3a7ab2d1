"""The data of a figure's plots, read from what Matplotlib has drawn: artists, axes, legends.

It is told in the form that `helm_structext.layouts.read_charts` reads. Axes of colors and in space have no data of
their own here. What code draws as bare patches has none either.
"""

import contextlib
import functools
import itertools
import math
import signal
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import matplotlib.collections as collections
import numpy as np
from matplotlib.axes import Axes
from matplotlib.category import StrCategoryFormatter
from matplotlib.colors import to_rgba
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.image import AxesImage
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Rectangle, Wedge
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

MAX_AXES = 100
MAX_POINTS = 20_000
"""Of a figure; further ones are not told."""
MAX_SERIES = 1000
MAX_TICKS = 1000
SECONDS = 2.0
"""For all: objects of the code may take any time to answer."""
MIN_BINS = 3
FAINT = 0.5
"""Opacity below which an area beside lines is their range."""
UNSEEN = ("none", "", " ")
"""Styles of lines and of marks that are not drawn."""
POINTS = 72
"""Of an inch."""
DASHES = {"-": "solid", "--": "dashed", ":": "dotted", "-.": "dash-dotted"}
MARKERS = {
    **{"o": "circles", ".": "dots", ",": "dots", "s": "squares", "D": "diamonds", "d": "diamonds"},
    **{"^": "upward triangles", "v": "downward triangles", "*": "stars", "p": "pentagons"},
    **{"<": "left triangles", ">": "right triangles", "h": "hexagons", "H": "hexagons"},
    **{"x": "crosses", "X": "crosses", "+": "plus signs", "P": "plus signs"},
    **{"|": "strokes", "_": "strokes"},
}
"""Matplotlib's names to those that are told; so are `DASHES`."""
DOT = 3.0
"""Points from the middle of a mark to its side."""
boxplots: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()
"""Axes to their box plots: statistics, and the artists of each."""


class TooLong(Exception):
    """Reading takes too long."""


def watch_boxplots() -> None:
    """Notes what box plots show, which can't be read from their artists."""
    axes: Any = Axes
    draw = axes.bxp

    def bxp(self: Any, bxpstats: Any, *arguments: Any, **options: Any) -> Any:
        drawn = draw(self, bxpstats, *arguments, **options)
        with contextlib.suppress(Exception):
            boxplots.setdefault(self, []).append((list(bxpstats), drawn))
        return drawn

    axes.bxp = bxp


def read_charts(figure: Any, height: float, mixed: Any) -> list[Any] | None:
    """The plots of a figure that has just been drawn; None where they can't be read.

    Args:
        figure: may be anything that the code has made of it.
        height: of the picture, in pixels.
        mixed: from a color and an opacity to what is seen of it.
    """

    def stop(*ignored: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return FigureReader(figure, height, mixed).read()
    except BaseException:  # Objects of the code may raise anything, also what ends a script.
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class FigureReader:
    """Reads a figure's plots."""

    def __init__(self, figure: Any, height: float, mixed: Any) -> None:
        self.figure, self.height, self.mixed = figure, height, mixed
        self.left = MAX_POINTS

    def read(self) -> list[Any]:
        """All plots, in the order in which they were made."""
        drawn = (one for axes in self.figure.axes for one in (axes, *axes.child_axes))
        shown = [one for one in itertools.islice(drawn, MAX_AXES) if is_plot(one)]
        charts = [PlotReader(self, axes).read() for axes in shown]
        overall = text_of(getattr(self.figure, "_suptitle", None))
        legends = [entry for one in self.figure.legends for entry in self.legend(one)]
        if charts and overall and not charts[0]["title"]:
            charts[0]["title"] = overall
        if charts and legends:
            charts[0]["legend"] = charts[0]["legend"] or legends
        return charts

    def color(self, color: Any, alpha: Any = None) -> str:
        """What is seen of a color; "" for none."""
        with contextlib.suppress(ValueError, TypeError):
            levels = to_rgba(color, alpha)
            return str(self.mixed(levels, 1.0)[0]) if levels[3] > 0 else ""
        return ""

    def legend(self, legend: Any) -> list[list[str]]:
        """Texts of a legend with their colors."""
        if legend is None or not legend.get_visible():
            return []
        pairs = zip(legend.legend_handles, legend.get_texts(), strict=False)
        return [[text_of(text), self.artist_color(handle)] for handle, text in pairs][:MAX_TICKS]

    def artist_color(self, artist: Any) -> str:
        """What an artist is filled with, or else the color of its line."""
        if isinstance(artist, tuple | list | BarContainer | ErrorbarContainer):
            parts = [one for one in artist if one is not None]
            return self.artist_color(parts[0]) if parts else ""
        for name in ("get_facecolor", "get_color", "get_edgecolor"):
            if hasattr(artist, name):
                found = getattr(artist, name)()
                several = isinstance(found, np.ndarray) and found.ndim > 1
                first = next(iter(found), ()) if several else found
                if len(first) and (color := self.color(first)):
                    return color
        return ""

    def box(self, extent: Any) -> list[float] | None:
        """A box in pixels from the upper left corner."""
        left, bottom, right, top = (float(side) for side in extent)
        if not all(map(math.isfinite, (left, bottom, right, top))):
            return None
        return [
            round(side, 1)
            for side in (
                min(left, right),
                self.height - max(top, bottom),
                max(left, right),
                self.height - min(top, bottom),
            )
        ]


class PlotReader:
    """Reads one plot."""

    def __init__(self, reader: FigureReader, axes: Any) -> None:
        self.reader, self.axes = reader, axes
        self.names = {"x": tick_names(axes.xaxis), "y": tick_names(axes.yaxis)}
        self.series: list[Any] = []
        self.labels: list[str] = []
        self.horizontal = False
        self.legend = reader.legend(axes.get_legend())
        colors = [color for _, color in self.legend]
        self.called = {color: text for text, color in self.legend if colors.count(color) == 1}
        self.taken: set[int] = set()

    def read(self) -> dict[str, Any]:
        """The plot, in the form that is told."""
        axes = self.axes
        for read in (
            self.read_boxes,
            self.read_bars,
            self.read_lines,
            self.read_collections,
            self.read_wedges,
            self.read_images,
        ):
            read()
        self.keep_names()
        titles = (axes.get_title(loc=side) for side in ("center", "left", "right"))
        pie = any(one[1] == "pie" for one in self.series)
        return {
            "title": next(filter(None, titles), ""),
            "x": [] if pie else self.axis("x"),
            "y": [] if pie else self.axis("y"),
            "series": self.series,
            "legend": self.legend,
            "horizontal": self.horizontal,
            "box": self.reader.box(axes.bbox.extents),
        }

    def axis(self, name: str) -> list[Any]:
        """An axis, in the form that is told."""
        axis = getattr(self.axes, f"{name}axis")
        low, high = sorted(map(float, getattr(self.axes, f"get_{name}lim")()))
        log = axis.get_scale() == "log"
        names = [text for _, text in self.names[name]]
        ends = [None, None] if names else [low, high]
        return [axis.get_label_text(), *ends, log, names]

    def add(
        self,
        artist: Any,
        mark: str,
        color: str,
        points: Sequence[list[Any]],
        name: str = "",
        style: Sequence[Any] | None = None,
    ) -> None:
        """Notes a series, as far as there is room."""
        label = artist.get_label() if hasattr(artist, "get_label") else ""
        own = label if isinstance(label, str) and not label.startswith("_") else ""
        told = list(points)[: self.reader.left]
        if told and len(self.series) < MAX_SERIES:
            self.reader.left -= len(told)
            self.series.append([name or self.called.get(color, own), mark, color, told, style])
            self.labels.append(name or own)

    def keep_names(self) -> None:
        """Leaves a name of the legend to the series that has it as its label, where others have its color."""
        labeled = {
            one[0] for one, label in zip(self.series, self.labels, strict=True) if one[0] == label
        }
        for one, label in zip(self.series, self.labels, strict=True):
            if one[0] in labeled:
                one[0] = label

    def place(self, name: str, at: float) -> Any:
        """The category of a place on an axis, or the place itself."""
        ticks = self.names[name]
        if not ticks:
            return float(at)
        reach = min((abs(b - a) for (a, _), (b, _) in itertools.pairwise(ticks)), default=1.0)
        tick, text = min(ticks, key=lambda one: abs(one[0] - at))
        return text if abs(tick - at) <= 0.55 * reach else float(at)

    def dot(self, x: float, y: float) -> list[float] | None:
        """The box of a mark."""
        across, up = self.axes.transData.transform((x, y))
        half = DOT * self.reader.figure.dpi / POINTS
        return self.reader.box((across - half, up - half, across + half, up + half))

    def read_boxes(self) -> None:
        """Notes each box of the box plots."""
        for stats, drawn in boxplots.get(self.axes, []):
            self.taken |= {id(one) for artists in drawn.values() for one in artists}
            for index, one in enumerate(stats):
                whole = [
                    drawn[part][number].get_path().get_extents(drawn[part][number].get_transform())
                    for part, number in (("boxes", index), ("medians", index))
                    if number < len(drawn[part]) and hasattr(drawn[part][number], "get_path")
                ]
                box = self.reader.box(whole[0].extents) if whole else None
                artist = drawn["boxes"][index] if index < len(drawn["boxes"]) else None
                middles = drawn["medians"][index] if index < len(drawn["medians"]) else None
                name = str(one.get("label", ""))
                if middles is not None:
                    x, y = (np.asarray(data, float) for data in middles.get_data(orig=False))
                    lying = len(set(y.tolist())) > 1 and len(set(x.tolist())) == 1
                    self.horizontal |= lying
                    where = self.place("y", y.mean()) if lying else self.place("x", x.mean())
                    name = where if isinstance(where, str) else name
                points: list[list[Any]] = [
                    ["low", float(one["whislo"]), "", None, box],
                    ["lower", float(one["q1"]), "", None, box],
                    ["median", float(one["med"]), "", None, box],
                    ["upper", float(one["q3"]), "", None, box],
                    ["high", float(one["whishi"]), "", None, box],
                    *(["outlier", float(it), "", None, None] for it in one.get("fliers", ())),
                ]
                color = "" if artist is None else self.reader.artist_color(artist)
                self.add(None, "box", color, points, name)

    def read_bars(self) -> None:
        """Notes the bars of each call."""
        for container in self.axes.containers:
            if isinstance(container, BarContainer):
                bars = [one for one in container.patches if isinstance(one, Rectangle)]
                self.taken |= {id(one) for one in bars}
                if bars:
                    self.read_bar_group(container, [one for one in bars if one.get_visible()])
            if isinstance(container, ErrorbarContainer):
                line, caps, ranges = container.lines
                self.taken |= {id(one) for one in (*caps, *ranges)}
                if line is not None:
                    self.taken.add(id(line))
                    along = 0 if self.lies(line) else 1
                    self.read_line(line, container, self.errors(container, along))

    def read_bar_group(self, container: Any, bars: Sequence[Any]) -> None:
        """Notes bars."""
        lying = container.orientation == "horizontal"
        across = "y" if lying else "x"
        self.horizontal |= lying
        sides = [self.sides(one, lying) for one in bars]
        binned = (
            len(bars) >= MIN_BINS
            and not self.names[across]
            and all(
                abs(low + width - following[0]) < 0.02 * abs(width)
                for (low, width, _), following in itertools.pairwise(sides)
            )
        )
        colors = [self.reader.color(one.get_facecolor()) for one in bars]
        same = len(set(colors)) == 1
        errors = self.errors(container.errorbar, 0 if lying else 1) if container.errorbar else {}
        points = [
            [
                low if binned else self.place(across, low + width / 2),
                value,
                "" if same else color,
                errors.get(round(low + width / 2, 6)),
                self.reader.box(bar.get_window_extent().extents),
            ]
            for bar, (low, width, value), color in zip(bars, sides, colors, strict=True)
        ]
        mark = "histogram" if binned else "bar"
        self.add(container, mark, colors[0] if same and colors else "", points)

    def sides(self, bar: Any, lying: bool) -> tuple[float, float, float]:
        """Where a bar begins across its axis, how wide it is, and its value."""
        x, y, width, height = bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()
        low, wide, value = (y, height, width) if lying else (x, width, height)
        return float(min(low, low + wide)), float(abs(wide)), float(value)

    def errors(self, container: Any, along: int) -> dict[float, list[float]]:
        """Of error bars: where each is, and how far it reaches below and above its middle."""
        found = {}
        line = container.lines[0]
        middles = {}
        if line is not None:
            middles = {
                round(float(point[1 - along]), 6): float(point[along])
                for point in np.column_stack(
                    [np.asarray(data, float) for data in line.get_data(orig=False)]
                ).tolist()
            }
        for ranges in container.lines[2]:
            for first, last in ranges.get_segments()[: self.reader.left]:
                if first[along] != last[along]:
                    at = round(float(first[1 - along]), 6)
                    low, high = sorted((float(first[along]), float(last[along])))
                    middle = middles.get(at, (low + high) / 2)
                    found[at] = [middle - low, high - middle]
        return found

    def read_lines(self) -> None:
        """Notes the lines, and dots that are drawn as such."""
        for line in self.axes.lines:
            straight = line.get_transform() != self.axes.transData
            if line.get_visible() and id(line) not in self.taken and not straight:
                self.read_line(line, line, {})

    def read_line(self, line: Any, labeled: Any, errors: dict[float, list[float]]) -> None:
        """Notes a line or dots."""
        dots = is_dotted(line)
        if dots and str(line.get_marker()).lower() in UNSEEN:
            return
        x, y = (np.asarray(data, float) for data in line.get_data(orig=False))
        color = self.reader.color(line.get_color(), line.get_alpha())
        hollow = dots and line.get_fillstyle() == "none"
        if dots and not hollow:
            color = self.reader.color(line.get_markerfacecolor(), line.get_alpha()) or color
        lying = self.lies(line)
        self.horizontal |= lying
        points = self.spots(x, y, errors, lying=lying)
        style = self.style(line, dots)
        self.add(labeled, "scatter" if dots else "line", color, points, style=style)

    def style(self, line: Any, dots: bool) -> list[Any]:
        """How wide a line is in pixels, how it is dashed, and what stands at its points."""
        marker, size = line.get_marker(), float(line.get_markersize())
        hidden = size <= 0 or marker is None or str(marker).lower() in UNSEEN
        shape = "nothing" if hidden else MARKERS.get(str(marker), "")
        if dots:
            return [0, "", shape]
        width = float(line.get_linewidth()) * self.reader.figure.dpi / POINTS
        return [width, DASHES.get(str(line.get_linestyle()), ""), shape]

    def lies(self, line: Any) -> bool:
        """Whether dots stand at the categories of the vertical axis, and their values go along the other one."""
        return is_dotted(line) and bool(self.names["y"]) and not self.names["x"]

    def spots(
        self, xs: Any, ys: Any, errors: dict[float, list[float]], *, lying: bool = False
    ) -> list[list[Any]]:
        """Points at places."""
        pairs = np.column_stack([xs, ys]).tolist()[: self.reader.left]
        across = "y" if lying else "x"
        return [
            [
                self.place(across, y if lying else x),
                x if lying else y,
                "",
                errors.get(round(y if lying else x, 6)),
                self.dot(x, y),
            ]
            for x, y in pairs
            if math.isfinite(x) and math.isfinite(y)
        ]

    def read_collections(self) -> None:
        """Notes scattered points, areas and meshes."""
        for one in self.axes.collections:
            if not one.get_visible() or id(one) in self.taken:
                continue
            if isinstance(one, collections.PathCollection):
                self.read_scatter(one)
            elif isinstance(one, collections.QuadMesh):
                self.read_mesh(one)
            elif isinstance(one, collections.PolyCollection):
                self.read_area(one)

    def read_scatter(self, scatter: Any) -> None:
        """Notes scattered points."""
        places = np.asarray(scatter.get_offsets(), float)[: self.reader.left]
        faces = scatter.get_facecolor()
        faces = faces if len(faces) else scatter.get_edgecolor()
        colors = [self.reader.color(one) for one in faces[: len(places)]] or [""]
        points = self.spots(places[:, 0], places[:, 1], {}) if len(places) else []
        if len({*colors}) > 1 and len(colors) == len(points):
            for point, color in zip(points, colors, strict=True):
                point[2] = color
        color = colors[0] if len({*colors}) == 1 else ""
        self.add(scatter, "scatter", color, points, style=[0, "", marker_of(scatter)])

    def read_area(self, area: Any) -> None:
        """Notes an area between two lines: at each place how high it is."""
        color = self.reader.artist_color(area)
        unnamed = str(area.get_label()).startswith("_")
        if self.axes.lines and unnamed and (area.get_alpha() or 1) < FAINT:
            return
        if getattr(area, "t_direction", "x") == "y":  # as violins are: its widths are no values
            return
        ends: dict[float, list[float]] = {}
        for path in area.get_paths():
            for x, y in np.asarray(path.vertices, float)[: 4 * MAX_POINTS].tolist():
                if math.isfinite(x) and math.isfinite(y):
                    known = ends.setdefault(x, [y, y])
                    known[:] = min(known[0], y), max(known[1], y)
        points = [
            [self.place("x", x), -(high - low) if high <= 0 else high - low, "", None, None]
            for x, (low, high) in sorted(ends.items())
        ]
        if not (unnamed and self.is_below_line(points)):
            self.add(area, "area", color, points)

    def is_below_line(self, points: Sequence[list[Any]]) -> bool:
        """Whether a line that has been noted is the edge of an area, which then tells nothing more."""
        lines = (noted for _, mark, _, noted, _ in self.series if mark == "line")
        return any(have_same_edge(line, points) for line in lines)

    def read_wedges(self) -> None:
        """Notes pies, and each ring of one; slices that are pulled out belong to it."""
        rings: list[list[Any]] = []
        for patch in self.axes.patches:
            if isinstance(patch, Wedge) and patch.get_visible():
                ring = next((one for one in rings if is_ring(one[0], patch)), None)
                if ring is None:
                    rings.append([patch])
                else:
                    ring.append(patch)
        for wedges in rings:
            points = []
            for wedge in wedges[: self.reader.left]:
                color = self.reader.color(wedge.get_facecolor())
                label = str(wedge.get_label())
                name = "" if label.startswith("_") else label
                box = self.reader.box(wedge.get_window_extent().extents)
                share = abs(float(wedge.theta2) - float(wedge.theta1))
                points.append([name or self.called.get(color, ""), share, color, None, box])
            self.add(None, "pie", "", points)

    def read_images(self) -> None:
        """Notes pictures of numbers, which are heat maps."""
        for image in self.axes.images:
            if isinstance(image, AxesImage) and image.get_visible():
                values = image.get_array()
                if values is not None and np.ndim(values) == 2:
                    left, right, bottom, top = map(float, image.get_extent())
                    rows, columns = values.shape
                    xs = edges(left, right, columns)
                    ends = (bottom, top) if image.origin == "lower" else (top, bottom)
                    ys = edges(*ends, rows)
                    self.read_cells(image, xs, ys, values)

    def read_mesh(self, mesh: Any) -> None:
        """Notes a mesh whose lines are straight."""
        values = np.asarray(mesh.get_array())
        corners = np.asarray(mesh.get_coordinates(), float)
        if values.ndim == 2 and corners.shape[:2] == (values.shape[0] + 1, values.shape[1] + 1):
            self.read_cells(mesh, corners[0, :, 0], corners[:, 0, 1], values)

    def read_cells(self, mapped: Any, xs: Any, ys: Any, values: Any) -> None:
        """Notes a row of cells after the other."""
        if values.size > self.reader.left:
            return
        numbers: Any = np.ma.filled(np.ma.asarray(values, float), np.nan)
        colors = mapped.to_rgba(numbers)
        places = [self.place("x", (a + b) / 2) for a, b in itertools.pairwise(xs)]
        for row, (low, high) in enumerate(itertools.pairwise(ys)):
            middle = self.place("y", (low + high) / 2)
            points = []
            for column, at in enumerate(places):
                value = float(numbers[row, column])
                ends = self.axes.transData.transform([(xs[column], low), (xs[column + 1], high)])
                box = self.reader.box(ends.ravel())
                if math.isfinite(value):
                    color = self.reader.color(colors[row, column])
                    points.append([at, value, color, None, box])
            name = middle if isinstance(middle, str) else f"{middle:g}"
            self.add(None, "heat map", "", points, name)


def edges(first: float, last: float, number: int) -> Any:
    """Where equal cells begin and end."""
    return np.linspace(first, last, number + 1)


def is_dotted(line: Any) -> bool:
    """Whether a line has at most marks."""
    return str(line.get_linestyle()).lower() in UNSEEN


def marker_of(scatter: Any) -> str:
    """Which shape all scattered points have, by its path; "" where they have several, or another one."""
    paths = scatter.get_paths()
    if len(paths) != 1:
        return ""
    corners = np.asarray(paths[0].vertices, float)
    return next((name for name, path in marker_paths() if is_path(corners, path)), "")


@functools.cache
def marker_paths() -> list[tuple[str, Any]]:
    """What is told of each of Matplotlib's markers, and its corners."""
    styles = [(name, MarkerStyle(sign)) for sign, name in MARKERS.items()]
    return [(name, one.get_transform().transform(one.get_path().vertices)) for name, one in styles]


def is_path(one: Any, other: Any) -> bool:
    """Whether two paths have the same corners."""
    return one.shape == other.shape and bool(np.allclose(one, other))


def have_same_edge(ours: Sequence[list[Any]], theirs: Sequence[list[Any]]) -> bool:
    """Whether points have the same places and, but for what is rounded, the same values."""
    places, values = (
        [[point[part] for point in side] for side in (ours, theirs)] for part in (0, 1)
    )
    return places[0] == places[1] and np.allclose(values[0], values[1])


def is_ring(one: Any, other: Any) -> bool:
    """Whether two slices are of one ring, from whose middle each may be pulled out by less than its radius."""
    return (
        float(one.r) == float(other.r)
        and one.width == other.width
        and math.dist(one.center, other.center) < float(one.r)
    )


def is_plot(axes: Any) -> bool:
    """Whether axes are a plot in the plane that is seen, and not a scale of colors."""
    return (
        axes.get_visible()
        and axes.name in ("rectilinear", "polar")
        and axes.get_label() != "<colorbar>"
        and not hasattr(axes, "_colorbar")
        and bool(axes.has_data() or axes.patches or axes.images)
    )


def text_of(text: Any) -> str:
    """What a text says."""
    return "" if text is None else str(text.get_text())


def tick_names(axis: Any) -> list[tuple[float, str]]:
    """Places and names of the categories of an axis, in order; nothing for one of numbers or dates."""
    formatter = axis.get_major_formatter()
    fixed = isinstance(axis.get_major_locator(), FixedLocator)
    named = isinstance(formatter, StrCategoryFormatter | FixedFormatter) or (
        fixed and isinstance(formatter, FuncFormatter)
    )
    if not named:
        return []
    places = [float(one) for one in axis.get_majorticklocs()[:MAX_TICKS]]
    texts = formatter.format_ticks(places)
    named_places = [
        (place, text) for place, text in zip(places, map(str, texts), strict=False) if text
    ]
    if all(reads_as(text, place) for place, text in named_places):
        return []
    return sorted(named_places)


def reads_as(text: str, place: float) -> bool:
    """Whether a text is the number of its place."""
    try:
        number = float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))
    except ValueError:
        return False
    return abs(number - place) <= 1e-6 * max(abs(place), 1.0)


def noted_draw(draw: Any, found: list[Any], mixed: Any, noting: Any) -> Any:
    """A canvas's way of drawing, after which `found` has the plots as they were drawn last."""

    def drawn(canvas: Any, *arguments: Any, **options: Any) -> Any:
        result = draw(canvas, *arguments, **options)
        renderer: Any = getattr(canvas, "renderer", None)
        if isinstance(renderer, noting):
            with contextlib.suppress(Exception):
                found[:] = [read_charts(canvas.figure, float(renderer.height), mixed)]
        return result

    return drawn


@contextlib.contextmanager
def read_when_drawn(canvases: Any, mixed: Any, noting: type) -> Iterator[list[Any]]:
    """What a canvas draws in here is read; then the list has the plots of the last one.

    Args:
        canvases: the class of canvases.
        mixed: from a color and an opacity to what is seen of it.
        noting: the class of renderers whose pictures are told.
    """
    found: list[Any] = []
    usual = canvases.draw
    try:
        canvases.draw = noted_draw(usual, found, mixed, noting)
        yield found
    finally:
        canvases.draw = usual
