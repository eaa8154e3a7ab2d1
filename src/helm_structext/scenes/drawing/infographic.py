"""Infographics: a headline, key figures with pictograms, shares as a ring or a strip, and steps of a way."""

from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Any

from helm_structext.scenes.drawing.pictograms import pictogram
from helm_structext.scenes.drawing.shapes import (
    Circle,
    Curve,
    Gradient,
    Item,
    Polygon,
    Rectangle,
    ShapeGroup,
    polar,
)
from helm_structext.scenes.drawing.sheet import (
    PALETTES,
    DrawingPalette,
    DrawingSheet,
    make_text,
    mix,
)
from helm_structext.scenes.scene import Level

WIDTH = 900
TOPICS: Mapping[str, tuple[tuple[str, int, int, str], ...]] = {
    "cycling": (("bicycle", 18, 46, "km"), ("leaf", 120, 340, "kg"), ("clock", 14, 38, "min")),
    "water": (("drop", 95, 160, "l"), ("house", 2, 5, ""), ("clock", 4, 12, "min")),
    "energy": (("bolt", 1800, 4600, "kWh"), ("sun", 1100, 1900, "h"), ("leaf", 700, 1800, "kg")),
    "coffee": (("cup", 2, 5, ""), ("leaf", 4, 9, "kg"), ("clock", 3, 8, "min")),
    "reading": (("book", 6, 24, ""), ("clock", 15, 55, "min"), ("person", 210, 960, "")),
    "hiking": (("mountain", 480, 1650, "m"), ("flag", 9, 28, "km"), ("clock", 3, 9, "h")),
    "sleep": (("moon", 6, 9, "h"), ("cup", 2, 4, ""), ("heart", 52, 68, "")),
    "bread": (("wheat", 12, 21, "kg"), ("clock", 16, 36, "h"), ("house", 40, 320, "")),
    "forest": (("tree", 120, 780, ""), ("drop", 480, 920, "l"), ("leaf", 8, 25, "kg")),
    "music": (("music", 25, 90, ""), ("person", 140, 1200, ""), ("clock", 30, 120, "min")),
}
"""Topic to its figures: pictogram, least and largest number, unit. Their captions are in the words.

The figures of a topic are large together: who rides further takes longer.
"""


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes an infographic."""
    palette = rng.choice(PALETTES)
    key = rng.choice(list(TOPICS))
    topic = words["topics"][key]
    accents = list(palette.accents)
    rng.shuffle(accents)
    sheet = DrawingSheet(title=topic["title"], width=WIDTH, height=0, background=palette.paper)
    head = 130
    filled = rng.random() < 0.6
    ground: Gradient | str = accents[0]
    if rng.random() < 0.5:
        ground = Gradient("header", "right", (accents[0], mix(accents[0], palette.ink, 0.35)))
    if filled:
        sheet.items.append(Rectangle(x=0, y=0, w=WIDTH, h=head, fill=ground))
    ink, note = (
        ("#ffffff", mix(accents[0], "#ffffff", 0.8)) if filled else (palette.ink, palette.muted)
    )
    sheet.write(topic["title"], 50, 68, 40, ink, bold=True, within=800)
    sheet.write(topic["question"], 50, 104, 21, note, within=800)
    y = _figures(sheet, rng, head + 30, key, topic, level, palette, accents)
    if level != "easy":
        shown = rng.choice([_draw_ring, _draw_strip])
        y = shown(sheet, rng, y, topic, palette, accents)
    if level == "hard":
        y = _steps(sheet, y, topic, palette, accents)
    sheet.height = y + 10
    return sheet


def _figures(
    sheet: DrawingSheet, rng: Random, y: float, key: str, topic: Mapping[str, Any], level: Level, palette: DrawingPalette,
    accents: list[str],
) -> float:  # fmt: skip
    facts = list(zip(TOPICS[key], topic["captions"], strict=True))
    if level == "easy":
        facts = facts[: rng.choice([2, 3])]
    step = 800 / len(facts)
    large = rng.random()
    cards = rng.random() < 0.5
    for i, ((icon, low, high, unit), caption) in enumerate(facts):
        color = accents[i]
        w = step - 24
        share = min(max(large + rng.uniform(-0.1, 0.1), 0), 1)
        value = round(low + share * (high - low))
        if value > 100:
            value = value // 10 * 10
        text = f"{value} {unit}".strip()
        card: list[Item] = (
            [Rectangle(x=0, y=0, w=w, h=210, radius=14, fill=palette.pale[i % 2])] if cards else []
        )
        sheet.items.append(
            ShapeGroup(
                name=f"figure {i + 1}",
                x=round(50 + i * step + 12),
                y=y,
                children=(
                    *card,
                    Circle(x=w / 2, y=66, r=46, fill=color),
                    pictogram(icon, w / 2, 66, 26, "#ffffff", color),
                    make_text(
                        text,
                        w / 2,
                        156,
                        36,
                        mix(color, "#000000", 0.15),
                        anchor="middle",
                        bold=True,
                        within=w - 20,
                    ),
                    make_text(caption, w / 2, 188, 18, palette.ink, anchor="middle", within=w - 20),
                ),
            )
        )
    return y + 240


def _shares(rng: Random, count: int) -> list[int]:
    """Whole percents, the largest first, none below 8."""
    rest = 100 - 8 * count
    weights = [rng.uniform(0.1, 1) ** 2 for _ in range(count)]
    shares = sorted((8 + round(rest * weight / sum(weights)) for weight in weights), reverse=True)
    shares[0] += 100 - sum(shares)
    return shares


def _draw_ring(
    sheet: DrawingSheet,
    rng: Random,
    y: float,
    topic: Mapping[str, Any],
    palette: DrawingPalette,
    accents: list[str],
) -> float:
    shares = _shares(rng, len(topic["labels"]))
    sheet.write(topic["shares"], 50, y + 34, 26, palette.ink, bold=True, within=800)
    r, inner = 112, rng.choice([58, 66, 74])
    pieces: list[Item] = []
    angle = -90.0
    for share, color in zip(shares, accents, strict=False):
        end = round(angle + share * 3.6, 1)
        pieces.append(
            Curve(
                start=polar(0, 0, r, angle),
                segments=((r, angle, end), polar(0, 0, inner, end), (inner, end, angle)),
                fill=color,
            )
        )
        angle = end
    pieces.append(make_text(f"{shares[0]}%", 0, 13, 36, palette.ink, anchor="middle", bold=True))
    sheet.items.append(ShapeGroup(name="ring", x=240, y=y + 180, children=tuple(pieces)))
    for i, (share, color, label) in enumerate(zip(shares, accents, topic["labels"], strict=False)):
        top = y + 100 + i * 48
        sheet.items.append(Rectangle(x=450, y=top, w=24, h=24, radius=5, fill=color))
        sheet.write(label, 490, top + 19, 20, palette.ink, within=250)
        sheet.write(f"{share}%", 850, top + 19, 20, palette.ink, anchor="end", bold=True)
    return y + 320


def _draw_strip(
    sheet: DrawingSheet,
    rng: Random,
    y: float,
    topic: Mapping[str, Any],
    palette: DrawingPalette,
    accents: list[str],
) -> float:
    shares = _shares(rng, len(topic["labels"]))
    sheet.write(topic["shares"], 50, y + 34, 26, palette.ink, bold=True, within=800)
    full = 460
    for i, (share, color, label) in enumerate(zip(shares, accents, topic["labels"], strict=False)):
        top = y + 62 + i * 52
        sheet.write(label, 50, top + 24, 20, palette.ink, within=230)
        sheet.items.append(Rectangle(x=300, y=top, w=full, h=34, radius=8, fill=palette.pale[0]))
        sheet.items.append(
            Rectangle(
                x=300, y=top, w=round(full * share / shares[0] * 0.96), h=34, radius=8, fill=color
            )
        )
        sheet.write(f"{share}%", 850, top + 24, 20, palette.ink, anchor="end", bold=True)
    return y + 62 + len(shares) * 52 + 30


def _steps(
    sheet: DrawingSheet,
    y: float,
    topic: Mapping[str, Any],
    palette: DrawingPalette,
    accents: list[str],
) -> float:
    steps = topic["steps"]
    gap = 800 / len(steps)
    sheet.items.append(Rectangle(x=0, y=y, w=WIDTH, h=180, fill=palette.pale[1]))
    centers = [round(50 + gap * (i + 0.5)) for i in range(len(steps))]
    for a, b in pairwise(centers):
        sheet.items += [
            Polygon(
                points=((a + 44, y + 70), (b - 52, y + 70)),
                open=True,
                stroke=palette.muted,
                width=3,
                dash=(8, 8),
            ),
            Polygon(
                points=((b - 38, y + 70), (b - 52, y + 62), (b - 52, y + 78)), fill=palette.muted
            ),
        ]
    for i, (x, text) in enumerate(zip(centers, steps, strict=True)):
        sheet.items.append(Circle(x=x, y=y + 70, r=32, fill=accents[i]))
        sheet.write(str(i + 1), x, y + 80, 28, "#ffffff", anchor="middle", bold=True)
        sheet.write(text, x, y + 138, 19, palette.ink, anchor="middle", within=gap - 16)
    return y + 170
