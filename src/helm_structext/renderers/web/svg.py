"""SVG → picture, by the steps of StructEval.

An image is well-formed XML with the root `svg`. It stands in the middle of a page, 1280 by 720
pixels or as much larger as it is, of which the browser takes a screenshot. The page reads it as HTML
does, so that name spaces need not be declared and entities of a document type have no effect. What it
refers to elsewhere, such as fonts, it gets as format ``html`` does (`cdn`), or it is missing.

Source: StructEval, Section 3, and its published code, which draws what is not well-formed as far
as HTML allows.
"""

from collections.abc import Mapping
from functools import cache
from xml.parsers import expat

from helm_structext.errors import RenderError
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import Engine, add_place
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.javascript import js_target
from helm_structext.renderers.web.page import LIMITS, draw_site
from helm_structext.renderers.web.placeholders import ANSWERS
from helm_structext.sandbox import Limits

REVISION = "3"

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><style>
body { margin: 0; min-height: 100vh; display: flex; justify-content: center; align-items: center }
svg { max-width: 100%; height: auto }
</style></head><body>
"""


def root(code: str) -> str:
    r"""Returns the root element of an image, as it is written.

    Raises:
        RenderError: kind ``syntax``: the image is not well-formed, or its root is not `svg`.

    >>> root('<?xml version="1.0"?>\n<!-- A dot -->\n<svg><circle r="9"/></svg>\n')
    '<svg><circle r="9"/></svg>'
    >>> root("<svg/> "), root("<svg></svg >")
    ('<svg/>', '<svg></svg >')
    >>> root("<svg>\n<g></svg>")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: line 2, column 6: mismatched tag: <g></svg>
    """
    data = code.encode("utf-8", "replace")
    parser = expat.ParserCreate("utf-8")
    tags: list[tuple[str, int]] = []
    ends = [0]

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if not tags:
            tags.append((name, parser.CurrentByteIndex))

    def end(name: str) -> None:
        ends[0] = parser.CurrentByteIndex

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    # With it, entities are not replaced: the text of a bomb stays as short as it is written.
    parser.DefaultHandler = lambda data: None
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        message = add_place(code, said, error.lineno, error.offset + 1)
        raise RenderError("syntax", message) from error
    ((name, first),) = tags
    if name != "svg":
        raise RenderError("syntax", f"the root element is <{name}>; expected <svg>")
    # Of `<svg/>` it is where the tag ends, of `</svg>` where it begins.
    last = ends[0] + len("</svg") if data.startswith(b"</", ends[0]) else ends[0] - 1
    return data[first : data.index(b">", last) + 1].decode()


def draw(code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits) -> Drawing:
    """Renders code; see the module's text."""
    site = {**assets, "index.html": (PAGE + root(code)).encode()}
    return draw_site(site, limits, source=code, elsewhere=ANSWERS[protocol])


version = cache(
    lambda: f"svg {REVISION} ({expat.EXPAT_VERSION}; {browser.version()}, {js_target().name})"
)
"""The renderer's version: our own revision, that of Expat, of the browser and of the packages."""

ENGINE = Engine(draw, version, LIMITS, browser.PACKAGES)
