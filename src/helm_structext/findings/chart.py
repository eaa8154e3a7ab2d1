"""What is wrong with the data of charts: `helm_structext.metrics.chart` by name, place and number."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from helm_structext.findings.categories import find_categories, without_categories
from helm_structext.findings.chart_styles import find_restyled_series
from helm_structext.findings.kinds import (
    RECOLORED,
    Comparison,
    PictureFinding,
    in_order,
    quote_text,
    worst_by_kind,
)
from helm_structext.layouts import (
    ChartData,
    MarkKind,
    PictureLayout,
    PixelBox,
    PlotAxis,
    PlotPoint,
    PlotSeries,
    box_area,
    box_around,
)
from helm_structext.metrics.chart import (
    DIFFERENT,
    FAR,
    ChartMatch,
    PointPair,
    SeriesPair,
    categories_of,
    chart_scores,
    color_differences,
    has_other_range,
    match_charts,
    pair_axes,
    range_overlap,
)
from helm_structext.metrics.chart_categories import NAMED
from helm_structext.metrics.color_difference import color_distance

WRONG = 0.01
"""Share of an axis from which on a value is wrong."""
NOUNS: Mapping[MarkKind, str] = {
    "bar": "bar",
    "line": "point",
    "area": "point",
    "scatter": "point",
    "pie": "slice",
    "histogram": "bin",
    "box": "number",
    "heat map": "cell",
}
"""What one value of a mark is called."""


class _Places(NamedTuple):
    """Where colors are on both pictures."""

    ours: Mapping[str, PixelBox]
    theirs: Mapping[str, PixelBox]


PLURALS = {"series": "series", "category": "categories"}


def compare_charts(prediction: PictureLayout, reference: PictureLayout) -> Comparison | None:
    """Returns what of the data of a prediction's charts is not as in the reference; None without a chart there."""
    if not reference.charts or prediction.charts is None:
        return None
    matches = match_charts(prediction.charts, reference.charts)
    layouts = prediction, reference
    places = _Places(*map(_boxes_by_color, layouts))
    found = in_order(
        (
            *(finding for one in matches for finding in _find(one, places)),
            *find_categories(matches, *layouts),
            *find_restyled_series(
                matches, _name_series, lambda it: _boxes_of(it, places), _scale_of(*layouts)
            ),
        )
    )
    scores = chart_scores(prediction, reference)
    return Comparison(scores, tuple(found), tuple(_clauses(matches, found)))


def _scale_of(prediction: PictureLayout, reference: PictureLayout) -> float:
    mine, wanted = (math.prod(one.size) or 1 for one in (prediction, reference))
    return math.sqrt(wanted / mine)


def _find(match: ChartMatch, places: _Places) -> Iterator[PictureFinding]:
    ours, theirs = match.prediction, match.reference
    if ours and theirs:
        yield from _find_types(match, ours, theirs)
        yield from _find_ranges(ours, theirs)
        yield from _find_series(without_categories(match), theirs, places)
    elif theirs:
        yield PictureFinding("plot missing", _name_plot(theirs), None, theirs.box, 1.0)
    elif ours:
        yield PictureFinding("plot extra", _name_plot(ours), ours.box, None, 1.0)


def _find_types(match: ChartMatch, ours: ChartData, theirs: ChartData) -> Iterator[PictureFinding]:
    pairs = [
        (one.prediction, one.reference) for one in match.series if one.prediction and one.reference
    ]
    changed = Counter(
        (_describe(one, ours), _describe(other, theirs))
        for one, other in pairs
        if _describe(one, ours) != _describe(other, theirs)
    )
    for (mine, wanted), number in changed.items():
        said = f"{mine}, not {wanted}"
        yield PictureFinding("chart type", said, ours.box, theirs.box, number / len(pairs))


def _describe(series: PlotSeries, chart: ChartData) -> str:
    lying = "lying " if chart.horizontal and series.mark in ("bar", "box") else ""
    return f"{lying}{series.mark}"


def _find_ranges(ours: ChartData, theirs: ChartData) -> Iterator[PictureFinding]:
    for mine, wanted in pair_axes(ours, theirs):
        if not has_other_range(mine, wanted):
            continue
        if mine.log != wanted.log:
            how = ["linear", "logarithmic"]
            said = f"{_name_axis(wanted)} is {how[mine.log]}, not {how[wanted.log]}"
            yield PictureFinding("axis range", said, ours.box, theirs.box, 1.0)
        else:
            said = f"{_name_axis(wanted)} from {_say_range(mine)}, not {_say_range(wanted)}"
            other = 1 - range_overlap(mine, wanted)
            yield PictureFinding("axis range", said, ours.box, theirs.box, other)


def _name_axis(axis: PlotAxis) -> str:
    return quote_text(axis.label) if axis.label else "an axis"


def _say_range(axis: PlotAxis) -> str:
    ends = f"{_say(axis.low or 0)} to {_say(axis.high or 0)}"
    return f"{ends} by factors" if axis.log else ends


