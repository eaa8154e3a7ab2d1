"""PDF → what is on its first page: texts, each with its place, and all else that is drawn.

The page is the file `page.pdf`. The code is JSON: the resolution at which it was drawn (`dpi`), its width and height
in pixels then (`page`), and what of it became the picture (`box`: left, top, right, bottom). Places are told in pixels
of the picture, in the form that `helm_structext.layouts.read_layout` reads.

PDFium tells glyphs. They are joined to pieces of lines: what stands at another height, in another color or
direction, or further away than words do is a piece of its own. Index and exponent belong to their line. Each glyph is told on its own, too, as a symbol.

Sources: pdfium/public/fpdf_text.h, fpdf_edit.h; The TeXbook, Appendix F.
"""

import ctypes
import json
import math
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from python_server import Failure

FILE = "page.pdf"
POINTS = 72
MAX_BOXES = 50_000
MAX_GLYPHS = 200_000
MAX_OBJECTS = 200_000
MAX_SYMBOLS = 20_000
MAX_DEPTH = 16
"""Of forms in forms."""
MAX_CLIPS, MAX_CORNERS = 16, 64
"""What is looked at of the paths that clip an object."""
LOOKBACK, LOOKBACK_ACCENT = 4, 8
"""Pieces that a glyph may go on: beside the last one, a line that a fraction interrupts; and glyphs below an accent."""
WORD_GAP, MAX_GAP, MAX_OVERLAP = 0.17, 0.8, 0.4
"""In sizes of the font: what parts words, and pieces; how far a glyph may reach back."""
SCRIPT = 0.85
"""The size of an index or exponent at most, in that of its line."""
LINE_HEIGHT = 1.6
"""In sizes of the font; the line box of a font with signs of several lines is higher."""
MAX_CUT = 0.35
"""In sizes of the font: how far a line box may reach beyond the picture, where a text has no ink."""
TURNED_HEIGHT = 0.8
"""In sizes of the font: about what fonts say."""
THIN = 2.0
"""Points: how thick a rule is at most."""
HEAD, HEAD_SEGMENTS, NEAR = 20.0, 11, 2.0
"""How large the head of an arrow is at most, in points; points of its path, of which a dot has more; how far from its line's end."""
SEGMENT = 3
"""Points up to which a path may be one straight line, there and back."""
INVISIBLE, CLIPS = 3, 7
"""Modes of texts that draw nothing."""
UNKNOWN = "\ufffd"
BOLD_NAMES = ("bold", "heavy", "black", "medi", "demi", "-bd")
SLANTED_NAMES = ("ital", "obli", "slant", "-it")
"""Of letters by the names of their fonts, in the part after "-" or ","; what follows is by names of TeX."""
BOLD_TEX = (
    *("cmb", "cmmib", "cmssbx", "eufb", "sfb", "sfsb", "sfsx", "sfxb"),
    *("lmromandemi", "lmsansdemi"),
)
SLANTED_TEX = (
    *("cmbxsl", "cmbxti", "cmit", "cmmi", "cmsl", "cmssi", "cmti"),
    *("sfbi", "sfbl", "sfit", "sfsi", "sfsl", "sfti"),
    *("lmmathitalic", "lmmonoslant", "lmromanslant", "newtxmi", "ntxmi", "pxmi", "rtxmi", "txmi"),
)
SIGNS_TEX = (
    *("cmbsy", "cmex", "cmsy", "fontawesome", "lmmathext", "lmmathsymbols", "msam", "msbm"),
    *("stmary", "symbol", "wasy", "zapfding"),
)
"""Fonts of signs, whose weight and slant say nothing."""
FACE_LETTERS = "rbiz"
"""Plain, bold, italic, and both."""
MATH_LETTERS = "\U0001d400", "\U0001d7ff"
"""Letters and digits of formulas in all their fonts."""
ACCENTS = {
    accent: unicodedata.normalize("NFD", letter)[1]
    for accent, letter in zip("`´ˆ˜¨¯˘˙ˇ˝˚¸˛", "àáâãäāăȧǎőåçą", strict=True)
}
"""Signs that TeX sets above, below or through others → what they are in Unicode then."""
BLANKS = {10, 13, 32}
"""Codes of blanks, which PDFium also tells where a page has only gaps."""
BAR, MAPS_TO = "\u20d2", 0x37
"""What makes an arrow one that maps; its code in cmsy10, of which TeX tells no Unicode."""
DOTLESS = {"ı": "i", "ȷ": "j"}
LARGE_FONTS = ("CMEX", "LMMathExtension", "txex", "pxex")
LARGE_SIGNS = (
    "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪|"
    "⎝⎠⎜⎟⟨⟩⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}√√√√√||‖↑↓⏞⏞⏟⏟⇑⇓"
)
"""By their codes. TeX tells no Unicode of theirs; then PDFium has the codes in its place."""

