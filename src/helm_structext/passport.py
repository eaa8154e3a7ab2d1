"""One hash of all that can change a picture or a score here, and what it is made of.

Two tables whose passports are the same differ for the models' sake alone. Where they are not, the parts that
differ say which machine, engine, font or library may be why.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.layouts import REVISION
from helm_structext.machine.fonts import FAMILIES, installed_fonts
from helm_structext.metrics.weights import WEIGHT_FILES
from helm_structext.renderers import engine_of
from helm_structext.storage.cache import content_key
from helm_structext.texts import one_line

LENGTH = 16
"""Hexadecimal digits of a passport's hash."""
LIBRARIES = ("numpy", "pillow", "scipy", "pot", "levenshtein", "nltk", "toml", "tomli", "torch")
"""That compute scores, or read what is scored."""
CODE = (
    "extraction",
    "findings",
    "layouts",
    "metrics",
    "scoring",
    "image2struct",
    "mmr",
    "structeval",
)
"""Our own packages that scores come from."""
ABSENT = "not here"
MAX_PARTS, MAX_VALUE = 200, 2000
"""Of a passport that is read, and characters of a part."""


@dataclass(frozen=True)
class Passport:
    """All that can change a picture or a score.

    Args:
        parts: what it is → its version, or `ABSENT`.

    >>> Passport({"numpy": "2.4"}).hash == Passport({"numpy": "2.5"}).hash
    False
    """

    parts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """`LENGTH` hexadecimal digits."""
        return content_key(json.dumps(sorted(self.parts.items())))[:LENGTH]

    def document(self) -> dict[str, object]:
        """Returns it as JSON: ``passport`` and ``parts``."""
        return {"passport": self.hash, "parts": dict(self.parts)}

    def having(self, **parts: str | None) -> "Passport":
        """Returns it with more parts; those of None are left out."""
        return Passport({**self.parts, **{name: one for name, one in parts.items() if one}})


def make_passport(formats: Iterable[str] | None = None) -> Passport:
    """Returns the passport of this machine.

    Args:
        formats: whose engines count; by default all that are rendered. What is not installed is `ABSENT`.

    >>> "engine typst" in make_passport(["typst"]).parts
    True
    """
    return _machine_passport(tuple(sorted(rendered_formats() if formats is None else formats)))


@lru_cache(maxsize=32)
def _machine_passport(formats: tuple[str, ...]) -> Passport:
    parts = {
        "helm-structext": __version__,
        "code of scores": _code_hash(),
        "layouts": REVISION,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "fonts": _fonts_hash(),
        **{name: _library_version(name) for name in LIBRARIES},
        **{f"weights {one.name}": "here" if one.usable else ABSENT for one in WEIGHT_FILES},
        **{f"engine {format}": _engine_version(format) for format in formats},
    }
    return Passport(parts)


def _engine_version(format: str) -> str:
    try:
        return one_line(engine_of(format).version(), MAX_VALUE)
    except SetupError:
        return ABSENT


def _library_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ABSENT


def _fonts_hash() -> str:
    """A hash of the fonts that pictures depend on, and how many there are."""
    try:
        fonts = [one for one in installed_fonts() if not FAMILIES.keys().isdisjoint(one.families)]
    except SetupError:
        return ABSENT
    stamps = sorted((one.path.name, one.version, one.path.stat().st_size) for one in fonts)
    return f"{len(stamps)} files, {content_key(json.dumps(stamps))[:LENGTH]}"


def _code_hash() -> str:
    root = Path(__file__).parent
    files = sorted(path for name in CODE for path in (root / name).rglob("*.py"))
    named = ((str(path.relative_to(root)), path.read_bytes()) for path in files)
    return content_key(*(part for pair in named for part in pair))[:LENGTH]


def read_passport(document: object) -> Passport:
    """Returns a passport of JSON, which others may have written.

    Raises:
        ValueError: it is none.

    >>> read_passport(Passport({"numpy": "2.4"}).document()).parts
    {'numpy': '2.4'}
    >>> read_passport({"parts": 3})
    Traceback (most recent call last):
    ValueError: it is no passport
    """
    match document:
        case {"parts": dict(parts)} if len(parts) <= MAX_PARTS and all(
            isinstance(one, str) and len(one) <= MAX_VALUE for pair in parts.items() for one in pair
        ):
            return Passport(parts)
    raise ValueError("it is no passport")


def find_differences(passports: Sequence[Passport]) -> dict[str, list[str]]:
    """Returns the parts in which passports differ: part → its values in their order.

    >>> old, new = Passport({"numpy": "2.4", "python": "3.11"}), Passport({"numpy": "2.5", "python": "3.11"})
    >>> find_differences([old, new])
    {'numpy': ['2.4', '2.5']}
    """
    names = dict.fromkeys(name for one in passports for name in one.parts)
    values = {name: [one.parts.get(name, ABSENT) for one in passports] for name in names}
    return {name: found for name, found in values.items() if len({*found}) > 1}


def describe_passports(passports: Sequence[Passport | None]) -> str:
    """Returns a line about the passports of some runs, where None is a run that has none.

    >>> one, other = Passport({"numpy": "2.4"}), Passport({"numpy": "2.5"})
    >>> describe_passports([one, one]) == f"Passport {one.hash}."
    True
    >>> describe_passports([one, other, None]).partition(":")[2]
    ' numpy. What is ranked here may differ for that alone. 1 run has no passport.'
    """
    counts = Counter(one for one in (found and found.hash for found in passports) if one)
    unknown = sum(one is None for one in passports)
    said = f"{unknown} run{'s have' if unknown > 1 else ' has'} no passport." if unknown else ""
    if not counts:
        return said
    if len(counts) == 1:
        return f"Passport {next(iter(counts))}. {said}".strip()
    listed = ", ".join(f"{name} ({number} runs)" for name, number in counts.most_common(3))
    more = f" and {len(counts) - 3} more" if len(counts) > 3 else ""
    parts = ", ".join(find_differences([one for one in passports if one]))
    warning = "What is ranked here may differ for that alone."
    return f"Passports {listed}{more} differ in: {parts}. {warning} {said}".strip()
