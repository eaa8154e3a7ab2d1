"""From the browser's own snapshot of a page to what is on its picture.

The browser tells of each box its place, its lines of text, its style, and in what order it is painted
(``DOMSnapshot.captureSnapshot``): pseudo-elements, shadow trees and frames are in it, and no script of the page has a
part in it. What it does not tell is read otherwise: texts and shapes of canvases as they were drawn
(`scripts/canvas_contents.js`), values of controls from their elements, texts that `<use>` repeats from what it repeats,
arrowheads from markers of SVG and the lines that have them.

Whether a text can be seen is told by its color and opacity, by the boxes that clip it, and by opaque boxes that
are painted later. What only looks covered or clipped, by a mask, a filter or a picture, counts as seen.

Protocol: https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/
"""

import bisect
import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from helm_structext.layouts import (
    MAX_BOXES,
    MAX_SYMBOLS,
    RULE,
    SHAPE,
    PictureLayout,
    PixelBox,
    box_area,
    read_layout,
)
from helm_structext.patterns import Pattern
from helm_structext.renderers.web.box_styles import (
    COLORS,
    STYLES,
    BoxStyle,
    ColorReader,
    read_numbers,
)
from helm_structext.renderers.web.text_pieces import (
    Covers,
    Paint,
    TextPiece,
    common_box,
    has_extent,
    is_seen,
    is_upright,
    join_pieces,
)

MAX_NODES = 50_000
"""Of a page; of a larger one there is no snapshot, which would take seconds and hundreds of megabytes."""
MAX_COLORS = 1000
"""That the browser is asked to resolve; others are not known."""
MAX_LINES = 5000
"""Of drawings on a page, that are asked for arrowheads."""
MAX_USES = 1000
"""Of a document, whose texts are read."""

ABOVE_ALL: Paint = sys.maxsize, 0
FAINT = 0.1
"""Opacity below which nothing is seen."""
OPAQUE = 0.95
THIN = 4
"""Pixels up to which a filled box is a rule."""
MAX_SEGMENT = 100
"""Characters of a path up to which it is looked at whether it is one straight line."""
HIDDEN = {"defs", "symbol", "clipPath", "mask", "marker", "pattern"}
"""Elements of SVG whose contents are drawn only elsewhere."""
SHAPES = {"rect", "circle", "ellipse", "path", "polygon", "polyline", "line"}
IMAGES = {"IMG", "VIDEO", "CANVAS", "OBJECT", "EMBED", "image"}
CONTROLS = {"INPUT", "SELECT", "TEXTAREA", "BUTTON", "METER", "PROGRESS"}
NO_TEXT = {"checkbox", "radio", "range", "color", "file", "image",
           "date", "month", "week", "time", "datetime-local"}  # fmt: skip
"""Types of `<input>` whose value can't be read on them, or is shown in another way."""
DEFAULT_TEXTS = {"submit": "Submit", "reset": "Reset"}
FORMULA = "katex-html"
"""The class of what KaTeX draws of a formula; beside it there is MathML that no one sees."""
LETTERINGS = ("math", "text", "boldsymbol")
"""How KaTeX's classes begin that say in which letters something is set."""
ADDRESS = Pattern(r"(?i)\b(?:data|blob|filesystem):", ascii=True)
BULLET = "•"
SOFT_HYPHEN, SOFT_BREAK = "\u00ad", "\u200b"
"""At which a line may end: within it they are not seen."""


class Clips(NamedTuple):
    """What clips the boxes in another one, by how they are placed."""

    flow: PixelBox
    absolute: PixelBox
    fixed: PixelBox


class Surroundings(NamedTuple):
    """What a box passes on to what is in it.

    Args:
        origin: of its document, on the picture.
        clips: of what is in it.
        clip: of itself.
        scale: pixels of the picture for one of the style.
        angle: in degrees, by which it is turned.
        opacity: of it and all around it.
        hidden: whether it is only drawn elsewhere, as in `<defs>`.
        drawing: whether it is in SVG.
        lettered: whether its background is seen through its letters.
        block: document and node of the box whose lines hold its text.
        columns: where its columns begin, and pixels from one to the next; None where it has none.
        formula: how its letters are set, if it is in a formula, or "".
    """

    origin: tuple[float, float]
    clips: Clips
    clip: PixelBox
    scale: float = 1.0
    angle: float = 0.0
    opacity: float = 1.0
    hidden: bool = False
    drawing: bool = False
    lettered: bool = False
    block: tuple[int, int] = (0, 0)
    columns: tuple[float, float] | None = None
    formula: str = ""


