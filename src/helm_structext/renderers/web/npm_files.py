"""Files and modules of the installed packages, by the names that npm gives them: `name@release/file`.

Of a package that is there in several releases, the one with the major number asked for answers, else
the next later one, else the latest. A file that this release does not have is looked for in the
others, then by its last part (other releases and hosts have it in other folders).
"""

import json
import os
import posixpath
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from helm_structext.patterns import Pattern
from helm_structext.renderers.web.javascript import JS, js_folder, packages
from helm_structext.renderers.web.local_files import local_file, local_reply
from helm_structext.renderers.web.tab import PageResponse

MODULE_HOST = "packages.localhost"
VENDOR = f"http://{MODULE_HOST}/"
"""Where a page finds the bundled modules: a host of their own, so that no path of a site leads to them."""

NEW = "19/"
"""The folder of those of React 19."""

# Package → major number → where what it had, or has, or nearly so, is installed under another name.
OTHER_NAMES = {
    "@studio-freight/lenis": {1: "lenis"},
    "font-awesome": {6: "@fortawesome/fontawesome-free"},
    "jquery-ui-dist": {1: "jquery-ui"},
    "semantic-ui": {2: "semantic-ui-css"},
    "plotly.js": {2: "plotly.js-dist-min-2", 3: "plotly.js-dist-min"},
    "plotly.js-dist": {2: "plotly.js-dist-min-2", 3: "plotly.js-dist-min"},
    "simplex-noise": {3: "simplex-noise-2"},
    "tailwindcss": {3: "tailwindcss-cdn", 4: "@tailwindcss/browser"},
}
# Files that a package no longer has → the one with what was in them.
MERGED = {
    "@viz-js/viz/viz-standalone.js": "@viz-js/viz/dist/viz-global.js",
    "chart.js/chart.js": "chart.js/dist/chart.umd.min.js",
    "gsap/tweenmax.js": "gsap/dist/gsap.min.js",
    "gsap/tweenlite.js": "gsap/dist/gsap.min.js",
    "gsap/timelinemax.js": "gsap/dist/gsap.min.js",
}

# The file that an address without a path means, where the package does not say so itself.
MAIN = {
    "@highlightjs/cdn-assets": "highlight.min.js",
    "@reduxjs/toolkit": "dist/redux-toolkit.umd.min.js",
    "@tailwindcss/browser": "dist/index.global.js",
    "bootstrap-icons": "font/bootstrap-icons.css",
    "date-fns": "cdn.min.js",
    "luxon": "build/global/luxon.min.js",
    "marked": "lib/marked.umd.js",
    "mermaid": "dist/mermaid.min.js",
    "normalize.css": "normalize.css",
    "pyodide": "pyodide.js",
    "react": "umd/react.development.js",
    "react-dom": "umd/react-dom.development.js",
    "react-hook-form": "dist/index.umd.js",
    "react-redux": "dist/react-redux.min.js",
    "redux": "dist/redux.min.js",
    "tailwindcss-cdn": "tailwindcss.js",
    "three": "build/three.min.js",
}

# A file that one name means → the one that works in every page.
REPLACED = {
    "chartjs-adapter-luxon/dist/chartjs-adapter-luxon.js": "chartjs-adapter-luxon/dist/chartjs-adapter-luxon.umd.min.js",
    "pinia/dist/pinia.iife.js": "pinia/dist/pinia.iife.prod.js",
}

