r"""Drawings in TikZ. Its y grows upwards, so that all of a picture is turned over, and nodes are turned back."""

from collections.abc import Sequence
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
    Point,
    Polygon,
    Rectangle,
    Shape,
    ShapeGroup,
    ShapeSymbol,
    bounds,
    color_names,
    colors_in,
    ends,
    number,
    parameters,
    symbols_in,
    walk,
    write_items,
)
from helm_structext.scenes.writing import TEX_SIGNS, indent

UNIT = 0.5
"""Points of TeX for a unit of the page."""
PACKAGES = {
    (False, False): (
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{tgheros}",
        r"\renewcommand{\familydefault}{\sfdefault}",
    ),
    (False, True): (r"\usepackage[T1]{fontenc}", r"\usepackage{tgtermes}"),
    (True, False): (r"\usepackage{fontspec}", r"\setmainfont{Liberation Sans}"),
    (True, True): (r"\usepackage{fontspec}", r"\setmainfont{Liberation Serif}"),
}
"""Fonts, by whether there are letters other than Latin ones, and serifs."""
CHINESE = (
    r"\usepackage{xeCJK}",
    r"\setCJKmainfont[AutoFakeBold]{WenQuanYi Micro Hei}",
    r"\xeCJKsetup{CJKecglue={}, CJKspace=true}",
)
OTHER_SCRIPTS = ("ru", "el", "zh", "ja")
ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}
ESCAPES = TEX_SIGNS | str.maketrans({"₂": r"\textsubscript{2}", "'": r"\textquotesingle{}"})
LETTERS = {"x": r"\x", "y": r"\y", "angle": r"\a", "scale": r"\s", TINT: r"\c"}


def write_tikz(scene: DrawingScene, rng: Random) -> str:
    """Writes a drawing as a document with one picture of TikZ."""
    return _Writer(scene, rng).document()


