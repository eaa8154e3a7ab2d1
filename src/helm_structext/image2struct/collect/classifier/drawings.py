"""Pages that are not sheet music, drawn by Pillow: rules, grids, charts, pictures.

Many are made of lines, as music is, and some of just five.
"""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from helm_structext.image2struct.collect.classifier.pieces import word, words

SIZE = (1200, 1700)


def _page() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    page = Image.new("L", SIZE, 255)
    return page, ImageDraw.Draw(page)


def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _across(
    draw: ImageDraw.ImageDraw, heights: Sequence[float], sides: tuple[int, int], width: int = 2
) -> None:
    for y in heights:
        draw.line((sides[0], y, sides[1], y), fill=0, width=width)


def _chance(random: Random) -> np.random.Generator:
    return np.random.default_rng(random.getrandbits(64))


def lined_paper(random: Random) -> Image.Image:
    """Paper to write on: rules at one distance, some words, perhaps a margin."""
    page, draw = _page()
    gap, left = random.randint(24, 75), random.randint(0, 150)
    heights = range(random.randint(60, 200), SIZE[1] - 60, gap)
    _across(draw, heights, (left, SIZE[0] - left), random.choice((1, 2, 3)))
    if random.random() < 0.5:
        draw.line((180, 0, 180, SIZE[1]), fill=90, width=2)
    written = random.choice((0.0, 0.0, 0.5))
    for y in heights:
        if random.random() < written:
            draw.text((200, y - gap * 0.9), words(random, 3, 6), fill=40, font=_font(gap * 0.7))
    return page


def music_paper(random: Random) -> Image.Image:
    """Rules in groups of five, without a note on them; some with bar lines or a title."""
    page, draw = _page()
    _rule_in_fives(draw, random, random.choice((5, 5, 5, 4, 6)))
    if random.random() < 0.4:
        draw.text((400, 40), words(random, 1, 4), fill=0, font=_font(40))
    return page


def _rule_in_fives(draw: ImageDraw.ImageDraw, random: Random, lines: int) -> list[float]:
    """Draws groups of rules; returns where the gaps below them are."""
    space, sides = (
        random.uniform(8, 22),
        (random.randint(40, 150), SIZE[0] - random.randint(40, 150)),
    )
    pitch = space * random.uniform(lines + 1.5, lines + 7)
    width = random.choice((1, 2, 2, 3))
    bars = random.choice((0, 0, 3, 4, 5))
    gaps = []
    top = float(random.randint(90, 200))
    while top < SIZE[1] - 120:
        _across(draw, [top + n * space for n in range(lines)], sides, width)
        bottom = top + (lines - 1) * space
        for bar in range(bars + 1) if bars else ():
            x = sides[0] + bar * (sides[1] - sides[0]) / bars
            draw.line((x, top, x, bottom), fill=0, width=2)
        gaps.append(bottom + space)
        top += pitch
    return gaps


def texts_in_fives(random: Random) -> Image.Image:
    """Rules in groups of five with words on and between them."""
    page, draw = _page()
    for gap in _rule_in_fives(draw, random, 5):
        for y in (gap, gap - random.randint(30, 70)):
            size = random.randint(18, 32)
            draw.text((random.randint(60, 300), y), words(random, 4, 9), fill=0, font=_font(size))
    return page


def marks(random: Random) -> Image.Image:
    """Dots, strokes and letters as dark as notes, in rows or anywhere, but no staves."""
    page, draw = _page()
    rows = random.choice((0, 0, random.randint(3, 14)))
    for _ in range(random.randint(30, 250)):
        y = random.randint(1, rows) * SIZE[1] // (rows + 1) if rows else random.randrange(SIZE[1])
        x, size = random.randrange(SIZE[0]), random.randint(6, 34)
        box = (x, y, x + size * random.uniform(0.7, 1.6), y + size)
        match random.choice(("dot", "ring", "stroke", "letter", "flag")):
            case "dot":
                draw.ellipse(box, fill=0)
            case "ring":
                draw.ellipse(box, outline=0, width=3)
            case "stroke":
                draw.line(box, fill=0, width=random.randint(2, 7))
            case "letter":
                draw.text((x, y), random.choice("b#*&%§@$?"), fill=0, font=_font(size * 2))
            case "flag":
                draw.ellipse(box, fill=0)
                draw.line((box[2], y, box[2], y - 3 * size), fill=0, width=3)
    return page


def graph_paper(random: Random) -> Image.Image:
    """A grid, perhaps with a curve on it."""
    page, draw = _page()
    gap = random.randint(14, 48)
    for n, x in enumerate(range(50, SIZE[0] - 50, gap)):
        draw.line((x, 50, x, SIZE[1] - 50), fill=120, width=1 + (n % 5 == 0))
    for n, y in enumerate(range(50, SIZE[1] - 50, gap)):
        draw.line((50, y, SIZE[0] - 50, y), fill=120, width=1 + (n % 5 == 0))
    if random.random() < 0.5:
        heights = np.cumsum(_chance(random).normal(0, 30, 60)) + SIZE[1] / 2
        draw.line([(60 + 18 * n, float(y)) for n, y in enumerate(heights)], fill=0, width=4)
    return page


