"""What a finding is, and what the ways of comparing share: kinds, order, quotes."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from helm_structext.layouts import ElementBox, PixelBox, TextBox
from helm_structext.texts import one_line

FindingKind = Literal[
    "text missing",
    "text extra",
    "text misspelt",
    "text moved",
    "text resized",
    "text recolored",
    "text restyled",
    "element missing",
    "element extra",
    "element moved",
    "element resized",
    "element recolored",
    "element restyled",
    "page size",
    "symbol missing",
    "symbol extra",
    "symbol wrong",
    "symbol moved",
    "plot missing",
    "plot extra",
    "chart type",
    "axis range",
    "title missing",
    "title extra",
    "title wrong",
    "label missing",
    "label extra",
    "label wrong",
    "category missing",
    "category extra",
    "category renamed",
    "category order",
    "legend swapped",
    "series missing",
    "series extra",
    "series recolored",
    "series restyled",
    "point missing",
    "point extra",
    "value wrong",
    "notes transposed",
    "note missing",
    "note extra",
    "note pitch",
    "note octave",
    "note accidental",
    "note duration",
    "note tie",
    "rest missing",
    "rest extra",
    "wrong key",
    "wrong time",
    "wrong clef",
    "wrong lyric",
    "wrong dynamic",
    "wrong articulation",
    "wrong slur",
]
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)

RESTYLED = 0.1
"""How large a mistake it is that a line is dashed."""
RECOLORED = 5.0
"""CIEDE2000 from which on two colors differ where they are not side by side."""
FEW = 3
"""Texts or elements from which on what they do together is one mistake."""
MAX_OTHERS = 20
"""Boxes of one finding beside the first."""
MAX_QUOTED = 40
"""Characters of a text in a sentence."""


BoxPair = tuple[PixelBox | None, PixelBox | None]
"""Where something is, and where it should be."""


@dataclass(frozen=True)
class PictureFinding:
    """One thing that is wrong.

    Args:
        kind: one of `FINDING_KINDS`.
        text: what it is about, for people.
        there: where it is on the prediction, in its pixels, or None.
        should: where it should be, in the reference's pixels, or None.
        size: of the mistake, from 0 to 1, where everything is wrong.
        count: of texts or elements that it is about, where the same has become of several.
        others: where the others of these are and should be, up to `MAX_OTHERS`.
    """

    kind: FindingKind
    text: str
    there: PixelBox | None
    should: PixelBox | None
    size: float
    count: int = 1
    others: tuple[BoxPair, ...] = ()


class Comparison(NamedTuple):
    """What one way of comparing has found.

    Args:
        scores: name to value in [0, 1], or None where there is nothing to compare.
        findings: what is wrong, the largest mistakes of each kind first (`in_order`).
        clauses: the same in short: parts of a sentence, without "." and ";".
    """

    scores: Mapping[str, float | None]
    findings: tuple[PictureFinding, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True)
class Findings:
    """What is wrong with a picture.

    Args:
        scores: name to value in [0, 1], or None where there is nothing to compare: of the layout
            (`helm_structext.metrics.layout.layout_scores`), and of what else both pictures have.
        findings: what is wrong, the largest mistakes of each kind first.
        sentence: the same in short.
        reason: why there are none, where a picture's engine could not tell what is on it; else "".
        left_out: findings that are not listed, beyond the bounds on their number.
    """

    scores: Mapping[str, float | None]
    findings: tuple[PictureFinding, ...]
    sentence: str
    reason: str = ""
    left_out: int = 0


def in_order(findings: Iterable[PictureFinding]) -> list[PictureFinding]:
    """Returns findings by kind, the largest mistakes of each kind first."""
    return sorted(findings, key=lambda one: (FINDING_KINDS.index(one.kind), -one.size, one.text))


def worst_by_kind(
    findings: Iterable[PictureFinding],
) -> dict[FindingKind, tuple[int, PictureFinding]]:
    """Returns how many texts, elements or else each kind is about, in the order of `in_order`, and the worst finding."""
    worst: dict[FindingKind, tuple[int, PictureFinding]] = {}
    for one in in_order(findings):
        number, first = worst.get(one.kind, (0, one))
        worst[one.kind] = number + one.count, first
    return worst


def group_alike(keys: Sequence[Hashable]) -> list[list[int]]:
    """Returns numbers of those that have the same key, if they are at least `FEW`; each of the others alone.

    >>> group_alike(["up", "up", "down", "up", "down"])
    [[0, 1, 3], [2], [4]]
    """
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        groups[key].append(number)
    return [
        part
        for group in groups.values()
        for part in ([group] if len(group) >= FEW else [[one] for one in group])
    ]


def box_others(
    pairs: Sequence[tuple[TextBox | ElementBox, TextBox | ElementBox]],
) -> tuple[BoxPair, ...]:
    """Returns where the others of a group are and should be, beside its first one, up to `MAX_OTHERS`.

    Args:
        pairs: what is there, with what should be there.

    >>> box_others([(TextBox("a", (0, 0, left, 9)), TextBox("a", (0, 0, 5, 9))) for left in (7, 8)])
    (((0, 0, 8, 9), (0, 0, 5, 9)),)
    """
    return tuple((one.box, other.box) for one, other in pairs[1 : 1 + MAX_OTHERS])


def name_others(numbers: Sequence[int]) -> str:
    """Returns how many others there are beside the first one of a group, to be said after it.

    >>> name_others([0, 1, 3]), name_others([2])
    (' and 2 others', '')
    """
    return f" and {len(numbers) - 1} others" if len(numbers) > 1 else ""


def count_too_many(number: int, noun: str) -> str:
    """Returns how many there are that should not be there.

    >>> count_too_many(1, "text"), count_too_many(2, "text")
    ('1 text too many', '2 texts too many')
    """
    return f"{number} {noun}{'s' * (number > 1)} too many"


def quote_text(text: str) -> str:
    """Returns the beginning of a text in quotes.

    >>> quote_text("Rain  in May")
    '"Rain in May"'
    """
    return f'"{one_line(text, MAX_QUOTED)}"'
