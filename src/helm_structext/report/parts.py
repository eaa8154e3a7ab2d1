"""What a benchmark's part of the report is, and what all parts have in common."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from helm_structext.results.runs import Result
from helm_structext.results.tabular import Table, shown

OFFLINE = "structext/"
"""How the names of our own models begin."""

MAX_TEXT = 20_000
"""Characters of one text that a report shows."""


@dataclass(frozen=True)
class Block:
    """What the page reads when it comes to show something, an answer for example.

    Args:
        id: of the element that holds it.
        content: name to what JSON can hold.
        pictures: those shown beside it, which stand before it in the file.
        computed: name to what gives more content, in a process of its own; None where that fails for
            a mistake of ours.
    """

    id: str
    content: Mapping[str, Any]
    pictures: Sequence[Path] = ()
    computed: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


class ReportPart(Protocol):
    """A benchmark's part of the report: a module with these functions.

    Models and pictures are numbers in the page, the same for all parts.
    """

    def models(self, result_sets: Sequence[Any]) -> Iterable[str]:
        """Returns the models, in the order in which they get their numbers."""

    def pictures(self, result_sets: Sequence[Any]) -> Iterable[Path]:
        """Returns the pictures that are shown."""

    def index(
        self, result_sets: Sequence[Any], models: Mapping[str, int], pictures: Mapping[Path, int]
    ) -> Any:
        """Returns what the page has to know before it shows anything.

        Args:
            result_sets: the answers to show.
            models: name to number on the page.
            pictures: path to number on the page.
        """

    def blocks(self, result_sets: Sequence[Any], *, plans: bool) -> Iterable[Block]:
        """Returns what the page reads later.

        Args:
            result_sets: the answers to show.
            plans: whether to compute the EMS plans of pictures.
        """


def written(table: Table) -> dict[str, Any]:
    """Returns a table as the page shows it: every cell as text."""
    return {
        "title": table.title,
        "note": table.note,
        "columns": [column.name for column in table.columns],
        "rows": [
            [shown(cell, column.format) for cell, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ],
    }


TOKENS = {"promptTokens": "num_prompt_tokens", "completionTokens": "num_completion_tokens"}
"""Name on the page to what HELM calls it."""


def asked(answer: Result) -> dict[str, Any]:
    """Returns what HELM knows of the request: words, tokens and seconds.

    Our own models count no tokens and take no time worth showing.
    """
    if answer.model.startswith(OFFLINE):
        return {"prompt": clipped(answer.prompt)}
    tokens = {name: answer.scores.get(metric) for name, metric in TOKENS.items()}
    return {"prompt": clipped(answer.prompt), **tokens, "seconds": answer.seconds}


def rounded(value: float) -> float | None:
    """Returns four decimals, and None for what is not a number, which JSON does not have."""
    return round(value, 4) if math.isfinite(value) else None


def clipped(text: str, limit: int = MAX_TEXT) -> str:
    """Returns the beginning of a text, and how much is left out.

    >>> clipped("abc", 5), clipped("abcde", 2)
    ('abc', 'ab\\n… and 3 characters more')
    """
    left_out = len(text) - limit
    return text if left_out <= 0 else f"{text[:limit]}\n… and {left_out:,} characters more"