def crossword(random: Random) -> Image.Image:
    """Squares, white, black and numbered."""
    page, draw = _page()
    count = random.randint(9, 21)
    side = 1000 // count
    for place in range(count * count):
        x, y = 100 + place % count * side, 300 + place // count * side
        filled = random.random() < 0.25
        draw.rectangle((x, y, x + side, y + side), fill=0 if filled else 255, outline=0, width=2)
        if not filled and random.random() < 0.4:
            draw.text((x + 4, y + 2), str(place % 60), fill=0, font=_font(side * 0.35))
    return page


def chart(random: Random) -> Image.Image:
    """Bars, lines, points or slices, with a legend and axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    chance = _chance(random)
    figure = Figure(figsize=(8, 11.3), dpi=150)
    canvas = FigureCanvasAgg(figure)
    shape = random.choice(((1, 1), (2, 1), (3, 1), (2, 2)))
    for axes in np.ravel(figure.subplots(*shape)):
        match random.choice(("bar", "line", "points", "pie", "steps")):
            case "bar":
                axes.bar(range(8), chance.random(8), color=str(random.random() * 0.8))
            case "line":
                for _ in range(random.randint(1, 4)):
                    axes.plot(np.cumsum(chance.normal(size=60)), label=word(random))
                axes.legend()
            case "points":
                axes.scatter(*chance.normal(size=(2, 150)), s=random.randint(5, 60), c="black")
            case "pie":
                axes.pie(chance.random(5) + 0.1, labels=[word(random) for _ in range(5)])
            case "steps":
                axes.step(range(30), chance.random(30))
                axes.grid()
        axes.set_title(words(random, 1, 5))
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("L")


def picture(random: Random) -> Image.Image:
    """Something like a photograph: clouds of light at several scales, and shapes."""
    chance = _chance(random)
    light: NDArray[np.float64] = np.zeros(SIZE[::-1])
    for cells in (3, 7, 20, 60):
        grid = Image.fromarray((chance.random((cells, cells)) * 255).astype(np.uint8))
        light += np.asarray(grid.resize(SIZE, Image.Resampling.BICUBIC)) / cells**0.5
    light = (light - light.min()) / np.ptp(light) * 255
    page = Image.fromarray(light.astype(np.uint8))
    draw = ImageDraw.Draw(page)
    for _ in range(random.randint(0, 12)):
        x, y = random.randint(0, SIZE[0]), random.randint(0, SIZE[1])
        box = (x, y, x + random.randint(30, 500), y + random.randint(30, 500))
        shape = random.choice((draw.ellipse, draw.rectangle))
        shape(box, fill=random.randint(0, 255))
    if random.random() < 0.5:
        frame = random.randint(40, 250)
        framed = Image.new("L", SIZE, 255)
        framed.paste(page.crop((frame, frame, SIZE[0] - frame, SIZE[1] - frame)), (frame, frame))
        page = framed
    return page.filter(ImageFilter.GaussianBlur(random.uniform(0, 2)))


def diagram(random: Random) -> Image.Image:
    """Boxes with words, and lines between them."""
    page, draw = _page()
    places = [
        (random.randint(60, SIZE[0] - 260), random.randint(60, SIZE[1] - 160))
        for _ in range(random.randint(8, 24))
    ]
    for (x, y), (u, v) in pairwise(places):
        draw.line((x + 90, y + 40, u + 90, v + 40), fill=0, width=random.choice((1, 2, 4)))
    for x, y in places:
        shape = random.choice((draw.rectangle, draw.ellipse))
        shape((x, y, x + 190, y + 80), fill=255, outline=0, width=3)
        draw.text((x + 25, y + 28), word(random), fill=0, font=_font(24))
    return page


def engraving(random: Random) -> Image.Image:
    """A picture in close lines that swell, as engravers make it; sheet music has none such."""
    chance = _chance(random)
    grid = Image.fromarray((chance.random((9, 6)) * 255).astype(np.uint8))
    light = np.asarray(grid.resize(SIZE, Image.Resampling.BICUBIC)) / 255
    rows, across = np.mgrid[: SIZE[1], : SIZE[0]]
    angle, gap = random.uniform(-0.6, 0.6), random.uniform(6, 14)
    waves = rows * np.cos(angle) + across * np.sin(angle) + 12 * np.sin(across / 90)
    ink = np.sin(waves * 2 * np.pi / gap) * 0.5 + 0.5 > light * 0.9 + 0.05
    return Image.fromarray(np.where(ink, 0, 255).astype(np.uint8))


def map_page(random: Random) -> Image.Image:
    """Winding lines, names, dots: a map."""
    page, draw = _page()
    chance = _chance(random)
    for _ in range(random.randint(10, 30)):
        start = chance.random(2) * SIZE
        way = np.cumsum(chance.normal(0, 25, (80, 2)), axis=0) + start
        draw.line([tuple(point) for point in way.tolist()], fill=random.randint(0, 120), width=2)
    for _ in range(random.randint(20, 60)):
        x, y = random.randint(30, SIZE[0] - 150), random.randint(30, SIZE[1] - 60)
        draw.ellipse((x, y, x + 9, y + 9), fill=0)
        draw.text((x + 14, y - 6), word(random), fill=0, font=_font(random.randint(14, 24)))
    return page
