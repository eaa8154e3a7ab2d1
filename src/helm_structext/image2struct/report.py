"""What a report shows of Image2Struct: leaderboard, charts, and every answer's pictures."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from helm_structext.image2struct.results import (
    EMS,
    LABELS,
    RENDERED,
    Image2StructResult,
    Image2StructResultSet,
)
from helm_structext.image2struct.scores import DISTANCES
from helm_structext.image2struct.tables import (
    BOUNDS,
    CORRELATED_METRICS,
    FURTHER_METRICS,
    PUBLISHED_METRICS,
    SECTIONS,
    leaderboards,
)
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.report.parts import (
    Block,
    Figure,
    Shown,
    asked,
    clipped,
    figure,
    in_columns,
    rounded,
    written,
)
from helm_structext.report.pictures import plan
from helm_structext.report.words import words_in
from helm_structext.results.result_sets import group_by_condition
from helm_structext.results.statistics import (
    bootstrap_intervals,
    correlations,
    skill,
)
from helm_structext.results.tabular import Cell, Estimate, section_tables
from helm_structext.scoring.scorer import InstanceKey

EMS_RENDERED = "earth_mover_similarity_rendered"
"""Of one answer the same as its EMS."""

BINS = 20
"""Equal parts from 0 to 1 in which answers are counted by their EMS."""

SKILL = "skill"
METRICS = {**PUBLISHED_METRICS, **FURTHER_METRICS, SKILL: "Skill"}
"""Names to headers. Skill is a number of many answers, the others belong to each."""


Key = TypeVar("Key", bound=Hashable)


Sets = Sequence[Shown[Image2StructResultSet]]


class _Answer(NamedTuple):
    condition: int
    instance: tuple[str, InstanceKey]  # the domain, and what tells it from the domain's others
    result: Image2StructResult

    @property
    def pictures(self) -> list[Path]:
        """What the model saw, what it should draw, and what it drew."""
        result = self.result
        return [path for path in (result.seen, result.picture, result.rendering) if path]


def rankings(result_sets: Sequence[Image2StructResultSet]) -> list[list[str]]:
    """Returns the models of each result set in the order in which the gallery shows them.

    It is that of the condition's leaderboard; those of wild pictures alone come last.
    """
    found = []
    for group in group_by_condition(result_sets):
        ranked = [str(row[0]) for row in next(leaderboards(group)).rows]
        everyone = sorted({model for result_set in group for model in result_set.models})
        found += [list(dict.fromkeys([*ranked, *everyone]))] * len(group)
    return found


def summary(shown: Sets, models: Mapping[str, int]) -> dict[str, Any]:
    """Returns the tables and charts of all answers, for each condition.

    Args:
        shown: what the report has of the benchmark.
        models: name to number on the page.
    """
    return {
        "metrics": METRICS,
        "meanings": {name: words_in([header]) for name, header in METRICS.items()},
        "distances": sorted(DISTANCES),
        "domains": LABELS,
        "bounds": BOUNDS,
        "conditions": [
            _condition([one.result_set for one in group], group[0].ranking)
            for group in _by_condition(shown)
        ],
    }


def answers(shown: Sets, models: Mapping[str, int], pictures: Mapping[Path, int]) -> dict[str, Any]:
    """Returns what the page has to know of every answer before it shows any.

    What occurs often is a number: a model, a subset, an instance, a picture.

    Args:
        shown: what the report has of the benchmark.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    metrics = [m for m in _metrics_of(a.result for a in _answers(shown)) if m != EMS_RENDERED]
    any_answer = {answer.instance: answer.result for answer in _answers(shown)}
    subsets = _numbered((domain, key.part) for domain, key in any_answer)
    instances = _numbered(any_answer)

    def number_of(path: Path | None) -> int | None:
        return None if path is None else pictures[path]

    return {
        "answerMetrics": metrics,
        "subsets": [
            {
                "domain": domain,
                "name": name,
                "wild": name in DOMAINS[domain].wild_subsets,
                "resize": DOMAINS[domain].size_handling == "resize",
            }
            for domain, name in subsets
        ],
        "instances": [
            {
                "id": key.id,
                "subset": subsets[domain, key.part],
                "difficulty": answer.difficulty,
                "date": answer.date,
                "picture": number_of(answer.picture),
            }
            for (domain, key), answer in any_answer.items()
        ],
        "answers": in_columns(
            {
                "condition": answer.condition,
                "instance": instances[answer.instance],
                "model": models[answer.result.model],
                "seen": number_of(answer.result.seen),
                "rendering": number_of(answer.result.rendering),
                **_outcome(answer.result, metrics),
            }
            for answer in _answers(shown)
        ),
    }


