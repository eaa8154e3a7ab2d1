"""All benchmarks of a suite in one table, a row for each model."""

from collections.abc import Sequence
from typing import Any

from helm_structext.models.registry import BASELINES
from helm_structext.results.comparisons import groups_note
from helm_structext.results.result_sets import ResultSet, without_experiments
from helm_structext.results.statistics import mean_win_rates
from helm_structext.results.summary import NOTE
from helm_structext.results.tabular import Cell, Column, Table


def overview_tables(result_sets: Sequence[ResultSet[Any]]) -> list[Table]:
    """Returns a table of each model's score in every benchmark, or nothing where there are none.

    Args:
        result_sets: of all benchmarks. Experiments (sets with more conditions than others of the
            same run entry) are left out.
    """
    grids = [one.grid for one in without_experiments(result_sets)]
    competing = {
        str(number): {m: one.value for m, one in grid.estimates.items() if m not in BASELINES}
        for number, grid in enumerate(grids)
    }
    rates = mean_win_rates(competing)
    models = sorted(
        {model for grid in grids for model in grid.estimates},
        key=lambda model: (model in BASELINES, -rates.get(model, -1), model),
    )
    facts = [
        f"{grid.label}: {grid.score} of {len(grid.instances)} ({grid.condition})." for grid in grids
    ]
    note = (
        f"{' '.join(facts)} {NOTE}{groups_note(grids)} Win rate: mean share of the other models that "
        "are beaten, over all columns; baselines stand last and do not count in it."
    )
    rows: list[list[Cell]] = [
        [model, rates.get(model), *(grid.estimates.get(model) for grid in grids)]
        for model in models
    ]
    header = [Column("Model"), Column("Win rate"), *(Column(g.label, g.format) for g in grids)]
    return [Table("overview", "Overview", note, header, rows)] if rows else []
