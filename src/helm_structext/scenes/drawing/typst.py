"""Drawings in Typst, by its own shapes."""

from collections.abc import Iterable, Sequence
from random import Random

from helm_structext.scenes.drawing.scene import DrawingScene
from helm_structext.scenes.drawing.shapes import (
    TINT,
    Circle,
    Curve,
    DrawingText,
    Ellipse,
    Gradient,
    Item,
    Paint,
    Polygon,
    Rectangle,
    Shape,
    ShapeGroup,
    ShapeSymbol,
    color_names,
    colors_in,
    cubic_segments,
    number,
    parameters,
    symbols_in,
    walk,
    write_items,
)
from helm_structext.scenes.writing import indent, write_string

UNIT = 0.5
"""Points for a unit of the page."""
FONTS = {False: "Liberation Sans", True: "Liberation Serif"}
ANCHORS = {"start": "", "middle": ", anchor: 50%", "end": ", anchor: 100%"}
WRITE = """#let write(x, y, size, color, body, anchor: 0%, weight: "regular") = context {
  let it = text(size: size, fill: color, weight: weight, body)
  place(dx: x - measure(it).width * anchor, dy: y, it)
}"""
THICKEN = 'weight: weight, stroke: if weight == "bold" { 0.025em + color }'
"""How bold texts look in a script whose font has no bold letters."""
GROUP = """#let group(x, y, angle: 0deg, size: 100%, body) = place(
  dx: x, dy: y,
  rotate(angle, origin: top + left, scale(size, origin: top + left, body)),
)"""
PEN = """#let pen(color, width, dash: none) = (
  paint: color, thickness: width, cap: "round", join: "round", dash: dash,
)"""
CURVES = {2: "line", 4: "quad", 6: "cubic"}
NAMES = {"x": "x", "y": "y", "angle": "angle", "scale": "size", TINT: TINT}


def write_typst(scene: DrawingScene, rng: Random) -> str:
    """Writes a drawing as a page of Typst."""
    return _Writer(scene, rng).document()


