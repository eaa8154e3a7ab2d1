"""Shapes of a drawing: a tree in a user space whose y grows downwards. Angles are degrees, clockwise on the picture.

Strokes have round ends and corners. Formats disagree whether strokes and texts grow, and gradients turn, with what they
are part of. So what has a scale other than 1 has no strokes, round corners or texts; a symbol has no texts; and what is
turned has no gradients.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain, groupby, pairwise
from math import cos, hypot, radians, sin
from typing import Literal

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

TINT = "tint"
"""In place of a color, in a symbol: the color of each use."""


@dataclass(frozen=True)
class Gradient:
    """Colors over the bounding box of a shape.

    Args:
        name: in the code.
        direction: ``out`` is from the center to the middle of each side, and has two colors.
        colors: as ``#rrggbb``, 2 or 3, at equal distances.
    """

    name: str
    direction: Literal["down", "right", "out"]
    colors: tuple[str, ...]


Paint = str | Gradient


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What all shapes share.

    Args:
        fill: a color as ``#rrggbb``, `TINT`, or a gradient.
        stroke: a color as ``#rrggbb``, or `TINT`.
        width: of the stroke.
        dash: lengths of dashes and gaps, in turn.
        opacity: of all of it, above 0 and at most 1.
    """

    fill: Paint | None = None
    stroke: str | None = None
    width: float = 2
    dash: tuple[float, ...] = ()
    opacity: float = 1


@dataclass(frozen=True, kw_only=True)
class Rectangle(Shape):
    """A rectangle, from its left top corner."""

    x: float
    y: float
    w: float
    h: float
    radius: float = 0


@dataclass(frozen=True, kw_only=True)
class Circle(Shape):
    """A circle around a point."""

    x: float
    y: float
    r: float


@dataclass(frozen=True, kw_only=True)
class Ellipse(Shape):
    """An ellipse around a point."""

    x: float
    y: float
    rx: float
    ry: float


@dataclass(frozen=True, kw_only=True)
class Polygon(Shape):
    """Straight lines; they end where they began, unless it is open."""

    points: tuple[Point, ...]
    open: bool = False


@dataclass(frozen=True, kw_only=True)
class Curve(Shape):
    """A path of segments, each told by how many numbers it has.

    Args:
        start: the first point.
        segments: ``(x, y)`` is a line to a point; ``(cx, cy, x, y)`` a quadratic and ``(ax, ay, bx, by, x, y)``
            a cubic Bézier curve; ``(radius, start, end)`` an arc between two angles of a circle.
        open: whether it does not return to its start.
    """

    start: Point
    segments: tuple[tuple[float, ...], ...]
    open: bool = False


@dataclass(frozen=True, kw_only=True)
class DrawingText:
    """One line of text.

    Args:
        text: what is to be read.
        x: where its ``anchor`` is.
        y: its base line.
        size: of the font.
        color: as ``#rrggbb``.
    """

    text: str
    x: float
    y: float
    size: float
    color: str
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


@dataclass(frozen=True, kw_only=True)
class ShapeGroup:
    """Shapes that are moved, turned and scaled together, in this order.

    Args:
        name: what it is, for a comment.
    """

    name: str
    children: "tuple[Item, ...]"
    x: float = 0
    y: float = 0
    angle: float = 0
    scale: float = 1


@dataclass(frozen=True)
class ShapeSymbol:
    """Shapes that are used several times.

    Args:
        name: one word in English, unique in the drawing.
        children: around the origin.
    """

    name: str
    children: "tuple[Item, ...]"


@dataclass(frozen=True, kw_only=True)
class SymbolUse:
    """A symbol at a place, turned and scaled there."""

    symbol: ShapeSymbol
    x: float
    y: float
    angle: float = 0
    scale: float = 1
    tint: str | None = None


Item = Shape | DrawingText | ShapeGroup | SymbolUse


def walk(items: Iterable[Item]) -> Iterator[Item]:
    """Returns all items of a tree, each before its children, and those of a symbol at each use."""
    for item in items:
        yield item
        if isinstance(item, ShapeGroup):
            yield from walk(item.children)
        elif isinstance(item, SymbolUse):
            yield from walk(item.symbol.children)


def symbols_in(items: Iterable[Item]) -> list[ShapeSymbol]:
    """Returns the symbols that a tree uses, in order of first use."""
    return list(dict.fromkeys(item.symbol for item in walk(items) if isinstance(item, SymbolUse)))


