"""What models may be trained on: the prompts of a run, and a reward for each of its instances.

The benchmarks' published datasets are for measuring. Who trains on them measures nothing any more, and
Image2Struct's authors forbid it (appendix L); so they are refused unless one says otherwise in as many
words. The embedded samples, generated questions, collected rounds and one's own rows are what to take.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.benchmarks import run_of_entry
from helm_structext.errors import SetupError
from helm_structext.image2struct.scorer import PictureTarget
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS, Image2StructArguments
from helm_structext.integrations.evaluations import Question, evaluation
from helm_structext.mmr.rows import DATASET as MMR
from helm_structext.mmr.scorer import Truth
from helm_structext.mmr.tasks import MMRArguments
from helm_structext.rewards import (
    GUARDS,
    BaseReward,
    Batch,
    InstanceReward,
    MMRReward,
    Reference,
    Reward,
    RewardResult,
    StructEvalReward,
)
from helm_structext.serving.client import picture
from helm_structext.storage.cache import read_stored
from helm_structext.structeval.rows import DATASET as STRUCTEVAL
from helm_structext.structeval.rows import StructEvalQuestion
from helm_structext.structeval.tasks import StructEvalArguments
from helm_structext.texts import quote_value

PUBLISHED = (*(domain.dataset for domain in PUBLISHED_DOMAINS.values()), MMR, STRUCTEVAL)
"""The published datasets, by their names on the Hugging Face Hub."""

CARDS = ("README.md", "dataset_info.json", "dataset_infos.json", ".git/config")
"""Files of a dataset's folder that say where it comes from."""
MAX_CARD = 4_000_000
"""Bytes of such a file that are read."""

SAY_SO = "train_on_published_benchmark=True"


@dataclass(frozen=True)
class TrainingSet:
    """Prompts, and what completions of each are scored by.

    Its references are the ids of its questions.

    Args:
        questions: what models get, as in HELM's runs.
        rewards: the id of each question to its reward.
        references: the id of each question to what its reward compares with.
        max_tokens: of a completion.
        batch_seconds: see `helm_structext.rewards.BaseReward`.
    """

    questions: Sequence[Question]
    rewards: Mapping[str, BaseReward]
    references: Mapping[str, Any]
    max_tokens: int
    batch_seconds: float | None = None

    @property
    def components(self) -> tuple[str, ...]:
        """The names of what scores are made of."""
        return (*dict.fromkeys(name for one in self.rewards.values() for name in one.components),)

    def batch(self, completions: Sequence[str], ids: Sequence[str]) -> Batch:
        """Begins a batch.

        Args:
            completions: what the model wrote.
            ids: of the question that each of them answers.

        Raises:
            ValueError: there are not as many ids as completions, or one is of no question.
        """
        for id in ids:
            if id not in self.rewards:
                raise ValueError(f"the training set has no question {quote_value(str(id))}")
        tasks = [
            task
            for completion, id in zip(completions, ids, strict=True)
            for task in self.rewards[id].tasks([completion], [self.references[id]])
        ]
        queue = next((reward.queue for reward in self.rewards.values()), None)
        return Batch(tasks, self.batch_seconds, queue)

    async def score(
        self, completions: Sequence[str], references: Sequence[str]
    ) -> list[RewardResult]:
        """Returns a result for each completion, in their order, without blocking the event loop."""
        return await self.batch(completions, references).results_async()


def training_set(
    entry: str,
    components: Mapping[str, float] | None = None,
    *,
    failure: float = 0.0,
    guards: Collection[str] = GUARDS,
    timeout: float | None = None,
    batch_seconds: float | None = None,
    train_on_published_benchmark: bool = False,
) -> TrainingSet:
    """Returns the prompts of a run entry, as HELM sends them, and a reward for each.

    Args:
        entry: as in a conf file; ``source`` is ``sample`` or a folder.
        components: metric to weight; by default those of the benchmark's reward.
        failure: see `helm_structext.rewards.BaseReward`; so are `guards` and `batch_seconds`.
        timeout: seconds of work for a rendering; by default the format's.
        train_on_published_benchmark: whether the source may be a benchmark's published dataset.

    Raises:
        SetupError: it is no run entry, its data can't be read, is published, or needs a judge.
        ValueError: a component is unknown.

    >>> found = training_set("mmr:task=font_color,source=sample")
    >>> [result.score for result in found.batch(["2", "none"], ["font_color-0"] * 2).results()]
    [1.0, 0.0]
    >>> training_set("structeval:task=text_to_json")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: source=hub is the published TIGER-Lab/StructEval, ...
    """
    _, run = run_of_entry(entry)
    arguments = run.arguments
    if not train_on_published_benchmark and (
        dataset := find_published(arguments.source, run.entry)
    ):
        raise SetupError(
            f"source={arguments.source} is the published {dataset}, which is for measuring and "
            f"not for training; use source=sample, a folder of new rows (helm-structext generate, "
            f"collect), or say {SAY_SO}"
        )
    if run.all_arguments.get("judge"):
        raise SetupError(f"{run.name} has a judge, who is too slow to train with; add judge=none")
    found = evaluation(entry)
    options: dict[str, Any] = {"failure": failure, "guards": guards, "timeout": timeout}
    if rule := run.all_arguments.get("missing"):
        options["missing"] = rule
    if components is not None:
        options["components"] = components
    rewards: dict[str, BaseReward] = {}
    of_questions = {}
    references = {}
    for id, item in found.items.items():
        if of_item := _REWARDS.get(type(item)):
            key, make, references[id] = of_item(item, arguments)
        else:
            key, make, references[id] = entry, _of_instances, id
        if key not in rewards:
            rewards[key] = make(key, options)
        of_questions[id] = rewards[key]
    return TrainingSet(found.questions, of_questions, references, found.max_tokens, batch_seconds)


