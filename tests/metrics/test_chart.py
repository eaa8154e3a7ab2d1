"""Charts are compared by their data: what is equal is 1, each mistake lowers its own score."""

from dataclasses import replace

import pytest

from helm_structext.layouts import ChartData, PictureLayout, PlotAxis, PlotPoint, PlotSeries
from helm_structext.metrics.chart import (
    SCORES,
    WEIGHTS,
    chart_scores,
    chart_similarity,
    match_charts,
    match_points,
)


def series(name, *points, mark="bar", color="#336699"):
    return PlotSeries(name, mark, color, tuple(PlotPoint(at, float(value)) for at, value in points))


NORTH = series("North", ("A", 20), ("B", 40), ("C", 60))
SOUTH = series("South", ("A", 50), ("B", 30), ("C", 10), color="#cc3333")
CHART = ChartData(
    "Rain",
    PlotAxis("Month", categories=("A", "B", "C")),
    PlotAxis("mm", 0, 100),
    (NORTH, SOUTH),
    (("North", "#336699"), ("South", "#cc3333")),
    box=(10, 10, 90, 50),
)


def on_picture(*charts):
    return PictureLayout((100, 60), (), charts=charts)


RIGHT = on_picture(CHART)


def scored(**changes):
    return chart_scores(on_picture(replace(CHART, **changes)), RIGHT)


def lowered(scores):
    return {name for name in SCORES if scores[name] is not None and scores[name] < 1}


def test_equal_charts_are_1():
    assert {value for value in chart_scores(RIGHT, RIGHT).values() if value is not None} == {1.0}
    assert chart_similarity(RIGHT, RIGHT) == 1
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert WEIGHTS.keys() == SCORES.keys()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("chart_data", {"series": (replace(NORTH, points=NORTH.points[:2]), SOUTH)}),
        ("chart_data", {"series": (series("North", ("A", 30), ("B", 40), ("C", 60)), SOUTH)}),
        ("chart_type", {"series": (replace(NORTH, mark="line"), SOUTH)}),
        ("chart_series", {"series": (replace(NORTH, name="Nord"), SOUTH)}),
        ("chart_axes", {"y": PlotAxis("mm", 0, 200)}),
        ("chart_axes", {"y": PlotAxis("inches", 0, 100)}),
        ("chart_categories", {"x": PlotAxis("Month", categories=("A", "C", "B"))}),
        ("chart_legend", {"legend": CHART.legend[:1]}),
        ("chart_title", {"title": "Snow"}),
        ("chart_color", {"series": (replace(NORTH, color="#33cc33"), SOUTH)}),
    ],
)
def test_a_mistake_lowers_its_own_score(name, changes):
    assert lowered(scored(**changes)) == {name}


def test_values_count_by_the_axis():
    off = scored(series=(series("North", ("A", 30), ("B", 40), ("C", 60)), SOUTH))["chart_data"]
    far = scored(series=(series("North", ("A", 95), ("B", 40), ("C", 60)), SOUTH))["chart_data"]
    assert off == pytest.approx(1 - 0.1 / 0.25 / 6)
    assert far == pytest.approx(1 - 1 / 6)


def test_a_logarithmic_axis_counts_by_factors():
    axis = PlotAxis("mm", 1, 10_000, log=True)
    right = replace(CHART, y=axis, series=(series("", ("A", 10), ("B", 1000)),))
    wrong = replace(right, series=(series("", ("A", 100), ("B", 1000)),))
    assert chart_scores(on_picture(wrong), on_picture(right))["chart_data"] == pytest.approx(0.5)


def test_missing_and_extra_count_alike():
    fewer = replace(CHART, series=(NORTH,))
    lost, added = (
        chart_scores(on_picture(one), on_picture(other))
        for one, other in ((fewer, CHART), (CHART, fewer))
    )
    assert lost["chart_data"] == added["chart_data"] == 0.5
    assert lost["chart_series"] == added["chart_series"] == pytest.approx(2 / 3)


def test_series_are_matched_by_their_values_where_names_are_exchanged():
    swapped = replace(CHART, series=(replace(NORTH, name="South"), replace(SOUTH, name="North")))
    (match,) = match_charts((swapped,), (CHART,))
    assert [one.prediction.points == one.reference.points for one in match.series] == [True, True]


def test_the_order_of_series_and_points_does_not_matter():
    turned = [replace(one, points=one.points[::-1]) for one in (SOUTH, NORTH)]
    assert lowered(scored(series=tuple(turned))) == set()


