"""Levenshtein and edit similarity, the latter beside HELM's."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_structext.metrics import edit_similarity, levenshtein_similarity
from helm_structext.metrics.text import MAX_LENGTH
from helm_structext.renderers.latex import STEPS, complete, content
from support import GOLDEN

words = st.lists(
    st.sampled_from(["\\frac", "{", "}", "x", "^2", "don't", "(a+b)", '"q"', "\n", ".", "%"]),
    max_size=25,
).map(" ".join)


@pytest.fixture(scope="module")
def helm():
    from helm.benchmark.metrics.vision_language.image_metrics import AnnotatedImageMetrics

    return AnnotatedImageMetrics("latex", [])


@given(prediction=words, reference=words)
@settings(deadline=None, max_examples=50)
def test_edit_similarity_equals_helm(helm, prediction, reference):
    assert edit_similarity(prediction, reference) == pytest.approx(
        float(helm.compute_edit_sim(prediction, reference)), abs=1e-12
    )


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("", "", 1),
        ("", "abc", 0),
        ("abc", "abc", 1),
        ("kitten", "sitting", 1 - 3 / 7),
        ("höhe", "hohe", 3 / 4),
    ],
)
def test_levenshtein_similarity(prediction, reference, expected):
    assert levenshtein_similarity(prediction, reference) == pytest.approx(expected)


@pytest.mark.parametrize("metric", [levenshtein_similarity, edit_similarity])
def test_only_strings(metric):
    with pytest.raises(TypeError, match="prediction: expected a str, got NoneType"):
        metric(None, "x")
    with pytest.raises(TypeError, match="reference: expected a str, got list"):
        metric("x", ["x"])


def test_of_long_texts_the_beginnings_count_by_their_share():
    text = "ab" * (MAX_LENGTH // 2)
    assert levenshtein_similarity(text + "c" * MAX_LENGTH, text) == 0.5
    assert levenshtein_similarity(text, text + "c" * MAX_LENGTH) == 0.5
    assert levenshtein_similarity(text[1:] + "x", text) == 1 - 2 / MAX_LENGTH
    words = "a b " * (MAX_LENGTH // 4)
    assert edit_similarity(words + "c " * MAX_LENGTH, words + "d " * MAX_LENGTH) == 1 / 3
    for metric in (levenshtein_similarity, edit_similarity):
        assert metric(words * 2, words * 2) == 1
        # Nothing that comes later is even looked at.
        assert metric(words + "x", words + "y") == pytest.approx(1, abs=1e-4)


PAPER = json.loads((GOLDEN / "image2struct_table2.json").read_text())
APPENDIX_E = PAPER["Appendix E"]["codes"]
"""Figures A2 and A3 of Image2Struct: two codes of one formula."""


@pytest.mark.parametrize("protocol", sorted(STEPS))
def test_the_value_of_appendix_e_divides_by_both_lengths(protocol):
    steps = STEPS[protocol]
    first, second = (content(complete(code, steps).text, steps) for code in APPENDIX_E)
    assert (len(first), len(second)) == (55, 171)
    similarity = levenshtein_similarity(first, second)
    edits = round((1 - similarity) * 171)
    assert edits == 122
    assert 1 - edits / (55 + 171) == pytest.approx(0.4602, abs=5e-5)
    assert PAPER["Appendix E"]["similarity"] == 0.46
    assert similarity == pytest.approx(0.2865, abs=5e-5)
