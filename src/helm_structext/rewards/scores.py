"""What the benchmarks' scorers say, as rewards take it."""

from helm_structext.rewards.result import Measured, Refusal
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Scored


def measured(scored: Scored) -> Measured:
    """Returns what a benchmark's scorer found.

    >>> measured(Scored({"syntax_score": 0.0, "internal_error": 0.0}, "syntax", "line 1")).failure
    Refusal(kind='syntax', message='line 1')
    """
    values = {name: value for name, value in scored.scores.items() if name != INTERNAL_ERROR}
    if scored.error_kind is None:
        return Measured(values)
    return Measured(values, Refusal(scored.error_kind, scored.error))
