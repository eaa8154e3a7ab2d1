"""What a report shows of StructEval: Table 6, every task, and every answer with its verdicts."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from helm_structext.extraction import extract, without_reasoning
from helm_structext.handling import Failure, handle
from helm_structext.metrics import keyword_score, path_score
from helm_structext.report.parts import Block, asked, clipped, rounded, written
from helm_structext.results.comparisons import RANK
from helm_structext.results.tabular import section_tables
from helm_structext.structeval.results import SCORE, StructEvalResult, StructEvalResultSet
from helm_structext.structeval.tables import LABELS, SECTIONS, paper_leaderboard
from helm_structext.structeval.tasks import NAMES, TASKS

METRICS = {
    "structeval_score": "Score",
    "syntax_score": "Syntax",
    "path_score": "Paths",
    "keyword_score": "Keywords",
    "vqa_score": "VQA",
}

LANGUAGES = {
    **dict.fromkeys(("html", "react", "vue", "angular", "svg", "xml", "markdown"), "markup"),
    **dict.fromkeys(("latex", "tikz"), "tex"),
}
"""Type of what is asked for to the family by which the page colors it."""

VERDICTS = {True: "1", False: "0", None: "-"}
"""A judge's verdict as a letter."""


def models(result_sets: Sequence[StructEvalResultSet]) -> list[str]:
    """Returns the models."""
    return [model for result_set in result_sets for model in result_set.models]


def pictures(result_sets: Sequence[StructEvalResultSet]) -> list[Path]:
    """Returns the pictures that completions gave."""
    return [answer.rendering for answer in _answers(result_sets) if answer.rendering]


def index(
    result_sets: Sequence[StructEvalResultSet],
    models: Mapping[str, int],
    pictures: Mapping[Path, int],
) -> dict[str, Any]:
    """Returns what the page has to know of StructEval before it shows any answer.

    Texts come later, in `blocks`: the numbers of instances and answers are the same.

    Args:
        result_sets: the answers to show.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    answers = _answers(result_sets)
    numbers = {id(answer): number for number, answer in enumerate(answers)}
    instances = {key: number for number, key in enumerate(_instances(answers))}
    return {
        "metrics": list(METRICS.values()),
        "subsets": LABELS,
        "tasks": {
            name: {
                "name": f"{NAMES[task.input]} → {NAMES[task.output]}",
                "subset": task.subset,
                "rendered": task.rendered,
                "language": LANGUAGES.get(task.output, "code"),
            }
            for name, task in TASKS.items()
        },
        "instances": [{"id": instance, "task": task} for task, instance in instances],
        "answers": [
            {
                "instance": instances[answer.task, answer.instance],
                "model": models[answer.model],
                "rendering": pictures[answer.rendering] if answer.rendering else None,
                "kind": answer.failure,
                "truncated": answer.truncated,
                "refused": answer.refused,
                "scores": [rounded(answer.scores.get(name, math.nan)) for name in METRICS],
                "verdicts": "".join(VERDICTS[verdict] for verdict in answer.verdicts),
                "asked": answer.judge_reply is not None,
                "readable": answer.judge_parsed,
            }
            for answer in answers
        ],
        "boards": [_board(one, models, numbers) for one in result_sets],
    }


def blocks(result_sets: Sequence[StructEvalResultSet], *, plans: bool) -> Iterator[Block]:
    """Yields the texts of each instance (q0, q1, …) and of each answer (s0, s1, …)."""
    answers = _answers(result_sets)
    for number, answer in enumerate(_instances(answers).values()):
        pairs = [[pair["question"], pair["answer"]] for pair in answer.pairs]
        yield Block(
            f"q{number}",
            {"query": clipped(answer.query), "keywords": answer.keywords, "pairs": pairs},
        )
    for number, answer in enumerate(answers):
        yield Block(
            f"s{number}",
            {
                "completion": clipped(answer.completion),
                "error": clipped(answer.error),
                "reply": None if answer.judge_parsed else clipped(answer.judge_reply or ""),
                "found": _found_or_unknown(answer),
                "asked": asked(answer),
            },
        )


def _board(
    result_set: StructEvalResultSet, models: Mapping[str, int], numbers: Mapping[int, int]
) -> dict[str, Any]:
    first = paper_leaderboard(result_set)
    ranking = [str(row[0]) for row in first.rows]
    rank = [column.name for column in first.columns].index(RANK)
    return {
        "label": result_set.condition,
        "title": first.title,
        "note": first.note,
        "comparable": result_set.comparable,
        "judge": result_set.judge,
        "models": [models[model] for model in ranking],
        "columns": [column.name for column in first.columns[1:rank]],
        "means": [list(row[1:rank]) for row in first.rows],
        "ranks": [row[rank] for row in first.rows],
        "tasks": {
            task: [result_set.task_mean(SCORE, model, task) for model in ranking]
            for task in result_set.tasks
        },
        "tables": [written(table) for table in section_tables(SECTIONS, [[result_set]])[1:]],
        "answers": [
            numbers[id(answer)] for model in ranking for answer in result_set.of_model(model)
        ],
    }


def _found_or_unknown(answer: StructEvalResult) -> str:
    found = handle(f"keywords of instance {answer.instance}", partial(_found, answer))
    return VERDICTS[None] * len(answer.keywords) if isinstance(found, Failure) else found


def _found(answer: StructEvalResult) -> str:
    """Whether each keyword is in the code, as letters like a judge's verdicts."""
    kind, protocol = answer.kind, answer.conditions["protocol"]
    if kind.rendered:
        text = without_reasoning(answer.completion)
        scores = [keyword_score(text, [keyword]) for keyword in answer.keywords]
    else:
        code = extract(answer.completion, kind.format, protocol)
        scores = [path_score(code, [path], kind.format) for path in answer.keywords]
    return "".join(VERDICTS[score == 1] for score in scores)


def _answers(result_sets: Iterable[StructEvalResultSet]) -> list[StructEvalResult]:
    """Every answer once, though text stands on the boards of all judges."""
    every = (answer for one in result_sets for answer in one.answers.values())
    return list({id(answer): answer for answer in every}.values())


def _instances(
    answers: Iterable[StructEvalResult],
) -> dict[tuple[str, str], StructEvalResult]:
    """Task and id of each instance, in the order of tasks, with any answer to it."""
    found = {(answer.task, answer.instance): answer for answer in answers}
    order = list(TASKS)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))
