"""Regular expressions over what models write: the linear ones say what those of `re` said."""

import importlib
import json
import random
import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_structext.extraction import prose, reasoning
from helm_structext.extraction import rules as extraction
from helm_structext.formats import FORMATS
from helm_structext.patterns import Cursor, Pattern, escape_pattern
from helm_structext.renderers import latex, tex_text
from helm_structext.renderers.edits import Traced
from helm_structext.renderers.engine import tidy_text
from helm_structext.results.runs import is_refusal
from support import GOLDEN, ROOT, backtracking

SAMPLES = ROOT / "src" / "helm_structext" / "data" / "samples"


@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize("name", ["w", "d", "s"])
def test_classes_are_those_of_the_standard_library(name, ascii):
    text = "".join(map(chr, range(0x3100))) + "ア名\u3000\uff11\U0001d7ce\U0001f40b"
    expected = re.findall(rf"\{name}", text, re.ASCII if ascii else 0)
    assert [found[0] for found in Pattern(rf"\{name}", ascii=ascii).finditer(text)] == expected
    outside = re.findall(rf"\{name.upper()}", text, re.ASCII if ascii else 0)
    assert [m[0] for m in Pattern(rf"\{name.upper()}", ascii=ascii).finditer(text)] == outside


def test_case_is_folded_as_in_the_standard_library_but_for_two_letters():
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000)]))
    differing = {
        character
        for letter in "abcdefghijklmnopqrstuvwxyz"
        for character in {m[0] for m in Pattern(f"(?i){letter}").finditer(text)}
        ^ set(re.findall(letter, text, re.IGNORECASE))
    }
    assert differing == {"ı", "İ"}


def test_lone_surrogates_keep_their_place_and_stay_as_they_are():
    found = Pattern(r"b(.)c").search("\ud800ab\udfffc")
    assert found is not None
    assert (found.start(), found[1], found[0]) == (2, "\udfff", "b\udfffc")
    assert Pattern("x").sub("y", "\ud800x\udc00") == "\ud800y\udc00"


@pytest.mark.parametrize("pattern", ["(", r"a\b", r"[^\W_]", r"(a)\1", "(?=a)"])
def test_what_can_not_be_said(pattern):
    with pytest.raises(ValueError, match="pattern"):
        Pattern(pattern)


@given(st.text("ab,\n"), st.lists(st.integers(0, 12)))
def test_a_cursor_finds_what_find_finds(text, starts):
    cursor = Cursor(text, ",")
    for start in sorted(starts):
        found = text.find(",", start)
        assert cursor.next(start) == (len(text) if found < 0 else found) or start > len(text)


TOKENS = (
    *("\\documentclass", "\\documentstyle", "\\usepackage", "\\label", "\\begin", "\\end"),
    *("{document}", "\\begin{document}", "\\end{document}", "{a}", "[b]", "[", "]", "{", "}"),
    *("\n", "\n\n", " ", "  ", "\t", "\\", "%", "\r\n", "\u2003", "\f", "```", "~~~", "````", "`"),
    *(
        "~",
        "json",
        "latex",
        "html",
        "x",
        "é",
        "1",
        "_",
        "'",
        '"',
        "=",
        ">",
        "<",
        "/",
        "|",
        ".",
        ",",
    ),
    *("<think>", "</think>", "<REASONING>", "</reasoning>", "<|BEGIN_CODE|>", "END_CODE|>"),
    *("BEGIN_CODE", "<script", "<link", " integrity", " type", "text/babel", " src", "//", "vue"),
    *(
        "I",
        " cannot",
        " help",
        "[0.1, 2; .5 1e3]",
        "(1 2 3 4)",
        "file.tex:12: ",
        "! ",
        "(hyperref) ",
    ),
    *("Runaway ", "score.ly:1:2: error: ", "    at ", "new Vue", "Vue.component", "from '", "@1/"),
    *("LaTeX Error: Environment ", " undefined", "getElementById(", "createElement('canvas"),
    *(" src=//", " type='importmap", " type=text/jsx", "LaTeX Error: Environment a-b* undefined"),
    *("1. Question: ", " Expected Answer: ", "importmap", "\ud800", "interface A {", " 400 "),
    *("ModuleNotFoundError: No module named 'a'", "the package @preview/a:1 can't be downloaded"),
    *(
        "I did not find the tikz library 'a b'",
        "Left out: File `a.sty' not found",
        "! Font a=b at 9pt not loadable: Metric",
        "https://a.b/c",
    ),
    *(
        "ImportError: Missing optional dependency 'a-b'",
        "<script src=a></script>",
        "/a.cls' not found",
    ),
    *("LaTeX Error: File `a-b.sty' not found", 'cannot import "@a/b/c": it is not one of '),
    *('cannot import "a": it is not one of the installed packages', "gh/a/b", " integrity='a'"),
    *("Errors during JIT compilation of template for A: ", ' ("', "http://localhost/a:1:2"),
)

ENGINES = (
    '#import "@preview/a-b:0.1.2"\n#include("../a.typ")',
    "Not smart enough to convert a\nre.error: bad escape\nfatal error: b\na.scm:1:2: c",
    '#<procedure a-b (c)>\nerror: cannot find file: `a.ily\'\nfonts.serif = "A"',
)
"""What engines say, and what is asked of them."""


