"""Models against each other, and a suite against an earlier one, on the same instances."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from string import ascii_letters
from zlib import crc32

import numpy as np
import numpy.typing as npt

from helm_structext.errors import SetupError
from helm_structext.results.answers import Unscored, unscored_note
from helm_structext.results.runs import InstanceResult
from helm_structext.results.statistics import (
    INTERVALS,
    POWER,
    SIGNIFICANT,
    WITHIN_TASKS,
    Floats,
    Labels,
    PairedComparison,
    PairedTests,
    bootstrap_means,
    bootstrap_win_rates,
    clusters_held,
    least_clusters,
    mean_win_rates,
    paired_comparisons,
    paired_tests,
    percentile_intervals,
    standard_errors,
    weighted_means,
)
from helm_structext.results.tabular import (
    P_VALUE,
    SCORE,
    Cell,
    Column,
    Estimate,
    Rows,
    Table,
    format_count,
    list_some,
)
from helm_structext.scoring.scorer import InstanceKey

MAX_DIFFERENCES = 10
"""Places named where two suites have other instances."""

PAIR_ELEMENTS = 5_000_000
"""Of instances or samples × pairs of models, as many as are in memory at a time."""

VERDICTS = {1: ">", 0: "·", -1: "<"}

GROUP = "Tied"
MIN_SHARED = least_clusters()
"""Clusters that two models need in common: of fewer, all may favor one of them by chance."""
DETECTABLE = (
    f"Detectable: the smallest difference that so many instances show with a power of {POWER:.0%}, as one "
    "of all pairs (Bonferroni); none where they are too few to show any. n needed: instances like these "
    "that would show the difference."
)


@dataclass(frozen=True)
class ScoreGrid:
    """What models scored on the instances of a benchmark, under one condition.

    Args:
        entry: the name of the run entry that they come from.
        name: the beginning of files' names.
        label: a few letters for titles, such as ``LaTeX``.
        condition: what no table mixes, as text. Grids of two suites with the same label and
            condition can be compared.
        score: the header of the measure that is compared.
        measures: header to instances × models; NaN where a model has no value.
        models: names.
        contents: model and instance to what the instance consists of, for all answers.
        unscored: how many answers have no score, for no fault of the model.
        instances: the rows.
        weigh: gives rows their weights in a mean over them, or None if all count the same. What
            a row weighs may depend on which others there are.
        cluster: says what rows share with others, or None if each stands alone.
        stratify: says which tasks rows belong to, if these are fixed and only rows are a sample.
        apart: those of the models that are no rivals of the others.
        format: of the numbers.
    """

    entry: str
    name: str
    label: str
    condition: str
    score: str
    measures: Mapping[str, Floats]
    models: Sequence[str]
    contents: Mapping[tuple[str, InstanceKey], str]
    unscored: Unscored
    instances: Sequence[InstanceKey]
    weigh: Callable[[Sequence[InstanceKey]], Floats | None]
    cluster: Callable[[Sequence[InstanceKey]], Labels | None]
    stratify: Callable[[Sequence[InstanceKey]], Labels | None]
    apart: Collection[str] = ()
    format: str = SCORE

    @cached_property
    def weights(self) -> Floats | None:
        """The weights of the rows, or None if all count the same."""
        return self.weigh(self.instances)

    @cached_property
    def clusters(self) -> Labels | None:
        """What each row shares with others, or None if each stands alone."""
        return self.cluster(self.instances)

    @cached_property
    def strata(self) -> Labels | None:
        """The task of each row if tasks are fixed, else None."""
        return self.stratify(self.instances)

    @property
    def intervals_note(self) -> str:
        """What is said of intervals and standard errors."""
        return INTERVALS if self.strata is None else f"{INTERVALS} {WITHIN_TASKS}"

    @property
    def signed(self) -> str:
        """The format of differences."""
        return f"+{self.format}"

    def means(self, measure: str) -> dict[str, float]:
        """Returns each model's (weighted) mean; NaN without a value."""
        means = weighted_means(self.measures[measure], self.weights)
        return dict(zip(self.models, means.tolist(), strict=True))

    def draws(self, measure: str) -> Floats:
        """Returns a measure's means in samples of the instances, resamples × models (`bootstrap_means`)."""
        if measure not in self._drawn:
            self._drawn[measure] = bootstrap_means(
                self.measures[measure], self.weights, clusters=self.clusters, strata=self.strata
            )
        return self._drawn[measure]

    def shuffled_draws(self, measure: str, models: Sequence[str]) -> Floats:
        """Returns a measure's draws for some models, in an order of their own for these instances.

        All draws have one seed: so those of other instances have nothing to do with them.
        """
        draws = self.draws(measure)
        order = np.random.default_rng(crc32(repr(self.instances).encode("utf-8", "replace")))
        places = {model: place for place, model in enumerate(self.models)}
        return draws[order.permutation(len(draws))[:, None], [places[model] for model in models]]

    @cached_property
    def _drawn(self) -> dict[str, Floats]:
        return {}

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Each model's mean, if it has one, with its interval and its letters."""
        scores = self.measures[self.score]
        held = clusters_held(scores, self.clusters)
        intervals = percentile_intervals(np.where(held < 2, np.nan, self.draws(self.score)))
        errors = standard_errors(scores, self.weights, self.clusters, self.strata).tolist()
        means = self.means(self.score).items()
        return {
            model: Estimate(mean, interval, self.groups.get(model, ""), error)
            for (model, mean), interval, error in zip(means, intervals, errors, strict=True)
            if mean == mean  # a number
        }

    @cached_property
    def ranking(self) -> list[str]:
        """The models, the best first; those without a score last, and those apart below them."""
        means = self.means(self.score)
        return sorted(means, key=lambda m: (m in self.apart, -np.nan_to_num(means[m], nan=-1), m))

    @cached_property
    def rivals(self) -> list[str]:
        """The models that have a score and are not apart, the best first."""
        means = self.means(self.score)
        return [m for m in self.ranking if m not in self.apart and not np.isnan(means[m])]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Each pair of models, the better one first, in the order of the ranking."""
        return list(combinations(self.ranking, 2))

    @cached_property
    def tests(self) -> PairedTests | None:
        """What is known of each of the pairs without drawing; of one model there is none."""
        if not self.pairs:
            return None
        step = max(1, PAIR_ELEMENTS // max(len(self.instances), 1))
        some = (self.pairs[start : start + step] for start in range(0, len(self.pairs), step))
        return paired_tests(map(self._differences, some), self.weights, self.clusters)

    def comparisons(self, places: Sequence[int]) -> Iterator[PairedComparison]:
        """Yields what is to be known of some pairs, which are one of all for their p-values.

        Where both models have the same instances, the difference of their means in a sample is the mean of
        their differences.

        Args:
            places: of the pairs.
        """
        scores, draws = self.measures[self.score], self.draws(self.score)
        step = max(1, PAIR_ELEMENTS // len(draws))
        for start in range(0, len(places), step):
            some = places[start : start + step]
            pairs = [self.pairs[place] for place in some]
            first, second = self._columns(pairs)
            differences = self._differences(pairs)
            drawn = draws[:, first] - draws[:, second]
            uneven = (np.isfinite(scores[:, first]) != np.isfinite(scores[:, second])).any(axis=0)
            if uneven.any():
                drawn[:, uneven] = bootstrap_means(
                    differences[:, uneven], self.weights, clusters=self.clusters, strata=self.strata
                )
            tests = self.tests and self.tests.at(some)
            yield from paired_comparisons(
                differences, self.weights, self.clusters, self.strata, tests=tests, draws=drawn
            )

    def _columns(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[int], list[int]]:
        places = {model: place for place, model in enumerate(self.models)}
        return [places[first] for first, _ in pairs], [places[second] for _, second in pairs]

    def _differences(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        first, second = self._columns(pairs)
        scores = self.measures[self.score]
        return scores[:, first] - scores[:, second]

    @cached_property
    def significant(self) -> npt.NDArray[np.bool_]:
        """Which models differ, by their places in the ranking; symmetric."""
        found = np.zeros((len(self.models), len(self.models)))
        if self.tests:
            found[np.triu_indices(len(found), 1)] = self.tests.adjusted < SIGNIFICANT
        return (found + found.T) > 0

    @cached_property
    def groups(self) -> dict[str, str]:
        """For each rival its letters; those that share one can't be told apart (`letters`).

        Significance is as in `pair_tables`. One model without rivals has no letter.
        """
        if len(self.rivals) < 2:
            return {}
        places = [self.ranking.index(model) for model in self.rivals]
        return letters(self.rivals, self.significant[np.ix_(places, places)])

    @cached_property
    def barely_compared(self) -> list[str]:
        """The pairs of rivals that share too few clusters to be told apart, as text."""
        if not self.tests:
            return []
        clusters = self.tests.clusters
        found = (
            (self.pairs[place], clusters[place]) for place in np.flatnonzero(clusters < MIN_SHARED)
        )
        rivals = {*self.rivals}
        return [f"{a} and {b} {shared}" for (a, b), shared in found if rivals >= {a, b}]

    @cached_property
    def against_means(self) -> list[str]:
        """The pairs of rivals that differ significantly, but not as their means do, as text.

        Means are over each model's own instances, and tests over those that both have.
        """
        if not self.tests:
            return []
        means, rivals = self.means(self.score), {*self.rivals}
        against = (self.tests.adjusted < SIGNIFICANT) & (self.tests.differences < 0)
        found = (self.pairs[place] for place in np.flatnonzero(against))
        return [f"{b} than {a}" for a, b in found if rivals >= {a, b} and means[b] < means[a]]

    def of(self, models: Sequence[str]) -> "ScoreGrid":
        """The same for some of the models, in this order, and the instances that any of them has."""
        columns = [self.models.index(model) for model in models]
        some = self.at([i for i in self.instances if any((m, i) in self.contents for m in models)])
        return replace(
            some,
            measures={name: values[:, columns] for name, values in some.measures.items()},
            models=models,
            unscored=Counter({key: n for key, n in self.unscored.items() if key[1] in models}),
        )

    def at(self, instances: Collection[InstanceKey]) -> "ScoreGrid":
        """The same for some of the instances, in the order in which they stand here."""
        wanted = {*instances}
        rows = [row for row, instance in enumerate(self.instances) if instance in wanted]
        return replace(
            self,
            measures={name: values[rows] for name, values in self.measures.items()},
            instances=[self.instances[row] for row in rows],
        )


def score_matrix(
    answers: Mapping[tuple[str, InstanceKey], InstanceResult],
    instances: Sequence[InstanceKey],
    models: Sequence[str],
    metric: str,
) -> Floats:
    """Returns a metric's values, instances × models; NaN where there is no answer, or no value.

    Args:
        answers: by model and instance.
        instances: the rows.
        models: the columns.
        metric: a key of the answers' scores.

    >>> from types import SimpleNamespace as Answer
    >>> answers = {("a", "1"): Answer(scores={"EMS": 0.5}), ("b", "1"): Answer(scores={})}
    >>> score_matrix(answers, ["1"], ["a", "b", "c"], "EMS")
    array([[0.5, nan, nan]])
    """
    scores = list_scores(answers, instances, models)
    return find_values(scores, metric).reshape(len(instances), len(models))


def list_scores(
    answers: Mapping[tuple[str, InstanceKey], InstanceResult],
    instances: Sequence[InstanceKey],
    models: Sequence[str],
) -> list[Mapping[str, float]]:
    """Returns the scores of each instance by each model, in turn; none where there is no answer.

    Args:
        answers: by model and instance.
        instances: the rows.
        models: the columns.
    """
    found = (answers.get((model, instance)) for instance in instances for model in models)
    return [answer.scores if answer else {} for answer in found]


def find_values(scores: Iterable[Mapping[str, float]], metric: str) -> Floats:
    """Returns a metric's values, NaN where there is none; shape (n,).

    >>> find_values([{"EMS": 0.5}, {}], "EMS")
    array([0.5, nan])
    """
    return np.array([one.get(metric, np.nan) for one in scores], dtype=float)


def win_rates(
    columns: Sequence[tuple[ScoreGrid, str]], apart: Collection[str] = (), tie: float = 0.5
) -> dict[str, Estimate]:
    """Returns each model's win rate over several columns, with its interval.

    In a sample all models have the same instances, and so have columns of the same instances. Samples of
    others are independent of each other.

    Args:
        columns: of each the grid and the measure.
        apart: models that are no rivals, and have no rate.
        tie: what a tie counts (`mean_win_rates`).

    Returns:
        Model to rate; its standard error is that of the samples. Neither is known of a model that has
        fewer than two clusters in one of the columns.
    """
    found = {}
    for model, (rate, values) in draw_win_rates(columns, apart, tie).items():
        (interval,) = percentile_intervals(values[:, None])
        error = np.nan if np.isnan(values).all() else float(np.nanstd(values))
        found[model] = Estimate(rate, interval, "", error)
    return found


def draw_win_rates(
    columns: Sequence[tuple[ScoreGrid, str]], apart: Collection[str] = (), tie: float = 0.5
) -> dict[str, tuple[float, Floats]]:
    """Returns each model's win rate over several columns, and those in samples of the instances.

    Args:
        columns: see `win_rates`; so are `apart` and `tie`.

    Returns:
        Model to rate and rates, NaN where intervals are not known.
    """
    means: dict[str, dict[str, float]] = {}
    unknown: set[str] = set()
    for number, (grid, measure) in enumerate(columns):
        held = dict(
            zip(grid.models, clusters_held(grid.measures[measure], grid.clusters), strict=True)
        )
        rivals = means[str(number)] = {
            model: mean
            for model, mean in grid.means(measure).items()
            if mean == mean and model not in apart
        }
        if len(rivals) > 1:
            unknown |= {model for model in rivals if held[model] < 2}
    samples = (
        (rivals, grid.shuffled_draws(measure, rivals))
        for (grid, measure), rivals in zip(columns, map(list, means.values()), strict=True)
    )
    drawn = bootstrap_win_rates(samples, tie)
    return {
        model: (rate, np.full_like(drawn[model], np.nan) if model in unknown else drawn[model])
        for model, rate in mean_win_rates(means, tie).items()
    }


def by_win_rates(
    models: Iterable[str], rates: Sequence[Mapping[str, Estimate]], apart: Collection[str] = ()
) -> list[str]:
    """Returns models with the highest win rates first, and those apart below the others.

    Args:
        models: names.
        rates: model to rate, as from `win_rates`; the next ones decide where models are tied.
        apart: some of the models.

    >>> by_win_rates(["a", "b", "c"], [{"b": Estimate(0.5, (0.25, 0.75), "")}], apart=["a"])
    ['b', 'c', 'a']
    """
    beaten = {model: [-of[model].value if model in of else 1.0 for of in rates] for model in models}
    return sorted(beaten, key=lambda model: (model in apart, beaten[model], model))


def letters(models: Sequence[str], different: npt.NDArray[np.bool_]) -> dict[str, str]:
    """Returns a compact letter display: two models share a letter just if they are not different.

    Args:
        models: k names, the best first; the best have the first letters.
        different: k × k, whether two of them are; symmetric.

    Source: Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons",
    Journal of Computational and Graphical Statistics 13 (2004). The letters are found as cliques, which
    takes polynomial time; Gramm et al., "Algorithms for compact letter displays", Computational
    Statistics & Data Analysis 52 (2007).

    >>> letters("ABC", np.array([[False, False, True], [False, False, False], [True, False, False]]))
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    alike = ~different
    waiting = np.triu(alike)
    found = dict.fromkeys(models, "")
    number = 0
    while waiting.any():
        group = [*dict.fromkeys(map(int, np.unravel_index(waiting.argmax(), waiting.shape)))]
        joins = np.logical_and.reduce(alike[group])
        joins[group] = False
        while joins.any():
            group.append(int(joins.argmax()))
            joins &= alike[group[-1]]
            joins[group[-1]] = False
        waiting[np.ix_(group, group)] = False
        name = ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"
        for place in group:
            found[models[place]] += name
        number += 1
    return found


