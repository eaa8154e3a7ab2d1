"""What a scene is, and what a kind of scenes supplies.

A scene is data, not code: the series of a chart, the steps of a diagram. Each kind is a package with
``scene.py`` (the data, and how it is drawn by lot), a file for each format (how it is written there) and
``words/`` (texts by language). `helm_structext.scenes.kinds` is the table of all kinds.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, get_args

import yaml

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = get_args(Level)

LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "ru": "Russian",
    "el": "Greek",
    "zh": "Chinese",
    "ja": "Japanese",
}
"""Language of a scene's texts, as BCP 47 says, to its name. They are written in five scripts."""

FAMILIES = 16
"""How many there are: seeds that differ in their rest by it share no scene."""


@dataclass(frozen=True)
class SceneMark:
    """Shapes of one color that a picture of a scene has.

    Args:
        color: as ``#rrggbb``.
        count: how many there are, at least.
        named: whether a legend says what the color means, so that it has to be told from others.
    """

    color: str
    count: int = 1
    named: bool = False


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a picture shows.

    Args:
        type: of its kind's types, such as ``grouped bars``.
        language: of its texts, a key of `LANGUAGES`.
        level: how much is in it.
    """

    LOOK: ClassVar[frozenset[str]] = frozenset()
    """Fields that say how it looks, and not what it shows."""

    type: str
    language: str
    level: Level

    @property
    def family(self) -> int:
        """Which of the `FAMILIES` it belongs to, whatever its `LOOK`: a seed draws scenes of one of them only."""
        shown = [
            (field.name, getattr(self, field.name))
            for field in fields(self)
            if field.name not in self.LOOK
        ]
        return int.from_bytes(sha256(repr(shown).encode()).digest()[:8]) % FAMILIES

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """What is to be read on a picture of it, in any format: each text as often as it stands there."""

    @property
    def marks(self) -> Sequence[SceneMark]:
        """Which shapes are to be seen on it, in any format; none where formats draw what they like."""
        return ()


Writer = Callable[[Any, Random], str]
"""Writes a scene of its kind as code of one format; the lot decides how, of several usual ways."""


def says_all(scene: Any, format: str) -> bool:
    """Says that each format of a kind can write each of its scenes."""
    return True


@dataclass(frozen=True)
class SceneKind:
    """One kind of scenes.

    Args:
        name: of its package.
        types: of its scenes.
        draw: draws a scene by lot: from randomness, a level and a language.
        writers: format to how a scene is written in it.
        says: whether a format of `writers` can write a scene: a type that it lacks, a script without fonts.
    """

    name: str
    types: tuple[str, ...]
    draw: Callable[[Random, Level, str], Any]
    writers: Mapping[str, Writer]
    says: Callable[[Any, str], bool] = says_all

    def formats_of(self, scene: Scene) -> list[str]:
        """Returns the formats that can write a scene of this kind."""
        return [format for format in self.writers if self.says(scene, format)]


@lru_cache(maxsize=128)
def read_words(kind: str, language: str) -> Mapping[str, Any]:
    """Returns a kind's texts in a language: the content of its ``words/<language>.yaml``.

    Args:
        kind: name of the kind's package.
        language: a key of `LANGUAGES`.
    """
    file = Path(__file__).parent / kind / "words" / f"{language}.yaml"
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found
