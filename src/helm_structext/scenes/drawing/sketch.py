"""Technical sketches: a part with its center lines, dimensions in millimeters, and a title block."""

from collections.abc import Callable, Mapping
from math import radians, tan
from random import Random
from typing import Any

from helm_structext.scenes.drawing.shapes import (
    Circle,
    Curve,
    Item,
    Polygon,
    Rectangle,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    arrow_head,
    polar,
)
from helm_structext.scenes.drawing.sheet import DrawingSheet, make_text
from helm_structext.scenes.scene import Level

INKS = (
    ("#ffffff", "#1b2a38", "#3f5d7d", "#b23a2e"),
    ("#fbfaf5", "#26221c", "#5a5348", "#a33b20"),
    ("#123456", "#ffffff", "#c9def2", "#ffd479"),
)
"""Paper, lines of the part, of dimensions, and center lines."""
WIDTH, HEIGHT = 960, 640


class _Pen:
    """Lines and texts in the colors of a sheet."""

    def __init__(self, paper: str, ink: str, thin: str, center: str) -> None:
        self.paper, self.ink, self.thin, self.center = paper, ink, thin, center

    def axis(self, x1: float, y1: float, x2: float, y2: float) -> Item:
        return Polygon(
            points=((x1, y1), (x2, y2)),
            open=True,
            stroke=self.center,
            width=1.5,
            dash=(16, 5, 2, 5),
        )

    def line(self, *points: tuple[float, float]) -> Item:
        return Polygon(points=points, open=True, stroke=self.thin, width=1.5)

    def across(self, x: float, end: float, y: float, edge: float, text: str) -> list[Item]:
        """A horizontal dimension at ``y`` of what ends at ``edge``."""
        past = 8 if y > edge else -8
        near = 6 if y > edge else -6
        return [
            self.line((x, edge + near), (x, y + past)),
            self.line((end, edge + near), (end, y + past)),
            *self.arrows((x, y), (end, y)),
            make_text(text, (x + end) / 2, y - 8, 19, self.ink, anchor="middle"),
        ]

    def down(self, y: float, end: float, x: float, edge: float, text: str) -> list[Item]:
        """A vertical dimension at ``x`` of what ends at ``edge``; its text reads upwards."""
        past = 8 if x > edge else -8
        near = 6 if x > edge else -6
        turned = ShapeGroup(
            name="",
            x=x - 8,
            y=(y + end) / 2,
            angle=-90,
            children=(make_text(text, 0, 0, 19, self.ink, anchor="middle"),),
        )
        return [
            self.line((edge + near, y), (x + past, y)),
            self.line((edge + near, end), (x + past, end)),
            *self.arrows((x, y), (x, end)),
            turned,
        ]

    def arrows(self, a: tuple[float, float], b: tuple[float, float]) -> list[Item]:
        return [
            self.line(a, b),
            Polygon(points=arrow_head(a, b, 13), fill=self.thin),
            Polygon(points=arrow_head(b, a, 13), fill=self.thin),
        ]

    def leader(
        self, tip: tuple[float, float], corner: tuple[float, float], text: str
    ) -> list[Item]:
        """A text at a line that points to something; its shelf goes to the right."""
        x, y = corner
        return [
            self.line(tip, corner, (x + 12 + 11 * len(text), y)),
            Polygon(points=arrow_head(tip, corner, 13), fill=self.thin),
            make_text(text, x + 8, y - 7, 19, self.ink),
        ]


