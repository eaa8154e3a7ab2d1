"""The reward for replies to MMR's questions: exact match, PNLS and IoU."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from helm_structext.mmr.replies import SCALES
from helm_structext.mmr.scorer import Truth, score_reply
from helm_structext.mmr.scores import LENIENT_METRICS, METRICS
from helm_structext.mmr.tasks import KINDS, ParsedReply, read_answer
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.guards import OF_COMPLETIONS, OF_LISTS, OF_TEXTS
from helm_structext.rewards.result import Measured, read_scored
from helm_structext.scoring.handling import REFERENCE, Failure

_USUAL: Mapping[str, Mapping[str, float]] = {
    "choice": {"accuracy": 1.0},
    "text": {"pnls": 1.0},
    "box": {"iou": 1.0},
    "text_box": {"pnls": 0.5, "iou": 0.5},
}


@dataclass(frozen=True)
class MMRReward(BaseReward):
    """Scores replies to one of MMR's four kinds of questions.

    A reference is an answer as in the dataset's column `Answer`, a
    `helm_structext.mmr.tasks.ParsedReply`, or, where boxes are read leniently in pixels, a pair of
    one of these and the picture's width and height.

    Args:
        kind: ``choice``, ``text``, ``box`` or ``text_box`` (section 3.3).
        components: metric to weight, of `helm_structext.mmr.scores.METRICS` and, if `lenient`,
            `LENIENT_METRICS`; by default the values that have no threshold (section 4.1).
        lenient: the scale in which boxes are read leniently, one of
            `helm_structext.mmr.replies.SCALES`, or ``none``.
        failure: the score of a reply that can't be read, or is noticed by a guard; see `BaseReward`,
            as for `guards`, `machine_failures` and `batch_seconds`.

    >>> MMRReward("text")("EMMA", "Emma").score
    1.0
    >>> result = MMRReward("choice")(["2", "the second"], ["2", "2"])
    >>> [(one.score, one.error_kind) for one in result]
    [(1.0, None), (0.0, 'syntax')]
    """

    kind: str
    components: Mapping[str, float] = field(default_factory=dict)
    lenient: str = field(default="none", kw_only=True)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; expected one of {', '.join(KINDS)}")
        if self.lenient not in ("none", *SCALES):
            raise ValueError(
                f"lenient is {self.lenient!r}; expected none or one of {', '.join(SCALES)}"
            )
        if not self.components:
            object.__setattr__(self, "components", _USUAL[self.kind])
        super().__post_init__()

    def known_components(self) -> Collection[str]:
        return METRICS if self.lenient == "none" else (*METRICS, *LENIENT_METRICS)

    @property
    def lane(self) -> str:
        return KINDS[self.kind].format

    def measure(self, completion: str, reference: Any) -> Measured:
        try:
            truth = self._truth(reference)
        except ValueError as error:
            return Measured({}, Failure(REFERENCE, str(error)))
        # The part of a reply that is most like the answer counts: a copy of all that is to be read has it.
        refusal = self.noticed(OF_COMPLETIONS, completion)
        if truth.answer.text is not None:
            refusal = refusal or self.noticed(OF_TEXTS, completion, truth.answer.text)
            # A box is a list of its own.
            said = completion.partition("[")[0] if truth.answer.box else completion
            refusal = refusal or self.noticed(OF_LISTS, said, truth.answer.text)
        if refusal:
            return Measured(dict.fromkeys(self.components, 0.0), refusal)
        return read_scored(score_reply(truth, completion, self.lenient))

    def _truth(self, reference: Any) -> Truth:
        answer, size = reference, None
        match reference:
            case (said, (int(width), int(height))):
                answer, size = said, (width, height)
        if size is None and self.lenient != "none" and KINDS[self.kind].grounding:
            raise ValueError("boxes are read leniently: give (answer, (width, height))")
        if not isinstance(answer, str | ParsedReply):
            raise ValueError(f"an answer is a text, not {type(answer).__name__}")
        parsed = read_answer(self.kind, answer) if isinstance(answer, str) else answer
        return Truth("", self.kind, parsed, size)
