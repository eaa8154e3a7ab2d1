"""Design2Code's scores are what its published code gives for the same texts."""

import json
from pathlib import Path

import pytest

from helm_structext.layouts import PictureLayout, TextBox, read_layout
from helm_structext.metrics import design2code
from helm_structext.metrics.design2code import (
    DESIGN2CODE_SCORES,
    blocks_of,
    design2code_scores,
    merge_neighbors,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "design2code.jsonl"
PAIRS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
"""Generated scenes with planted mistakes, or in two formats; values of the published ``visual_score.py`` without CLIP."""
PAGE = (200, 100)


def text(words, left=0, top=0, color="#202020"):
    return TextBox(words, (left, top, left + 9 * len(words), top + 20), color)


def scores(prediction, reference):
    return design2code_scores(
        PictureLayout(PAGE, tuple(prediction)), PictureLayout(PAGE, tuple(reference))
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["pair"])
def test_scores_are_those_of_the_published_code(pair):
    found = design2code_scores(read_layout(pair["prediction"]), read_layout(pair["reference"]))
    assert [*found.values()] == pytest.approx(pair["published"], abs=1e-5)


def test_there_are_enough_pairs_and_they_differ():
    assert len(PAIRS) >= 30
    assert len({tuple(pair["published"]) for pair in PAIRS}) > 20


def test_the_same_is_1():
    lines = [text("Rain"), text("in May", top=30)]
    assert scores(lines, lines) == dict.fromkeys(DESIGN2CODE_SCORES, 1.0)


def test_without_texts_there_is_nothing_to_compare_but_none_found_is_0():
    assert scores([text("Rain")], []) == dict.fromkeys(DESIGN2CODE_SCORES)
    assert scores([], [text("Rain")]) == dict.fromkeys(DESIGN2CODE_SCORES, 0.0)
    assert scores([text("12")], [text("Rain")]) == dict.fromkeys(DESIGN2CODE_SCORES, 0.0)


def test_each_score_sees_its_mistake_alone():
    right = [text("Rain in May"), text("Wind", top=40)]
    for name, wrong in {
        "block_match": right[:1],
        "block_text": [right[0], text("Wild", top=40)],
        "block_position": [right[0], text("Wind", left=30, top=40)],
        "block_color": [right[0], text("Wind", top=40, color="#d02020")],
    }.items():
        found = scores(wrong, right)
        assert {one for one, value in found.items() if value < 1} == {name}


def test_neighbors_are_merged_where_the_other_side_has_them_as_one():
    cut = blocks_of(PictureLayout(PAGE, (text("Rain in"), text("May", top=20))))
    whole = blocks_of(PictureLayout(PAGE, (text("Rain in May"),)))
    ours, theirs = merge_neighbors(cut, whole)
    assert [block.text for block in ours] == [block.text for block in theirs] == ["rain in may"]


def test_hidden_texts_are_not_there():
    hidden = TextBox("Rain", (0, 0, 40, 20), visible=False)
    assert scores([hidden], [text("Rain")])["block_match"] == 0.0


def test_many_letters_are_matched_faster_and_scored_the_same(monkeypatch):
    right = [text(f"line {number} of many", top=number) for number in range(8)]
    wrong = [right[0], *right[2:], text("nothing of it")]
    before = scores(wrong, right)
    monkeypatch.setattr(design2code, "EXACT", 0)
    design2code._scores.cache_clear()
    assert scores(wrong, right) == before


def test_what_is_beyond_the_bounds_is_left_out():
    lines = [text("ab" * 99, left=number) for number in range(400)]
    assert len(blocks_of(PictureLayout(PAGE, tuple(lines)))) == design2code.MAX_BLOCKS
    assert scores(lines, lines[:150])["block_text"] == 1.0
