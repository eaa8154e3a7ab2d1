"""Proof of questions from their pictures alone.

A question rests on texts and objects. Each of a text's claims is checked in the pixels: Tesseract
reads its words inside its box; its ink ends where the box ends; the color of the ink is, of all
choices, nearest to the right one; where sizes are compared, the lines of the right choice are the
highest or lowest. Of an object, the picture changes at all four sides of its box, and inside are
the colors it is drawn in. A question of which one claim fails is not verified.
"""

import bisect
import csv
import io
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image

from helm_structext.metrics import iou, pnls
from helm_structext.mmr.generate.colors import RGB, lab, name_of
from helm_structext.mmr.generate.questions import SceneQuestion
from helm_structext.mmr.generate.scene import PaintedScene, PaintedText, SceneObject
from helm_structext.mmr.generate.shapes import draw_object, object_shapes
from helm_structext.mmr.generate.words import tesseract_languages
from helm_structext.models.ocr import tesseract

MIN_READ = 0.8
"""PNLS of what Tesseract reads, without spaces and case; it is not perfect either."""

MIN_BOX_IOU = 0.85
"""Of a text's box with the extent of the ink that is found there."""

MIN_SIZE_RATIO = 1.15
"""Of the heights of lines, as letters without ascenders are lower than the font is large."""

MARGIN = 6
"""Pixels around a text's box in which there is no more ink."""

LINE = 40
"""Height in pixels to which lines are scaled for Tesseract."""


REASONS = ("words", "box", "object", "color", "size")
"""What a question's pixels may fail to prove: of its texts what they say and where they end, that
its objects are there, which color or size is right."""


def verify(
    picture: Image.Image, scene: PaintedScene, questions: Sequence[SceneQuestion]
) -> list[str]:
    """Returns what the pixels of a picture fail to prove of each question about it.

    Args:
        picture: as it is stored, so after any loss by compression.
        scene: what is said to be in it.
        questions: about the scene.

    Returns:
        One of `REASONS` for each question, or "" for one that is verified.

    Raises:
        SetupError: Tesseract or one of its languages is not installed.
    """
    readings = read_texts(picture, scene)
    inks = {text: Ink(picture, text) for text in scene.texts}
    there = {item for item in scene.objects if object_is_visible(picture, item)}

    def claims(question: SceneQuestion) -> Iterator[bool]:
        yield all(readings[text] >= MIN_READ for text in question.texts)
        yield all(inks[text].fits(text) for text in question.texts)
        yield there.issuperset(question.objects)
        yield question.aspect != "color" or _color_verified(question, inks)
        yield question.aspect != "size" or _size_verified(question, inks)

    return [
        next((r for r, verified in zip(REASONS, claims(question), strict=True) if not verified), "")
        for question in questions
    ]


