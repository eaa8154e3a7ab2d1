"""Content hashes, and files written so that no reader ever sees half of one."""

import hashlib
import os
import tempfile
from pathlib import Path


def content_key(*parts: str | bytes) -> str:
    """Returns the SHA-256 of `parts` in hexadecimal digits; where one part ends matters.

    >>> content_key("ab", "c") == content_key("a", "bc")
    False
    >>> len(content_key("latex", b"x^2"))
    64
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def cache_folder() -> Path:
    """Returns the user's cache folder of this package (`HELM_STRUCTEXT_CACHE` moves it)."""
    named = os.environ.get("HELM_STRUCTEXT_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "helm-structext"


def renderings_folder() -> Path:
    """Returns the folder of finished renderings, shared by runs, models, judges and rescoring."""
    return cache_folder() / "renderings"


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file by renaming a finished one: safe with several processes and when killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes private files; those of a shared cache are read by others.
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def store(folder: Path, content: bytes, extension: str) -> Path:
    """Writes a file that is named by its content, and returns its path.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> store(folder, b"a", "png") == store(folder, b"a", "png")
    True
    """
    path = folder / f"{hashlib.sha256(content).hexdigest()}.{extension}"
    if not path.exists():
        write_atomically(path, content)
    return path


def store_copy(folder: Path, file: Path) -> Path:
    """Puts a finished file into a folder, named by its content: a hard link where there can be one.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "a.txt").write_bytes(b"a")
    1
    >>> store_copy(folder / "copies", folder / "a.txt") == store(folder / "copies", b"a", "txt")
    True
    """
    content = file.read_bytes()
    path = folder / f"{hashlib.sha256(content).hexdigest()}{file.suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.link(file, path)
    except FileExistsError:
        pass
    except OSError:  # another file system, or one without hard links
        write_atomically(path, content)
    return path
