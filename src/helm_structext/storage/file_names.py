"""Names of files that somebody else chose: whether they can lie in one folder."""

import posixpath
from collections.abc import Iterable
from itertools import pairwise

MAX_PART = 255
"""Bytes of a name without its folders."""
MAX_PATH = 1000
"""Characters of a name with its folders."""


def explain_conflict(names: Iterable[str]) -> str:
    """Returns why files of these names can't lie in one folder, or "" if they can.

    Args:
        names: relative paths, such as ``css/é.css``.

    >>> explain_conflict(["css/é.css", "./index.html"]), explain_conflict(["a/../../b"])
    ('', "the file name 'a/../../b' leads out of its folder")
    >>> explain_conflict(["a/b.css", "a"])
    "'a' is the name of a file and of a folder"
    """
    paths = []
    for name in names:
        path = posixpath.normpath(name)
        if path.startswith(("/", "../")) or path in (".", ".."):
            return f"the file name {name[:80]!r} leads out of its folder"
        if len(name) > MAX_PATH or any(
            len(part.encode("utf-8", "replace")) > MAX_PART for part in path.split("/")
        ):
            return f"the file name {name[:80]!r}… is too long"
        if "\0" in name or name != name.encode("utf-8", "replace").decode():
            return f"the file name {name[:80]!r} has a character that no file name can have"
        paths.append(f"{path}/")
    # In this order, a folder's first file follows at once on a file of the folder's name.
    for path, following in pairwise(sorted(set(paths))):
        if following.startswith(path):
            return f"{path[:-1][:80]!r} is the name of a file and of a folder"
    return ""
