"""What engines tell of their pictures, checked by the pictures; and what PDFium tells of a PDF's page."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from PIL import Image

from helm_structext.errors import RenderError
from helm_structext.layouts import (
    MAX_BOXES,
    ElementBox,
    PictureLayout,
    PixelBox,
    SymbolBox,
    TextBox,
    box_area,
    read_layout,
)
from helm_structext.renderers import python
from helm_structext.renderers.engine import ReaderDied
from helm_structext.renderers.limits import LAYOUT_LIMITS
from helm_structext.renderers.outcome import VISIBLE
from helm_structext.sandbox import ProcessDied, uncounted

PACKAGES = ("pypdfium2",)
MAX_TOLD = 8 * 2**20
"""Bytes that an engine tells of a picture."""
MAX_PARTS = 4 * MAX_BOXES
"""Lists and mappings in what an engine tells: each takes much more room once it is read."""
MAX_LOOKS = 4
"""How many times each pixel of a picture is looked at for texts, on average."""
BETWEEN = 1.0
"""How far beside the colors of a place, in the distance between these, a text's color may be: thin letters are paler."""
BLENDED = 48.0
"""How far from a shape's color an even place may be that is the shape, if it lets something of its ground through."""
EDGED = 4.0
"""Pixels from which on the edge of a shape is left out, where others may begin."""
MAX_ELEMENTS = 5_000
"""That are looked for on a picture; and places of those that have no color."""
MARGIN = 0.15
"""Of a line box, the share of its height in which there may be something else."""
FEW_PIXELS = 1_000_000
"""That may be looked at for symbols, however small a picture is."""
AROUND = 2.0
"""Pixels around a place that are looked at, too: a line is of one color all over."""
UNREADABLE = "what the engine tells of the picture can't be read"

Told = tuple[PictureLayout | None, str]
"""A layout, or why there is none."""


def read_page(
    pdf: bytes, dpi: int, page: Image.Image, box: tuple[int, int, int, int] | None = None
) -> Told:
    """Returns what is on a PDF's first page.

    Args:
        pdf: may be anything.
        dpi: at which the page was drawn.
        page: what was drawn, RGB.
        box: left, top, right and bottom of what became the picture, in pixels; None if it is all of the page.

    Raises:
        ReaderDied: what reads it was ended by a signal.
        SetupError: PDFium is not installed, or it got no processor.
    """
    if not pdf:
        return None, "there is no PDF of the page, or it is too large"
    asked = json.dumps({"dpi": dpi, "page": page.size, "box": box or (0, 0, *page.size)})
    try:
        with uncounted():
            made = python.make(
                "pdf_job", PACKAGES, asked, {"page.pdf": pdf}, "corrected", LAYOUT_LIMITS
            )
    except RenderError as error:
        return None, f"the PDF's page can't be read: {error.message}"
    except ProcessDied as error:
        raise ReaderDied(str(error)) from error
    return read_told(made.page, page.crop(box) if box else page)


def read_told(data: bytes, picture: Image.Image) -> Told:
    """Returns the layout that an engine tells in JSON.

    Args:
        data: of the engine, or of the code, which may have written it itself.
        picture: that it speaks of, RGB.
    """
    if not data or tells_too_much(data):
        return None, "the engine tells nothing of the picture, or too much"
    try:
        return check_layout(json.loads(data), picture)
    except (ValueError, RecursionError):
        return None, UNREADABLE


def tells_too_much(data: bytes) -> bool:
    """Returns whether what an engine, or the code itself, tells takes too much to be read."""
    return len(data) > MAX_TOLD or data.count(b"[") + data.count(b"{") > MAX_PARTS


def check_layout(record: Any, picture: Image.Image) -> Told:
    """Returns a layout that an engine tells, with what can be seen of it.

    Args:
        record: as `helm_structext.layouts.layout_record` makes it, or anything.
        picture: that it speaks of, RGB.
    """
    try:
        layout = read_layout(record)
    except ValueError:
        return None, UNREADABLE
    if layout.size != picture.size:
        return None, "what the engine tells is of another picture"
    return mark_seen(layout, picture)


