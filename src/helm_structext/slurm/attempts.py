"""Where a job is: waiting, given to Slurm, done or failed, and how it goes from one to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from helm_structext.slurm.commands import Listed
from helm_structext.slurm.endings import Ending, find_ending
from helm_structext.slurm.jobs import (
    Job,
    failure,
    is_done,
    job_name,
    key_of,
    last_attempt,
    last_line,
    log_file,
)


@dataclass(frozen=True)
class Waiting:
    """Slurm has no attempt of the job.

    Args:
        attempt: the number of the last one, or 0.
        tries: how many this call of `helm-run` made.
    """

    attempt: int
    tries: int


@dataclass(frozen=True)
class Submitted:
    """Slurm has an attempt.

    Args:
        attempt: its number.
        tries: how many this call made, with it.
        ended: whether it had ended without a result when it was looked at last.
    """

    attempt: int
    tries: int
    ended: bool = False


@dataclass(frozen=True)
class Done:
    """The job has left its result."""


@dataclass(frozen=True)
class Failed:
    """The job will not leave a result.

    Args:
        reason: in one line.
    """

    reason: str


State = Waiting | Submitted | Done | Failed
Queue = Mapping[str, Listed]
"""What Slurm knows of the user's jobs, by their names."""


def begin(job: Job, queue: Queue) -> State:
    """Returns where a job is that an earlier call may have begun."""
    if is_done(job):
        return Done()
    numbers = (name.rpartition("-")[2] for name in queue if key_of(name) == job.key)
    listed = max((int(number) for number in numbers if number.isdecimal()), default=0)
    if listed and _find_ending(job, listed, queue) is None:
        return Submitted(listed, 1)
    return Waiting(max(listed, last_attempt(job)), 0)


def advance(job: Job, state: State, queue: Queue | None, limit: int) -> State:
    """Returns where a job is after a look at its files and at Slurm.

    Args:
        job: the job.
        state: where it was.
        queue: Slurm's; None if it does not answer.
        limit: of attempts.
    """
    if isinstance(state, Waiting):
        # Where sbatch was not answered in time, or for another call of helm-run.
        there = queue is not None and job_name(job, state.attempt + 1) in queue
        return Submitted(state.attempt + 1, state.tries + 1) if there else state
    if not isinstance(state, Submitted):
        return state
    if is_done(job):
        return Done()
    if (said := failure(job, state.attempt)) is not None:
        return Failed(said)
    end = None if queue is None else _find_ending(job, state.attempt, queue)
    if end is None:
        return replace(state, ended=False)
    if not state.ended:
        # The result may be on its way through the network's file system.
        return replace(state, ended=True)
    if end.again and state.tries < limit:
        return Waiting(state.attempt, state.tries)
    return Failed(_reason(job, state, end, limit))


def _find_ending(job: Job, attempt: int, queue: Queue) -> Ending | None:
    listed = queue.get(job_name(job, attempt))
    return find_ending(listed.state if listed else None)


def _reason(job: Job, state: Submitted, end: Ending, limit: int) -> str:
    counted = f"attempt {state.tries} of {limit}, " if end.again else ""
    more = end.remedy or last_line(job, state.attempt)
    log = log_file(job, state.attempt)
    return f"the job {end.said} ({counted}log {log}){f': {more}' if more else ''}"