PARTS = {
    part: sign
    for parts, sign in (
        ("⎛⎜⎝\uf8eb\uf8ec\uf8ed", "("),
        ("⎞⎟⎠\uf8f6\uf8f7\uf8f8", ")"),
        ("⎡⎢⎣\uf8ee\uf8ef\uf8f0", "["),
        ("⎤⎥⎦\uf8f9\uf8fa\uf8fb", "]"),
        ("⎧⎨⎩\uf8f1\uf8f2\uf8f3", "{"),
        ("⎫⎬⎭\uf8fc\uf8fd\uf8fe", "}"),
        ("⎪\uf8f4", "|"),
    )
    for part in parts
}
"""Of signs that are set together of several, one below the other; some have codes of Adobe's own."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points; or left, top, right, bottom in pixels."""
Matrix = Any
EVERYWHERE: Box = (-math.inf, -math.inf, math.inf, math.inf)
WHITE = "#ffffff"
MAX_WHITE, SAMPLE = 100, 16
"""White shapes that are looked at whether they are patterns, of which PDFium says that they are white; and pixels of a side then."""
GROUND, TINTED = 0xFFFF00FF, 230
"""A color that white covers by its green alone; of red and blue, the level below which there is another color."""


class Style(NamedTuple):
    """What glyphs of one text object share."""

    size: float
    direction: tuple[float, float]
    color: str
    visible: bool
    large: bool
    font: str
    face: str


class DrawnLine(NamedTuple):
    """A line that may have heads at its ends, and how many it has by now."""

    ends: tuple[tuple[float, float], ...]
    color: str
    length: float
    heads: int = 0


NO_LINE = DrawnLine((), "", 0.0)


class Glyph(NamedTuple):
    """A glyph: its box on the page, and its extents along and across the line; in points.

    Args:
        text: letters.
        box: around it.
        start: along the line; so is `end`.
        low: across the line; so is `high`.
        style: of its text object.
        usual: whether the extents are those of a line box.
        parted: whether a blank comes before it, as PDFium says.
        ink: around what is seen of it.
        sign: its letter as the font has it: letters of formulas in all their fonts.
    """

    text: str
    box: Box
    start: float
    end: float
    low: float
    high: float
    style: Style
    usual: bool
    parted: bool
    ink: Box
    sign: str


class Piece:
    """Glyphs on one line.

    Args:
        glyph: the first.
    """

    def __init__(self, glyph: Glyph) -> None:
        self.glyphs = [glyph]
        self.signs = [glyph.text]
        self.accents: list[Glyph] = []
        self.base = glyph
        self.end = self.base_end = glyph.end

    def fits(self, glyph: Glyph) -> bool:
        """Whether a glyph goes on here."""
        theirs, size = glyph.style, self.base.style.size
        if self.base.style[1:4] != theirs[1:4]:
            return False
        gap = glyph.start - self.end
        script = theirs.size <= SCRIPT * size and glyph.start >= self.base_end - 0.1 * size
        free = MAX_GAP * max(size, theirs.size) * (1 if is_level(theirs) else 1.5)
        if gap > free or (gap < -MAX_OVERLAP * size and not script):
            return False
        exponent = script and gap < WORD_GAP * size and stand_level(self.glyphs[-1], glyph)
        return exponent or stand_level(self.base, glyph)

    def add(self, glyph: Glyph) -> None:
        """Goes on with a glyph."""
        gap, size = glyph.start - self.end, self.base.style.size
        # How wide a turned glyph is, is hardly known.
        blank = gap > WORD_GAP * size if is_level(glyph.style) else glyph.parted
        self.signs.append(" " * blank + glyph.text)
        self.glyphs.append(glyph)
        self.end = max(self.end, glyph.end)
        bigger = glyph.style.size > size / SCRIPT or (glyph.usual and not self.base.usual)
        if bigger:
            self.base = glyph
        if bigger or glyph.style.size > SCRIPT * size:
            self.base_end = glyph.end

    def set_accent(self, accent: Glyph) -> bool:
        """Puts an accent on one of the last glyphs, if it stands on one."""
        found = [
            (abs(accent.start + accent.end - glyph.start - glyph.end), index)
            for index, glyph in enumerate(
                self.glyphs[-LOOKBACK_ACCENT:], max(len(self.glyphs) - LOOKBACK_ACCENT, 0)
            )
            if stands_on(accent, glyph)
        ]
        if not found or self.base.style[1:4] != accent.style[1:4]:
            return False
        sign = self.signs[min(found)[1]]
        self.signs[min(found)[1]] = sign[:-1] + accented(sign[-1:], accent.text)
        self.accents.append(accent)
        return True