def mark_seen(layout: PictureLayout, picture: Image.Image) -> Told:
    """Returns a layout of which texts are visible only where the picture has something like them.

    Shapes and rules that it has nothing like, as others lie on all of them, are left out, and so is what has no color
    of its own, as a gradient or an image, where the picture shows nothing but texts.

    Args:
        layout: of the picture; its size is the picture's.
        picture: RGB.

    Returns:
        None with a reason where texts lie on each other so that there is too much to look at.
    """
    left: float = MAX_LOOKS * picture.width * picture.height
    texts = []
    for one in layout.texts:
        if one.visible:
            left -= box_area(on_picture(one.box, picture.size))
            if left < 0:
                return None, "its texts cover more than can be looked at"
            if not is_seen(one, picture):
                one = replace(one, visible=False)
        texts.append(one)
    symbols = layout.symbols and keep_drawn(layout.symbols, picture)
    shown = _find_shown_places(layout, texts, picture)
    elements = _find_seen_elements(layout, picture, shown)
    left_out = layout.left_out + list(shown.values()).count(None)
    return replace(
        layout, texts=tuple(texts), elements=elements, symbols=symbols, left_out=left_out
    ), ""


def keep_drawn(symbols: Iterable[SymbolBox], picture: Image.Image) -> tuple[SymbolBox, ...] | None:
    """Returns the symbols where a picture has something; None where they lie on each other too much to be looked at."""
    left: float = max(MAX_LOOKS * picture.width * picture.height, FEW_PIXELS)
    drawn = []
    for one in symbols:
        box = _around(one.box)
        left -= box_area(on_picture(box, picture.size))
        if left < 0:
            return None
        if is_drawn(box, one.color, picture):
            drawn.append(one)
    return tuple(drawn)


def _find_shown_places(
    layout: PictureLayout, texts: Iterable[TextBox], picture: Image.Image
) -> dict[PixelBox, bool | None]:
    """Whether there is something beside texts where elements without a color are; None is too much to look at."""
    places = dict.fromkeys(one.box for one in layout.elements if not _tells_color(one))
    if not places:
        return {}
    beside = Image.new("L", picture.size, 255)
    for text in texts:
        if text.visible:
            beside.paste(0, on_picture(_around(text.box), picture.size))
    left: float = MAX_LOOKS * picture.width * picture.height
    shown: dict[PixelBox, bool | None] = {}
    for number, place in enumerate(places):
        area = box_area(on_picture(_around(place), picture.size))
        shown[place] = None
        if number < MAX_ELEMENTS and area <= left:
            left -= area
            shown[place] = stands_out(place, picture, beside)
    return shown


def _find_seen_elements(
    layout: PictureLayout, picture: Image.Image, shown: Mapping[PixelBox, bool | None]
) -> tuple[ElementBox, ...]:
    """Elements without those that are painted over; what there is too much of to look at is believed, if it has a color."""
    left: float = MAX_LOOKS * picture.width * picture.height
    seen = []
    for number, one in enumerate(layout.elements):
        if not _tells_color(one):
            seen += [one] if shown[one.box] else []
            continue
        left -= box_area(on_picture(one.box, picture.size)) + 1
        if number >= MAX_ELEMENTS or left < 0 or shows_element(one, picture):
            seen.append(one)
    return tuple(seen)


def _tells_color(element: ElementBox) -> bool:
    return bool(element.color) and element.kind in ("shape", "rule")


def _around(box: PixelBox) -> PixelBox:
    left, top, right, bottom = box
    return left - AROUND, top - AROUND, right + AROUND, bottom + AROUND


