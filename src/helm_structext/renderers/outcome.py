"""What comes of an engine's work: a picture, an error of the code, or nothing. One rule for all.

- Code that does not compile or is refused is an error of kind ``syntax``.
- So is code that throws and leaves nothing to see; the error is the reason.
- Code that throws beside something to see is a picture, with the error in its log.
- No code at all is ``empty``, whatever the format. No engine is started for it.
- Code that ends without complaint, and without a page or with an empty structure, is ``empty``.
- So is a page of HTML or Canvas that has nothing but comments and empty elements: no text, script,
  style or picture (`helm_structext.renderers.web.empty`).
- Any other blank page without an error is a picture.

What counts as something to see: on a picture, ink (`has_ink`), but not a page's number alone; on a
page of the browser, a pixel that differs from the page's own background (`tab.HIDE`); less than `VISIBLE`
levels of a color are nothing that a person sees. A script for
Matplotlib is a picture when it ends, as its figure is saved then: one that throws leaves nothing to see.

The published protocol of Image2Struct knows no such errors: any page is a picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageChops

from helm_structext.errors import MissingResource, RenderError


@dataclass(frozen=True)
class Drawing:
    """What an engine made of code.

    Args:
        image: the picture, RGB, or None where there is no page.
        source: the code that was finally compiled.
        text: the structure reduced to its content.
        log: the engine's own output.
        error: what was wrong with the code, or "".
        visible: whether there is something to see; it matters where there is an error.
        nothing: what to say where there is neither picture nor error.
        missing: what the code asked for and did not get.
    """

    image: Image.Image | None
    source: str
    text: str
    log: str
    error: str = ""
    visible: bool = True
    nothing: str = "there is no page"
    missing: Sequence[MissingResource] = ()


def picture_of(drawing: Drawing) -> Image.Image:
    """Returns an engine's picture if it counts as one; see the module's text.

    Raises:
        RenderError: kind ``syntax`` or ``empty``.

    >>> page = Image.new("RGB", (1, 1))
    >>> picture_of(Drawing(page, "", "", "", error="ReferenceError: x")) is page
    True
    >>> picture_of(Drawing(page, "", "", "", error="ReferenceError: x", visible=False))
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: ReferenceError: x
    >>> picture_of(Drawing(None, "", "", ""))
    Traceback (most recent call last):
    helm_structext.errors.RenderError: empty: there is no page
    """
    if drawing.error and not (drawing.image is not None and drawing.visible):
        raise RenderError("syntax", drawing.error, drawing.log, drawing.missing)
    if drawing.image is None:
        raise RenderError("empty", drawing.nothing, drawing.log, drawing.missing)
    return drawing.image


def check_code(code: str) -> None:
    """Raises RenderError of kind ``empty`` if there is no code.

    >>> check_code(" \\n")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: empty: there is no code
    """
    if not code.strip():
        raise RenderError("empty", "there is no code")


def check_structure(structure: Any, format: str) -> None:
    """Raises RenderError of kind ``empty`` if a parsed text holds nothing.

    >>> check_structure({}, "json")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: empty: it is json, but holds nothing
    """
    from helm_structext.metrics.structures import holds_nothing

    if holds_nothing(structure):
        raise RenderError("empty", f"it is {format}, but holds nothing")


VISIBLE = 4
"""Levels of a color, of 256, from which on a mark counts as something to see.

About the least difference that people notice side by side: 2.3 units of CIELAB (Mahy and others, "Evaluation
of Uniform Color Differences Spaces", Color Research and Application 19(2), 1994).
"""


def has_ink(page: Image.Image) -> bool:
    """Returns whether there is something to see on a white page.

    >>> [has_ink(Image.new("RGB", (9, 9), color)) for color in ("white", "#fefeff", "#fffffb")]
    [False, False, True]
    """
    return differ_visibly(page, Image.new("RGB", page.size, "white"))


def differ_visibly(first: Image.Image, second: Image.Image) -> bool:
    """Returns whether a person sees that two RGB pictures are not the same."""
    if first.size != second.size:
        return True
    seen = [255 * (level >= VISIBLE) for level in range(256)]
    return ImageChops.difference(first, second).point(seen * 3).getbbox() is not None
