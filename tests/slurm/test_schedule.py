"""What is done with jobs until all have ended, with a Slurm that does what a test says."""

import shutil

import pytest

from helm_structext.errors import SetupError
from helm_structext.slurm import schedule
from helm_structext.slurm.commands import Listed
from helm_structext.slurm.jobs import describe, is_done, job_name, log_file, set_done, set_failure
from helm_structext.slurm.options import Options
from support.slurm_jobs import FONTS, TEXTS, FakeSlurm, make_job

SUBMISSION = "Batch job submission failed:"
NO_CONTROLLER = "Unable to contact slurm controller (connect failure)"
POLICY = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"


@pytest.fixture
def job(tmp_path):
    return make_job(tmp_path)


@pytest.fixture
def run(monkeypatch):
    """Runs jobs with a Slurm of the test's."""

    def run(slurm, *jobs, written=True, exit_on_error=False, **options):
        monkeypatch.setattr(schedule, "commands", slurm)
        how = Options(
            **{"sbatch": (), "attempts": 3, "jobs": 10, "instances": 0, "seconds": 0, **options}
        )
        failed = schedule.run_jobs(jobs, how, lambda job: written, exit_on_error)
        return [f"{name}: {error}" for name, error in failed]

    return run


@pytest.mark.parametrize("state", ["TIMEOUT", "PREEMPTED", "NODE_FAIL", "OUT_OF_MEMORY", "FAILED"])
def test_what_ended_before_its_time_is_run_again(run, job, state):
    slurm = FakeSlurm(state, state, "DONE")
    assert run(slurm, job) == []
    assert slurm.names == [job_name(job, attempt) for attempt in (1, 2, 3)]
    assert not job.folder.exists(), "of what is done nothing is left"


def test_at_the_limit_the_reason_is_said_in_one_line(run, job):
    slurm = FakeSlurm("TIMEOUT", "TIMEOUT", "DONE")
    (said,) = run(slurm, job, attempts=2)
    assert said.startswith(f"{job.run_spec.name}: the job ran out of time (attempt 2 of 2, log ")
    assert "HELM_STRUCTEXT_SLURM_TIME" in said
    assert str(log_file(job, 2)) in said
    assert len(slurm.names) == 2
    assert job.folder.exists(), "its log can be read"


def test_what_has_its_result_ends_by_itself(run, job):
    def leave_result(folder, attempt):
        set_done(folder)
        return "RUNNING"

    slurm = FakeSlurm(leave_result)
    assert run(slurm, job) == []
    assert slurm.cancelled == []


def test_what_a_user_cancelled_is_not_run_again(run, job):
    slurm = FakeSlurm("CANCELLED")
    (said,) = run(slurm, job)
    assert "the job was cancelled (log " in said
    assert len(slurm.names) == 1


def test_what_the_worker_says_is_the_reason_and_not_tried_again(run, job):
    def fail(folder, attempt):
        set_failure(folder, attempt, "no such task")
        return "FAILED"

    slurm = FakeSlurm(fail)
    assert run(slurm, job) == [f"{job.run_spec.name}: no such task"]
    assert len(slurm.names) == 1


def test_who_dies_without_a_word_is_quoted(run, job):
    def die(folder, attempt):
        (folder / f"log-{attempt}.txt").write_text("…\nSegmentation \x1b[2Jfault\n\n")
        return "FAILED"

    (said,) = run(FakeSlurm(die), job, attempts=1)
    assert said.endswith("): Segmentation \\u001b[2Jfault")


def test_a_state_that_no_slurm_has_today_is_waited_for_no_longer_than_others(run, job):
    assert "the job is eaten_by_bears" in run(FakeSlurm("EATEN_BY_BEARS"), job, attempts=1)[0]


def test_what_slurm_forgot_is_judged_by_its_files(run, job):
    def forgotten(folder, attempt):
        set_done(folder)
        slurm.known.clear()
        return "DONE"

    slurm = FakeSlurm(forgotten)
    slurm._end = lambda name, listed: forgotten(job.folder, 1)
    assert run(slurm, job) == []


