"""The data of charts, as the library that drew them knows it: series, axes, legend.

Engines tell the marks as they were drawn, one by one: bars of several calls, a line and its dots. What belongs
together is put together here (`tidy_series`), so that it does not matter in which way code draws a chart.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple, get_args

from helm_structext.layouts.boxes import PixelBox, is_placed, read_box, read_color, read_words

MarkKind = Literal["bar", "line", "area", "scatter", "pie", "histogram", "box", "heat map"]
MARK_KINDS: tuple[MarkKind, ...] = get_args(MarkKind)

DASHES = ("solid", "dashed", "dotted", "dash-dotted")
"""How a line may be interrupted."""
MARKERS = (
    *("nothing", "dots", "circles", "squares", "diamonds", "stars", "pentagons", "hexagons"),
    *("upward triangles", "downward triangles", "left triangles", "right triangles"),
    *("crosses", "plus signs", "strokes"),
)
"""What may stand at the points of a line, or at spots; a thick cross is one, too."""
MAX_WIDTH = 1000.0
"""Pixels of a line's width."""

MAX_PLOTS = 100
MAX_SERIES = 1000
"""Of all plots of a picture together."""
MAX_POINTS = 20_000
"""Of all series of a picture together; so many categories, too."""
MAX_LABEL = 1000
"""Characters of a name."""
MAX_NUMBER = 1e100
"""What is beyond, in either direction, is no number of a chart."""


class PlotPoint(NamedTuple):
    """One point, bar, slice, bin or cell.

    Args:
        at: its category, or where it is along the other axis: of a bin, where that begins; of a box, which of its
            numbers it is (``low``, ``lower``, ``median``, ``upper``, ``high``, ``outlier``).
        value: as its axis counts: of what is stacked, its own part; of a slice, its share in percent.
        color: of it alone, as ``#rrggbb``, or "" where it has that of its series.
        error: how far its error bar reaches below and above, or None.
        box: where it is on the picture, or None where that is not known.
    """

    at: str | float
    value: float
    color: str = ""
    error: tuple[float, float] | None = None
    box: PixelBox | None = None


class SeriesStyle(NamedTuple):
    """How the line of a series and the marks of its points look.

    Args:
        width: of the line in pixels; 0 where there is none, or it is not known.
        dashes: of the line, one of `DASHES`, or "" where there is none, or they are not known.
        marker: which shape each point has, one of `MARKERS`, or "" where it is not known.
    """

    width: float = 0.0
    dashes: str = ""
    marker: str = ""


NO_STYLE = SeriesStyle()


@dataclass(frozen=True)
class PlotSeries:
    """Points that belong together.

    Args:
        name: as the legend or an axis has it, or "".
        mark: what stands for a point.
        color: of its marks, as ``#rrggbb``, or "" where they have several, or none is known.
        points: in the order in which they were drawn.
        style: of its line and its points.
    """

    name: str
    mark: MarkKind
    color: str
    points: tuple[PlotPoint, ...]
    style: SeriesStyle = NO_STYLE


