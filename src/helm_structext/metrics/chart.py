"""What differs between the data of two pictures' charts: values, points, series, axes, names, colors.

Plots are matched with plots, series with series by name, values and color, and points with points by their category
or place. All is a pure function of two `PictureLayout`s.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from Levenshtein import ratio, seqratio

from helm_structext.layouts import ChartData, PictureLayout, PlotAxis, PlotPoint, PlotSeries
from helm_structext.metrics.assignment import assign_pairs
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.means import mean, weighted_mean

Floats = npt.NDArray[np.float64]
Charts = tuple[ChartData, ...]

FAR = 0.25
"""Share of an axis by which a value counts as being anywhere."""
DIFFERENT = 50.0
"""CIEDE2000 from which on colors count as any other."""
SAME_PLACE = 0.01
"""Share of an axis within which two places along it are the same."""
RANGE = 0.95
"""Share of two axes' ranges that they must have in common to be the same."""
LIKE = 0.5
"""Share of letters that two names must have in common to be one and the same, misspelt."""
DENSE = 10
"""Points from which on a line may be the same as one with other points."""
STRANGE = 0.6
"""Cost from which on two series have nothing to do with each other."""
MAX_WORK = 4_000_000
"""Pairs of points, of all pairs of series, up to which series are matched by their values, too."""
MAX_TRIED = 10_000
"""Pairs of series, likewise."""
MAX_ASSIGNED = 500
"""Points without an equal one that are matched by nearness; and names."""


class PointPair(NamedTuple):
    """A point of the prediction and of the reference; one is None where the other is missing or extra.

    Args:
        prediction: what is there.
        reference: what should be there.
        error: how far they are apart, as a share of the axis; 1 where one is None.
    """

    prediction: PlotPoint | None
    reference: PlotPoint | None
    error: float = 1.0


@dataclass(frozen=True)
class SeriesPair:
    """A series of the prediction and of the reference; one is None where the other is missing or extra.

    Args:
        prediction: what is there.
        reference: what should be there.
        points: each point of both once.
    """

    prediction: PlotSeries | None
    reference: PlotSeries | None
    points: tuple[PointPair, ...] = ()

    @property
    def closeness(self) -> float:
        """How near the points are, 0 to 1; what is missing or extra counts as being far."""
        if not self.points:
            return 0.0
        return math.fsum(1 - min(one.error / FAR, 1) for one in self.points) / len(self.points)


@dataclass(frozen=True)
class ChartMatch:
    """What of a prediction's plot is what of a reference's; one is None where the other is missing or extra.

    Args:
        prediction: the plot that is there.
        reference: the plot that should be there.
        series: each series of both once.
    """

    prediction: ChartData | None
    reference: ChartData | None
    series: tuple[SeriesPair, ...] = ()


@lru_cache(maxsize=4)
def match_charts(prediction: Charts, reference: Charts) -> tuple[ChartMatch, ...]:
    """Returns which plot, series and point of one picture is which of the other.

    Args:
        prediction: plots of the picture to judge.
        reference: plots that should be there.
    """
    pairs = _match_plots(prediction, reference)
    taken = {i for i, _ in pairs}, {j for _, j in pairs}
    return (
        *(
            _match_series(prediction[i], reference[j])
            for i, j in sorted(pairs, key=lambda it: it[1])
        ),
        *(ChartMatch(one, None) for i, one in enumerate(prediction) if i not in taken[0]),
        *(ChartMatch(None, one) for j, one in enumerate(reference) if j not in taken[1]),
    )


def _match_plots(prediction: Charts, reference: Charts) -> list[tuple[int, int]]:
    if not prediction or not reference:
        return []
    longest = max(len(prediction), len(reference))
    costs = np.array(
        [
            [_plot_cost(one, other) + abs(i - j) / longest for j, other in enumerate(reference)]
            for i, one in enumerate(prediction)
        ]
    )
    return assign_pairs(costs)


def _plot_cost(one: ChartData, other: ChartData) -> float:
    names, wanted = ({*categories_of(it), *(s.name for s in it.series)} for it in (one, other))
    common = len(names & wanted) / (len(names | wanted) or 1)
    marks = {it.mark for it in one.series} != {it.mark for it in other.series}
    return 2 - common - likeness(one.title, other.title) + marks / 2