def _plate(rng: Random, level: Level, pen: _Pen) -> list[Item]:
    """A plate with holes in its corners, and a bore or a slot in its middle."""
    w, h = rng.choice([120, 140, 160, 180, 200]), rng.choice([80, 90, 100, 110])
    inset, r = rng.choice([12, 15, 18, 20]), rng.choice([4, 5, 6])
    scale = 2.2
    sw, sh, si, sr = round(w * scale), round(h * scale), round(inset * scale), round(r * scale, 1)
    radius = rng.choice([0, 8, 12]) * scale
    x, y = -sw / 2, -sh / 2
    items: list[Item] = [Rectangle(x=x, y=y, w=sw, h=sh, radius=radius, stroke=pen.ink, width=3.5)]
    corners = [(x + si, y + si), (-x - si, y + si), (x + si, -y - si), (-x - si, -y - si)]
    hole = ShapeSymbol(
        "hole",
        (
            Circle(x=0, y=0, r=sr, stroke=pen.ink, width=2.5),
            pen.axis(-sr - 8, 0, sr + 8, 0),
            pen.axis(0, -sr - 8, 0, sr + 8),
        ),
    )
    items += [
        SymbolUse(symbol=hole, x=a, y=b) for a, b in (corners if level != "easy" else corners[:2])
    ]
    if rng.random() < 0.5:
        bore = rng.choice([20, 24, 30, 36])
        items.append(Circle(x=0, y=0, r=bore * scale / 2, stroke=pen.ink, width=3.5))
        target = polar(0, 0, bore * scale / 2, -45)
        said = f"Ø{bore}"
    else:
        bore = rng.choice([16, 20, 24])
        half, turn = 18 * scale, bore * scale / 2
        items.append(
            Curve(
                start=(-half, -turn),
                segments=((half, -turn), (turn, -90, 90), (-half, turn), (turn, 90, 270)),
                stroke=pen.ink,
                width=3.5,
            )
        )
        target = polar(half, 0, turn, -45)
        said = f"R{bore // 2}"
    items += [pen.axis(-sw / 2 - 20, 0, sw / 2 + 20, 0), pen.axis(0, -sh / 2 - 20, 0, sh / 2 + 20)]
    items += pen.across(x, -x, -y + 58, -y, str(w))
    items += pen.down(y, -y, x - 58, x, str(h))
    if level != "easy":
        items += pen.across(x + si, -x - si, y - 46, y + si, str(w - 2 * inset))
        items += pen.leader(target, (-x + 30, y + si + 34), said)
    if level == "hard":
        items += pen.leader(
            polar(-x - si, -y - si, sr, 20), (-x + 30, -y - si + 30), f"4 × Ø{2 * r}"
        )
        items += pen.down(y + si, -y - si, x - 22, x + si, str(h - 2 * inset))
    return items


def _flange(rng: Random, level: Level, pen: _Pen) -> list[Item]:
    """A round flange with holes on a circle."""
    outer = rng.choice([120, 140, 160, 180])
    bore = rng.choice([40, 50, 60])
    pitch = (outer + bore) // 2 + rng.choice([0, 4, 8])
    hole = rng.choice([8, 10, 12])
    count = {"easy": 4, "medium": 6, "hard": 8}[level]
    scale = 300 / outer
    r, b, p, s = outer * scale / 2, bore * scale / 2, pitch * scale / 2, hole * scale / 2
    drilled = ShapeSymbol(
        "hole",
        (Circle(x=round(p, 1), y=0, r=round(s, 1), stroke=pen.ink, width=2.5), pen.axis(round(p - s - 9, 1), 0, round(p + s + 9, 1), 0)),
    )  # fmt: skip
    start = 0 if count == 6 else 180 / count
    # Between two holes.
    free = -45 if count == 8 else -30
    items: list[Item] = [
        Circle(x=0, y=0, r=round(r, 1), stroke=pen.ink, width=3.5),
        Circle(x=0, y=0, r=round(b, 1), stroke=pen.ink, width=3.5),
        Circle(x=0, y=0, r=round(p, 1), stroke=pen.center, width=1.5, dash=(16, 5, 2, 5)),
        *(SymbolUse(symbol=drilled, x=0, y=0, angle=start + i * 360 / count) for i in range(count)),
        pen.axis(round(-r - 20), 0, round(r + 20), 0),
        pen.axis(0, round(-r - 20), 0, round(r + 20)),
        *pen.across(round(-r, 1), round(r, 1), round(r + 58), 0, f"Ø{outer}"),
        *pen.leader(
            polar(0, 0, b, free), (round(r + 40), round((r + 40) * tan(radians(free)))), f"Ø{bore}"
        ),
    ]
    if level != "easy":
        x, y = polar(0, 0, p, start)
        items += pen.leader(
            polar(x, y, s, 20), (round(r + 40), round(y + 40)), f"{count} × Ø{hole}"
        )
    if level == "hard":
        items += pen.down(round(-p, 1), round(p, 1), round(-r - 58), 0, f"Ø{pitch}")
    return items


