"""Sheets of icons, each on a tile with its name."""

from collections.abc import Mapping
from random import Random
from typing import Any

from helm_structext.scenes.drawing.pictograms import PICTOGRAMS, pictogram
from helm_structext.scenes.drawing.shapes import Circle, Gradient, Item, Rectangle, ShapeGroup
from helm_structext.scenes.drawing.sheet import PALETTES, DrawingSheet, cycle, make_text, mix
from helm_structext.scenes.scene import Level

GRIDS = {
    "easy": ((2, 1), (3, 1)),
    "medium": ((2, 2), (4, 1), (5, 1), (3, 2)),
    "hard": ((4, 2), (3, 3), (5, 2), (4, 3)),
}

FITTING = {
    1: "sun moon cloud mountain anchor camera pin tree bicycle leaf cup flag clock",
    3: "book cup house clock pin tree bicycle music search letter heart person leaf",
    9: "search star person letter lock pin gear house clock cup wheat chart camera",
}
"""Places of titles that say more than that there are icons (weather and travel, campus, shop), to those that suit them."""


def compose(rng: Random, level: Level, words: Mapping[str, Any]) -> DrawingSheet:
    """Composes a sheet of icons."""
    palette = rng.choice(PALETTES)
    columns, rows = rng.choice(GRIDS[level])
    tile = rng.choice([96, 104, 112, 120, 128])
    gap = rng.choice([44, 52, 60, 68])
    margin = rng.choice([48, 56, 64])
    head = rng.choice([96, 104, 112])
    caption = 46
    width = max(2 * margin + columns * tile + (columns - 1) * gap, 460)
    left = (width - columns * tile - (columns - 1) * gap) / 2
    height = head + 12 + rows * (tile + caption) + (rows - 1) * 14 + 20
    dark = rng.random() < 0.25
    background = palette.ink if dark else palette.paper
    text = palette.paper if dark else palette.ink
    place = rng.randrange(len(words["icon_titles"]))
    title = words["icon_titles"][place]
    sheet = DrawingSheet(title=title, width=width, height=height, background=background)
    sheet.write(
        title, left, head * 0.62, rng.choice([28, 30, 34]), text, bold=True, within=width - 2 * left
    )
    names = rng.sample(
        FITTING[place].split() if place in FITTING else [*PICTOGRAMS], columns * rows
    )
    shape = rng.choice(["tile", "tile", "circle", "plain"])
    graded = shape != "plain" and rng.random() < 0.5
    radius = rng.choice([0, 14, 22, 30])
    colors = (
        cycle(palette.accents, len(names), rng)
        if rng.random() < 0.7
        else [rng.choice(palette.accents)] * len(names)
    )
    size = round(tile * rng.choice([0.26, 0.28, 0.3]), 1) if shape != "plain" else tile * 0.38
    for i, (name, color) in enumerate(zip(names, colors, strict=True)):
        x, y = left + i % columns * (tile + gap), head + i // columns * (tile + caption + 14)
        back = (
            (mix(color, "#ffffff", 0.11) if graded else color) if shape != "plain" else background
        )
        fill = (
            Gradient(f"tile{i + 1}", "down", (mix(color, "#ffffff", 0.22), color))
            if graded
            else color
        )
        ground: list[Item] = []
        if shape == "tile":
            ground = [Rectangle(x=0, y=0, w=tile, h=tile, radius=radius, fill=fill)]
        elif shape == "circle":
            ground = [Circle(x=tile / 2, y=tile / 2, r=tile / 2, fill=fill)]
        ink = "#ffffff" if shape != "plain" else mix(color, "#ffffff", 0.35) if dark else color
        label = make_text(
            words["icons"][name],
            tile / 2,
            tile + 28,
            17,
            text,
            anchor="middle",
            within=tile + gap * 0.75,
        )
        group = ShapeGroup(
            name=f"{name} tile",
            x=x,
            y=y,
            children=(*ground, pictogram(name, tile / 2, tile / 2, size, ink, back), label),
        )
        sheet.items.append(group)
    return sheet
