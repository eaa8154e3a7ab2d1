"""Markdown → picture, by the steps of StructEval.

Markdown becomes HTML, in the sandbox; the browser takes a screenshot, 1280 pixels wide. HTML in the
document stands as it is, and is as untrusted as any page: there is no network, and what it asks well-known
hosts for comes from locked packages (`cdn`).

``published`` is CommonMark with tables, strikethrough and task lists. ``corrected`` is Markdown as GitHub
shows it: also alerts, footnotes, front matter, bare links, mathematics by KaTeX, diagrams by Mermaid,
highlighted code and names of emoji; and lists of definitions. Its page loads of these what it has.

Source: StructEval, Section 3, and its published code (width, font and margins), whose Markdown
knew no tables.
"""

from collections.abc import Mapping
from functools import cache, partial

from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import python
from helm_structext.renderers.engine import Engine
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser, cdn, mermaid
from helm_structext.renderers.web.javascript import js_target
from helm_structext.renderers.web.page import draw_site, make_server
from helm_structext.sandbox import Limits

REVISION = "2"
PACKAGES = ("markdown-it-py", "mdit-py-plugins")

PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Markdown</title><style>
body { font-family: Arial, sans-serif; line-height: 1.6; max-width: 800px; margin: 0 auto; padding: 20px }
table { border-collapse: collapse; margin: 1em 0 }
th, td { border: 1px solid #bbb; padding: 4px 12px }
th { background: #f2f2f2 }
pre { background: #f5f5f5; padding: 12px; overflow-x: auto; line-height: 1.4 }
code { font-family: monospace; background: #f5f5f5 }
blockquote { margin: 1em 0; padding: 0 1em; border-left: 4px solid #ccc; color: #555 }
img { max-width: 100% }
.task-list-item { list-style: none; margin-left: -1.4em }
</style></head><body>
"""

STYLES = """<style>
.markdown-alert { margin: 1em 0; padding: 0 1em; border-left: 4px solid var(--mark) }
.markdown-alert-title { color: var(--mark); font-weight: bold }
.markdown-alert-note { --mark: #0969da } .markdown-alert-tip { --mark: #1a7f37 }
.markdown-alert-important { --mark: #8250df } .markdown-alert-warning { --mark: #9a6700 }
.markdown-alert-caution { --mark: #d1242f }
.math.block { text-align: center } .footnotes { font-size: 0.85em; color: #555 }
body pre code.hljs { background: none; padding: 0 }
</style>
"""
FOLDERS = {
    **mermaid.FOLDERS,
    "katex": "katex/dist",
    "highlight": "@highlightjs/cdn-assets",
    "gemoji": "gemoji",
}
MATHEMATICS = """<link rel="stylesheet" href="katex/katex.min.css"><script type="module">
import katex from './katex/katex.mjs'
for (const one of document.querySelectorAll('.math, pre > code.language-math')) {
  const displayMode = one.matches('.block, code')
  const made = Object.assign(document.createElement(displayMode ? 'div' : 'span'), {className: 'math'})
  katex.render(one.textContent, made, {displayMode, throwOnError: false, maxSize: 100})
  ;(one.matches('code') ? one.parentElement : one).replaceWith(made)
}
</script>"""
DIAGRAMS = """<script type="module">
import mermaid from './mermaid/mermaid.esm.min.mjs'
%s
mermaid.initialize({startOnLoad: false, suppressErrorRendering: true})
for (const [number, one] of document.querySelectorAll('pre > code.language-mermaid').entries()) {
  try {
    const {svg} = await mermaid.render(`diagram${number}`, one.textContent)
    one.parentElement.outerHTML = `<div>${svg}</div>`
  } catch (error) {
    console.warn(`diagram ${number + 1}: ${error.message}`)
  }
}
</script>"""
CODE = """<link rel="stylesheet" href="highlight/styles/github.min.css"><script type="module">
import highlight from './highlight/es/highlight.min.js'
for (const one of document.querySelectorAll('pre > code[class^=language-]')) {
  if (highlight.getLanguage(one.className.replace('language-', ''))) highlight.highlightElement(one)
}
</script>"""
EMOJI = """<script type="module">
import {nameToEmoji} from './gemoji/index.js'
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
for (let text; (text = texts.nextNode());) {
  if (text.parentElement.closest('pre, code, script, style, svg, .math')) continue
  text.data = text.data.replace(/:([a-z0-9_+-]+):/g, (name, inner) => nameToEmoji[inner] ?? name)
}
</script>"""
EXTRAS = (
    (Pattern(r"class=\"math |<code class=\"language-math"), MATHEMATICS),
    (Pattern(r"<code class=\"language-mermaid"), DIAGRAMS),
    (Pattern(r"<code class=\"language-"), CODE),
    (Pattern(r":[a-z0-9_+-]+:"), EMOJI),
)
"""What stands in the body → what shows it."""


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    body = python.make("markdown_job", PACKAGES, code, {}, protocol, limits).page
    extras = find_extras(body.decode(), code) if protocol == "corrected" else ""
    page = PAGE.encode() + body + extras.encode()
    return draw_site(
        {**assets, "index.html": page},
        limits,
        source=code,
        serve=make_server(FOLDERS),
        elsewhere=cdn.answer,
        layout=layout,
    )


def find_extras(body: str, code: str) -> str:
    """Returns the styles and scripts that a body needs.

    >>> find_extras("<p>12:30</p>", "12:30") == STYLES
    True
    """
    scripts = [script for pattern, script in EXTRAS if pattern.search(body)]
    plugins = mermaid.find_plugins(code) if DIAGRAMS in scripts else ""
    return STYLES + "".join(scripts).replace("%s", plugins)


version = cache(
    lambda: (
        f"markdown {REVISION} ({python.versions(PACKAGES)}; {browser.version()}; {js_target().name})"
    )
)
"""The renderer's version: our own revision, the libraries' and the browser's."""

ENGINE = Engine(draw, version, BROWSER_LIMITS, browser.PACKAGES, partial(draw, layout=True))
