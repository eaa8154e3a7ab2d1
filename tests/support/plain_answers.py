"""Answers of a benchmark that adds nothing of its own, made by hand."""

from typing import Any

from helm_structext.results.plain import PlainResult


def answer(model: str, instance: str, right: float | None, **changes: Any) -> PlainResult:
    """An answer of the subset that its instance begins with; `right` None: it could not be handled."""
    scores = {"internal_error": 1.0} if right is None else {"readable": 1.0, "right": right}
    fields: dict[str, Any] = {
        **{"run": "dates", "completion": "2026-11-26", "finish_reason": "stop", "scores": scores},
        **{"rendering": None, "error_kind": None, "error": "", "conditions": {"source": "sample"}},
        **{"subset": instance[0], "question": "Which day?", "target": "", "picture": None},
        **changes,
    }
    return PlainResult(model=model, instance=instance, **fields)
