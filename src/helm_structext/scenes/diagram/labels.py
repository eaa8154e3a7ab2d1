"""How wide labels are, and where they break into lines."""

from collections.abc import Sequence
from math import fsum
from unicodedata import east_asian_width

NARROW = "iíìîïjltfrI.,:;!|'’()[]- ·/ίϊΐι"
WIDE = "mwMWOQGДЖШЩЮФЫМжшщюфымΜΩΦΨωφψ@%—…"
STOPS = "、。，．？！：；）」』ー・っゃゅょ々»"
"""No line begins with one of these."""


def text_width(text: str, size: float) -> float:
    """Returns about how wide a text is in a sans serif font, rather more than less.

    Args:
        text: one line.
        size: of the font, in pixels.

    >>> text_width("Wide", 10) > text_width("Kilt", 10)
    True
    >>> text_width("日本", 10)
    20.0
    """
    return round(fsum(_advance(char) for char in text) * size, 1)


def _advance(char: str) -> float:
    if east_asian_width(char) in "WF":
        return 1.0
    if char in NARROW:
        return 0.34
    if char in WIDE:
        return 0.86
    return 0.7 if char.isupper() else 0.58


def wrap_text(text: str, width: float, size: float) -> list[str]:
    """Returns a text's lines: as few as fit, and of about the same width.

    Args:
        text: words between blanks, or of a script without blanks.
        width: of a line at most, in pixels; a longer word stays whole.
        size: of the font, in pixels.

    >>> wrap_text("Check the delivery address", 120, 14)
    ['Check the', 'delivery address']
    >>> wrap_text("配送先の住所を確認する", 100, 14)
    ['配送先の住所', 'を確認する']
    """
    whole = text_width(text, size)
    if whole <= width:
        return [text]
    parts = _split_text(text)
    count = int(whole // width) + 1
    for limit in (whole / count * 1.12, whole / count * 1.3, width):
        lines = _fill_lines(parts, min(limit, width), size)
        if len(lines) <= count:
            break
    return lines


def _split_text(text: str) -> list[str]:
    """Returns the pieces between which a line may end, each with the blank before it."""
    parts: list[str] = []
    for char in text:
        breaks = char == " " or (east_asian_width(char) in "WF" and char not in STOPS)
        if breaks or not parts or (east_asian_width(parts[-1][-1]) in "WF" and char not in STOPS):
            parts.append(char)
        else:
            parts[-1] += char
    return parts


def _fill_lines(parts: Sequence[str], width: float, size: float) -> list[str]:
    lines = [""]
    for part in parts:
        if lines[-1] and text_width(lines[-1] + part, size) > width:
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return lines


def block_width(lines: Sequence[str], size: float) -> float:
    """Returns how wide the widest of some lines is."""
    return max(text_width(line, size) for line in lines)
