"""Web addresses of common libraries and fonts → files of the locked packages.

A page has no network. Where it asks a well-known host for a script, a style sheet or a font, it
gets the file of the package that `helm-structext setup` has installed. An address of any host is
written as npm's name of the same file first (`HOSTS`); `npm_files` finds that. Nothing else can be
reached.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from urllib.parse import SplitResult, unquote, urlsplit

from helm_structext.errors import MAX_MISSING, MissingResource
from helm_structext.patterns import Pattern
from helm_structext.renderers.web import web_fonts
from helm_structext.renderers.web.javascript import js_folder, packages
from helm_structext.renderers.web.local_files import local_reply
from helm_structext.renderers.web.npm_files import (
    MODULE_HOST,
    NEW,
    VENDOR,
    bare_name,
    listed_packages,
    npm_reply,
    package_name,
)
from helm_structext.renderers.web.tab import PageResponse
from helm_structext.renderers.web.vega_data import read_example_data

# Libraries that cdnjs and hosts like it call otherwise than npm does, by more than `bare_name` leaves out.
CDNJS = {
    "bodymovin": "lottie-web",
    "datatables": "datatables.net",
    "datatables-bootstrap5": "datatables.net-bs5",
    "flag-icon-css": "flag-icons",
    "highlight.js": "@highlightjs/cdn-assets",
    "htmx": "htmx.org",
    "jquery.imagesloaded": "imagesloaded",
    "jquery.isotope": "isotope-layout",
    "jqueryui": "jquery-ui",
    "limonte-sweetalert2": "sweetalert2",
    "masonry": "masonry-layout",
    "material-ui": "@mui/material",
    "MaterialDesign-Webfont": "@mdi/font",
    "materialize": "materialize-css",
    "normalize": "normalize.css",
    "OwlCarousel2": "owl.carousel",
    "phosphor-icons": "@phosphor-icons/web",
    "picocss": "@picocss/pico",
    "pure": "purecss",
    "redux-toolkit": "@reduxjs/toolkit",
    "semantic-ui": "semantic-ui-css",
    "fomantic-ui": "fomantic-ui-css",
    "simplemde": "easymde",
    "skeleton": "skeleton-css",
    "svg.js": "@svgdotjs/svg.js",
    "tabler-icons": "@tabler/icons-webfont",
    "tween.js": "@tweenjs/tween.js",
    "velocity": "velocity-animate",
}

# Repositories that jsDelivr shows, → their package.
REPOSITORIES = {
    "airbnb/lottie-web": "lottie-web",
    "alpinejs/alpine": "alpinejs",
    "codemirror/codemirror5": "codemirror",
    "darkroomengineering/lenis": "lenis",
    "devicons/devicon": "devicon",
    "highlightjs/cdn-release": "@highlightjs/cdn-assets",
    "kenwheeler/slick": "slick-carousel",
    "lipis/flag-icons": "flag-icons",
    "michalsnik/aos": "aos",
    "mrdoob/three.js": "three",
    "studio-freight/lenis": "lenis",
    "twbs/bootstrap": "bootstrap",
    "VincentGarreau/particles.js": "particles.js",
}

MAX_URL = 2000
MAX_COMBINED = 50
ESM_BUILD = Pattern(r"\A(?:(?:v\d+|stable|pin)/|npm:/?)?\*?")
GITHUB = Pattern(r"([\w.-]+/[\w.-]+)(@[^/]*)?(/.*)?")
COMBINED = Pattern(r"combine/(.*)")
BABEL = Pattern(r"/(?:@babel/standalone|babel-standalone)(?:\W|\z)")
"""Addresses of the compiler that pages bring along; see `html.prepare_document`."""
COMPILERS = Pattern(r"/(?:v\d+/)?(?:tsx|run|x)/?")
"""The same of esm.sh, which makes modules."""


def _at_jsdelivr(path: str) -> str:
    kind, _, rest = path.partition("/")
    if kind == "pyodide":  # pyodide/v0.25.0/full/pyodide.js
        release, _, file = rest.partition("/full")
        return f"pyodide@{release}{file}"
    if kind == "gh" and rest.startswith("lit/dist@"):  # lit/dist@3/all/lit-all.min.js
        return f"lit{'/all' * ('lit-all' in rest)}/+esm"
    if kind == "gh" and (found := GITHUB.fullmatch(rest)):
        known = REPOSITORIES.get(found[1])
        return f"{known}{found[2] or ''}{found[3] or ''}" if known else path
    return rest if kind == "npm" else ""


def _at_cdnjs(path: str) -> str:
    """`ajax/libs/name/release/file`, also without its beginning."""
    name, _, rest = path.removeprefix("ajax/libs/").partition("/")
    name = CDNJS.get(name) or _find_listed_name(name)
    return f"{name}@{rest}" if rest else name


def _find_listed_name(name: str) -> str:
    """The package that npm knows by nearly the same name."""
    return name if name in listed_packages() else _bare_names().get(bare_name(name), name)


@lru_cache(maxsize=1)
def _bare_names() -> Mapping[str, str]:
    return {bare_name(name): name for name in listed_packages() if not name.startswith("@")}


def _at_esm(path: str) -> str:
    return ESM_BUILD.sub("", path)


def _at_site(*forms: tuple[str, str]) -> Callable[[str], str]:
    """What rewrites the paths of a library's own site: by the first expression that matches a whole path."""
    rules = [(Pattern(pattern), made) for pattern, made in forms]

    def rewrite(path: str) -> str:
        for pattern, made in rules:
            if found := pattern.fullmatch(path):
                return made.format(*(group or "" for group in found.groups()))
        return ""

    return rewrite


