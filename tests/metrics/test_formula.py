"""Formulas are compared as they are read: the same however it is written, and each mistake for what it is."""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from helm_structext.layouts import RULE, PictureLayout, SymbolBox
from helm_structext.metrics.formula import (
    MAX_COMPARED,
    formula_scores,
    formula_similarity,
    match_symbols,
)
from helm_structext.metrics.formula_signs import read_signs
from helm_structext.renderers import render

SAME = [
    (r"x_{2}", r"x_2"),
    (r"{a\over b}", r"\frac{a}{b}"),
    (r"\mathrm{d}x", r"dx"),
    (r"a \le b", r"a \leq b"),
    (r"|x|", r"\lvert x\rvert"),
    (r"sin x", r"\sin x"),
    (r"x_i^2", r"x^2_i"),
    (r"f'(x)", r"f^{\prime}(x)"),
    (r"\textcolor{red}{x}+y", r"x+y"),
    (r"\int_0^1 f(x)\,dx", r"\int_{0}^{1}f(x)dx"),
    (r"\left(\frac{a}{b}\right)^2", r"\left(\frac{a}{b}\right)^{2}"),
    (r"(\frac{a}{b})^2", r"\left(\frac{a}{b}\right)^2"),
    (r"\lim_{x\to 0} f", r"\lim_{x\rightarrow 0}f"),
    (r"\dfrac{a}{b}+c", r"\tfrac{a}{b}+c"),
    (r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"\begin{array}{rl}a&=b\\c&=d\end{array}"),
    (r"\text{速度}=\frac{\text{距离}}{t}", r"\text{速度} = {\text{距离} \over t}"),
    (r"\mathrm{SEAF}=\frac{\sum(各串联)}{该串联\times统计}\times100\%",) * 2,
]
"""Pairs that read the same."""
CHANGED = [
    (r"x^3", r"x^2", {"wrong": 1}),
    (r"x_2", r"x^2", {"moved": 1}),
    (r"x2", r"x^2", {"moved": 1}),
    (r"2_2", r"2^2", {"moved": 1}),
    (r"22", r"2^2", {"moved": 1}),
    (r"x", r"x^2", {"missing": 1}),
    (r"x^2+1", r"x^2", {"extra": 2}),
    (r"a-b", r"a+b", {"wrong": 1}),
    (r"x^{n}+1", r"x^{n+1}", {"moved": 2}),
    (r"ab", r"\frac{a}{b}", {"moved": 1, "missing": 1}),
    (r"\frac{b}{a}", r"\frac{a}{b}", {"moved": 1}),
    (r"\overline{abc}", r"\overline{ab}c", {"moved": 1}),
    (r"ab", r"\overline{ab}", {"missing": 1}),
    (r"\sqrt{x}+y", r"\sqrt{x+y}", {"moved": 1}),
    (r"x", r"\sqrt{x}", {"missing": 2}),
    (r"\hat{x}", r"\tilde{x}", {"wrong": 1}),
    (r"x", r"\hat{x}", {"missing": 1}),
    (r"\vec{F}=ma", r"F=ma", {"extra": 1}),
    (r"\mathbf{v}", r"v", {"wrong": 1}),
    (r"\mathbb{R}", r"R", {"wrong": 1}),
    (r"\mathcal{L}", r"L", {"wrong": 1}),
    (r"\epsilon", r"\varepsilon", {"wrong": 1}),
    (r"\sum_{i=0}^{n} i", r"\sum_{i=1}^{n} i", {"wrong": 1}),
    (r"\sum_{i=1}^{m} i", r"\sum_{i=1}^{n} i", {"wrong": 1}),
    (r"\prod_{i=1}^{n} i", r"\sum_{i=1}^{n} i", {"wrong": 1}),
    (r"\int f(x)\,dx", r"\int_{0}^{1}f(x)dx", {"missing": 2}),
    (r"\iint f", r"\int f", {"extra": 1}),
    (r"a < b", r"a \leq b", {"wrong": 1}),
    (r"a \neq b", r"a = b", {"extra": 1}),
    (r"f''(x)", r"f'(x)", {"extra": 1}),
    (
        r"\begin{pmatrix}1&0\\2&1\end{pmatrix}",
        r"\begin{pmatrix}1&0\\0&1\end{pmatrix}",
        {"wrong": 1},
    ),
    (
        r"\begin{bmatrix}1&0\\0&1\end{bmatrix}",
        r"\begin{pmatrix}1&0\\0&1\end{pmatrix}",
        {"wrong": 2},
    ),
    (
        r"\begin{pmatrix}a&b\\e&f\end{pmatrix}",
        r"\begin{pmatrix}a&b\\c&d\\e&f\end{pmatrix}",
        {"missing": 2},
    ),
    (
        r"\begin{aligned}a&=b\\c&=d\\e&=f\end{aligned}",
        r"\begin{aligned}a&=b\\c&=d\\e&=g\end{aligned}",
        {"wrong": 1},
    ),
    (
        r"\begin{aligned}a&=b\\e&=f\end{aligned}",
        r"\begin{aligned}a&=b\\c&=d\\e&=f\end{aligned}",
        {"missing": 3},
    ),
    (r"a=b c=d", r"\begin{aligned}a&=b\\c&=d\end{aligned}", {"moved": 3}),
    (
        r"\begin{cases}x&x>0\\x&\text{otherwise}\end{cases}",
        r"\begin{cases}x&x>0\\-x&\text{otherwise}\end{cases}",
        {"missing": 1},
    ),
    (
        r"\text{速度}=\frac{\text{时间}}{t}",
        r"\text{速度}=\frac{\text{距离}}{t}",
        {"wrong": 2},
    ),
    (r"\color{blue}x+z", r"x+y", {"wrong": 1}),
    (r"\frac{1}{1+\frac{1}{y}}", r"\frac{1}{1+\frac{1}{x}}", {"wrong": 1}),
    (r"e^{i\pi}+1=0", r"e^{i\pi}-1=0", {"wrong": 1}),
    (r"e^{i}\pi+1=0", r"e^{i\pi}+1=0", {"moved": 1}),
    (r"\binom{n}{k}", r"\frac{n}{k}", {"missing": 1, "extra": 2}),
    (r"-\frac{b}{2a}", r"\frac{-b}{2a}", {"moved": 1}),
    (r"\underbrace{a+b}_{d}", r"\underbrace{a+b}_{c}", {"wrong": 1}),
]
"""Prediction, reference, and what of the one is not as in the other."""


