"""Similarity of texts: how much of one would have to be edited to get the other."""

from collections.abc import Callable
from functools import cache

from Levenshtein import distance

from helm_structext.errors import check_types

MAX_LENGTH = 100_000
"""Characters of a text that are compared. No reference of the benchmarks has as many."""


def levenshtein_similarity(prediction: str, reference: str) -> float:
    """Returns one minus the Levenshtein distance over the length of the longer text.

    The distance is the smallest number of characters to insert, delete or replace. Of texts with
    more than `MAX_LENGTH` characters, the first `MAX_LENGTH` are compared, and the value is
    multiplied by their share of the longer text; equal texts are as similar as ever.

    Args:
        prediction: the text to judge.
        reference: the text it should be.

    Returns:
        A value in [0, 1]; higher is more similar, and 1 for two empty texts.

    Raises:
        TypeError: an argument is not a string.

    Source: Image2Struct, section 2.2, where it is named and not defined. Its Appendix E gives 0.46 for
    two codes of one formula. That is 1 - distance / (sum of both lengths) of the structures reduced
    to their content (55 and 171 characters, distance 122); by this function they have 0.287.

    >>> levenshtein_similarity("x^{2}", "x^2")
    0.6
    >>> levenshtein_similarity("", "")
    1.0
    """
    check_types(str, prediction=prediction, reference=reference)
    return _bound(_levenshtein_similarity, prediction, reference)


def _levenshtein_similarity(prediction: str, reference: str) -> float:
    longer = max(len(prediction), len(reference))
    return 1.0 - distance(prediction, reference) / longer if longer else 1.0


def _bound(similarity: Callable[[str, str], float], prediction: str, reference: str) -> float:
    """Returns a similarity that takes more than linear time, by the rule for long texts."""
    value = similarity(prediction[:MAX_LENGTH], reference[:MAX_LENGTH])
    longer = max(len(prediction), len(reference))
    if longer <= MAX_LENGTH or prediction == reference:
        return value
    return value * MAX_LENGTH / longer


def edit_similarity(prediction: str, reference: str) -> float:
    r"""Returns one minus the share of tokens to edit, as in the published tables.

    The reference is first cut to the prediction's length in characters, so that what a prediction
    leaves out at the end costs nothing. Both texts are then split into Penn Treebank words, and
    the Levenshtein distance counts words, over the number of words of the longer text. Long texts
    are compared as by `levenshtein_similarity`.

    Args:
        prediction: the text to judge.
        reference: the text it should be.

    Returns:
        A value in [0, 1]; higher is more similar, and 0 when either text has no word.

    Raises:
        TypeError: an argument is not a string.

    Source: HELM 0.5.16, `compute_edit_sim` of its image metrics.

    >>> edit_similarity(r"\frac { a } { b }", r"\frac { a } { c }")
    0.857...
    >>> edit_similarity("a b", "a b c d")
    1.0
    """
    check_types(str, prediction=prediction, reference=reference)
    return _bound(_edit_similarity, prediction, reference[: len(prediction)])


def _edit_similarity(prediction: str, reference: str) -> float:
    tokenize = _treebank_tokenizer()
    first, second = tokenize(prediction), tokenize(reference)
    if not first or not second:
        return 0.0
    return 1.0 - distance(first, second) / max(len(first), len(second))


@cache
def _treebank_tokenizer() -> Callable[[str], list[str]]:
    from nltk.tokenize.treebank import TreebankWordTokenizer

    tokenize: Callable[[str], list[str]] = TreebankWordTokenizer().tokenize
    return tokenize
