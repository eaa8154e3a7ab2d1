"""One scene of a set: drawn by lot, written in formats, rendered and checked."""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from helm_structext.errors import MissingResource, RenderError, SetupError
from helm_structext.protocols import OWN_PROTOCOL, ProtocolName
from helm_structext.renderers import Rendering, render
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.proof import prove
from helm_structext.scenes.scene import FAMILIES, Level, Scene
from helm_structext.scenes.settings import SetSettings
from helm_structext.storage.cache import content_key
from helm_structext.texts import one_line

TRIES = 2
"""Of code that takes too long or too much: the machine may have been busy."""

MAX_DRAWS = 64 * FAMILIES
"""Of one scene: with many scenes in each family, so many are never needed."""

MAX_SAID = 300
"""Characters of what is said of a picture that is left out."""

UNSAID = "no format can say it"
"""Why a scene is dropped that nothing was written of."""


class Renderer(Protocol):
    """Makes a picture of code, as `helm_structext.renderers.render` does."""

    def __call__(
        self, format: str, source: str, *, protocol: ProtocolName, layout: bool
    ) -> Rendering: ...


@dataclass(frozen=True)
class SceneItem:
    """A scene in one format.

    Args:
        format: its format.
        code: how the scene is written.
        text: the code reduced to its content.
        png: the picture.
        size: its width and height.
    """

    format: str
    code: str
    text: str
    png: bytes
    size: tuple[int, int]


@dataclass(frozen=True)
class Drop:
    """A picture for which a scene is left out.

    Args:
        format: of the picture, or "" where no format can say the scene.
        reason: by which it is counted, such as ``syntax``.
        said: more about it, for people.
    """

    format: str
    reason: str
    said: str = ""


@dataclass(frozen=True)
class MadeScene:
    """What came of a number of a set.

    Args:
        kind: a key of `KINDS`.
        number: from 0 on.
        scene: that was drawn.
        formats: in which it was written.
        items: it in these formats.
        drops: why it is left out; then there are no items.
    """

    kind: str
    number: int
    scene: Scene
    formats: tuple[str, ...]
    items: tuple[SceneItem, ...] = ()
    drops: tuple[Drop, ...] = ()


def draw_number(settings: SetSettings, kind: str, number: int) -> Scene:
    """Returns the scene of a number: the same for the same seed, whatever else is in the set.

    It is drawn again until it belongs to the seed's family, so that seeds of other families never draw it.

    Args:
        settings: of the set.
        kind: a key of `KINDS`.
        number: from 0 on.

    Raises:
        LookupError: nothing that was drawn is of the seed's family; the kind has too few scenes.
    """
    lot = Random(f"{settings.seed}/{kind}/{number}/lot")
    level: Level = lot.choice(settings.levels)
    language = lot.choice(settings.languages)
    for again in range(MAX_DRAWS):
        name = f"{settings.seed}/{kind}/{number}/{again}"
        scene: Scene = KINDS[kind].draw(Random(name), level, language)
        if scene.family == settings.seed % FAMILIES:
            return scene
    raise LookupError(f"none of {MAX_DRAWS} scenes is of the family of seed {settings.seed}")


def write_number(settings: SetSettings, kind: str, number: int, scene: Scene) -> dict[str, str]:
    """Returns the code of a scene by format: in all that can say it, or in one that is drawn by lot.

    Args:
        settings: of the set.
        kind: of the scene.
        number: of the scene.
        scene: that `draw_number` drew.
    """
    can = set(KINDS[kind].formats_of(scene))
    formats = [format for format in settings.formats if format in can]
    if formats and not settings.parallel:
        formats = [Random(f"{settings.seed}/{kind}/{number}/format").choice(formats)]
    return {
        # As extraction gives it, or the oracle's texts would differ by their last line break.
        format: KINDS[kind]
        .writers[format](scene, Random(f"{settings.seed}/{kind}/{number}/{format}"))
        .strip()
        for format in formats
    }


