"""Whether a picture supports an answer, by the proofs that the sources of the sample give.

A proof says where the answer stands, or how it is measured:

- text around `…`, where the answer has to stand among the words that Tesseract reads; `^` stands
  for the top of the picture and `$` for its bottom;
- `count`, `order`: how many matches a regular expression has in this text, or which ones;
- `below`, `above`: the answer stands right below or above a word; `beside`: in a line with it;
  `lower than`, `higher than`: anywhere there;
- `ground`, `ink`: the color behind a word or of its letters; `upon`, `in`: those of the answer;
- `greatest number` of those in the lower half;
- `inside`: what is read in the middle of the parts of a color;
- `areas`: how many connected areas have a color; `main color`: what most colored pixels have.

Where a proof has several parts, all have to hold.
"""

import colorsys
import io
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageColor
from scipy import ndimage

from helm_structext.models.ocr import tesseract

VIEWS = ((6, 1), (11, 1), (6, 2), (11, 2), (3, 2), (3, 1))
"""Tesseract's ways to look at a page, and sizes; what one misses, another may read.

Small pictures are read twice as fast, and most of them as well.
"""

HUES = ((15, "red"), (45, "orange"), (70, "yellow"), (170, "green"), (190, "teal"), (255, "blue"))
SMALLEST_AREA = 80
"""In pixels; what is smaller is an edge or the inside of a letter."""


class Word(NamedTuple):
    """A word and its box in pixels."""

    text: str
    left: int
    top: int
    right: int
    bottom: int


def tokens(text: str) -> list[str]:
    """Returns the words and numbers of a text without case and accents.

    >>> tokens("Épi d'Or: 4.20 €")
    ['epi', 'd', 'or', '4', '20']
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)))


def color_name(color: np.ndarray) -> str:
    """Returns the everyday name of an RGB color.

    >>> color_name(np.array([200, 16, 46])), color_name(np.array([70, 130, 180]))
    ('red', 'blue')
    """
    hue, saturation, value = colorsys.rgb_to_hsv(*(color / 255))
    if value < 0.2:
        return "black"
    if saturation < 0.1:
        return "white" if value > 0.9 else "grey"
    name = next((name for limit, name in HUES if hue * 360 < limit), "purple")
    if hue * 360 >= 325:
        name = "red"
    return "brown" if name in ("red", "orange") and hue * 360 >= 15 and value < 0.65 else name


def is_color(color: np.ndarray, answer: str) -> bool:
    """Whether an answer such as ``light blue`` names a color.

    >>> is_color(np.array([187, 222, 251]), "light blue")
    True
    >>> is_color(np.array([187, 222, 251]), "dark blue")
    False
    """
    *shade, name = answer.casefold().split()
    light = color @ [0.299, 0.587, 0.114] / 255
    fits = {"light": light > 0.6, "dark": light < 0.4}
    return name == color_name(color) and all(fits.get(word, False) for word in shade)


def most_frequent(colors: np.ndarray) -> np.ndarray:
    """Returns the color that most of some pixels have.

    >>> most_frequent(np.array([[200, 16, 46], [0, 0, 0], [200, 16, 46]]))
    array([200,  16,  46])
    """
    found, counts = np.unique(colors, axis=0, return_counts=True)
    return found[counts.argmax()]


class ParsedReply:
    """The words that one of Tesseract's modes reads in a picture."""

    def __init__(self, png: bytes, mode: int, scale: float):
        lines: dict[tuple[str, ...], list[Word]] = {}
        for row in tesseract(png, ["--psm", str(mode)], "tsv").splitlines()[1:]:
            cells = row.split("\t")
            if len(cells) == 12 and tokens(cells[11]):
                x, y, width, height = (round(int(cell) / scale) for cell in cells[6:10])
                word = Word(cells[11], x, y, x + width, y + height)
                lines.setdefault(tuple(cells[1:5]), []).append(word)
        self.words = [word for line in lines.values() for word in line]
        self.text = "\n".join(" ".join(word.text for word in line) for line in lines.values())

    @cached_property
    def tokens(self) -> list[tuple[str, Word]]:
        return [(token, word) for word in self.words for token in tokens(word.text)]

    def find(self, text: str) -> Iterator[Word]:
        """Yields the boxes around each place where a text stands, its words in a row."""
        sought = tokens(text)
        found = [token for token, _ in self.tokens]
        for start in range(len(found) - len(sought) + 1):
            if sought and found[start : start + len(sought)] == sought:
                words = [word for _, word in self.tokens[start : start + len(sought)]]
                yield Word(
                    text,
                    min(w.left for w in words),
                    min(w.top for w in words),
                    max(w.right for w in words),
                    max(w.bottom for w in words),
                )