class _Writer:
    def __init__(self, scene: DrawingScene, rng: Random) -> None:
        self.scene = scene
        self.loops = rng.random() < 0.6
        self.named = rng.random() < 0.8
        colors = dict.fromkeys([scene.background, *colors_in(scene.items)])
        prefix = rng.choice(["", "", "c-", "my-"])
        names = color_names(colors)
        self.colors = {
            color: prefix + names[color] if prefix else f'rgb("{color}")' for color in colors
        }
        self.defined = [f'#let {self.colors[color]} = rgb("{color}")' for color in colors if prefix]

    def document(self) -> str:
        scene = self.scene
        items = list(walk(scene.items))
        fonts, spacing, write = f'"{FONTS[scene.serif]}"', "", WRITE
        if scene.language in ("zh", "ja"):
            fonts = f'({fonts}, "WenQuanYi Micro Hei")'
            spacing = ", cjk-latin-spacing: none"
            if any(isinstance(item, DrawingText) and item.bold for item in items):
                write = WRITE.replace("weight: weight", THICKEN)
        size = f"width: {length(scene.width)}, height: {length(scene.height)}"
        edges = 'top-edge: "baseline", bottom-edge: "baseline"'
        symbols = symbols_in(scene.items)
        helpers = [
            *([write] if any(isinstance(item, DrawingText) for item in items) else []),
            *([GROUP] if symbols or any(isinstance(item, ShapeGroup) for item in items) else []),
            *([PEN] if any(isinstance(item, Shape) and item.stroke for item in items) else []),
        ]
        return "\n".join(
            [
                *self.defined,
                f"#set page({size}, margin: 0pt, fill: {self.color(scene.background)})",
                f'#set text(font: {fonts}, lang: "{scene.language}", {edges}{spacing})',
                *(f"\n{helper}" for helper in helpers),
                *(f"\n{line}" for symbol in symbols for line in ["\n".join(self.symbol(symbol))]),
                "",
                *self.marked(self.lines(scene.items)),
                "",
            ]
        )

    def marked(self, lines: Iterable[str]) -> list[str]:
        """Lines of code as they stand in a page: with a sign before each that begins a call."""
        return [
            line if line.startswith((" ", "}", ")", "//")) or not line else f"#{line}"
            for line in lines
        ]

    def color(self, color: str) -> str:
        return self.colors[color]

    def lines(self, items: Sequence[Item]) -> list[str]:
        return write_items(items, self.item, self.uses)

    def item(self, item: Item) -> list[str]:
        match item:
            case DrawingText():
                return [self.text(item)]
            case ShapeGroup():
                comment = [f"// {item.name}"] if self.named and item.name else []
                moved = self.moved(
                    length(item.x), length(item.y), f"{number(item.angle)}deg", percent(item.scale)
                )
                return [*comment, f"group({moved}, {{", *indent(self.lines(item.children)), "})"]
        assert isinstance(item, Shape)
        return [self.shape(item)]

    def moved(self, x: str, y: str, angle: str, size: str) -> str:
        turned = "" if angle == "0deg" else f", angle: {angle}"
        return f"{x}, {y}{turned}" + ("" if size == "100%" else f", size: {size}")

    def text(self, item: DrawingText) -> str:
        weight = ', weight: "bold"' if item.bold else ""
        place = f"{length(item.x)}, {length(item.y)}, {length(item.size)}"
        return f"write({place}, {self.color(item.color)}, {write_string(item.text)}{ANCHORS[item.anchor]}{weight})"

    def function_of(self, symbol: ShapeSymbol) -> str:
        return f"draw-{symbol.name}"

    def symbol(self, symbol: ShapeSymbol) -> list[str]:
        names = [NAMES[name] for name in parameters(symbol, self.scene.items)]
        moved = self.moved(
            "x", "y", "angle" if "angle" in names else "0deg", "size" if "size" in names else "100%"
        )
        content = indent(self.lines(symbol.children))
        return [
            f"#let {self.function_of(symbol)}({', '.join(names)}) = group({moved}, {{",
            *content,
            "})",
        ]

    def uses(self, symbol: ShapeSymbol, uses: Sequence[Item]) -> list[str]:
        names = parameters(symbol, self.scene.items)
        values = [", ".join(self.value(name, getattr(use, name)) for name in names) for use in uses]
        function = self.function_of(symbol)
        if not self.loops or len(uses) < 3:
            return [f"{function}({value})" for value in values]
        told = ", ".join(NAMES[name] for name in names)
        return [
            f"for ({told}) in (",
            *(f"  ({value})," for value in values),
            f") {{ {function}({told}) }}",
        ]

    def value(self, name: str, value: float | str) -> str:
        if isinstance(value, str):
            return self.color(value)
        return (
            f"{number(value)}deg"
            if name == "angle"
            else percent(value)
            if name == "scale"
            else length(value)
        )

    def shape(self, shape: Shape) -> str:
        paint = ", ".join(self.paints(shape))
        match shape:
            case Rectangle(x=x, y=y, w=w, h=h, radius=radius):
                round_ = f", radius: {length(radius)}" if radius else ""
                return f"place({offset(x, y)}rect(width: {length(w)}, height: {length(h)}{round_}, {paint}))"
            case Circle(x=x, y=y, r=r):
                return f"place({offset(x - r, y - r)}circle(radius: {length(r)}, {paint}))"
            case Ellipse(x=x, y=y, rx=rx, ry=ry):
                size = f"width: {length(2 * rx)}, height: {length(2 * ry)}"
                return f"place({offset(x - rx, y - ry)}ellipse({size}, {paint}))"
            case Polygon(points=(a, b), open=True):
                return f"place(line(start: {point(a)}, end: {point(b)}, {paint}))"
            case Polygon(points=points, open=False):
                return f"place(polygon({paint}, {', '.join(map(point, points))}))"
            case Polygon(points=(first, *others)):
                parts = [
                    f"curve.move({point(first)})",
                    *(f"curve.line({point(other)})" for other in others),
                ]
                return f"place(curve({', '.join([paint, *parts])}))"
        assert isinstance(shape, Curve)
        parts = [f"curve.move({point(shape.start)})"]
        for segment in cubic_segments(shape).segments:
            told = ", ".join(point(segment[i : i + 2]) for i in range(0, len(segment), 2))
            parts.append(f"curve.{CURVES[len(segment)]}({told})")
        parts += [] if shape.open else ['curve.close(mode: "straight")']
        return f"place(curve({', '.join([paint, *parts])}))"

    def paints(self, shape: Shape) -> list[str]:
        fill = [f"fill: {self.paint(shape.fill, shape.opacity)}"] if shape.fill else []
        if not shape.stroke:
            return fill
        dash = f", dash: ({', '.join(map(length, shape.dash))})" if shape.dash else ""
        return [
            *fill,
            f"stroke: pen({self.paint(shape.stroke, shape.opacity)}, {length(shape.width)}{dash})",
        ]

    def paint(self, paint: Paint, opacity: float) -> str:
        if isinstance(paint, Gradient):
            colors = ", ".join(self.color(color) for color in paint.colors)
            if paint.direction == "out":
                return f"gradient.radial({colors}, space: rgb)"
            angle = ", angle: 90deg" if paint.direction == "down" else ""
            return f"gradient.linear({colors}{angle}, space: rgb)"
        color = TINT if paint == TINT else self.color(paint)
        return color if opacity == 1 else f"{color}.transparentize({percent(1 - opacity)})"


def length(value: float) -> str:
    """Returns units of the page as a length of Typst.

    >>> length(25)
    '12.5pt'
    """
    return f"{number(value * UNIT)}pt"


def percent(value: float) -> str:
    """Returns a share as Typst writes it.

    >>> percent(0.85)
    '85%'
    """
    return f"{number(value * 100)}%"


def point(value: Sequence[float]) -> str:
    """Returns a point as Typst writes it."""
    return f"({length(value[0])}, {length(value[1])})"


def offset(x: float, y: float) -> str:
    """Returns where something is placed, as arguments."""
    return "".join(f"{name}: {length(value)}, " for name, value in (("dx", x), ("dy", y)) if value)
