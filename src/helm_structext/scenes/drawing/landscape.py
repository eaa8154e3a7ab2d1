"""Landscapes on a postcard: sky, sun or moon, mountains, hills, houses, trees, and a greeting."""

from collections.abc import Mapping
from random import Random
from typing import Any

from helm_structext.scenes.drawing.shapes import (
    TINT,
    Circle,
    Curve,
    Ellipse,
    Gradient,
    Item,
    Polygon,
    Rectangle,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    star_points,
)
from helm_structext.scenes.drawing.sheet import DrawingSheet, mix
from helm_structext.scenes.scene import Level

MOODS: dict[str, dict[str, Any]] = {
    "day": {"sky": ("#6fb7e9", "#d8effb"), "sun": ("#fff3b0", "#ffd24a"), "far": "#7d9cb5", "text": "#17324d"},
    "evening": {"sky": ("#3f4a8a", "#e8836b", "#fbd28c"), "sun": ("#fff0c2", "#ff9a4d"), "far": "#6d5a86", "text": "#ffffff"},
    "morning": {"sky": ("#9fc9e8", "#f9e3d3"), "sun": ("#ffffff", "#ffe2a0"), "far": "#93a8c4", "text": "#22405c"},
    "night": {"sky": ("#0d1b3e", "#34497f"), "sun": ("#ffffff", "#e6ecff"), "far": "#26355f", "text": "#ffffff"},
}  # fmt: skip
GREENS = (("#8fbf6a", "#4f8a4b"), ("#a8c256", "#5d8f3c"), ("#7fb285", "#3c7a57"))
BROWNS = (("#c2b25a", "#8a8a3a"), ("#d0a95c", "#9a7434"), ("#b9a06a", "#7d7a45"))
SNOWS = (("#f4f8fb", "#cddce8"), ("#eef3f7", "#bfd1e0"))
GROUNDS = (GREENS, GREENS, BROWNS, SNOWS, GREENS, GREENS, BROWNS, BROWNS)
"""Colors of the ground by season, in the order of the words."""
WALLS = ("#f2e3c6", "#e8b98a", "#d98f73", "#f5f0e6", "#c9d6df", "#e9c46a")
SIZES = ((960, 540), (900, 600), (1000, 560), (840, 560))

CLOUD = ShapeSymbol(
    "cloud",
    (
        Ellipse(x=0, y=0, rx=46, ry=18, fill=TINT),
        Circle(x=-14, y=-12, r=18, fill=TINT),
        Circle(x=14, y=-15, r=22, fill=TINT),
    ),
)
PINE = ShapeSymbol(
    "pine",
    (
        Rectangle(x=-4, y=-14, w=8, h=14, fill="#6b4a2f"),
        Polygon(points=((-24, -12), (0, -54), (24, -12)), fill=TINT),
        Polygon(points=((-19, -36), (0, -74), (19, -36)), fill=TINT),
    ),
)
OAK = ShapeSymbol(
    "oak",
    (
        Rectangle(x=-4, y=-24, w=8, h=24, fill="#6b4a2f"),
        Circle(x=0, y=-46, r=24, fill=TINT),
        Circle(x=-15, y=-34, r=15, fill=TINT),
        Circle(x=15, y=-34, r=15, fill=TINT),
    ),
)


def _house(roof: str, window: str) -> ShapeSymbol:
    return ShapeSymbol(
        "house",
        (
            Rectangle(x=16, y=-70, w=9, h=26, fill="#7d5a4a"),
            Rectangle(x=-32, y=-42, w=64, h=42, fill=TINT),
            Polygon(points=((-40, -42), (0, -76), (40, -42)), fill=roof),
            Rectangle(x=-7, y=-24, w=14, h=24, fill="#5b4636"),
            Rectangle(x=-25, y=-32, w=12, h=12, fill=window),
            Rectangle(x=13, y=-32, w=12, h=12, fill=window),
        ),
    )


def _ridge(
    rng: Random, width: float, base: float, high: float, steps: int
) -> list[tuple[float, float]]:
    xs = [
        round(i * width / steps + rng.uniform(-0.25, 0.25) * width / steps * (0 < i < steps))
        for i in range(steps + 1)
    ]
    return [
        (x, round(base - (high if i % 2 else high * 0.35) * rng.uniform(0.7, 1)))
        for i, x in enumerate(xs)
    ]


