r"""The data of pgfplots' charts: what TeX is made to say of them in its log, and what is read of that.

`HOOKS` goes before a document. Each point is told as pgfplots surveys it, before it is stacked; each plot with its
first point, with its handler and colors; each axis with its first plot, and at its end with its limits and legend.
What TeX draws stays as it is. The code itself may write such lines, too, so they are read without trust.

Source: Feuersänger, Manual for Package PGFPLOTS, "Filtering Input" and "Custom Annotations"; pgfplots' own log.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from helm_structext.layouts import MAX_POINTS, ChartData, MarkKind, read_charts

SIGN = "helm-chart "
"""At the beginning of what is told."""
SEPARATOR = "<|>"
"""Between its parts."""
MAX_LINES = 2 * MAX_POINTS
MAX_TICKS = 1000
OPEN, CLOSE = "{", "}"

_TOLD_ONCE = r"""\def\chart@tell#1{\immediate\write-1{helm-chart #1}}
\def\chart@text#1{\ifdefined#1\detokenize\expandafter{#1}\fi}
\def\chart@hex#1{\begingroup\edef\chart@name{#1}\ifx\chart@name\@empty\def\chart@name{.}\fi
\colorlet{helm@color}{\chart@name}\convertcolorspec{named}{helm@color}{HTML}\chart@found
\expandafter\endgroup\expandafter\def\expandafter\chart@color\expandafter{\chart@found}}
\newcount\chart@plot\newif\ifchart@axis
\def\chart@begin{\ifchart@axis\else\global\chart@axistrue\global\chart@plot=-1
\pgfkeysgetvalue{/pgfplots/title}\chart@title\pgfkeysgetvalue{/pgfplots/xlabel}\chart@x
\pgfkeysgetvalue{/pgfplots/ylabel}\chart@y
\chart@tell{axis<|>\the\c@page}\chart@tell{title<|>\chart@text\chart@title}
\chart@tell{xlabel<|>\chart@text\chart@x}\chart@tell{ylabel<|>\chart@text\chart@y}
\chart@tell{xtick<|>\chart@text\pgfplots@xtick}\chart@tell{ytick<|>\chart@text\pgfplots@ytick}
\chart@tell{xnames<|>\chart@text\pgfplots@xticklabels}\chart@tell{ynames<|>\chart@text\pgfplots@yticklabels}\fi}
\def\chart@look{\chart@begin\ifnum\chart@plot=\pgfplots@numplots\else\global\chart@plot=\pgfplots@numplots
\chart@hex\tikz@fillcolor\let\chart@fill\chart@color\chart@hex\tikz@strokecolor\let\chart@stroke\chart@color
\chart@hex\tikz@textcolor
\chart@tell{plot<|>\pgfplotsplothandlername<|>\ifx\tikz@fillcolor\pgfutil@empty\else\chart@fill\fi<|>
\ifx\tikz@strokecolor\pgfutil@empty\else\chart@stroke\fi<|>\chart@color<|>\chart@text\tikz@mode<|>\the\pgflinewidth<|>\chart@text\tikz@dashpattern<|>\chart@text\tikz@plot@mark}\fi}
\def\chart@point{\chart@look\chart@tell{point<|>\chart@text\pgfplots@current@point@x@unfiltered<|>
\chart@text\pgfplots@current@point@y@unfiltered<|>\pgfkeysvalueof{/data point/x}<|>\pgfkeysvalueof{/data point/y}<|>
\chart@text\pgfplots@current@point@meta}}
\def\chart@box{\begingroup\def\chart@boxed{\pgfplotsplothandlerboxplotprepared}\ifx\tikz@plot@handler\chart@boxed
\chart@begin\chart@hex\tikz@fillcolor
\chart@tell{box<|>\pgfkeysvalueof{/pgfplots/boxplot/draw position}<|>\chart@color
<|>\pgfkeysvalueof{/pgfplots/boxplot/lower whisker}<|>\pgfkeysvalueof{/pgfplots/boxplot/lower quartile}
<|>\pgfkeysvalueof{/pgfplots/boxplot/median}<|>\pgfkeysvalueof{/pgfplots/boxplot/upper quartile}
<|>\pgfkeysvalueof{/pgfplots/boxplot/upper whisker}}\fi\endgroup}
\def\chart@end{\ifchart@axis\chart@tell{end<|>\pgfkeysvalueof{/pgfplots/xmin}<|>\pgfkeysvalueof{/pgfplots/xmax}
<|>\pgfkeysvalueof{/pgfplots/ymin}<|>\pgfkeysvalueof{/pgfplots/ymax}<|>\ifpgfplots@xislinear\else x\fi
\ifpgfplots@yislinear\else y\fi}\chart@tell{legend<|>\chart@text\pgfplots@legend}\fi\global\chart@axisfalse}
\def\chart@charts{\pgfplotsset{every axis plot post/.append code=\chart@box,filter point/.append code=\chart@point,
after end axis/.append code=\chart@end}}
\AtBeginDocument{\@ifpackageloaded{pgfplots}{\chart@charts}{}}"""

HOOKS = rf"\makeatletter {''.join(_TOLD_ONCE.splitlines())}\makeatother "
"""Goes before a document, on one line, so that errors name the right one."""

MARKS: dict[str, MarkKind] = {
    "pgfplothandlerlineto": "line",
    "pgfplothandlercurveto": "line",
    "pgfplothandlerconstantlineto": "line",
    "pgfplothandlerdiscard": "scatter",
    "scatter": "scatter",
    "pgfplothandlerybar": "bar",
    "pgfplothandlerxbar": "bar",
    "pgfplothandlerycomb": "bar",
    "pgfplothandlerxcomb": "bar",
    "pgfplothandlerybarinterval": "histogram",
    "pgfplothandlerxbarinterval": "histogram",
    "mesh": "heat map",
}
"""Name of a handler to what it draws."""
MARKERS = {
    **{"": "nothing", "none": "nothing", "*": "circles", "o": "circles", "ball": "circles"},
    **{"x": "crosses", "+": "plus signs", "|": "strokes", "-": "strokes"},
    **{"asterisk": "stars", "star": "stars", "10-pointed star": "stars"},
    **{"square": "squares", "diamond": "diamonds", "triangle": "upward triangles"},
    "pentagon": "pentagons",
}
"""pgf's name of a mark, without the star of a filled one, to what is told."""
POINT = 72.27
"""Points of TeX in an inch."""
BOX_PARTS = ("low", "lower", "median", "upper", "high")


