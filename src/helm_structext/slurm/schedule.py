"""What is done with jobs until all have ended: a look at them now and then, and what follows from it."""

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from helm.common.hierarchical_logger import hlog, hwarn

from helm_structext.errors import SetupError
from helm_structext.helm.watch import Failed
from helm_structext.slurm import commands
from helm_structext.slurm.attempts import Done, Queue, State, Submitted, Waiting, advance, begin
from helm_structext.slurm.attempts import Failed as JobFailed
from helm_structext.slurm.caches import keys_of_caches, take_over
from helm_structext.slurm.endings import ACTIVE
from helm_structext.slurm.jobs import (
    NAME,
    Job,
    describe,
    job_name,
    jobs_folder,
    key_of,
    last_attempt,
    log_file,
    make_folder,
    unset_done,
    worker_command,
)
from helm_structext.slurm.options import Options
from helm_structext.slurm.refusals import passes, remedy
from helm_structext.storage.locks import lock
from helm_structext.texts import one_line

Jobs = dict[str, Job]
States = dict[str, State]
"""By the keys of the jobs."""


def run_jobs(
    runs: Sequence[Job],
    options: Options,
    is_written: Callable[[Job], bool],
    exit_on_error: bool,
) -> list[Failed]:
    """Runs jobs, and those that they need before them, until all have ended.

    Args:
        runs: a job for each run.
        options: the user's.
        is_written: whether the files of a run are there.
        exit_on_error: whether the first failure ends all.

    Returns:
        The runs that failed, and why.

    Raises:
        SetupError: Slurm takes no jobs.
    """
    if not runs:
        return []
    jobs = {job.key: job for run in runs for job in (*run.needs, run)}
    folder = jobs_folder(runs[0].call).parent  # all suites have one lock: they share caches
    make_folder(runs[0].call, folder)
    states: States = {}
    cleared: set[str] = set()
    try:
        while True:
            with _scheduler_lock(folder):
                queue = _queue(begun=bool(states))
                if queue is not None and not states:
                    for job in jobs.values():
                        describe(job)
                    active = {key_of(name) for name, job in queue.items() if job.state in ACTIVE}
                    for run in runs:
                        take_over(run, keys_of_caches(run) - active)
                    states.update(
                        {key: _begin(job, queue, is_written) for key, job in jobs.items()}
                    )
                _update_states(jobs, states, queue, is_written, options)
                for run in runs:
                    # Once, and at once: later, the folders may be those of a call that began anew.
                    if isinstance(states.get(run.key), Done) and run.key not in cleared:
                        _clear(run)
                        cleared.add(run.key)
                if exit_on_error and _failures(runs, states):
                    break
                if queue is not None:
                    _submit(runs, states, queue, options)
            if states and not _is_pending(runs, states):
                break
            _log_progress(states, queue)
            time.sleep(options.seconds)
    finally:
        _cancel({key for key in jobs if not isinstance(states.get(key), Done | JobFailed)})
    return _failures(runs, states)


@contextmanager
def _scheduler_lock(folder: Path) -> Iterator[None]:
    """Two calls of `helm-run` look at jobs one after the other, so that none submits what another did."""
    with (folder / "lock").open("a") as file:
        lock(file, wait=True)
        yield


def _queue(begun: bool) -> Queue | None:
    try:
        return commands.list_jobs()
    except commands.Refused as refused:
        if not begun and passes(str(refused), 0) is None:
            raise SetupError(f"Slurm does not tell the states of jobs: {refused}") from refused
        hwarn(f"Slurm does not tell the states of jobs: {refused}")
        return None


def _begin(job: Job, queue: Queue, is_written: Callable[[Job], bool]) -> State:
    state = begin(job, queue)
    if job.part is None and isinstance(state, Done) and not is_written(job):
        unset_done(job.folder)  # somebody deleted the run
        return Waiting(last_attempt(job), 0)
    return state


