"""Why answers scored nothing, or less, whatever the benchmark: cut, refused, empty, unhandled."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from helm_structext.errors import ERROR_KINDS
from helm_structext.results.runs import InstanceResult, RenderedResult
from helm_structext.results.tabular import Cell, format_count, list_some

AnyResult = TypeVar("AnyResult", bound=InstanceResult)

FLAWS: Mapping[str, Callable[[InstanceResult], bool]] = {
    "Cut": lambda answer: answer.truncated,
    "Refused": lambda answer: answer.refused,
    "Empty": lambda answer: answer.empty,
}
"""Header to what is counted of each answer."""

FLAWS_NOTE = (
    "Cut: at the limit of tokens. Refused: nothing but a refusal in English, or withheld by the "
    "provider's filter. Empty: not a word."
)

FAILURES: Mapping[str, Callable[[RenderedResult], bool]] = {
    header: partial(lambda kind, answer: answer.error_kind == kind, kind)
    for kind, header in zip(ERROR_KINDS, ("Syntax", "Timeout", "Resource", "No page"), strict=True)
}
"""The same for why answers did not render."""


def unhandled_column(counts: Mapping[str, int], models: Iterable[str]) -> dict[str, Sequence[Cell]]:
    """Returns the column that marks models some of whose answers could not be handled, if any.

    Args:
        counts: model to the number of such answers.
        models: of the rows.

    >>> unhandled_column({"a": 2, "b": 0}, ["b", "a"]), unhandled_column({"a": 0}, ["a"])
    ({'Not handled': [0, 2]}, {})
    """
    cells = [counts.get(model, 0) for model in models]
    return {"Not handled": cells} if any(cells) else {}


def unhandled_note(counts: Mapping[str, int]) -> str:
    """Returns what the notes of tables say of answers that could not be handled; "" without any.

    Args:
        counts: model to the number of such answers.

    >>> unhandled_note({"a": 2, "b": 0})
    ' 2 answers could not be handled, which is our fault, and count in no mean: a 2.'
    """
    models = [f"{model} {number}" for model, number in counts.items() if number]
    if not models:
        return ""
    answers = format_count(sum(counts.values()), "answer")
    return f" {answers} could not be handled, which is our fault, and count in no mean: {list_some(models)}."


def baselines_note(apart: Collection[str]) -> str:
    """Returns what the notes of tables with win rates say of models that stand apart; "" of none.

    >>> baselines_note({"structext/ocr", "structext/blank"})
    ' Baselines (structext/blank, structext/ocr) count in no win rate (but by tables --count-baselines).'
    """
    if not apart:
        return ""
    return (
        f" Baselines ({', '.join(sorted(apart))}) count in no win rate "
        "(but by tables --count-baselines)."
    )


def share(flags: Iterable[bool], whole: float = 1) -> float | None:
    """Returns how many flags are set, out of `whole`; None without flags.

    >>> share([True, False]), share([True, False], whole=100), share([])
    (0.5, 50.0, None)
    """
    flags = list(flags)
    return whole * sum(flags) / len(flags) if flags else None


def shares(
    answers: Sequence[Sequence[AnyResult]],
    flaws: Mapping[str, Callable[[AnyResult], bool]],
    whole: float = 1,
) -> dict[str, Sequence[Cell]]:
    """Returns a column for each flaw: the share of each model's answers that have it.

    Args:
        answers: a list of answers for each model; those that could not be handled are left out.
        flaws: header to what is counted.
        whole: what all answers are: 1, or 100 for per cent.
    """
    return {
        header: [
            share((is_so(a) for a in of_model if not a.unhandled), whole) for of_model in answers
        ]
        for header, is_so in flaws.items()
    }
