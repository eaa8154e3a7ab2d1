"""Whole evaluations on Slurm: `helm-run --runner-class-name helm_structext.slurm.SlurmRunner`.

HELM calls `SlurmRunner` instead of its own runner, in the process that the user starts. It describes
jobs in files (`jobs`), gives them to Slurm (`commands`), waits, and runs again what ran out of time,
lost its node or ended for another reason that may not come twice (`endings`); what Slurm refuses is
tried again if that may help (`refusals`). A job is a run, or a part of the instances of one. Jobs run
`worker`, which is HELM's own runner but for the instances of a part, for what the last job of a split
run takes from the parts (`parts`), and for HELM's cache, of which each job writes its own (`caches`).
"""

from helm_structext.slurm.runner import SlurmRunner

__all__ = ["SlurmRunner"]
