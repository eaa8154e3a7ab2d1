"""What is measured of a case: the right answer, mistakes of five severities, half of it, harmless changes, frauds."""

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any, Literal, get_args

from PIL import Image, ImageChops

from helm_structext.audit.cases import UNWRITABLE, AuditCase
from helm_structext.audit.frauds import FRAUDS, Fake
from helm_structext.pictures import decode
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import SEVERITIES, plant, possible, values_of
from helm_structext.scenes.scene import Scene, SceneKind

AnswerRole = Literal["right", "mistake", "half right", "harmless", "fraud"]
ROLES: tuple[AnswerRole, ...] = get_args(AnswerRole)

MARGIN = 8
"""Pixels of white around a picture."""
JPEG = 90
"""Of 100: what cameras and browsers take."""
SHORT_SEVERITIES = (1, 3, 5)
"""Of mistakes in short audits."""


@dataclass(frozen=True)
class AuditAnswer:
    """An answer to a case, of which it is known what is wrong with it.

    Args:
        role: what it is.
        name: of its kind: of a mistake, a fraud, a harmless change.
        fake: its code, or the picture that some code draws.
        severity: how many places of a mistake there are, 1 to 5; else 0.
    """

    role: AnswerRole
    name: str
    fake: Fake
    severity: int = 0

    @property
    def key(self) -> str:
        """What tells it from others of its case."""
        return f"{self.role} {self.name} {self.severity}"


def find_answers(case: AuditCase, mistakes: int, *, short: bool = False) -> Iterator[AuditAnswer]:
    """Yields all answers to a case.

    Args:
        case: what is asked for.
        mistakes: kinds of mistakes that are planted, each in five severities, if there are so many.
        short: whether there are fewer severities, and nothing that is harmless.
    """
    yield AuditAnswer("right", "right", case.code)
    yield from _find_mistakes(case, mistakes, SHORT_SEVERITIES if short else SEVERITIES)
    if half := halve(case):
        yield AuditAnswer("half right", "half right", half)
    if not short:
        yield from _find_made(case, "harmless", HARMLESS)
    yield from _find_made(case, "fraud", FRAUDS)


def _find_made(
    case: AuditCase, role: AnswerRole, table: Mapping[str, Callable[[AuditCase], Fake | None]]
) -> Iterator[AuditAnswer]:
    for name, make in table.items():
        fake = make(case)
        if fake is not None and fake != case.code:
            yield AuditAnswer(role, name, fake)


def _find_mistakes(case: AuditCase, most: int, severities: Iterable[int]) -> Iterator[AuditAnswer]:
    for kind, severity, scene in find_mistaken(case, most, severities):
        if code := case.write(scene):
            yield AuditAnswer("mistake", kind, code, severity)


def find_mistaken(
    case: AuditCase, most: int, severities: Iterable[int] = SEVERITIES
) -> Iterator[tuple[str, int, Scene]]:
    """Yields kinds of mistakes, severities and scenes that have them.

    Those of a severity hold those of the severities below, as the same lot draws them.

    Args:
        case: with the right scene.
        most: kinds of mistakes, if there are so many.
        severities: that are tried, the smallest first.
    """
    of_format = kind_in_format(case)
    kinds = possible(case.scene, _lot(case, "kinds"))
    for kind in _lot(case, "which").sample(kinds, min(most, len(kinds))):
        seen = 0
        for severity in severities:
            found = plant(of_format, case.scene, kind, severity, _lot(case, kind))
            if found and len(found[1]) > seen:
                seen = len(found[1])
                yield kind, seen, found[0]


def kind_in_format(case: AuditCase) -> SceneKind:
    """Returns the kind as if it had the case's format alone: then it takes a fifth of the time to see a mistake.

    Args:
        case: in any format.
    """
    kind = KINDS[case.kind]
    writer = kind.writers.get(case.format)
    return replace(kind, writers={case.format: writer}) if writer else kind


def shorten_scene(case: AuditCase) -> Scene:
    """Returns the scene with the first half of each of its lists."""
    shorter: Scene = _shorten(case.scene, _list_lengths(case.scene)[-1])
    return shorter


def halve(case: AuditCase) -> str | None:
    """Returns an honest answer that is half right.

    The second halves of some lists of the scene are missing: of those of one length or of all, the ones that leave
    what is nearest to half of its letters, or of its code where it has few texts. Where much more than half is
    left, half of the texts are exchanged, too.

    Returns:
        Its code, or None where the scene has nothing that may be missing or exchanged.
    """
    whole = _amount(case.scene, case.code)
    choices = [(1.0, case.scene)]
    for lengths in _list_lengths(case.scene):
        with suppress(*UNWRITABLE):
            scene = _shorten(case.scene, lengths)
            if code := case.write(scene):
                choices.append((_amount(scene, code) / whole, scene))
    left, scene = min(choices, key=lambda choice: abs(choice[0] - 0.5))
    if left > MUCH_LEFT:
        number = max(len(case.texts) // 2, 1)
        found = plant(kind_in_format(case), scene, "text changed", number, _lot(case, "half"))
        scene = found[0] if found else scene
    code = case.write(scene)
    return None if code == case.code else code


def _list_lengths(scene: Scene) -> list[set[int]]:
    lists = (value for _, value in values_of(scene) if isinstance(value, tuple | list))
    lengths = {len(value) for value in lists} - {0, 1}
    return [*({one} for one in sorted(lengths)), lengths]


MUCH_LEFT = 0.65
"""Share of a scene from which on it is more than half."""
FEW_LETTERS = 40


def _amount(scene: Scene, code: str) -> int:
    letters = sum(map(len, scene.texts))
    return letters if letters >= FEW_LETTERS else len(code)


def _shorten(value: Any, lengths: Collection[int]) -> Any:
    """A scene, or a part of one, in which lists of some lengths have their first halves alone."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.init]
        return replace(value, **{name: _shorten(getattr(value, name), lengths) for name in names})
    if isinstance(value, Mapping):
        return {name: _shorten(one, lengths) for name, one in value.items()}
    if isinstance(value, tuple | list):
        kept = value[: len(value) // 2] if len(value) in lengths else value
        return type(value)(_shorten(one, lengths) for one in kept)
    return value


def _lot(case: AuditCase, what: str) -> Random:
    return Random(f"{case.seed}/{case.name}/{what}")


def _written_anew(case: AuditCase) -> Fake | None:
    code = KINDS[case.kind].writers[case.format](case.scene, _lot(case, "again")).strip()
    return None if code == case.code else code


def _moved(case: AuditCase) -> Fake:
    return ImageChops.offset(case.drawing.image, 1, 1)


def _widened(case: AuditCase) -> Fake:
    picture = case.drawing.image
    corner = picture.getpixel((0, 0))
    around = Image.new("RGB", (picture.width + 2 * MARGIN, picture.height + 2 * MARGIN), corner)
    around.paste(picture, (MARGIN, MARGIN))
    return around


def _as_jpeg(case: AuditCase) -> Fake:
    data = io.BytesIO()
    case.drawing.image.save(data, "JPEG", quality=JPEG)
    return decode(data.getvalue())


HARMLESS: Mapping[str, Callable[[AuditCase], Fake | None]] = {
    "written anew": _written_anew,
    "moved by a pixel": _moved,
    "wider margin": _widened,
    "as JPEG": _as_jpeg,
}
"""Name → from a case to an answer that nobody would call worse; None where a format has no other way."""