@dataclass
class TexPlot:
    """What the log has of one plot."""

    handler: str
    fill: str
    stroke: str
    color: str
    mode: str
    width: str = ""
    dashes: str = ""
    marker: str = ""
    points: list[list[str]] = field(default_factory=list)


@dataclass
class TexAxis:
    """What the log has of one axis: each kind of line but plots and boxes once."""

    told: dict[str, list[str]] = field(default_factory=dict)
    plots: list[TexPlot] = field(default_factory=list)
    boxes: dict[float, list[str]] = field(default_factory=dict)


def read_log_charts(log: str, dpi: float = POINT) -> tuple[ChartData, ...] | None:
    """Returns the data of the charts on the first page; None where TeX, with `HOOKS`, told of none.

    Args:
        log: of TeX, in which the code may have written anything.
        dpi: of the picture, whose pixels widths of lines are measured in.

    >>> told = ["axis<|>1", "plot<|>pgfplothandlerybar<|>336699<|><|>000000<|>", "point<|>1<|>3<|>1Y1.0e0]<|>1Y3.0e0]<|>"]
    >>> read_log_charts("\\n".join(f"{SIGN}{line}" for line in told))[0].series[0].points[0][:2]
    (1.0, 3.0)
    """
    charts: list[ChartData] = []
    for axis in _read_axes(log):
        with suppress(AttributeError, KeyError, OverflowError, TypeError, ValueError):
            # One for a scale of colors has no series.
            charts += [one for one in read_charts([_chart_record(axis, dpi)]) if one.series]
    return tuple(charts) or None


def _read_axes(log: str) -> list[TexAxis]:
    found: list[TexAxis] = []
    for number, line in enumerate(one for one in log.splitlines() if one.startswith(SIGN)):
        if number >= MAX_LINES:
            break
        kind, *parts = line[len(SIGN) :].split(SEPARATOR)
        parts = [one.strip() for one in parts]
        if kind == "axis" and parts:
            if parts[0] != "1":
                break
            found.append(TexAxis())
        elif not found:
            continue
        elif kind == "plot" and len(parts) in (5, 8):
            found[-1].plots.append(_read_plot(*parts))
        elif kind == "point" and len(parts) == 5 and found[-1].plots:
            found[-1].plots[-1].points.append(parts)
        elif kind == "box" and len(parts) == 7:
            found[-1].boxes.setdefault(read_float(parts[0]), parts)
        elif parts:
            found[-1].told.setdefault(kind, parts)
    return found


def _read_plot(handler: str, fill: str, stroke: str, color: str, mode: str, *style: str) -> TexPlot:
    width, dashes, marker = style or ("", "", "")
    return TexPlot(handler, fill, stroke, color, mode, width, dashes, marker)


