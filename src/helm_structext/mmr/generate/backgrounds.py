"""Grounds of generated pictures: colors, gradients, textures, and what a text lies on."""

import math
from collections.abc import Callable
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from helm_structext.mmr.generate.colors import RGB, against, average, mix, rgb
from helm_structext.mmr.generate.texts import Rect

Outline = list[tuple[float, float]]

LIGHT = (
    "#f6efe0",
    "#fdfaf3",
    "#e6f1f5",
    "#fbe9e1",
    "#eef3e2",
    "#f7e3b0",
    "#dfe9f7",
    "#f3d9d5",
    "#ffffff",
    "#e9e2f3",
    "#f5d76e",
    "#bfe3dc",
    "#f8cdb0",
)
DARK = (
    "#14213d",
    "#1d3b2f",
    "#5a1a2b",
    "#23232b",
    "#0f4c5c",
    "#3a2352",
    "#4a2c1a",
    "#10312b",
    "#0b2545",
    "#2b2d42",
    "#7a1f1f",
    "#1a5632",
)

TEXTURE = {"easy": 0.0, "medium": 0.05, "hard": 0.10}
"""How far a texture goes from the ground's color towards black or white."""


def background(size: tuple[int, int], color: RGB, difficulty: str, rng: Random) -> Image.Image:
    """Returns a ground: a color or gradient, with a texture unless it is easy."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x / width, y / height
    other = mix(color, rng.choice([(255, 255, 255), (0, 0, 0), (90, 60, 160)]), 0.16)
    share = rng.choice(GRADIENTS)(x, y, rng)[..., None]
    pixels = np.array(color) * (1 - share) + np.array(other) * share
    depth = TEXTURE[difficulty]
    if depth:
        pattern = rng.choice(PATTERNS)(x * width, y * height, rng)[..., None]
        towards = float(against(color)[0])
        pixels = pixels + (towards - pixels) * depth * pattern
    return Image.fromarray(pixels.round().clip(0, 255).astype(np.uint8))


GRADIENTS: tuple[Callable[[np.ndarray, np.ndarray, Random], np.ndarray], ...] = (
    lambda x, y, rng: np.zeros_like(x),
    lambda x, y, rng: y,
    lambda x, y, rng: (x + y) / 2,
    lambda x, y, rng: np.clip(1.4 * np.hypot(x - 0.5, y - 0.5), 0, 1),
)


def _stripes(x: np.ndarray, y: np.ndarray, rng: Random) -> np.ndarray:
    turn, width = rng.uniform(0, math.pi), rng.uniform(10, 40)
    return ((x * math.cos(turn) + y * math.sin(turn)) // width % 2).astype(np.float32)


def _dots(x: np.ndarray, y: np.ndarray, rng: Random) -> np.ndarray:
    step = rng.uniform(22, 46)
    shifted = x + step / 2 * (y // step % 2)
    return (np.hypot(shifted % step - step / 2, y % step - step / 2) < step / 4).astype(np.float32)


def _grain(x: np.ndarray, y: np.ndarray, rng: Random) -> np.ndarray:
    return np.random.default_rng(rng.getrandbits(32)).random(x.shape, dtype=np.float32)


def _waves(x: np.ndarray, y: np.ndarray, rng: Random) -> np.ndarray:
    step, high = rng.uniform(30, 60), rng.uniform(6, 16)
    return ((y + high * np.sin(x / rng.uniform(25, 60))) // step % 2).astype(np.float32)


def _rays(x: np.ndarray, y: np.ndarray, rng: Random) -> np.ndarray:
    turn: np.ndarray = np.arctan2(y - y.max() * rng.uniform(0.2, 1.1), x - x.max() / 2)
    return (turn * rng.choice([6, 8, 10]) / math.pi // 1 % 2).astype(np.float32)


PATTERNS = (_stripes, _dots, _grain, _waves, _rays)


def book(picture: Image.Image, rng: Random) -> Rect:
    """Shades the fold beside a book's spine; returns where contents may be."""
    width, height = picture.size
    fold = 0.035 * width
    pixels = np.asarray(picture, dtype=np.float32).copy()
    x = np.arange(width, dtype=np.float32)
    shade = 0.35 * np.exp(-(((x - fold) / (0.3 * fold)) ** 2)) + 0.18 * (x < fold)
    picture.paste(Image.fromarray((pixels * (1 - shade)[:, None]).astype(np.uint8)))
    return 0.08 * width, 0.04 * height, 0.95 * width, 0.96 * height


def poster(picture: Image.Image, rng: Random) -> Rect:
    """Draws a frame around some posters."""
    width, height = picture.size
    if rng.random() < 0.5:
        edge = 0.025 * width
        line = mix(average(picture), against(average(picture)), 0.8)
        ImageDraw.Draw(picture).rectangle(
            (edge, edge, width - edge, height - edge), outline=line, width=max(2, int(edge / 4))
        )
    return 0.07 * width, 0.05 * height, 0.93 * width, 0.95 * height


def plain(picture: Image.Image, rng: Random) -> Rect:
    """Leaves a picture as it is."""
    width, height = picture.size
    return 0.05 * width, 0.04 * height, 0.95 * width, 0.96 * height