def _hill(
    rng: Random, name: str, width: float, y: float, height: float, colors: tuple[str, str]
) -> Curve:
    """A hill whose top is about at ``y``, and never more than 40 below it."""
    a, b, c = (round(y + rng.uniform(-30, 30)) for _ in range(3))
    x = round(width * rng.uniform(0.35, 0.65))
    if rng.random() < 0.5:
        tops: tuple[tuple[float, ...], ...] = (
            (round(x / 2), a - 40, x, b),
            (
                round((x + width) / 2),
                round(2 * b - (a - 40) if abs(b - a) < 20 else b + 20),
                width,
                c,
            ),
        )
    else:
        tops = ((round(width * 0.25), a - 60, round(width * 0.7), b + 40, width, c),)
    return Curve(
        start=(0, a),
        segments=(*tops, (width, height), (0, height)),
        fill=Gradient(name, "down", colors),
    )


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a landscape."""
    width, height = rng.choice(SIZES)
    name = rng.choice(list(MOODS))
    mood = MOODS[name]
    night = name == "night"
    greeting = rng.choice(words["greetings"])
    sheet = DrawingSheet(title=greeting, width=width, height=height, background="#ffffff")
    sheet.items.append(
        Rectangle(x=0, y=0, w=width, h=height, fill=Gradient("sky", "down", tuple(mood["sky"])))
    )
    right, high = rng.random() < 0.5, rng.random() < 0.5
    season = rng.randrange(len(GROUNDS))
    sun_x = round(width * (rng.uniform(0.72, 0.88) if right else rng.uniform(0.12, 0.28)))
    # A title at the top keeps the sky below it.
    sun_y = round(height * (rng.uniform(0.33, 0.37) if high else rng.uniform(0.2, 0.34)))
    r = rng.randint(34, 48)
    sky: list[Item] = []
    if night:
        count = {"easy": 4, "medium": 9, "hard": 16}[level]
        stars = ShapeSymbol("star", (Polygon(points=star_points(0, 0, 7), fill="#fff6d5"),))
        spots = rng.sample([(i, j) for i in range(10) for j in range(3)], count)
        sky += [
            SymbolUse(
                symbol=stars,
                x=round(width * (0.05 + i * 0.1) + rng.uniform(-12, 12)),
                y=round(height * (0.2 + j * 0.08) + rng.uniform(-8, 8)),
                scale=rng.choice([0.5, 0.7, 0.9]),
            )
            for i, j in spots
            if abs(width * (0.05 + i * 0.1) - sun_x) > r * 2
        ]
    sky.append(Circle(x=sun_x, y=sun_y, r=r * 1.6, fill=mood["sun"][0], opacity=0.3))
    sky.append(
        Circle(
            x=sun_x,
            y=sun_y,
            r=r,
            fill=Gradient("moon" if night else "sun", "out", tuple(mood["sun"])),
        )
    )
    sheet.items += sky
    clouds = 0 if night else {"easy": 1, "medium": 2, "hard": 4}[level]
    cloud_color = mix("#ffffff", mood["sky"][-1], 0.1)
    for slot in rng.sample(range(4), clouds):
        x = width * (0.06 + 0.56 * (slot + 0.5) / 4 + (0 if right else 0.32))
        sheet.items.append(
            SymbolUse(
                symbol=CLOUD,
                x=round(x + rng.uniform(-20, 20)),
                y=round(height * (0.22 + 0.05 * (slot % 2)) + rng.uniform(-6, 6)),
                scale=rng.choice([0.7, 0.85, 1]),
                tint=cloud_color,
            )
        )
    horizon = round(height * rng.uniform(0.5, 0.56))
    if level != "easy" or rng.random() < 0.5:
        sheet.items += _mountains(rng, width, horizon + 70, height * 0.24, mood["far"], level)
    if level != "easy" and not night and rng.random() < 0.6:
        sheet.items.append(
            _birds(rng, width, height, right, mix(mood["far"], "#000000", 0.35), level)
        )
    light, dark = rng.choice(GROUNDS[season])
    shade = 0.45 if night else 0.15 if name == "evening" else 0
    light, dark = mix(light, "#101a3a", shade), mix(dark, "#101a3a", shade)
    hills = {"easy": 1, "medium": 2, "hard": 3}[level]
    for i in range(hills):
        y = horizon + 20 + (height * 0.17) * i / max(hills - 1, 1) * (hills > 1)
        back = 0.3 * (hills - 1 - i) / max(hills - 1, 1)
        colors = (mix(light, mood["far"], back), mix(dark, mood["far"], back))
        sheet.items.append(
            _hill(rng, f"hill{i + 1}" if hills > 1 else "hill", width, y, height, colors)
        )
    ground = horizon + 20 + (height * 0.17 if hills > 1 else 0) + 52
    sheet.items += _village(rng, width, height, ground, level, mix(dark, "#0a2a1a", 0.35), night)
    strip = 54
    color = mix(mood["far"], "#0c1424", 0.55)
    sheet.items.append(Rectangle(x=0, y=height - strip, w=width, h=strip, fill=color))
    note = words["seasons"][season].replace("{year}", str(rng.randint(1998, 2026)))
    if high:
        sheet.write(
            greeting,
            width / 2,
            62,
            38,
            mood["text"],
            anchor="middle",
            bold=True,
            within=width * 0.86,
        )
        sheet.write(note, width / 2, height - 20, 20, "#ffffff", anchor="middle")
    else:
        sheet.write(greeting, 30, height - 18, 26, "#ffffff", bold=True, within=width * 0.66)
        sheet.write(note, width - 30, height - 19, 18, "#dfe6ee", anchor="end", within=width * 0.26)
    return sheet


def _mountains(
    rng: Random, width: float, base: float, high: float, color: str, level: Level
) -> list[Polygon]:
    ridge = _ridge(rng, width, base, high + 70, 8 if level == "hard" else 6)
    found = [Polygon(points=((0, base), *ridge, (width, base)), fill=color)]
    for i, (x, y) in enumerate(ridge):
        if 0 < i < len(ridge) - 1 and i % 2:
            (a, b), (c, d) = ridge[i - 1], ridge[i + 1]
            left = (round(x + (a - x) * 0.3), round(y + (b - y) * 0.3))
            right = (round(x + (c - x) * 0.3), round(y + (d - y) * 0.3))
            middle = (x, round(y + (b - y) * 0.22))
            found.append(
                Polygon(points=(left, (x, y), right, middle), fill=mix("#ffffff", color, 0.12))
            )
    return found


def _birds(
    rng: Random, width: float, height: float, right: bool, color: str, level: Level
) -> ShapeGroup:
    bird = ShapeSymbol(
        "bird",
        (
            Curve(
                start=(-12, -4),
                segments=((-6, -10, 0, 0), (6, -10, 12, -4)),
                open=True,
                stroke=color,
                width=2,
            ),
        ),
    )
    uses = tuple(
        SymbolUse(symbol=bird, x=i * 34, y=round(rng.uniform(-10, 10)))
        for i in range(3 if level == "medium" else 5)
    )
    x = width * (0.3 if right else 0.52)
    return ShapeGroup(name="birds", x=round(x), y=round(height * 0.44), children=uses)


def _village(
    rng: Random, width: float, height: float, ground: float, level: Level, green: str, night: bool
) -> list[SymbolUse]:
    house = _house(
        rng.choice(["#a8432f", "#6f4b3e", "#455a78", "#8c3b4a"]), "#ffd87a" if night else "#bfe0ee"
    )
    counts = {"easy": (1, 2), "medium": (2, 5), "hard": (4, 11)}[level]
    things = ["house"] * counts[0] + ["tree"] * (counts[1] + rng.randint(0, 1))
    rng.shuffle(things)
    rows = 1 if level == "easy" else 2
    per_row = -(-len(things) // rows)
    found = []
    bottom = height - 54 - 14
    for row in range(rows):
        y = ground + (bottom - ground) * (0.75 if rows == 1 else row)
        for i, thing in enumerate(things[row * per_row : (row + 1) * per_row]):
            slot = width / per_row
            # The rows are shifted, so that none stands before another.
            x = slot * (i + (0.5 if rows == 1 else 0.27 + row * 0.46) + rng.uniform(-0.04, 0.04))
            scale = (0.75, 1.1)[row] if rows == 2 else 1.15
            scale = min(scale, slot / (100 if rows == 1 else 180))
            kind = house if thing == "house" else rng.choice([PINE, OAK])
            tint = (
                rng.choice(WALLS)
                if thing == "house"
                else mix(green, "#6aa84f", rng.choice([0.1, 0.25, 0.4]))
            )
            found.append(
                SymbolUse(
                    symbol=kind,
                    x=round(x),
                    y=round(y + rng.uniform(-6, 6)),
                    scale=round(scale + (0 if thing == "house" else rng.uniform(-0.1, 0.1)), 2),
                    tint=mix(tint, "#101a3a", 0.4) if night else tint,
                )
            )
    return found