def write_items(
    items: Iterable[Item],
    write: Callable[[Item], list[str]],
    write_uses: Callable[[ShapeSymbol, list[Item]], list[str]],
) -> list[str]:
    """Returns the lines of items in order.

    Args:
        items: what is drawn.
        write: makes the lines of an item.
        write_uses: makes those of uses of one symbol that follow each other.
    """
    lines: list[str] = []
    keyed = groupby(items, key=lambda item: item.symbol if isinstance(item, SymbolUse) else None)
    for symbol, members in keyed:
        if symbol:
            lines += write_uses(symbol, list(members))
        else:
            lines += chain.from_iterable(map(write, members))
    return lines


def parameters(symbol: ShapeSymbol, items: Iterable[Item]) -> list[str]:
    """Returns what uses of a symbol in a tree have to say: attributes of `SymbolUse`."""
    uses = [item for item in walk(items) if isinstance(item, SymbolUse) and item.symbol == symbol]
    said = {
        "angle": any(use.angle for use in uses),
        "scale": any(use.scale != 1 for use in uses),
        TINT: any(use.tint for use in uses),
    }
    return ["x", "y", *(name for name, needed in said.items() if needed)]


def colors_in(items: Iterable[Item]) -> list[str]:
    """Returns the colors of a tree, in order of first use.

    >>> colors_in([Circle(x=0, y=0, r=1, fill="#aa0000", stroke="#000000")])
    ['#aa0000', '#000000']
    """
    found: dict[str, None] = {}
    for item in walk(items):
        for value in (getattr(item, name, None) for name in ("fill", "stroke", "color", "tint")):
            found |= dict.fromkeys(
                value.colors if isinstance(value, Gradient) else [value] if value else []
            )
    return [color for color in found if color != TINT]


def color_names(colors: Iterable[str]) -> dict[str, str]:
    """Returns a name for each color, as people name the colors of their code.

    >>> color_names(["#1b3a8c", "#ffffff", "#2244aa"])
    {'#1b3a8c': 'blue', '#ffffff': 'white', '#2244aa': 'blue2'}
    """
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for color in colors:
        name = _color_name(color)
        counts[name] = counts.get(name, 0) + 1
        names[color] = name + (str(counts[name]) if counts[name] > 1 else "")
    return names


HUES = (
    (15, "red"),
    (42, "orange"),
    (70, "yellow"),
    (165, "green"),
    (195, "teal"),
    (255, "blue"),
    (320, "purple"),
)


def _color_name(color: str) -> str:
    r, g, b = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    high, low = max(r, g, b), min(r, g, b)
    light = (high + low) / 2
    if high - low < 0.1:
        return "white" if light > 0.93 else "black" if light < 0.15 else "gray"
    turn = (
        g - b if high == r else b - r + 2 * (high - low) if high == g else r - g + 4 * (high - low)
    ) / (high - low)
    hue = next((name for end, name in HUES if turn * 60 % 360 < end), "red")
    return ("light" if light > 0.75 else "dark" if light < 0.25 else "") + hue


