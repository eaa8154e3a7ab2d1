"""Models against each other, and a suite against an earlier one, on the same instances."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from string import ascii_letters

import numpy as np

from helm_structext.errors import SetupError
from helm_structext.results.answers import unhandled_note
from helm_structext.results.runs import InstanceKey, Result
from helm_structext.results.statistics import (
    INTERVALS,
    POWER,
    SIGNIFICANT,
    WITHIN_TASKS,
    Floats,
    Labels,
    PairedComparison,
    bootstrap_intervals,
    least_clusters,
    paired_comparisons,
    standard_errors,
    weighted_means,
)
from helm_structext.results.tabular import (
    P_VALUE,
    SCORE,
    Cell,
    Column,
    Estimate,
    Table,
    counted,
    some,
)

MAX_DIFFERENCES = 10
"""Places named where two suites have other instances."""

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
        unhandled: model to the number of its answers that could not be handled.
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
    unhandled: Mapping[str, int]
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

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Each model's mean, if it has one, with its interval and its letters."""
        scores = self.measures[self.score]
        intervals = bootstrap_intervals(
            scores, self.weights, clusters=self.clusters, strata=self.strata
        )
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
    def compared(self) -> dict[tuple[int, int], PairedComparison]:
        """Each pair of models, by their places; of one model there is none."""
        pairs = list(combinations(range(len(self.models)), 2))
        if not pairs:
            return {}
        scores = self.measures[self.score]
        differences = np.stack([scores[:, i] - scores[:, j] for i, j in pairs], axis=1)
        compared = paired_comparisons(differences, self.weights, self.clusters, self.strata)
        return dict(zip(pairs, compared, strict=True))

    @cached_property
    def rivals(self) -> list[str]:
        """The models that have a score and are not apart, the best first."""
        means = self.means(self.score)
        return [m for m in self.ranking if m not in self.apart and not np.isnan(means[m])]

    @cached_property
    def groups(self) -> dict[str, str]:
        """For each rival its letters; those that share one can't be told apart (`letters`).

        Significance is as in `pair_tables`. One model without rivals has no letter.
        """
        if len(self.rivals) < 2:
            return {}
        different = {
            frozenset((self.models[i], self.models[j]))
            for (i, j), result in self.compared.items()
            if result.adjusted < SIGNIFICANT
        }
        return letters(self.rivals, lambda a, b: frozenset((a, b)) in different)

    @cached_property
    def barely_compared(self) -> list[str]:
        """The pairs of rivals that share too few clusters to be told apart, as text."""
        return [
            f"{self.models[i]} and {self.models[j]} {result.clusters}"
            for (i, j), result in self.compared.items()
            if result.clusters < MIN_SHARED and {self.models[i], self.models[j]} <= {*self.rivals}
        ]

    @cached_property
    def against_means(self) -> list[str]:
        """The pairs of rivals that differ significantly, but not as their means do, as text.

        Means are over each model's own instances, and tests over those that both have.
        """
        means = self.means(self.score)
        pairs = (
            (self.models[i], self.models[j])[:: 1 if result.difference > 0 else -1]
            for (i, j), result in self.compared.items()
            if result.adjusted < SIGNIFICANT
        )
        return [
            f"{better} than {worse}"
            for better, worse in pairs
            if {better, worse} <= {*self.rivals} and means[better] < means[worse]
        ]

    def of(self, models: Sequence[str]) -> "ScoreGrid":
        """The same for some of the models, in this order, and the instances that any of them has."""
        columns = [self.models.index(model) for model in models]
        rows = [
            number
            for number, instance in enumerate(self.instances)
            if any((model, instance) in self.contents for model in models)
        ]
        return replace(
            self,
            measures={name: values[rows][:, columns] for name, values in self.measures.items()},
            models=models,
            instances=[self.instances[row] for row in rows],
            unhandled={model: self.unhandled[model] for model in models},
        )


