"""Before a model is trained: whether a reward has anything to teach it, how sure it is, and what a step will take.

A group of completions of one prompt teaches by its differences: where all have the same reward, there is no
gradient (Shao and others, "DeepSeekMath", arXiv 2402.03300, section 4.1). So samples of the base model say before
what training would say after hours.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from statistics import fmean, pstdev

from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.files import RewardSample
from helm_structext.rewards.guards import GUARDS
from helm_structext.rewards.result import RewardResult
from helm_structext.sandbox import worker_count

REPEATED = 32
"""Different completions that are scored a second time, for the noise of renderer and judge."""
SAME = 1e-6
"""Rewards that differ by no more are the same."""
SATURATED = 0.99
"""Share of the highest reward from which on there is little left to learn."""
FEW = 0.5
"""Share of groups without gradient, or of rewards of nothing, from which on a warning says so."""
NOISY = 0.1
"""Noise, in the mean spread within groups, from which on a warning says so."""


@dataclass(frozen=True)
class StepCost:
    """What a step of training takes for its rewards.

    Args:
        completions: of a step.
        cores: that score them.
        seconds: of wall time.
        money: in the currency of the prices that were given.
    """

    completions: int
    cores: int
    seconds: float
    money: float


@dataclass(frozen=True)
class Preflight:
    """What samples say of a reward.

    Args:
        completions: how many there are.
        groups: group → the rewards of its completions that have one.
        nonzero: share of the rewards that are not the one of a failure, nor 0; None where there are none.
        saturated: share of the rewards of at least `SATURATED` of the highest; None where there are none.
        identical: share of the completions that are the same as an earlier one of their group.
        unscored: share without a reward, for no fault of their own.
        kinds: kind of failure → how many; guards are among them.
        noise: mean difference between two scorings of the same completion; None where none could be scored twice.
        work: mean seconds of work of a completion that is scored, by engines that have been started.
    """

    completions: int
    groups: Mapping[str, Sequence[float]]
    nonzero: float | None
    saturated: float | None
    identical: float
    unscored: float
    kinds: Mapping[str, int]
    noise: float | None
    work: float

    @cached_property
    def spreads(self) -> dict[str, float]:
        """Group → the standard deviation of its rewards; 0 where it has none."""
        return {group: pstdev(found) if found else 0.0 for group, found in self.groups.items()}

    @property
    def single(self) -> int:
        """How many groups have one completion, which teaches nothing by itself."""
        return sum(len(rewards) == 1 for rewards in self.groups.values())

    @property
    def flat(self) -> int:
        """How many groups have no gradient: their rewards are the same, or there are none."""
        return sum(spread <= SAME for spread in self.spreads.values())

    @property
    def spread(self) -> float:
        """The mean standard deviation of rewards within groups."""
        return fmean(self.spreads.values()) if self.spreads else 0.0

    @property
    def guards(self) -> dict[str, int]:
        """Guards that fired → how often."""
        return {name: self.kinds[name] for name in GUARDS if name in self.kinds}

    def step_cost(
        self,
        completions: int,
        cores: int,
        core_hour: float = 0.0,
        judged: float = 0.0,
    ) -> StepCost:
        """Returns what a step takes, of completions that are as often identical as these.

        Args:
            completions: of a step.
            cores: that score them.
            core_hour: price of a core for an hour.
            judged: price of a judge's look at a completion.
        """
        measured = completions * (1 - self.identical)
        work = measured * self.work
        return StepCost(
            completions, cores, work / cores, work / 3600 * core_hour + measured * judged
        )

    def warnings(self) -> Iterator[str]:
        """Yields what speaks against training with this reward on these prompts, the verdict first."""
        groups = len(self.groups)
        if self.flat:
            yield f"{self.flat} of {groups} groups have no gradient"
        if self.single:
            yield f"{self.single} of {groups} groups have one completion, which has nothing to differ from"
        if self.nonzero is not None and self.nonzero < FEW:
            yield f"{self.nonzero:.0%} of the rewards are not 0: the model hardly finds any"
        if self.saturated is not None and self.saturated >= FEW:
            yield f"{self.saturated:.0%} of the rewards are as high as can be: there is little to learn"
        if self.noise is not None and self.noise > NOISY * max(self.spread, SAME):
            yield (
                f"the same completion differs by {self.noise:.3g} from one scoring to the next, and "
                f"completions of a group by {self.spread:.3g}"
            )
        if self.guards:
            fired = ", ".join(f"{name} {number}" for name, number in self.guards.items())
            yield f"guards fired before any training: {fired}; look whether these are tricks"
        if self.unscored:
            yield f"{self.unscored:.0%} could not be scored, for no fault of their own; see their kinds"


def check_reward(reward: BaseReward, samples: Sequence[RewardSample]) -> Preflight:
    """Scores samples, and some of them twice.

    Args:
        reward: to train with.
        samples: of the base model, several for each prompt.

    >>> from helm_structext.rewards import MMRReward
    >>> words = ["EMMA", "EMMA", "anna", "EMMA"]
    >>> found = check_reward(MMRReward("text"), [RewardSample(word, "Emma", "1") for word in words])
    >>> found.flat, found.identical, found.noise
    (0, 0.5, 0.0)
    """
    completions = [sample.completion for sample in samples]
    references = [sample.reference for sample in samples]
    firsts = _find_firsts(samples)
    _start_engines(reward, [samples[number] for number in firsts])
    results = reward(completions, references)
    groups: dict[str, list[float]] = {sample.group: [] for sample in samples}
    for sample, result in zip(samples, results, strict=True):
        if result.score is not None:
            groups[sample.group].append(result.score)
    scores = [score for found in groups.values() for score in found]
    highest = fsum(max(weight, 0.0) for weight in reward.components.values())
    nothing = (0.0, reward.failure)
    return Preflight(
        completions=len(samples),
        groups=groups,
        nonzero=_share(score not in nothing for score in scores),
        saturated=_share(score >= SATURATED * highest for score in scores),
        identical=1 - len(firsts) / len(samples) if samples else 0.0,
        unscored=_share(result.score is None for result in results) or 0.0,
        kinds=Counter(result.error_kind for result in results if result.error_kind),
        noise=_measure_noise(reward, samples, results, firsts),
        work=fmean(results[number].worked for number in firsts) if firsts else 0.0,
    )


def _find_firsts(samples: Sequence[RewardSample]) -> list[int]:
    """The numbers of the samples that are not the same as an earlier one of their group."""
    seen: dict[tuple[str, str], int] = {}
    for number, sample in enumerate(samples):
        seen.setdefault((sample.group, sample.completion), number)
    return sorted(seen.values())


def _measure_noise(
    reward: BaseReward,
    samples: Sequence[RewardSample],
    results: Sequence[RewardResult],
    firsts: Sequence[int],
) -> float | None:
    """Scores some samples that have a score again."""
    scored = [number for number in firsts if results[number].error_kind is None]
    chosen = scored[:: max(len(scored) // REPEATED, 1)][:REPEATED]
    again = reward(
        [samples[number].completion for number in chosen],
        [samples[number].reference for number in chosen],
    )
    differences = [
        abs(one.score - first)
        for number, one in zip(chosen, again, strict=True)
        if one.score is not None and (first := results[number].score) is not None
    ]
    return fmean(differences) if differences else None


def _start_engines(reward: BaseReward, samples: Sequence[RewardSample]) -> None:
    """Scores a few samples for nothing: an engine that starts takes seconds, and those of no step but the first."""
    some = samples[: worker_count()]
    reward([one.completion for one in some], [one.reference for one in some])


def _share(those: Iterator[bool]) -> float | None:
    found = list(those)
    return sum(found) / len(found) if found else None
