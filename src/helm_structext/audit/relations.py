"""Frauds that rearrange a scene: everything is there, and nothing belongs together.

Each is the scene's own data, dealt anew and written by the format's own writer. So nothing tells them from an honest
answer but what stands where, which is what a picture is made to say.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Any, TypeVar

from helm_structext.audit.cases import FraudCase
from helm_structext.scenes.chart.scene import ChartScene, ChartSeries
from helm_structext.scenes.diagram.scene import DiagramEdge, SequenceStep
from helm_structext.scenes.formula.tree import Glyph
from helm_structext.scenes.mistakes import Place, put, texts_of, values_of
from helm_structext.scenes.scene import Scene

Changes = dict[Place, Any]
"""Places of a scene to what is to stand there."""

AnyText = TypeVar("AnyText", bound=Hashable)

SPANS = "spans"
"""The name of fields with a text in pieces of several styles."""
DIGITS = "0123456789"
MARK = "\N{REPLACEMENT CHARACTER}"
"""What no text has."""
GROUNDS = frozenset({"ground", "background"})
"""Names of fields with the color behind all."""
PAINTED = frozenset({"palette", "ramp", "fill", "stroke", "tint", "colors"})
"""Names of fields with colors of shapes."""
MANY = 1 / 3
"""Share of texts, or of a formula's signs, that have numbers, from which on a scene is about them."""


def _rewrite(case: FraudCase, changes: Changes) -> str | None:
    """The case's scene with other values, as its format writes it; None where nothing is another one."""
    scene: Any = case.scene
    for place, value in changes.items():
        scene = put(scene, place, value)
    return case.write(scene) if changes else None


# Texts


def deal_texts(case: FraudCase) -> str | None:
    """Returns the scene with its texts exchanged among their places.

    They go to places of their kind: labels of edges to other edges, cells to other cells. Those that are alone in
    their kind, such as a title and the name of an axis, are exchanged among themselves.

    Args:
        case: of a scene; of code alone nothing is known.
    """
    if case.scene is None:
        return None
    texts = _find_texts(case.scene)
    read = {place for place in texts if _is_read(case.scene, place)}
    lot = Random(case.number)
    changes: Changes = {}
    for places in _group_places(texts, read):
        changes |= zip(places, deal([texts[place] for place in places], lot), strict=True)
    # What names a text elsewhere, such as the series of a box, goes on naming the same one.
    names = {texts[place]: text for place, text in changes.items()}
    unread = {place: names.get(text, text) for place, text in texts.items() if place not in read}
    return _rewrite(case, changes | unread)


def _find_texts(scene: Scene) -> dict[Place, Hashable]:
    """The texts of a scene by their places; one of several styles is the tuple of its spans."""
    texts = {place: text for place, text in texts_of(scene) if SPANS not in place}
    return {**texts, **{place: one for place, one in values_of(scene) if place[-1:] == (SPANS,)}}


def _is_read(scene: Scene, place: Place) -> bool:
    """Whether a text is read where it stands; others, such as a drawing's name, say the same out of sight."""
    return place[-1:] == (SPANS,) or MARK in put(scene, place, MARK).texts


def _group_places(
    texts: Mapping[Place, Hashable], read: Collection[Place]
) -> Iterator[list[Place]]:
    """Places of a kind, where they have more than one text; then those that are alone in their kind, pieces apart."""
    kinds: dict[Place, list[Place]] = defaultdict(list)
    for place in (place for place in texts if place in read):
        kinds[tuple(step for step in place if isinstance(step, str))].append(place)
    alone: tuple[list[Place], list[Place]] = [], []
    for places in kinds.values():
        if len({texts[place] for place in places}) > 1:
            yield places
        else:
            alone[places[0][-1] == SPANS].extend(places)
    yield from alone


