"""Answers that count together: those of all models to a domain's instances, under one condition.

HELM averages each run and then runs; the paper's tables average over instances, as these do.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

import numpy as np

from helm_structext.errors import SetupError
from helm_structext.image2struct.floors import shuffled_floor
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.results.comparisons import Place, ScoreGrid, score_matrix
from helm_structext.results.runs import Result
from helm_structext.results.statistics import Floats, recency_weights, weighted_means
from helm_structext.results.tabular import some

EMS = "earth_mover_similarity"
RENDERED = "compilation_success"
BLANK = "structext/blank"

LABELS = {
    "image2struct_latex": "LaTeX",
    "image2struct_webpage": "Web",
    "image2struct_music": "Music",
}

Conditions = tuple[tuple[str, str], ...]

InstanceKey = tuple[str, str]
"""Subset and id: an id is unique within its domain, the subset sorts."""


@dataclass(frozen=True)
class Pool:
    """Answers of some models to the instances of a domain, or of a part of it.

    Args:
        conditions: what tables never mix, name and value, the protocol first.
        domain: the run entry's name.
        wild: whether these are the pictures that were not made from code.
        part: one of its subsets, or "" for all.
        models: names, sorted.
        instances: those that at least one model has, subset by subset.
        answers: what each model answered; a model may lack instances.
        half_life: in days, if recent instances count more.
        newest: the date from which ages count, with `half_life`.
    """

    conditions: Conditions
    domain: str
    wild: bool
    part: str
    models: Sequence[str]
    instances: Sequence[InstanceKey]
    answers: Mapping[tuple[str, InstanceKey], Result]
    half_life: float | None = None
    newest: date | None = None

    @property
    def condition(self) -> str:
        """The conditions as text, such as ``protocol=published``."""
        return ", ".join(f"{name}={value}" for name, value in self.conditions)

    @property
    def label(self) -> str:
        """A few letters for headers, such as ``LaTeX`` or ``LaTeX (wild)``."""
        label = LABELS[self.domain] + (" (wild)" if self.wild else "")
        return f"{label}: {self.part}" if self.part else label

    @property
    def name(self) -> str:
        """The beginning of files' names."""
        parts = [LABELS[self.domain].lower(), "wild" if self.wild else "", self.part]
        return "-".join([self.stem, *filter(None, parts)])

    @property
    def stem(self) -> str:
        """The same for files that hold all domains: the values of the condition."""
        return "-".join(value for _, value in self.conditions)

    @property
    def ranking(self) -> list[str]:
        """The models, the best EMS first."""
        means = self.by_model(EMS)
        return sorted(self.models, key=lambda model: (-means.get(model, -1), model))

    @property
    def subsets(self) -> dict[str, int]:
        """Subset to number of instances."""
        counts: dict[str, int] = defaultdict(int)
        for subset, _ in self.instances:
            counts[subset] += 1
        return dict(counts)

    def parts(self) -> list["Pool"]:
        """One pool for each subset; none if there is only one."""
        if len(self.subsets) < 2:
            return []
        return [
            replace(self, part=subset, instances=[i for i in self.instances if i[0] == subset])
            for subset in self.subsets
        ]

    def of(self, models: Sequence[str]) -> "Pool":
        """The same for some of the models, and the instances that at least one of them has.

        The floor of a blank page stays.
        """
        ours = [model for model in self.models if model in models]
        instances = [i for i in self.instances if any((model, i) in self.answers for model in ours)]
        return replace(self, models=ours, instances=instances)

    def of_model(self, model: str) -> list[Result]:
        """Returns a model's answers."""
        answers = (self.answers.get((model, instance)) for instance in self.instances)
        return [answer for answer in answers if answer]

    def scores(self, metric: str) -> Floats:
        """Returns instances × models; NaN where there is no value."""
        return score_matrix(self.answers, self.instances, self.models, metric)

    def means(self, metric: str) -> Floats:
        """Returns the (weighted) mean for each model."""
        return weighted_means(self.scores(metric), self.weights)

    def by_model(self, metric: str) -> dict[str, float]:
        """Returns the means of the models that have values."""
        means = zip(self.models, self.means(metric).tolist(), strict=True)
        return {model: mean for model, mean in means if not np.isnan(mean)}

    @cached_property
    def references(self) -> list[Result]:
        """Any model's answer to each instance: for what belongs to the instance itself."""
        first: dict[InstanceKey, Result] = {}
        for (_, instance), answer in self.answers.items():
            first.setdefault(instance, answer)
        return [first[instance] for instance in self.instances]

    @cached_property
    def dates(self) -> list[date | None]:
        """The date of each instance; None where it has none."""
        return [instance_date(result) for result in self.references]

    @cached_property
    def weights(self) -> Floats | None:
        """The weight of each instance, or None if all count the same.

        Without a date there is no age: where no instance has one, as in the wild subsets, all
        count the same.

        Raises:
            SetupError: some instances have a date and some have none.
        """
        if self.half_life is None or self.newest is None or not any(self.dates):
            return None
        dated = [day for day in self.dates if day is not None]
        if len(dated) < len(self.dates):
            missing = [i for i, day in zip(self.instances, self.dates, strict=True) if day is None]
            raise SetupError(
                f"--half-life needs dates, and {len(missing)} of {len(self.dates)} instances of "
                f"{self.label} have none: {some(name for _, name in missing)}"
            )
        return recency_weights(dated, self.newest, self.half_life)

    @cached_property
    def blank_floor(self) -> Floats | None:
        """The EMS of `structext/blank` on each instance, if that model is in the suite."""
        (row,) = score_matrix(self.answers, self.instances, [BLANK], EMS).T
        return None if np.isnan(row).all() else row

    @cached_property
    def shuffled_floor(self) -> Floats | None:
        """The EMS of each reference from another one of its subset, drawn at random.

        None if a subset has a single instance, or a picture is not there any more.
        """
        handling = DOMAINS[self.domain].size_handling
        floor: list[float] = []
        for subset, number in self.subsets.items():
            pictures = [r.picture for r in self.references if r.subset == subset]
            if number < 2 or not all(picture.is_file() for picture in pictures):
                return None
            try:
                floor += shuffled_floor(pictures, handling)
            except OSError as error:
                raise SetupError(f"a picture of the suite can't be read: {error}") from error
        return np.array(floor)

    def grid(self) -> ScoreGrid:
        """Returns the scores as they are compared."""
        place = {key: Place(f"{self.domain}, {key[0]}", key[1]) for key in self.instances}

        def weigh(places: Sequence[Place]) -> Floats:
            assert self.weights is not None
            weights = dict(zip(place.values(), self.weights.tolist(), strict=True))
            return np.array([weights[one] for one in places])

        return ScoreGrid(
            name=self.name,
            label=self.label,
            condition=self.condition,
            score="EMS",
            measures={"R": self.scores(RENDERED), "EMS": self.scores(EMS)},
            models=self.models,
            # A picture's name is the hash of its content.
            contents={
                (model, place[instance]): answer.picture.name
                for (model, instance), answer in self.answers.items()
                if instance in place
            },
            instances=list(place.values()),
            weigh=None if self.weights is None else weigh,
        )


