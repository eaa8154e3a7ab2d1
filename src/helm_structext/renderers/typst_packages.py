"""Packages of Typst (`@preview/cetz:0.4.2`), which `helm-structext setup` installs once.

They lie in the cache folder as Typst looks for them, ``preview/NAME/VERSION``, and a record lists
those that are whole, each with a hash of its files: what is not in it was being written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from helm_structext.errors import MAX_MISSING, TYPST, MissingResource
from helm_structext.patterns import Pattern
from helm_structext.storage.cache import cache_folder, content_key, read_record
from helm_structext.texts import shorten_text

LISTED = Path(__file__).with_name("typst_packages.txt")
"""Packages that are installed unless others are named."""
RECORD = "packages.json"
NAME = r"([a-z0-9][a-z0-9-]{0,99})"
VERSION = r"(\d{1,5}[.]\d{1,5}[.]\d{1,5})"
IMPORT = Pattern(rf'\b(?:import|include)[\s(]*"@preview/{NAME}:{VERSION}"', ascii=True)
SPEC = Pattern(rf"(?:@preview/)?{NAME}(?::{VERSION})?", ascii=True)


class TypstPackage(NamedTuple):
    """A package of Typst's own collection.

    Args:
        name: as ``cetz``.
        version: as ``0.4.2``.

    >>> str(TypstPackage("cetz", "0.4.2"))
    '@preview/cetz:0.4.2'
    """

    name: str
    version: str

    def __str__(self) -> str:
        return f"@preview/{self.name}:{self.version}"

    @property
    def path(self) -> str:
        """Where it lies in the folder of all packages."""
        return f"preview/{self.name}/{self.version}"

    @property
    def missing(self) -> MissingResource:
        """Says that this machine does not have it."""
        return MissingResource("package", TYPST, str(self))

    @property
    def order(self) -> tuple[int, ...]:
        """By which versions of one package are sorted."""
        return tuple(map(int, self.version.split(".")))

    def can_replace(self, asked: "TypstPackage") -> bool:
        """Whether code for one version runs with this one: later, and alike by semantic versioning.

        >>> [TypstPackage("a", version).can_replace(TypstPackage("a", "0.3.1"))
        ...  for version in ("0.3.4", "0.3.0", "0.4.0")]
        [True, False, False]
        >>> TypstPackage("a", "1.2.0").can_replace(TypstPackage("a", "1.0.3"))
        True
        """
        alike = 1 if asked.order[0] else 2
        return (
            self.name == asked.name
            and self.order[:alike] == asked.order[:alike]
            and self.order >= asked.order
        )


def packages_folder() -> Path:
    """Returns the folder of all packages, whether it is there or not."""
    return cache_folder().absolute() / "typst"


def installed_packages() -> dict[TypstPackage, str]:
    """Returns the packages that are whole: package → hash of its files."""
    record = read_record(packages_folder() / RECORD) or {}
    return {TypstPackage(*spec.split(":")): str(key) for spec, key in record.items()}


def hash_package(files: Mapping[str, bytes]) -> str:
    """Returns a hash of a package's files: path in it → content."""
    return content_key(*(part for name in sorted(files) for part in (name, files[name])))


def find_imports(code: str) -> list[TypstPackage]:
    r"""Returns the packages that code imports, each once; not those of whole lines of comment.

    >>> print(*find_imports('// #import "@preview/a:0.1.0"\n#import "@preview/b:1.0.0": *'))
    @preview/b:1.0.0
    """
    lines = (line for line in code.split("\n") if not line.lstrip().startswith("//"))
    found = (TypstPackage(*match.groups()) for match in IMPORT.finditer("\n".join(lines)))
    return list(dict.fromkeys(found))


def find_missing(code: str) -> Iterator[MissingResource]:
    """Yields the packages that code imports and this machine does not have."""
    there = installed_packages()
    missing = (package.missing for package in find_imports(code) if package not in there)
    return islice(missing, MAX_MISSING)


def replace_versions(code: str, there: Iterable[TypstPackage]) -> tuple[str, str]:
    r"""Returns code that imports versions which are there, and what was replaced, for the log.

    A version that is not there is replaced by the latest that can take its place.

    Args:
        code: as a model wrote it.
        there: the packages that are there.

    >>> replace_versions('#import "@preview/cetz:0.3.1"', [TypstPackage("cetz", "0.3.4")])
    ('#import "@preview/cetz:0.3.4"', '@preview/cetz:0.3.1 is not installed: 0.3.4 is used\n')
    """
    releases: dict[str, list[TypstPackage]] = {}
    for package in there:
        releases.setdefault(package.name, []).append(package)
    used: dict[str, str] = {}
    for asked in find_imports(code):
        ours = releases.get(asked.name, [])
        fits = [package for package in ours if package.can_replace(asked)]
        if asked not in ours and fits:
            used[str(asked)] = str(max(fits, key=lambda package: package.order))
    code = IMPORT.sub(lambda found: _with_version(found[0], used), code)
    said = (
        f"{asked} is not installed: {best.rpartition(':')[2]} is used\n"
        for asked, best in used.items()
    )
    return code, "".join(said)


def _with_version(statement: str, used: Mapping[str, str]) -> str:
    before, asked, _ = statement.split('"')
    return f'{before}"{used.get(asked, asked)}"'


def listed_packages() -> list[str]:
    """Returns the packages that are installed by default, as ``name:version``."""
    lines = LISTED.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def explain_missing(names: Sequence[str]) -> str:
    """Returns that packages are missing, and what to do about it.

    >>> explain_missing(["cetz:0.4.2"])
    'Typst packages that are missing (1): cetz:0.4.2. Without network, ...'
    """
    return (
        f"Typst packages that are missing ({len(names)}): {shorten_text(', '.join(names), 300)}. "
        "Without network, copy github.com/typst/packages: helm-structext setup --typst-from FOLDER"
    )