@dataclass
class PageContents:
    """What was found on a page so far: pieces of text, elements, and opaque boxes, with when each is painted.

    Symbols of formulas are as `read_symbols` takes them.
    """

    pieces: list[TextPiece] = field(default_factory=list)
    elements: list[tuple[Paint, str, PixelBox, str, str, bool | None]] = field(default_factory=list)
    covers: list[tuple[Paint, PixelBox]] = field(default_factory=list)
    symbols: list[Any] = field(default_factory=list)
    carried: list[tuple[str, PixelBox, float]] = field(default_factory=list)
    left_out: int = 0


def unresolved_colors(snapshot: Mapping[str, Any], page: Mapping[str, Any]) -> list[str]:
    """Returns the colors of a page that the browser has to resolve, such as ``oklch(…)``; see `read_snapshot`.

    Raises:
        ValueError: the snapshot has another form.
    """
    columns = [place for place, name in enumerate(STYLES) if name in COLORS]
    try:
        strings = snapshot["strings"]
        styles = [one for it in snapshot["documents"] for one in it["layout"]["styles"] if one]
        written = {strings[one[column]] for one in styles for column in columns}
        written |= {
            one["color"]
            for canvas in page["canvases"]
            if canvas
            for one in (*canvas["texts"], *canvas["shapes"])
        }
        written |= {one["color"] for one in page["heads"]}
        known = ("rgb", "#", "url(", "none")
        return sorted(one for one in written if one and not one.startswith(known))[:MAX_COLORS]
    except (AttributeError, LookupError, TypeError) as error:
        raise _unreadable(error) from error


def read_snapshot(
    snapshot: Mapping[str, Any],
    page: Mapping[str, Any],
    size: tuple[int, int],
    resolved: Mapping[str, Sequence[float]],
    unserved: Collection[str] = (),
) -> PictureLayout:
    """Returns what is on the picture of a page.

    Args:
        snapshot: the reply to ``DOMSnapshot.captureSnapshot``, with paint orders and `STYLES`.
        page: what `scripts/read_page.js` tells.
        size: of the picture.
        resolved: see `ColorReader`.
        unserved: addresses that the page asked for in vain: a background that has not come is not drawn.

    Raises:
        ValueError: the snapshot has another form.
    """
    found = PageContents()
    everywhere = (0.0, 0.0, float(size[0]), float(size[1]))
    try:
        reader = _Reader(snapshot, page, ColorReader(resolved), unserved)
        reader.read_document(
            0, Surroundings((0.0, 0.0), Clips(*[everywhere] * 3), everywhere), found
        )
        found.elements += _read_heads(page["heads"], reader.read_color, everywhere)
        texts = list(join_pieces(found.pieces))
        covers = Covers(found.covers, len(texts))
        record = {
            "size": size,
            "texts": [
                (
                    *(one.raw, one.box, one.color, one.size),
                    is_seen(one) and not covers.hide(one),
                    one.faces,
                    one.turned,
                )
                for one in texts
            ],
            # What lies on its like, as a label's boxes do, adds nothing.
            "elements": [
                *dict.fromkeys(one[1:] for one in sorted(found.elements, key=itemgetter(0)))
            ],
            "left_out": found.left_out,
            "symbols": found.symbols[:MAX_SYMBOLS],
            "carried": found.carried,
        }
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise _unreadable(error) from error
    return read_layout(record)


def _unreadable(error: Exception) -> ValueError:
    return ValueError(f"the browser's snapshot can't be read ({error!r:.100})")