def test_what_slurm_forgot_without_a_result_is_run_again(run, job):
    slurm = FakeSlurm()
    end, slurm._end = slurm._end, lambda name, listed: slurm.known.clear() or restore()

    def restore():
        slurm._end = end

    assert run(slurm, job) == []
    assert slurm.names == [job_name(job, 1), job_name(job, 2)]


def test_a_second_call_finds_the_jobs_of_the_first(run, job):
    describe(job)
    known = {job_name(job, 2): Listed("77", "RUNNING", "None")}
    slurm = FakeSlurm(known=known)
    looks = []
    told = slurm.list_jobs

    def list_jobs():
        looks.append(1)
        if len(looks) == 3:
            set_done(job.folder)
        return told()

    slurm.list_jobs = list_jobs
    assert run(slurm, job) == []
    assert slurm.names == []


@pytest.mark.parametrize("written", [True, False])
def test_a_run_that_another_call_cleared_up_is_done_if_it_is_there(run, tmp_path, written):
    job = make_job(tmp_path, parts=2)

    def finished(*_):
        for one in (*job.needs, job):
            shutil.rmtree(one.folder, ignore_errors=True)
        return "COMPLETED"

    slurm = FakeSlurm("COMPLETED", finished)
    submit, described = slurm.submit, []

    def submit_described(name, command, folder, log, options):
        described.append((log.parent / "job.json").exists())
        return submit(name, command, folder, log, options)

    slurm.submit = submit_described
    assert run(slurm, job, written=written) == []
    assert all(described)
    first, second = job.needs
    again = [job_name(first, 2), job_name(second, 2), job_name(job, 1)]
    assert slurm.names == [job_name(first, 1), job_name(second, 1), *(() if written else again)]


def test_a_run_is_cleared_up_once_and_not_when_another_call_began_it_anew(run, tmp_path):
    first, second = make_job(tmp_path), make_job(tmp_path, FONTS)

    def begin_anew(folder, attempt):
        assert not first.folder.exists()
        describe(first)
        return "DONE"

    assert run(FakeSlurm("DONE", begin_anew), first, second, jobs=1) == []
    assert first.folder.exists()


def test_numbers_of_attempts_go_on(run, job):
    describe(job)
    log_file(job, 4).touch()
    slurm = FakeSlurm("TIMEOUT", "DONE")
    assert run(slurm, job, attempts=2) == []
    assert slurm.names == [job_name(job, 5), job_name(job, 6)]


def test_a_result_counts_only_while_the_run_is_there(run, job):
    describe(job)
    set_done(job.folder)
    slurm = FakeSlurm()
    assert run(slurm, job, written=True) == []
    assert slurm.names == []
    describe(job)
    set_done(job.folder)
    assert run(slurm, job, written=False) == []
    assert len(slurm.names) == 1


def test_nothing_is_submitted_while_slurm_says_nothing(run, job):
    slurm = FakeSlurm()
    slurm.silent = 3 * [f"slurm_load_jobs error: {NO_CONTROLLER}"]
    assert run(slurm, job) == []
    assert len(slurm.names) == 1


def test_a_slurm_that_will_never_tell_of_jobs_ends_the_call(run, job):
    slurm = FakeSlurm()
    slurm.silent = ["squeue: unrecognized option '--me'"]
    with pytest.raises(SetupError, match="unrecognized option '--me'"):
        run(slurm, job)


def test_parts_come_before_what_puts_them_together(run, tmp_path):
    job = make_job(tmp_path, parts=2)
    slurm = FakeSlurm()
    assert run(slurm, job) == []
    first, second = job.needs
    assert slurm.names == [job_name(one, 1) for one in (first, second, job)]
    assert not any(one.folder.exists() for one in (first, second, job))


def test_a_run_without_one_of_its_parts_fails_and_keeps_the_others(run, tmp_path):
    job = make_job(tmp_path, parts=3)
    slurm = FakeSlurm("DONE", "TIMEOUT", "DONE")
    (said,) = run(slurm, job, attempts=1)
    assert "ran out of time" in said
    assert [is_done(part) for part in job.needs] == [True, False, True]
    slurm = FakeSlurm("DONE", "DONE")
    assert run(slurm, job) == []
    assert slurm.names == [job_name(job.needs[1], 1), job_name(job, 1)]


