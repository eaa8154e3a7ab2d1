"""What the page knows before it shows any answer, and what it reads when it does.

What occurs often is a number on the page: a model, a picture, an instance, an answer, and what
many of them have in common.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from helm_structext.report.panels import Checks, Code, Panel, Text, ask_of
from helm_structext.report.parts import (
    AnswerCard,
    Instance,
    Item,
    ReportPart,
    Score,
    Shown,
    Tags,
    View,
    round_score,
)
from helm_structext.results.runs import InstanceResult
from helm_structext.scoring.handling import Failure, handle
from helm_structext.scoring.scorer import InstanceKey

Key = TypeVar("Key")

Place = tuple[str, InstanceKey]
"""What tells an instance from all others of a benchmark: the run entry, and its key."""


class Part(NamedTuple):
    """A benchmark in the report."""

    part: ReportPart
    view: View


@dataclass(frozen=True)
class Block:
    """What the page reads when it comes to show an instance or an answer.

    Args:
        id: of the element that holds it: ``i`` or ``a``, and the number.
        content: name to what `data_of` makes JSON of, in another process.
        pictures: those shown beside it, which stand before it in the file; all of the page's
            pictures are some block's, and have their numbers in that order.
    """

    id: str
    content: Mapping[str, Any]
    pictures: Sequence[Path] = ()


KIND = ("part", "label", "resize", "compared", "open", "tags")
"""What many instances have in common: `Instance`, whether it has code to compare, and open panels."""

STATE = ("run", "kind", "truncated", "refused", "open", "tags")
"""What many answers have in common, and how many panels stand open on their cards."""


def data_of(value: Any) -> Any:
    """Returns a record as JSON has it: without what is empty, functions called, items and panels with their kind.

    >>> from helm_structext.report.panels import Text
    >>> data_of(Text(title="Query", text="Draw <this>", card=False))
    {'kind': 'text', 'title': 'Query', 'text': 'Draw <this>'}
    """
    if isinstance(value, Score):
        return value.data()
    if is_dataclass(value):
        items = ((field.name, data_of(getattr(value, field.name))) for field in fields(value))
        kept = {name: one for name, one in items if one or (one == 0 and one is not False)}
        kind = type(value).__name__.lower()
        return {"kind": kind, **kept} if isinstance(value, Item | Panel) else kept
    if isinstance(value, Mapping):
        return {name: data_of(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [data_of(one) for one in value]
    if callable(value):
        computed = handle("a panel of the report", value)
        return None if isinstance(computed, Failure) else computed
    return value


def view_data(name: str, view: View) -> dict[str, Any]:
    """Returns all that the page knows of a benchmark but its answers.

    Args:
        name: of its package.
        view: what it shows.
    """
    sheets = [
        {
            "label": sheet.label,
            "models": sheet.ranking,
            "sections": data_of(sheet.sections),
            "warning": sheet.warning,
        }
        for sheet in view.sheets
    ]
    others = {f.name: data_of(getattr(view, f.name)) for f in fields(view) if f.name != "sheets"}
    return {"name": name, **others, "sheets": sheets}


def answers_data(
    found: Part,
    shown: Sequence[Shown[Any]],
    models: Mapping[str, int],
    pictures: Mapping[Path, int],
) -> dict[str, Any]:
    """Returns what the page has to know of a benchmark's answers before it shows any.

    Args:
        found: the benchmark.
        shown: what the report has of it.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    part, view = found
    places, answers = _places(shown), _answers(shown)
    instances, numbers = number_values(places), number_values(answers)
    kinds, states, runs = Numbers(), Numbers(), Numbers()
    names = [metric.name for metric in view.metrics]

    def picture(path: Path | None) -> int | None:
        return None if path is None else pictures[path]

    def instance_row(place: Place, answer: Any) -> dict[str, Any]:
        one = part.describe_instance(answer)
        return {
            "id": place[1].id,
            "kind": kinds[
                one.part, one.label, one.resize, is_compared(one), open_panels(one), _tags(one.tags)
            ],
            "remarks": list(one.remarks),
            "input": picture(one.input),
            "reference": picture(one.reference),
        }

    def answer_row(entry: str, answer: InstanceResult) -> dict[str, Any]:
        one = part.describe_answer(answer, plans=False)
        return {
            "instance": instances[entry, answer.key],
            "model": models[answer.model],
            "state": states[
                runs[answer.run],
                one.kind,
                answer.truncated,
                answer.refused,
                open_panels(one),
                _tags(one.tags),
            ],
            "input": picture(one.input),
            "output": picture(one.output),
            "scores": [round_score(one.scores.get(name, math.nan)) for name in names],
        }

    index = {
        "instances": in_columns(instance_row(*item) for item in places.items()),
        "answers": in_columns(answer_row(*item) for item in answers.values()),
    }
    return {
        **index,
        "runs": list(runs),
        "kinds": [dict(zip(KIND, (*others, dict(tags)), strict=True)) for *others, tags in kinds],
        "states": [
            dict(zip(STATE, (*others, dict(tags)), strict=True)) for *others, tags in states
        ],
        "shown": [
            ranges(
                numbers[id(answer)]
                for one in shown
                if one.sheet == number
                for answer in one.answers
            )
            for number in range(len(view.sheets))
        ],
    }


