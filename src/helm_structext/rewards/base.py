"""What all rewards share: components and their weights, one result each, and batches."""

import logging
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, Literal, overload

from helm_structext.errors import SetupError, check_types
from helm_structext.image2struct.scores import DISTANCES
from helm_structext.passport import MAX_VALUE, Passport, make_reward_passport
from helm_structext.protocols import REWARD_PROTOCOL, MissingRule, ProtocolName, check_missing_rule
from helm_structext.rewards.batch import Batch, Task
from helm_structext.rewards.guards import GUARDS
from helm_structext.rewards.queue import WorkQueue, work_queue
from helm_structext.rewards.result import Measured, RewardResult
from helm_structext.scoring.handling import SETUP, Failure, NotScored, handle
from helm_structext.texts import one_line, quote_value

_log = logging.getLogger("helm.structext")

MachineFailures = Literal["none", "raise"]

NOT_IN_PASSPORTS = frozenset({"protocol", "judge", "findings", "machine_failures", "batch_seconds"})
"""What a reward may be told that changes no score, or has a part of its own in a passport."""


@dataclass(frozen=True)
class _Options:
    """What every reward may be told; see `BaseReward`."""

    failure: float = field(default=0.0, kw_only=True)
    guards: Collection[str] = field(default=GUARDS, kw_only=True)
    missing: MissingRule = field(default="zero", kw_only=True)
    machine_failures: MachineFailures = field(default="none", kw_only=True)
    batch_seconds: float | None = field(default=None, kw_only=True)


