"""Engines tell the data of the charts that they draw, and no code makes them stumble over it."""

import json

import pytest

from helm_structext.errors import RenderError
from helm_structext.findings.chart import compare_charts
from helm_structext.layouts import MAX_POINTS
from helm_structext.metrics.chart import chart_similarity
from helm_structext.renderers import render
from helm_structext.renderers.tex_charts import SIGN, read_log_charts

VALUES = {"A": 20, "B": 40, "C": 60}


def drawn(format, code):
    return render(format, code, protocol="corrected", layout=True)


def charts_of(format, code):
    layout = drawn(format, code).layout
    assert layout is not None
    return layout.charts


def matplotlib_bars(values, color="#336699"):
    return f"""
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.bar({list(values)}, {list(values.values())}, color="{color}")
ax.set_ylim(0, 100)
ax.set_xlabel("Month")
ax.set_ylabel("mm")
ax.set_title("Rain")
"""


def matplotlib_bars_one_by_one(values, color="#336699"):
    return f"""
import matplotlib.pyplot as plt
for name, value in {values}.items():
    plt.bar(name, value, color="{color}")
plt.ylim(0, 100)
plt.xlabel("Month")
plt.ylabel("mm")
plt.title("Rain")
"""


def vega_bars(values, color="#336699"):
    rows = [{"month": name, "rain": value} for name, value in values.items()]
    scale = {"domain": [0, 100]}
    return json.dumps(
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "title": "Rain",
            "data": {"values": rows},
            "mark": {"type": "bar", "color": color},
            "encoding": {
                "x": {"field": "month", "type": "nominal", "title": "Month"},
                "y": {"field": "rain", "type": "quantitative", "title": "mm", "scale": scale},
            },
        }
    )


def tikz_bars(values, color="#336699"):
    names = ",".join(values)
    points = " ".join(f"({name},{value})" for name, value in values.items())
    return rf"""
\definecolor{{own}}{{HTML}}{{{color[1:]}}}
\begin{{tikzpicture}}
\begin{{axis}}[ybar, ymin=0, ymax=100, title=Rain, xlabel=Month, ylabel=mm, symbolic x coords={{{names}}}, xtick=data]
\addplot[fill=own, draw=none] coordinates {{{points}}};
\end{{axis}}
\end{{tikzpicture}}
"""


BARS = {"matplotlib": matplotlib_bars, "vega": vega_bars, "tikz": tikz_bars}


def canvas_bars(values, color="#336699"):
    axis = {"display": True}
    config = {
        "type": "bar",
        "data": {
            "labels": list(values),
            "datasets": [{"data": list(values.values()), "backgroundColor": color}],
        },
        "options": {
            "animation": False,
            "plugins": {"title": {"display": True, "text": "Rain"}, "legend": {"display": False}},
            "scales": {
                "x": {"title": {**axis, "text": "Month"}},
                "y": {"min": 0, "max": 100, "title": {**axis, "text": "mm"}},
            },
        },
    }
    return (
        '<!DOCTYPE html><script src="https://cdn.jsdelivr.net/npm/chart.js"></script>'
        '<div style="width:600px"><canvas id="c"></canvas></div>'
        f"<script>new Chart(document.getElementById('c'), {json.dumps(config)})</script>"
    )


BARS["canvas"] = canvas_bars


@pytest.mark.parametrize("format", BARS)
def test_bars_have_their_data(format):
    (chart,) = charts_of(format, BARS[format](VALUES))
    (bars,) = chart.series
    assert (chart.title, chart.x.label, chart.y.label) == ("Rain", "Month", "mm")
    assert chart.x.categories == ("A", "B", "C")
    assert (chart.y.low, chart.y.high, chart.y.log) == (0, 100, False)
    assert (bars.mark, bars.color) == ("bar", "#336699")
    assert [(one.at, round(one.value, 6)) for one in bars.points] == [*VALUES.items()]


def test_the_same_chart_is_the_same_in_any_format():
    layouts = [drawn(format, code(VALUES)).layout for format, code in BARS.items()]
    assert all(chart_similarity(one, layouts[0]) == pytest.approx(1) for one in layouts)


