"""Floor plans: walls, doors, windows, names and areas of rooms, and measures outside."""

from collections.abc import Mapping
from random import Random
from typing import Any

from helm_structext.scenes.drawing.shapes import (
    Curve,
    Ellipse,
    Item,
    Polygon,
    Rectangle,
    ShapeGroup,
    arrow_head,
)
from helm_structext.scenes.drawing.sheet import PALETTES, DrawingSheet, make_text, mix
from helm_structext.scenes.scene import Level

SCALE = 60
"""Units of the page for a meter."""

# Columns of rooms, each with the kinds of its rooms from top to bottom.
LAYOUTS: Mapping[Level, tuple[tuple[tuple[str, ...], ...], ...]] = {
    "easy": ((("living",), ("bedroom", "bath")), (("kitchen", "bedroom"), ("living",)), (("bedroom", "bath"), ("living",))),
    "medium": (
        (("bedroom", "kitchen"), ("living",), ("child", "bath")),
        (("bedroom", "study"), ("living",), ("kitchen", "bath")),
        (("kitchen", "hall"), ("living", "bath"), ("bedroom", "study")),
    ),
    "hard": (
        (("living", "kitchen"), ("hall", "bath"), ("bedroom", "child"), ("study", "store")),
        (("bedroom", "bath", "store"), ("hall", "living"), ("kitchen", "dining"), ("child", "study")),
        (("kitchen", "dining", "store"), ("living", "guest"), ("hall", "bath"), ("bedroom", "study")),
    ),
}  # fmt: skip
FURNITURE = {
    "bedroom": "bed",
    "child": "bed",
    "living": "sofa",
    "kitchen": "counter",
    "dining": "table",
    "study": "desk",
    "bath": "tub",
}
BOTTOMS = {"bed": 84, "sofa": 54, "counter": 46, "table": 66, "desk": 75, "tub": 56}
"""How far each piece reaches from its wall."""
WEIGHTS = {"living": 1.2, "bath": 0.75, "store": 0.7, "hall": 0.85}
"""How much of its column a room takes, beside others of 1."""


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a floor plan."""
    palette = rng.choice(PALETTES)
    columns = rng.choice(LAYOUTS[level])
    widths = [
        rng.choice(
            [3.2, 3.4, 3.6, 3.8, 4.0, 4.2, 4.5] if level == "hard" else [3.4, 3.8, 4.2, 4.6, 5.0]
        )
        for _ in columns
    ]
    depth = rng.choice([6.6, 7.0, 7.4, 7.8] if level != "hard" else [7.8, 8.2, 8.4, 9.0])
    left, top = 130, 150
    width, height = left + sum(widths) * SCALE + 60, top + depth * SCALE + 60
    home = rng.choice(words["homes"])
    sheet = DrawingSheet(
        title=home, width=round(width), height=round(height), background=palette.paper
    )
    sheet.write(home, left, 58, 30, palette.ink, bold=True, within=width - left - 40)
    rooms: list[Item] = []
    walls: list[Item] = []
    doors: list[Item] = []
    x = 0.0
    wall = mix(palette.ink, "#000000", 0.2)
    grounds = [palette.pale[0], palette.pale[1], "#ffffff"]
    windows: list[Item] = []
    separator = words["decimal"]
    furnished = level != "easy"
    for column, (kinds, wide) in enumerate(zip(columns, widths, strict=True)):
        shares = [WEIGHTS.get(kind, 1) + rng.choice([-0.1, 0, 0.1]) for kind in kinds]
        depths = [round(depth * share / sum(shares), 1) for share in shares]
        depths[-1] = round(depth - sum(depths[:-1]), 1)
        y = 0.0
        for row, (kind, deep) in enumerate(zip(kinds, depths, strict=True)):
            a, b, w, h = (round(value * SCALE) for value in (x, y, wide, deep))
            rooms.append(Rectangle(x=a, y=b, w=w, h=h, fill=grounds[(column + row) % 3]))
            walls.append(Rectangle(x=a, y=b, w=w, h=h, stroke=wall, width=7))
            area = f"{wide * deep:.1f}".replace(".", separator) + " m²"
            name = words["rooms"][kind]
            has = furnished and kind in FURNITURE
            middle = max(b + h * 0.6, b + BOTTOMS[FURNITURE[kind]] + 28) if has else b + h / 2
            rooms.append(
                make_text(
                    name,
                    a + w / 2,
                    middle,
                    20,
                    palette.ink,
                    anchor="middle",
                    bold=True,
                    within=w - 24,
                )
            )
            rooms.append(
                make_text(area, a + w / 2, middle + 24, 16, palette.muted, anchor="middle")
            )
            if furnished and kind in FURNITURE:
                # A door is in the left part of a wall between two rooms.
                place = a + w - 66 if row else a + w / 2
                rooms.append(_furniture(FURNITURE[kind], place, b + 12, palette.muted))
            if row == 0:
                windows += _cut_opening(a + w / 2 - 35, b, 70, 0, palette.paper, wall)
            if row == len(kinds) - 1 and column != len(columns) // 2:
                windows += _cut_opening(a + w / 2 - 35, b + h, 70, 0, palette.paper, wall)
            if row:
                doors += _door(a + 18, b, 48, palette.paper, wall)
            y += deep
        if column:
            doors.append(
                _side_door(round(x * SCALE), round(depth * SCALE) - 74, 48, palette.paper, wall)
            )
        x += wide
    span = round(x * SCALE)
    walls.append(Rectangle(x=0, y=0, w=span, h=round(depth * SCALE), stroke=wall, width=11))
    sheet.items.append(
        ShapeGroup(name="rooms", x=left, y=top, children=(*rooms, *walls, *windows, *doors))
    )
    ink = palette.muted
    start = 0.0
    for wide in widths:
        sheet.items += _measure(
            left + start * SCALE, top - 34, wide * SCALE, _meters(wide, separator), ink
        )
        start += wide
    across = _measure(-depth * SCALE / 2, 0, depth * SCALE, _meters(depth, separator), ink)
    sheet.items.append(
        ShapeGroup(
            name="depth",
            x=left - 44,
            y=round(top + depth * SCALE / 2),
            angle=-90,
            children=tuple(across),
        )
    )
    return sheet


def _meters(value: float, separator: str) -> str:
    return f"{value:.2f}".replace(".", separator) + " m"


def _measure(x: float, y: float, length: float, text: str, ink: str) -> list[Item]:
    x, y, end = round(x), round(y), round(x + length)
    return [
        Polygon(points=((x + 2, y), (end - 2, y)), open=True, stroke=ink, width=1.5),
        Polygon(points=arrow_head((x, y), (end, y), 12), fill=ink),
        Polygon(points=arrow_head((end, y), (x, y), 12), fill=ink),
        make_text(text, (x + end) / 2, y - 10, 17, ink, anchor="middle"),
    ]


def _cut_opening(
    x: float, y: float, length: float, angle: float, paper: str, wall: str
) -> list[Item]:
    """A window in a wall."""
    return [Rectangle(x=round(x), y=round(y) - 6, w=length, h=12, fill=paper, stroke=wall, width=1.5),
            Polygon(points=((round(x), round(y)), (round(x) + length, round(y))), open=True, stroke=wall, width=1.5)]  # fmt: skip


def _door(x: float, y: float, size: float, paper: str, wall: str) -> list[Item]:
    """A door in a horizontal wall: a gap, the leaf, and the quarter of a circle that it describes."""
    return [
        Rectangle(x=x, y=y - 5, w=size, h=10, fill=paper),
        Polygon(points=((x, y), (x, y + size)), open=True, stroke=wall, width=2.5),
        Curve(
            start=(x, y + size),
            segments=((size, 90, 0),),
            open=True,
            stroke=wall,
            width=1,
            dash=(4, 4),
        ),
    ]


def _side_door(x: float, y: float, size: float, paper: str, wall: str) -> Item:
    """The same in a vertical wall."""
    return ShapeGroup(
        name="door", x=x, y=y + size, angle=-90, children=tuple(_door(0, 0, size, paper, wall))
    )


def _furniture(kind: str, x: float, y: float, ink: str) -> ShapeGroup:
    """A piece of furniture whose back is at the upper wall."""
    pen: dict[str, Any] = {"stroke": ink, "width": 1.5, "fill": "#ffffff"}
    pieces: dict[str, tuple[Item, ...]] = {
        "bed": (
            Rectangle(x=-42, y=0, w=84, h=72, radius=6, **pen),
            Rectangle(x=-36, y=5, w=32, h=18, radius=4, **pen),
            Rectangle(x=4, y=5, w=32, h=18, radius=4, **pen),
        ),
        "sofa": (
            Rectangle(x=-56, y=0, w=112, h=42, radius=8, **pen),
            Rectangle(x=-44, y=12, w=44, h=26, radius=4, **pen),
            Rectangle(x=0, y=12, w=44, h=26, radius=4, **pen),
        ),
        "counter": (
            Rectangle(x=-54, y=0, w=108, h=34, **pen),
            Ellipse(x=-32, y=17, rx=12, ry=9, **pen),
            Ellipse(x=14, y=17, rx=8, ry=8, **pen),
            Ellipse(x=36, y=17, rx=8, ry=8, **pen),
        ),
        "table": (Rectangle(x=-44, y=10, w=88, h=44, radius=6, **pen),),
        "desk": (
            Rectangle(x=-50, y=0, w=100, h=36, **pen),
            Ellipse(x=0, y=50, rx=13, ry=13, **pen),
        ),
        "tub": (
            Rectangle(x=-48, y=0, w=96, h=44, radius=4, **pen),
            Ellipse(x=0, y=22, rx=38, ry=15, **pen),
        ),
    }
    return ShapeGroup(name=kind, x=round(x), y=round(y), children=pieces[kind])
