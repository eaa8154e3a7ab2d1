"""What short words in tables mean, which a page has room for."""

from collections.abc import Iterable

from helm_structext.results.summary import RATE
from helm_structext.results.tabular import Estimate, Table

WORDS = {
    RATE: "mean share of the other models that a model beats, over all scores of its table",
    "EMS": "earth mover similarity of two pictures, from 0 to 1",
    "R": "share of answers that rendered",
    "strict": "a tie counts nothing",
    "Pixels": "share of equal pixels",
    "CIS": "cosine similarity of Inception features",
    "LPIPS": "learned perceptual image patch similarity",
    "SSIM": "structural similarity of pictures",
    "Edit sim.": "similarity of texts by edit distance",
    "Levenshtein": "similarity of texts by edit distance, letter by letter",
    "Block EMD": "earth mover distance of blocks of pixels, less is better",
    "publ.": "as the published tables have it",
    "corr.": "corrected",
    "Skill": "how much of the way from a blank page's score to 1",
    "PNLS": "similarity of a text to the best fitting part of another (partial normalized Levenshtein)",
    "IoU": "intersection of two boxes, as a share of their union",
    "O-Box": "box of an object",
    "T-PNLS": "text and its box: the text",
    "T-Box": "text and its box: the box",
    "T": "formats of text alone",
    "V": "formats that are rendered to a picture",
    "VQA": "questions about the rendering that a judge answers",
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
"""Short word to meaning, in the order in which they are explained."""

Word = tuple[str, str]
"""A short word, and what it means."""

_BETWEEN = str.maketrans(dict.fromkeys("()/,;:", " "))


def words_in(texts: Iterable[str]) -> list[Word]:
    """Returns those of the short words that occur in texts, with their meanings.

    >>> [word for word, _ in words_in(["LaTeX R", "EMS 95%", "p (Holm)", "T-Box", "Rest"])]
    ['EMS', 'R', 'T-Box', '95%', 'p', 'Holm']
    """
    found = f" {' '.join(' '.join(texts).translate(_BETWEEN).split())} "
    return [(word, meaning) for word, meaning in WORDS.items() if f" {word} " in found]


def words_of(table: Table) -> list[Word]:
    """Returns the short words in the headers of a table, in the names of its rows, and in its note."""
    names = [*(column.name for column in table.columns), *(str(row[0]) for row in table.rows)]
    names.append(table.note)
    estimates = [cell for row in table.rows for cell in row if isinstance(cell, Estimate)]
    if any(one.group for one in estimates):
        names.append("Tied")
    if any(one.half == one.half for one in estimates):  # a number
        names.append("±")
    return words_in(names)