def completions() -> list[str]:
    """What models wrote, and what would have been right, in the stored suite and the samples."""
    texts = []
    for file in sorted(GOLDEN.glob("suite/**/scenario_state.json")):
        for state in json.loads(file.read_text(encoding="utf-8"))["request_states"]:
            texts += [completion["text"] for completion in state["result"]["completions"]]
    for file in sorted(SAMPLES.glob("**/*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            texts += [value for value in json.loads(line).values() if isinstance(value, str)]
    return sorted(set(texts))


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randrange(1, 6)):
        first, last = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        new = "".join(chance.choices(TOKENS, k=chance.randrange(4)))
        text = text[:first] + new + text[chance.choice((first, last)) :]
    return text


def corpus() -> list[str]:
    chance = random.Random(13)
    found = [text for text in completions() if len(text) < 20_000]
    assert len(found) > 100
    odd = ["".join(chance.choices(TOKENS, k=chance.randrange(30))) for _ in range(600)]
    return [*found, *(mutated(chance.choice(found), chance) for _ in range(600)), *odd, *ENGINES]


@pytest.fixture(scope="module", name="texts")
def stored_corpus() -> list[str]:
    return corpus()


def pattern_of(name: str) -> Pattern:
    module, _, attribute = name.rpartition(".")
    found = getattr(importlib.import_module(f"helm_structext.{module}"), attribute)
    assert isinstance(found, Pattern)
    return found


@pytest.mark.parametrize("name", backtracking.SEARCHES)
def test_patterns_find_what_their_expressions_find(name, texts):
    expected, pattern = backtracking.SEARCHES[name], pattern_of(name)
    hits = 0
    for text in texts:
        found = [(match.start(), match[0], match.groups()) for match in expected.finditer(text)]
        hits += bool(found)
        assert [(m.start(), m[0], m.groups()) for m in pattern.finditer(text)] == found, text
    assert hits


@pytest.mark.parametrize("name", backtracking.FINDS)
def test_patterns_say_yes_where_their_expressions_do(name, texts):
    expected, pattern = backtracking.FINDS[name], pattern_of(name)
    hits = 0
    for text in texts:
        hits += bool(expected.search(text))
        assert bool(pattern.search(text)) == bool(expected.search(text)), text
    assert hits


@pytest.mark.parametrize("language", backtracking.DOCUMENTS)
def test_documents_between_prose_are_those_of_their_expressions(language, texts):
    patterns, expressions = prose.DOCUMENTS[language], backtracking.DOCUMENTS[language]
    for pattern, expression in zip(patterns, expressions, strict=True):
        hits = 0
        for text in (*texts, *(f"Here it is:\n{text}\nHope it helps." for text in texts)):
            found, expected = pattern.fullmatch(text), expression.fullmatch(text)
            hits += bool(expected)
            assert (found and found[1]) == (expected and expected[1]), text
        assert hits


def test_scanners_of_latex_find_what_their_expressions_find(texts):
    for text in texts:
        headers = [match[0] for match in backtracking.HEADER.finditer(text)]
        assert [one.text for one in tex_text.on_a_line(text, latex.HEADERS)] == headers, text
        packages = backtracking.PACKAGES.sub("", text)
        assert (
            tex_text.remove_commands(text, tex_text.on_a_line(text, ["usepackage"])) == packages
        ), text
        loaded = backtracking.PACKAGES_CORRECTED.finditer(text)
        found = [(match.start(), match[0]) for match in loaded]
        assert list(tex_text.across_lines(text, "usepackage")) == found, text
        assert tex_text.strip_comments(text) == backtracking.COMMENT.sub(r"\1", text), text
        assert tex_text.lines_ended(text) == backtracking.lines_ended(text), text
        wrapped = backtracking.around_bodies(text, "<", ">")
        bodies = partial(tex_text.surround_bodies, before="<", after=">", begin=latex.BEGIN)
        assert Traced(text).edited(bodies).text == wrapped, text
        for steps in latex.STEPS.values():
            expected = backtracking.content(text, steps.comments)
            assert latex.content(text, steps) == expected, text


latex_tokens = st.lists(st.sampled_from(TOKENS[:40]), max_size=12).map("".join)


@given(latex_tokens)
@settings(deadline=None, max_examples=500)
def test_any_latex(text):
    test_scanners_of_latex_find_what_their_expressions_find([text])


def test_completions_are_extracted_as_before(texts):
    for text in texts:
        assert reasoning.without_reasoning(text) == backtracking.without_reasoning(text), text
        for nested in (False, True):
            found = [
                (fence.text.strip(), fence.language, fence.code.strip())
                for fence in extraction.fences_of(text, nested=nested)
            ]
            assert found == backtracking.fences_of(text, nested=nested), text
        for row in FORMATS.values():
            if row.extraction == "tagged":
                expected = backtracking.tagged(text, bool(row.parser))
                *_, (_, found) = extraction.tagged(text, row)
                assert found == expected, text


def test_texts_are_tidied_and_refusals_recognized_as_before(texts):
    for text in texts:
        assert tidy_text(text) == backtracking.tidied(text), text
        assert is_refusal(text) == backtracking.refusal(text), text
    chance = random.Random(13)
    parts = (
        *backtracking.ASKED.split(),
        "I",
        "I",
        " ",
        " ",
        "cannot",
        "'t",
        "can",
        ".",
        "é",
        "not able to",
    )
    refusals = 0
    for _ in range(3000):
        text = " ".join(chance.choices(parts, k=6)).replace("|", "")
        refusals += is_refusal(text)
        assert is_refusal(text) == backtracking.refusal(text), text
    assert refusals


def test_a_text_matches_its_own_pattern(texts):
    for text in texts[::50]:
        text = text.replace("\ud800", "")
        assert Pattern(escape_pattern(text)).fullmatch(text)
