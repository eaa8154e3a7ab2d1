"""Answers of StructEval made by hand."""

import json
from typing import Any

from helm_structext.structeval.results import StructEvalResult
from helm_structext.structeval.tables import TABLES
from support import GOLDEN

FIGURES = json.loads((GOLDEN / "structeval_tables.json").read_text())
"""Tables 6 and 8 to 14."""

VLM, OCR = "openai/gpt-4.1-mini", "structext/ocr-judge"


def scores_of(score: float) -> dict[str, float]:
    """Plain and published scores that agree."""
    return {
        name + reading: value
        for name, value in (("syntax_score", 1.0), ("structeval_score", score))
        for reading in ("", "_published")
    }


def answer(model: str, task: str, score: float | None, **changes: Any) -> StructEvalResult:
    """An answer; `score` None: it has none."""
    fields: dict[str, Any] = {
        "run": "run",
        "conditions": {"protocol": "published"},
        "judge": VLM,
        "instance": "000100",
        "query": "Make something.",
        "keywords": [],
        "completion": f"{model} on {task}",
        "finish_reason": "stop",
        "blocked": False,
        "rendering": None,
        "error_kind": None,
        "error": "",
        "pairs": [],
        "verdicts": [],
        "judge_reply": None,
        "judge_parsed": True,
        "judge_tokens": (None, None),
        "scores": {} if score is None else scores_of(score),
    }
    return StructEvalResult(model=model, task=task, **{**fields, **changes})


def published() -> list[StructEvalResult]:
    """An answer to each task that scores what the paper's tables say of it."""
    results = []
    for numbers in TABLES.values():
        for model in FIGURES["6"]:
            results += [
                answer(model, task, value / 100)
                for number, columns in numbers.items()
                for task, value in zip(columns, FIGURES[number][model], strict=False)
            ]
    return results
