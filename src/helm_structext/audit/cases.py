"""What is audited: scenes in a format, with the pictures of others that frauds take for theirs."""

import itertools
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, Protocol

from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.pictures import open_png
from helm_structext.protocols import OWN_PROTOCOL, ProtocolName
from helm_structext.renderers import Rendering, render
from helm_structext.scenes.items import MadeScene, draw_number, make_scene
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.scene import Scene
from helm_structext.scenes.settings import SetSettings
from helm_structext.storage.cache import renderings_folder

OTHERS = 2
"""Scenes of the same kind in the same format, whose pictures frauds take."""
PATIENCE = 20
"""Scenes in a row of which none may be usable in a format."""
LATIN = ("en", "de", "fr", "es")
"""Languages whose letters every format has, so that no fraud fails for want of them."""
UNWRITABLE = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError)
"""What writers raise at a scene that lost a part which others name."""


class FraudCase(Protocol):
    """What frauds look at of a reference; `AuditCase` says what each is."""

    @property
    def format(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def others(self) -> Sequence[Image.Image]: ...
    @property
    def texts(self) -> Sequence[str]: ...
    @property
    def drawing(self) -> Rendering: ...
    @property
    def scene(self) -> Scene | None:
        """What is to be seen; None where nothing but the code is known."""
        ...

    def write(self, scene: Any) -> str | None: ...


@dataclass(frozen=True)
class AuditCase:
    """A scene in one format: what an answer should be.

    Args:
        seed: of the audit.
        kind: a key of `KINDS`.
        number: of the scene, as `draw_number` knows it.
        format: in which it is asked for.
        scene: what is to be seen.
        code: that draws it.
        others: pictures of other scenes.
    """

    seed: int
    kind: str
    number: int
    format: str
    scene: Scene
    code: str
    others: tuple[Image.Image, ...]

    @property
    def name(self) -> str:
        """What tells it from others, such as ``svg-chart-0``."""
        return f"{self.format}-{self.kind}-{self.number}"

    @property
    def texts(self) -> list[str]:
        """What is to be read on its picture."""
        return [*self.scene.texts]

    @cached_property
    def drawing(self) -> Rendering:
        """Its rendering with its layout, from the cache where it is there; several threads may look at it."""
        found = draw_code(self.format, self.code, protocol=OWN_PROTOCOL, layout=True)
        found.image.load()
        return found

    def write(self, scene: Any) -> str | None:
        """Returns another scene of its kind as its code was written; None where that lost a part that others name."""
        lot = Random(f"{self.seed}/{self.kind}/{self.number}/{self.format}")
        try:
            return KINDS[self.kind].writers[self.format](scene, lot).strip()
        except UNWRITABLE:
            return None


def draw_code(format: str, source: str, *, protocol: ProtocolName, layout: bool) -> Rendering:
    """Renders code as `helm_structext.renderers.render` does, and keeps it in the user's cache."""
    cache = renderings_folder()
    return render(format, source, protocol=protocol, layout=layout, cache=cache)


def find_cases(settings: SetSettings) -> Iterator[AuditCase]:
    """Yields `count` scenes of each kind, each in one format, all of them in turn, or in all if it is parallel.

    Kinds and formats alternate, so that there are as many of each wherever the audit stops. No scene is in two
    formats, unless it is parallel.

    Args:
        settings: of the audit, as of a set of scenes.

    Raises:
        SetupError: the machine can't render, or a format gives no usable picture of many scenes in a row.
    """
    streams = [stream for kind in settings.kinds for stream in _streams(settings, kind)]
    while streams:
        for stream in [*streams]:
            if case := next(stream, None):
                yield case
            else:
                streams.remove(stream)


def _streams(settings: SetSettings, kind: str) -> Iterator[Iterator[AuditCase]]:
    """Cases of a kind, for each of its formats."""
    formats = [name for name in settings.formats if name in KINDS[kind].writers]
    step = 1 if settings.parallel else len(formats)
    for place, format in enumerate(formats):
        start = 0 if settings.parallel else place
        # The first ones have one more where they don't come out even.
        count = len(range(start, settings.count, step))
        of_format = replace(settings, formats=(format,), parallel=False)
        numbers = itertools.count(start, step)
        yield itertools.islice(_cases(of_format, kind, numbers), count)


def _cases(settings: SetSettings, kind: str, numbers: Iterable[int]) -> Iterator[AuditCase]:
    """Scenes in one format; the others of each are those that come after it."""
    window: deque[MadeScene] = deque(maxlen=1 + OTHERS)
    for found in _usable(settings, kind, numbers):
        window.append(found)
        if len(window) == window.maxlen:
            made, *after = window
            others = tuple(map(_picture, after))
            (item,) = made.items
            yield AuditCase(
                settings.seed, kind, made.number, item.format, made.scene, item.code, others
            )


def _usable(settings: SetSettings, kind: str, numbers: Iterable[int]) -> Iterator[MadeScene]:
    reasons: Counter[str] = Counter()
    for number in numbers:
        if not KINDS[kind].says(draw_number(settings, kind, number), settings.formats[0]):
            continue
        made = make_scene(settings, kind, number, draw_code)
        if made.items:
            reasons.clear()
            yield made
        else:
            reasons.update(drop.reason for drop in made.drops)
        if reasons.total() >= PATIENCE:
            often = ", ".join(reason for reason, _ in reasons.most_common(3))
            raise SetupError(
                f"none of {PATIENCE} scenes of {kind} in {settings.formats[0]} in a row can be used "
                f"({often}); `helm-structext doctor` says what this machine lacks"
            )


def _picture(made: MadeScene) -> Image.Image:
    return open_png(made.items[0].png)
