"""A suite on one screen: what each model scored in each benchmark, how sure that is, who is best."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from helm_structext.results.answers import baselines_note, unhandled_note
from helm_structext.results.comparisons import ScoreGrid, groups_note, named
from helm_structext.results.result_sets import ResultSet, grouped, without_experiments
from helm_structext.results.statistics import INTERVALS, WITHIN_TASKS, mean_win_rates
from helm_structext.results.tabular import (
    PER_CENT,
    SCORE,
    Cell,
    Column,
    Estimate,
    Table,
    shown,
    some,
)

COLUMNS = 5
"""Of scores side by side, as many as a screen is wide."""

NOTE = f"±: half of the 95% interval. {INTERVALS}"


def summary_tables(result_sets: Sequence[ResultSet[Any]]) -> Iterator[Table]:
    """The scores of each model under the usual conditions, with intervals and groups of ties.

    Args:
        result_sets: of all benchmarks. Experiments (the sets with more conditions than others of
            the same run entry) are only counted.
    """
    usual = without_experiments(result_sets)
    if not usual:
        return
    grids = named([result_set.grid for result_set in usual])
    columns = {header: grid.estimates for header, grid in grids.items()}
    apart = {model for result_set in usual for model in result_set.apart}
    rates = _win_rates(columns, without=apart)
    among_all = _win_rates(columns)
    models = sorted(
        {model for result_set in usual for model in result_set.models},
        key=lambda m: (m in apart, -rates.get(m, -1), -among_all.get(m, -1), m),
    )
    facts = [
        *_facts(grids),
        intervals_note(grids),
        groups_note(grids.values()).strip(),
        *([f"Win rate: over all columns.{baselines_note(apart)}"] if rates else []),
        *(remark for one in usual for remark in one.remarks),
        *dict.fromkeys(one.data_note.strip() for one in usual),
        unhandled_note(_lost(usual)).strip(),
        *_helms(dict(zip(grids, usual, strict=True))),
        *_left_out(result_sets, usual),
    ]
    headers = list(columns)
    for start in range(0, len(headers), COLUMNS):
        part = headers[start : start + COLUMNS]
        first: Mapping[str, Mapping[str, Cell]] = {"Win rate": rates} if rates and not start else {}
        cells = {**first, **{header: columns[header] for header in part}}
        yield Table(
            f"summary{start // COLUMNS + 1 if len(headers) > COLUMNS else ''}",
            "Summary, continued" if start else "Summary",
            "" if start else " ".join(filter(None, facts)),
            [
                Column("Model"),
                *(Column(h, grids[h].format if h in grids else SCORE) for h in cells),
            ],
            [[model, *(column.get(model) for column in cells.values())] for model in models],
            apart=len(apart),
        )


def _win_rates(
    columns: Mapping[str, Mapping[str, Estimate]], without: Iterable[str] = ()
) -> dict[str, float]:
    return mean_win_rates(
        {
            header: {model: cell.value for model, cell in column.items() if model not in without}
            for header, column in columns.items()
        }
    )


def _facts(grids: Mapping[str, ScoreGrid]) -> Iterator[str]:
    """What the columns are means of, and of how many instances."""

    def kind(header: str) -> tuple[str, str, str]:
        grid = grids[header]
        return grid.score, " in per cent" if grid.format == PER_CENT else "", grid.condition

    for (score, unit, condition), headers in grouped(grids, kind).items():
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
        if float(shown(most, result_set.FORMAT)):
            apart[header] = f"{header} up to {shown(most, result_set.FORMAT)}"
    if apart:
        yield (
            "helm-server averages runs (and parts of runs) instead of instances, so its means differ: "
            f"{', '.join(apart.values())}."
        )


def _left_out(
    result_sets: Sequence[ResultSet[Any]], usual: Sequence[ResultSet[Any]]
) -> Iterator[str]:
    experiments = {one.condition for one in result_sets if one not in usual}
    if experiments:
        yield f"Left out: {some(sorted(experiments), 3, '; ')}."


def _lost(result_sets: Sequence[ResultSet[Any]]) -> Counter[str]:
    """Model to the number of its answers that could not be handled."""
    return sum((Counter(one.unhandled) for one in result_sets), Counter())
