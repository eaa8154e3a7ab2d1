"""All benchmarks of a suite in one table, a row for each model."""

from collections.abc import Sequence
from typing import Any

from helm_structext.report.words import RATE
from helm_structext.results.comparisons import groups_note, named
from helm_structext.results.result_sets import ResultSet, without_experiments
from helm_structext.results.statistics import mean_win_rates
from helm_structext.results.summary import intervals_note
from helm_structext.results.tabular import Cell, Column, Table, counted


def overview_tables(result_sets: Sequence[ResultSet[Any]]) -> list[Table]:
    """Returns a table of each model's score in every benchmark, or nothing where there are none.

    Args:
        result_sets: of all benchmarks. Experiments (sets with more conditions than others of the
            same run entry) are left out.
    """
    usual = without_experiments(result_sets)
    grids = named([one.grid for one in usual])
    apart = {model for one in usual for model in one.apart}
    competing = {
        header: {m: one.value for m, one in grid.estimates.items() if m not in apart}
        for header, grid in grids.items()
    }
    rates = mean_win_rates(competing)
    models = sorted(
        {model for grid in grids.values() for model in grid.estimates},
        key=lambda model: (model in apart, -rates.get(model, -1), model),
    )
    facts = [
        f"{header}: {grid.score} of {counted(len(grid.instances), 'instance')} ({grid.condition})."
        for header, grid in grids.items()
    ]
    # Not `baselines_note`: `helm-structext report` has no option to count them.
    last = f" Baselines ({', '.join(sorted(apart))}) stand last and do not count in it."
    note = (
        f"{' '.join(facts)} {intervals_note(grids)}{groups_note(grids.values())} {RATE}: mean share "
        f"of the others that a model beats, among {counted(len(rates), 'model')}, over the "
        f"{counted(len(grids), 'column')} of this table; that of the leaderboard is over Image2Struct's rendering and EMS alone.{last if apart else ''}"
    )
    rows: list[list[Cell]] = [
        [model, rates.get(model), *(grid.estimates.get(model) for grid in grids.values())]
        for model in models
    ]
    header = [Column("Model"), Column(RATE), *(Column(h, g.format) for h, g in grids.items())]
    return [Table("overview", "Overview", note, header, rows)] if rows else []
