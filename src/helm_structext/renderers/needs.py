r"""What code asks for, and whether this machine has it: read, and nothing is rendered.

A reader for each family of formats finds what a text loads by name: what a page links, styles import and
scripts load; packages, data files, icons. Whether it is here say the tables that the renderers go by. What a
program works out before it asks is not found; what it would never reach is.

>>> for need in find_needs("react", "import {create} from 'left-pad'\nimport {motion} from 'framer-motion'"):
...     print(need.kind, need.name, need.here)
package framer-motion True
package left-pad False
"""

import html
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import packages_distributions
from itertools import chain, islice
from urllib.parse import urljoin, urlsplit

from helm_structext.errors import MAX_PACKAGE
from helm_structext.extraction.fences import COMMENTS
from helm_structext.machine.fonts import PAGE_FAMILIES
from helm_structext.machine.programs import find_program
from helm_structext.patterns import Pattern
from helm_structext.renderers import latex, matplotlib, python
from helm_structext.renderers.tex_files import tex_file_names
from helm_structext.renderers.typst_packages import SPEC, TypstPackage, installed_packages
from helm_structext.renderers.web import cdn, mermaid
from helm_structext.renderers.web.javascript import packages
from helm_structext.renderers.web.local_files import local_file
from helm_structext.texts import one_line

MAX_NEEDS = 500
"""Of one text; further ones are not looked at."""
MAX_ADDRESSES = 1000
"""Of which it is remembered what lies there: files of a corpus ask for the same ones."""
BESIDE = "(files beside it)"
"""The name of all that a text looks for in its own folder: nobody can install it."""

TAG = Pattern(r"(?i)<(script|link|img|image|feimage|video|audio|source|iframe|embed)(?:\s[^<>]*)?>")
KINDS = {
    "script": "script",
    "link": "style",
    "video": "media",
    "audio": "media",
    "source": "media",
    "iframe": "page",
}
"""Tag → what it loads; any other loads a picture."""
ATTRIBUTE = Pattern(
    r"""(?i)\s(src|href|xlink:href|rel)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))"""
)
LOADING = Pattern(r"(?i)\b(?:stylesheet|modulepreload)\b", ascii=True)
STYLE_IMPORT = Pattern(r"""@import\s+(?:url\()?\s*["']?(https?:[^"')\s]+)""")
STYLE_URL = Pattern(r"""url\(\s*["']?(https?:[^"')\s]+)""")
MARKDOWN_PICTURE = Pattern(r"!\[[^\[\]\n]*\]\(<?([^\s()<>]+)")
SCRIPT_DATA = Pattern(
    r"""\b(?:fetch|json|csv|tsv|text|load|loadAsync|read_csv|read_json)\(\s*["'`](https?:[^"'`\s]+)""",
    ascii=True,
)
IMPORT = Pattern(
    r"""(?m)(?:^|[;>}])[ \t]*(?:import\s*|(?:import|export)\b(\s+type\b)?[^"'`;=()]*\bfrom\s*)["']([^"'\n]+)["']""",
    ascii=True,
)
LATE_IMPORT = Pattern(r"""\b(?:import|require)\(\s*["']([^"'\n]+)["']""", ascii=True)
IMPORT_MAP = Pattern(r"(?i)<script\s[^<>]*importmap[^<>]*>([^<]*)")
VERSION = Pattern(r"@[~^]?v?(\d[\w.-]*)|/v?(\d+\.[\w.-]*)/|-(\d+\.\d+[\w.]*\d)[./]", ascii=True)
NPM_NAME = Pattern(r"((?:@[\w.-]+/)?[\w.-]+)((?:/[\w.-]+)*)", ascii=True)
BESIDE_PAGE = Pattern(r"[./\w-][^:]*(?:[?#].*)?\z")
"""An address without a host, such as ``pictures/a.png``."""
BY_MEMBERS = ("@mui/icons-material", "@mui/material", "date-fns", "lodash", "react-bootstrap")
"""Packages of which components import members by paths, such as ``lodash/debounce``."""
OWN = ("./", "../", "@/", "~/", "/", "src/")
"""How names of files begin that belong to whatever the text was taken from."""
ENDINGS = {True: ("",), False: (".js", ".jsx", ".ts", ".tsx", ".vue")}
"""Whether a name has an ending → those that its file may have beside."""

