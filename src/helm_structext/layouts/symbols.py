"""Symbols of formulas: each glyph on its own, with what of its font decides how it is read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from helm_structext.layouts.boxes import MAX_PLACE, PixelBox, is_placed, read_box, read_color

MAX_SYMBOLS = 20_000
"""Of a picture; further ones are not told."""
MAX_LETTERS = 8
"""Of a ligature."""
MAX_NAME = 60
"""Characters of a font's name, of which more say nothing."""

RULE = "rule"
"""The text of a line: of a fraction, of a root, above letters, in a matrix."""
SHAPE = "shape"
"""The text of what is drawn as a path and not as a glyph: a root or a wide accent of a web page."""


@dataclass(frozen=True)
class SymbolBox:
    """A glyph, or a line of a formula.

    Args:
        text: the character that it stands for (several in a ligature), `RULE` or `SHAPE`; U+FFFD where its font does not say.
        box: around its ink; in formulas of web pages around its line box.
        font: how its engine names its font, or "".
        size: of its font in pixels; 0 where it has none.
        color: as ``#rrggbb``, or "" where it is not known.
    """

    text: str
    box: PixelBox
    font: str = ""
    size: float = 0.0
    color: str = ""


def symbols_record(symbols: Iterable[SymbolBox]) -> list[Any]:
    """Returns symbols as JSON.

    >>> symbols_record([SymbolBox("x", (1, 2, 3, 4), "CMMI10", 10.0, "#000000")])
    [['x', [1, 2, 3, 4], 'CMMI10', 10.0, '#000000']]
    """
    return [[one.text, [*one.box], one.font, one.size, one.color] for one in symbols]


def read_symbols(record: Any) -> tuple[SymbolBox, ...]:
    """Returns what `symbols_record` or an engine wrote, within the bounds; what has no place is left out.

    Raises:
        ValueError, TypeError, OverflowError: it has another form.

    >>> read_symbols([["x", [1, 2, 3, 4], "CMMI10", 10, "#000000"], ["y", [0, 0, "inf", 9], "", 10, ""]])
    (SymbolBox(text='x', box=(1.0, 2.0, 3.0, 4.0), font='CMMI10', size=10.0, color='#000000'),)
    """
    read = (_read_symbol(*one) for one in [*record][:MAX_SYMBOLS])
    return tuple(one for one in read if one.text and is_placed(one.box))


def _read_symbol(text: str, box: Any, font: str, size: Any, color: str) -> SymbolBox:
    if not isinstance(text, str) or not isinstance(font, str):
        raise TypeError(text)
    # JSON can carry halves of characters, which have no bytes.
    said = "".join(text[:MAX_LETTERS].encode("utf-8", "replace").decode().split())
    name = font[:MAX_NAME].encode("utf-8", "replace").decode()
    height = round(float(size), 2) if 0 < float(size) < MAX_PLACE else 0.0
    return SymbolBox(said, read_box(*box), name, height, read_color(color))
