"""Maps of parks and towns: meadows, water, woods, ways, numbered places and their names."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from helm_structext.scenes.drawing.shapes import (
    Circle,
    Curve,
    Item,
    Point,
    Polygon,
    Rectangle,
    Shape,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    bounds,
    outline,
    polar,
)
from helm_structext.scenes.drawing.sheet import PALETTES, DrawingSheet, make_text, mix
from helm_structext.scenes.scene import Level

LAND = (
    ("#e9f0d8", "#b9d39a", "#9cc7e3"),
    ("#f3eedd", "#c3d3a4", "#a5cfe0"),
    ("#e6efe6", "#a8ca9f", "#93bedd"),
)
WOOD = ShapeSymbol(
    "wood",
    (
        Circle(x=0, y=0, r=11, fill="#5f8f57"),
        Circle(x=15, y=6, r=9, fill="#6f9f63"),
        Circle(x=-13, y=8, r=8, fill="#6f9f63"),
    ),
)


WATERS = {0: True, 3: False}
"""Place of a map in the words, whose title names a river (true) or a lake."""


def _blob(
    rng: Random, x: float, y: float, rx: float, ry: float, color: str, corners: int = 6
) -> Curve:
    """A rounded field around a point: quadratic curves from the middle of each side to that of the next."""
    points = [
        (round(x + rx * px * part), round(y + ry * py * part))
        for px, py, part in (
            (*polar(0, 0, 1, i * 360 / corners), rng.uniform(0.95, 1.3)) for i in range(corners)
        )
    ]
    middles = [
        (round((ax + bx) / 2), round((ay + by) / 2))
        for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True)
    ]
    corners_after = points[1:] + points[:1]
    ends = middles[1:] + middles[:1]
    return Curve(
        start=middles[0],
        segments=tuple((*c, *e) for c, e in zip(corners_after, ends, strict=True)),
        fill=color,
    )


def _far_from(shape: Shape, places: Sequence[Point], distance: float) -> list[Point]:
    """Those of some places that are outside of a shape's box where it is closed, or not near to its line."""
    if isinstance(shape, Curve) and not shape.open:
        left, top, right, bottom = bounds(shape)
        return [
            (x, y)
            for x, y in places
            if not (left - 12 < x < right + 12 and top - 12 < y < bottom + 12)
        ]
    line = outline(shape)
    return [
        (x, y)
        for x, y in places
        if not any(abs(x - a) < distance and abs(y - b) < distance for a, b in line)
    ]


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a map."""
    palette = rng.choice(PALETTES)
    land, meadow, water = rng.choice(LAND)
    count = {"easy": 3, "medium": 6, "hard": 9}[level]
    width, height, head = rng.choice([940, 980, 1020]), rng.choice([560, 600, 640]), 84
    legend = 260
    right, bottom = width - legend - 30, height - 30
    number = rng.randrange(len(words["maps"]))
    chosen = words["maps"][number]
    flows = WATERS.get(number, rng.choice([True, False]))
    sheet = DrawingSheet(
        title=chosen["title"], width=width, height=height, background=palette.paper
    )
    w, h = right - 30, bottom - head
    field: list[Item] = [Rectangle(x=0, y=0, w=w, h=h, fill=land)]
    fields = {"easy": 1, "medium": 2, "hard": 4}[level]
    columns = 4 if level == "hard" else 3
    # Ways cross the middle, so that a lake is in a corner.
    lake_i, lake_j = rng.choice([0, columns - 1]), rng.choice([0, 2])
    cells = [(i, j) for i in range(columns) for j in range(3) if (i, j) != (lake_i, lake_j)]
    rng.shuffle(cells)
    cw, ch = w / columns, h / 3
    for i, j in cells[:fields]:
        field.append(_blob(rng, cw * (i + 0.5), ch * (j + 0.5), cw * 0.36, ch * 0.36, meadow))
    river_y = round(h * rng.uniform(0.4, 0.6))
    if flows:
        river = Curve(
            start=(0, river_y),
            segments=(
                (round(w * 0.3), river_y - 90, round(w * 0.55), river_y + 100, w, river_y - 30),
            ),
            open=True,
            stroke=water,
            width=rng.choice([14, 18, 24]),
        )
    else:
        river = _blob(rng, cw * (lake_i + 0.5), ch * (lake_j + 0.5), cw * 0.36, ch * 0.34, water, 7)
    ways = _ways(rng, level, w, h)
    field += [river, *ways]
    spots = [
        (round(w * (i + 0.5) / 8), round(h * (j + 0.5) / 5)) for i in range(8) for j in range(5)
    ]
    dry = _far_from(river, spots, 30)
    pins = sorted(rng.sample(dry, count))
    free = [spot for spot in dry if spot not in pins]
    for way in ways:
        free = _far_from(way, free, 30)
    rng.shuffle(free)
    woods, houses = {"easy": (2, 3), "medium": (5, 5), "hard": (7, 7)}[level]
    roof = mix(palette.accents[rng.randrange(5)], "#d8c9b8", 0.6)
    building = ShapeSymbol(
        "building",
        (Rectangle(x=-17, y=-11, w=34, h=22, fill=roof, stroke="#8d7f70", width=1.5),),
    )
    for i, (x, y) in enumerate(free[: woods + houses]):
        x, y = x + rng.randint(-8, 8), y + rng.randint(-8, 8)
        if i < woods:
            field.append(SymbolUse(symbol=WOOD, x=x, y=y, scale=rng.choice([0.8, 1, 1.15])))
        else:
            angle = rng.choice([0, 15, 30, 90, -20, -35])
            field.append(SymbolUse(symbol=building, x=x, y=y, angle=angle))
    colors = list(palette.accents)
    rng.shuffle(colors)
    for number, (x, y) in enumerate(pins, 1):
        color = colors[0] if level == "easy" else colors[number % 3]
        field += [
            Circle(x=x, y=y, r=17, fill=color, stroke="#ffffff", width=3),
            make_text(str(number), x, y + 6, 18, "#ffffff", anchor="middle", bold=True),
        ]
    sheet.items.append(ShapeGroup(name="map", x=30, y=head, children=tuple(field)))
    # What of the ways and fields is outside of the map.
    sheet.items += [
        Rectangle(x=0, y=0, w=width, h=head, fill=palette.paper),
        Rectangle(x=right, y=0, w=width - right, h=height, fill=palette.paper),
        Rectangle(x=0, y=bottom, w=width, h=30, fill=palette.paper),
        Rectangle(x=0, y=0, w=30, h=height, fill=palette.paper),
        Rectangle(x=30, y=head, w=w, h=h, stroke=palette.muted, width=2),
    ]
    sheet.write(chosen["title"], 30, 54, 32, palette.ink, bold=True, within=width - 60)
    names = rng.sample(chosen["places"], count)
    line = min(44, (h - 190) / count)
    for number, name in enumerate(names, 1):
        top = head + 16 + (number - 1) * line
        color = colors[0] if level == "easy" else colors[number % 3]
        sheet.items.append(Circle(x=right + 40, y=top, r=13, fill=color))
        sheet.write(str(number), right + 40, top + 5, 15, "#ffffff", anchor="middle", bold=True)
        sheet.write(name, right + 64, top + 6, 18, palette.ink, within=legend - 60)
    _compass(sheet, right + 62, bottom - 96, palette.ink, words["north"])
    bar = rng.choice([90, 100, 120])
    unit = rng.choice([50, 100, 200, 250])
    x, y = right + 120, bottom - 72
    sheet.items += [
        Rectangle(x=x, y=y, w=bar / 2, h=8, fill=palette.ink),
        Rectangle(x=x, y=y, w=bar, h=8, stroke=palette.ink, width=1.5),
    ]
    sheet.write(f"{unit} {words['meters']}", x + bar / 2, y + 32, 16, palette.ink, anchor="middle")
    return sheet


def _ways(rng: Random, level: Level, w: float, h: float) -> list[Shape]:
    color = "#ffffff"
    middle, swing = round(h * rng.uniform(0.4, 0.6)), round(h * rng.choice([-0.3, -0.2, 0.2, 0.3]))
    paths: list[Shape] = [
        Curve(
            start=(0, round(h * rng.uniform(0.2, 0.8))),
            segments=(
                (round(w * 0.25), middle + swing, round(w * 0.5), middle),
                (round(w * 0.75), middle - swing, w, round(h * rng.uniform(0.2, 0.8))),
            ),
            open=True,
            stroke=color,
            width=10,
        )
    ]
    if level != "easy":
        x = round(w * rng.uniform(0.35, 0.65))
        paths.append(
            Curve(
                start=(x, 0),
                segments=(
                    (x + 80, round(h * 0.3), x - 90, round(h * 0.6), x + rng.randint(-40, 40), h),
                ),
                open=True,
                stroke=color,
                width=8,
            )
        )
    if level == "hard":
        points = (
            (0, round(h * 0.15)),
            (round(w * 0.3), round(h * 0.22)),
            (round(w * 0.7), round(h * 0.12)),
            (w, round(h * 0.3)),
        )
        paths.append(
            Polygon(
                points=points,
                open=True,
                stroke=mix("#8a6d4b", "#ffffff", 0.2),
                width=3,
                dash=(10, 8),
            )
        )
    return paths


def _compass(sheet: DrawingSheet, x: float, y: float, ink: str, north: str) -> None:
    sheet.items.append(
        ShapeGroup(
            name="compass",
            x=x,
            y=y,
            children=(
                Circle(x=0, y=26, r=30, stroke=ink, width=2),
                Polygon(points=((0, 0), (11, 26), (-11, 26)), fill="#c0392b"),
                Polygon(points=((0, 52), (11, 26), (-11, 26)), fill=ink),
                make_text(north, 0, -12, 18, ink, anchor="middle", bold=True),
            ),
        )
    )
