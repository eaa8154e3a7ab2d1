"""The reward for answers to StructEval's questions: syntax, paths or keywords, and a judge."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.metrics import values_at_paths
from helm_structext.protocols import REWARD_PROTOCOL, ProtocolName, check_protocol
from helm_structext.renderers.limits import check_timeout
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.guards import OF_COMPLETIONS, OF_PATHS
from helm_structext.rewards.result import Measured, read_scored
from helm_structext.scoring.handling import JUDGE, REFERENCE, Failure
from helm_structext.storage.cache import renderings_folder
from helm_structext.structeval.judge import Judge
from helm_structext.structeval.rows import StructEvalQuestion, check_paths, is_pair
from helm_structext.structeval.scorer import score_answer
from helm_structext.structeval.scores import JUDGED, metrics_of
from helm_structext.structeval.tasks import TASKS


@dataclass(frozen=True)
class StructEvalReward(BaseReward):
    """Scores answers to one of StructEval's 44 tasks.

    A reference says what to look for: a list of paths or keywords, or a mapping with the columns
    ``raw_output_metric`` and, for a judge, ``VQA`` of the dataset.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        components: metric to weight, of `helm_structext.structeval.scores.metrics_of` the task. By
            default StructEval's own score (section 3), or without a judge its syntax and its keywords
            by their weights there.
        protocol: see `helm_structext.renderers.render`.
        timeout: seconds of work for a rendering, which begin when it does; by default the format's.
        judge: who looks at what is rendered, as `helm_structext.structeval.judge.Judge` describes;
            asked where a component needs it.
        failure: see `BaseReward`; so are `guards`, `missing`, `machine_failures` and
            `batch_seconds`.

    >>> reward = StructEvalReward("text_to_json")
    >>> result = reward('{"title": "Io"}', ["title", "moons[0].name"])
    >>> round(result.score, 6), dict(result.components)
    (0.6, {'syntax_score': 1.0, 'path_score': 0.5})
    >>> reward("not JSON", ["title"]).error_kind
    'syntax'
    """

    task: str
    components: Mapping[str, float] = field(default_factory=dict)
    protocol: ProtocolName = field(default=REWARD_PROTOCOL, kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)
    judge: Judge | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise ValueError(f"task is {self.task!r}; expected one of {', '.join(TASKS)}")
        check_protocol(self.protocol)
        if not self.components:
            object.__setattr__(self, "components", self._usual())
        if self._judged and self.judge is None:
            name = self._judged[0]
            raise ValueError(f"the component {name} of {self.task} needs a judge; there is none")
        super().__post_init__()
        check_timeout(self.timeout)

    def _usual(self) -> Mapping[str, float]:
        if not TASKS[self.task].rendered:
            return {"syntax_score": 0.2, "path_score": 0.8}
        if self.judge is None:
            return {"syntax_score": 2 / 3, "keyword_score": 1 / 3}
        return {"syntax_score": 0.2, "keyword_score": 0.1, "vqa_score": 0.7}

    def known_components(self) -> Collection[str]:
        return metrics_of([self.task], judged=self.judge is not None)

    @property
    def _judged(self) -> list[str]:
        """The components that need a judge."""
        return sorted(JUDGED & self.components.keys()) if TASKS[self.task].rendered else []

    @property
    def measured_by(self) -> ProtocolName:
        return self.protocol

    @property
    def lane(self) -> str:
        return TASKS[self.task].format

    @property
    def engines(self) -> Collection[str] | None:
        return [TASKS[self.task].format] if TASKS[self.task].rendered else []

    @property
    def judged_by(self) -> str | None:
        return self.judge.name if self.judge and self._judged else None

    def measure(self, completion: str, reference: Any) -> Measured:
        try:
            question = replace(_question(reference), task=self.task)
            if not TASKS[self.task].rendered:
                check_paths(question.keywords)
        except ValueError as error:
            return Measured({}, Failure(REFERENCE, str(error)))
        judge = self.judge if self._judged else None
        if judge and not question.pairs:
            return Measured({}, Failure(REFERENCE, "there is no VQA that the judge could be asked"))
        if refusal := self.noticed(OF_COMPLETIONS, completion):
            return Measured(dict.fromkeys(self.components, 0.0), refusal)
        if not TASKS[self.task].rendered and (refusal := self._says_nothing(completion, question)):
            return Measured(dict.fromkeys(self.components, 0.0), refusal)
        cache = renderings_folder() if judge else None
        found = score_answer(
            question, completion, self.protocol, judge, cache, timeout=self.timeout
        )
        if found.scores.get("judge_unreadable"):
            # In the benchmark the published rule makes it 0; it is not the completion's fault.
            return Measured({}, Failure(JUDGE, "the judge's reply can't be read"))
        return read_scored(found)

    def _says_nothing(self, completion: str, question: StructEvalQuestion) -> Failure | None:
        """What the guards see of the values at the paths that are asked for."""
        try:
            code = extract(completion, self.lane, self.protocol)
        except RenderError:  # scored as what it is
            return None
        values = values_at_paths(code, question.keywords, self.lane, protocol=self.protocol)
        return self.noticed(OF_PATHS, values)


def _question(reference: Any) -> StructEvalQuestion:
    """What a reference says.

    Raises:
        ValueError: it is none.
    """
    row = reference if isinstance(reference, Mapping) else {"raw_output_metric": reference}
    keywords, pairs = row.get("raw_output_metric"), row.get("VQA", [])
    if not isinstance(keywords, list | tuple) or not all(isinstance(one, str) for one in keywords):
        raise ValueError(
            "a reference is a list of paths or keywords, or a mapping with the columns "
            "raw_output_metric and VQA"
        )
    if not isinstance(pairs, list | tuple) or not all(map(is_pair, pairs)):
        raise ValueError("VQA is a list of pairs of question and answer, both texts")
    return StructEvalQuestion("", "", "", list(keywords), [dict(pair) for pair in pairs], None)