def prepare() -> None:
    """Starts PDFium."""
    pdfium.FPDF_InitLibrary()


def draw(source: str) -> bytes:
    """Reads the page."""
    return read_page(Path(FILE).read_bytes(), json.loads(source))


def read_page(data: bytes, asked: dict[str, Any]) -> bytes:
    """What is on a PDF's first page.

    Args:
        data: the PDF.
        asked: see the module's text.
    """
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    page = pdfium.FPDF_LoadPage(document, 0) if document else None
    if not page:
        raise Failure("syntax", f"PDFium can't read the page (error {pdfium.FPDF_GetLastError()})")
    left, top, right, bottom = asked["box"]
    turn, size = page_turn(page, asked["dpi"] / POINTS)
    if any(abs(side - drawn) > 1 for side, drawn in zip(size, asked["page"], strict=True)):
        raise Failure("syntax", "the page is of another size than its picture")

    def place(box: Box) -> list[float] | None:
        """A box of the page on the picture, or None outside of it."""
        (x0, y0), (x1, y1) = turn(box[0], box[1]), turn(box[2], box[3])
        x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
        if x1 < left or x0 > right or y1 < top or y0 > bottom:
            return None
        return [round(x0 - left, 2), round(y0 - top, 2), round(x1 - left, 2), round(y1 - top, 2)]

    seen = right - left, bottom - top
    # The margins that were cut off have no ink, but the foot of the page may have some.
    area = (-left, -top, asked["page"][0] - left, bottom - top)
    symbols: list[Any] = []
    texts, untold = read_texts(page, place, area, asked["dpi"] / POINTS, symbols)

    def zoom(box: Box) -> tuple[int, int, int, int]:
        """Where all of the page is to be drawn, and how large, so that a box of it fills a `SAMPLE`."""
        (x0, y0), (x1, y1) = turn(box[0], box[1]), turn(box[2], box[3])
        across, along = (SAMPLE / max(abs(it), 1.0) for it in (x1 - x0, y1 - y0))
        start, top = -across * min(x0, x1), -along * min(y0, y1)
        return round(start), round(top), round(across * size[0]), round(along * size[1])

    elements, more = read_elements(page, place, seen, MAX_BOXES - len(texts), zoom)
    symbols += [["rule", box, "", 0, color] for kind, box, color, *_ in elements if kind == "rule"]
    record = {
        "size": seen,
        "texts": texts,
        "elements": elements,
        "left_out": untold + more,
        "symbols": symbols[:MAX_SYMBOLS],
    }
    return json.dumps(record).encode()


