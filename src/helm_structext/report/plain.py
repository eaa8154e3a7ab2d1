"""The part of a benchmark that describes none of its own: made of its result sets, and of nothing else.

`Benchmark.report` is this module where a benchmark names no other. What a result set measures stands in
the leaderboard, with intervals and groups of ties; answers are listed with what the model wrote, with
the rendering and the error where there are any, and with the reference where their class has one (a
field or property ``reference``, a text).
"""

from collections.abc import Sequence
from typing import Any

from helm_structext.report.panels import Code, clip, missing_panel
from helm_structext.report.parts import (
    OUTCOMES,
    AnswerCard,
    Board,
    BoardCell,
    BoardColumn,
    BoardRow,
    Facet,
    Instance,
    Score,
    Section,
    Sheet,
    View,
    brief_metrics,
    outcomes_of,
    score,
    tie,
)
from helm_structext.report.words import words_in
from helm_structext.results.comparisons import GROUP
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.runs import InstanceResult
from helm_structext.results.statistics import INTERVALS, bootstrap_intervals


def make_view(result_sets: Sequence[ResultSet[Any]]) -> View:
    """Returns a sheet for each result set, with a column for each of its measures.

    Args:
        result_sets: of one benchmark, at least one.
    """
    measures = {name: header for one in result_sets for header, name in one.MEASURES.items()}
    parts = dict.fromkeys(part for one in result_sets for part in one.by_part if part)
    return View(
        title=result_sets[0].label,
        metrics=brief_metrics(measures),
        score=list(measures)[-1],
        facets=[
            *([Facet("part", "Part", {part: part for part in parts})] if len(parts) > 1 else []),
            Facet("outcome", "Outcome", OUTCOMES),
        ],
        sheets=[
            Sheet(
                label=", ".join(filter(None, [one.label, one.condition])),
                result_sets=[one],
                ranking=one.ranking,
                sections=[Section("leaderboard", "Leaderboard", [leaderboard(one)])],
            )
            for one in result_sets
        ],
    )


def describe_instance(answer: InstanceResult) -> Instance:
    """Returns what was asked, and the reference where there is one.

    Args:
        answer: any of those to the instance.
    """
    reference = getattr(answer, "reference", "")
    return Instance(
        part=answer.part,
        label=answer.part,
        tags={"part": [answer.part]},
        panels=[Code(title="Reference", text=clip(reference))] if reference else [],
    )


def describe_answer(answer: InstanceResult, *, plans: bool) -> AnswerCard:
    """Returns the completion, with the rendering and the error where there are any.

    Args:
        answer: of a result set.
        plans: there are none.
    """
    kind = answer.failure
    output = getattr(answer, "rendering", None)
    return AnswerCard(
        scores=answer.scores,
        tags={"outcome": outcomes_of(answer, kind)},
        kind=kind,
        error=clip(getattr(answer, "error", "")),
        output=output,
        panels=[
            Code(title="Completion", text=clip(answer.completion), folded=output is not None),
            *missing_panel(answer),
        ],
    )


def leaderboard(result_set: ResultSet[Any]) -> Board:
    """Returns the means of all measures, with intervals and groups of ties.

    Args:
        result_set: any.
    """
    scale = result_set.SCALE
    cells: dict[str, list[BoardCell]] = {model: [] for model in result_set.ranking}
    for name in result_set.MEASURES.values():
        values = scale * result_set.scores(name)
        intervals = bootstrap_intervals(
            values,
            result_set.weights,
            clusters=result_set.clusters,
            strata=result_set.stratify(result_set.instances),
        )
        means = (scale * result_set.means(name)).tolist()
        for model, mean, interval in zip(result_set.models, means, intervals, strict=True):
            cells[model].append(score(mean, interval, result_set.FORMAT))
    groups = result_set.grid.groups
    most = max(
        [scale, *(c.value or 0 for of in cells.values() for c in of if isinstance(c, Score))]
    )
    return Board(
        title="Leaderboard",
        note=" ".join([result_set.condition, *result_set.remarks, INTERVALS, result_set.data_note]),
        words=words_in([GROUP, "95%"]),
        keys=True,
        columns=[
            *(BoardColumn(header, most=most, best=True) for header in result_set.MEASURES),
            BoardColumn(GROUP),
        ],
        rows=[BoardRow(model, [*ours, tie(groups, model)]) for model, ours in cells.items()],
    )