class BaseReward(_Options, ABC):
    """A reward: call it with a completion and its reference, or with lists of as many of both.

    Attributes:
        components: metric to weight; the score is the weighted sum.
        failure: the score of a completion that failed; not above what one that did not may have.
        guards: names of `helm_structext.rewards.GUARDS`: what they notice has failed.
        missing: what comes of a completion that can't be drawn for what is missing here: ``zero``, the
            score of a failure, or ``unscored``, None. A policy may learn to ask for what is nowhere.
        machine_failures: what comes of a completion that could not be scored for no fault of its
            own: ``none``, a result whose score is None, or ``raise``, a `NotScored` once all
            others of the batch are done.
        batch_seconds: after which what is not finished of a batch has no score; None waits.
    """

    components: Mapping[str, float]

    def __post_init__(self) -> None:
        check_types(Mapping, components=self.components)
        for name, weight in self.components.items():
            check_component(name, self.known_components())
            if not isinstance(weight, Real) or not isfinite(weight):
                raise ValueError(f"components[{name!r}]: expected a finite number, got {weight!r}")
            if name in DISTANCES and weight > 0:
                raise ValueError(
                    f"components[{name!r}]: less of it is better; give it a weight below 0"
                )
        if not isinstance(self.failure, Real) or not isfinite(self.failure):
            raise ValueError(f"failure: expected a finite number, got {self.failure!r}")
        lowest = sum(min(weight, 0.0) for weight in self.components.values())
        if self.failure > lowest:
            raise ValueError(
                f"failure is {self.failure:g}; expected at most {lowest:g}, which these components "
                "may give a completion that does not fail: failing must not be the better answer"
            )
        if isinstance(self.guards, str) or not isinstance(self.guards, Collection):
            raise ValueError(f"guards: expected a list of names, got {quote_value(self.guards)}")
        for guard in self.guards:
            if guard not in GUARDS:
                raise ValueError(
                    f"there is no guard {guard!r}; expected some of {', '.join(GUARDS)}"
                )
        check_missing_rule(self.missing, self.measured_by)
        if self.machine_failures not in ("none", "raise"):
            raise ValueError(
                f"machine_failures is {self.machine_failures!r}; expected none or raise"
            )
        if self.batch_seconds is not None and not self.batch_seconds > 0:
            raise ValueError(f"batch_seconds is {self.batch_seconds!r}; expected a number above 0")

    @abstractmethod
    def known_components(self) -> Collection[str]:
        """Returns the names that `components` may have."""

    @property
    @abstractmethod
    def lane(self) -> str:
        """What takes turns with other lanes of a batch: a format, or a kind of question."""

    @property
    def measured_by(self) -> ProtocolName:
        """The protocol by which completions are read."""
        return REWARD_PROTOCOL

    @property
    def passport(self) -> Passport:
        """All that can change a picture or a score of this reward here; what is logged beside scores is its hash.

        What the reward was told (components, guards, …) is in it, too.
        """
        names = [one.name for one in fields(self) if one.name not in NOT_IN_PASSPORTS]
        told = {f"reward {name}": _described(getattr(self, name)) for name in names}
        said = {"protocol": self.measured_by, "judge": self.judged_by, **told}
        return make_reward_passport(self.engines).having(**said)

    @property
    def judged_by(self) -> str | None:
        """Who looks at pictures for it, if anybody does."""
        return None

    @property
    def engines(self) -> Collection[str] | None:
        """The formats that it renders; None where it may be any."""
        return ()

    @property
    def queue(self) -> WorkQueue:
        """Where completions wait for their turn."""
        return work_queue()

    @abstractmethod
    def measure(self, completion: str, reference: Any) -> Measured:
        """Returns the components of a completion, and why it failed.

        Raises:
            SetupError: the machine fails.
        """

    @overload
    def __call__(self, completions: str, references: Any) -> RewardResult: ...
    @overload
    def __call__(
        self, completions: Sequence[str], references: Sequence[Any]
    ) -> list[RewardResult]: ...

    def __call__(self, completions: Any, references: Any) -> Any:
        """Scores one completion, or a batch; results are in the order of the completions."""
        if isinstance(completions, str):
            return self._checked(self.batch([completions], [references]).results())[0]
        return self._checked(self.batch(completions, references).results())

    async def score(
        self, completions: Sequence[str], references: Sequence[Any]
    ) -> list[RewardResult]:
        """As a call with lists, without blocking the event loop."""
        return self._checked(await self.batch(completions, references).results_async())

    def as_completed(
        self, completions: Sequence[str], references: Sequence[Any]
    ) -> Iterator[tuple[int, RewardResult]]:
        """Yields results as they come, each with the number of its completion, from 0."""
        for number, result in self.batch(completions, references).as_completed():
            yield number, self._checked([result])[0]

    async def as_completed_async(
        self, completions: Sequence[str], references: Sequence[Any]
    ) -> AsyncIterator[tuple[int, RewardResult]]:
        """As `as_completed`, without blocking the event loop."""
        async for number, result in self.batch(completions, references).as_completed_async():
            yield number, self._checked([result])[0]

    def batch(self, completions: Sequence[str], references: Sequence[Any]) -> Batch:
        """Begins a batch, which can be waited for or cancelled.

        Raises:
            TypeError: a completion is not a string.
            ValueError: there are not as many references as completions.
        """
        return Batch(self.tasks(completions, references), self.batch_seconds, self.queue)

    def tasks(self, completions: Sequence[str], references: Sequence[Any]) -> list[Task]:
        """Returns what there is to do, for a `Batch` that several rewards share."""
        check_types(Sequence, completions=completions, references=references)
        if len(completions) != len(references):
            raise ValueError(
                f"{len(completions)} completions and {len(references)} references; "
                "expected as many of both"
            )
        for number, completion in enumerate(completions):
            check_types(str, **{f"completions[{number}]": completion})
        return [
            Task(
                self.lane,
                _scoring(self, completion, reference),
                _preparation(self, reference),
                (id(self), completion, identity_of(reference)),
            )
            for completion, reference in zip(completions, references, strict=True)
        ]

    def weighted(self, measured: Measured) -> RewardResult:
        """Returns the score of what was measured."""
        failure = measured.failure and measured.failure.excuse(self.missing)
        weights = self.components if measured.weights is None else measured.weights
        found = ((name, measured.values.get(name)) for name in weights)
        # A metric that is not finite has no value: JSON could not say it either.
        values = {n: v if v is not None and isfinite(v) else None for n, v in found}
        if failure is not None and failure.fault != "model":
            return RewardResult(None, values, failure.kind, failure.message)
        if failure is not None:
            return RewardResult(self.failure, values, failure.kind, failure.message)
        if missing := [name for name, value in values.items() if value is None]:
            message = f"{' and '.join(missing)} have no value here; leave them out of components"
            return RewardResult(None, values, "internal", message)
        score = 0.0
        for name, weight in weights.items():  # the builtin sum rounds otherwise from 3.12 on
            score += weight * (values[name] or 0)
        if not isfinite(score):
            return RewardResult(None, values, "internal", f"the weighted sum is {score}")
        return RewardResult(score, values, findings=measured.findings)

    def noticed(self, guards: Mapping[str, Any], *looked_at: Any) -> Failure | None:
        """Returns what the first of some guards notices, of those that this reward has."""
        for name, guard in guards.items():
            if name in self.guards and (reason := guard(*looked_at)):
                return Failure(name, reason)
        return None

    def _checked(self, results: list[RewardResult]) -> list[RewardResult]:
        if self.machine_failures == "raise":
            for result in results:
                if result.score is None:
                    raise NotScored(Failure(str(result.error_kind), result.message))
        return results