def page_turn(
    page: Any, scale: float
) -> tuple[Callable[[float, float], tuple[float, float]], tuple[float, float]]:
    """A function from points of the page to pixels, and the size of all of it in pixels."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPage_GetMediaBox(page, left, bottom, right, top):
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, box)
        x0, x1, y0, y1 = box.left, box.right, box.bottom, box.top
    else:
        x0, x1 = sorted((left.value, right.value))
        y0, y1 = sorted((bottom.value, top.value))
    turns: tuple[Callable[[float, float], tuple[float, float]], ...] = (
        lambda x, y: ((x - x0) * scale, (y1 - y) * scale),
        lambda x, y: ((y - y0) * scale, (x - x0) * scale),
        lambda x, y: ((x1 - x) * scale, (y - y0) * scale),
        lambda x, y: ((y1 - y) * scale, (x1 - x) * scale),
    )
    turned = pdfium.FPDFPage_GetRotation(page) % 4
    width, height = (x1 - x0) * scale, (y1 - y0) * scale
    size = (height, width) if turned % 2 else (width, height)
    return turns[turned], size


def read_texts(
    page: Any,
    place: Callable[[Box], list[float] | None],
    area: Box,
    scale: float,
    symbols: list[Any],
) -> tuple[list[Any], int]:
    """Pieces of lines on the picture, and how many glyphs or pieces are left out.

    Args:
        page: of PDFium.
        place: from boxes on the page to those on the picture.
        area: where texts can be seen, on the picture.
        scale: pixels of a point.
        symbols: gets the glyphs that can be seen, one by one.
    """
    text_page = pdfium.FPDFText_LoadPage(page)
    count = pdfium.FPDFText_CountChars(text_page) if text_page else 0
    glyphs = join_parts(read_glyphs(text_page, min(count, MAX_GLYPHS)))
    texts: list[Any] = []
    untold = max(count - MAX_GLYPHS, 0)
    lies = pdfium.FPDFPage_GetRotation(page) % 2 == 1
    for piece in join_glyphs(tell_symbols(glyphs, place, scale, symbols)):
        boxes = zip(*(glyph.box for glyph in (*piece.glyphs, *piece.accents)), strict=True)
        left, bottom, right, top = boxes
        if not (box := place((min(left), min(bottom), max(right), max(top)))):
            continue
        if len(texts) == MAX_BOXES:
            untold += 1
            continue
        style = piece.base.style
        free = MAX_CUT * style.size * scale
        inside = all(
            low - free <= low_side and high_side <= high + free
            for low, high, low_side, high_side in zip(
                area[:2], area[2:], box[:2], box[2:], strict=True
            )
        )
        visible = style.visible and inside
        size = round(style.size * scale, 2)
        turned = (abs(style.direction[1]) == 1.0) != lies
        told = [box, style.color, size, visible, faces_of(piece), turned]
        texts.append(["".join(piece.signs), *told])
    return texts, untold


def tell_symbols(
    glyphs: Iterator[Glyph],
    place: Callable[[Box], list[float] | None],
    scale: float,
    symbols: list[Any],
) -> Iterator[Glyph]:
    """Glyphs as they come; the first ones are told as symbols, if they are seen."""
    for glyph in glyphs:
        style = glyph.style
        told = len(symbols) < MAX_SYMBOLS and style.visible
        if told and (box := place(glyph.ink)):
            size = round(style.size * scale, 2)
            symbols.append([glyph.sign, box, style.font, size, style.color])
        yield glyph


def read_glyphs(text_page: Any, count: int) -> Iterator[Glyph]:
    """Glyphs in the order in which the page draws them, without blanks."""
    box, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
    numbers = tuple(ctypes.c_double() for _ in range(4))
    styles: dict[int, Style] = {}
    half, parted = 0, False
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        made_up = code in BLANKS and pdfium.FPDFText_IsGenerated(text_page, index) == 1
        drawn = None if made_up else pdfium.FPDFText_GetTextObject(text_page, index)
        if not drawn:
            parted = True
            continue
        address = ctypes.addressof(drawn.contents)
        if (style := styles.get(address)) is None:
            pdfium.FPDFText_GetMatrix(text_page, index, matrix)
            style = styles[address] = read_style(text_page, index, drawn, matrix)
        if 0xD800 <= code < 0xDC00:  # PDFium tells two halves of what lies beyond the first plane.
            half = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((half - 0xD800) << 10) + code - 0xDC00 if half else ord(UNKNOWN)
        half = 0
        text = sign = chr(code) if code < 0x110000 else UNKNOWN
        if MATH_LETTERS[0] <= text <= MATH_LETTERS[1]:
            text = unicodedata.normalize("NFKC", text)
        if not code or (code < 256 and pdfium.FPDFText_HasUnicodeMapError(text_page, index) == 1):
            text = LARGE_SIGNS[code] if style.large and code < len(LARGE_SIGNS) else UNKNOWN
            text = sign = BAR if code == MAPS_TO and not style.large else text
        elif code == 2:  # PDFium's sign for a hyphen at the end of a line.
            text = sign = "-"
        if text.isspace():
            parted = True
            continue
        if not (text.isprintable() or is_accent(text) or text in PARTS):
            continue
        pdfium.FPDFText_GetLooseCharBox(text_page, index, box)
        usual = box.top - box.bottom < LINE_HEIGHT * style.size or abs(style.direction[0]) < 0.9
        edges = (box.left, box.bottom, box.right, box.top)
        pdfium.FPDFText_GetCharBox(text_page, index, *numbers)
        ink = (numbers[0].value, numbers[2].value, numbers[1].value, numbers[3].value)
        if style.large or not usual:
            usual, edges = False, ink
        if not all(map(math.isfinite, (*edges, *ink))):
            continue
        if not is_level(style):
            pdfium.FPDFText_GetCharOrigin(text_page, index, *numbers[:2])
        origin = numbers[0].value, numbers[1].value
        along = extents(edges, origin, style)
        yield Glyph(text, edges, *along, style, usual, parted, ink, sign)
        parted = False


def read_style(text_page: Any, index: int, drawn: Any, matrix: Any) -> Style:
    """What a text object's glyphs share, of the one of an index."""
    length = math.hypot(matrix.a, matrix.b) or 1.0
    height = math.hypot(matrix.c, matrix.d) or 1.0
    size = pdfium.FPDFText_GetFontSize(text_page, index) * height
    mode = pdfium.FPDFTextObj_GetTextRenderMode(drawn)
    outlined = mode in (1, 5)
    color, alpha = read_color(drawn, outlined)
    font = pdfium.FPDFTextObj_GetFont(drawn)
    name = ctypes.create_string_buffer(100)
    if font:
        pdfium.FPDFFont_GetBaseFontName(font, name, len(name))
    known = name.value.decode("utf-8", "replace").rpartition("+")[2]
    return Style(
        round(size, 2) if math.isfinite(size) and size > 0 else 0.0,
        (round(matrix.a / length, 2), round(matrix.b / length, 2)),
        color,
        alpha > 0 and mode not in (INVISIBLE, CLIPS),
        known.startswith(LARGE_FONTS),
        known,
        name_face(known),
    )