class _Writer:
    def __init__(self, scene: DrawingScene, rng: Random) -> None:
        self.scene = scene
        self.loops = rng.random() < 0.6
        self.named = rng.random() < 0.8
        self.comma = rng.choice([",", ", "])
        self.circles = rng.random() < 0.5
        prefix = rng.choice(["my", "our", "c"])
        colors = [
            color for color in [scene.background, *colors_in(scene.items)] if color not in BASE
        ]
        self.colors = BASE | {
            color: prefix + name for color, name in color_names(dict.fromkeys(colors)).items()
        }
        self.defined = [color for color in self.colors if color not in BASE]

    def document(self) -> str:
        scene = self.scene
        other = scene.language in OTHER_SCRIPTS
        packages = [
            *PACKAGES[other, scene.serif],
            *(CHINESE if scene.language in ("zh", "ja") else ()),
        ]
        colors = [
            f"\\definecolor{{{self.colors[color]}}}{{HTML}}{{{color[1:].upper()}}}"
            for color in self.defined
        ]
        symbols = [
            line for symbol in symbols_in(scene.items) for line in ("", *self.symbol(symbol))
        ]
        options = [f"x={number(UNIT)}pt", f"y={number(UNIT)}pt", "yscale=-1"]
        if any(isinstance(item, Shape) and item.stroke for item in walk(scene.items)):
            options += ["line cap=round", "line join=round"]
        options.append("every node/.style={inner sep=0pt}")
        page = f"{self.point((0, 0))} rectangle {self.point((scene.width, scene.height))}"
        return "\n".join(
            [
                r"\documentclass[tikz]{standalone}",
                *packages,
                *colors,
                *symbols,
                "",
                r"\begin{document}",
                f"\\begin{{tikzpicture}}[{', '.join(options)}]",
                *indent([f"\\clip {page};", f"\\fill[{self.color(scene.background)}] {page};"]),
                *indent(self.lines(scene.items, 0)),
                r"\end{tikzpicture}",
                r"\end{document}",
                "",
            ]
        )

    def color(self, color: str) -> str:
        return self.colors[color]

    def point(self, point: Sequence[float]) -> str:
        return f"({number(point[0])}{self.comma}{number(point[1])})"

    def lines(self, items: Sequence[Item], angle: float, tint: str = "") -> list[str]:
        """Commands for items that are turned by an angle; ``tint`` stands for the color of a symbol's use."""
        self.tint = tint
        return write_items(items, lambda item: self.item(item, angle), self.uses)

    def item(self, item: Item, angle: float) -> list[str]:
        match item:
            case DrawingText():
                return [self.text(item, angle)]
            case ShapeGroup():
                comment = [f"% {item.name}"] if self.named and item.name else []
                moved = self.moved(
                    number(item.x), number(item.y), number(item.angle), number(item.scale)
                )
                content = self.lines(item.children, angle + item.angle, self.tint)
                if not moved:
                    return [*comment, *content]
                return [*comment, f"\\begin{{scope}}[{moved}]", *indent(content), "\\end{scope}"]
        assert isinstance(item, Shape)
        return self.shape(item)

    def moved(self, x: str, y: str, angle: str, scale: str) -> str:
        parts = [] if (x, y) == ("0", "0") else [f"shift={{({x}{self.comma}{y})}}"]
        parts += [f"rotate={angle}"] if angle != "0" else []
        return ", ".join([*parts, f"scale={scale}"] if scale != "1" else parts)

    def text(self, item: DrawingText, angle: float) -> str:
        size = item.size * UNIT
        options = [f"anchor={ANCHORS[item.anchor]}"]
        if angle:
            options.append(f"rotate={number(-angle)}")
        if self.color(item.color) != "black":
            options.append(f"text={self.color(item.color)}")
        bold = r"\bfseries" if item.bold else ""
        options.append(
            f"font={bold}\\fontsize{{{number(size)}}}{{{number(size * 1.2)}}}\\selectfont"
        )
        return f"\\node[{', '.join(options)}] at {self.point((item.x, item.y))} {{{item.text.translate(ESCAPES)}}};"

    def command(self, symbol: ShapeSymbol) -> str:
        return f"\\draw{symbol.name}"

    def symbol(self, symbol: ShapeSymbol) -> list[str]:
        names = parameters(symbol, self.scene.items)
        told = {name: f"#{i}" for i, name in enumerate(names, 1)}
        moved = self.moved(told["x"], told["y"], told.get("angle", "0"), told.get("scale", "1"))
        content = self.lines(symbol.children, 0, told.get(TINT, ""))
        return [
            f"\\newcommand{{{self.command(symbol)}}}[{len(names)}]{{%",
            f"  \\begin{{scope}}[{moved}]",
            *indent(indent(content)),
            "  \\end{scope}%",
            "}",
        ]

    def uses(self, symbol: ShapeSymbol, uses: Sequence[Item]) -> list[str]:
        names = parameters(symbol, self.scene.items)
        values = [
            [
                self.color(value) if isinstance(value, str) else number(value)
                for value in (getattr(use, name) for name in names)
            ]
            for use in uses
        ]
        command = self.command(symbol)
        if not self.loops or len(uses) < 3:
            return [command + "".join(f"{{{value}}}" for value in told) for told in values]
        letters = [LETTERS[name] for name in names]
        each = [f"  {'/'.join(told)}," for told in values]
        each[-1] = each[-1].rstrip(",") + "}"
        return [
            f"\\foreach {'/'.join(letters)} in {{%",
            *each,
            f"  {command}{''.join(f'{{{letter}}}' for letter in letters)};",
        ]

    def shape(self, shape: Shape) -> list[str]:
        path = self.path(shape)
        stroke = self.stroke(shape)
        faded = [] if shape.opacity == 1 else [f"opacity={number(shape.opacity)}"]
        if isinstance(shape, Rectangle) and shape.radius:
            faded.append(f"rounded corners={number(shape.radius * UNIT)}pt")
        if not isinstance(shape.fill, Gradient):
            if shape.fill and stroke:
                return [
                    f"\\draw[fill={self.paint(shape.fill)}, draw={', '.join([*stroke, *faded])}] {path};"
                ]
            command, options = (
                ("fill", [self.paint(shape.fill)]) if shape.fill else ("draw", stroke)
            )
            return [f"\\{command}[{', '.join([*options, *faded])}] {path};"]
        shading = self.shading(shape.fill)
        drawn = [f"\\draw[{', '.join([*stroke, *faded])}] {path};"] if stroke else []
        if not isinstance(shape, Curve):
            return [f"\\shade[{', '.join([shading, *faded])}] {path};", *drawn]
        left, top, right, bottom = bounds(shape)
        box = f"{self.point((left, top))} rectangle {self.point((right, bottom))}"
        return [
            r"\begin{scope}",
            f"  \\clip {path};",
            f"  \\shade[{', '.join([shading, *faded])}] {box};",
            r"\end{scope}",
            *drawn,
        ]

    def paint(self, paint: Paint | None) -> str:
        assert isinstance(paint, str)
        return self.tint if paint == TINT else self.color(paint)

    def shading(self, gradient: Gradient) -> str:
        colors = [self.color(color) for color in gradient.colors]
        if gradient.direction == "out":
            return f"inner color={colors[0]}, outer color={colors[1]}"
        first, last = ("top", "bottom") if gradient.direction == "down" else ("left", "right")
        # The middle color comes last, as the others reset it.
        middle = f", middle color={colors[1]}" if len(colors) == 3 else ""
        return f"{first} color={colors[0]}, {last} color={colors[-1]}{middle}"

    def stroke(self, shape: Shape) -> list[str]:
        if not shape.stroke:
            return []
        options = [self.paint(shape.stroke), f"line width={number(shape.width * UNIT)}pt"]
        if shape.dash:
            pairs = zip(shape.dash[::2], shape.dash[1::2], strict=True)
            pattern = " ".join(
                f"on {number(on * UNIT)}pt off {number(off * UNIT)}pt" for on, off in pairs
            )
            options.append(f"dash pattern={pattern}")
        return options

    def path(self, shape: Shape) -> str:
        match shape:
            case Rectangle(x=x, y=y, w=w, h=h):
                return f"{self.point((x, y))} rectangle {self.point((x + w, y + h))}"
            case Circle(x=x, y=y, r=r):
                size = f"({number(r)})" if self.circles else f"[radius={number(r)}]"
                return f"{self.point((x, y))} circle {size}"
            case Ellipse(x=x, y=y, rx=rx, ry=ry):
                size = f"({number(rx)} and {number(ry)})"
                return f"{self.point((x, y))} ellipse {size if self.circles else f'[x radius={number(rx)}, y radius={number(ry)}]'}"
            case Polygon(points=points):
                return " -- ".join([*map(self.point, points), *([] if shape.open else ["cycle"])])
        assert isinstance(shape, Curve)
        parts = [self.point(shape.start)]
        for begin, segment in zip(ends(shape), shape.segments, strict=False):
            match segment:
                case (radius, start, end):
                    said = f"start angle={number(start)}, end angle={number(end)}, radius={number(radius)}"
                    parts.append(f"arc [{said}]")
                case (x, y):
                    parts.append(f"-- {self.point((x, y))}")
                case _:
                    a, b, end_point = cubic(begin, segment)
                    parts.append(
                        f".. controls {self.point(a)} and {self.point(b)} .. {self.point(end_point)}"
                    )
        return " ".join(parts if shape.open else [*parts, "-- cycle"])


BASE = {"#ffffff": "white", "#000000": "black"}


def cubic(begin: Point, segment: Sequence[float]) -> tuple[Point, Point, Point]:
    """Returns the two control points and the end of a quadratic or cubic segment, as a cubic one.

    >>> cubic((0, 0), (3, 3, 6, 0))
    ((2.0, 2.0), (4.0, 2.0), (6, 0))
    """
    if len(segment) == 6:
        a, b, c, d, x, y = segment
        return (a, b), (c, d), (x, y)
    (u, v), (cx, cy, x, y) = begin, segment
    return (
        (round(u + (cx - u) * 2 / 3, 2), round(v + (cy - v) * 2 / 3, 2)),
        (round(x + (cx - x) * 2 / 3, 2), round(y + (cy - y) * 2 / 3, 2)),
        (x, y),
    )
