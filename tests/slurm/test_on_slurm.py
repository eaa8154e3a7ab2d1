"""Whole evaluations on Slurm itself, and what becomes of them when something of it dies."""

import json
import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from helm_structext.slurm.endings import ACTIVE
from support.caches import without_renderings
from support.documents import blocks
from support.helm import BIN, init, run, suite
from support.slurm import Cluster, slurm_cluster, wait_for

SAME = ("--suite", "s", "-m", "3", "-n", "2", "--plugins", "./hold.py")
RUNNER = "--runner-class-name", "helm_structext.slurm.SlurmRunner"
FORMULAS = "image2struct_latex:subset=equation,source=sample,model=structext/replay-careless"
TEXTS = "structeval:task=text_to_json,source=sample,model=structext/oracle"
ENTRIES = ("mmr:task=font_color,source=sample,model=structext/replay-careless", TEXTS, FORMULAS)
FILES = ("run_spec", "scenario", "scenario_state", "stats", "per_instance_stats")
RUN_TIME = re.compile(rb'(?<="seconds": )[\d.e-]+')
"""How long a picture took; offline models take no time."""

HOLD = """
# A plugin: jobs wait while there is a file named hold, and helm-run itself does not.
import os, sys, time
from pathlib import Path

if Path(sys.argv[0]).name == "worker.py":
    Path(f"holding-{os.environ['SLURM_JOB_ID']}").touch()
    while Path("hold").exists():
        time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    with slurm_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def folder(tmp_path, cluster) -> Path:
    """A folder with models, whose renderings nobody else has, and no job of another test's."""
    init(tmp_path)
    without_renderings(tmp_path / "cache")
    (tmp_path / "hold.py").write_text(HOLD)
    return tmp_path


class HelmRun:
    """A call of helm-run, with options of `helm_structext.slurm.options`."""

    def __init__(self, folder: Path, *arguments: str, **options: object) -> None:
        said = {f"HELM_STRUCTEXT_SLURM_{name}": str(value) for name, value in options.items()}
        self.log = folder / f"helm-run-{len(list(folder.glob('helm-run-*.log')))}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [BIN / "helm-run", *SAME, *arguments],
                cwd=folder,
                env={
                    **os.environ,
                    "HELM_STRUCTEXT_CACHE": str(folder / "cache"),
                    "HELM_STRUCTEXT_SLURM_SECONDS": "1",
                    **said,
                },
                stdout=log,
                stderr=log,
                # Ctrl-C counts, also where the tests run in the background.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )

    def ends_with(self, status: int) -> list[str]:
        """Waits for its end, and returns the lines of its log."""
        ended = self.process.wait()
        said = self.log.read_text()
        assert ended == status, said[-4000:]
        return said.splitlines()


@pytest.fixture(scope="module")
def plain(tmp_path_factory, cluster) -> Path:
    """What helm-run writes without Slurm."""
    folder = tmp_path_factory.mktemp("plain")
    init(folder)
    without_renderings(folder / "cache")
    (folder / "hold.py").write_text(HOLD)
    HelmRun(folder, "--exit-on-error", "-r", *ENTRIES).ends_with(0)
    return suite(folder)


def differing(plain: Path, other: Path) -> list[str]:
    """The files of the other suite that are not as the plain one has them, run times aside."""
    runs = [run for run in other.iterdir() if (run / "stats.json").exists()]
    assert runs
    return [
        f"{run.name}/{name}"
        for run in runs
        for name in FILES
        if RUN_TIME.sub(b"", (run / f"{name}.json").read_bytes())
        != RUN_TIME.sub(b"", (plain / run.name / f"{name}.json").read_bytes())
    ]


def leftovers(folder: Path) -> list[Path]:
    """Folders of jobs that are still there."""
    return [path.parent for path in folder.glob("benchmark_output/slurm/*/*/job.json")]


def test_a_suite_on_two_nodes_is_that_of_helm_run(plain, folder, cluster):
    before = cluster.jobs().keys()
    HelmRun(folder, *RUNNER, "-r", *ENTRIES, SBATCH="--comment='a b; c'", TIME="10").ends_with(0)
    assert len(list(suite(folder).glob("*/stats.json"))) == len(ENTRIES)
    assert differing(plain, suite(folder)) == []
    assert len(cluster.jobs().keys() - before) == len(ENTRIES)
    wait_for(
        lambda: {cluster.jobs()[job] for job in cluster.jobs().keys() - before} == {"COMPLETED"},
        "the jobs, which end by themselves",
    )
    assert leftovers(folder) == []


