"""Mermaid → picture, by the steps of StructEval.

Mermaid itself draws the diagram on a page of the browser, which takes a screenshot of all of it. A
diagram that it can't read is an error with its own words, and no picture of a bomb.

A diagram may contain HTML and links, as in the published code. Nobody is there to click on them,
and the page has no network.

Mermaid alone draws in ``published``. ``corrected`` has what Mermaid's command line and editor have
beside it: the layouts ELK and tidy tree, ZenUML, Font Awesome, and the usual icon packs. A page
loads of these what its diagram names.

Source: StructEval, Section 3, and its published code (padding and security level), which
takes a screenshot of a box only around the diagram.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial

from helm_structext.errors import MAX_MISSING, MissingResource
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import Engine
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.javascript import js_target, packages
from helm_structext.renderers.web.mermaid_errors import explain_error
from helm_structext.renderers.web.page import draw_site, make_server
from helm_structext.sandbox import Limits

REVISION = "2"

FOLDERS = {
    "mermaid": "mermaid/dist",
    "elk": "@mermaid-js/layout-elk/dist",
    "tidy-tree": "@mermaid-js/layout-tidy-tree/dist",
    "zenuml": "@mermaid-js/mermaid-zenuml/dist",
    "icons": "@iconify-json",
    "fontawesome": "@fortawesome/fontawesome-free",
}
"""Folder of the page's site → folder of the packages."""

LAYOUT = """
import layout from './{name}/mermaid-layout-{name}.esm.min.mjs'
mermaid.registerLayoutLoaders(layout)
"""
ZENUML = """
import zenuml from './zenuml/mermaid-zenuml.esm.min.mjs'
await mermaid.registerExternalDiagrams([zenuml])
"""
# Labels are measured before they are drawn.
AWESOME = """
const sheet = Object.assign(document.createElement('link'), {rel: 'stylesheet', href: 'fontawesome/css/all.min.css'})
await new Promise(done => { sheet.onload = sheet.onerror = done; document.head.append(sheet) })
await Promise.all([...document.fonts].map(font => font.load()))
"""
PLUGINS = (
    (Pattern(r"(?:\A|\W)elk(?:\W|\z)"), LAYOUT.format(name="elk")),
    (Pattern("tidy-tree"), LAYOUT.format(name="tidy-tree")),
    (Pattern(r"(?m)^\s*zenuml(?:\W|\z)"), ZENUML),
    (Pattern(r"(?:\A|\W)fa[bsrl]?:fa-"), AWESOME),
)
"""What a diagram names → what its page loads."""
ICON = Pattern(
    r"(?m)(?:\bicon[\"']?\s*:\s*[\"']?|^\s*(?:group|service)\s+[\w-]+\s*\()([a-z][a-z0-9-]{0,30}):[a-z0-9]",
    ascii=True,
)
"""`pack:icon` of a node, group or service."""
SAME_PACKS = {"fa": "fa6-solid", "fas": "fa6-solid", "far": "fa6-regular", "fab": "fa6-brands"}
"""Packs that Mermaid's manual calls by other names."""
ICONS = """
mermaid.registerIconPacks(Object.entries(%s).map(([name, pack]) => (
  {name, loader: () => fetch(`icons/${pack}/icons.json`).then(reply => reply.json())})))
"""
UNKNOWN_ICON = "?"
"""What Mermaid draws for an icon that it does not find."""

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><style>
body { margin: 0; padding: 32px; font-family: Arial, sans-serif; background: white }
</style></head><body><div id="diagram"></div><script type="module" src="draw.js"></script>
"""
# Errors of its grammars are not always of the class that has a message, nor does each say it.
DRAW = """
import mermaid from './mermaid/mermaid.esm.min.mjs'
%s
mermaid.initialize({startOnLoad: false, securityLevel: 'loose', suppressErrorRendering: true})
try {
  const {svg} = await mermaid.render('drawing', %s)
  document.getElementById('diagram').innerHTML = svg
} catch (error) {
  document.body.replaceChildren()
  const said = error.str || error.message || String(error)
  throw error.stack?.includes(said) ? error : new Error(said)
}
"""


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    plugins = find_plugins(code) if protocol == "corrected" else ""
    script = DRAW % (plugins, json.dumps(code))
    site = {**assets, "index.html": PAGE.encode(), "draw.js": script.encode()}
    drawing = draw_site(
        site,
        limits,
        source=code,
        serve=serve,
        reason=lambda said: explain_error(said, code),
        layout=layout,
    )
    if UNKNOWN_ICON not in drawing.text.split("\n"):
        return drawing
    lacking = [name for name in find_icon_packs(code) if f'"{name}":' not in plugins]
    missing = [MissingResource("icon", package=name) for name in lacking[:MAX_MISSING]]
    return replace(drawing, missing=[*drawing.missing, *missing])


def find_plugins(code: str) -> str:
    """Returns the script that loads what a diagram names and Mermaid alone does not have.

    >>> find_plugins("flowchart TD\\n  A --> B"), find_plugins("zenuml\\n  A.b()") == ZENUML
    ('', True)
    """
    scripts = [script for pattern, script in PLUGINS if pattern.search(code)]
    named = {name: SAME_PACKS.get(name, name) for name in find_icon_packs(code)}
    if packs := {name: pack for name, pack in named.items() if pack in icon_packs()}:
        scripts.append(ICONS % json.dumps(packs))
    return "".join(scripts)


def find_icon_packs(code: str) -> list[str]:
    """Returns the names of the icon packs that a diagram asks for.

    >>> find_icon_packs('flowchart TD\\n  A@{ icon: "mdi:home" } --> B[see icons:all]')
    ['mdi']
    """
    return sorted({found[1] for found in ICON.finditer(code)})


@cache
def icon_packs() -> tuple[str, ...]:
    """Returns the names of the icon packs that are installed."""
    return tuple(sorted(path.name for path in (packages() / FOLDERS["icons"]).iterdir()))


serve = make_server(FOLDERS)
"""Serves a site, and the packages' files beside it."""


@cache
def version() -> str:
    """Returns the renderer's version: our own revision, that of Mermaid, its plug-ins and the browser."""
    about = json.loads((packages() / "mermaid/package.json").read_bytes())
    return (
        f"mermaid {REVISION} (Mermaid {about['version']}; {browser.version()}; {js_target().name})"
    )


ENGINE = Engine(draw, version, BROWSER_LIMITS, browser.PACKAGES, partial(draw, layout=True))
