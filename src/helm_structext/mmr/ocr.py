"""Texts and boxes read from a picture by Tesseract, as answers to the questions of MMR.

What is read is real; which of it is the answer is found by rules of thumb: the ninth of the
picture that the question names, the text above or below a quoted one, what a price or a date looks
like, or else the largest text. A choice can't be found so, and is always the first one; an object
neither, and is the whole picture.
"""

import csv
import io
import re
from typing import TypedDict

from helm_structext.layouts import box_around
from helm_structext.metrics import pnls
from helm_structext.mmr.replies import Box
from helm_structext.mmr.tasks import AREAS, KINDS, ParsedReply, area_of
from helm_structext.models.ocr import Reader, tesseract, usable_languages
from helm_structext.pictures import size_of

PATTERNS = {
    "price": r"\d[.,]\d\d|[$€£]|руб|ευρ|元",
    "website": r"www|\.(com|org|net)",
    "source": r"^(source|data|источник|данные|πηγή|στοιχεία|来源|数据)",
    "date": r"\b\d{1,2}\b|\d日|\d{4}",
    "author": r"^by\b",
    "publisher": r"press|books|house|издательство|εκδόσεις|出版社|书局",
}
"""What texts of some labels look like."""

MIN_CONFIDENCE = 40
"""Tesseract's own per cent; below lie specks and pieces of drawings."""

SURE = 80
"""The same of lines with few letters, of which drawings have many."""

FEW = 4
"""Letters; fewer are hardly a title."""


class TextBlock(TypedDict):
    """A text, its box in fractions of the picture, and the height of its first line."""

    text: str
    box: Box
    height: float


def read_blocks(png: bytes) -> list[TextBlock]:
    """Returns the blocks of text in a picture.

    Lines belong to one block if they are of similar height, overlap horizontally and are closer
    together than they are high. What has few letters and is not sure is a piece of a drawing.

    Args:
        png: the bytes of a PNG file.

    Raises:
        SetupError: Tesseract is not installed, or could not read this picture.
    """
    size = size_of(png)
    blocks: list[list[TextBlock]] = []
    table = tesseract(png, ["-l", usable_languages(), "--psm", "11"], "tsv")
    for line in _lines(table, size):
        block = next((block for block in blocks if _continues(block[-1], line)), None)
        if block is None:
            blocks.append([line])
        else:
            block.append(line)
    return [
        {
            "text": " ".join(line["text"] for line in block),
            "box": box_around([line["box"] for line in block]),
            "height": block[0]["height"],
        }
        for block in blocks
    ]


def choice(blocks: list[TextBlock], question: str) -> str:
    """Returns the first choice, whatever was read.

    >>> choice([], "Which text is larger?")
    '1'
    """
    return KINDS["choice"].write(ParsedReply(choice=1))


def text(blocks: list[TextBlock], question: str) -> str:
    """Returns the text that a question seems to ask for, or nothing where nothing was read.

    >>> lines = [
    ...     {"text": "by Jane Austen", "box": (0.3, 0.8, 0.7, 0.9), "height": 0.1},
    ...     {"text": "EMMA", "box": (0.2, 0.1, 0.8, 0.3), "height": 0.2},
    ... ]
    >>> text(lines, "What is the title in the image?")
    'EMMA'
    >>> text(lines, "What is the author at the bottom center of the image?")
    'by Jane Austen'
    >>> text(lines, 'What text is written below "Emma"?')
    'by Jane Austen'
    """
    found = _find(blocks, question)
    return found["text"] if found else ""


def box(blocks: list[TextBlock], question: str) -> str:
    """Returns the whole picture as a box, as objects are not text.

    >>> box([], "where is the fox in the image?")
    '[0.0, 0.0, 1.0, 1.0]'
    """
    return KINDS["box"].write(ParsedReply(box=(0.0, 0.0, 1.0, 1.0)))