def _match_series(prediction: ChartData, reference: ChartData) -> ChartMatch:
    ours, theirs = prediction.series, reference.series
    work = sum(len(it.points) for it in ours) * sum(len(it.points) for it in theirs)
    span = value_span(reference)

    def match(i: int, j: int) -> SeriesPair:
        points = match_points(ours[i], theirs[j], reference, span)
        return SeriesPair(ours[i], theirs[j], tuple(points))

    if len(ours) == len(theirs) == 1:
        matched = [match(0, 0)]
    elif work > MAX_WORK or len(ours) * len(theirs) > MAX_TRIED:
        matched = [match(i, j) for i, j in _by_name(ours, theirs)]
    else:
        options = [[match(i, j) for j in range(len(theirs))] for i in range(len(ours))]
        costs = np.array([[_series_cost(one) for one in row] for row in options])
        pairs = assign_pairs(costs) if costs.size else []
        matched = [options[i][j] for i, j in pairs if costs[i, j] < STRANGE]
    taken = {id(it) for one in matched for it in (one.prediction, one.reference)}
    return ChartMatch(
        prediction,
        reference,
        (
            *matched,
            *(SeriesPair(one, None, _lonely(one, False)) for one in ours if id(one) not in taken),
            *(SeriesPair(None, one, _lonely(one, True)) for one in theirs if id(one) not in taken),
        ),
    )


def _lonely(series: PlotSeries, missing: bool) -> tuple[PointPair, ...]:
    return tuple(PointPair(None, one) if missing else PointPair(one, None) for one in series.points)


def _by_name(ours: Sequence[PlotSeries], theirs: Sequence[PlotSeries]) -> list[tuple[int, int]]:
    """Pairs of series with one name, and of the others in their order."""
    found = []
    names = {one.name: i for i, one in enumerate(ours)}
    left = [*range(len(ours))]
    for j, other in enumerate(theirs):
        if (i := names.pop(other.name, None)) is not None:
            found.append((i, j))
            left.remove(i)
    paired = {j for _, j in found}
    rest = [j for j in range(len(theirs)) if j not in paired]
    return [*found, *zip(left, rest, strict=False)]


def _series_cost(pair: SeriesPair) -> float:
    one, other = pair.prediction, pair.reference
    if one is None or other is None:
        return 1.0
    apart = min(color_distance(one.color, other.color) / DIFFERENT, 1)
    named = 1 - likeness(one.name, other.name) if one.name and other.name else 0.0
    # Names count for less than values and colors together: they may have been exchanged.
    return 0.5 * (1 - pair.closeness) + 0.15 * named + 0.15 * apart + 0.2 * (one.mark != other.mark)


def match_points(
    ours: PlotSeries, theirs: PlotSeries, reference: ChartData, span: float
) -> list[PointPair]:
    """Returns which point of a series is which of another one.

    Args:
        ours: the series to judge.
        theirs: the series as it should be.
        reference: the plot that has it.
        span: of its values (`value_span`).
    """

    def apart(value: float, wanted: float) -> float:
        return value_error(value, wanted, reference.values, span)

    numbers = [[_number_of(it.at) for it in one.points] for one in (ours, theirs)]
    if any(None in one for one in numbers):
        return _match_named(ours.points, theirs.points, apart)
    places = [np.array(one, dtype=float) for one in numbers]
    across = _span_of(reference.places, places[1])
    if "scatter" in (ours.mark, theirs.mark):
        return _match_spots(ours.points, theirs.points, (places[0], places[1]), across, reference)
    drawn_through = ours.mark == theirs.mark and ours.mark in ("line", "area")
    if drawn_through and _is_sampled_anew(places[0], places[1], across):
        return _match_curve(ours.points, theirs.points, (places[0], places[1]), apart)
    return _match_along(ours.points, theirs.points, (places[0], places[1]), across, apart)


def _is_sampled_anew(ours: Floats, theirs: Floats, across: float) -> bool:
    """Whether two lines have enough points, and few of them at the same places."""
    same = np.intersect1d(np.round(ours / across, 4), np.round(theirs / across, 4))
    fewer = min(len(ours), len(theirs))
    return fewer >= DENSE and len(same) < fewer / 2


