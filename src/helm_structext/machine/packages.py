"""The operating system that this machine runs, and how its packages are installed."""

import os
import platform
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from helm_structext.machine.programs import BROWSER, VARIABLES

MANAGERS = {
    "debian": "apt install",
    "ubuntu": "apt install",
    "fedora": "dnf install",
    "arch": "pacman -S",
    "alpine": "apk add",
}
"""ID of a system → how it installs packages."""
UNATTENDED = {
    "apt install": "apt-get update && apt-get install -y --no-install-recommends",
}
"""How a line to paste says the same."""
# Only what we are sure of: none of these systems was tried.
OTHER_NAMES: dict[str, dict[str, str]] = {
    "fedora": {
        "bubblewrap": "bubblewrap",
        "chromium-headless-shell": "chromium-headless",
        "fontconfig": "fontconfig",
        "fonts-liberation": "liberation-fonts",
        "fonts-noto-color-emoji": "google-noto-color-emoji-fonts",
        "fonts-urw-base35": "urw-base35-fonts",
        "ghostscript": "ghostscript",
        "lilypond": "lilypond",
        "poppler-utils": "poppler-utils",
        "ruby": "ruby",
        "tesseract-ocr": "tesseract",
    },
    "arch": {
        "bubblewrap": "bubblewrap",
        "fontconfig": "fontconfig",
        "fonts-dejavu-core": "ttf-dejavu",
        "fonts-dejavu-extra": "ttf-dejavu",
        "fonts-liberation": "ttf-liberation",
        "fonts-noto-color-emoji": "noto-fonts-emoji",
        "fonts-wqy-microhei": "wqy-microhei",
        "ghostscript": "ghostscript",
        "lilypond": "lilypond",
        "poppler-utils": "poppler",
        "ruby": "ruby",
        "tesseract-ocr": "tesseract",
    },
    "alpine": {
        "bubblewrap": "bubblewrap",
        "fontconfig": "fontconfig",
        "fonts-dejavu-core": "font-dejavu",
        "fonts-dejavu-extra": "font-dejavu",
        "fonts-liberation": "font-liberation",
        "ghostscript": "ghostscript",
        "lilypond": "lilypond",
        "poppler-utils": "poppler-utils",
        "ruby": "ruby",
        "tesseract-ocr": "tesseract-ocr",
    },
}
"""ID of a system → the name that a package has in Debian 13 → its name there."""
ELSEWHERE = dict.fromkeys(
    ("chromium-headless-shell", "chromium"),
    "get chrome-headless-shell of Chrome for Testing into a folder of its own, and set "
    f"{VARIABLES[BROWSER]} to its path (a snap can't be used)",
)
"""Debian package → what to do where no package has it."""
TRIED = ("bookworm", "trixie")
CHOICE = re.compile(r"(\S+)(?: +\[(.*)\])?")


@dataclass(frozen=True)
class OperatingSystem:
    """What `/etc/os-release` says.

    Args:
        name: for people, such as ``Debian GNU/Linux 13 (trixie)``.
        tags: its ID, those of the systems that it is made from, and the release's code name.
    """

    name: str
    tags: tuple[str, ...]

    @property
    def family(self) -> str:
        """The first of its tags that `MANAGERS` knows, or nothing."""
        return next((tag for tag in self.tags if tag in MANAGERS), "")

    @property
    def tried(self) -> bool:
        """Whether we have run all tests on it."""
        return "debian" in self.tags[:1] and bool({*self.tags} & {*TRIED})

    def package(self, name: str) -> str | None:
        """Returns what a Debian package is called here, or None: there is none, or we don't know its name.

        Args:
            name: of Debian 12 or 13.

        >>> bookworm = OperatingSystem("Debian 12", ("debian", "bookworm"))
        >>> bookworm.package("fonts-liberation2"), TRIXIE.package("fonts-liberation2")
        ('fonts-liberation2', 'fonts-liberation')
        >>> OperatingSystem("Fedora", ("fedora",)).package("chromium-headless-shell")
        'chromium-headless'
        """
        # The sandbox, which asks for fonts, starts with the standard library alone.
        from helm_structext.data.packaged import debian_packages

        line = next((line for line in debian_packages() if name in _names(line)), name)
        if self.family in OTHER_NAMES:
            return next(filter(None, map(OTHER_NAMES[self.family].get, _names(line))), None)
        return choose_package(line, self.tags)


