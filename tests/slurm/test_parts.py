"""A run that is split and put together is the run that one job would have made."""

import pickle
from pathlib import Path

import pytest
from helm.benchmark.executor import Executor
from helm.benchmark.runner import Runner
from helm.clients.auto_client import AutoClient

from helm_structext.errors import SetupError
from helm_structext.helm.watch import note_failures
from helm_structext.passport import Passport
from helm_structext.results import passports
from helm_structext.slurm.jobs import Job, describe, read_job
from helm_structext.slurm.parts import STATES, part_of
from helm_structext.slurm.worker import run, use_cores_of_job
from support.slurm_jobs import FONTS, TEXTS, make_job


def test_parts_are_all_and_in_order():
    for number in range(12):
        for parts in range(1, 15):
            found = [
                i for part in range(parts) for i in range(number)[part_of(number, part, parts)]
            ]
            assert found == list(range(number))


def files(job: Job) -> dict[str, bytes]:
    folder = Path(job.call.folder, "benchmark_output", "runs", "s")
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.json")}


def run_in(folder: Path, monkeypatch, entry: str, parts: int) -> Job:
    """Runs a job, after those that it needs, as workers do: from what its folder says."""
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    job = make_job(folder, entry, parts)
    for one in (*job.needs, job):
        describe(one)
        assert read_job(one.folder) == one
        run(read_job(one.folder))
    return job


@pytest.mark.parametrize("entry", [TEXTS, FONTS])
def test_a_run_in_three_parts_is_written_as_by_one_job(entry, tmp_path, monkeypatch):
    whole = files(run_in(tmp_path / "whole", monkeypatch, entry, 1))
    assert len(whole) == 5
    # One part more than there are instances: a part may be empty.
    assert files(run_in(tmp_path / "parts", monkeypatch, entry, 4)) == whole


def test_a_run_of_parts_has_a_passport_of_all_places_where_they_were_scored(tmp_path, monkeypatch):
    for owner, name in ((Runner, "run_one"), (Executor, "execute"), (AutoClient, "make_request")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # as they are now, after the test
    note_failures()
    places = iter(("2.4", "2.5", "2.4"))
    monkeypatch.setattr(
        passports, "make_passport", lambda: Passport({"numpy": next(places), "python": "3.11"})
    )
    run_in(tmp_path, monkeypatch, FONTS, 2)
    (folder,) = (tmp_path / "benchmark_output" / "runs" / "s").glob("mmr*")
    found = passports.read_run_passport(folder)
    assert found.parts == {"numpy": "2.4 or 2.5", "python": "3.11"}


def test_parts_of_other_data_are_not_put_together(tmp_path, monkeypatch):
    job = run_in(tmp_path, monkeypatch, TEXTS, 2)
    first = job.needs[0].folder
    (first / STATES).write_bytes(pickle.dumps([]))
    with pytest.raises(SetupError, match="missing or damaged"):
        run(job)
    for path in first.glob("states.*"):
        path.unlink()
        path.write_bytes((job.needs[1].folder / path.name).read_bytes())
    with pytest.raises(SetupError, match="the data of a split run changed"):
        run(job)


def test_as_many_answers_are_rendered_at_a_time_as_the_job_has_cores():
    for given, workers in (({}, None), ({"HELM_STRUCTEXT_WORKERS": "1"}, "1")):
        environment = {"SLURM_CPUS_ON_NODE": "6", **given}
        use_cores_of_job(environment)
        assert environment["HELM_STRUCTEXT_WORKERS"] == (workers or "6")
    use_cores_of_job(environment := {})
    assert environment == {}