def test_slurm_gets_no_more_jobs_at_a_time_than_allowed(run, tmp_path):
    jobs = [make_job(tmp_path, parts=5), make_job(tmp_path, FONTS)]
    slurm = FakeSlurm()
    assert run(slurm, *jobs, jobs=2) == []
    assert len(slurm.names) == 7
    assert slurm.most == 2


def failed(text, *lines):
    """What sbatch prints, as Slurm 22.05 does."""
    return "\n".join(f"sbatch: error: {line}" for line in (*lines, f"{SUBMISSION} {text}"))


@pytest.mark.parametrize(
    "said",
    [
        failed("Resource temporarily unavailable", "Slurm temporarily unable to accept job, …"),
        failed(NO_CONTROLLER),
        failed("Socket timed out on send/recv operation"),
        failed("Rate limit exceeded, please retry later"),
        failed(POLICY, "QOSGrpSubmitJobsLimit"),
        "sbatch: no answer within 180 seconds",
    ],
)
def test_what_slurm_refuses_for_now_is_submitted_later(run, job, said):
    slurm = FakeSlurm()
    slurm.refusals = [said]
    assert run(slurm, job) == []
    assert len(slurm.names) == 1


@pytest.mark.parametrize(
    ("said", "option"),
    [
        (failed("Invalid partition name specified"), "PARTITION"),
        (failed("Required partition not available (inactive or drain)"), "PARTITION"),
        (failed("Requested time limit is invalid (missing or exceeds some limit)"), "TIME"),
        (failed(POLICY, "QOSMaxWallDurationPerJobLimit"), "TIME"),
        (failed("More processors requested than permitted"), "CORES"),
        (failed(POLICY, "QOSMaxCpuPerUserLimit"), "CORES"),
        (failed("Requested node configuration is not available", "Memory …"), "MEMORY"),
        (failed("Invalid account or account/partition combination specified"), "ACCOUNT"),
        (failed("Invalid time limit", "Slurm temporarily unable to accept job, …"), "SBATCH"),
        ("sbatch: unrecognized option '--foo'", "SBATCH"),
        ("sbatch: [Errno 13] Permission denied: 'sbatch'", "SBATCH"),
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_what_slurm_refuses_for_good_ends_the_call(run, job, said, option, alone):
    slurm = FakeSlurm(known={} if alone else {"shell": Listed("99", "RUNNING", "None")})
    slurm.refusals = [said]
    with pytest.raises(SetupError, match=f"HELM_STRUCTEXT_SLURM_{option}"):
        run(slurm, job)
    assert slurm.names == []


@pytest.mark.parametrize("limit", ["AssocMaxSubmitJobLimit", "QOSMaxSubmitJobPerUserLimit"])
def test_a_limit_of_ones_own_jobs_is_waited_for_while_there_are_any(run, job, limit, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "98")
    helm_run = {"helm-run": Listed("98", "RUNNING", "None"), "old": Listed("97", "FAILED", "None")}
    slurm = FakeSlurm(known={**helm_run, "shell": Listed("99", "RUNNING", "None")})
    slurm.refusals = 2 * [failed(POLICY, limit)]
    assert run(slurm, job) == []
    assert len(slurm.names) == 1

    slurm = FakeSlurm(known=helm_run)
    slurm.refusals = [failed(POLICY, limit)]
    with pytest.raises(SetupError, match=limit):
        run(slurm, job)


def test_the_first_failure_ends_all_if_that_is_asked_for(run, tmp_path):
    jobs = [make_job(tmp_path, TEXTS), make_job(tmp_path, FONTS)]
    slurm = FakeSlurm("CANCELLED", lambda *them: "RUNNING")
    (said,) = run(slurm, *jobs, exit_on_error=True)
    assert said.startswith(jobs[0].run_spec.name)
    assert slurm.cancelled == ["2"]


def test_an_interrupted_call_cancels_its_jobs_and_no_others(run, job):
    def interrupt(folder, attempt):
        raise KeyboardInterrupt

    other = Listed("99", "RUNNING", "None")
    slurm = FakeSlurm(interrupt, lambda *them: "RUNNING", known={"structext-abc-1": other})
    with pytest.raises(KeyboardInterrupt):
        run(slurm, job)
    assert slurm.cancelled == ["1"]