def pools(results: Iterable[Result], half_life: float | None = None) -> list[Pool]:
    """Sorts answers into pools: condition by condition, each domain's, then its wild pictures.

    Args:
        results: as from `helm_structext.results.runs.read_results`.
        half_life: weigh instances by age, counted from the newest date among `results`.

    Raises:
        SetupError: a model answered an instance in two runs, differently.
    """
    results = list(results)
    dates = [day for day in map(instance_date, results) if day] if half_life else []
    sorted_out: dict[tuple[Conditions, str, bool], list[Result]] = defaultdict(list)
    for result in results:
        wild = result.subset in DOMAINS[result.domain].wild_subsets
        conditions = tuple(sorted(result.conditions.items(), key=lambda c: (c[0] != "protocol", c)))
        sorted_out[conditions, result.domain, wild].append(result)
    order = list(DOMAINS)
    return [
        Pool(
            *key,
            part="",
            models=sorted({result.model for result in ours}),
            instances=_in_order({(result.subset, result.instance) for result in ours}, key[1]),
            answers=_distinct(ours),
            half_life=half_life,
            newest=max(dates, default=None),
        )
        for key, ours in sorted(
            sorted_out.items(),
            key=lambda item: (len(item[0][0]), item[0][0], item[0][2], order.index(item[0][1])),
        )
    ]


def instance_date(result: Result) -> date | None:
    """Returns the date of a result's instance, or None if it has none.

    Raises:
        SetupError: what should be a date is none.
    """
    if not result.date:
        return None
    try:
        return date.fromisoformat(result.date[:10])
    except ValueError as error:
        raise SetupError(
            f"instance {result.instance} of {result.domain} has the date '{result.date}', "
            "expected YYYY-MM-DD"
        ) from error


def _in_order(instances: Iterable[InstanceKey], domain: str) -> list[InstanceKey]:
    subsets = [*DOMAINS[domain].subsets, *DOMAINS[domain].wild_subsets]
    return sorted(instances, key=lambda instance: (subsets.index(instance[0]), instance[1]))


def _distinct(results: Iterable[Result]) -> dict[tuple[str, InstanceKey], Result]:
    """Answers by model and instance; runs of a suite may overlap (``subset=all`` and a subset)."""
    answers: dict[tuple[str, InstanceKey], Result] = {}
    for result in results:
        first = answers.setdefault((result.model, (result.subset, result.instance)), result)
        if (first.completion, first.picture.name) != (result.completion, result.picture.name):
            raise SetupError(
                f"{result.model} has two answers to instance {result.instance}, in the runs "
                f"{first.run} and {result.run}; keep them in suites of their own"
            )
    return answers
