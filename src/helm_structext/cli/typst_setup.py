"""`helm-structext setup --typst`: packages of Typst, from its server, an address like it, or a folder."""

import json
import os
import posixpath
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from helm_structext.data.archives import MAX_BYTES, MAX_FILES, unpack_archive
from helm_structext.errors import TYPST, SetupError
from helm_structext.patterns import Pattern
from helm_structext.progress import working
from helm_structext.renderers.typst_packages import (
    RECORD,
    SPEC,
    TypstPackage,
    find_imports,
    hash_package,
    installed_packages,
    packages_folder,
)
from helm_structext.storage.cache import remove_folder, write_record
from helm_structext.storage.locks import lock

LOCAL_IMPORT = Pattern(r'\b(?:import|include)[\s(]*"([^"@\n]{1,300}[.]typ)"', ascii=True)
SOURCE = f"https://{TYPST}"
SECONDS = 30
"""For which a server may be silent."""
MAX_PACKAGES = 1000
"""Packages that are installed at a time, with what they import in turn."""
LAYOUTS = ("preview/{0}/{1}", "packages/preview/{0}/{1}", "{0}/{1}")
"""How packages lie in a folder: Typst's own cache, a clone of its collection, or one of that kind's folders."""
ARCHIVES = ("preview/{0}-{1}.tar.gz", "{0}-{1}.tar.gz")


class Unavailable(Exception):
    """A package can't be had; the text says why."""


@dataclass
class PackageSource:
    """Where packages come from.

    Args:
        place: an address that has ``preview/NAME-VERSION.tar.gz``; or a folder that has these files, a clone
            of Typst's collection, or a copy of Typst's own cache.
        lost: why nothing can be had from there, once that is known.
    """

    place: str
    lost: str = ""

    def read(self, package: TypstPackage) -> dict[str, bytes]:
        """Returns a package's files: path in it → content.

        Raises:
            Unavailable: it is not there, can't be had, or is not what its name says.
        """
        try:
            if self._is_address():
                files = unpack_archive(self._download(f"preview/{'-'.join(package)}.tar.gz"))
            else:
                files = self._read_local(package)
            check_manifest(package, files)
        except OSError as error:
            raise Unavailable(f"{self.place} can't be read: {error}") from error
        except (ValueError, RecursionError) as error:
            raise Unavailable(f"what {self.place} has is not a package: {error}") from error
        return files

    def find_latest(self, name: str) -> TypstPackage:
        """Returns the latest version of a package.

        Raises:
            Unavailable: there is none.
        """
        try:
            if self._is_address():
                index = json.loads(self._download("preview/index.json"))
                versions = [str(one["version"]) for one in index if one["name"] == name]
            else:
                patterns = [pattern.format(name, "*") for pattern in (*LAYOUTS, *ARCHIVES)]
                found = [path for pattern in patterns for path in Path(self.place).glob(pattern)]
                names = [path.name.removesuffix(".tar.gz") for path in found]
                versions = [one.removeprefix(f"{name}-") for one in names]
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise Unavailable(f"what {self.place} has can't be listed: {error}") from error
        packages = [TypstPackage(name, one) for one in versions if SPEC.fullmatch(f"{name}:{one}")]
        if not packages:
            raise Unavailable(f"{self.place} has no such package")
        return max(packages, key=lambda package: package.order)

    def _is_address(self) -> bool:
        return self.place.startswith(("https://", "http://"))

    def _download(self, path: str) -> bytes:
        if self.lost:
            raise Unavailable(self.lost)
        try:
            with urlopen(f"{self.place.rstrip('/')}/{path}", timeout=SECONDS) as reply:
                data: bytes = reply.read(MAX_BYTES + 1)
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError) and error.code in (403, 404, 410):
                raise Unavailable(f"{self.place} has no such package") from error
            self.lost = f"{self.place} can't be reached: {getattr(error, 'reason', error)}"
            raise Unavailable(self.lost) from error
        if len(data) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES // 2**20} MiB")
        return data

    def _read_local(self, package: TypstPackage) -> dict[str, bytes]:
        place = Path(self.place)
        for layout in LAYOUTS:
            if (folder := place / layout.format(*package)).is_dir():
                return read_folder(folder)
        for archive in ARCHIVES:
            if (file := place / archive.format(*package)).is_file():
                return unpack_archive(file.read_bytes())
        raise Unavailable(f"{self.place} has no such package")


def read_folder(folder: Path) -> dict[str, bytes]:
    """Returns the regular files below a folder: path in it → content.

    Raises:
        ValueError: there are links, or too many files or bytes.
        OSError: one can't be read.
    """
    files: dict[str, bytes] = {}
    size = 0
    for here, folders, names in os.walk(folder):
        for path in (Path(here, name) for name in (*names, *folders)):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise ValueError(f"{path} is neither a file nor a folder")
            if path.is_file():
                size += path.stat().st_size
                if size > MAX_BYTES or len(files) >= MAX_FILES:
                    raise ValueError(f"{folder} is too large")
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def check_manifest(package: TypstPackage, files: Mapping[str, bytes]) -> None:
    """Raises ValueError if files are not the package that they are to be."""
    manifest = tomllib.loads(files.get("typst.toml", b"")[:MAX_BYTES].decode("utf-8"))
    about = manifest.get("package")
    said = about if isinstance(about, dict) else {}
    if (said.get("name"), said.get("version")) != package:
        raise ValueError(f"it calls itself {said.get('name')!r:.100} {said.get('version')!r:.100}")
    first = said.get("entrypoint")
    if not isinstance(first, str) or first not in files:
        raise ValueError(f"it has no file {first!r:.100}")


