"""The one place that starts programs on what a model wrote.

`run` takes one program to its end in a sandbox of its own; `Process` is one that stays started, and
`ForkServer` one that forks for each job. `run_job` keeps to the number of jobs at a time and to the time of each, and
`workers` keeps started engines for the next job.
"""

from helm_structext.machine.programs import program
from helm_structext.sandbox.fork_server import ForkServer, JobReply
from helm_structext.sandbox.job_time import (
    Cancelled,
    advance_virtual,
    cancellable,
    job_clock,
    lendable,
    uncounted,
    watched_clocks,
)
from helm_structext.sandbox.limits import (
    MIB,
    START_SECONDS,
    Limits,
    limits_for,
    shell,
    tree,
    usage,
)
from helm_structext.sandbox.pool import EngineDied, run_job, worker_count, workers
from helm_structext.sandbox.process import Finished, Process, ProcessDied, run
from helm_structext.sandbox.profile import EPOCH, SandboxProfile

__all__ = [
    "EPOCH",
    "MIB",
    "START_SECONDS",
    "Cancelled",
    "EngineDied",
    "Finished",
    "ForkServer",
    "JobReply",
    "Limits",
    "Process",
    "ProcessDied",
    "SandboxProfile",
    "advance_virtual",
    "cancellable",
    "job_clock",
    "lendable",
    "limits_for",
    "program",
    "run",
    "run_job",
    "shell",
    "tree",
    "uncounted",
    "usage",
    "watched_clocks",
    "worker_count",
    "workers",
]
