"""The fonts that are installed, by asking fontconfig: their folders differ between systems and releases."""

import os
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.machine.packages import advice
from helm_structext.machine.programs import program

FAMILIES = {
    "DejaVu Sans": "fonts-dejavu-core",
    "DejaVu Sans Mono": "fonts-dejavu-core",
    "DejaVu Serif": "fonts-dejavu-core",
    "DejaVu Sans Condensed": "fonts-dejavu-extra",
    "Liberation Sans": "fonts-liberation2",
    "Liberation Mono": "fonts-liberation2",
    "Liberation Serif": "fonts-liberation2",
    "Noto Color Emoji": "fonts-noto-color-emoji",
    "WenQuanYi Micro Hei": "fonts-wqy-microhei",
    "Nimbus Sans": "fonts-urw-base35",
    "Nimbus Roman": "fonts-urw-base35",
    "C059": "fonts-urw-base35",
}
"""The families that pictures depend on, and the Debian packages that have them."""
PAGE_FAMILIES = tuple(family for family, package in FAMILIES.items() if "urw" not in package)
"""Those of pages and plots, in the order in which the sandbox lists them."""
ALONE = ("Noto Color Emoji",)
"""Families whose folder has others, too, where other packages are installed."""
OUTLINES = ("TrueType", "CFF")
FORMAT = "%{family}\t%{fontversion}\t%{fontformat}\t%{file}\t%{charset}\n"


@dataclass(frozen=True)
class Font:
    """One font file as fontconfig describes it."""

    path: Path
    families: tuple[str, ...]
    version: int
    charset: str

    def has(self, sign: str) -> bool:
        """Whether the font has a sign.

        >>> font = Font(Path("a.ttf"), ("A",), 0, "20-7e 3b1-3c9 2192")
        >>> [font.has(sign) for sign in "aä→"]
        [True, False, True]
        """
        place = bisect_right(self._ranges, (ord(sign), sys.maxunicode)) - 1
        return place >= 0 and ord(sign) <= self._ranges[place][1]

    @cached_property
    def _ranges(self) -> list[tuple[int, int]]:
        """The first and the last sign of each of the ranges that fontconfig writes in hexadecimal digits."""
        ends = (part.split("-") for part in self.charset.split())
        return [(int(of[0], 16), int(of[-1], 16)) for of in ends]


@lru_cache
def installed_fonts() -> tuple[Font, ...]:
    """Returns the machine's TrueType and OpenType fonts, the ones to prefer last.

    Where a font is there twice, the newer version is preferred, and the machine's to those in the user's home.

    Raises:
        SetupError: fontconfig is not installed.
    """
    said = subprocess.run(
        [program("fc-list"), "--format", FORMAT], capture_output=True, text=True, check=False
    )
    fonts = []
    for line in said.stdout.splitlines():
        families, version, kind, path, charset = line.split("\t")
        if kind in OUTLINES:
            fonts.append(Font(Path(path), tuple(families.split(",")), int(version or 0), charset))
    home = Path(os.environ.get("HOME", "/nonexistent"))
    return tuple(
        sorted(fonts, key=lambda font: (not _within(font.path, home), font.version, font.path))
    )


def _within(path: Path, home: Path) -> bool:
    return home != Path("/") and path.is_relative_to(home)


def missing_families() -> list[str]:
    """Returns those of `FAMILIES` that are not installed.

    Raises:
        SetupError: fontconfig is not installed.
    """
    there = {family for font in installed_fonts() for family in font.families}
    return [family for family in FAMILIES if family not in there]


@lru_cache
def font_folders(families: Sequence[str]) -> dict[Path, Path | None]:
    """Returns the folders in which some families lie, each with the one file of it that counts; None: all.

    Args:
        families: keys of `FAMILIES`, as a tuple.

    Raises:
        SetupError: one is not installed; the message says how to install it.

    >>> [str(path).rpartition("/")[2] for path in font_folders(("Noto Color Emoji",)).values()]
    ['NotoColorEmoji.ttf']
    """
    folders: dict[Path, Path | None] = {}
    for family in families:
        found = [font.path for font in installed_fonts() if family in font.families]
        if not found:
            raise SetupError(f"The font {family!r} is missing: {advice(FAMILIES[family])}")
        folder = found[-1].parent
        only = found[-1] if family in ALONE else None
        folders[folder] = only if folders.get(folder, only) == only else None
    return folders


@lru_cache
def font_file(name: str) -> Path | None:
    """Returns the path of a font file by its name, or None if it is not installed.

    Raises:
        SetupError: fontconfig is not installed.
    """
    return {font.path.name: font.path for font in installed_fonts()}.get(name)
