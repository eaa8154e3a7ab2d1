"""What comes of an engine's work: a picture, an error of the code, or nothing. One rule for all.

- Code that does not compile or is refused is an error of kind ``syntax``.
- So is code that throws and leaves nothing to see; the error is the reason.
- Code that throws beside something to see is a picture, with the error in its log.
- Where what this machine lacks explains the error, or that a page is blank, the kind is ``missing``. What
  explains it is the renderer's to find (`Drawing.cause`): what an engine names as not found, and of pages what
  `helm_structext.renderers.web.causes` says.
- No code at all is ``empty``, whatever the format. No engine is started for it.
- Code that ends without complaint, and without a page or with an empty structure, is ``empty``.
- So is a page of HTML or Canvas that has nothing but comments and empty elements: no text, script,
  style or picture (`helm_structext.renderers.web.empty`).
- Any other blank page without an error is a picture.

What counts as something to see: on a picture, ink (`has_ink`), but not a page's number alone; on a
page of the browser, a pixel that differs from the page's own background (`tab.HIDE`); less than `VISIBLE`
levels of a color are nothing that a person sees. A script for
Matplotlib is a picture when it ends, as its figure is saved then: one that throws leaves nothing to see.

The published protocol of Image2Struct knows no such errors: any page is a picture. And in both benchmarks'
published protocol a page that is blank for what is missing stays a picture, which is told (`Rendering.cause`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from PIL import Image, ImageChops

from helm_structext.errors import MISSING, ErrorKind, MissingResource, RenderError
from helm_structext.layouts import PictureLayout
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName

MAX_NAMED = 3
"""Of what is missing, in a message; all of it is in `RenderError.missing`."""
NOTHING_TO_SEE = "there is nothing to see"


@dataclass(frozen=True)
class Drawing:
    """What an engine made of code.

    Args:
        image: the picture, RGB, or None where there is no page.
        source: the code that was finally compiled.
        text: the structure reduced to its content.
        log: the engine's own output.
        error: what was wrong with the code, or "".
        visible: whether there is something to see; it matters where there is an error or a cause.
        nothing: what to say where there is neither picture nor error.
        missing: what the code asked for and did not get.
        cause: what of it explains the error, or that there is nothing to see.
        tex_errors: of a format in TeX, the errors that TeX told and went on after; else None.
        layout: what is on the picture, where it was wanted and can be had.
        layout_reason: why it can't be had; never an error of the code.
    """

    image: Image.Image | None
    source: str
    text: str
    log: str
    error: str = ""
    visible: bool = True
    nothing: str = "there is no page"
    missing: Sequence[MissingResource] = ()
    cause: Sequence[MissingResource] = ()
    tex_errors: Sequence[str] | None = None
    layout: PictureLayout | None = None
    layout_reason: str = ""

    @property
    def blank(self) -> bool:
        """Whether there is nothing to see."""
        return self.image is None or not self.visible


def picture_of(drawing: Drawing, protocol: ProtocolName = DEFAULT_PROTOCOL) -> Image.Image:
    """Returns an engine's picture if it counts as one; see the module's text.

    Args:
        drawing: what came of the code.
        protocol: in ``corrected`` a page that lacks what would be all of it is ``missing``.

    Raises:
        RenderError: kind ``syntax``, ``empty`` or ``missing``.

    >>> page = Image.new("RGB", (1, 1))
    >>> picture_of(Drawing(page, "", "", "", error="ReferenceError: x")) is page
    True
    >>> picture_of(Drawing(page, "", "", "", error="ReferenceError: x", visible=False))
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: ReferenceError: x
    >>> picture_of(Drawing(None, "", "", ""))
    Traceback (most recent call last):
    helm_structext.errors.RenderError: empty: there is no page
    >>> cause = [MissingResource("data", package="cars.json")]
    >>> blank = Drawing(page, "", "", "", visible=False, missing=cause, cause=cause)
    >>> picture_of(blank, "published") is page
    True
    >>> picture_of(blank, "corrected")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: missing: the data cars.json is not here (there is nothing to see)
    """
    page = drawing.image
    lacking = protocol == "corrected" and bool(drawing.cause)
    if page is None or (drawing.blank and (drawing.error or lacking)):
        said = drawing.error or (drawing.nothing if page is None else NOTHING_TO_SEE)
        kind: ErrorKind = "syntax" if drawing.error else "empty"
        raise make_error(said, drawing.log, drawing.missing, drawing.cause, kind)
    return page


def make_error(
    said: str,
    log: str,
    missing: Sequence[MissingResource],
    cause: Sequence[MissingResource],
    kind: ErrorKind = "syntax",
) -> RenderError:
    """Returns the error of code that left nothing to see.

    Args:
        said: what was wrong.
        log: the engine's own output.
        missing: what the code asked for and did not get.
        cause: what of it explains the error, which is of kind ``missing`` then; or nothing.
        kind: of an error that nothing missing explains.

    >>> zustand = MissingResource("package", "npmjs.com", "zustand")
    >>> print(make_error('App.jsx:1: cannot import "zustand"', "", [zustand], [zustand]))
    missing: the package zustand of npmjs.com is not here: it is not one of the packages that `helm-structext setup` installs (App.jsx:1: cannot import "zustand")
    """
    if not cause:
        return RenderError(kind, said, log, missing)
    told = [*dict.fromkeys(one.explain() for one in cause)]
    named = "; ".join(told[:MAX_NAMED])
    more = f"; and {len(told) - MAX_NAMED} more" if len(told) > MAX_NAMED else ""
    return RenderError(MISSING, f"{named}{more} ({said})", log, missing)


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

    Args:
        structure: as `helm_structext.metrics.parse_structure` returns it.
        format: its name, for the message.

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
    return any(darkest <= 255 - VISIBLE for darkest, _ in _extrema(page))


def differ_visibly(first: Image.Image, second: Image.Image) -> bool:
    """Returns whether a person sees that two RGB pictures are not the same.

    Args:
        first: a picture in RGB.
        second: another one; of another size it is another picture.
    """
    if first.size != second.size:
        return True
    return any(most >= VISIBLE for _, most in _extrema(ImageChops.difference(first, second)))


def _extrema(picture: Image.Image) -> Sequence[tuple[int, int]]:
    """The least and the greatest level of each band of an RGB picture: of all that asks for all pixels, the cheapest."""
    return cast("Sequence[tuple[int, int]]", picture.getextrema())