TEX_COMMENT = Pattern(r"(?m)(^|[^\\])%.*")
TEX_LOAD = Pattern(
    r"\\(usepackage|RequirePackage|documentclass|usetheme|usetikzlibrary|usepgfplotslibrary|usepgflibrary|input|include"
    r"|includegraphics|bibliography|addbibresource|setmainfont|setsansfont|setmonofont)\*?"
    r"\s*(?:\[[^\[\]]*\])?\s*\{([^{}]+)\}"
)
TEX_NAME = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
TEX_FILES = {
    "usepackage": ("{}.sty",),
    "RequirePackage": ("{}.sty",),
    "documentclass": ("{}.cls",),
    "usetheme": ("beamertheme{}.sty",),
    "usetikzlibrary": ("tikzlibrary{}.code.tex", "pgflibrary{}.code.tex"),
    "usepgfplotslibrary": ("tikzlibrarypgfplots.{}.code.tex",),
    "usepgflibrary": ("pgflibrary{}.code.tex",),
}
"""Command → the files of TeX that it looks for, one of which is enough."""

TYPST_PACKAGE = Pattern(r"""["']@(\w+/[\w-]+):(\d[\w.]*)["']""", ascii=True)
TYPST_FILE = Pattern(
    r"""(?:#?(?:import|include)\s+|\b(?:image|read|json|csv|yaml|toml|xml|bibliography)\(\s*)"([^"@\n][^"\n]*)\"""",
    ascii=True,
)
PYTHON_IMPORT = Pattern(r"(?m)^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", ascii=True)
SEABORN_DATA = Pattern(r"""\bload_dataset\(\s*["'](\w+)["']""", ascii=True)
MUSIC_INCLUDE = Pattern(r"""(?m)^[^%"\n]*\\include[ \t]*"([^"\n]+)\"""")
VEGA_DATASETS = "https://vega.github.io/vega-datasets/"
VEGA_DATA = Pattern(r'"url"\s*:\s*"([^"\n]+)"')
DIAGRAM_LAYOUT = Pattern(
    r"""(?m)\blayout["']?\s*:\s*["']?(elk[\w.]*|tidy-tree)|^\s*(zenuml|flowchart-elk)\b""",
    ascii=True,
)
DIAGRAM_AWESOME = Pattern(r"\bfa[bsrl]?:fa-", ascii=True)


@dataclass(frozen=True, order=True)
class Need:
    """Something that a text asks for.

    Args:
        name: of a package, a family of fonts, a data file or an icon pack; of what else lies at an address,
            its host; `BESIDE` for files of the text's own folder.
        kind: as `helm_structext.errors.MissingResource` has it, or ``file``.
        version: that the text names, or "".
        here: whether a rendering gets it on this machine.
    """

    name: str
    kind: str
    version: str
    here: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", one_line(self.name, MAX_PACKAGE))


def find_needs(format: str, text: str) -> list[Need]:
    r"""Returns what a text asks for, each once, sorted; at most `MAX_NEEDS`.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        text: the code, or an answer with code.

    Raises:
        SetupError: the packages of pages, or those of Python, are not installed.

    >>> find_needs("tikz", r"\usetikzlibrary{positioning} % \usepackage{absent}")
    [Need(name='positioning', kind='library', version='', here=True)]
    >>> [(one.name, one.version) for one in find_needs("typst", '#import "@preview/cetz:0.3.4": canvas')]
    [('preview/cetz', '0.3.4')]
    """
    found = chain.from_iterable(read(text) for read in READERS.get(format, ()))
    return sorted({*islice(found, MAX_NEEDS)})


def read_links(text: str) -> Iterator[Need]:
    """Finds what tags, style sheets and scripts load from addresses, in any text that is or makes a page."""
    text = _without_comments(text)
    for tag in TAG.finditer(text):
        values = {found[1].lower(): _value(found.groups()) for found in ATTRIBUTE.finditer(tag[0])}
        name, address = tag[1].lower(), values.get("src", "")
        if name in ("link", "image", "feimage"):
            address = values.get("href") or values.get("xlink:href", "")
        if name != "link" or LOADING.search(values.get("rel", "")):
            yield from _at_address(html.unescape(address), KINDS.get(name, "picture"))
    for pattern, kind in (
        (STYLE_IMPORT, "style"),
        (STYLE_URL, "picture"),
        (MARKDOWN_PICTURE, "picture"),
        (SCRIPT_DATA, "data"),
    ):
        for found in pattern.finditer(text):
            yield from _at_address(html.unescape(found[1]), kind)