class First(NamedTuple):
    """How many instances and answers come before a benchmark's."""

    instance: int
    answer: int


def blocks(
    found: Part, shown: Sequence[Shown[Any]], first: First, *, plans: bool
) -> Iterator[Block]:
    """Yields what the page reads of a benchmark's answers, and of each instance before the first of these.

    Args:
        found: the benchmark.
        shown: what the report has of it.
        first: the numbers of its first instance and answer.
        plans: whether to compute plans.
    """
    part, _ = found
    places = Numbers()
    for number, (entry, answer) in enumerate(_answers(shown).values(), first.answer):
        place = (entry, answer.key)
        if place not in places:
            instance = part.describe_instance(answer)
            id = f"i{first.instance + places[place]}"
            yield Block(id, {"panels": instance.panels}, instance.pictures)
        one = part.describe_answer(answer, plans=plans)
        content = {"panels": one.panels, "error": one.error, "asked": partial(ask_of, answer)}
        yield Block(f"a{number}", content, one.pictures)


def counts_of(shown: Sequence[Shown[Any]]) -> First:
    """Returns how many instances and answers are shown; those that stand on several sheets count once."""
    return First(len(_places(shown)), len(_answers(shown)))


def _places(shown: Sequence[Shown[Any]]) -> dict[Place, Any]:
    """Each instance, with any answer to it."""
    found: dict[Place, Any] = {}
    for one in shown:
        for answer in one.answers:
            found.setdefault((one.result_set.entry, answer.key), answer)
    return found


def _answers(shown: Sequence[Shown[Any]]) -> dict[int, tuple[str, Any]]:
    """Each answer once, with its run entry; an answer may stand on several sheets."""
    return {id(answer): (one.result_set.entry, answer) for one in shown for answer in one.answers}


def is_compared(instance: Instance) -> bool:
    """Returns whether code is compared with an instance's."""
    return any(isinstance(panel, Code) for panel in instance.panels)


def open_panels(one: Instance | AnswerCard) -> int:
    """Returns how many panels stand open on cards, beside pictures."""
    return sum(
        panel.card and not panel.folded and isinstance(panel, Text | Code | Checks)
        for panel in one.panels
    )


def _tags(tags: Tags) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((facet, tuple(values)) for facet, values in tags.items())


class Numbers(dict[Any, int]):
    """Numbers values in the order in which they are first asked for.

    >>> numbers = Numbers()
    >>> numbers["a"], numbers["b"], numbers["a"], list(numbers)
    (0, 1, 0, ['a', 'b'])
    """

    def __missing__(self, value: Any) -> int:
        return self.setdefault(value, len(self))


def number_values(keys: Iterable[Key]) -> dict[Key, int]:
    """Returns keys with their numbers, in the order in which they first come."""
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def ranges(numbers: Iterable[int]) -> list[int]:
    """Returns a set of numbers as first and last of each run of consecutive ones, in turn.

    >>> ranges([3, 1, 2, 7, 2]), ranges([])
    ([1, 3, 7, 7], [])
    """
    found: list[int] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1] + 1:
            found[-1] = number
        else:
            found += [number, number]
    return found


def in_columns(records: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Returns records as columns, which take less room, in memory and in the page.

    >>> in_columns([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    {'a': [1, 3], 'b': [2, 4]}
    """
    columns: dict[str, list[Any]] = {}
    for record in records:
        for name, value in record.items():
            columns.setdefault(name, []).append(value)
    return columns
