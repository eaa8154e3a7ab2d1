"""Web addresses of common libraries → files of the locked packages.

A page has no network. Where it asks a well-known host for a script, a style sheet or a font, it
gets the file of the package that `helm-structext setup` has installed: of the release it names
where several are there (`RELEASES`), else of the only one. Nothing else can be reached.
"""

import json
import posixpath
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from helm_structext.errors import MAX_MISSING, MissingResource
from helm_structext.patterns import Pattern
from helm_structext.renderers.web.javascript import js_folder, packages
from helm_structext.renderers.web.local_files import local_file, local_reply
from helm_structext.renderers.web.tab import PageResponse
from helm_structext.renderers.web.vega_data import read_example_data

MODULE_HOST = "packages.localhost"
VENDOR = f"http://{MODULE_HOST}/"
"""Where a page finds the bundled modules: a host of their own, so that no path of a site leads to them."""

# (package, first part of the release asked for) → the package under whose name it is installed.
RELEASES = {
    ("bootstrap", "3"): "bootstrap-3",
    ("bootstrap", "4"): "bootstrap-4",
    ("chart.js", "2"): "chart.js-2",
    ("chartjs-plugin-datalabels", "0"): "chartjs-plugin-datalabels-0",
    ("chartjs-plugin-datalabels", "1"): "chartjs-plugin-datalabels-1",
    ("vue", "2"): "vue-2",
    ("vuetify", "1"): "vuetify-2",
    ("vuetify", "2"): "vuetify-2",
    ("font-awesome", "5"): "@fortawesome/fontawesome-free",
    ("font-awesome", "6"): "@fortawesome/fontawesome-free",
    ("font-awesome", "7"): "@fortawesome/fontawesome-free",
    ("vega-datasets", "1"): "vega-datasets-1",
    ("tailwindcss", "4"): "@tailwindcss/browser",
    ("tailwindcss", "3"): "tailwindcss-cdn",
}

# Package → the one with an earlier release of it, for files that the later one no longer has.
EARLIER = {
    "@reduxjs/toolkit": "reduxjs-toolkit-1",
    "react-redux": "react-redux-8",
    "redux": "redux-4",
    "three": "three-global",
    "vega-datasets": "vega-datasets-1",
}

# The file that an address without a path means, where the package does not say so itself.
MAIN = {
    "@tailwindcss/browser": "dist/index.global.js",
    "tailwindcss-cdn": "tailwindcss.js",
    "bootstrap-icons": "font/bootstrap-icons.css",
    "normalize.css": "normalize.css",
    "date-fns": "cdn.min.js",
    "luxon": "build/global/luxon.min.js",
    "react-redux": "dist/react-redux.min.js",
    "redux": "dist/redux.min.js",
    "@reduxjs/toolkit": "dist/redux-toolkit.umd.min.js",
    "react-hook-form": "dist/index.umd.js",
    "three": "build/three.min.js",
}

# Names that a library calls itself by on a host, → package and the folder that the host shows.
CDNJS = {
    "alpinejs": ("alpinejs", "dist"),
    "angular.js": ("angular", ""),
    "animate.css": ("animate.css", ""),
    "axios": ("axios", "dist"),
    "bootstrap": ("bootstrap", "dist"),
    "bootstrap-icons": ("bootstrap-icons", "font"),
    "bulma": ("bulma", ""),
    "Chart.js": ("chart.js", "dist"),
    "chartjs-adapter-date-fns": ("chartjs-adapter-date-fns", "dist"),
    "chartjs-adapter-luxon": ("chartjs-adapter-luxon", "dist"),
    "chartjs-adapter-moment": ("chartjs-adapter-moment", "dist"),
    "chartjs-plugin-annotation": ("chartjs-plugin-annotation", "dist"),
    "chartjs-plugin-datalabels": ("chartjs-plugin-datalabels", "dist"),
    "chartjs-plugin-zoom": ("chartjs-plugin-zoom", "dist"),
    "d3": ("d3", "dist"),
    "date-fns": ("date-fns", ""),
    "dayjs": ("dayjs", ""),
    "font-awesome": ("font-awesome", ""),
    "hammer.js": ("hammerjs", ""),
    "htmx": ("htmx.org", "dist"),
    "jquery": ("jquery", "dist"),
    "leaflet": ("leaflet", "dist"),
    "lodash.js": ("lodash", ""),
    "luxon": ("luxon", "build/global"),
    "marked": ("marked", "lib"),
    "material-ui": ("@mui/material", "umd"),
    "MaterialDesign-Webfont": ("@mdi/font", ""),
    "mermaid": ("mermaid", "dist"),
    "moment.js": ("moment", "min"),
    "normalize": ("normalize.css", ""),
    "pinia": ("pinia", "dist"),
    "popper.js": ("popper.js", "dist"),
    "prop-types": ("prop-types", ""),
    "react": ("react", ""),
    "react-dom": ("react-dom", ""),
    "react-hook-form": ("react-hook-form", "dist"),
    "react-redux": ("react-redux", "dist"),
    "react-router-dom": ("react-router-dom", "dist"),
    "recharts": ("recharts", "umd"),
    "redux": ("redux", "dist"),
    "redux-toolkit": ("@reduxjs/toolkit", "dist"),
    "rxjs": ("rxjs", "dist/bundles"),
    "styled-components": ("styled-components", "dist"),
    "three.js": ("three", "build"),
    "vue": ("vue", "dist"),
    "vue-router": ("vue-router", "dist"),
    "vuetify": ("vuetify", "dist"),
    "vuex": ("vuex", "dist"),
    "zone.js": ("zone.js", "bundles"),
}
GOOGLE = {"angularjs": ("angular", ""), "d3js": ("d3", "dist"), "jquery": ("jquery", "dist")}