def check_component(name: str, known: Collection[str]) -> None:
    """Raises ValueError, with the known names, if there is no such component.

    >>> check_component("ems", ["earth_mover_similarity"])
    Traceback (most recent call last):
    ValueError: there is no component 'ems'; expected some of earth_mover_similarity
    """
    if name not in known:
        near = get_close_matches(str(name), known, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(
            f"there is no component {quote_value(name)}{hint or ';'} expected some of {', '.join(known)}"
        )


def outcome(reward: BaseReward, completion: str, reference: Any) -> Measured:
    """Measures a completion, whatever goes wrong: what the machine fails at is a kind of failure, too."""
    try:
        found = handle("a completion", lambda: reward.measure(completion, reference))
    except SetupError as error:
        _log.error("A completion has no score: %s", error)
        return Measured({}, Failure(SETUP, str(error)))
    return Measured({}, found) if isinstance(found, Failure) else found


def identity_of(reference: Any, depth: int = 8) -> Hashable:
    """Returns what is equal for references that say the same; what can't be compared is equal to itself alone.

    Args:
        reference: as rewards take it.
        depth: how deep lists and mappings in it are looked into.

    >>> identity_of({"raw_output_metric": ["a"]}) == identity_of({"raw_output_metric": ["a"]})
    True
    >>> identity_of(["1"]) == identity_of([1])
    False
    """
    if isinstance(reference, str | bytes | int | float | Path | None):
        return type(reference).__name__, reference
    if depth > 0 and isinstance(reference, Mapping):
        pairs = ((key, identity_of(value, depth - 1)) for key, value in reference.items())
        return "mapping", frozenset(pairs)
    if depth > 0 and isinstance(reference, list | tuple):
        return "sequence", *(identity_of(one, depth - 1) for one in reference)
    if depth > 0 and is_dataclass(reference):
        return type(reference).__name__, identity_of(vars(reference), depth - 1)
    return id(reference)


def _described(value: Any) -> str | None:
    """What a reward was told, as a passport has it: the same for the same, in any order."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        value = [f"{name} {weight:g}" for name, weight in value.items()]
    if isinstance(value, Collection) and not isinstance(value, str):
        value = ", ".join(sorted(map(str, value))) or "none"
    return one_line(str(value), MAX_VALUE)


def _preparation(reward: BaseReward, reference: Any) -> Hashable:
    """What is equal for references that have to be prepared once for a reward."""
    return reward.lane, reference if isinstance(reference, str) else id(reference)


def _scoring(reward: BaseReward, completion: str, reference: Any) -> Callable[[], RewardResult]:
    return lambda: reward.weighted(outcome(reward, completion, reference))
