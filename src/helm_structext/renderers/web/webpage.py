"""Webpage → picture, by the steps of Image2Struct.

The code is a JSON list of files. They and the instance's assets make up a site, which Jekyll
builds if they need it; the browser takes a screenshot of its front page at 1920×1080.

Unlike the published code, nothing outlives a job: the files of code that failed are not served to
the next one, a file name can't leave the site, an asset is never overwritten, and Ruby
in the code is not run. The published pages were seen by a browser with a network. Here there is none:
what a page wants of well-known hosts comes from locked packages, as that of format ``html`` (`cdn`);
all else is refused, and told as `helm_structext.errors.MissingResource`. In ``corrected`` a picture of a
known size is a gray box (`placeholders`).

Source: Image2Struct, Section 2.1.1, and its published code (HELM 0.5.16).
"""

import html
import json
import posixpath
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial

from helm_structext.errors import RenderError
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import Engine, explain_json_error, quote_line
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.html import drop_hashes, prepare_document
from helm_structext.renderers.web.javascript import js_target
from helm_structext.renderers.web.page import draw_site, file_name, file_reply
from helm_structext.renderers.web.placeholders import choose_answer
from helm_structext.renderers.web.tab import PageResponse
from helm_structext.sandbox import Limits, SandboxProfile, run
from helm_structext.storage.file_names import explain_conflict

REVISION = "6"
WIDTH, HEIGHT = 1920, 1080
"""Of the window, which is the picture."""

PAGE_NAMES = (".html", ".htm")
INDEX_NAMES = ("index.htm", "index.html", "index.xml", "index.json")
# A JSON string may not contain a line break as such, but models write them.
STRICT = {"published": True, "corrected": False}

JEKYLL_PROFILE = SandboxProfile(
    programs=("jekyll", "ruby"),
    paths=(
        "/usr/lib/ruby",
        "/usr/share/ruby",
        "/usr/share/rubygems-integration",
        "/var/lib/gems",
        "/usr/share/javascript",
    ),
    etc=("passwd", "nsswitch.conf", "fixed_time.rb"),
    environment={"RUBYOPT": "-r{etc}/fixed_time.rb"},
)
FRONT_MATTER = b"---"
# As Jekyll finds it: blank lines after it belong to it.
FRONT = Pattern(r"(?sm)\A---\s*\n.*?\n?^(?:---|\.\.\.)\s*$\n?")
LIQUID = Pattern(r"Liquid syntax error \(line ([0-9]{1,7})\): (.*) in (\S+)\z")
COLORS = Pattern(r"\x1b\[[0-9;]*m")


def files_of(code: str, protocol: ProtocolName) -> dict[str, str]:
    r"""Returns the files that code lists: name → content.

    Raises:
        RenderError: kind ``syntax``: not JSON, or not a list of objects with `filename` and
            `content`.

    >>> files_of('[{"filename": "./a/b.css", "content": "p {}"}]', "published")
    {'a/b.css': 'p {}'}
    """
    try:
        listed = json.loads(code, strict=STRICT[protocol])
    except (ValueError, RecursionError) as error:
        raise RenderError("syntax", explain_json_error(code, "the code", error)) from error
    if not isinstance(listed, list):
        raise RenderError("syntax", "the code is not a list of files")
    files = {}
    for item in listed:
        match item:
            case {"filename": str(name), "content": str(content)}:
                files[posixpath.normpath(name)] = content
            case _:
                raise RenderError("syntax", "a file needs a filename and a content, both texts")
    return files


def needs_jekyll(files: Mapping[str, bytes]) -> bool:
    """Whether a site is more than its files: front matter, configuration, layouts and the like.

    >>> needs_jekyll({"index.html": b"<p>"}), needs_jekyll({"index.md": b"---\\n---\\n# Title"})
    (False, True)
    """
    return any(
        name.startswith("_") or _has_front_matter(content[:100]) for name, content in files.items()
    )


def _has_front_matter(beginning: bytes) -> bool:
    rest = beginning.removeprefix(FRONT_MATTER)
    blank = rest[: len(rest) - len(rest.lstrip())]
    return beginning.startswith(FRONT_MATTER) and b"\n" in blank


def build_site(files: Mapping[str, bytes], limits: Limits) -> dict[str, bytes]:
    """Returns the site that Jekyll makes of the files.

    Raises:
        RenderError: kind ``syntax`` with Jekyll's own message.
    """
    command = ["jekyll", "build", "--safe", "--disable-disk-cache", "--baseurl", ""]
    finished = run(
        [*command, "--source", "source", "--destination", "site"],
        JEKYLL_PROFILE,
        limits,
        files={f"source/{name}": content for name, content in files.items()},
        outputs=("site",),
    )
    if finished.status:
        message = f"Jekyll: {add_liquid_place(jekyll_error(finished.output), files)}"
        raise RenderError("syntax", message, finished.output)
    return {name.removeprefix("site/"): content for name, content in finished.files.items()}


def jekyll_error(output: str) -> str:
    r"""The first error in Jekyll's output, without the colors and folders of its terminal.

    >>> jekyll_error("Generating...\n\x1b[31m  Liquid Exception: no tag in /job/source/a.html\x1b[0m")
    'Liquid Exception: no tag in a.html'
    >>> jekyll_error("Conversion error: while converting 'a.scss':\n   Undefined variable.\nerror")
    "Conversion error: while converting 'a.scss': Undefined variable."
    """
    plain = COLORS.sub("", output).replace("/job/source/", "")
    said = [line.strip() for line in plain.splitlines() if line.strip()]
    first = next((place for place, line in enumerate(said) if "rror" in line), 0)
    first = next((place for place, line in enumerate(said) if "Exception:" in line), first)
    told = 1 + "".join(said[first : first + 1]).endswith(":")
    return " ".join(said[first : first + told]) or "no message"


