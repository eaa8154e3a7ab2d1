"""All benchmarks of a suite in one table, a row for each model."""

from collections.abc import Sequence
from typing import Any

from helm_structext.models.registry import BASELINES
from helm_structext.results.comparisons import ScoreGrid
from helm_structext.results.result_sets import ResultSet, without_experiments
from helm_structext.results.statistics import INTERVALS, bootstrap_intervals, mean_win_rates
from helm_structext.results.tabular import DASH, Column, Table, shown


def overview_tables(result_sets: Sequence[ResultSet[Any]]) -> list[Table]:
    """Returns a table of each model's score in every benchmark, or nothing where there are none.

    Args:
        result_sets: of all benchmarks. Experiments (sets with more conditions than others of the
            same run entry) are left out.
    """
    grids = [one.grid for one in without_experiments(result_sets)]
    scores = [_known(grid) for grid in grids]
    competing = {
        str(number): {model: mean for model, mean in ours.items() if model not in BASELINES}
        for number, ours in enumerate(scores)
    }
    rates = mean_win_rates(competing)
    models = sorted(
        {model for ours in scores for model in ours},
        key=lambda model: (model in BASELINES, -rates.get(model, -1), model),
    )
    columns = [_column(grid, models) for grid in grids]
    facts = [
        f"{grid.label}: {grid.score} of {len(grid.instances)} ({grid.condition})." for grid in grids
    ]
    note = (
        f"{' '.join(facts)} Ranges: half of the 95% interval. {INTERVALS} "
        "Win rate: mean share of the other models that are beaten, over all columns; baselines stand "
        "last and do not count in it."
    )
    rows = [
        [model, rates.get(model), *(column[number] for column in columns)]
        for number, model in enumerate(models)
    ]
    header = [Column("Model"), Column("Win rate"), *(Column(grid.label) for grid in grids)]
    return [Table("overview", "Overview", note, header, rows)] if rows else []


def _known(grid: ScoreGrid) -> dict[str, float]:
    """Model to mean, of the models that have one."""
    means = grid.means(grid.score)
    return {model: mean for model, mean in means.items() if mean == mean}


def _column(grid: ScoreGrid, models: Sequence[str]) -> list[str]:
    """The mean of each model, and half of its interval."""
    intervals = bootstrap_intervals(grid.measures[grid.score], grid.weights, clusters=grid.clusters)
    halves = {
        model: (high - low) / 2 for model, (low, high) in zip(grid.models, intervals, strict=True)
    }
    known = _known(grid)
    return [
        f"{shown(known[model], grid.format)} ± {shown(halves[model], grid.format)}"
        if model in known
        else DASH
        for model in models
    ]
