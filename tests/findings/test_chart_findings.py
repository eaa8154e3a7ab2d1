"""What is wrong with a chart is said by name, place and number."""

from dataclasses import replace

import pytest

from helm_structext.findings import compare_layouts
from helm_structext.findings.chart import compare_charts
from helm_structext.layouts import ChartData, PictureLayout, PlotAxis, PlotPoint, PlotSeries

BARS = PlotSeries(
    "",
    "bar",
    "#336699",
    tuple(
        PlotPoint(at, value, box=(10.0, 90.0 - value, 20.0, 90.0))
        for at, value in (("A", 20.0), ("B", 40.0), ("C", 60.0))
    ),
)
CHART = ChartData("Rain", y=PlotAxis("mm", 0, 100), series=(BARS,))


def on_picture(*charts):
    return PictureLayout((100, 100), (), charts=charts)


def with_values(*values, of=CHART):
    points = (it._replace(value=value) for it, value in zip(BARS.points, values, strict=True))
    return on_picture(replace(of, series=(replace(BARS, points=tuple(points)),)))


def test_a_wrong_value_says_how_far_it_is_along_the_axis():
    found = compare_charts(with_values(20, 52, 60), on_picture(CHART))
    assert [one.text for one in found.findings] == ['"B" is 52, not 40: 12 % of the axis too high']
    assert found.findings[0].there == (10, 50, 20, 90)
    assert found.clauses == ('1 of 3 bars wrong ("B" is 52, not 40: 12 % of the axis too high)',)


def test_values_that_are_all_too_high_are_one_clause():
    found = compare_charts(with_values(30, 40, 75), on_picture(CHART))
    assert found.clauses == (
        '2 of 3 bars wrong, all too high ("C" is 75, not 60: 15 % of the axis too high)',
    )


def test_a_value_within_a_hundredth_of_the_axis_is_right():
    assert compare_charts(with_values(20.9, 39.2, 60), on_picture(CHART)).findings == ()


def test_swapped_slices_are_a_swapped_legend():
    def pie(names):
        slices = zip(names, (50.0, 30.0, 20.0), ("#aa0000", "#00aa00", "#0000aa"), strict=True)
        return on_picture(
            ChartData(series=(PlotSeries("", "pie", "", tuple(PlotPoint(*it) for it in slices)),))
        )

    found = compare_charts(pie(("B", "A", "C")), pie(("A", "B", "C")))
    assert [one.kind for one in found.findings] == ["legend swapped"]


def test_a_lying_bar_is_another_type():
    found = compare_charts(on_picture(replace(CHART, horizontal=True)), on_picture(CHART))
    assert [one.text for one in found.findings if one.kind == "chart type"] == [
        "lying bar, not bar"
    ]


def test_charts_are_in_the_sentence_and_scores_of_a_picture():
    found = compare_layouts(with_values(20, 52, 60), on_picture(CHART))
    assert "1 of 3 bars wrong" in found.sentence
    assert found.scores["chart_data"] < 1


@pytest.mark.parametrize("charts", [None, ()])
def test_without_a_chart_to_compare_nothing_is_said(charts):
    assert compare_charts(on_picture(CHART), PictureLayout((9, 9), (), charts=charts)) is None


def pie(*slices):
    points = tuple(PlotPoint(name, value, color) for name, value, color in slices)
    return on_picture(ChartData("", series=(PlotSeries("", "pie", "", points),)))


def test_slices_of_other_colors_are_counted_as_slices():
    found = compare_charts(
        pie(("A", 50.0, "#cc0000"), ("B", 50.0, "#00cc00")),
        pie(("A", 50.0, "#0000cc"), ("B", 50.0, "#cccc00")),
    )
    assert found.clauses[0].startswith("2 of 2 slices recolored")


def test_a_slice_without_a_name_is_said_by_its_value():
    found = compare_charts(pie(("A", 100.0, "")), pie(("A", 60.0, ""), ("", 40.0, "")))
    assert found.clauses[0] == "1 of 2 slices missing (a slice of 40)"


def test_a_map_in_other_colors_is_told_though_its_values_are_right():
    def cells(*colors):
        points = tuple(PlotPoint(str(at), 10.0 * at, color) for at, color in enumerate(colors))
        return on_picture(ChartData("", series=(PlotSeries("first", "heat map", "", points),)))

    right = cells("#000000", "#800000", "#ff0000")
    found = compare_charts(cells("#000000", "#008000", "#00ff00"), right)
    assert [one.kind for one in found.findings] == ["series recolored"]
    assert compare_charts(right, right).findings == ()