def read_modules(text: str) -> Iterator[Need]:
    """Finds what modules of a page import, from an address or by its import map."""
    text = _without_comments(text)
    mapped = _read_import_map(text)
    for address in mapped.values():
        if not address.endswith("/"):
            yield from _at_address(address, "script")
    for name in _find_imports(text):
        yield from _at_address(_resolve(name, mapped), "script")


def read_imports(text: str) -> Iterator[Need]:
    """Finds the packages that a component imports; files that are not in the answer stand for one."""
    # An answer may have several files, each below a comment with its name.
    headers = "\n".join(line for line in text.splitlines() if line.lstrip().startswith(COMMENTS))
    for name in _find_imports(text):
        if name.startswith("@/components/ui/"):
            yield Need("@/components/ui", "package", "", _is_bundled(name[len("@/components/") :]))
        elif name == "@/lib/utils":
            yield Need(name, "package", "", _is_bundled("ui/utils"))
        elif name.startswith(OWN):
            file = name.rpartition("/")[2]
            if not any(f"{file}{ending}" in headers for ending in ENDINGS["." in file]):
                yield Need(BESIDE, "file", "", False)
        elif found := NPM_NAME.fullmatch(name):
            yield Need(found[1], "package", "", _is_bundled(name))


def read_tex(text: str) -> Iterator[Need]:
    """Finds classes, packages and libraries that TeX loads, and files of the document's own."""
    text = TEX_COMMENT.sub(lambda found: found[1], text)
    for found in TEX_LOAD.finditer(text):
        for name in map(str.strip, found[2].split(",")):
            files = TEX_FILES.get(found[1])
            if files and TEX_NAME.fullmatch(name):
                kind = "library" if "library" in found[1] else "package"
                here = any(file.format(name) in tex_file_names() for file in files)
                yield Need(name, kind, "", here)
            elif not files and found[1].endswith("font"):
                family = latex.FONT_ALIASES.get(name, name)
                yield Need(name, "font", "", family in PAGE_FAMILIES)
            elif not files:
                yield Need(BESIDE, "file", "", False)


def read_typst(text: str) -> Iterator[Need]:
    """Finds the packages that a document imports, and files of its own."""
    for found in TYPST_PACKAGE.finditer(text):
        yield Need(found[1], "package", found[2], _has_typst(f"@{found[1]}:{found[2]}"))
    for _ in TYPST_FILE.finditer(text):
        yield Need(BESIDE, "file", "", False)


def read_python(text: str) -> Iterator[Need]:
    """Finds the modules that a script imports, and data that it loads by name or address."""
    for found in PYTHON_IMPORT.finditer(text):
        if found[1] not in sys.stdlib_module_names:
            yield Need(found[1], "package", "", found[1] in _python_modules())
    for _ in SEABORN_DATA.finditer(text):
        yield Need("seaborn-data", "data", "", False)
    for found in SCRIPT_DATA.finditer(text):
        yield from _at_address(found[1], "data")


def read_music(text: str) -> Iterator[Need]:
    """Finds the files that a score includes: LilyPond's, and its own."""
    for found in MUSIC_INCLUDE.finditer(text):
        here = found[1] in _music_files()
        yield Need(found[1] if here else BESIDE, "file", "", here)


def read_chart(text: str) -> Iterator[Need]:
    """Finds the data that a chart loads by its address; a relative one is one of Vega's own examples."""
    for found in VEGA_DATA.finditer(text):
        for need in _at_address(urljoin(VEGA_DATASETS, found[1]), "data"):
            ours = need.name in (urlsplit(VEGA_DATASETS).hostname, "vega-datasets")
            yield replace(need, name="vega-datasets") if ours else need


def read_diagram(text: str) -> Iterator[Need]:
    """Finds layouts, icon packs and kinds of diagrams that Mermaid has as plug-ins: those of ``corrected``."""
    for found in DIAGRAM_LAYOUT.finditer(text):
        name = found[1] or found[2]
        name = "elk" if "elk" in name else name
        yield Need(name, "package", "", _has_plugin(name))
    if DIAGRAM_AWESOME.search(text):
        yield Need("Font Awesome", "icon", "", _has_plugin("fontawesome"))
    for name in mermaid.find_icon_packs(text):
        here = mermaid.SAME_PACKS.get(name, name) in mermaid.icon_packs()
        yield Need(name, "icon", "", here)


