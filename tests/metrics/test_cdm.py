"""Formulas beside the published code of Character Detection Matching (`benchmarks/cdm_pairs.py`)."""

import json
from functools import cache
from pathlib import Path

import pytest

from helm_structext.layouts import PictureLayout
from helm_structext.metrics.formula import formula_scores
from helm_structext.renderers import render

GOLDEN = Path(__file__).parents[1] / "golden" / "cdm.jsonl"
PAIRS = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
EQUAL = [pair for pair in PAIRS if pair["kind"] == "equal"]
SHORT = [pair for pair in PAIRS if pair["kind"] == "wrong"]


@cache
def draw(formula: str) -> PictureLayout:
    found = render("latex", rf"\[ {formula} \]", protocol="corrected", layout=True)
    assert found.layout
    return found.layout


def f1(pair) -> float:
    return formula_scores(draw(pair["pred"]), draw(pair["gt"]))["formula_f1"]


@pytest.mark.parametrize("pair", EQUAL, ids=lambda pair: pair["pred"])
def test_what_is_written_otherwise_is_equal(pair):
    assert f1(pair) == 1


def test_what_is_wrong_costs_something_also_where_the_published_code_sees_nothing():
    ours = {pair["pred"]: f1(pair) for pair in SHORT}
    assert {formula for formula, score in ours.items() if score == 1} == set()
    unseen = {pair["pred"] for pair in SHORT if pair["f1"] == 1}
    assert "2_2" in unseen
    assert "22" in unseen


def test_there_are_enough_pairs_and_each_has_what_the_published_code_says():
    assert len(PAIRS) >= 50
    assert all(0 <= pair[name] <= 1 for pair in PAIRS for name in ("recall", "precision", "f1"))
