"""A judge that reads the picture with Tesseract: for plumbing and demos, comparable with nothing.

It calls a pair true if the expected answer's words stand in the picture, one after the other. So
what has to be counted, compared or seen as a color is mostly false, and what stands there for
another reason is true.
"""

import json
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from helm_structext.models.ocr import Reader, UnreadablePicture, tesseract
from helm_structext.patterns import Pattern

LAYOUTS = ("6", "11")
"""Tesseract's modes: one block of text, whose lines run across columns; and texts anywhere."""

_QUESTION = Pattern(r"(?m)^(\d+)\. Question: ")
_WORD = Pattern(r"[\pL\pN]+")


def read_texts(png: bytes) -> list[str]:
    """Returns the text of a picture, once for each of `LAYOUTS`; what can't be read has none.

    Args:
        png: the bytes of a PNG file.

    Raises:
        SetupError: Tesseract is not installed.
    """
    return [_read(png, layout) for layout in LAYOUTS]


def _read(png: bytes, layout: str) -> str:
    try:
        return tesseract(png, ["--psm", layout], "txt")
    except UnreadablePicture:  # whatever a model draws, the others' pictures are to be judged
        return ""


def judge(texts: Sequence[str], prompt: str) -> str:
    """Returns a judge's reply: for each pair in a prompt whether its answer stands in a picture.

    An answer without any letter or digit is null.

    Args:
        texts: what was read of the picture.
        prompt: as `helm_structext.structeval.judge.judge_prompt` writes it.

    >>> from helm_structext.structeval.judge import judge_prompt
    >>> pairs = [
    ...     {"question": "What is the title?", "answer": "Trip Summary"},
    ...     {"question": "How many rows?", "answer": "3"},
    ...     {"question": "What mark is in the corner?", "answer": "*"},
    ... ]
    >>> judge(["TRIP SUMMARY\\nDay 30"], judge_prompt(pairs))
    '{"1": true, "2": false, "3": null}'
    """
    readings = [f" {_words(text)} " for text in texts]
    verdicts: dict[str, bool | None] = {}
    questions = [*_QUESTION.finditer(prompt), None]
    for question, following in pairwise(questions):
        assert question is not None
        pair = prompt[question.end() : following.start() if following else len(prompt)]
        words = _words(pair.partition(" Expected Answer: ")[2])
        found = any(f" {words} " in reading for reading in readings)
        verdicts[question[1]] = found if words else None
    return json.dumps(verdicts)


def _words(text: str) -> str:
    """The words alone, in small letters without accents, which Tesseract often misses."""
    letters = (
        letter
        for letter in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(letter)
    )
    return " ".join(word[0] for word in _WORD.finditer("".join(letters)))


READERS = {"structeval_judge": Reader(read_texts, judge)}
"""How the OCR judge replies; the OCR model reads no picture here, as requests have none."""