def name_face(font: str) -> str:
    """The weight and slant of letters by the name of their font (`helm_structext.layouts.FACES`), or "?"."""
    name = font.lower().replace(",", "-").replace("medium", "")
    if not name or name.startswith(SIGNS_TEX):
        return "?"
    ending = name[name.rindex("-") :] if "-" in name else ""
    slanted = name.startswith(SLANTED_TEX) or any(it in ending for it in SLANTED_NAMES)
    bold = name.startswith(BOLD_TEX) or any(it in ending for it in BOLD_NAMES)
    return FACE_LETTERS[bold + 2 * (slanted or ending.endswith("boldit"))]


def faces_of(piece: Piece) -> str:
    """The faces of a piece's letters; those of formulas have theirs in their names."""
    faces = ""
    for sign, glyph in zip(piece.signs, piece.glyphs, strict=True):
        face = glyph.style.face
        if MATH_LETTERS[0] <= glyph.sign[:1] <= MATH_LETTERS[1]:
            name = unicodedata.name(glyph.sign[0], "")
            face = FACE_LETTERS[("BOLD" in name) + 2 * ("ITALIC" in name)]
        faces += face * len("".join(sign.split()))
    return faces


def extents(
    box: Box, origin: tuple[float, float], style: Style
) -> tuple[float, float, float, float]:
    """From where to where a glyph goes along its line, and across it."""
    left, bottom, right, top = box
    match style.direction:
        case 1.0, _:
            return left, right, bottom, top
        case -1.0, _:
            return -right, -left, -top, -bottom
        case _, 1.0:
            return bottom, top, -right, -left
        case _, -1.0:
            return -top, -bottom, left, right
    # The box is around a turned one, which is as wide and high as the two equations of its sides say.
    along, across = style.direction
    start = origin[0] * along + origin[1] * across
    low = origin[1] * along - origin[0] * across
    cosine, sine = abs(along), abs(across)
    wide, high = right - left, top - bottom
    if abs(cosine - sine) > 0.2:
        width = (wide * cosine - high * sine) / (cosine**2 - sine**2)
    else:
        width = (wide + high) / (cosine + sine) - TURNED_HEIGHT * style.size
    end = start + min(max(width, 0.1 * style.size), 2 * style.size)
    return start, end, low - 0.2 * style.size, low + 0.8 * style.size


def is_level(style: Style) -> bool:
    """Whether a line goes along an edge of the page."""
    return max(map(abs, style.direction)) == 1.0


def join_glyphs(glyphs: Iterator[Glyph]) -> Iterator[Piece]:
    """Pieces of lines, in the order in which they begin."""
    begun: list[Piece] = []
    last: deque[Piece] = deque(maxlen=LOOKBACK)
    accent: Glyph | None = None
    for glyph in glyphs:
        if is_accent(glyph.text):
            if accent:
                continue_pieces(begun, last, accent)
            accent = None if any(one.set_accent(glyph) for one in reversed(last)) else glyph
            continue
        if accent:
            if stands_on(accent, glyph):
                glyph = glyph._replace(text=accented(glyph.text, accent.text))
            else:
                continue_pieces(begun, last, accent)
            accent = None
        continue_pieces(begun, last, glyph)
    if accent:
        continue_pieces(begun, last, accent)
    yield from begun


