"""From a site to its picture: its files are served, and the browser takes a screenshot of its page.

The window is 1280×720, as in StructEval's published code; the picture is the whole page, once it no
longer changes (`browser.Browser.screenshot`). There is no network: what a page wants from elsewhere
is refused, unless its format says otherwise, noted in the log, and told as a `MissingResource`.
"""

import mimetypes
import posixpath
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from helm_structext.errors import MAX_MISSING, MissingResource, RenderError
from helm_structext.renderers.engine import read_engine_picture, tidy_text
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.page_layout import mark_seen
from helm_structext.renderers.web import causes, cdn
from helm_structext.renderers.web.browser import open_browser
from helm_structext.renderers.web.javascript import packages
from helm_structext.renderers.web.local_files import local_reply
from helm_structext.renderers.web.placeholders import placeholder_size
from helm_structext.renderers.web.tab import MAX_ERRORS, PageResponse, refuse_address, serve_nothing
from helm_structext.sandbox import Limits

WIDTH, HEIGHT = 1280, 720

KINDS = {
    "Document": "page",
    "Font": "font",
    "Image": "picture",
    "Media": "media",
    "Script": "script",
    "Stylesheet": "style",
}
"""Resource type of the DevTools protocol to `MissingResource.kind`; any other is ``data``."""

_TYPES = mimetypes.MimeTypes()


def file_name(path: str) -> str:
    """Returns the name of the file that the path of a URL asks for; "." is the site itself.

    >>> file_name("css/../a%20b.css?v=2"), file_name("")
    ('a b.css', '.')
    """
    return posixpath.normpath(unquote(path.partition("?")[0].partition("#")[0])).lstrip("/") or "."


def file_reply(name: str, content: bytes, status: int = 200) -> PageResponse:
    """Returns a file as a server sends it, with the type that its name tells."""
    kind = _TYPES.guess_type(name, strict=False)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith("text/") else ""
    return PageResponse(content, kind + charset, status)


def site_reply(site: Mapping[str, bytes], path: str) -> PageResponse | None:
    """Returns what a site has at a path, or None if it has nothing.

    Args:
        site: name → content; ``index.html`` is its page.
        path: of the URL, without the first slash, with its query.

    >>> site_reply({"index.html": b"<p>"}, "?a=1").body, site_reply({}, "a.css")
    (b'<p>', None)
    """
    name = file_name(path)
    name = "index.html" if name == "." else name
    return file_reply(name, site[name]) if name in site else None


def make_server(
    folders: Mapping[str, str],
) -> Callable[[Mapping[str, bytes], str], PageResponse | None]:
    """Returns what serves a site, and files of installed packages beside it.

    Args:
        folders: name of a folder of the site → folder of the packages.

    >>> serve = make_server({"mermaid": "mermaid/dist"})
    >>> serve({}, "mermaid/mermaid.esm.min.mjs").type, serve({}, "mermaid/../package.json").status
    ('text/javascript; charset=utf-8', 404)
    """

    def serve(site: Mapping[str, bytes], path: str) -> PageResponse | None:
        folder, _, name = path.partition("/")
        if folder in folders:
            file = local_reply(packages() / folders[folder], file_name(name))
            return file or serve_nothing(name)
        return site_reply(site, path)

    return serve


def first_line(error: str) -> str:
    """Returns what an exception says, without where it was thrown."""
    return error.partition("\n")[0]


def draw_site(
    site: Mapping[str, bytes],
    limits: Limits,
    *,
    source: str,
    serve: Callable[[Mapping[str, bytes], str], PageResponse | None] = site_reply,
    elsewhere: Callable[[str], PageResponse | None] = refuse_address,
    log: Sequence[str] = (),
    reason: Callable[[str], str] = first_line,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    whole: bool = True,
    written: str | None = None,
    own_files: bool = True,
    layout: bool = False,
) -> Drawing:
    """Takes a screenshot of a site's page.

    Args:
        site: name → content.
        limits: of the job.
        source: the code that the page comes from.
        serve: what the site has at a path.
        elsewhere: what there is at any other address.
        log: what is to be noted before all else.
        reason: from the first error that was thrown to one line for people.
        size: width and height of the window.
        whole: whether the picture is the whole page, not the window alone.
        written: what the model wrote of the page, by default `source`.
        own_files: whether an answer can have files of its own; where it can't, the machine lacks what it names.
        layout: whether to tell what is on the page.

    Raises:
        RenderError: kind ``timeout`` or ``resource``.
    """
    notes: list[str] = []
    missing: dict[MissingResource, None] = {}

    def note(text: str) -> None:
        if len(notes) < MAX_ERRORS:
            notes.append(text)

    def here(path: str) -> PageResponse:
        if (found := serve(site, path)) is None:
            note(f"{file_name(path)[:200]} is not in the answer")
            if not own_files and len(missing) < MAX_MISSING:
                missing[MissingResource("data", package=file_name(path))] = None
        return found or serve_nothing(path)

    def there(url: str, what: str) -> PageResponse | None:
        if (found := elsewhere(url)) is None:
            note(f"{url[:200]} was refused: there is no network")
        if len(missing) < MAX_MISSING:
            boxed = found is not None and placeholder_size(url) is not None
            kind = KINDS.get(what, "data")
            lacking = cdn.missing_resources(url, kind, refused=found is None or boxed)
            missing.update(dict.fromkeys(lacking))
            for one in lacking if found else ():
                note(f"{one} is {'a gray box' if boxed else 'not installed'}")
        return found

    try:
        with open_browser(limits) as browser:
            seconds = limits.seconds
            seen = browser.screenshot(
                here, size, seconds=seconds, elsewhere=there, whole=whole, layout=layout
            )
    except RenderError as error:
        said = "\n".join(filter(None, [*log, error.log, *notes]))
        raise type(error)(error.kind, error.message, said, [*missing]) from error
    picture = read_engine_picture(seen.png) if seen.png else None
    told, why = seen.layout, seen.layout_reason
    if told and picture and told.size == picture.size:
        told, why = mark_seen(told, picture)
    blank = not seen.visible
    code = source if written is None else written
    return Drawing(
        picture,
        source,
        tidy_text(seen.text),
        "\n".join([*log, *seen.errors, *seen.messages, *notes]),
        error=reason(causes.choose_error(seen.errors)) if seen.errors and blank else "",
        visible=seen.visible,
        nothing="the page closed itself",
        missing=[*missing],
        cause=causes.find_cause(seen.errors, code, [*missing]) if blank else [],
        layout=told,
        layout_reason=why,
    )
