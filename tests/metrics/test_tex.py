"""TeX's code before it is compared: equal where the picture is, and different where that is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_structext.metrics import levenshtein_similarity
from helm_structext.metrics.tex import MAX_LENGTH, normalize_tex
from helm_structext.rewards import PRESETS, Reward

SAME = [
    (r"$\frac{a}{b}$", r"${a\over b}$"),
    (r"$x+{a+1\over b}$", r"$x + \frac{a+1}{b}$"),
    (r"$x^{a\over b}$", r"$x^{\frac{a}{b}}$"),
    (r"$\frac{c}{a\over b}$", r"$\frac c{\frac ab}$"),
    (r"${n \choose k}$", r"$\binom{n}{k}$"),
    (r"$x_{2}$", "$x_2$"),
    (r"$x_a^b$", r"$x^{b}_{a}$"),
    (r"$x^\mathrm{T}$", r"$x^{\mathrm T}$"),
    (r"$f''(x)$", r"$f^{\prime\prime}(x)$"),
    (r"$\left(x\right)$", "$(x)$"),
    (r"$\left\{x\right.$", r"$\{x$"),
    (r"$\sqrt{x}$", r"$\sqrt x$"),
    (r"$a\le b \to c \ne d$", r"$a \leq b\rightarrow c\neq d$"),
    (r"\begin{equation*} a \label{b}\end{equation*}", r"$$a$$"),
    (r"\(a\)", "$a$"),
    ("$a$ % why\n$b$", "$a$ $b$"),
    (r"$\lvert x \rvert$", "$|x|$"),
    (
        "\\begin{tabular}[t]{l l}\n a & b \\\\\n \\hline\n\\end{tabular}",
        r"\begin{tabular}[t]{ll}a&b\\\hline\end{tabular}",
    ),
    (
        "\\begin{tikzpicture}[ thick ]\n  \\draw (0, 0) -- (1, 1); % a line\n  \\node [red] {A b};\n\\end{tikzpicture}",
        r"\begin{tikzpicture}[thick]\draw(0,0)--(1,1);\node[red]{A b};\end{tikzpicture}",
    ),
]
DIFFERENT = [
    ("$x^3$", "$x^2$"),
    (r"$\Big(a\Big)$", "$(a)$"),
    (r"$\left(\frac ab\right)$", r"$(\frac ab)$"),
    (r"$\dfrac ab$", r"$\frac ab$"),
    (r"$a\quad b$", "$ab$"),
    ("$a_b^c$", "$a_c^b$"),
    ("a b", "ab"),
    (r"$\text{if } x$", r"$\text{if}x$"),
    ("a\n\nb", "a b"),
    (r"$\mathbf x$", "$x$"),
    (r"$\frac{a}{bc}$", r"$\frac{ab}{c}$"),
    (r"$\sqrt{ab}$", r"$\sqrt ab$"),
    ("\\begin{verbatim}a  b\\end{verbatim}", "\\begin{verbatim}a b\\end{verbatim}"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_draws_the_same_is_written_alike(one, other):
    assert normalize_tex(one) == normalize_tex(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_seen_stays(one, other):
    assert normalize_tex(one) != normalize_tex(other)


TOKENS = [
    *"ab2{}[]()$^_&'% \n",
    "$$",
    r"\frac",
    r"\over",
    r"\left",
    r"\right",
    r"\\",
    r"\begin{array}",
    r"\end{array}",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=40))
def test_it_is_done_once_and_for_all(tokens):
    text = "".join(tokens)
    once = normalize_tex(text)
    assert len(once) <= 4 * len(text) + 8
    assert normalize_tex(normalize_tex(once)) == normalize_tex(once)


def test_two_fractions_in_one_group_stay():
    text = r"$\over{}\over$"
    assert normalize_tex(text) == text
    assert normalize_tex(r"${a \over b} \over c$") == r"$\frac{\frac ab}c$"


def test_a_long_text_stays():
    text = "$x_{2}$" * (MAX_LENGTH // 7 + 1)
    assert normalize_tex(text) == text
    with pytest.raises(TypeError, match="text"):
        normalize_tex(None)


@pytest.mark.parametrize("group", ["{a", "x^{a ", "x_{b^", r"\left({a"])
def test_any_depth_is_read(group):
    times = MAX_LENGTH // len(group) // 2
    closed = f"$x^{group * times}{'}' * times}$"
    assert len(normalize_tex(closed)) > times
    assert len(normalize_tex(closed.rstrip("}$"))) > times


def test_an_empty_line_behind_a_comment_ends_a_paragraph():
    assert normalize_tex("a\n% why\n\nb") == normalize_tex("a\n\nb") == "a\n\nb"
    assert normalize_tex("a\n% why\nb") == normalize_tex("a b") == "a b"


def test_the_preset_pays_equal_code_most():
    reference, same, other = r"${a\over b}+x_{2}$", r"$\frac{a}{b}+x_2$", r"$\frac{a}{b}+x_3$"
    reward = Reward("latex", PRESETS["structure"])
    scores = [result.score for result in reward([same, other], [reference] * 2)]
    assert scores[0] == 1 > scores[1]
    published = Reward("latex", PRESETS["structure"], protocol="published")(same, reference)
    expected = 0.8 * levenshtein_similarity(same, reference) + 0.2
    assert published.score == pytest.approx(expected)
