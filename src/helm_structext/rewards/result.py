"""What a reward says of a completion."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helm_structext.findings import Findings, findings_record
from helm_structext.scoring.handling import (
    INTERNAL,
    INTERNAL_ERROR,
    JUDGE,
    REFERENCE,
    SETUP,
    UNFINISHED,
    Failure,
)
from helm_structext.scoring.scorer import Scored

MACHINE_KINDS = (INTERNAL, SETUP, REFERENCE, UNFINISHED, JUDGE)
"""Kinds of failures that are not the completion's, which then has no score."""


@dataclass(frozen=True)
class RewardResult:
    """A score, what it is made of, and what went wrong.

    Args:
        score: the weighted sum of the components; that of a failure where the completion failed;
            None where it could not be scored, which is never the completion's fault.
        components: name to value; None where there is none, as of a distance to no picture.
        error_kind: why the completion failed: one of `helm_structext.errors.ERROR_KINDS`, or the
            name of a guard; one of `MACHINE_KINDS`, or ``missing`` by the reward's rule, where the
            score is None; else None.
        message: one line about it, or "".
        waited: seconds in the queue.
        worked: seconds from the start of its work to the end.
        findings: what is wrong with the picture, where the reward was asked for it and there is a picture.
    """

    score: float | None
    components: Mapping[str, float | None] = field(default_factory=dict)
    error_kind: str | None = None
    message: str = ""
    waited: float = 0.0
    worked: float = 0.0
    findings: Findings | None = None


def result_record(result: RewardResult) -> dict[str, Any]:
    """Returns a result as JSON has it; findings stand in it where there are any (`findings_record`).

    >>> result_record(RewardResult(1.0))
    {'score': 1.0, 'components': {}, 'error_kind': None, 'message': '', 'waited': 0.0, 'worked': 0.0}
    """
    record = {**vars(result), "components": dict(result.components)}
    found = record.pop("findings")
    return record if found is None else record | {"findings": findings_record(found)}


@dataclass(frozen=True)
class Measured:
    """What was found out about a completion, not weighted yet.

    Args:
        values: metric to value; without a value it is absent.
        failure: why the completion failed, or could not be scored; or None.
        findings: what is wrong with its picture, where that was asked for.
        weights: the components that count for its reference, where these are not the reward's.
    """

    values: Mapping[str, float | None]
    failure: Failure | None = None
    findings: Findings | None = None
    weights: Mapping[str, float] | None = None


def read_scored(scored: Scored) -> Measured:
    """Returns what a benchmark's scorer found.

    >>> from helm_structext.scoring.handling import Failure
    >>> print(read_scored(Scored({"syntax_score": 0.0}, Failure("syntax", "line 1"))).failure)
    syntax: line 1
    """
    values = {name: value for name, value in scored.scores.items() if name != INTERNAL_ERROR}
    return Measured(values, scored.failure)
