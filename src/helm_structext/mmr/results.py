"""The MMR runs of a finished suite, read back: what models answered, and what was right."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from helm_structext.data.sources import source_label
from helm_structext.mmr.replies import UnreadableReply
from helm_structext.mmr.tasks import (
    DEFAULT_LIMIT,
    DEFAULT_SYSTEM,
    KINDS,
    RENAMED_SYSTEMS,
    SYSTEMS,
    TASK_NAMES,
    TASK_TYPES,
    TASKS,
    ParsedReply,
    read_answer,
    read_reply,
)
from helm_structext.results.comparisons import ScoreGrid
from helm_structext.results.result_sets import (
    Conditions,
    ResultSet,
    Selection,
    drop_repeated,
)
from helm_structext.results.runs import InstanceResult, Run
from helm_structext.results.statistics import weighted_means
from helm_structext.results.tabular import PER_CENT

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

COLUMN_NAMES = {
    "Label": "Text by label",
    "Pos.": "Text by position",
    "Size": "Font size",
    "Color": "Font color",
    "Obj.": "Place of an object",
    "Text": "Place of a text",
    "O-T": "Object and text",
    "O-O": "Two objects",
    "T-T": "Two texts",
    "O-Box": "Box of an object",
    "T-PNLS": "Text in a box",
    "T-Box": "Box of a text",
}
"""The columns of Table 1 in words."""

USUAL = {"limit": str(DEFAULT_LIMIT), "system": DEFAULT_SYSTEM}
"""Conditions that go without saying in the names of files."""


@dataclass(frozen=True, kw_only=True)
class MMRResult(InstanceResult):
    """What one model answered to one question, and what came of it.

    Args:
        lenient: the scale in which boxes were read leniently, or ``none``.
        task: a key of `helm_structext.mmr.tasks.TASKS`.
        question: what was asked, with its choices, without what asks for a format.
        picture: path of the picture.
        truth: what the answer says.
    """

    lenient: str
    task: str
    question: str
    picture: Path
    truth: ParsedReply

    @property
    def part(self) -> str:
        """The task."""
        return self.task

    def interpret(self) -> None:
        super().interpret()
        _ = self.reading

    @cached_property
    def reading(self) -> ParsedReply | None:
        """What was read of the completion by the published rules, or None."""
        if self.unhandled:
            return None
        try:
            return read_reply(TASKS[self.task], self.completion)
        except UnreadableReply:
            return None


def read_run(run: Run) -> Iterator[MMRResult]:
    """Returns every answer in a finished run.

    Raises:
        SetupError: the run can't be read.
    """
    arguments = run.arguments
    system = RENAMED_SYSTEMS.get(arguments["system"], arguments["system"])

    def read(state: Mapping[str, Any], common: dict[str, Any]) -> MMRResult:
        instance = state["instance"]
        task = instance["extra_data"]["task"]
        prompt, picture = instance["input"]["multimedia_content"]["media_objects"]
        return MMRResult(
            **common,
            conditions={
                "source": source_label(arguments["source"]),
                "limit": str(arguments["limit"]),
                "system": system,
            },
            lenient=arguments["lenient"],
            task=task,
            question=_question(prompt["text"], task, system),
            picture=run.root / picture["location"],
            truth=read_answer(TASKS[task], instance["references"][0]["output"]["text"]),
            origin=picture["location"].rpartition("/")[2],
        )

    return run.results(read)


def _question(prompt: str, task: str, system: str) -> str:
    return prompt.removeprefix(SYSTEMS[system]).removesuffix(KINDS[TASKS[task]].suffix).strip()


@dataclass(frozen=True)
class MMRResultSet(ResultSet[MMRResult]):
    """Answers to questions of one source, asked in the same way, task by task."""

    MEASURES: ClassVar = {"Readable": "valid_format", "Right": "correct"}
    BRIEF: ClassVar = {"PNLS": "pnls", "IoU": "iou", "Right": "correct"}

    @property
    def entry(self) -> str:
        """The name of the run entry."""
        return "mmr"

    @property
    def label(self) -> str:
        """The benchmark."""
        return "MMR"

    @property
    def name(self) -> str:
        """The beginning of files' names."""
        said = (f"{n}-{v}" if n in USUAL else v for n, v in self.conditions if USUAL.get(n) != v)
        return "-".join(["mmr", *said])

    @property
    def sizes(self) -> dict[str, int]:
        """Column of Table 1 to the number of questions that it is out of."""
        return {column: len(self.by_part.get(task, ())) for column, (task, _) in COLUMNS.items()}

    @property
    def ranking(self) -> list[str]:
        """The models, the highest share of right answers first, and those apart below them."""
        shares = {model: self.share(model) for model in self.models}
        return sorted(
            shares, key=lambda m: (m in self.apart, shares[m] is None, -(shares[m] or 0), m)
        )

    def share(self, model: str) -> float | None:
        """Returns the share of Table 1's questions that a model has right.

        What could not be handled is left out; None where nothing is left.
        """
        asked = [task for task, _ in COLUMNS.values()]
        lost = sum(asked.count(answer.task) for answer in self.of_model(model) if answer.unhandled)
        whole = sum(self.sizes.values()) - lost
        return sum(self.counts(model).values()) / whole if whole else None

    @property
    def columns(self) -> dict[str, ScoreGrid]:
        """The columns of Table 1: means are numbers of right answers, as in `counts`.

        Without a score an answer counts as the model's others on average, so that the total is the sum of
        the columns; a model that lacks one of them has none.
        """
        grid = replace(self.grid, format=PER_CENT)
        total = np.zeros((len(self.instances), len(self.models)))
        found = {}
        for column, (task, metric) in COLUMNS.items():
            ours = self._of_task(task)
            scores, size = self.scores(metric)[ours], self.sizes[column]
            means = weighted_means(scores) if size else np.zeros(len(self.models))
            total[ours] += np.where(np.isnan(scores), means, scores)
            total[:, np.isnan(means)] = np.nan
            found[f"{column} /{size}"] = replace(
                grid.at(self.by_part.get(task, ())), measures={grid.score: size * scores}
            )
        whole = {grid.score: len(self.instances) * total}
        return {**found, f"Total /{sum(self.sizes.values())}": replace(grid, measures=whole)}

    @cached_property
    def group_grid(self) -> ScoreGrid:
        """What Table 1 counts as right; a text and its box are two halves."""
        right = np.full((len(self.instances), len(self.models)), np.nan)
        for task in self.by_part:
            ours = self._of_task(task)
            metrics = [metric for of, metric in COLUMNS.values() if of == task]
            right[ours] = np.mean([self.scores(metric)[ours] for metric in metrics], axis=0)
        return replace(self.grid, measures={self.grid.score: right})

    def _of_task(self, task: str) -> npt.NDArray[np.bool_]:
        """Which of the instances are of a task."""
        return np.array([key.part == task for key in self.instances])

    def part_name(self, part: str) -> str:
        """The task in words."""
        return TASK_NAMES[part]

    def part_type(self, part: str) -> str:
        """The heading that the task stands under in Table 1."""
        return TASK_TYPES[part.partition("_")[0]]

    def content(self, answer: MMRResult) -> str:
        """What was asked about which picture, and the right answer."""
        return f"{answer.question}\n{answer.truth}\n{answer.picture.name}"

    def counts(self, model: str) -> dict[str, int]:
        """Returns a model's row of Table 1: column to right answers, where it has answers."""
        found: dict[str, int] = {}
        for column, (task, metric) in COLUMNS.items():
            values = self.values(metric, model, task)
            if values:
                found[column] = round(sum(values))
        return found


def result_sets(
    results: Iterable[MMRResult], selection: Selection | None = None
) -> list[MMRResultSet]:
    """Sorts answers, one set for each condition.

    Runs of a suite may overlap (``task=all`` and a task); of the same answer, the one that was
    read leniently too is kept.

    Args:
        results: as from `read_run`.
        selection: the models to show.

    Raises:
        SetupError: a model answered a question in two runs, differently.
    """
    groups = (selection or Selection()).by_conditions(results)
    return [_result_set(conditions, ours) for conditions, ours in groups]


def _result_set(conditions: Conditions, results: Iterable[MMRResult]) -> MMRResultSet:
    leniently_first = sorted(results, key=lambda result: result.lenient == "none")
    answers = drop_repeated(leniently_first, lambda result: result.completion)
    order = list(TASKS)
    return MMRResultSet.of_answers(
        conditions, answers, lambda key: (order.index(key.part), _number(key.id))
    )


def _number(instance: str) -> int:
    return int(instance.rpartition("-")[2])
