"""Shapes of charts that the charts' own data tells: marks, ticks, lines of grids.

Where the data of both charts is known, each of these would be told twice, and many times over: a chart with other
values has other bars, other ticks and another grid.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from helm_structext.findings.elements import change_of_box, plots_with_other_data
from helm_structext.findings.kinds import RECOLORED
from helm_structext.layouts import ChartData, ElementBox, PictureLayout, PixelBox
from helm_structext.metrics.chart import match_charts
from helm_structext.metrics.color_difference import color_distance
from helm_structext.metrics.element_changes import ElementChange
from helm_structext.metrics.element_pairs import ElementPairs

SMALL = 0.03
"""Share of the picture's larger side up to which what lies in a plot is a tick, a cap or a dot."""
KEY = 2.0
"""How many times as long a legend's keys may be, which may stand beside plots."""
LONG = 0.8
"""Share of a plot's side from which on a rule is a line of its grid."""
NEAR = 3.0
"""Pixels from a plot's edge within which a rule is part of its frame."""
MAX_COLORS = 50
"""Of one plot, by which its marks are known."""

TOLD, FRAME, GRID = "told", "frame", "grid"


class _Plot(NamedTuple):
    """Where a plot is, and what its marks look like."""

    box: PixelBox
    colors: tuple[str, ...]
    marks: frozenset[str]
    ranges: bool


def untold_by_charts(
    pairs: ElementPairs, prediction: PictureLayout, reference: PictureLayout
) -> ElementPairs:
    """Returns pairs without those whose elements are told by what is known of the charts on both pictures.

    Told are marks in the color of their series and what is as small as ticks; and lines of a grid or a frame are neither
    missing nor extra where both charts have such.

    Args:
        pairs: each element of both pictures once.
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    if not (prediction.charts and reference.charts):
        return pairs
    sides = [
        (layout.size, [*_read_plots(layout.charts or ())]) for layout in (prediction, reference)
    ]
    roles = [
        [
            _role_of(one, plots, size) if one else TOLD
            for one, (size, plots) in zip(pair, sides, strict=True)
        ]
        for pair in pairs
    ]
    drawn = [
        {role[side] for role, pair in zip(roles, pairs, strict=True) if pair[side]}
        for side in (0, 1)
    ]
    common = {TOLD} | (drawn[0] & drawn[1]) - {""}
    lines = {role for role in common if not role.startswith(FRAME)}  # A frame is where its plot is.
    return [
        pair
        for pair, role in zip(pairs, roles, strict=True)
        if not (lines if all(pair) else common).issuperset(role)
    ]


def find_told_colors(prediction: PictureLayout, reference: PictureLayout) -> list[tuple[str, str]]:
    """Returns the colors of series that have another one, each with that which it should have: charts' data tells them.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    ours, theirs = (
        {one.name: one.color for chart in layout.charts or () for one in chart.series}
        for layout in (prediction, reference)
    )
    found = {(ours[name], color) for name, color in theirs.items() if name in ours}
    return sorted(pair for pair in found if all(pair) and color_distance(*pair) > RECOLORED)[
        :MAX_COLORS
    ]


def find_changed_plots(prediction: PictureLayout, reference: PictureLayout) -> list[ElementChange]:
    """Returns the changes of plots that are in another box, where any has other data: they make room for other ticks.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    if not plots_with_other_data(prediction, reference):
        return []
    return [
        change_of_box(ours.box, theirs.box)
        for one in match_charts(prediction.charts or (), reference.charts or ())
        if (ours := one.prediction) and (theirs := one.reference)
        if ours.box and theirs.box and ours.box != theirs.box
    ]


def have_same_plots(prediction: PictureLayout, reference: PictureLayout) -> bool:
    """Returns whether the plots that are known on two pictures are at the same places, or none is.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    ours, theirs = (
        [chart.box for chart in layout.charts or () if chart.box]
        for layout in (prediction, reference)
    )
    sides = zip(chain(*ours), chain(*theirs), strict=False)
    return len(ours) == len(theirs) and all(abs(one - other) <= NEAR for one, other in sides)


def _read_plots(charts: Sequence[ChartData]) -> Iterator[_Plot]:
    for chart in charts:
        if chart.box:
            points = [point for one in chart.series for point in one.points]
            colors = (*(one.color for one in chart.series), *(color for _, color in chart.legend))
            known = dict.fromkeys((*colors, *(point.color for point in points)))
            known.pop("", None)
            marks = frozenset(one.mark for one in chart.series)
            ranges = "box" in marks or any(point.error for point in points)
            yield _Plot(chart.box, tuple(islice(known, MAX_COLORS)), marks, ranges)


def _role_of(element: ElementBox, plots: Sequence[_Plot], size: tuple[int, int]) -> str:
    """What an element is to one of the plots: told by its data, a line of its grid or its frame, or "" for none."""
    small = SMALL * max(size)
    for plot in plots:
        if _is_near(element.box, plot.box, small) and (role := _role_in(element, plot, small)):
            return role
    in_legend = _longest(element.box) <= KEY * small
    return TOLD if in_legend and any(_has_color(element, plot) for plot in plots) else ""


def _role_in(element: ElementBox, plot: _Plot, small: float) -> str:
    if _longest(element.box) <= small:
        return TOLD
    if element.kind == "rule" and (line := _line_of(element.box, plot.box)):
        return line
    return TOLD if _is_mark(element, plot) else ""


def _is_mark(element: ElementBox, plot: _Plot) -> bool:
    if element.kind == "image":
        return "heat map" in plot.marks
    return (element.kind == "rule" and plot.ranges) or _has_color(element, plot)


def _has_color(element: ElementBox, plot: _Plot) -> bool:
    return bool(element.color) and any(
        color_distance(element.color, color) <= RECOLORED for color in plot.colors
    )


def _longest(box: PixelBox) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _line_of(box: PixelBox, plot: PixelBox) -> str:
    """Which line of a plot a rule is: one of its frame, by its side, or of its grid, by its direction."""
    axis = int(box[3] - box[1] > box[2] - box[0])
    if box[axis + 2] - box[axis] < LONG * (plot[axis + 2] - plot[axis]):
        return ""
    middle = (box[1 - axis] + box[3 - axis]) / 2
    for side, edge in zip(("first", "last"), (plot[1 - axis], plot[3 - axis]), strict=True):
        if abs(middle - edge) <= NEAR:
            return f"{FRAME} {axis} {side}"
    return f"{GRID} {axis}"


def _is_near(box: PixelBox, plot: PixelBox, margin: float) -> bool:
    left, top, right, bottom = plot
    return (
        box[0] >= left - margin
        and box[1] >= top - margin
        and box[2] <= right + margin
        and box[3] <= bottom + margin
    )
