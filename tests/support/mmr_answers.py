"""Answers of MMR made by hand."""

from pathlib import Path
from typing import Any

from helm_structext.mmr.results import COLUMNS, MMRResult
from helm_structext.mmr.tasks import ParsedReply


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