def stands_out(box: PixelBox, picture: Image.Image, beside: Image.Image) -> bool:
    """Returns whether a place differs from what is around it, or within itself: anybody sees that something is there.

    Args:
        box: of the place, in pixels.
        picture: RGB.
        beside: gray, white where there are no texts; a place that is all texts is believed to stand out.

    >>> page, beside = Image.new("RGB", (60, 20), "white"), Image.new("L", (60, 20), 255)
    >>> page.paste("#3366cc", (5, 5, 25, 15))
    >>> stands_out((5, 5, 25, 15), page, beside), stands_out((35, 5, 55, 15), page, beside)
    (True, False)
    """
    own = on_picture(box, picture.size)
    if own[0] >= own[2] or own[1] >= own[3]:
        return False
    if not beside.crop(own).getbbox():
        return True
    place = on_picture(_around(box), picture.size)
    counts = picture.crop(place).histogram(beside.crop(place))
    levels = [[at for at in range(256) if counts[band + at]] for band in (0, 256, 512)]
    return any(known[-1] - known[0] >= VISIBLE for known in levels)


def shows_element(element: ElementBox, picture: Image.Image) -> bool:
    """Returns whether a picture has a shape's or rule's color at its place, or colors on both sides of it.

    >>> page = Image.new("RGB", (40, 20), "white")
    >>> page.paste("#3366cc", (5, 5, 35, 15))
    >>> bar, covered = (ElementBox("shape", (5, 5, 35, 15), color) for color in ("#3366cc", "#cc3333"))
    >>> shows_element(bar, page), shows_element(covered, page)
    (True, False)
    """
    left, top, right, bottom = element.box
    edge = 1.0 if min(right - left, bottom - top) >= EDGED else 0.0
    box = on_picture((left + edge, top + edge, right - edge, bottom - edge), picture.size)
    if box[0] >= box[2] or box[1] >= box[3]:
        return False
    levels: Any = picture.crop(box).getextrema()
    free = max(BLENDED, BETWEEN * max(high - low for low, high in levels))
    own = bytes.fromhex(element.color[1:])
    return all(
        low - free <= level <= high + free for level, (low, high) in zip(own, levels, strict=True)
    )


def is_seen(text: TextBox, picture: Image.Image) -> bool:
    """Returns whether a picture has something like a text at its place: several colors, with its own among them.

    >>> page = Image.new("RGB", (40, 20), "white")
    >>> text = TextBox("l", (10, 5, 20, 15), "#204060")
    >>> is_seen(text, page)
    False
    >>> page.paste("#8090a0", (14, 6, 16, 14))
    >>> is_seen(text, page), is_seen(replace(text, color="#ff0000"), page)
    (True, False)
    """
    left, top, right, bottom = text.box
    margin = MARGIN * min(right - left, bottom - top)
    box = left + margin, top + margin, right - margin, bottom - margin
    return is_drawn(box, text.color, picture)


def is_drawn(box: PixelBox, color: str, picture: Image.Image) -> bool:
    """Returns whether a place of a picture has several colors, with one, if it is known, among them or beside them."""
    box = on_picture(box, picture.size)
    if box[0] >= box[2] or box[1] >= box[3]:
        return False
    levels: Any = picture.crop(box).getextrema()
    widest = max(high - low for low, high in levels)
    if widest < VISIBLE or not color:
        return bool(widest >= VISIBLE)
    own = bytes.fromhex(color[1:])
    return all(
        low - BETWEEN * widest <= level <= high + BETWEEN * widest
        for level, (low, high) in zip(own, levels, strict=True)
    )


def on_picture(box: PixelBox, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Returns the whole pixels of a picture that a box touches.

    >>> on_picture((-3.2, 1.5, 4.1, 9), (10, 5))
    (0, 1, 5, 5)
    """
    left, top, right, bottom = box
    return (
        max(int(left), 0),
        max(int(top), 0),
        min(int(right) + 1, size[0]),
        min(int(bottom) + 1, size[1]),
    )
