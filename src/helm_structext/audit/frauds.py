"""Frauds: answers that nobody would call right, each of which some metric may take for one.

A row for each. Some are code, written in the phrases of a format or, where they rearrange a scene
(`helm_structext.audit.relations`), by its writer; others are a picture, whatever code may draw it: nothing is known of
that code, so no guard of completions sees it.
"""

from collections.abc import Callable, Mapping
from random import Random

import numpy as np
from PIL import Image, ImageFilter, ImageStat

from helm_structext.audit.cases import FraudCase
from helm_structext.audit.phrases import PHRASES
from helm_structext.audit.relations import RELATIONS
from helm_structext.formats import FORMATS

Fake = str | Image.Image
"""Code, or the picture that some code draws."""

INK, PAPER = "#000000", "#ffffff"
SIZE, TINY = 16.0, 2.0
"""Of letters, in pixels."""
BLUR = 6.0
"""Pixels: large letters can't be read any more."""
FEW_COLORS = 20


def _blank(case: FraudCase) -> Fake:
    return FORMATS[case.format].blank


def _white(case: FraudCase) -> Fake:
    return Image.new("RGB", case.drawing.image.size, PAPER)


def _mean_color(case: FraudCase) -> Fake:
    picture = case.drawing.image
    red, green, blue = (round(level) for level in ImageStat.Stat(picture).mean)
    return Image.new("RGB", picture.size, (red, green, blue))


def _average(case: FraudCase) -> Fake | None:
    if not case.others:
        return None
    size = case.drawing.image.size
    pictures = [np.asarray(one.resize(size), dtype=float) for one in case.others]
    return Image.fromarray(np.mean(pictures, axis=0).round().astype(np.uint8))


def _another(case: FraudCase) -> Fake | None:
    return case.others[0] if case.others else None


def _noise(case: FraudCase) -> Fake:
    width, height = case.drawing.image.size
    lot = np.random.default_rng(case.number)
    return Image.fromarray(lot.integers(0, 256, (height, width, 3), dtype=np.uint8))


def _blurred(case: FraudCase) -> Fake:
    return case.drawing.image.filter(ImageFilter.GaussianBlur(BLUR))


def _few_colors(case: FraudCase) -> Fake:
    return case.drawing.image.quantize(FEW_COLORS).convert("RGB")


def _resized(across: float, down: float) -> Callable[[FraudCase], Fake]:
    def resize(case: FraudCase) -> Fake:
        picture = case.drawing.image
        size = max(round(picture.width * across), 1), max(round(picture.height * down), 1)
        return picture.resize(size)

    return resize


def _cropped(case: FraudCase) -> Fake:
    picture = case.drawing.image
    return picture.crop((0, 0, max(picture.width // 2, 1), max(picture.height // 2, 1)))


def _heap(case: FraudCase) -> Fake:
    return PHRASES[case.format].write([" ".join(case.texts)], INK, SIZE)


def _lines(case: FraudCase) -> Fake:
    return PHRASES[case.format].write(case.texts, INK, SIZE)


def _white_on_white(case: FraudCase) -> Fake:
    return PHRASES[case.format].write(case.texts, PAPER, SIZE)


def _corner(case: FraudCase) -> Fake:
    return PHRASES[case.format].write(case.texts, INK, TINY)


def _shuffled(case: FraudCase) -> Fake:
    """Every letter is there, and no word."""
    lot = Random(case.number)
    words = ["".join(lot.sample(text, len(text))) for text in case.texts]
    return PHRASES[case.format].write(words, INK, SIZE)


def _remark(case: FraudCase) -> Fake:
    return PHRASES[case.format].remark(case.texts)


def _covered(case: FraudCase) -> Fake | None:
    cover = PHRASES[case.format].cover
    return cover(case.code) if cover else None


def _tiny_view(case: FraudCase) -> Fake | None:
    """The right picture within a drawing fifty times as large, of which the page shows all."""
    if case.format != "svg":
        return None
    width, height = case.drawing.image.size
    view = f'width="{width}" height="{height}" viewBox="0 0 {50 * width} {50 * height}"'
    inside = case.code[case.code.index("<svg") :]
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{inside}</svg>'


def _embedded(coat: str) -> Callable[[FraudCase], Fake | None]:
    def embed(case: FraudCase) -> Fake | None:
        write = PHRASES[case.format].coats.get(coat)
        return write(case.drawing.image) if write else None

    return embed


COATS = sorted({coat for phrases in PHRASES.values() for coat in phrases.coats})

FRAUDS: Mapping[str, Callable[[FraudCase], Fake | None]] = {
    "blank page": _blank,
    "white picture": _white,
    "mean color": _mean_color,
    "average page": _average,
    "another picture": _another,
    "noise": _noise,
    "blurred reference": _blurred,
    f"reference in {FEW_COLORS} colors": _few_colors,
    "stretched": _resized(2, 1),
    "shrunk": _resized(0.5, 0.5),
    "cropped": _cropped,
    "texts in one heap": _heap,
    "texts in lines": _lines,
    "texts white on white": _white_on_white,
    "texts in a corner": _corner,
    "texts shuffled": _shuffled,
    "texts in a remark": _remark,
    "under a sheet": _covered,
    "tiny view": _tiny_view,
    **RELATIONS,
    **{f"embedded: {coat}": _embedded(coat) for coat in COATS},
}
"""Name → from a case to an answer; None where a format can't say it."""

COPIES = frozenset(
    {"blurred reference", f"reference in {FEW_COLORS} colors", "stretched", "shrunk", "cropped"}
)
"""Those that show the input itself. No metric of pictures can tell it from a drawing: whether somebody gets it into
code is what the embedded ones and their guards say."""