class Picture:
    """A picture with what can be read and measured in it."""

    def __init__(self, image: Image.Image):
        self.image = image.convert("RGB")
        self.pixels = np.asarray(self.image)
        self.views = VIEWS
        self._readings: list[ParsedReply] = []
        # Each answer of a row is compared with the same measurements.
        self.areas, self.inside = cache(self.areas), cache(self.inside)

    def readings(self) -> Iterator[ParsedReply]:
        """Yields what each mode reads; none is read before it is asked for."""
        # Tesseract wants letters some 30 pixels high; those of a page on a screen have half that.
        screen = self.image.width <= 1400
        for number, (mode, size) in enumerate(self.views):
            if number == len(self._readings):
                self._readings.append(self._read(mode, size if screen else size / 2))
            yield self._readings[number]

    def read_no_more(self) -> None:
        """From now on, the readings are those that there have been."""
        self.views = VIEWS[: len(self._readings)]

    def _read(self, mode: int, scale: float) -> ParsedReply:
        buffer = io.BytesIO()
        width, height = (round(side * scale) for side in self.image.size)
        self.image.resize((width, height)).save(buffer, "PNG")
        return ParsedReply(buffer.getvalue(), mode, scale)

    def count(self, pattern: str, enough: int) -> int:
        """How many matches a regular expression has, in the reading that has most of them.

        Where one of those that there are has enough, no other is made.
        """
        most = 0
        for number, reading in enumerate(self.readings(), 1):
            most = max(most, len(re.findall(pattern, reading.text, re.IGNORECASE)))
            if most >= enough and number == len(self._readings):
                break
        return most

    def ground(self, box: Word) -> np.ndarray:
        """The color that most pixels of a box have."""
        return most_frequent(self.pixels[box.top : box.bottom, box.left : box.right].reshape(-1, 3))

    def ink(self, box: Word) -> np.ndarray:
        """The color that differs most from the ground of a box."""
        area = self.pixels[box.top : box.bottom, box.left : box.right].reshape(-1, 3).astype(int)
        return area[np.abs(area - self.ground(box)).sum(axis=1).argmax()]

    def _near(self, color: str) -> np.ndarray:
        return np.abs(self.pixels.astype(int) - ImageColor.getrgb(color)).max(axis=2) < 24

    def areas(self, color: str) -> int:
        """How many connected areas have a color."""
        near = self._near(color)
        labels, _ = ndimage.label(near)
        sizes = np.bincount(labels.ravel())[1:]
        return int((sizes > SMALLEST_AREA).sum())

    def inside(self, color: str) -> str:
        """What is read in the middle of the box around all pixels of a color."""
        rows, columns = np.nonzero(self._near(color))
        x, y = (columns.min() + columns.max()) // 2, (rows.min() + rows.max()) // 2
        width, height = np.ptp(columns) // 3, np.ptp(rows) // 3
        middle = self.image.crop((x - width, y - height, x + width, y + height))
        return Picture(middle.resize((120 * middle.width // middle.height, 120)))._read(7, 1).text

    @cached_property
    def main_color(self) -> np.ndarray:
        """The color of most pixels that have one."""
        return most_frequent(self.pixels[np.ptp(self.pixels, axis=2) > 60])


def stands(picture: Picture, reading: ParsedReply, pattern: str, answer: str) -> bool:
    """Whether the answer stands where the pattern has its `…`."""
    before, after = pattern.split("…")
    for place in reading.find(f"{before.lstrip('^ ')} {answer} {after.rstrip('$ ')}"):
        on_top = all(place.top < word.bottom for word in reading.words)
        at_end = all(place.bottom > word.top for word in reading.words)
        if (on_top or "^" not in before) and (at_end or "$" not in after):
            return True
    return False


def in_column(upper: Word, lower: Word, reading: ParsedReply) -> bool:
    """Whether one word stands right below another one."""

    def beneath(box: Word) -> bool:
        overlap = min(box.right, upper.right) - max(box.left, upper.left)
        return overlap > 0 and box.top >= upper.bottom - 2

    # Arrows are read as single letters.
    return beneath(lower) and not any(
        beneath(word) and word.bottom <= lower.top + 2 and len(word.text) > 2
        for word in reading.words
    )


def is_greatest(picture: Picture, reading: ParsedReply, where: str, answer: str) -> bool:
    """Whether the answer is the greatest number in the lower half of the picture."""
    low = [word.text for word in reading.words if word.top > picture.image.height / 2]
    numbers = [float(text) for text in low if re.fullmatch(r"\d+(\.\d+)?", text)]
    return answer.isdigit() and max(numbers, default=None) == float(answer)


def between_places(related: Callable[[Word, Word, ParsedReply], bool]) -> "Check":
    """Returns the check that the answer and a word are somewhere related in a way."""
    return lambda picture, reading, value, answer: any(
        related(place, word, reading) and place[1:] != word[1:]
        for word in reading.find(value)
        for place in reading.find(answer)
    )


Check = Callable[[Picture, ParsedReply, str, str], bool]
"""Of a picture, what is read in it, what the proof says, and the answer."""

READ: dict[str, Check] = {
    "text": stands,
    "order": lambda picture, reading, value, answer: (
        re.findall(value, reading.text) == answer.split(", ")
    ),
    "below": between_places(lambda answer, word, reading: in_column(word, answer, reading)),
    "above": between_places(in_column),
    "beside": between_places(lambda a, b, _: min(a.bottom, b.bottom) > max(a.top, b.top)),
    "lower than": between_places(lambda answer, word, _: answer.top >= word.bottom),
    "higher than": between_places(lambda answer, word, _: answer.bottom <= word.top),
    "ground": lambda picture, reading, value, answer: any(
        is_color(picture.ground(box), answer) for box in reading.find(value)
    ),
    "ink": lambda picture, reading, value, answer: any(
        is_color(picture.ink(box), answer) for box in reading.find(value)
    ),
    "upon": lambda picture, reading, value, answer: any(
        color_name(picture.ground(box)) == value for box in reading.find(answer)
    ),
    "in": lambda picture, reading, value, answer: any(
        color_name(picture.ink(box)) == value for box in reading.find(answer)
    ),
    "greatest number": is_greatest,
}
"""Proofs by what is read; one of the readings has to show it."""

MEASURED: dict[str, Callable[[Picture, str, str], bool]] = {
    "count": lambda picture, value, answer: (
        answer.isdecimal() and picture.count(value, int(answer)) == int(answer)
    ),
    "inside": lambda picture, value, answer: tokens(picture.inside(value)) == tokens(answer),
    "areas": lambda picture, value, answer: str(picture.areas(value)) == answer,
    "color": lambda picture, value, answer: is_color(picture.main_color, answer),
}
"""Proofs by measuring the picture as a whole."""


def holds(picture: Picture, proof: str | dict[str, str], answer: str) -> bool:
    """Whether the picture supports the answer in the way that the proof says."""
    if proof == "main color":
        proof = {"color": "main"}
    parts = {"text": proof} if isinstance(proof, str) else proof
    return all(
        MEASURED[name](picture, str(value), answer)
        if name in MEASURED
        else any(READ[name](picture, reading, str(value), answer) for reading in picture.readings())
        for name, value in parts.items()
    )