def _chart_record(axis: TexAxis, dpi: float) -> dict[str, Any]:
    """An axis in the form that `read_charts` reads."""
    told = {name: parts[0] for name, parts in axis.told.items()}
    ends = axis.told.get("end", [])
    logs = ends[4] if len(ends) > 4 else ""
    plots = [one for one in axis.plots if one.handler in MARKS and one.points]
    horizontal = any("xbar" in one.handler or "xcomb" in one.handler for one in plots)
    names = {side: _tick_names(told, side, axis.plots) for side in ("x", "y")}
    legend = [read_tex(one) for one in split_list(told.get("legend", ""))]
    series: list[list[Any]] = []
    for number, plot in enumerate(plots):
        name = legend[number] if number < len(legend) else ""
        records = _series_records(plot, name, names, logs, horizontal)
        series += [[*record, _style_of(plot, dpi)] for record in records]
    series += [_box_record(one, names["x"] or names["y"], axis) for one in axis.boxes.values()]
    return {
        "title": read_tex(told.get("title", "")),
        "x": _axis_record(told, "x", ends[:2], "x" in logs, names["x"]),
        "y": _axis_record(told, "y", ends[2:4], "y" in logs, names["y"]),
        "series": series,
        "legend": [
            [text, color]
            for text, color in zip(legend, map(_color_of, plots), strict=False)
            if text
        ],
        "horizontal": horizontal,
    }


def _axis_record(
    told: dict[str, str], side: str, ends: Sequence[str], log: bool, names: dict[float, str]
) -> list[Any]:
    low, high = (read_float(one) for one in ends) if len(ends) == 2 else (math.nan, math.nan)
    if log:
        low, high = (math.exp(min(one, 200.0)) for one in (low, high))
    if names:
        low = high = math.nan
    shown = [names[place] for place in sorted(names)]
    return [read_tex(told.get(f"{side}label", "")), low, high, log, shown]


def _tick_names(told: dict[str, str], side: str, plots: Sequence[TexPlot]) -> dict[float, str]:
    """Places along an axis to their categories, by its ticks' labels or by symbolic coordinates."""
    number = 0 if side == "x" else 1
    if labels := split_list(told.get(f"{side}names", "")):
        ticks = told.get(f"{side}tick", "")
        points = plots[0].points if plots and ticks == "data" else []
        places = [read_float(it[2 + number]) for it in points] or read_ticks(ticks)
        return {at: read_tex(text) for at, text in zip(places, labels, strict=False)}
    symbols = {}
    for plot in plots:
        for point in plot.points:
            if point[number] and math.isnan(read_float(point[number])):
                symbols[read_float(point[2 + number])] = read_tex(point[number])
    return symbols


def _series_records(
    plot: TexPlot, name: str, names: dict[str, dict[float, str]], logs: str, horizontal: bool
) -> Iterator[list[Any]]:
    mark = MARKS[plot.handler]
    if mark == "line" and plot.mode.rfind("filltrue") > plot.mode.rfind("fillfalse"):
        mark = "area"
    sides = [
        [_value_of(one[2 + number], side in logs) for one in plot.points]
        for number, side in enumerate("xy")
    ]
    along, across = (sides[0], "y") if horizontal else (sides[1], "x")
    places = sides[1] if horizontal else sides[0]
    if mark == "heat map":
        yield from _cell_records(plot, names)
        return
    if mark == "histogram":  # The last one ends the last bin.
        places, along = places[:-1], along[:-1]
    points = [[names[across].get(at, at), value] for at, value in zip(places, along, strict=True)]
    yield [name, mark, _color_of(plot), points]


def _cell_records(plot: TexPlot, names: dict[str, dict[float, str]]) -> Iterator[list[Any]]:
    rows: dict[float, list[list[Any]]] = {}
    for one in plot.points:
        x, y = (read_float(part) for part in one[2:4])
        rows.setdefault(y, []).append([names["x"].get(x, x), read_float(one[4])])
    for y, points in rows.items():
        yield [names["y"].get(y, f"{y:g}"), "heat map", "", points]


def _box_record(parts: Sequence[str], names: dict[float, str], axis: TexAxis) -> list[Any]:
    at = read_float(parts[0])
    points: list[list[Any]] = [
        [part, read_float(value)] for part, value in zip(BOX_PARTS, parts[2:], strict=True)
    ]
    for plot in axis.plots:
        if plot.handler.startswith("boxplot"):
            spots = ([read_float(part) for part in one[2:4]] for one in plot.points)
            points += [["outlier", value] for place, value in spots if place == at]
    return [names.get(at, f"{at:g}"), "box", f"#{parts[1].lower()}", points]


