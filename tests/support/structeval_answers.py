"""Answers of StructEval made by hand."""

from typing import Any

from helm_structext.structeval.results import StructEvalResult

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
