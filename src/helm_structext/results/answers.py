"""Why answers scored nothing, or less, whatever the benchmark: cut, refused, empty, unscored."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from helm_structext.errors import ERROR_KINDS, MISSING
from helm_structext.results.runs import InstanceResult, RenderedResult
from helm_structext.results.tabular import Cell, format_count, list_some
from helm_structext.scoring.handling import INTERNAL, JUDGE

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

_HEADERS = ("Syntax", "Timeout", "Resource", "No page", "Missing")
FAILURES: Mapping[str, Callable[[RenderedResult], bool]] = {
    header: partial(
        lambda kind, answer: answer.undrawn if kind == MISSING else answer.error_kind == kind, kind
    )
    for kind, header in zip(ERROR_KINDS, _HEADERS, strict=True)
}
"""The same for why answers did not render; what is a blank page for what is missing counts, too."""


Unscored = Counter[tuple[str, str]]
"""How many answers have no score, for no fault of the model: by why (a key of `UNSCORED`) and model."""

UNSCORED = {
    INTERNAL: ("Not handled", "could not be handled, which is our fault, and count in no mean"),
    JUDGE: (
        "Not judged",
        "without a verdict, as the judge's reply can't be read, count in no mean that needs one",
    ),
    MISSING: (
        "Not drawn",
        "can't be drawn for what is missing here, and count in no mean (missing=unscored)",
    ),
}
"""Why answers have no score: a column's header, and what notes say of them."""


def count_unscored(answers: Iterable[InstanceResult]) -> Unscored:
    """Returns how many answers have no score, for no fault of the model.

    Args:
        answers: of any models.
    """
    return Counter(
        (answer.unscored, answer.model) for answer in answers if answer.unscored in UNSCORED
    )


def add_unscored(counts: Iterable[Unscored]) -> Unscored:
    """Returns the sum of some counts.

    >>> add_unscored([Counter({("internal", "a"): 2}), Counter({("internal", "a"): 1})])
    Counter({('internal', 'a'): 3})
    """
    return sum(counts, Counter())


def unscored_columns(counts: Unscored, models: Iterable[str]) -> dict[str, Sequence[Cell]]:
    """Returns the columns that mark models some of whose answers have no score, if any.

    Args:
        counts: as from `count_unscored`.
        models: of the rows.

    >>> counts = Counter({("internal", "a"): 2})
    >>> unscored_columns(counts, ["b", "a"]), unscored_columns(counts, ["b"])
    ({'Not handled': [0, 2]}, {})
    """
    models = list(models)
    cells = {header: [counts[kind, m] for m in models] for kind, (header, _) in UNSCORED.items()}
    return {header: numbers for header, numbers in cells.items() if any(numbers)}


def unscored_note(counts: Unscored) -> str:
    """Returns what the notes of tables say of answers that have no score; "" without any.

    Args:
        counts: as from `count_unscored`.

    >>> unscored_note(Counter({("internal", "a"): 2, ("internal", "b"): 0}))
    ' 2 answers could not be handled, which is our fault, and count in no mean: a 2.'
    """
    notes = []
    for kind, (_, said) in UNSCORED.items():
        numbers = {model: n for (why, model), n in sorted(counts.items()) if why == kind and n}
        if numbers:
            answers = format_count(sum(numbers.values()), "answer")
            models = list_some([f"{model} {number}" for model, number in numbers.items()])
            notes.append(f" {answers} {said}: {models}.")
    return "".join(notes)


def undrawn_note(count: int) -> str:
    """Returns what notes say of answers that show nothing for what is missing here; "" of none.

    >>> undrawn_note(2), undrawn_note(0)
    (' Nothing is to be seen of 2 answers for what is missing here.', '')
    """
    answers = format_count(count, "answer")
    return f" Nothing is to be seen of {answers} for what is missing here." * bool(count)


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
