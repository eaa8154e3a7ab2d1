"""Markdown → picture, by the steps of StructEval.

CommonMark with tables, strikethrough and task lists becomes HTML, in the sandbox; the browser takes a screenshot, 1280 pixels wide. HTML in the document stands as it is, and is as untrusted
as any page: there is no network.

Source: StructEval, Section 3, and its published code (width, font and margins), whose Markdown
knew no tables.
"""

from collections.abc import Mapping
from functools import lru_cache

from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.renderers import python
from helm_structext.renderers.engine import Drawing, Engine, ProtocolName, picture, tidied
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.webpage import reply
from helm_structext.sandbox import Limits

REVISION = "1"
WIDTH, HEIGHT = 1280, 720
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


def draw(
    source: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits
) -> Drawing:
    """Renders a completion; see the module's text."""
    code = extract(source, "markdown", protocol)
    if not code:
        raise RenderError("empty", "there is no text")
    body = python.make("markdown_job", PACKAGES, code, {}, limits).page
    files = {**assets, "index.html": PAGE.encode() + body}
    screenshot = browser.screenshot(
        lambda path: reply(files, path), limits, width=WIDTH, height=HEIGHT, whole=True
    )
    log = "\n".join([*screenshot.errors, *screenshot.messages])
    if screenshot.empty:
        raise RenderError("syntax", screenshot.errors[0].partition("\n")[0], log)
    return Drawing(picture(screenshot.png), code, tidied(screenshot.text), log)


@lru_cache(maxsize=1)
def version() -> str:
    """Returns the renderer's version: our own revision, the libraries' and the browser's."""
    return f"markdown {REVISION} ({python.versions(PACKAGES)}; {browser.version()})"


ENGINE = Engine(
    draw=draw,
    version=version,
    limits=Limits(seconds=30, memory=2048, processes=64, scratch=256, output=64),
    packages=browser.PACKAGES,
)
