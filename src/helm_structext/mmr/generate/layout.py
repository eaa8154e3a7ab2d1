"""Generated pictures: what is put where, and painted."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NotRequired, TypedDict

import numpy as np
import yaml
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from helm_structext.mmr.generate.backgrounds import DARK, LIGHT, MOUNTS, background
from helm_structext.mmr.generate.colors import INKS, RGB, against, average, contrast, lab, mix, rgb
from helm_structext.mmr.generate.fonts import BODY, CAPITALS_ONLY, DISPLAY, SCRIPTS, fonts_for
from helm_structext.mmr.generate.scene import PaintedScene, PaintedText, SceneObject
from helm_structext.mmr.generate.shapes import FAMILIES, draw_object, object_shapes
from helm_structext.mmr.generate.texts import (
    INK,
    Rect,
    Setting,
    capital_height,
    paint_text,
    set_text,
)
from helm_structext.mmr.generate.words import LANGUAGES, capitals, count_words, phrase

LANGUAGE_WEIGHTS = (64, 12, 12, 12)
DIFFICULTIES = ("easy", "medium", "hard")

MIN_SIZE = 19
"""Of a font in pixels: below, texts are no longer read with ease."""

MIN_CONTRAST = 4.5
MIN_CONTRAST_LARGE = 3.2
"""Of texts of `LARGE` pixels or more. Source: WCAG 2.2 asks for 4.5 and 3."""

LARGE = 48
WORDS = (20, 100)
"""Fewer and more words there are in no picture. Source: MMR, section 3.2."""

MIN_DISTANCE = 24
"""In L*a*b*, of an object's edge from what is behind it."""


SMALLEST = 60
"""Longer side of an object in pixels, at least."""

CARD_EDGE = 12
"""Pixels between an object and the edge of its cell or card, at least."""

CARDS = ("#fbf6e9", "#ffffff", "#24304a", "#cfe3ee", "#f4d9a8", "#3a2a3f")
STICKERS = ("#d62828", "#f2b705", "#1d6fb8", "#1f7a4d", "#ffffff", "#22223b")


class LayoutError(Exception):
    """Something does not fit, or can't be told from the background. Another attempt may succeed."""


@dataclass(frozen=True)
class Style:
    """How texts of a role are set.

    Args:
        display: whether in the picture's display font.
        largest: size, as a share of the picture's width.
        lines: at most.
        capitals: how often all letters are capitals.
        spacing: of letters where all are capitals, in sizes.
    """

    display: bool
    largest: float
    lines: int
    capitals: float = 0.0
    spacing: float = 0.0


HEADING = Style(True, 0.16, 3, 0.45)
NAME = Style(True, 0.075, 2, 0.5, 0.06)
LINE = Style(False, 0.055, 2, 0.15)
PROSE = Style(False, 0.045, 6)
SMALL = Style(False, 0.042, 2, 0.25, 0.08)

STYLES = {
    **dict.fromkeys(("title", "event", "product", "sign", "report", "masthead"), HEADING),
    **dict.fromkeys(("author", "brand"), NAME),
    **dict.fromkeys(
        ("subtitle", "tagline", "report_line", "date", "program", "direction", "sign_line"), LINE
    ),
    **dict.fromkeys(("quote", "blurb", "care", "teaser"), PROSE),
    **dict.fromkeys(
        (
            "series",
            "publisher",
            "quote_source",
            "price",
            "sponsor",
            "venue",
            "time",
            "website",
            "claim",
            "weight",
            "authority",
            "source",
            "issue",
        ),
        SMALL,
    ),
    "headline": Style(False, 0.06, 3, 0.1),
    **dict.fromkeys(("percent", "amount"), Style(True, 0.11, 1)),
    **dict.fromkeys(("share", "counted"), Style(False, 0.042, 3)),
    "badge": Style(True, 0.06, 2, 0.5),
}


@dataclass
class PictureDraft:
    """A picture in the making."""

    picture: Image.Image
    language: str
    difficulty: str
    display: str
    body: str
    inks: list[str]
    accent: RGB
    objects: list[str]
    rng: Random
    texts: list[PaintedText] = field(default_factory=list)
    items: list[SceneObject] = field(default_factory=list)
    masks: list[Image.Image] = field(default_factory=list)


