"""What is wrong with a picture, by name, by place and by number.

>>> wrong, right = ('<svg xmlns="http://www.w3.org/2000/svg"><text y="40">%s</text></svg>' % word for word in ("Rian", "Rain"))
>>> found = compare("svg", wrong, right)
>>> found.sentence
'1 of 1 texts misspelt ("Rian" for "Rain").'
>>> found.scores["text_edit"]
0.75
"""

from collections.abc import Callable

from helm_structext.findings.drawing import MARKS, draw_findings
from helm_structext.findings.kinds import (
    FINDING_KINDS,
    Comparison,
    Findings,
    PictureFinding,
    in_order,
)
from helm_structext.findings.layout import compare_boxes
from helm_structext.findings.notes import compare_notes
from helm_structext.layouts import PictureLayout
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName
from helm_structext.renderers import Rendering, render

__all__ = [
    "FINDING_KINDS",
    "MARKS",
    "MAX_FINDINGS",
    "WAYS",
    "Comparison",
    "Findings",
    "PictureFinding",
    "compare",
    "compare_layouts",
    "draw_findings",
]

MAX_FINDINGS = 200
"""Of one picture by one way of comparing; further ones are counted in the scores alone."""

WAYS: tuple[Callable[[PictureLayout, PictureLayout], Comparison | None], ...] = (
    compare_notes,
    compare_boxes,
)
"""Ways of comparing a prediction with a reference, in the order of their clauses in a sentence; None where a picture
has nothing of what they compare."""


def compare(
    format: str,
    prediction: str | Rendering,
    reference: str | Rendering,
    *,
    protocol: ProtocolName = DEFAULT_PROTOCOL,
) -> Findings:
    """Returns what of a prediction is not as in the reference.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        prediction: code, or a rendering with its layout.
        reference: the same of what it should be.
        protocol: by which code is rendered.

    Raises:
        RenderError: code that does not render.
        SetupError: a program is missing.
    """
    layouts = []
    for what, one in (("prediction", prediction), ("reference", reference)):
        drawn = render(format, one, protocol=protocol, layout=True) if isinstance(one, str) else one
        if drawn.layout is None:
            reason = f"what is on the {what} is not known: {drawn.layout_reason or 'no layout was asked for'}"
            return Findings({}, (), "", reason)
        layouts.append(drawn.layout)
    return compare_layouts(*layouts)


def compare_layouts(prediction: PictureLayout, reference: PictureLayout) -> Findings:
    """Returns what of a prediction's layout is not as in the reference's, by all `WAYS`."""
    compared = [one for way in WAYS if (one := way(prediction, reference))]
    scores = {name: score for one in compared for name, score in one.scores.items()}
    found = in_order(finding for one in compared for finding in one.findings[:MAX_FINDINGS])
    clauses = [clause for one in compared for clause in one.clauses]
    sentence = "; ".join(clauses) + "." if clauses else "Nothing differs that is on the picture."
    return Findings(scores, tuple(found), sentence)