def is_carried(address: str) -> bool:
    """Returns whether an address, or one in a value of a style, has a picture's bytes in itself or in the page.

    One of SVG is a drawing of its own.

    >>> [is_carried(it) for it in ("photo.png", "data:image/png;base64,AAAA", "none", "data:image/svg+xml,<svg/>")]
    [False, True, False, False]
    """
    return any(
        not address.startswith("data:image/svg", found.start())
        for found in ADDRESS.finditer(address)
    )


def _read_heads(
    told: Iterable[Mapping[str, Any]], read_color: ColorReader, picture: PixelBox
) -> Iterator[tuple[Paint, str, PixelBox, str, str, bool | None]]:
    """Arrowheads, which the snapshot does not list where they are drawn; they lie above all else."""
    for one in told:
        color, alpha = read_color(one["color"])
        box = common_box((one["left"], one["top"], one["right"], one["bottom"]), picture)
        if alpha * one["opacity"] >= FAINT and has_extent(box):
            yield ABOVE_ALL, "arrowhead", box, color, "", None


class _Reader:
    """Reads the documents of a snapshot, each from its first box to its last."""

    def __init__(
        self,
        snapshot: Mapping[str, Any],
        page: Mapping[str, Any],
        read_color: ColorReader,
        unserved: Collection[str],
    ) -> None:
        self.strings: list[str] = snapshot["strings"]
        self.documents: list[Mapping[str, Any]] = snapshot["documents"]
        self.page = page
        self._unread = {0, *range(len(self.documents))}
        self.read_color = read_color
        self.unserved = unserved
        self._styles: dict[tuple[int, ...], BoxStyle] = {}

    def read_document(self, number: int, around: Surroundings, found: PageContents) -> None:
        """Adds what a document shows, which is in no more than one frame."""
        if number not in self._unread:
            return
        self._unread.remove(number)
        document = self.documents[number]
        left, top = around.origin
        left -= around.scale * document.get("scrollOffsetX", 0)
        top -= around.scale * document.get("scrollOffsetY", 0)
        clips = Clips(around.clip, around.clip, around.clip)
        outer = around._replace(
            origin=(left, top), clips=clips, drawing=False, block=(number, 0), columns=None
        )
        _DocumentReader(self, document, number, outer, found).read()

    def text(self, index: int) -> str:
        """Returns a string of the snapshot; one that is not there is empty."""
        return self.strings[index] if index >= 0 else ""

    def style(self, indices: Sequence[int]) -> BoxStyle:
        """Returns a style; most boxes share theirs with others."""
        key = tuple(indices)
        if key not in self._styles:
            written = dict(zip(STYLES, map(self.text, key), strict=True))
            self._styles[key] = BoxStyle(written, self.read_color)
        return self._styles[key]


