"""Bars in the color of what they lie on show no data; hollow ones do, and so does a light cell of a heat map."""

import pytest

from helm_structext.layouts import ElementBox, PictureLayout, layout_record, read_layout
from helm_structext.layouts.charts import ChartData, PlotPoint, PlotSeries

PLOT = (0.0, 0.0, 200.0, 100.0)
BARS = ((10.0, 40.0, 30.0, 100.0), (50.0, 20.0, 70.0, 100.0))


def series_of(color, *elements, points=("", "")):
    told = tuple(
        PlotPoint(name, 5.0, own, box=box)
        for name, own, box in zip("AB", points, BARS, strict=True)
    )
    chart = ChartData(series=(PlotSeries("", "bar", color, told),), box=PLOT)
    layout = PictureLayout((200, 100), (), elements).with_charts([chart])
    again = read_layout(layout_record(layout))
    assert again == layout
    return len(layout.charts[0].series)


def ground(color):
    return ElementBox("shape", PLOT, color)


def outlines(color, line):
    return [ElementBox("shape", box, color, line) for box in BARS]


@pytest.mark.parametrize(
    ("color", "elements", "seen"),
    [
        ("#336699", [], 1),
        ("#fdfcff", [], 0),
        ("#fdfcff", [ground("#ffffff")], 0),
        ("#ffffff", [ground("#222222")], 1),
        ("#252422", [ground("#222222")], 0),
        ("#fdfcff", [ground("#ffffff"), ground("#eeddcc")], 1),
        ("#ffffff", outlines("#ffffff", "#000000"), 1),
        ("#ffffff", outlines("#ffffff", "#fefefe"), 0),
        ("", [], 1),
    ],
)
def test_a_series_is_seen_by_its_color_or_its_outlines(color, elements, seen):
    assert series_of(color, *elements) == seen


def test_a_light_cell_beside_a_dark_one_is_seen():
    assert series_of("", points=("#ffffff", "#08306b")) == 1


def test_without_charts_there_is_nothing_to_see():
    assert PictureLayout((9, 9), ()).with_charts(None).charts is None
    assert PictureLayout((9, 9), ()).with_charts([]).charts == ()