@pytest.mark.parametrize("format", BARS)
def test_mistakes_are_found_and_named(format):
    right = drawn(format, BARS[format](VALUES)).layout

    def kinds(code):
        found = compare_charts(drawn(format, code).layout, right)
        return [(one.kind, one.text) for one in found.findings]

    write = BARS[format]
    assert kinds(write(VALUES)) == []
    assert kinds(write(VALUES | {"B": 52})) == [
        ("value wrong", '"B" is 52, not 40: 12 % of the axis too high')
    ]
    assert kinds(write({"A": 20, "B": 40})) == [("category missing", '"C"')]
    assert kinds(write(VALUES | {"D": 5})) == [("category extra", '"D"')]
    assert [kind for kind, _ in kinds(write(VALUES, "#cc3333"))] == ["series recolored"]


def test_bars_of_one_call_each_are_the_same_chart():
    one, other = (
        drawn("matplotlib", code(VALUES)).layout
        for code in (matplotlib_bars_one_by_one, matplotlib_bars)
    )
    assert chart_similarity(one, other) == 1


@pytest.mark.parametrize("format", ["matplotlib", "tikz"])
def test_the_picture_is_the_same_whether_its_data_is_told_or_not(format):
    code = BARS[format](VALUES)
    plain = render(format, code, protocol="corrected")
    assert plain.image.tobytes() == drawn(format, code).image.tobytes()


FIGURE = "import matplotlib.pyplot as plt\nimport numpy as np\nfig, ax = plt.subplots()\n"

MARKS = {
    "line": "ax.plot([1, 2, 3], [4, 5, 6])",
    "scatter": "ax.scatter([1, 2, 3], [4, 5, 6])",
    "area": "ax.fill_between([1, 2, 3], [4, 5, 6])",
    "pie": "ax.pie([4, 5, 6], labels=['a', 'b', 'c'])",
    "histogram": "ax.hist([1, 1, 2, 3], bins=[0, 1, 2, 3, 4])",
    "box": "ax.boxplot([1, 2, 3, 4, 20])",
    "heat map": "ax.imshow([[1, 2], [3, 4]])",
}


@pytest.mark.parametrize("mark", MARKS)
def test_every_kind_of_mark_is_read(mark):
    (chart,) = charts_of("matplotlib", FIGURE + MARKS[mark])
    assert {one.mark for one in chart.series} == {mark}


@pytest.mark.parametrize(
    ("starts", "width", "mark"),
    [
        ([0, 10, 20, 30], 10, "histogram"),
        ([0, 10, 30, 40], 10, "histogram"),  # The third bin is empty.
        ([0, 10, 20, 30], 5, "bar"),
        ([0, 10, 20, 30], 8, "bar"),
    ],
)
def test_bars_that_touch_but_where_a_bin_is_empty_are_a_histogram(starts, width, mark):
    rows = [{"from": start, "to": start + width, "count": 3 + n} for n, start in enumerate(starts)]
    code = {
        "data": {"values": rows},
        "width": 400,
        "mark": "bar",
        "encoding": {
            "x": {"field": "from", "type": "quantitative"},
            "x2": {"field": "to"},
            "y": {"field": "count", "type": "quantitative"},
        },
    }
    (chart,) = charts_of("vega", json.dumps(code))
    assert [one.mark for one in chart.series] == [mark]


def test_error_bars_belong_to_their_points():
    (chart,) = charts_of(
        "matplotlib", FIGURE + "ax.errorbar([1, 2], [4, 5], yerr=[[1, 1], [2, 3]])"
    )
    (line,) = chart.series
    assert [one.error for one in line.points] == [(1, 2), (1, 3)]


def read_series(code):
    (chart,) = charts_of("matplotlib", "import matplotlib.pyplot as plt\n" + code)
    return chart, [(one.mark, [point[:2] for point in one.points]) for one in chart.series]


def test_slices_that_are_pulled_out_are_of_one_pie_and_rings_are_several():
    _, whole = read_series("plt.pie([1, 3], labels=['A', 'B'], explode=[0.2, 0])")
    assert whole == [("pie", [("A", 25.0), ("B", 75.0)])]
    _, rings = read_series("plt.pie([1, 3]); plt.pie([1, 1], radius=0.5)")
    assert [len(points) for _, points in rings] == [2, 2]


