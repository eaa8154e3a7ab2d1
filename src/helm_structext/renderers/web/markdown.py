"""Markdown → picture, by the steps of StructEval.

CommonMark with tables, strikethrough and task lists becomes HTML, in the sandbox; the browser takes
a screenshot, 1280 pixels wide. HTML in the document stands as it is, and is as untrusted as any
page: there is no network.

Source: StructEval, Section 3, and its published code (width, font and margins), whose Markdown
knew no tables.
"""

from collections.abc import Mapping
from functools import cache

from helm_structext.protocols import ProtocolName
from helm_structext.renderers import python
from helm_structext.renderers.engine import Engine
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.page import LIMITS, draw_site
from helm_structext.sandbox import Limits

REVISION = "1"
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


def draw(code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits) -> Drawing:
    """Renders code; see the module's text."""
    body = python.make("markdown_job", PACKAGES, code, {}, protocol, limits).page
    return draw_site({**assets, "index.html": PAGE.encode() + body}, limits, source=code)


version = cache(lambda: f"markdown {REVISION} ({python.versions(PACKAGES)}; {browser.version()})")
"""The renderer's version: our own revision, the libraries' and the browser's."""

ENGINE = Engine(draw, version, LIMITS, browser.PACKAGES)