def number(value: float) -> str:
    """Returns a number as people write it.

    >>> number(12.0), number(0.5), number(-3.126)
    ('12', '0.5', '-3.13')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def polar(x: float, y: float, r: float, angle: float) -> Point:
    """Returns the point of a circle at an angle: 0 is right, 90 is below.

    >>> polar(10, 10, 5, 90)
    (10.0, 15.0)
    """
    return round(x + r * cos(radians(angle)), 2), round(y + r * sin(radians(angle)), 2)


def arc_center(start: Point, radius: float, angle: float) -> Point:
    """Returns the center of an arc that begins at a point and an angle."""
    return polar(*start, radius, angle + 180)


def ends(curve: Curve) -> list[Point]:
    """Returns where each segment of a curve begins, and where the last one ends.

    >>> ends(Curve(start=(10, 0), segments=((10, 0, 90), (0, 0))))
    [(10, 0), (0.0, 10.0), (0, 0)]
    """
    points = [curve.start]
    for segment in curve.segments:
        if len(segment) == 3:
            radius, begin, end = segment
            points.append(polar(*arc_center(points[-1], radius, begin), radius, end))
        else:
            points.append((segment[-2], segment[-1]))
    return points


def outline(shape: Shape) -> list[Point]:
    """Returns points that a shape lies between: its corners, and points along its curves."""
    if isinstance(shape, Rectangle):
        return [(shape.x, shape.y), (shape.x + shape.w, shape.y + shape.h)]
    if isinstance(shape, Circle):
        return [(shape.x - shape.r, shape.y - shape.r), (shape.x + shape.r, shape.y + shape.r)]
    if isinstance(shape, Ellipse):
        return [(shape.x - shape.rx, shape.y - shape.ry), (shape.x + shape.rx, shape.y + shape.ry)]
    if isinstance(shape, Polygon):
        return list(shape.points)
    assert isinstance(shape, Curve)
    points = ends(shape)
    return points + [
        _point_of(begin, segment, i / 24)
        for begin, segment in zip(points, shape.segments, strict=False)
        for i in range(1, 24)
    ]


def _point_of(begin: Point, segment: tuple[float, ...], t: float) -> Point:
    if len(segment) == 3:
        radius, a, b = segment
        return polar(*arc_center(begin, radius, a), radius, a + (b - a) * t)
    points = [begin, *zip(segment[::2], segment[1::2], strict=True)]
    while len(points) > 1:
        points = [
            (ax + (bx - ax) * t, ay + (by - ay) * t) for (ax, ay), (bx, by) in pairwise(points)
        ]
    return points[0]


def bounds(shape: Shape) -> Box:
    """Returns a shape's bounding box without its stroke.

    >>> bounds(Curve(start=(0, 0), segments=((5, -10, 10, 0),)))
    (0, -5.0, 10, 0)
    """
    xs, ys = zip(*outline(shape), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def cubic_segments(curve: Curve) -> Curve:
    """Returns the same curve with cubic curves in place of its arcs.

    >>> len(cubic_segments(Curve(start=(10, 0), segments=((10, 0, 180),))).segments)
    2
    """
    segments: list[tuple[float, ...]] = []
    for begin, segment in zip(ends(curve), curve.segments, strict=False):
        if len(segment) != 3:
            segments.append(segment)
            continue
        radius, a, b = segment
        center = arc_center(begin, radius, a)
        parts = max(1, round(abs(b - a) / 90 + 0.49))
        step = (b - a) / parts
        # How far the handles of a cubic curve lie from its ends, for an arc of a circle.
        handle = 4 / 3 * sin(radians(step) / 4) / cos(radians(step) / 4) * radius
        for i in range(parts):
            from_, to = a + i * step, a + (i + 1) * step
            p, q = polar(*center, radius, from_), polar(*center, radius, to)
            h, k = polar(*p, handle, from_ + 90), polar(*q, handle, to - 90)
            segments.append((*h, *k, *q))
    return Curve(
        **{field.name: getattr(curve, field.name) for field in fields(curve)}
        | {"segments": tuple(segments)}
    )


NARROW, WIDE = set("iljtfrI.,:;'’|!()[]-/·1 "), set("mwMWшщжюмыШЩЖЮМЫωΩ@%")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Returns about how wide a text is, rather too much than too little.

    >>> text_width("Ill", 20) < text_width("Wow", 20) < text_width("東京駅", 20)
    True
    """
    ems = sum(
        1.02
        if sign >= "\u2e80"
        else 0.36
        if sign in NARROW
        else 0.86
        if sign in WIDE
        else 0.72
        if sign.isupper()
        else 0.575
        for sign in text
    )
    return size * ems * (1.06 if bold else 1)


def fitted_size(text: str, size: float, width: float, bold: bool = False) -> float:
    """Returns a size of the font, at most the given one, at which a text is at most so wide.

    >>> fitted_size("Sommerfest", 40, 1000), fitted_size("Sommerfest am Hafen", 40, 200) < 22
    (40, True)
    """
    return min(size, round(size * width / text_width(text, size, bold) - 0.25, 1))


def star_points(
    x: float, y: float, r: float, tips: int = 5, inner: float = 0.42
) -> tuple[Point, ...]:
    """Returns the corners of a star, the first one above its center."""
    return tuple(
        polar(x, y, r if i % 2 == 0 else r * inner, i * 180 / tips - 90) for i in range(2 * tips)
    )


def arrow_head(tip: Point, tail: Point, size: float) -> tuple[Point, ...]:
    """Returns the corners of an arrow's head, which points away from its tail."""
    (x, y), (a, b) = tip, tail
    length = hypot(x - a, y - b)
    dx, dy = (x - a) / length * size, (y - b) / length * size
    back = x - dx, y - dy
    return (
        tip,
        (round(back[0] - dy * 0.35, 2), round(back[1] + dx * 0.35, 2)),
        (round(back[0] + dy * 0.35, 2), round(back[1] - dx * 0.35, 2)),
    )
