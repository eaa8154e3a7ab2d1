"""Similarity of a text to what was read: how much of it stands anywhere in the reply."""

from typing import NamedTuple

import numpy as np

from helm_structext.errors import check_types
from helm_structext.metrics.text import MAX_LENGTH

HYPHEN = ord("-")
MAX_REFERENCE = 2_000
"""Characters of a reference that are looked for. None of the benchmark has a tenth of them."""


def pnls(prediction: str, reference: str) -> float:
    """Returns the partial normalized Levenshtein similarity, which forgives what surrounds a text.

    The whole reference is aligned with the stretch of the prediction that fits it best, at +1 for
    two equal characters and -1 for two different ones or for a gap. Among equally good stretches
    the first end counts; on the way back from there, two characters opposite each other come
    before a gap in the prediction, and that before a gap in the reference. Then

        PNLS = equal characters / columns of the alignment

    and 0 if the best score is negative. Time is proportional to the product of both lengths,
    memory to the length of the prediction.

    A text is looked for in the first `helm_structext.metrics.text.MAX_LENGTH` characters of a
    prediction. Of a reference, the first `MAX_REFERENCE` are looked for, and the value is
    multiplied by their share of it.

    Args:
        prediction: the text to judge. Case counts: the benchmark's scorer lower-cases both texts
            and drops their double quotes first.
        reference: the text it should contain.

    Returns:
        A value in [0, 1]; higher is more similar, and 1 for an empty reference.

    Raises:
        TypeError: an argument is not a string.

    Source: MMR, section 4.1 (PNLS), as the published code reads it. As printed, m / (m + j' - i' + 1)
    of a stretch from i' to j', an exact match has 0.5. The paper's Figure B.1 says 8/14, its letters
    count to 9/14.

    >>> pnls("Answer: <Book'sTitle>.", "TheBookTitle")
    0.642...
    >>> pnls("The title is Emma.", "Emma")
    1.0
    >>> pnls("bare-foot", "barefoot")
    0.888...
    """
    check_types(str, prediction=prediction, reference=reference)
    if not reference:
        return 1.0
    found = _align(prediction[:MAX_LENGTH], reference[:MAX_REFERENCE])
    return found.equal / found.columns * _share(reference)


def pnls_published(prediction: str, reference: str) -> float:
    """Returns `pnls` with a quirk of the published scorer: a hyphen equals a gap.

    The published code writes gaps as hyphens and counts equal characters afterwards. A hyphen of
    either text that stands opposite a gap is therefore counted as equal; and where the reference
    itself begins with a hyphen, all that precedes it in the prediction belongs to the alignment.

    Args:
        prediction: as for `pnls`.
        reference: as for `pnls`.

    Returns:
        A value in [0, 1]; higher is more similar, and 1 for an empty reference.

    Raises:
        TypeError: an argument is not a string.

    Source: MMR's published code, `compute_PNLS`.

    >>> pnls_published("bare-foot", "barefoot")
    1.0
    >>> pnls_published("", "well-read")
    0.111...
    """
    check_types(str, prediction=prediction, reference=reference)
    if not reference:
        return 1.0
    found = _align(prediction[:MAX_LENGTH], reference[:MAX_REFERENCE])
    equal, columns = found.equal + found.hyphens, found.columns
    if reference[0] == "-":
        equal += prediction.count("-", 0, found.start)
        columns += found.start
    return equal / columns * _share(reference)


def _share(reference: str) -> float:
    """The share of a reference that is looked for."""
    return min(1.0, MAX_REFERENCE / len(reference))


class _Alignment(NamedTuple):
    """The best alignment of a reference with a stretch of a prediction.

    Args:
        equal: columns with the same character in both.
        columns: all columns, from the first to the last character of the reference.
        hyphens: columns in which a hyphen stands opposite a gap.
        start: characters of the prediction before the first column.
    """

    equal: int
    columns: int
    hyphens: int
    start: int


def _align(prediction: str, reference: str) -> _Alignment:
    characters, wanted = _code_points(prediction), _code_points(reference)
    end = _best_end(characters, wanted)
    if end == 0:
        return _Alignment(0, len(reference), reference.count("-"), 0)
    # With a score of at least 0, no more characters are left over than are equal.
    first = max(0, end - 2 * len(wanted))
    found = _alignment_to_the_end(characters[first:end], wanted)
    return found._replace(start=first + found.start)


def _best_end(characters: np.ndarray, wanted: np.ndarray) -> int:
    """Returns how many characters of the prediction lie before the first best end.

    0 stands for an alignment that is worse than a score of 0.

    Row i holds, for each end j, the best score of the reference's first i characters plus j. So
    much added, a gap in the reference costs nothing, and becomes a running maximum.
    """
    row = np.arange(len(characters) + 1, dtype=np.int32)
    for length, character in enumerate(wanted, 1):
        diagonal = row[:-1] + np.int32(2) * (characters == character)
        row -= 1
        np.maximum(row[1:], diagonal, out=row[1:])
        # Before the first character there is nothing to align with.
        row[0] = -length
        np.maximum.accumulate(row, out=row)
    scores = row[1:] - np.arange(1, len(row), dtype=np.int32)
    return 1 + int(scores.argmax()) if scores.max(initial=-1) >= 0 else 0


def _alignment_to_the_end(characters: np.ndarray, wanted: np.ndarray) -> _Alignment:
    """Returns the alignment that ends with the last of `characters`.

    The rows are those of `_best_end`. The way back from a cell is settled when the cell is filled,
    so each cell carries what lies on its way, and no matrix is kept to trace it back in.
    """
    ends = np.arange(len(characters) + 1, dtype=np.int32)
    hyphens_before = np.append(0, np.cumsum(characters == HYPHEN))
    row = ends.copy()
    equal, hyphens, start = np.zeros_like(ends), np.zeros_like(ends), ends
    for length, character in enumerate(wanted, 1):
        same, is_hyphen = characters == character, int(character == HYPHEN)
        diagonal, gap_in_prediction = row[:-1] + 2 * same, row[1:] - 1
        by_diagonal = diagonal >= gap_in_prediction
        best = np.append(-length, np.where(by_diagonal, diagonal, gap_in_prediction))
        row = np.maximum.accumulate(best)
        # Where a gap in the reference is better, all else is as at the last end where it is not.
        source = np.maximum.accumulate(np.where(row > best, 0, ends))
        equal = _step(equal, by_diagonal, same, 0)[source]
        hyphens = _step(hyphens, by_diagonal, 0, is_hyphen)[source]
        hyphens += hyphens_before - hyphens_before[source]
        start = np.append(0, np.where(by_diagonal, start[:-1], start[1:]))[source]
    # The score is what is equal less all other columns.
    score = int(row[-1]) - len(characters)
    return _Alignment(int(equal[-1]), 2 * int(equal[-1]) - score, int(hyphens[-1]), int(start[-1]))


def _step(
    counts: np.ndarray, by_diagonal: np.ndarray, on_diagonal: np.ndarray | int, in_gap: int
) -> np.ndarray:
    moved = np.where(by_diagonal, counts[:-1] + on_diagonal, counts[1:] + in_gap)
    return np.append(counts[0] + in_gap, moved)


def _code_points(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
