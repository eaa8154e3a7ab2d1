"""What is wrong with an answer's picture, as the report shows it: marks on the picture, and what they are found by."""

from collections.abc import Iterable, Sequence

from helm_structext.findings import FINDING_KINDS, MARKS, PictureFinding
from helm_structext.report.panels import MistakeMark, Mistakes, Panel
from helm_structext.report.parts import Facet
from helm_structext.results.findings import NOTHING, findings_of, kinds_of
from helm_structext.results.runs import InstanceResult
from helm_structext.texts import one_line

FACET = "mistake"
"""The facet by which answers with a kind of mistake are found."""
OTHER = "#66717f"
"""The color of kinds that have none."""
MAX_SAID = 300
"""Characters of what is said of one mistake."""


def mistake_facets(answers: Iterable[InstanceResult]) -> list[Facet]:
    """Returns what answers are filtered by, where it is known of any what is wrong with its picture."""
    known = [answer for answer in answers if findings_of(answer)]
    if not known:
        return []
    found = {kind for answer in known for kind in kinds_of(answer)}
    kinds = [kind for kind in FINDING_KINDS if kind in found]
    return [Facet(FACET, "Mistake", {**{kind: kind for kind in kinds}, NOTHING: NOTHING})]


def mistake_tags(answer: InstanceResult) -> dict[str, Sequence[str]]:
    """Returns the values of that facet that an answer has."""
    if not findings_of(answer):
        return {}
    kinds = kinds_of(answer)
    return {FACET: [kind for kind in FINDING_KINDS if kind in kinds] or [NOTHING]}


def mistakes_panel(answer: InstanceResult) -> list[Panel]:
    """Returns what says what is wrong with an answer's picture, if that is known."""
    found = findings_of(answer)
    if found is None:
        return []
    marks = [_mark(one) for one in found.findings]
    of = f" of {len(marks) + found.left_out}, the largest of each kind" if found.left_out else ""
    title = f"What is wrong: {len(marks) or NOTHING}{of}"
    return [Mistakes(title=title, folded=True, sentence=found.sentence, marks=marks)]


def _mark(one: PictureFinding) -> MistakeMark:
    color = MARKS.get(one.kind.rpartition(" ")[2], OTHER)
    text = one_line(one.text, MAX_SAID)
    return MistakeMark(one.kind, text, color, round(one.size, 3), one.there, one.should, one.others)
