"""Tricks by which a completion can look right to a metric, and how each is noticed.

A model that is trained on a reward finds what the reward overlooks. A completion that a guard notices
has failed, whatever the metrics say of it.
"""

import base64
import binascii
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from PIL import Image

from helm_structext.patterns import Pattern
from helm_structext.rewards.letters import count_letters
from helm_structext.texts import quote_value

EMBEDDED = "embedded"
"""The guard against pictures in answers: by letters here, and by what an engine decoded in `carried.py`."""
MAX_CHARACTERS = 100_000
"""Of a completion: more than any right answer of the benchmarks has."""
MAX_EMBEDDED = 4000
"""Characters of data in letters and digits, in all of its lines; a font's icon has some 2,000."""
MAX_PICTURE = 200
"""Characters of an embedded picture, or of data beside what decodes it; a transparent pixel has a hundred."""
DATA_LINE, DATA_LETTERS = 40, 10
"""Characters without a space, and different ones among them, from which on they are a line of data."""
MIN_INK = 0.02
"""Share of the reference's marked pixels that a rendering has at least."""
SAME = 16
"""Levels of gray, of 256, by which the background of a photographed or compressed page differs."""
MAX_SIDES = 4
"""How many times as wide or high as the reference a rendering may be, or the other way round."""
MAX_TEXT = 4
"""How many times as much text as the reference a rendering may have, `SPARE_TEXT` not counted."""
SPARE_TEXT = 1000
"""Characters of text that any rendering may have."""
MIN_LETTERS, ENOUGH_LETTERS = 5, 200
"""Of `count_letters`: a rendering has at least a fifth of the reference's, of which no more than 200 count."""
FEW_LETTERS = 12
"""As many marks may be something else than text."""
SPARE_REPLY = 200
"""Characters that a reply may have around `MAX_TEXT` times its answer."""

MANY, FEW_WORDS = 4, 4
"""Things that a reply lists more than its answer, and words of each at most: a sentence has longer parts."""

MAX_LEAVES = 1000
"""Of what is at a path, that are looked at."""

MIN_PATHS = 4
"""Asked for: fewer may well hold the same."""

_SEPARATOR = Pattern(r"[,;|/\n\r\t•&+=_。、，；·]|[.:]\s|\s[-*–—]\s| and | or | then ")
_DATA = Pattern(f"[0-9A-Za-z+/=_-]{{{DATA_LINE},}}")
_DIGITS, _NUMBERS = r"(?:[\\,\s%]|0?x){0,9}", r"[,\s]{1,9}"
"""What stands between the bytes of a file: as hexadecimal digits of any notation, and as numbers."""
_BEGINNINGS = (
    # Data URIs of pictures but SVG, of films, and of what a browser recognizes by itself.
    r"data:\s*(?:image/(?:[^s,]|s[^v,])[^,]{0,99}|video/[^,]{0,99}|application/octet-stream[^,]{0,99}|;base64),",
    # PNG, JPEG, GIF, WebP, and AVIF and its kin (`ftyp`), in base64, as digits and as numbers.
    r"iVBORw0KGg|/9j/[24]|R0lGOD(?:dh|lh)|UklGR.{7}RUJQ|AAAA[A-Za-z0-9]{2}Z0eX",
    _DIGITS.join(("89", "(?:50|P)", "(?:4[eE]|N)", "(?:47|G)")),
    *map(_DIGITS.join, (("[fF]{2}", "[dD]8", "[fF]{2}", "[eE]"), ("47", "49", "46", "38"))),
    *map(_DIGITS.join, (("52", "49", "46", "46"), ("66", "74", "79", "70", "61"))),
    *map(
        _NUMBERS.join, (("137", "80", "78", "71"), ("255", "216", "255"), ("71", "73", "70", "56"))
    ),
    *map(_NUMBERS.join, (("82", "73", "70", "70"), ("102", "116", "121", "112"))),
)
_PICTURE = Pattern(
    rf"(?:{'|'.join(_BEGINNINGS)})(?:[0-9A-Za-z+/=_,%\\\s-]|[\"'`]\s*[+\n]?\s*[\"'`])*", ascii=True
)
_DECODER = Pattern(
    r"\b(?:atob|frombuffer|fromhex|[ab](?:16|32|64|85)decode|unhexlify|decompress|inflate)\s*\("
    r"|/Subtype\s*/Image\b|/ASCII(?:Hex|85)Decode|/DCTDecode|\breadhexstring\b|\bcolorimage\b"
    r"|DecompressionStream|base64,(?:[\"'`]\s*\+|\$\{)",
    ascii=True,
)
_HASH = Pattern(r"sha(?:256|384|512)-[0-9A-Za-z+/=]{44,88}\z")
_ENTITY = Pattern(r"&#(?:([0-9]{1,7})|[xX]([0-9A-Fa-f]{1,6}));")
_BASE64 = Pattern(r";base64,([0-9A-Za-z+/=\s]+)")
_NESTED = 3
"""Documents of text in data URIs, of which each may hold the next."""


