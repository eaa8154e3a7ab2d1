"""Formulas: the grammar, the tree, and the three formats that write it."""

from random import Random

import pytest
import yaml

from helm_structext.formats import FORMATS
from helm_structext.renderers import render
from helm_structext.scenes.formula import KIND
from helm_structext.scenes.formula.latex import LatexMath
from helm_structext.scenes.formula.scene import MAX_WIDTH, TYPES, FormulaScene, draw_tree
from helm_structext.scenes.formula.tree import find_phrases, parse_formula, width_of
from helm_structext.scenes.formula.typst import TypstMath
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words
from support import ROOT


def draw(type: str, level: str, language: str = "en", seed: int = 1) -> FormulaScene:
    """A scene of a type, which the kind itself draws by lot."""
    tree = draw_tree(Random(seed), type, level, language)
    return FormulaScene(type=type, language=language, level=level, tree=tree)


def plain(text: str, write: type[LatexMath] | type[TypstMath]) -> str:
    """A formula in the way that a lot of all ones decides on."""

    class Ones(Random):
        def random(self):
            return 1.0

        def choice(self, ways):
            return ways[0]

    return write(Ones()).write(parse_formula(text))


def test_words_of_all_languages_have_one_shape():
    words = {language: read_words("formula", language) for language in LANGUAGES}
    for found in words.values():
        assert found.keys() == words["en"].keys()
        for name, text in found.items():
            assert text.count("{}") == words["en"][name].count("{}")
            assert find_phrases(parse_formula(text.replace("{}", "x")))


def test_formats_are_formats_that_are_rendered():
    assert all(FORMATS[format].rendered for format in KIND.writers)
    assert KIND.types == TYPES


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type", TYPES)
def test_each_type_and_level_is_written_in_each_language_and_format(type, level):
    for language in LANGUAGES:
        scene = draw(type, level, language, seed=7)
        assert width_of(scene.tree) <= MAX_WIDTH
        for format, write in KIND.writers.items():
            code = write(scene, Random(3))
            assert code == write(scene, Random(3))
            assert code.endswith("\n")
            assert all(text in code for text in scene.texts), (format, code)


def test_the_kind_draws_all_its_types_and_the_same_again():
    scenes = [KIND.draw(Random(seed), "medium", "ru") for seed in range(100)]
    assert {scene.type for scene in scenes} == set(TYPES)
    assert scenes == [KIND.draw(Random(seed), "medium", "ru") for seed in range(100)]


def test_words_that_pdftex_may_lack_letters_for_are_not_written_in_latex():
    for language in LANGUAGES:
        scenes = [KIND.draw(Random(seed), "medium", language) for seed in range(60)]
        said = {"latex" in KIND.formats_of(scene) for scene in scenes if scene.texts}
        assert said == {language not in ("el", "ru")}


def test_two_seeds_share_no_scene():
    drawn = [
        KIND.draw(Random(f"{seed} {place}"), LEVELS[place % 3], "en")
        for seed in (1, 2)
        for place in range(200)
    ]
    assert len({repr(scene.tree) for scene in drawn}) == len(drawn)


def test_one_scene_is_written_in_several_ways():
    scene = draw("mixed", "hard")
    for write in KIND.writers.values():
        assert len({write(scene, Random(seed)) for seed in range(20)}) > 4


@pytest.mark.parametrize(
    ("text", "latex", "typst"),
    [
        (r"\frac{a + b}{2}", r"\frac{a + b}{2}", "frac(a + b, 2)"),
        (r"(1 + \frac{x}{n})^n", r"\left( 1 + \frac{x}{n} \right)^n", "(1 + frac(x, n))^n"),
        (r"x_{i + 1}^2", "x_{i + 1}^2", "x_(i + 1)^2"),
        (r"-x \ge -\alpha y", r"-x \ge -\alpha y", "-x >= -alpha y"),
        (r"\sqrt[3]{f(x, y)}", r"\sqrt[3]{f(x, y)}", "root(3, f(x, y))"),
        (r"\binom{n, 1}{k}", r"\binom{n, 1}{k}", r"binom(n\, 1, k)"),
        (r"\lVert \mathbf{v} \rVert", r"\lVert \mathbf{v} \rVert", "norm(upright(bold(v)))"),
        (r"\underbrace{a + b}_{n}", r"\underbrace{a + b}_n", "underbrace(a + b, n)"),
        (r"a \equiv b \pmod{7}", r"a \equiv b\pmod{7}", "a equiv b quad (mod 7)"),
        (r"\lfloor n / 2 \rfloor", r"\lfloor n/2 \rfloor", r"floor(n \/ 2)"),
        (r"[a, b) \subset \mathbb{R}", r"[a, b) \subset \mathbb{R}", "[a, b) subset bb(R)"),
    ],
)
def test_code_is_what_a_person_would_write(text, latex, typst):
    assert plain(text, LatexMath) == latex
    assert plain(text, TypstMath) == typst


def test_rows_have_the_marks_of_each_format():
    cases = r"\begin{cases} x & \text{if} x \gt 0 \\ 0, & \text{otherwise} \end{cases}"
    assert plain(cases, LatexMath) == (
        "\\begin{cases}\n  x & \\text{if }x > 0 \\\\\n  0, & \\text{otherwise}\n\\end{cases}"
    )
    assert plain(cases, TypstMath) == (
        'cases(\n  x &quad "if" x > 0,\n  0\\, &quad "otherwise",\n)'
    )
    aligned = r"\begin{aligned} y &= x \\ &\le 2 \end{aligned}"
    assert plain(aligned, TypstMath) == "y &= x \\\n&<= 2"
    assert plain(r"\begin{vmatrix} a & b \\ c & d \end{vmatrix}", TypstMath) == (
        'mat(delim: "|", a, b; c, d)'
    )


@pytest.mark.parametrize("text", ["x^1^2", "(x", r"\frac{1}{2", "}", r"\begin{cases} x"])
def test_what_is_not_in_the_notation_is_an_error(text):
    with pytest.raises(ValueError, match=r"ends before|wrong place|two scripts"):
        parse_formula(text)


def test_a_formula_s_texts_are_its_words():
    scene = draw("cases", "medium", "de", seed=1)
    assert set(scene.texts) <= {"falls", "sonst"}
    assert draw("matrix", "easy").texts == []


def test_greek_words_are_not_asked_of_pdftex():
    scene = draw("cases", "easy", "el")
    assert scene.texts
    assert KIND.formats_of(scene) == ["typst", "markdown"]
    assert "latex" in KIND.formats_of(draw("matrix", "easy", "el"))


@pytest.mark.parametrize(
    ("type", "level", "language"),
    [
        *(("cases", "medium", "ja"), ("matrix", "hard", "en"), ("accents", "hard", "en")),
        *(("mixed", "medium", "ru"), ("sum", "hard", "en"), ("aligned", "medium", "el")),
    ],
)
def test_formulas_are_drawn_in_each_format(type, level, language):
    scene = draw(type, level, language)
    for format in KIND.formats_of(scene):
        drawn = render(format, KIND.writers[format](scene, Random(4)), protocol="corrected")
        assert not drawn.missing
        assert not drawn.tex_errors
        assert drawn.image.width > 100


def test_no_letter_runs_into_the_next_one():
    r"""As ``\nu`` before ``K``, which would be the command ``\nuK``."""
    file = ROOT / "src" / "helm_structext" / "scenes" / "formula" / "grammar.yaml"
    text = file.read_text(encoding="utf-8")
    names = yaml.safe_load(text)["names"]
    assert "nu" in "".join(map(str, names["j"]))
    assert not [name for name in names if f"<{name}><" in text]
