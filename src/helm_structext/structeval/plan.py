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
    picture_tokens,
    text_tokens,
)
from helm_structext.structeval.judge import judge_prompt
from helm_structext.structeval.rows import DATASET, SPLITS, StructEvalQuestion, load_questions
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
SEEN_BY_JUDGE = (1280, 720)
"""Size of a picture that a judge looks at, as most are: the browser's window."""
VERDICT = '"1": true, '
"""What a judge says of each question."""


def _datasets(arguments: Arguments) -> list[Dataset]:
    return [Dataset(DATASET, "default", SPLITS, arguments["revision"])]


def _expect(arguments: Arguments) -> list[Expected]:
    tasks = tasks_of(arguments["task"], arguments["subset"])
    found = _of_all_tasks(arguments["source"], arguments["revision"])
    return [of_question for task, of_question in found if task in tasks]


@lru_cache(maxsize=8)
def _of_all_tasks(source: str, revision: str) -> Sequence[tuple[str, Expected]]:
    questions = load_questions(source, TASKS, revision)
    return [(question.task, _of_question(question)) for question in questions]


def _of_question(question: StructEvalQuestion) -> Expected:
    kind, oracle, pairs = question.kind, question.oracle, question.pairs
    asked = kind.rendered and pairs
    return Expected(
        text_tokens(question.query),
        None if oracle is None else text_tokens(oracle, code=True),
        format=kind.format if kind.rendered else "",
        judge_in=text_tokens(judge_prompt(pairs)) + picture_tokens(SEEN_BY_JUDGE) if asked else 0,
        judge_out=text_tokens(VERDICT * len(pairs), code=True) if asked else 0,
    )


def _find_published(arguments: Arguments) -> tuple[int, Arguments]:
    tasks = tasks_of(arguments["task"], arguments["subset"])
    number = sum(ROWS.get(task, USUAL_ROWS) for task in tasks)
    return number, {**arguments, "source": "sample", "revision": NEWEST}


def _jobs(format: str) -> Iterator[Job]:
    from helm_structext.renderers import render_completion

    for question in load_questions("sample", TASKS):
        if question.kind.format == format and question.oracle is not None:
            yield partial(render_completion, format, question.oracle)


PLANNING = Planning(_datasets, _expect, _find_published, _jobs)
