"""What a chart's data tells is not told again by its marks, ticks and lines."""

from dataclasses import replace

import pytest

from helm_structext.findings import compare_layouts
from helm_structext.findings.plots import untold_by_charts
from helm_structext.layouts import (
    ChartData,
    ElementBox,
    PictureLayout,
    PlotAxis,
    PlotPoint,
    PlotSeries,
)

PLOT = (50.0, 50.0, 450.0, 350.0)
LEGEND = (("rain", "#336699"),)


def bars(*heights):
    return tuple(
        ElementBox("shape", (60.0 + 80 * at, 350 - height, 100.0 + 80 * at, 350.0), "#336699")
        for at, height in enumerate(heights)
    )


def picture(*elements, values=(50.0, 100.0), mark="bar", error=None, plot=PLOT):
    points = tuple(PlotPoint(str(at), value, error=error) for at, value in enumerate(values))
    series = PlotSeries("rain", mark, "#336699", points)
    chart = ChartData("", y=PlotAxis("mm", 0, 300), series=(series,), legend=LEGEND, box=plot)
    return PictureLayout((500, 400), (), tuple(elements), charts=(chart,))


def untold(prediction, reference):
    extra = [(one, None) for one in prediction.elements]
    lost = [(None, one) for one in reference.elements]
    return untold_by_charts([*extra, *lost], prediction, reference)


def test_a_lost_bar_is_told_once_by_its_value():
    found = compare_layouts(
        picture(*bars(50), values=(50.0,)), picture(*bars(50, 100), values=(50.0, 100.0))
    )
    assert [one.kind for one in found.findings] == ["point missing"]


@pytest.mark.parametrize(
    "element",
    [
        ElementBox("rule", (44.0, 100.0, 50.0, 101.0), "#000000"),
        ElementBox("shape", (200.0, 100.0, 210.0, 110.0), "#ffffff"),
        ElementBox("shape", (455.0, 60.0, 475.0, 70.0), "#336699"),
    ],
    ids=["tick", "dot", "key of a legend"],
)
def test_small_parts_of_charts_are_told_by_their_data(element):
    assert untold(picture(), picture(element)) == []


def test_lines_of_a_grid_are_told_where_one_picture_has_none():
    line, other = (ElementBox("rule", (50.0, y, 450.0, y + 1), "#b0b0b0") for y in (100.0, 200.0))
    assert untold(picture(line), picture(other)) == []
    assert untold(picture(), picture(other)) == [(None, other)]


def test_marks_of_a_plot_of_another_size_are_where_it_is():
    lower = PLOT[0], 100.0, *PLOT[2:]
    shorter = picture(ElementBox("shape", (60.0, 200.0, 100.0, 350.0), "#336699"), plot=lower)
    higher = picture(ElementBox("shape", (60.0, 170.0, 100.0, 350.0), "#336699"))
    assert compare_layouts(shorter, higher).findings == ()
    frame, other = (ElementBox("shape", box, "#cc0000") for box in (lower, PLOT))
    moved = compare_layouts(picture(frame, plot=lower), picture(other))
    assert [one.kind for one in moved.findings] == ["element resized"]


def test_a_frame_that_is_open_on_a_side_is_told():
    bottom, top = (ElementBox("rule", (50.0, y, 450.0, y + 1), "#000000") for y in (349.0, 50.0))
    assert untold(picture(bottom), picture(bottom, top)) == [(None, top)]


def test_error_bars_are_told_by_their_values():
    bar = ElementBox("rule", (80.0, 200.0, 81.0, 260.0), "#000000")
    assert untold(picture(bar, error=(3.0, 3.0)), picture(error=(2.0, 2.0))) == []
    assert untold(picture(bar), picture()) == [(bar, None)]


def test_what_no_data_tells_is_told():
    arrow = ElementBox("shape", (150.0, 90.0, 260.0, 140.0), "#cc0000")
    beside = ElementBox("shape", (455.0, 60.0, 495.0, 200.0), "#336699")
    nothing = ElementBox("shape", (150.0, 90.0, 260.0, 140.0), "")
    assert untold(picture(), picture(arrow, beside, nothing)) == [
        (None, one) for one in (arrow, beside, nothing)
    ]


def test_pictures_without_known_charts_keep_all():
    bare = PictureLayout((500, 400), (), bars(50))
    assert untold(bare, picture(*bars(60))) == [
        *((one, None) for one in bars(50)),
        *((None, one) for one in bars(60)),
    ]


def test_another_color_of_a_series_is_told_once_where_engines_tell_no_places():
    right = picture(*bars(50, 100), plot=None)
    brown = tuple(replace(one, color="#663300") for one in bars(50, 100))
    (series,) = right.charts[0].series
    chart = replace(right.charts[0], series=(replace(series, color="#663300"),))
    found = compare_layouts(replace(right, elements=brown, charts=(chart,)), right).findings
    assert [one.text for one in found if "recolored" in one.kind] == [
        '"rain" is #663300, not #336699'
    ]
    (said,) = (one for one in found if one.kind == "series recolored")
    assert said.there == said.should == brown[1].box
