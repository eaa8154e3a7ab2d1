"""What is on a picture and where, as the engine that drew it knows.

An engine tells it in JSON (`layout_record` has the form), from inside its sandbox, where a completion may have
written anything into it; so does the cache. `read_layout` believes neither.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, get_args

from helm_structext.errors import RenderError
from helm_structext.patterns import Pattern

REVISION = "1"
"""Another one where layouts in caches are to be made anew."""

PixelBox = tuple[float, float, float, float]
"""Left, top, right and bottom in the picture's pixels, from its upper left corner."""


def middle_of(box: PixelBox) -> tuple[float, float]:
    """Returns the middle of a box.

    >>> middle_of((0, 0, 4, 2))
    (2.0, 1.0)
    """
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def box_area(box: PixelBox) -> float:
    """Returns how many square pixels a box has; one whose sides are the wrong way round has none.

    >>> box_area((0, 0, 4, 2)), box_area((4, 0, 0, 2))
    (8, 0)
    """
    left, top, right, bottom = box
    return max(right - left, 0) * max(bottom - top, 0)


class LayoutLost(RenderError):
    """What was to tell the layout broke the engine, or took too much: the picture is to be drawn without it."""


ElementKind = Literal["image", "rule", "shape", "control"]


@dataclass(frozen=True)
class TextBox:
    """A piece of text on one line.

    Args:
        text: as it is read, blanks joined.
        box: around its glyphs' line box, or their ink where an engine knows no more.
        color: of its letters, as ``#rrggbb``, or "" where it is not known.
        size: of its font in pixels; 0 where it is not known.
        visible: whether a person can see all of it: not clipped, transparent, covered, or off the picture.
    """

    text: str
    box: PixelBox
    color: str = ""
    size: float = 0.0
    visible: bool = True


@dataclass(frozen=True)
class ElementBox:
    """Something else on a picture, in the order in which it was drawn: what comes later lies above.

    Args:
        kind: what it is.
        box: around what is seen of it.
        color: of what it is filled with, or else of its line, as ``#rrggbb``, or "" where that is none alone.
    """

    kind: ElementKind
    box: PixelBox
    color: str = ""


@dataclass(frozen=True)
class PictureLayout:
    """What is on a picture.

    Args:
        size: width and height of the picture in pixels.
        texts: in the order of reading, as far as the engine knows it.
        elements: from the lowest to the uppermost.
        left_out: boxes that are not listed: beyond the bounds (`MAX_BOXES`, `MAX_CHARACTERS`), or nowhere.
    """

    size: tuple[int, int]
    texts: tuple[TextBox, ...]
    elements: tuple[ElementBox, ...] = ()
    left_out: int = 0


MAX_BOXES = 50_000
"""Of a layout, texts and elements together."""
MAX_CHARACTERS = 1_000_000
"""Of all texts together."""
MAX_PLACE = 1e6
"""Pixels from the picture's corner: what lies beyond, in any direction, is nowhere."""
COLOR = Pattern("(?:#[0-9a-f]{6})?")


def layout_record(layout: PictureLayout) -> dict[str, Any]:
    """Returns a layout as JSON.

    >>> layout_record(PictureLayout((9, 9), (TextBox("a", (1, 2, 3, 4), "#000000", 8.0),)))
    {'size': [9, 9], 'texts': [['a', [1, 2, 3, 4], '#000000', 8.0, True]], 'elements': [], 'left_out': 0}
    """
    return {
        "size": [*layout.size],
        "texts": [[one.text, [*one.box], one.color, one.size, one.visible] for one in layout.texts],
        "elements": [[one.kind, [*one.box], one.color] for one in layout.elements],
        "left_out": layout.left_out,
    }


def read_layout(record: Any) -> PictureLayout:
    """Returns what `layout_record` or an engine wrote, within the bounds; blanks of texts are joined.

    Raises:
        ValueError: it has another form.

    >>> read_layout({"size": [9, 9], "texts": [["a  b", [1, 2, 3, 4], "", 0, True]], "elements": []}).texts
    (TextBox(text='a b', box=(1.0, 2.0, 3.0, 4.0), color='', size=0.0, visible=True),)
    >>> read_layout({"size": [9, 9]})
    Traceback (most recent call last):
    ValueError: what an engine tells of its picture is not a layout
    """
    try:
        width, height = record["size"]
        given = [*record["texts"]], [*record["elements"]]
        texts = [_read_text(*one) for one in given[0][:MAX_BOXES]]
        elements = [_read_element(*one) for one in given[1][: MAX_BOXES - len(texts)]]
        total = sum(map(len, given)) + max(int(record.get("left_out", 0)), 0)
        size = int(width), int(height)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError("what an engine tells of its picture is not a layout") from error
    lengths = accumulate(len(one.text) for one in texts)
    listed = [
        one
        for one, length in zip(texts, lengths, strict=True)
        if _is_somewhere(one) and length <= MAX_CHARACTERS
    ]
    placed = [one for one in elements if _is_somewhere(one)]
    left_out = total - len(listed) - len(placed)
    return PictureLayout(size, tuple(listed), tuple(placed), left_out)


def _read_text(text: str, box: Any, color: str, size: float, visible: bool) -> TextBox:
    if not isinstance(text, str):
        raise TypeError(text)
    letters = round(float(size), 2) if 0 < float(size) < MAX_PLACE else 0.0
    # JSON can carry halves of characters, which have no bytes.
    read = " ".join(text.encode("utf-8", "replace").decode().split())
    return TextBox(read, _read_box(*box), _read_color(color), letters, bool(visible))


def _read_element(kind: Any, box: Any, color: str) -> ElementBox:
    if kind not in get_args(ElementKind):
        raise ValueError(kind)
    return ElementBox(kind, _read_box(*box), _read_color(color))


def _read_box(*sides: float) -> PixelBox:
    left, top, right, bottom = (round(float(side), 2) for side in sides)
    return left, top, right, bottom


def _read_color(color: str) -> str:
    return color if COLOR.fullmatch(color) else ""


def _is_somewhere(one: TextBox | ElementBox) -> bool:
    """Whether it has a place, and a text can be read; what is not a number compares as false."""
    left, top, right, bottom = one.box
    placed = -MAX_PLACE <= left <= right <= MAX_PLACE and -MAX_PLACE <= top <= bottom <= MAX_PLACE
    return placed and not (isinstance(one, TextBox) and not one.text)