def _shaft(rng: Random, level: Level, pen: _Pen) -> list[Item]:
    """A shaft with steps, each with its diameter."""
    count = {"easy": 2, "medium": 3, "hard": 5}[level]
    lengths = [rng.choice([20, 25, 30, 40, 50]) for _ in range(count)]
    big = rng.randrange(count)
    diameters = [rng.choice([20, 24, 30, 36]) for _ in range(count)]
    diameters[big] = rng.choice([44, 50, 56])
    for i in range(1, count):
        if diameters[i] == diameters[i - 1]:
            diameters[i] -= 4
    total = sum(lengths)
    scale = 520 / total
    x = -260.0
    thick = min(3.4, 190 / max(diameters))
    items: list[Item] = []
    edges = [x]
    for length, diameter in zip(lengths, diameters, strict=True):
        w, half = length * scale, diameter * thick / 2
        items.append(
            Rectangle(
                x=round(x, 1),
                y=round(-half, 1),
                w=round(w, 1),
                h=round(2 * half, 1),
                stroke=pen.ink,
                width=3.5,
            )
        )
        x += w
        edges.append(x)
    items.append(pen.axis(-285, 0, 285, 0))
    most = max(diameters) * thick / 2
    for i, (length, diameter) in enumerate(zip(lengths, diameters, strict=True)):
        a, b = round(edges[i], 1), round(edges[i + 1], 1)
        half = round(diameter * thick / 2, 1)
        items += pen.across(a, b, round(most + 44), half, str(length))
        items.append(
            make_text(f"Ø{diameter}", (a + b) / 2, -most - 26, 19, pen.ink, anchor="middle")
        )
        items += [
            pen.line(((a + b) / 2, -most - 18), ((a + b) / 2, -half - 2)),
            Polygon(
                points=arrow_head(((a + b) / 2, -half - 1), ((a + b) / 2, -most - 20), 12),
                fill=pen.thin,
            ),
        ]
    items += pen.across(-260, 260, round(most + 98), round(most + 20), str(total))
    return items


def _bracket(rng: Random, level: Level, pen: _Pen) -> list[Item]:
    """An angle bracket from the side, with a chamfer and a hole."""
    w, h, t = rng.choice([100, 120, 140]), rng.choice([80, 90, 100]), rng.choice([16, 20, 24])
    cut = rng.choice([10, 15, 20])
    scale = 2.7 if w < 140 else 2.4
    sw, sh, st, sc = (round(value * scale) for value in (w, h, t, cut))
    x, y = -sw / 2, -sh / 2
    points = (
        (x, y),
        (x + st, y),
        (x + st, -y - st - sc),
        (x + st + sc, -y - st),
        (-x, -y - st),
        (-x, -y),
        (x, -y),
    )
    items: list[Item] = [Polygon(points=points, stroke=pen.ink, width=3.5)]
    middle = round(x + st + sc + (sw - st - sc) * 0.55)
    bore = rng.choice([8, 10, 12])
    half = round(bore * scale / 2, 1)
    items += [
        Polygon(
            points=((middle - half, -y - st), (middle - half, -y)),
            open=True,
            stroke=pen.ink,
            width=2,
            dash=(8, 6),
        ),
        Polygon(
            points=((middle + half, -y - st), (middle + half, -y)),
            open=True,
            stroke=pen.ink,
            width=2,
            dash=(8, 6),
        ),
        pen.axis(middle, -y - st - 24, middle, -y + 18),
        *pen.across(x, -x, -y + 66, -y, str(w)),
        *pen.down(y, -y, x - 52, x, str(h)),
        *pen.across(x, x + st, y - 36, y, str(t)),
    ]
    if level != "easy":
        items += pen.leader(
            (x + st + sc / 2, -y - st - sc / 2),
            (x + st + sc + 46, -y - st - sc - 60),
            f"{cut} × 45°",
        )
        items += pen.down(-y - st, -y, -x + 54, -x, str(t))
    if level == "hard":
        upper = round(y + (sh - st) * 0.35)
        items += [
            Polygon(points=((x, upper - half), (x + st, upper - half)), open=True, stroke=pen.ink, width=2, dash=(8, 6)),
            Polygon(points=((x, upper + half), (x + st, upper + half)), open=True, stroke=pen.ink, width=2, dash=(8, 6)),
            pen.axis(x - 18, upper, x + st + 24, upper),
            *pen.leader((x + st, upper - half), (x + st + 60, upper - half - 40), f"2 × Ø{bore}"),
        ]  # fmt: skip
    return items


