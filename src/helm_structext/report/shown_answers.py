"""Which answers a report of bounded size shows: evenly over models, subsets and scores.

All answers to an instance are shown or none, so that models can be compared. The order in which
instances are taken is always the same, and each beginning of it has about the same share of every
stratum: the instances of a subset that the same models have answered, spread by how these scored.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import Any, NamedTuple

from helm_structext.report.parts import Shown
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.sampling import draw_sample
from helm_structext.scoring.scorer import InstanceKey

AllShown = Mapping[str, Sequence[Shown[Any]]]
"""Name of a benchmark to what the report has of it."""


class SampleDraw(NamedTuple):
    """How many answers of each subset or task and model people look at, and which (`draw_sample`)."""

    number: int
    seed: int


class Pick(NamedTuple):
    """An instance of the report."""

    benchmark: str
    place: int  # of the result set
    instance: InstanceKey


def picks(shown: AllShown) -> list[Pick]:
    """Returns all instances, those first that a small report shows, too.

    Args:
        shown: all answers.
    """
    strata = chain.from_iterable(
        _strata(name, place, one.result_set)
        for name, ours in shown.items()
        for place, one in enumerate(ours)
    )
    ordered = [
        (rank / len(stratum), number, pick)
        for number, stratum in enumerate(strata)
        for rank, pick in enumerate(stratum)
    ]
    return [pick for *_, pick in sorted(ordered)]


def only(shown: AllShown, chosen: Sequence[Pick]) -> AllShown:
    """Returns what is shown of some instances alone.

    Args:
        shown: all answers.
        chosen: some of its instances.
    """
    wanted = set(chosen)
    return {
        name: [
            replace(one, instances=[i for i in one.instances if Pick(name, place, i) in wanted])
            for place, one in enumerate(ours)
        ]
        for name, ours in shown.items()
    }


def draw_answers(shown: AllShown, sample: SampleDraw) -> AllShown:
    """Returns what is shown of a sample alone; models that answered the same are shown with the same.

    Args:
        shown: all answers.
        sample: of each part and model of each result set.
    """
    return {name: [_draw(one, sample) for one in ours] for name, ours in shown.items()}


def _draw(one: Shown[Any], sample: SampleDraw) -> Shown[Any]:
    drawn = draw_sample(
        one.answers,
        *sample,
        lambda answer: "/".join(answer.key),
        lambda answer: (answer.model, answer.part),
    )
    answers = {(answer.model, answer.key): answer for answer in drawn}
    left = {instance for _, instance in answers}
    return replace(
        one,
        result_set=replace(one.result_set, answers=answers),
        instances=[instance for instance in one.instances if instance in left],
    )


def alone(shown: AllShown, pick: Pick) -> AllShown:
    """Returns what is shown of one instance, and nothing of other benchmarks.

    Args:
        shown: all answers.
        pick: the instance.
    """
    one = shown[pick.benchmark][pick.place]
    nothing: dict[str, Sequence[Shown[Any]]] = dict.fromkeys(shown, ())
    return {**nothing, pick.benchmark: [replace(one, instances=[pick.instance])]}


def spread_order(count: int) -> list[int]:
    """Returns the numbers below `count` so that each beginning is spread over all of them.

    They are ordered by their binary digits, the last digit first (van der Corput, 1935).

    >>> spread_order(8), spread_order(5)
    ([0, 4, 2, 6, 1, 5, 3, 7], [0, 4, 2, 1, 3])
    """
    digits = max(1, math.ceil(math.log2(count))) if count else 1
    return sorted(range(count), key=lambda number: f"{number:0{digits}b}"[::-1])


def _strata(name: str, place: int, result_set: ResultSet[Any]) -> Iterator[list[Pick]]:
    models = {
        instance: tuple(m for m in result_set.models if (m, instance) in result_set.answers)
        for instance in result_set.instances
    }
    metric = list(result_set.MEASURES.values())[-1]

    def score(instance: InstanceKey) -> float:
        answers = (result_set.answers[model, instance] for model in models[instance])
        return fmean([answer.scores.get(metric, 0.0) for answer in answers] or [0.0])

    strata = group_values(result_set.instances, lambda instance: (instance.part, models[instance]))
    for instances in strata.values():
        ranked = sorted(instances, key=lambda instance: (score(instance), instance))
        yield [Pick(name, place, ranked[number]) for number in spread_order(len(ranked))]
