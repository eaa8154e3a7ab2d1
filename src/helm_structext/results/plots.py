"""Pictures of tables: a heat map of correlations, and scores along the dates of instances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from helm_structext.results.statistics import Floats

INK, GREY, PALE = "#222222", "#888888", "#dddddd"
NEGATIVE, NEUTRAL, POSITIVE = (33, 102, 172), (247, 247, 247), (178, 24, 43)
BEFORE, AFTER = "#c2571a", "#1f6fb2"

CELL, MARGIN = 76, 24
PANEL, PANEL_GAP = (560, 150), 20


def heat_map(labels: Sequence[str], matrix: Floats, title: str) -> Image.Image:
    """Draws a matrix of correlations: red for 1, white for 0, blue for -1, the numbers on top.

    Args:
        labels: of rows and columns.
        matrix: k × k values in [-1, 1]; NaN is drawn as an empty grey cell.
        title: is written above.

    Raises:
        ValueError: `matrix` does not have as many rows and columns as there are labels.

    >>> heat_map(["EMS", "SSIM"], np.array([[1.0, 0.9], [0.9, 1.0]]), "Correlation").mode
    'RGB'
    """
    if matrix.shape != (len(labels), len(labels)):
        raise ValueError(
            f"matrix: expected {len(labels)} × {len(labels)} values, got the shape {matrix.shape}"
        )
    font, small, heading = _font(18), _font(17), _font(20)
    side = round(max(font.getlength(label) for label in labels)) + 12
    left, top = MARGIN + side, MARGIN + 40 + side
    width = max(left + CELL * len(labels), MARGIN + round(heading.getlength(title))) + MARGIN
    image = Image.new("RGB", (width, top + CELL * len(labels) + MARGIN), "white")
    draw = ImageDraw.Draw(image)
    draw.text((MARGIN, MARGIN), title, INK, heading)
    for i, label in enumerate(labels):
        middle = i * CELL + CELL // 2
        draw.text((left - 10, top + middle), label, INK, font, anchor="rm")
        image.paste(_upright(label, side), (left + middle - 14, top - side - 8))
        for j, value in enumerate(matrix[i].tolist()):
            corner = (left + j * CELL, top + i * CELL)
            color = _diverging(value)
            draw.rectangle((*corner, corner[0] + CELL - 2, corner[1] + CELL - 2), color)
            if not np.isnan(value):
                center = (corner[0] + CELL // 2, corner[1] + CELL // 2)
                ink = "white" if sum(color) < 400 else INK
                draw.text(center, f"{value:.2f}", ink, small, anchor="mm")
    return image


@dataclass(frozen=True)
class Point:
    """The mean of some days' instances: when, how much, and the ends of its interval."""

    day: date
    mean: float
    low: float
    high: float


def timeline(
    series: Mapping[str, Sequence[Point]], cutoffs: Mapping[str, date], title: str
) -> Image.Image:
    """Draws each model's scores along the dates of instances, its training cut-off as a line.

    Args:
        series: model to its points; those up to the cut-off are orange, later ones blue.
        cutoffs: model to cut-off, for the models of `series`.
        title: is written above.

    >>> points = [Point(date(2024, 1, 15), 0.5, 0.4, 0.6), Point(date(2024, 2, 14), 0.4, 0.3, 0.5)]
    >>> timeline({"a": points}, {"a": date(2024, 1, 31)}, "EMS by date").mode
    'RGB'
    """
    font, small, heading = _font(16), _font(14), _font(20)
    days = [point.day for points in series.values() for point in points]
    first, last = min(days), max(days)
    span = max((last - first).days, 1)
    left, inner = MARGIN + 44, 16
    width = max(left + PANEL[0] + MARGIN, round(heading.getlength(title)) + 2 * MARGIN)
    step = PANEL[1] + PANEL_GAP + 24
    image = Image.new("RGB", (width, MARGIN + 40 + step * len(series) + 30), "white")
    draw = ImageDraw.Draw(image)
    draw.text((MARGIN, MARGIN), title, INK, heading)

    def x(day: date) -> float:
        return left + inner + (PANEL[0] - 2 * inner) * (day - first).days / span

    for number, (model, points) in enumerate(series.items()):
        top = MARGIN + 40 + step * number + 24
        bottom = top + PANEL[1]
        draw.text((left, top - 8), f"{model}, cut-off {cutoffs[model]}", INK, font, anchor="ls")
        for tick in (0.0, 0.5, 1.0):
            height = bottom - tick * PANEL[1]
            draw.line((left, height, left + PANEL[0], height), PALE)
            draw.text((left - 8, height), f"{tick:.1f}", GREY, small, anchor="rm")
        # A cut-off before or after all instances stands at the edge.
        cut = min(max(x(cutoffs[model]), left), left + PANEL[0])
        for height in range(top, bottom, 8):
            draw.line((cut, height, cut, height + 4), INK, 2)
        for point in points:
            color = BEFORE if point.day <= cutoffs[model] else AFTER
            low, mean, high = (bottom - v * PANEL[1] for v in (point.low, point.mean, point.high))
            if not np.isnan(low):
                draw.line((x(point.day), low, x(point.day), high), color, 2)
            draw.ellipse((x(point.day) - 3, mean - 3, x(point.day) + 3, mean + 3), color)
    foot = image.height - 30
    draw.text((left, foot), str(first), GREY, small, anchor="lm")
    draw.text((left + PANEL[0], foot), str(last), GREY, small, anchor="rm")
    return image


def _diverging(value: float) -> tuple[int, int, int]:
    if np.isnan(value):
        return (210, 210, 210)
    end = POSITIVE if value > 0 else NEGATIVE
    share = abs(value)
    red, green, blue = (round(n + (e - n) * share) for n, e in zip(NEUTRAL, end, strict=True))
    return red, green, blue


def _upright(text: str, length: int) -> Image.Image:
    strip = Image.new("RGB", (length, 28), "white")
    ImageDraw.Draw(strip).text((0, 14), text, INK, _font(18), anchor="lm")
    return strip.rotate(90, expand=True)


def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow's wheels and Debian's have FreeType
    return font