NPM = Pattern(r"((?:@[\w-][\w.-]*/)?[\w-][\w.-]*)(?:@([^/]*))?(/.*)?")
NAME = Pattern(r"gh/[\w.-]+/[\w.-]+|(?:@[\w.-]+/)?[\w.-]+")
MAJOR = Pattern(r"[~^v=]*(\d+)")
SPEC = Pattern(r"(?:npm:(.+)@)?(\d+)[\d.x]*")
UNMINIFIED = Pattern(r"\.(js|css)\n?\z")
# What a file's name says of how it is built, and not of what it is.
BUILD = Pattern(r"(?:[.-](?:min|umd|bundle|global|prod|production|all|js|css))+\z")
INNER = Pattern(r"(?:dist|esm?|es20\d\d|lib|build|module|src|umd)/.*|index\.m?js|[\w.-]*\.m?js")
"""Files of a package that are no more than its own build."""
STATIC = (".css", ".json", ".wasm", ".svg", ".woff2", ".woff", ".ttf", ".png")
# Folders whose scripts are no scripts of pages.
NOT_FOR_PAGES = {
    *("cjs", "es", "esm", "jsm", "module", "modules"),
    *("node_modules", "src", "test", "tests"),
}
UNENDED = Pattern(r"\.m?js\n?\z")
MAX_PARTS = 10
"""How many parts of a path are looked at."""


def npm_reply(address: str, *, module: bool = False) -> PageResponse | None:
    """Returns what a page gets for a file of a package, or None where there is none.

    Args:
        address: as npm names it.
        module: whether it is to be a module with all that it imports, as esm.sh bundles it.

    >>> npm_reply("bootstrap@4/dist/css/bootstrap.min.css").type
    'text/css; charset=utf-8'
    >>> npm_reply("d3@7/dist/d3.js", module=True).body[:45]
    b"export * from 'http://packages.localhost/d3.j"
    """
    found = NPM.fullmatch(address)
    if not found or ".." in address.split("/"):
        return None
    name, release, file = found[1], found[2] or "", (found[3] or "").strip("/")
    folders = installed_folders(name, release)
    if module and not file.endswith(STATIC):
        return next(filter(None, (_module(folder, file) for folder in folders)), None)
    exact = (_replace(f"{folder}/{file or _main(folder)}") for folder in folders)
    alike = (path for folder in folders for path in _alike(name, folder, file or _main(folder)))
    replies = (local_reply(packages(), path) for path in chain(exact, alike))
    return next(filter(None, replies), None)


def package_name(address: str) -> str:
    """Returns the name of the package in an address as npm names it, or of a repository, or nothing.

    >>> package_name("@scope/name@1.2/a.js"), package_name("")
    ('@scope/name', '')
    """
    found = NAME.match(address)
    return found[0] if found else ""


@lru_cache(maxsize=1)
def modules() -> dict[str, Any]:
    """Returns the bundled modules: name → file and the names that it exports."""
    found: dict[str, Any] = json.loads((js_folder() / "vendor/modules.json").read_bytes())
    return found


@lru_cache(maxsize=1)
def listed_packages() -> Mapping[str, Mapping[int, list[str]]]:
    """Returns the packages of the list: name → major number → where they are installed.

    >>> listed_packages()["bootstrap"]
    {5: ['bootstrap'], 3: ['bootstrap-3'], 4: ['bootstrap-4']}
    """
    names: dict[str, dict[int, list[str]]] = {}
    asked = json.loads((JS / "package.json").read_bytes())["dependencies"]
    # A package under its own name comes first.
    for folder, spec in sorted(asked.items(), key=lambda one: one[1].startswith("npm:")):
        if found := SPEC.fullmatch(spec):
            names.setdefault(found[1] or folder, {}).setdefault(int(found[2]), []).append(folder)
    for name, releases in OTHER_NAMES.items():
        for major, folder in releases.items():
            names.setdefault(name, {})[major] = [folder]
    return names


def installed_folders(name: str, release: str) -> list[str]:
    """Returns where a package is installed, the best release first; one that is not listed by its name.

    >>> installed_folders("vue", "2.7"), installed_folders("vue", ""), installed_folders("chart.js", "3")
    (['vue-2', 'vue'], ['vue', 'vue-2'], ['chart.js', 'chart.js-2'])
    """
    releases = listed_packages().get(name, {})
    major = MAJOR.match(release[:20])
    if major is None:
        order = list(releases)
    else:
        number = int(major[1])
        order = sorted(releases, key=lambda one: (one < number, abs(one - number)))
    return [folder for one in order for folder in releases[one]] or [name]