class Ink:
    """The ink that is found in and around a text's box.

    Args:
        picture: the picture.
        text: what is said to be there.
    """

    def __init__(self, picture: Image.Image, text: PaintedText) -> None:
        pad = MARGIN
        left, top, right, bottom = (round(edge) for edge in text.box)
        self._corner = (max(0, left - pad), max(0, top - pad))
        crop = picture.crop((*self._corner, right + pad, bottom + pad)).convert("RGB")
        self._pixels = np.asarray(crop)
        self._strength = ink_strength(self._pixels)
        self._mask = self._strength > 0.5
        self._angle = text.angle

    def fits(self, text: PaintedText) -> bool:
        """Says whether the ink ends where the text's box ends."""
        rows, columns = (np.flatnonzero(self._mask.any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return False
        x, y = self._corner
        found = (columns[0] + x, rows[0] + y, columns[-1] + x + 1, rows[-1] + y + 1)
        return iou(found, text.box) >= MIN_BOX_IOU

    def color(self) -> RGB:
        """Returns the color in the middle of the strokes."""
        strong = self._pixels[self._strength >= np.quantile(self._strength[self._mask], 0.6)]
        red, green, blue = (int(channel) for channel in np.median(strong, axis=0))
        return red, green, blue

    def line_height(self) -> float:
        """Returns the median height of lines, in pixels."""
        upright = Image.fromarray(self._mask).rotate(-self._angle, expand=True)
        inked = np.concatenate([[False], np.asarray(upright).any(axis=1), [False]])
        edges = np.flatnonzero(inked[1:] != inked[:-1])
        heights = edges[1::2] - edges[::2]
        # Dots and accents may stand apart from their letters.
        return float(np.median(heights[heights > 0.4 * heights.max()]))


def ink_strength(pixels: np.ndarray) -> np.ndarray:
    """Returns how far each pixel is from the ground towards the ink: 0 to 1, or a little more.

    The ground is the median color of the edge; the ink is the color furthest from it.

    Args:
        pixels: 8-bit RGB, height × width × 3.
    """
    colors = lab(pixels)
    edge = np.concatenate(
        [
            colors[:2].reshape(-1, 3),
            colors[-2:].reshape(-1, 3),
            colors[:, :2].reshape(-1, 3),
            colors[:, -2:].reshape(-1, 3),
        ]
    )
    ground = np.median(edge, axis=0)
    far: np.ndarray = np.linalg.norm(colors - ground, axis=-1)
    return far / max(float(np.quantile(far, 0.98)), 1.0)


def read_texts(picture: Image.Image, scene: PaintedScene) -> dict[PaintedText, float]:
    """Returns how well Tesseract reads each text in its box, from 0 to 1.

    All boxes are cut out, scaled to lines of one height and put below one another, so that
    Tesseract starts once for a picture; for what it then can't read, it starts again in a mode
    that takes the sheet for one column, and with Latin letters for texts without any.
    """
    language = tesseract_languages(scene.language)
    read = dict.fromkeys(scene.texts, 0.0)
    for mode, languages in (("11", language), ("6", f"{language}+eng")):
        missing = [text for text in scene.texts if read[text] < MIN_READ]
        if missing:
            words = _read([_piece(picture, text) for text in missing], mode, languages)
            for text, said in zip(missing, words, strict=True):
                read[text] = max(read[text], pnls(_bare(said), _bare(text.text)))
    return read


def _read(pieces: Sequence[Image.Image], mode: str, languages: str) -> list[str]:
    """The words that Tesseract reads in each of some pictures."""
    gap = 50
    width = max(piece.width for piece in pieces) + gap
    sheet = Image.new("L", (width, sum(piece.height + gap for piece in pieces)), 255)
    starts = list(itertools.accumulate((piece.height + gap for piece in pieces), initial=0))
    for piece, start in zip(pieces, starts, strict=False):
        sheet.paste(piece, (gap // 2, start + gap // 2))
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    found = [""] * len(pieces)
    table = tesseract(buffer.getvalue(), ["-l", languages, "--psm", mode], "tsv")
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["text"] and row["text"].strip():
            middle = int(row["top"]) + int(row["height"]) / 2
            found[bisect.bisect_right(starts, middle) - 1] += row["text"]
    return found


def _bare(text: str) -> str:
    return "".join(text.lower().split())


def _piece(picture: Image.Image, text: PaintedText) -> Image.Image:
    """A text's box with its ink in black on white, upright, at the height for Tesseract."""
    pad = round(0.3 * text.height)
    left, top, right, bottom = (round(edge) for edge in text.box)
    crop = picture.crop((left - pad, top - pad, right + pad, bottom + pad)).convert("RGB")
    strength = ink_strength(np.asarray(crop))
    gray = Image.fromarray((255 * (1 - strength.clip(0, 1))).astype(np.uint8))
    if text.angle:
        gray = gray.rotate(-text.angle, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    scale = LINE / text.height
    size = (max(1, round(gray.width * scale)), max(1, round(gray.height * scale)))
    return gray.resize(size, Image.Resampling.LANCZOS)


def object_is_visible(picture: Image.Image, item: SceneObject) -> bool:
    """Says whether an object of a name fills a box and ends there.

    Around the box lies one ground; at each side of the box something else begins; and the box has
    the object's main colors.

    Args:
        picture: the picture.
        item: the object that is said to be there.
    """
    left, top, right, bottom = (round(edge) for edge in item.box)
    crop = picture.crop((left - EDGE, top - EDGE, right + EDGE, bottom + EDGE)).convert("RGB")
    colors = lab(np.asarray(crop))
    turned = colors.transpose(1, 0, 2)
    sides = [side[:, EDGE:-EDGE] for side in (colors, colors[::-1], turned, turned[::-1])]
    outside = [side[EDGE - 4] for side in sides]
    ground = np.median(np.concatenate(outside), axis=0)
    # A sticker that covers a part of the object covers a part of its edge, too.
    needed = 0.9 if item.shown == 1 else 0.4
    for side, strip in zip(sides, outside, strict=True):
        calm = np.linalg.norm(strip - ground, axis=-1) < SAME_BACKGROUND
        begins = np.linalg.norm(side[EDGE : EDGE + 4] - ground, axis=-1) > 12
        if calm.mean() < needed or not begins.any():
            return False
    return _has_colors(colors[EDGE:-EDGE, EDGE:-EDGE], item)


EDGE = 8
"""Pixels beyond an object's box that are looked at."""

SAME_BACKGROUND = 22
"""In L*a*b*: textures and gradients are not further from their mean."""


def _has_colors(colors: np.ndarray, item: SceneObject) -> bool:
    """Whether a box has about as much of an object's main colors as its drawing."""
    drawing = draw_object(item.name, 100)
    solid = np.asarray(drawing)[np.asarray(drawing.getchannel("A")) > 250][:, :3]
    for color in {stroke.color for stroke in object_shapes()[item.name]}:
        target = lab(np.array(color))
        share = float((np.linalg.norm(lab(solid) - target, axis=-1) < 3).mean())
        share *= len(solid) / (drawing.width * drawing.height)
        found = float((np.linalg.norm(colors - target, axis=-1) < 14).mean())
        if share > 0.1 and found < 0.35 * item.shown * share:
            return False
    return True


def _color_verified(question: SceneQuestion, inks: dict[PaintedText, Ink]) -> bool:
    *_, choices = question.question.partition("Choices:\n")
    names = [line.partition(". ")[2].lower() for line in choices.splitlines()]
    measured = name_of(inks[question.texts[0]].color(), names)
    return measured == names[int(question.answer) - 1]


def _size_verified(question: SceneQuestion, inks: dict[PaintedText, Ink]) -> bool:
    first, *others = (inks[text].line_height() for text in question.texts)
    if "larger" in question.question:
        return first > MIN_SIZE_RATIO * max(others)
    return first < min(others) / MIN_SIZE_RATIO
