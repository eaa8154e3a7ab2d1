"""Questions and scores without HELM: what a benchmark supplies for its runs, and what comes of it.

HELM's scenarios, annotators and metrics and these functions share everything that reads and computes,
so that models see the same, and the values are the same to the last bit.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Generic, TypeVar

from helm_structext.results.runs import InstanceKey
from helm_structext.scoring.handling import INTERNAL, INTERNAL_ERROR, Failure, handle

Item = TypeVar("Item")


@dataclass(frozen=True)
class Scored:
    """What came of a completion.

    Args:
        scores: metric to value, as HELM has them for the instance; one without a value is absent.
        error_kind: that of a `helm_structext.errors.RenderError`, ``internal``, or None.
        error: its message, or "".
        picture: the PNG file that the completion was rendered to, or None.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    error_kind: str | None = None
    error: str = ""
    picture: Path | None = None


@dataclass(frozen=True)
class Input:
    """What a run asks of an instance.

    Args:
        key: of the instance.
        text: what is asked; the run's adapter says what stands before and after it.
        picture: that goes with it, bytes of a PNG file, or None.
        target: what HELM shows as the reference, or "".
        dataset: the published dataset that it is from, with its commit, or "".
    """

    key: InstanceKey
    text: str
    picture: bytes | None = None
    target: str = ""
    dataset: str = ""


@dataclass(frozen=True)
class Scorer(Generic[Item]):
    """What a run asks, and how completions are scored.

    Args:
        metrics: names of all scores that answers of the run may have.
        inputs: yields what is asked, of all instances in HELM's order. Raises SetupError if the data
            can't be read, or there is none.
        find: yields, of the instances whose ids it gets, those that are there, each with what is to
            be known of it; pictures are files then. Raises SetupError if the data can't be read.
        score: scores a completion of an instance. Raises SetupError if the machine fails.
    """

    metrics: Sequence[str]
    inputs: Callable[[], Iterator[Input]]
    find: Callable[[Collection[str]], Iterator[tuple[InstanceKey, Item]]]
    score: Callable[[Item, str], Scored]


def scored(
    what: str,
    compute: Callable[[], Mapping[str, float | None]],
    failures: Sequence[Failure] = (),
    picture: Path | None = None,
) -> Scored:
    """Returns what came of a completion; of one that could not be handled no metric has a value.

    Args:
        what: is scored, for the log.
        compute: returns the values.
        failures: why the completion did not render, or has no verdict.
        picture: what it was rendered to.

    Raises:
        SetupError: see `helm_structext.scoring.handling.handle`.

    >>> scored("an answer", lambda: {"a": 1.0, "b": None}, [Failure("syntax", "line 1: what?")])
    Scored(scores={'internal_error': 0.0, 'a': 1.0}, error_kind='syntax', error='line 1: what?', picture=None)
    >>> scored("an answer", lambda: {"a": 1 / 0}).scores
    {'internal_error': 1.0}
    """
    internal = next((failure for failure in failures if failure.kind == INTERNAL), None)
    values = handle(what, compute) if internal is None else internal
    if isinstance(values, Failure):
        return Scored({INTERNAL_ERROR: 1.0}, values.kind, values.message, picture)
    known = {
        name: float(value)
        for name, value in values.items()
        if value is not None and not isnan(value)  # HELM leaves these out, too
    }
    kind, message = (failures[0].kind, failures[0].message) if failures else (None, "")
    return Scored({INTERNAL_ERROR: 0.0, **known}, kind, message, picture)
