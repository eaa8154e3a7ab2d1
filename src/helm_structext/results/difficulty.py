"""Scores by how hard instances are: by levels of difficulty, and by the length of what is asked for.

A benchmark says what its levels and lengths are (`Difficulty`), as far as it has any.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from helm_structext.results.answers import unscored_columns, unscored_note
from helm_structext.results.plots import BinMean, length_panels
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.statistics import (
    bootstrap_intervals,
    correlations,
    standard_errors,
    weighted_means,
)
from helm_structext.results.tabular import Cell, Column, Estimate, Table, model_table

BINS = 5
"""Of lengths, as far as instances have as many."""
PANELS = 12
"""Models that a plot has room for."""
MAX_LEVELS = 10
"""That have a column; those that a dataset has beyond share one."""
UNKNOWN, OTHER = "unknown", "other"
"""The levels of instances of which none is known, where others have one, and of those beyond."""


@dataclass(frozen=True)
class Difficulty:
    """What makes instances of a benchmark hard, as far as it says so.

    Args:
        levels: names of levels, the easiest first; others follow in the order of the alphabet.
        level: returns the level of an answer's instance, or "".
        length: returns the length of what is asked for, or None where it has none.
        unit: in which the length is counted, such as ``characters of the reference``.
    """

    levels: Sequence[str] = ()
    level: Callable[[Any], str] = lambda answer: ""
    length: Callable[[Any], int | None] = lambda answer: None
    unit: str = ""


def difficulty_tables(
    difficulty: Difficulty, result_sets: Sequence[ResultSet[Any]]
) -> Iterator[Table]:
    """Yields for each result set its scores by level, and its main score by length, with a plot.

    Args:
        difficulty: of the benchmark.
        result_sets: that stand side by side; one without levels or lengths has no such table.
    """
    for result_set in result_sets:
        yield from _level_tables(difficulty, result_set)
        yield from _length_tables(difficulty, result_set)


def length_bins(lengths: Sequence[int], number: int = BINS) -> list[tuple[int, int]]:
    """Returns bins that hold about as many lengths each; equal ones share a bin.

    Args:
        lengths: at least one.
        number: of bins, at most.

    Returns:
        The least and the largest length in each bin, from short to long.

    >>> length_bins([9, 1, 1, 1, 30, 5], 3), length_bins([7], 3)
    ([(1, 1), (5, 5), (9, 30)], [(7, 7)])
    """
    ordered = sorted(lengths)
    ends = {ordered[math.ceil(len(ordered) * part / number) - 1] for part in range(1, number + 1)}
    starts = [0, *(bisect_right(ordered, end) for end in sorted(ends))]
    return [(ordered[start], end) for start, end in zip(starts, sorted(ends), strict=False)]


def estimate_means(result_set: ResultSet[Any], metric: str) -> list[Estimate | None]:
    """Returns each model's mean with its interval and standard error, without letters.

    Args:
        result_set: whose instances count.
        metric: of the answers' scores.

    Returns:
        An estimate for each model, on the scale of its tables; None without a value.
    """
    scores = result_set.SCALE * result_set.scores(metric)
    weights, clusters = result_set.weights, result_set.clusters
    strata = result_set.stratify(result_set.instances)
    return [
        Estimate(mean, interval, "", error) if math.isfinite(mean) else None
        for mean, interval, error in zip(
            weighted_means(scores, weights).tolist(),
            bootstrap_intervals(scores, weights, clusters=clusters, strata=strata),
            standard_errors(scores, weights, clusters, strata).tolist(),
            strict=True,
        )
    ]


def _level_tables(difficulty: Difficulty, result_set: ResultSet[Any]) -> Iterator[Table]:
    of_instance = {key: difficulty.level(answer) for key, answer in result_set.references.items()}
    present = {*of_instance.values()} - {""}
    if not present:
        return
    others = sorted(present.difference(difficulty.levels))
    named = [*filter(present.__contains__, difficulty.levels), *others][:MAX_LEVELS]
    found = group_values(
        of_instance,
        lambda key: level if (level := of_instance[key] or UNKNOWN) in (*named, UNKNOWN) else OTHER,
    )
    levels = [level for level in dict.fromkeys([*named, OTHER, UNKNOWN]) if level in found]
    columns = {
        f"{header} {level}": estimate_means(replace(result_set, instances=found[level]), metric)
        for header, metric in result_set.MEASURES.items()
        for level in levels
    }
    numbers = ", ".join(f"{level} {len(found[level])}" for level in levels)
    yield _per_model(
        result_set, "difficulty", "by difficulty", f"Means over instances: {numbers}.", columns
    )


def _length_tables(difficulty: Difficulty, result_set: ResultSet[Any]) -> Iterator[Table]:
    every = {key: difficulty.length(answer) for key, answer in result_set.references.items()}
    lengths = {key: length for key, length in every.items() if length is not None}
    if not lengths:
        return
    measured = replace(result_set, instances=[*lengths])
    header, metric = list(result_set.MEASURES.items())[-1]
    bins = length_bins([*lengths.values()])
    parts = group_values(
        lengths, lambda key: next(place for place in bins if lengths[key] <= place[1])
    )
    columns = {
        place: estimate_means(replace(result_set, instances=parts[place]), metric) for place in bins
    }
    scores = result_set.SCALE * measured.scores(metric)
    counted = np.array([*lengths.values()], dtype=float)
    related = [float(correlations(np.column_stack([counted, of]))[0, 1]) for of in scores.T]
    left_out = len(every) - len(lengths)
    title = f"{header} against length"
    shown = result_set.ranking[:PANELS]
    some = (
        f", the first {PANELS} of {len(result_set.models)} models"
        if len(shown) < len(result_set.models)
        else ""
    )
    places = {model: place for place, model in enumerate(result_set.models)}
    table = _per_model(
        result_set,
        "length",
        f"{title} in {difficulty.unit}",
        f"Means over the instances of some length, whose number stands in brackets. "
        f"{f'{left_out} have none. ' if left_out else ''}r: Pearson's correlation of length and {header}.",
        {
            **{_range(place, len(parts[place])): columns[place] for place in bins},
            "r": related,
        },
    )
    yield replace(
        table,
        # r is no per cent.
        columns=[column if column.name != "r" else Column("r") for column in table.columns],
        drawing=partial(
            length_panels,
            {model: (counted, scores[:, places[model]]) for model in shown},
            {
                model: [
                    BinMean(*place, found.value, *found.interval)
                    for place in bins
                    if (found := columns[place][places[model]])
                ]
                for model in shown
            },
            f"{result_set.label}: {title} ({result_set.condition}){some}",
            difficulty.unit,
            result_set.SCALE,
        ),
    )


def _range(place: tuple[int, int], number: int) -> str:
    low, high = place
    return f"{low:,}{f'–{high:,}' if high > low else ''} ({number})"


def _per_model(
    result_set: ResultSet[Any],
    name: str,
    title: str,
    note: str,
    columns: Mapping[str, Sequence[Cell]],
) -> Table:
    lost = unscored_note(result_set.unscored)
    return model_table(
        f"{result_set.name}-{name}",
        f"{result_set.label}: {title}",
        f"{result_set.condition}. {note} ±: half of the 95% interval. {result_set.grid.intervals_note}{lost}",
        result_set.models,
        {**columns, **unscored_columns(result_set.unscored, result_set.models)},
        ranking=result_set.ranking,
        apart=result_set.apart,
        format=result_set.FORMAT,
    )
