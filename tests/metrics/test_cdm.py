"""Formulas beside the published code of Character Detection Matching (`benchmarks/cdm_pairs.py`)."""

import json
from functools import cache
from statistics import fmean

import pytest

from cdm_pairs import GOLDEN, draw
from helm_structext.metrics.formula import formula_scores
from support import ROOT

PAIRS = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
EQUAL = [pair for pair in PAIRS if pair["kind"] == "equal"]
SHORT = [pair for pair in PAIRS if pair["kind"] == "wrong"]
drawn = cache(draw)


def f1(pair) -> float:
    return formula_scores(drawn(pair["pred"]), drawn(pair["gt"]))["formula_f1"]


@pytest.mark.parametrize("pair", EQUAL, ids=lambda pair: pair["pred"])
def test_what_is_written_otherwise_is_equal(pair):
    assert f1(pair) == 1


def test_what_is_wrong_costs_something_also_where_the_published_code_sees_nothing():
    ours = {pair["pred"]: f1(pair) for pair in SHORT}
    assert {formula for formula, score in ours.items() if score == 1} == set()
    unseen = {pair["pred"] for pair in SHORT if pair["f1"] == 1}
    assert "2_2" in unseen
    assert "22" in unseen


def test_the_documents_say_what_the_published_code_gave():
    assert len(PAIRS) >= 50
    assert all(0 <= pair[name] <= 1 for pair in PAIRS for name in ("recall", "precision", "f1"))
    said = " ".join((ROOT / "docs" / "formats.md").read_text().split())
    assert f"prints both for {len(PAIRS)} pairs of formulas" in said
    assert f"{len(EQUAL)} of them written in two ways" in said
    assert f"mean F1 {fmean(pair['f1'] for pair in PAIRS):.3f} there" in said
