"""What a job runs: `python -m helm_structext.slurm.worker FOLDER ATTEMPT`."""

import os
import sys
from collections.abc import MutableMapping
from dataclasses import replace
from pathlib import Path

from helm.benchmark.config_registry import (
    register_builtin_configs_from_helm_package,
    register_configs_from_directory,
)
from helm.benchmark.run import import_user_plugins, load_entry_point_plugins
from helm.benchmark.runner import Runner, set_benchmark_output_path
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.common.hierarchical_logger import setup_default_logging

from helm_structext.helm.watch import note_failures, reason
from helm_structext.results.passports import join_run_passports
from helm_structext.slurm.caches import begin_cache
from helm_structext.slurm.jobs import Call, Job, read_job, set_done, set_failure
from helm_structext.slurm.parts import (
    AnnotatedAlready,
    KeepingAnnotationExecutor,
    MergingExecutor,
    PartExecutor,
)

RUNS = "runs"
"""The folder of what HELM writes of a part, in that of its job."""


def main() -> None:
    """Runs the job that a folder describes, and says there how it ended."""
    folder, attempt = Path(sys.argv[1]), int(sys.argv[2])
    try:
        job = read_job(folder)
        setup_default_logging(job.call.log_config)
        use_cores_of_job(os.environ)
        register(job.call)
        note_failures()
        run(job)
    except Exception as error:
        set_failure(folder, attempt, reason(error))
        raise
    set_done(folder)


def use_cores_of_job(environment: MutableMapping[str, str]) -> None:
    """Renders as many answers at a time as the job has cores, which the node may have more of."""
    if cores := environment.get("SLURM_CPUS_ON_NODE"):
        environment.setdefault("HELM_STRUCTEXT_WORKERS", cores)


def register(call: Call) -> None:
    """Makes HELM know what it knows in `helm-run`."""
    register_builtin_configs_from_helm_package()
    if call.execution_spec.local_path is not None:
        register_configs_from_directory(call.execution_spec.local_path)
    load_entry_point_plugins()
    import_user_plugins(call.plugins)
    if call.hub_models or call.local_models:
        from helm.benchmark import huggingface_registration as models  # which takes long to load

        for name in call.hub_models:
            models.register_huggingface_hub_model_from_flag_value(name)
        for name in call.local_models:
            models.register_huggingface_local_model_from_flag_value(name)
    set_benchmark_output_path(call.output_path)


def run(job: Job) -> None:
    """Does what the job is for, by HELM's own runner."""
    execution_spec = job.call.execution_spec
    if (cache := begin_cache(job)) is not None:
        execution_spec = replace(
            execution_spec, sqlite_cache_backend_config=SqliteCacheBackendConfig(str(cache))
        )
    runner = Runner(
        execution_spec,
        job.call.output_path,
        job.call.suite,
        skip_instances=False,
        cache_instances=False,  # many jobs would write the same file
        cache_instances_only=False,
        skip_completed_runs=False,
        exit_on_error=True,
    )
    annotation_spec = runner.annotator_executor.execution_spec
    if job.part is not None:
        runner.executor = PartExecutor(execution_spec, job.part, job.parts)
        runner.annotator_executor = KeepingAnnotationExecutor(annotation_spec, job.folder)
        # What HELM writes of a part is none of the suite's.
        runner.runs_path = str(job.folder / RUNS)
    elif job.needs:
        folders = [part.folder for part in job.needs]
        runner.executor = MergingExecutor(execution_spec, folders)
        runner.annotator_executor = AnnotatedAlready(annotation_spec)
    runner.run_one(job.run_spec)
    if job.needs:
        name = job.run_spec.name
        folder = Path(runner.runs_path) / name
        join_run_passports(folder, [part.folder / RUNS / name for part in job.needs])


if __name__ == "__main__":
    main()