def compose(seed: int, number: int) -> tuple[Image.Image, PaintedScene]:
    """Returns a picture and what is in it; the same arguments give the same picture.

    Args:
        seed: of a set of pictures.
        number: of the picture in its set.
    """
    for attempt in range(200):
        rng = Random(f"helm-structext mmr {seed} {number} {attempt}")
        try:
            return _compose(rng)
        except LayoutError:
            continue
    raise AssertionError(f"no layout fits picture {number} of seed {seed}")


def _compose(rng: Random) -> tuple[Image.Image, PaintedScene]:
    kind = rng.choice(list(_kinds()))
    (language,) = rng.choices(LANGUAGES, LANGUAGE_WEIGHTS)
    difficulty = rng.choice(DIFFICULTIES)
    width, height = rng.choice(_kinds()[kind]["sizes"])
    base = rgb(rng.choice(rng.choice((LIGHT, DARK))))
    picture = background((width, height), base, difficulty, rng)
    space = MOUNTS[_kinds()[kind]["mount"]](picture, rng)
    draft = PictureDraft(
        picture,
        language,
        difficulty,
        display=rng.choice(fonts_for(language, DISPLAY)),
        body=rng.choice(fonts_for(language, BODY)),
        inks=rng.sample([name for name in INKS if name not in ("black", "white")], 4),
        accent=mix(base, rgb(rng.choice(rng.choice((LIGHT, DARK)))), 0.9),
        objects=_kinds()[kind].get("objects", list(object_shapes())),
        rng=rng,
    )
    _fill(draft, space, rng.choice(_kinds()[kind]["layouts"]))
    if difficulty == "hard" and rng.random() < 0.6:
        _cover_part(draft)
    words = count_words(" ".join(text.text for text in draft.texts))
    if not WORDS[0] <= words <= WORDS[1]:
        raise LayoutError(f"{words} words")
    texts, items = tuple(draft.texts), tuple(draft.items)
    return picture, PaintedScene(kind, language, difficulty, (width, height), texts, items)


class _Kind(TypedDict):
    """One of ``kinds.yaml``, which says what these are."""

    sizes: list[list[int]]
    mount: str
    layouts: list[list[str]]
    objects: NotRequired[list[str]]


@cache
def _kinds() -> dict[str, _Kind]:
    kinds: dict[str, _Kind] = yaml.safe_load(
        Path(__file__).with_name("kinds.yaml").read_text("utf-8")
    )
    return kinds


def _fill(draft: PictureDraft, space: Rect, layout: list[str]) -> None:
    """Paints the rows of a layout into a rectangle."""
    rng = draft.rng
    rows = []
    for row in layout:
        weight, cells, grounded = re.fullmatch(r"(\S+) (.*?)( #)?\s*", row).groups()  # type: ignore[union-attr]
        rows.append((float(weight) * rng.uniform(0.88, 1.14), cells.split("|"), bool(grounded)))
    gap = 0.014 * draft.picture.height
    unit = (space[3] - space[1] - gap * (len(rows) - 1)) / sum(weight for weight, _, _ in rows)
    top = space[1]
    for weight, cells, grounded in rows:
        rect = space[0], top, space[2], top + weight * unit
        top = rect[3] + gap
        if not grounded and top < space[3] and rng.random() < 0.15:
            _rule(draft, rect[3] + gap / 2, space)
        if grounded:
            rect = _row_background(draft, rect)
        mirrored = len(cells) > 1 and rng.random() < 0.5
        for cell, part in _columns([cell.strip() for cell in cells], rect, mirrored):
            _fill_cell(draft, cell, part, mirrored)


def _row_background(draft: PictureDraft, rect: Rect) -> Rect:
    """Paints a row's own ground, and returns what is left for its contents."""
    pad = 0.02 * draft.picture.width
    grown = (rect[0] - pad / 2, rect[1], rect[2] + pad / 2, rect[3])
    ImageDraw.Draw(draft.picture).rounded_rectangle(
        grown, draft.rng.choice((0, pad / 2, pad)), draft.accent
    )
    return rect[0] + pad, rect[1] + pad / 2, rect[2] - pad, rect[3] - pad / 2


