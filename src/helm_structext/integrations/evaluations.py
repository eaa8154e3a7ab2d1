"""A run entry as other harnesses need it: what models get, what is limited, and how answers are scored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from helm_structext.benchmarks import entry_of_run, run_of_entry
from helm_structext.errors import SetupError
from helm_structext.helm.judges_door import door_of_helms_judges
from helm_structext.models.advice import LOCAL_PATH
from helm_structext.run_entries import Adapter, RunDescription
from helm_structext.scoring.scorer import Input, Scored, Scorer
from helm_structext.storage.cache import cache_folder, store


@dataclass(frozen=True)
class Question:
    """What a model gets of an instance, as in a run of HELM.

    Args:
        id: of the instance.
        part: the subset or task that it belongs to.
        entry: the run entry under which `helm-structext score-file` scores its answer.
        texts: the words, in the parts in which HELM sends them.
        picture: a PNG file that follows them, or None.
        target: the right answer as far as text can say it, or "".
    """

    id: str
    part: str
    entry: str
    texts: tuple[str, ...]
    picture: Path | None
    target: str


@dataclass(frozen=True)
class Evaluation:
    """A run.

    Args:
        run: its name, without a model.
        arguments: of the run, an object of the benchmark's class.
        questions: of all instances, in HELM's order.
        items: the id of each instance to what answers are scored by, as the benchmark's scorer has it.
        metrics: names of all scores, the most important first; an answer may have no value of some.
        max_tokens: of a completion.
        temperature: at which models are asked.
        score: scores a completion, as `helm-run` does to the last bit, by the id of the instance and what
            the model wrote; it may wait for an engine. Raises SetupError if the machine fails.
    """

    run: str
    arguments: Any
    questions: Sequence[Question]
    items: Mapping[str, Any]
    metrics: Sequence[str]
    max_tokens: int
    temperature: float
    score: Callable[[str, str], Scored]


def entry_with(name: str, arguments: Mapping[str, Any]) -> str:
    """Returns a run entry as it stands in a conf file.

    Args:
        name: of the run entry.
        arguments: in the order in which they are to stand.

    >>> entry_with("mmr", {"task": "font_color", "limit": 5})
    'mmr:task=font_color,limit=5'
    """
    return f"{name}:{','.join(f'{key}={value}' for key, value in arguments.items())}".rstrip(":")


@lru_cache(maxsize=8)
def evaluation(entry: str) -> Evaluation:
    """Returns the run of a run entry.

    Args:
        entry: as in a conf file, such as ``mmr:task=font_color,source=sample``.

    Raises:
        SetupError: it is no run entry, or its data can't be read; the message says what to do.

    >>> found = evaluation("mmr:task=font_color,source=sample")
    >>> found.questions[0].id, found.questions[0].texts[0].splitlines()[-1][:36]
    ('font_color-0', 'Only print the index of the correct ')
    >>> found.score("font_color-0", "It is red.").scores["valid_format"]
    0.0
    """
    benchmark, run = run_of_entry(entry)
    assert benchmark.scoring is not None
    scorer = benchmark.scorer(run.arguments, door_of_helms_judges(LOCAL_PATH))
    questions = list(_questions(run, scorer))
    items = {key.id: item for key, item in scorer.find({question.id for question in questions})}
    return Evaluation(
        run.name,
        run.arguments,
        questions,
        items,
        sorted(scorer.metrics, key=_place_in(benchmark.scoring.measures)),
        run.adapter_spec.max_tokens,
        run.adapter_spec.temperature,
        lambda instance, completion: scorer.score(items[instance], completion),
    )


def _place_in(measures: Sequence[str]) -> Callable[[str], int]:
    """Sorts by what tables show, of which the last column says most."""
    return lambda metric: -measures.index(metric) if metric in measures else len(measures)


def _questions(run: RunDescription, scorer: Scorer[Any]) -> Iterator[Question]:
    folder = cache_folder() / "references"
    for asked in scorer.inputs():
        entry = entry_of_run(run, asked.dataset)
        if entry is None:
            raise SetupError(f"{run.name} is of no benchmark whose completions can be scored")
        yield Question(
            asked.key.id,
            asked.key.part,
            entry,
            _texts(run.adapter_spec, asked),
            store(folder, asked.picture, "png") if asked.picture is not None else None,
            asked.target or "",
        )


def _texts(adapter: Adapter, asked: Input) -> tuple[str, ...]:
    """What HELM's adapters make of it without examples."""
    text = f"{adapter.input_prefix}{asked.text}{adapter.input_suffix}"
    if not adapter.instructions:
        return (text,)
    return adapter.instructions, f"{adapter.instance_prefix}{text}"