def make_scene(
    settings: SetSettings, kind: str, number: int, renderer: Renderer = render
) -> MadeScene:
    """Draws, writes, renders and checks a scene. It is left out if anything is wrong with any picture.

    Args:
        settings: of the set.
        kind: of the scene.
        number: of the scene.
        renderer: makes the pictures.

    Raises:
        SetupError: the machine can't render, or lacks what the scene needs, such as a font.
    """
    try:
        scene = draw_number(settings, kind, number)
        codes = write_number(settings, kind, number, scene)
        made = [
            _make_item(settings, kind, scene, format, code, renderer)
            for format, code in codes.items()
        ]
    except Exception as error:
        error.add_note(f"scene {number} of {kind}, seed {settings.seed}")
        raise
    drops = [one for one in made if isinstance(one, Drop)] if made else [Drop("", UNSAID)]
    items = [one for one in made if isinstance(one, SceneItem) and not drops]
    return MadeScene(kind, number, scene, tuple(codes), tuple(items), tuple(drops))


def _make_item(
    settings: SetSettings, kind: str, scene: Scene, format: str, code: str, renderer: Renderer
) -> SceneItem | Drop:
    try:
        rendering = _render(
            lambda: renderer(format, code, protocol=OWN_PROTOCOL, layout=settings.proof)
        )
    except RenderError as error:
        _check_there(format, error.missing)
        return Drop(format, error.kind, error.message)
    if settings.proof and (reason := _fault(kind, scene, format, rendering)):
        return Drop(format, reason, one_line(rendering.layout_reason or rendering.log, MAX_SAID))
    png = io.BytesIO()
    rendering.image.save(png, "PNG")
    return SceneItem(format, code, rendering.text, png.getvalue(), rendering.image.size)


def _fault(kind: str, scene: Scene, format: str, rendering: Rendering) -> str:
    """What is wrong with a picture, or ""."""
    _check_there(format, rendering.missing)
    return "errors of TeX" if rendering.tex_errors else prove(kind, scene, rendering)


def _check_there(format: str, missing: Sequence[MissingResource]) -> None:
    """Raises SetupError if something is missing: our scenes ask for nothing but what is installed, such as fonts."""
    if missing:
        raise SetupError(
            f"{missing[0].explain()}, which scenes in {format} need. `helm-structext doctor` says what this "
            f"machine lacks; other formats or languages may do"
        )


def _render(render: Callable[[], Rendering]) -> Rendering:
    for _ in range(TRIES - 1):
        try:
            return render()
        except RenderError as error:
            if error.kind not in ("timeout", "resource"):
                raise
    return render()


def scene_id(settings: SetSettings, made: MadeScene) -> str:
    """Returns the id that a scene has in all formats."""
    scene = made.scene
    parts = (str(settings.seed), made.kind, str(made.number), scene.level, scene.language)
    return content_key("scene", *parts)[:24]


def row_of(settings: SetSettings, made: MadeScene, item: SceneItem) -> dict[str, Any]:
    """Returns a scene in one format as a row of the published schema.

    Args:
        settings: of the set.
        made: the scene.
        item: one of its items.
    """
    scene, id = made.scene, scene_id(settings, made)
    about = {"scene": id, "kind": made.kind, "type": scene.type, "language": scene.language}
    values = {
        "instance_name": f"{made.kind} {made.number} of seed {settings.seed}",
        "additional_info": about,
        "file_filters": {},
        "compilation_info": {},
        "rendering_filters": {},
        "category": made.kind,
        "uuid": content_key("item", id, item.format)[:24],
        "length": len(item.code),
    }
    return {
        "structure": item.code,
        "text": item.text,
        "image": {"bytes": item.png, "path": None},
        **{name: json.dumps(value) for name, value in values.items()},
        "assets": [],
        "difficulty": scene.level,
    }