Apart = Callable[[float, float], float]


def _match_named(
    ours: Sequence[PlotPoint], theirs: Sequence[PlotPoint], apart: Apart
) -> list[PointPair]:
    """Points by their categories: equal ones, then those alike, then those at the same place and height."""
    sides: tuple[defaultdict[Hashable, list[int]], ...] = defaultdict(list), defaultdict(list)
    for side, points in zip(sides, (ours, theirs), strict=True):
        for number, point in enumerate(points):
            side[str(point.at)].append(number)
    found: list[tuple[int, int]] = []
    for name, wanted in sides[1].items():
        mine = sides[0].get(name, [])
        if len(mine) == len(wanted) == 1:
            found.append((mine[0], wanted[0]))
        elif mine:
            found += _nearest(mine, wanted, [it.value for it in ours], [it.value for it in theirs])
    left, right = _others(ours, theirs, found)
    left, right = left[:MAX_ASSIGNED], right[:MAX_ASSIGNED]
    if left and right:
        costs = 1 - _likenesses([ours[i].at for i in left], [theirs[j].at for j in right])
        found += [(left[i], right[j]) for i, j in assign_pairs(costs) if costs[i, j] <= 1 - LIKE]
        left, right = _others(ours, theirs, found)
        same = {*left} & {*right}
        found += [(i, i) for i in same if apart(ours[i].value, theirs[i].value) <= SAME_PLACE]
    return _list_pairs(ours, theirs, found, lambda i, j: apart(ours[i].value, theirs[j].value))


def _likenesses(ours: Sequence[float | str], theirs: Sequence[float | str]) -> Floats:
    """How much of each two names is the same; shape (n, m). Names that return are compared once."""
    mine, rows = np.unique([str(one) for one in ours], return_inverse=True)
    wanted, columns = np.unique([str(one) for one in theirs], return_inverse=True)
    alike = np.array([[likeness(one, other) for other in wanted] for one in mine])
    return np.asarray(alike[rows][:, columns])


def _match_along(
    ours: Sequence[PlotPoint],
    theirs: Sequence[PlotPoint],
    places: tuple[Floats, Floats],
    across: float,
    apart: Apart,
) -> list[PointPair]:
    """Points by where they are along an axis."""
    first, second = (np.argsort(one, kind="stable").tolist() for one in places)
    steps = np.diff(np.unique(places[1]))
    near = min(SAME_PLACE * across, 0.45 * float(np.median(steps)) if len(steps) else math.inf)
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(first) and j < len(second):
        gap = places[0][first[i]] - places[1][second[j]]
        if abs(gap) <= near:
            found.append((first[i], second[j]))
        i += gap <= near
        j += gap >= -near
    return _list_pairs(ours, theirs, found, lambda i, j: apart(ours[i].value, theirs[j].value))


def _match_curve(
    ours: Sequence[PlotPoint],
    theirs: Sequence[PlotPoint],
    places: tuple[Floats, Floats],
    apart: Apart,
) -> list[PointPair]:
    """The points of a line with those of another one at their places, between its own points."""
    order = np.argsort(places[0], kind="stable")
    along, values = places[0][order], np.array([it.value for it in ours])[order]
    between = np.interp(places[1], along, values)
    nearest = np.searchsorted(along, places[1]).clip(0, len(ours) - 1)
    slack = SAME_PLACE * (np.ptp(places[1]) or 1.0)
    inside = (places[1] >= along[0] - slack) & (places[1] <= along[-1] + slack)
    found = [
        PointPair(
            ours[int(order[index])]._replace(at=one.at, value=float(value)),
            one,
            apart(float(value), one.value),
        )
        if covered
        else PointPair(None, one)
        for one, value, index, covered in zip(theirs, between, nearest, inside, strict=True)
    ]
    beyond = (along < places[1].min() - slack) | (along > places[1].max() + slack)
    return [*found, *(PointPair(ours[int(order[i])], None) for i in np.flatnonzero(beyond))]


