"""The time of jobs: what counts, what is believed, and that all steps share it."""

import os
import subprocess
import sys
import threading
import time

import pytest

from helm_structext.errors import RenderError
from helm_structext.sandbox import (
    ForkServer,
    Limits,
    Process,
    ProcessDied,
    SandboxProfile,
    job_clock,
    pool,
    run,
    run_job,
    tree,
    uncounted,
)
from helm_structext.sandbox.job_time import JobClock, Sample, Stalled, sample

PROFILE = SandboxProfile(programs=("sleep", "cat"))
LONG = Limits(seconds=600)
LOOP = "while :; do :; done"


def shell(text: str, limits: Limits = LONG) -> str:
    return run(["sh", "-c", text], PROFILE, limits).output


def at(ran: float = 0, **waited: float) -> Sample:
    return Sample(ran, waited, False)


@pytest.mark.parametrize(
    ("after", "used", "idle"),
    [
        (at(10), 10, 0),  # alone
        (at(2, a=8), 2, 0),  # beside others
        (at(0, a=10), 0, 0),  # gets none
        (at(0), 0, 10),  # sleeps
        (at(3), 3, 7),
        (at(3, a=3), 3, 4),
        (at(20), 10, 0),  # two threads on two processors
        (at(4, a=8, b=8), 2, 0),  # two threads beside others
        (at(20, a=30, b=30), 10, 0),  # more threads than processors
        (at(2, a=49, b=49), 1, 0),
        (at(-5), 0, 10),  # children that nobody waited for are not counted
    ],
)
def test_stretch_is_divided_into_used_idle_and_waited(after, used, idle, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    clock = JobClock(99)
    clock.count(at(), after, 10)
    assert (clock.used, clock.idle) == pytest.approx((used, idle))
    # An older sample's threads may have ended, and what they waited before is not counted again.
    again = JobClock(99)
    older = at(7, **dict.fromkeys(after.waited, 5.0), gone=9)
    later = Sample(after.ran + 7, {name: one + 5 for name, one in after.waited.items()}, False)
    again.count(older, later, 10)
    assert (again.used, again.idle) == pytest.approx((used, idle))


def test_job_never_uses_and_idles_more_than_wall_time():
    start = time.monotonic()
    with pytest.raises(RenderError, match="timeout"), job_clock(1) as clock:
        shell(f"sleep 0.3; ({LOOP}) & ({LOOP}) & {LOOP}")
    assert clock.used + clock.idle <= time.monotonic() - start + 0.01


def test_sample_counts_children_that_ended_and_those_that_run():
    code = "import os, time\nfor n in range(3):\n    if not os.fork():\n        while time.process_time() < 0.3: pass\n        os._exit(0)\n"
    code += "for n in range(2): os.wait()\nprint(flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout
    assert child.stdin
    child.stdout.readline()
    assert sample(tree(child.pid)).ran >= 0.6
    child.stdin.close()
    child.stdout.close()
    child.wait()
    assert sample([child.pid]) == Sample(0, {}, False)


def tried(job, seconds: float) -> tuple[int, RenderError]:
    """How often a job was tried, and how it ended."""
    tries = []

    def counted() -> object:
        tries.append(1)
        return job()

    with pytest.raises(RenderError) as caught:
        run_job(counted, seconds)
    return len(tries), caught.value


def test_time_out_of_a_job_that_used_its_time_is_believed():
    tries, error = tried(lambda: shell(LOOP), 0.5)
    assert (tries, error.kind, error.message) == (1, "timeout", "not finished in time")


def test_job_that_does_nothing_is_tried_once_more_alone():
    tries, error = tried(lambda: shell("sleep 600"), 0.5)
    assert (tries, error.kind) == (2, "timeout")
    assert "did nothing" in error.message
    assert pool.slots().free == pool.worker_count()


def test_engine_that_hangs_once_costs_nothing():
    tries = []

    def job() -> str:
        tries.append(pool.slots().free)
        return shell("sleep 600" if len(tries) == 1 else "echo done")

    assert run_job(job, 0.5) == "done\n"
    assert tries == [pool.worker_count() - 1] * 2  # Others go on beside it.


def test_stopped_process_is_noticed_at_once():
    tries, error = tried(lambda: shell("kill -STOP $$"), 600)
    assert (tries, error.kind) == (3, "resource")
    assert "stopped by a signal" in error.message


def test_all_steps_share_the_time_of_their_job():
    steps = []

    def job() -> None:
        while True:
            steps.append(1)
            shell("sleep 0.4")

    tries, error = tried(job, 1.5)
    assert error.kind == "timeout"
    # A step's first and last moments do not count.
    assert 2 * tries <= len(steps) <= 12 * tries


def endless(process: Process) -> None:
    while True:
        process.exchange(b"20000\n", lambda data: data.endswith(b"\n"), 600)


def test_exchanges_with_a_started_engine_share_the_time_but_not_what_it_did_before():
    line = ["sh", "-c", "while read -r n; do while :; do n=$((n - 1)); [ $n -gt 0 ] || break; done; echo x; done"]  # fmt: skip
    process = Process(line, PROFILE, LONG)
    try:
        with job_clock(600) as clock:
            process.exchange(b"1000000\n", lambda data: data.endswith(b"\n"), 600)
            before = clock.used
        with job_clock(600) as clock:
            process.exchange(b"1\n", lambda data: data.endswith(b"\n"), 600)
        assert clock.used < before / 2 or before == 0
        tries, error = tried(lambda: endless(process), 0.6)
        assert (tries, error.kind) == (1, "timeout")
    finally:
        process.close()


def test_queue_and_start_of_engines_do_not_count():
    def job() -> str:
        with uncounted():
            time.sleep(1)
        return shell("echo done")

    held = threading.Event()
    let_go = threading.Timer(1, held.set)
    let_go.start()

    def hold() -> None:
        with pool.slots().take_all():
            held.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        while pool.slots().free:
            time.sleep(0.01)
        assert run_job(job, 0.8) == "done\n"
    finally:
        held.set()
        holder.join()


def test_engine_that_never_starts_is_no_ones_time(monkeypatch):
    from helm_structext.sandbox import process

    monkeypatch.setattr(process, "START_SECONDS", 0.5)
    with pytest.raises(Stalled):
        ForkServer(["sh", "-c", "exec sleep 60"], PROFILE, Limits())


def test_job_beside_busy_processes_ends_as_it_does_alone():
    """With its time for itself, it would take two thirds of it."""
    code = "n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done; echo done"
    with job_clock(600) as clock:
        assert shell(code) == "done\n"
    seconds = max(clock.used + clock.idle, 0.5) * 2
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        assert run_job(lambda: shell(code), seconds) == "done\n"
        with pytest.raises(RenderError, match="timeout"):
            run_job(lambda: shell(LOOP), 0.5)
    finally:
        for one in busy:
            one.kill()
            one.wait()


def test_process_that_died_is_still_no_time_out():
    with pytest.raises(ProcessDied), job_clock(9):
        shell("kill -9 $$")