def package(picture: Image.Image, rng: Random) -> Rect:
    """Makes a bag or a carton of a picture, standing on a table before a wall."""
    width, height = picture.size
    left, top, right, bottom = 0.09 * width, 0.06 * height, 0.91 * width, 0.93 * height
    if rng.random() < 0.5:
        teeth = 22
        step = (right - left) / teeth
        upper = [(left + k * step / 2, top + step / 3 * (k % 2)) for k in range(2 * teeth + 1)]
        lower = [(x, bottom + top - y) for x, y in reversed(upper)]
        outline = upper + lower
    else:
        outline = [(left, top), (right, top), (right, bottom), (left, bottom)]
    side = [
        (right, top),
        (right + 0.05 * width, top + 0.03 * height),
        (right + 0.05 * width, bottom - 0.03 * height),
        (right, bottom),
    ]
    _mount(picture, outline, rng, side if len(outline) == 4 else None)
    return left + 0.05 * width, top + 0.045 * height, right - 0.05 * width, bottom - 0.045 * height


def label(picture: Image.Image, rng: Random) -> Rect:
    """Makes a picture the label of a jar."""
    width, height = picture.size
    rect = (0.08 * width, 0.08 * height, 0.92 * width, 0.92 * height)
    front = picture.copy()
    x = np.linspace(-1, 1, width, dtype=np.float32)
    glass = np.array(rgb(rng.choice(["#7a4a1e", "#2f5d3a", "#8c9aa3", "#5a2a2a", "#c9a86a"])))
    round_shade = (0.55 + 0.45 * np.sqrt(np.clip(1 - x**2, 0, 1)))[None, :, None]
    picture.paste(Image.fromarray((glass * round_shade * np.ones((height, 1, 1))).astype(np.uint8)))
    mask = Image.new("L", picture.size)
    ImageDraw.Draw(mask).rounded_rectangle(rect, 0.03 * width, 255)
    picture.paste(front, mask=mask)
    line = mix(average(front), against(average(front)), 0.6)
    pen = ImageDraw.Draw(picture)
    for inset, thick in ((0.014, 4), (0.024, 2)):
        edge = inset * width
        pen.rounded_rectangle(
            (rect[0] + edge, rect[1] + edge, rect[2] - edge, rect[3] - edge),
            0.02 * width,
            outline=line,
            width=thick,
        )
    return (
        rect[0] + 0.05 * width,
        rect[1] + 0.05 * height,
        rect[2] - 0.05 * width,
        rect[3] - 0.05 * height,
    )


def sign(picture: Image.Image, rng: Random) -> Rect:
    """Makes a picture a board on posts, out of doors."""
    width, height = picture.size
    front = picture.copy()
    rect = (0.07 * width, 0.06 * height, 0.93 * width, 0.9 * height)
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    sky, low = np.array([150, 195, 230]), np.array([225, 236, 240])
    scene = sky * (1 - y) + low * y
    grass = np.array(rgb(rng.choice(["#6f9a4e", "#8aa35c", "#b9a27a", "#5f8a5a"])))
    scene = np.where(y > 0.84, grass * (1.15 - 0.3 * y), scene) * np.ones((1, width, 1))
    picture.paste(Image.fromarray(scene.astype(np.uint8)))
    pen = ImageDraw.Draw(picture)
    for x in (0.2, 0.76):
        pen.rectangle((x * width, rect[3] - 5, (x + 0.04) * width, height), (96, 72, 50))
    mask = Image.new("L", picture.size)
    ImageDraw.Draw(mask).rounded_rectangle(rect, 0.03 * width, 255)
    picture.paste((70, 70, 70), mask=mask)
    mask = mask.filter(ImageFilter.MinFilter(7))
    picture.paste(front, mask=mask)
    bolt = mix(average(front), against(average(front)), 0.45)
    inset, thick = 0.03 * width, 0.008 * width
    for x in (rect[0] + inset, rect[2] - inset):
        for level in (rect[1] + inset, rect[3] - inset):
            pen.ellipse((x - thick, level - thick, x + thick, level + thick), bolt)
    return (
        rect[0] + 0.06 * width,
        rect[1] + 0.05 * height,
        rect[2] - 0.06 * width,
        rect[3] - 0.05 * height,
    )


MOUNTS: dict[str, Callable[[Image.Image, Random], Rect]] = {
    mount.__name__: mount for mount in (book, poster, plain, package, label, sign)
}
"""What a ground becomes part of; each changes the picture and returns where contents may be."""


def _mount(picture: Image.Image, outline: Outline, rng: Random, side: Outline | None) -> None:
    width, height = picture.size
    front = picture.copy()
    wall = rgb(rng.choice(["#d8d3cb", "#c8d2d8", "#e3dccf", "#b9c4bb", "#d9c9c4"]))
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    table = np.array(mix(wall, (120, 85, 50), 0.45))
    scene = np.where(y < 0.82, np.array(wall) * (1.04 - 0.1 * y), table * (1.25 - 0.3 * y))
    picture.paste(Image.fromarray((scene * np.ones((1, width, 1))).clip(0, 255).astype(np.uint8)))
    mask = Image.new("L", picture.size)
    ImageDraw.Draw(mask).polygon(outline, 255)
    shadow = mask.filter(ImageFilter.GaussianBlur(0.02 * width)).point(lambda value: value // 2)
    picture.paste((30, 26, 22), (int(0.012 * width), int(0.012 * width)), shadow)
    if side:
        ImageDraw.Draw(picture).polygon(side, mix(average(front), (0, 0, 0), 0.35))
    picture.paste(front, mask=mask)
