"""What went wrong in answers, counted by model."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from helm_structext.results.answers import (
    FAILURES,
    FLAWS,
    FLAWS_NOTE,
    unscored_columns,
    unscored_note,
)
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.runs import RenderedResult
from helm_structext.results.tabular import Cell, Table, model_table

Mistakes = Mapping[str, Callable[[Any], float | None]]
"""Header to how often an answer makes a mistake; None where that is not known of it, or can't be."""


def score_of(metric: str) -> Callable[[Any], float | None]:
    """Returns what looks a number up in an answer's scores.

    Args:
        metric: its name; where a suite does not have it, it is not known.

    >>> from types import SimpleNamespace as Answer
    >>> score_of("errors")(Answer(scores={"errors": 2.0})), score_of("errors")(Answer(scores={}))
    (2.0, None)
    """
    return lambda answer: answer.scores.get(metric)


def mistake_tables(
    mistakes: Mistakes, note: str, result_sets: Sequence[ResultSet[Any]]
) -> Iterator[Table]:
    """Yields for each result set how often its models made which mistake.

    Args:
        mistakes: of the benchmark, beside those that any answer can make.
        note: what they are, as a sentence.
        result_sets: of the benchmark.
    """
    for one in result_sets:
        answers = [[a for a in one.of_model(model) if not a.unhandled] for model in one.models]
        rendered = any(isinstance(a, RenderedResult) for of_model in answers for a in of_model)
        counted: Mistakes = {**FLAWS, **(FAILURES if rendered else {}), **mistakes}
        columns: dict[str, list[Cell]] = {
            header: [_total(map(count, of_model)) for of_model in answers]
            for header, count in counted.items()
        }
        failures = " The next five could not be read, or did not render." if rendered else ""
        yield model_table(
            f"{one.name}-mistakes",
            f"{one.label}: mistakes",
            f"{one.condition}. Numbers of answers, of n. {FLAWS_NOTE}{failures} {note}{unscored_note(one.unscored)}",
            one.models,
            {
                "n": [len(of_model) for of_model in answers],
                **columns,
                **unscored_columns(one.unscored, one.models),
            },
            ranking=one.ranking,
            apart=one.apart,
        )


def _total(counts: Iterable[float | None]) -> int | None:
    """The sum of what is known; None where nothing is."""
    known = [count for count in counts if count is not None]
    return round(sum(known)) if known else None
