"""Mistakes that are planted in a scene, so that it is known what is wrong with a picture of it.

A scene is data: a mistake is a scene with one value changed. What a scene's records hold decides which
mistakes it can have; no kind of scenes has to say so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any, TypeVar

from helm_structext.scenes.scene import Scene, SceneKind

AnyScene = TypeVar("AnyScene", bound=Scene)
SEVERITIES = range(1, 6)
"""How many places of a scene have the mistake, or how large it is."""

Place = tuple[str | int, ...]
"""Names of fields and keys, and numbers of items, that lead from a scene to a value in it."""
FACTORS = (0.6, 1.6)
"""By which sides of shapes and numbers of charts are wrong."""
WAY, PAGE_WIDTH = 1 / 8, 320
"""Share of a page's width by which a shape is elsewhere; the width of a page that has none."""
Numbers = Mapping[bool, tuple[tuple[str, ...], ...]]
PLACES: Numbers = {False: (("x", "y"),), True: (("x", "y"), ("cx", "cy"))}
SIDES: Numbers = {False: (("w", "h"), ("rx", "ry"), ("r",)), True: (("width", "height"), ("r",))}
"""Names of the numbers that are a shape's place, and its sides; and those of a tag, as SVG has them."""
LETTERS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрстуфхц", "αβγδεζηθικλμνξοπρστυφ")


@dataclass(frozen=True)
class PlantedMistake:
    """One value of a scene that was changed.

    Args:
        kind: a key of `MISTAKES`.
        before: what stood there, as text.
        after: what stands there, or "" for nothing.
    """

    kind: str
    before: str
    after: str


def plant(
    of: SceneKind, scene: AnyScene, kind: str, severity: int, rng: Random
) -> tuple[AnyScene, list[PlantedMistake]] | None:
    """Returns a scene with a kind of mistake in `severity` places, and what was changed.

    Args:
        of: the scene's kind; what it can't write, or writes as before, is no mistake.
        scene: a right one.
        kind: a key of `MISTAKES`.
        severity: how many places have it, 1 to 5; fewer where the scene has no more.
        rng: draws the places.

    Returns:
        None where the scene has no place for such a mistake.
    """
    change = MISTAKES[kind]
    found: list[PlantedMistake] = []
    for _ in range(severity):
        taken = {one.after for one in found}
        choices = [one for one in change(scene, rng) if one[2].before not in taken]
        rng.shuffle(choices)
        right = _codes(of, scene)
        for place, value, mistake in choices:
            wrong = put(scene, place, value)
            codes = _codes(of, wrong)
            if codes and all(code != right.get(format) for format, code in codes.items()):
                scene = wrong
                found.append(mistake)
                break
    return (scene, found) if found else None


def _codes(of: SceneKind, scene: Scene) -> dict[str, str]:
    """How a scene is written in each format; nothing where it lost a part that others name."""
    try:
        return {name: of.writers[name](scene, Random(0)) for name in of.formats_of(scene)}
    except (IndexError, KeyError, ValueError, ArithmeticError):
        return {}


Change = Iterator[tuple[Place, Any, PlantedMistake]]
"""Where a mistake may be, what stands there then, and what that is."""


