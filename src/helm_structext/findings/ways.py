"""The ways of comparing pictures, and all of them together."""

from collections.abc import Callable

from helm_structext.findings.chart import compare_charts
from helm_structext.findings.formula import compare_symbols
from helm_structext.findings.kinds import Comparison, Findings, in_order
from helm_structext.findings.layout import compare_boxes
from helm_structext.findings.notes import compare_notes
from helm_structext.layouts import PictureLayout

MAX_FINDINGS = 200
"""Of one picture by one way of comparing; further ones are counted, and in the scores."""

SAME = 0.99
"""A score from which on nobody sees that something differs."""

WAYS: tuple[Callable[[PictureLayout, PictureLayout], Comparison | None], ...] = (
    compare_notes,
    compare_charts,
    compare_symbols,
    compare_boxes,
)
"""Ways of comparing a prediction with a reference, in the order of their clauses in a sentence, what else follows from first;
None where a picture has nothing of what they compare."""


def compare_in_all_ways(prediction: PictureLayout, reference: PictureLayout) -> Findings:
    """Returns what of a prediction's layout is not as in the reference's, by all `WAYS`."""
    compared = [one for way in WAYS if (one := way(prediction, reference))]
    scores = {name: score for one in compared for name, score in one.scores.items()}
    found = in_order(finding for one in compared for finding in one.findings[:MAX_FINDINGS])
    clauses = [clause for one in compared for clause in one.clauses]
    low = min(
        ((score, name) for name, score in scores.items() if score is not None), default=(1.0, "")
    )
    if clauses:
        sentence = "; ".join(clauses) + "."
    elif low[0] < SAME:
        sentence = f"Nothing differs that has a name here, but {low[1]} is {low[0]:.2f}."
    else:
        sentence = "Nothing differs that is on the picture."
    left_out = sum(max(len(one.findings) - MAX_FINDINGS, 0) for one in compared)
    return Findings(scores, tuple(found), sentence, left_out=left_out)