TRIXIE = OperatingSystem("Debian GNU/Linux 13 (trixie)", ("debian", "trixie"))


@lru_cache(maxsize=1)
def current_system() -> OperatingSystem:
    """Returns the system that this machine runs; one without `/etc/os-release` has no tags."""
    try:
        return read_os_release(platform.freedesktop_os_release())
    except OSError:
        return OperatingSystem("this system", ())


def read_os_release(release: Mapping[str, str]) -> OperatingSystem:
    """Returns the system of an os-release file.

    >>> read_os_release({"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_CODENAME": "noble"}).tags
    ('ubuntu', 'debian', 'noble')
    """
    words = (release.get(key, "") for key in ("ID", "ID_LIKE", "VERSION_CODENAME"))
    return OperatingSystem(
        release.get("PRETTY_NAME", "this system"), tuple(" ".join(words).split())
    )


def choose_package(line: str, tags: Iterable[str]) -> str | None:
    """Returns the package of a line of `debian-packages.txt` for a system, if it has one.

    Args:
        line: choices between ``|``; the first that fits is taken. ``[a b]`` behind a name: only for systems with one
            of these tags; ``[!a]``: only for those without.
        tags: of the system.

    >>> line = "fonts-liberation2 [bookworm jammy] | fonts-liberation"
    >>> choose_package(line, ["debian", "bookworm"]), choose_package(line, ["debian", "trixie"])
    ('fonts-liberation2', 'fonts-liberation')
    >>> choose_package("chromium [!ubuntu]", ["ubuntu", "debian", "noble"])
    """
    here = {*tags}
    for choice in line.split("|"):
        found = CHOICE.fullmatch(choice.strip())
        assert found, line
        wanted = (found[2] or "").split()
        refused = {tag[1:] for tag in wanted if tag.startswith("!")}
        only = {tag for tag in wanted if not tag.startswith("!")}
        if not here & refused and (not only or here & only):
            return found[1]
    return None


def _names(line: str) -> list[str]:
    return [choice.split()[0] for choice in line.split("|")]


def advice(name: str, system: OperatingSystem | None = None) -> str:
    """Returns how to install a Debian package on this system, or what to install.

    Args:
        name: of the package.
        system: this machine's, if it is None.

    >>> advice("fonts-liberation2", TRIXIE)
    'apt install fonts-liberation'
    >>> advice("lmodern", OperatingSystem("Slackware", ("slackware",)))
    "install what Debian's package lmodern holds"
    >>> advice("chromium-headless-shell", OperatingSystem("Ubuntu 24.04", ("ubuntu", "debian", "noble")))[:46]
    'no package of Ubuntu 24.04 has it: get chrome-'
    """
    system = system or current_system()
    here = system.package(name)
    if here and system.family:
        return f"{MANAGERS[system.family]} {here}"
    if name in ELSEWHERE:
        return f"no package of {system.name} has it: {ELSEWHERE[name]}"
    return f"install what Debian's package {name} holds"


def install_line(names: Iterable[str], system: OperatingSystem | None = None) -> str:
    """Returns the command that installs Debian packages on this system, as this user can give it, or nothing.

    Args:
        names: of the packages; those that this system has not are left out.
        system: this machine's, if it is None.
    """
    system = system or current_system()
    here = sorted({found for name in names if (found := system.package(name))})
    if not here or not system.family:
        return ""
    manager = MANAGERS[system.family]
    command = f"{UNATTENDED.get(manager, manager)} {' '.join(here)}"
    if os.geteuid() == 0:
        return command
    if shutil.which("sudo"):
        return " && ".join(f"sudo {part}" for part in command.split(" && "))
    return f"su -c {shlex.quote(command)}"