# A file by another release's name → by that of the installed one.
RENAMED = {
    ("chart.js", "chart.min.js"): "dist/chart.umd.min.js",
    ("chart.js", "chart.js"): "dist/chart.umd.js",
    ("chart.js", "Chart.min.js"): "dist/chart.umd.min.js",
    ("chart.js", "Chart.js"): "dist/chart.umd.js",
    ("chart.js", "Chart.bundle.min.js"): "dist/chart.umd.min.js",
    ("marked", "marked.min.js"): "lib/marked.umd.js",
    ("marked", "marked.js"): "lib/marked.umd.js",
    ("jquery", "jquery.min.js"): "dist/jquery.min.js",
    ("bulma", "bulma.min.css"): "css/bulma.min.css",
    ("vue", "vue.js"): "dist/vue.global.js",
    ("vue", "vue.min.js"): "dist/vue.global.prod.js",
    ("react-dom", "react-dom.js"): "umd/react-dom.development.js",
    ("react", "react.js"): "umd/react.development.js",
    ("luxon", "luxon.min.js"): "build/global/luxon.min.js",
    ("date-fns", "date_fns.min.js"): "cdn.min.js",
    ("date-fns", "date-fns.min.js"): "cdn.min.js",
    ("zone.js", "zone.min.js"): "bundles/zone.umd.min.js",
    ("popper.js", "popper.min.js"): "dist/umd/popper.min.js",
}

# A file of a package, with or without `.min` → the one that works in every page.
REPLACED = {
    "chartjs-adapter-luxon/dist/chartjs-adapter-luxon.js": "dist/chartjs-adapter-luxon.umd.min.js",
    "pinia/dist/pinia.iife.js": "dist/pinia.iife.prod.js",
}

ICONS = {
    "Material Icons": "material-icons.css",
    "Material Icons Outlined": "outlined.css",
    "Material Icons Round": "round.css",
    "Material Icons Sharp": "sharp.css",
    "Material Icons Two Tone": "two-tone.css",
}
FONTS_HOST = "fonts.googleapis.com"
FONT_HOST = "https://fonts.gstatic.com/"

MAX_URL = 2000
BABEL = Pattern(r"/(?:@babel/standalone|babel-standalone)(?:\W|\z)")
"""Addresses of the compiler that pages bring along; see `html.compiled_scripts`."""
NPM = Pattern(r"((?:@[\w.-]+/)?[\w.-]+)(?:@([^/]*))?(/.*)?")
ESM = Pattern(r"((?:@[\w.-]+/)?[\w.-]+)(?:@([^/]*))?((?:/[\w./-]+)?)")
ESM_BUILD = Pattern(r"\A(?:v\d+|stable|npm:?|pin)/")
NAME_IN_PATH = Pattern(r"gh/[\w.-]+/[\w.-]+|(?:@[\w.-]+/)?[\w.-]+")
MAJOR = Pattern(r"[~^v=]*(\d+)")
WEIGHT = Pattern(r"\b([1-9]00)\b", ascii=True)
ITALIC = Pattern(r"\di\b", ascii=True)
FONT_FILE = Pattern(r"""url\(['"]?(?:\./)?([^)'"]+)['"]?\)""")
JQUERY_RELEASE = Pattern(r"jquery-[\d.]+\d")
AWESOME_RELEASE = Pattern(r"\Areleases/v[\d.]+/")
UNMINIFIED = Pattern(r"\.(js|css)\n?\z")