@cache
def drawn(code: str, format: str = "latex") -> PictureLayout:
    begin, end = ("$ ", " $") if format == "typst" else ("$$", "$$")
    rendering = render(format, f"{begin}{code}{end}", layout=True, protocol="corrected")
    assert rendering.layout is not None, rendering.layout_reason
    assert rendering.layout.symbols
    return rendering.layout


def counted(prediction: PictureLayout, reference: PictureLayout) -> dict[str, int]:
    match = match_symbols(prediction, reference)
    kinds = {one: len(getattr(match, one)) for one in ("wrong", "moved", "missing", "extra")}
    return {kind: count for kind, count in kinds.items() if count}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_reads_the_same_is_the_same(one, other):
    for pair in ((drawn(one), drawn(other)), (drawn(other), drawn(one))):
        assert counted(*pair) == {}
        assert {*formula_scores(*pair).values()} == {1.0}


@pytest.mark.parametrize(("prediction", "reference", "expected"), CHANGED)
def test_each_mistake_is_what_it_is(prediction, reference, expected):
    pair = drawn(prediction), drawn(reference)
    assert counted(*pair) == expected
    scores = formula_scores(*pair)
    assert scores["formula_exact"] == 0
    assert 0 <= scores["formula_f1"] < 1
    assert formula_similarity(pair[1], replace(pair[1])) == 1