def _rule(draft: PictureDraft, y: float, space: Rect) -> None:
    """Paints a thin line between two rows."""
    length = draft.rng.uniform(0.12, 0.48) * (space[2] - space[0])
    middle = (space[0] + space[2]) / 2
    behind = average(
        draft.picture.crop((int(middle - length), int(y), int(middle + length), int(y) + 2))
    )
    color = mix(behind, against(behind), 0.45)
    ImageDraw.Draw(draft.picture).line((middle - length, y, middle + length, y), color, 2)


def _columns(cells: list[str], rect: Rect, mirrored: bool) -> Iterator[tuple[str, Rect]]:
    shares = []
    for cell in cells:
        _, _, share = cell.partition(":")
        shares.append(float(share or 1))
    gap = 0.03 * (rect[2] - rect[0])
    unit = (rect[2] - rect[0] - gap * (len(cells) - 1)) / sum(shares)
    left = rect[0]
    for cell, part in list(zip(cells, shares, strict=True))[:: -1 if mirrored else 1]:
        yield cell.partition(":")[0], (left, rect[1], left + part * unit, rect[3])
        left += part * unit + gap


def _fill_cell(draft: PictureDraft, cell: str, rect: Rect, mirrored: bool) -> None:
    role, count, side = re.fullmatch(r"(\w+)(?:\*(\d))?([<>]?)", cell).groups()  # type: ignore[union-attr]
    align = {"<": "left", ">": "right", "": "center"}[side]
    if mirrored and side:
        align = {"left": "right", "right": "left"}[align]
    if role == "object":
        for part in _scatter(rect, int(count or 1), draft.rng):
            _place_object(draft, part)
    elif role == "barcode":
        _barcode(draft, rect)
    elif role == "fact":
        middle = rect[1] + 0.55 * (rect[3] - rect[1])
        number, fact = draft.rng.choice((("percent", "share"), ("amount", "counted")))
        _place_text(draft, number, (*rect[:3], middle), align)
        _place_text(draft, fact, (rect[0], middle, *rect[2:]), align)
    else:
        each = (rect[3] - rect[1]) / int(count or 1)
        for top in (rect[1] + k * each for k in range(int(count or 1))):
            pad = (0.04 if count is None else 0.16) * each
            _place_text(draft, role, (rect[0], top + pad, rect[2], top + each - pad), align)


def _scatter(rect: Rect, count: int, rng: Random) -> Iterator[Rect]:
    """Parts of a rectangle that do not overlap: side by side, on different levels."""
    if count == 1:
        yield rect
        return
    left, top, right, bottom = rect
    cuts = [0.0, *sorted((k + rng.uniform(-0.15, 0.15)) / count for k in range(1, count)), 1.0]
    for first, last in pairwise(cuts):
        high = rng.uniform(0.75, 1.0) * (bottom - top)
        start = rng.uniform(top, bottom - high)
        yield left + first * (right - left), start, left + last * (right - left), start + high


def _place_text(draft: PictureDraft, role: str, rect: Rect, align: str) -> None:
    """Sets and paints a text of a role."""
    rng, style = draft.rng, STYLES[role]
    words = _new_words(draft, role)
    font = draft.display if style.display else draft.body
    spacing = 0.0
    if font in CAPITALS_ONLY or (font not in SCRIPTS and rng.random() < style.capitals):
        words, spacing = capitals(words), style.spacing
    width, height = _sides(rect)
    # In a long and low cell, a tilted text would have to be small.
    angle = _tilt(draft, role) if width < 5 * height else 0.0
    if angle:
        # A turned rectangle of these sides stays inside the cell.
        turn = math.radians(abs(angle))
        height -= width * math.sin(turn) * 0.5
        width *= math.cos(turn) * 0.92
    if height < MIN_SIZE:
        raise LayoutError(role)
    setting = set_text(
        words,
        font,
        (width, height),
        style.largest * draft.picture.width,
        style.lines,
        rng.choice((1.15, 1.25)),
        spacing,
    )
    if setting.size < MIN_SIZE:
        raise LayoutError(role)
    color, ink = _pick_ink(draft, rect, setting.size, style.display)
    box = paint_text(draft.picture, setting, rect, align, ink, angle)
    _keep_text(draft, role, setting, box, color, ink, angle)