def _match_spots(
    ours: Sequence[PlotPoint],
    theirs: Sequence[PlotPoint],
    places: tuple[Floats, Floats],
    across: float,
    reference: ChartData,
) -> list[PointPair]:
    """Points in the plane: those at the same spot, and then by nearness."""
    up = value_span(reference)
    spots = [
        np.column_stack([along / across, np.array([it.value for it in points]) / up])
        for along, points in zip(places, (ours, theirs), strict=True)
    ]

    found: list[tuple[int, int]] = []
    cells: defaultdict[tuple[float, ...], list[int]] = defaultdict(list)
    for i, spot in enumerate(spots[0]):
        cells[tuple(np.round(spot, 3))].append(i)
    for j, spot in enumerate(spots[1]):
        if here := cells.get(tuple(np.round(spot, 3))):
            found.append((here.pop(0), j))
    left, right = _others(ours, theirs, found)
    left, right = left[:MAX_ASSIGNED], right[:MAX_ASSIGNED]
    if left and right:
        apart = np.abs(spots[0][left][:, None] - spots[1][right][None])
        # Who has its place along the axis is the same, though its value is wrong.
        same = (apart[..., 0] <= SAME_PLACE) | (np.hypot(*apart.T).T <= FAR / 5)
        costs = np.where(same, np.hypot(*apart.T).T, 9.0)
        found += [(left[i], right[j]) for i, j in assign_pairs(costs) if same[i, j]]
    return _list_pairs(
        ours, theirs, found, lambda i, j: float(np.hypot(*(spots[0][i] - spots[1][j])))
    )


def _list_pairs(
    ours: Sequence[PlotPoint],
    theirs: Sequence[PlotPoint],
    found: Sequence[tuple[int, int]],
    error: Callable[[int, int], float],
) -> list[PointPair]:
    """Pairs of points, and those that are on one side alone."""
    left, right = _others(ours, theirs, found)
    return [
        *(PointPair(ours[i], theirs[j], error(i, j)) for i, j in found),
        *(PointPair(ours[i], None) for i in left),
        *(PointPair(None, theirs[j]) for j in right),
    ]


