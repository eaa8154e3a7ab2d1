"""Answers of a made-up benchmark; processes that write reports import their classes from here."""

from dataclasses import dataclass
from typing import Any, ClassVar

from helm_structext.results.result_sets import ResultSet
from helm_structext.results.runs import InstanceResult, RenderedResult


@dataclass(frozen=True, kw_only=True)
class Riddle(InstanceResult):
    topic: str
    reference: str

    @property
    def part(self) -> str:
        return self.topic


@dataclass(frozen=True, kw_only=True)
class Sketch(RenderedResult):
    pass


@dataclass(frozen=True)
class Riddles(ResultSet[Any]):
    MEASURES: ClassVar = {"Brief": "brief", "Right": "right"}
    SCALE: ClassVar = 100
    FORMAT: ClassVar = ".1f"
    entry = "riddles"  # type: ignore[assignment]
    label = "Riddles"  # type: ignore[assignment]

    def content(self, answer: Any) -> str:
        return answer.instance