# Host → what writes the rest of an address, without the first slash, as npm's name of a file.
HOSTS: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(
        ("cdn.jsdelivr.net", "fastly.jsdelivr.net", "gcore.jsdelivr.net"), _at_jsdelivr
    ),
    **dict.fromkeys(
        ("unpkg.com", "www.unpkg.com", "npm.elemecdn.com", "registry.npmmirror.com"), str
    ),
    **dict.fromkeys(
        (
            "cdnjs.cloudflare.com",
            "ajax.googleapis.com",
            "cdn.bootcdn.net",
            "cdn.bootcss.com",
            "cdn.staticfile.net",
            "cdn.staticfile.org",
            "lib.baomitu.com",
            "maxcdn.bootstrapcdn.com",
            "netdna.bootstrapcdn.com",
            "stackpath.bootstrapcdn.com",
        ),
        _at_cdnjs,
    ),
    **dict.fromkeys(("esm.sh", "esm.run", "cdn.skypack.dev", "ga.jspm.io", "jspm.dev"), _at_esm),
    "aframe.io": _at_site((r"releases/([\d.]+)/(.*)", "aframe@{0}/dist/{1}")),
    "cdn.datatables.net": _at_site(
        (r"([\d.]+)/(?:js|css)/(.*bootstrap5.*)", "datatables.net-bs5@{0}/{1}"),
        (r"([\d.]+)/css/(.*)", "datatables.net-dt@{0}/css/{1}"),
        (r"([\d.]+)/js/(.*)", "datatables.net@{0}/js/{1}"),
    ),
    "cdn.plot.ly": _at_site(
        (
            r"plotly(?:-[a-z]+)*?-?(latest|[\d.]*\d)?(?:\.min)?\.js",
            "plotly.js-dist-min@{0}/plotly.min.js",
        )
    ),
    "cdn.quilljs.com": _at_site((r"([\d.]+)/(.*)", "quill@{0}/dist/{1}")),
    "cdn.tailwindcss.com": _at_site((r".*", "tailwindcss-cdn/tailwindcss.js")),
    "code.jquery.com": _at_site(
        (r"jquery-([\d.]*\d)(\..*)", "jquery@{0}/dist/jquery{1}"),
        (r"(jquery\..*)", "jquery/dist/{0}"),
        (r"ui/([\d.]+)/(jquery-ui.*)", "jquery-ui@{0}/dist/{1}"),
        (r"ui/([\d.]+)/themes/[\w-]+/(.*)", "jquery-ui@{0}/dist/themes/base/{1}"),
    ),
    "d3js.org": _at_site(
        (r"d3(?:\.v(\d+))?(?:\.min)?\.js", "d3@{0}/dist/d3.min.js"),
        (r"(d3-[a-z-]+|topojson)(?:\.v(\d+))?(?:\.min)?\.js", "{0}@{1}"),
    ),
    "kit.fontawesome.com": _at_site((r".*", "@fortawesome/fontawesome-free/js/all.min.js")),
    "threejs.org": _at_site((r"(.*)", "three/{0}")),
    "use.fontawesome.com": _at_site(
        (r"releases/v([\d.]+)/(.*)", "@fortawesome/fontawesome-free@{0}/{1}"),
        (r"(.*)", "@fortawesome/fontawesome-free/{0}"),
    ),
    "www.w3schools.com": _at_site((r"w3css/\d/(.*)", "w3-css/{0}")),
}
MODULE_HOSTS = frozenset({"esm.sh", "esm.run", "cdn.skypack.dev", "ga.jspm.io", "jspm.dev"})
SCRIPTS = frozenset({"es-module-shims"})
"""Packages that are no modules, and that hosts of modules send as they are."""
NEW_REACT = Pattern(
    r"""[/=,]react(?:-dom)?@[\^~]?(?:19|canary|rc|next)(?:\W|\z)"""
    r"""|import\s[^"';]*[\s{,](?:use|useActionState|useOptimistic|useFormStatus)[\s},][^"';]*from\s*["'](?:https://[^"'\s]{1,100}/)?react(?:-dom)?["'?]""",
    ascii=True,
)
"""In the code of a page that asks for React 19, or imports what only that has."""
# Host → how paths begin there that lead to Vega's example data.
VEGA = {
    "vega.github.io": "",
    "raw.githubusercontent.com": "vega/",
    "cdn.jsdelivr.net": "gh/vega/",
}
# What they send is made for the browser: nothing for one of today.
POLYFILLS = frozenset({"polyfill.io", "cdn.polyfill.io", "polyfill-fastly.io"})
POLYFILLS_OF_CDNJS = "cdnjs.cloudflare.com/polyfill/"


