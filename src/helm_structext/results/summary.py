"""A suite on one screen: what each model scored in each benchmark, how sure that is, who is best."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from helm_structext.results.answers import add_unscored, baselines_note, unscored_note
from helm_structext.results.comparisons import (
    ScoreGrid,
    by_win_rates,
    groups_note,
    number_grids,
    win_rates,
)
from helm_structext.results.result_sets import ResultSet, drop_experiments, group_values
from helm_structext.results.statistics import INTERVALS, WITHIN_TASKS
from helm_structext.results.tabular import (
    PER_CENT,
    SCORE,
    Cell,
    Column,
    Table,
    format_cell,
    list_some,
)

COLUMNS = 5
"""Of scores side by side, as many as a screen is wide."""

RATE_NOTE = (
    "mean share of the other models that a model beats, over all columns; that of Image2Struct's leaderboard is "
    "over its own scores. Interval: by the same samples of instances for all models."
)

NOTE = f"±: half of the 95% interval. {INTERVALS}"


RATE = "Win rate"


def summary_table(result_sets: Sequence[ResultSet[Any]]) -> Table | None:
    """Returns the scores of each model under the usual conditions, with intervals and groups of ties.

    Args:
        result_sets: of all benchmarks. Experiments (the sets with more conditions than others of
            the same run entry) are only counted.

    Returns:
        A table with all columns, however wide; None where there is nothing.
    """
    usual = drop_experiments(result_sets)
    if not usual:
        return None
    grids = number_grids([result_set.grid for result_set in usual])
    columns = [(grid, grid.score) for grid in grids.values()]
    apart = {model for result_set in usual for model in result_set.apart}
    rates = win_rates(columns, apart)
    among_all = win_rates(columns) if apart else rates
    models = by_win_rates(
        {model for one in usual for model in one.models}, [rates, among_all], apart
    )
    facts = [
        *_facts(grids),
        intervals_note(grids),
        groups_note(grids.values()).strip(),
        *([f"{RATE}: {RATE_NOTE}{baselines_note(apart)}"] if rates else []),
        *(remark for one in usual for remark in one.remarks),
        *dict.fromkeys(one.data_note.strip() for one in usual),
        unscored_note(add_unscored(one.unscored for one in usual)).strip(),
        *_helms(dict(zip(grids, usual, strict=True))),
        *_note_left_out(result_sets, usual),
    ]
    cells: dict[str, Mapping[str, Cell]] = {RATE: rates} if rates else {}
    cells |= {header: grid.estimates for header, grid in grids.items()}
    formats = {header: grid.format for header, grid in grids.items()}
    return Table(
        "summary",
        "Summary",
        " ".join(filter(None, facts)),
        [Column("Model"), *(Column(header, formats.get(header, SCORE)) for header in cells)],
        [[model, *(column.get(model) for column in cells.values())] for model in models],
        apart=len(apart),
    )


def summary_tables(result_sets: Sequence[ResultSet[Any]]) -> Iterator[Table]:
    """The summary (`summary_table`), as many columns side by side as a screen is wide.

    Args:
        result_sets: of all benchmarks.
    """
    whole = summary_table(result_sets)
    if not whole:
        return
    first = 1 + any(column.name == RATE for column in whole.columns)
    width = len(whole.columns)
    for number, start in enumerate(range(first, width, COLUMNS), 1):
        shown_columns = [
            *range(1 if start > first else first),
            *range(start, min(start + COLUMNS, width)),
        ]
        yield replace(
            whole,
            name=f"summary{number if width - first > COLUMNS else ''}",
            title="Summary, continued" if start > first else "Summary",
            note="" if start > first else whole.note,
            columns=[whole.columns[place] for place in shown_columns],
            rows=[[row[place] for place in shown_columns] for row in whole.rows],
        )


def _facts(grids: Mapping[str, ScoreGrid]) -> Iterator[str]:
    """What the columns are means of, and of how many instances."""

    def kind(header: str) -> tuple[str, str, str]:
        grid = grids[header]
        return grid.score, " in per cent" if grid.format == PER_CENT else "", grid.condition

    for (score, unit, condition), headers in group_values(grids, kind).items():
        numbers = ", ".join(f"{header} {len(grids[header].instances)}" for header in headers)
        yield f"{score}{unit}: {numbers} instances ({condition})."


def intervals_note(grids: Mapping[str, ScoreGrid]) -> str:
    """Returns what the intervals of some columns are, and whose are of fixed tasks.

    Args:
        grids: header to what is in its column.
    """
    headers = [header for header, grid in grids.items() if grid.strata is not None]
    fixed = f" {', '.join(headers)}: {WITHIN_TASKS[0].lower()}{WITHIN_TASKS[1:]}"
    return f"{NOTE}{fixed if headers else ''}"


def _helms(shown_sets: Mapping[str, ResultSet[Any]]) -> Iterator[str]:
    """Where helm-server shows other means, and how far they are from these."""
    apart = {}
    for header, result_set in shown_sets.items():
        metric = list(result_set.MEASURES.values())[-1]
        theirs = result_set.helms_means(metric)
        ours = result_set.by_model(metric)
        most = result_set.SCALE * max((abs(theirs[m] - ours[m]) for m in ours), default=0)
        if float(format_cell(most, result_set.FORMAT)):
            apart[header] = f"{header} up to {format_cell(most, result_set.FORMAT)}"
    if apart:
        yield (
            "helm-server averages runs (and parts of runs) instead of instances, so its means differ: "
            f"{', '.join(apart.values())}."
        )


def _note_left_out(
    result_sets: Sequence[ResultSet[Any]], usual: Sequence[ResultSet[Any]]
) -> Iterator[str]:
    experiments = {one.condition for one in result_sets if one not in usual}
    if experiments:
        yield f"Left out: {list_some(sorted(experiments), 3, '; ')}."