def _outcome(result: Image2StructResult, metrics: Iterable[str]) -> dict[str, Any]:
    return {
        "kind": result.failure,
        "truncated": result.truncated,
        "refused": result.refused,
        "scores": [rounded(result.scores.get(name, math.nan)) for name in metrics],
    }


def blocks(shown: Sets, *, plans: bool) -> Iterator[Block]:
    """Yields the texts of each answer (a0, a1, …), with its pictures and its EMS plan.

    Args:
        shown: what the report has of the benchmark.
        plans: whether to compute the plans.
    """
    for number, answer in enumerate(_answers(shown)):
        result = answer.result
        ems = result.scores.get(EMS)
        computed = {}
        if plans and result.rendering and ems is not None:
            handling = DOMAINS[result.domain].size_handling
            computed["plan"] = partial(plan, result.rendering, result.picture, handling, ems)
        yield Block(
            f"a{number}",
            {
                "completion": clipped(result.completion),
                "text": clipped(result.text),
                "reference": clipped(result.reference_text),
                "error": clipped(result.error),
                "asked": asked(result),
                "plan": None,
            },
            answer.pictures,
            computed,
        )


def _answers(shown: Sets) -> Iterator[_Answer]:
    """Yields every answer in the order in which the gallery shows them."""
    for number, group in enumerate(_by_condition(shown)):
        for one in group:
            for result in one.answers:
                yield _Answer(number, (result.domain, result.key), result)


def _by_condition(shown: Sets) -> list[list[Shown[Image2StructResultSet]]]:
    return [list(group) for _, group in groupby(shown, key=lambda one: one.result_set.condition)]


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def _answers_of(result_sets: Iterable[Image2StructResultSet]) -> list[Image2StructResult]:
    return [a for one in result_sets for model in one.models for a in one.of_model(model)]


def _metrics_of(answers: Iterable[Image2StructResult]) -> list[str]:
    """Returns the metrics that occur among answers, in the order of `METRICS`."""
    found = {name for answer in answers for name in answer.scores}
    return [name for name in METRICS if name in found]