def _new_words(draft: PictureDraft, role: str) -> str:
    """Returns words of which the picture has nothing that begins or reads the same."""
    taken = [text.text.lower() for text in draft.texts]
    for _ in range(30):
        words = phrase(draft.language, role, draft.rng)
        lower = words.lower()
        begun = " ".join(lower.split()[:2])
        if not any(lower in other or other in lower or begun in other for other in taken):
            return words
    raise LayoutError(f"no other {role}")


def _keep_text(
    draft: PictureDraft,
    role: str,
    setting: Setting,
    box: Rect | None,
    color: str,
    ink: RGB,
    angle: float,
) -> None:
    if box is None:
        raise LayoutError(role)
    height = capital_height(setting)
    # A sticker covers an object.
    items = [item.box for item in draft.items] if role != "badge" else []
    if any(_overlap(box, _grown(other, 0.5 * height)) for other in items):
        raise LayoutError(role)
    for other in draft.texts:
        # Lines of one text are closer to each other than to the next text.
        alike = max(height, other.height) < 1.4 * min(height, other.height)
        apart = 1.15 * max(height, other.height) if alike else 0.7 * min(height, other.height)
        if _overlap(box, _grown(other.box, apart)):
            raise LayoutError(role)
    joined = "".join(setting.lines) if draft.language == "zh" else " ".join(setting.lines)
    draft.texts.append(
        PaintedText(role, joined, box, color, ink, height, len(setting.lines), angle)
    )


def _overlap(box: Rect, other: Rect) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _grown(box: Rect, by: float) -> Rect:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _tilt(draft: PictureDraft, role: str) -> float:
    most = {"easy": 0, "medium": 4, "hard": 9}[draft.difficulty]
    if role == "badge":
        return draft.rng.uniform(-14, 14) if most else 0.0
    if most and role in ("tagline", "claim", "program", "date") and draft.rng.random() < 0.3:
        return draft.rng.choice((-1, 1)) * draft.rng.uniform(2, most)
    return 0.0


def _pick_ink(draft: PictureDraft, rect: Rect, size: int, display: bool) -> tuple[str, RGB]:
    """Picks a color that stands out from all that is behind a text."""
    behind = np.asarray(
        draft.picture.crop((int(rect[0]), int(rect[1]), int(rect[2]), int(rect[3])))
    )[::3, ::3]
    needed = MIN_CONTRAST_LARGE if size >= LARGE else MIN_CONTRAST
    order = list(draft.inks)
    if not display:
        order.insert(draft.rng.choice((0, 0, 1, 2)), draft.rng.choice(("black", "white")))
    for name in (*order, "black", "white"):
        for tone in INKS[name]:
            if contrast(rgb(tone), behind) >= needed:
                return name, rgb(tone)
    raise LayoutError("no ink stands out")


def _place_object(draft: PictureDraft, rect: Rect) -> None:
    """Draws an object that is not there yet, on a card where it would not stand out."""
    rng = draft.rng
    present = {item.name for item in draft.items}
    barred = present.union(*(family for family in FAMILIES if family & present))
    name = rng.choice([name for name in draft.objects if name not in barred])
    inner = _grown(rect, -CARD_EDGE)
    width, height = _sides(inner)
    if min(width, height) < SMALLEST:
        raise LayoutError("an object")
    side = min(width, height, 0.55 * min(draft.picture.size)) * rng.uniform(0.84, 1.02)
    most = {"easy": 4, "medium": 14, "hard": 28}[draft.difficulty]
    drawn = draw_object(name, side, rng.uniform(-most, most), mirrored=rng.random() < 0.5)
    drawn.thumbnail((int(width), int(height)), Image.Resampling.LANCZOS)
    if max(drawn.size) < SMALLEST:
        raise LayoutError(name)
    left = round(inner[0] + rng.uniform(0.2, 0.8) * (width - drawn.width))
    top = round(inner[1] + rng.uniform(0.2, 0.8) * (height - drawn.height))
    spot = (left, top, left + drawn.width, top + drawn.height)
    if not _stands_out(drawn, draft.picture.crop(spot)):
        _card(draft, drawn, spot, rect)
    draft.picture.paste(drawn, (left, top), drawn)
    mask = Image.new("L", draft.picture.size)
    mask.paste(drawn.getchannel("A"), (left, top))
    mask = mask.point(lambda alpha: 255 * (alpha >= INK))
    box = mask.getbbox()
    assert box is not None
    draft.items.append(SceneObject(name, box, 1.0))
    draft.masks.append(mask)


