r"""Excerpts: whole environments, wherever they stand, and nothing that only looks like one."""

import pytest

from helm_structext.image2struct.collect.excerpts import ENVIRONMENTS, excerpts
from helm_structext.image2struct.collect.tex import documents
from support.arxiv_papers import files_of


def codes(document: str, **options: bool) -> list[str]:
    return [one.code for one in excerpts(document, **options)]


@pytest.mark.parametrize("subset", ENVIRONMENTS)
def test_every_environment_is_cut(subset):
    for name in ENVIRONMENTS[subset]:
        code = rf"\begin{{{name}}} x \end{{{name}}}"
        (found,) = excerpts(f"before {code} after")
        assert (found.subset, found.code) == (subset, code)


@pytest.mark.parametrize(
    "document",
    [
        r"$$x$$ \[ y \] \( z \) $w$",
        r"\begin{eqnarray} x \end{eqnarray}",
        r"\begin{figure}\includegraphics{a}\end{figure}",
        r"\begin{tabular}{l} a \end{tabular}",
        r"\begin{equation} x",
        r"x \end{equation}",
        r"\end{equation} x \begin{equation}",
        r"\begin{equation} x \end{equation*}",
        r"\verb|\begin{equation}| and \verb|\end{equation}|",
        r"\def\be{\begin{equation}}\def\ee{\end{equation}}",
        r"\newcommand{\eq}[1]{\begin{equation} #1 \end{equation}}",
        r"\newenvironment{a}{\begin{equation}}{\end{equation}}",
        r"\begin {\name} x \end {\name}",
    ],
)
def test_what_is_none(document):
    assert codes(document) == []


def test_environments_within_others():
    table = r"\begin{table} \begin{tikzpicture} \end{tikzpicture} \end{table}"
    assert codes(table) == [table, r"\begin{tikzpicture} \end{tikzpicture}"]
    inner = r"\begin{align} x \end{align}"
    outer = rf"\begin{{subequations}} {inner} \end{{subequations}}"
    assert codes(outer) == [outer]
    assert codes(outer, inner=True) == [outer, inner]
    twice = r"\begin{math} a \begin{math} b \end{math} \end{math}"
    assert codes(f"{twice} {inner}") == [twice, inner]


def test_one_that_is_never_closed_hides_no_other():
    found = r"\begin{equation} b \end{equation}"
    assert codes(rf"\begin{{equation}} a {found} c") == [found]
    assert codes(rf"\begin{{table}} a {found} \end{{document}}") == [found]
    assert codes(rf"\end{{table}} {found} \end{{equation}}") == [found]
    cut = r"\begin{align} \begin{cases} 1 \end{align}"
    assert codes(f"{cut} {found}") == [cut, found]


def test_definitions_inside_of_an_excerpt_stay():
    code = r"\begin{tikzpicture} \def\r{2} \draw (0,0) circle (\r); \end{tikzpicture}"
    assert codes(code) == [code]


@pytest.mark.parametrize(
    ("paper", "counts"),
    [
        ("lattices", {"equation": 4, "table": 1}),
        ("sorting", {"table": 1, "algorithm": 2, "plot": 2}),
        ("functors", {"equation": 2, "plot": 2}),
        ("auction", {"equation": 1, "table": 2, "plot": 1}),
        ("verbatims", {"equation": 1}),
        ("plain", {}),
    ],
)
def test_written_papers(paper, counts):
    found = [one.subset for text in documents(files_of(paper)) for one in excerpts(text)]
    assert {subset: found.count(subset) for subset in found} == counts
