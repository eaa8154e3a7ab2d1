"""Where programs lie: on the user's PATH, or where the environment says.

`HELM_STRUCTEXT_CHROMIUM=/opt/chrome/chrome-headless-shell` names the browser, `HELM_STRUCTEXT_LILYPOND` LilyPond, and so on
(`VARIABLES`). What lies beside a program that is named so is taken from there, too (`COMPANIONS`).
"""

import os
import shutil
from pathlib import Path

from helm_structext.errors import SetupError

BROWSER = "chromium-headless-shell"
NAMES = {BROWSER: (BROWSER, "chrome-headless-shell", "headless_shell")}
"""Names of a program in other places than Debian: Chrome for Testing, Chromium's own build."""
VARIABLES = {
    BROWSER: "HELM_STRUCTEXT_CHROMIUM",
    **{
        name: f"HELM_STRUCTEXT_{name.upper()}"
        for name in (
            *("bwrap", "pdflatex", "pdftoppm", "lilypond", "gs", "node", "jekyll", "ruby"),
            "tesseract",
        )
    },
}
"""Program → the variable that says where it lies."""
COMPANIONS = {"convert-ly": "lilypond", "kpsewhich": "pdflatex", "pdfinfo": "pdftoppm"}
"""Program → the one that it belongs to."""
SYSTEM_FOLDERS = {
    Path(folder, kind) for folder in ("/", "/usr", "/usr/local") for kind in ("bin", "sbin")
}
STARTED_BY_PATH = (BROWSER, "bwrap", "node")
"""The other ones start each other by name."""


def find_program(name: str) -> Path | None:
    """Returns where a program lies, or None if it is not installed.

    Args:
        name: as Debian calls it; or a path, which stays as it is.

    Raises:
        SetupError: its variable names something else.

    >>> find_program("sh").name, find_program("absent")
    ('sh', None)
    """
    if named := _find_named(name):
        return named
    if (owner := _find_named(COMPANIONS.get(name, ""))) and (
        beside := owner.with_name(name)
    ).exists():
        return beside
    found = next(filter(None, map(shutil.which, NAMES.get(name, (name,)))), None)
    return Path(found) if found else None


def program(name: str) -> Path:
    """Returns where a program lies; see `find_program`.

    Raises:
        SetupError: it is not installed.
    """
    found = find_program(name)
    if found is None:
        variable = VARIABLES.get(name)
        raise SetupError(
            f"The program {name!r} was not found. `helm-structext doctor` names the package."
            + f" Or set {variable} to its path." * bool(variable)
        )
    return found


def own_folder(name: str) -> Path | None:
    """Returns the folder of all that a program outside of the system's folders brings with it.

    That is the folder which holds ``bin``, or else the one in which the program lies. None: it is the system's, or
    given as a path.

    Raises:
        SetupError: it is not installed, or its folder is not its own.

    >>> own_folder("sh")
    """
    if "/" in name:
        return None
    path = program(name).resolve()
    if path.parent in SYSTEM_FOLDERS:
        return None
    above = next((parent for parent in path.parents if parent.name == "bin"), None)
    folder = above.parent if above else path.parent
    home = Path(os.environ.get("HOME", "/nonexistent")).resolve()
    if folder in (Path("/"), home, *home.parents, home / ".local", Path("/tmp")):
        raise SetupError(
            f"{path} would show all of {folder} to what models write: move {name!r} to a folder of its own."
        )
    return folder


def find_overridden() -> set[str]:
    """Returns the programs whose variables are set."""
    return {name for name, variable in VARIABLES.items() if os.environ.get(variable)}


def _find_named(name: str) -> Path | None:
    """The program that its variable names, if it is set."""
    variable = VARIABLES.get(name, "")
    text = os.environ.get(variable) if variable else None
    if not text:
        return None
    path = Path(text).absolute()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise SetupError(f"{variable} is {text!r}, which is not a program.")
    if path.name != name and name not in STARTED_BY_PATH:
        raise SetupError(f"{variable} is {text!r}; expected a path that ends in /{name}.")
    return path
