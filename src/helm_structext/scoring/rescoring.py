"""Completions that others scored: what a benchmark supplies to score them again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from helm_structext.errors import MissingResource
from helm_structext.processes import map_in_threads
from helm_structext.protocols import ProtocolName
from helm_structext.scoring.scorer import Door

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class RescoringOptions:
    """How completions are scored again.

    Args:
        root: the folder that HELM ran in.
        protocol: ``published`` or ``corrected``.
        judge: who looks at pictures, or ``none``.
        door: whose judges are asked.
    """

    root: Path
    protocol: ProtocolName
    judge: str
    door: Door = field(default_factory=Door)


@dataclass(frozen=True)
class RescoredAnswer:
    """What is kept of each answer, as a line of a file in JSON.

    Args:
        key: of the answer, how it was scored and by which release.
        missing: what its code asked for and did not get; None of what is not rendered, and of earlier versions.
        passport: the hash of all that the new scores depended on; None of earlier versions.
    """

    key: str
    missing: Sequence[MissingResource] | None = field(default=None, kw_only=True)
    passport: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.missing is not None:  # as a file has it, or as an engine told it
            found = (
                MissingResource(**one) if isinstance(one, dict) else one for one in self.missing
            )
            object.__setattr__(self, "missing", tuple(found))


@dataclass(frozen=True)
class Rescoring(Generic[Answer]):
    """A suite or a file of others, and how it is scored again.

    Args:
        kind: the class of the results.
        answers: yields the answers, in the same order in each call. Raises SetupError if they can't
            be read.
        key: returns the key of an answer's result, without rendering anything.
        score: returns the result. Raises SetupError if the machine fails.
        summary: makes a text to print of all results.
        total: how many there will be, if that is known.
    """

    kind: type[RescoredAnswer]
    answers: Callable[[], Iterator[Answer]]
    key: Callable[[Answer], str]
    score: Callable[[Answer], Any]
    summary: Callable[[Sequence[Any]], str]
    total: int | None = None

    def keys(self) -> Iterator[str]:
        """Yields the key of each answer."""
        return map(self.key, self.answers())

    def results(self, done: int = 0) -> Iterator[Any]:
        """Yields the result of each answer, after the first so many."""
        return map_in_threads(self.score, islice(self.answers(), done, None))
