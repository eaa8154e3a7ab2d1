"""Jobs, each described in a folder of its own: what the worker needs, and what it leaves.

The folder's name is a hash of the description. So the same call of `helm-run` finds the folders of an
earlier one that was killed, with the results in them, and the jobs that are still in Slurm, whose
names are those of the folders. No other record could be lost or be out of date.
"""

import shlex
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.run_spec import RunSpec
from helm.common.codec import from_json, to_json

from helm_structext.errors import SetupError
from helm_structext.storage.cache import content_key, ensure_content, read_record, write_record
from helm_structext.texts import describe_error, one_line, shorten_text

NAME = "structext"
"""What the names of our jobs begin with."""

MAX_LOG = 2**16
"""Bytes at the end of a log that are looked at."""


@dataclass(frozen=True)
class Call:
    """What all jobs of a call of `helm-run` share.

    Args:
        version: of this package.
        folder: where `helm-run` was called; paths are relative to it.
        execution_spec: how HELM asks models.
        output_path: HELM's output folder.
        suite: the name of the suite.
        plugins: further modules that register components.
        hub_models: models of the Hugging Face Hub that `helm-run` names.
        local_models: the same of the user's folders.
        log_config: a file that says what HELM logs.
    """

    version: str
    folder: str
    execution_spec: ExecutionSpec
    output_path: str
    suite: str
    plugins: list[str]
    hub_models: list[str]
    local_models: list[str]
    log_config: str | None


@dataclass(frozen=True)
class Job:
    """A run, a part of one, or what puts its parts together.

    Args:
        call: that made it.
        run_spec: HELM's description of the run.
        parts: of the run; 1 if it is not split.
        part: its number, from 0 on; None of a whole run, and of the job that puts parts together.
    """

    call: Call
    run_spec: RunSpec
    parts: int = 1
    part: int | None = None

    @cached_property
    def key(self) -> str:
        """A hash of all that the job is."""
        return content_key(to_json(self))[:24]

    @property
    def folder(self) -> Path:
        """Where its description, logs and results are."""
        return jobs_folder(self.call) / self.key

    @cached_property
    def needs(self) -> tuple["Job", ...]:
        """The jobs whose results this one puts together."""
        if self.parts == 1 or self.part is not None:
            return ()
        return tuple(replace(self, part=part) for part in range(self.parts))

    def __str__(self) -> str:
        split = f", part {self.part + 1} of {self.parts}" if self.part is not None else ""
        return f"{self.run_spec.name}{', merged' if self.needs else split}"


def jobs_folder(call: Call) -> Path:
    """Returns the folder of the folders of all jobs of a suite."""
    return Path(call.folder, call.output_path, "slurm", content_key(call.suite)[:24])


def job_name(job: Job, attempt: int) -> str:
    """Returns Slurm's name of a job: nothing that a user or a dataset chose is in it."""
    return f"{NAME}-{job.key}-{attempt}"


def key_of(name: str) -> str:
    """Returns the key of the job of a name, or "" if the job is none of ours.

    >>> key_of("structext-0a1b2c-3"), key_of("interactive-1")
    ('0a1b2c', '')
    """
    ours, _, rest = name.partition("-")
    return rest.rpartition("-")[0] if ours == NAME else ""


def describe(job: Job) -> None:
    """Writes what the worker needs, where it is not there yet.

    Raises:
        SetupError: the folder is not writable.
    """
    make_folder(job.call, job.folder)
    ensure_content(job.folder / "job.json", to_json(job).encode())


def make_folder(call: Call, folder: Path) -> None:
    """Makes the folder of all jobs of a suite, or of one of them.

    Raises:
        SetupError: that is not possible.
    """
    try:
        # Descriptions may hold a key for HELM's server; results are read back as Python's objects.
        jobs_folder(call).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"{folder} can't be made: {describe_error(error)}") from error


def read_job(folder: Path) -> Job:
    """Returns the job that a folder describes."""
    return from_json((folder / "job.json").read_bytes(), Job)


def worker_command(job: Job, attempt: int) -> str:
    """Returns what the job runs, for the shell."""
    module = f"{__package__}.worker"
    return shlex.join([sys.executable, "-m", module, str(job.folder), str(attempt)])


def log_file(job: Job, attempt: int) -> Path:
    """Returns the file for what an attempt prints; it is there if the attempt began."""
    return job.folder / f"log-{attempt}.txt"


def last_attempt(job: Job) -> int:
    """Returns the number of the last attempt that began, or 0."""
    numbers = (path.stem.rpartition("-")[2] for path in job.folder.glob("log-*.txt"))
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def is_done(job: Job) -> bool:
    """Whether a job has left its result."""
    return _record(job.folder / "done.json") is not None


def set_done(folder: Path) -> None:
    """Says that a job has left its result."""
    write_record(folder / "done.json", {})


def unset_done(folder: Path) -> None:
    """Takes that back."""
    (folder / "done.json").unlink(missing_ok=True)


def failure(job: Job, attempt: int) -> str | None:
    """Returns why an attempt failed, if the worker could say it."""
    record = _record(_failure_file(job.folder, attempt))
    return None if record is None else str(record.get("reason"))


def set_failure(folder: Path, attempt: int, reason: str) -> None:
    """Says why an attempt failed."""
    write_record(_failure_file(folder, attempt), {"reason": reason})


def _failure_file(folder: Path, attempt: int) -> Path:
    return folder / f"failed-{attempt}.json"


def _record(path: Path) -> dict[str, object] | None:
    # Some network file systems ask the server only of files in folders that were just listed.
    there = path.parent.is_dir() and path in path.parent.iterdir()
    return read_record(path) if there else None


def last_line(job: Job, attempt: int) -> str:
    """Returns the last line that an attempt printed, in bounds, or "" if there is none."""
    try:
        with log_file(job, attempt).open("rb") as file:
            file.seek(0, 2)
            file.seek(max(file.tell() - MAX_LOG, 0))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return one_line(shorten_text(next((line for line in reversed(lines) if line.strip()), ""), 300))
