"""Scores before and after a model's training cut-off: what it may have seen, and what not.

Image2Struct collects fresh data so that no model has seen it (sections 2.1 and 6); here one sees
whether older instances score better all the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial

import numpy as np
import numpy.typing as npt

from helm_structext.errors import SetupError
from helm_structext.image2struct.results import EMS, Image2StructResultSet
from helm_structext.results.answers import unhandled_note
from helm_structext.results.plots import Point, timeline
from helm_structext.results.statistics import (
    INTERVALS,
    Floats,
    bootstrap_intervals,
    bootstrap_means,
    percentile_intervals,
    skill,
    weighted_means,
)
from helm_structext.results.tabular import Cell, Column, Table, counted

Places = npt.NDArray[np.bool_]

PERIODS = 8
"""How many stretches of days a suite's dates are cut into."""

SEEN, LATER = "up to cut-off", "later"


def date_tables(
    ours: Sequence[Image2StructResultSet], cutoffs: Mapping[str, date]
) -> Iterator[Table]:
    """EMS before and after each model's cut-off, and by date.

    All instances weigh the same here.

    Args:
        ours: result sets; those without dates have no tables.
        cutoffs: model to the last day of its training data; others are left out.

    Raises:
        SetupError: there are cut-offs for none of the models.
    """
    models = sorted({model for result_set in ours for model in result_set.models})
    if not set(models) & set(cutoffs):
        raise SetupError(f"there are cut-offs for none of the models {', '.join(models)}")
    for result_set in ours:
        shown = {model: cutoffs[model] for model in result_set.ranking if model in cutoffs}
        if shown and any(result_set.dates):
            yield _cutoff_table(result_set, shown)
            yield _period_table(result_set, shown)


def _cutoff_table(result_set: Image2StructResultSet, cutoffs: Mapping[str, date]) -> Table:
    rows: list[list[Cell]] = []
    for model, cutoff in cutoffs.items():
        scores = _scores(result_set, model)
        places = _split(result_set, scores, cutoff)
        means = [float(weighted_means(scores[place])[0]) for place in places.values()]
        # Drawn apart: the one says nothing of the other.
        samples = [
            bootstrap_means(scores[place], seed=seed) if place.sum() > 1 else np.array([[np.nan]])
            for seed, place in enumerate(places.values())
        ]
        skills = [_skill(result_set, scores, place) for place in places.values()]
        for (when, place), mean, sample, gained in zip(
            places.items(), means, samples, skills, strict=True
        ):
            (interval,) = percentile_intervals(sample)
            rows.append([model, str(cutoff), when, int(place.sum()), mean, interval, gained])
        (interval,) = percentile_intervals(samples[1] - samples[0])
        change: list[Cell] = [means[1] - means[0], interval, skills[1] - skills[0]]
        rows.append([model, str(cutoff), "change", None, *change])
    return Table(
        f"{result_set.name}-cutoffs",
        f"{result_set.label}, before and after the training cut-off",
        f"{_facts(result_set)} EMS of instances dated up to a model's cut-off, which it may have seen, "
        f"and of later ones. {INTERVALS} A drop that other models do not have at the same date "
        "speaks for contamination; if all have it, later instances are harder.",
        [
            *(Column("Model"), Column("Cut-off"), Column("Instances"), Column("n")),
            *(Column("EMS"), Column("EMS 95%"), Column("Skill (blank)")),
        ],
        rows,
    )


def _period_table(result_set: Image2StructResultSet, cutoffs: Mapping[str, date]) -> Table:
    rows: list[list[Cell]] = []
    points: dict[str, list[Point]] = {model: [] for model in cutoffs}
    days = np.array([day.toordinal() if day else 0 for day in result_set.dates])
    first, last = days[days > 0].min(), days.max()
    length = math.ceil((last - first + 1) / PERIODS)
    for model, cutoff in cutoffs.items():
        scores = _scores(result_set, model)
        for start in range(first, last + 1, length):
            # A period that holds the cut-off is cut there.
            for when, place in _split(result_set, scores, cutoff).items():
                here = place & (days >= start) & (days < start + length)
                if here.any():
                    mean = float(weighted_means(scores[here])[0])
                    (interval,) = bootstrap_intervals(scores[here])
                    ends = [
                        str(date.fromordinal(end)) for end in (days[here].min(), days[here].max())
                    ]
                    rows.append([model, *ends, when, int(here.sum()), mean, interval])
                    middle = date.fromordinal(round(days[here].mean()))
                    points[model].append(Point(middle, mean, *interval))
    title = f"{result_set.label}: EMS by date of the instance"
    return Table(
        f"{result_set.name}-periods",
        title,
        f"{_facts(result_set)} {INTERVALS}",
        [
            *(Column("Model"), Column("First"), Column("Last"), Column("Instances"), Column("n")),
            *(Column("EMS"), Column("EMS 95%")),
        ],
        rows,
        printed=False,
        drawing=partial(timeline, points, cutoffs, title),
    )


def _scores(result_set: Image2StructResultSet, model: str) -> Floats:
    return result_set.scores(EMS)[:, [result_set.models.index(model)]]


def _split(result_set: Image2StructResultSet, scores: Floats, cutoff: date) -> dict[str, Places]:
    """Which of the dated instances with a score lie on which side."""
    known = np.isfinite(scores[:, 0]) & np.array([day is not None for day in result_set.dates])
    early = np.array([day is not None and day <= cutoff for day in result_set.dates])
    return {SEEN: known & early, LATER: known & ~early}


def _skill(result_set: Image2StructResultSet, scores: Floats, place: Places) -> float:
    floor = result_set.blank_floor
    return float("nan") if floor is None else float(skill(scores[place], floor[place])[0])


def _facts(result_set: Image2StructResultSet) -> str:
    dated = sum(day is not None for day in result_set.dates)
    rest = len(result_set.dates) - dated
    without = f", {rest} without a date" if rest else ""
    lost = unhandled_note(result_set.unhandled)
    return f"{result_set.condition}; {counted(dated, 'instance')}{without}.{lost}"