def deal(texts: Sequence[AnyText], lot: Random) -> list[AnyText]:
    """Returns texts in another order: none stands where it stood, if no text is more than half of them.

    >>> deal(["Rain", "Snow", "Rain", "Sun"], Random(1))
    ['Snow', 'Rain', 'Sun', 'Rain']
    """
    numbers: dict[AnyText, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        numbers[text].append(number)
    groups = [*numbers.values()]
    lot.shuffle(groups)
    ordered = [*chain.from_iterable(groups)]
    # As many steps as the largest group has members lead from each out of its own group.
    way = max(map(len, groups), default=0)
    dealt = dict(zip(ordered, ordered[way:] + ordered[:way], strict=True))
    return [texts[dealt[number]] for number in range(len(texts))]


# Numbers


def deal_numbers(case: FraudCase) -> str | None:
    """Returns the scene with another number, of as many digits, for each number of its texts, formulas and charts.

    Args:
        case: of a scene; None where it says little in numbers: another date in a page of words is a mistake, no fraud.
    """
    if case.scene is None:
        return None
    lot = Random(case.number)
    changes: Changes = {}
    if isinstance(case.scene, ChartScene):  # before the numbers that are in names of series
        changes["series",] = _draw_series(case.scene, lot)
    read = [*_signs_in(case.scene)]
    redrawn = {place: other for place, text in read if (other := redraw_digits(text, lot)) != text}
    if not changes and len(redrawn) < MANY * len(read):
        return None
    return _rewrite(case, changes | redrawn)


def _signs_in(scene: Scene) -> Iterator[tuple[Place, str]]:
    """What is to be read, and the numbers of a formula, which are no texts."""
    yield from texts_of(scene)
    for place, value in values_of(scene):
        if isinstance(value, Glyph):
            yield (*place, "name"), value.name


def redraw_digits(text: str, lot: Random) -> str:
    """Returns a text with another digit for each of its digits.

    >>> redraw_digits("from 10 to 2.5", Random(1))
    'from 42 to 6.2'
    """
    return "".join(
        lot.choice([other for other in DIGITS[1:] if other != letter])
        if letter in DIGITS
        else letter
        for letter in text
    )


def _draw_series(scene: ChartScene, lot: Random) -> tuple[ChartSeries, ...]:
    """Other numbers that the axes have room for."""
    if scene.type == "pie":  # shares, which have to fill it
        return _turned(scene, 1 + lot.randrange(max(len(scene.categories) - 1, 1)))
    if scene.type == "histogram":  # a sample, of which counts are to be seen
        return _shifted(scene, scene.x.step * (1 + lot.randrange(max(len(scene.x.ticks) - 2, 1))))
    high = scene.y.high / (len(scene.series) if scene.stacked else 1)
    return tuple(
        replace(
            series,
            values=tuple(draw_number(one, scene.y.low, high, lot) for one in series.values),
        )
        for series in scene.series
    )


def _turned(scene: ChartScene, steps: int) -> tuple[ChartSeries, ...]:
    return tuple(
        replace(series, values=series.values[steps:] + series.values[:steps])
        for series in scene.series
    )


def _shifted(scene: ChartScene, way: float) -> tuple[ChartSeries, ...]:
    low, all_bins = scene.x.low, scene.x.high - scene.x.low
    return tuple(
        replace(
            series,
            values=tuple(round(low + (one - low + way) % all_bins, 3) for one in series.values),
        )
        for series in scene.series
    )


def draw_number(value: float, low: float, high: float, lot: Random) -> float:
    """Returns another number: with the same sign, as many decimals, and as many digits where there is room for it.

    Args:
        value: the number.
        low: the least that there is room for.
        high: the greatest.
        lot: draws it.

    >>> [draw_number(one, -20, 60, Random(1)) for one in (42, 2.5, -3)]
    [17, 1.3, -1]
    """
    sign = -1 if value < 0 else 1
    whole, _, rest = f"{abs(value):g}".partition(".")
    least, most = (0.0, -low) if value < 0 else (max(low, 0.0), high)
    unit = 10 ** -len(rest)
    of_digits = (
        max(least, 10.0 ** (len(whole) - 1) * (len(whole) > 1)),
        min(most, 10 ** len(whole) - unit),
    )
    if of_digits[1] - of_digits[0] >= 2 * unit:
        least, most = of_digits
    drawn = type(value)(sign * round(lot.uniform(least, most), len(rest)))
    # One step aside of what it was, away from the nearer end.
    aside = unit if abs(value) + unit <= most else -unit
    return drawn if drawn != value else type(value)(round(value + sign * aside, len(rest)))


# Edges


def turn_edges(case: FraudCase) -> str | None:
    """Returns a diagram whose edges lead from their targets to their sources, and whose messages go back.

    Args:
        case: of a scene; None where it has nothing that leads anywhere.
    """
    return _rewrite(
        case,
        {
            place: replace(one, source=one.target, target=one.source)
            for place, one in values_of(case.scene)
            if (isinstance(one, DiagramEdge) and one.head != "none")
            or (isinstance(one, SequenceStep) and one.kind == "message")
        },
    )


# Marks


def fade_marks(case: FraudCase) -> str | None:
    """Returns a chart or drawing whose shapes have the color of their ground but for one level of a channel or more.

    Args:
        case: of a scene; None where it says no color of its ground.
    """
    if case.scene is None:
        return None
    found = [*values_of(case.scene)]
    ground = next((value for place, value in found if place and place[-1] in GROUNDS), None)
    colors = [place for place, value in found if _is_color(value) and PAINTED & {*place}]
    if ground is None:
        return None
    return _rewrite(
        case, {place: near_color(ground, number) for number, place in enumerate(colors)}
    )


def _is_color(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 7 and value[0] == "#"


def near_color(color: str, number: int) -> str:
    """Returns a color that differs from another by one level of one to three channels, of seven such ones in turn.

    >>> near_color("#ffffff", 0), near_color("#102030", 2)
    ('#feffff', '#112130')
    """
    levels = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    which = 1 + number % 7
    return "#" + "".join(
        f"{level + (1 if level < 255 else -1) * (which >> bit & 1):02x}"
        for bit, level in enumerate(levels)
    )


RELATIONS: Mapping[str, Callable[[FraudCase], str | None]] = {
    "texts dealt anew": deal_texts,
    "numbers dealt anew": deal_numbers,
    "edges turned": turn_edges,
    "marks hardly to be seen": fade_marks,
}
"""Name → from a case to its code; None where the scene is not known, or has no such thing."""