def is_below(one: Glyph, other: Glyph) -> bool:
    """Whether one glyph goes on another one below or above it."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    gap = max(one.low, other.low) - min(one.high, other.high)
    return shared > 0 and gap < 0.5 * one.style.size


def join_parts(glyphs: Iterator[Glyph]) -> Iterator[Glyph]:
    """Glyphs, each once: PDFium tells a ligature as many letters in one place, and each part of a large sign."""
    before: Glyph | None = None
    stacked = False
    for glyph in glyphs:
        part = PARTS.get(glyph.text)
        if before and before.box == glyph.box and before.style is glyph.style:
            glyph = before._replace(text=before.text + glyph.text, sign=before.sign + glyph.sign)
        elif before and stacked and part and is_below(before, glyph):
            (left, bottom, right, top), box = before.box, glyph.box
            whole = (min(left, box[0]), min(bottom, box[1]), max(right, box[2]), max(top, box[3]))
            glyph = before._replace(
                box=whole,
                ink=whole,
                start=min(before.start, glyph.start),
                end=max(before.end, glyph.end),
                low=min(before.low, glyph.low),
                high=max(before.high, glyph.high),
            )
        elif before:
            yield before
        if part and glyph.text in PARTS:
            glyph = glyph._replace(text=part, sign=part, usual=False)
        before, stacked = glyph, bool(part)
    if before:
        yield before


def continue_pieces(begun: list[Piece], last: deque[Piece], glyph: Glyph) -> None:
    """Lets a glyph go on one of the last pieces, or begin another."""
    for piece in reversed(last):
        if piece.fits(glyph):
            piece.add(glyph)
            return
    begun.append(Piece(glyph))
    last.append(begun[-1])


def is_accent(text: str) -> bool:
    """Whether a sign stands on another one."""
    return text in ACCENTS or (len(text) == 1 and unicodedata.combining(text) > 0)


def stand_level(one: Glyph, other: Glyph) -> bool:
    """Whether two glyphs stand on one line: the middle of one is beside the other, which is no higher than a line."""
    return any(
        first.usual >= second.usual and first.low <= (second.low + second.high) / 2 <= first.high
        for first, second in ((one, other), (other, one))
    )


def stands_on(accent: Glyph, glyph: Glyph) -> bool:
    """Whether an accent stands above, below or upon a glyph."""
    size = glyph.style.size
    shared = min(accent.end, glyph.end) - max(accent.start, glyph.start)
    return (
        accent.style.direction == glyph.style.direction
        and shared > 0.5 * min(accent.end - accent.start, glyph.end - glyph.start)
        and accent.low <= glyph.high + size
        and glyph.low <= accent.high + size
    )


def accented(text: str, accent: str) -> str:
    """A letter with a sign that stands on it."""
    if (text, accent) == ("→", BAR):
        return "↦"
    return unicodedata.normalize("NFC", DOTLESS.get(text, text) + ACCENTS.get(accent, accent))


def read_color(drawn: Any, stroke: bool) -> tuple[str, int]:
    """What an object is filled or drawn with: its color on white, or "", and how opaque that is, up to 255."""
    values = tuple(ctypes.c_uint() for _ in range(4))
    read = pdfium.FPDFPageObj_GetStrokeColor if stroke else pdfium.FPDFPageObj_GetFillColor
    if not read(drawn, *values):
        return "", 255
    *levels, alpha = (value.value for value in values)
    mixed = (round(255 + (level - 255) * alpha / 255) for level in levels)
    return "#" + "".join(f"{level:02x}" for level in mixed), alpha


def read_elements(
    page: Any,
    place: Callable[[Box], list[float] | None],
    size: tuple[int, int],
    most: int,
    zoom: Callable[[Box], tuple[int, int, int, int]],
) -> tuple[list[Any], int]:
    """What is drawn beside texts, from the lowest to the uppermost, and how much is left out.

    No object of the page is drawn any more afterwards.
    """
    elements: list[Any] = []
    white: list[tuple[list[Any], Any, Box]] = []
    untold = 0
    line = NO_LINE
    counts = pdfium.FPDFPage_CountObjects, pdfium.FPDFFormObj_CountObjects
    members = pdfium.FPDFPage_GetObject, pdfium.FPDFFormObj_GetObject

    def read(holder: Any, forms: Sequence[Any], outer: Sequence[Matrix], clip: Box) -> None:
        nonlocal untold, line
        nested = bool(forms)
        for index in range(counts[nested](holder)):
            if len(elements) + untold >= MAX_OBJECTS:
                return
            drawn = members[nested](holder, index)
            pdfium.FPDFPageObj_SetIsActive(drawn, False)
            kind = pdfium.FPDFPageObj_GetType(drawn)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                continue
            inside = overlap(clip, clip_box(drawn, outer))
            if kind == pdfium.FPDF_PAGEOBJ_FORM:
                own = pdfium.FS_MATRIX()
                if len(forms) < MAX_DEPTH and pdfium.FPDFPageObj_GetMatrix(drawn, own):
                    read(drawn, [drawn, *forms], [own, *outer], inside)
                continue
            if not (corners := read_corners(drawn, kind)):
                continue
            seen = overlap(inside, moved(corners, outer))
            name, color, outline = name_element(drawn, kind, seen)
            if name == "shape" and is_head(drawn, seen, outline or color, line):
                name, line = "arrowhead", line._replace(heads=line.heads + 1)
            else:
                line = read_line(drawn, kind, seen, outline or color, outer)
            box = place(seen) if name and seen[0] <= seen[2] and seen[1] <= seen[3] else None
            if not box:
                continue
            if len(elements) < most:
                corner = [max(side, 0.0) for side in box[:2]]
                sides = [*corner, *map(min, box[2:], map(float, size))]
                elements.append([name, sides, color, outline, is_dashed(drawn, kind)])
                if WHITE in (color, outline):
                    white.append((elements[-1], [drawn, *forms], seen))
            else:
                untold += 1

    read(page, [], [], EVERYWHERE)
    for element, objects, seen in white[:MAX_WHITE]:
        if has_pattern(page, objects, zoom(seen), [it == WHITE for it in element[2:4]]):
            element[2:4] = ["" if it == WHITE else it for it in element[2:4]]
    return [*dropwhile(lambda one: one[2] == WHITE and covers(one[1], size), elements)], untold


def read_corners(drawn: Any, kind: int) -> list[tuple[float, float]]:
    """The corners of the box around an object, in its form; none where it has none.

    PDFium adds all of the width of a line on each of its sides, of which it has half.
    """
    width = ctypes.c_float()
    if kind == pdfium.FPDF_PAGEOBJ_PATH and pdfium.FPDFPageObj_GetStrokeWidth(drawn, width):
        pdfium.FPDFPageObj_SetStrokeWidth(drawn, width.value / 2)
        pdfium.FPDFPageObj_Transform(drawn, 1, 0, 0, 1, 0, 0)  # It looks at its width anew.
    left, bottom, right, top = edges = tuple(ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPageObj_GetBounds(drawn, *edges):
        return []
    return [(x.value, y.value) for x in (left, right) for y in (bottom, top)]


def has_pattern(
    page: Any, objects: Sequence[Any], where: tuple[int, int, int, int], white: Sequence[bool]
) -> bool:
    """Whether a pattern, as a gradient, fills or outlines an object, where PDFium says that it is white.

    Args:
        page: on which nothing is drawn.
        objects: it, and the forms that it is in.
        where: all of the page is to be drawn.
        white: whether that is said of the filling, and of the outline; at least of one.
    """
    for said, paint in zip(
        white, (pdfium.FPDFPageObj_SetFillColor, pdfium.FPDFPageObj_SetStrokeColor), strict=True
    ):
        if not said:
            paint(objects[0], 255, 255, 255, 255)
    bitmap = pdfium.FPDFBitmap_Create(SAMPLE, SAMPLE, 0)
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, SAMPLE, SAMPLE, GROUND)
    for shown in (True, False):
        for one in objects:
            pdfium.FPDFPageObj_SetIsActive(one, shown)
        if shown:
            pdfium.FPDF_RenderPageBitmap(bitmap, page, *where, 0, 0)
    levels = ctypes.string_at(
        pdfium.FPDFBitmap_GetBuffer(bitmap), pdfium.FPDFBitmap_GetStride(bitmap) * SAMPLE
    )
    pdfium.FPDFBitmap_Destroy(bitmap)
    return min(min(levels[::4]), min(levels[2::4])) < TINTED


def name_element(drawn: Any, kind: int, box: Box) -> tuple[str, str, str]:
    """What an object is, or "" where nothing is seen of it, its color, and that of a shape's outline."""
    if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
        return "image", "", ""
    if kind != pdfium.FPDF_PAGEOBJ_PATH:
        return "shape", "", ""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(drawn, fill, stroke)
    ways = [way for way, used in ((False, fill.value), (True, stroke.value)) if used]
    colors = {way: color for way in ways for color, alpha in [read_color(drawn, way)] if alpha}
    if not colors:
        return "", "", ""
    color, line = next(iter(colors.values())), colors.get(True, "")
    thick, long = sorted((box[2] - box[0], box[3] - box[1]))
    thin = thick <= THIN and long > thick
    if line and (thin or is_segment(drawn)):
        color = line  # It hides what the path is filled with.
    return ("rule", color, "") if thin else ("shape", color, line)


