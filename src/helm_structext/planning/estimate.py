"""What runs will take: sums over what is expected of their instances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from helm_structext.data.hub import missing_files
from helm_structext.data.sources import PUBLISHED_SIZES
from helm_structext.errors import SetupError
from helm_structext.models.registry import is_offline
from helm_structext.planning.records import Arguments, Dataset, Expected, Planning
from helm_structext.planning.tokens import picture_tokens, text_tokens

SEEN_BY_JUDGE = (1280, 720)
"""Size of a picture that a judge looks at, as most are: the browser's window."""
VERDICT_BYTES = 11
"""Of a judge's answer for each question, such as ``"1": true, ``."""


@dataclass(frozen=True)
class PlannedRun:
    """A run of which nothing has been asked yet.

    Args:
        name: of the run.
        entry: of its run entry.
        model: HELM's name of the model.
        arguments: of its scenario.
        finished: whether the suite has it.
        instructions: bytes of text that each request has beside its prompt.
        max_tokens: of an answer.
        max_instances: how many instances are asked at most, or None for all.
        judge: who looks at pictures, or "".
    """

    name: str
    entry: str
    model: str
    arguments: Arguments
    finished: bool = False
    instructions: int = 0
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
    renderings: dict[str, float] = field(default_factory=dict)
    judged: dict[str, list[float]] = field(default_factory=dict)

    def __iadd__(self, other: "Load") -> "Load":
        for name in ("runs", "instances", "pictures", "tokens_in", "tokens_out"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for format, number in other.renderings.items():
            self.renderings[format] = self.renderings.get(format, 0.0) + number
        for judge, numbers in other.judged.items():
            before = self.judged.get(judge, [0.0, 0.0, 0.0])
            self.judged[judge] = [a + b for a, b in zip(before, numbers, strict=True)]
        return self


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


def planned_load(run: PlannedRun, planning: Planning, data: Data) -> Load:
    """Returns what a run takes.

    Args:
        run: not a finished one.
        planning: what its benchmark knows.
        data: gets what is found about the run's data.

    Raises:
        SetupError: data that should be there can't be read.
    """
    instances, number = _instances(run, planning, data)
    if run.max_instances is not None:
        number = min(number, run.max_instances)
    right = [one.answer for one in instances if one.answer is not None]
    if not right:
        right = [one.answer for one in planning.sample(run.arguments) if one.answer is not None]
    usual = fmean(right) if right else 0.0
    share = number / len(instances)  # those that are asked are drawn at random

    load = Load(runs=1, instances=number)
    for one in instances:
        load.pictures += share * len(one.pictures)
        if one.format:
            load.renderings[one.format] = load.renderings.get(one.format, 0.0) + share
        if not is_offline(run.model):
            answer = usual if one.answer is None else one.answer
            load.tokens_in += share * _tokens_in(run, one)
            load.tokens_out += share * min(run.max_tokens, text_tokens(answer, code=True))
    if run.judge:
        load.judged = _judged(run.judge, instances, share)
    return load


def _tokens_in(run: PlannedRun, one: Expected) -> float:
    pictures = sum(picture_tokens(run.model, size) for size in one.pictures)
    return pictures + text_tokens(run.instructions + one.prompt)


def _judged(judge: str, instances: Sequence[Expected], share: float) -> dict[str, list[float]]:
    """As if each answer could be rendered: of the others the judge is not asked."""
    asked = [one for one in instances if one.format and one.pairs]
    if not asked:
        return {}
    if is_offline(judge):
        return {judge: [share * len(asked), 0.0, 0.0]}
    picture = picture_tokens(judge, SEEN_BY_JUDGE)
    tokens_in = sum(picture + text_tokens(one.questions) for one in asked)
    tokens_out = sum(text_tokens(VERDICT_BYTES * one.pairs, code=True) for one in asked)
    return {judge: [share * len(asked), share * tokens_in, share * tokens_out]}


def _instances(run: PlannedRun, planning: Planning, data: Data) -> tuple[Sequence[Expected], int]:
    """What is expected of a run's instances, or of some like them, and how many there are."""
    if run.arguments["source"] != "hub" or _is_here(planning.datasets(run.arguments), data):
        instances = planning.expected(run.arguments)
        if not instances:
            raise SetupError(f"{run.name}: its data has no such instances")
        return instances, len(instances)
    data.guessed += 1
    return planning.sample(run.arguments), planning.published(run.arguments)


def _is_here(datasets: Sequence[Dataset], data: Data) -> bool:
    """Whether published data is on this disk; what is not is noted, with its size."""
    for dataset in datasets:
        if dataset in data.downloads or dataset in data.here:
            continue
        try:
            files = missing_files(*dataset)
        except SetupError as error:
            data.downloads[dataset] = PUBLISHED_SIZES.get((dataset.name, dataset.config))
            if str(error) not in data.reasons:
                data.reasons.append(str(error))
            continue
        if files:
            sizes = [size for size in files.values() if size is not None]
            data.downloads[dataset] = sum(sizes) if len(sizes) == len(files) else None
        else:
            data.here.add(dataset)
    return all(dataset in data.here for dataset in datasets)


def total_load(loads: Iterable[Load]) -> Load:
    """Returns the sum of loads.

    >>> total_load([Load(runs=1, renderings={"latex": 2}), Load(runs=2)]).renderings
    {'latex': 2.0}
    """
    total = Load()
    for load in loads:
        total += load
    return total


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


def price(load: Load, price_in: float, price_out: float) -> float:
    """Returns what models' tokens cost, without those of judges.

    Args:
        load: what runs take.
        price_in: of a million tokens of requests.
        price_out: of a million tokens of answers.

    >>> price(Load(tokens_in=2e6, tokens_out=1e6), 2.5, 10)
    15.0
    """
    return (load.tokens_in * price_in + load.tokens_out * price_out) / 1e6
