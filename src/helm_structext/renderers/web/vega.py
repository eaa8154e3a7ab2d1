"""Vega and Vega-Lite → picture, by the steps of StructEval.

A chart is rendered on a page by Vega's own embedding, which tells by `$schema`, or else by its
properties, which of the two it is; the browser takes a screenshot of the whole page. A chart that
can't be rendered is an error. Vega's example data comes from its package, whatever host a chart finds
it at; other data that it can't load, since there is no network, is missing.

The scripts come from `vl-convert-python`. Its converter itself is not used: it runs them in an
engine that can't be forked once it is warm, so that one chart could change how the next one is
rendered. A page of the browser has a profile of its own.

Source: StructEval, Section 3, and its published code.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from helm_structext.errors import RenderError, SetupError
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import python
from helm_structext.renderers.engine import Engine, explain_json_error, run_own
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser, cdn
from helm_structext.renderers.web.javascript import js_target
from helm_structext.renderers.web.page import draw_site, file_name, site_reply
from helm_structext.renderers.web.tab import PageResponse
from helm_structext.renderers.web.vega_data import read_example_data
from helm_structext.renderers.web.vega_errors import explain_error
from helm_structext.sandbox import Limits, uncounted
from helm_structext.storage.cache import cache_folder, content_key, get_or_make_file

REVISION = "2"
PACKAGES = ("vl-convert-python",)

# In a thread of its own: the size of the first one's stack would be read in /proc, which is not there.
BUNDLE = """
from threading import Thread
from vl_convert import javascript_bundle
def write():
    with open("vega.js", "w", encoding="utf-8") as file:
        file.write(javascript_bundle("window.vegaEmbed = vegaEmbed"))
thread = Thread(target=write)
thread.start()
thread.join()
"""
# A chart as wide as its container is 800 pixels wide.
PAGE = """<!DOCTYPE html>
<meta charset="utf-8">
<style>body { margin: 0; padding: 2rem; background: white } 
  #chart { width: 800px; height: 600px }</style>
<div id="chart"></div>
<script src="vega.js" type="module"></script>
<script src="draw.js" type="module"></script>
"""
# What can be read on the page is read from SVG, and the data by `scripts/read_charts.js`. Where data can't be loaded, Vega warns and goes on without.
DRAW = """
const chart = (%s)
const strict = %s, warn = console.warn
console.warn = (...said) => {
  if (strict && /^(Loading|Data ingestion) failed$/.test(said[1])) console.error(new Error(said.slice(1).join(': ')))
  warn(...said)
}
vegaEmbed('#chart', chart, {actions: false, renderer: 'svg'}).then(({view}) => {
  self.vegaView = view
}).catch(error => {
  document.body.replaceChildren()
  throw error
})
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
    chart, error = code, ""
    try:
        read = json.loads(code)
        chart = json.dumps(read)
    except (ValueError, RecursionError) as wrong:
        # The published code reads an object as JavaScript writes it, too.
        error = explain_json_error(code, "the chart", wrong)
        if protocol == "corrected":
            raise RenderError("syntax", error) from wrong
    else:
        if not isinstance(read, dict):
            raise RenderError("syntax", f"the chart is {chart[:50]}; expected an object")
    site = {
        **assets,
        "index.html": PAGE.encode(),
        "vega.js": scripts().read_bytes(),
        "draw.js": (DRAW % (chart, json.dumps(protocol == "corrected"))).encode("utf-8", "replace"),
    }
    return draw_site(
        site,
        limits,
        source=code,
        serve=serve_examples if protocol == "corrected" else site_reply,
        elsewhere=cdn.answer,
        reason=lambda said: error or explain_error(said, code),
        own_files=False,
        layout=layout,
    )


def serve_examples(site: Mapping[str, bytes], path: str) -> PageResponse | None:
    """Serves a site, and beside it the data that Vega's examples and its editor find there."""
    return site_reply(site, path) or read_example_data(file_name(path))


@uncounted()
def scripts() -> Path:
    """Returns Vega, Vega-Lite and Vega-Embed in one module, made at the first call on this machine.

    Raises:
        SetupError: it can't be made.
    """
    path = cache_folder() / "scripts" / f"vega-{content_key(BUNDLE, versions())[:32]}.js"
    return get_or_make_file(path, _bundle)


def _bundle() -> bytes:
    finished = run_own(
        [str(python.interpreter()), "-s", "-c", BUNDLE],
        # Its runtime waits for signals at a pair of sockets.
        replace(python.profile(PACKAGES), sockets=True),
        # V8 reserves far more addresses than memory, and stops where it can't.
        Limits(seconds=300, memory=2**30),
        outputs=("vega.js",),
    )
    if finished.status or "vega.js" not in finished.files:
        raise SetupError(f"vl-convert-python can't bundle Vega: {finished.output[-500:]}")
    return finished.files["vega.js"]


def versions() -> str:
    """What makes the scripts what they are."""
    return python.versions(PACKAGES)


version = cache(lambda: f"vega {REVISION} ({versions()}; {browser.version()}; {js_target().name})")
"""The renderer's version: our own revision, that of the scripts, of the browser and of the data."""

ENGINE = Engine(draw, version, BROWSER_LIMITS, browser.PACKAGES, partial(draw, layout=True))