def read_line(drawn: Any, kind: int, box: Box, color: str, outer: Sequence[Matrix]) -> DrawnLine:
    """A path that may have heads: one that is not filled, and has ends."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if kind != pdfium.FPDF_PAGEOBJ_PATH or not color:
        return NO_LINE
    pdfium.FPDFPath_GetDrawMode(drawn, fill, stroke)
    last = pdfium.FPDFPath_CountSegments(drawn) - 1
    if fill.value or last < 1:
        return NO_LINE
    segments = [pdfium.FPDFPath_GetPathSegment(drawn, index) for index in (0, last)]
    own, x, y = pdfium.FS_MATRIX(), ctypes.c_float(), ctypes.c_float()
    if pdfium.FPDFPathSegment_GetClose(segments[1]) or not pdfium.FPDFPageObj_GetMatrix(drawn, own):
        return NO_LINE
    ends = []
    for segment in segments:
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        left, bottom, *_ = moved([(x.value, y.value)], [own, *outer])
        ends.append((left, bottom))
    return DrawnLine(tuple(ends), color, max(box[2] - box[0], box[3] - box[1]))


def is_head(drawn: Any, box: Box, color: str, line: DrawnLine) -> bool:
    """Whether a path is the head of the line that was drawn right before it: small, at its end, in its color, and no dot."""
    size = max(box[2] - box[0], box[3] - box[1])
    return (
        line.heads < 2
        and color == line.color
        and size <= min(HEAD, line.length / 2)
        and pdfium.FPDFPath_CountSegments(drawn) <= HEAD_SEGMENTS
        and any(
            box[0] - NEAR <= x <= box[2] + NEAR and box[1] - NEAR <= y <= box[3] + NEAR
            for x, y in line.ends
        )
    )


def is_dashed(drawn: Any, kind: int) -> bool | None:
    """Whether a path's line is dashed or dotted; None where it has none."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if kind != pdfium.FPDF_PAGEOBJ_PATH:
        return None
    pdfium.FPDFPath_GetDrawMode(drawn, fill, stroke)
    return pdfium.FPDFPageObj_GetDashCount(drawn) > 0 if stroke.value else None


