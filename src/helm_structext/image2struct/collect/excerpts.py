r"""Cutting excerpts from papers, by environments.

Source: Image2Struct, section 2.1, and its published collector, for the environments of each subset.
It cuts whole lines between two delimiters, the first end after a beginning. Here environments are
matched, so that an excerpt is what TeX would call one; those in comments, in code and in definitions
are none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from helm_structext.image2struct.collect.macros import tokens_outside_definitions

_EQUATIONS = (
    *("equation", "align", "multline", "gather", "flalign", "alignat", "aligneq"),
    *("subequations", "subeqnarray"),
)
ENVIRONMENTS = {
    "equation": (*_EQUATIONS, *(f"{name}*" for name in _EQUATIONS), "math", "displaymath"),
    "table": ("table", "table*", "tabbing"),
    "algorithm": ("algorithm", "algorithmic", "algorithmic*"),
    "plot": ("tikzpicture", "tikzcd", "tikzcd*"),
}
"""Subset to the environments that are its excerpts."""
SUBSETS = {name: subset for subset, names in ENVIRONMENTS.items() for name in names}


@dataclass(frozen=True)
class Excerpt:
    """A part of a paper.

    Args:
        subset: of the dataset.
        code: from the environment's beginning to its end.
    """

    subset: str
    code: str


def excerpts(document: str, *, inner: bool = False) -> list[Excerpt]:
    r"""Returns the excerpts of a document, in its order.

    Args:
        document: without comments (`tex.documents`).
        inner: whether one inside of another of the same subset is an excerpt, too.

    >>> paper = r"$x$ \begin{table}\begin{tikzpicture}\end{tikzpicture}\end{table} \begin{align}"
    >>> [(one.subset, len(one.code)) for one in excerpts(paper)]
    [('table', 60), ('plot', 36)]
    """
    found = []
    outer = dict.fromkeys(ENVIRONMENTS, len(document))
    for name, start, end in sorted(_environments(document), key=lambda one: -one[2]):
        if name in SUBSETS and (inner or start < outer[SUBSETS[name]]):
            outer[SUBSETS[name]] = start
            found.append((start, Excerpt(SUBSETS[name], document[start:end])))
    return [excerpt for _, excerpt in sorted(found, key=lambda one: one[0])]


def _environments(document: str) -> Iterator[tuple[str, int, int]]:
    """The environments of a document: the name, where it begins, and where it ends."""
    opened: list[tuple[str, int]] = []
    count: Counter[str] = Counter()  # of the open ones, by their names
    for token in tokens_outside_definitions(document):
        if token.kind == "begin":
            opened.append((token.name, token.start))
            count[token.name] += 1
        # What is left open inside of an environment that ends is none; nor is an end without a
        # beginning.
        while token.kind == "end" and count[token.name]:
            name, start = opened.pop()
            count[name] -= 1
            if name == token.name:
                yield name, start, token.end
                break
