"""Drawings: what they are, and how they are drawn by lot."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from helm_structext.scenes.drawing import (
    badge,
    icons,
    infographic,
    landscape,
    plan,
    poster,
    sketch,
    trail,
)
from helm_structext.scenes.drawing.shapes import TINT, DrawingText, Item, Shape, walk
from helm_structext.scenes.drawing.sheet import DrawingSheet
from helm_structext.scenes.scene import Level, Scene, SceneMark, read_words


@dataclass(frozen=True, kw_only=True)
class DrawingScene(Scene):
    """Shapes on a page.

    Args:
        title: what it is called, in its language.
        width: of the page, in units of the shapes; in pictures of browsers these are pixels.
        height: of the page.
        background: the page's color.
        serif: whether its texts have serifs.
        items: the shapes, from the back to the front.
    """

    LOOK = frozenset({"background", "serif"})

    title: str
    width: float
    height: float
    background: str
    serif: bool
    items: tuple[Item, ...]

    @property
    def texts(self) -> list[str]:
        """All texts, from the back to the front."""
        return [item.text for item in walk(self.items) if isinstance(item, DrawingText)]

    @property
    def marks(self) -> list[SceneMark]:
        """The colors with which shapes are filled; others may lie on some of them."""
        fills = [
            item.fill for item in walk(self.items) if isinstance(item, Shape) and item.opacity == 1
        ]
        plain = (fill for fill in fills if isinstance(fill, str) and fill != TINT)
        return [SceneMark(color) for color in dict.fromkeys(plain)]


COMPOSITIONS: Mapping[str, Callable[[Random, Level, Mapping[str, Any]], DrawingSheet]] = {
    "landscape": landscape.compose,
    "poster": poster.compose,
    "badge": badge.compose,
    "map": trail.compose,
    "floor plan": plan.compose,
    "icon sheet": icons.compose,
    "infographic": infographic.compose,
    "technical sketch": sketch.compose,
}


def draw_drawing(rng: Random, level: Level, language: str, type: str | None = None) -> DrawingScene:
    """Draws a scene by lot; ``type`` is drawn, too, where none is given.

    >>> scene = draw_drawing(Random(4), "easy", "en")
    >>> scene.title in scene.texts, scene.type in COMPOSITIONS
    (True, True)
    """
    type = type or rng.choice(list(COMPOSITIONS))
    sheet = COMPOSITIONS[type](rng, level, read_words("drawing", language))
    return DrawingScene(
        type=type,
        language=language,
        level=level,
        title=sheet.title,
        width=sheet.width,
        height=sheet.height,
        background=sheet.background,
        serif=rng.random() < 0.25,
        items=tuple(sheet.items),
    )
