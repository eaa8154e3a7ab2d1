"""Slurm's commands: one call submits a job, one tells the states of all, one cancels any number."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.texts import one_line

SECONDS = 180
"""Slurm's commands wait for a controller that is busy, sbatch for two minutes, but not for ever."""

FORMAT = "%i|%T|%r|%j"
"""What squeue tells of a job: number, state, reason, and the name, which may hold anything."""


class Refused(Exception):
    """Slurm did not do what it was asked for; `helm_structext.slurm.refusals` knows whether it may later."""


@dataclass(frozen=True)
class Listed:
    """What Slurm knows of a job.

    Args:
        number: Slurm's.
        state: its name, such as ``RUNNING``.
        reason: why it waits or ended, in Slurm's words, or ``None``.
    """

    number: str
    state: str
    reason: str


def submit(name: str, command: str, folder: Path, log: Path, options: Sequence[str]) -> str:
    """Submits a job, and returns Slurm's number of it.

    Args:
        name: of the job, which is letters, digits and ``-``.
        command: for the shell.
        folder: where it runs.
        log: a file for all that it prints.
        options: more of sbatch.

    Raises:
        Refused: the job was not taken.
        SetupError: there is no sbatch.
    """
    printed = _ask(
        "sbatch",
        *options,
        "--parsable",
        f"--job-name={name}",
        f"--chdir={folder}",
        f"--output={str(log).replace('%', '%%')}",
        # An attempt that Slurm itself made again would be counted by nobody.
        "--no-requeue",
        f"--wrap=exec {command}",
    )
    return printed.strip().partition(";")[0]


def list_jobs() -> dict[str, Listed]:
    """Returns the user's jobs by name, also those that ended a short while ago.

    Raises:
        Refused: Slurm does not answer.
        SetupError: there is no squeue.
    """
    # Without --all, a partition that is hidden hides its jobs from those who submitted them.
    command = ("squeue", "--me", "--all", "--noheader", "--states=all", f"--format={FORMAT}")
    return parse_jobs(_ask(*command))


def parse_jobs(printed: str) -> dict[str, Listed]:
    r"""Returns the jobs that squeue prints in `FORMAT`; of several of one name the last.

    >>> parse_jobs("7|RUNNING|None|a-1\n8|PENDING|Priority|b|c\n")["b|c"]
    Listed(number='8', state='PENDING', reason='Priority')
    """
    rows = (line.strip().split("|", 3) for line in printed.splitlines())
    return {row[3]: Listed(*row[:3]) for row in rows if len(row) == 4}


def cancel(numbers: Iterable[str]) -> None:
    """Cancels jobs by Slurm's numbers; those that have ended stay as they are.

    Raises:
        Refused: Slurm does not answer.
        SetupError: there is no scancel.
    """
    if named := sorted(numbers):
        _ask("scancel", *named)


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except FileNotFoundError as error:
        raise SetupError(
            f"The program '{command[0]}' was not found: start helm-run where Slurm's commands are"
        ) from error
    except OSError as error:
        raise Refused(one_line(f"{command[0]}: {error}")) from error
    except subprocess.TimeoutExpired as error:
        raise Refused(f"{command[0]}: no answer within {SECONDS} seconds") from error
    if done.returncode:
        raise Refused(one_line(done.stderr or f"{command[0]} ended with {done.returncode}"))
    return done.stdout
