"""Posters of events: a picture of plain shapes, and below or above it what, when and where."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from helm_structext.scenes.drawing.shapes import (
    TINT,
    Circle,
    Curve,
    Gradient,
    Item,
    Polygon,
    Rectangle,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    polar,
)
from helm_structext.scenes.drawing.sheet import (
    PALETTES,
    Anchor,
    DrawingPalette,
    DrawingSheet,
    cycle,
    mix,
)
from helm_structext.scenes.scene import Level

SIZES = ((600, 800), (600, 840), (560, 780), (640, 860))


def _rays(rng: Random, level: Level, w: float, h: float, palette: DrawingPalette) -> list[Item]:
    """A sun whose rays fill the picture."""
    count = {"easy": 8, "medium": 12, "hard": 18}[level]
    a, b, c = rng.sample(palette.accents, 3)
    x, y = round(w * rng.uniform(0.35, 0.65)), round(h * rng.uniform(0.55, 0.8))
    far = round((w * w + h * h) ** 0.5)
    half = 90 / count
    tip = polar(0, 0, far, -half), polar(0, 0, far, half)
    ray = ShapeSymbol("ray", (Polygon(points=((0, 0), *tip), fill=mix(a, "#ffffff", 0.22)),))
    start = rng.randint(0, 20)
    r = round(h * rng.uniform(0.2, 0.27))
    return [
        Rectangle(x=0, y=0, w=w, h=h, fill=a),
        *(SymbolUse(symbol=ray, x=x, y=y, angle=round(start + i * 360 / count, 2)) for i in range(count)),
        Circle(x=x, y=y, r=r, fill=Gradient("glow", "out", (mix(b, "#ffffff", 0.45), b))),
        Curve(
            start=(0, round(h * 0.88)),
            segments=((round(w * 0.3), round(h * 0.72), round(w * 0.6), round(h * 0.98), w, round(h * 0.8)), (w, h), (0, h)),
            fill=c,
        ),
    ]  # fmt: skip


def _tiles(rng: Random, level: Level, w: float, h: float, palette: DrawingPalette) -> list[Item]:
    """A grid of quarter circles, half circles, triangles and dots."""
    columns = {"easy": 2, "medium": 3, "hard": 5}[level]
    s = w / columns
    rows = int(-(-h // s))
    symbols = (
        ShapeSymbol("quarter", (Curve(start=(0, 0), segments=((s, 0), (s, 0, 90)), fill=TINT),)),
        ShapeSymbol("half", (Curve(start=(s, 0), segments=((s / 2, 0, 180),), fill=TINT),)),
        ShapeSymbol("triangle", (Polygon(points=((0, 0), (s, 0), (0, s)), fill=TINT),)),
        ShapeSymbol("dot", (Circle(x=s / 2, y=s / 2, r=s * 0.3, fill=TINT),)),
    )
    corners = {0: (0, 0), 90: (s, 0), 180: (s, s), 270: (0, s)}
    items: list[Item] = []
    for row in range(rows):
        colors = cycle((*palette.accents, *palette.pale), columns, rng)
        for column, ground in enumerate(colors):
            x, y = column * s, row * s
            items.append(
                Rectangle(x=round(x, 2), y=round(y, 2), w=round(s, 2), h=round(s, 2), fill=ground)
            )
            symbol = rng.choice(symbols)
            angle = rng.choice(list(corners))
            dx, dy = corners[angle]
            tint = rng.choice([one for one in palette.accents if one != ground])
            if ground in palette.accents:
                tint = rng.choice((*palette.pale, mix(ground, "#ffffff", 0.55)))
            items.append(
                SymbolUse(
                    symbol=symbol, x=round(x + dx, 2), y=round(y + dy, 2), angle=angle, tint=tint
                )
            )
    return items


def _stripes(rng: Random, level: Level, w: float, h: float, palette: DrawingPalette) -> list[Item]:
    """Slanted stripes below a large disc."""
    count = {"easy": 3, "medium": 5, "hard": 9}[level]
    a, b = rng.sample(palette.accents, 2)
    angle = rng.choice([-45, -30, -20, 20, 30, 45])
    thick = round(h / count * 0.62)
    colors = cycle((*palette.accents, palette.pale[0]), count, rng)
    stripes = tuple(
        Rectangle(x=-w, y=round((i - count / 2) * h / count * 1.25), w=2 * w, h=thick, fill=color)
        for i, color in enumerate(colors)
        if color != a
    )
    x, y, r = (
        round(w * rng.uniform(0.4, 0.6)),
        round(h * rng.uniform(0.4, 0.6)),
        round(h * rng.uniform(0.22, 0.3)),
    )
    return [
        Rectangle(x=0, y=0, w=w, h=h, fill=a),
        ShapeGroup(name="stripes", x=w / 2, y=h / 2, angle=angle, children=stripes),
        Circle(x=x, y=y, r=r, fill=palette.paper),
        Circle(
            x=x, y=y, r=round(r * 0.78), fill=Gradient("disc", "down", (mix(b, "#ffffff", 0.3), b))
        ),
    ]


def _waves(rng: Random, level: Level, w: float, h: float, palette: DrawingPalette) -> list[Item]:
    """Waves before a sky."""
    count = {"easy": 3, "medium": 5, "hard": 8}[level]
    color, sun = rng.sample(palette.accents, 2)
    light = mix(color, "#ffffff", 0.7)
    items: list[Item] = [
        Rectangle(
            x=0,
            y=0,
            w=w,
            h=h,
            fill=Gradient("sky", "down", (mix(sun, "#ffffff", 0.75), palette.paper)),
        ),
        Circle(
            x=round(w * rng.uniform(0.3, 0.7)),
            y=round(h * 0.36),
            r=round(h * rng.uniform(0.16, 0.24)),
            fill=sun,
        ),
    ]
    for i in range(count):
        y = round(h * (0.45 + 0.5 * i / count))
        part = w / rng.choice([2, 3, 4])
        rise = rng.randint(18, 34) * (1 if i % 2 else -1)
        crests = [
            (round(part * (j + 0.5)), y + (rise if j % 2 else -rise), round(part * (j + 1)), y)
            for j in range(round(w / part))
        ]
        items.append(
            Curve(
                start=(0, y),
                segments=(*crests, (w, h), (0, h)),
                fill=mix(light, color, (i + 1) / count),
            )
        )
    return items


def _rings(rng: Random, level: Level, w: float, h: float, palette: DrawingPalette) -> list[Item]:
    """Rings around a point, as of a record, and small discs."""
    count = {"easy": 3, "medium": 6, "hard": 10}[level]
    a, b, c = rng.sample(palette.accents, 3)
    x, y = round(w * rng.uniform(0.4, 0.6)), round(h * rng.uniform(0.45, 0.55))
    r = h * 0.44
    rings = [
        Circle(
            x=x,
            y=y,
            r=round(r * (0.4 + 0.55 * i / count)),
            stroke=mix(b, "#ffffff", 0.2 + 0.5 * (i % 2)),
            width=3,
        )
        for i in range(count)
    ]
    discs = [
        Circle(x=rng.choice([30, w - 30]) + rng.randint(-8, 8), y=round(h * place), r=rng.randint(12, 26), fill=c, opacity=0.85)
        for place in ((0.15, 0.85) if level == "easy" else (0.12, 0.35, 0.65, 0.88))
    ]  # fmt: skip
    arc = Curve(
        start=polar(x, y, round(r * 0.82), 200),
        segments=((round(r * 0.82), 200, 290),),
        open=True,
        stroke=palette.paper,
        width=8,
    )
    return [
        Rectangle(
            x=0, y=0, w=w, h=h, fill=Gradient("ground", "right", (a, mix(a, palette.ink, 0.45)))
        ),
        Circle(x=x, y=y, r=round(r), fill=palette.ink),
        *rings,
        arc,
        Circle(x=x, y=y, r=round(r * 0.3), fill=b),
        Circle(x=x, y=y, r=round(r * 0.06), fill=palette.paper),
        *discs,
    ]


# Months and hours of the events, in the order of the words.
DATES = (
    ((6, 7, 8), (18, 21)),
    ((3, 10, 11), (16, 19)),
    ((9, 10), (10, 14)),
    ((1, 2, 11), (18, 20)),
    ((9, 10), (9, 12)),
    ((4, 5, 9, 10), (9, 11)),
    ((5, 8, 9), (18, 19)),
    ((3, 6, 10), (10, 12)),
    ((6, 7, 8), (13, 17)),
    ((1, 2, 12), (17, 19)),
    ((4, 5), (10, 14)),
    ((8, 11, 12), (20, 22)),
)

PICTURES: tuple[Callable[[Random, Level, float, float, DrawingPalette], list[Item]], ...] = (
    _rays,
    _tiles,
    _stripes,
    _waves,
    _rings,
)


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a poster."""
    width, height = rng.choice(SIZES)
    palette = rng.choice(PALETTES)
    number = rng.randrange(len(DATES))
    event, (months, hours) = words["events"][number], DATES[number]
    sheet = DrawingSheet(title=event["title"], width=width, height=height, background=palette.paper)
    band = 250
    art = height - band
    above = rng.random() < 0.3
    picture = rng.choice(PICTURES)(rng, level, width, art, palette)
    sheet.items += picture
    dark = rng.random() < 0.4
    ground = palette.ink if dark else palette.paper
    ink, muted = (
        (palette.paper, mix(palette.paper, palette.ink, 0.2))
        if dark
        else (palette.ink, palette.muted)
    )
    accent = mix(rng.choice(palette.accents), "#ffffff", 0.35 if dark else 0)
    if above:
        sheet.items = [ShapeGroup(name="picture", x=0, y=band, children=tuple(picture))]
        sheet.items.append(Rectangle(x=0, y=0, w=width, h=band, fill=ground))
    else:
        sheet.items.append(Rectangle(x=0, y=art, w=width, h=band, fill=ground))
    top = 0 if above else art
    centered = rng.random() < 0.4
    x = width / 2 if centered else 44
    anchor: Anchor = "middle" if centered else "start"
    month = words["months"][rng.choice(months) - 1]
    when = words["when"].replace("{day}", str(rng.randint(2, 28))).replace("{month}", month)
    when = when.replace("{hour}", str(rng.randint(*hours)))
    within = width - 88
    sheet.write(
        event["title"],
        x,
        top + 84,
        rng.choice([52, 56, 60]),
        ink,
        anchor=anchor,
        bold=True,
        within=within,
    )
    sheet.write(event["subtitle"], x, top + 122, 23, accent, anchor=anchor, within=within)
    if rng.random() < 0.6:
        left = x - 32 if centered else x
        sheet.items.append(Rectangle(x=left, y=top + 144, w=64, h=4, fill=accent))
    sheet.write(when, x, top + 184, 24, ink, anchor=anchor, bold=True, within=within)
    sheet.write(event["place"], x, top + 216, 20, muted, anchor=anchor, within=within)
    return sheet
