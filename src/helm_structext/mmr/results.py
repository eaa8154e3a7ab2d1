"""The MMR runs of a finished suite, read back: one record for each answer of a model."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.data.sources import source_label
from helm_structext.errors import SetupError
from helm_structext.mmr.replies import UnreadableReply
from helm_structext.mmr.tasks import (
    DEFAULT_LIMIT,
    KINDS,
    SYSTEMS,
    TASKS,
    ParsedReply,
    read_answer,
    read_reply,
)
from helm_structext.results.comparisons import Place, ScoreGrid, score_matrix
from helm_structext.results.runs import Answered, finished_runs

COLUMNS = {
    "Label": ("recognition_label", "pnls_correct_published"),
    "Pos.": ("recognition_pos", "pnls_correct_published"),
    "Size": ("font_size", "accuracy"),
    "Color": ("font_color", "accuracy"),
    "Obj.": ("localize_o", "accuracy"),
    "Text": ("localize_t", "accuracy"),
    "O-T": ("spatial_ot", "accuracy"),
    "O-O": ("spatial_oo", "accuracy"),
    "T-T": ("spatial_tt", "accuracy"),
    "O-Box": ("grounding_o", "iou_correct"),
    "T-PNLS": ("grounding_t", "pnls_correct_published"),
    "T-Box": ("grounding_t", "iou_correct"),
}
"""The columns of Table 1: a task, and what is counted as right. Text grounding counts twice."""

USUAL = {"limit": str(DEFAULT_LIMIT), "system": "published"}
"""Conditions that go without saying in the names of files."""


@dataclass(frozen=True)
class MMRResult(Answered):
    """What one model answered to one question, and what came of it.

    Args:
        run: name of the run's folder.
        model: name of the model.
        conditions: arguments of the run that change instances or numbers.
        lenient: the scale in which boxes were read leniently, or ``none``.
        task: a key of `helm_structext.mmr.tasks.TASKS`.
        instance: the task and a number.
        question: what was asked, with its choices, without what asks for a format.
        picture: path of the picture.
        truth: what the answer says.
        completion: what the model wrote.
        finish_reason: why it stopped: ``stop``, ``length``, ``endoftext`` or ``unknown``.
        blocked: whether a filter of the provider withheld the answer, which is then empty.
        scores: metric to value; a metric without a value is absent.
    """

    run: str
    model: str
    conditions: Mapping[str, str]
    lenient: str
    task: str
    instance: str
    question: str
    picture: Path
    truth: ParsedReply
    completion: str
    finish_reason: str
    blocked: bool
    scores: Mapping[str, float]

    @property
    def reading(self) -> ParsedReply | None:
        """What was read of the completion by the published rules, or None."""
        try:
            return read_reply(TASKS[self.task], self.completion)
        except UnreadableReply:
            return None


def read_mmr(suite: Path) -> Iterator[MMRResult]:
    """Yields every answer in a suite's finished MMR runs, if it has any.

    Args:
        suite: a suite's folder; HELM ran in its third parent.

    Raises:
        SetupError: a run can't be read.
    """
    root = suite.absolute().parents[2]
    for run in finished_runs(suite, {"mmr"}):
        for state, scores in run.answers():
            yield _result(run.name, run.spec, state, scores, root)


def _result(
    run: str, spec: Mapping[str, Any], state: dict[str, Any], scores: dict[str, float], root: Path
) -> MMRResult:
    instance, arguments = state["instance"], spec["scenario_spec"]["args"]
    task = instance["extra_data"]["task"]
    prompt, picture = instance["input"]["multimedia_content"]["media_objects"]
    completion = state["result"]["completions"][0]
    return MMRResult(
        run=run,
        model=spec["adapter_spec"]["model"],
        conditions={
            "source": source_label(arguments["source"]),
            **{name: str(arguments[name]) for name in ("limit", "system")},
        },
        lenient=arguments["lenient"],
        task=task,
        instance=instance["id"],
        question=_question(prompt["text"], task, arguments["system"]),
        picture=root / picture["location"],
        truth=read_answer(TASKS[task], instance["references"][0]["output"]["text"]),
        completion=completion["text"],
        finish_reason=completion.get("finish_reason", {}).get("reason", "unknown"),
        blocked=not state["result"]["success"],
        scores=scores,
    )


def _question(prompt: str, task: str, system: str) -> str:
    return prompt.removeprefix(SYSTEMS[system]).removesuffix(KINDS[TASKS[task]].suffix).strip()


@dataclass(frozen=True)
class MMRBoard:
    """Answers that may stand in one table: to questions of one source, asked in the same way.

    Args:
        conditions: what tables never mix, name and value.
        models: names, sorted.
        questions: task to the instances that any model has, in the order of their numbers.
        answers: by model and instance; a model may lack some.
    """

    conditions: tuple[tuple[str, str], ...]
    models: Sequence[str]
    questions: Mapping[str, Sequence[str]]
    answers: Mapping[tuple[str, str], MMRResult]

    @property
    def condition(self) -> str:
        """The conditions as text, such as ``source=hub, limit=50, system=published``."""
        return ", ".join(f"{name}={value}" for name, value in self.conditions)

    @property
    def stem(self) -> str:
        """The beginning of files' names."""
        said = (f"{n}-{v}" if n in USUAL else v for n, v in self.conditions if USUAL.get(n) != v)
        return "-".join(["mmr", *said])

    @property
    def sizes(self) -> dict[str, int]:
        """Column of Table 1 to the number of questions that it is out of."""
        return {column: len(self.questions.get(task, ())) for column, (task, _) in COLUMNS.items()}

    @property
    def ranking(self) -> list[str]:
        """The models, the highest total first."""
        return sorted(self.models, key=lambda model: (-sum(self.counts(model).values()), model))

    def grid(self) -> ScoreGrid:
        """Returns the share that is right, as it is compared."""
        places = {
            instance: Place(f"mmr, {task}", instance)
            for task, ours in self.questions.items()
            for instance in ours
        }
        return ScoreGrid(
            name=self.stem,
            label="MMR",
            condition=self.condition,
            score="Right",
            measures={
                header: score_matrix(self.answers, list(places), self.models, metric)
                for header, metric in {"Readable": "valid_format", "Right": "correct"}.items()
            },
            models=self.models,
            contents={
                (model, places[answer.instance]): (
                    f"{answer.question}\n{answer.truth}\n{answer.picture.name}"
                )
                for (model, _), answer in self.answers.items()
            },
            instances=list(places.values()),
        )

    def of_model(self, model: str) -> list[MMRResult]:
        """Returns a model's answers, task by task."""
        keys = ((model, instance) for ours in self.questions.values() for instance in ours)
        return [self.answers[key] for key in keys if key in self.answers]

    def counts(self, model: str) -> dict[str, int]:
        """Returns a model's row of Table 1: column to right answers, where it has answers."""
        found: dict[str, int] = {}
        for column, (task, metric) in COLUMNS.items():
            values = self.values(model, task, metric)
            if values:
                found[column] = round(sum(values))
        return found

    def values(self, model: str, task: str, metric: str) -> list[float]:
        """Returns a metric's values of a model's answers to the questions of a task."""
        return [
            self.answers[model, instance].scores[metric]
            for instance in self.questions.get(task, ())
            if (model, instance) in self.answers and metric in self.answers[model, instance].scores
        ]


