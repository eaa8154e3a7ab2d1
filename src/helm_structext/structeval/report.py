"""What a report shows of StructEval: Table 6, every task, and every answer with its verdicts."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from helm_structext.extraction import extract
from helm_structext.extraction.reasoning import without_reasoning
from helm_structext.metrics import keyword_score, path_score
from helm_structext.report.parts import (
    Block,
    Shown,
    asked,
    clipped,
    figure,
    in_columns,
    rounded,
    written,
)
from helm_structext.report.words import words_in
from helm_structext.results.comparisons import GROUP
from helm_structext.results.tabular import section_tables
from helm_structext.scoring.handling import Failure, handle
from helm_structext.scoring.scorer import InstanceKey
from helm_structext.structeval.results import SCORE, StructEvalResult, StructEvalResultSet
from helm_structext.structeval.tables import (
    DECIMALS,
    LABELS,
    SECTIONS,
    paper_leaderboard,
    per_cent,
)
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

SUBSET_NAMES = {
    "t_generation": "Text only, generation",
    "t_conversion": "Text only, conversion",
    "v_generation": "Rendered, generation",
    "v_conversion": "Rendered, conversion",
}
"""The subsets in words."""

VERDICTS = {True: "1", False: "0", None: "-"}
"""A judge's verdict as a letter."""


Sets = Sequence[Shown[StructEvalResultSet]]


def rankings(result_sets: Sequence[StructEvalResultSet]) -> list[list[str]]:
    """Returns the models of each result set, as Table 6 ranks them."""
    return [[str(row[0]) for row in paper_leaderboard(one).rows] for one in result_sets]


def summary(shown: Sets, models: Mapping[str, int]) -> dict[str, Any]:
    """Returns Table 6, every task and the other tables, a board for each condition and judge.

    Args:
        shown: what the report has of the benchmark.
        models: name to number on the page.
    """
    return {
        "metrics": list(METRICS.values()),
        "subsets": SUBSET_NAMES,
        "tasks": {
            name: {
                "name": f"{NAMES[task.input]} → {NAMES[task.output]}",
                "subset": task.subset,
                "rendered": task.rendered,
                "language": LANGUAGES.get(task.output, "code"),
            }
            for name, task in TASKS.items()
        },
        "boards": [_board(one, models) for one in shown],
    }


def answers(shown: Sets, models: Mapping[str, int], pictures: Mapping[Path, int]) -> dict[str, Any]:
    """Returns what the page has to know of the answers before it shows any.

    Texts come later, in `blocks`: the numbers of instances and answers are the same.

    Args:
        shown: what the report has of the benchmark.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    answers = _answers(shown)
    numbers = {id(answer): number for number, answer in enumerate(answers)}
    instances = {key: number for number, key in enumerate(_instances(answers))}
    return {
        "instances": [{"id": key.id, "task": key.part} for key in instances],
        "answers": in_columns(
            {
                "instance": instances[answer.key],
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
        ),
        "shown": [[numbers[id(answer)] for answer in one.answers] for one in shown],
    }


def blocks(shown: Sets, *, plans: bool) -> Iterator[Block]:
    """Yields the texts of each instance (q0, q1, …) and of each answer (s0, s1, …)."""
    answers = _answers(shown)
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
                "found": None,
                "asked": asked(answer),
            },
            [answer.rendering] if answer.rendering else [],
            {"found": partial(_found_or_unknown, answer)},
        )


def _board(one: Shown[StructEvalResultSet], models: Mapping[str, int]) -> dict[str, Any]:
    result_set, ranking = one.result_set, one.ranking
    first = paper_leaderboard(result_set)
    group = [column.name for column in first.columns].index(GROUP)
    return {
        "label": result_set.condition,
        "title": first.title,
        "note": first.note,
        "comparable": result_set.comparable,
        "judge": result_set.judge,
        "models": [models[model] for model in ranking],
        "words": words_in([GROUP]),
        "columns": [
            *(SUBSET_NAMES[subset] for subset in LABELS),
            *(column.name for column in first.columns[1 + len(LABELS) : group]),
        ],
        "means": [[figure(mean, DECIMALS) for mean in row[1:group]] for row in first.rows],
        "tied": [row[group] for row in first.rows],
        "tasks": {
            task: [
                figure(mean, DECIMALS)
                for mean in per_cent(result_set.task_mean(SCORE, model, task) for model in ranking)
            ]
            for task in result_set.tasks
        },
        "tables": [written(table) for table in section_tables(SECTIONS, [[result_set]])[1:]],
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


def _answers(shown: Sets) -> list[StructEvalResult]:
    """Every answer once, though text stands on the boards of all judges."""
    return list({id(answer): answer for one in shown for answer in one.answers}.values())


def _instances(answers: Iterable[StructEvalResult]) -> dict[InstanceKey, StructEvalResult]:
    """Each instance, in the order of tasks, with any answer to it."""
    found = {answer.key: answer for answer in answers}
    order = list(TASKS)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[0].part), item[0].id)))
