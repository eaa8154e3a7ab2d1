"""SVG → picture, by the steps of StructEval.

An image is well-formed XML with the root `svg`. It stands in the middle of a page, 1280 by 720
pixels or as much larger as it is, of which the browser takes a screenshot. The page reads it as HTML
does, so that name spaces need not be declared and entities of a document type have no effect. Fonts
and styles of well-known hosts come from locked packages (`cdn`); what else it refers to elsewhere is missing.

In ``published`` the page shows it as an element of HTML: one that has no size is 150 pixels high, and of one
that is wider than the page and has no view box the left part is seen. In ``corrected`` all of it is seen: what
has neither size nor view box is as large as the window, as where a browser shows the file, percentages are those of
the window, and what is larger than the page is made smaller.

Source: StructEval, Section 3, and its published code, which draws what is not well-formed as far
as HTML allows.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple
from xml.parsers import expat

from helm_structext.errors import MAX_MISSING, RenderError
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import Engine, add_place
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser, cdn
from helm_structext.renderers.web.javascript import js_target
from helm_structext.renderers.web.page import WIDTH, draw_site
from helm_structext.renderers.web.placeholders import ANSWERS
from helm_structext.renderers.web.tab import MAX_HEIGHT
from helm_structext.sandbox import Limits
from helm_structext.xml_errors import explain_xml_error

REVISION = "3"

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><style>
body { margin: 0; min-height: 100vh; display: flex; justify-content: center; align-items: center }
%s
</style></head><body>
"""
STYLE = "svg { max-width: 100%; height: auto }"
FITTING = f"body > svg {{ max-width: 100%%; max-height: {MAX_HEIGHT}px; height: auto; %s }}"
LENGTH = Pattern(r"\s*\+?([0-9]{0,9}\.?[0-9]{1,9})[0-9]*\s*(px|pt|pc|in|cm|mm|%|)\s*", ascii=True)
PIXELS = {"": 1, "px": 1, "pt": 4 / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 9.6 / 2.54}
"""Unit of a length → pixels."""


class SvgRoot(NamedTuple):
    """The root element of an image.

    Args:
        code: as it is written.
        attributes: name → value.
        uses: addresses of other hosts whose elements it uses, of which a browser loads none.
    """

    code: str
    attributes: Mapping[str, str]
    uses: list[str]


def read_root(code: str) -> SvgRoot:
    r"""Returns the root element of an image.

    Raises:
        RenderError: kind ``syntax``: the image is not well-formed, or its root is not `svg`.

    >>> read_root('<?xml version="1.0"?>\n<!-- A dot -->\n<svg><circle r="9"/></svg>\n').code
    '<svg><circle r="9"/></svg>'
    >>> read_root("<svg/> ").code, read_root("<svg></svg >").code
    ('<svg/>', '<svg></svg >')
    >>> read_root("<svg>\n<g></svg>")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: line 2, column 6: </svg> comes before </g>: <g> of line 2 is not closed (mismatched tag): <g></svg>
    """
    data = code.encode("utf-8", "replace")
    parser = expat.ParserCreate("utf-8")
    tags: list[tuple[str, int, Mapping[str, str]]] = []
    uses: list[str] = []
    ends = [0]

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if not tags:
            tags.append((name, parser.CurrentByteIndex, attributes))
        if name == "use" and len(uses) < MAX_MISSING:
            address = attributes.get("href", attributes.get("xlink:href", ""))
            uses.extend([address] * address.startswith(("https://", "http://")))

    def end(name: str) -> None:
        ends[0] = parser.CurrentByteIndex

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    # With it, entities are not replaced: the text of a bomb stays as short as it is written.
    parser.DefaultHandler = lambda data: None
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        said = explain_xml_error(code, error)
        message = add_place(code, said, error.lineno, error.offset + 1)
        raise RenderError("syntax", message) from error
    ((name, first, attributes),) = tags
    if name != "svg":
        raise RenderError("syntax", f"the root element is <{name}>; expected <svg>")
    # Of `<svg/>` it is where the tag ends, of `</svg>` where it begins.
    last = ends[0] + len("</svg") if data.startswith(b"</", ends[0]) else ends[0] - 1
    return SvgRoot(data[first : data.index(b">", last) + 1].decode(), attributes, uses)


def read_length(written: str) -> tuple[float, bool] | None:
    """Returns a length in pixels, or in percent if the second is true; None for other units.

    >>> read_length("5000"), read_length("1in"), read_length(" 50% "), read_length("2em")
    ((5000.0, False), (96.0, False), (50.0, True), None)
    """
    if not (found := LENGTH.fullmatch(written)):
        return None
    number = float(found[1])
    return (number, True) if found[2] == "%" else (number * PIXELS[found[2]], False)


def fit_page(root: SvgRoot) -> tuple[str, str]:
    """Returns an image's code and a style with which all of it can be seen.

    >>> fit_page(read_root("<svg viewBox='0 0 9 9'/>"))[1] == FITTING % ""
    True
    >>> fit_page(read_root("<svg width='50%'/>"))[1] == FITTING % "width: 50vw; height: 100vh"
    True
    >>> fit_page(read_root("<svg width='5000' height='3000'/>"))[0]
    "<svg viewBox='0 0 5000 3000' width='5000' height='3000'/>"
    """
    if any(name.lower() == "viewbox" for name in root.attributes):
        return root.code, FITTING % ""
    sizes = {side: read_length(root.attributes.get(side) or "100%") for side in ("width", "height")}
    rules = [f"{side}: {size[0]:g}v{side[0]}" for side, size in sizes.items() if size and size[1]]
    pixels = [size[0] for size in sizes.values() if size and not size[1]]
    box = ""
    if len(pixels) == 2 and (pixels[0] > WIDTH or pixels[1] > MAX_HEIGHT):
        box = f" viewBox='0 0 {pixels[0]:g} {pixels[1]:g}'"
    return f"<svg{box}" + root.code.removeprefix("<svg"), FITTING % "; ".join(rules)


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    root = read_root(code)
    image, style = fit_page(root) if protocol == "corrected" else (root.code, STYLE)
    site = {**assets, "index.html": (PAGE % style + image).encode()}
    drawing = draw_site(site, limits, source=code, elsewhere=ANSWERS[protocol], layout=layout)
    uses = [one for use in root.uses for one in cdn.missing_resources(use, "picture")]
    missing = [*dict.fromkeys([*drawing.missing, *uses])][:MAX_MISSING]
    return replace(drawing, missing=missing)


version = cache(
    lambda: f"svg {REVISION} ({expat.EXPAT_VERSION}; {browser.version()}; {js_target().name})"
)
"""The renderer's version: our own revision, that of Expat, of the browser and of the packages."""

ENGINE = Engine(draw, version, BROWSER_LIMITS, browser.PACKAGES, partial(draw, layout=True))
