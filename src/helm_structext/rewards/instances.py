"""The reward for any benchmark: completions of a run entry's instances, scored as in its runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from helm_structext.errors import SetupError
from helm_structext.protocols import REWARD_PROTOCOL, ProtocolName
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.guards import OF_COMPLETIONS
from helm_structext.rewards.result import Measured, read_scored
from helm_structext.scoring.handling import INTERNAL_ERROR, REFERENCE, Failure
from helm_structext.scoring.scorer import Door, Scorer
from helm_structext.texts import quote_value


@dataclass(frozen=True)
class InstanceReward(BaseReward):
    """Scores completions of the instances of a run, as the benchmark's own runs do.

    A reference is the id of an instance. All benchmarks have it; those whose rewards have a class of
    their own take references that are in no dataset there.

    Args:
        entry: the run entry, as in a conf file. Its judge, if there is one, is ``none``.
        components: metric to weight, of those that answers of the run may have; by default the last
            measure of the benchmark's tables.
        failure: the score of a completion that can't be read or rendered, or is noticed by a guard;
            see `BaseReward`, as for `guards`, `missing`, `machine_failures` and `batch_seconds`.

    Raises:
        SetupError: it is no run entry, its data can't be read, or it has a judge.

    >>> reward = InstanceReward("mmr:task=font_color,source=sample")
    >>> [result.score for result in reward(["2", "1"], ["font_color-0", "font_color-0"])]
    [1.0, 0.0]
    >>> reward("2", "font_color-999").message
    "mmr:task=font_color,source=sample has no instance 'font_color-999'"
    """

    entry: str
    components: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.components:
            object.__setattr__(self, "components", {self._run.measures[-1]: 1.0})
        super().__post_init__()

    @property
    def _run(self) -> "_Run":
        return _run_of(self.entry)

    def known_components(self) -> Collection[str]:
        return [name for name in self._run.scorer.metrics if name != INTERNAL_ERROR]

    @property
    def measured_by(self) -> ProtocolName:
        return self._run.protocol

    @property
    def lane(self) -> str:
        return self.entry

    @property
    def engines(self) -> Collection[str] | None:
        return None

    def measure(self, completion: str, reference: Any) -> Measured:
        run = self._run
        if not isinstance(reference, str) or reference not in run.items:
            said = f"{self.entry} has no instance {quote_value(str(reference))}"
            return Measured({}, Failure(REFERENCE, said))
        if refusal := self.noticed(OF_COMPLETIONS, completion):
            return Measured(dict.fromkeys(self.components, 0.0), refusal)
        return read_scored(run.scorer.score(run.items[reference], completion))


class _Run(NamedTuple):
    scorer: Scorer[Any]
    items: Mapping[str, Any]
    measures: Sequence[str]
    protocol: ProtocolName


@lru_cache(maxsize=32)
def _run_of(entry: str) -> _Run:
    from helm_structext.benchmarks import run_of_entry  # which names more than rewards need

    benchmark, run = run_of_entry(entry)
    assert benchmark.scoring is not None
    if run.all_arguments.get("judge"):
        raise SetupError(
            f"{run.name} has a judge, whom rewards of instances don't ask; add judge=none"
        )
    scorer = benchmark.scorer(run.arguments, Door())
    ids = {asked.key.id for asked in scorer.inputs()}
    items = {key.id: item for key, item in scorer.find(ids)}
    protocol = run.all_arguments.get("protocol", REWARD_PROTOCOL)
    return _Run(scorer, items, benchmark.scoring.measures, protocol)