@dataclass(frozen=True)
class Page:
    """What guards look at of a rendering or a reference.

    Args:
        size: width and height in pixels.
        ink: share of pixels that are not of the most frequent gray, nor within `SAME` of it.
        text: the text that was drawn, reduced to its content; "" if it is not known.
        letters: how many marks look like letters.
        told: whether the score goes by what the engine tells of the picture: half of a short formula or of a drawing
            with few words may be right, and what can be guessed from pixels is known better.
    """

    size: tuple[int, int]
    ink: float
    text: str
    letters: int = 0
    told: bool = False


def page(picture: Image.Image, text: str, *, told: bool = False) -> Page:
    """Returns what guards look at; letters are not counted where `told`.

    >>> page(Image.new("RGB", (2, 1), "white"), "")
    Page(size=(2, 1), ink=0.0, text='', letters=0, told=False)
    """
    counts = picture.convert("L").histogram()
    background = counts.index(max(counts))
    same = counts[max(background - SAME, 0) : background + SAME + 1]
    letters = 0 if told else count_letters(picture)
    return Page(picture.size, 1 - sum(same) / sum(counts), text, letters, told)


def _long(completion: str, reference: str = "") -> str | None:
    if len(completion) > MAX_CHARACTERS:
        return f"{len(completion):,} characters; at most {MAX_CHARACTERS:,} are scored"
    return None


def _embedded(completion: str, reference: str = "") -> str | None:
    pictures, theirs = _pictures(completion), sum(map(len, _pictures(reference)))
    if (length := sum(map(len, pictures))) > max(MAX_PICTURE, theirs):
        return f"it holds {length:,} characters of a picture: {quote_value(pictures[0][:100], 40)}"
    lines = _data(completion)
    most = MAX_PICTURE if _DECODER.search(completion) else MAX_EMBEDDED
    if (length := sum(map(len, lines))) > max(most, sum(map(len, _data(reference)))):
        return f"it holds {length:,} characters of data: {quote_value(lines[0][:100], 40)}"
    return None


def embeds(code: str) -> bool:
    """Returns whether a code has a picture in its letters, as a reference's may.

    >>> embeds("<svg/>")
    False
    """
    return _embedded(code) is not None


def _data(code: str) -> list[str]:
    found = (match[0] for match in _DATA.finditer(code))
    return [line for line in found if len(set(line)) >= DATA_LETTERS and not _HASH.match(line)]


def _pictures(code: str) -> list[str]:
    """The beginnings of pictures in a code, each as far as its data goes: as written, or decoded."""
    readings = ([match[0] for match in _PICTURE.finditer(text)] for text in _readings(code))
    return max(readings, key=lambda found: sum(map(len, found)))


def _readings(code: str) -> Iterator[str]:
    """A code as it is, without its escapes, and the documents within it that are in base64."""
    yield code
    for _ in range(_NESTED):
        code = unquote(_ENTITY.sub(lambda it: _character(it[1], it[2]), code))
        yield code
        code = "\n".join(_decoded("".join(match[1].split())) for match in _BASE64.finditer(code))
        yield code


def _character(decimal: str, hexadecimal: str) -> str:
    number = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(number) if number < 0x110000 else ""


