import json
import math
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helm_structext.metrics import iou, pnls, pnls_published
from helm_structext.metrics.pnls import MAX_REFERENCE
from helm_structext.metrics.text import MAX_LENGTH
from support import GOLDEN

FIGURES = GOLDEN / "pnls.jsonl"
GAP = object()


def goldens() -> list[dict]:
    return [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()]


def test_all_golden_values():
    rows = goldens()
    assert len(rows) == 1500
    for row in rows:
        pair = row["prediction"], row["truth"]
        assert pnls(*pair) == pytest.approx(row["pnls"], abs=1e-9), row
        assert pnls_published(*pair) == pytest.approx(row["pnls_published"], abs=1e-9), row


def columns_of(prediction: str, reference: str) -> list[tuple]:
    """The alignment by its definition: a whole matrix, traced back. Columns of (ours, theirs)."""
    m, n = len(reference), len(prediction)
    score = [[0] * (n + 1) for _ in range(m + 1)]

    def diagonal(i: int, j: int) -> int:
        return score[i - 1][j - 1] + (1 if reference[i - 1] == prediction[j - 1] else -1)

    for i in range(1, m + 1):
        score[i][0] = -i
        for j in range(1, n + 1):
            score[i][j] = max(diagonal(i, j), score[i - 1][j] - 1, score[i][j - 1] - 1)
    best = max(score[m][1:], default=-1)
    i, j = m, score[m].index(best, 1) if best >= 0 else 0
    columns = []
    while i and j:
        if score[i][j] == diagonal(i, j):
            i, j = i - 1, j - 1
            columns.append((prediction[j], reference[i]))
        elif score[i][j] == score[i - 1][j] - 1:
            i -= 1
            columns.append((GAP, reference[i]))
        else:
            j -= 1
            columns.append((prediction[j], GAP))
    columns += [(GAP, character) for character in reversed(reference[:i])]
    columns += [(character, GAP) for character in reversed(prediction[:j])]
    return columns[::-1]


def by_definition(prediction: str, reference: str) -> tuple[float, float]:
    columns = columns_of(prediction, reference)
    ours = columns[next(k for k, (_, b) in enumerate(columns) if b is not GAP) :]
    hyphens = [tuple("-" if side is GAP else side for side in column) for column in columns]
    theirs = hyphens[next(k for k, (_, b) in enumerate(hyphens) if b == reference[0]) :]
    return tuple(sum(a == b for a, b in part) / len(part) for part in (ours, theirs))


short = st.text(alphabet="ab-é", max_size=12)


@given(prediction=short, reference=st.text(alphabet="ab-é", min_size=1, max_size=8))
@example(prediction="-", reference="-")
@example(prediction="xx-a", reference="-a")
@example(prediction="aaaaaaaaa", reference="-")
def test_the_definition_traced_back_in_a_whole_matrix(prediction, reference):
    expected = by_definition(prediction, reference)
    assert (pnls(prediction, reference), pnls_published(prediction, reference)) == expected


@given(before=st.text(max_size=30), text=st.text(min_size=1, max_size=20), after=st.text())
def test_what_surrounds_a_text_costs_nothing(before, text, after):
    assert pnls(before + text + after, text) == 1.0


@given(prediction=st.text(), reference=st.text())
def test_values_lie_between_0_and_1(prediction, reference):
    assert 0.0 <= pnls(prediction, reference) <= 1.0
    assert 0.0 <= pnls_published(prediction, reference) <= 1.0


def test_an_empty_reference_is_found_in_anything():
    assert pnls("anything", "") == pnls("", "") == pnls_published("anything", "") == 1.0


def test_any_unicode_even_half_a_surrogate_pair():
    assert pnls("名前は\U0001f40b\ud800です", "\U0001f40b\ud800") == 1.0
    assert pnls("\ud800", "\udfff") == 0.0


def test_memory_is_linear_in_a_long_completion():
    truth, completion = "the art of reading slowly " * 8, "the art of raeding " * 5000

    def peak() -> int:
        tracemalloc.start()
        value = pnls(completion, truth)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert 0 < value < 1
        return highest

    assert peak() < 100 * len(completion)


@pytest.mark.parametrize("metric", [pnls, pnls_published])
def test_arguments_that_are_not_strings_are_named(metric):
    with pytest.raises(TypeError, match="prediction: expected a str, got int"):
        metric(3, "3")
    with pytest.raises(TypeError, match="reference: expected a str, got NoneType"):
        metric("3", None)


unit = st.floats(0, 1)
boxes = st.tuples(unit, unit, unit, unit)


@given(first=boxes, second=boxes)
def test_iou_is_symmetric_and_between_0_and_1(first, second):
    assert iou(first, second) == iou(second, first)
    assert 0.0 <= iou(first, second) <= 1.0


def test_iou_of_quarters():
    assert iou([0, 0, 1, 1], [0.5, 0.5, 1, 1]) == 0.25
    assert iou([0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]) == 0.0
    assert iou([0, 0, 0.5, 0.5], [0.25, 0.25, 0.75, 0.75]) == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    "box",
    [
        [0.2, 0.2, 0.2, 0.6],  # no width
        [0.2, 0.6, 0.4, 0.6],  # no height
        [0.4, 0.2, 0.2, 0.6],  # reversed in x
        [0.2, 0.9, 0.4, 0.8],  # reversed in y
        [0.4, 0.6, 0.2, 0.2],  # reversed in both
        [-1e308, 0.5, 1e308, 0.5],
        [0.0, 0.0, 1e-200, 1e-200],
        [-1e308, -1e308, 1e308, 1e308],
    ],
)
def test_degenerate_reversed_and_boundless_boxes_score_0(box):
    assert iou(box, [0, 0, 1, 1]) == iou([0, 0, 1, 1], box) == 0.0
    assert iou(box, box) == 0.0


@pytest.mark.parametrize(
    "box", [[0, 0, 1], [0, 0, 1, 1, 1], [0, 0, 1, math.nan], [0, 0, math.inf, 1]]
)
def test_iou_names_what_is_not_a_box(box):
    with pytest.raises(ValueError, match="prediction: expected four finite numbers, got"):
        iou(box, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="reference: expected four finite numbers, got"):
        iou([0, 0, 1, 1], box)


@pytest.mark.parametrize("metric", [pnls, pnls_published])
def test_long_texts_count_up_to_their_bounds(metric):
    assert metric("x" * (MAX_LENGTH - 4) + "Emma", "Emma") == 1
    assert metric("x" * (MAX_LENGTH - 2) + "Emma", "Emma") == 0.5
    assert metric("ab" * MAX_REFERENCE, "ab" * MAX_REFERENCE) == 0.5
    assert metric("ab" * MAX_REFERENCE, "ab" * (MAX_REFERENCE // 2)) == 1
