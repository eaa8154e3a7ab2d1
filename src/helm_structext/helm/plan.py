"""All that is known of a call of helm-run before any model is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from helm_structext.baselines import is_offline
from helm_structext.benchmarks import BENCHMARKS
from helm_structext.helm.planned_runs import RunOptions, planned_runs
from helm_structext.planning.estimate import Data, Load, PlannedRun, calibrate, hours, plan_load


@dataclass(frozen=True)
class Plan:
    """All that is known.

    Args:
        runs: that helm-run would make, finished ones included.
        loads: title of a benchmark to what its other runs take.
        data: of these runs.
        others: how many run entries are of other benchmarks than ours.
        seconds: format to what an answer takes on this machine; None if that was not asked.
        failures: format to why that is unknown.
    """

    runs: Sequence[PlannedRun]
    loads: Mapping[str, Load]
    data: Data
    others: int
    seconds: Mapping[str, float] | None
    failures: Mapping[str, str]

    @property
    def total(self) -> Load:
        """What all runs take."""
        return Load.total(self.loads.values())

    @property
    def longest(self) -> int:
        """Tokens that an answer of an unfinished run of a model has at most."""
        asked = [run for run in self.runs if not run.finished and not is_offline(run.model)]
        return max((run.max_tokens for run in asked), default=0)

    def record(self) -> dict[str, Any]:
        """Returns the plan as JSON."""
        return {
            "runs": len(self.runs),
            "finished": [run.name for run in self.runs if run.finished],
            "models": sorted({run.model for run in self.runs}),
            "entries_of_other_benchmarks": self.others,
            "benchmarks": {title: asdict(load) for title, load in self.loads.items()},
            "total": asdict(self.total),
            "downloads": [
                {"dataset": one.name, "config": one.config, "revision": one.revision, "bytes": size}
                for one, size in self.data.downloads.items()
            ],
            "on_this_disk": sorted(f"{one.name}/{one.config}" for one in self.data.here),
            "runs_like_the_sample": self.data.guessed,
            "hub": self.data.reasons,
            "seconds_per_answer": self.seconds,
            "not_measured": self.failures,
            "hours": None if self.seconds is None else hours(self.total.renderings, self.seconds),
            "longest_answer": self.longest,
        }


def make_plan(options: RunOptions, *, try_machine: bool) -> Plan:
    """Finds out what a call of helm-run will take.

    Args:
        options: of the call.
        try_machine: whether a few answers are rendered and scored, to know how fast this machine is.

    Raises:
        SetupError: there is nothing to run, or it can't be run.
    """
    known = {entry: one for one in BENCHMARKS if one.planning for entry in one.entries}
    runs, others = planned_runs(options, known)
    data = Data()
    loads: dict[str, list[Load]] = {known[run.entry].title: [] for run in runs}
    for run in runs:
        planning = known[run.entry].planning
        if not run.finished and planning:
            loads[known[run.entry].title].append(plan_load(run, planning, data))
    totals = {title: Load.total(of_runs) for title, of_runs in loads.items()}
    if not try_machine:
        return Plan(runs, totals, data, others, None, {})
    plannings = [one.planning for one in BENCHMARKS if one.planning]
    seconds, failures = calibrate(
        sorted(Load.total(totals.values()).renderings),
        lambda format: (job for planning in plannings for job in planning.jobs(format)),
    )
    return Plan(runs, totals, data, others, seconds, failures)
