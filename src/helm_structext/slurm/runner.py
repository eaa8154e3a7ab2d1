"""HELM's runner for Slurm: it makes jobs of runs, and waits for them."""

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.run import build_parser
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import Runner
from helm.benchmark.scenarios.scenario import (
    EVAL_SPLITS,
    create_scenario,
    get_scenario_cache_path,
)
from helm.common.codec import to_json
from helm.common.hierarchical_logger import hlog, htrack_block, hwarn

from helm_structext import __version__
from helm_structext.helm.watch import PROGRAMS, Failed, RunsFailed
from helm_structext.slurm.jobs import Call, Job
from helm_structext.slurm.options import read_options
from helm_structext.slurm.schedule import run_jobs

OURS = f"{__package__.partition('.')[0]}."
"""What the names of classes that look at one answer at a time begin with."""


class SlurmRunner(Runner):
    """Runs each run, or each part of one, as a job of Slurm.

    The arguments are those of HELM's `Runner`; `helm_structext.slurm.options` reads the environment.

    Raises:
        SetupError: a variable of the environment makes no sense.
    """

    def __init__(
        self,
        execution_spec: ExecutionSpec,
        output_path: str,
        suite: str,
        *how: bool,
        **named: bool,
    ) -> None:
        super().__init__(execution_spec, output_path, suite, *how, **named)
        self._options = read_options()
        self._call = Call(
            version=__version__,
            folder=str(Path.cwd()),
            execution_spec=execution_spec,
            output_path=output_path,
            suite=suite,
            **given_to_helm_run(sys.argv),
        )
        self._numbers: dict[str, int] = {}

    def run_all(self, run_specs: list[RunSpec]) -> None:
        """Runs them, and returns when all have ended.

        Interrupted by Ctrl-C or an error, it cancels its jobs. Killed, it leaves them to Slurm, and the
        same call finds them again.

        Raises:
            RunsFailed: some have failed.
            SetupError: Slurm takes no jobs.
        """
        if self.dry_run or self.skip_instances or self.cache_instances_only:
            super().run_all(run_specs)  # which takes no machines
            return
        if self.cache_instances:
            hwarn("--cache-instances does nothing here: many jobs would write the same file")
        jobs: list[Job] = []
        failed: list[Failed] = []
        for run_spec in run_specs:
            if self.skip_completed_runs and self._is_run_completed(self._get_run_path(run_spec)):
                hlog(f"Skipping run {run_spec.name} because run is completed.")
                continue
            try:
                jobs.append(Job(self._call, run_spec, self._parts(run_spec)))
            except Exception as error:
                hlog(f"Error when counting {run_spec.name}:\n{traceback.format_exc()}")
                failed.append((run_spec.name, error))
        with htrack_block(f"Running {len(jobs)} runs on Slurm"):
            if not (failed and self.exit_on_error):
                failed += run_jobs(jobs, self._options, self._is_written, self.exit_on_error)
        if failed:
            raise RunsFailed(failed)

    def _is_written(self, job: Job) -> bool:
        return bool(self._is_run_completed(self._get_run_path(job.run_spec)))

    def _parts(self, run_spec: RunSpec) -> int:
        """How many jobs share the instances of a run."""
        at_most = self._options.instances
        if not at_most or not all(
            spec.class_name.startswith(OURS) for spec in run_spec.annotators or ()
        ):
            return 1  # others' annotators may look at all answers together
        most = run_spec.adapter_spec.max_eval_instances
        number = most if most is not None and most <= at_most else self._number(run_spec)
        return -(-max(number, 1) // at_most)

    def _number(self, run_spec: RunSpec) -> int:
        """How many instances a run has; those of the same scenario are counted once."""
        adapter, spec = run_spec.adapter_spec, run_spec.scenario_spec
        splits = adapter.eval_splits or EVAL_SPLITS
        key = to_json([spec.class_name, spec.args, splits])
        if key not in self._numbers:
            scenario = create_scenario(spec)
            folder = get_scenario_cache_path(self.output_path, scenario.name)
            with htrack_block(f"Counting the instances of {run_spec.name}"):
                instances = scenario.get_instances(folder)
            self._numbers[key] = sum(instance.split in splits for instance in instances)
        most = adapter.max_eval_instances
        return self._numbers[key] if most is None else min(self._numbers[key], most)


def given_to_helm_run(argv: Sequence[str]) -> dict[str, Any]:
    """Returns what `helm-run` was told and tells no runner, as arguments of `Call`.

    Args:
        argv: the program and its arguments.

    >>> given_to_helm_run(["/bin/helm-run", "-m", "1", "--plugins", "a.b"])["plugins"]
    ['a.b']
    """
    named = Path(argv[0]).name in PROGRAMS
    given, _ = build_parser().parse_known_args(argv[1:] if named else ["-m", "1"])
    return {
        "plugins": given.plugins or [],
        "hub_models": given.enable_huggingface_models,
        "local_models": given.enable_local_huggingface_models,
        "log_config": given.log_config,
    }
