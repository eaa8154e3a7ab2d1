"""How much of a score is the network: what answers asked for and this machine does not have."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean
from typing import Any

from helm_structext.baselines import ORACLE
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.runs import RenderedResult
from helm_structext.results.tabular import Cell, Column, Table, format_count
from helm_structext.scoring.handling import MISSING_RESOURCES

MAX_ROWS = 30
"""Rows that are printed; files have all."""
ANY, NO_HOST = "any", "(no host)"


def missing_tables(result_set: ResultSet[Any]) -> Iterator[Table]:
    """A row for each host and package that answers asked for in vain, those of most answers first.

    Args:
        result_set: of a benchmark whose answers are rendered. Where a suite does not say what they
            asked for, there is no table.
    """
    answers: list[RenderedResult] = [
        answer
        for model in result_set.models
        for answer in result_set.of_model(model)
        if MISSING_RESOURCES in answer.scores
    ]
    if not answers:
        return
    lacking = group_values(
        (
            (place, answer)
            for answer in answers
            for place in {(one.host or NO_HOST, one.package) for one in answer.missing}
        ),
        lambda pair: pair[0],
    )
    asked = {place: [answer for _, answer in pairs] for place, pairs in lacking.items()}
    everyone = {(ANY, ""): [answer for answer in answers if answer.missing]}
    ranked = sorted(asked.items(), key=lambda item: (-len(item[1]), item[0]))
    how = {
        (one.host or NO_HOST, one.package): one.how_to_get
        for answer in answers
        for one in answer.missing
    }
    rows = [
        [*place, *_counts(result_set, ours), *_means(result_set, answers, ours), how.get(place, "")]
        for place, ours in [*everyone.items(), *ranked]
    ]
    headers = [f"{header} {side}" for header in result_set.MEASURES for side in ("with", "without")]
    references = ["References"] if ORACLE in result_set.models else []
    rivals = len({answer.model for answer in answers} - {*result_set.apart})
    table = Table(
        f"{result_set.name}-missing",
        f"{result_set.label}: what was asked for and is not here",
        f"{result_set.condition}; {format_count(len(answers), 'rendered answer')} of all models. There is "
        f"no network: such an answer is drawn without it, or fails. Answers: those that ask for anything of "
        f"the host and package. Not drawn: those of them that can't be drawn for what is missing, or are blank for it, "
        f"{format_count(sum(answer.undrawn for answer in answers), 'answer')} in all. Instances: to which they are."
        f"{' References: instances whose right answer asks, too.' if references else ''} With, without: "
        f"plain means over the answers of {format_count(rivals, 'model')} that ask for it, and over the others.",
        [
            *map(Column, ("Host", "Package", "Answers", "Not drawn", "Instances", *references)),
            *(Column(header, result_set.FORMAT) for header in headers),
            Column("How to get it"),
        ],
        rows,
    )
    yield replace(table, rows=rows[:MAX_ROWS])
    if len(rows) > MAX_ROWS:
        yield replace(table, name=f"{table.name}-all", printed=False)


def _counts(result_set: ResultSet[Any], asking: list[RenderedResult]) -> list[Cell]:
    undrawn = sum(answer.undrawn for answer in asking)
    counts: list[Cell] = [len(asking), undrawn, len({answer.key for answer in asking})]
    references = [sum(answer.model == ORACLE for answer in asking)]
    return [*counts, *(references if ORACLE in result_set.models else [])]


def _means(
    result_set: ResultSet[Any], answers: list[RenderedResult], asking: list[RenderedResult]
) -> list[Cell]:
    """Of each measure the mean of those that ask, and of the others."""
    those = {id(answer) for answer in asking}
    rivals = [answer for answer in answers if answer.model not in result_set.apart]
    sides = [[a for a in rivals if (id(a) in those) is side] for side in (True, False)]
    found: list[Cell] = []
    for metric in result_set.MEASURES.values():
        for side in sides:
            values = [answer.scores[metric] for answer in side if metric in answer.scores]
            found.append(result_set.SCALE * fmean(values) if values else None)
    return found
