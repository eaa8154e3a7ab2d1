"""What runs will take: sums over what is expected of their instances, and seconds that are tried here."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean

from helm_structext.baselines import is_offline
from helm_structext.data.hub import missing_files
from helm_structext.data.sources import PUBLISHED_SIZES
from helm_structext.errors import RenderError, SetupError
from helm_structext.planning.records import Arguments, Dataset, Expected, Job, Planning
from helm_structext.progress import progress
from helm_structext.sandbox import worker_count
from helm_structext.threads import thread_pool

TRIED = 4
"""Answers of each format that are tried; with more cores, as many more are taken to be done at a time."""


@dataclass(frozen=True)
class PlannedRun:
    """A run of which nothing has been asked yet.

    Args:
        name: of the run.
        entry: of its run entry.
        model: HELM's name of the model.
        arguments: of its scenario.
        finished: whether the suite has it.
        instructions: tokens that each request has beside its prompt.
        max_tokens: of an answer.
        max_instances: how many instances are asked at most, or None for all.
        judge: who looks at pictures, or "".
    """

    name: str
    entry: str
    model: str
    arguments: Arguments
    finished: bool = False
    instructions: float = 0
    max_tokens: int = 10**9
    max_instances: int | None = None
    judge: str = ""


@dataclass
class Load:
    """What runs take; numbers are expected ones, and so not whole.

    Args:
        runs: how many; these and all others are without finished ones.
        instances: that are asked about; so many requests are made.
        pictures: that are sent.
        tokens_in: of all requests, pictures included.
        tokens_out: of all answers.
        renderings: format to how many answers are rendered and scored.
        judged: judge to how many pictures it looks at, with its tokens in and out.
    """

    runs: int = 0
    instances: float = 0.0
    pictures: float = 0.0
    tokens_in: float = 0.0
    tokens_out: float = 0.0
    renderings: Mapping[str, float] = field(default_factory=dict)
    judged: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @classmethod
    def total(cls, loads: Iterable["Load"]) -> "Load":
        """Returns the sum of loads.

        >>> total = Load.total([Load(runs=1, renderings={"latex": 2}), Load(runs=2)])
        >>> total.runs, total.renderings
        (3, {'latex': 2})
        """
        loads = list(loads)
        renderings: Counter[str] = Counter()
        judged: dict[str, Sequence[float]] = {}
        for load in loads:
            renderings.update(load.renderings)
            for judge, numbers in load.judged.items():
                judged[judge] = [
                    a + b for a, b in zip(judged.get(judge, (0, 0, 0)), numbers, strict=True)
                ]
        names = ("runs", "instances", "pictures", "tokens_in", "tokens_out")
        sums = {name: sum(getattr(load, name) for load in loads) for name in names}
        return cls(**sums, renderings=dict(renderings), judged=judged)

    def price(self, price_in: float, price_out: float) -> float:
        """Returns what models' tokens cost, without those of judges.

        Args:
            price_in: of a million tokens of requests.
            price_out: of a million tokens of answers.

        >>> Load(tokens_in=2e6, tokens_out=1e6).price(2.5, 10)
        15.0
        """
        return (self.tokens_in * price_in + self.tokens_out * price_out) / 1e6


@dataclass
class Data:
    """What is known of the data of runs.

    Args:
        downloads: what is not on this disk: dataset to bytes, or None where the size is unknown.
        here: what of the published data is on this disk.
        guessed: how many runs' instances are taken to be like those of the embedded sample.
        reasons: why the Hub says nothing, if so.
    """

    downloads: dict[Dataset, int | None] = field(default_factory=dict)
    here: set[Dataset] = field(default_factory=set)
    guessed: int = 0
    reasons: list[str] = field(default_factory=list)

    def has(self, datasets: Iterable[Dataset]) -> bool:
        """Whether published data is on this disk; what is not is noted, with its size."""
        datasets = list(datasets)
        for dataset in datasets:
            if dataset in self.downloads or dataset in self.here:
                continue
            try:
                sizes = missing_files(*dataset).values()
            except SetupError as error:
                self.downloads[dataset] = PUBLISHED_SIZES.get((dataset.name, dataset.config))
                if str(error) not in self.reasons:
                    self.reasons.append(str(error))
                continue
            if sizes:
                known = [size for size in sizes if size is not None]
                self.downloads[dataset] = sum(known) if len(known) == len(sizes) else None
            else:
                self.here.add(dataset)
        return self.here.issuperset(datasets)


def plan_load(run: PlannedRun, planning: Planning, data: Data) -> Load:
    """Returns what a run takes.

    Args:
        run: not a finished one.
        planning: what its benchmark knows.
        data: gets what is found about the run's data.

    Raises:
        SetupError: data that should be there can't be read.
    """
    number, sample = planning.published(run.arguments)
    if run.arguments.get("source") != "hub" or data.has(planning.datasets(run.arguments)):
        instances = planning.expected(run.arguments)
        number = len(instances)
    else:
        instances = planning.expected(sample)
        data.guessed += 1
    if not instances:
        raise SetupError(f"{run.name}: its data has no such instances")
    if run.max_instances is not None:
        number = min(number, run.max_instances)
    share = number / len(instances)  # those that are asked are drawn at random
    load = Load(
        runs=1,
        instances=number,
        pictures=share * sum(one.pictures for one in instances),
        renderings={
            format: share * count
            for format, count in Counter(one.format for one in instances if one.format).items()
        },
    )
    if not is_offline(run.model):
        known = _right_answers(instances) or _right_answers(planning.expected(sample))
        usual = fmean(known) if known else 0.0
        answers = (usual if one.tokens_out is None else one.tokens_out for one in instances)
        load.tokens_in = share * sum(run.instructions + one.tokens_in for one in instances)
        load.tokens_out = share * sum(min(run.max_tokens, answer) for answer in answers)
    # As if each answer could be rendered: of the others the judge is not asked.
    asked = [(one.judge_in, one.judge_out) for one in instances if one.judge_in]
    if run.judge and asked:
        tokens = (0.0, 0.0) if is_offline(run.judge) else map(sum, zip(*asked, strict=True))
        load.judged = {run.judge: [share * each for each in (len(asked), *tokens)]}
    return load


def _right_answers(instances: Iterable[Expected]) -> list[float]:
    return [one.tokens_out for one in instances if one.tokens_out is not None]


def hours(renderings: Mapping[str, float], seconds: Mapping[str, float]) -> float | None:
    """Returns how long this machine renders and scores, without the time of the models.

    Args:
        renderings: format to number.
        seconds: format to what one takes, on all cores.

    Returns:
        Hours, or None if a format's seconds are not known.

    >>> hours({"latex": 7200}, {"latex": 0.5}), hours({"vue": 1}, {})
    (1.0, None)
    """
    if renderings.keys() - seconds.keys():
        return None
    return sum(number * seconds[format] for format, number in renderings.items()) / 3600


def calibrate(
    formats: Iterable[str],
    jobs_of: Callable[[str], Iterable[Job]],
    clock: Callable[[], float] = time.monotonic,
) -> tuple[dict[str, float], dict[str, str]]:
    """Measures what an answer of each format takes when as many are at work as there are cores.

    Engines are started first, which counts once in an evaluation and not here. On an idle machine it
    takes one or two seconds for each format.

    Args:
        formats: those that occur.
        jobs_of: returns a format's jobs.
        clock: returns seconds.

    Returns:
        Format to seconds for each answer; and format to why it could not be measured.
    """
    workers = worker_count()
    at_a_time = min(workers, TRIED)
    seconds: dict[str, float] = {}
    failures: dict[str, str] = {}
    with thread_pool(at_a_time) as threads:
        for format in progress(list(formats), "trying this machine"):
            jobs = list(islice(jobs_of(format), TRIED))
            if not jobs:
                failures[format] = "the sample has no answer of it"
                continue
            try:
                list(threads.map(_call, jobs[:at_a_time]))
                start = clock()
                list(threads.map(_call, jobs))
            except (SetupError, RenderError) as error:
                failures[format] = str(error)
                continue
            seconds[format] = (clock() - start) * at_a_time / len(jobs) / workers
    return seconds, failures


def _call(job: Job) -> object:
    return job()
