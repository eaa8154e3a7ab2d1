"""The data of charts is read within bounds, whoever wrote it, and put together as a reader sees it."""

import json
import math

import pytest

from helm_structext.layouts import (
    MAX_POINTS,
    ChartData,
    PictureLayout,
    PlotAxis,
    PlotPoint,
    PlotSeries,
    SeriesStyle,
    charts_record,
    layout_record,
    read_charts,
    read_layout,
)

BARS = PlotSeries(
    "North",
    "bar",
    "#336699",
    (PlotPoint("A", 3.0, "", (0.5, 1.0), (1.0, 2.0, 3.0, 4.0)), PlotPoint("B", 4.0, "#112233")),
    SeriesStyle(2.0, "dashed", "circles"),
)
CHART = ChartData(
    "Rain",
    PlotAxis("Month", categories=("A", "B")),
    PlotAxis("mm", 1.0, 1000.0, True),
    (BARS,),
    (("North", "#336699"),),
    True,
    (0.0, 0.0, 90.0, 60.0),
)


def read_series(*series):
    return read_charts([{"series": [*series]}])[0].series


def test_what_was_written_is_read_again():
    layout = PictureLayout((90, 60), (), charts=(CHART,))
    assert read_layout(json.loads(json.dumps(layout_record(layout)))) == layout
    assert read_layout(layout_record(PictureLayout((9, 9), ()))).charts is None


@pytest.mark.parametrize(
    "record",
    [
        "charts",
        {"series": []},
        [3],
        [{"series": 3}],
        [{"series": [["", "spaghetti", "", []]]}],
        [{"series": [["", "bar", "", [["A"]]]]}],
        [{"series": [["", "bar", "", [["A", "much"]]]]}],
        [{"series": [[3, "bar", "", []]]}],
        [{"x": [1, 2]}],
        [{"legend": [3]}],
        [{"series": [["", "bar", "", [["A", 10**400]]]]}],
        [{"box": [1]}],
    ],
)
def test_another_form_is_an_error(record):
    with pytest.raises((AttributeError, KeyError, OverflowError, TypeError, ValueError)):
        read_charts(record)


def test_what_is_no_number_is_left_out():
    points = [["A", math.nan], ["B", math.inf], ["C", None], ["D", 1e200], [math.nan, 3], ["E", 5]]
    (series,) = read_series(["", "bar", "", [["F", 6], *points]])
    assert [one.at for one in series.points] == ["F", "E"]
    assert read_charts([{"y": ["mm", math.nan, 3, False, []]}])[0].y == PlotAxis("mm")
    assert read_charts([{"box": [math.nan, 0, 1, 1]}])[0].box is None


def test_points_series_and_names_are_bounded():
    many = [[number, number] for number in range(MAX_POINTS + 5)]
    first, *rest = read_series(["", "line", "", many], ["x" * 9999, "line", "", many])
    assert len(first.points) == MAX_POINTS
    assert rest == []
    (long,) = read_series(["x" * 9999, "line", "", many[:2]])
    assert len(long.name) == 1000


def test_bars_of_one_call_each_are_one_series():
    (bars,) = read_series(*(["", "bar", color, [[at, 1]]] for at, color in ("Ar", "Bg")))
    assert [one.at for one in bars.points] == ["A", "B"]
    colors = [["", "bar", f"#00000{n}", [[at, 1]]] for n, at in enumerate("AB")]
    assert [one.color for one in read_series(*colors)[0].points] == ["#000000", "#000001"]


def test_bars_that_only_their_names_tell_apart_have_these_as_places():
    (bars,) = read_series(*([name, "bar", "", [[at, 1]]] for at, name in enumerate(("A", "B"))))
    assert [one.at for one in bars.points] == ["A", "B"]


def test_groups_of_one_category_stay_series():
    found = read_series(*([name, "bar", "", [["A", 1]]] for name in ("North", "South")))
    assert [one.name for one in found] == ["North", "South"]


LINE = ["North", "line", "#336699", [[1, 2], [2, 4]]]


@pytest.mark.parametrize(
    ("dots", "kept"),
    [
        (["North", "scatter", "#336699", [[1, 2], [2, 4]]], False),
        (["", "scatter", "#ff0000", [[1, 2]]], False),
        (["", "scatter", "#ff0000", [[1, 3], [2, 9]]], True),
        (["Others", "scatter", "#ff0000", [[1, 2], [2, 4]]], True),
    ],
)
def test_dots_on_a_line_and_rings_around_a_point_are_no_series(dots, kept):
    assert len(read_series(LINE, dots)) == 1 + kept


def test_slices_are_shares():
    (pie,) = read_series(["", "pie", "", [["A", 30], ["B", 10]]])
    assert [one.value for one in pie.points] == [75, 25]
    assert charts_record([ChartData(series=(pie,))])


def test_a_style_that_has_no_name_here_is_not_known():
    for told in ([float("nan"), "evil", 3], [-1, ["dashed"], "spaghetti"], [1e9, None, None]):
        (series,) = read_series(["", "line", "", [[1, 2]], told])
        assert series.style == SeriesStyle()


def test_dots_on_a_line_are_its_marks():
    points = [[1, 2], [2, 4]]
    (line,) = read_series(
        ["", "line", "#336699", points, [2, "solid", "nothing"]],
        ["", "scatter", "#336699", points, [0, "", "squares"]],
    )
    assert line.style == SeriesStyle(2.0, "solid", "squares")
