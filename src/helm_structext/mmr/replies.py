"""From a reply to what the model meant: a choice, a text, a box.

`choice`, `text`, `box` and `text_and_box` read as MMR's published code does. They decide the
published score, so that their severity is not to be mended. The `lenient_…` ones take a box out of
fences and prose, in a scale that is declared and never guessed.

Source: MMR's published code, `auto_extract` of its model handler.
"""

import json
import math
from typing import Any

from helm_structext.patterns import Match, Pattern

Box = tuple[float, float, float, float]
"""``x_min, y_min, x_max, y_max`` as fractions of the picture's width and height."""

SCALES = ("fraction", "thousand", "pixel")
"""Units of a lenient box: fractions of the picture, thousandths of it, or its pixels."""

NUMBER = r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
SEPARATOR = r"(?:\s*[,;]\s*|\s+)"
FOUR_NUMBERS = Pattern(r"[\[(]\s*" + SEPARATOR.join([NUMBER] * 4) + r"\s*[\])]", ascii=True)
DIGITS = Pattern(r"\d+")
FENCE = Pattern(r"```\w*")


class UnreadableReply(ValueError):
    """A reply is not in the format that was asked for. It counts as wrong."""


def choice(reply: str) -> int:
    """Returns the first number in a reply, wherever it stands.

    Raises:
        UnreadableReply: there is none.

    >>> choice("2. Below the text")
    2
    >>> choice("Of the 4 choices, the second")
    4
    """
    # RE2 knows digits of scripts that are newer than Python's tables.
    numbers = (found[0] for found in DIGITS.finditer(reply) if found[0].isdecimal())
    number = next(numbers, None)
    # Python refuses to read thousands of digits as a number, with good reason.
    if number is None or len(number) > 100:
        raise UnreadableReply("the reply has no number in it")
    return int(number)


def text(reply: str) -> str:
    """Returns a reply without its double quotes.

    >>> text('It says "HELLO".')
    'It says HELLO.'
    """
    return reply.replace('"', "")


def box(reply: str) -> Box:
    """Returns the box that a reply consists of, as a list of four numbers in JSON.

    Raises:
        UnreadableReply: the reply is anything else or more, or a number is not finite.

    >>> box("[0.1, 0.2, 0.5, 1]")
    (0.1, 0.2, 0.5, 1.0)
    >>> box("The box is [0.1, 0.2, 0.5, 1]")
    Traceback (most recent call last):
    ...
    helm_structext.mmr.replies.UnreadableReply: the reply is not a list in JSON
    """
    numbers = _list(reply)
    if any(isinstance(number, str) for number in numbers):
        raise UnreadableReply("the reply's numbers are in quotes")
    return _as_box(numbers)


def text_and_box(reply: str) -> tuple[str, Box]:
    """Returns the text before a reply's first bracket, and the box from there to its end.

    Quotes are removed from the text; a comma before the bracket stays. The published code takes a
    text with the word ERROR in it for its own error message, so this refuses it.

    Raises:
        UnreadableReply: there is no bracket, or no four finite numbers follow it.

    >>> text_and_box('"Hello world", [0.1, 0.2, 0.5, 1]')
    ('Hello world,', (0.1, 0.2, 0.5, 1.0))
    """
    said, bracket, rest = reply.partition("[")
    if not bracket:
        raise UnreadableReply("the reply has no bracket in it")
    if "ERROR" in said:
        raise UnreadableReply("the reply has the word ERROR in it")
    # Whatever follows another opening bracket is never looked at.
    return text(said).strip(), _as_box(_list("[" + rest.partition("[")[0]))


def lenient_box(reply: str, scale: str, size: tuple[int, int]) -> Box:
    """Returns the first box in a reply: four numbers in brackets or parentheses.

    Args:
        reply: what the model wrote.
        scale: the unit of its numbers, one of `SCALES`.
        size: width and height of the picture in pixels.

    Raises:
        UnreadableReply: there is no such box.

    >>> lenient_box("```json\\n[100, 250, 500, 1000]\\n```", "thousand", (640, 480))
    (0.1, 0.25, 0.5, 1.0)
    >>> lenient_box("The dog is at (64; 48; 320; 240).", "pixel", (640, 480))
    (0.1, 0.1, 0.5, 0.5)
    """
    return _scale(_find_box(reply), scale, size)


def lenient_text_and_box(reply: str, scale: str, size: tuple[int, int]) -> tuple[str, Box]:
    """Returns the first box in a reply, and the text before it without quotes and fences.

    Args:
        reply: what the model wrote.
        scale: the unit of its numbers, one of `SCALES`.
        size: width and height of the picture in pixels.

    Raises:
        UnreadableReply: there is no such box.

    >>> lenient_text_and_box('```json\\n["A [B]", [0.1, 0.2, 0.5, 1]]\\n```', "fraction", (9, 9))
    ('A [B]', (0.1, 0.2, 0.5, 1.0))
    """
    found = _find_box(reply)
    said = FENCE.sub("", reply[: found.start()])
    return text(said).strip(" \t\r\n,;:`[({"), _scale(found, scale, size)


def _list(source: str) -> list[Any]:
    try:
        value = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise UnreadableReply("the reply is not a list in JSON") from error
    if not isinstance(value, list):
        raise UnreadableReply("the reply is not a list in JSON")
    return value


def _as_box(numbers: list[Any]) -> Box:
    if len(numbers) != 4:
        raise UnreadableReply(f"the reply's list has {len(numbers)} items, not four")
    try:
        x_min, y_min, x_max, y_max = (float(number) for number in numbers)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnreadableReply("the reply's list holds something else than numbers") from error
    if not all(map(math.isfinite, (x_min, y_min, x_max, y_max))):
        raise UnreadableReply("the reply's list holds numbers that are not finite")
    return x_min, y_min, x_max, y_max


def _find_box(reply: str) -> Match:
    found = FOUR_NUMBERS.search(reply)
    if found is None:
        raise UnreadableReply("the reply has no four numbers in brackets")
    return found


def _scale(found: Match, scale: str, size: tuple[int, int]) -> Box:
    width, height = {"fraction": (1, 1), "thousand": (1000, 1000), "pixel": size}[scale]
    x_min, y_min, x_max, y_max = _as_box(list(found.groups()))
    return x_min / width, y_min / height, x_max / width, y_max / height