def test_an_area_below_a_line_tells_nothing_more_than_it():
    below = "plt.plot([1, 2], [3, 5]); plt.fill_between([1, 2], [3, 5], {more})"
    assert [mark for mark, _ in read_series(below.format(more="color='#eee'"))[1]] == ["line"]
    other = read_series(below.format(more="[9, 9], color='#eee'"))
    assert [mark for mark, _ in other[1]] == ["line", "area"]


def test_dots_with_lying_error_bars_have_their_values_along_the_axis():
    chart, series = read_series(
        "plt.errorbar([3, 5], ['A', 'B'], xerr=[1, 2], fmt='o', label='mean'); plt.legend()"
    )
    assert chart.horizontal
    assert series == [("scatter", [("A", 3.0), ("B", 5.0)])]
    assert [point.error for point in chart.series[0].points] == [(1.0, 1.0), (2.0, 2.0)]


def test_a_plot_that_is_set_into_another_one_is_read():
    outer, inner = charts_of(
        "matplotlib",
        FIGURE + "ax.plot([1, 2]); ax.inset_axes([0.5, 0.5, 0.4, 0.4]).bar([1, 2], [3, 4])",
    )
    assert [one.series[0].mark for one in (outer, inner)] == ["line", "bar"]


def test_scales_of_colors_and_violins_are_no_data():
    _, series = read_series(
        "figure, (first, second) = plt.subplots(1, 2)\n"
        "figure.colorbar(first.scatter([1, 2], [3, 4], c=[5, 6]), cax=second)"
    )
    assert [mark for mark, _ in series] == ["scatter"]
    assert read_series("plt.violinplot([[1, 2, 4], [2, 3, 5]], showextrema=False)")[1] == []


def test_a_name_of_the_legend_is_that_of_the_series_with_this_label():
    code = (
        "import matplotlib.pyplot as plt\n"
        "plt.plot([0, 1, 2], [1, 3, 2], color='blue', label='Rain')\n"
        "plt.plot([1, 1], [0, 3], color='blue', linestyle='--')\n"
        "plt.legend()\n"
    )
    (chart,) = charts_of("matplotlib", code)
    assert [one.name for one in chart.series] == ["Rain", ""]


def test_axes_may_be_logarithmic_and_plots_several():
    code = (
        "import matplotlib.pyplot as plt\nfig, axes = plt.subplots(1, 2)\n"
        "for ax in axes:\n    ax.plot([1, 2], [10, 1000])\naxes[1].set_yscale('log')"
    )
    first, second = charts_of("matplotlib", code)
    assert (first.y.log, second.y.log) == (False, True)
    assert first.box[2] < second.box[0]


STYLED = {
    "matplotlib": FIGURE + "ax.plot([1, 2, 3], [4, 6, 5], 's--', lw=2)",
    "tikz": r"\begin{tikzpicture}\begin{axis}\addplot[dashed, thick, mark=square*] coordinates {(1,4) (2,6) (3,5)};"
    r"\end{axis}\end{tikzpicture}",
    "vega": json.dumps(
        {
            "data": {"values": [{"x": 1, "y": 4}, {"x": 2, "y": 6}, {"x": 3, "y": 5}]},
            "mark": {"type": "line", "strokeDash": [6, 4], "point": {"shape": "square"}},
            "encoding": {side: {"field": side, "type": "quantitative"} for side in "xy"},
        }
    ),
    "canvas": canvas_bars(VALUES)
    .replace('"type": "bar"', '"type": "line"')
    .replace('"backgroundColor"', '"borderDash": [6, 4], "pointStyle": "rect", "borderColor"'),
}


@pytest.mark.parametrize("format", STYLED)
def test_a_line_has_its_width_its_dashes_and_its_marks(format):
    (chart,) = charts_of(format, STYLED[format])
    (line,) = chart.series
    assert line.style[1:] == ("dashed", "squares")
    assert 1 < line.style.width < 4


def test_scattered_points_have_the_shape_of_their_path():
    code = FIGURE + "ax.scatter([1, 2], [3, 4]); ax.scatter([1, 2], [5, 6], marker='^')"
    (chart,) = charts_of("matplotlib", code)
    assert [one.style.marker for one in chart.series] == ["circles", "upward triangles"]