def _module(folder: str, file: str) -> PageResponse | None:
    """A module that hands on one of the bundled ones; a file of a build stands for all of it."""
    about = next(
        (modules()[name] for name in _module_names(folder, file) if name in modules()), None
    )
    if about is None:
        return None
    address = f"'{VENDOR}{about['file']}'"
    code = f"export * from {address};"
    if "default" in about["names"]:
        code += f" export {{default}} from {address};"
    return PageResponse(code.encode(), "text/javascript")


def _module_names(folder: str, file: str) -> Iterator[str]:
    parts = [part for part in file.split("/", MAX_PARTS) if part]
    whole = "/".join([folder, *parts])
    yield from (whole, UNENDED.sub("", whole))
    for kept in range(len(parts) - 1, -1, -1):
        if INNER.fullmatch("/".join(parts[kept:])):
            yield "/".join([folder, *parts[:kept]])


def _alike(name: str, folder: str, file: str) -> Iterator[str]:
    """Paths of files that have the last parts of a path, of one without its ending, and of the main script."""
    parts = _comparable(file).split("/")[-MAX_PARTS:]
    if merged := MERGED.get(f"{folder}/{parts[-1]}"):
        yield merged
    found = files_by_name(packages(), folder).get(parts[-1], ())
    shared = {path: _count_shared(parts, _comparable(path).split("/")) for path in found}
    most = max(shared.values(), default=0)
    if most > 1 or most == len(parts) or len(set(map(_comparable, found))) == 1:
        best = [path for path in found if shared[path] == most]
        exact = [path for path in best if posixpath.basename(path) == posixpath.basename(file)]
        yield _replace(f"{folder}/{(exact or best)[0]}")
    variants = (file.replace(".min.", "."), UNMINIFIED.sub(lambda end: f".min{end[0]}", file))
    yield from (f"{folder}/{one}" for one in (*variants, f"{file}.js"))
    if parts[-1].endswith(".js") and bare_name(parts[-1]) == bare_name(name.rpartition("/")[2]):
        yield _replace(f"{folder}/{_main(folder)}")


def _count_shared(one: list[str], other: list[str]) -> int:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((count for count, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _comparable(path: str) -> str:
    return path.lower().replace(".min.", ".")


def bare_name(name: str) -> str:
    """Returns the name of a library without its endings and signs, by which hosts differ.

    >>> {bare_name(name) for name in ("Chart.js", "chart.min.js", "chart")}
    {'chart'}
    """
    return "".join(filter(str.isalnum, BUILD.sub("", name.lower()))).removesuffix("js")


def _replace(path: str) -> str:
    return REPLACED.get(path.replace(".min.", "."), path)


@lru_cache(maxsize=1024)
def files_by_name(root: Path, folder: str) -> Mapping[str, list[str]]:
    """Returns the files of a package by the last part of their names, those for pages first."""
    start = (root / folder).resolve()
    if not start.is_relative_to(root.resolve()):
        return {}
    paths = []
    for place, folders, names in os.walk(start):
        folders[:] = [one for one in folders if one not in NOT_FOR_PAGES]
        paths += [str(Path(place, name).relative_to(start)) for name in names]
    found: dict[str, list[str]] = {}
    for path in sorted(paths, key=_preference):
        found.setdefault(posixpath.basename(_comparable(path)), []).append(path)
    return found


def _preference(path: str) -> tuple[bool, int, str]:
    parts = path.split("/")
    return "umd" not in parts, len(parts), path


def _main(folder: str) -> str:
    """The file that an address without a path means."""
    if folder in MAIN:
        return MAIN[folder]
    path = local_file(packages(), f"{folder}/package.json")
    about = json.loads(path.read_bytes()) if path else {}
    fields = (about.get(key) for key in ("jsdelivr", "unpkg", "browser", "main", "style"))
    return next((one.removeprefix("./") for one in fields if one and isinstance(one, str)), "")