def _find_series(match: ChartMatch, theirs: ChartData, places: _Places) -> Iterator[PictureFinding]:
    swapped = _swapped_names(match.series)
    if swapped:
        said = " and ".join(quote_text(one.reference.name) for one in swapped if one.reference)
        first = swapped[0].prediction, swapped[0].reference
        boxes = [_box_of(one, place) for one, place in zip(first, places, strict=True) if one]
        share = len(swapped) / len(match.series)
        yield PictureFinding("legend swapped", said, boxes[0], boxes[-1], share)
    share = 1 / (len(theirs.series) or 1)
    for pair in match.series:
        one, other = pair.prediction, pair.reference
        if one is None and other is not None:
            box = _box_of(other, places.theirs)
            yield PictureFinding("series missing", _name_series(other), None, box, min(share, 1.0))
        elif other is None and one is not None:
            box = _box_of(one, places.ours)
            yield PictureFinding("series extra", _name_series(one), box, None, min(share, 1.0))
        elif one and other:
            yield from _find_points(pair, one, other, places)


def _swapped_names(pairs: Sequence[SeriesPair]) -> list[SeriesPair]:
    """The series that have each other's names."""
    renamed = [
        one
        for one in pairs
        if one.prediction
        and one.reference
        and one.reference.mark not in NAMED  # Their names stand at an axis.
        and one.prediction.name
        and one.prediction.name != one.reference.name
    ]
    mine = {one.prediction.name for one in renamed if one.prediction}
    wanted = {one.reference.name for one in renamed if one.reference}
    return [one for one in renamed if mine == wanted]


def _find_points(
    pair: SeriesPair, one: PlotSeries, other: PlotSeries, places: _Places
) -> Iterator[PictureFinding]:
    number = len(other.points) or 1
    wrong = [
        it
        for it in pair.points
        if it.prediction and it.reference and (it.error > WRONG or _is_recolored(it))
    ]
    if other.mark == "pie" and len(wrong) > 1 and _is_permuted(wrong):
        said = " and ".join(quote_text(str(it.reference.at)) for it in wrong if it.reference)
        boxes = [it.box for it in (wrong[0].prediction, wrong[0].reference) if it]
        yield PictureFinding("legend swapped", said, boxes[0], boxes[1], len(wrong) / number)
        wrong = []
    for it in pair.points:
        mine, wanted = it.prediction, it.reference
        if mine is None and wanted is not None:
            said = _name_point(wanted, other)
            yield PictureFinding("point missing", said, None, wanted.box, 1 / number)
        elif wanted is None and mine is not None:
            said = _name_point(mine, other)
            yield PictureFinding("point extra", said, mine.box, None, 1 / number)
    for it in wrong:
        if it.prediction and it.reference and it.error > WRONG:
            said = _say_value(it, it.prediction, it.reference, other)
            size = min(it.error / FAR, 1.0)
            boxes = [it.prediction.box, it.reference.box]
            yield PictureFinding("value wrong", said, boxes[0], boxes[1], size)
    yield from _find_colors(pair, one, other, wrong, places)


def _find_colors(
    pair: SeriesPair,
    one: PlotSeries,
    other: PlotSeries,
    wrong: Sequence[PointPair],
    places: _Places,
) -> Iterator[PictureFinding]:
    boxes = _boxes_of(pair, places)
    # Its colors are its values: right ones have others in another scale.
    if other.mark == "heat map":
        right = [it for it in pair.points if it.error <= WRONG and it.prediction and it.reference]
        if right and sum(map(_is_recolored, right)) >= len(right) / 2:
            said = f"the cells of {_name_series(other)} have another scale of colors"
            yield PictureFinding("series recolored", said, *boxes, 1.0)
        return
    if one.color and other.color:
        difference = color_distance(one.color, other.color)
        if difference > RECOLORED:
            said = f"{_name_series(other)} is {one.color}, not {other.color}"
            size = min(difference / DIFFERENT, 1.0)
            yield PictureFinding("series recolored", said, *boxes, size)
        return
    if other.mark != "pie" and (differences := color_differences(pair)):
        recolored = [it for it in differences if it > RECOLORED]
        if recolored:
            said = f"{len(recolored)} of {len(differences)} marks of {_name_series(other)}"
            size = min(sum(recolored) / len(differences) / DIFFERENT, 1.0)
            yield PictureFinding("series recolored", said, *boxes, size)
        return
    for it in wrong:
        if it.prediction and it.reference and _is_recolored(it):
            mine, wanted = it.prediction, it.reference
            said = f"{quote_text(str(wanted.at))} is {mine.color}, not {wanted.color}"
            size = min(color_distance(mine.color, wanted.color) / DIFFERENT, 1.0)
            yield PictureFinding("series recolored", said, mine.box, wanted.box, size)


def _is_recolored(pair: PointPair) -> bool:
    if not pair.prediction or not pair.reference:
        return False
    return color_distance(pair.prediction.color, pair.reference.color) > RECOLORED


