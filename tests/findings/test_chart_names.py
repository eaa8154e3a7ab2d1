"""Titles, labels and categories of charts are told as such, each once, and with them what follows from them."""

from dataclasses import replace

import pytest

from helm_structext.findings import compare_layouts
from helm_structext.layouts import (
    ChartData,
    PictureLayout,
    PlotAxis,
    PlotPoint,
    PlotSeries,
    SeriesStyle,
    TextBox,
)

PLOT = (50.0, 50.0, 350.0, 250.0)
RIGHT = {"A": 20.0, "B": 40.0, "C": 60.0}
COLORS = dict(zip("ABCDX", ("#cc3333", "#33cc33", "#3333cc", "#cccc33", "#33cccc"), strict=True))


def chart_of(values, colors=None, low=0, high=100):
    """A picture of bars with its title, the names below it and the numbers of its axis."""
    step = 300 / len(values)
    bars = tuple(
        PlotPoint(name, value, color, box=(50 + step * n, 250 - 2 * value, 80 + step * n, 250.0))
        for n, ((name, value), color) in enumerate(
            zip(values.items(), colors or [COLORS[name] for name in values], strict=True)
        )
    )
    ticks = [low + (high - low) * part // 4 for part in range(5)]
    texts = (
        TextBox("Rain in May", (150, 10, 250, 30), size=20),
        TextBox("mm", (0, 162, 20, 178), size=14),
        *(
            TextBox(name, (60 + step * n, 255, 70 + step * n, 270), size=14)
            for n, name in enumerate(values)
        ),
        *(
            TextBox(str(tick), (25, 240 - 50 * n, 45, 256 - 50 * n), size=14)
            for n, tick in enumerate(ticks)
        ),
    )
    axes = PlotAxis("Town", categories=tuple(values)), PlotAxis("mm", low, high)
    data = ChartData("Rain in May", *axes, (PlotSeries("", "bar", "", bars),), box=PLOT)
    return PictureLayout((400, 300), texts, charts=(data,))


def found_in(layout, reference=None):
    found = compare_layouts(layout, reference or chart_of(RIGHT))
    return [(one.kind, one.text) for one in found.findings]


def test_a_lost_category_is_told_once_and_neither_its_name_nor_its_bar_nor_where_the_others_are_now():
    assert found_in(chart_of({"A": 20.0, "C": 60.0})) == [("category missing", '"B"')]


def test_a_category_too_many_is_told_once():
    assert found_in(chart_of(RIGHT | {"D": 9.0})) == [("category extra", '"D"')]


def test_a_category_with_another_name_is_told_once_by_what_stands_there():
    wrong = chart_of({"A": 20.0, "X": 40.0, "C": 60.0}, [*COLORS.values()][:3])
    assert found_in(wrong) == [("category renamed", '"X" for "B"')]
    (one,) = compare_layouts(wrong, chart_of(RIGHT)).findings
    assert one.there == (160, 255, 170, 270)


def test_years_with_another_name_are_renamed_where_the_same_stands_there():
    years = chart_of({"2004": 20.0, "2005": 40.0}, ["#cc3333"] * 2)
    wrong = chart_of({"2004": 20.0, "2006": 40.0}, ["#cc3333"] * 2)
    assert found_in(wrong, years) == [("category renamed", '"2006" for "2005"')]


def test_bars_in_another_order_are_one_mistake():
    assert found_in(chart_of({"B": 40.0, "A": 20.0, "C": 60.0})) == [
        ("category order", '"A" and "B" are exchanged')
    ]


def test_names_in_another_order_alone_are_one_mistake_and_their_bars_are_right():
    names = chart_of({"B": 20.0, "A": 40.0, "C": 60.0}, [*COLORS.values()][:3])
    assert found_in(names) == [("category order", '"A" and "B" are exchanged')]


def test_an_order_of_many_is_said_as_it_is_and_should_be():
    found = compare_layouts(chart_of(dict(reversed(RIGHT.items()))), chart_of(RIGHT))
    turned = chart_of({"C": 60.0, "A": 20.0, "B": 40.0})
    assert found.sentence == 'the order of categories is wrong ("A" and "C" are exchanged).'
    assert found_in(turned) == [("category order", '"C, A, B", not "A, B, C"')]


def test_a_value_that_is_wrong_beside_a_lost_category_is_told_too():
    wrong = found_in(chart_of({"A": 20.0, "C": 80.0}))
    assert [kind for kind, _ in wrong] == ["category missing", "value wrong"]


def test_ticks_of_another_range_are_told_by_it_and_not_number_by_number():
    assert [kind for kind, _ in found_in(chart_of(RIGHT, high=200))] == ["axis range"]


def test_a_number_beside_a_plot_whose_axis_is_right_is_told():
    wrong = chart_of(RIGHT)
    texts = (replace(one, text="55") if one.text == "50" else one for one in wrong.texts)
    assert found_in(replace(wrong, texts=tuple(texts))) == [("text misspelt", '"55" for "50"')]


def with_title(title, *lines):
    layout = chart_of(RIGHT)
    texts = (
        TextBox(line, (150, 10 + 22 * n, 250, 30 + 22 * n), size=20) for n, line in enumerate(lines)
    )
    charts = (replace(layout.charts[0], title=title),)
    return replace(layout, texts=(*texts, *layout.texts[1:]), charts=charts)


def test_a_title_of_two_lines_is_told_once():
    right = with_title("Rain in May and June", "Rain in May", "and June")
    assert found_in(with_title(""), right) == [("title missing", '"Rain in May and June"')]
    wrong = with_title("Rain in May and July", "Rain in May", "and July")
    assert found_in(wrong, right) == [
        ("title wrong", '"Rain in May and July" for "Rain in May and June"')
    ]


def test_a_title_that_is_written_in_another_way_is_no_mistake():
    assert found_in(with_title("", "Rain in May")) == []


def test_a_word_of_the_title_elsewhere_on_the_picture_is_a_text():
    note = TextBox("Rain in May", (300, 280, 380, 296), size=12)
    right = chart_of(RIGHT)
    found = found_in(right, replace(right, texts=(*right.texts, note)))
    assert found == [("text missing", '"Rain in May"')]


def test_labels_that_stand_at_each_others_axes_are_told_once():
    def labeled(across, up):
        layout = chart_of(RIGHT)
        (chart,) = layout.charts
        axes = replace(chart.x, label=across), replace(chart.y, label=up)
        texts = TextBox(across, (180, 280, 220, 296)), TextBox(up, (0, 140, 40, 156))
        charts = (replace(chart, x=axes[0], y=axes[1]),)
        return replace(layout, texts=(layout.texts[0], *texts, *layout.texts[2:]), charts=charts)

    found = found_in(labeled("Rain", "Town"), labeled("Town", "Rain"))
    assert found == [("label wrong", '"Rain" and "Town" are exchanged')]


def test_what_two_plots_lack_is_told_once_and_counted():
    both, neither = (
        replace(with_title(title, *lines), charts=with_title(title, *lines).charts * 2)
        for title, *lines in (("Rain", "Rain", "Rain"), ("",))
    )
    (one,) = compare_layouts(neither, both).findings
    assert (one.kind, one.count) == ("title missing", 2)


def lines_of(*styles, color="#336699"):
    points = tuple(PlotPoint(float(at), 10.0 * at) for at in range(4))
    series = (
        PlotSeries(f"line {n}", "line", color, points[: n + 1], style)
        for n, style in enumerate(styles, 1)
    )
    return PictureLayout((400, 300), (), charts=(ChartData("", series=tuple(series), box=PLOT),))


SOLID = SeriesStyle(2.0, "solid", "circles")


@pytest.mark.parametrize(
    ("style", "said"),
    [
        (SOLID._replace(dashes="dashed"), "dashed, not solid"),
        (SOLID._replace(width=4.0), "4 px wide, not 2"),
        (SOLID._replace(marker="squares"), "marked by squares, not circles"),
        (
            SOLID._replace(dashes="dotted", marker="nothing"),
            "dotted, not solid and marked by nothing, not circles",
        ),
    ],
)
def test_a_line_that_looks_otherwise_is_told_with_what_it_should_look_like(style, said):
    assert found_in(lines_of(style), lines_of(SOLID)) == [
        ("series restyled", f'"line 1" is {said}')
    ]


@pytest.mark.parametrize("style", [SeriesStyle(), SOLID._replace(width=2.4), SOLID])
def test_what_is_not_known_or_not_seen_is_no_mistake(style):
    assert found_in(lines_of(style), lines_of(SOLID)) == []


def test_lines_that_all_look_otherwise_are_told_once():
    found = compare_layouts(lines_of(*[SeriesStyle(2.0, "dashed")] * 3), lines_of(*[SOLID] * 3))
    (one,) = found.findings
    assert (one.text, one.count) == ('"line 1" and 2 others is dashed, not solid', 3)
    assert found.sentence.startswith("3 of 3 series restyled")
