"""HELM's caches of jobs: each job writes its own, and nothing that was asked for is asked again.

HELM's cache is files of SQLite, which many writers on a network file system may damage. So each job
has a folder of its own inside that of its run, named by the job's key, and begins with what the run
has. When the job has ended, however that was, `helm-run` takes its rows over. The run's folder is
named by the run alone. So jobs of another suite, split or number of instances find the rows, as those
of HELM's own runner would.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from helm.common.hierarchical_logger import hwarn

from helm_structext.errors import SetupError
from helm_structext.slurm.jobs import Job
from helm_structext.storage.cache import content_key

TABLE = "unnamed (key TEXT PRIMARY KEY, value BLOB)"
"""As HELM's SqliteDict makes it."""

SECONDS = 60
"""How long a file is waited for that another process reads or writes."""


def run_cache(job: Job) -> Path | None:
    """Returns the folder of the cache of a job's run, or None if HELM has no cache of files."""
    cache = job.call.execution_spec.sqlite_cache_backend_config
    if cache is None:
        return None
    return Path(job.call.folder, cache.path, "slurm", content_key(job.run_spec.name)[:24])


def begin_cache(job: Job) -> Path | None:
    """Returns the folder for HELM's cache of a job, which has all rows that its run has.

    Those of the jobs that it needs are among them.

    Raises:
        SetupError: a file is damaged, or the disk full.
    """
    whole = run_cache(job)
    if whole is None:
        return None
    own = whole / job.key
    copy_rows([whole, *(whole / part.key for part in job.needs)], own)
    return own


def keys_of_caches(job: Job) -> set[str]:
    """Returns the keys of jobs that left caches of a job's run, but for those of other users.

    Which of their jobs are running is known to them alone.
    """
    whole = run_cache(job)
    if whole is None or not whole.is_dir():
        return set()
    return {
        path.name for path in whole.iterdir() if path.is_dir() and path.stat().st_uid == os.getuid()
    }


def take_over(job: Job, keys: Iterable[str]) -> None:
    """Takes the rows of jobs that have ended over into the cache of their run, and removes theirs.

    What can't be read stays where it is, with a warning.

    Args:
        job: any of the run.
        keys: of the jobs that have ended.
    """
    whole = run_cache(job)
    for folder in [whole / key for key in sorted(keys)] if whole else ():
        try:
            copy_rows([folder], folder.parent)
        except SetupError as error:
            hwarn(str(error))
        else:
            shutil.rmtree(folder, ignore_errors=True)


def copy_rows(sources: Iterable[Path], target: Path) -> None:
    """Copies what a folder of HELM's caches lacks from other ones; what it has stays.

    Raises:
        SetupError: a file is damaged, or the disk full.
    """
    target.mkdir(parents=True, exist_ok=True)
    for path in (path for source in sources for path in sorted(source.glob("*.sqlite"))):
        try:
            with closing(sqlite3.connect(target / path.name, timeout=SECONDS)) as database:
                database.execute("ATTACH ? AS source", (str(path),))
                for name in ("source", "main"):  # A job may have died before it made its table.
                    database.execute(f"CREATE TABLE IF NOT EXISTS {name}.{TABLE}")
                database.execute(
                    "INSERT OR IGNORE INTO main.unnamed SELECT key, value FROM source.unnamed"
                )
                database.commit()
        except sqlite3.Error as error:
            raise SetupError(
                f"HELM's cache {path} can't be added to {target}: {error}; delete what is damaged"
            ) from error