def _stands_out(drawn: Image.Image, behind: Image.Image) -> bool:
    """Whether nine tenths of an object's edge differ clearly from what is behind."""
    solid = drawn.getchannel("A").point(lambda value: 255 * (value > 250))
    inner = ImageOps.expand(solid, 1).filter(ImageFilter.MinFilter(3))
    edge = (np.asarray(solid) > 0) & (np.asarray(ImageOps.crop(inner, 1)) == 0)
    own, other = (np.asarray(image.convert("RGB"))[edge] for image in (drawn, behind))
    far = np.linalg.norm(lab(own) - lab(other), axis=-1) > MIN_DISTANCE
    return bool(far.mean() > 0.9)


def _card(draft: PictureDraft, drawn: Image.Image, spot: Rect, rect: Rect) -> None:
    """Paints a card behind an object, of a color from which it stands out."""
    pad = CARD_EDGE + 0.06 * max(drawn.size)
    card = (
        max(rect[0], spot[0] - pad),
        max(rect[1], spot[1] - pad),
        min(rect[2], spot[2] + pad),
        min(rect[3], spot[3] + pad),
    )
    for color in draft.rng.sample(CARDS, len(CARDS)):
        if _stands_out(drawn, Image.new("RGB", drawn.size, color)):
            radius = draft.rng.choice((0, CARD_EDGE / 2, CARD_EDGE))
            ImageDraw.Draw(draft.picture).rounded_rectangle(card, radius, color)
            return
    raise LayoutError("no card suits the object")


def _cover_part(draft: PictureDraft) -> None:
    """Puts a sticker over a part of an object, from which its extent is still to be seen."""
    rng, (width, height) = draft.rng, draft.picture.size
    for _ in range(60):
        number = rng.randrange(len(draft.items))
        item, mask = draft.items[number], draft.masks[number]
        radius = rng.uniform(0.07, 0.1) * width
        x, y = rng.uniform(item.box[0], item.box[2]), rng.uniform(item.box[1], item.box[3])
        spot = (x - radius, y - radius, x + radius, y + radius)
        if 2 * radius > 0.7 * min(_sides(item.box)):
            continue
        others = [t.box for t in draft.texts] + [t.box for t in draft.items if t is not item]
        if min(spot) < 0 or spot[2] > width or spot[3] > height:
            continue
        if any(_overlap(spot, other) for other in others):
            continue
        seen = mask.copy()
        ImageDraw.Draw(seen).ellipse(spot, 0)
        box, shown = seen.getbbox(), _area(seen) / _area(mask)
        if box != item.box or not 0.6 <= shown <= 0.92:
            continue
        draft.items[number] = replace(item, shown=shown)
        _sticker(draft, spot)
        return


def _sticker(draft: PictureDraft, spot: Rect) -> None:
    x, y, radius = (spot[0] + spot[2]) / 2, (spot[1] + spot[3]) / 2, (spot[2] - spot[0]) / 2
    color = rgb(draft.rng.choice(STICKERS))
    points = [
        (x + r * math.cos(turn), y + r * math.sin(turn))
        for k in range(36)
        for r, turn in [(radius * (1 - 0.09 * (k % 2)), math.pi * k / 18)]
    ]
    ImageDraw.Draw(draft.picture).polygon(points, color)
    inside = 0.68 * radius
    _place_text(draft, "badge", (x - inside, y - inside, x + inside, y + inside), "center")


def _barcode(draft: PictureDraft, rect: Rect) -> None:
    """Draws a barcode, as covers have them."""
    left, top, right, bottom = (round(edge) for edge in rect)
    pen = ImageDraw.Draw(draft.picture)
    pen.rectangle((left, top, right, bottom), "white")
    x = left + 6.0
    while x < right - 8:
        bar = draft.rng.choice((1, 1, 2, 3))
        pen.rectangle((x, top + 6, x + bar - 1, bottom - 6), "black")
        x += bar + draft.rng.choice((1, 2, 3))


def _sides(box: Rect) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _area(mask: Image.Image) -> int:
    return mask.histogram()[255]