def test_a_run_split_over_three_jobs_is_that_of_one(plain, folder, cluster):
    before = cluster.jobs().keys()
    HelmRun(folder, *RUNNER, "-r", FORMULAS, INSTANCES=1, MEMORY="500M", CORES=1).ends_with(0)
    assert differing(plain, suite(folder)) == []
    assert len(cluster.jobs().keys() - before) == 4
    assert leftovers(folder) == []
    # The scores that the parts found are in the run's cache, and those of the parts have gone.
    (cache,) = folder.glob("prod_env/cache/slurm/*")
    assert [path.name for path in cache.iterdir()] == ["score.sqlite"]

    # Another suite, split in another way, finds them all.
    def rows() -> list[str]:
        with closing(sqlite3.connect(cache / "score.sqlite")) as database:
            return sorted(key for (key,) in database.execute("SELECT key FROM unnamed"))

    found = rows()
    HelmRun(folder, *RUNNER, "-r", FORMULAS, "--suite", "t", INSTANCES=2).ends_with(0)
    assert len(cluster.jobs().keys() - before) == 4 + 3
    assert differing(plain, suite(folder).with_name("t")) == []
    assert list(folder.glob("prod_env/cache/slurm/*")) == [cache]
    assert [path.name for path in cache.iterdir()] == ["score.sqlite"]
    assert rows() == found


def holding(folder: Path) -> set[str]:
    """Slurm's numbers of the jobs that wait for the file to go."""
    return {path.name.removeprefix("holding-") for path in folder.glob("holding-*")}


def test_a_job_that_is_preempted_or_runs_out_of_time_is_run_again_up_to_a_limit(folder, cluster):
    (folder / "hold").touch()
    helm_run = HelmRun(folder, *RUNNER, "-r", TEXTS, ATTEMPTS=3)
    jobs: list[str] = []
    for end in (lambda job: cluster.preempt(), cluster.end, cluster.end):
        wait_for(lambda: len(holding(folder)) > len(jobs), "an attempt")
        (job,) = holding(folder) - {*jobs}
        end(job)
        jobs.append(job)
    lines = helm_run.ends_with(1)
    (said,) = [line for line in lines if line.startswith("1 run failed: ")]
    assert "the job ran out of time (attempt 3 of 3" in said
    assert "HELM_STRUCTEXT_SLURM_TIME" in said
    assert "RunsFailed" in lines[-1]
    assert [cluster.jobs()[job] for job in jobs] == ["PREEMPTED", "TIMEOUT", "TIMEOUT"]

    # Called again, it is tried anew.
    (folder / "hold").unlink()
    HelmRun(folder, *RUNNER, "-r", TEXTS).ends_with(0)
    assert leftovers(folder) == []


def test_what_a_node_took_with_it_is_run_on_another(plain, folder, cluster):
    (folder / "hold").touch()
    helm_run = HelmRun(folder, *RUNNER, "-r", TEXTS, FORMULAS)
    wait_for(lambda: len(holding(folder)) == 2, "two jobs")
    (lost,) = cluster.running_on("one")
    cluster.kill_node("one")
    (folder / "hold").unlink()
    helm_run.ends_with(0)
    assert cluster.jobs()[lost] == "NODE_FAIL"
    assert len(holding(folder)) == 3
    assert differing(plain, suite(folder)) == []
    cluster.start_node("one")
    cluster.wait_until_idle()


def test_a_killed_helm_run_finds_its_jobs_and_submits_none_twice(plain, folder, cluster):
    before = cluster.jobs().keys()
    (folder / "hold").touch()
    helm_run = HelmRun(folder, *RUNNER, "-r", TEXTS, FORMULAS)
    wait_for(lambda: len(holding(folder)) == 2, "two jobs")
    helm_run.process.kill()
    helm_run.process.wait()
    jobs = cluster.jobs().keys() - before
    assert len(jobs) == 2

    helm_run = HelmRun(folder, *RUNNER, "-r", TEXTS, FORMULAS)
    wait_for(lambda: "2 submitted" in helm_run.log.read_text(), "its jobs")
    (folder / "hold").unlink()
    helm_run.ends_with(0)
    assert cluster.jobs().keys() - before == jobs
    assert differing(plain, suite(folder)) == []