def read_specs(arguments: Sequence[str]) -> list[str]:
    """Returns the packages that a user names, by themselves or in files.

    Args:
        arguments: ``name`` (its latest version), ``name:version``, or the path of a file: a list of them,
            one a line, or a document of Typst, which names them where it imports them.

    Raises:
        SetupError: one is neither a package nor a file that names any.

    >>> read_specs(["cetz", "@preview/fletcher:0.5.8"])
    ['cetz', 'fletcher:0.5.8']
    """
    specs = []
    for argument in arguments:
        if SPEC.fullmatch(argument):
            specs.append(argument)
            continue
        try:
            text = Path(argument).read_text("utf-8")
        except (OSError, ValueError) as error:
            raise SetupError(
                f"{argument!r} is no package of Typst, and no file: {error}"
            ) from error
        lines = [line.strip() for line in text.splitlines()]
        found = [str(package) for package in find_imports(text)]
        found = found or [line for line in lines if line and not line.startswith(("#", "//"))]
        wrong = [spec for spec in found if not SPEC.fullmatch(spec)]
        if wrong or not found:
            raise SetupError(f"{argument} names no packages of Typst: {wrong[:1] or 'it is empty'}")
        specs += found
    return [spec.removeprefix("@preview/") for spec in specs]


def install_typst(specs: Iterable[str], source: str = SOURCE) -> dict[str, str]:
    """Installs packages of Typst, and what they import in turn, if they aren't there, or not whole.

    Safe when several do it at a time, and when it is interrupted: a package gets its name when it is
    whole, and is listed after that.

    Args:
        specs: as `read_specs` returns them.
        source: see `PackageSource`.

    Returns:
        What could not be had: package → why.

    Raises:
        SetupError: the folder can't be written.
    """
    folder = packages_folder()
    place = PackageSource(source)
    missing: dict[str, str] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as file, working("installing packages of Typst"):
            lock(file, wait=True)
            there = dict(filter(_is_whole, installed_packages().items()))
            wanted = [*there]
            for spec in specs:
                name, _, version = spec.partition(":")
                try:
                    wanted.append(
                        TypstPackage(name, version) if version else place.find_latest(name)
                    )
                except Unavailable as error:
                    missing[spec] = str(error)
            users: dict[TypstPackage, str] = dict.fromkeys(wanted, "")
            wanted = list(users)
            for package in wanted:  # It grows.
                try:
                    files = _read_or_install(package, place, there)
                except Unavailable as error:
                    missing[f"{package.name}:{package.version}{users[package]}"] = str(error)
                    continue
                needed = [one for one in _find_needed(files) if one not in users]
                users |= dict.fromkeys(needed, f" (for {package.name}:{package.version})")
                wanted += needed[: max(MAX_PACKAGES - len(wanted), 0)]
            _write_list(there)
    except OSError as error:
        raise SetupError(f"{folder} can't be written: {error}") from error
    return missing


def _is_whole(item: tuple[TypstPackage, str]) -> bool:
    package, key = item
    try:
        return hash_package(read_folder(packages_folder() / package.path)) == key
    except (OSError, ValueError):
        return False


def _read_or_install(
    package: TypstPackage, place: PackageSource, there: dict[TypstPackage, str]
) -> dict[str, bytes]:
    target = packages_folder() / package.path
    if package in there:
        return read_folder(target)
    files = place.read(package)
    prefix = f".typst-{package.name[:50]}."
    with tempfile.TemporaryDirectory(prefix=prefix, dir=packages_folder().parent) as scratch:
        whole = Path(scratch) / "package"
        for name, content in files.items():
            (whole / name).parent.mkdir(parents=True, exist_ok=True)
            (whole / name).write_bytes(content)
        os.sync()  # Whole after a crash, too.
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            remove_folder(target)
        whole.rename(target)
    there[package] = hash_package(files)
    _write_list(there)
    return files


def _write_list(there: Mapping[TypstPackage, str]) -> None:
    record = {":".join(package): there[package] for package in sorted(there)}
    if {
        TypstPackage(*spec.split(":")): key for spec, key in record.items()
    } != installed_packages():
        write_record(packages_folder() / RECORD, record)


def _find_needed(files: Mapping[str, bytes]) -> list[TypstPackage]:
    """What a package imports: its first file, and those of its files that this one imports in turn.

    Others are manuals, templates and tests, which need more.
    """
    first: str = tomllib.loads(files["typst.toml"].decode())["package"]["entrypoint"]
    texts, seen, waiting = [], {first}, [first]
    for path in waiting:  # It grows.
        texts.append(files[path].decode("utf-8", "replace"))
        for match in LOCAL_IMPORT.finditer(texts[-1]):
            below = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), match[1]))[1:]
            if below in files and below not in seen:
                seen.add(below)
                waiting.append(below)
    return find_imports("\n".join(texts))