def _decoded(letters: str) -> str:
    try:
        return base64.b64decode(letters[: len(letters) // 4 * 4]).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _blank(rendering: Page, reference: Page) -> str | None:
    if rendering.ink < MIN_INK * reference.ink:
        return (
            f"it visibly marks {rendering.ink:.2%} of the page, the reference {reference.ink:.2%}"
        )
    return None


def _stretched(rendering: Page, reference: Page) -> str | None:
    for side, ours, theirs in zip(("wide", "high"), rendering.size, reference.size, strict=True):
        if ours > MAX_SIDES * theirs or (MAX_SIDES * ours < theirs and not rendering.told):
            return f"it is {ours} pixels {side}, the reference {theirs}"
    return None


def _other_amount_of_text(rendering: Page, reference: Page) -> str | None:
    ours, theirs = len(rendering.text), len(reference.text)
    if theirs and ours > MAX_TEXT * theirs + SPARE_TEXT:
        return f"it shows {ours:,} characters of text, the reference {theirs:,}"
    ours, theirs = rendering.letters, reference.letters
    few = MIN_LETTERS * ours < min(theirs, ENOUGH_LETTERS) and not rendering.told
    if theirs >= FEW_LETTERS and few:
        return f"it shows {ours} marks that look like letters, the reference {theirs:,}"
    return None


def _copied(reply: str, answer: str) -> str | None:
    if len(reply) > MAX_TEXT * len(answer) + SPARE_REPLY:
        return f"it has {len(reply):,} characters, the answer {len(answer)}"
    return None


def _says_everything(reply: str, answer: str) -> str | None:
    ours, theirs = _listed(reply), _listed(answer)
    if len(ours) >= len(theirs) + MANY and all(len(one.split()) <= FEW_WORDS for one in ours):
        return f"it lists {len(ours)} things, the answer {len(theirs)}"
    return None


def _listed(text: str) -> list[str]:
    """The parts of a list in a text, each of which counts once."""
    parts = (part.strip() for part in _SEPARATOR.sub("\n", text).split("\n"))
    return [*dict.fromkeys(part.lower() for part in parts if part)]


Values = Sequence[Sequence[Any]]
"""What lies at each of the paths that were asked for (`helm_structext.metrics.values_at_paths`)."""


def notice_nulls(values: Values) -> str | None:
    """Returns what is wrong where most of the paths that were asked for hold null.

    Args:
        values: at each of these paths.

    >>> notice_nulls([[None], [None], [1]]), notice_nulls([[None], [1]])
    ('2 of 3 paths hold null', None)
    """
    null = sum(leaves == {None} for leaves in map(_leaves_of, values))
    return f"{null} of {len(values)} paths hold null" if 2 * null > len(values) else None


def _leaves_of(found: Sequence[Any]) -> set[Any]:
    """What is said at a path: texts and numbers with their type, as 1 and True are equal, and None for what is empty."""
    leaves: set[Any] = set()
    left = [*found]
    for _ in range(MAX_LEAVES):
        if not left:
            break
        match left.pop():
            case dict() as one if one:
                left += one.values()
            case list() as one if one:
                left += one
            case None | "" | dict() | list():
                leaves.add(None)
            case str() | int() | float() as one:
                leaves.add((type(one), one))
            case one:
                leaves.add((type(one), str(one)))
    return leaves


def notice_repeats(values: Values) -> str | None:
    """Returns what is wrong where most of the paths that were asked for, `MIN_PATHS` or more, hold one text or number, or null.

    Args:
        values: at each of these paths.

    >>> notice_repeats([["x"], ["x", "x"], ["x"], [1]]), notice_repeats([["x"], ["x"], ["x"]])
    ("3 of 4 paths hold 'x'", None)
    """
    counts = Counter(held for ones in map(_leaves_of, values) if len(ones) == 1 for held in ones)
    null = counts.pop(None, 0)
    if len(values) < MIN_PATHS or not counts:
        return None
    (_, value), count = counts.most_common(1)[0]
    said = f"{count} of {len(values)} paths hold {quote_value(value, 40)}"
    said += f", and {null} null" * bool(null)
    return said if 2 * (count + null) > len(values) else None


OF_COMPLETIONS: Mapping[str, Callable[..., str | None]] = {
    "length": _long,
    EMBEDDED: _embedded,
}
"""Guards that look at what was written and, where there is one, the reference's code, before anything is
rendered: name to what finds a reason."""

OF_RENDERINGS: Mapping[str, Callable[[Page, Page], str | None]] = {
    "blank": _blank,
    "size": _stretched,
    "text": _other_amount_of_text,
}
"""Guards that compare a rendering with the reference: name to what finds a reason."""

OF_TEXTS: Mapping[str, Callable[[str, str], str | None]] = {"text": _copied}
"""Guards that compare a reply with the text that it should say: name to what finds a reason."""

OF_LISTS: Mapping[str, Callable[[str, str], str | None]] = {"everything": _says_everything}
"""The same, for replies that say no box."""

OF_PATHS: Mapping[str, Callable[[Values], str | None]] = {
    "null": notice_nulls,
    "repeated": notice_repeats,
}
"""Guards that look at the values of a structure: name to what finds a reason."""

GUARDS = tuple(dict.fromkeys((*OF_COMPLETIONS, *OF_RENDERINGS, *OF_LISTS, *OF_PATHS)))
"""The names of all guards, which are the kinds of what they notice."""
