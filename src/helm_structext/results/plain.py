"""What a benchmark shows that adds nothing of its own: its answers, their result sets and their tables.

`helm_structext.benchmarks.plain` makes a row of the table of benchmarks of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from helm_structext.data.sources import source_label
from helm_structext.results import groups
from helm_structext.results.answers import (
    FAILURES,
    FLAWS,
    FLAWS_NOTE,
    baselines_note,
    shares,
    unscored_columns,
    unscored_note,
)
from helm_structext.results.comparisons import groups_note, pair_tables, win_rates
from helm_structext.results.findings import finding_tables
from helm_structext.results.missing_resources import missing_tables
from helm_structext.results.result_sets import ResultSet, Selection, drop_repeated
from helm_structext.results.runs import RenderedResult, Run, conditions_of, rendering_of
from helm_structext.results.tabular import (
    PER_CENT,
    Cell,
    Table,
    for_each,
    format_count,
    list_some,
    model_table,
)

POOLED = frozenset({"revision"})
"""Arguments that may differ within a table."""


@dataclass(frozen=True, kw_only=True)
class PlainResult(RenderedResult):
    """What one model answered to one instance, and what came of it.

    Args:
        subset: that the instance belongs to, or "".
        question: what was asked.
        target: the right answer as far as text says it, or "".
        picture: path of the picture that was asked about, or None.
    """

    subset: str
    question: str
    target: str
    picture: Path | None

    @property
    def part(self) -> str:
        """The subset."""
        return self.subset


def read_run(run: Run) -> Iterator[PlainResult]:
    """Returns every answer in a finished run.

    Raises:
        SetupError: the run can't be read.
    """
    arguments = run.arguments
    if "source" in arguments:
        arguments = {**arguments, "source": source_label(arguments["source"])}
    conditions = conditions_of(arguments, POOLED)

    def read(state: Mapping[str, Any], common: dict[str, Any]) -> PlainResult:
        instance = state["instance"]
        asked = instance["input"]
        shown = (asked.get("multimedia_content") or {}).get("media_objects") or [asked]
        picture = next((media["location"] for media in shown if media.get("location")), None)
        targets = [reference["output"]["text"] for reference in instance["references"]]
        return PlainResult(
            **common,
            **rendering_of(state, run.root),
            conditions=conditions,
            subset=instance.get("sub_split") or "",
            question="\n".join(media["text"] for media in shown if media.get("text")),
            target=next(iter(targets), ""),
            picture=run.root / picture if picture else None,
        )

    return run.results(read)


@dataclass(frozen=True)
class PlainResultSet(ResultSet[PlainResult]):
    """Answers to instances of one source, asked in the same way; `result_set_class` says of which benchmark."""

    def content(self, answer: PlainResult) -> str:
        """What was asked about which picture, and the right answer."""
        picture = answer.picture.name if answer.picture else ""
        return f"{answer.question}\n{answer.target}\n{picture}"

    @property
    def facts(self) -> str:
        """Which instances there are, who lacks some, and what could not be handled."""
        number, parts = format_count(len(self.instances), "instance"), len(self.by_part)
        which = f"{self.condition}; {number}{f' of {parts} subsets' if parts > 1 else ''}."
        lacking = (
            f" Not all models have all: {list_some(self.incomplete)}." if self.incomplete else ""
        )
        return f"{which}{lacking}{self.data_note}{unscored_note(self.unscored)}"


def result_set_class(
    name: str, title: str, measures: Mapping[str, str], scale: float, format: str
) -> type[PlainResultSet]:
    """Returns the class of a benchmark's result sets.

    Args:
        name: of its run entry.
        title: its name in prose.
        measures: see `ResultSet.MEASURES`; so are `scale` and `format`.

    >>> result_set_class("dates", "Dates", {"Right": "correct"}, 1, ".3f")((), [], [], {}).label
    'Dates'
    """
    constants = {"entry": name, "label": title, "MEASURES": measures}
    return type(
        f"{title}ResultSet", (PlainResultSet,), {**constants, "SCALE": scale, "FORMAT": format}
    )


def result_sets(
    kind: type[PlainResultSet], results: Iterable[PlainResult], selection: Selection | None = None
) -> list[PlainResultSet]:
    """Sorts answers, one set for each condition.

    Args:
        kind: the class of the sets.
        results: as from `read_run`.
        selection: the models to show.

    Raises:
        SetupError: a model answered an instance in two runs, differently.
    """
    return [
        kind.of_answers(conditions, drop_repeated(ours, lambda result: result.completion))
        for conditions, ours in (selection or Selection()).by_conditions(results)
    ]


def leaderboard(result_set: PlainResultSet) -> Iterator[Table]:
    """Each measure's mean with its interval, and with several models the win rate."""
    grid = result_set.grid
    grids = {header: replace(grid, score=header) for header in grid.measures}
    rates = win_rates([(grid, header) for header in grids], result_set.apart)
    columns: dict[str, Mapping[str, Cell]] = {"Win rate": rates} if rates else {}
    columns |= {header: one.estimates for header, one in grids.items()}
    said = "mean share of the other models that a model beats, over all measures."
    rate_note = f" Win rate: {said}{baselines_note(result_set.apart)}" if rates else ""
    models = result_set.models
    yield _per_model(
        result_set,
        "leaderboard",
        f"±: half of the 95% interval. {grid.intervals_note}{rate_note}{groups_note([grid])}",
        {
            "n": [len(result_set.of_model(model)) for model in models],
            **{header: [cells.get(model) for model in models] for header, cells in columns.items()},
        },
    )


