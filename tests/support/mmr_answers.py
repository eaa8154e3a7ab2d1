"""Answers of MMR made by hand."""

import json
from pathlib import Path
from typing import Any

from helm_structext.mmr.results import COLUMNS, MMRResult
from helm_structext.mmr.tasks import TASKS, ParsedReply
from support import GOLDEN

FIGURES = json.loads((GOLDEN / "mmr_table1.json").read_text())
"""Table 1."""


def answer(model: str, task: str, number: int, right: float = 1.0, **changes: Any) -> MMRResult:
    """An answer that is right or wrong in everything that its task asks for."""
    counted = {metric: right for of, metric in COLUMNS.values() if of == task}
    fields: dict[str, Any] = {
        "run": "run",
        "conditions": {"source": "hub", "limit": "50", "system": "scale"},
        "lenient": "none",
        "question": "What?",
        "picture": Path("absent.png"),
        "truth": ParsedReply(choice=1),
        "completion": f"{model} on {task} {number}",
        "finish_reason": "stop",
        "blocked": False,
        "scores": {
            "correct": right,
            "valid_format": 1.0,
            **counted,
            **changes.pop("scores", {}),
        },
    }
    return MMRResult(model=model, task=task, instance=f"{task}-{number}", **{**fields, **changes})


def published() -> list[MMRResult]:
    """Answers that have the counts of the published Table 1, out of 50."""
    results = []
    for model, row in FIGURES["rows"].items():
        counts = dict(zip(FIGURES["columns"], row, strict=True))
        for task in TASKS:
            metrics = {metric: column for column, (of, metric) in COLUMNS.items() if of == task}
            for number in range(50):
                scores = {metric: float(number < counts[c]) for metric, c in metrics.items()}
                results.append(answer(model, task, number, scores=scores))
    return results