def _npm(path: str) -> PageResponse | None:
    """`@scope/name@release/file`, as jsDelivr and unpkg write it."""
    found = NPM.fullmatch(path)
    if not found:
        return None
    name, release, file = found[1], found[2] or "", (found[3] or "").strip("/")
    if file.endswith("+esm"):
        inner = file.removesuffix("+esm").removesuffix("index.js").strip("/")
        return _module(f"{name}/{inner}".rstrip("/"), release)
    return _file(_installed(name, release), file)


def _library(table: Mapping[str, tuple[str, str]]) -> Callable[[str], PageResponse | None]:
    """`name/release/file`, as cdnjs writes it."""

    def answer(path: str) -> PageResponse | None:
        name, _, rest = path.partition("/")
        release, _, file = rest.partition("/")
        if name not in table:
            return None
        package, folder = table[name]
        return _file(_installed(package, release), posixpath.join(folder, file))

    return answer


def _bootstrap(path: str) -> PageResponse | None:
    return _library({"bootstrap": ("bootstrap", "dist"), "font-awesome": ("font-awesome", "")})(
        path
    )


def _esm(path: str) -> PageResponse | None:
    """`name@release/inner`, as esm.sh and Skypack write it."""
    path = ESM_BUILD.sub("", path)
    found = ESM.fullmatch(path)
    return _module(found[1] + found[3].rstrip("/"), found[2] or "") if found else None


def _vega(path: str) -> PageResponse | None:
    """`owner/repository/…`, of a repository of Vega's, whose example data is installed."""
    return read_example_data(path) if path.startswith("vega/") else None


def _module(name: str, release: str) -> PageResponse | None:
    """A module that hands on one of the bundled ones."""
    name = _installed(name, release)
    known = modules().get(name)
    if known is None:
        return None
    address = f"'{VENDOR}{known['file']}'"
    code = f"export * from {address};"
    if "default" in known["names"]:
        code += f" export {{default}} from {address};"
    return PageResponse(code.encode(), "text/javascript")


def _fonts(path: str, query: str) -> PageResponse | None:
    """A style sheet of Google's, with the fonts that are installed."""
    found = [sheet for family in _families(query) for sheet in _font_sheets(family)]
    return PageResponse("\n".join(found).encode(), "text/css; charset=utf-8") if found else None


def _families(query: str) -> list[str]:
    """What a style sheet is asked for: names of families, each maybe with axes."""
    asked = [value for name, value in parse_qsl(query) if name == "family"]
    return [family for value in asked for family in value.split("|")]


def _font_sheets(family: str) -> list[str]:
    """The style sheets of a family, as far as it is installed."""
    name, _, axes = family.partition(":")
    if name in ICONS:
        sheets = [_sheet(f"material-icons/iconfont/{ICONS[name]}")]
    else:
        folder = f"@fontsource/{name.lower().replace(' ', '-')}"
        weights = sorted({weight[1] for weight in WEIGHT.finditer(axes)}) or ["400", "700"]
        italic = ["", "-italic"] if "ital" in axes or ITALIC.search(axes) else [""]
        sheets = [_sheet(f"{folder}/{weight}{slant}.css") for weight in weights for slant in italic]
    return [sheet for sheet in sheets if sheet]


def _sheet(file: str) -> str:
    """A package's style sheet whose fonts have addresses of their own; nothing if it isn't there."""
    path = local_file(packages(), file)
    if path is None:
        return ""
    base = FONT_HOST + posixpath.dirname(file) + "/"
    return FONT_FILE.sub(lambda found: f"url({base}{found[1]})", path.read_text(encoding="utf-8"))


def _bundled(path: str) -> PageResponse | None:
    """A bundled module. Those of React 19 are in a folder, which is all others as well."""
    vendor = js_folder() / "vendor"
    return local_reply(vendor, path) or local_reply(vendor, path.removeprefix("19/"))