def _update_states(
    jobs: Jobs,
    states: States,
    queue: Queue | None,
    is_written: Callable[[Job], bool],
    options: Options,
) -> None:
    for key, before in states.items():
        job = jobs[key]
        if isinstance(before, Waiting | Submitted) and not job.folder.is_dir() and is_written(job):
            states[key] = Done()  # Another call saw the end of the run first, and cleared up.
            continue
        state = states[key] = advance(job, before, queue, options.attempts)
        if isinstance(state, JobFailed) and state != before:
            hwarn(f"{job}: {state.reason}")
        elif isinstance(before, Submitted) and isinstance(state, Waiting):
            log = log_file(job, before.attempt)
            hlog(f"{job} ended without a result, and is run again; its log is {log}")


def _clear(run: Job) -> None:
    """Removes what the jobs of a run that is done have left; HELM's cache of the run has their rows."""
    ended = (*run.needs, run)
    take_over(run, {job.key for job in ended})
    for job in ended:
        shutil.rmtree(job.folder, ignore_errors=True)


def _is_pending(runs: Sequence[Job], states: States) -> bool:
    """Whether anything is still to be waited for."""
    return any(isinstance(state, Submitted) for state in states.values()) or any(
        _ready(runs, states)
    )


def _ready(runs: Sequence[Job], states: States) -> Iterator[Job]:
    """Yields the jobs that wait for nothing but Slurm; those of a run that failed are given up."""
    for run in runs if states else ():
        needed = [states[job.key] for job in run.needs]
        if any(isinstance(state, JobFailed) for state in needed):
            continue
        waiting = run.needs if not all(isinstance(state, Done) for state in needed) else [run]
        yield from (job for job in waiting if isinstance(states[job.key], Waiting))


def _submit(runs: Sequence[Job], states: States, queue: Queue, options: Options) -> None:
    listed = {job.number for job in queue.values() if job.state in ACTIVE}
    listed.discard(os.environ.get("SLURM_JOB_ID", ""))  # where helm-run itself is a job
    active = sum(isinstance(state, Submitted) for state in states.values())
    for job in list(_ready(runs, states))[: max(options.jobs - active, 0)]:
        state = states[job.key]
        assert isinstance(state, Waiting)
        attempt = state.attempt + 1
        describe(job)  # Somebody may have removed its folder.
        try:
            number = commands.submit(
                job_name(job, attempt),
                worker_command(job, attempt),
                Path(job.call.folder),
                log_file(job, attempt),
                options.sbatch,
            )
        except commands.Refused as refused:
            reason = passes(str(refused), len(listed))
            if reason is None:
                said = f"Slurm refuses jobs: {refused}; {remedy(str(refused))}"
                raise SetupError(said) from refused
            hwarn(f"Slurm takes no job now: {refused}; {reason}")
            return
        states[job.key] = Submitted(attempt, state.tries + 1)
        active += 1
        listed.add(number)
        hlog(f"Slurm job {number}: {job}, attempt {state.tries + 1} of {options.attempts}")


def _log_progress(states: States, queue: Queue | None) -> None:
    counts = Counter(type(state).__name__.lower() for state in states.values())
    known = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
    mine = [
        job
        for name, job in (queue or {}).items()
        if job.state in ACTIVE and name.startswith(f"{NAME}-")
    ]
    reasons = Counter(
        job.state.lower() if job.reason == "None" else f"{job.state.lower()} ({job.reason})"
        for job in mine
    )
    slurms = ", ".join(f"{number} {reason}" for reason, number in reasons.most_common())
    hlog(one_line(f"Jobs: {known}{f'; in Slurm: {slurms}' if slurms else ''}"))


def _cancel(keys: set[str]) -> None:
    """Cancels what Slurm still has of the jobs of some keys."""
    if not keys:
        return
    try:
        queue = commands.list_jobs()
        commands.cancel(
            listed.number
            for name, listed in queue.items()
            if listed.state in ACTIVE and key_of(name) in keys
        )
    except (commands.Refused, SetupError) as error:
        hwarn(f"Jobs could not be cancelled: {error}; those named {NAME}-… may still run")


def _failures(runs: Sequence[Job], states: States) -> list[Failed]:
    failed: list[Failed] = []
    for run in runs:
        ended = (states.get(job.key) for job in (*run.needs, run))
        reasons = [state.reason for state in ended if isinstance(state, JobFailed)]
        failed += [(run.run_spec.name, SetupError(reason)) for reason in reasons[:1]]
    return failed
