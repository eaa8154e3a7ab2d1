"""What a report shows of StructEval: Table 6, every task, and every answer with its verdicts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_structext.extraction import extract, without_reasoning
from helm_structext.image2struct.report import written
from helm_structext.metrics import keyword_score, path_score
from helm_structext.results.tabular import section_tables
from helm_structext.structeval.results import SCORE, Board, StructEvalResult
from helm_structext.structeval.tables import LABELS, SECTIONS, leaderboard
from helm_structext.structeval.tasks import NAMES, TASKS

MAX_TEXT = 20_000
"""Characters of one text that a report shows."""

METRICS = {
    "structeval_score": "Score",
    "syntax_score": "Syntax",
    "path_score": "Paths",
    "keyword_score": "Keywords",
    "vqa_score": "VQA",
}

VERDICTS = {True: "1", False: "0", None: "-"}
"""A judge's verdict as a letter."""


def pictures_of(boards: Iterable[Board]) -> list[Path]:
    """Returns the pictures that completions gave, each path once."""
    renderings = (answer.rendering for answer in _answers(boards))
    return list(dict.fromkeys(path for path in renderings if path))


def structeval_index(
    boards: Sequence[Board], models: Mapping[str, int], pictures: Mapping[Path, int]
) -> dict[str, Any]:
    """Returns what the page has to know of StructEval before it shows any answer.

    Texts come later, in `structeval_blocks`: the numbers of instances and answers are the same.

    Args:
        boards: the answers to show.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    answers = _answers(boards)
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
            }
            for name, task in TASKS.items()
        },
        "instances": [{"id": instance, "task": task} for task, instance in instances],
        "answers": [
            {
                "instance": instances[answer.task, answer.instance],
                "model": models[answer.model],
                "rendering": pictures[answer.rendering] if answer.rendering else None,
                "kind": answer.error_kind,
                "truncated": answer.truncated,
                "refused": answer.refused,
                "scores": [
                    None if name not in answer.scores else round(answer.scores[name], 4)
                    for name in METRICS
                ],
                "verdicts": "".join(VERDICTS[verdict] for verdict in answer.verdicts),
                "asked": answer.judge_reply is not None,
                "readable": answer.judge_parsed,
            }
            for answer in answers
        ],
        "boards": [_board(board, models, numbers) for board in boards],
    }


def structeval_blocks(boards: Sequence[Board]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the texts of each instance (q0, q1, …) and of each answer (s0, s1, …)."""
    answers = _answers(boards)
    for number, answer in enumerate(_instances(answers).values()):
        pairs = [[pair["question"], pair["answer"]] for pair in answer.pairs]
        yield (
            f"q{number}",
            {"query": _clipped(answer.query), "keywords": answer.keywords, "pairs": pairs},
        )
    for number, answer in enumerate(answers):
        yield (
            f"s{number}",
            {
                "completion": _clipped(answer.completion),
                "error": _clipped(answer.error),
                "reply": None if answer.judge_parsed else _clipped(answer.judge_reply or ""),
                "found": _found(answer),
            },
        )


def _board(board: Board, models: Mapping[str, int], numbers: Mapping[int, int]) -> dict[str, Any]:
    (first,) = leaderboard(board)
    ranking = [str(row[0]) for row in first.rows]
    return {
        "label": board.condition,
        "title": first.title,
        "note": first.note,
        "comparable": board.comparable,
        "judge": board.judge,
        "models": [models[model] for model in ranking],
        "columns": [column.name for column in first.columns[1:]],
        "means": [list(row[1:]) for row in first.rows],
        "tasks": {
            task: [board.task_mean(SCORE, model, task) for model in ranking] for task in board.tasks
        },
        "tables": [written(table) for table in section_tables(SECTIONS, [board])[1:]],
        "answers": [numbers[id(answer)] for model in ranking for answer in board.of_model(model)],
    }


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


def _answers(boards: Iterable[Board]) -> list[StructEvalResult]:
    """Every answer once, though text stands on the boards of all judges."""
    every = (a for board in boards for ours in board.answers.values() for a in ours)
    return list({id(answer): answer for answer in every}.values())


def _instances(
    answers: Iterable[StructEvalResult],
) -> dict[tuple[str, str], StructEvalResult]:
    """Task and id of each instance, in the order of tasks, with any answer to it."""
    found = {(answer.task, answer.instance): answer for answer in answers}
    order = list(TASKS)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))


def _clipped(text: str) -> str:
    left_out = len(text) - MAX_TEXT
    return text if left_out <= 0 else f"{text[:MAX_TEXT]}\n… and {left_out:,} characters more"