@dataclass(frozen=True)
class PlotAxis:
    """One axis of a plot.

    Args:
        label: beside it.
        low: its least number; so is `high` its greatest; None for one of categories.
        high: see `low`.
        log: whether its numbers grow by factors.
        categories: their names, in the order in which they are drawn; none for one of numbers.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False
    categories: tuple[str, ...] = ()


NO_AXIS = PlotAxis()


@dataclass(frozen=True)
class ChartData:
    """One plot of a picture.

    Args:
        title: above it.
        x: the horizontal axis; so is `y` the vertical one.
        y: see `x`.
        series: in the order in which they are drawn.
        legend: its texts with their colors.
        horizontal: whether its values go along the horizontal axis, as those of lying bars do.
        box: of the plot in pixels of the picture, without axes and titles, or None where that is not known.
    """

    title: str = ""
    x: PlotAxis = NO_AXIS
    y: PlotAxis = NO_AXIS
    series: tuple[PlotSeries, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    horizontal: bool = False
    box: PixelBox | None = None

    @property
    def values(self) -> PlotAxis:
        """The axis along which values go."""
        return self.x if self.horizontal else self.y

    @property
    def places(self) -> PlotAxis:
        """The axis along which points have their places."""
        return self.y if self.horizontal else self.x


def charts_record(charts: Iterable[ChartData]) -> list[Any]:
    """Returns charts as JSON.

    >>> bars = PlotSeries("", "bar", "#336699", (PlotPoint("A", 3.0),))
    >>> charts_record([ChartData("Rain", series=(bars,))])[0]["series"]
    [['', 'bar', '#336699', [['A', 3.0, '', None, None]]]]
    """
    return [
        {
            "title": one.title,
            "x": _axis_record(one.x),
            "y": _axis_record(one.y),
            "series": [
                [
                    *(it.name, it.mark, it.color, [[*point] for point in it.points]),
                    *([[*it.style]] if it.style != NO_STYLE else []),
                ]
                for it in one.series
            ],
            "legend": [[*entry] for entry in one.legend],
            "horizontal": one.horizontal,
            "box": one.box,
        }
        for one in charts
    ]


def _axis_record(axis: PlotAxis) -> list[Any]:
    return [axis.label, axis.low, axis.high, axis.log, [*axis.categories]]


def read_charts(record: Any) -> tuple[ChartData, ...]:
    """Returns what `charts_record` or an engine wrote, within the bounds, put together (`tidy_series`).

    What is beyond the bounds is left out, as are points without a number.

    Raises:
        AttributeError, KeyError, TypeError, ValueError, OverflowError: it has another form.

    >>> read_charts([{"series": [["", "bar", "", [["A", 1]]], ["", "bar", "", [["B", 2]]]]}])[0].series[0].points
    (PlotPoint(at='A', value=1.0, color='', error=None, box=None), PlotPoint(at='B', value=2.0, color='', error=None, box=None))
    """
    if not isinstance(record, list):
        raise TypeError(record)
    left = _Room(MAX_SERIES, MAX_POINTS)
    return tuple(_read_chart(one, left) for one in record[:MAX_PLOTS])


@dataclass
class _Room:
    """What of the bounds is left."""

    series: int
    points: int

    def take(self, items: Sequence[Any], what: Literal["series", "points"]) -> Iterator[Any]:
        """Yields as many items as there is room for."""
        number = min(len(items), getattr(self, what))
        setattr(self, what, getattr(self, what) - number)
        yield from islice(items, number)


def _read_chart(record: Any, left: _Room) -> ChartData:
    series = [_read_series(one, left) for one in left.take(record.get("series") or [], "series")]
    box = record.get("box")
    return ChartData(
        _read_label(record.get("title") or ""),
        _read_axis(record.get("x") or [], left),
        _read_axis(record.get("y") or [], left),
        tuple(tidy_series(series)),
        tuple(
            (_read_label(text), read_color(color))
            for text, color in left.take(record.get("legend") or [], "points")
        ),
        bool(record.get("horizontal")),
        _read_place(box),
    )


def _read_series(record: Any, left: _Room) -> PlotSeries:
    name, mark, color, points, *style = record
    if mark not in MARK_KINDS:
        raise ValueError(mark)
    read = [_read_point(*one) for one in left.take(points, "points")]
    finite = tuple(one for one in read if _is_number(one.value) and _is_number(one.at))
    look = _read_style(*style[0]) if style and style[0] else NO_STYLE
    return PlotSeries(_read_label(name), mark, read_color(color), finite, look)


def _read_style(width: Any, dashes: Any, marker: Any) -> SeriesStyle:
    """A style, of which what is unknown is left out."""
    wide = float(width)
    return SeriesStyle(
        round(wide, 2) if 0 < wide < MAX_WIDTH else 0.0,
        dashes if dashes in DASHES else "",
        marker if marker in MARKERS else "",
    )


def _read_point(
    at: Any, value: Any, color: str = "", error: Any = None, box: Any = None
) -> PlotPoint:
    reach = None
    if error is not None:
        below, above = (float(one) for one in error)
        reach = (below, above) if _is_number(below) and _is_number(above) else None
    return PlotPoint(
        _read_label(at) if isinstance(at, str) else _read_number(at),
        _read_number(value),
        read_color(color or ""),
        reach,
        _read_place(box),
    )


def _read_axis(record: Any, left: _Room) -> PlotAxis:
    if not record:
        return NO_AXIS
    label, low, high, log, categories = record
    first, last = _read_number(low), _read_number(high)
    ranged = _is_number(first) and _is_number(last)
    names = tuple(_read_label(one) for one in left.take(categories, "points"))
    ends = (first, last) if ranged else (None, None)
    return PlotAxis(_read_label(label), ends[0], ends[1], bool(log), names)


def _read_number(value: Any) -> float:
    """A number, which may be none that a chart can have."""
    return math.nan if value is None else float(value)


def _read_label(text: Any) -> str:
    return read_words(text, MAX_LABEL)


def _read_place(box: Any) -> PixelBox | None:
    if box is None:
        return None
    read = read_box(*box)
    return read if is_placed(read) else None


def _is_number(value: str | float) -> bool:
    return isinstance(value, str) or -MAX_NUMBER < value < MAX_NUMBER


def tidy_series(series: Iterable[PlotSeries]) -> list[PlotSeries]:
    """Returns series as a reader sees them, however they were drawn.

    Single marks of one kind are one series, as bars of one call each are; a single mark beside others, such as a
    ring around a point, is a note and none; dots on a line belong to it, and are its marks; slices have shares of their whole.

    >>> dots, line = (PlotSeries("", mark, "#336699", (PlotPoint(1.0, 2.0), PlotPoint(2.0, 4.0))) for mark in ("scatter", "line"))
    >>> [one.mark for one in tidy_series([line, dots])]
    ['line']
    """
    given = [one for one in series if one.points]
    drawn = [one.mark for one in given]
    kept = [one for mark in dict.fromkeys(drawn) for one in _join_singles(given, mark)]
    lines = [(it.color, frozenset(_spots(it))) for it in kept if it.mark == "line"]
    dots = [one for one in kept if one.mark == "scatter" and _on_line(one, lines)]
    told = {*map(id, dots)}
    tidy = [_with_dots(one, dots) for one in kept if id(one) not in told]
    return [_shared(one) if one.mark == "pie" else one for one in tidy]


def _with_dots(series: PlotSeries, dots: Sequence[PlotSeries]) -> PlotSeries:
    """A line with the marks of those dots that lie on it."""
    if series.mark != "line" or not dots:
        return series
    spots = frozenset(_spots(series))
    markers = (one.style.marker for one in dots if spots.issuperset(_spots(one)))
    marker = next(markers, series.style.marker)
    return replace(series, style=series.style._replace(marker=marker))


def _spots(series: PlotSeries) -> Iterator[tuple[str | float, float]]:
    for one in series.points:
        at = one.at if isinstance(one.at, str) else round(one.at, 6)
        yield at, round(one.value, 6)


def _on_line(series: PlotSeries, lines: Sequence[tuple[str, frozenset[Any]]]) -> bool:
    """Whether dots lie on a line, and are of its color or have no name."""
    spots = frozenset(_spots(series))
    return any(
        spots == line if series.color == color else not series.name and spots <= line
        for color, line in lines
    )


def _join_singles(given: Sequence[PlotSeries], mark: MarkKind) -> list[PlotSeries]:
    """The series of one kind, with those of one point each as one series, or left out as a note."""
    found = [one for one in given if one.mark == mark]
    dots = mark in ("scatter", "line")
    single = [one for one in found if len(one.points) == 1 and not (dots and one.name)]
    if mark in ("pie", "box") or not single:
        return found
    if dots and len(single) == 1:
        return [one for one in found if one not in single or len(given) == 1]
    if len(single) == 1 or not (dots or len({one.points[0].at for one in single}) == len(single)):
        return found
    return [*(one for one in found if one not in single), _joined(single)]


def _joined(single: Sequence[PlotSeries]) -> PlotSeries:
    """Series of one point each as one; where only names tell these apart, they are their places."""
    names = {one.name for one in single}
    colors = {one.points[0].color or one.color for one in single}
    styles = {one.style for one in single}
    named = len(names) == len(single) and "" not in names
    points = (
        one.points[0]._replace(
            at=one.name if named and not isinstance(one.points[0].at, str) else one.points[0].at,
            color="" if len(colors) == 1 else one.points[0].color or one.color,
        )
        for one in single
    )
    return PlotSeries(
        names.pop() if len(names) == 1 else "",
        single[0].mark,
        colors.pop() if len(colors) == 1 else "",
        tuple(points),
        styles.pop() if len(styles) == 1 else NO_STYLE,
    )


def _shared(pie: PlotSeries) -> PlotSeries:
    """Slices with their shares in percent."""
    total = sum(abs(one.value) for one in pie.points)
    if not total:
        return pie
    points = (one._replace(value=100 * abs(one.value) / total) for one in pie.points)
    return replace(pie, points=tuple(points))