def _others(
    ours: Sequence[PlotPoint], theirs: Sequence[PlotPoint], found: Iterable[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    pairs = [*found]
    taken = {i for i, _ in pairs}, {j for _, j in pairs}
    return (
        [i for i in range(len(ours)) if i not in taken[0]],
        [j for j in range(len(theirs)) if j not in taken[1]],
    )


def _nearest(
    mine: Sequence[int], wanted: Sequence[int], ours: Sequence[float], theirs: Sequence[float]
) -> list[tuple[int, int]]:
    """Pairs of points of one name, by their values."""
    if len(mine) * len(wanted) > MAX_ASSIGNED**2:
        return [*zip(mine, wanted, strict=False)]
    costs = np.abs(
        np.array([ours[i] for i in mine])[:, None] - np.array([theirs[j] for j in wanted])[None]
    )
    return [(mine[i], wanted[j]) for i, j in assign_pairs(costs)]


def _number_of(at: str | float) -> float | None:
    if not isinstance(at, str):
        return at
    try:
        found = float(at.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def value_error(value: float, wanted: float, axis: PlotAxis, span: float) -> float:
    """Returns how far a value is from what it should be, as a share of its axis, from 0 on.

    Args:
        value: what is there.
        wanted: what should be there.
        axis: along which both go.
        span: see `value_span`.

    >>> value_error(30, 20, PlotAxis("mm", 0, 100), 100), value_error(100, 10, PlotAxis("mm", 1, 1e4, True), 4)
    (0.1, 0.25)
    """
    if axis.log and value > 0 and wanted > 0:
        return abs(math.log10(value) - math.log10(wanted)) / span
    return abs(value - wanted) / span


def value_span(chart: ChartData) -> float:
    """Returns how much the axis of values of a plot spans, in powers of ten where it is logarithmic.

    Without numbers on the axis it is what the values span themselves, of a pie 100 percent.

    >>> value_span(ChartData(y=PlotAxis("mm", -20, 60))), value_span(ChartData(y=PlotAxis("mm", 1, 1e4, True)))
    (80, 4.0)
    """
    marks = {one.mark for one in chart.series}
    if marks == {"pie"}:
        return 100.0
    values = np.array([it.value for one in chart.series for it in one.points])
    axis = PlotAxis() if marks == {"heat map"} else chart.values
    return _span_of(axis, values)


def _span_of(axis: PlotAxis, values: Floats) -> float:
    if axis.low is not None and axis.high is not None and axis.low < axis.high:
        if axis.log and axis.low > 0:
            return math.log10(axis.high) - math.log10(axis.low)
        return axis.high - axis.low
    if not len(values):
        return 1.0
    return float(np.ptp(values)) or float(np.abs(values).max()) or 1.0


def categories_of(chart: ChartData) -> list[str]:
    """Returns the names of a plot's categories, in their order: of its axes, or of its slices."""
    slices = (str(it.at) for one in chart.series if one.mark == "pie" for it in one.points)
    return [*chart.x.categories, *chart.y.categories, *filter(None, slices)]


Score = Callable[[ChartMatch, ChartData, ChartData], float | None]


def _score_type(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    pairs = [
        (one.prediction, one.reference) for one in match.series if one.prediction and one.reference
    ]
    if not theirs.series:
        return None
    turned = ours.horizontal != theirs.horizontal
    same = [one.mark == other.mark and not turned for one, other in pairs]
    return sum(same) / len(same) if same else 0.0


def _score_data(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    return mean([one.closeness for one in match.series])


def _score_series(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    if not match.series:
        return None
    named = [
        likeness(one.prediction.name, one.reference.name)
        if one.prediction.name and one.reference.name
        else 1.0
        for one in match.series
        if one.prediction and one.reference
    ]
    found = math.fsum((1 + it) / 2 for it in named)
    return 2 * found / (len(ours.series) + len(theirs.series))


def _score_axes(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    parts = []
    for mine, wanted in ((ours.x, theirs.x), (ours.y, theirs.y)):
        if wanted.label or mine.label:
            parts.append(likeness(mine.label, wanted.label))
        if wanted.low is not None:
            parts.append(range_overlap(mine, wanted))
    return mean(parts)


def range_overlap(axis: PlotAxis, wanted: PlotAxis) -> float:
    """Returns how much two axes' ranges have in common of what both span, 0 to 1.

    Where one of both alone is logarithmic, it is half of that.

    Args:
        axis: of the prediction.
        wanted: the axis of the reference that it stands for; where one of both tells no range, there is no overlap.

    >>> range_overlap(PlotAxis("", 0, 80), PlotAxis("", 0, 100))
    0.8
    """
    if axis.low is None or axis.high is None or wanted.low is None or wanted.high is None:
        return 0.0
    log = axis.log and wanted.log and axis.low > 0 and wanted.low > 0
    ends = axis.low, axis.high, wanted.low, wanted.high
    low, high, low2, high2 = map(math.log10, ends) if log else ends
    whole = max(high, high2) - min(low, low2)
    common = max(min(high, high2) - max(low, low2), 0.0)
    share = common / whole if whole else 1.0
    return share if axis.log == wanted.log else share / 2


def has_other_range(axis: PlotAxis, wanted: PlotAxis) -> bool:
    """Returns whether two axes of numbers do not have the same range, or one of them alone is logarithmic.

    Args:
        axis: of the prediction.
        wanted: the axis of the reference that it stands for.

    >>> [has_other_range(PlotAxis("", 0, high), PlotAxis("", 0, 100)) for high in (99, 80)]
    [False, True]
    """
    if axis.low is None or wanted.low is None:
        return False
    return axis.log != wanted.log or range_overlap(axis, wanted) < RANGE


def pair_axes(ours: ChartData, theirs: ChartData) -> tuple[tuple[PlotAxis, PlotAxis], ...]:
    """Returns which axis of a plot stands for the horizontal one of another, and which for the vertical one.

    Args:
        ours: the plot to judge.
        theirs: the plot as it should be.
    """
    mine = (ours.x, ours.y) if ours.horizontal == theirs.horizontal else (ours.y, ours.x)
    return (mine[0], theirs.x), (mine[1], theirs.y)


def _score_categories(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    mine: list[str | bytes] = [*categories_of(ours)[:MAX_ASSIGNED]]
    wanted: list[str | bytes] = [*categories_of(theirs)[:MAX_ASSIGNED]]
    if not wanted:
        return None
    return float(seqratio(mine, wanted)) if mine else 0.0


def _score_legend(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    mine, wanted = ours.legend[:MAX_ASSIGNED], theirs.legend[:MAX_ASSIGNED]
    if not mine or not wanted:
        return 0.0 if wanted else None
    shared = np.array(
        [
            [
                likeness(text, other) * (1 - min(color_distance(color, hue) / DIFFERENT, 1) / 2)
                for other, hue in wanted
            ]
            for text, color in mine
        ]
    )
    common = math.fsum(float(shared[i, j]) for i, j in assign_pairs(-shared))
    return 2 * common / (len(mine) + len(wanted))


def _score_title(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    return likeness(ours.title, theirs.title) if theirs.title else None


def _score_color(match: ChartMatch, ours: ChartData, theirs: ChartData) -> float | None:
    differences = [difference for one in match.series for difference in color_differences(one)]
    return mean([1 - min(one / DIFFERENT, 1) for one in differences])


def color_differences(pair: SeriesPair) -> list[float]:
    """Returns the CIEDE2000 of two series' colors, or those of their points, where these have colors of their own."""
    one, other = pair.prediction, pair.reference
    if one is None or other is None:
        return []
    if one.color and other.color:
        return [color_distance(one.color, other.color)]
    known: dict[tuple[str, str], float] = {}
    found = []
    for point in pair.points:
        if point.prediction and point.reference:
            colors = point.prediction.color or one.color, point.reference.color or other.color
            if all(colors):
                if colors not in known:
                    known[colors] = color_distance(*colors)
                found.append(known[colors])
    return found


SCORES: Mapping[str, Score] = {
    "chart_type": _score_type,
    "chart_data": _score_data,
    "chart_series": _score_series,
    "chart_axes": _score_axes,
    "chart_categories": _score_categories,
    "chart_legend": _score_legend,
    "chart_title": _score_title,
    "chart_color": _score_color,
}
"""Name of a score to what computes it for two plots; None where there is nothing of it."""


def chart_scores(prediction: PictureLayout, reference: PictureLayout) -> dict[str, float | None]:
    """Returns how much of a reference's charts a prediction has: name → value in [0, 1], or None where it has nothing of it.

    ``chart_type``: share of series that are drawn as bars, lines, … as they should be. ``chart_data``: how near the
    values are, as a share of the axis, 0 from a quarter on; missing and extra points and series count as 0.
    ``chart_series``: F1 of series, with half a share for their names. ``chart_axes``: ranges and labels.
    ``chart_categories``: their names in their order. ``chart_legend``: F1 of its entries, with half a share for
    their colors. ``chart_title``. ``chart_color``: of matched series or points, by CIEDE2000. Each is the mean over
    plots; a plot that is missing or extra has 0. ``chartmimic_…``: see `chartmimic_scores`.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    matches = match_charts(prediction.charts or (), reference.charts or ())
    plots = [_plot_scores(one) for one in matches]
    found = {name: mean([it for one in plots if (it := one[name]) is not None]) for name in SCORES}
    return found | chartmimic_scores(prediction, reference)


def _plot_scores(match: ChartMatch) -> dict[str, float | None]:
    ours, theirs = match.prediction, match.reference
    if ours and theirs:
        return {name: score(match, ours, theirs) for name, score in SCORES.items()}
    lonely = ours or theirs
    if lonely is None:
        return dict.fromkeys(SCORES)
    itself = _match_series(lonely, lonely)
    wanted = {name: score(itself, lonely, lonely) for name, score in SCORES.items()}
    return {name: None if value is None else 0.0 for name, value in wanted.items()}


def chartmimic_scores(
    prediction: PictureLayout, reference: PictureLayout
) -> dict[str, float | None]:
    """Returns ChartMimic's low-level elements of two charts, each an F1 in [0, 1], or None where neither has any.

    ``chartmimic_text``: texts that are on both pictures. ``chartmimic_layout``: plots in the same row and column of
    the figure. ``chartmimic_type``: kinds of marks. ``chartmimic_color``: colors of marks of one kind, each in
    proportion to its likeness by CIEDE2000. The paper takes them from calls of Matplotlib; these are of any engine.

    Args:
        prediction: what lies on the picture to judge.
        reference: what lies on the picture it should be.

    Source: Yang et al., "ChartMimic: Evaluating LMM's Cross-Modal Reasoning Capability via Chart-to-Code
    Generation", 2024, section on evaluation metrics, low-level.
    """
    ours, theirs = prediction.charts or (), reference.charts or ()
    texts = [[it.text for it in one.texts if it.visible] for one in (prediction, reference)]
    grids = [_grid(one) for one in (ours, theirs)]
    marks = [[it.mark for it in _all_series(one)] for one in (ours, theirs)]
    return {
        "chartmimic_text": _overlap(*texts),
        "chartmimic_layout": _overlap(*grids),
        "chartmimic_type": _overlap(*marks),
        "chartmimic_color": _color_overlap(ours, theirs),
    }


def _all_series(charts: Charts) -> Iterable[PlotSeries]:
    return chain.from_iterable(one.series for one in charts)


def _grid(charts: Charts) -> list[tuple[int, int]]:
    """The row and column of each plot, by where plots begin."""
    boxes = [one.box for one in charts if one.box]
    sides = [sorted({round(box[side] / 20) for box in boxes}) for side in (0, 1)]
    return [
        (sides[0].index(round(box[0] / 20)), sides[1].index(round(box[1] / 20))) for box in boxes
    ]


def _overlap(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> float | None:
    """F1 of two lists in any order."""
    total = len(ours) + len(theirs)
    return 2 * (Counter(ours) & Counter(theirs)).total() / total if total else None


def _color_overlap(ours: Charts, theirs: Charts) -> float | None:
    kinds: tuple[defaultdict[str, set[str]], ...] = defaultdict(set), defaultdict(set)
    for side, charts in zip(kinds, (ours, theirs), strict=True):
        for one in _all_series(charts):
            colors = {one.color, *(it.color for it in one.points)} - {""}
            side[one.mark] |= {*sorted(colors)[:MAX_ASSIGNED]}
    total = sum(len(colors) for side in kinds for colors in side.values())
    shared = 0.0
    for mark, colors in kinds[0].items():
        if wanted := kinds[1].get(mark):
            alike = np.array(
                [
                    [1 - min(color_distance(one, other), 100) / 100 for other in sorted(wanted)]
                    for one in sorted(colors)
                ]
            )
            shared += (
                math.fsum(float(alike[i, j]) for i, j in assign_pairs(-alike))
                if alike.size
                else 0.0
            )
    return min(2 * shared / total, 1.0) if total else None


WEIGHTS: Mapping[str, float] = {
    "chart_type": 0.1,
    "chart_data": 0.4,
    "chart_series": 0.1,
    "chart_axes": 0.1,
    "chart_categories": 0.1,
    "chart_legend": 0.05,
    "chart_title": 0.05,
    "chart_color": 0.1,
}
"""What each score counts in `chart_similarity`: most goes to the data itself."""


def chart_similarity(prediction: PictureLayout, reference: PictureLayout) -> float | None:
    """Returns the weighted mean of `chart_scores` in [0, 1], by `WEIGHTS`.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.

    Returns:
        None where the reference has no chart, or where it is not known what charts the prediction has.

    >>> bars = PlotSeries("", "bar", "#336699", (PlotPoint("A", 20.0), PlotPoint("B", 40.0)))
    >>> wrong = PlotSeries("", "bar", "#336699", (PlotPoint("A", 20.0), PlotPoint("B", 30.0)))
    >>> first, second = (PictureLayout((9, 9), (), charts=(ChartData(y=PlotAxis("mm", 0, 100), series=(one,)),)) for one in (bars, wrong))
    >>> chart_similarity(first, first), round(chart_similarity(second, first), 3)
    (1.0, 0.9)
    >>> chart_similarity(first, PictureLayout((9, 9), ()))
    """
    if not reference.charts or prediction.charts is None:
        return None
    found = chart_scores(prediction, reference)
    counted = {name: value for name in WEIGHTS if (value := found[name]) is not None}
    return weighted_mean([(value, WEIGHTS[name]) for name, value in counted.items()])


def likeness(one: str, other: str) -> float:
    """Returns how much of two names is the same, 0 to 1; blanks don't count.

    >>> likeness("Rain (mm)", "Rain(mm)"), likeness("Rain", "Rian")
    (1.0, 0.75)
    """
    first, second = ("".join(it.split()) for it in (one, other))
    return 1.0 if first == second else float(ratio(first, second))
