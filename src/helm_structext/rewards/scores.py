"""What the benchmarks' scorers say, as rewards take it."""

from helm_structext.rewards.result import Measured
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Scored


def measured(scored: Scored) -> Measured:
    """Returns what a benchmark's scorer found.

    >>> from helm_structext.scoring.handling import Failure
    >>> print(measured(Scored({"syntax_score": 0.0}, Failure("syntax", "line 1"))).failure)
    syntax: line 1
    """
    values = {name: value for name, value in scored.scores.items() if name != INTERNAL_ERROR}
    return Measured(values, scored.failure)
