"""HTML and Canvas → picture: a page, in the browser (`page`).

What a page wants of well-known hosts comes from locked packages (`cdn`); all else is refused, but for
pictures of a known size in ``corrected`` (`placeholders`).

Source: StructEval, section 3, and its published code (window, whole page).
"""

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from helm_structext.errors import RenderError
from helm_structext.patterns import Match, Pattern, escape_pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import Engine
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import angular_errors, browser, empty, npm_files
from helm_structext.renderers.web.javascript import compile_answer, js_target, wrong
from helm_structext.renderers.web.page import (
    HEIGHT,
    WIDTH,
    draw_site,
    first_line,
)
from helm_structext.renderers.web.placeholders import choose_answer
from helm_structext.renderers.web.tab import ORIGIN
from helm_structext.sandbox import Limits

REVISION = "6"

DOCUMENT = Pattern(r"(?i)<(?:!doctype|html|head|body)(?:\W|\z)")
"""How a document begins, unlike a fragment, a component or a script; see `skip_comments`."""

TAG = Pattern(r"(?i)<(?:script|link)(?:[^\pL\pN_<>][^<>]*)?>")
# What begins and ends scripts and comments: neither is looked for in the other.
PART = Pattern(r"(?i)<!--|-->|<script(?:[^\pL\pN_<>][^<>]*)?>|</script")
# The hash that a link demands is that of another release's file.
INTEGRITY = Pattern(r"""(?i)\sintegrity\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""")
FOR_BABEL = Pattern(
    r"""(?i)\stype\s*=\s*["']?(?:text/(?:babel|jsx|tsx|ts|typescript)|jsx)(?:\W|\z)"""
)
# The compiler of esm.sh: its scripts are modules, and take JSX from what the page imports by these names.
LOADS_TSX = Pattern(r"""(?i)\ssrc\s*=\s*["']?https://esm\.sh/(?:v\d+/)?(?:tsx|run|x)["'\s>]""")
JSX_SOURCE = Pattern(
    r""""(?:@jsxRuntime|@jsxImportSource|preact|react)"\s*:\s*"(https://[^"?\s*]{1,200})[?"]"""
)
MODULE = Pattern(r"""(?i)\sdata-type\s*=\s*["']?module""")
MAX_SCRIPTS = 100
MAX_FILLED = 20_000_000
"""Characters of all scripts or files together, with the empty lines that keep the lines' numbers."""
MAX_MESSAGE, MAX_STACK = 2_000, 20_000
PLACE = Pattern(escape_pattern(ORIGIN) + r"([\w./-]*?):([0-9]{1,9}):([0-9]{1,9})")
SCRIPT_ID = Pattern(r"""(?:getElementById\(\s*['"`]|querySelector\(\s*['"`]#)([\w-]+)""")
MAKES_CANVAS = Pattern(r"""(?:\A|\W)createElement\(\s*['"`]canvas(?:\W|\z)""")
FINDS_CANVAS = Pattern(r"(?:\A|\W)(?:getElement|querySelector)")
DRAWS_ITSELF = Pattern(r"(?i)<(?:canvas|script|html|body|!doctype)(?:\W|\z)")

Locate = Callable[[str, int, int], tuple[str, int]]


def skip_comments(code: str) -> str:
    """Returns the first characters of code after white space and comments.

    >>> skip_comments("  <!-- a --> <!-- b -->\\n<!DOCTYPE html><p>")[:14]
    '<!DOCTYPE html'
    """
    start = 0
    while True:
        while start < len(code) and code[start].isspace():
            start += 1
        end = code.find("-->", start) if code.startswith("<!--", start) else -1
        if end < 0:
            return code[start : start + 100]
        start = end + len("-->")


def as_written(path: str, line: int, column: int) -> tuple[str, int]:
    """The place of an error in a page that was not compiled."""
    return path or "index.html", line


def draw_with_packages(
    site: Mapping[str, bytes],
    limits: Limits,
    *,
    source: str,
    log: Sequence[str] = (),
    locate: Locate = as_written,
    files: Mapping[str, str],
    protocol: ProtocolName,
    layout: bool = False,
) -> Drawing:
    """Takes a screenshot of a site that may use the locked packages; see `page.draw_site`.

    Args:
        site: name → content; ``index.html`` is the page.
        limits: of the job.
        source: the code that the page comes from.
        log: what is to be noted before all else.
        locate: from path, line and column of a script to file and line of the code.
        files: of the answer, as they are shown in messages.
        protocol: see `placeholders`.
        layout: whether to tell what is on the page.
    """
    return draw_site(
        site,
        limits,
        source=source,
        elsewhere=choose_answer(protocol, source),
        log=log,
        reason=lambda error: explain_error(error, locate, files),
        layout=layout,
    )


def explain_error(error: str, locate: Locate, files: Mapping[str, str]) -> str:
    r"""Returns the first line of an error, with the place of the code where it arose, and its line.

    Args:
        error: message and stack as the browser tells them.
        locate: from a place in what was run to one in what was written.
        files: what was written, by name.

    >>> files = {"index.html": "<p>\n<script>\nno()"}
    >>> explain_error("Error: no\n    at f (http://localhost/:3:9)", as_written, files)
    'index.html:3: Error: no: no()'
    """
    error = error[:MAX_STACK]
    said = first_line(error.partition("\n    at ")[0]).strip()[:MAX_MESSAGE]
    said = said or "an error without a message"
    said = said.replace(npm_files.VENDOR + npm_files.NEW, npm_files.VENDOR)
    if npm_files.VENDOR in said:
        for module, about in npm_files.modules().items():
            said = said.replace(f"{npm_files.VENDOR}{about['file']}", module)
    if refused := angular_errors.explain_refusal(said, error, files):
        return refused
    own = PLACE.search(error)
    made = angular_errors.FRAME.search(error)
    if made and (own is None or made.start() < own.start()):
        return angular_errors.explain_thrown(said, made[1], made[2], files)
    if own is None:
        return said
    file, number = locate(own[1], int(own[2]), int(own[3]))
    if number > files.get(file, "\n" * number).count("\n") + 1:
        return said  # It is in what Vue's templates were compiled to, for example.
    return wrong(files, file, number, said)


