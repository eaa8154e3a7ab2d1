"""What users say of their cluster: environment variables, one row each."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from helm_structext.errors import SetupError
from helm_structext.texts import quote_value

PREFIX = "HELM_STRUCTEXT_SLURM_"

RESOURCES = {
    "ACCOUNT": "--account",
    "PARTITION": "--partition",
    "TIME": "--time",
    "MEMORY": "--mem",
    "CORES": "--cpus-per-task",
}
"""Options of sbatch. Of what is not set, sbatch's own variables and the cluster decide."""

SBATCH = "SBATCH"
"""The variable with any other options of sbatch, as in a shell."""

NUMBERS = {
    "ATTEMPTS": (3, 1),
    "JOBS": (100, 1),
    "INSTANCES": (0, 0),
    "SECONDS": (30, 1),
}
"""Numbers: what they are where nothing is set, and the smallest that makes sense."""


@dataclass(frozen=True)
class Options:
    """How jobs are made of runs.

    Args:
        sbatch: options of sbatch for every job.
        attempts: how often a job is run at most.
        jobs: how many Slurm has at a time at most.
        instances: of a job at most; 0 splits no run.
        seconds: between two looks at the jobs.
    """

    sbatch: tuple[str, ...]
    attempts: int
    jobs: int
    instances: int
    seconds: int


def read_options(environment: Mapping[str, str] = os.environ) -> Options:
    """Returns what the environment says.

    Raises:
        SetupError: a value makes no sense; the message names the variable.

    >>> read_options({"HELM_STRUCTEXT_SLURM_TIME": "2:00:00", "HELM_STRUCTEXT_SLURM_JOBS": "8"})
    Options(sbatch=('--time=2:00:00',), attempts=3, jobs=8, instances=0, seconds=30)
    """
    said = {
        name: environment.get(PREFIX + name, "").strip() for name in (*RESOURCES, *NUMBERS, SBATCH)
    }
    try:
        others = shlex.split(said[SBATCH])
    except ValueError as error:
        raise SetupError(f"{PREFIX}{SBATCH} is {quote_value(said[SBATCH])}: {error}") from error
    resources = [f"{option}={said[name]}" for name, option in RESOURCES.items() if said[name]]
    numbers = {name.lower(): _number(name, said[name]) for name in NUMBERS}
    return Options((*resources, *others), **numbers)


def _number(name: str, text: str) -> int:
    default, least = NUMBERS[name]
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise SetupError(
            f"{PREFIX}{name} is {quote_value(text)}; expected a number from {least} on"
        )
    return int(text)
