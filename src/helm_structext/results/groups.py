"""Groups of models and of tasks: open and closed models, size against quality, hard and saturated tasks.

Means over models are of models that count as rivals, which are fixed: their intervals are over samples of the
instances alone, the same ones for all models.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np

from helm_structext.results.answers import Unscored, add_unscored, unscored_columns, unscored_note
from helm_structext.results.comparisons import ScoreGrid, draw_win_rates
from helm_structext.results.model_facts import ACCESS, SIZE_NOTE, ModelFacts, fact_columns
from helm_structext.results.plots import Mark, horizontal_bars, scatter
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.statistics import (
    Floats,
    clusters_held,
    correlations,
    percentile_intervals,
)
from helm_structext.results.tabular import (
    SCORE,
    Cell,
    Column,
    Estimate,
    Table,
    format_count,
    list_some,
)
from helm_structext.scoring.scorer import InstanceKey

HARD, SATURATED = 0.5, 0.9
"""Of the highest score: tasks below are hard (StructEval, section 1), and above saturated (section 4.2)."""

BARS = 8
"""Of the hardest tasks in a chart, as many as section 4.2 of StructEval names."""

RATE = "Win rate"

OVER_MODELS = "±: half of the 95% interval, by samples of the instances; the models are fixed."


@dataclass(frozen=True)
class _Scores:
    """What models have in a column, and in samples of the instances.

    Args:
        means: model to mean, of those that have one.
        draw: returns the means of some models in samples, one after the other; NaN where intervals are not known.
            Samples are large: they are drawn again, and not kept.
        format: of the numbers.
    """

    means: Mapping[str, float]
    draw: Callable[[Sequence[str]], Iterable[Floats]]
    format: str = SCORE

    @classmethod
    def of_grid(cls, grid: ScoreGrid, instances: Sequence[InstanceKey] | None = None) -> "_Scores":
        """The scores of a grid, or of some of its instances."""
        some = grid if instances is None else grid.at(instances)
        means = {model: mean for model, mean in some.means(grid.score).items() if mean == mean}
        return cls(means, partial(_draw, grid, instances), grid.format)

    def of(self, models: Iterable[str]) -> list[float]:
        """The means of those of the models that have one."""
        return [self.means[model] for model in models if model in self.means]

    def mean_over(self, models: Iterable[str]) -> tuple[float, Floats] | None:
        """The mean over those of the models that have one, and in samples."""
        ours = [model for model in models if model in self.means]
        if not ours:
            return None
        return fmean(self.of(ours)), sum(self.draw(ours), np.zeros(1)) / len(ours)

    def estimate(self, models: Iterable[str]) -> Estimate | None:
        """The mean over models with its interval, or None where none has one."""
        found = self.mean_over(models)
        return found and _estimate(*found)

    def difference(self, models: Iterable[str], others: Iterable[str]) -> Estimate | None:
        """How much more the mean over models is than that over others."""
        found, less = self.mean_over(models), self.mean_over(others)
        return found and less and _estimate(found[0] - less[0], found[1] - less[1])


def _draw(
    grid: ScoreGrid, instances: Sequence[InstanceKey] | None, models: Sequence[str]
) -> Iterator[Floats]:
    grid = grid if instances is None else grid.at(instances)
    held = clusters_held(grid.measures[grid.score], grid.clusters)
    draws = grid.draws(grid.score)
    for model in models:
        place = grid.models.index(model)
        yield draws[:, place] if held[place] > 1 else np.full(len(draws), np.nan)


def _estimate(value: float, draws: Floats) -> Estimate:
    (interval,) = percentile_intervals(draws[:, None])
    return Estimate(value, interval, "")


@dataclass(frozen=True)
class _Together:
    """Result sets whose columns stand side by side."""

    result_sets: Sequence[ResultSet[Any]]

    @property
    def facts(self) -> Mapping[str, ModelFacts]:
        return self.result_sets[0].model_facts

    @property
    def name(self) -> str:
        """The beginning of files' names: of several result sets, what they have in common."""
        first = self.result_sets[0]
        return (
            first.name
            if len(self.result_sets) == 1
            else "-".join(value for _, value in first.conditions)
        )

    @property
    def title(self) -> str:
        """What titles end with."""
        return ", ".join(one.label for one in self.result_sets)

    @property
    def note(self) -> str:
        """The condition, who lacks instances, and what was read."""
        remarks = (f" {remark}" for one in self.result_sets for remark in one.remarks)
        data = dict.fromkeys(one.data_note for one in self.result_sets)
        lost = unscored_note(self.unscored)
        return f"{self.result_sets[0].condition}.{''.join(remarks)}{''.join(data)}{lost}"

    @cached_property
    def unscored(self) -> Unscored:
        """How many answers have no score, as from `count_unscored`."""
        return add_unscored(one.unscored for one in self.result_sets)

    @cached_property
    def columns(self) -> dict[str, _Scores]:
        """Header to scores; of several result sets, the win rate over all of them first."""
        several = len(self.result_sets) > 1
        grids = {
            f"{one.label} {header}" if several else header: grid
            for one in self.result_sets
            for header, grid in one.columns.items()
        }
        apart = {model for one in self.result_sets for model in one.apart}
        rates = draw_win_rates([(grid, grid.score) for grid in grids.values()], apart)
        rate = _Scores(
            {model: rate for model, (rate, _) in rates.items()},
            lambda models: (rates[model][1] for model in models),
        )
        return {
            **({RATE: rate} if several and rates else {}),
            **{header: _Scores.of_grid(grid) for header, grid in grids.items() if grid.instances},
        }

    @cached_property
    def rivals(self) -> list[str]:
        """The models, the best first: by the win rate, or by the last column."""
        models = list(dict.fromkeys(model for one in self.result_sets for model in one.rivals))
        by = self.columns.get(RATE) or list(self.columns.values())[-1]
        return sorted(models, key=lambda model: -by.means.get(model, -1))

    @cached_property
    def halves(self) -> dict[str, list[str]]:
        """Access to the models that have it, where it is known of any."""
        facts = self.facts
        known = [model for model in self.rivals if model in facts and facts[model].access]
        of_access = group_values(known, lambda model: facts[model].access)
        return {access: of_access[access] for access in ACCESS if access in of_access}


