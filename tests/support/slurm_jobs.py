"""Jobs without a cluster: descriptions of cheap runs, and a Slurm that does what a test says."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.presentation.run_entry import RunEntry
from helm.benchmark.run import run_entries_to_run_specs
from helm.common.authentication import Authentication
from helm.common.cache_backend_config import SqliteCacheBackendConfig

import helm_structext.helm.plugin  # noqa: F401
from helm_structext.slurm.commands import Listed, Refused
from helm_structext.slurm.jobs import Call, Job, key_of, set_done

TEXTS = "structeval:task=text_to_json,source=sample,model=structext/oracle"
FONTS = "mmr:task=font_color,source=sample,model=structext/oracle"


def make_call(folder: Path) -> Call:
    local = folder / "prod_env"
    (local / "cache").mkdir(parents=True, exist_ok=True)
    return Call(
        version="0",
        folder=str(folder),
        execution_spec=ExecutionSpec(
            url=None,
            auth=Authentication(""),
            local_path="prod_env",
            parallelism=1,
            sqlite_cache_backend_config=SqliteCacheBackendConfig("prod_env/cache"),
        ),
        output_path="benchmark_output",
        suite="s",
        plugins=[],
        hub_models=[],
        local_models=[],
        log_config=None,
    )


def make_job(folder: Path, entry: str = TEXTS, parts: int = 1, instances: int = 3) -> Job:
    (run_spec,) = run_entries_to_run_specs([RunEntry(entry, 1, None)], max_eval_instances=instances)
    return Job(make_call(folder), run_spec, parts)


class FakeSlurm:
    """Stands for `helm_structext.slurm.commands`.

    Args:
        endings: what becomes of one job after the other: ``DONE`` for a job that leaves its result, or
            the state in which it ends, or a function of the job's folder and attempt.
    """

    Refused = Refused

    def __init__(
        self, *endings: str | Callable[[Path, int], str], known: dict[str, Listed] | None = None
    ):
        self._endings: Iterator = iter(endings)
        self.known = known or {}
        self.folders: list[Path] = []
        self.names: list[str] = []
        self.cancelled: list[str] = []
        self.refusals: list[str] = []
        self.silent: list[str] = []
        self.most = 0

    def submit(
        self, name: str, command: str, folder: Path, log: Path, options: Sequence[str]
    ) -> str:
        if self.refusals:
            raise Refused(self.refusals.pop(0))
        self.names.append(name)
        self.folders.append(log.parent)
        self.known[name] = Listed(str(len(self.names)), "PENDING", "Priority")
        self.most = max(self.most, sum(job.state == "PENDING" for job in self.known.values()))
        return str(len(self.names))

    def list_jobs(self) -> dict[str, Listed]:
        if self.silent:
            raise Refused(self.silent.pop(0))
        told = dict(self.known)
        for name, job in told.items():
            if job.state == "PENDING" and name in self.names:
                self._end(name, job)
        return told

    def _end(self, name: str, job: Listed) -> None:
        folder, attempt = self.folders[self.names.index(name)], int(name.rpartition("-")[2])
        assert folder.name == key_of(name)
        said = next(self._endings, "DONE")
        state = said(folder, attempt) if callable(said) else said
        if state == "DONE":
            set_done(folder)
            state = "COMPLETED"
        self.known[name] = Listed(job.number, state, "None")

    def cancel(self, numbers: Sequence[str]) -> None:
        self.cancelled += numbers