# Host → what answers the rest of an address, without the first slash.
HOSTS: dict[str, Callable[[str], PageResponse | None]] = {
    "cdn.jsdelivr.net": lambda path: (
        _npm(path[4:]) if path.startswith("npm/") else _vega(path.removeprefix("gh/"))
    ),
    "unpkg.com": _npm,
    "cdnjs.cloudflare.com": lambda path: _library(CDNJS)(path.removeprefix("ajax/libs/")),
    "ajax.googleapis.com": lambda path: _library(GOOGLE)(path.removeprefix("ajax/libs/")),
    "code.jquery.com": lambda path: _file("jquery", "dist/" + JQUERY_RELEASE.sub("jquery", path)),
    "maxcdn.bootstrapcdn.com": _bootstrap,
    "stackpath.bootstrapcdn.com": _bootstrap,
    "netdna.bootstrapcdn.com": _bootstrap,
    "use.fontawesome.com": lambda path: _file(
        "@fortawesome/fontawesome-free", AWESOME_RELEASE.sub("", path)
    ),
    "kit.fontawesome.com": lambda path: _file("@fortawesome/fontawesome-free", "js/all.min.js"),
    "cdn.tailwindcss.com": lambda path: _file("tailwindcss-cdn", "tailwindcss.js"),
    "threejs.org": lambda path: _file("three", path),
    "d3js.org": lambda path: _file("d3", "dist/d3.min.js"),
    "esm.sh": _esm,
    "cdn.skypack.dev": _esm,
    "ga.jspm.io": _esm,
    "vega.github.io": read_example_data,
    "raw.githubusercontent.com": _vega,
    "fonts.gstatic.com": lambda path: local_reply(packages(), path),
    MODULE_HOST: _bundled,
}

# Host → what stands before a package's name in its addresses.
NAMED = {
    "cdn.jsdelivr.net": "npm/",
    "unpkg.com": "",
    "cdnjs.cloudflare.com": "ajax/libs/",
    "ajax.googleapis.com": "ajax/libs/",
    "maxcdn.bootstrapcdn.com": "",
    "stackpath.bootstrapcdn.com": "",
    "netdna.bootstrapcdn.com": "",
    "esm.sh": "",
    "cdn.skypack.dev": "",
    "ga.jspm.io": "npm:",
}


def answer(url: str) -> PageResponse | None:
    """Returns what a page gets for an address outside its own site; None refuses it.

    >>> answer("https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css").type
    'text/css; charset=utf-8'
    >>> answer("https://esm.sh/react@18").body
    b"export * from 'http://packages.localhost/react.js'; export {default} from 'http://packages.localhost/react.js';"
    >>> answer("https://example.com/tracker.js") is None
    True
    """
    if len(url) > MAX_URL:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:  # Such as http://[, which a browser should not ask for.
        return None
    path = unquote(parts.path).lstrip("/")
    if parts.scheme not in ("http", "https"):
        return None
    if BABEL.search(parts.path):
        return PageResponse(RUN_COMPILED.encode(), "text/javascript")
    if parts.hostname == FONTS_HOST:
        return _fonts(path, parts.query)
    host = HOSTS.get(parts.hostname or "")
    return host(path) if host else None


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
    try:
        parts = urlsplit(url[:MAX_URL])
        host = parts.hostname or ""
    except ValueError:
        return []
    if parts.scheme not in ("http", "https") or not host:
        return []
    if host == FONTS_HOST and (families := _families(parts.query)):
        lacking = [
            family for family in families[:MAX_MISSING] if refused or not _font_sheets(family)
        ]
        return [MissingResource("font", host, family.partition(":")[0], url) for family in lacking]
    if not refused:
        return []
    path = unquote(parts.path).lstrip("/").removeprefix(NAMED.get(host, ""))
    package = NAME_IN_PATH.match(ESM_BUILD.sub("", path)) if host in NAMED else None
    return [MissingResource(kind, host, package[0] if package else "", url)]


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


@lru_cache(maxsize=1)
def modules() -> dict[str, Any]:
    """Returns the bundled modules: name → file and the names that it exports."""
    found: dict[str, Any] = json.loads((js_folder() / "vendor/modules.json").read_bytes())
    return found


def _installed(name: str, release: str) -> str:
    major = MAJOR.match(release)
    return RELEASES.get((name, major[1] if major else ""), name)


def _file(package: str, file: str) -> PageResponse | None:
    """A file of a package, also by the names that it has in other releases or minified."""
    file = file or _main(package)
    file = REPLACED.get(f"{package}/{file.replace('.min.', '.')}", file)
    renamed = RENAMED.get((package, posixpath.basename(file)), file)
    for folder in filter(None, (package, EARLIER.get(package))):
        for name in (
            file,
            renamed,
            file.replace(".min.", "."),
            UNMINIFIED.sub(lambda found: f".min{found[0]}", file),
        ):
            if found := local_reply(packages(), f"{folder}/{name}"):
                return found
    return None


def _main(package: str) -> str:
    if package in MAIN:
        return MAIN[package]
    path = local_file(packages(), f"{package}/package.json")
    about = json.loads(path.read_bytes()) if path else {}
    return str(next((about[key] for key in ("jsdelivr", "unpkg", "main") if about.get(key)), ""))