def test_a_misspelt_category_is_no_lost_point():
    names = ("Amsterdam", "Berlin", "Cairo")
    right = series("", *zip(names, (1, 2, 3), strict=True))
    wrong = series("", *zip(("Amsterdam", "Barlin", "Cairo"), (1, 2, 3), strict=True))
    (match,) = match_charts((replace(CHART, series=(wrong,)),), (replace(CHART, series=(right,)),))
    assert all(one.prediction and one.reference for one in match.series[0].points)


def test_one_curve_may_have_other_points():
    def curve(count):
        points = [(10 * number / count, (number / count) ** 2) for number in range(count + 1)]
        return ChartData(
            x=PlotAxis("x", 0, 10),
            y=PlotAxis("y", 0, 1),
            series=(series("", *points, mark="line"),),
        )

    near = chart_scores(on_picture(curve(70)), on_picture(curve(100)))
    assert near["chart_data"] > 0.99


def test_scattered_points_are_matched_in_the_plane():
    spots = [(number, (7 * number) % 10) for number in range(10)]
    right = ChartData(x=PlotAxis("x", 0, 10), y=PlotAxis("y", 0, 10))
    one, other = (
        replace(right, series=(series("", *points, mark="scatter"),))
        for points in (spots[::-1], [*spots[:-1], (9, 9.5)])
    )
    (match,) = match_charts((other,), (one,))
    assert sorted(round(it.error, 2) for it in match.series[0].points)[-2:] == [0, 0.65]


def test_plots_of_a_figure_are_matched_and_lost_ones_are_0():
    second = replace(CHART, title="Snow", series=(series("West", ("X", 1), ("Y", 2)),))
    assert chart_similarity(on_picture(second, CHART), on_picture(CHART, second)) == 1
    half = chart_scores(RIGHT, on_picture(CHART, second))
    assert {half[name] for name in ("chart_data", "chart_title", "chart_type")} == {0.5}
    assert chart_similarity(on_picture(), RIGHT) == 0


def test_without_a_chart_there_is_no_value():
    nothing = PictureLayout((9, 9), ())
    assert chart_similarity(RIGHT, nothing) is None
    assert chart_similarity(nothing, RIGHT) is None
    assert chart_similarity(RIGHT, on_picture()) is None


@pytest.mark.parametrize("mark", ["bar", "line", "scatter"])
def test_many_points_are_bounded(mark):
    points = [(f"c{number}", number % 97) for number in range(5000)]
    others = [(f"d{number}", number % 89) for number in range(5000)]
    if mark != "bar":
        points = [(number, value) for number, (_, value) in enumerate(points)]
        others = [(number + 0.5, value) for number, (_, value) in enumerate(others)]
    one, other = (ChartData(series=(series("", *it, mark=mark),)) for it in (points, others))
    assert 0 <= chart_similarity(on_picture(one), on_picture(other)) <= 1


def test_many_series_are_bounded():
    def chart(shift):
        names = [series(f"s{n}", *((i, i * n + shift) for i in range(20))) for n in range(300)]
        return ChartData(series=tuple(names))

    assert chart_similarity(on_picture(chart(0)), on_picture(chart(0))) == 1
    assert chart_similarity(on_picture(chart(1)), on_picture(chart(0))) < 1


def test_elements_of_chartmimic_are_f1():
    found = chart_scores(on_picture(replace(CHART, series=(NORTH,))), RIGHT)
    assert found["chartmimic_type"] == pytest.approx(2 / 3)
    assert found["chartmimic_color"] == pytest.approx(2 / 3)
    assert found["chartmimic_layout"] == 1
    assert found["chartmimic_text"] is None


@pytest.mark.parametrize("mark", ["line", "area"])
def test_a_curve_may_be_drawn_through_other_points(mark):
    def curve(number):
        points = [(20 * at / number, 60 * at / number) for at in range(number + 1)]
        return on_picture(replace(CHART, series=(series("", *points, mark=mark),)))

    found = chart_scores(curve(30), curve(47))
    assert found["chart_data"] == pytest.approx(1)


def test_names_that_return_a_thousand_times_are_compared_once(monkeypatch):
    compared = []
    monkeypatch.setattr(
        "helm_structext.metrics.chart.likeness", lambda *names: compared.append(names) or 0.0
    )
    ours, theirs = (series("", *[(name, at) for at in range(400)]) for name in ("A", "Z"))
    match_points(ours, theirs, CHART, 100.0)
    assert len(compared) <= 2


def test_many_series_are_matched_by_name(monkeypatch):
    tried = []
    monkeypatch.setattr(
        "helm_structext.metrics.chart.match_points", lambda *series: tried.append(series) or []
    )
    rows = replace(CHART, series=tuple(series(f"row {at}", ("A", at)) for at in range(150)))
    match_charts((rows,), (replace(rows, title="Snow"),))
    assert len(tried) == 150