def score_matrix(
    answers: Mapping[tuple[str, InstanceKey], Result],
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
    values = np.full((len(instances), len(models)), np.nan)
    for row, instance in enumerate(instances):
        for column, model in enumerate(models):
            if answer := answers.get((model, instance)):
                values[row, column] = answer.scores.get(metric, np.nan)
    return values


def letters(models: Sequence[str], different: Callable[[str, str], bool]) -> dict[str, str]:
    """Returns a compact letter display: two models share a letter just if they are not different.

    Args:
        models: names, the best first; the best have the first letters.
        different: whether two of them are, symmetric.

    Source: Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons",
    Journal of Computational and Graphical Statistics 13 (2004). The letters are found as cliques, which
    takes polynomial time; Gramm et al., "Algorithms for compact letter displays", Computational
    Statistics & Data Analysis 52 (2007).

    >>> letters("ABC", lambda a, b: {a, b} == {"A", "C"})
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    groups: list[list[str]] = []
    for pair in combinations_with_replacement(models, 2):
        if different(*pair) or any({*pair} <= {*group} for group in groups):
            continue
        group = [*dict.fromkeys(pair)]
        for model in models:
            if model not in group and not any(different(model, one) for one in group):
                group.append(model)
        groups.append(group)
    names = [
        ascii_letters[place] if place < len(ascii_letters) else f"({place + 1})"
        for place in range(len(groups))
    ]
    return {
        model: "".join(name for name, group in zip(names, groups, strict=True) if model in group)
        for model in models
    }


def named(grids: Sequence[ScoreGrid]) -> dict[str, ScoreGrid]:
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
    few = [f"{grid.label}: {some(grid.barely_compared)}" for grid in grids if grid.barely_compared]
    against = [f"{grid.label}: {some(grid.against_means)}" for grid in grids if grid.against_means]
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
    ranked = grid.of(grid.ranking)
    compared = ranked.compared
    if not compared:
        return
    tests = sum(result.number > 0 for result in compared.values())
    how = (
        f"{facts} Differences of {grid.score} on the same instances; p from a paired permutation "
        f"test, on both sides, adjusted by Holm for {counted(tests, 'pair')}. {DETECTABLE}"
    )
    columns = [
        *(Column("Model"), Column("against"), Column("n"), Column("Difference", grid.signed)),
        *(Column("95%", grid.signed), Column("p", P_VALUE), Column("p (Holm)", P_VALUE)),
        *(Column("Detectable", grid.format), Column("n needed")),
    ]
    rows: dict[tuple[int, int], list[Cell]] = {
        (i, j): [ranked.models[i], ranked.models[j], *result[:-1]]
        for (i, j), result in compared.items()
    }
    yield Table(
        f"{grid.name}-significance",
        f"{grid.label}, each model against the next",
        f"{how} {grid.intervals_note}",
        columns,
        [row for (i, j), row in rows.items() if j == i + 1],
    )
    yield Table(
        f"{grid.name}-pairs", f"{grid.label}, all pairs", how, columns, list(rows.values()), False
    )
    if len(ranked.models) > 2:
        yield Table(
            f"{grid.name}-significant",
            f"{grid.label}, significant differences",
            f"{how} > or <: the row's model is better or worse (p < {SIGNIFICANT}).",
            [Column("Model"), *(Column(str(i + 1)) for i in range(len(ranked.models)))],
            [
                [
                    f"{i + 1} {model}",
                    *(
                        "" if i == j else _verdict(compared[min(i, j), max(i, j)], i < j)
                        for j in range(len(ranked.models))
                    ),
                ]
                for i, model in enumerate(ranked.models)
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
        f"{after.condition}; {counted(len(after.instances), 'instance')}, the same in both suites."
        f"{''.join(_unhandled(when, grid) for when, grid in (('Old', before), ('New', after)))} "
        f"{after.intervals_note} p: paired permutation test on {after.score}, on both sides, adjusted by Holm "
        "for the rows of the table.",
        [
            *(Column("Model"), Column("n"), *(Column(header, after.format) for header in means)),
            *(Column("Change", after.signed), Column("95%", after.signed)),
            *(Column("p (Holm)", P_VALUE), Column("Rank")),
        ],
        rows,
    )


def _unhandled(when: str, grid: ScoreGrid) -> str:
    note = unhandled_note(grid.unhandled)
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
            f"{where}: {len(keys)} {kind} ({some(sorted({name for _, name in keys}))})"
            for kind, keys in kinds.items()
            if keys
        ]
    if differences:
        raise SetupError(
            "the two suites can't be compared, because a model that both have has not the same "
            f"instances in them. {some(differences, MAX_DIFFERENCES, '; ')}"
        )


def _verdict(result: PairedComparison, forward: bool) -> str:
    if not result.adjusted < SIGNIFICANT:
        return "·"
    return ">" if (result.difference > 0) == forward else "<"