def mmr_boards(results: Iterable[MMRResult]) -> list[MMRBoard]:
    """Sorts answers into boards, one for each condition.

    Runs of a suite may overlap (``task=all`` and a task); of the same answer, the one that was
    read leniently too is kept.

    Raises:
        SetupError: a model answered a question in two runs, differently.
    """
    groups: dict[tuple[tuple[str, str], ...], list[MMRResult]] = defaultdict(list)
    for result in results:
        groups[tuple(result.conditions.items())].append(result)
    return [_board(conditions, ours) for conditions, ours in sorted(groups.items())]


def _board(conditions: tuple[tuple[str, str], ...], results: Iterable[MMRResult]) -> MMRBoard:
    answers: dict[tuple[str, str], MMRResult] = {}
    for result in results:
        first = answers.setdefault((result.model, result.instance), result)
        if first.completion != result.completion:
            raise SetupError(
                f"{result.model} has two answers to instance {result.instance}, in the runs "
                f"{first.run} and {result.run}; keep them in suites of their own"
            )
        if first.lenient == "none":
            answers[result.model, result.instance] = result
    found: dict[str, set[str]] = defaultdict(set)
    for result in answers.values():
        found[result.task].add(result.instance)
    return MMRBoard(
        conditions,
        sorted({model for model, _ in answers}),
        {task: sorted(found[task], key=_number) for task in TASKS if task in found},
        answers,
    )


def _number(instance: str) -> int:
    return int(instance.rpartition("-")[2])