def values_of(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yields every value in a scene with its place, records and tuples included."""
    yield place, value
    for name, part in parts_of(value).items():
        yield from values_of(part, (*place, name))


def parts_of(value: Any) -> dict[str | int, Any]:
    """Returns what a value in a scene is made of: fields, keys or numbers to what stands there; nothing of a text.

    >>> parts_of(("Rain", "Snow")), parts_of("Rain")
    ({0: 'Rain', 1: 'Snow'}, {})
    """
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    return dict(enumerate(value)) if isinstance(value, tuple | list) else {}


def put(whole: Any, place: Place, value: Any) -> Any:
    """Returns a scene, or a part of one, with another value in a place.

    Args:
        whole: a scene or a part of one, which stays as it is.
        place: names and numbers that lead to the place from the outermost on; none for the whole.
        value: what is to stand there.
    """
    if not place:
        return value
    first, *rest = place
    if isinstance(first, int):
        changed = [*whole[:first], put(whole[first], tuple(rest), value), *whole[first + 1 :]]
        return type(whole)(changed)
    if isinstance(whole, Mapping):
        return {**whole, first: put(whole[first], tuple(rest), value)}
    return replace(whole, **{first: put(getattr(whole, first), tuple(rest), value)})


def texts_of(scene: Scene) -> Iterator[tuple[Place, str]]:
    """Yields the values of a scene that are to be read on a picture of it as they are, with their places."""
    shown = {*scene.texts}
    for place, value in values_of(scene):
        if isinstance(value, str) and value in shown and place not in (("type",), ("language",)):
            yield place, value


def _misspell(scene: Scene, rng: Random) -> Change:
    for place, text in texts_of(scene):
        spots = [n for n, letter in enumerate(text) if _alphabet(letter)]
        if spots:
            spot = rng.choice(spots)
            others = [one for one in _alphabet(text[spot]) if one != text[spot].lower()]
            letter = rng.choice(others)
            letter = letter.upper() if text[spot].isupper() else letter
            wrong = f"{text[:spot]}{letter}{text[spot + 1 :]}"
            yield place, wrong, PlantedMistake("text misspelt", text, wrong)


def _alphabet(letter: str) -> str:
    return next((one for one in LETTERS if letter.lower() in one), "")


def _exchange_text(scene: Scene, rng: Random) -> Change:
    texts = [*texts_of(scene)]
    for place, text in texts:
        others = [other for _, other in texts if other != text]
        if others:
            other = rng.choice(others)
            yield place, other, PlantedMistake("text changed", text, other)


def _recolor(scene: Scene, rng: Random) -> Change:
    for place, value in values_of(scene):
        if isinstance(value, str) and len(value) == 7 and value[0] == "#":
            parts = [int(value[n : n + 2], 16) for n in (1, 3, 5)]
            turned = "#" + "".join(f"{(part + 128) % 256:02x}" for part in parts)
            yield place, turned, PlantedMistake("recolored", value, turned)


def _drop(scene: Scene, rng: Random) -> Change:
    for place, value in _lists(scene):
        number = rng.randrange(len(value))
        left = (*value[:number], *value[number + 1 :])
        yield place, left, PlantedMistake("item lost", describe(value[number]), "")


def _swap(scene: Scene, rng: Random) -> Change:
    for place, value in _lists(scene):
        number = rng.randrange(len(value) - 1)
        first, second = value[number : number + 2]
        if describe(first) != describe(second):
            swapped = (*value[:number], second, first, *value[number + 2 :])
            said = PlantedMistake("order changed", describe(first), describe(second))
            yield place, swapped, said


def _lists(scene: Scene) -> Iterator[tuple[Place, tuple[Any, ...]]]:
    """The lists of records; those of bare values may need as many items as others have."""
    for place, value in values_of(scene):
        if isinstance(value, tuple | list) and len(value) > 2 and all(map(_is_record, value)):
            yield place, tuple(value)


def _is_record(value: Any) -> bool:
    return is_dataclass(value) or isinstance(value, Mapping)


def describe(item: Any) -> str:
    """Returns what is to be read in a part of a scene, or what it is."""
    texts = [value for _, value in values_of(item) if isinstance(value, str) and value]
    return texts[0] if texts else str(item)


def _resize(scene: Scene, rng: Random) -> Change:
    for place, sides in _shapes(scene, SIDES):
        changed = rng.choice((sides, dict([*sides.items()][:1])))
        factor = rng.choice(FACTORS)
        larger = {name: round(side * factor, 1) for name, side in changed.items()}
        yield _change_numbers("resized", scene, place, changed, larger)


def _move(scene: Scene, rng: Random) -> Change:
    way = WAY * float(getattr(scene, "width", PAGE_WIDTH))
    for place, places in _shapes(scene, PLACES):
        step = rng.choice((-way, way))
        changed = rng.choice((places, *({name: value} for name, value in places.items())))
        moved = {name: round(value + step, 1) for name, value in changed.items()}
        yield _change_numbers("moved", scene, place, changed, moved)


def _change_numbers(
    kind: str, scene: Scene, place: Place, before: Mapping[str, float], after: Mapping[str, float]
) -> tuple[Place, Any, PlantedMistake]:
    """The scene's record in a place with other numbers."""
    record: Any = scene
    for name in place:
        record = parts_of(record)[name]
    for name, value in after.items():
        record = put(record, (name,), value)
    said = (", ".join(f"{name} {value}" for name, value in one.items()) for one in (before, after))
    return place, record, PlantedMistake(kind, *said)


def _miscount(scene: Scene, rng: Random) -> Change:
    for place, value in values_of(scene):
        if place[-2:-1] == ("values",) and _is_number(value):
            wrong = type(value)(round(value * rng.choice(FACTORS), 1))
            yield place, wrong, PlantedMistake("number changed", str(value), str(wrong))


def _shapes(scene: Scene, fields: Numbers) -> Iterator[tuple[Place, Mapping[str, float]]]:
    """Records of shapes that have some numbers, with these; what several places share stays as it is."""
    for place, record in values_of(scene):
        parts = parts_of(record) if _is_record(record) and place else {}
        if "text" in parts or "symbol" in place:
            continue
        for names in fields["tag" in parts]:
            if all(_is_number(parts.get(name)) for name in names):
                yield place, {name: parts[name] for name in names}
                break


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


MISTAKES: Mapping[str, Callable[[Scene, Random], Change]] = {
    "text misspelt": _misspell,
    "text changed": _exchange_text,
    "recolored": _recolor,
    "item lost": _drop,
    "order changed": _swap,
    "resized": _resize,
    "moved": _move,
    "number changed": _miscount,
}
"""Kind of mistake to what yields where a scene can have it."""


def possible(scene: Scene, rng: Random) -> Sequence[str]:
    """Returns the kinds of mistakes that a scene has a place for.

    Args:
        scene: of any kind.
        rng: by which places are drawn.
    """
    return [kind for kind, change in MISTAKES.items() if any(True for _ in change(scene, rng))]