def part_tables(result_set: PlainResultSet) -> Iterator[Table]:
    """The mean of each subset, by the measure that ranks models."""
    if len(result_set.by_part) < 2:
        return
    header, metric = list(result_set.MEASURES.items())[-1]
    values = {
        part: [result_set.values(metric, model, part) for model in result_set.models]
        for part in result_set.by_part
    }
    yield _per_model(
        result_set,
        "subsets",
        f"{header}: means over the instances of each subset.",
        {
            part: [result_set.SCALE * fmean(of_model) if of_model else None for of_model in columns]
            for part, columns in values.items()
        },
    )


def answer_tables(result_set: PlainResultSet) -> Iterator[Table]:
    """Why answers scored nothing: cut, refused, empty, or not to be read or rendered."""
    answers = [result_set.of_model(model) for model in result_set.models]
    failed = any(answer.error_kind for of_model in answers for answer in of_model)
    yield _per_model(
        result_set,
        "answers",
        f"Per cent of each model's answers. {FLAWS_NOTE}"
        f"{' The next four: could not be read, or did not render.' if failed else ''}",
        {
            "n": [len(of_model) for of_model in answers],
            **shares(answers, FLAWS, whole=100),
            **(shares(answers, FAILURES, whole=100) if failed else {}),
        },
        PER_CENT,
    )


def significance_tables(result_set: PlainResultSet) -> Iterator[Table]:
    """Which differences between two models are more than chance."""
    yield from pair_tables(result_set.grid, result_set.facts)


SECTIONS = {
    "leaderboard": for_each(leaderboard),
    "scores": for_each(part_tables),
    **groups.SECTIONS,
    "answers": for_each(answer_tables),
    "findings": for_each(finding_tables),
    "missing": for_each(missing_tables),
    "significance": for_each(significance_tables),
}
"""What to show of result sets, by the names that the sections of all benchmarks have."""


def _per_model(
    result_set: PlainResultSet,
    name: str,
    note: str,
    columns: Mapping[str, Sequence[Cell]],
    format: str | None = None,
) -> Table:
    return model_table(
        f"{result_set.name}-{name}",
        f"{result_set.label}: {name}",
        f"{result_set.facts} {note}",
        result_set.models,
        {**columns, **unscored_columns(result_set.unscored, result_set.models)},
        ranking=result_set.ranking,
        apart=result_set.apart,
        format=format or result_set.FORMAT,
    )
