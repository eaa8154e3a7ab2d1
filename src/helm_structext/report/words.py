"""What short words in tables mean, which a page has room for."""

from collections.abc import Iterable, Mapping

from helm_structext.results.summary import RATE
from helm_structext.results.tabular import Estimate, Table

WORDS = {
    RATE: "mean share of the other models that a model beats, over all scores of its table",
    "strict": "a tie counts nothing",
    "publ.": "as the published tables have it",
    "corr.": "corrected",
    "Tied": "models that share a letter can't be told apart",
    "±": "half of the 95% interval",
    "95%": "interval of the mean, by bootstrap over instances",
    "SE": "standard error of the mean",
    "n": "number of instances",
    "n needed": "instances that would show the difference",
    "Detectable": "the smallest difference that so many instances show",
    "p": "how often chance alone gives such a difference",
    "Holm": "corrected for the number of comparisons",
    "Cut": "the model ran out of tokens",
    "Refused": "the model or its provider declined",
}
"""Short words of all benchmarks to their meanings, in the order in which they are explained."""

Word = tuple[str, str]
"""A short word, and what it means."""

_BETWEEN = str.maketrans(dict.fromkeys("()/,;:", " "))


def words_in(texts: Iterable[str], words: Mapping[str, str] | None = None) -> list[Word]:
    """Returns those of the short words that occur in texts, with their meanings.

    Args:
        texts: such as headers of a table.
        words: those of a benchmark, which are explained first.

    >>> ours = {"IoU": "intersection over union", "R": "recall"}
    >>> [word for word, _ in words_in(["IoU 95%", "p (Holm)", "A-IoU", "Rest"], ours)]
    ['IoU', '95%', 'p', 'Holm']
    """
    found = f" {' '.join(' '.join(texts).translate(_BETWEEN).split())} "
    every = {**(words or {}), **WORDS}
    return [(word, meaning) for word, meaning in every.items() if f" {word} " in found]


def words_of(table: Table, words: Mapping[str, str] | None = None) -> list[Word]:
    """Returns the short words in the headers of a table, in the names of its rows, and in its note.

    Args:
        table: any.
        words: those of a benchmark.
    """
    names = [*(column.name for column in table.columns), *(str(row[0]) for row in table.rows)]
    names.append(table.note)
    estimates = [cell for row in table.rows for cell in row if isinstance(cell, Estimate)]
    if any(one.group for one in estimates):
        names.append("Tied")
    if any(one.half == one.half for one in estimates):  # a number
        names.append("±")
    return words_in(names, words)
