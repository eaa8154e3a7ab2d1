"""Texts set into a rectangle and painted, and where their ink is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from helm_structext.mmr.generate.colors import RGB
from helm_structext.mmr.generate.fonts import load_font

Rect = tuple[float, float, float, float]
"""``left, top, right, bottom`` in pixels."""

Width = Callable[[Sequence[str]], float]

TRIAL_SIZE = 100
"""Texts are measured at this size; widths grow in proportion."""

INK = 96
"""Of 255: a pixel that a letter covers less is not ink to the eye."""


@dataclass(frozen=True)
class Setting:
    """A text broken into lines of a font and size.

    Args:
        font: a key of `helm_structext.mmr.generate.fonts.FONTS`.
        size: in pixels.
        lines: from top to bottom.
        leading: distance of two lines, in sizes.
        spacing: of letters, in sizes.
    """

    font: str
    size: int
    lines: tuple[str, ...]
    leading: float
    spacing: float

    def width(self, line: str) -> float:
        """Returns the width of a line in pixels."""
        gaps = max(0, len(line) - 1) * self.spacing * self.size
        return load_font(self.font, self.size).getlength(line) + gaps


def set_text(
    text: str,
    font: str,
    space: tuple[float, float],
    largest: float,
    most_lines: int,
    leading: float = 1.2,
    spacing: float = 0.0,
) -> Setting:
    """Sets a text as large as it fits.

    Args:
        text: what to set; lines end between words, in Chinese anywhere.
        font: a key of `helm_structext.mmr.generate.fonts.FONTS`.
        space: width and height in pixels.
        largest: size in pixels that is enough.
        most_lines: how many lines there may be.
        leading: distance of two lines, in sizes.
        spacing: of letters, in sizes.

    >>> set_text("The Old Harbor", "DejaVuSerif-Bold.ttf", (300, 200), 60, 3).lines
    ('The Old', 'Harbor')
    """
    trial = load_font(font, TRIAL_SIZE)
    pieces = text.split() if " " in text else _syllables(text)
    glue = " " if " " in text else ""

    def width(line: Sequence[str]) -> float:
        joined = glue.join(line)
        return trial.getlength(joined) / TRIAL_SIZE + max(0, len(joined) - 1) * spacing

    best = Setting(font, 0, (), leading, spacing)
    for count in range(1, min(most_lines, len(pieces)) + 1):
        lines = _broken(pieces, count, width)
        size = min(
            space[0] / max(width(line) for line in lines),
            space[1] / (1 + (len(lines) - 1) * leading),
            largest,
        )
        # More lines are for a size that is clearly larger.
        if size > 1.08 * best.size:
            best = Setting(font, int(size), tuple(map(glue.join, lines)), leading, spacing)
    return best


def paint_text(
    picture: Image.Image, setting: Setting, rect: Rect, align: str, ink: RGB, angle: float = 0.0
) -> Rect | None:
    """Paints a text into a picture and returns the box of its ink, or None where it has none.

    Args:
        picture: an RGB picture, which is changed.
        setting: the text.
        rect: the text is centered vertically in it.
        align: ``left``, ``center`` or ``right``.
        ink: the color.
        angle: degrees counter-clockwise, around the rectangle's center.
    """
    mask = text_mask(picture.size, setting, rect, align, angle)
    picture.paste(ink, mask=mask)
    return mask.point(lambda cover: 255 * (cover >= INK)).getbbox()


def text_mask(
    size: tuple[int, int], setting: Setting, rect: Rect, align: str, angle: float = 0.0
) -> Image.Image:
    """Returns how much of each pixel a text covers, as a picture of mode L."""
    mask = Image.new("L", size)
    pen = ImageDraw.Draw(mask)
    font = load_font(setting.font, setting.size)
    step = setting.leading * setting.size
    # Capitals and digits are about 0.72 sizes high: these are what looks centered.
    baseline = (rect[1] + rect[3] - (len(setting.lines) - 1) * step + 0.72 * setting.size) / 2
    for line in setting.lines:
        free = rect[2] - rect[0] - setting.width(line)
        x = rect[0] + free * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
        if setting.spacing:
            for position, letter in enumerate(line):
                ahead = font.getlength(line[:position]) + position * setting.spacing * setting.size
                pen.text((x + ahead, baseline), letter, 255, font, "ls")
        else:
            pen.text((x, baseline), line, 255, font, "ls")
        baseline += step
    if angle:
        center = (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2
        mask = mask.rotate(angle, Image.Resampling.BICUBIC, center=center)
    return mask


def capital_height(setting: Setting) -> float:
    """Returns how high a capital, or a Chinese character, of a setting is in pixels."""
    tall = max(setting.lines, key=len)
    capital = next((letter for letter in tall if "\u4e00" <= letter <= "\u9fff"), "H")
    _, top, _, bottom = load_font(setting.font, setting.size).getbbox(capital, anchor="ls")
    return bottom - top


def _syllables(text: str) -> list[str]:
    """Chinese characters, each with what may not begin a line; a single word is one piece."""
    if not any("\u4e00" <= character <= "\u9fff" for character in text):
        return [text]
    pieces: list[str] = []
    for character in text:
        joined = character in "，。、！？：；的" or (
            character.isdigit() and pieces[-1:] and pieces[-1][-1].isdigit()
        )
        if pieces and joined:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _broken(pieces: Sequence[str], count: int, width: Width) -> list[list[str]]:
    """Breaks pieces into `count` lines at most, so that the widest is as narrow as possible."""
    low, high = max(width([piece]) for piece in pieces), width(pieces)
    best = [list(pieces)]
    for _ in range(12):
        limit = (low + high) / 2
        lines = _fill_lines(pieces, limit, width)
        if len(lines) <= count:
            best, high = lines, limit
        else:
            low = limit
    return best


def _fill_lines(pieces: Sequence[str], limit: float, width: Width) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    for piece in pieces:
        if lines[-1] and width([*lines[-1], piece]) > limit * (1 + 1e-9):
            lines.append([])
        lines[-1].append(piece)
    return lines