class _DocumentReader:
    def __init__(
        self,
        reader: _Reader,
        document: Mapping[str, Any],
        number: int,
        outer: Surroundings,
        found: PageContents,
    ) -> None:
        self._reader, self._number, self._outer, self._found = reader, number, outer, found
        self._nodes, self._layout = document["nodes"], document["layout"]
        self._parents: list[int] = self._nodes["parentIndex"]
        if not all(-1 <= parent < node for node, parent in enumerate(self._parents)):
            raise TypeError("a node is not behind its parent")
        self._names = [reader.text(name) for name in self._nodes["nodeName"]]
        self._values = {
            node: reader.text(value)
            for what in ("inputValue", "textValue")
            for node, value in _entries(self._nodes[what])
        }
        self._selected = set(self._nodes["optionSelected"]["index"])
        self._frames = dict(_entries(self._nodes["contentDocumentIndex"]))
        self._canvases = self._in_order("CANVAS", reader.page["canvases"])
        self._broken = self._in_order("IMG", reader.page["broken"])
        self._lines: dict[int, list[tuple[int, int, Sequence[float]]]] = {}
        boxes = document["textBoxes"]
        for place, *line in zip(
            *(boxes[name] for name in ("layoutIndex", "start", "length", "bounds")), strict=True
        ):
            self._lines.setdefault(place, []).append(tuple(line))
        self._around: dict[int, Surroundings] = {-1: outer}
        self._drawn: list[tuple[int, TextPiece | None, PixelBox]] = []
        self._uses: list[tuple[int, PixelBox, Surroundings, Paint]] = []
        self._drawings: dict[int, tuple[list[TextPiece], PixelBox]] = {}
        self._columns: dict[tuple[int, int], tuple[float, float, int]] = {}
        self._page_filled = False

    def read(self) -> None:
        boxes = zip(
            *(self._layout[name] for name in ("nodeIndex", "styles", "bounds", "text")), strict=True
        )
        for place, (node, indices, bounds, text) in enumerate(boxes):
            if not indices:  # It is the document itself.
                continue
            style = self._reader.style(indices)
            if text >= 0:
                # A text of a pseudo-element is in the box of the same node.
                around = self._around.get(node) or self._surroundings(self._parents[node])
                self._add_text(place, node, style, around, self._reader.text(text))
                continue
            around = self._surroundings(self._parents[node])
            box = self._place(bounds)
            here = self._around[node] = self._surround(node, style, around, box)
            if here.drawing:
                self._drawn.append((node, None, box))
            if not here.hidden:
                self._add_box(place, node, style, here, box)
        for use in self._uses[:MAX_USES]:
            self._add_used(*use)

    def _in_order(self, name: str, told: Sequence[Any]) -> dict[int, Any]:
        """What the page tells of its elements of a name, by their nodes."""
        if self._number:
            return {}
        shadows = {node for node, _ in _entries(self._nodes["shadowRootType"])}
        nodes = (
            node for node, one in enumerate(self._names) if one == name and node not in shadows
        )
        return dict(zip(nodes, told, strict=False))

    def _place(self, bounds: Sequence[float]) -> PixelBox:
        """A box on the picture; those in a frame are told without its scale."""
        (x, y), scale = self._outer.origin, self._outer.scale
        left, top, width, height = (scale * one for one in bounds)
        return x + left, y + top, x + left + width, y + top + height

    def _surroundings(self, node: int) -> Surroundings:
        """What is around the children of a node, which may have no box of its own."""
        passed = []
        while node not in self._around:
            passed.append(node)
            node = self._parents[node]
        around = self._around[node]
        for one in reversed(passed):
            if self._names[one] in HIDDEN:
                around = around._replace(hidden=True)
            self._around[one] = around
        return around

    def _surround(
        self, node: int, style: BoxStyle, around: Surroundings, box: PixelBox
    ) -> Surroundings:
        name, clips = self._names[node], around.clips
        by_position = {"absolute": clips.absolute, "fixed": clips.fixed}
        clip = by_position.get(style.position, clips.flow)
        if style.vanishes:
            clip = (0.0, 0.0, 0.0, 0.0)
        inner = clip
        if any(style.clips) and name not in ("HTML", "BODY"):  # These hand it on to the window.
            wide, high = style.clips
            inner = (
                max(clip[0], box[0]) if wide else clip[0],
                max(clip[1], box[1]) if high else clip[1],
                min(clip[2], box[2]) if wide else clip[2],
                min(clip[3], box[3]) if high else clip[3],
            )
        scale = around.scale * style.scale
        if name == "svg":
            scale *= self._view_scale(node, box, scale)
        drawing = (around.drawing or name == "svg") and name != "foreignObject"
        holds_lines = not style.inline or (drawing and name == "text")
        return Surroundings(
            around.origin,
            Clips(
                inner,
                inner if style.transformed or style.position != "static" else clips.absolute,
                inner if style.transformed else clips.fixed,
            ),
            clip,
            scale,
            around.angle + style.angle,
            around.opacity * style.opacity,
            around.hidden or name in HIDDEN,
            drawing,
            around.lettered or style.lettered,
            (self._number, node) if holds_lines else around.block,
            around.columns or style.columns(box, scale),
            self._lettering(node, around),
        )

    def _lettering(self, node: int, around: Surroundings) -> str:
        """How the letters of an element are set, by the classes of all around it in its formula."""
        classes = self._attributes(node).get("class", "").split()
        outer = "KaTeX" if FORMULA in classes else around.formula
        return outer and " ".join([outer, *(one for one in classes if one.startswith(LETTERINGS))])

    def _view_scale(self, node: int, box: PixelBox, scale: float) -> float:
        """How much larger than written a drawing is, by its view box."""
        view = read_numbers(self._attributes(node).get("viewBox", ""))
        if len(view) != len(box) or min(view[2], view[3], scale) <= 0:
            return 1.0
        return min((box[2] - box[0]) / view[2], (box[3] - box[1]) / view[3]) / scale

    def _attributes(self, node: int) -> dict[str, str]:
        names = [self._reader.text(one) for one in self._nodes["attributes"][node]]
        return dict(zip(names[::2], names[1::2], strict=False))

    def _paint(self, place: int, around: Surroundings) -> Paint:
        # What is drawn later in a drawing lies above; in the flow of a page it is not so simple.
        return self._layout["paintOrders"][place], place if around.drawing else 0

    def _add_text(
        self, place: int, node: int, style: BoxStyle, around: Surroundings, text: str
    ) -> None:
        if not text.strip():
            return
        color, alpha = style.text_color
        lines: Iterable[tuple[str, Sequence[float]]]
        if around.drawing:  # Its lines are told at the places that they have without its scale.
            lines = [(text, self._layout["bounds"][place])]
            color, alpha = style.fill if style.fill[1] >= FAINT else style.stroke
        else:
            lines = _cut_lines(text, self._lines.get(place, ()))
            if alpha < FAINT and around.lettered:
                color, alpha = "", 1.0
        seen = style.shown and alpha * around.opacity >= FAINT
        size = style.number("font-size") * around.scale
        for line, bounds in lines:
            box = self._in_column(self._place(bounds), around)
            piece = TextPiece(
                line,
                box,
                color,
                size,
                seen,
                around.clips.flow,
                self._paint(place, around),
                around.block if style.upright else (-1 - place, self._number),
                is_upright(around.angle + 90 * (not style.upright)),
                style.name_faces(line),
            )
            if around.drawing:
                self._drawn.append((node, piece, box))
            if not around.hidden:
                self._found.pieces.append(piece)
                if around.formula and is_seen(piece):
                    self._found.symbols += _part_symbols(piece, around.formula)

    def _in_column(self, box: PixelBox, around: Surroundings) -> PixelBox:
        """Moves a line to its column: all lines of a box are told as if they were in its first one."""
        if not around.columns:
            return box
        left, top, right, bottom = box
        first, last, column = self._columns.get(around.block, (top, bottom, 0))
        column += bottom < last - (bottom - top)
        self._columns[around.block] = first, bottom, column
        start, pitch = around.columns
        right_by, down_by = column * pitch, min(start - first, 0) if column else 0.0
        return left + right_by, top + down_by, right + right_by, bottom + down_by

    def _add_box(
        self, place: int, node: int, style: BoxStyle, here: Surroundings, box: PixelBox
    ) -> None:
        """Adds an element, and what is in it that has no boxes of its own."""
        name = self._names[node]
        paint = self._paint(place, here)
        if name == "use":
            self._uses.append((node, box, here, paint))
        if node in self._frames:
            inside = style.content_box(box, here.scale)
            frame = here._replace(origin=inside[:2], clip=common_box(here.clip, inside))
            self._reader.read_document(self._frames[node], frame, self._found)
        if name in ("HTML", "BODY") and not self._page_filled and style.background[1] >= FAINT:
            self._page_filled = True
            box = self._outer.clip
        shown = common_box(box, here.clip)
        if not style.shown or here.opacity < FAINT or not has_extent(shown):
            return
        segment = here.drawing and is_segment(name, self._attributes(node))
        for kind, part, color, line, dashed in self._describe(name, style, here, shown, segment):
            self._found.elements.append((paint, kind, part, color, line, dashed))
            if here.formula:
                text = RULE if kind == "rule" else SHAPE
                self._found.symbols.append((text, part, here.formula, 0, color))
        if self._holds_picture(node, style):
            self._found.carried.append(("written", shown, box_area(shown)))
        fill = style.fill if name == "rect" else style.background
        if fill[0] and fill[1] * here.opacity >= OPAQUE and name not in SHAPES - {"rect"}:
            self._found.covers.append((paint, shown))
        if value := self._read_value(node):
            text, own = value
            inside = style.content_box(box, here.scale)
            color, size = style.text_color[0] if own else "", style.number("font-size") * here.scale
            block = self._number, node
            shown_text = style.as_shown(text)
            faces = style.name_faces(shown_text)
            self._found.pieces.append(
                TextPiece(
                    *(shown_text, inside, color, size, True, here.clip, paint, block),
                    faces=faces,
                )
            )
        elif node in self._canvases and (canvas := self._canvases[node]):
            self._add_canvas(canvas, style, here, box, paint)

    def _describe(
        self, name: str, style: BoxStyle, here: Surroundings, box: PixelBox, segment: bool
    ) -> Iterator[tuple[str, PixelBox, str, str, bool | None]]:
        """Yields what of an element there is to see: kind, box, color, that of its outline, and whether it is dashed."""
        left, top, right, bottom = box
        thin = _is_thin(box)
        borders = [
            color if width > 0 and color[1] * here.opacity >= FAINT else None
            for width, color in style.borders
        ]
        if here.drawing and name in SHAPES:
            ways = (style.stroke,) if segment else (style.fill, style.stroke)
            colors = [color for color, alpha in ways if alpha * here.opacity >= FAINT]
            lined = style.stroke[1] * here.opacity >= FAINT
            dashed = style.dashed if lined else None
            if colors and (thin or segment):  # Whose outline hides what it is filled with.
                yield "rule", box, colors[-1], "", dashed
            elif colors:
                yield "shape", box, colors[0], colors[-1] if lined else "", dashed
            return
        outline = borders[0][0] if borders[0] and all(borders) else ""
        dashes = style.border_dashes[0] if outline else None
        if name in CONTROLS:
            ground = style.background[0] if style.background[1] >= FAINT else ""
            yield "control", box, ground, "", None
        elif name == "HR":
            seen = style.background if style.background[1] >= FAINT else style.borders[1][1]
            yield "rule", box, seen[0], "", None
        elif style.background[1] * here.opacity >= FAINT and not style.lettered:
            yield (
                ("rule", box, style.background[0], "", None)
                if thin
                else ("shape", box, style.background[0], outline, dashes)
            )
        elif "gradient(" in style.background_image and not style.lettered:
            yield "shape", box, "", outline, dashes
        elif all(borders):
            yield "shape", box, outline, outline, dashes
        if name in IMAGES or any(
            address.partition("#")[0] not in self._reader.unserved
            for address in style.background_addresses
        ):
            yield "image", box, "", "", None
        if name in CONTROLS or name == "HR" or all(borders):
            return
        widths = [width * here.scale for width, _ in style.borders]
        sides = (
            (left, top, left + widths[0], bottom),
            (left, top, right, top + widths[1]),
            (right - widths[2], top, right, bottom),
            (left, bottom - widths[3], right, bottom),
        )
        for side, border, dashed in zip(sides, borders, style.border_dashes, strict=True):
            if border:
                yield "rule", side, border[0], "", dashed

    def _holds_picture(self, node: int, style: BoxStyle) -> bool:
        """Whether an element shows a picture whose bytes are in the page itself."""
        if any(map(is_carried, style.pictures)):
            return True
        if self._names[node] not in IMAGES - {"CANVAS"} | {"INPUT"}:
            return False
        return any(map(is_carried, self._attributes(node).values()))

    def _read_value(self, node: int) -> tuple[str, bool] | None:
        """What an element says without a text in it, and whether in its own color."""
        name = self._names[node]
        if name not in ("INPUT", "TEXTAREA", "SELECT", "OPTION", "IMG"):
            return None
        attributes = self._attributes(node)
        kind = attributes.get("type", "").lower()
        if name == "IMG":
            return (attributes.get("alt", ""), True) if self._broken.get(node) else None
        if name == "OPTION":
            return self._label(node), True
        if name == "SELECT":
            if "multiple" in attributes or attributes.get("size", "1") != "1":
                return None  # Its options have boxes of their own.
            end = self._end(node)
            chosen = sorted(one for one in self._selected if node < one < end)
            return (self._label(chosen[0]), True) if chosen else None
        if kind in NO_TEXT:
            return None
        value = self._values.get(node, "") or DEFAULT_TEXTS.get(kind, "")
        if not value:
            return attributes.get("placeholder", ""), False
        return BULLET * len(value) if kind == "password" else value, True

    def _label(self, option: int) -> str:
        own = (one for one in range(option, self._end(option)) if self._parents[one] == option)
        texts = "".join(self._reader.text(self._nodes["nodeValue"][one]) for one in own)
        return self._attributes(option).get("label", "") or texts

    def _add_canvas(
        self,
        canvas: Mapping[str, Any],
        style: BoxStyle,
        here: Surroundings,
        box: PixelBox,
        paint: Paint,
    ) -> None:
        inside = style.content_box(box, here.scale)
        x = (inside[2] - inside[0]) / max(canvas["size"][0], 1)
        y = (inside[3] - inside[1]) / max(canvas["size"][1], 1)
        self._found.left_out += int(canvas["leftOut"])
        shown = common_box(here.clip, inside)
        for coat in ("written", "painted"):
            if area := min(float(canvas[coat]) * x * y, box_area(shown)):
                self._found.carried.append((coat, shown, area))

        def place(one: Mapping[str, Any]) -> PixelBox:
            return (
                inside[0] + x * one["left"],
                inside[1] + y * one["top"],
                inside[0] + x * one["right"],
                inside[1] + y * one["bottom"],
            )

        for one in canvas["shapes"]:
            color, seen = self._read_ink(one, here)
            part = common_box(place(one), shown)
            if seen and has_extent(part):
                kind = "rule" if one["kind"] == "shape" and _is_thin(part) else one["kind"]
                line = color if kind == "shape" and one.get("line") else ""
                self._found.elements.append((paint, kind, part, color, line, None))
        for number, one in enumerate(canvas["texts"]):
            color, seen = self._read_ink(one, here)
            size = _font_size(one["font"]) * one["scale"] * math.sqrt(abs(x * y))
            block = (-1 - number, self._number)  # each stands alone
            self._found.pieces.append(
                TextPiece(one["text"], place(one), color, size, seen, shown, paint, block)
            )

    def _read_ink(self, one: Mapping[str, Any], here: Surroundings) -> tuple[str, bool]:
        """The color of what is drawn on a canvas, and whether it lets it be seen."""
        color, alpha = self._reader.read_color(one["color"]) if one["color"] else ("", 1.0)
        return color, alpha * one["alpha"] * here.opacity >= FAINT

    def _add_used(self, node: int, box: PixelBox, here: Surroundings, paint: Paint) -> None:
        """Adds what `<use>` draws once more: as texts lie in what it repeats, so do they in it; or a shape."""
        attributes = self._attributes(node)
        name = attributes.get("href") or attributes.get("xlink:href") or ""
        target = self._targets.get(name.removeprefix("#")) if name.startswith("#") else None
        if target is None:
            return
        pieces, (left, top, right, bottom) = self._drawing(target)
        shown = common_box(box, here.clip)
        if not pieces and here.opacity >= FAINT and has_extent(shown):
            self._found.elements.append((paint, "shape", shown, "", "", None))
        wide = (box[2] - box[0]) / (right - left) if right > left else 1.0
        high = (box[3] - box[1]) / (bottom - top) if bottom > top else 1.0
        room = max(MAX_BOXES - len(self._found.pieces), 0)
        self._found.left_out += max(len(pieces) - room, 0)
        for piece in pieces[:room]:
            moved = (
                box[0] + wide * (piece.box[0] - left),
                box[1] + high * (piece.box[1] - top),
                box[0] + wide * (piece.box[2] - left),
                box[1] + high * (piece.box[3] - top),
            )
            size = piece.size * math.sqrt(wide * high)
            block = self._number, node
            self._found.pieces.append(
                piece._replace(box=moved, size=size, clip=here.clips.flow, paint=paint, block=block)
            )

    def _drawing(self, target: int) -> tuple[list[TextPiece], PixelBox]:
        """The texts that are drawn in a node, and the box around all that is."""
        if target not in self._drawings:
            first = bisect.bisect_left(self._drawn_nodes, target)
            last = bisect.bisect_left(self._drawn_nodes, self._end(target))
            inside = self._drawn[first:last]
            boxes = [box for _, _, box in inside if box[0] < box[2] or box[1] < box[3]]
            around = (0.0, 0.0, 0.0, 0.0)
            if boxes:
                lefts, tops, rights, bottoms = zip(*boxes, strict=True)
                around = min(lefts), min(tops), max(rights), max(bottoms)
            self._drawings[target] = [piece for _, piece, _ in inside if piece], around
        return self._drawings[target]

    @cached_property
    def _drawn_nodes(self) -> list[int]:
        return [node for node, _, _ in self._drawn]

    @cached_property
    def _targets(self) -> dict[str, int]:
        """The nodes by their names; the first of a name counts."""
        nodes = range(len(self._parents) - 1, -1, -1)
        named = ((self._attributes(node).get("id"), node) for node in nodes)
        return {name: node for name, node in named if name}

    def _end(self, node: int) -> int:
        """The first node after all that are in one."""
        end = node + 1
        while end < len(self._parents) and self._parents[end] >= node:
            end += 1
        return end


