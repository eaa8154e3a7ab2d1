"""Why answers scored nothing, or less, whatever the benchmark: cut, refused, empty."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from helm_structext.errors import ERROR_KINDS
from helm_structext.results.runs import RenderedResult, Result
from helm_structext.results.tabular import Cell

AnyResult = TypeVar("AnyResult", bound=Result)

FLAWS: Mapping[str, Callable[[Result], bool]] = {
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
        answers: a list of answers for each model.
        flaws: header to what is counted.
        whole: what all answers are: 1, or 100 for per cent.
    """
    return {
        header: [share(map(is_so, of_model), whole) for of_model in answers]
        for header, is_so in flaws.items()
    }
