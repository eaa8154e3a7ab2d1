"""Answers that count together: those of some models to the same instances, under one condition.

HELM averages each run and then runs; tables average over the instances of a result set.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import groupby
from statistics import fmean
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from helm_structext.baselines import BASELINES
from helm_structext.errors import SetupError
from helm_structext.protocols import Average
from helm_structext.results.answers import Unscored, count_unscored
from helm_structext.results.comparisons import ScoreGrid, find_values, list_scores
from helm_structext.results.model_facts import ModelFacts
from helm_structext.results.runs import InstanceResult
from helm_structext.results.statistics import Floats, Labels, weighted_means
from helm_structext.results.tabular import SCORE, list_some
from helm_structext.scoring.scorer import InstanceKey

AnyResult = TypeVar("AnyResult", bound=InstanceResult)
AnyResultSet = TypeVar("AnyResultSet", bound="ResultSet[Any]")
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

Conditions = tuple[tuple[str, str], ...]
"""What tables never mix: names and values."""


@dataclass(frozen=True)
class ResultSet(Generic[AnyResult]):
    """Answers of some models to some instances that may stand in one table.

    A benchmark's own subclass says what it measures, and adds what only that benchmark has.

    Args:
        conditions: what tables never mix, name and value.
        models: names, sorted.
        instances: those that at least one model has, part by part.
        answers: what each model answered; a model may lack instances.
        apart: those of the models that are no rivals of the others: they stand below them, and
            count in no win rate.
        model_facts: what is known of models, by name.
    """

    conditions: Conditions
    models: Sequence[str]
    instances: Sequence[InstanceKey]
    answers: Mapping[tuple[str, InstanceKey], AnyResult]
    apart: Collection[str] = field(default=(), kw_only=True)
    model_facts: Mapping[str, ModelFacts] = field(default_factory=dict, kw_only=True)

    MEASURES: ClassVar[Mapping[str, str]] = {}
    """Header to metric, for comparisons; by the last one models are ranked."""

    BRIEF: ClassVar[Mapping[str, str]] = {}
    """The same of one answer, for figures; `MEASURES` by default."""

    SCALE: ClassVar[float] = 1
    """By what scores are multiplied in comparisons: 100 for per cent."""

    FORMAT: ClassVar[str] = SCORE
    """Of scores in comparisons."""

    @classmethod
    def of_answers(
        cls: type[AnyResultSet],
        conditions: Conditions,
        answers: Mapping[tuple[str, InstanceKey], AnyResult],
        order: Callable[[InstanceKey], Any] | None = None,
        **more: Any,
    ) -> AnyResultSet:
        """Returns the result set of some answers.

        Args:
            conditions: see `ResultSet`.
            answers: by model and instance, as from `distinct`.
            order: the key by which instances are sorted; by default their own.
            more: what a benchmark's class has beside.
        """
        models = sorted({model for model, _ in answers})
        instances = sorted({instance for _, instance in answers}, key=order)
        return cls(conditions, models, instances, answers, **more)

    @property
    def entry(self) -> str:
        """The name of the run entry that the answers come from."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """A few letters for titles."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The beginning of files' names."""
        return "-".join([self.entry, *(value for _, value in self.conditions)])

    @property
    def condition(self) -> str:
        """The conditions as text, such as ``protocol=published``."""
        return ", ".join(f"{name}={value}" for name, value in self.conditions)

    @cached_property
    def datasets(self) -> list[str]:
        """The published datasets that the instances were read from, each with its commit."""
        return sorted({answer.dataset for answer in self.answers.values() if answer.dataset})

    @property
    def data_note(self) -> str:
        """What a table's note ends with: the published data that was read, or ""."""
        short = (
            f"{name}@{commit[:10]}" for name, _, commit in (d.partition("@") for d in self.datasets)
        )
        return f" Data: {', '.join(short)}." if self.datasets else ""

    @cached_property
    def by_part(self) -> dict[str, list[InstanceKey]]:
        """Subset or task to its instances."""
        return group_values(self.instances, lambda instance: instance.part)

    @property
    def ranking(self) -> list[str]:
        """The models, the best first, and those apart below them."""
        means = self.by_model(list(self.MEASURES.values())[-1])
        return sorted(self.models, key=lambda m: (m in self.apart, -means.get(m, -1), m))

    @property
    def rivals(self) -> list[str]:
        """The models that are not apart, the best first."""
        return [model for model in self.ranking if model not in self.apart]

    @property
    def incomplete(self) -> list[str]:
        """The models that lack instances, each with the number that it has."""
        counts = {model: len(self.of_model(model)) for model in self.models}
        return [f"{m} {number}" for m, number in counts.items() if number < len(self.instances)]

    @property
    def remarks(self) -> list[str]:
        """Sentences on what makes the means special."""
        if not self.incomplete:
            return []
        return [f"Not all models have all instances of {self.label}: {list_some(self.incomplete)}."]

    @cached_property
    def unscored(self) -> Unscored:
        """How many answers have no score, for no fault of the model."""
        return count_unscored(self.answers.values())

    @cached_property
    def references(self) -> dict[InstanceKey, AnyResult]:
        """Any model's answer to each instance: for what belongs to the instance itself."""
        first: dict[InstanceKey, AnyResult] = {}
        for (_, instance), answer in self.answers.items():
            first.setdefault(instance, answer)
        return {instance: first[instance] for instance in self.instances}

    @cached_property
    def clusters(self) -> Labels | None:
        """What each instance shares with others, or None if each stands alone."""
        return self.cluster(self.instances)

    def cluster(self, instances: Sequence[InstanceKey]) -> Labels | None:
        """Returns what instances share with others, or None if each stands alone."""
        origins = [self.references[instance].origin for instance in instances]
        if len(set(filter(None, origins))) == sum(map(bool, origins)):
            return None
        return np.array([origin or str(number) for number, origin in enumerate(origins)])

    def stratify(self, instances: Sequence[InstanceKey]) -> Labels | None:
        """Returns which tasks instances belong to, if these are fixed and only instances are a sample."""
        return None

    @cached_property
    def weights(self) -> Floats | None:
        """The weight of each instance, or None if all count the same."""
        return self.weigh(self.instances)

    def weigh(self, instances: Sequence[InstanceKey]) -> Floats | None:
        """Returns what instances weigh in a mean over them, or None if all count the same."""
        return None

    def content(self, answer: AnyResult) -> str:
        """Returns what an answer's instance consists of, to tell whether suites have the same."""
        raise NotImplementedError

    def of(self: AnyResultSet, models: Collection[str]) -> AnyResultSet:
        """The same for some of the models, and the instances that at least one of them has.

        The others' answers stay, as a floor may come from them.
        """
        ours = [model for model in self.models if model in models]
        instances = [i for i in self.instances if any((model, i) in self.answers for model in ours)]
        return replace(self, models=ours, instances=instances)

    def with_baselines_apart(self: AnyResultSet) -> AnyResultSet:
        """The same with the baselines apart, unless there are no models beside them."""
        baselines = {*BASELINES}.intersection(self.models)
        return replace(self, apart=baselines) if len(baselines) < len(self.models) else self

    def of_model(self, model: str) -> list[AnyResult]:
        """Returns a model's answers."""
        answers = (self.answers.get((model, instance)) for instance in self.instances)
        return [answer for answer in answers if answer]

    def values(self, metric: str, model: str, part: str) -> list[float]:
        """Returns a metric's values of a model's answers to the instances of a part."""
        keys = ((model, instance) for instance in self.by_part.get(part, ()))
        answers = (self.answers[key] for key in keys if key in self.answers)
        return [answer.scores[metric] for answer in answers if metric in answer.scores]

    def scores(self, metric: str) -> Floats:
        """Returns instances × models; NaN where there is no value."""
        return find_values(self._scores, metric).reshape(len(self.instances), len(self.models))

    @cached_property
    def _scores(self) -> list[Mapping[str, float]]:
        """Those of each instance and model, in turn: to look each answer up takes longer than all else."""
        return list_scores(self.answers, self.instances, self.models)

    def means(self, metric: str) -> Floats:
        """Returns the (weighted) mean for each model."""
        return weighted_means(self.scores(metric), self.weights)

    def by_model(self, metric: str) -> dict[str, float]:
        """Returns the means of the models that have values."""
        means = zip(self.models, self.means(metric).tolist(), strict=True)
        return {model: mean for model, mean in means if not np.isnan(mean)}

    def helms_means(self, metric: str) -> dict[str, float]:
        """Returns the means as helm-summarize takes them, of the models that have values.

        That is the mean of each part of each run, and of these the mean, however many instances
        they have.
        """
        means = {}
        for model in self.models:
            parts = group_values(
                (a for a in self.of_model(model) if metric in a.scores), lambda a: (a.run, a.part)
            )
            if parts:
                means[model] = fmean(
                    fmean(answer.scores[metric] for answer in answers) for answers in parts.values()
                )
        return means

    @cached_property
    def grid(self) -> ScoreGrid:
        """The scores as they are compared."""
        instances = set(self.instances)
        return ScoreGrid(
            entry=self.entry,
            name=self.name,
            label=self.label,
            condition=self.condition,
            score=list(self.MEASURES)[-1],
            measures={h: self.SCALE * self.scores(metric) for h, metric in self.MEASURES.items()},
            models=self.models,
            contents={
                key: self.content(answer)
                for key, answer in self.answers.items()
                if key[1] in instances
            },
            unscored=self.unscored,
            instances=self.instances,
            weigh=self.weigh,
            cluster=self.cluster,
            stratify=self.stratify,
            apart=self.apart,
            format=self.FORMAT,
        )

    @property
    def columns(self) -> dict[str, ScoreGrid]:
        """The columns of the published table: header to scores; by the last one models are ranked."""
        return {header: replace(self.grid, score=header) for header in self.MEASURES}

    @property
    def group_grid(self) -> ScoreGrid:
        """The scores of which groups of models and of parts have means, at most `SCALE`."""
        return self.grid

    def part_name(self, part: str) -> str:
        """Returns what a part is called in tables."""
        return part

    def part_type(self, part: str) -> str:
        """Returns which type of parts a part belongs to."""
        return self.label