def answer(url: str) -> PageResponse | None:
    """Returns what a page gets for an address outside its own site; None refuses it.

    >>> answer("https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css").type
    'text/css; charset=utf-8'
    >>> answer("https://esm.sh/react@18").body
    b"export * from 'http://packages.localhost/react.js'; export {default} from 'http://packages.localhost/react.js';"
    >>> answer("https://example.com/tracker.js") is None
    True
    """
    parts = _split(url) if len(url) <= MAX_URL else None
    if parts is None:
        return None
    host, path = parts.hostname or "", unquote(parts.path).lstrip("/")
    if host == MODULE_HOST:
        return _find_bundled(path)
    if host == "fonts.gstatic.com":
        return local_reply(packages(), path)
    if host in web_fonts.HOSTS:
        return web_fonts.font_reply(parts.query)
    if host in POLYFILLS or f"{host}/{path}".startswith(POLYFILLS_OF_CDNJS):
        return PageResponse(b"", "text/javascript")
    if BABEL.search(parts.path) or (host == "esm.sh" and COMPILERS.fullmatch(parts.path)):
        return PageResponse(RUN_COMPILED.encode(), "text/javascript")
    if path.startswith(VEGA.get(host, path + " ")) and (data := read_example_data(path)):
        return data
    if host not in HOSTS:
        return None
    if several := COMBINED.fullmatch(path):
        return _combine(host, several[1])
    address = HOSTS[host](path)
    bundled = host in MODULE_HOSTS or address.endswith("/+esm")
    address = address.removesuffix("/+esm")
    if bundled and package_name(address) not in SCRIPTS:
        return npm_reply(address, module=True)
    asked = "module" in parts.query.split("&")  # of unpkg, which sends a file of the package
    return (npm_reply(address, module=True) if asked else None) or npm_reply(address)


def _find_bundled(path: str) -> PageResponse | None:
    """A bundled module. Those of React 19 are in a folder, which is all others as well."""
    vendor = js_folder() / "vendor"
    return local_reply(vendor, path) or local_reply(vendor, path.removeprefix(NEW))


def take_new_react(reply: PageResponse) -> PageResponse:
    """Returns a module with React 19 instead of 18, and any other reply as it is."""
    old = f"export * from '{VENDOR}".encode()
    if not reply.body.startswith(old):
        return reply
    vendor = VENDOR.encode()
    return replace(reply, body=reply.body.replace(vendor, vendor + NEW.encode()))


def _combine(host: str, names: str) -> PageResponse | None:
    """Several files as one, as jsDelivr sends them; nothing where one is not there."""
    one_by_one = names.split(",")[:MAX_COMBINED]
    found = [npm_reply(HOSTS[host](name)) for name in one_by_one]
    there = [reply for reply in found if reply]
    if len(there) < len(found):
        return None
    return PageResponse(b"\n".join(reply.body for reply in there), there[0].type)


def _split(url: str) -> SplitResult | None:
    """The parts of an address that leads to a host."""
    try:
        parts = urlsplit(url)
        return parts if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:  # Such as http://[, which a browser should not ask for.
        return None


def missing_resources(url: str, kind: str, *, refused: bool = True) -> list[MissingResource]:
    """Returns what a page does not get of an address: all of it, or families that a style sheet lacks.

    Args:
        url: as the page asks for it; one of no host, such as ``data:``, is nothing that is missing.
        kind: see `MissingResource`.
        refused: whether the page got nothing.

    >>> print(*missing_resources("https://unpkg.com/left-pad@1.3.0/index.js", "script"))
    script left-pad of unpkg.com (https://unpkg.com/left-pad@1.3.0/index.js)
    >>> [one.package for one in missing_resources("https://cdn.jsdelivr.net/gh/a/b@1/c.js", "script")]
    ['gh/a/b']
    >>> missing_resources("data:text/css,", "style")
    []
    """
    parts = _split(url[:MAX_URL])
    if parts is None:
        return []
    host = parts.hostname or ""
    if host in web_fonts.HOSTS and (families := web_fonts.asked_families(parts.query)):
        return [
            MissingResource("font", host, family.partition(":")[0], url)
            for family in families[:MAX_MISSING]
            if refused or not any(web_fonts.font_sheets(family))
        ]
    if not refused:
        return []
    path = unquote(parts.path).lstrip("/")
    package = package_name(HOSTS[host](path)) if host in HOSTS else ""
    return [MissingResource(kind, host, package, url)]


# Scripts that were compiled before the page was sent run when Babel would have run them.
RUN_COMPILED = """
addEventListener('DOMContentLoaded', () => {
  for (const old of document.querySelectorAll('script[type="text/compiled"]')) {
    const script = document.createElement('script')
    if (old.dataset.type === 'module') script.type = 'module'
    script.textContent = old.textContent
    document.head.append(script)
  }
})
"""