@pytest.mark.parametrize("format", ["typst", "markdown"])
def test_other_formats_tell_mistakes_as_well(format):
    sums = {
        "typst": (
            "sum_(i=1)^n x_i^2/(a+b)",
            "sum_(i=1)^n x_i^3/(a+b)",
            "sum_(i=1)^n (x_i 2)/(a+b)",
        ),
        "markdown": (
            r"\sum_{i=1}^n \frac{x_i^2}{a+b}",
            r"\sum_{i=1}^n \frac{x_i^3}{a+b}",
            r"\sum_{i=1}^n \frac{x_i 2}{a+b}",
        ),
    }
    right, wrong, moved = (drawn(code, format) for code in sums[format])
    assert formula_similarity(replace(right), right) == 1
    assert counted(wrong, right) == {"wrong": 1}
    assert counted(moved, right) == {"moved": 1}


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        (r"x^2+\frac{a}{b}=\sqrt{c}", "x^2 + a/b = sqrt(c)"),
        (r"\sum_{i=1}^n \mathbf{v}_i \in \mathbb{R}", "sum_(i=1)^n bold(v)_i in RR"),
        (r"\hat{x} \neq \mathcal{L}(\alpha)", "hat(x) != cal(L)(alpha)"),
    ],
)
def test_formulas_of_two_engines_are_compared(latex, typst):
    assert formula_similarity(drawn(typst, "typst"), drawn(latex)) >= 0.9


def row(text, left=0.0, top=0.0, size=10.0, font="CMMI10"):
    return tuple(
        SymbolBox(letter, (left + 9 * n, top, left + 9 * n + 8, top + 9), font, size, "#000000")
        for n, letter in enumerate(text)
    )


def page(*symbols):
    return PictureLayout((900, 400), (), symbols=symbols)


def test_nothing_is_compared_with_nothing_and_never_divided_by_it():
    empty, some = page(), page(*row("x+y"))
    assert {*formula_scores(empty, empty).values()} == {None}
    assert formula_similarity(PictureLayout((9, 9), ()), empty) is None
    assert {*formula_scores(empty, some).values()} == {0.0}
    assert {*formula_scores(some, empty).values()} == {0.0}


def test_where_a_formula_stands_and_how_large_it_is_does_not_matter():
    small = row("abc+", 0, 0) + row("2", 36, -4, 7)
    large = [
        replace(one, box=tuple(3 * side + 70 for side in one.box), size=3 * one.size)
        for one in small
    ]
    assert formula_similarity(page(*large), page(*small)) == 1


def test_lines_in_another_order_have_moved():
    first, second = row("abcd"), row("efg", 0, 30)
    swapped = row("abcd", 0, 30) + row("efg", 0, 0)
    assert counted(page(*swapped), page(*first, *second)) == {"moved": 3}


def matrix(*rows, left=40.0, middle=40.0):
    """Rows one below the other, around the middle of their line, in brackets."""
    half, right = 6 * len(rows), left + 9 * len(rows[0])
    inside = sum((row(text, left, middle - half + 12 * n) for n, text in enumerate(rows)), ())
    fences = (
        SymbolBox(sign, (at, middle - half, at + 3, middle + half), "CMEX10", 10.0)
        for sign, at in (("[", left - 5), ("]", right + 1))
    )
    return tuple(fences) + inside


ROWS = "μ120", "3μ45", "60γ7", "809γ"
SIDES = row("M=", 0, 30), row("=U", 90, 30) + matrix("ab", "cd", "ef", "gh", left=140)


@pytest.mark.parametrize("lost", range(4))
def test_what_is_lost_is_told_and_not_what_makes_room(lost):
    first, second = SIDES
    right = page(*first, *matrix(*ROWS), *second)
    left = [one for number, one in enumerate(ROWS) if number != lost]
    assert counted(page(*first, *matrix(*left), *second), right) == {"missing": 4}


def test_what_moves_beside_a_lost_row_is_told():
    first, second = SIDES
    power, index = row("2", 76, 27, 6), row("2", 76, 36, 6)
    right = page(*first, *matrix(*ROWS), *power, *second)
    wrong = page(*first, *matrix(*ROWS[:3]), *index, *second)
    assert counted(wrong, right)["moved"] >= 1
    off = tuple(replace(one, box=(one.box[0], one.box[1] - 6, *one.box[2:])) for one in first[:1])
    assert counted(page(*off, *first[1:], *matrix(*ROWS[:3]), *second), right)["moved"] >= 1


WIDE = row("ab", 0, 30) + row("c", 60, 30)
AFAR = (0, 30, 10), (0, 26, 10), (0, 31.5, 7), (0, 26, 7), (0, 22.5, 15)