def _is_permuted(pairs: Sequence[PointPair]) -> bool:
    """Whether slices have each other's values and colors."""
    mine = Counter(
        (round(it.prediction.value), it.prediction.color) for it in pairs if it.prediction
    )
    return mine == Counter(
        (round(it.reference.value), it.reference.color) for it in pairs if it.reference
    )


def _say_value(pair: PointPair, mine: PlotPoint, wanted: PlotPoint, series: PlotSeries) -> str:
    """What a value is and should be, and how far that is along its axis."""
    if isinstance(wanted.at, float) and series.mark == "scatter":
        spots = [f"({_say(it.at)}, {_say(it.value)})" for it in (mine, wanted)]
        return f"{spots[0]} for {spots[1]}: {pair.error:.0%} of the axis away"
    way = "high" if mine.value > wanted.value else "low"
    name = _name_point(wanted, series)
    much = f"{100 * pair.error:.0f} %" if pair.error >= WRONG else "less than 1 %"
    return f"{name} is {_say(mine.value)}, not {_say(wanted.value)}: {much} of the axis too {way}"


def _name_point(point: PlotPoint, series: PlotSeries) -> str:
    if point.at == "":
        return f"a {NOUNS[series.mark]} of {_say(point.value)}"
    at = quote_text(point.at) if isinstance(point.at, str) else f"at {_say(point.at)}"
    return f"{at} of {quote_text(series.name)}" if series.name else at


def _name_series(series: PlotSeries) -> str:
    if series.name:
        return quote_text(series.name)
    return f"{series.mark} of {len(series.points)} {NOUNS[series.mark]}s"


def _name_plot(chart: ChartData) -> str:
    marks = ", ".join(dict.fromkeys(one.mark for one in chart.series)) or "empty plot"
    return f"{quote_text(chart.title)}: {marks}" if chart.title else marks


def _box_of(series: PlotSeries, by_color: Mapping[str, PixelBox]) -> PixelBox | None:
    """Where a series is drawn: its points, or else, as TikZ tells no places, what has its color."""
    boxes = [it.box for it in series.points if it.box]
    return box_around(boxes) if boxes else by_color.get(series.color)


def _boxes_of(pair: SeriesPair, places: _Places) -> tuple[PixelBox | None, PixelBox | None]:
    one, other = pair.prediction, pair.reference
    return (
        _box_of(one, places.ours) if one else None,
        _box_of(other, places.theirs) if other else None,
    )


def _boxes_by_color(layout: PictureLayout) -> dict[str, PixelBox]:
    """Color to the box around the largest element that has it."""
    found: dict[str, PixelBox] = {}
    for one in sorted(layout.elements, key=lambda it: box_area(it.box)):
        found[one.color or one.line] = one.box
    return found


def _say(number: str | float) -> str:
    """A number as people write it.

    >>> _say(12345.0), _say(0.30000000000000004), _say(1234567.0)
    ('12345', '0.3', '1.2346e+06')
    """
    return number if isinstance(number, str) else f"{number:.5g}"


def _clauses(matches: Sequence[ChartMatch], findings: Sequence[PictureFinding]) -> Iterator[str]:
    """How many of how many, by kind, with the worst one of each."""
    theirs = [it.reference for one in matches for it in one.series if it.reference]
    points = sum(len(one.points) for one in theirs)
    nouns = {NOUNS[one.mark] for one in theirs}
    noun = nouns.pop() if len(nouns) == 1 else "value"
    plots = sum(one.reference is not None for one in matches)
    totals = {"plot": (plots, "plot"), "series": (len(theirs), "series"), "point": (points, noun)}
    totals["value"] = totals["point"]
    slices = sum(len(one.points) for one in theirs if one.mark == "pie")
    colored = slices + sum(one.mark != "pie" for one in theirs)
    totals["color"] = (colored, "slice" if slices == colored else "series")
    categories = sum(len(categories_of(it.reference)) for it in matches if it.reference)
    totals["category"] = (categories, "category")
    for kind, (number, worst) in worst_by_kind(findings).items():
        what, _, how = kind.partition(" ")
        total, name = totals.get("color" if kind == "series recolored" else what, (0, ""))
        many = PLURALS.get(name, f"{name}s")
        if kind == "category order":
            yield f"the order of categories is wrong ({worst.text})"
        elif kind in ("chart type", "axis range"):
            yield f"the {kind} is wrong ({worst.text})"
        elif kind == "legend swapped":
            yield f"the legend is swapped ({worst.text})"
        elif how == "extra":
            yield f"{number} {many if number > 1 else name} too many ({worst.text})"
        elif kind == "value wrong" and number > 1 and (way := _common_way(findings)):
            yield f"{number} of {total} {many} wrong, all too {way} ({worst.text})"
        else:
            yield f"{number} of {total} {many} {how} ({worst.text})"


def _common_way(findings: Sequence[PictureFinding]) -> str:
    """Whether all wrong values are too high, or too low; "" if neither."""
    ways = {one.text.rpartition(" ")[2] for one in findings if one.kind == "value wrong"}
    return ways.pop() if len(ways) == 1 and ways <= {"high", "low"} else ""
