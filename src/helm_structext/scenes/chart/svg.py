"""Charts as SVG, with the numbers that their author computed."""

import math
from collections.abc import Callable, Iterator
from random import Random
from xml.sax.saxutils import escape, quoteattr

from helm_structext.scenes.chart.layout import BAR_SHARE, BOX_SHARE, entry_width, lay_out
from helm_structext.scenes.chart.scene import (
    BARS,
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    ChartScene,
)
from helm_structext.scenes.chart.themes import ink_on
from helm_structext.scenes.colors import mix_colors

FAMILIES = {
    "sans": ("sans-serif", "Arial, sans-serif", "Helvetica, Arial, sans-serif"),
    "serif": ("serif", "Georgia, serif", "'Times New Roman', serif"),
}

ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def write_svg(scene: ChartScene, rng: Random) -> str:
    """Writes a chart as an image of SVG."""
    return _Image(scene, rng).write()


def show(value: float) -> str:
    """Returns a coordinate: at most one digit behind the point.

    >>> show(12.04), show(7.25)
    ('12', '7.2')
    """
    return f"{round(value, 1):g}"


class _Image:
    """An image while it is written."""

    def __init__(self, scene: ChartScene, rng: Random) -> None:
        self.scene, self.place = scene, lay_out(scene)
        self.styled = rng.random() < 0.5
        self.commented = rng.random() < 0.4
        self.moved = rng.random() < 0.5
        self.family = rng.choice(FAMILIES[scene.theme.font])
        theme = scene.theme
        middle = {"text-anchor": "middle"}
        ticks = {"font-size": str(TICK_SIZE), "fill": theme.ink}
        labels = {"font-size": str(LABEL_SIZE), "fill": theme.ink}
        self.looks = {
            "title": {
                "font-size": str(TITLE_SIZE),
                "font-weight": "bold",
                "fill": theme.ink,
                **middle,
            },
            "label": {**labels, **middle},
            "entry": labels,
            "tick": {**ticks, **middle},
            "tick-end": {**ticks, "text-anchor": "end"},
            "note": ticks,
            "grid": {"stroke": theme.rule, "stroke-width": "1"},
            "axis": {"stroke": theme.ink, "stroke-width": "1", "fill": "none"},
            "reference": {
                "stroke": theme.ink,
                "stroke-width": "1.5",
                "stroke-dasharray": "6 4",
            },
        }
        self.used: set[str] = set()
        # Numbers inside of the plot may count from its corner.
        self.left, self.top = (0, 0) if self.moved else (self.place.left, self.place.top)

    # Elements

    def element(
        self, name: str, look: str = "", text: str | None = None, **attributes: str | float
    ) -> str:
        """Returns an element; its look is a class, or the attributes themselves."""
        shown = {key.replace("_", "-"): value for key, value in attributes.items()}
        if look:
            self.used.add(look)
            shown |= {"class": look} if self.styled else self.looks[look]
        parts = "".join(
            f" {key}={quoteattr(show(value) if isinstance(value, float | int) else str(value))}"
            for key, value in shown.items()
        )
        return f"<{name}{parts}/>" if text is None else f"<{name}{parts}>{escape(text)}</{name}>"

    def text(self, x: float, y: float, text: str, look: str, **more: str | float) -> str:
        return self.element("text", look, text, x=x, y=y, **more)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, look: str = "", **more: str | float
    ) -> str:
        return self.element("line", look, None, x1=x1, y1=y1, x2=x2, y2=y2, **more)

    def box(self, x: float, y: float, width: float, height: float, **more: str | float) -> str:
        return self.element("rect", "", None, x=x, y=y, width=width, height=height, **more)

    # Scales

    def along(self, value: float) -> float:
        """Where a value is, across lying bars or up anything else."""
        share = self.scene.y.share(value)
        if self.scene.horizontal:
            return self.left + share * self.place.width
        return self.top + (1 - share) * self.place.height

    def slot(self) -> float:
        """How much room one category has."""
        room = self.place.height if self.scene.horizontal else self.place.width
        return room / len(self.scene.categories)

    def center(self, index: int) -> float:
        """The middle of a category's room."""
        start = self.top if self.scene.horizontal else self.left
        return start + (index + 0.5) * self.slot()

    def across(self, series: int, index: int) -> float:
        """The horizontal place of a point."""
        scene = self.scene
        if scene.numeric:
            return self.left + scene.x.share(scene.series[series].at[index]) * self.place.width
        if scene.type == "area":
            return self.left + index * self.place.width / (len(scene.categories) - 1)
        return self.center(index)

    # Parts

    def write(self) -> str:
        scene = self.scene
        width, height = scene.size
        parts: list[tuple[str, list[str], bool]] = [("Title", [self.title()], False)]
        if scene.type != "pie":
            parts += [("Grid", list(self.grid()), True)]
        parts += [("Data", list(MARKS[scene.type](self)), True)]
        if scene.type != "pie":
            parts += [("Axes", list(self.axes()), True)]
            parts += [("Labels", list(self.labels()), False)]
        parts += [("Notes", list(self.notes()), True), ("Legend", list(self.legend()), False)]
        lines = []
        for name, elements, inside in parts:
            if not elements:
                continue
            if self.commented:
                lines.append(f"  <!-- {name} -->")
            if len(elements) == 1 and not (inside and self.moved):
                lines.append(f"  {elements[0]}")
                continue
            moved = inside and self.moved
            place = f' transform="translate({self.place.left}, {self.place.top})"' if moved else ""
            lines += [f"  <g{place}>", *(f"    {element}" for element in elements), "  </g>"]
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family={quoteattr(self.family)}>'
        )
        style = list(self.style()) if self.styled else []
        ramp = list(self.ramp()) if scene.type == "heat map" else []
        ground = "  " + self.element("rect", width="100%", height="100%", fill=scene.theme.ground)
        return "\n".join([head, *style, *ramp, ground, *lines, "</svg>"]) + "\n"

    def style(self) -> Iterator[str]:
        yield "  <style>"
        for name, look in self.looks.items():
            if name in self.used:
                rules = " ".join(
                    f"{key}: {value}{'px' if key == 'font-size' else ''};"
                    for key, value in look.items()
                )
                yield f"    .{name} {{ {rules} }}"
        yield "  </style>"

    def ramp(self) -> Iterator[str]:
        low, high = self.scene.theme.ramp
        yield "  <defs>"
        yield '    <linearGradient id="ramp" x1="0" y1="1" x2="0" y2="0">'
        yield f'      <stop offset="0" stop-color="{low}"/>'
        yield f'      <stop offset="1" stop-color="{high}"/>'
        yield "    </linearGradient>"
        yield "  </defs>"

    def title(self) -> str:
        middle = (self.place.left + self.place.right) / 2
        return self.text(middle, 34, self.scene.title, "title")

    def grid(self) -> Iterator[str]:
        scene, right, bottom = (
            self.scene,
            self.left + self.place.width,
            self.top + self.place.height,
        )
        if not scene.theme.grid or scene.type == "heat map":
            return
        for tick in scene.y.ticks:
            at = self.along(tick)
            if scene.horizontal:
                yield self.line(at, self.top, at, bottom, "grid")
            else:
                yield self.line(self.left, at, right, at, "grid")
        if scene.numeric and scene.type != "histogram":
            for tick in scene.x.ticks:
                at = self.left + scene.x.share(tick) * self.place.width
                yield self.line(at, self.top, at, bottom, "grid")

    def axes(self) -> Iterator[str]:
        scene, place = self.scene, self.place
        right, bottom = self.left + place.width, self.top + place.height
        if scene.type == "heat map":
            for index, row in enumerate(scene.series):
                middle = self.top + (index + 0.5) * place.height / len(scene.series)
                yield self.text(self.left - 8, middle + 4, row.name, "tick-end")
        else:
            corner = f"M{show(self.left)} {show(self.top)}V{show(bottom)}H{show(right)}"
            yield self.element("path", "axis", d=corner)
        if scene.y.low < 0 and scene.type in BARS:
            zero = self.along(0)
            if scene.horizontal:
                yield self.line(zero, self.top, zero, bottom, "axis")
            else:
                yield self.line(self.left, zero, right, zero, "axis")
        if scene.type != "heat map":
            for tick in scene.y.ticks:
                said = str(tick).replace("-", "−")
                if scene.horizontal:
                    yield self.text(self.along(tick), bottom + 18, said, "tick")
                else:
                    yield self.text(self.left - 8, self.along(tick) + 4, said, "tick-end")
        for tick in scene.x.ticks:
            at = self.left + scene.x.share(tick) * place.width
            yield self.text(at, bottom + 18, str(tick).replace("-", "−"), "tick")
        for index, name in enumerate(scene.categories):
            if scene.horizontal:
                yield self.text(self.left - 8, self.center(index) + 4, name, "tick-end")
                continue
            at = self.across(0, index)
            if scene.tilted:
                turn = f"rotate(-45 {show(at)} {show(bottom + 14)})"
                yield self.text(at, bottom + 14, name, "tick-end", transform=turn)
            else:
                yield self.text(at, bottom + 18, name, "tick")

    def labels(self) -> Iterator[str]:
        """The names of the axes, and a heat map's scale of colors."""
        scene, place = self.scene, self.place
        below, beside = (scene.y, scene.x) if scene.horizontal else (scene.x, scene.y)
        yield self.text((place.left + place.right) / 2, place.across, below.label, "label")
        height = (place.top + place.bottom) / 2
        x = float(place.beside)
        if scene.type == "heat map":
            bar = place.right + 20
            yield self.element(
                "rect", x=bar, y=place.top, width=16, height=place.height, fill="url(#ramp)"
            )
            for tick in scene.y.ticks:
                at = place.top + (1 - scene.y.share(tick)) * place.height
                yield self.text(bar + 22, at + 4, str(tick).replace("-", "−"), "note")
            x = scene.size[0] - 14.0
        turn = f"rotate(-90 {show(x)} {show(height)})"
        yield self.text(x, height, beside.label, "label", transform=turn)

    def notes(self) -> Iterator[str]:
        scene = self.scene
        if scene.reference:
            at, right = self.along(scene.reference.value), self.left + self.place.width
            yield self.line(self.left, at, right, at, "reference")
            yield self.text(right + 6, at + 4, scene.reference.text, "note")
        if scene.peak:
            series, index = scene.peak.series, scene.peak.index
            x, y = self.across(series, index), self.along(scene.series[series].values[index])
            yield self.element("circle", "axis", cx=x, cy=y, r=7)
            anchor = ANCHORS[scene.peak_side]
            yield self.text(x, y - 13, scene.peak.text, "note", text_anchor=anchor)

    def legend(self) -> Iterator[str]:
        scene = self.scene
        if scene.legend == "none":
            return
        x, y = self.place.legend
        for name, color in scene.entries:
            if scene.type == "line":
                yield self.line(x, y, x + 18, y, stroke=color, stroke_width=2.5)
            elif scene.type == "scatter":
                yield self.element("circle", cx=x + 9, cy=y, r=5, fill=color)
            else:
                yield self.element("rect", x=x + 2, y=y - 7, width=14, height=14, fill=color)
            yield self.text(x + 24, y + 5, name, "entry")
            if scene.legend == "right":
                y += 24
            else:
                x += entry_width(name)

    # Data

    def bars(self) -> Iterator[str]:
        scene, slot = self.scene, self.slot()
        side_by_side = 1 if scene.stacked else len(scene.series)
        thick = slot * BAR_SHARE / side_by_side
        for place, (series, bases) in enumerate(zip(scene.series, scene.bases, strict=True)):
            color = scene.theme.palette[place]
            for index, (value, base) in enumerate(zip(series.values, bases, strict=True)):
                start = self.center(index) - slot * BAR_SHARE / 2
                start += thick * (0 if scene.stacked else place)
                first, last = sorted((self.along(base), self.along(base + value)))
                if scene.horizontal:
                    yield self.box(first, start, last - first, thick, fill=color)
                else:
                    yield self.box(start, first, thick, last - first, fill=color)
                if scene.labels and scene.horizontal:
                    yield self.text(last + 6, start + thick / 2 + 4, scene.label_of(value), "note")
                elif scene.labels:
                    yield self.text(self.center(index), first - 6, scene.label_of(value), "tick")

    def lines(self) -> Iterator[str]:
        scene = self.scene
        for place, series in enumerate(scene.series):
            color = scene.theme.palette[place]
            points = [
                (self.across(place, index), self.along(value))
                for index, value in enumerate(series.values)
            ]
            way = " ".join(f"{show(x)},{show(y)}" for x, y in points)
            yield self.element("polyline", points=way, fill="none", stroke=color, stroke_width=2.5)
            for x, y in points:
                yield self.element("circle", cx=x, cy=y, r=3.5, fill=color)

    def areas(self) -> Iterator[str]:
        scene = self.scene
        for place, (series, bases) in enumerate(zip(scene.series, scene.bases, strict=True)):
            spots = list(enumerate(zip(series.values, bases, strict=True)))
            upper = [
                (self.across(place, at), self.along(base + value)) for at, (value, base) in spots
            ]
            lower = [(self.across(place, at), self.along(base)) for at, (_, base) in spots]
            way = " L".join(f"{show(x)} {show(y)}" for x, y in [*upper, *reversed(lower)])
            yield self.element("path", d=f"M{way}Z", fill=scene.theme.palette[place])

    def points(self) -> Iterator[str]:
        scene = self.scene
        for place, series in enumerate(scene.series):
            for index, value in enumerate(series.values):
                yield self.element(
                    "circle",
                    cx=self.across(place, index),
                    cy=self.along(value),
                    r=5,
                    fill=scene.theme.palette[place],
                )

    def slices(self) -> Iterator[str]:
        scene, place = self.scene, self.place
        radius = min(place.width, place.height) / 2
        x, y = self.left + place.width / 2, self.top + place.height / 2
        inner = radius * 0.55 if scene.hole else 0
        turn = 0.0
        values = scene.series[0].values

        def spot(angle: float, distance: float) -> str:
            return f"{show(x + distance * math.sin(angle))} {show(y - distance * math.cos(angle))}"

        for index, value in enumerate(values):
            color = scene.theme.palette[index]
            end = turn + math.tau * value / sum(values)
            large = int(end - turn > math.pi)
            out = f"A{show(radius)} {show(radius)} 0 {large} 1 {spot(end, radius)}"
            back = (
                f"L{spot(end, inner)} A{show(inner)} {show(inner)} 0 {large} 0 {spot(turn, inner)}"
                if inner
                else f"L{show(x)} {show(y)}"
            )
            yield self.element(
                "path",
                d=f"M{spot(turn, radius)} {out} {back}Z",
                fill=color,
                stroke=scene.theme.ground,
                stroke_width=1.5,
            )
            middle, distance = (turn + end) / 2, radius * (0.775 if scene.hole else 0.68)
            yield self.text(
                x + distance * math.sin(middle),
                y - distance * math.cos(middle) + 5,
                scene.label_of(value),
                "",
                font_size=LABEL_SIZE,
                text_anchor="middle",
                fill=ink_on(color),
            )
            turn = end

    def bins(self) -> Iterator[str]:
        scene = self.scene
        width = self.place.width / len(scene.counts)
        for index, count in enumerate(scene.counts):
            if count:
                high = self.along(count)
                yield self.element(
                    "rect",
                    x=self.left + index * width,
                    y=high,
                    width=width,
                    height=self.along(0) - high,
                    fill=scene.theme.palette[0],
                    stroke=scene.theme.ground,
                    stroke_width=1,
                )

    def boxes(self) -> Iterator[str]:
        scene, half = self.scene, self.slot() * BOX_SHARE / 2
        ink = scene.theme.ink
        for index, box in enumerate(scene.boxes):
            x = self.center(index)
            low, lower, median, upper, high = map(
                self.along, (box.low, box.lower, box.median, box.upper, box.high)
            )
            yield self.line(x, low, x, lower, "axis")
            yield self.line(x, upper, x, high, "axis")
            for end in (low, high):
                yield self.line(x - half / 2, end, x + half / 2, end, "axis")
            yield self.element(
                "rect",
                x=x - half,
                y=upper,
                width=2 * half,
                height=lower - upper,
                fill=scene.fill,
                stroke=ink,
            )
            yield self.line(x - half, median, x + half, median, stroke=ink, stroke_width=2)
            for value in box.outliers:
                yield self.element("circle", "axis", cx=x, cy=self.along(value), r=4)

    def cells(self) -> Iterator[str]:
        scene, slot = self.scene, self.slot()
        height = self.place.height / len(scene.series)
        for row, series in enumerate(scene.series):
            for column, value in enumerate(series.values):
                color = mix_colors(*scene.theme.ramp, scene.y.share(value))
                x, y = self.left + column * slot, self.top + row * height
                yield self.element(
                    "rect", x=x, y=y, width=slot + 0.5, height=height + 0.5, fill=color
                )
                if scene.labels:
                    yield self.text(
                        x + slot / 2,
                        y + height / 2 + 4,
                        scene.label_of(value),
                        "",
                        font_size=TICK_SIZE,
                        text_anchor="middle",
                        fill=ink_on(color),
                    )


MARKS: dict[str, Callable[[_Image], Iterator[str]]] = {
    **dict.fromkeys(BARS, _Image.bars),
    "line": _Image.lines,
    "area": _Image.areas,
    "scatter": _Image.points,
    "pie": _Image.slices,
    "histogram": _Image.bins,
    "box plot": _Image.boxes,
    "heat map": _Image.cells,
}
