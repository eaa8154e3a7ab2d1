"""Completions that others scored: what a benchmark supplies to score them again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

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
class Rescoring(Generic[Answer]):
    """A suite or a file of others, and how it is scored again.

    Args:
        kind: the class of the results: a dataclass that begins with a ``key``.
        answers: yields the answers, in the same order in each call. Raises SetupError if they can't
            be read.
        key: returns the key of an answer's result, without rendering anything.
        score: returns the result. Raises SetupError if the machine fails.
        summary: makes a text to print of all results.
        total: how many there will be, if that is known.
    """

    kind: type
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