HOSTILE = {
    "a marker of its own": (
        "(line,) = ax.plot([1, 2], [3, 4])\nline.get_marker = lambda: ['o'] * 10**6\n"
        "line.get_linestyle = lambda: 7\nline.get_linewidth = lambda: float('nan')"
    ),
    "not a number": "ax.plot([1, 2, 3], [float('nan'), float('inf'), 3])",
    "a million points": "ax.plot(np.arange(1_000_000), np.zeros(1_000_000))",
    "evil label": (
        "class Evil(str):\n    def startswith(self, *a): raise RuntimeError('no')\n"
        "    def __len__(self): return -1\n"
        "(line,) = ax.plot([1, 2], [3, 4])\nline._label = Evil('x')"
    ),
    "evil artist": (
        "(line,) = ax.plot([1, 2], [3, 4])\n"
        "def get(*a, **k):\n    raise SystemExit\nline.get_data = get"
    ),
    "endless answer": (
        "(line,) = ax.plot([1, 2], [3, 4])\n"
        "def get(*a, **k):\n    while True: pass\nline.get_label = get"
    ),
    "not a container": "ax.containers.append(object())",
    "strange axes": "fig.axes[0].get_xlim = lambda: 'abc'",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_code_has_its_picture_and_bounded_data_or_none(case):
    code = FIGURE + HOSTILE[case]
    told = drawn("matplotlib", code)
    plain = render("matplotlib", code, protocol="corrected")
    assert told.image.tobytes() == plain.image.tobytes()
    charts = (told.layout and told.layout.charts) or ()
    assert sum(len(it.points) for one in charts for it in one.series) <= MAX_POINTS


PAGES = {
    "a library that lies": "self.Chart = {instances: [{}, null, 3]}",
    "endless": "Object.defineProperty(self, 'Chart', {get() { while (true); }})",
    "throws": "Object.defineProperty(self, 'Chart', {get() { throw 1 }})",
    "another view": "self.vegaView = {container: () => ({querySelector: () => null})}",
    "JSON of its own": "JSON.stringify = () => '[[[['",
    "too much": "JSON.stringify = () => '['.repeat(1e6)",
}


@pytest.mark.parametrize("case", PAGES)
def test_hostile_pages_have_no_charts(case):
    page = f"<!DOCTYPE html><p>Rain</p><script>{PAGES[case]}</script>"
    told = drawn("html", page)
    assert told.image.tobytes() == render("html", page, protocol="corrected").image.tobytes()
    assert (told.layout is None) == bool(told.layout_reason)
    assert told.layout is None or not told.layout.charts


@pytest.mark.parametrize(
    "lines",
    [
        ["axis"],
        ["point<|>1<|>2<|>3<|>4<|>5"],
        ["axis<|>1", "plot<|>mesh<|><|><|><|>", "point<|>a<|>b<|>c<|>d<|>e"],
        ["axis<|>1", "xtick<|>1,2,...,9e99", "xnames<|>\\pgfpl@@ {a}"],
        ["axis<|>1", "plot<|>pgfplothandlerybar<|>no<|>color<|>x<|>", "point<|><|><|>1e999<|>1<|>"],
        ["axis<|>1"] * 100_000,
    ],
)
def test_what_code_writes_into_the_log_is_read_without_trust(lines):
    assert not read_log_charts("\n".join(SIGN + line for line in lines))


def test_errors_of_broken_code_are_those_that_it_has_without_a_layout():
    code = tikz_bars(VALUES).replace("coordinates", r"\nonsense coordinates")
    with pytest.raises(RenderError) as plain:
        render("tikz", code, protocol="corrected")
    with pytest.raises(RenderError) as told:
        drawn("tikz", code)
    assert (told.value.kind, told.value.message) == (plain.value.kind, plain.value.message)


D3 = (
    '<!DOCTYPE html><body style="margin: 0"><script src="https://cdn.jsdelivr.net/npm/d3@7"></script><script>'
    'const svg = d3.select("body").append("svg").attr("width", 600).attr("height", 360)\n'
    "const bottom = scale => svg.append('g').attr('transform', 'translate(0,320)').call(d3.axisBottom(scale))\n"
    "const left = scale => svg.append('g').attr('transform', 'translate(50,0)').call(d3.axisLeft(scale))\n"
    "const across = (low, high) => d3.scaleLinear([low, high], [50, 580])\n"
    "const along = (low, high) => d3.scaleLinear([low, high], [320, 20])\n"
    "const rain = [{month: 'A', mm: '20'}, {month: 'B', mm: '40'}, {month: 'C', mm: '60'}]\n"
    "const months = range => d3.scaleBand(rain.map(one => one.month), range).padding(0.2)\n"
    "{}</script>"
)
D3_CHARTS = {
    "bar": """
const x = months([50, 580]), y = along(0, 100)
svg.selectAll("rect").data(rain).join("rect").attr("x", one => x(one.month)).attr("y", one => y(one.mm))
  .attr("width", x.bandwidth()).attr("height", one => y(0) - y(one.mm)).attr("fill", "#336699")
bottom(x)
left(y).call(g => g.select(".domain").remove()).append("text").text("mm")""",
    "lying bar": """
const x = across(0, 100), y = months([20, 320])
svg.selectAll("rect").data(rain).join("rect").attr("x", 50).attr("y", one => y(one.month))
  .attr("height", y.bandwidth()).attr("width", one => x(one.mm) - 50).attr("fill", "#336699").attr("stroke", "black")
bottom(x)
left(y)""",
    "line": """
const x = across(0, 4), y = along(0, 100), rows = [["North", [[1, 20], [2, 40], [3, 60]]], ["South", [[1, 90], [2, 70], [3, 50]]]]
svg.selectAll(".line").data(rows).join("path").attr("fill", "none").attr("stroke", ([name]) => name === "North" ? "#336699" : "#cc3333")
  .attr("stroke-dasharray", ([name]) => name === "South" ? "6 3" : null)
  .attr("d", ([, points]) => d3.line(([at]) => x(at), ([, value]) => y(value)).curve(d3.curveMonotoneX)(points))
bottom(x)
left(y)""",
    "scatter": """
const x = across(0, 5), y = d3.scaleLog([1, 1000], [320, 20])
svg.selectAll("circle").data([[1, 10], [2, 100], [4, 1000]]).join("circle")
  .attr("cx", ([at]) => x(at)).attr("cy", ([, value]) => y(value)).attr("r", 5).style("fill", "#336699")
bottom(x)
left(y)""",
    "stacked bar": """
const x = months([50, 580]), y = along(0, 10), keys = ["dry", "wet"]
const rows = [{month: "A", dry: 3, wet: 5}, {month: "B", dry: 4, wet: 2}, {month: "C", dry: 1, wet: 6}]
svg.selectAll(".series").data(d3.stack().keys(keys)(rows)).join("g").attr("fill", one => one.key === "dry" ? "#cc9933" : "#336699")
  .selectAll("rect").data(one => one).join("rect").attr("x", one => x(one.data.month)).attr("y", one => y(one[1]))
  .attr("height", one => y(one[0]) - y(one[1])).attr("width", x.bandwidth())
bottom(x)
left(y)""",
    "area": """
const x = across(0, 2), y = along(0, 10)
svg.append("path").datum([[0, 2], [1, 8], [2, 5]]).attr("fill", "#336699")
  .attr("d", d3.area(([at]) => x(at), 320, ([, value]) => y(value)))
bottom(x)
left(y)""",
    "histogram": """
const x = across(0, 8), y = along(0, 4)
svg.selectAll("rect").data(d3.bin().domain([0, 8]).thresholds([2, 4, 6])([1, 1, 3, 3, 3, 5, 7])).join("rect").attr("fill", "#336699")
  .attr("x", one => x(one.x0) + 1).attr("width", one => x(one.x1) - x(one.x0) - 1).attr("y", one => y(one.length)).attr("height", one => y(0) - y(one.length))
bottom(x)
left(y)""",
    "pie": """
svg.append("g").attr("transform", "translate(300,180)").selectAll("path").data(d3.pie().value(one => +one.mm)(rain)).join("path")
  .attr("d", d3.arc().innerRadius(0).outerRadius(150)).attr("fill", (_, n) => d3.schemeCategory10[n])""",
    "heat map": """
const x = months([50, 580]), y = d3.scaleBand(["up", "low"], [20, 320])
const cells = rain.flatMap(one => [["up", 1], ["low", 2]].map(([row, times]) => ({...one, row, mm: `${times * one.mm}`})))
svg.selectAll("rect").data(cells).join("rect").attr("x", one => x(one.month)).attr("y", one => y(one.row))
  .attr("width", x.bandwidth()).attr("height", y.bandwidth()).attr("fill", one => d3.interpolateBlues(one.mm / 120))
bottom(x)
left(y)""",
}
D3_SERIES = {
    "bar": [("", "bar", [("A", 20), ("B", 40), ("C", 60)])],
    "lying bar": [("", "bar", [("A", 20), ("B", 40), ("C", 60)])],
    "line": [
        ("North", "line", [(1, 20), (2, 40), (3, 60)]),
        ("South", "line", [(1, 90), (2, 70), (3, 50)]),
    ],
    "scatter": [("", "scatter", [(1, 10), (2, 100), (4, 1000)])],
    "stacked bar": [
        ("dry", "bar", [("A", 3), ("B", 4), ("C", 1)]),
        ("wet", "bar", [("A", 5), ("B", 2), ("C", 6)]),
    ],
    "area": [("", "area", [(0, 2), (1, 8), (2, 5)])],
    "histogram": [("", "histogram", [(0, 2), (2, 3), (4, 1), (6, 1)])],
    "pie": [("", "pie", [("A", 100 / 6), ("B", 100 / 3), ("C", 50)])],
    "heat map": [
        ("up", "heat map", [("A", 20), ("B", 40), ("C", 60)]),
        ("low", "heat map", [("A", 40), ("B", 80), ("C", 120)]),
    ],
}


def d3_page(script):
    return D3.replace("{}</script>", f"{script}</script>")


@pytest.mark.parametrize("name", D3_CHARTS)
def test_d3_tells_its_data_by_ticks_and_marks(name):
    (chart,) = charts_of("html", d3_page(D3_CHARTS[name]))
    assert chart.horizontal == (name == "lying bar")
    for told, (series, mark, points) in zip(chart.series, D3_SERIES[name], strict=True):
        assert (told.name, told.mark) == (series, mark)
        assert [one.at for one in told.points] == [
            at if isinstance(at, str) else pytest.approx(at, abs=0.03) for at, _ in points
        ]
        assert [one.value for one in told.points] == pytest.approx(
            [value for _, value in points], rel=0.002, abs=0.01
        )


def test_axes_of_d3_are_those_that_were_drawn():
    (bars,) = charts_of("html", d3_page(D3_CHARTS["bar"]))
    assert bars.x.categories == ("A", "B", "C")
    assert (bars.y.label, bars.y.low, bars.y.high, bars.y.log) == ("mm", 0, 100, False)
    (dots,) = charts_of("html", d3_page(D3_CHARTS["scatter"]))
    assert (dots.x.low, dots.x.high) == (0, 5)
    assert (dots.y.low, dots.y.high, dots.y.log) == (1, pytest.approx(1000), True)


def test_of_several_plots_in_one_drawing_d3_does_not_tell_which_a_mark_is_of():
    code = D3_CHARTS["scatter"] + "\nbottom(d3.scaleLinear([0, 1], [50, 200]))"
    assert charts_of("html", d3_page(code)) == ()


@pytest.mark.parametrize(("opacity", "told"), [(0.02, 0), (0.3, 1)])
def test_marks_that_nobody_sees_show_no_data(opacity, told):
    vega = json.loads(vega_bars(VALUES))
    vega["mark"]["opacity"] = opacity
    d3 = D3_CHARTS["bar"].replace('"#336699")', f'"#336699").attr("opacity", {opacity})')
    for format, code in {"vega": json.dumps(vega), "html": d3_page(d3)}.items():
        (chart,) = charts_of(format, code)
        assert len(chart.series) == told


def test_dots_at_names_along_the_vertical_axis_have_their_values():
    vega = json.loads(vega_bars(VALUES))
    vega["mark"] = "circle"
    vega["encoding"] = {"x": vega["encoding"]["y"], "y": vega["encoding"]["x"]}
    (chart,) = charts_of("vega", json.dumps(vega))
    (dots,) = chart.series
    assert chart.horizontal
    assert {one.at: round(one.value, 6) for one in dots.points} == VALUES


@pytest.mark.parametrize(
    ("look", "told"),
    [("alpha=0.02", 0), ("color='#fdfdfd'", 0), ("color='white', edgecolor='black'", 1)],
)
def test_bars_of_matplotlib_are_seen_by_color_or_outline(look, told):
    (chart,) = charts_of("matplotlib", f"{FIGURE}ax.bar(['a', 'b'], [1, 2], {look})")
    assert len(chart.series) == told