@dataclass(frozen=True)
class Selection:
    """Which answers of a suite are shown, and how their instances count.

    Args:
        models: names, or None for all.
        half_life: in days, to weigh recent instances more, where instances have dates.
        average: by which StructEval's models are ranked.
    """

    models: Collection[str] | None = None
    half_life: float | None = None
    average: Average = "tasks"

    def of(self, results: Iterable[AnyResult]) -> list[AnyResult]:
        """Returns the answers of the models that are shown."""
        return [r for r in results if self.models is None or r.model in self.models]

    def by_conditions(
        self, results: Iterable[AnyResult]
    ) -> list[tuple[Conditions, list[AnyResult]]]:
        """Returns these, those together that may stand in the same tables, in the order of their conditions."""
        groups = group_values(self.of(results), lambda result: tuple(result.conditions.items()))
        return sorted(groups.items())


def drop_experiments(result_sets: Sequence[AnyResultSet]) -> list[AnyResultSet]:
    """Returns the result sets that have no more conditions than any other of their run entry."""
    fewest = {
        entry: min(len(one.conditions) for one in ours)
        for entry, ours in group_values(result_sets, lambda one: one.entry).items()
    }
    return [one for one in result_sets if len(one.conditions) == fewest[one.entry]]


def group_values(values: Iterable[Value], key: Callable[[Value], Key]) -> dict[Key, list[Value]]:
    """Returns values by key, the keys and each key's values in the order in which they come.

    >>> group_values([1, 2, 3], lambda number: number % 2)
    {1: [1, 3], 0: [2]}
    """
    groups: dict[Key, list[Value]] = defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return dict(groups)


