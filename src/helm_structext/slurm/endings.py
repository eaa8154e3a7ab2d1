"""How jobs end in Slurm: which states are ends, what they mean, and whether to run the job again."""

from dataclasses import dataclass

from helm_structext.slurm.options import PREFIX, SBATCH


@dataclass(frozen=True)
class Ending:
    """One way in which a job ends without a result.

    Args:
        said: what happened, for people; it follows on "the job".
        again: whether another attempt may fare better. What was asked and rendered so far is in
            caches, so that it goes on from there.
        remedy: what to do if it doesn't, or "".
    """

    said: str
    again: bool
    remedy: str = ""


ACTIVE = {
    "COMPLETING",
    "CONFIGURING",
    "PENDING",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESIZING",
    "RESV_DEL_HOLD",
    "RUNNING",
    "SIGNALING",
    "SPECIAL_EXIT",
    "STAGE_OUT",
    "STOPPED",
    "SUSPENDED",
}
"""States of jobs that Slurm still has something to do with."""

ENDINGS = {
    "BOOT_FAIL": Ending("had a node that did not start", True),
    "CANCELLED": Ending("was cancelled", False),
    "COMPLETED": Ending("ended without a result", True),
    "DEADLINE": Ending("missed its deadline", False, f"look at {PREFIX}{SBATCH}"),
    "FAILED": Ending("died", True),
    "NODE_FAIL": Ending("lost its node", True),
    "OUT_OF_MEMORY": Ending("ran out of memory", True, f"give it more by {PREFIX}MEMORY"),
    "PREEMPTED": Ending("was preempted", True, f"choose another {PREFIX}PARTITION"),
    "TIMEOUT": Ending(
        "ran out of time", True, f"give it more by {PREFIX}TIME, or split runs by {PREFIX}INSTANCES"
    ),
}
"""A row for each state of Slurm's in which a job has ended."""

LOST = Ending("is unknown to Slurm and left no result", True)
"""Slurm forgets what ended some minutes ago."""


def find_ending(state: str | None) -> Ending | None:
    """Returns how a job ended, or None if it has not.

    Args:
        state: Slurm's name of the job's state; None if Slurm does not know the job.

    >>> find_ending("RUNNING"), find_ending("TIMEOUT").said, find_ending(None) is LOST
    (None, 'ran out of time', True)
    """
    if state in ACTIVE:
        return None
    # A state that no Slurm had so far is an end, too: nobody waits for it for ever.
    return LOST if state is None else ENDINGS.get(state, Ending(f"is {state.lower()}", True))
