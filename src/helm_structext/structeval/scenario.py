"""StructEval: Benchmarking LLMs' Capabilities to Generate Structural Outputs.

Yang et al., 2025 (arXiv 2505.20139).

A model writes a structure: from a description, or out of another format. Some structures are text
(StructEval-T), others are rendered and looked at by a judge (StructEval-V). 44 tasks with 2,035
rows. Prompt: Table 4.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
)

from helm_structext.data import Row, load_rows
from helm_structext.errors import SetupError
from helm_structext.metrics.structures import check_path
from helm_structext.models.answer_index import Answer, request_key, write_answer
from helm_structext.structeval.tasks import TASKS, Task, task_slug

DATASET = "TIGER-Lab/StructEval"

PROMPT_SUFFIX = (
    "\n\n"
    "IMPORTANT: Only output the required output format. You must start the format/code with "
    "<|BEGIN_CODE|> and end the format/code with <|END_CODE|>. No other text output "
    "(explanation, comments, etc.) are allowed.\n"
    "\n"
    "Do not use markdown code fences"
)
"""What follows a row's query (Table 4)."""

MAX_TOKENS = 8192
"""The published runs had no limit. This is as much as several hosted models allow; HELM's
`num_output_tokens=` in a run entry changes it, and `finish_reason_length` says what was cut."""


@dataclass(frozen=True)
class Question:
    """What a row says.

    Args:
        id: the task id, six digits in the published dataset.
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        query: what is asked for.
        keywords: paths that text should have, or words of code that is rendered.
        pairs: questions about the picture, each with the answer that is expected.
        oracle: a right completion, or None; only the oracle model sees it.
    """

    id: str
    task: str
    query: str
    keywords: list[str]
    pairs: list[dict[str, str]]
    oracle: str | None

    @property
    def kind(self) -> Task:
        """From which type to which."""
        return TASKS[self.task]


def prompt_of(query: str) -> str:
    """Returns the text that a model gets.

    >>> print(prompt_of("Please output JSON code.").splitlines()[-1])
    Do not use markdown code fences
    """
    return query + PROMPT_SUFFIX


def task_of(row: Row) -> str:
    """Returns the task of a row, a key of `helm_structext.structeval.tasks.TASKS`.

    Raises:
        SetupError: the row lacks the column, or the task is unknown.
    """
    name = row.verbatim("task_name")
    task = task_slug(name)
    if task not in TASKS:
        known = ", ".join(task.name for task in TASKS.values())
        raise SetupError(f"{row.origin}: task_name '{name}' is unknown; it is one of {known}")
    return task


def read_question(row: Row) -> Question:
    """Reads a row of the dataset.

    Raises:
        SetupError: the row lacks a column, or a column holds what it should not.
    """
    task = task_of(row)
    keywords = _items(row, "raw_output_metric")
    if not all(isinstance(keyword, str) for keyword in keywords):
        raise SetupError(f"{row.origin}: column 'raw_output_metric' should hold texts")
    if not TASKS[task].rendered:
        _check_paths(row, keywords)
    pairs = _items(row, "VQA")
    if not all(_is_pair(pair) for pair in pairs):
        raise SetupError(
            f"{row.origin}: column 'VQA' should hold pairs of 'question' and 'answer', both texts"
        )
    return Question(
        id=row.verbatim("task_id"),
        task=task,
        query=row.verbatim("query"),
        keywords=keywords,
        pairs=[{"question": pair["question"], "answer": pair["answer"]} for pair in pairs],
        oracle=row.verbatim("oracle_structure") if row.has("oracle_structure") else None,
    )


def _items(row: Row, column: str) -> list[Any]:
    value = row.raw(column)
    if not isinstance(value, list):
        raise SetupError(
            f"{row.origin}: column '{column}' should hold a list, not {type(value).__name__}"
        )
    return value


def _check_paths(row: Row, paths: list[str]) -> None:
    if not paths:
        raise SetupError(f"{row.origin}: column 'raw_output_metric' has no path to look for")
    try:
        for path in paths:
            check_path(path)
    except ValueError as error:
        raise SetupError(f"{row.origin}: column 'raw_output_metric': {error}") from error


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, dict) and all(
        isinstance(pair.get(name), str) for name in ("question", "answer")
    )


def tasks_of(task: str, subset: str) -> list[str]:
    """Returns the tasks that a run entry asks for.

    >>> tasks_of("all", "t_generation")
    ['text_to_json', 'text_to_csv', 'text_to_toml', 'text_to_xml', 'text_to_yaml']
    >>> tasks_of("text_to_csv", "all"), len(tasks_of("all", "all"))
    (['text_to_csv'], 44)
    """
    return [
        name
        for name, kind in TASKS.items()
        if task in ("all", name) and subset in ("all", kind.subset)
    ]


def load_questions(source: str, tasks: Collection[str]) -> Iterator[Question]:
    """Yields the questions of some tasks, in the source's order.

    Args:
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        tasks: keys of `helm_structext.structeval.tasks.TASKS`.

    Raises:
        SetupError: the source can't be read, a row of these tasks is not as it should be, a task
            is unknown, or a task id is there twice.
    """
    rows = load_rows(
        source, benchmark="structeval", dataset=DATASET, config="default", split="train"
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


class StructEvalScenario(Scenario):
    """Structures to be written from a description, or out of another format.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`, or ``all``.
        subset: one of `helm_structext.structeval.tasks.SUBSETS`, or ``all``. Where several tasks are
            asked for, each is a sub-split.
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        protocol: ``published`` or ``corrected``; instances are the same in both.
    """

    name = "structeval"
    description = "Write structures in 18 formats"
    tags = ["structured output"]  # noqa: RUF012 (the type that HELM declares)

    def __init__(self, task: str, subset: str, source: str, protocol: str) -> None:
        super().__init__()
        self.task = task
        self.subset = subset
        self.source = source
        self.protocol = protocol

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; the answer index goes to `output_path`.

        Raises:
            SetupError: the source can't be read, a row is not as it should be, or a task has none.
        """
        tasks = tasks_of(self.task, self.subset)
        questions = list(load_questions(self.source, tasks))
        counts = Counter(question.task for question in questions)
        for task in tasks:
            if not counts[task]:
                raise SetupError(f"source={self.source} has no row of task {task}")
        for question in questions:
            write_answer(
                Path(output_path) / "answers",
                request_key(prompt_of(question.query), []),
                Answer(question.id, question.kind.format, question.oracle),
            )
        return [_instance(question, len(tasks) > 1) for question in questions]


def _instance(question: Question, several_tasks: bool) -> Instance:
    oracle = question.oracle
    return Instance(
        id=question.id,
        input=Input(text=question.query),
        references=[] if oracle is None else [Reference(Output(text=oracle), tags=[CORRECT_TAG])],
        split=TEST_SPLIT,
        sub_split=question.task if several_tasks else None,
        extra_data={
            "task": question.task,
            "task_id": question.id,
            "format": question.kind.format,
            "keywords": question.keywords,
            "vqa": question.pairs,
        },
    )
