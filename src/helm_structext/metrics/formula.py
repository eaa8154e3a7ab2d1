"""What differs between two formulas, symbol by symbol: lost, too many, wrong, or in another place.

As Character Detection Matching means it, formulas are compared as they are drawn: it does not matter how they are
written. There, each token of the code is drawn in a color of its own and found by it; here, engines tell their glyphs.
There, a symbol is in its place if one of a few shifts of the picture brings it there; here, what that is stands in
`helm_structext.metrics.formula_places`.

Source: arXiv 2409.03643, Sections 3.2 and 3.3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from Levenshtein import editops, matching_blocks

from helm_structext.layouts import PictureLayout, middle_of
from helm_structext.metrics.assignment import assign_pairs
from helm_structext.metrics.formula_gaps import place_gaps
from helm_structext.metrics.formula_places import find_moved, size_ratio
from helm_structext.metrics.formula_signs import Sign, read_signs

Floats = npt.NDArray[np.float64]

MAX_COMPARED = 2_000
"""Symbols of a picture that are compared by their places; further ones in their order alone."""
MAX_ASSIGNED = 300
"""Symbols that are matched by their places, of those that are not in the same order on both."""
NEAR = 0.8
"""In sizes of the font: how far from its place a symbol may be to stand for another one."""
FAR = 8.0
"""In sizes of the font: how far a symbol may be from its place to be the same one, moved."""
MOVED = 0.5
"""What a symbol in another place counts."""


@dataclass(frozen=True)
class SymbolMatch:
    """What of a prediction's symbols is what of a reference's, by their numbers in `PictureLayout.symbols`.

    Args:
        right: prediction and reference, of the same symbol in its place.
        moved: the same of those in another place.
        wrong: one for another, in the same place.
        missing: of the reference.
        extra: of the prediction.
    """

    right: tuple[tuple[int, int], ...] = ()
    moved: tuple[tuple[int, int], ...] = ()
    wrong: tuple[tuple[int, int], ...] = ()
    missing: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()

    @property
    def found(self) -> float:
        """How many symbols are there; those in another place count in part."""
        return len(self.right) + MOVED * len(self.moved)

    @property
    def expected(self) -> int:
        """How many symbols the reference has."""
        return len(self.right) + len(self.moved) + len(self.wrong) + len(self.missing)

    @property
    def predicted(self) -> int:
        """How many the prediction has."""
        return len(self.right) + len(self.moved) + len(self.wrong) + len(self.extra)


def formula_scores(prediction: PictureLayout, reference: PictureLayout) -> dict[str, float | None]:
    """Returns how much of a reference's formulas a prediction has: name → value in [0, 1], or None without symbols.

    ``formula_recall`` and ``formula_precision``: share of the reference's and of the prediction's symbols that are
    on the other side, those in another place by half. ``formula_f1``: of both. ``formula_exact``: whether it is all
    the same, 0 or 1.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.

    >>> from helm_structext.layouts import SymbolBox
    >>> x, two = SymbolBox("x", (0, 4, 8, 12), "CMMI10", 12), SymbolBox("2", (9, 0, 14, 7), "CMR7", 8)
    >>> power, letter = PictureLayout((20, 12), (), symbols=(x, two)), PictureLayout((20, 12), (), symbols=(x,))
    >>> formula_scores(letter, power)
    {'formula_recall': 0.5, 'formula_precision': 1.0, 'formula_f1': 0.6666666666666666, 'formula_exact': 0.0}
    """
    match = match_symbols(prediction, reference)
    names = ("formula_recall", "formula_precision", "formula_f1", "formula_exact")
    if not match.expected and not match.predicted:
        return dict.fromkeys(names)
    totals = (match.expected, match.predicted, (match.expected + match.predicted) / 2)
    shares = [match.found / total if total else 0.0 for total in totals]
    exact = float(len(match.right) == match.expected == match.predicted)
    return dict(zip(names, (*shares, exact), strict=True))


def formula_similarity(prediction: PictureLayout, reference: PictureLayout) -> float | None:
    """Returns ``formula_f1`` of `formula_scores`; None where neither picture has a symbol.

    Args:
        prediction: what lies on the picture to judge.
        reference: what lies on the picture it should be.

    >>> empty = PictureLayout((20, 12), ())
    >>> formula_similarity(empty, empty) is None
    True
    """
    return formula_scores(prediction, reference)["formula_f1"]


@lru_cache(maxsize=4)  # Scores and findings ask for the same.
def match_symbols(prediction: PictureLayout, reference: PictureLayout) -> SymbolMatch:
    """Returns which symbol of one picture is which of the other.

    Symbols in the same order on both are matched first, the others by what they are and where they should be.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    ours, theirs = read_signs(prediction.symbols or ()), read_signs(reference.symbols or ())
    pairs = _pair(ours[:MAX_COMPARED], theirs[:MAX_COMPARED])
    same = [(i, j) for i, j in pairs if ours[i].identity == theirs[j].identity]
    moved = find_moved(ours, theirs, same)
    rest = zip(range(MAX_COMPARED, len(ours)), range(MAX_COMPARED, len(theirs)), strict=False)
    pairs += (tail := [(i, j) for i, j in rest if ours[i].identity == theirs[j].identity])
    mine, wanted = {i for i, _ in pairs}, {j for _, j in pairs}
    kept = {*same, *tail}

    def numbers(chosen: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        return tuple((ours[i].number, theirs[j].number) for i, j in chosen)

    return SymbolMatch(
        numbers(sorted(kept - moved)),
        numbers(sorted(moved)),
        numbers(sorted({*pairs} - kept)),
        tuple(one.number for j, one in enumerate(theirs) if j not in wanted),
        tuple(one.number for i, one in enumerate(ours) if i not in mine),
    )


def _pair(ours: Sequence[Sign], theirs: Sequence[Sign]) -> list[tuple[int, int]]:
    """Which sign is which: those in the same order, then those that are left by identity and place."""
    pairs = _pair_in_order(ours, theirs)
    taken = {i for i, _ in pairs}, {j for _, j in pairs}
    left = [i for i in range(len(ours)) if i not in taken[0]][:MAX_ASSIGNED]
    wanted = [j for j in range(len(theirs)) if j not in taken[1]][:MAX_ASSIGNED]
    if not left or not wanted:
        return pairs
    away = _distances(ours, theirs, pairs, left, wanted)
    other = np.array([[ours[i].identity != theirs[j].identity for j in wanted] for i in left])
    # A letter does not stand for a line.
    lines = np.array([[not ours[i].size or not theirs[j].size for j in wanted] for i in left])
    allowed = np.where(other, (away <= NEAR) & ~lines, away <= FAR)
    costs = np.where(allowed, other + np.minimum(away / FAR, 1), 9.0)
    return pairs + [(left[i], wanted[j]) for i, j in assign_pairs(costs) if allowed[i, j]]


def _pair_in_order(ours: Sequence[Sign], theirs: Sequence[Sign]) -> list[tuple[int, int]]:
    """The signs that are the same in the same order; lines, which are all alike, are matched by their places."""
    sides = [[place for place, one in enumerate(signs) if one.size] for signs in (ours, theirs)]
    letters = [ours[place] for place in sides[0]], [theirs[place] for place in sides[1]]
    mine, wanted = ([one.identity for one in signs] for signs in letters)
    blocks = matching_blocks(editops(mine, wanted), len(mine), len(wanted))
    pairs = [
        (start + step, other + step) for start, other, length in blocks for step in range(length)
    ]
    return [(sides[0][i], sides[1][j]) for i, j in place_gaps(pairs, *letters)]


def _distances(
    ours: Sequence[Sign],
    theirs: Sequence[Sign],
    pairs: Sequence[tuple[int, int]],
    left: Sequence[int],
    wanted: Sequence[int],
) -> Floats:
    """How far from where it should be each sign is that is left, in sizes of the font; shape (left, wanted).

    Where it should be is told by the two next signs that are known.
    """
    here, there = (np.array([middle_of(one.box) for one in signs]) for signs in (ours, theirs))
    ratios = [size_ratio(ours[i], theirs[j]) for i, j in pairs]
    ratio = float(np.median(ratios)) if ratios else 1.0
    sizes = [one.size for one in theirs if one.size]
    size = float(np.median(sizes)) if sizes else 1.0
    if pairs:
        mine, known = (np.array(one) for one in zip(*pairs, strict=True))
        apart = np.linalg.norm(there[wanted][:, None] - there[known][None], axis=-1)
        nearest = np.argsort(apart, axis=1)[:, :2]
        ways = there[wanted][:, None] - there[known][nearest]
        expected = here[mine][nearest] + ratio * ways
    else:
        expected = (here.min(axis=0) + there[wanted] - there.min(axis=0))[:, None]
    away = np.linalg.norm(here[left][:, None, None] - expected[None], axis=-1).min(axis=-1)
    wide = [ours[i].width for i in left], [ratio * theirs[j].width for j in wanted]
    return np.asarray(away + np.abs(np.subtract.outer(*wide)) / 2) / (ratio * size)