def group_by_condition(result_sets: Iterable[AnyResultSet]) -> list[list[AnyResultSet]]:
    """Returns the sets that stand in the same tables, side by side."""
    return [list(group) for _, group in groupby(result_sets, key=lambda one: one.condition)]


def drop_repeated(
    results: Iterable[AnyResult], content: Callable[[AnyResult], object]
) -> dict[tuple[str, InstanceKey], AnyResult]:
    """Returns answers by model and instance: runs of a suite may overlap.

    Args:
        results: of several answers of one model to one instance the first counts.
        content: what must be the same in all of these.

    Raises:
        SetupError: a model answered an instance in two runs, differently.
    """
    answers: dict[tuple[str, InstanceKey], AnyResult] = {}
    for result in results:
        first = answers.setdefault((result.model, result.key), result)
        if content(first) != content(result):
            raise SetupError(
                f"{result.model} has two answers to instance {result.instance}, in the runs "
                f"{first.run} and {result.run}; keep them in suites of their own"
            )
    return answers


def match_models(models: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Returns the models whose names fit a shell pattern, sorted; all without patterns.

    Raises:
        SetupError: none does.

    >>> match_models(["b/large", "a/small", "b/small"], ["b/*"])
    ['b/large', 'b/small']
    """
    models = sorted(set(models))
    fitting = [m for m in models if any(fnmatchcase(m, pattern) for pattern in patterns or "*")]
    if not fitting:
        raise SetupError(
            f"no model of the suite is named {' or '.join(patterns)}; there are {', '.join(models)}"
        )
    return fitting
