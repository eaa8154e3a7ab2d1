"""What is wrong with a picture, by name, by place and by number.

>>> wrong, right = ('<svg xmlns="http://www.w3.org/2000/svg"><text y="40">%s</text></svg>' % word for word in ("Rian", "Rain"))
>>> found = compare("svg", wrong, right)
>>> found.sentence
'1 of 1 texts misspelt ("Rian" for "Rain").'
>>> found.scores["text_edit"]
0.75

What is loaded with this package compares nothing: who reads a suite needs the words alone.
"""

from typing import TYPE_CHECKING

from helm_structext.findings.drawing import MARKS, draw_findings
from helm_structext.findings.kinds import (
    FINDING_KINDS,
    Comparison,
    Findings,
    PictureFinding,
)
from helm_structext.findings.records import findings_record, read_findings
from helm_structext.layouts import PictureLayout
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName

if TYPE_CHECKING:
    from helm_structext.renderers import Rendering
    from helm_structext.renderers.page_layout import Told

__all__ = [
    "FINDING_KINDS",
    "MARKS",
    "Comparison",
    "Findings",
    "PictureFinding",
    "compare",
    "compare_layouts",
    "compare_told",
    "draw_findings",
    "findings_record",
    "read_findings",
]


def compare(
    format: str,
    prediction: "str | Rendering",
    reference: "str | Rendering",
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
    from helm_structext.renderers import render

    told: list[Told] = []
    for one in (prediction, reference):
        drawn = render(format, one, protocol=protocol, layout=True) if isinstance(one, str) else one
        told.append((drawn.layout, drawn.layout_reason or "no layout was asked for"))
    return compare_told(*told)


def compare_told(prediction: "Told", reference: "Told") -> Findings:
    """Returns what of a prediction's layout is not as in the reference's, each of which may be None, with the reason."""
    if prediction[0] is None:
        return Findings({}, (), "", f"what is on the prediction is not known: {prediction[1]}")
    if reference[0] is None:
        return Findings({}, (), "", f"what is on the reference is not known: {reference[1]}")
    return compare_layouts(prediction[0], reference[0])


def compare_layouts(prediction: PictureLayout, reference: PictureLayout) -> Findings:
    """Returns what of a prediction's layout is not as in the reference's (`helm_structext.findings.ways`)."""
    from helm_structext.findings.ways import compare_in_all_ways

    return compare_in_all_ways(prediction, reference)
