"""Charts as Vega-Lite, or as Vega where it needs no statistics of its own."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from helm_structext.scenes.chart.code import write_object
from helm_structext.scenes.chart.layout import BAR_SHARE, BOX_SHARE, lay_out
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

SCHEMA = "https://vega.github.io/schema/{}/v5.json"
FIELDS = (("category", "series", "value"), ("x", "group", "y"), ("label", "name", "amount"))
GAP = 1 - BAR_SHARE
QUIET = {"domain": False, "ticks": False, "labelPadding": 6}
"""Axes of a heat map: texts alone."""


def write_vega(scene: ChartScene, rng: Random) -> str:
    """Writes a chart as Vega-Lite or as Vega."""
    lite = scene.type == "box plot" or rng.random() < 0.65
    spec = (_LiteSpec if lite else _VegaSpec)(scene, rng).spec()
    return write_object(spec, step=rng.choice((2, 2, 4))) + "\n"


class _Spec:
    """What both languages share: rows of data, and how axes, legends and the title look."""

    def __init__(self, scene: ChartScene, rng: Random) -> None:
        self.scene = scene
        place = lay_out(scene)
        self.width, self.height = place.width, place.height
        self.family = rng.choice(FAMILIES[scene.theme.font])
        self.category, self.group, self.value = rng.choice(FIELDS)
        if scene.type == "histogram":
            self.value = "data"  # as both languages call values that have no name
        elif scene.numeric:
            self.category, self.value = "x", "y"
        self.many = len(scene.series) > 1
        self.names = [series.name for series in scene.series]
        self.colors = list(scene.theme.palette[: len(scene.entries)])

    def rows(self) -> list[Any]:
        """The data, a row for each value."""
        scene = self.scene
        if scene.type == "histogram":
            return [plain(value) for value in scene.series[0].values]
        if scene.type == "box plot":
            return [
                {self.category: series.name, self.value: value}
                for series in scene.series
                for value in series.values
            ]
        rows = []
        for place, series in enumerate(scene.series):
            for at, value in zip(series.at or scene.categories, series.values, strict=True):
                row: Json = {self.category: at}
                if self.many:
                    row[self.group] = series.name
                row[self.value] = value
                if scene.stacked and self.many:
                    row["order"] = place
                rows.append(row)
        if scene.type == "pie":
            for place, row in enumerate(rows):
                row["order"] = place
                row["ink"] = ink_on(self.colors[place])
        return [plain(row) for row in rows]

    def peak_row(self) -> Json:
        """The row of the marked point."""
        peak = self.scene.peak
        assert peak is not None
        series = self.scene.series[peak.series]
        at = (series.at or self.scene.categories)[peak.index]
        row: Json = plain({self.category: at, self.value: series.values[peak.index]})
        return row

    def percent(self) -> str:
        """An expression for a share with its sign."""
        before, after = self.scene.label_of(0).split("0")
        parts = [json.dumps(before)] if before else []
        parts += [f"datum.{self.value}", json.dumps(after, ensure_ascii=False)]
        return " + ".join(parts).replace('"', "'")

    def title(self) -> Json:
        theme = self.scene.theme
        look = {"fontSize": TITLE_SIZE, "color": theme.ink, "offset": 16}
        return {"text": self.scene.title, **self.fonts(""), **look}

    def fonts(self, *roles: str) -> Json:
        """The family of texts, where it is not said once for all."""
        return {f"{role}Font" if role else "font": self.family for role in roles}

    def axis_look(self) -> Json:
        theme = self.scene.theme
        return {
            **self.fonts("label", "title"),
            "labelFontSize": TICK_SIZE,
            "titleFontSize": LABEL_SIZE,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "labelColor": theme.ink,
            "titleColor": theme.ink,
            "domainColor": theme.ink,
            "tickColor": theme.ink,
            "gridColor": theme.rule,
            "labelLimit": 300,
        }

    def legend_look(self) -> Json:
        theme = self.scene.theme
        return {
            **self.fonts("label", "title"),
            "labelFontSize": LABEL_SIZE - 1,
            "labelColor": theme.ink,
            "titleColor": theme.ink,
            "titleFontWeight": "normal",
            "labelLimit": 300,
            "titleLimit": 300,
            "symbolSize": 130,
            "columnPadding": 24,
            "rowPadding": 6,
            "layout": {"bottom": {"anchor": "middle"}},
        }

    def radius(self) -> int:
        """Of a pie."""
        return min(self.width, self.height) // 2

    def text_radius(self) -> int:
        return round(self.radius() * (0.775 if self.scene.hole else 0.68))

    def hole(self) -> int:
        return round(self.radius() * 0.55) if self.scene.hole else 0


def plain(value: Any) -> Any:
    """Returns data with whole numbers as such.

    >>> plain([{"a": 3.0, "b": 2.5}])
    [{'a': 3, 'b': 2.5}]
    """
    if isinstance(value, list):
        return [plain(held) for held in value]
    if isinstance(value, dict):
        return {key: plain(held) for key, held in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _LiteSpec(_Spec):
    """A chart in Vega-Lite."""

    def spec(self) -> Json:
        scene, theme = self.scene, self.scene.theme
        mark, encoding = self.main()
        layers = [{"mark": mark, "encoding": encoding}, *self.above(encoding)]
        spec: Json = {
            "$schema": SCHEMA.format("vega-lite"),
            "title": self.title(),
            "width": self.width,
            "height": self.height,
            "background": theme.ground,
            "padding": 16,
            "data": {"values": self.rows()},
        }
        spec |= layers[0] if len(layers) == 1 else {"layer": layers}
        axis = self.axis_look()
        if not theme.grid or scene.type == "heat map":
            axis["grid"] = False
        if scene.type == "heat map":
            axis |= QUIET
        spec["config"] = {"font": self.family, "view": {"stroke": None}}
        if scene.type != "pie":
            spec["config"]["axis"] = axis
        if scene.legend != "none" or scene.type == "heat map":
            spec["config"]["legend"] = self.legend_look()
        return spec

    def fonts(self, *roles: str) -> Json:
        return {}

    # Channels

    def sides(self, across: Json, along: Json) -> Json:
        """Channels of both axes: of lying bars, the other way round."""
        return {"y": across, "x": along} if self.scene.horizontal else {"x": across, "y": along}

    def across(self) -> Json:
        """The channel of categories, or of horizontal numbers."""
        scene = self.scene
        if scene.numeric:
            return {"field": self.category, **self.numbers(scene.x)}
        channel: Json = {
            "field": self.category,
            "type": "nominal",
            "sort": self.names if scene.type == "box plot" else None,
            "title": scene.x.label,
        }
        if not scene.horizontal:
            channel["axis"] = {"labelAngle": -45 if scene.tilted else 0}
        if scene.type in BARS:
            channel["scale"] = {"paddingInner": round(GAP, 2), "paddingOuter": round(GAP / 2, 2)}
        elif scene.type == "area":
            channel["scale"] = {"padding": 0}
        return channel

    def along(self) -> Json:
        return {"field": self.value, **self.numbers(self.scene.y)}

    def numbers(self, axis: ChartAxis) -> Json:
        """What a channel of numbers has beside its field."""
        return {
            "type": "quantitative",
            "title": axis.label,
            "scale": {"domain": [axis.low, axis.high]},
            "axis": {"values": axis.ticks, "format": "d"},
        }

    def color(self) -> Json:
        """The channel of colors by series."""
        scene = self.scene
        legend: Json | None = None
        if scene.legend != "none":
            legend = {"orient": scene.legend, "title": None}
            if scene.type in LITE_SYMBOLS:
                legend["symbolType"] = LITE_SYMBOLS[scene.type]
        names = [name for name, _ in scene.entries]
        return {
            "field": self.category if scene.type == "pie" else self.group,
            "type": "nominal",
            "scale": {"domain": names, "range": self.colors},
            "legend": legend,
        }

    # Layers

    def main(self) -> tuple[Any, Json]:
        """The mark and the channels of the data."""
        scene, theme = self.scene, self.scene.theme
        if scene.type == "pie":
            mark: Json = {
                "type": "arc",
                "innerRadius": self.hole(),
                "outerRadius": self.radius(),
                "stroke": theme.ground,
                "strokeWidth": 1.5,
            }
            order = {"field": "order", "type": "quantitative"}
            theta = {"field": self.value, "type": "quantitative", "stack": True}
            return mark, {"theta": theta, "order": order, "color": self.color()}
        if scene.type == "histogram":
            across = {
                "field": self.value,
                "bin": {"extent": [scene.x.low, scene.x.high], "step": scene.x.step},
                **self.numbers(scene.x),
            }
            across["scale"]["zero"] = False
            count = {"aggregate": "count", **self.numbers(scene.y)}
            mark = {"type": "bar", "color": theme.palette[0], "binSpacing": 1}
            return mark, {"x": across, "y": count}
        if scene.type == "heat map":
            color = {
                "field": self.value,
                "type": "quantitative",
                "scale": {
                    "domain": [scene.y.low, scene.y.high],
                    "range": list(theme.ramp),
                    "interpolate": "rgb",
                },
                "legend": {
                    "title": scene.y.label,
                    "gradientLength": self.height - 30,
                    "values": scene.y.ticks,
                    "format": "d",
                },
            }
            row = {"field": self.group, "type": "nominal", "sort": None, "title": None}
            return "rect", {"x": self.across(), "y": row, "color": color}
        if scene.type == "box plot":
            ink = {"color": theme.ink}
            size = round(self.width / len(scene.categories) * BOX_SHARE)
            mark = {
                "type": "boxplot",
                "extent": 1.5,
                "size": size,
                "color": scene.fill,
                "box": {"stroke": theme.ink},
                "median": {"color": theme.ink, "thickness": 2},
                "rule": ink,
                "ticks": {**ink, "size": size // 2},
                "outliers": {**ink, "size": 45, "filled": False},
            }
            return mark, {"x": self.across(), "y": self.along()}
        encoding = self.sides(self.across(), self.along())
        if self.many:
            encoding["color"] = self.color()
        if scene.stacked and self.many:
            encoding["order"] = {"field": "order", "type": "quantitative"}
        if scene.type == "grouped bars":
            offset = "yOffset" if scene.horizontal else "xOffset"
            encoding[offset] = {"field": self.group, "sort": None}
        mark = dict(LITE_MARKS[scene.type])
        if not self.many:
            mark["color"] = theme.palette[0]
        return mark, encoding

    def above(self, encoding: Json) -> list[Json]:
        """What stands before the data."""
        scene, theme = self.scene, self.scene.theme
        text = {"type": "text", "fontSize": TICK_SIZE, "color": theme.ink}
        layers: list[Json] = []
        if scene.labels and scene.type == "pie":
            layers.append(
                {
                    "transform": [{"calculate": self.percent(), "as": "share"}],
                    "mark": {**text, "radius": self.text_radius(), "fontSize": LABEL_SIZE},
                    "encoding": {
                        "theta": encoding["theta"],
                        "order": encoding["order"],
                        "text": {"field": "share"},
                        "color": {"field": "ink", "type": "nominal", "scale": None},
                    },
                }
            )
        elif scene.labels and scene.type == "heat map":
            first, second = (ink_on(color) for color in scene.theme.ramp)
            test = {"test": f"datum.{self.value} < {turning_value(scene)}", "value": first}
            layers.append(
                {
                    "mark": {key: value for key, value in text.items() if key != "color"},
                    "encoding": {
                        "x": encoding["x"],
                        "y": encoding["y"],
                        "text": {"field": self.value, "type": "quantitative"},
                        "color": {"condition": test, "value": second},
                    },
                }
            )
        elif scene.labels:
            shift = {"align": "left", "dx": 6} if scene.horizontal else {"dy": -9}
            shown = {"text": {"field": self.value, "type": "quantitative"}}
            layers.append({"mark": {**text, **shift}, "encoding": {**encoding, **shown}})
        side = "x" if scene.horizontal else "y"

        def one(mark: Json, value: float, **more: Json) -> Json:
            """A layer with one mark at a value."""
            at = {side: {"datum": plain(value), "scale": {"domain": [scene.y.low, scene.y.high]}}}
            return {"data": {"values": [{}]}, "mark": mark, "encoding": {**more, **at}}

        if scene.y.low < 0 and scene.type in BARS:
            layers.append(one({"type": "rule", "color": theme.ink}, 0))
        if scene.reference:
            rule = {"type": "rule", "color": theme.ink, "strokeWidth": 1.5, "strokeDash": [6, 4]}
            layers.append(one(rule, scene.reference.value))
            note = {**text, "align": "left", "dx": 6, "text": scene.reference.text}
            layers.append(one(note, scene.reference.value, x={"value": self.width}))
        if scene.peak:
            data = {"values": [self.peak_row()]}
            places = {"x": encoding["x"], "y": encoding["y"]}
            ring = {"type": "point", "size": 150, "color": theme.ink, "filled": False}
            note = {**text, "dy": -16, "align": scene.peak_side, "text": scene.peak.text}
            layers += [{"data": data, "mark": mark, "encoding": places} for mark in (ring, note)]
        return layers


LITE_SYMBOLS = {"area": "square", "pie": "square", "line": "stroke"}
LITE_MARKS: dict[str, Json] = {
    **{type: {"type": "bar"} for type in BARS},
    "line": {"type": "line", "strokeWidth": 2.5, "point": {"size": 45}},
    "area": {"type": "area"},
    "scatter": {"type": "circle", "size": 80, "opacity": 1},
}


class _VegaSpec(_Spec):
    """A chart in Vega."""

    def spec(self) -> Json:
        scene, theme = self.scene, self.scene.theme
        spec: Json = {
            "$schema": SCHEMA.format("vega"),
            "width": self.width,
            "height": self.height,
            "padding": 16,
            "background": theme.ground,
            "title": self.title(),
            "data": self.data(),
            "scales": self.scales(),
        }
        if scene.type != "pie":
            spec["axes"] = self.axes()
        if scene.legend != "none" or scene.type == "heat map":
            spec["legends"] = [self.legend()]
        spec["marks"] = [*VEGA_MARKS[scene.type](self), *self.notes()]
        config = {"axes": ("axis", self.axis_look()), "legends": ("legend", self.legend_look())}
        spec["config"] = dict(look for part, look in config.items() if part in spec)
        return spec

    # Data and scales

    def data(self) -> list[Json]:
        scene = self.scene
        table: Json = {"name": "table", "values": self.rows()}
        if scene.type == "pie":
            table["transform"] = [{"type": "pie", "field": self.value}]
        elif scene.stacked and self.many:
            table["transform"] = [
                {
                    "type": "stack",
                    "groupby": [self.category],
                    "sort": {"field": "order"},
                    "field": self.value,
                }
            ]
        elif scene.type == "histogram":
            extent = [scene.x.low, scene.x.high]
            table["transform"] = [
                {"type": "bin", "field": self.value, "extent": extent, "step": scene.x.step},
                {"type": "aggregate", "groupby": ["bin0", "bin1"], "as": ["count"]},
            ]
        tables = [table]
        if scene.peak:
            tables.append({"name": "peak", "values": [self.peak_row()]})
        return tables

    def across_name(self) -> str:
        return "y" if self.scene.horizontal else "x"

    def along_name(self) -> str:
        return "x" if self.scene.horizontal else "y"

    def scales(self) -> list[Json]:
        scene = self.scene
        ordinal = {
            "name": "color",
            "type": "ordinal",
            "domain": [name for name, _ in scene.entries],
            "range": self.colors,
        }
        if scene.type == "pie":
            return [ordinal]
        ranges = {"x": "width", "y": "height"}
        if scene.numeric:
            across: Json = linear("x", scene.x, "width")
        else:
            name = self.across_name()
            band = scene.type in (*BARS, "heat map")
            across = {
                "name": name,
                "type": "band" if band else "point",
                "domain": list(scene.categories),
                "range": ranges[name],
            }
            if scene.type in BARS:
                across |= {"paddingInner": round(GAP, 2), "paddingOuter": round(GAP / 2, 2)}
            elif scene.type == "line":
                across["padding"] = 0.5
        if scene.type == "heat map":
            rows = {"name": "y", "type": "band", "domain": self.names, "range": "height"}
            color = {
                "name": "color",
                "type": "linear",
                "domain": [scene.y.low, scene.y.high],
                "range": list(scene.theme.ramp),
                "interpolate": "rgb",
            }
            return [across, rows, color]
        name = self.along_name()
        scales = [across, linear(name, scene.y, ranges[name])]
        if scene.type == "grouped bars":
            bandwidth = {"signal": f"bandwidth('{self.across_name()}')"}
            scales.append(
                {"name": "position", "type": "band", "domain": self.names, "range": [0, bandwidth]}
            )
        return [*scales, ordinal] if self.many else scales

    def axes(self) -> list[Json]:
        scene = self.scene
        grid = scene.theme.grid
        across: Json = {
            "orient": "left" if scene.horizontal else "bottom",
            "scale": self.across_name(),
            "title": scene.x.label,
        }
        if scene.numeric:
            across |= {"values": scene.x.ticks, "format": "d"}
            across["grid"] = grid and scene.type != "histogram"
        elif scene.tilted:
            across |= {"labelAngle": -45, "labelAlign": "right", "labelBaseline": "top"}
        if scene.type == "heat map":
            return [{**across, **QUIET}, {"orient": "left", "scale": "y", **QUIET}]
        along = {
            "orient": "bottom" if scene.horizontal else "left",
            "scale": self.along_name(),
            "title": scene.y.label,
            "values": scene.y.ticks,
            "format": "d",
            "grid": grid,
        }
        return [across, along]

    def legend(self) -> Json:
        scene = self.scene
        if scene.type == "heat map":
            return {
                "fill": "color",
                "title": scene.y.label,
                "gradientLength": self.height - 30,
                "values": scene.y.ticks,
                "format": "d",
            }
        shape = {"line": "stroke", "scatter": "circle"}.get(scene.type, "square")
        look: Json = {"fill": "color", "orient": scene.legend, "symbolType": shape}
        if scene.type == "line":
            look = {"stroke": "color", "orient": scene.legend, "symbolType": "stroke"}
            look["symbolStrokeWidth"] = 2.5
        if scene.legend == "bottom":
            look["direction"] = "horizontal"
        return look

    # Marks

    def paint(self) -> Json:
        """The color of a series."""
        if self.many:
            return {"scale": "color", "field": self.group}
        return {"value": self.scene.theme.palette[0]}

    def at(self, name: str, field: str) -> Json:
        return {"scale": name, "field": field}

    def bars(self) -> list[Json]:
        scene = self.scene
        across, along = self.across_name(), self.along_name()
        size = "height" if scene.horizontal else "width"
        place = self.at(across, self.category)
        if scene.type == "grouped bars":
            place["offset"] = {"scale": "position", "field": self.group}
            thick: Json = {"scale": "position", "band": 1}
        else:
            thick = {"scale": across, "band": 1}
        stacked = scene.stacked and self.many
        look = {
            across: place,
            size: thick,
            along: self.at(along, "y1" if stacked else self.value),
            f"{along}2": self.at(along, "y0") if stacked else {"scale": along, "value": 0},
            "fill": self.paint(),
        }
        marks = [mark("rect", look)]
        if scene.labels:
            shown = {
                across: {**self.at(across, self.category), "band": 0.5},
                along: {**self.at(along, self.value), "offset": 6 if scene.horizontal else -6},
                "text": {"field": self.value},
                "align": {"value": "left" if scene.horizontal else "center"},
                "baseline": {"value": "middle" if scene.horizontal else "bottom"},
            }
            marks.append(mark("text", {**shown, **self.text_look()}))
        return marks

    def text_look(self) -> Json:
        return {
            "font": {"value": self.family},
            "fontSize": {"value": TICK_SIZE},
            "fill": {"value": self.scene.theme.ink},
        }

    def lines(self) -> list[Json]:
        places = {"x": self.at("x", self.category), "y": self.at("y", self.value)}
        stroke = {**places, "stroke": self.paint(), "strokeWidth": {"value": 2.5}}
        dots = {**places, "fill": self.paint(), "size": {"value": 45}}
        if not self.many:
            return [mark("line", stroke), mark("symbol", dots)]
        facet = {"facet": {"name": "lines", "data": "table", "groupby": self.group}}
        inner = [mark("line", stroke, "lines"), mark("symbol", dots, "lines")]
        return [{"type": "group", "from": facet, "marks": inner}]

    def areas(self) -> list[Json]:
        look = {"x": self.at("x", self.category), "fill": self.paint()}
        if not self.many:
            look |= {"y": self.at("y", self.value), "y2": {"scale": "y", "value": 0}}
            return [mark("area", look)]
        look |= {"y": self.at("y", "y1"), "y2": self.at("y", "y0")}
        facet = {"facet": {"name": "areas", "data": "table", "groupby": self.group}}
        return [{"type": "group", "from": facet, "marks": [mark("area", look, "areas")]}]

    def points(self) -> list[Json]:
        look = {"x": self.at("x", self.category), "y": self.at("y", self.value)}
        return [mark("symbol", {**look, "fill": self.paint(), "size": {"value": 80}})]

    def slices(self) -> list[Json]:
        middle = {"x": {"signal": "width / 2"}, "y": {"signal": "height / 2"}}
        arc = {
            **middle,
            "startAngle": {"field": "startAngle"},
            "endAngle": {"field": "endAngle"},
            "innerRadius": {"value": self.hole()},
            "outerRadius": {"value": self.radius()},
            "fill": {"scale": "color", "field": self.category},
            "stroke": {"value": self.scene.theme.ground},
            "strokeWidth": {"value": 1.5},
        }
        text = {
            **middle,
            **self.text_look(),
            "radius": {"value": self.text_radius()},
            "theta": {"signal": "(datum.startAngle + datum.endAngle) / 2"},
            "text": {"signal": self.percent()},
            "fontSize": {"value": LABEL_SIZE},
            "fill": {"field": "ink"},
            "align": {"value": "center"},
            "baseline": {"value": "middle"},
        }
        return [mark("arc", arc), mark("text", text)]

    def bins(self) -> list[Json]:
        look = {
            "x": {"scale": "x", "field": "bin0", "offset": 0.5},
            "x2": {"scale": "x", "field": "bin1", "offset": -0.5},
            "y": self.at("y", "count"),
            "y2": {"scale": "y", "value": 0},
            "fill": self.paint(),
        }
        return [mark("rect", look)]

    def cells(self) -> list[Json]:
        scene = self.scene
        look = {
            "x": self.at("x", self.category),
            "y": self.at("y", self.group),
            "width": {"scale": "x", "band": 1},
            "height": {"scale": "y", "band": 1},
            "fill": {"scale": "color", "field": self.value},
        }
        marks = [mark("rect", look)]
        if scene.labels:
            first, second = (ink_on(color) for color in scene.theme.ramp)
            test = f"datum.{self.value} < {turning_value(scene)}"
            text = {
                **self.text_look(),
                "x": {**self.at("x", self.category), "band": 0.5},
                "y": {**self.at("y", self.group), "band": 0.5},
                "text": {"field": self.value},
                "fill": [{"test": test, "value": first}, {"value": second}],
                "align": {"value": "center"},
                "baseline": {"value": "middle"},
            }
            marks.append(mark("text", text))
        return marks

    def notes(self) -> list[Json]:
        scene, theme = self.scene, self.scene.theme
        along = self.along_name()
        other, side = ("y", "height") if scene.horizontal else ("x", "width")
        marks = []

        def rule(value: float, **look: Any) -> Json:
            places = {
                along: {"scale": along, "value": plain(value)},
                other: {"value": 0},
                f"{other}2": {"signal": side},
            }
            return mark("rule", {**places, "stroke": {"value": theme.ink}, **look}, "")

        if scene.y.low < 0 and scene.type in BARS:
            marks.append(rule(0))
        if scene.reference:
            dashes = {"strokeWidth": {"value": 1.5}, "strokeDash": {"value": [6, 4]}}
            marks.append(rule(scene.reference.value, **dashes))
            text = {
                **self.text_look(),
                "x": {"signal": "width", "offset": 6},
                "y": {"scale": "y", "value": plain(scene.reference.value)},
                "text": {"value": scene.reference.text},
                "baseline": {"value": "middle"},
            }
            marks.append(mark("text", text, ""))
        if scene.peak:
            places = {"x": self.at("x", self.category), "y": self.at("y", self.value)}
            ring = {
                **places,
                "size": {"value": 150},
                "fill": {"value": "transparent"},
                "stroke": {"value": theme.ink},
            }
            text = {
                **places,
                **self.text_look(),
                "y": {**places["y"], "offset": -13},
                "text": {"value": scene.peak.text},
                "align": {"value": scene.peak_side},
            }
            marks += [mark("symbol", ring, "peak"), mark("text", text, "peak")]
        return marks


def linear(name: str, axis: ChartAxis, range: str) -> Json:
    """Returns Vega's scale of numbers on an axis."""
    scale: Json = {"name": name, "type": "linear", "domain": [axis.low, axis.high], "range": range}
    # Else a scale of numbers begins at 0, whatever its domain says.
    return scale if axis.low <= 0 <= axis.high else {**scale, "zero": False}


def mark(type: str, look: Json, data: str = "table") -> Json:
    """Returns a mark of Vega, one for each row of its data, or one alone."""
    rows = {"from": {"data": data}} if data else {}
    return {"type": type, **rows, "encode": {"enter": look}}


VEGA_MARKS: dict[str, Callable[[_VegaSpec], list[Json]]] = {
    **dict.fromkeys(BARS, _VegaSpec.bars),
    "line": _VegaSpec.lines,
    "area": _VegaSpec.areas,
    "scatter": _VegaSpec.points,
    "pie": _VegaSpec.slices,
    "histogram": _VegaSpec.bins,
    "heat map": _VegaSpec.cells,
}
