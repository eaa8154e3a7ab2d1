"""What runs of StructEval will take."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from helm_structext.data import NEWEST
from helm_structext.planning.records import (
    Arguments,
    Dataset,
    Expected,
    Job,
    Planning,
    utf8_length,
)
from helm_structext.structeval.judge import judge_prompt
from helm_structext.structeval.rows import DATASET, SPLITS, Question, load_questions
from helm_structext.structeval.tasks import TASKS, tasks_of

ROWS = {
    "matplotlib_to_tikz": 100,
    "html_to_react": 45,
    "react_to_html": 45,
    "vue_to_html": 40,
    "html_to_vue": 40,
    "markdown_to_react": 30,
    "html_to_angular": 30,
    "markdown_to_vue": 25,
    "vue_to_react": 15,
    "markdown_to_angular": 10,
    "react_to_angular": 5,
}
"""Of the tasks that have not as many as the others (Table 7)."""
USUAL_ROWS = 50


def datasets(arguments: Arguments) -> list[Dataset]:
    """Returns the published dataset, which is in one piece."""
    return [Dataset(DATASET, "default", SPLITS, arguments.get("revision", NEWEST))]


def expected(arguments: Arguments) -> list[Expected]:
    """Returns what is expected of a run's instances.

    Raises:
        SetupError: the source can't be read, or a row is not as it should be.
    """
    tasks = tasks_of(arguments["task"], arguments["subset"])
    found = _of_all_tasks(arguments["source"], arguments.get("revision", NEWEST))
    return [of_question for task, of_question in found if task in tasks]


@lru_cache(maxsize=8)
def _of_all_tasks(source: str, revision: str) -> Sequence[tuple[str, Expected]]:
    questions = load_questions(source, TASKS, revision)
    return [(question.task, _of_question(question)) for question in questions]


def _of_question(question: Question) -> Expected:
    kind, oracle, pairs = question.kind, question.oracle, question.pairs
    return Expected(
        prompt=utf8_length(question.query),
        answer=None if oracle is None else utf8_length(oracle),
        format=kind.format if kind.rendered else "",
        questions=utf8_length(judge_prompt(pairs)) if kind.rendered and pairs else 0,
        pairs=len(pairs) if kind.rendered else 0,
    )


def sample(arguments: Arguments) -> list[Expected]:
    """Returns what is expected of the embedded instances of a run's tasks."""
    return expected({**arguments, "source": "sample", "revision": NEWEST})


def published(arguments: Arguments) -> int:
    """Returns how many instances of the published data a run has."""
    tasks = tasks_of(arguments["task"], arguments["subset"])
    return sum(ROWS.get(task, USUAL_ROWS) for task in tasks)


def jobs(format: str) -> Iterator[Job]:
    """Yields what is done with an answer in a format that is rendered."""
    from helm_structext.renderers import render_completion

    answers = (
        question.oracle
        for question in load_questions("sample", TASKS)
        if question.kind.format == format and question.oracle is not None
    )
    for answer in answers:
        yield partial(render_completion, format, answer)


PLANNING = Planning(datasets, expected, sample, published, jobs)