def add_liquid_place(error: str, files: Mapping[str, bytes]) -> str:
    r"""Returns an error of Liquid with its place in the file; Liquid counts from the front matter's end.

    >>> add_liquid_place("Liquid syntax error (line 1): no tag in a.html", {"a.html": b"---\n---\n{% x %}"})
    'a.html:3: no tag: {% x %}'
    """
    found = LIQUID.search(error)
    if not found or found[3] not in files:
        return error
    text = files[found[3]].decode("utf-8", "replace")
    front = FRONT.match(text)
    line = int(found[1]) + (front[0].count("\n") if front else 0)
    return f"{found[3]}:{line}: {quote_line(text, found[2], line)}"


def reply(site: Mapping[str, bytes], path: str) -> PageResponse:
    """What the site's server answers, as that of Jekyll does.

    Args:
        site: name → content.
        path: of the URL, without the first slash, with its query.

    >>> site = {"index.html": b"<p>", "about.html": b"<b>"}
    >>> reply(site, "").body, reply(site, "about?x").body, reply(site, "no").status
    (b'<p>', b'<b>', 404)
    """
    name = file_name(path)
    folder = "" if name == "." else f"{name}/"
    names = [name, f"{name}.html", *(folder + index for index in INDEX_NAMES), "404.html"]
    found = next((one for one in names if one in site), None)
    if found is None:
        return PageResponse(NOT_FOUND.encode(), "text/html; charset=utf-8", 404)
    return file_reply(found, site[found], 404 if found == "404.html" else 200)


NOT_FOUND = "<title>Not Found</title><h1>Not Found</h1>"
LISTING = """<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<title>Index of /</title>
<style>th {{ text-align: left; border-bottom: 2px groove }} table {{ border-collapse: collapse }}
td:last-child, th:last-child {{ text-align: right }}</style>
<h1>Index of /</h1>
<table width="100%"><tr><th>Name<th>Last modified<th>Size
{rows}</table><hr>
<address>WEBrick<br>at localhost</address>
"""


def write_listing(site: Mapping[str, bytes]) -> bytes:
    """The page that Jekyll's server shows when a site has no front page: a list of its files."""
    sizes: dict[str, str] = {}
    for name, content in sorted(site.items()):
        first, slash, _ = name.partition("/")
        sizes[first + slash] = "-" if slash else str(len(content))
    rows = [("Parent Directory", "-"), *sizes.items()]
    cells = (f"<tr><td><a href='#'>{html.escape(name)}</a><td>2024/01/01 00:00<td>{size}\n"
             for name, size in rows)  # fmt: skip
    return LISTING.format(rows="".join(cells)).encode("utf-8", "replace")


def prepare_page(content: bytes, protocol: ProtocolName, limits: Limits) -> bytes:
    """Returns a page as it is served (`html.prepare_document`); one that is not in UTF-8 stays as it is.

    In ``published`` scripts that Babel can't compile, for whatever reason, do nothing, as in a browser; the
    time that they took is the job's.

    Raises:
        RenderError: in ``corrected``: kind ``syntax`` where a script for Babel can't be compiled, or
            ``timeout`` or ``resource``.
    """
    try:
        document = content.decode()
    except UnicodeDecodeError:
        return content
    try:
        page = prepare_document(document, limits)
    except RenderError:
        if protocol == "corrected":
            raise
        page = drop_hashes(document)
    return page.encode("utf-8", "replace")


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    files = files_of(code, protocol)
    listed = [{"filename": name, "content": content} for name, content in files.items()]
    source = json.dumps(listed, ensure_ascii=False, indent=1)
    site = {name: content.encode("utf-8", "replace") for name, content in files.items()}
    site |= assets.items()
    if wrong := explain_conflict(site):
        raise RenderError("syntax", wrong)
    if needs_jekyll(site):
        site = build_site(site, limits)
    site = {name: content for name, content in site.items() if not name.startswith((".", "#"))}
    if not any(name in site for name in INDEX_NAMES):
        if protocol == "corrected":
            nothing = f"there is no index.html among {', '.join(site) or 'no files'}"
            return Drawing(None, source, "", "", nothing=nothing)
        site["index.html"] = write_listing(site)
    site |= {
        name: prepare_page(content, protocol, limits)
        for name, content in site.items()
        if name.endswith(PAGE_NAMES)
    }
    written = "\n".join(files.values())
    drawing = draw_site(
        site,
        limits,
        source=source,
        serve=reply,
        elsewhere=choose_answer(protocol, written),
        size=(WIDTH, HEIGHT),
        whole=False,
        written=written,
        layout=layout,
    )
    # In the published code, a page is a picture whatever it throws.
    return drawing if protocol == "corrected" else replace(drawing, error="")


version = cache(lambda: f"webpage {REVISION} ({browser.version()}, {js_target().name})")
"""The renderer's version: our own revision, the browser's and that of the packages."""

ENGINE = Engine(
    draw,
    version,
    BROWSER_LIMITS,
    {**browser.PACKAGES, "jekyll": "jekyll", "ruby": "ruby"},
    partial(draw, layout=True),
)
