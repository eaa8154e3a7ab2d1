"""Charts as pages with a canvas: with Chart.js where it has the type, or drawn step by step."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from helm_structext.scenes.chart.code import Script, number, quote, write_object
from helm_structext.scenes.chart.layout import BAR_SHARE, BOX_SHARE, ChartLayout, lay_out
from helm_structext.scenes.chart.matplotlib import turning_value
from helm_structext.scenes.chart.scene import (
    BARS,
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    ChartAxis,
    ChartScene,
)
from helm_structext.scenes.chart.svg import FAMILIES
from helm_structext.scenes.chart.themes import ink_on

Json = dict[str, Any]

CDN = (
    "https://cdn.jsdelivr.net/npm/chart.js",
    "https://cdn.jsdelivr.net/npm/chart.js@4",
    "https://cdn.jsdelivr.net/npm/chart.js@4.4.1/dist/chart.umd.min.js",
)
CHART_TYPES = {
    **dict.fromkeys(BARS, "bar"),
    "line": "line",
    "area": "line",
    "scatter": "scatter",
    "pie": "pie",
}
"""Type to that of Chart.js."""


def write_canvas(scene: ChartScene, rng: Random) -> str:
    """Writes a chart as a page with a canvas."""
    with_library = scene.type in CHART_TYPES and rng.random() < 0.6
    family = rng.choice(FAMILIES[scene.theme.font])
    name = rng.choice(("chart", "canvas", "plot"))
    if with_library:
        library = f'  <script src="{rng.choice(CDN)}"></script>\n'
        body, script = _chart_js(scene, family, name, rng)
    else:
        library = ""
        body, script = _plain_canvas(scene, family, name, rng)
    indented = "\n".join(f"    {line}" if line else "" for line in script.split("\n"))
    return (
        f'<!DOCTYPE html>\n<html lang="{scene.language}">\n<head>\n  <meta charset="utf-8">\n'
        f"  <title>{escape(scene.title)}</title>\n{library}"
        f"  <style>\n    body {{ margin: 0; background: {scene.theme.ground}; }}\n  </style>\n"
        f"</head>\n<body>\n{body}\n  <script>\n{indented}\n  </script>\n</body>\n</html>\n"
    )


def say(text: str) -> str:
    """Returns a text as JavaScript that may stand in a page."""
    return quote(text).replace("</", "<\\/").replace("<!--", "<\\!--")


# Chart.js


def _chart_js(scene: ChartScene, family: str, name: str, rng: Random) -> tuple[str, str]:
    """Returns the elements and the script of a page with Chart.js."""
    width, height = scene.size
    body = f'  <div style="width: {width}px; height: {height}px">\n    <canvas id="{name}"></canvas>\n  </div>'
    theme = scene.theme
    plugins = [Script(plugin) for plugin in _plugins(scene, family)]
    config: Json = {
        "type": "doughnut" if scene.hole else CHART_TYPES[scene.type],
        "data": _chart_data(scene),
        "options": _options(scene, family),
    }
    if plugins:
        config["plugins"] = plugins
    written = write_object(config, bare=True).replace("</", "<\\/").replace("<!--", "<\\!--")
    defaults = (
        f"Chart.defaults.font.family = {quote(family)};\nChart.defaults.color = {quote(theme.ink)};"
    )
    element = f'document.getElementById("{name}")'
    if rng.random() < 0.5:
        script = f"{defaults}\n\nconst ctx = {element};\n\nnew Chart(ctx, {written});"
    else:
        script = f"{defaults}\n\nconst config = {written};\n\nnew Chart({element}, config);"
    return body, script


def _chart_data(scene: ChartScene) -> Json:
    palette = scene.theme.palette
    if scene.type == "pie":
        slices = {
            "data": list(scene.series[0].values),
            "backgroundColor": [color for _, color in scene.entries],
            "borderColor": scene.theme.ground,
            "borderWidth": 1.5,
        }
        return {"labels": list(scene.categories), "datasets": [slices]}
    looks: dict[str, Json] = {
        "line": {"borderWidth": 2.5, "pointRadius": 3.5},
        "area": {"borderWidth": 0, "pointRadius": 0},
        "scatter": {"pointRadius": 5},
    }
    sets = []
    for place, series in enumerate(scene.series):
        values: list[Any] = list(series.values)
        if scene.numeric:
            values = [{"x": x, "y": y} for x, y in zip(series.at, series.values, strict=True)]
        made: Json = {"label": series.name, "data": values, "backgroundColor": palette[place]}
        if scene.type == "line":
            made["borderColor"] = palette[place]
        if scene.type == "area":
            made["fill"] = "-1" if place else "origin"
        if scene.type in BARS:
            made |= {"categoryPercentage": BAR_SHARE, "barPercentage": 1}
        sets.append(made | looks.get(scene.type, {}))
    return (
        {"datasets": sets}
        if scene.numeric
        else {"labels": list(scene.categories), "datasets": sets}
    )


def _options(scene: ChartScene, family: str) -> Json:
    theme = scene.theme
    legend: Json = {"display": False}
    if scene.legend != "none":
        box = {"line": 18, "scatter": 8}.get(scene.type, 14)
        labels: Json = {
            "boxWidth": box,
            "boxHeight": 1 if scene.type == "line" else box,
            "padding": 14,
        }
        labels["font"] = {"size": LABEL_SIZE - 1}
        if scene.type == "scatter":
            labels["usePointStyle"] = True
        legend = {"position": scene.legend, "labels": labels}
        if scene.legend == "right":
            legend["align"] = "start"
    title = {
        "display": True,
        "text": scene.title,
        "font": {"size": TITLE_SIZE, "weight": "bold"},
        "padding": {"bottom": 16},
    }
    padding: Json | int = 12
    if scene.reference:
        place = lay_out(scene)
        padding = {"left": 12, "top": 12, "bottom": 12, "right": scene.size[0] - place.right}
    options: Json = {
        "animation": False,
        "maintainAspectRatio": False,
        "layout": {"padding": padding},
        "plugins": {"title": title, "legend": legend},
    }
    if scene.type == "pie":
        if scene.hole:
            options["cutout"] = "55%"
        return options
    if scene.horizontal:
        options["indexAxis"] = "y"
    across: Json = {"title": _axis_title(scene.x), "border": {"color": theme.ink}}
    if scene.numeric:
        across |= {"type": "linear", **_numbers(scene.x), "grid": _grid(scene)}
    else:
        turned = 45 if scene.tilted else 0
        ticks = {"autoSkip": False, "minRotation": turned, "maxRotation": turned}
        across |= {"ticks": ticks, "grid": {"display": False}}
        if scene.type == "line":
            across["offset"] = True
    along: Json = {
        "title": _axis_title(scene.y),
        "border": {"color": theme.ink},
        **_numbers(scene.y),
        "grid": _grid(scene),
    }
    if scene.y.low < 0 and scene.type in BARS:
        other = theme.rule if theme.grid else "transparent"
        zero = Script(f'context => context.tick.value === 0 ? "{theme.ink}" : "{other}"')
        along["grid"] = {"color": zero}
    if scene.stacked:
        along["stacked"] = True
        if scene.type in BARS:
            across["stacked"] = True
    options["scales"] = {"y": across, "x": along} if scene.horizontal else {"x": across, "y": along}
    return options


def _axis_title(axis: ChartAxis) -> Json:
    return {"display": True, "text": axis.label, "font": {"size": LABEL_SIZE}}


def _numbers(axis: ChartAxis) -> Json:
    ticks: Json = {"stepSize": axis.step}
    if axis.high >= 1000:
        ticks["format"] = {"useGrouping": False}
    return {"min": axis.low, "max": axis.high, "ticks": ticks}


def _grid(scene: ChartScene) -> Json:
    return {"color": scene.theme.rule} if scene.theme.grid else {"display": False}


def _plugins(scene: ChartScene, family: str) -> Iterator[str]:
    """Plugins for what Chart.js has no options for: texts at values, and annotations."""
    ink = scene.theme.ink
    font = f'ctx.font = "{TICK_SIZE}px {family}";'
    lines = []
    if scene.labels and scene.type == "pie":
        inks = [ink_on(color) for _, color in scene.entries]
        before, after = scene.label_of(0).split("0")
        lines = [
            f'ctx.font = "{LABEL_SIZE}px {family}";',
            'ctx.textAlign = "center";',
            'ctx.textBaseline = "middle";',
            f"const inks = {write_object(inks)};",
            "chart.data.datasets[0].data.forEach((value, i) => {",
            "  const { x, y, startAngle, endAngle, innerRadius, outerRadius } = chart.getDatasetMeta(0).data[i];",
            "  const angle = (startAngle + endAngle) / 2;",
            f"  const radius = {'(innerRadius + outerRadius) / 2' if scene.hole else 'outerRadius * 0.68'};",
            "  ctx.fillStyle = inks[i];",
            f"  ctx.fillText(`{before}${{value}}{after}`, x + Math.cos(angle) * radius, y + Math.sin(angle) * radius);",
            "});",
        ]
        if not scene.hole:
            lines[5] = lines[5].replace("innerRadius, ", "")
    elif scene.labels:
        align, base, shift = (
            ("left", "middle", "x + 6, y")
            if scene.horizontal
            else (
                "center",
                "bottom",
                "x, y - 5",
            )
        )
        lines = [
            font,
            f'ctx.fillStyle = "{ink}";',
            f'ctx.textAlign = "{align}";',
            f'ctx.textBaseline = "{base}";',
            "chart.getDatasetMeta(0).data.forEach(({ x, y }, i) => {",
            f"  ctx.fillText(chart.data.datasets[0].data[i], {shift});",
            "});",
        ]
    if lines:
        yield _plugin("valueLabels", "const { ctx } = chart;", lines)
    if scene.reference:
        yield _plugin(
            "referenceLine",
            "const { ctx, chartArea, scales } = chart;",
            [
                f"const y = scales.y.getPixelForValue({number(scene.reference.value)});",
                f'ctx.strokeStyle = "{ink}";',
                "ctx.lineWidth = 1.5;",
                "ctx.setLineDash([6, 4]);",
                "ctx.beginPath();",
                "ctx.moveTo(chartArea.left, y);",
                "ctx.lineTo(chartArea.right, y);",
                "ctx.stroke();",
                font,
                f'ctx.fillStyle = "{ink}";',
                'ctx.textBaseline = "middle";',
                f"ctx.fillText({quote(scene.reference.text)}, chartArea.right + 6, y);",
            ],
        )
    if scene.peak:
        yield _plugin(
            "peak",
            "const { ctx } = chart;",
            [
                f"const {{ x, y }} = chart.getDatasetMeta({scene.peak.series}).data[{scene.peak.index}];",
                f'ctx.strokeStyle = "{ink}";',
                "ctx.beginPath();",
                "ctx.arc(x, y, 7, 0, 2 * Math.PI);",
                "ctx.stroke();",
                font,
                f'ctx.fillStyle = "{ink}";',
                f'ctx.textAlign = "{scene.peak_side}";',
                f"ctx.fillText({quote(scene.peak.text)}, x, y - 13);",
            ],
        )


def _plugin(id: str, first: str, lines: list[str]) -> str:
    body = "\n".join(f"    {line}" for line in [first, "ctx.save();", *lines, "ctx.restore();"])
    return f'{{\n  id: "{id}",\n  afterDatasetsDraw(chart) {{\n{body}\n  }}\n}}'


# Without a library


def _plain_canvas(scene: ChartScene, family: str, name: str, rng: Random) -> tuple[str, str]:
    """Returns the elements and the script of a page that draws on its canvas."""
    width, height = scene.size
    drawing = _Drawing(scene, family, lay_out(scene), rng.random() < 0.5)
    body = f'  <canvas id="{name}" width="{width}" height="{height}"></canvas>'
    begin = (
        f'const canvas = document.getElementById("{name}");\nconst ctx = canvas.getContext("2d");'
    )
    return body, "\n".join([begin, *drawing.lines()])


class _Drawing:
    """A script that draws on a canvas, while it is written."""

    def __init__(self, scene: ChartScene, family: str, place: ChartLayout, commented: bool) -> None:
        self.scene, self.family, self.place, self.commented = scene, family, place, commented
        self.many = len(scene.series) > 1

    def lines(self) -> Iterator[str]:
        scene, place, theme = self.scene, self.place, self.scene.theme
        yield ""
        yield from self.data()
        yield f"const plot = {{ left: {place.left}, top: {place.top}, right: {place.right}, bottom: {place.bottom} }};"
        yield f'const ink = "{theme.ink}";'
        yield ""
        yield f'function text(string, x, y, {{ align = "center", size = {TICK_SIZE}, weight = "", angle = 0, color = ink }} = {{}}) {{'
        yield "  ctx.save();"
        yield "  ctx.translate(x, y);"
        yield "  ctx.rotate(angle);"
        yield f"  ctx.font = `${{weight}} ${{size}}px {self.family}`;"
        yield "  ctx.textAlign = align;"
        yield "  ctx.fillStyle = color;"
        yield "  ctx.fillText(string, 0, 0);"
        yield "  ctx.restore();"
        yield "}"
        if scene.type not in ("pie", "heat map") or scene.reference:
            yield ""
            yield "function line(x1, y1, x2, y2, color, width = 1) {"
            yield "  ctx.strokeStyle = color;"
            yield "  ctx.lineWidth = width;"
            yield "  ctx.beginPath();"
            yield "  ctx.moveTo(x1, y1);"
            yield "  ctx.lineTo(x2, y2);"
            yield "  ctx.stroke();"
            yield "}"
        yield ""
        yield f'ctx.fillStyle = "{theme.ground}";'
        yield "ctx.fillRect(0, 0, canvas.width, canvas.height);"
        yield (
            f"text({say(scene.title)}, (plot.left + plot.right) / 2, 34, "
            f'{{ size: {TITLE_SIZE}, weight: "bold" }});'
        )
        if scene.type != "pie":
            yield ""
            yield from self.section("Scales and axes", self.scales())
            yield from self.axes()
        yield ""
        yield from self.section("Data", DRAWINGS[scene.type](self))
        if scene.type not in ("pie", "heat map"):
            yield ""
            yield "line(plot.left, plot.top, plot.left, plot.bottom, ink);"
            yield "line(plot.left, plot.bottom, plot.right, plot.bottom, ink);"
        yield from self.notes()
        yield from self.legend()

    def section(self, name: str, lines: Iterator[str]) -> Iterator[str]:
        if self.commented:
            yield f"// {name}"
        yield from lines

    def constant(self, name: str, value: Any) -> str:
        written = write_object(value, 0, len(name) + 9, bare=True)
        return f"const {name} = {written};".replace("</", "<\\/").replace("<!--", "<\\!--")

    def data(self) -> Iterator[str]:
        scene, palette = self.scene, self.scene.theme.palette
        if scene.categories and scene.type != "box plot":
            yield self.constant("categories", list(scene.categories))
        if scene.type == "pie":
            yield self.constant("values", list(scene.series[0].values))
            yield self.constant("colors", [color for _, color in scene.entries])
        elif scene.type == "histogram":
            yield self.constant("values", list(scene.series[0].values))
        elif scene.type == "box plot":
            boxes = [
                {
                    "name": name,
                    "low": box.low,
                    "q1": box.lower,
                    "median": box.median,
                    "q3": box.upper,
                    "high": box.high,
                    "outliers": list(box.outliers),
                }
                for name, box in zip(scene.categories, scene.boxes, strict=True)
            ]
            yield self.constant("boxes", boxes)
        else:
            rows = []
            for place, series in enumerate(scene.series):
                row: Json = {"name": series.name}
                if scene.type != "heat map":
                    row["color"] = palette[place]
                if scene.type == "scatter":
                    row["points"] = [
                        list(pair) for pair in zip(series.at, series.values, strict=True)
                    ]
                else:
                    row["values"] = list(series.values)
                rows.append(row)
            if scene.numeric and scene.type != "scatter":
                yield self.constant("places", list(scene.series[0].at))
            yield self.constant("series", rows)

    def scale(self, name: str, axis: ChartAxis, low: str, high: str) -> str:
        offset = f"value - {axis.low}" if axis.low > 0 else f"value + {-axis.low}"
        share = f"value / {axis.high}" if axis.low == 0 else f"({offset}) / {axis.high - axis.low}"
        return f"const {name} = value => plot.{low} + {share} * (plot.{high} - plot.{low});"

    def scales(self) -> Iterator[str]:
        """Functions from values and categories to pixels."""
        scene = self.scene
        if scene.type == "heat map":
            yield "const width = (plot.right - plot.left) / categories.length;"
            yield "const height = (plot.bottom - plot.top) / series.length;"
            return
        if scene.numeric:
            yield self.scale("x", scene.x, "left", "right")
        elif scene.type == "area":
            yield "const x = i => plot.left + i / (categories.length - 1) * (plot.right - plot.left);"
        else:
            names = "boxes" if scene.type == "box plot" else "categories"
            first, last = ("top", "bottom") if scene.horizontal else ("left", "right")
            yield f"const slot = (plot.{last} - plot.{first}) / {names}.length;"
            yield f"const {'y' if scene.horizontal else 'x'} = i => plot.{first} + (i + 0.5) * slot;"
        if scene.horizontal:
            yield self.scale("x", scene.y, "left", "right")
        else:
            yield self.scale("y", scene.y, "bottom", "top")

    def axes(self) -> Iterator[str]:
        scene, theme, place = self.scene, self.scene.theme, self.place
        minus = '`${tick}`.replace("-", "−")'
        beside = scene.y
        if scene.type == "heat map":
            yield "categories.forEach((name, i) => {"
            yield from self.category_text("plot.left + (i + 0.5) * width")
            yield "});"
            yield "series.forEach(({ name }, i) => {"
            yield '  text(name, plot.left - 8, plot.top + (i + 0.5) * height + 4, { align: "right" });'
            yield "});"
            yield "const gradient = ctx.createLinearGradient(0, plot.bottom, 0, plot.top);"
            yield f'gradient.addColorStop(0, "{theme.ramp[0]}");'
            yield f'gradient.addColorStop(1, "{theme.ramp[1]}");'
            yield "ctx.fillStyle = gradient;"
            yield "ctx.fillRect(plot.right + 20, plot.top, 16, plot.bottom - plot.top);"
            axis = scene.y
            yield f"for (let tick = {axis.low}; tick <= {axis.high}; tick += {axis.step}) {{"
            yield f"  const y = plot.bottom - (tick - {axis.low}) / {axis.high - axis.low} * (plot.bottom - plot.top);".replace(
                "- -", "+ "
            )
            yield f'  text({minus if axis.low < 0 else "tick"}, plot.right + 42, y + 4, {{ align: "left" }});'
            yield "}"
        else:
            if scene.horizontal:
                yield f"for (let tick = {scene.y.low}; tick <= {scene.y.high}; tick += {scene.y.step}) {{"
                if theme.grid:
                    yield f'  line(x(tick), plot.top, x(tick), plot.bottom, "{theme.rule}");'
                yield f"  text({minus if scene.y.low < 0 else 'tick'}, x(tick), plot.bottom + 18);"
                yield "}"
                yield "categories.forEach((name, i) => {"
                yield '  text(name, plot.left - 8, y(i) + 4, { align: "right" });'
                yield "});"
                beside = scene.x
            else:
                yield f"for (let tick = {scene.y.low}; tick <= {scene.y.high}; tick += {scene.y.step}) {{"
                if theme.grid:
                    yield f'  line(plot.left, y(tick), plot.right, y(tick), "{theme.rule}");'
                yield f'  text({minus if scene.y.low < 0 else "tick"}, plot.left - 8, y(tick) + 4, {{ align: "right" }});'
                yield "}"
                if scene.numeric:
                    axis = scene.x
                    yield f"for (let tick = {axis.low}; tick <= {axis.high}; tick += {axis.step}) {{"
                    if theme.grid and scene.type != "histogram":
                        yield f'  line(x(tick), plot.top, x(tick), plot.bottom, "{theme.rule}");'
                    yield f"  text({minus if axis.low < 0 else 'tick'}, x(tick), plot.bottom + 18);"
                    yield "}"
                else:
                    each = (
                        "boxes.forEach(({ name }, i)"
                        if scene.type == "box plot"
                        else "categories.forEach((name, i)"
                    )
                    yield f"{each} => {{"
                    yield from self.category_text("x(i)")
                    yield "});"
        below = scene.y if scene.horizontal else scene.x
        yield f"text({say(below.label)}, (plot.left + plot.right) / 2, {place.across}, {{ size: {LABEL_SIZE} }});"
        x = scene.size[0] - 14 if scene.type == "heat map" else place.beside
        yield (
            f"text({say(beside.label)}, {x}, (plot.top + plot.bottom) / 2, "
            f"{{ size: {LABEL_SIZE}, angle: -Math.PI / 2 }});"
        )

    def category_text(self, at: str) -> Iterator[str]:
        if self.scene.tilted:
            yield f'  text(name, {at}, plot.bottom + 14, {{ align: "right", angle: -Math.PI / 4 }});'
        else:
            yield f"  text(name, {at}, plot.bottom + 18);"

    # Data

    def bars(self) -> Iterator[str]:
        scene = self.scene
        if scene.stacked:
            yield "const base = categories.map(() => 0);"
        count = 1 if scene.stacked else len(scene.series)
        thick = f"slot * {BAR_SHARE}" + (f" / {count}" if count > 1 else "")
        yield f"const thickness = {thick};"
        each = "(({ values, color }, s)" if count > 1 else "(({ values, color })"
        yield f"series.forEach{each} => {{"
        yield "  values.forEach((value, i) => {"
        across = "y" if scene.horizontal else "x"
        yield f"    const start = {across}(i) - slot * {BAR_SHARE / 2:g}{' + s * thickness' if count > 1 else ''};"
        yield "    ctx.fillStyle = color;"
        base = "base[i]" if scene.stacked else "0"
        end = "base[i] + value" if scene.stacked else "value"
        if scene.horizontal:
            yield f"    ctx.fillRect(x({base}), start, x({end}) - x({base}), thickness);"
        else:
            yield f"    ctx.fillRect(start, y({base}), thickness, y({end}) - y({base}));"
        if scene.stacked:
            yield "    base[i] += value;"
        if scene.labels and scene.horizontal:
            yield '    text(value, x(value) + 6, y(i) + 4, { align: "left" });'
        elif scene.labels:
            yield "    text(value, x(i), y(value) - 6);"
        yield "  });"
        yield "});"
        if scene.y.low < 0:
            yield (
                "line(x(0), plot.top, x(0), plot.bottom, ink);"
                if scene.horizontal
                else "line(plot.left, y(0), plot.right, y(0), ink);"
            )

    def curves(self) -> Iterator[str]:
        at = "x(places[i])" if self.scene.numeric else "x(i)"
        yield "for (const { values, color } of series) {"
        yield "  ctx.strokeStyle = ctx.fillStyle = color;"
        yield "  ctx.lineWidth = 2.5;"
        yield "  ctx.beginPath();"
        yield f"  values.forEach((value, i) => ctx.lineTo({at}, y(value)));"
        yield "  ctx.stroke();"
        yield "  values.forEach((value, i) => {"
        yield "    ctx.beginPath();"
        yield f"    ctx.arc({at}, y(value), 3.5, 0, 2 * Math.PI);"
        yield "    ctx.fill();"
        yield "  });"
        yield "}"

    def areas(self) -> Iterator[str]:
        yield "let base = categories.map(() => 0);"
        yield "for (const { values, color } of series) {"
        yield "  const tops = values.map((value, i) => base[i] + value);"
        yield "  ctx.fillStyle = color;"
        yield "  ctx.beginPath();"
        yield "  tops.forEach((value, i) => ctx.lineTo(x(i), y(value)));"
        yield "  for (let i = base.length - 1; i >= 0; i--) {"
        yield "    ctx.lineTo(x(i), y(base[i]));"
        yield "  }"
        yield "  ctx.fill();"
        yield "  base = tops;"
        yield "}"

    def points(self) -> Iterator[str]:
        yield "for (const { points, color } of series) {"
        yield "  ctx.fillStyle = color;"
        yield "  for (const [px, py] of points) {"
        yield "    ctx.beginPath();"
        yield "    ctx.arc(x(px), y(py), 5, 0, 2 * Math.PI);"
        yield "    ctx.fill();"
        yield "  }"
        yield "}"

    def slices(self) -> Iterator[str]:
        scene, place = self.scene, self.place
        radius = min(place.width, place.height) / 2
        inks = [ink_on(color) for _, color in scene.entries]
        yield self.constant("inks", inks)
        yield f"const radius = {number(radius)};"
        yield "const centerX = (plot.left + plot.right) / 2;"
        yield "const centerY = (plot.top + plot.bottom) / 2;"
        yield "const total = values.reduce((sum, value) => sum + value, 0);"
        yield "let start = -Math.PI / 2;"
        yield "values.forEach((value, i) => {"
        yield "  const end = start + 2 * Math.PI * value / total;"
        yield "  ctx.beginPath();"
        if scene.hole:
            yield "  ctx.arc(centerX, centerY, radius, start, end);"
            yield "  ctx.arc(centerX, centerY, radius * 0.55, end, start, true);"
        else:
            yield "  ctx.moveTo(centerX, centerY);"
            yield "  ctx.arc(centerX, centerY, radius, start, end);"
        yield "  ctx.closePath();"
        yield "  ctx.fillStyle = colors[i];"
        yield "  ctx.fill();"
        yield f'  ctx.strokeStyle = "{scene.theme.ground}";'
        yield "  ctx.lineWidth = 1.5;"
        yield "  ctx.stroke();"
        yield "  const middle = (start + end) / 2;"
        distance = 0.775 if scene.hole else 0.68
        before, after = scene.label_of(0).split("0")
        yield "  text("
        yield f"    `{before}${{value}}{after}`,"
        yield f"    centerX + radius * {distance} * Math.cos(middle),"
        yield f"    centerY + radius * {distance} * Math.sin(middle) + 5,"
        yield f"    {{ size: {LABEL_SIZE}, color: inks[i] }}"
        yield "  );"
        yield "  start = end;"
        yield "});"

    def bins(self) -> Iterator[str]:
        axis, theme = self.scene.x, self.scene.theme
        yield f"for (let low = {axis.low}; low < {axis.high}; low += {axis.step}) {{"
        yield f"  const high = low + {axis.step};"
        yield "  const count = values.filter(value => value >= low && value < high).length;"
        yield f'  ctx.fillStyle = "{theme.palette[0]}";'
        yield "  ctx.fillRect(x(low) + 0.5, y(count), x(high) - x(low) - 1, y(0) - y(count));"
        yield "}"

    def boxes(self) -> Iterator[str]:
        scene = self.scene
        yield f"const half = slot * {BOX_SHARE / 2:g};"
        yield "boxes.forEach(({ low, q1, median, q3, high, outliers }, i) => {"
        yield "  line(x(i), y(low), x(i), y(q1), ink);"
        yield "  line(x(i), y(q3), x(i), y(high), ink);"
        yield "  for (const end of [low, high]) {"
        yield "    line(x(i) - half / 2, y(end), x(i) + half / 2, y(end), ink);"
        yield "  }"
        yield f'  ctx.fillStyle = "{scene.fill}";'
        yield "  ctx.fillRect(x(i) - half, y(q3), 2 * half, y(q1) - y(q3));"
        yield "  ctx.strokeRect(x(i) - half, y(q3), 2 * half, y(q1) - y(q3));"
        yield "  line(x(i) - half, y(median), x(i) + half, y(median), ink, 2);"
        yield "  ctx.lineWidth = 1;"
        yield "  for (const value of outliers) {"
        yield "    ctx.beginPath();"
        yield "    ctx.arc(x(i), y(value), 4, 0, 2 * Math.PI);"
        yield "    ctx.stroke();"
        yield "  }"
        yield "});"

    def cells(self) -> Iterator[str]:
        scene = self.scene
        low, high = (
            [int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in scene.theme.ramp
        )
        axis = scene.y
        yield f"const low = [{', '.join(map(str, low))}], high = [{', '.join(map(str, high))}];"
        yield "series.forEach(({ values }, row) => {"
        yield "  values.forEach((value, column) => {"
        yield f"    const share = (value - {axis.low}) / {axis.high - axis.low};".replace(
            "- -", "+ "
        )
        yield "    const color = low.map((part, i) => Math.round(part + (high[i] - part) * share));"
        yield "    const x = plot.left + column * width, y = plot.top + row * height;"
        yield "    ctx.fillStyle = `rgb(${color})`;"
        yield "    ctx.fillRect(x, y, width + 0.5, height + 0.5);"
        if scene.labels:
            first, second = (ink_on(color) for color in scene.theme.ramp)
            yield f'    const shade = value < {number(turning_value(scene))} ? "{first}" : "{second}";'
            yield "    text(value, x + width / 2, y + height / 2 + 4, { color: shade });"
        yield "  });"
        yield "});"

    def notes(self) -> Iterator[str]:
        scene = self.scene
        if scene.reference:
            at = number(scene.reference.value)
            yield ""
            yield "ctx.setLineDash([6, 4]);"
            yield f"line(plot.left, y({at}), plot.right, y({at}), ink, 1.5);"
            yield "ctx.setLineDash([]);"
            yield f'text({say(scene.reference.text)}, plot.right + 6, y({at}) + 4, {{ align: "left" }});'
        if scene.peak:
            series = scene.series[scene.peak.series]
            at = number(series.at[scene.peak.index] if series.at else scene.peak.index)
            value = number(series.values[scene.peak.index])
            yield ""
            yield "ctx.strokeStyle = ink;"
            yield "ctx.lineWidth = 1;"
            yield "ctx.beginPath();"
            yield f"ctx.arc(x({at}), y({value}), 7, 0, 2 * Math.PI);"
            yield "ctx.stroke();"
            yield f'text({say(scene.peak.text)}, x({at}), y({value}) - 13, {{ align: "{scene.peak_side}" }});'

    def legend(self) -> Iterator[str]:
        scene = self.scene
        if scene.legend == "none":
            return
        x, y = self.place.legend
        yield ""
        if self.commented:
            yield "// Legend"
        beside = scene.legend == "right"
        if beside:
            yield f"const legendX = {number(x)};"
        else:
            names = "categories" if scene.type == "pie" else "series.map(({ name }) => name)"
            yield f"ctx.font = `{LABEL_SIZE}px {self.family}`;"
            yield f"const entries = {names}.map(name => ctx.measureText(name).width + 48);"
            yield "const legendWidth = entries.reduce((sum, width) => sum + width, -24);"
            yield "let legendX = (plot.left + plot.right - legendWidth) / 2;"
        if scene.type == "pie":
            yield "categories.forEach((name, i) => {"
            color = "colors[i]"
        else:
            yield "series.forEach(({ name, color }, i) => {"
            color = "color"
        yield f"  const legendY = {number(y)}{' + i * 24' if beside else ''};"
        yield f"  ctx.fillStyle = {color};"
        if scene.type == "scatter":
            yield "  ctx.beginPath();"
            yield "  ctx.arc(legendX + 9, legendY, 5, 0, 2 * Math.PI);"
            yield "  ctx.fill();"
        elif scene.type == "line":
            yield "  ctx.fillRect(legendX, legendY - 1.5, 18, 3);"
        else:
            yield "  ctx.fillRect(legendX + 2, legendY - 7, 14, 14);"
        yield f'  text(name, legendX + 24, legendY + 5, {{ align: "left", size: {LABEL_SIZE} }});'
        if not beside:
            yield "  legendX += entries[i];"
        yield "});"


DRAWINGS: dict[str, Callable[[_Drawing], Iterator[str]]] = {
    **dict.fromkeys(BARS, _Drawing.bars),
    "line": _Drawing.curves,
    "area": _Drawing.areas,
    "scatter": _Drawing.points,
    "pie": _Drawing.slices,
    "histogram": _Drawing.bins,
    "box plot": _Drawing.boxes,
    "heat map": _Drawing.cells,
}