def number_grids(grids: Sequence[ScoreGrid]) -> dict[str, ScoreGrid]:
    """Returns header to scores; those that differ in their condition alone are numbered."""
    labels = Counter(grid.label for grid in grids)
    seen: Counter[str] = Counter()
    found = {}
    for grid in grids:
        seen[grid.label] += 1
        number = f" ({seen[grid.label]})" if labels[grid.label] > 1 else ""
        found[f"{grid.label}{number}"] = grid
    return found


def groups_note(grids: Iterable[ScoreGrid], by: str = "") -> str:
    """Returns what a note ends with where a table has letters, or "".

    Args:
        grids: those that the letters are of.
        by: what is compared, if the table shows several scores.
    """
    grids = [grid for grid in grids if grid.groups]
    few = [
        f"{grid.label}: {list_some(grid.barely_compared)}" for grid in grids if grid.barely_compared
    ]
    against = [
        f"{grid.label}: {list_some(grid.against_means)}" for grid in grids if grid.against_means
    ]
    if not grids:
        return ""
    note = (
        f" {GROUP}: models that share a letter can't be told apart{by and f' by {by}'} (p ≥ "
        f"{SIGNIFICANT}, paired permutation test, Holm)."
    )
    if few:
        note += (
            f" Nor can those with fewer than {MIN_SHARED} instances in common, or fewer pictures, papers "
            f"or repositories that these are about: {'; '.join(few)}."
        )
    if against:
        note += (
            " On the instances that both have, some are better than others with a higher mean: "
            f"{'; '.join(against)}."
        )
    return note


