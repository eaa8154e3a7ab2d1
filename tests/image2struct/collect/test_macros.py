r"""What papers define, and which of it an excerpt needs."""

import pytest

from helm_structext.image2struct.collect.macros import (
    MAX_CARRIED,
    MAX_DEFINITION,
    MAX_ROUNDS,
    add_definitions,
    definitions,
    find_needed,
    find_reachable,
    replace_edges,
)


@pytest.mark.parametrize(
    ("text", "names", "code"),
    [
        (r"\newcommand{\a}{1}", [r"\a"], None),
        (r"\newcommand*\a[2][x]{#1 #2}", [r"\a"], None),
        (r"\newcommand \a {1}", [r"\a"], None),
        (r"\renewcommand{\a}{1}", [r"\a"], r"\newcommand{\a}{1}"),
        (r"\providecommand{\a}{1}", [r"\a"], None),
        (r"\long\def\a#1.#2{#1{#2}}", [r"\a"], r"\def\a#1.#2{#1{#2}}"),
        (r"\edef\a{\{ \}}", [r"\a"], None),
        (r"\def\|{\Vert}", [r"\|"], None),
        (r"\let\a=\b", [r"\a"], None),
        (r"\let \a \b", [r"\a"], None),
        (r"\let\a=b", [], None),
        (r"\DeclareMathOperator{\a}{tr}", [r"\a"], r"\newcommand{\a}{\operatorname{tr}}"),
        (r"\DeclareMathOperator*\a{x}", [r"\a"], r"\newcommand{\a}{\operatorname*{x}}"),
        (r"\NewDocumentCommand{\a}{m O{x}}{#1}", [r"\a"], None),
        (r"\newenvironment{a}[1][x]{\begin{b}}{\end{b}}", ["{a}"], None),
        (r"\renewenvironment{a}{b}{c}", ["{a}"], r"\newenvironment{a}{b}{c}"),
        (r"\definecolor{a b}{rgb}{0,0,0}", ["a b"], None),
        (r"\colorlet{a}{red!20}", ["a"], None),
        (r"\tikzset{a/.style={b}, c d/.style 2 args={e}, f/.style = g}", ["a", "c d", "f"], None),
        (r"\tikzstyle{a}=[b, c={[d]e}]", ["a"], None),
        (r"\newcommand{\a}", [], None),
        (r"\newcommand{\a}{never closed", [], None),
        (r"\newcommand{\a}[1{x}", [], None),
        (r"\newcommand{a}{x}", [], None),
        (r"\def\a#1 never given a body", [], None),
        (r"\newcommand{\a}{" + MAX_DEFINITION * "x" + "}", [], None),
        (r"\def", [], None),
        (r"\begin{verbatim}\def\a{1}\end{verbatim}", [], None),
    ],
)
def test_definitions(text, names, code):
    found = list(definitions(text))
    assert [name for one in found for name in one.names] == names
    if names:
        assert found[0].text == (code or text)


def test_what_is_defined_within_a_definition_is_a_part_of_it():
    assert [one.names for one in definitions(r"\def\a{\def\b{1}} \def\c{2}")] == [
        (r"\a",),
        (r"\c",),
    ]


def test_of_several_definitions_the_last_counts():
    found = list(definitions(r"\newcommand\a{1} \renewcommand\a{2} \def\b{3}"))
    assert [one.text for one in find_reachable(r"\a", found)] == [r"\newcommand\a{2}"]


def test_what_may_be_needed_is_bounded():
    chain = list(definitions("".join(rf"\def\a{'x' * n}{{\a{'x' * (n + 1)}}}" for n in range(200))))
    assert 50 < len(find_reachable(r"\a", chain)) < 70
    large = list(definitions("".join(rf"\def\a{n}{{{'y' * 9000}}}" for n in "bcdefg")))
    reached = find_reachable(r"\ab\ac\ad\ae\af\ag", large)
    assert sum(len(one.text) for one in reached) <= MAX_CARRIED


def test_only_what_is_missing_is_carried_in_the_order_of_the_paper():
    known = list(definitions(r"\let\a\c \def\b{\vec x} \renewcommand\vec{v} \def\c{\d} \def\d{1}"))
    asked = []

    def undefined(code: str) -> set[str]:
        asked.append(code)
        defined = {name for name in (r"\b", r"\c", r"\d") if rf"\def{name}" in code}
        missing = {r"\a", r"\b"} - defined if r"\def\c" not in code else {r"\d"} - defined
        return missing

    carried = find_needed(r"\a \b", known, undefined)
    assert [one.names[0] for one in carried] == [r"\a", r"\b", r"\c", r"\d"]
    assert len(asked) <= 4


def test_nothing_is_compiled_where_nothing_could_be_carried():
    def fail(code: str) -> set[str]:
        raise AssertionError(code)

    assert find_needed(r"\frac{a}{b}", list(definitions(r"\def\x{1}")), fail) == []


def test_rounds_are_bounded():
    known = list(definitions("".join(rf"\def\a{'x' * n}{{\a{'x' * (n + 1)}}}" for n in range(50))))
    asked = []

    def undefined(code: str) -> set[str]:
        asked.append(code)
        return {rf"\a{'x' * (len(asked) - 1)}"}

    assert len(find_needed(r"\a", known, undefined)) == len(asked) == MAX_ROUNDS


def test_a_definition_that_uses_at_signs_is_read_with_them_as_letters():
    code = add_definitions("x", list(definitions(r"\def\a@b{1}")))
    assert code == "\\makeatletter\n\\def\\a@b{1}\n\\makeatother\nx"
    assert add_definitions("x", list(definitions(r"\def\a{1}"))) == "\\def\\a{1}\nx"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (r"\def\be{\begin{align}} \be x", r"\begin{align}x"),
        (r"\newcommand{\ee}{ \end{align*}} x\ee y", r"x\end{align*}y"),
        (r"\newcommand{\be}[1]{\begin{align}} \be x", r"\be x"),
        (r"\def\be{\begin{align} y} \be x", r"\be x"),
        (r"\def\be{\begin{align}} \verb|\be| \beta", r"\verb|\be| \beta"),
    ],
)
def test_names_of_edges_are_written_out(text, written):
    assert replace_edges(text, list(definitions(text))).endswith(written)
