"""Drawings of named objects: flat illustrations made of outlines."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import yaml
from PIL import Image, ImageDraw

from helm_structext.mmr.generate.colors import RGB, rgb


@dataclass(frozen=True)
class Stroke:
    """A filled outline of a color, or a line of `width` along it."""

    color: RGB
    outline: str
    width: float


@cache
def object_shapes() -> dict[str, tuple[Stroke, ...]]:
    """Returns the strokes of each drawing, from back to front.

    >>> len(object_shapes()) > 50, object_shapes()["heart"][0].width
    (True, 0.0)
    """
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    colors = {name: rgb(color) for name, color in content["colors"].items()}

    def stroke(line: str) -> Stroke:
        pen, _, outline = line.partition(" ")
        color, _, width = pen.partition("/")
        return Stroke(colors[color], outline, float(width or 0))

    return {name: tuple(map(stroke, lines)) for name, lines in content["drawings"].items()}


FILE = Path(__file__).with_name("objects.yaml")

FAMILIES = (
    {"tree", "pine tree", "palm tree"},
    {"flower", "tulip"},
    {"bird", "owl"},
    {"cup", "teapot"},
    {"bottle", "wine glass"},
    {"house", "castle"},
    {"candle", "lantern"},
)
"""Names that could be taken for one another: of each family, a picture has one member."""

STEPS = 14
"""Pieces of a curve."""

OVERSAMPLING = 4

Point = tuple[float, float]


def outline_points(outline: str) -> list[Point]:
    """Returns an outline's points; curves become short lines.

    >>> outline_points("M0 0 L10 0 L10 10 Z")
    [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 0.0)]
    >>> len(outline_points("E50 50 10 10")) > 20
    True
    """
    points: list[Point] = []
    for command, numbers in _commands(outline):
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command in "ML":
            points += pairs
        elif command == "Z":
            points.append(points[0])
        elif command == "E":
            (cx, cy), (rx, ry) = pairs
            turns = (2 * math.pi * k / (4 * STEPS) for k in range(4 * STEPS + 1))
            points += [(cx + rx * math.cos(t), cy + ry * math.sin(t)) for t in turns]
        else:
            curve = [points[-1], *pairs]
            points += [_bezier(curve, k / STEPS) for k in range(1, STEPS + 1)]
    return points


def _commands(outline: str) -> list[tuple[str, list[float]]]:
    commands: list[tuple[str, list[float]]] = []
    for word in outline.split():
        if word[0].isalpha():
            commands.append((word[0], []))
            word = word[1:]
        if word:
            commands[-1][1].append(float(word))
    return commands


def _bezier(points: Sequence[Point], t: float) -> Point:
    while len(points) > 1:
        points = [(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in pairwise(points)]
    return points[0]


def draw_object(
    name: str, size: float, angle: float = 0.0, *, mirrored: bool = False
) -> Image.Image:
    """Returns a drawing on a transparent ground, cut to its ink.

    Args:
        name: one of `drawings`.
        size: pixels that the drawing's 100 units become.
        angle: by how many degrees it is turned counter-clockwise.
        mirrored: whether left and right are swapped.

    >>> image = draw_object("heart", 50)
    >>> image.mode, image.getbbox() == (0, 0, *image.size)
    ('RGBA', True)
    """
    scale = size * OVERSAMPLING / 100
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))

    def place(point: Point) -> Point:
        x, y = (50 - point[0] if mirrored else point[0] - 50), point[1] - 50
        return ((x * cos + y * sin) * scale + middle, (y * cos - x * sin) * scale + middle)

    # The corners of a turned square, and lines beyond its edges, lie further out.
    side = math.ceil(size * 1.6) * OVERSAMPLING
    middle = side / 2
    canvas = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(canvas)
    for stroke in object_shapes()[name]:
        points = [place(point) for point in outline_points(stroke.outline)]
        if stroke.width:
            width = max(1, round(stroke.width * scale))
            pen.line(points, stroke.color, width, joint="curve")
            for x, y in (points[0], points[-1]):
                pen.ellipse(
                    (x - width / 2, y - width / 2, x + width / 2, y + width / 2), stroke.color
                )
        else:
            pen.polygon(points, stroke.color)
    drawn = _reduce(canvas)
    return drawn.crop(drawn.getchannel("A").point(lambda alpha: 255 * (alpha > 127)).getbbox())


def _reduce(canvas: Image.Image) -> Image.Image:
    # Premultiplied, or the edges would take on the black of the transparent ground.
    return canvas.convert("RGBa").reduce(OVERSAMPLING).convert("RGBA")