def _color_of(plot: TexPlot) -> str:
    """The color of a plot's marks: what they are filled with, or of a line its own."""
    filled = MARKS[plot.handler] in ("bar", "histogram") or "filltrue" in plot.mode
    written = (plot.fill if filled else "") or plot.stroke or plot.color
    return f"#{written.lower()}"


def _style_of(plot: TexPlot, dpi: float) -> list[Any] | None:
    """How the line of a plot and its marks look; None where it has neither."""
    if not plot.width or MARKS[plot.handler] not in ("line", "scatter"):
        return None
    marker = MARKERS.get(plot.marker if plot.marker == "*" else plot.marker.rstrip("*"), "")
    if MARKS[plot.handler] == "scatter":
        return [0, "", marker]
    width = read_float(plot.width.removesuffix("pt"))
    return [width * dpi / POINT, read_dashes(plot.dashes, width), marker]


def read_dashes(pattern: str, width: float) -> str:
    r"""Returns how a line is dashed, by TikZ's pattern of dashes and gaps.

    Args:
        pattern: lengths in braces.
        width: of the line, in points.

    >>> [read_dashes(one, 0.4) for one in ("", "{3pt}{3pt}", "{\pgflinewidth }{2pt}", "{3pt}{2pt}{0.4pt}{2pt}")]
    ['solid', 'dashed', 'dotted', 'dash-dotted']
    """
    lengths = [one.strip(" {") for one in pattern.split(CLOSE)[:-1]]
    if not lengths:
        return "solid"
    if len(lengths) > 2:
        return "dash-dotted"
    length = read_float(lengths[0].removesuffix("pt"))
    return "dashed" if length > width else "dotted"  # Dots are no longer than wide.


def _value_of(text: str, log: bool) -> float:
    value = read_float(text)
    return math.exp(min(value, 200.0)) if log else value


def read_float(text: str) -> float:
    """Returns a number of TeX, or of pgf with its flags; what is none is not a number.

    >>> read_float("1Y3.0e1]"), read_float("2Y3.5e0]"), read_float("12.5"), read_float("A")
    (30.0, -3.5, 12.5, nan)
    """
    flags, found, digits = text.partition("Y")
    number = digits.rstrip("]") if found else text
    try:
        value = round(float(number), 9)
    except (ValueError, OverflowError):
        return math.nan
    return -value if found and flags == "2" else value


def read_ticks(text: str) -> list[float]:
    """Returns the places that a list of ticks names, with dots for what goes on.

    >>> read_ticks("1,...,4"), read_ticks("0,25,...,100")
    ([1.0, 2.0, 3.0, 4.0], [0.0, 25.0, 50.0, 75.0, 100.0])
    """
    parts = [one.strip() for one in text.split(",")]
    places: list[float] = []
    for before, part in pairwise(["", *parts]):
        if part == "...":
            continue
        end = read_float(part)
        if before == "..." and places:
            step = places[-1] - places[-2] if len(places) > 1 else 1.0
            count = (end - places[-1]) / step if step else math.nan
            if not 0 <= count <= MAX_TICKS:
                return places
            places += [
                round(places[-1] + step * number, 9) for number in range(1, round(count) + 1)
            ]
        elif len(places) < MAX_TICKS:
            places.append(end)
    return places


def split_list(text: str) -> list[str]:
    r"""Returns the items of a list as pgfplots keeps it, without their options.

    >>> split_list(r"\pgfpl@@ {2005}\pgfpl@@ {[]{Old} Gas}")
    ['2005', '{Old} Gas']
    """
    items = [one.strip() for one in text.split("\\pgfpl@@")[1:]]
    inner = (
        one[1:-1] if one.startswith(OPEN) and one.endswith(CLOSE) else one
        for one in items[:MAX_TICKS]
    )
    return [one.partition("]")[2] if one.startswith("[") and "]" in one else one for one in inner]


def read_tex(text: str) -> str:
    r"""Returns what is to be read in a short text of TeX.

    >>> read_tex(r"\textbf {Rain} in \%~of $-$5")
    'Rain in % of −5'
    """
    read = []
    math_mode = False
    place = 0
    while place < len(text):
        sign = text[place]
        place += 1
        if sign == "\\" and place < len(text):
            end = place
            while end < len(text) and text[end].isalpha() and text[end].isascii():
                end += 1
            if end == place:
                read.append(text[place])
                end += 1
            elif text[end : end + 1] == " ":
                end += 1
            place = end
        elif sign == "$":
            math_mode = not math_mode
        elif sign == "~":
            read.append(" ")
        elif sign not in "{}":
            read.append("\N{MINUS SIGN}" if math_mode and sign == "-" else sign)
    return " ".join("".join(read).split())
