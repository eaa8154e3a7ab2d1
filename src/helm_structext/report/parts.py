"""What a benchmark's part of the report is, and what all parts have in common."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from helm_structext.report.words import words_of
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.runs import InstanceResult
from helm_structext.results.tabular import SCORE, Cell, Table, format_cell
from helm_structext.scoring.scorer import InstanceKey

OFFLINE = "structext/"
"""How the names of our own models begin."""

MAX_TEXT = 20_000
"""Characters of one text that a report shows."""

MAX_CELLS = 20_000
"""Of one table that a report shows."""

AnyResultSet = TypeVar("AnyResultSet", bound=ResultSet[Any])


@dataclass(frozen=True)
class Block:
    """What the page reads when it comes to show something, an answer for example.

    Args:
        id: of the element that holds it.
        content: name to what JSON can hold.
        pictures: those shown beside it, which stand before it in the file; all of the page's
            pictures are some block's, and have their numbers in that order.
        computed: name to what gives more content, in a process of its own; None where that fails for
            a mistake of ours.
    """

    id: str
    content: Mapping[str, Any]
    pictures: Sequence[Path] = ()
    computed: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown(Generic[AnyResultSet]):
    """A result set in the report.

    Args:
        result_set: what tables and charts show.
        ranking: its models, as its leaderboard ranks them.
        instances: those whose answers are shown, of the result set's in their order.
    """

    result_set: AnyResultSet
    ranking: Sequence[str]
    instances: Sequence[InstanceKey]

    @property
    def answers(self) -> Iterator[Any]:
        """The answers that are shown, instance by instance, the best model's first."""
        keys = ((model, instance) for instance in self.instances for model in self.ranking)
        return (found for key in keys if (found := self.result_set.answers.get(key)))


class ReportPart(Protocol):
    """A benchmark's part of the report: a module with these functions.

    Models and pictures are numbers in the page, the same for all parts.
    """

    def rankings(self, result_sets: Sequence[Any]) -> Sequence[Sequence[str]]:
        """Returns the models of each result set, as its leaderboard ranks them."""

    def summary(self, shown: Sequence[Shown[Any]], models: Mapping[str, int]) -> dict[str, Any]:
        """Returns the tables and charts of all answers, shown or not.

        Args:
            shown: what the report has of the benchmark.
            models: name to number on the page.
        """

    def answers(
        self, shown: Sequence[Shown[Any]], models: Mapping[str, int], pictures: Mapping[Path, int]
    ) -> dict[str, Any]:
        """Returns what the page has to know of the answers before it shows any.

        Args:
            shown: what the report has of the benchmark.
            models: name to number on the page.
            pictures: path to number on the page.
        """

    def blocks(self, shown: Sequence[Shown[Any]], *, plans: bool) -> Iterable[Block]:
        """Returns what the page reads when it shows an answer.

        Args:
            shown: what the report has of the benchmark.
            plans: whether to compute the EMS plans of pictures.
        """


def all_shown(part: ReportPart, result_sets: Sequence[AnyResultSet]) -> list[Shown[AnyResultSet]]:
    """Returns result sets with all their answers.

    Args:
        part: of the report.
        result_sets: of the part's benchmark.
    """
    rankings = part.rankings(result_sets)
    pairs = zip(result_sets, rankings, strict=True)
    return [Shown(one, ranking, one.instances) for one, ranking in pairs]


def in_columns(records: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Returns records as columns, which take less room, in memory and in the page.

    >>> in_columns([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    {'a': [1, 3], 'b': [2, 4]}
    """
    columns: dict[str, list[Any]] = {}
    for record in records:
        for name, value in record.items():
            columns.setdefault(name, []).append(value)
    return columns


def written(table: Table) -> dict[str, Any]:
    """Returns a table as the page shows it: every cell as text.

    Of a table that would make the page slow, such as that of all pairs of 200 models, there are the header and
    where the rows are.
    """
    number = len(table.rows)
    if number * len(table.columns) > MAX_CELLS:
        where = (
            f"{number:,} rows are too many for a page: helm-structext tables -o FOLDER writes them."
        )
        table = replace(table, note=f"{table.note} {where}", rows=[])
    return {
        "title": table.title,
        "note": table.note,
        "words": words_of(table),
        "columns": [column.name for column in table.columns],
        "rows": [
            [
                format_cell(cell, column.format)
                for cell, column in zip(row, table.columns, strict=True)
            ]
            for row in table.rows
        ],
    }


TOKENS = {"promptTokens": "num_prompt_tokens", "completionTokens": "num_completion_tokens"}
"""Name on the page to what HELM calls it."""


def asked(answer: InstanceResult) -> dict[str, Any]:
    """Returns what HELM knows of the request: words, tokens and seconds.

    Our own models count no tokens and take no time worth showing.
    """
    if answer.model.startswith(OFFLINE):
        return {"prompt": clipped(answer.prompt)}
    tokens = {name: answer.scores.get(metric) for name, metric in TOKENS.items()}
    return {"prompt": clipped(answer.prompt), **tokens, "seconds": answer.seconds}


Figure = tuple[float, str]
"""A number of many answers: for bars and shades, and as every table prints it."""

PLACE = Decimal(f"{0:{SCORE}}")
"""The last place of scores that the page shows."""


def figure(cell: Cell, format: str = SCORE) -> Figure | None:
    """Returns a number with its text, or None where there is none.

    >>> figure(2 / 3), figure(62.345678, ".1f"), figure(math.nan)
    ((0.666667, '0.667'), (62.345678, '62.3'), None)
    """
    if not isinstance(cell, int | float) or not math.isfinite(cell):
        return None
    return round(cell, 6), format_cell(float(cell), format)


def rounded(value: float) -> float | None:
    """Returns the score of one answer, of which the page itself makes the text.

    It has six decimals, unless a browser would make another text of them than `format_cell` makes of the
    whole number: where that lies half-way between two texts, or does so when it is rounded.

    Returns:
        None for what is not a number, which JSON does not have.

    >>> rounded(2 / 3), rounded(0.0625), rounded(0.5624999999), rounded(-0.0001), rounded(math.nan)
    (0.666667, 0.062, 0.562, 0.0, None)
    """
    if not math.isfinite(value):
        return None
    fine = round(value, 6)
    text = f"{Decimal(fine).quantize(PLACE, ROUND_HALF_UP)}"  # as `toFixed` does
    return fine if text == format_cell(float(value)) else float(format_cell(float(value)))


def clipped(text: str, limit: int = MAX_TEXT) -> str:
    """Returns the beginning of a text, and how much is left out.

    >>> clipped("abc", 5), clipped("abcde", 2)
    ('abc', 'ab\\n… and 3 characters more')
    """
    left_out = len(text) - limit
    return text if left_out <= 0 else f"{text[:limit]}\n… and {left_out:,} characters more"
