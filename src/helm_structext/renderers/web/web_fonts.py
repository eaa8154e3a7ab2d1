"""Style sheets of web fonts, as Google's and others' servers make them, with the families that are installed.

A family is a package of its own: a variable font where there is one (one file has all weights), else a
file for each weight. Browsers load the files only for text that uses them.

Source: the CSS API of Google Fonts, versions 1 (`family=Lato:400,700i|Inter`) and 2
(`family=Inter:ital,wght@0,400..700;1,400`).
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from urllib.parse import parse_qsl

from helm_structext.patterns import Pattern
from helm_structext.renderers.web.javascript import packages
from helm_structext.renderers.web.local_files import local_file
from helm_structext.renderers.web.tab import PageResponse

HOSTS = frozenset(
    {
        "fonts.googleapis.com",
        "fonts.bunny.net",
        "fonts.googleapis.cn",
        "fonts.loli.net",
        "fonts.font.im",
    }
)
FONT_HOST = "https://fonts.gstatic.com/"
"""Where the fonts themselves have their addresses: paths of packages."""

ICONS = {
    "material icons": "material-icons/iconfont/material-icons.css",
    "material icons outlined": "material-icons/iconfont/outlined.css",
    "material icons round": "material-icons/iconfont/round.css",
    "material icons sharp": "material-icons/iconfont/sharp.css",
    "material icons two tone": "material-icons/iconfont/two-tone.css",
    "material symbols outlined": "material-symbols/outlined.css",
    "material symbols rounded": "material-symbols/rounded.css",
    "material symbols sharp": "material-symbols/sharp.css",
}
# Families by names that they had before.
RENAMED = {
    "source-sans-pro": "source-sans-3",
    "source-serif-pro": "source-serif-4",
    "crimson": "crimson-text",
    "muli": "mulish",
    "material-icons-rounded": "material-icons-round",
}
NAMED_WEIGHTS = {
    "": "400",
    "regular": "400",
    "normal": "400",
    "i": "400",
    "b": "700",
    "bold": "700",
    "bi": "700",
}
MAX_FACES = 100
"""Faces of a family that are read of an address."""
MAX_SHEETS = 100
"""Style sheets that one address gets, one for each face."""

WEIGHT = Pattern(r"([a-z]*)([1-9]\d{0,3}(?:\.\.[1-9]\d{0,3})?)?([a-z]*)", ascii=True)
FONT_FILE = Pattern(r"""url\(['"]?(?:\./)?([^)'"]+)['"]?\)""")
FONT_FAMILY = Pattern(r"font-family:\s*'([^']*?)(?: Variable)?'")
FONT_WEIGHT = Pattern(r"font-weight:\s*[\d ]+;")


@dataclass(frozen=True, order=True)
class FontFace:
    """A weight of a family that a page asks for: the lightest, the heaviest, and whether italic."""

    lightest: int
    heaviest: int
    italic: bool


def font_reply(query: str) -> PageResponse | None:
    """Returns a style sheet with the families that are installed, or None if none is."""
    sheets = chain.from_iterable(map(font_sheets, asked_families(query)))
    found = [*islice(sheets, MAX_SHEETS)]
    return PageResponse("\n".join(found).encode(), "text/css; charset=utf-8") if found else None


def asked_families(query: str) -> list[str]:
    """Returns what a style sheet is asked for: names of families, each once, maybe with axes.

    >>> asked_families("family=Open+Sans:400,700|Lato&family=Inter:wght@400&display=swap")
    ['Open Sans:400,700', 'Lato', 'Inter:wght@400']
    """
    asked = [value for name, value in parse_qsl(query) if name == "family"]
    return [*dict.fromkeys(family for value in asked for family in value.split("|"))]


def font_sheets(family: str) -> Iterator[str]:
    """Yields the style sheets of a family, as far as it is installed.

    Args:
        family: its name, with the axes that are asked for.
    """
    name, _, axes = family.partition(":")
    name = name.strip()
    if sheet := ICONS.get(name.lower()):
        yield _sheet(sheet)
        return
    slug = name.lower().replace(" ", "-")
    folder = RENAMED.get(slug, slug)
    faces = asked_faces(axes)
    for files in (
        _variable_files(f"@fontsource-variable/{folder}", axes.partition("@")[0], faces),
        _static_files(f"@fontsource/{folder}", faces),
        # A family of one weight is better than none, where others are asked for.
        [(f"@fontsource/{folder}/400.css", None)],
    ):
        called = name if slug in RENAMED else ""
        sheets = filter(None, (_sheet(file, face, called) for file, face in files))
        if first := next(sheets, ""):
            yield first
            yield from sheets
            return


def asked_faces(axes: str) -> list[FontFace]:
    """Returns the weights that a family is asked for; the usual ones if it says nothing of them.

    >>> asked_faces("ital,wght@0,400..700;1,400")
    [FontFace(lightest=400, heaviest=400, italic=True), FontFace(lightest=400, heaviest=700, italic=False)]
    >>> asked_faces("300,700i") == asked_faces("ital,wght@0,300;1,700")
    True
    >>> [face.lightest for face in asked_faces("")]
    [400, 700]
    """
    names, at, values = axes.partition("@")
    found = set()
    for one in (values.split(";") if at else axes.split(","))[:MAX_FACES] if axes else []:
        given = dict(zip(names.split(","), one.split(","), strict=False)) if at else {}
        weight, italic = given.get("wght", "400" if at else one.strip()), given.get("ital") == "1"
        if read := WEIGHT.fullmatch(weight.lower()):
            before, number, after = read[1], read[2], read[3]
            lightest, _, heaviest = (
                number or NAMED_WEIGHTS.get(before.removesuffix("italic"), "400")
            ).partition("..")
            italic = italic or (before + after).endswith(("i", "italic"))
            found.add(FontFace(int(lightest), int(heaviest or lightest), italic))
    return sorted(found) or [FontFace(400, 400, False), FontFace(700, 700, False)]


def _variable_files(
    folder: str, axes: str, faces: Sequence[FontFace]
) -> Iterator[tuple[str, FontFace]]:
    """Style sheets of a variable font: with the axes that are asked for, or with weights alone."""
    more = set(filter(None, axes.split(","))) - {"ital", "wght"}
    names = ["full", "opsz", "wght"] if more - {"opsz"} else ["opsz", "wght"] if more else ["wght"]
    for face in faces:
        slant = "-italic" if face.italic else ""
        files = (f"{folder}/{name}{slant}.css" for name in names)
        yield from [(file, face) for file in files if local_file(packages(), file)][:1]


def _static_files(folder: str, faces: Sequence[FontFace]) -> Iterator[tuple[str, None]]:
    for slant in ("", "-italic"):
        ours = [face for face in faces if face.italic == bool(slant)]
        for weight in range(100, 1000, 100):
            if any(face.lightest <= weight <= face.heaviest for face in ours):
                yield f"{folder}/{weight}{slant}.css", None


def _sheet(file: str, face: FontFace | None = None, called: str = "") -> str:
    """A package's style sheet whose fonts have addresses of their own; nothing if it isn't there.

    Args:
        file: of a package.
        face: the weights that a variable font is to have.
        called: the family's name in the sheet, where it is not the package's.
    """
    path = local_file(packages(), file)
    if path is None:
        return ""
    base = FONT_HOST + posixpath.dirname(file) + "/"
    sheet = path.read_text(encoding="utf-8")
    sheet = FONT_FILE.sub(lambda found: f"url({base}{found[1]})", sheet)
    if face:
        sheet = FONT_WEIGHT.sub(f"font-weight: {face.lightest} {face.heaviest};", sheet)
    if face or called:
        sheet = FONT_FAMILY.sub(lambda found: f"font-family: '{called or found[1]}'", sheet)
    return sheet