def prepare_document(document: str, limits: Limits) -> str:
    """Returns a document as it is served: scripts for Babel are compiled, demands on hashes gone.

    Raises:
        RenderError: kind ``syntax``: a script for Babel can't be compiled.
    """
    pieces: list[str] = []
    scripts: dict[str, str] = {}
    done = 0
    filled = 0
    tags = [*find_scripts(document)]
    tsx = any(LOADS_TSX.search(tag) for tag, _, _ in tags)
    source = JSX_SOURCE.search(document) if tsx else None
    jsx = f"/* @jsxRuntime automatic *//* @jsxImportSource {source[1]} */" if source else ""
    for tag, start, end in tags:
        if not FOR_BABEL.search(tag):
            continue
        # Messages count lines from the beginning of the document.
        name = f"index.html, script {len(scripts) + 1}"
        scripts[name] = "\n" * document.count("\n", 0, start) + jsx + document[start:end]
        filled += len(scripts[name])
        if filled > MAX_FILLED:
            raise RenderError("resource", "the scripts for Babel are too many for their length")
        pieces += [document[done : start - len(tag)], _for_later(tag, tsx)]
        done = end
        if len(scripts) > MAX_SCRIPTS:
            raise RenderError("resource", f"more than {MAX_SCRIPTS} scripts for Babel")
    codes = compile_answer("scripts", scripts, limits).files.values() if scripts else ()
    for number, code in enumerate(codes):
        pieces[2 * number + 1] += code.replace("</script", "<\\/script")
    return drop_hashes("".join([*pieces, document[done:]]))


def find_scripts(document: str) -> Iterator[tuple[str, int, int]]:
    """Yields the tag of each script that has an end, and where its text begins and ends; none of comments.

    >>> [*find_scripts("<!-- <script> --><script src=a></script>")]
    [('<script src=a>', 31, 31)]
    """
    opened: Match | None = None
    for part in PART.finditer(document):
        text = part[0].lower()
        if opened is None:
            opened = None if text in ("-->", "</script") else part
        elif opened[0] == "<!--":
            opened = None if text.endswith("-->") else opened
        elif text == "</script":
            yield opened[0], opened.end(), part.start()
            opened = None


def drop_hashes(document: str) -> str:
    """Returns a document without demands on what other hosts send.

    >>> drop_hashes('<script src="https://unpkg.com/d3" integrity="sha384-x"></script>')
    '<script src="https://unpkg.com/d3"></script>'
    """
    return TAG.sub(lambda tag: INTEGRITY.sub("", tag[0]), document)


def _for_later(tag: str, is_module: bool) -> str:
    kind = "module" if is_module or MODULE.search(tag) else "script"
    return f'<script type="text/compiled" data-type="{kind}">'


def draw_page(
    code: str, protocol: ProtocolName, limits: Limits, *, layout: bool = False
) -> Drawing:
    """Takes a screenshot of a page that was written as one, if it holds anything.

    Args:
        code: the document.
        protocol: see `helm_structext.renderers.engine.Draw`; so are `limits` and `layout`.
        limits: see there.
        layout: see there.
    """
    if empty.is_empty_page(code):
        return Drawing(None, code, "", "", nothing=empty.NOTHING)
    site = {"index.html": prepare_document(code, limits).encode("utf-8", "replace")}
    return draw_with_packages(
        site, limits, source=code, files={"index.html": code}, protocol=protocol, layout=layout
    )


def draw_html(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders HTML; see the module's text. A page has no assets."""
    return draw_page(code, protocol, limits, layout=layout)


def draw_canvas(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders a page with a canvas.

    A script alone gets one of the window's size to draw on, unless it makes its own. The text of the drawing is the
    code: a canvas has no text that is to be read, and all pages without any would be alike.
    """
    if DRAWS_ITSELF.search(code):
        return replace(draw_page(code, protocol, limits, layout=layout), text=code)
    if empty.is_empty_script(code) or empty.is_empty_page(code):
        return Drawing(None, code, "", "", nothing=empty.NOTHING)
    name = SCRIPT_ID.search(code)
    given = f"<canvas id={html.escape(name[1] if name else 'canvas')} width={WIDTH} height={HEIGHT}></canvas>"
    if MAKES_CANVAS.search(code) and not FINDS_CANVAS.search(code):
        given = ""
    page = (
        "<!DOCTYPE html><html><head><meta charset=utf-8><style>body { margin: 0 } "
        f"canvas {{ display: block }}</style></head><body>{given}"
        "<script src=script.js></script></body></html>"
    )
    site = {"index.html": page.encode(), "script.js": code.encode("utf-8", "replace")}
    drawn = draw_with_packages(
        site, limits, source=code, files={"script.js": code}, protocol=protocol, layout=layout
    )
    return replace(drawn, text=code)


def version() -> str:
    """Returns the renderer's version: our own revision, the browser's and that of the packages."""
    return f"html {REVISION} ({browser.version()}, {js_target().name})"


HTML, CANVAS = (
    Engine(draw, version, BROWSER_LIMITS, browser.PACKAGES, partial(draw, layout=True))
    for draw in (draw_html, draw_canvas)
)
