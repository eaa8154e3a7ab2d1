"""What a job asked for is found again, whatever the suite, the split and the number of instances are."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from helm.common.cache import Cache, SqliteCacheConfig
from helm.common.cache_backend_config import SqliteCacheBackendConfig

from helm_structext.errors import SetupError
from helm_structext.slurm import schedule
from helm_structext.slurm.caches import begin_cache, keys_of_caches, run_cache, take_over
from helm_structext.slurm.commands import Listed
from helm_structext.slurm.jobs import Job, job_name
from helm_structext.slurm.options import Options
from support.slurm_jobs import FONTS, FakeSlurm, make_job


def begun(job: Job) -> Path:
    folder = begin_cache(job)
    assert folder is not None
    return folder


def ask(job: Job, key: str, answer: str = "new") -> str:
    """What HELM's cache of a job holds, or else what the model answers now."""
    cache = Cache(SqliteCacheConfig(str(begun(job) / "openai.sqlite")))
    value: str = cache.get({"key": key}, lambda: {"value": answer})[0]["value"]
    return value


def in_suite(job: Job, suite: str) -> Job:
    return replace(job, call=replace(job.call, suite=suite))


def other_jobs(folder: Path) -> dict[str, Job]:
    """Jobs that ask for the same, each in a way of its own."""
    split = make_job(folder, parts=2)
    return {
        "again": split.needs[1],
        "another part": split.needs[0],
        "another split": make_job(folder, parts=3).needs[2],
        "not split": make_job(folder),
        "more instances": make_job(folder, parts=2, instances=30).needs[1],
        "another suite": in_suite(split.needs[1], "december"),
    }


@pytest.mark.parametrize("name", other_jobs(Path()))
def test_what_a_job_asked_for_is_found_by_any_job_of_the_run(tmp_path, name):
    job = make_job(tmp_path, parts=2).needs[1]
    ask(job, "a", "paid for")
    take_over(job, [job.key])
    assert keys_of_caches(job) == set()
    other = other_jobs(tmp_path)[name]
    assert ask(other, "a") == "paid for"
    assert ask(other, "b") == "new"


def test_each_job_writes_its_own_and_another_attempt_goes_on(tmp_path):
    first, second = make_job(tmp_path, parts=2).needs
    ask(first, "a", "of the first")
    ask(second, "a", "of the second")
    assert (ask(first, "a"), ask(second, "a")) == ("of the first", "of the second")
    assert keys_of_caches(first) == {first.key, second.key}


def test_what_puts_parts_together_has_the_rows_of_all(tmp_path):
    job = make_job(tmp_path, parts=2)
    for number, part in enumerate(job.needs):
        ask(part, str(number), "asked")
    assert (ask(job, "0"), ask(job, "1"), ask(job, "2")) == ("asked", "asked", "new")


def test_runs_share_nothing(tmp_path):
    assert run_cache(make_job(tmp_path)) != run_cache(make_job(tmp_path, FONTS))


def test_rows_that_are_there_stay(tmp_path):
    job = make_job(tmp_path, parts=2)
    first, second = job.needs
    ask(first, "a", "first")
    ask(second, "a", "second")
    take_over(job, [first.key])
    take_over(job, [second.key])
    whole = run_cache(job)
    assert whole is not None
    with closing(sqlite3.connect(whole / "openai.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM unnamed").fetchone() == (1,)
    assert ask(job, "a") == "first"


def test_a_job_that_died_before_it_made_its_table_is_no_obstacle(tmp_path):
    job = make_job(tmp_path)
    (begun(job) / "openai.sqlite").touch()
    take_over(job, [job.key])
    assert keys_of_caches(job) == set()
    assert ask(job, "a") == "new"


def test_a_damaged_cache_of_a_job_stays_and_is_named(tmp_path, monkeypatch):
    job = make_job(tmp_path)
    (begun(job) / "openai.sqlite").write_bytes(b"no database" * 100)
    warned: list[str] = []
    monkeypatch.setattr("helm_structext.slurm.caches.hwarn", warned.append)
    take_over(job, [job.key])
    assert keys_of_caches(job) == {job.key}
    assert f"{job.key}/openai.sqlite can't be added" in warned[0]


def test_a_damaged_cache_of_the_run_ends_a_job(tmp_path):
    job = make_job(tmp_path)
    whole = run_cache(job)
    assert whole is not None
    whole.mkdir(parents=True)
    (whole / "openai.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(SetupError, match=f"{whole}/openai.sqlite can't be added"):
        begin_cache(job)


def test_caches_of_other_users_stay_theirs(tmp_path, monkeypatch):
    job = make_job(tmp_path)
    begun(job)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    assert keys_of_caches(job) == set()


def test_where_helm_has_no_cache_there_is_none(tmp_path):
    job = make_job(tmp_path)
    spec = replace(job.call.execution_spec, sqlite_cache_backend_config=None)
    job = replace(job, call=replace(job.call, execution_spec=spec))
    assert begin_cache(job) is None
    assert keys_of_caches(job) == set()
    take_over(job, [job.key])


def test_a_path_that_is_absolute_stays(tmp_path):
    job = make_job(tmp_path)
    config = SqliteCacheBackendConfig(str(tmp_path / "elsewhere"))
    spec = replace(job.call.execution_spec, sqlite_cache_backend_config=config)
    job = replace(job, call=replace(job.call, execution_spec=spec))
    assert begun(job).is_relative_to(tmp_path / "elsewhere")


def run(slurm: FakeSlurm, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "commands", slurm)
    options = Options(sbatch=(), attempts=1, jobs=10, instances=0, seconds=0)
    schedule.run_jobs([job], options, lambda job: True, exit_on_error=False)


def test_after_a_stop_another_split_finds_what_was_asked(tmp_path, monkeypatch):
    job = make_job(tmp_path, parts=3)

    def asks_and_is_stopped(folder, attempt):
        ask(job.needs[0], "a", "paid for")
        return "CANCELLED"

    run(FakeSlurm(asks_and_is_stopped), job, monkeypatch)
    other = make_job(tmp_path, parts=2)
    found = []

    def asks(folder, attempt):
        found.append(ask(other.needs[0], "a"))
        return "DONE"

    run(FakeSlurm(asks), other, monkeypatch)
    assert found == ["paid for"]
    assert keys_of_caches(job) == set()


def test_the_cache_of_a_job_that_runs_is_left_to_it(tmp_path, monkeypatch):
    job = make_job(tmp_path)
    running = in_suite(job, "december")
    for one in (job, running):
        ask(one, "a", "paid for")
    slurm = FakeSlurm(known={job_name(running, 1): Listed("9", "RUNNING", "None")})
    run(slurm, job, monkeypatch)
    assert keys_of_caches(job) == {running.key}
