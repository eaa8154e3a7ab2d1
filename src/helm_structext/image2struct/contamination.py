"""Scores before and after a model's training cut-off: what it may have seen, and what not.

Image2Struct collects fresh data so that no model has seen it (sections 2.1 and 6); here one sees
whether older instances score better all the same.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial

import numpy as np
import numpy.typing as npt

from helm_structext.errors import SetupError
from helm_structext.image2struct.cutoffs import known_cutoffs
from helm_structext.image2struct.results import EMS, Image2StructResultSet
from helm_structext.results.answers import unscored_note
from helm_structext.results.plots import Point, timeline
from helm_structext.results.statistics import (
    INTERVALS,
    Floats,
    Labels,
    bootstrap_intervals,
    bootstrap_means,
    percentile_intervals,
    skill,
    weighted_means,
)
from helm_structext.results.tabular import Cell, Column, Table, format_count, list_some

Places = npt.NDArray[np.bool_]

PERIODS = 8
"""How many stretches of days a suite's dates are cut into."""

SEEN, LATER = "up to cut-off", "later"
NO_ROUND = "none"
"""How the instances are named that are from no round, such as the published ones."""


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
        means, samples = zip(
            *(_mean(result_set, scores, place, seed) for seed, place in enumerate(places.values())),
            strict=True,
        )
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


def round_tables(
    ours: Sequence[Image2StructResultSet], cutoffs: Mapping[str, date] | None = None
) -> Iterator[Table]:
    """EMS by the round of collecting, and what changed since the first one.

    All instances weigh the same here.

    Args:
        ours: result sets; those whose instances are from no round have no table.
        cutoffs: model to the last day of its training data; by default what providers have said.
    """
    known = cutoffs or known_cutoffs()
    for result_set in ours:
        if any(result_set.rounds):
            yield _round_table(result_set, known)


def _round_table(result_set: Image2StructResultSet, cutoffs: Mapping[str, date]) -> Table:
    rounds = _rounds(result_set)
    of_models = {
        model: list(_round_rows(result_set, model, cutoffs.get(model), rounds))
        for model in result_set.ranking
    }
    dropped = [model for model, rows in of_models.items() if _drops(rows)]
    said = f" Significantly less after their cut-off: {list_some(dropped)}." if dropped else ""
    facts = f"{result_set.condition}; {format_count(len(result_set.instances), 'instance')}."
    return Table(
        f"{result_set.name}-rounds",
        f"{result_set.label}, by round",
        f"{facts}{unscored_note(result_set.unscored)} EMS of each round, and its difference from "
        f"the first one that the model has. {INTERVALS} A drop after a model's cut-off that other "
        f"models do not have speaks for contamination; if all have it, the round is harder."
        f"{_mix(result_set, rounds)}{said}",
        [
            *(
                Column("Model"),
                Column("Cut-off"),
                Column("Round"),
                Column("Instances"),
                Column("n"),
            ),
            *(Column("EMS"), Column("EMS 95%"), Column("Skill (blank)")),
            *(Column("Since first", "+.3f"), Column("Since first 95%", "+.3f")),
        ],
        [row for rows in of_models.values() for row in rows],
        apart=sum(len(of_models[model]) for model in result_set.apart if model in of_models),
    )


def _round_rows(
    result_set: Image2StructResultSet,
    model: str,
    cutoff: date | None,
    rounds: Mapping[str, Places],
) -> Iterator[list[Cell]]:
    """A row for each round that a model has answers to."""
    scores = _scores(result_set, model)
    first: tuple[float, Floats] | None = None
    for seed, (name, here) in enumerate(rounds.items()):
        place = here & np.isfinite(scores[:, 0])
        if not place.any():
            continue
        mean, sample = _mean(result_set, scores, place, seed)
        first = first or (mean, sample)
        since: list[Cell] = [None, None]
        if sample is not first[1]:
            since = [mean - first[0], percentile_intervals(sample - first[1])[0]]
        (interval,) = percentile_intervals(sample)
        side = _sides(result_set, place, cutoff)
        which: list[Cell] = [model, str(cutoff) if cutoff else None, name or NO_ROUND, side]
        gained = _skill(result_set, scores, place)
        yield [*which, int(place.sum()), mean, interval, gained, *since]


def _drops(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a round that a model can't have seen is worse than the first, which it may have."""
    first, *later = [(row[3], row[-1]) for row in rows] or [(None, None)]
    return f"{first[0]}".startswith(SEEN) and any(
        side == LATER and isinstance(interval, tuple) and interval[1] < 0
        for side, interval in later
    )


def _rounds(result_set: Image2StructResultSet) -> dict[str, Places]:
    """Which instances each round has, the oldest round first."""
    names = np.array(result_set.rounds)
    oldest: dict[str, date] = {}
    for name, day in zip(result_set.rounds, result_set.dates, strict=True):
        oldest[name] = min(oldest.get(name, date.max), day or date.max)
    order = sorted(oldest, key=lambda name: (oldest[name], name))
    return {name: names == name for name in order}


def _sides(result_set: Image2StructResultSet, place: Places, cutoff: date | None) -> str | None:
    """On which sides of the cut-off the instances there are dated; None without one."""
    days = [day for day, here in zip(result_set.dates, place, strict=True) if here and day]
    if cutoff is None or not days:
        return None
    there = {SEEN: min(days) <= cutoff, LATER: max(days) > cutoff}
    return " and ".join(name for name, is_there in there.items() if is_there)


def _mix(result_set: Image2StructResultSet, rounds: Mapping[str, Places]) -> str:
    """What the rounds are made of, where that differs and their means may for that alone."""
    subsets = np.array([instance.part for instance in result_set.instances])
    counts = {name: Counter(subsets[here].tolist()) for name, here in rounds.items()}
    shares = {
        tuple((part, number / of.total()) for part, number in sorted(of.items()))
        for of in counts.values()
    }
    if len(shares) < 2:
        return ""
    listed = (
        f"{name or NO_ROUND}: {', '.join(f'{part} {number}' for part, number in sorted(of.items()))}"
        for name, of in counts.items()
    )
    return f" The rounds differ in subsets, and so may their means ({'; '.join(listed)})."


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
                    (interval,) = bootstrap_intervals(
                        scores[here], clusters=_clusters(result_set, here)
                    )
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


def _mean(
    result_set: Image2StructResultSet, scores: Floats, place: Places, seed: int
) -> tuple[float, Floats]:
    """A mean, and means of resamples; those of another seed are drawn apart from them."""
    clusters = _clusters(result_set, place)
    number = place.sum() if clusters is None else len(set(clusters))
    sample = np.array([[np.nan]])
    if number > 1:
        sample = bootstrap_means(scores[place], clusters=clusters, seed=seed)
    return float(weighted_means(scores[place])[0]), sample


def _clusters(result_set: Image2StructResultSet, place: Places) -> Labels | None:
    return None if result_set.clusters is None else result_set.clusters[place]


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
    lost = unscored_note(result_set.unscored)
    return f"{result_set.condition}; {format_count(dated, 'instance')}{without}.{lost}"
