"""Which mistakes models make on pictures: the analysis of Image2Struct's Appendix I without people, and beside theirs.

An engine tells what lies on both pictures (`helm_structext.findings`), so that a mistake is found, and not guessed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from helm_structext.findings import FINDING_KINDS, Findings
from helm_structext.results.agreement import cohens_kappa
from helm_structext.results.answers import share
from helm_structext.results.categories import Answer, AnswerLabel
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.runs import InstanceResult, RenderedResult
from helm_structext.results.tabular import Cell, Column, Table, model_table

NOTHING = "nothing"
"""The column of pictures on which nothing is wrong."""


def findings_of(answer: InstanceResult) -> Findings | None:
    """Returns what is wrong with an answer's picture; None where that was not looked at, or can't be known."""
    found = answer.findings if isinstance(answer, RenderedResult) else None
    return None if found is None or found.reason else found


def kinds_of(answer: InstanceResult) -> frozenset[str]:
    """Returns the kinds of mistakes on an answer's picture, as far as they are known."""
    found = findings_of(answer)
    return frozenset(one.kind for one in found.findings) if found else frozenset()


def finding_tables(result_set: ResultSet[Any]) -> Iterator[Table]:
    """Yields which share of each model's pictures has mistakes of which kind, and how large the worst ones are.

    Args:
        result_set: of a benchmark; where no picture was looked at, there is no table.
    """
    looked_at = [
        [
            (found, kinds_of(one))
            for one in result_set.of_model(model)
            if (found := findings_of(one))
        ]
        for model in result_set.models
    ]
    known = {kind for of_model in looked_at for _, kinds in of_model for kind in kinds}
    if not any(looked_at):
        return
    kinds = [kind for kind in FINDING_KINDS if kind in known]
    columns: dict[str, Sequence[Cell]] = {
        "n": [len(of_model) for of_model in looked_at],
        NOTHING: [share(not kinds for _, kinds in of_model) for of_model in looked_at],
        **{
            kind: [share(kind in kinds for _, kinds in of_model) for of_model in looked_at]
            for kind in kinds
        },
    }
    yield model_table(
        f"{result_set.name}-findings",
        f"{result_set.label}: what is wrong with pictures",
        f"{result_set.condition}. Shares of the answers that rendered, and of which it is known what lies on "
        "both pictures (n): those on which something of a kind is wrong. An answer may have several.",
        result_set.models,
        columns,
        ranking=result_set.ranking,
        apart=result_set.apart,
    )


def agreement_tables(
    result_sets: Sequence[ResultSet[Any]], labels: Iterable[AnswerLabel]
) -> Iterator[Table]:
    """Yields how far what was found goes together with the categories that people chose.

    Args:
        result_sets: whose answers count.
        labels: what people said of them; where several looked at an answer, each counts.
    """
    found: dict[Answer, frozenset[str]] = {
        (one.run, one.model, one.instance): kinds_of(one)
        for ours in result_sets
        for one in ours.answers.values()
        if findings_of(one)
    }
    known = [label for label in labels if label.answer in found]
    if not known:
        return
    names = sorted({name for label in known for name in label.categories})
    kinds = [kind for kind in FINDING_KINDS if any(kind in found[one.answer] for one in known)]
    rows = [_agreement(name, kind, known, found) for name in names for kind in kinds]
    if not rows:
        return
    table = Table(
        "categories-findings",
        "What people said, and what was found",
        "Of answers that people looked at and of which it is known what lies on both pictures: to how many both, "
        "people alone, and the comparison alone say so. κ: Cohen's, which is 0 for as good as chance. Of each "
        "category the kind that goes with it best; files have all.",
        [*map(Column, ("Category", "Found", "Both", "People alone", "Found alone", "κ"))],
        rows,
    )
    best = [
        max(of_name, key=lambda row: -2.0 if row[-1] is None else float(str(row[-1])))
        for of_name in group_values(rows, lambda row: row[0]).values()
    ]
    yield replace(table, rows=best)
    yield replace(table, name=f"{table.name}-all", printed=False)


def _agreement(
    name: str,
    kind: str,
    labels: Collection[AnswerLabel],
    found: Mapping[Answer, frozenset[str]],
) -> list[Cell]:
    pairs = [(name in one.categories, kind in found[one.answer]) for one in labels]
    counts = [pairs.count(said) for said in ((True, True), (True, False), (False, True))]
    return [name, kind, *counts, cohens_kappa(pairs)]