def is_segment(drawn: Any) -> bool:
    """Whether a path is one straight line, which has nothing that could be filled."""
    count = pdfium.FPDFPath_CountSegments(drawn)
    x, y = ctypes.c_float(), ctypes.c_float()
    points = set()
    for index in range(min(count, SEGMENT)):
        if pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFPath_GetPathSegment(drawn, index), x, y):
            points.add((x.value, y.value))
    return count <= SEGMENT and len(points) <= 2


def clip_box(drawn: Any, outer: Sequence[Matrix]) -> Box:
    """Where something can be seen, by what clips it."""
    clip = pdfium.FPDFPageObj_GetClipPath(drawn)
    box = EVERYWHERE
    x, y = ctypes.c_float(), ctypes.c_float()
    for path in range(min(pdfium.FPDFClipPath_CountPaths(clip), MAX_CLIPS)):
        corners = []
        for index in range(min(pdfium.FPDFClipPath_CountPathSegments(clip, path), MAX_CORNERS)):
            segment = pdfium.FPDFClipPath_GetPathSegment(clip, path, index)
            if pdfium.FPDFPathSegment_GetPoint(segment, x, y):
                corners.append((x.value, y.value))
        if corners:
            box = overlap(box, moved(corners, outer))
    return box


def moved(points: Sequence[tuple[float, float]], outer: Sequence[Matrix]) -> Box:
    """The box around points of a form, on the page."""
    for matrix in outer:
        points = [
            (matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f)
            for x, y in points
        ]
    across, along = zip(*points, strict=True)
    return min(across), min(along), max(across), max(along)


def overlap(one: Box, other: Box) -> Box:
    """What two boxes share; it is turned around where they share nothing."""
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )


def covers(box: Sequence[float], size: tuple[int, int]) -> bool:
    """Whether a box is all of the picture."""
    return box[0] <= 1 and box[1] <= 1 and box[2] >= size[0] - 1 and box[3] >= size[1] - 1