def access_tables(result_sets: Sequence[ResultSet[Any]]) -> Iterator[Table]:
    """Open and closed models apart, the mean of each, and how far the closed ones are ahead.

    So are Table 6 of StructEval (with its last row) and Table 1 of MMR, and section 4.1 of Image2Struct. There
    is none where nobody said which models are open.

    Args:
        result_sets: of one condition.
    """
    every = _Together(result_sets)
    models = [model for half in every.halves.values() for model in half]
    if not models:
        return
    facts = fact_columns(every.facts, models)
    lost = unscored_columns(every.unscored, models)
    of_models = {
        model: [
            [model, *known],
            [one.means.get(model) for one in every.columns.values()],
            [*marks],
        ]
        for model, known, marks in zip(
            models,
            zip(*facts.values(), strict=True),
            zip(*lost.values(), strict=True) if lost else [()] * len(models),
            strict=True,
        )
    }

    def row(name: str, estimates: Iterable[Cell], access: str | None = None) -> list[Cell]:
        unknown: list[Cell] = [None] * (len(facts) - 1)
        return [name, access, *unknown, *estimates, *(None for _ in lost)]

    scores = every.columns.values()
    rows: list[list[Cell]] = []
    for access, half in every.halves.items():
        rows += [[*chain.from_iterable(of_models[model])] for model in half]
        rows.append(
            row(f"mean of {access} ({len(half)})", [one.estimate(half) for one in scores], access)
        )
    if len(every.halves) == len(ACCESS):
        ours, theirs = every.halves["closed"], every.halves["open"]
        ahead = [one.difference(ours, theirs) for one in scores]
        best = [one.difference(ours[:1], theirs[:1]) for one in scores]
        rows.append(row("Δ mean of closed − mean of open", ahead))
        rows.append(row(f"Δ best closed − best open ({ours[0]} − {theirs[0]})", best))
    rows.append(
        row(f"mean of all ({len(every.rivals)})", [one.estimate(every.rivals) for one in scores])
    )
    by = RATE if RATE in every.columns else list(every.columns)[-1]
    yield Table(
        f"{every.name}-groups",
        f"Open and closed models: {every.title}",
        f"{every.note} {OVER_MODELS} Best: by {by}."
        f"{_unknown([m for m in every.rivals if m not in models], 'access')}{_note_lacking(every)} {SIZE_NOTE}",
        [
            *(Column("Model"), *facts),
            *(Column(header, one.format) for header, one in every.columns.items()),
            *map(Column, lost),
        ],
        rows,
    )


