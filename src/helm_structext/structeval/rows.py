"""Rows of StructEval's dataset, and what they say."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm_structext.data import NEWEST, Row, load_rows
from helm_structext.errors import SetupError
from helm_structext.metrics.structures import check_path
from helm_structext.structeval.tasks import TASKS, StructEvalTask, task_slug
from helm_structext.texts import quote_value

DATASET = "TIGER-Lab/StructEval"
SPLITS = ("train", "test")
"""The dataset's only split, by the names that its card has had."""


@dataclass(frozen=True)
class StructEvalQuestion:
    """What a row says.

    Args:
        id: the task id, six digits in the published dataset.
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        query: what is asked for.
        keywords: paths that text should have, or words of code that is rendered.
        pairs: questions about the picture, each with the answer that is expected.
        oracle: a right completion, or None; only the oracle model sees it.
        dataset: the published dataset and its commit, or "" where it comes from elsewhere.
    """

    id: str
    task: str
    query: str
    keywords: list[str]
    pairs: list[dict[str, str]]
    oracle: str | None
    dataset: str = ""

    @property
    def kind(self) -> StructEvalTask:
        """From which type to which."""
        return TASKS[self.task]


def questions_of_run(
    source: str, tasks: Collection[str], revision: str = NEWEST
) -> list[StructEvalQuestion]:
    """Returns what `load_questions` yields, and sees that there is something of each task.

    Args:
        source: see `load_questions`; so are the others.
        tasks: see there.
        revision: see there.

    Raises:
        SetupError: see `load_questions`; or there is no row of a task.
    """
    questions = list(load_questions(source, tasks, revision))
    found = {question.task for question in questions}
    for task in tasks:
        if task not in found:
            raise SetupError(f"source={source} has no row of task {task}")
    return questions


def load_questions(
    source: str, tasks: Collection[str], revision: str = NEWEST
) -> Iterator[StructEvalQuestion]:
    """Yields the questions of some tasks, in the source's order.

    Args:
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        tasks: keys of `helm_structext.structeval.tasks.TASKS`.
        revision: of the published dataset.

    Raises:
        SetupError: the source can't be read, a row of these tasks is not as it should be, a task
            is unknown, or a task id is there twice.
    """
    rows = load_rows(
        source,
        benchmark="structeval",
        dataset=DATASET,
        config="default",
        splits=SPLITS,
        revision=revision,
    )
    seen = set()
    for row in rows:
        if task_of(row) not in tasks:
            continue
        question = read_question(row)
        if question.id in seen:
            raise SetupError(f"{row.origin} has the task_id of an earlier row, '{question.id}'")
        seen.add(question.id)
        yield question


def task_of(row: Row) -> str:
    """Returns the task of a row, a key of `helm_structext.structeval.tasks.TASKS`.

    Raises:
        SetupError: the row lacks the column, or the task is unknown.
    """
    name = row.verbatim("task_name")
    task = task_slug(name)
    if task not in TASKS:
        known = ", ".join(task.name for task in TASKS.values())
        raise SetupError(
            f"{row.origin}: task_name {quote_value(name)} is unknown; it is one of {known}"
        )
    return task


def read_question(row: Row) -> StructEvalQuestion:
    """Reads a row of the dataset.

    Raises:
        SetupError: the row lacks a column, or a column holds what it should not.
    """
    task = task_of(row)
    keywords = _items(row, "raw_output_metric")
    if not all(isinstance(keyword, str) for keyword in keywords):
        raise SetupError(f"{row.origin}: column 'raw_output_metric' should hold texts")
    if not TASKS[task].rendered:
        try:
            check_paths(keywords)
        except ValueError as error:
            raise SetupError(f"{row.origin}: column 'raw_output_metric': {error}") from error
    pairs = _items(row, "VQA")
    if not all(is_pair(pair) for pair in pairs):
        raise SetupError(
            f"{row.origin}: column 'VQA' should hold pairs of 'question' and 'answer', both texts"
        )
    return StructEvalQuestion(
        id=row.verbatim("task_id"),
        task=task,
        query=row.verbatim("query"),
        keywords=keywords,
        pairs=[{"question": pair["question"], "answer": pair["answer"]} for pair in pairs],
        oracle=row.verbatim("oracle_structure") if row.has("oracle_structure") else None,
        dataset=row.dataset,
    )


def _items(row: Row, column: str) -> list[Any]:
    value = row.raw(column)
    if not isinstance(value, list):
        raise SetupError(
            f"{row.origin}: column '{column}' should hold a list, not {type(value).__name__}"
        )
    return value


def check_paths(paths: Sequence[str]) -> None:
    """Checks the paths that are looked for in an answer in a format of text.

    Raises:
        ValueError: there is none, or one can't be read.
    """
    if not paths:
        raise ValueError("there is no path to look for")
    for path in paths:
        check_path(path)


def is_pair(pair: Any) -> bool:
    """Returns whether something is a question with its answer, both texts."""
    return isinstance(pair, Mapping) and all(
        isinstance(pair.get(name), str) for name in ("question", "answer")
    )