PARTS: Mapping[str, Callable[[Random, Level, _Pen], list[Item]]] = {
    "plate": _plate,
    "flange": _flange,
    "shaft": _shaft,
    "bracket": _bracket,
}


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a technical sketch."""
    paper, ink, thin, center = rng.choice(INKS[:2] if rng.random() < 0.7 else INKS[2:])
    pen = _Pen(paper, ink, thin, center)
    kind = rng.choice(list(PARTS))
    part = rng.choice(words["parts"][kind])
    sheet = DrawingSheet(title=part, width=WIDTH, height=HEIGHT, background=paper)
    sheet.items.append(Rectangle(x=20, y=20, w=WIDTH - 40, h=HEIGHT - 40, stroke=ink, width=2.5))
    if level == "hard":
        step = 40
        sheet.items += [
            pen.line((x, 20), (x, 20 + (12 if i % 2 else 8)))
            for i, x in enumerate(range(60, WIDTH - 40, step * 4))
        ]
    sheet.items.append(
        ShapeGroup(
            # Texts of leaders stand right of a part; a shaft has none.
            name=kind,
            x=WIDTH / 2 - (0 if kind == "shaft" else 110),
            y=260,
            children=tuple(PARTS[kind](rng, level, pen)),
        )
    )
    rows = [
        (words["block"]["part"], part),
        (words["block"]["material"], rng.choice(words["materials"])),
        (words["block"]["scale"], rng.choice(["1:1", "1:2", "2:1", "1:5"])),
        (words["block"]["drawn"], rng.choice(words["drafters"])),
        (words["block"]["number"], f"{rng.choice('ABDFKMPRT')}-{rng.randint(1000, 9899)}"),
    ][: {"easy": 2, "medium": 4, "hard": 5}[level]]
    w, line = 360, 27
    x, y = WIDTH - 20 - w, HEIGHT - 20 - line * len(rows)
    sheet.items.append(
        Rectangle(x=x, y=y, w=w, h=line * len(rows), fill=paper, stroke=ink, width=2.5)
    )
    for i, (name, value) in enumerate(rows):
        base = y + i * line
        if i:
            sheet.items.append(
                Polygon(points=((x, base), (x + w, base)), open=True, stroke=ink, width=1.5)
            )
        sheet.write(name, x + 10, base + 19, 15, thin, within=118)
        sheet.write(value, x + 136, base + 19, 16, ink, bold=i == 0, within=w - 146)
    sheet.items.append(
        Polygon(points=((x + 128, y), (x + 128, HEIGHT - 20)), open=True, stroke=ink, width=1.5)
    )
    sheet.write(words["unit_note"], 40, HEIGHT - 38, 15, thin, within=420)
    return sheet