def _unknown(models: Sequence[str], what: str) -> str:
    """Who is left out as nobody said what they are."""
    if not models:
        return ""
    which = f"{format_count(len(models), 'model')} ({list_some(models)})"
    return f" Left out, as their {what} is not known: {which}."


def _note_lacking(every: _Together) -> str:
    """In which columns means are of fewer models."""
    few = {
        header: sum(m in one.means for m in every.rivals) for header, one in every.columns.items()
    }
    lacking = [f"{h} ({n})" for h, n in few.items() if n < len(every.rivals)]
    return (
        f" Of {len(every.rivals)} models fewer have a score in {list_some(lacking)}."
        if lacking
        else ""
    )


def size_tables(result_sets: Sequence[ResultSet[Any]]) -> Iterator[Table]:
    """Models by size, with what they score; drawn as a point each (MMR, section 4.2).

    Args:
        result_sets: any; there is no table where no size is known.
    """
    for one in result_sets:
        sizes = {
            model: float(size)
            for model in one.rivals
            if (size := one.model_facts.get(model, ModelFacts()).parameters) is not None
        }
        grid = one.group_grid
        scores = _Scores.of_grid(grid)
        estimates = {m: found for m in sizes if (found := scores.estimate([m]))}
        if not estimates:
            continue
        models = sorted(estimates, key=lambda model: (sizes[model], model))
        title = f"Size and quality: {one.label}"
        together = _Together([one])
        points = np.array([[np.log(sizes[m]), estimates[m].value] for m in models])
        r = float(correlations(points)[0, 1]) if len(models) > 2 else np.nan
        said = "" if np.isnan(r) else f" Pearson's r of log size and {grid.score}: {r:.2f}."
        cells: dict[Column, Sequence[Cell]] = {
            **fact_columns(one.model_facts, models),
            Column(grid.score, grid.format): [estimates[model] for model in models],
            **{Column(h): marks for h, marks in unscored_columns(one.unscored, models).items()},
        }
        marks = [
            Mark(
                model,
                sizes[model],
                estimates[model].value,
                estimates[model].interval,
                one.model_facts[model].access or "",
            )
            for model in models
        ]
        yield Table(
            f"{together.name}-sizes",
            title,
            f"{together.note} ±: half of the 95% interval.{said}"
            f"{_unknown([m for m in one.rivals if m not in sizes], 'size')} {SIZE_NOTE}",
            [Column("Model"), *cells],
            [[model, *row] for model, *row in zip(models, *cells.values(), strict=True)],
            drawing=partial(scatter, marks, title, "parameters (billions)", grid.score, one.SCALE),
        )


