"""Drawings in SVG."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any
from xml.sax.saxutils import escape, quoteattr

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
    SymbolUse,
    ends,
    number,
    symbols_in,
    walk,
)

STROKES = {"stroke-linecap": "round", "stroke-linejoin": "round"}
DIRECTIONS = {"down": {"x1": 0, "y1": 0, "x2": 0, "y2": 1}, "right": {}}
FONTS = {False: "Arial, Helvetica, sans-serif", True: "'Times New Roman', Times, serif"}


def write_svg(scene: DrawingScene, rng: Random) -> str:
    """Writes a drawing as a document of SVG."""
    return _Writer(scene, rng).document()


class _Writer:
    def __init__(self, scene: DrawingScene, rng: Random) -> None:
        self.scene = scene
        self.comma = rng.choice([",", " "])
        self.gap = rng.choice(["", " "])
        self.short_lines = rng.random() < 0.5
        self.percent = rng.random() < 0.5
        self.named = rng.choice(["comment", "id", "none"])
        self.titled = rng.random() < 0.4
        self.indent = rng.choice(["  ", "    "])

    def document(self) -> str:
        scene = self.scene
        width, height = number(scene.width), number(scene.height)
        root: dict[str, Any] = {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "viewBox": f"0 0 {width} {height}",
            "font-family": FONTS[scene.serif],
        }
        if any(isinstance(item, Shape) and item.stroke for item in walk(scene.items)):
            root |= STROKES
        lines = [f"<svg{attributes(root)}>"]
        if self.titled:
            lines.append(f"{self.indent}<title>{escape(scene.title)}</title>")
        gradients = list(
            dict.fromkeys(
                item.fill
                for item in walk(scene.items)
                if isinstance(item, Shape) and isinstance(item.fill, Gradient)
            )
        )
        symbols = symbols_in(scene.items)
        self.ids = dict.fromkeys(
            [gradient.name for gradient in gradients] + [symbol.name for symbol in symbols]
        )
        if gradients or symbols:
            lines.append(f"{self.indent}<defs>")
            for gradient in gradients:
                lines += self.shifted(self.gradient(gradient), 2)
            for symbol in symbols:
                content = self.lines(symbol.children)
                lines += self.shifted(
                    [f'<g id="{symbol.name}">', *self.shifted(content), "</g>"], 2
                )
            lines.append(f"{self.indent}</defs>")
        background = {"width": "100%", "height": "100%", "fill": scene.background}
        lines.append(f"{self.indent}<rect{attributes(background)}/>")
        lines += self.shifted(self.lines(scene.items))
        return "\n".join([*lines, "</svg>"]) + "\n"

    def shifted(self, lines: Iterable[str], times: int = 1) -> list[str]:
        return [self.indent * times + line for line in lines]

    def gradient(self, gradient: Gradient) -> list[str]:
        name = "radialGradient" if gradient.direction == "out" else "linearGradient"
        places: dict[str, Any] = DIRECTIONS.get(gradient.direction, {})
        stops = []
        for i, color in enumerate(gradient.colors):
            place = i / (len(gradient.colors) - 1)
            offset = f"{number(place * 100)}%" if self.percent else number(place)
            stops.append(f'{self.indent}<stop offset="{offset}" stop-color="{color}"/>')
        return [f"<{name}{attributes({'id': gradient.name} | places)}>", *stops, f"</{name}>"]

    def lines(self, items: Sequence[Item]) -> list[str]:
        return [line for item in items for line in self.item(item)]

    def item(self, item: Item) -> list[str]:
        match item:
            case DrawingText():
                return [self.text(item)]
            case ShapeGroup():
                return self.group(item)
            case SymbolUse():
                return [self.use(item)]
        return [self.shape(item)]

    def text(self, item: DrawingText) -> str:
        values = {
            "x": number(item.x),
            "y": number(item.y),
            "font-size": number(item.size),
            "font-weight": "bold" if item.bold else None,
            "text-anchor": None if item.anchor == "start" else item.anchor,
            "fill": item.color,
        }
        return f"<text{attributes(values)}>{escape(item.text)}</text>"

    def group(self, group: ShapeGroup) -> list[str]:
        name = group.name.replace(" ", "-")
        new = name and name not in self.ids
        self.ids[name] = None
        values = {
            "id": name if self.named == "id" and new else None,
            "transform": self.transform(group) or None,
        }
        comment = [f"<!-- {group.name} -->"] if self.named == "comment" and group.name else []
        return [
            *comment,
            f"<g{attributes(values)}>",
            *self.shifted(self.lines(group.children)),
            "</g>",
        ]

    def use(self, use: SymbolUse) -> str:
        plain = not use.angle and use.scale == 1
        places = (
            {"x": number(use.x), "y": number(use.y)}
            if plain
            else {"transform": self.transform(use)}
        )
        return f"<use{attributes({'href': '#' + use.symbol.name} | places | {'color': use.tint})}/>"

    def transform(self, item: ShapeGroup | SymbolUse) -> str:
        parts = []
        if item.x or item.y:
            parts.append(f"translate({number(item.x)}{self.comma}{number(item.y)})")
        if item.angle:
            parts.append(f"rotate({number(item.angle)})")
        if item.scale != 1:
            parts.append(f"scale({number(item.scale)})")
        return " ".join(parts)

    def shape(self, shape: Shape) -> str:
        match shape:
            case Rectangle(x=x, y=y, w=w, h=h, radius=radius):
                return self.element(
                    "rect", shape, {"x": x, "y": y, "width": w, "height": h, "rx": radius or None}
                )
            case Circle(x=x, y=y, r=r):
                return self.element("circle", shape, {"cx": x, "cy": y, "r": r})
            case Ellipse(x=x, y=y, rx=rx, ry=ry):
                return self.element("ellipse", shape, {"cx": x, "cy": y, "rx": rx, "ry": ry})
            case Polygon(points=((a, b), (c, d)), open=True):
                return self.element("line", shape, {"x1": a, "y1": b, "x2": c, "y2": d})
            case Polygon(points=points):
                name = "polyline" if shape.open else "polygon"
                return self.element(
                    name, shape, {"points": " ".join(self.pair(point) for point in points)}
                )
        assert isinstance(shape, Curve)
        return self.element(
            "path", shape, {"d": path_data(shape, self.comma, self.gap, self.short_lines)}
        )

    def element(self, name: str, shape: Shape, places: dict[str, Any]) -> str:
        fill = None if name == "line" else self.paint(shape.fill)
        values = places | {
            "fill": fill,
            "stroke": self.paint(shape.stroke) if shape.stroke else None,
            "stroke-width": number(shape.width) if shape.stroke and shape.width != 1 else None,
            "stroke-dasharray": " ".join(map(number, shape.dash)) or None,
            "opacity": None if shape.opacity == 1 else number(shape.opacity),
        }
        return f"<{name}{attributes(values)}/>"

    def paint(self, paint: Paint | None) -> str:
        if isinstance(paint, Gradient):
            return f"url(#{paint.name})"
        return "currentColor" if paint == TINT else paint or "none"

    def pair(self, point: Sequence[float]) -> str:
        return f"{number(point[0])}{self.comma}{number(point[1])}"


def path_data(curve: Curve, comma: str = " ", gap: str = "", short: bool = False) -> str:
    """Returns a curve as the attribute ``d`` of a path.

    Args:
        comma: between the two numbers of a point.
        gap: between a command and its first number.
        short: whether level and upright lines are ``H`` and ``V``.

    >>> path_data(Curve(start=(0, 0), segments=((10, 0), (5, -90, 90))), short=True)
    'M0 0 H10 A5 5 0 0 1 10 10 Z'
    """

    def pair(point: Sequence[float]) -> str:
        return f"{number(point[0])}{comma}{number(point[1])}"

    parts = [f"M{gap}{pair(curve.start)}"]
    points = ends(curve)
    for begin, end, segment in zip(points, points[1:], curve.segments, strict=False):
        if len(segment) == 3:
            radius, a, b = segment
            flags = f"{int(abs(b - a) > 180)} {int(b > a)}"
            parts.append(f"A{gap}{number(radius)} {number(radius)} 0 {flags} {pair(end)}")
        elif len(segment) == 2 and short and begin[1] == end[1]:
            parts.append(f"H{gap}{number(end[0])}")
        elif len(segment) == 2 and short and begin[0] == end[0]:
            parts.append(f"V{gap}{number(end[1])}")
        else:
            pairs = [pair(segment[i : i + 2]) for i in range(0, len(segment), 2)]
            parts.append(f"{'?LQC'[len(segment) // 2]}{gap}{' '.join(pairs)}")
    return " ".join(parts if curve.open else [*parts, "Z"])


def attributes(values: dict[str, Any]) -> str:
    """Returns attributes as they stand in a tag; those that are None are left out."""
    return "".join(
        f" {name}={quoteattr(number(value) if isinstance(value, int | float) else value)}"
        for name, value in values.items()
        if value is not None
    )
