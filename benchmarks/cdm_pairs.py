"""Pairs of formulas by the published code of Character Detection Matching (CDM), and by ours.

    python benchmarks/cdm_pairs.py

`tests/golden/cdm.jsonl` has formulas of ours, some written in two ways, some with one mistake, and what the published code
says of them (recall, precision, F1; with scikit-image 0.20, its pages drawn by Ghostscript at 200 DPI). Prints both for each pair that differs, how far they
agree, and how many pairs ours compares in a second.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from helm_structext.layouts import PictureLayout
from helm_structext.metrics.formula import formula_scores, match_symbols
from helm_structext.renderers import render
from helm_structext.results.tabular import markdown

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "cdm.jsonl"
DIFFERS = 0.05
"""From which on a pair has a row of its own."""


def main() -> None:
    """Prints a table, and what follows from it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="a row for each pair")
    options = parser.parse_args()
    pairs = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    found = [*compare(pairs)]
    rows = [
        [pair["kind"], f"`{pair['pred']}` for `{pair['gt']}`", pair["f1"], round(ours, 3)]
        for pair, ours, _ in found
        if options.all or abs(pair["f1"] - ours) >= DIFFERS
    ]
    print(markdown(["Mistake", "Pair", "CDM", "Ours"], rows))
    theirs, ours = np.array([(pair["f1"], score) for pair, score, _ in found]).T
    print(f"\n{len(found)} pairs, mean {fmean(theirs):.3f} and {fmean(ours):.3f}")
    print(
        f"correlation {np.corrcoef(theirs, ours)[0, 1]:.3f}, tau {kendalltau(theirs, ours)[0]:.3f}"
    )
    print(f"median difference {median(np.abs(theirs - ours)):.3f}")
    print(f"{len(found) / sum(seconds for *_, seconds in found):.0f} pairs a second")


def compare(pairs: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], float, float]]:
    """Yields each pair with our F1, and the seconds that it took once both were rendered."""
    for pair in pairs:
        reference, prediction = (draw(pair[side]) for side in ("gt", "pred"))
        match_symbols.cache_clear()
        start = time.perf_counter()
        score = formula_scores(prediction, reference)["formula_f1"]
        yield pair, score or 0.0, time.perf_counter() - start


def draw(formula: str) -> PictureLayout:
    """What is on the picture of a formula, displayed as CDM does."""
    found = render("latex", rf"\[ {formula} \]", protocol="corrected", layout=True)
    assert found.layout, found.layout_reason
    return found.layout


if __name__ == "__main__":
    main()