def text_and_box(blocks: list[TextBlock], question: str) -> str:
    """Returns the text that a question seems to ask for, and its box."""
    found = _find(blocks, question)
    return (
        KINDS["text_box"].write(ParsedReply(text=found["text"], box=found["box"])) if found else ""
    )


def _lines(tsv: str, size: tuple[int, int]) -> list[TextBlock]:
    words: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(tsv), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["text"] and row["text"].strip() and float(row["conf"]) >= MIN_CONFIDENCE:
            key = row["block_num"], row["par_num"], row["line_num"]
            words.setdefault(key, []).append(row)
    lines: list[TextBlock] = []
    for line in words.values():
        found = box_around([_fractions(word, size) for word in line])
        # Tesseract parts Chinese characters, as if each were a word.
        said = " ".join(word["text"] for word in line)
        said = re.sub(r"(?<=[\u3000-\u9fff]) | (?=[\u3000-\u9fff])", "", said)
        confidence = min(float(word["conf"]) for word in line)
        if _letters(said) >= FEW or (confidence >= SURE and any(map(str.isalnum, said))):
            lines.append({"text": said, "box": found, "height": found[3] - found[1]})
    return lines


def _letters(text: str) -> int:
    """Letters in a text; a Chinese one says as much as two."""
    return sum(1 + (letter >= "\u3000") for letter in text if letter.isalpha())


def _fractions(word: dict[str, str], size: tuple[int, int]) -> Box:
    left, top, width, height = (int(word[key]) for key in ("left", "top", "width", "height"))
    return left / size[0], top / size[1], (left + width) / size[0], (top + height) / size[1]


def _continues(before: TextBlock, line: TextBlock) -> bool:
    heights = sorted((before["height"], line["height"]))
    return (
        heights[1] < 1.4 * heights[0]
        and line["box"][3] - before["box"][3] >= 0
        and line["box"][1] - before["box"][3] < 0.8 * heights[1]
        and _overlap(before, line)
    )


def _overlap(block: TextBlock, other: TextBlock) -> bool:
    return block["box"][0] < other["box"][2] and other["box"][0] < block["box"][2]


def _find(blocks: list[TextBlock], question: str) -> TextBlock | None:
    """The block that a question seems to ask for."""
    # The question itself; what precedes and follows it speaks of boxes.
    (question, *_) = [line for line in question.splitlines() if "?" in line] or [question]
    quoted = re.search(r"""\b(above|below|under)\b.*?["'“](.+?)["'”](?:\W|$)""", question)
    if quoted and blocks:
        where, near = quoted[1], quoted[2].lower()
        anchor = max(blocks, key=lambda block: pnls(block["text"].lower(), near))
        beside = [
            block
            for block in blocks
            if block is not anchor
            and _overlap(block, anchor)
            and (block["box"][1] < anchor["box"][1]) == (where == "above")
        ]
        return min(beside, key=lambda b: abs(b["box"][1] - anchor["box"][1]), default=None)
    names = sorted((name for row in AREAS for name in row), key=len, reverse=True)
    area = next((name for name in names if name in question), None)
    inside = [block for block in blocks if area in (None, area_of(block["box"]))] or blocks
    for label, pattern in PATTERNS.items():
        fitting = [b for b in inside if re.search(pattern, b["text"].lower())]
        if label in question and fitting:
            return fitting[0]
    titles = [block for block in blocks if _letters(block["text"]) >= FEW] or blocks
    largest = max(titles, key=lambda block: block["height"], default=None)
    if any(label in question for label in ("author", "subtitle", "brand", "publisher")):
        inside = [block for block in inside if block is not largest] or inside
    inside = [block for block in inside if block in titles] or inside
    return max(inside, key=lambda block: block["height"], default=None)


READERS = {
    "mmr_choice": Reader(read_blocks, choice),
    "mmr_text": Reader(read_blocks, text),
    "mmr_box": Reader(read_blocks, box),
    "mmr_text_box": Reader(read_blocks, text_and_box),
}
"""Format to how the OCR model answers in it."""
