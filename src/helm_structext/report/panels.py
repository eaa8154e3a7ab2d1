"""What there is to see of an instance or an answer beside its pictures and numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from helm_structext.baselines import is_offline
from helm_structext.results.runs import InstanceResult, RenderedResult

MAX_TEXT = 20_000
"""Characters of one text that a report shows."""

TOKENS = {"promptTokens": "num_prompt_tokens", "completionTokens": "num_completion_tokens"}
"""Name on the page to what HELM calls it."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What the large view shows, and cards too.

    A field may be a function, which is called when the report is written, in another process; where
    that fails for a mistake of ours, there is nothing.

    Args:
        title: above it.
        card: whether it stands on cards.
        folded: whether it is closed there until a reader opens it.
    """

    title: str
    card: bool = True
    folded: bool = False


@dataclass(frozen=True, kw_only=True)
class Text(Panel):
    """Prose.

    Args:
        text: as it was written.
    """

    text: str


@dataclass(frozen=True, kw_only=True)
class Code(Panel):
    """What a model wrote, or should have written.

    The large view compares an instance's first code line by line with an answer's last, and the first codes
    of two answers with each other.

    Args:
        text: as it was written.
        language: the family by which it is colored: ``tex``, ``markup`` or ``code``.
        compared: of an instance's: what is compared in its place, or "".
    """

    text: str
    language: str = "code"
    compared: str = ""


@dataclass(frozen=True, kw_only=True)
class Checks(Panel):
    """What was asked about an answer, with verdicts.

    Args:
        items: pairs of what was asked and what was expected, which may be "".
        verdicts: a letter for each: ``1`` for true, ``0`` for false, ``-`` for none.
        counted: whether the title says how many are true.
        code: whether what was asked is code.
    """

    items: Sequence[tuple[str, str]]
    verdicts: str | Callable[[], str]
    counted: bool = True
    code: bool = False


@dataclass(frozen=True, kw_only=True)
class Boxes(Panel):
    """Boxes over the input picture: those of an instance are true, those of an answer predicted.

    Args:
        boxes: left, top, right and bottom, in fractions of the picture.
    """

    boxes: Sequence[Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Transport(Panel):
    """What of the output moves where to become the reference, drawn over both.

    Args:
        plan: gives height and width in patches, and the moves: source, target, mass, cost of changing
            pixels, cost of the way, in 1e-5.
    """

    plan: Callable[[], Any]


@dataclass(frozen=True)
class MistakeMark:
    """One thing that is wrong with a picture.

    Args:
        mistake: its kind, for readers.
        text: what it is about.
        color: in which it is drawn.
        size: of the mistake, from 0 to 1.
        there: where it is on the output, in its pixels: left, top, right and bottom; or None.
        should: where it should be, in the reference's pixels; or None.
        others: the same two of each of the others that it is about.
    """

    mistake: str
    text: str
    color: str
    size: float
    there: Sequence[float] | None
    should: Sequence[float] | None
    others: Sequence[tuple[Sequence[float] | None, Sequence[float] | None]] = ()


@dataclass(frozen=True, kw_only=True)
class Mistakes(Panel):
    """What is wrong with the output picture, drawn over it.

    Args:
        sentence: all of it in short.
        marks: the largest mistakes of each kind first.
    """

    sentence: str
    marks: Sequence[MistakeMark]


def ask_of(answer: InstanceResult) -> dict[str, Any]:
    """Returns what HELM knows of the request: words, tokens and seconds.

    Our own models count no tokens and take no time worth showing.
    """
    if is_offline(answer.model):
        return {"prompt": clip(answer.prompt)}
    tokens = {name: answer.scores.get(metric) for name, metric in TOKENS.items()}
    return {"prompt": clip(answer.prompt), **tokens, "seconds": answer.seconds}


def missing_panel(answer: InstanceResult) -> list[Panel]:
    """Returns what says what an answer asked for and did not get, if anything."""
    missing = answer.missing if isinstance(answer, RenderedResult) else ()
    if not missing:
        return []
    title = f"Asked for and not here: {len(missing)}"
    return [Text(title=title, text="\n".join(map(str, missing)), card=False)]


def clip(text: str, limit: int = MAX_TEXT) -> str:
    """Returns the beginning of a text, and how much is left out.

    >>> clip("abc", 5), clip("abcde", 2)
    ('abc', 'ab\\n… and 3 characters more')
    """
    left_out = len(text) - limit
    return text if left_out <= 0 else f"{text[:limit]}\n… and {left_out:,} characters more"
