"""Drawings on a canvas, by its 2D context."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from random import Random

from helm_structext.scenes.drawing.scene import DrawingScene
from helm_structext.scenes.drawing.shapes import (
    TINT,
    Box,
    Circle,
    Curve,
    DrawingText,
    Ellipse,
    Gradient,
    Item,
    Paint,
    Point,
    Polygon,
    Rectangle,
    Shape,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    arc_center,
    bounds,
    ends,
    number,
    parameters,
    symbols_in,
    walk,
    write_items,
)
from helm_structext.scenes.drawing.svg import path_data

FONTS = {False: "Arial, sans-serif", True: "Times New Roman, serif"}
ANCHORS = {"start": "left", "middle": "center", "end": "right"}
OUTLINES = {
    "rect": ("x, y, width, height", ("path.rect(x, y, width, height);",)),
    "roundRect": ("x, y, width, height, r", ("path.roundRect(x, y, width, height, r);",)),
    "circle": ("x, y, r", ("path.arc(x, y, r, 0, 2 * Math.PI);",)),
    "ellipse": ("x, y, rx, ry", ("path.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);",)),
    "polygon": ("points", ("points.forEach(([x, y]) => path.lineTo(x, y));", "path.closePath();")),
    "line": ("points", ("points.forEach(([x, y]) => path.lineTo(x, y));",)),
}
"""Name of an outline to what it is told, and how it is made."""
HELPERS = {
    "fill": """function fill(path, color) {
  ctx.fillStyle = color;
  ctx.fill(path);
}""",
    "stroke": """function stroke(path, color, width, dash = []) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.stroke(path);
}""",
    "linear": """function linear(x1, y1, x2, y2, colors) {
  const gradient = ctx.createLinearGradient(x1, y1, x2, y2);
  colors.forEach((color, i) => gradient.addColorStop(i / (colors.length - 1), color));
  return gradient;
}""",
    "radial": """function radial(x, y, radius, inner, outer) {
  const gradient = ctx.createRadialGradient(x, y, 0, x, y, radius);
  gradient.addColorStop(0, inner);
  gradient.addColorStop(1, outer);
  return gradient;
}""",
    "drawText": """function drawText(text, x, y, font, color, align = 'left') {
  ctx.font = font;
  ctx.fillStyle = color;
  ctx.textAlign = align;
  ctx.fillText(text, x, y);
}""",
}
"""Functions that a script may have, by name; so are `OUTLINES`."""
MANY = 45
"""Items from which on a script without functions would be long."""


def write_canvas(scene: DrawingScene, rng: Random) -> str:
    """Writes a drawing as a page with a canvas and its script."""
    return _Writer(scene, rng).document()


class _Writer:
    def __init__(self, scene: DrawingScene, rng: Random) -> None:
        self.scene = scene
        short = rng.random() < 0.4
        self.helps = not short or len(list(walk(scene.items))) >= MANY
        self.loops = rng.random() < 0.6
        self.named = rng.random() < 0.8
        self.quote = rng.choice("'\"")
        self.turn = rng.choice(["2 * Math.PI", "Math.PI * 2"])
        self.target = rng.choice(["canvas", "scene", "drawing"])
        self.found = rng.choice(["document.getElementById(%s)", "document.querySelector(%s)"])
        self.compact = rng.random() < 0.6
        self.helpers: dict[str, None] = {}
        self.gradients: dict[str, int] = {}

    def document(self) -> str:
        scene = self.scene
        width, height = number(scene.width), number(scene.height)
        drawn = self.lines(scene.items)
        functions = [
            line for symbol in symbols_in(scene.items) for line in ("", *self.symbol(symbol))
        ]
        helpers = self.helper_lines()
        hash = "#" if "Selector" in self.found else ""
        script = [
            f"const canvas = {self.found % self.string(hash + self.target)};",
            f"const ctx = canvas.getContext({self.string('2d')});",
            *helpers,
            *functions,
            "",
            f"ctx.fillStyle = {self.string(scene.background)};",
            f"ctx.fillRect(0, 0, {self.size_of(width, 'width')}, {self.size_of(height, 'height')});",
        ]
        if any(isinstance(item, Shape) and item.stroke for item in walk(scene.items)):
            script += [
                f"ctx.lineCap = {self.string('round')};",
                f"ctx.lineJoin = {self.string('round')};",
            ]
        return "\n".join(
            [
                "<!DOCTYPE html>",
                f'<html lang="{scene.language}">',
                "<head>",
                '  <meta charset="utf-8">',
                f"  <title>{escape(scene.title)}</title>",
                "  <style>",
                "    body { margin: 0; min-height: 100vh; display: grid; place-items: center; }",
                "  </style>",
                "</head>",
                "<body>",
                f'  <canvas id="{self.target}" width="{width}" height="{height}"></canvas>',
                "  <script>",
                *(f"    {line}".rstrip() for line in [*script, *drawn]),
                "  </script>",
                "</body>",
                "</html>",
                "",
            ]
        )

    def helper_lines(self) -> list[str]:
        """The functions that are called, the outlines each on a line or as a block."""
        found = [
            line
            for name in HELPERS
            if name in self.helpers
            for line in ("", *HELPERS[name].split("\n"))
        ]
        outlines = {name: one for name, one in OUTLINES.items() if name in self.helpers}
        if outlines and self.compact:
            found.append("")
        for name, (told, made) in outlines.items():
            if self.compact:
                body = f"const path = new Path2D(); {' '.join(made)} return path;"
                found.append(f"const {name} = ({told}) => {{ {body} }};")
            else:
                steps = ["const path = new Path2D();", *made, "return path;"]
                found += ["", f"function {name}({told}) {{", *(f"  {step}" for step in steps), "}"]
        return found

    def size_of(self, size: str, name: str) -> str:
        return f"canvas.{name}" if self.loops else size

    def string(self, text: str) -> str:
        """A literal of JavaScript that may stand in a page."""
        if self.quote == '"' or "'" in text or "\\" in text:
            return json.dumps(text, ensure_ascii=False).replace("</", "<\\/")
        return f"'{text}'".replace("</", "<\\/")

    def paint(self, paint: Paint | str) -> str:
        assert isinstance(paint, str)
        return TINT if paint == TINT else self.string(paint)

    def call(self, helper: str, *values: str) -> str:
        self.helpers[helper] = None
        return f"{helper}({', '.join(values)})"

    def lines(self, items: Sequence[Item]) -> list[str]:
        return write_items(items, self.item, self.uses)

    def item(self, item: Item) -> list[str]:
        match item:
            case DrawingText():
                return self.text(item)
            case ShapeGroup():
                return self.group(item)
            case SymbolUse():
                return self.uses(item.symbol, [item])
        return self.faded(item)

    def text(self, item: DrawingText) -> list[str]:
        font = self.string(
            f"{'bold ' if item.bold else ''}{number(item.size)}px {FONTS[self.scene.serif]}"
        )
        align = self.string(ANCHORS[item.anchor])
        place = f"{self.string(item.text)}, {number(item.x)}, {number(item.y)}"
        if self.helps:
            aligned = [] if item.anchor == "start" else [align]
            return [f"{self.call('drawText', place, font, self.paint(item.color), *aligned)};"]
        return [
            f"ctx.font = {font};",
            f"ctx.fillStyle = {self.paint(item.color)};",
            f"ctx.textAlign = {align};",
            f"ctx.fillText({place});",
        ]

    def group(self, group: ShapeGroup) -> list[str]:
        comment = ["", f"// {group.name}"] if self.named and group.name else []
        moved = self.moved(
            number(group.x), number(group.y), number(group.angle), number(group.scale)
        )
        content = self.lines(group.children)
        return (
            [*comment, "ctx.save();", *moved, *content, "ctx.restore();"]
            if moved
            else [*comment, *content]
        )

    def moved(self, x: str, y: str, angle: str = "0", scale: str = "1") -> list[str]:
        lines = []
        if (x, y) != ("0", "0"):
            lines.append(f"ctx.translate({x}, {y});")
        if angle != "0":
            lines.append(f"ctx.rotate({angle} * Math.PI / 180);")
        if scale != "1":
            lines.append(f"ctx.scale({scale}, {scale});")
        return lines

    def function_of(self, symbol: ShapeSymbol) -> str:
        return f"draw{symbol.name.capitalize()}"

    def symbol(self, symbol: ShapeSymbol) -> list[str]:
        names = parameters(symbol, self.scene.items)
        content = [
            "ctx.save();",
            *self.moved(
                *(name if name in names else default for name, default in DEFAULTS.items())
            ),
            *self.lines(symbol.children),
            "ctx.restore();",
        ]
        return [
            f"function {self.function_of(symbol)}({', '.join(names)}) {{",
            *(f"  {line}".rstrip() for line in content),
            "}",
        ]

    def uses(self, symbol: ShapeSymbol, uses: Sequence[Item]) -> list[str]:
        names = parameters(symbol, self.scene.items)
        values = [
            ", ".join(
                self.paint(value) if isinstance(value, str) else number(value)
                for value in (getattr(use, name) for name in names)
            )
            for use in uses
        ]
        name = self.function_of(symbol)
        if not self.loops or len(uses) < 3:
            return [f"{name}({value});" for value in values]
        return [
            f"for (const [{', '.join(names)}] of [",
            *(f"  [{value}]," for value in values),
            f"]) {name}({', '.join(names)});",
        ]

    def faded(self, shape: Shape) -> list[str]:
        if shape.opacity == 1:
            return self.shape(shape)
        return [
            f"ctx.globalAlpha = {number(shape.opacity)};",
            *self.shape(shape),
            "ctx.globalAlpha = 1;",
        ]

    def shape(self, shape: Shape) -> list[str]:
        if self.helps:
            return self.called(shape)
        if isinstance(shape, Rectangle) and not shape.radius:
            place = self.numbers(shape.x, shape.y, shape.w, shape.h)
            fill = [*self.fill_style(shape), f"ctx.fillRect({place});"] if shape.fill else []
            stroke = (
                [*self.stroke_style(shape), f"ctx.strokeRect({place});"] if shape.stroke else []
            )
            return fill + stroke + self.undashed(shape)
        fill = [*self.fill_style(shape), "ctx.fill();"] if shape.fill else []
        stroke = [*self.stroke_style(shape), "ctx.stroke();"] if shape.stroke else []
        return ["ctx.beginPath();", *self.path(shape), *fill, *stroke, *self.undashed(shape)]

    def called(self, shape: Shape) -> list[str]:
        outline = self.outline(shape)
        lines = []
        if isinstance(shape.fill, Gradient):
            made, color = self.gradient_of(shape.fill, bounds(shape))
            lines += [made, f"{self.call('fill', outline, color)};"]
        elif shape.fill:
            lines.append(f"{self.call('fill', outline, self.paint(shape.fill))};")
        if shape.stroke:
            dash = [f"[{self.numbers(*shape.dash)}]"] if shape.dash else []
            color, width = self.paint(shape.stroke), number(shape.width)
            lines.append(f"{self.call('stroke', outline, color, width, *dash)};")
        return lines

    def outline(self, shape: Shape) -> str:
        """A path, as an expression."""
        match shape:
            case Rectangle(x=x, y=y, w=w, h=h, radius=0):
                return self.call("rect", self.numbers(x, y, w, h))
            case Rectangle(x=x, y=y, w=w, h=h, radius=radius):
                return self.call("roundRect", self.numbers(x, y, w, h, radius))
            case Circle(x=x, y=y, r=r):
                return self.call("circle", self.numbers(x, y, r))
            case Ellipse(x=x, y=y, rx=rx, ry=ry):
                return self.call("ellipse", self.numbers(x, y, rx, ry))
            case Polygon(points=points):
                return self.call("line" if shape.open else "polygon", self.array(points))
        assert isinstance(shape, Curve)
        return f"new Path2D({self.string(path_data(shape))})"

    def gradient_of(self, gradient: Gradient, box: Box) -> tuple[str, str]:
        """A line that makes a gradient, and its name."""
        name, (left, top, right, bottom) = self.new_name(gradient), box
        colors = [self.string(color) for color in gradient.colors]
        if gradient.direction == "out":
            place = self.numbers((left + right) / 2, (top + bottom) / 2, (right - left) / 2)
            return f"const {name} = {self.call('radial', place, *colors)};", name
        end = (left, bottom) if gradient.direction == "down" else (right, top)
        made = self.call("linear", self.numbers(left, top, *end), f"[{', '.join(colors)}]")
        return f"const {name} = {made};", name

    def new_name(self, gradient: Gradient) -> str:
        count = self.gradients[gradient.name] = self.gradients.get(gradient.name, 0) + 1
        return gradient.name + (str(count) if count > 1 else "")

    def fill_style(self, shape: Shape) -> list[str]:
        if not isinstance(shape.fill, Gradient):
            return [f"ctx.fillStyle = {self.paint(shape.fill or '')};"]
        gradient, (left, top, right, bottom) = shape.fill, bounds(shape)
        name = self.new_name(gradient)
        if gradient.direction == "out":
            x, y, r = (left + right) / 2, (top + bottom) / 2, (right - left) / 2
            made = f"ctx.createRadialGradient({self.numbers(x, y, 0, x, y, r)})"
        else:
            end = (left, bottom) if gradient.direction == "down" else (right, top)
            made = f"ctx.createLinearGradient({self.numbers(left, top, *end)})"
        stops = [
            f"{name}.addColorStop({number(i / (len(gradient.colors) - 1))}, {self.string(color)});"
            for i, color in enumerate(gradient.colors)
        ]
        return [f"const {name} = {made};", *stops, f"ctx.fillStyle = {name};"]

    def stroke_style(self, shape: Shape) -> list[str]:
        dash = [f"ctx.setLineDash([{self.numbers(*shape.dash)}]);"] if shape.dash else []
        return [
            f"ctx.strokeStyle = {self.paint(shape.stroke or '')};",
            f"ctx.lineWidth = {number(shape.width)};",
            *dash,
        ]

    def undashed(self, shape: Shape) -> list[str]:
        return ["ctx.setLineDash([]);"] if shape.dash else []

    def numbers(self, *values: float) -> str:
        return ", ".join(number(value) for value in values)

    def array(self, points: Iterable[Point]) -> str:
        return f"[{', '.join(f'[{self.numbers(*point)}]' for point in points)}]"

    def path(self, shape: Shape) -> list[str]:
        match shape:
            case Rectangle(x=x, y=y, w=w, h=h, radius=radius):
                return [f"ctx.roundRect({self.numbers(x, y, w, h, radius)});"]
            case Circle(x=x, y=y, r=r):
                return [f"ctx.arc({self.numbers(x, y, r)}, 0, {self.turn});"]
            case Ellipse(x=x, y=y, rx=rx, ry=ry):
                return [f"ctx.ellipse({self.numbers(x, y, rx, ry)}, 0, 0, {self.turn});"]
            case Polygon(points=(first, *others)):
                lines = [f"ctx.lineTo({self.numbers(*point)});" for point in others]
                return [
                    f"ctx.moveTo({self.numbers(*first)});",
                    *lines,
                    *([] if shape.open else ["ctx.closePath();"]),
                ]
        assert isinstance(shape, Curve)
        lines = [f"ctx.moveTo({self.numbers(*shape.start)});"]
        for begin, segment in zip(ends(shape), shape.segments, strict=False):
            if len(segment) == 3:
                radius, a, b = segment
                x, y = arc_center(begin, radius, a)
                back = ", true" if b < a else ""
                lines.append(
                    f"ctx.arc({self.numbers(x, y, radius)}, {radians_of(a)}, {radians_of(b)}{back});"
                )
            else:
                lines.append(f"ctx.{CURVES[len(segment)]}({self.numbers(*segment)});")
        return lines if shape.open else [*lines, "ctx.closePath();"]


DEFAULTS = {"x": "x", "y": "y", "angle": "0", "scale": "1"}
CURVES = {2: "lineTo", 4: "quadraticCurveTo", 6: "bezierCurveTo"}
ANGLES: dict[float, str] = {
    0: "0",
    90: "Math.PI / 2",
    180: "Math.PI",
    270: "Math.PI * 1.5",
    360: "Math.PI * 2",
    -90: "-Math.PI / 2",
}


def radians_of(angle: float) -> str:
    """Returns an angle in degrees as JavaScript writes it in radians.

    >>> radians_of(90), radians_of(12.5)
    ('Math.PI / 2', '12.5 * Math.PI / 180')
    """
    return ANGLES.get(angle, f"{number(angle)} * Math.PI / 180")
