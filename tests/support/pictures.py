"""Pictures of the kinds that the benchmarks render, drawn from a seed."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

Color = tuple[int, int, int]
WORDS = [
    "for",
    "each",
    "node",
    "v",
    "in",
    "order",
    "do",
    "relax",
    "edge",
    "return",
    "sum",
    "alpha",
    "theta",
    "lambda",
]


def equation(draw: ImageDraw.ImageDraw, rng: np.random.Generator, ink: Color) -> None:
    width, height = draw.im.size
    y = height // 3
    draw.text((4, y), "".join(rng.choice(list("xyabc+-=()^2n"), 12)), fill=ink)
    left = int(rng.integers(width // 3, width // 2))
    draw.line((left, height // 2, width - 6, height // 2), fill=ink)
    draw.text((left + 4, height // 2 + 2), "n(n+1)", fill=ink)


def table(draw: ImageDraw.ImageDraw, rng: np.random.Generator, ink: Color) -> None:
    width, height = draw.im.size
    for y in range(2, height, 16):
        draw.line((2, y, width - 3, y), fill=ink)
        for x in range(4, width - 20, 36):
            draw.text((x, y + 3), str(rng.integers(10, 1000)), fill=ink)


def plot(draw: ImageDraw.ImageDraw, rng: np.random.Generator, ink: Color) -> None:
    width, height = draw.im.size
    draw.line((6, 2, 6, height - 6, width - 3, height - 6), fill=ink, width=2)
    for _ in range(2):
        xs = np.linspace(6, width - 4, 12)
        ys = rng.uniform(4, height - 8, 12)
        color = tuple(int(c) for c in rng.integers(0, 256, 3))
        draw.line(list(zip(xs.tolist(), ys.tolist(), strict=True)), fill=color, width=2)


def algorithm(draw: ImageDraw.ImageDraw, rng: np.random.Generator, ink: Color) -> None:
    for number, y in enumerate(range(2, draw.im.size[1] - 10, 12), start=1):
        indent = 8 * int(rng.integers(0, 3))
        words = " ".join(rng.choice(WORDS, int(rng.integers(2, 5))))
        draw.text((2 + indent, y), f"{number}: {words}", fill=ink)


def webpage(draw: ImageDraw.ImageDraw, rng: np.random.Generator, ink: Color) -> None:
    width, height = draw.im.size
    draw.rectangle((0, 0, width, 14), fill=tuple(int(c) for c in rng.integers(0, 256, 3)))
    draw.text((4, 1), "Home  About  Contact", fill=(255, 255, 255))
    for _ in range(3):
        x, y = int(rng.integers(0, width - 30)), int(rng.integers(18, height - 16))
        color = tuple(int(c) for c in rng.integers(0, 256, 3))
        draw.rectangle((x, y, x + 28, y + 14), fill=color)
    draw.text((6, height - 14), " ".join(rng.choice(WORDS, 4)), fill=ink)


def music(draw: ImageDraw.ImageDraw, rng: np.random.Generator, ink: Color) -> None:
    width, height = draw.im.size
    for staff in range(6, height - 22, 34):
        for line in range(5):
            draw.line((2, staff + 4 * line, width - 3, staff + 4 * line), fill=ink)
        for x in range(14, width - 10, 18):
            y = staff + 2 * int(rng.integers(0, 8))
            draw.ellipse((x, y, x + 5, y + 4), fill=ink)
            draw.line((x + 5, y + 2, x + 5, y - 10), fill=ink)


DRAWN: dict[str, Callable[[ImageDraw.ImageDraw, np.random.Generator, Color], None]] = {
    "equation": equation,
    "table": table,
    "plot": plot,
    "algorithm": algorithm,
    "webpage": webpage,
    "music": music,
}


def drawn(kind: str, seed: int, size: tuple[int, int], background: Color) -> Image.Image:
    """Returns a picture of one of the kinds in `DRAWN`."""
    image = Image.new("RGB", size, background)
    ink = (0, 0, 0) if sum(background) > 300 else (235, 235, 235)
    DRAWN[kind](ImageDraw.Draw(image), np.random.default_rng(seed), ink)
    return image


def noise(seed: int, size: tuple[int, int]) -> Image.Image:
    values = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3))
    return Image.fromarray(values.astype(np.uint8))


def photo(seed: int, size: tuple[int, int]) -> Image.Image:
    """Returns smooth shapes with a little noise, in no two pixels quite the same color."""
    smooth = noise(seed, (6, 5)).resize(size, Image.Resampling.BICUBIC)
    grain = np.random.default_rng(seed + 1).integers(-6, 7, (size[1], size[0], 3))
    return Image.fromarray(np.clip(np.asarray(smooth) + grain, 0, 255).astype(np.uint8))
