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
REWARDS = "code of rewards"
"""The part of a passport that has our guards and weights: only rewards and their servers have it."""
CHANGES = {
    "engine": "pictures of {}",
    "weights": "scores by {}",
    "fonts": "pictures",
    "layouts": "findings, and scores by what lies on pictures",
    "code": "scores",
    "reward": "rewards, by their {}",
    **dict.fromkeys((*LIBRARIES, "judge"), "scores"),
}
"""What a part can change, by the first word of its name, with the rest of it; any other, all."""
ALL = "pictures and scores"
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


def make_reward_passport(formats: Iterable[str] | None = None) -> Passport:
    """Returns the passport of this machine with the code of rewards: their guards and weights change rewards alone.

    Args:
        formats: see `make_passport`.

    >>> find_differences([make_passport([]), make_reward_passport([])]).keys()
    dict_keys(['code of rewards'])
    """
    return make_passport(formats).having(**{REWARDS: _hash_code(("rewards",))})


@lru_cache(maxsize=32)
def _machine_passport(formats: tuple[str, ...]) -> Passport:
    parts = {
        "helm-structext": __version__,
        "code of scores": _hash_code(CODE),
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


@lru_cache(maxsize=4)
def _hash_code(packages: tuple[str, ...]) -> str:
    root = Path(__file__).parent
    files = sorted(path for name in packages for path in (root / name).rglob("*.py"))
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


def explain_part(name: str) -> str:
    """Returns what can change with a part of a passport.

    >>> explain_part("engine lilypond"), explain_part("numpy"), explain_part("python")
    ('pictures of lilypond', 'scores', 'pictures and scores')
    """
    kind, _, rest = name.partition(" ")
    return CHANGES.get(kind, ALL).format(rest)


def join_passports(passports: Sequence[Passport]) -> Passport:
    """Returns the passport of what was scored in several places: where these differ, a part has all its values.

    >>> one, other = Passport({"numpy": "2.4", "python": "3.11"}), Passport({"numpy": "2.5", "python": "3.11"})
    >>> join_passports([one, other, one]).parts
    {'numpy': '2.4 or 2.5', 'python': '3.11'}
    >>> join_passports([one, one]) == one
    True
    """
    names = dict.fromkeys(name for one in passports for name in one.parts)
    values = {
        name: dict.fromkeys(one.parts.get(name, ABSENT) for one in passports) for name in names
    }
    return Passport(
        {name: one_line(" or ".join(sorted(found)), MAX_VALUE) for name, found in values.items()}
    )


def describe_passports(passports: Sequence[Passport | None]) -> str:
    """Returns a line about the passports of some runs, where None is a run that has none.

    >>> one, other = Passport({"numpy": "2.4"}), Passport({"numpy": "2.5"})
    >>> describe_passports([one, one]) == f"Passport {one.hash}."
    True
    >>> describe_passports([one, other, None]).partition(":")[2]
    ' numpy. What is ranked here may differ for that alone. 1 run has no passport.'
    """
    known = {one.hash: one for one in passports if one}
    return describe_hashes(Counter(one.hash if one else None for one in passports), known)


def describe_hashes(
    counts: Mapping[str | None, int], known: Mapping[str, Passport], what: str = "run"
) -> str:
    """Returns a line about passports of which the hashes are known, and maybe the parts.

    Args:
        counts: hash → how many have it; None → how many have no passport.
        known: hash → passport.
        what: they are, in the singular.

    >>> one = Passport({"numpy": "2.4"})
    >>> describe_hashes({one.hash: 3, "a" * 16: 1}, {one.hash: one}, "answer").partition("differ")[2]
    ' in: parts that are not known. What is ranked here may differ for that alone.'
    """
    hashes = Counter({name: number for name, number in counts.items() if name})
    unknown = counts.get(None, 0)
    have = "s have" if unknown > 1 else " has"
    said = f"{unknown} {what}{have} no passport." if unknown else ""
    if not hashes:
        return said
    if len(hashes) == 1:
        return f"Passport {next(iter(hashes))}. {said}".strip()
    listed = ", ".join(f"{name} ({number} {what}s)" for name, number in hashes.most_common(3))
    more = f" and {len(hashes) - 3} more" if len(hashes) > 3 else ""
    parts = [*find_differences([known[name] for name in hashes if name in known])]
    if not hashes.keys() <= known.keys():
        parts.append("parts that are not known")
    warning = "What is ranked here may differ for that alone."
    return f"Passports {listed}{more} differ in: {', '.join(parts)}. {warning} {said}".strip()
