"""Mermaid → picture, by the steps of StructEval.

Mermaid itself draws the diagram on a page of the browser, which takes a screenshot of all of it. A
diagram that it can't read is an error with its own words, and no picture of a bomb.

A diagram may contain HTML and links, as in the published code. Nobody is there to click on them,
and the page has no network.

Source: StructEval, Section 3, and its published code (padding and security level), which
takes a screenshot of a box only around the diagram.
"""

import json
from collections.abc import Mapping
from functools import cache

from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.edits import Traced, remove_matches
from helm_structext.renderers.engine import Engine, add_place
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.javascript import packages
from helm_structext.renderers.web.local_files import local_reply
from helm_structext.renderers.web.page import LIMITS, draw_site, file_name, site_reply
from helm_structext.renderers.web.tab import PageResponse, serve_nothing
from helm_structext.sandbox import Limits
from helm_structext.texts import shorten_text

REVISION = "1"
PACKAGE = "mermaid/"
"""Where the page finds the files of the package, below `ORIGIN`."""

STACK = Pattern(r"\n\s+at ")
# Classes whose names say nothing; most are a letter in the package.
CLASS = Pattern(r"\A(?:Error|UnknownDiagramError|\w): ")

# Errors of its grammars, and of its newer parsers: "Lexer error on line 2, column 8: …".
GRAMMAR = Pattern(
    r"(?s)\A(?:\w+: )?(?:Parse|Lexical) error on line ([0-9]{1,7})"
    r"(?::|\. Unrecognized text\.)\n.{0,500}?\n-*\^"
)
PARSER = Pattern(r" on line ([0-9]{1,7}), column ([0-9]{1,7}):")
# What it leaves out before it parses a diagram.
FRONT_MATTER = Pattern(r"(?s)\A-{3}\s*[\n\r].*?[\n\r]-{3}\s*[\n\r]+")
DIRECTIVE = Pattern(r"(?s)%%\{.*?\}%%")
COMMENT = Pattern(r"(?m)^\s*%%[^{\n][^\n]*\n?")
BLANK_START = Pattern(r"\A\s+")

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><style>
body { margin: 0; padding: 32px; font-family: Arial, sans-serif; background: white }
</style></head><body><div id="diagram"></div><script type="module" src="draw.js"></script>
"""
# Errors of its grammars are not always of the class that has a message.
DRAW = """
import mermaid from './mermaid/mermaid.esm.min.mjs'
mermaid.initialize({startOnLoad: false, securityLevel: 'loose', suppressErrorRendering: true})
try {
  const {svg} = await mermaid.render('drawing', %s)
  document.getElementById('diagram').innerHTML = svg
} catch (error) {
  document.body.replaceChildren()
  throw error instanceof Error ? error : new Error(error.str || error.message || String(error))
}
"""


def draw(code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits) -> Drawing:
    """Renders code; see the module's text."""
    script = DRAW % json.dumps(code)
    site = {**assets, "index.html": PAGE.encode(), "draw.js": script.encode()}
    return draw_site(
        site, limits, source=code, serve=serve, reason=lambda said: explain_error(said, code)
    )


def serve(site: Mapping[str, bytes], path: str) -> PageResponse | None:
    """Serves a site, and the package's files beside it."""
    if path.startswith(PACKAGE):
        return read_packaged(file_name(path.removeprefix(PACKAGE)))
    return site_reply(site, path)


def read_packaged(name: str) -> PageResponse:
    """Returns a file of the package."""
    return local_reply(packages() / "mermaid/dist", name) or serve_nothing(name)


def explain_error(error: str, code: str) -> str:
    r"""Returns what an exception says, with its place in the code and what stands there.

    Mermaid counts lines without front matter, directives and comments, and a line end that it adds.

    >>> said = "Error: Parse error on line 3:\n...A -->\n----^\nExpecting 'X', got 'EOF'"
    >>> explain_error(said, "---\ntitle: T\n---\n%% why\ngraph TD\nA -->\n")
    "line 6: Expecting 'X', got 'EOF': A -->"
    """
    said = reason(error)
    if grammar := GRAMMAR.match(error):
        rest = error[grammar.end() :].partition("\n    at ")[0]
        words = shorten_text(" ".join(rest.split()), 500) or "unknown text"
        return add_place(code, words, _line(code, int(grammar[1])))
    if parser := PARSER.search(said):
        line = _line(code, int(parser[1]))
        return add_place(code, PARSER.sub(":", said), line, int(parser[2]))
    return said


def _line(code: str, number: int) -> int:
    """Which line of the code is the line of this number in what Mermaid parses."""
    left = Traced(code)
    for cut in (FRONT_MATTER, DIRECTIVE, COMMENT, BLANK_START):
        left = left.edited(remove_matches(cut))
    start = 0
    for _ in range(number - 1):
        if (end := left.text.find("\n", start)) < 0:
            return code.count("\n") + 1
        start = end + 1
    return code.count("\n", 0, left.origin(start)) + 1


def reason(error: str) -> str:
    r"""What an exception says, on one line, without where it was thrown.

    >>> reason("Error: Parse error on line 2:\n...A -->\n--^\nExpecting 'X'\n    at parse (http://…)")
    "Parse error on line 2: ...A --> --^ Expecting 'X'"
    """
    stack = STACK.search(error)
    said = CLASS.sub("", error[: stack.start()] if stack else error)
    return shorten_text(" ".join(said.split()), 500)


@cache
def version() -> str:
    """Returns the renderer's version: our own revision, that of Mermaid and of the browser."""
    about = json.loads((packages() / "mermaid/package.json").read_bytes())
    return f"mermaid {REVISION} (Mermaid {about['version']}; {browser.version()})"


ENGINE = Engine(draw, version, LIMITS, browser.PACKAGES)