def _cut_lines(
    text: str, lines: Iterable[tuple[int, int, Sequence[float]]]
) -> Iterator[tuple[str, Sequence[float]]]:
    """Yields a text's lines in the order of reading; the browser counts the UTF-16 units."""
    units = text.encode("utf-16-le", "surrogatepass") if max(text) > "\uffff" else None
    for start, length, bounds in sorted(lines, key=lambda line: line[0]):
        if units is None:
            line = text[start : start + length]
        else:
            line = units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")
        if line.endswith(SOFT_HYPHEN):
            line += "-"
        yield line.replace(SOFT_HYPHEN, "").replace(SOFT_BREAK, ""), bounds


def _part_symbols(
    piece: TextPiece, lettering: str
) -> Iterator[tuple[str, PixelBox, str, float, str]]:
    """Yields the characters of a text, as if they were equally wide: formulas have most of them alone."""
    left, top, right, bottom = piece.box
    width = (right - left) / max(len(piece.raw), 1)
    for place, letter in enumerate(piece.raw):
        if not letter.isspace():
            box = (left + place * width, top, left + (place + 1) * width, bottom)
            yield letter, box, lettering, piece.size, piece.color


def _entries(sparse: Mapping[str, Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Node and value of data that only some nodes have."""
    return zip(sparse["index"], sparse["value"], strict=True)


def is_segment(name: str, attributes: Mapping[str, str]) -> bool:
    """Returns whether a shape is one straight line, which has nothing that could be filled.

    Args:
        name: of an element in a drawing.
        attributes: its own.

    >>> is_segment("path", {"d": "M50 220L-30,1e2"}), is_segment("path", {"d": "M50 220 350 220 9 9"})
    (True, False)
    >>> is_segment("polyline", {"points": "0,0 9,9"}), is_segment("line", {}), is_segment("path", {"d": "M0 0q9 9 9 0"})
    (True, True, False)
    """
    if name not in ("path", "polyline"):
        return name == "line"
    written = attributes.get("d" if name == "path" else "points", "")[:MAX_SEGMENT]
    commands = [letter for letter in written if letter.isalpha() and letter not in "eE"]
    numbers = "".join(
        letter if letter.isdigit() or letter in ".eE" else f" {letter}" if letter in "+-" else " "
        for letter in written
    ).split()
    straight = name == "polyline" or "".join(commands[1:]) in ("", *"LlHhVv")
    return straight and len(written) < MAX_SEGMENT and len(numbers) <= 4


def _is_thin(box: PixelBox) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) <= THIN


def _font_size(font: str) -> float:
    """Returns the pixels in a canvas's font.

    >>> _font_size("italic 700 12.5px Arial")
    12.5
    """
    sizes = [read_numbers(word) for word in font.split() if word.endswith("px")]
    return sizes[0][0] if sizes and sizes[0] else 0.0