def pair_tables(grid: ScoreGrid, facts: str) -> Iterator[Table]:
    """Which differences between two models are more than chance.

    Args:
        grid: of two models or more; of one there is no table.
        facts: what the notes begin with.
    """
    if not grid.tests:
        return
    ranking, number = grid.ranking, len(grid.ranking)
    how = (
        f"{facts} Differences of {grid.score} on the same instances; p from a paired permutation "
        f"test, on both sides, adjusted by Holm for {format_count(grid.tests.number, 'pair')}. {DETECTABLE}"
    )
    columns = [
        *(Column("Model"), Column("against"), Column("n"), Column("Difference", grid.signed)),
        *(Column("95%", grid.signed), Column("p", P_VALUE), Column("p (Holm)", P_VALUE)),
        *(Column("Detectable", grid.format), Column("n needed")),
    ]

    def rows(places: Sequence[int]) -> list[list[Cell]]:
        found = zip(places, grid.comparisons(places), strict=True)
        return [[*grid.pairs[place], *result[:-1]] for place, result in found]

    # Of the pairs those come first that have the first model, then those that have the second.
    next_ones = np.cumsum([0, *range(number - 1, 1, -1)]).tolist()
    yield Table(
        f"{grid.name}-significance",
        f"{grid.label}, each model against the next",
        f"{how} {grid.intervals_note}",
        columns,
        rows(next_ones),
    )
    every = Rows(len(grid.pairs), lambda: rows(range(len(grid.pairs))))
    yield Table(f"{grid.name}-pairs", f"{grid.label}, all pairs", how, columns, every, False)
    if number > 2:
        signs = np.zeros((number, number))
        upper = np.triu_indices(number, 1)
        signs[upper] = np.where(grid.tests.differences > 0, 1, -1)
        verdicts = np.where(grid.significant, signs - signs.T, 0).astype(int).tolist()
        yield Table(
            f"{grid.name}-significant",
            f"{grid.label}, significant differences",
            f"{how} > or <: the row's model is better or worse (p < {SIGNIFICANT}).",
            [Column("Model"), *(Column(str(i + 1)) for i in range(number))],
            [
                [
                    f"{i + 1} {model}",
                    *("" if i == j else VERDICTS[verdicts[i][j]] for j in range(number)),
                ]
                for i, model in enumerate(ranking)
            ],
        )


