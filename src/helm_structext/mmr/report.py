"""What a report shows of MMR: Table 1, a radar chart, and every question with its answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_structext.mmr.results import COLUMNS, MMRResult, MMRResultSet
from helm_structext.mmr.tables import SECTIONS
from helm_structext.mmr.tasks import ParsedReply
from helm_structext.report.parts import Block, asked, clipped, rounded, written
from helm_structext.results.tabular import section_tables

MAX_REPLY = 2_000
"""Characters of one reply that a report shows."""

TASK_NAMES = {
    "recognition_label": "text by label",
    "recognition_pos": "text by position",
    "font_size": "font size",
    "font_color": "font color",
    "localize_o": "place of an object",
    "localize_t": "place of a text",
    "spatial_ot": "object and text",
    "spatial_oo": "two objects",
    "spatial_tt": "two texts",
    "grounding_o": "box of an object",
    "grounding_t": "text and its box",
}

METRICS = ("pnls", "iou")
"""Shown of an answer beside whether it is right."""


def models(result_sets: Sequence[MMRResultSet]) -> list[str]:
    """Returns the models, the best first."""
    return [model for result_set in result_sets for model in result_set.ranking]


def pictures(result_sets: Sequence[MMRResultSet]) -> list[Path]:
    """Returns the pictures that questions are about."""
    return [answer.picture for one in result_sets for answer in one.answers.values()]


def index(
    result_sets: Sequence[MMRResultSet], models: Mapping[str, int], pictures: Mapping[Path, int]
) -> list[dict[str, Any]]:
    """Returns what the page has to know of MMR, a part for each condition.

    Args:
        result_sets: the answers to show.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    sizes = [len(result_set.instances) for result_set in result_sets]
    return [
        {**_part(result_set, models, pictures), "first": sum(sizes[:number])}
        for number, result_set in enumerate(result_sets)
    ]


def blocks(result_sets: Sequence[MMRResultSet], *, plans: bool) -> list[Block]:
    """Returns how each question was asked (m0, m1, …): the answers themselves are in the index."""
    return [
        Block(
            f"m{number}",
            {"asked": [answer and asked(answer) for answer in answers]},
        )
        for number, answers in enumerate(_questions(result_sets))
    ]


def _questions(result_sets: Iterable[MMRResultSet]) -> Iterator[list[MMRResult | None]]:
    """Every question's answers, the best model's first."""
    for one in result_sets:
        for instance in one.instances:
            yield [one.answers.get((model, instance)) for model in one.ranking]


def _part(
    result_set: MMRResultSet, models: Mapping[str, int], pictures: Mapping[Path, int]
) -> dict[str, Any]:
    tables = section_tables(SECTIONS, [[result_set]])
    ranking = result_set.ranking
    return {
        "label": result_set.condition,
        "note": tables[0].note,
        "columns": [[column, task] for column, (task, _) in COLUMNS.items()],
        "sizes": list(result_set.sizes.values()),
        "tasks": {task: TASK_NAMES[task] for task in result_set.by_part},
        "models": [models[model] for model in ranking],
        "counts": [
            [counts.get(column) for column in COLUMNS] for counts in map(result_set.counts, ranking)
        ],
        "tables": [written(table) for table in tables[1:]],
        "questions": [_question(answers, pictures) for answers in _questions([result_set])],
    }


def _question(answers: Sequence[MMRResult | None], pictures: Mapping[Path, int]) -> dict[str, Any]:
    """One question, and the answers of all models in the order of the ranking."""
    first = next(answer for answer in answers if answer)
    return {
        "id": first.instance,
        "task": first.task,
        "text": first.question,
        "picture": pictures[first.picture],
        "truth": _said(first.truth),
        "answers": [answer and _answer(answer) for answer in answers],
    }


def _answer(answer: MMRResult) -> dict[str, Any]:
    reading = answer.reading
    return {
        "reply": clipped(answer.completion, MAX_REPLY),
        "said": _said(reading) if reading else None,
        "right": answer.scores.get("correct"),
        "unhandled": answer.unhandled,
        "scores": {name: rounded(answer.scores[name]) for name in METRICS if name in answer.scores},
        "truncated": answer.truncated,
        "refused": answer.refused,
    }


def _said(reading: ParsedReply) -> dict[str, Any]:
    said = {"choice": reading.choice, "text": reading.text, "box": reading.box}
    return {name: value for name, value in said.items() if value is not None}
