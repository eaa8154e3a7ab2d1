"""Files of installed packages that pages ask for: the one place that makes a path of an address."""

import mimetypes
from pathlib import Path

from helm_structext.patterns import Pattern
from helm_structext.renderers.web.tab import PageResponse

NAME = Pattern(r"[\w@+.~$ /-]+", ascii=True)
"""What names of packages and their files are made of: signs that stand for themselves."""

TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


def local_file(folder: Path, name: str) -> Path | None:
    """Returns a file below a folder, or None: there is none of that name, or it lies elsewhere.

    Args:
        folder: of ours.
        name: what a page asks for, relative to the folder, decoded once.

    >>> here = Path(__file__).parent
    >>> local_file(here, "js/package.json").name
    'package.json'
    >>> [local_file(here, name) for name in ("js", "../engine.py", __file__, "js/../cdn.py", "%6as")]
    [None, None, None, None, None]
    """
    if not NAME.fullmatch(name) or name.startswith("/") or ".." in name.split("/"):
        return None
    try:
        path = (folder / name).resolve()
        return path if path.is_relative_to(folder.resolve()) and path.is_file() else None
    except (OSError, ValueError):
        return None


def local_reply(folder: Path, name: str) -> PageResponse | None:
    """Returns such a file as a server sends it."""
    path = local_file(folder, name)
    if path is None:
        return None
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    return PageResponse(path.read_bytes(), kind or "application/octet-stream")