def comparison_tables(old: Sequence[ScoreGrid], new: Sequence[ScoreGrid]) -> Iterator[Table]:
    """What changed between two suites for the models that both have.

    Args:
        old: what the one suite has of a benchmark.
        new: what the other has of it.

    Raises:
        SetupError: they have no model in common, or one of those that they have in common did
            not get the same instances under the same conditions in both.
    """
    models = {m for grid in old for m in grid.models} & {m for grid in new for m in grid.models}
    if not models:
        raise SetupError("the two suites have no model in common")
    _require_same_instances(_contents(old, models), _contents(new, models))
    before = {(grid.label, grid.condition): grid for grid in old}
    for after in new:
        common = [model for model in after.ranking if model in models]
        if common:
            yield _changes(before[after.label, after.condition].of(common), after.of(common))


def _changes(before: ScoreGrid, after: ScoreGrid) -> Table:
    differences = after.measures[after.score] - before.measures[after.score]
    compared = paired_comparisons(differences, after.weights, after.clusters, after.strata)
    means = {
        f"{measure} {when}": grid.means(measure)
        for measure in after.measures
        for when, grid in (("old", before), ("new", after))
    }
    rows: list[list[Cell]] = [
        [
            model,
            result.number,
            *(column[model] for column in means.values()),
            *(result.difference, result.interval, result.adjusted),
            f"{before.ranking.index(model) + 1} → {after.ranking.index(model) + 1}",
        ]
        for model, result in zip(after.models, compared, strict=True)
    ]
    return Table(
        f"{after.name}-against",
        f"{after.label}, old against new",
        f"{after.condition}; {format_count(len(after.instances), 'instance')}, the same in both suites."
        f"{''.join(_note_unscored(when, grid) for when, grid in (('Old', before), ('New', after)))} "
        f"{after.intervals_note} p: paired permutation test on {after.score}, on both sides, adjusted by Holm "
        "for the rows of the table.",
        [
            *(Column("Model"), Column("n"), *(Column(header, after.format) for header in means)),
            *(Column("Change", after.signed), Column("95%", after.signed)),
            *(Column("p (Holm)", P_VALUE), Column("Rank")),
        ],
        rows,
    )