def test_two_calls_of_helm_run_share_their_jobs_and_both_end_well(plain, folder, cluster):
    before = cluster.jobs().keys()
    (folder / "hold").touch()
    # The second looks seldom: when the first has ended, and cleared up.
    calls = [HelmRun(folder, *RUNNER, "-r", TEXTS, SECONDS=seconds) for seconds in (1, 8)]
    for call in calls:
        wait_for(lambda call=call: "1 submitted" in call.log.read_text(), "the job")
    (folder / "hold").unlink()
    for call in calls:
        call.ends_with(0)
    assert len(cluster.jobs().keys() - before) == 1
    assert differing(plain, suite(folder)) == []
    assert leftovers(folder) == []


def sbatch_file(header: str) -> str:
    """The file in the documents that begins with some options of sbatch."""
    (code,) = [block.code for block in blocks("sh") if f"#SBATCH {header} " in block.code]
    return code


def test_helm_run_is_a_job_itself_by_the_file_of_the_documents(plain, folder, cluster, monkeypatch):
    before = cluster.jobs().keys()
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(folder / "cache"))
    monkeypatch.setenv("HELM_STRUCTEXT_SLURM_SECONDS", "1")
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    job = cluster.submit(folder, sbatch_file("--job-name=evaluate"))
    wait_for(lambda: cluster.jobs()[job] not in ACTIVE, "the evaluation", 600)
    assert cluster.jobs()[job] == "COMPLETED", (folder / f"evaluate-{job}.log").read_text()[-3000:]
    assert len(cluster.jobs().keys() - before) == 2
    assert differing(plain, suite(folder)) == []


def test_shards_of_a_file_of_completions_are_scored_by_an_array(folder, cluster, monkeypatch):
    lines = [
        {"entry": entry, "instance": f"{name}{number}", "completion": text}
        for entry, name, text in (
            ("mmr:task=font_color,source=sample", "font_color-", "2"),
            ("structeval:task=text_to_json,source=sample", "00050", '{"a": [1]}'),
        )
        for number in range(2)
    ]
    (folder / "predictions.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run(folder, "helm-structext", "score-file", "predictions.jsonl", "-o", "whole.jsonl")
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    cluster.submit(folder, sbatch_file("--job-name=score-predictions --array=1-3"))
    merge = cluster.submit(
        folder, sbatch_file("--job-name=score-predictions --dependency=singleton")
    )
    wait_for(lambda: cluster.jobs()[merge] not in ACTIVE, "the merged file", 600)
    said = "".join(path.read_text()[-2000:] for path in folder.glob("*.log"))
    assert cluster.jobs()[merge] == "COMPLETED", said
    assert (folder / "scores-2.jsonl").read_bytes().count(b"\n") == 1
    assert (folder / "scores.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()


def test_ctrl_c_cancels_the_jobs_and_only_those(folder, cluster):
    other = cluster.ask("sbatch", "--parsable", "--wrap=exec sleep 600", "-o/dev/null").strip()
    (folder / "hold").touch()
    helm_run = HelmRun(folder, *RUNNER, "-r", TEXTS)
    wait_for(lambda: len(holding(folder)) == 1, "a job")
    helm_run.process.send_signal(signal.SIGINT)
    assert helm_run.process.wait() != 0
    (job,) = holding(folder)
    wait_for(lambda: cluster.jobs()[job] == "CANCELLED", "its end")
    assert cluster.jobs()[other] == "RUNNING"
    cluster.ask("scancel", other)


@pytest.mark.parametrize(
    ("options", "said", "named"),
    [
        ({"PARTITION": "nowhere"}, "invalid partition specified: nowhere", "PARTITION"),
        ({"PARTITION": "closed"}, "Required partition not available", "PARTITION"),
        ({"PARTITION": "short", "TIME": "5"}, "Requested time limit is invalid", "TIME"),
        ({"MEMORY": "900G"}, "Memory specification can not be satisfied", "MEMORY"),
        ({"CORES": "64"}, "More processors requested than permitted", "CORES"),
        ({"SBATCH": "--no-such-option"}, "unrecognized option", "SBATCH"),
    ],
)
def test_what_slurm_refuses_is_said_at_once(folder, cluster, options, said, named):
    lines = HelmRun(folder, *RUNNER, "-r", TEXTS, **options).ends_with(1)
    assert said in lines[-1]
    assert f"HELM_STRUCTEXT_SLURM_{named}" in lines[-1]


def test_why_a_run_failed_is_said_by_its_job(folder, cluster):
    entry = "mmr:task=font_color,source=sample,model=structext/replay-none"
    lines = HelmRun(folder, *RUNNER, "-r", entry).ends_with(1)
    (said,) = [line for line in lines if line.startswith("1 run failed: ")]
    assert "there is no file prod_env/replay/none.jsonl" in said
