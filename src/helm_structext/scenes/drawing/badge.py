"""Badges and logos: a shape with a pictogram, a name, what it does and since when."""

from collections.abc import Mapping
from random import Random
from typing import Any

from helm_structext.scenes.drawing.pictograms import pictogram
from helm_structext.scenes.drawing.shapes import (
    Circle,
    Curve,
    Gradient,
    Item,
    Paint,
    Polygon,
    Rectangle,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    polar,
    star_points,
)
from helm_structext.scenes.drawing.sheet import PALETTES, DrawingSheet, make_text, mix
from helm_structext.scenes.scene import Level

SIDE = 600


def _ground(rng: Random, level: Level, color: str, light: str, paint: Paint) -> list[Item]:
    """The shape of a badge around the middle of the page, and what runs along its edge."""
    kind = rng.choice(["round", "scalloped", "hexagon", "shield", "square"])
    if kind == "scalloped":
        count = {"easy": 18, "medium": 24, "hard": 36}[level]
        r = round(820 / count, 1)
        bump = ShapeSymbol("bump", (Circle(x=284 - r, y=0, r=r, fill=color),))
        edge: list[Item] = [
            SymbolUse(symbol=bump, x=0, y=0, angle=round(i * 360 / count, 2)) for i in range(count)
        ]
        disc = Circle(x=0, y=0, r=round(284 - r * 0.8), fill=color)
        return [*edge, disc, Circle(x=0, y=0, r=228, stroke=light, width=3)]
    if kind == "hexagon":
        points = [tuple(polar(0, 0, r, i * 60 - 90) for i in range(6)) for r in (280, 256)]
        return [
            Polygon(points=points[0], fill=paint),
            Polygon(points=points[1], stroke=light, width=4),
        ]
    if kind == "square":
        return [
            Rectangle(x=-250, y=-250, w=500, h=500, radius=44, fill=paint),
            Rectangle(x=-232, y=-232, w=464, h=464, radius=32, stroke=light, width=3),
        ]
    if kind == "shield":
        return [
            Curve(start=(-240, -250), segments=((240, -250), (240, 40), (240, 180, 90, 260, 0, 290),
                  (-90, 260, -240, 180, -240, 40)), fill=paint),
            Curve(start=(-222, -232), segments=((222, -232), (222, 36), (222, 166, 84, 242, 0, 270),
                  (-84, 242, -222, 166, -222, 36)), stroke=light, width=3),
        ]  # fmt: skip
    dash = rng.choice([(), (2, 10), (14, 10)])
    return [
        Circle(x=0, y=0, r=270, fill=paint),
        Circle(x=0, y=0, r=244, stroke=light, width=5, dash=dash),
        *([Circle(x=0, y=0, r=230, stroke=light, width=2)] if level != "easy" else []),
    ]


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a badge."""
    palette = rng.choice(PALETTES)
    color = rng.choice([*palette.accents, palette.ink])
    light = mix(color, "#ffffff", rng.choice([0.8, 0.88, 1]))
    accent = rng.choice([one for one in (*palette.accents, palette.ink) if one != color])
    brand = rng.choice(words["brands"])
    name = brand["name"]
    sheet = DrawingSheet(title=name, width=SIDE, height=SIDE, background=palette.paper)
    graded = rng.random() < 0.6
    edges = (mix(color, "#ffffff", 0.14), mix(color, "#000000", 0.12))
    items = _ground(
        rng, level, color, light, Gradient("ground", "down", edges) if graded else color
    )
    # What has less below its name stands a little lower.
    low = 18 if level == "easy" else 0
    y = rng.choice([-120, -114]) + low
    icon = brand["icon"]
    if rng.random() < 0.5:
        disc = mix(color, "#ffffff", 0.9)
        items += [
            Circle(x=0, y=y, r=82, fill=disc),
            pictogram(icon, 0, y, rng.choice([46, 52]), accent, disc),
        ]
    else:
        back = mix(color, "#ffffff", 0.06) if graded else color
        items.append(pictogram(icon, 0, y, rng.choice([66, 74]), light, back))
    size = rng.choice([54, 60, 66])
    items.append(make_text(name, 0, 44 + low, size, light, anchor="middle", bold=True, within=396))
    ribbon = level != "easy" and rng.random() < 0.7
    if ribbon:
        dark = mix(accent, "#000000", 0.35)
        items.append(
            ShapeGroup(
                name="ribbon",
                x=0,
                y=100,
                children=(
                    Polygon(
                        points=((-270, -14), (-190, -14), (-190, 42), (-270, 42), (-246, 14)),
                        fill=dark,
                    ),
                    Polygon(
                        points=((270, -14), (190, -14), (190, 42), (270, 42), (246, 14)), fill=dark
                    ),
                    Rectangle(x=-215, y=-28, w=430, h=54, fill=accent),
                    make_text(brand["trade"], 0, 8, 25, "#ffffff", anchor="middle", within=390),
                ),
            )
        )
    else:
        items += [
            Polygon(points=((-120, 68 + low), (120, 68 + low)), open=True, stroke=light, width=3),
            make_text(brand["trade"], 0, 108 + low, 25, light, anchor="middle", within=350),
        ]
    since = rng.choice(words["since"]).replace("{year}", str(rng.randint(1880, 2019)))
    items.append(
        make_text(since, 0, 176 if ribbon else 160 + low, 22, light, anchor="middle", within=210)
    )
    if level != "easy":
        star = ShapeSymbol("star", (Polygon(points=star_points(0, 0, 12), fill=light),))
        count = 3 if level == "medium" else 5
        items += [
            SymbolUse(
                symbol=star,
                x=round((i - (count - 1) / 2) * 29),
                y=208,
                scale=1 if i == count // 2 else 0.8,
            )
            for i in range(count)
        ]
    sheet.items.append(ShapeGroup(name="badge", x=SIDE / 2, y=SIDE / 2, children=tuple(items)))
    return sheet