def _condition(
    result_sets: Sequence[Image2StructResultSet], ranking: Sequence[str]
) -> dict[str, Any]:
    """Returns what the charts and tables show for the result_sets of one condition.

    Returns:
        ``models``, as the leaderboard ranks them, with their ``winRates``; ``spreads``: domain to
        what came of each model's answers; ``scopes``: domains and subsets, in ``scores`` with
        metric to model to mean, number of answers and interval, those in the leaderboard with the
        letters of models that can't be told apart in ``tied``; ``correlations``: domain ("" for all) to a matrix of the metrics in ``correlated``;
        ``tables``, as `helm-structext tables` writes them.
    """
    tables = section_tables(SECTIONS, [result_sets])
    board = tables[0]
    rates = {row[0]: _rate(row[1], row[2]) for row in board.rows}
    answers = _answers_of(result_sets)
    scopes = [
        (result_set, part)
        for result_set in result_sets
        for part in [result_set, *result_set.parts()]
    ]
    correlated = [name for name in _metrics_of(answers) if name in CORRELATED_METRICS]
    domains = dict.fromkeys(result_set.domain for result_set in result_sets)
    return {
        "label": result_sets[0].condition,
        "note": board.note,
        "words": words_in(["EMS", "Skill", "Tied", "95%", "strict"]),
        "rated": [LABELS[one.domain] for one in result_sets if one.wild == result_sets[0].wild],
        "rivals": sum(row[1] is not None for row in board.rows),
        "models": ranking,
        "winRates": rates,
        "spreads": {
            domain: [
                _spread(
                    [a for one in result_sets if one.domain == domain for a in one.of_model(model)]
                )
                for model in ranking
            ]
            for domain in domains
        },
        "scopes": [
            {
                "domain": part.domain,
                "label": part.subset or ("wild" if part.wild else "all"),
                "subsets": list(part.subsets),
                "inLeaderboard": part is result_set and result_set.wild == result_sets[0].wild,
                "scores": _scores(part),
                "tied": part.grid.groups if part is result_set else {},
            }
            for result_set, part in scopes
        ],
        "correlated": correlated,
        "correlations": {
            domain: _correlations([a for a in answers if domain in ("", a.domain)], correlated)
            for domain in ("", *domains)
        },
        "tables": [written(table) for table in tables],
    }


def _rate(rate: Cell, strict: Cell) -> dict[str, Figure | None]:
    """A win rate with its interval, as the leaderboard has it, and the strict one."""
    if not isinstance(rate, Estimate) or not isinstance(strict, Estimate):
        return {"mean": None, "strict": None, "low": None, "high": None}
    low, high = rate.interval
    return {
        "mean": figure(rate.value),
        "strict": figure(strict.value),
        "low": figure(low),
        "high": figure(high),
    }


def _spread(answers: Sequence[Image2StructResult]) -> dict[str, Any]:
    """What came of a model's answers (``rendered`` or a kind of error), and how their EMS spreads."""
    known = [answer.scores[EMS] for answer in answers if EMS in answer.scores]
    places = (min(max(int(value * BINS), 0), BINS - 1) for value in known if math.isfinite(value))
    counts = Counter(places)
    return {
        "outcomes": dict(Counter(answer.failure or "rendered" for answer in answers)),
        "counts": [counts[place] for place in range(BINS)],
    }


def _scores(result_set: Image2StructResultSet) -> dict[str, dict[str, Any]]:
    """Metric to model to mean, number of values, and interval."""
    names = _metrics_of(_answers_of([result_set]))
    if not names:
        return {}
    # All metrics share the resamples, which take most of the time.
    values = np.hstack([result_set.scores(name) for name in names])
    columns = [(name, model) for name in names for model in result_set.models]
    scores: dict[str, dict[str, Any]] = {name: {} for name in names}
    for (name, model), mean, count, (low, high) in zip(
        columns,
        np.hstack([result_set.means(name) for name in names]).tolist(),  # as in tables, to the bit
        np.isfinite(values).sum(axis=0).tolist(),
        bootstrap_intervals(values, result_set.weights, clusters=result_set.clusters),
        strict=True,
    ):
        if count:
            scores[name][model] = [figure(mean), count, figure(low), figure(high)]
    if result_set.blank_floor is not None:
        skills = skill(result_set.scores(EMS), result_set.blank_floor, result_set.weights).tolist()
        scores[SKILL] = {
            model: [figure(value), scores[EMS][model][1], None, None]
            for model, value in zip(result_set.models, skills, strict=True)
            if not math.isnan(value)
        }
    return scores


def _correlations(
    answers: Iterable[Image2StructResult], names: Sequence[str]
) -> list[list[Figure | None]]:
    """As in the paper's Table A1: over the answers that rendered."""
    rows = [
        [answer.scores.get(name, np.nan) for name in names]
        for answer in answers
        if answer.model not in BOUNDS and answer.scores.get(RENDERED)
    ]
    if not names:
        return []
    matrix = correlations(np.array(rows).reshape(-1, len(names)))
    return [[figure(value) for value in row] for row in matrix.tolist()]
