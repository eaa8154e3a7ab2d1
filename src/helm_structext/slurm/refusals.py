"""What Slurm says when it does not do what it is asked for: what passes, and what never does.

sbatch, squeue and scancel end with a text of Slurm's table of errors (``slurm_errno.c``); before one on
limits, sbatch prints the limit's name. Both are compared with the rows here, in small letters. A text
that no row has stays as it is until somebody changes something, be it an option or the cluster.
"""

from helm_structext.slurm.options import PREFIX, SBATCH

PASSING = {
    "unable to contact slurm controller": "the controller is down or restarts",
    "unable to create job record, try again": "the controller has too many jobs (MaxJobCount)",
    "resource temporarily unavailable": "the controller has too many jobs (MaxJobCount)",
    "maxjobcount limit reached": "the controller has too many jobs (MaxJobCount)",
    "requested nodes are busy": "nodes are starting",
    "standby mode": "another controller takes over",
    "process is shutting down": "the controller restarts",
    "communication connection failure": "the network, or the controller, is busy",
    "message send failure": "the network, or the controller, is busy",
    "message receive failure": "the network, or the controller, is busy",
    "socket timed out": "the network, or the controller, is busy",
    "connection timed out": "the network, or the controller, is busy",
    "connection refused": "the network, or the controller, is busy",
    "zero bytes were transmitted or received": "the network, or the controller, is busy",
    "no answer within": "the network, or the controller, is busy",
    "rate limit exceeded": "the controller is asked too often",
    "assocgrpsubmitjobslimit": "jobs of the account have to end",
    "qosgrpsubmitjobslimit": "jobs of all users of the QOS have to end",
    "maxsubmitjobsperaccount": "jobs of the account have to end",
}
"""What passes without the user, and with what."""

OWN_JOBS = ("assocmaxsubmitjoblimit", "qosmaxsubmitjobperuserlimit")
"""How many jobs the user may have: what passes when some of them end, but not where there are none.

Clusters that want an account for each job say so to a job without one: it may have none at all.
"""

LASTING = {
    "time limit is invalid": "TIME",
    "wall": "TIME",
    "time specification": "TIME",
    "invalid partition": "PARTITION",
    "partition not available": "PARTITION",
    "memory": "MEMORY",
    "more processors": "CORES",
    "cpu": "CORES",
    "account": "ACCOUNT",
}
"""What does not pass: which option to look at first. Of rows that fit, the first counts."""


def passes(said: str, jobs: int) -> str | None:
    """Returns what a refusal passes with, or None if nobody need wait for that.

    Args:
        said: what Slurm's command printed.
        jobs: how many jobs the user has in Slurm, but for the one that this process is in.

    >>> passes("sbatch: error: Batch job submission failed: Resource temporarily unavailable", 0)
    'the controller has too many jobs (MaxJobCount)'
    >>> passes("sbatch: error: QOSMaxSubmitJobPerUserLimit", 3)
    'some of your jobs have to end'
    >>> passes("Requested time limit is invalid (missing or exceeds some limit)", 3) is None
    True
    """
    text = said.lower()
    if jobs and any(name in text for name in OWN_JOBS):
        return "some of your jobs have to end"
    return next((reason for row, reason in PASSING.items() if row in text), None)


def remedy(said: str) -> str:
    """Returns what to do about a refusal that does not pass.

    >>> remedy("Invalid partition name specified")
    'look at HELM_STRUCTEXT_SLURM_PARTITION and HELM_STRUCTEXT_SLURM_SBATCH'
    """
    text = said.lower()
    option = next((option for row, option in LASTING.items() if row in text), "…")
    return f"look at {PREFIX}{option} and {PREFIX}{SBATCH}"