def _note_unscored(when: str, grid: ScoreGrid) -> str:
    note = unscored_note(grid.unscored)
    return f" {when}:{note}" if note else ""


Contents = Mapping[str, Mapping[tuple[str, str], str]]
"""Where to model and instance to what the instance consists of."""


def _contents(grids: Sequence[ScoreGrid], models: set[str]) -> Contents:
    contents: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for grid in grids:
        for (model, instance), content in grid.contents.items():
            if model in models:
                where = f"{grid.condition}, {grid.entry}, {instance.part}"
                contents[where][model, instance.id] = content
    return contents


def _require_same_instances(old: Contents, new: Contents) -> None:
    differences = []
    for where in sorted({*old, *new}):
        ours, theirs = old.get(where, {}), new.get(where, {})
        kinds = {
            "only in the old suite": ours.keys() - theirs.keys(),
            "only in the new suite": theirs.keys() - ours.keys(),
            "with another content": {
                key for key in ours.keys() & theirs.keys() if ours[key] != theirs[key]
            },
        }
        differences += [
            f"{where}: {len(keys)} {kind} ({list_some(sorted({name for _, name in keys}))})"
            for kind, keys in kinds.items()
            if keys
        ]
    if differences:
        raise SetupError(
            "the two suites can't be compared, because a model that both have has not the same "
            f"instances in them. {list_some(differences, MAX_DIFFERENCES, '; ')}"
        )
