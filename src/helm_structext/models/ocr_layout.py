"""Layouts of pictures that have no code: the texts that Tesseract reads on them, and where."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PIL import Image

from helm_structext.findings import Findings, compare_layouts
from helm_structext.layouts import PictureLayout, PixelBox, TextBox, box_around
from helm_structext.models.ocr import UnreadablePicture, tesseract, usable_languages

READ_BY_OCR = "the reference has no code: Tesseract read its texts from the picture"
"""What is said of findings that come of such a layout."""
SURE = 40
"""Tesseract's own per cent of a word; below lie specks and pieces of drawings."""
ALONE = 80
"""The same of a word of one sign, of which drawings have many."""
IDEOGRAPHS = "\u3000"
"""From here on scripts have no blanks between words."""


def read_picture_layout(picture: Image.Image) -> tuple[PictureLayout | None, str]:
    """Returns what Tesseract reads on a picture: its lines and their boxes, without colors and sizes.

    Args:
        picture: RGB.

    Returns:
        The layout and "", or None and why there is none. What shows it says `READ_BY_OCR`.

    Raises:
        SetupError: Tesseract is not installed.
    """
    png = io.BytesIO()
    picture.save(png, "PNG")
    try:
        table = tesseract(png.getvalue(), ["-l", usable_languages(), "--psm", "11"], "tsv")
    except UnreadablePicture as error:
        return None, str(error)
    texts = tuple(read_lines(table))
    if not texts:
        return None, "Tesseract reads no text on the picture"
    return PictureLayout(picture.size, texts), ""


def compare_with_picture(prediction: PictureLayout, reference: Image.Image) -> Findings:
    """Returns which texts of a prediction are not as on a picture, by what Tesseract reads there.

    Letters and places alone are compared: of colors, sizes and shapes it says nothing.

    Args:
        prediction: what is on the picture to judge, as its engine tells it.
        reference: what it should be, RGB.

    Returns:
        Findings whose sentence begins with `READ_BY_OCR`; none, with the reason, where nothing is read.

    Raises:
        SetupError: Tesseract is not installed.
    """
    read, reason = read_picture_layout(reference)
    if read is None:
        return Findings({}, (), "", reason)
    texts = tuple(TextBox(one.text, one.box, visible=one.visible) for one in prediction.texts)
    found = compare_layouts(PictureLayout(prediction.size, texts), read)
    return replace(found, sentence=f"{READ_BY_OCR}: {found.sentence}")


def read_lines(table: str) -> Iterator[TextBox]:
    r"""Yields the lines of a table of words that Tesseract wrote as TSV.

    >>> head = "block_num\tpar_num\tline_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    >>> words = "1\t1\t1\t10\t5\t40\t12\t96\tRain\n1\t1\t1\t56\t5\t9\t12\t91\tin\n2\t1\t1\t0\t0\t3\t3\t12\t|\n"
    >>> [(line.text, line.box) for line in read_lines(head + words)]
    [('Rain in', (10.0, 5.0, 65.0, 17.0))]
    """
    lines: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        if _is_sure(row):
            lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append(row)
    for words in lines.values():
        yield TextBox(_join([row["text"] for row in words]), box_around(map(_box, words)))


def _is_sure(row: Mapping[str, Any]) -> bool:
    text = (row["text"] or "").strip()
    return bool(text) and float(row["conf"]) >= (SURE if len(text) > 1 else ALONE)


def _join(words: Sequence[str]) -> str:
    """Tesseract parts ideographs, as if each were a word."""
    joined = words[0]
    for word in words[1:]:
        between = "" if min(joined[-1], word[0]) >= IDEOGRAPHS else " "
        joined += between + word
    return joined


def _box(row: Mapping[str, str]) -> PixelBox:
    left, top, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
    return left, top, left + width, top + height