def items(training_set: TrainingSet) -> dict[str, dict[str, Any]]:
    """Returns what completions are scored by, as a server takes it: the id of each question to its item.

    What JSON can say needs no training set where it is scored, nor any file of this machine.

    >>> found = items(training_set("mmr:task=font_color,source=sample"))
    >>> found["font_color-0"]
    {'kind': 'choice', 'components': {'accuracy': 1.0}, 'failure': 0.0, 'guards': [...], 'missing': 'zero', 'lenient': 'none', 'reference': '2'}
    """
    return {
        question.id: _item(
            training_set.rewards[question.id], training_set.references[question.id], question
        )
        for question in training_set.questions
    }


def _item(reward: BaseReward, reference: Any, question: Question) -> dict[str, Any]:
    item: dict[str, Any] = {
        "components": dict(reward.components),
        "failure": reward.failure,
        "guards": [*reward.guards],
        "missing": reward.missing,
    }
    match reward:
        case Reward():
            item |= {"protocol": reward.protocol, "timeout": reward.timeout}
            item |= {"size_handling": reward.size_handling}
            assets = {name: picture(path) for name, path in reference.assets.items()}
            shown = picture(reference.picture) | {"text": reference.text, "assets": assets}
            drawn_by = {} if reference.code is None else {"code": reference.code}
            return {"format": reward.format, **item, "reference": shown | drawn_by}
        case StructEvalReward():
            return {
                "task": reward.task,
                **item,
                "protocol": reward.protocol,
                "timeout": reward.timeout,
                "reference": reference,
            }
        case MMRReward():
            item |= {"lenient": reward.lenient}
            size = reference[1] if isinstance(reference, tuple) else None
            answer = (
                question.target if size is None else {"answer": question.target, "size": [*size]}
            )
            return {"kind": reward.kind, **item, "reference": answer}
        case InstanceReward():
            return {"entry": reward.entry, **item, "reference": reference}
    raise TypeError(f"a server takes no {type(reward).__name__}")


Make = Callable[[str, Mapping[str, Any]], BaseReward]


def _of_instances(entry: str, options: Mapping[str, Any]) -> BaseReward:
    return InstanceReward(entry, **_without_timeout(options))


def _without_timeout(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "timeout"}


def _image2struct(item: PictureTarget, run: Image2StructArguments) -> tuple[str, Make, Any]:
    domain = DOMAINS[run.domain]

    def make(format: str, options: Mapping[str, Any]) -> BaseReward:
        sizes = domain.size_handling
        return Reward(format, protocol=run.protocol, size_handling=sizes, **options)

    # By its code alone it is known what lies on a picture, for rewards of layouts, formulas, notes and charts.
    code = None if item.code is None else read_stored(item.code).decode()
    return domain.format, make, Reference(item.picture, code, item.text, item.assets)


def _mmr(item: Truth, run: MMRArguments) -> tuple[str, Make, Any]:
    def make(kind: str, options: Mapping[str, Any]) -> BaseReward:
        return MMRReward(kind, lenient=run.lenient, **_without_timeout(options))

    return item.kind, make, item.answer if item.size is None else (item.answer, item.size)


def _structeval(item: StructEvalQuestion, run: StructEvalArguments) -> tuple[str, Make, Any]:
    def make(task: str, options: Mapping[str, Any]) -> BaseReward:
        return StructEvalReward(task, protocol=run.protocol, **options)

    return item.task, make, item.keywords


_REWARDS: Mapping[type, Callable[[Any, Any], tuple[str, Make, Any]]] = {
    PictureTarget: _image2struct,
    Truth: _mmr,
    StructEvalQuestion: _structeval,
}
"""What answers are scored by → its kind of reward, what makes that, and the reference."""


def find_published(source: str, entry: str) -> str | None:
    """Returns the published dataset that a source is, as far as its name and its files say so.

    Args:
        source: ``hub``, ``sample`` or a folder, as in a run entry.
        entry: the name of the run entry.

    >>> find_published("hub", "mmr"), find_published("sample", "mmr")
    ('puar-playground/MMR', None)
    """
    if source == "sample":
        return None
    if source == "hub":
        known = {name: domain.dataset for name, domain in PUBLISHED_DOMAINS.items()}
        known |= {"mmr": MMR, "structeval": STRUCTEVAL}
        return known.get(entry, f"dataset of {entry}")
    folder = Path(source).expanduser().resolve()
    told = [*_names(folder), *_cards(folder)]
    return next((one for one in PUBLISHED if any(one.lower() in text for text in told)), None)


def _names(folder: Path) -> Iterator[str]:
    """Yields the names of a folder as datasets have them: clones, the Hub's cache, `datasets`' cache."""
    name = folder.as_posix().lower()
    yield from (name, name.replace("--", "/"), name.replace("___", "/"))
    # A clone has the dataset's last name alone; that of MMR says nothing.
    for one in PUBLISHED:
        last = one.partition("/")[2]
        if one != MMR and last.lower() in (part.lower() for part in folder.parts):
            yield one.lower()


def _cards(folder: Path) -> Iterator[str]:
    """Yields what files in a folder, in one above, or in one of its configs say of it."""
    for place in (folder, folder.parent, *_folders(folder)):
        for name in CARDS:
            with suppress(OSError), (place / name).open("rb") as file:
                text = file.read(MAX_CARD).decode(errors="replace").lower()
                # A README without metadata is not that of a dataset.
                if name != "README.md" or text.startswith("---"):
                    yield text


def _folders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []
