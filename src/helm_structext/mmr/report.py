"""What a report shows of MMR: Table 1, a radar chart, and every question with its answers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_structext.image2struct.report import written
from helm_structext.mmr.results import COLUMNS, MMRBoard, MMRResult
from helm_structext.mmr.tables import SECTIONS
from helm_structext.mmr.tasks import ParsedReply
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


def pictures_of(boards: Iterable[MMRBoard]) -> list[Path]:
    """Returns the pictures that questions are about, each path once."""
    return list(dict.fromkeys(a.picture for board in boards for a in board.answers.values()))


def mmr_index(
    boards: Sequence[MMRBoard], models: Mapping[str, int], pictures: Mapping[Path, int]
) -> list[dict[str, Any]]:
    """Returns what the page has to know of MMR, a part for each condition.

    Args:
        boards: the answers to show.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    return [_part(board, models, pictures) for board in boards]


def _part(
    board: MMRBoard, models: Mapping[str, int], pictures: Mapping[Path, int]
) -> dict[str, Any]:
    tables = section_tables(SECTIONS, [board])
    ranking = board.ranking
    return {
        "label": board.condition,
        "note": tables[0].note,
        "columns": [[column, task] for column, (task, _) in COLUMNS.items()],
        "sizes": list(board.sizes.values()),
        "tasks": {task: TASK_NAMES[task] for task in board.questions},
        "models": [models[model] for model in ranking],
        "counts": [
            [counts.get(column) for column in COLUMNS] for counts in map(board.counts, ranking)
        ],
        "tables": [written(table) for table in tables[1:]],
        "questions": [
            _question([board.answers.get((model, instance)) for model in ranking], pictures)
            for instances in board.questions.values()
            for instance in instances
        ],
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
    reply = answer.completion
    left_out = len(reply) - MAX_REPLY
    if left_out > 0:
        reply = f"{reply[:MAX_REPLY]}\n… and {left_out:,} characters more"
    reading = answer.reading
    return {
        "reply": reply,
        "said": _said(reading) if reading else None,
        "right": answer.scores["correct"],
        "scores": {
            name: round(answer.scores[name], 3) for name in METRICS if name in answer.scores
        },
        "truncated": answer.truncated,
        "refused": answer.refused,
    }


def _said(reading: ParsedReply) -> dict[str, Any]:
    said = {"choice": reading.choice, "text": reading.text, "box": reading.box}
    return {name: value for name, value in said.items() if value is not None}
