"""Symbols as they are compared: what is read as the same is the same, whichever engine and font drew it."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from helm_structext.layouts import RULE, SHAPE, PixelBox, SymbolBox

UNKNOWN = "\ufffd"

SAME_SIGNS: Mapping[str, str] = {
    other: sign
    for sign, others in {
        "^": "ˆ\u0302",
        "~": "˜\u0303",
        "¯": "ˉ\u0304\u0305",
        "˙": "\u0307",
        "¨": "\u0308",
        "´": "ˊ\u0301",
        "`": "ˋ\u0300",
        "˘": "\u0306",
        "ˇ": "\u030c",
        "-": "−–‐‑",
        "·": "⋅∙•",
        "|": "∣❘",
        "‖": "∥",
        "′": "'’ʹ",
        "/": "∕⁄",
        "\\": "∖⧵",
        ":": "∶",
        "*": "∗",
        "Δ": "∆",
        "Ω": "Ω",
        "μ": "µ",
        "⟨": "〈〈",
        "⟩": "〉〉",
        "\u0338": "\ue020",
    }.items()
    for other in others
}
"""Signs that look alike and mean the same → the one that stands for them."""
PARTED: Mapping[str, str] = {"…": "...", "⋯": "···", "≠": "=\u0338", "∉": "∈\u0338"}
"""Signs that other engines draw as several."""
LETTERINGS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "blackboard": (("mathbb", "msbm", "bbm", "dsrom"), ("DOUBLE-STRUCK",)),
    "fraktur": (("mathfrak", "eufm", "eufb"), ("FRAKTUR", "BLACK-LETTER")),
    "script": (
        ("mathcal", "mathscr", "cmsy", "cmbsy", "rsfs", "eusm"),
        (" SCRIPT ", "SCRIPT CAP", "SCRIPT SMALL"),
    ),
    "bold": (
        ("mathbf", "textbf", "boldsymbol", "bold", "cmbx", "cmmib", "lmbx", "eufb"),
        (" BOLD ",),
    ),
}
"""Letterings that are read as other letters → parts of their fonts' names, and of their letters' in Unicode."""


class Sign(NamedTuple):
    """A symbol as it is compared.

    Args:
        identity: equal for what is read as the same.
        box: see `SymbolBox`; so is `size`.
        number: of its symbol in the layout.
    """

    identity: str
    box: PixelBox
    size: float
    number: int

    @property
    def width(self) -> float:
        """From its left to its right."""
        return self.box[2] - self.box[0]


def read_signs(symbols: Iterable[SymbolBox]) -> list[Sign]:
    """Returns symbols as they are compared; what some engines draw as several is parted.

    >>> [one.identity for one in read_signs([SymbolBox("ℝ", (0, 0, 9, 9)), SymbolBox("R", (0, 0, 9, 9), "MSBM10")])]
    ['blackboard R', 'blackboard R']
    """
    signs = []
    for number, one in enumerate(symbols):
        lines = one.text in (RULE, SHAPE)
        names = [one.text] if lines else _names(one.text, one.font)
        if UNKNOWN in one.text:
            names = [_describe(one)]
        left, top, right, bottom = one.box
        width = (right - left) / len(names)
        for place, name in enumerate(names):
            box = left + place * width, top, left + (place + 1) * width, bottom
            signs.append(Sign(name, box, one.size, number))
    return signs


def name_symbol(symbol: SymbolBox) -> str:
    """Returns what is read in a symbol, for people.

    >>> name_symbol(SymbolBox("ℝ", (0, 0, 9, 9)))
    'blackboard R'
    """
    return "".join(_names(symbol.text, symbol.font))


def _describe(symbol: SymbolBox) -> str:
    """What is known of a symbol whose font does not say what it is: that, and how wide and high it is."""
    left, top, right, bottom = symbol.box
    sides = (
        round((right - left) / (symbol.size or 1), 1),
        round((bottom - top) / (symbol.size or 1), 1),
    )
    return f"{symbol.font} {sides} {UNKNOWN}"


@lru_cache(maxsize=10_000)
def _names(text: str, font: str) -> list[str]:
    """What is read in a glyph: letters with their lettering, and signs."""
    letters = "".join(PARTED.get(letter, letter) for letter in text)
    return [_name(letter, font) for letter in letters]


def _name(letter: str, font: str) -> str:
    described = unicodedata.name(letter, "")
    kind, _, code = unicodedata.decomposition(letter).partition(" ")
    plain = chr(int(code, 16)) if kind == "<font>" else letter
    plain = SAME_SIGNS.get(plain, plain)
    if not plain.isalpha():
        return plain
    known = font.lower()
    letterings = (
        name
        for name, (fonts, words) in LETTERINGS.items()
        if any(one in known for one in fonts)
        or (plain != letter and any(word in described for word in words))
    )
    return " ".join((*letterings, plain))