def task_tables(result_sets: Sequence[ResultSet[Any]]) -> Iterator[Table]:
    """Which tasks are hard and which are saturated, by their means over models; the same of types of tasks.

    So are Figures 6a and 6b of StructEval and its section 4.2, drawn as bars. Of one task there is no table.

    Args:
        result_sets: of one condition.
    """
    every = _Together(result_sets)
    tasks: dict[str, _Scores] = {}
    types: dict[str, _Scores] = {}
    type_of: dict[str, str] = {}
    for one in result_sets:
        for type_, parts in group_values(one.by_part, one.part_type).items():
            instances = [key for part in parts for key in one.by_part[part]]
            types[type_] = _Scores.of_grid(one.group_grid, instances)
            for part in parts:
                name = one.part_name(part)
                name = f"{one.label}: {name}" if len(result_sets) > 1 else name
                tasks[name] = _Scores.of_grid(one.group_grid, one.by_part[part])
                type_of[name] = type_
    scale = result_sets[0].SCALE
    means = {
        name: found[0] for name, one in tasks.items() if (found := one.mean_over(every.rivals))
    }
    if len(means) < 2:
        return
    scored = {name: tasks[name].of(every.rivals) for name in means}
    hardest = sorted(means, key=lambda name: means[name])
    verdicts = {
        name: "hard" if mean < HARD * scale else "saturated" if mean > SATURATED * scale else ""
        for name, mean in means.items()
    }
    counts = {verdict: [*verdicts.values()].count(verdict) for verdict in ("hard", "saturated")}
    first = hardest[:BARS]
    yield _means_table(
        every,
        "tasks",
        f"Tasks, the hardest first: {every.title}",
        f"Hard: a mean below {HARD * scale:g} ({counts['hard']} of {len(means)}); saturated: above "
        f"{SATURATED * scale:g} ({counts['saturated']}). < and >: how many models are below and above.",
        {name: tasks[name] for name in hardest},
        {
            **({"Type": [type_of[name] for name in hardest]} if len(types) > 1 else {}),
            "Verdict": [verdicts[name] for name in hardest],
            f"< {HARD * scale:g}": [sum(v < HARD * scale for v in scored[n]) for n in hardest],
            f"> {SATURATED * scale:g}": [
                sum(v > SATURATED * scale for v in scored[n]) for n in hardest
            ],
        },
        f"The {len(first)} hardest of {len(means)} tasks: {every.title}",
        first,
    )
    known = [name for name, one in types.items() if one.mean_over(every.rivals)]
    if len(known) > 1:
        yield _means_table(
            every,
            "types",
            f"Types of tasks: {every.title}",
            "",
            {name: types[name] for name in known},
            {"Tasks": [sum(type_of[task] == name for task in means) for name in known]},
            f"Types of tasks: {every.title}",
            known,
        )


def _means_table(
    every: _Together,
    name: str,
    title: str,
    note: str,
    scores: Mapping[str, _Scores],
    more: Mapping[str, Sequence[Cell]],
    drawn_title: str,
    drawn: Sequence[str],
) -> Table:
    """Means over models, of all and of open and closed ones, a row for each of several scores."""
    format = next(iter(scores.values())).format
    ranges = [sorted(one.of(every.rivals)) for one in scores.values()]
    estimates = {row: one.estimate(every.rivals) for row, one in scores.items()}
    columns: dict[Column, Sequence[Cell]] = {
        **{Column(header): cells for header, cells in more.items()},
        Column("Models"): [len(of) for of in ranges],
        Column("Mean", format): [*estimates.values()],
        **{
            Column(f"{access} ({len(models)})", format): [
                one.estimate(models) for one in scores.values()
            ]
            for access, models in every.halves.items()
        },
    }
    if len(every.halves) == len(ACCESS):
        columns[Column("closed − open", format)] = [
            one.difference(every.halves["closed"], every.halves["open"]) for one in scores.values()
        ]
    columns |= {
        Column("Lowest", format): [of[0] for of in ranges],
        Column("Highest", format): [of[-1] for of in ranges],
    }
    bars = {
        row: (found.value, found.interval) for row in drawn if (found := estimates[row]) is not None
    }
    models = format_count(len(every.rivals), "model")
    return Table(
        f"{every.name}-{name}",
        title,
        f"{every.note} Means over models. {note} {OVER_MODELS}",
        [Column("Task" if name == "tasks" else "Type"), *columns],
        [[row, *cells] for row, *cells in zip(scores, *columns.values(), strict=True)],
        drawing=partial(
            horizontal_bars,
            bars,
            f"{drawn_title}, mean over {models}",
            every.result_sets[0].SCALE,
            format,
        ),
    )


SECTIONS = {"groups": access_tables, "sizes": size_tables, "tasks": task_tables}
"""Name to what makes the tables of result sets of one condition, whatever the benchmark."""
