"""Texts of generated pictures, from the grammars in `grammars/`."""

import re
import unicodedata
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

LANGUAGES = ("en", "ru", "el", "zh")

FOLDER = Path(__file__).parent / "grammars"


def phrase(language: str, symbol: str, rng: Random) -> str:
    """Returns a random text of a grammar's symbol in which no longer word occurs twice.

    >>> len(phrase("en", "author", Random(1)).split()) in (2, 3)
    True
    """
    while True:
        text = _expand(language, symbol, rng)
        words = [word.strip(".,:;!?«»'").lower() for word in text.split()]
        long = [word for word in words if len(word) > 4]
        if len(long) == len(set(long)):
            # English that a grammar without inflection does not know.
            text = re.sub(r"\b([Aa]) (?=[AEIOUaeiou])", r"\1n ", text)
            return text.replace("s's", "s'")


def tesseract_languages(language: str) -> str:
    """Returns what Tesseract calls a language.

    >>> tesseract_languages("el")
    'ell'
    """
    return str(_grammar(language)["ocr"])


def capitals(text: str) -> str:
    """Returns a text in capitals; Greek ones carry no accents.

    >>> capitals("Ο παλιός φάρος"), capitals("Ёлка")
    ('Ο ΠΑΛΙΟΣ ΦΑΡΟΣ', 'ЁЛКА')
    """
    decomposed = unicodedata.normalize("NFD", text.upper())
    accents = re.sub(r"(?<=[\u0370-\u03ff])\u0301", "", decomposed)
    return unicodedata.normalize("NFC", accents)


def count_words(text: str) -> int:
    """Returns the number of words; where no spaces part them, two characters count as one.

    >>> count_words("The Old Harbor"), count_words("古老的港湾")
    (3, 3)
    """
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in text)
    others = re.sub(r"[\u3000-\u9fff\uff00-\uffef]+", " ", text).split()
    return len(others) + (chinese + 1) // 2


def _expand(language: str, symbol: str, rng: Random) -> str:
    expansion = rng.choice(_grammar(language)[symbol])
    return re.sub(r"{(\w+)}", lambda slot: _expand(language, slot[1], rng), expansion)


@cache
def _grammar(language: str) -> dict[str, Any]:
    grammar: dict[str, Any] = yaml.safe_load((FOLDER / f"{language}.yaml").read_text("utf-8"))
    return grammar
