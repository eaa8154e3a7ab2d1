"""What a report shows of MMR: Table 1, a radar chart, and every question with its answers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_structext.mmr.results import COLUMNS, MMRResult, MMRResultSet
from helm_structext.mmr.tables import SECTIONS
from helm_structext.mmr.tasks import ParsedReply
from helm_structext.report.parts import Block, Shown, asked, clipped, rounded, written
from helm_structext.report.words import words_in
from helm_structext.results.comparisons import GROUP
from helm_structext.results.tabular import section_tables

MAX_REPLY = 2_000
"""Characters of one reply that a report shows."""
MAX_SAID = 300
"""Characters that it shows of a text that was read of a reply."""

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

METRICS = ("pnls", "iou")
"""Shown of an answer beside whether it is right."""


Sets = Sequence[Shown[MMRResultSet]]


def rankings(result_sets: Sequence[MMRResultSet]) -> list[list[str]]:
    """Returns the models of each result set, the best first."""
    return [result_set.ranking for result_set in result_sets]


def summary(shown: Sets, models: Mapping[str, int]) -> dict[str, Any]:
    """Returns Table 1 and the other tables, a part for each condition.

    Args:
        shown: what the report has of the benchmark.
        models: name to number on the page.
    """
    return {"parts": [_part(one, models) for one in shown]}


def answers(shown: Sets, models: Mapping[str, int], pictures: Mapping[Path, int]) -> dict[str, Any]:
    """Returns what the page has to know of each part's questions, and of the answers to them.

    What was asked and replied comes later, in `blocks`.

    Args:
        shown: what the report has of the benchmark.
        models: name to number on the page.
        pictures: path to number on the page.
    """
    return {
        "questions": [
            [_question(answers, pictures) for answers in _questions([one])] for one in shown
        ]
    }


def blocks(shown: Sets, *, plans: bool) -> Iterator[Block]:
    """Yields what was asked and replied to each question (m0, m1, …)."""
    for number, answers in enumerate(_questions(shown)):
        first = next(filter(None, answers))
        yield Block(
            f"m{number}",
            {
                "text": first.question,
                "replies": [a and clipped(a.completion, MAX_REPLY) for a in answers],
                "asked": [a and asked(a) for a in answers],
            },
            [first.picture],
        )


def _questions(shown: Sets) -> Iterator[list[MMRResult | None]]:
    """Every question's answers, the best model's first."""
    for one in shown:
        for instance in one.instances:
            yield [one.result_set.answers.get((model, instance)) for model in one.ranking]


def _part(one: Shown[MMRResultSet], models: Mapping[str, int]) -> dict[str, Any]:
    result_set = one.result_set
    tables = section_tables(SECTIONS, [[result_set]])
    return {
        "label": result_set.condition,
        "note": tables[0].note,
        "words": words_in(["PNLS IoU", GROUP]),
        "columns": [[COLUMN_NAMES[column], task] for column, (task, _) in COLUMNS.items()],
        "sizes": list(result_set.sizes.values()),
        "tasks": {task: TASK_NAMES[task] for task in result_set.by_part},
        "models": [models[model] for model in one.ranking],
        "counts": [
            [counts.get(column) for column in COLUMNS]
            for counts in map(result_set.counts, one.ranking)
        ],
        "tied": [result_set.grid.groups.get(model) for model in one.ranking],
        "tables": [written(table) for table in tables[1:]],
    }


def _question(answers: Sequence[MMRResult | None], pictures: Mapping[Path, int]) -> dict[str, Any]:
    """One question, and the answers of all models in the order of the ranking."""
    first = next(answer for answer in answers if answer)
    return {
        "id": first.instance,
        "task": first.task,
        "picture": pictures[first.picture],
        "truth": _said(first.truth),
        "answers": [answer and _answer(answer) for answer in answers],
    }


def _answer(answer: MMRResult) -> dict[str, Any]:
    reading = answer.reading
    return {
        "said": _said(reading) if reading else None,
        "right": answer.scores.get("correct"),
        "unhandled": answer.unhandled,
        "scores": {name: rounded(answer.scores[name]) for name in METRICS if name in answer.scores},
        "truncated": answer.truncated,
        "refused": answer.refused,
    }


def _said(reading: ParsedReply) -> dict[str, Any]:
    text = None if reading.text is None else clipped(reading.text, MAX_SAID)
    said = {"choice": reading.choice, "text": text, "box": reading.box}
    return {name: value for name, value in said.items() if value is not None}