READERS: Mapping[str, tuple[Callable[[str], Iterator[Need]], ...]] = {
    **dict.fromkeys(("html", "canvas", "webpage", "svg", "markdown"), (read_links, read_modules)),
    **dict.fromkeys(("react", "vue", "angular"), (read_links, read_imports)),
    **dict.fromkeys(("latex", "latex_document", "tikz"), (read_tex,)),
    "typst": (read_typst,),
    "matplotlib": (read_python,),
    "lilypond": (read_music,),
    "vega": (read_chart,),
    "mermaid": (read_diagram,),
}
"""Format → what finds the needs of its texts."""


@lru_cache(maxsize=MAX_ADDRESSES)
def _at_address(address: str, kind: str) -> tuple[Need, ...]:
    """What lies at an address: itself, or the families of fonts that a style sheet has."""
    if BESIDE_PAGE.match(address) and not address.startswith("//"):
        return (Need(BESIDE, "file", "", False),)
    if address.startswith("//"):
        address = f"https:{address}"
    lacking = {*cdn.missing_resources(address, kind, refused=cdn.answer(address) is None)}
    version = VERSION.search(address.partition("?")[0])
    said = next(filter(None, version.groups()), "") if version else ""
    return tuple(
        Need(one.package or one.host, one.kind, said if one.package else "", one not in lacking)
        for one in cdn.missing_resources(address, kind, refused=True)
    )


def _value(groups: tuple[str | None, ...]) -> str:
    return next(filter(None, groups[1:]), "") or ""


def _without_comments(text: str) -> str:
    """A page without its comments; one that has no end goes on to the text's end."""
    first, *others = text.split("<!--")
    return "".join([first, *(other.partition("-->")[2] for other in others)])


def _read_import_map(text: str) -> dict[str, str]:
    """Names that the first import map of a page gives to addresses."""
    found = IMPORT_MAP.search(text)
    try:
        names = json.loads(found[1])["imports"] if found else {}
        return {name: address for name, address in names.items() if isinstance(address, str)}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return {}


def _resolve(name: str, mapped: Mapping[str, str]) -> str:
    """The address of what a module imports; "" where a bare name leads to none."""
    if name.startswith(("http://", "https://", "/", ".")):
        return name
    prefix = max(
        (one for one in mapped if one.endswith("/") and name.startswith(one)), key=len, default=""
    )
    return mapped[prefix] + name[len(prefix) :] if prefix else ""


def _find_imports(text: str) -> Iterator[str]:
    """What modules import; types alone are not there when a script runs."""
    for found in IMPORT.finditer(text):
        if not found[1]:
            yield found[2]
    for found in LATE_IMPORT.finditer(text):
        yield found[1]


@cache
def _is_bundled(name: str) -> bool:
    """Whether components can import a name: a bundled module, a member of one, or a package's style sheet."""
    if name.endswith(".css"):
        return local_file(packages(), name) is not None
    library, _, member = name.rpartition("/")
    wanted = library if library in BY_MEMBERS and member.isidentifier() else name
    return cdn.answer(f"https://esm.sh/{wanted}") is not None


def _has_typst(spec: str) -> bool:
    """Whether a package of Typst is installed, or one that takes its place."""
    found = SPEC.fullmatch(spec)
    if not found or not found[2]:
        return False
    asked = TypstPackage(found[1], found[2])
    return any(one.can_replace(asked) for one in installed_packages())


def _has_plugin(name: str) -> bool:
    return (packages() / mermaid.FOLDERS[name]).is_dir()


@cache
def _python_modules() -> frozenset[str]:
    """The modules that a script can import beside the standard library's."""
    from packaging.utils import canonicalize_name

    shown = python.distributions(matplotlib.PACKAGES)
    return frozenset(
        {
            module
            for module, owners in packages_distributions().items()
            if any(canonicalize_name(owner) in shown for owner in owners)
        }
        | {"mpl_toolkits", "pylab"}
    )


@cache
def _music_files() -> frozenset[str]:
    """The files that LilyPond brings along to be included."""
    lilypond = find_program("lilypond")
    folder = lilypond.resolve().parent.parent / "share" / "lilypond" if lilypond else None
    found = folder.glob("*/ly/*.ly") if folder else ()
    return frozenset(path.name for path in found)