@pytest.mark.parametrize(("left", "top", "size"), AFAR)
def test_what_stands_behind_a_wide_gap_has_moved_as_anything_else_has(left, top, size):
    """Also where a fraction is in the gap, and where something else is wrong."""
    fraction = row("xxxx", 22, 20) + row("yyyy", 22, 40)
    last = row("c", 60 + left, top, size)
    expected = {} if (top, size) == (30, 10) else {"moved": 1}
    assert counted(page(*WIDE[:2], *last), page(*WIDE)) == expected
    assert counted(page(*WIDE[:2], *fraction, *last), page(*WIDE[:2], *fraction, *WIDE[2:])) == (
        expected
    )
    lost = counted(page(WIDE[0], *last), page(*WIDE))
    assert lost == {"missing": 1} | expected


def test_what_is_left_of_a_matrix_without_fences_stands_elsewhere_beside_another_one():
    first = [row(text, 0, 12 * n) for n, text in enumerate(("ab", "cd", "ef"))]
    second = [row(text, 60, 12 * n) for n, text in enumerate(("uv", "wx", "yz"))]
    left = [row(text, 60, 6 + 12 * n) for n, text in enumerate(("uv", "wx"))]
    right = page(*(one for line in (*first, *second) for one in line))
    wrong = page(*(one for line in (*first, *left) for one in line))
    assert counted(wrong, right) == {"missing": 2}
    larger = [tuple(replace(one, size=15.0) for one in line) for line in left]
    wrong = page(*(one for line in (*first, *larger) for one in line))
    assert counted(wrong, right) == {"missing": 2, "moved": 4}


def test_of_equal_symbols_the_one_is_lost_whose_neighbors_stand_as_they_should():
    first, second = row("x=7"), row("z1", 0, 30)
    right = page(*row("x=7z"), *second)
    match = match_symbols(page(*first, *second), right)
    assert (match.missing, match.moved) == ((3,), ())
    match = match_symbols(page(*row("x=7z"), *row("1", 9, 30)), right)
    assert (match.missing, match.moved) == ((4,), ())


def test_a_symbol_of_a_font_that_names_none_is_known_by_its_size():
    thin, wide = (
        SymbolBox("\ufffd", (0, 0, 2, 9), "odd", 10),
        SymbolBox("\ufffd", (0, 0, 9, 9), "odd", 10),
    )
    assert counted(page(thin), page(replace(thin))) == {}
    assert counted(page(thin), page(wide)) == {"wrong": 1}


def test_signs_of_many_engines_are_one():
    names = [
        [sign.identity for sign in read_signs(row(text, font=font))]
        for text, font in (
            ("𝐯ℝ𝒜−∣…", "NewCMMath"),
            ("v", "CMBX10"),
            ("R", "MSBM10"),
            ("A", "CMSY10"),
        )
    ]
    assert names[0][:3] == names[1] + names[2] + names[3]
    assert names[0][3:] == ["-", "|", ".", ".", "."]


@pytest.mark.parametrize("shape", ["lines", "heap", "shuffled"])
def test_a_formula_of_any_length_is_compared(shape):
    lot = Random(1)
    number = 10 * MAX_COMPARED
    letters = lot.choices("abcxyz012+-=", k=number)
    symbols = [
        SymbolBox(
            letter,
            (n % 100 * 9, n // 100 * 12, n % 100 * 9 + 8, n // 100 * 12 + 9)
            if shape == "lines"
            else (x := lot.randrange(900), y := lot.randrange(400), x + lot.randrange(90), y + 9),
            "CMMI10",
            lot.choice((7.0, 10.0)) if shape == "heap" else 10.0,
        )
        for n, letter in enumerate(letters)
    ]
    bars = [SymbolBox(RULE, (9 * n, 12 * n, 9 * n + 300, 12 * n + 1)) for n in range(50)]
    others = [*symbols]
    lot.shuffle(others)
    found = formula_similarity(
        page(*bars, *(others if shape == "shuffled" else symbols[9:])), page(*symbols, *bars)
    )
    assert 0 <= found <= 1
