"""Jobs at a time, engines that stay started, and jobs whose engine dies."""

import contextlib
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from helm_structext.errors import RenderError, SetupError
from helm_structext.renderers import render
from helm_structext.sandbox import ProcessDied, pool, run_job, worker_count
from helm_structext.sandbox.job_time import ASLEEP_SECONDS, PATIENCE, JobClock, Stalled, job_clock
from helm_structext.sandbox.pool import Slots, Workers
from support.processes import running

SLOW = {
    "latex": r"\newcount\n \loop\advance\n1 \ifnum\n<4000000\repeat $x$",
    "webpage": '[{"filename": "index.html", "content": "<p>x<script>'
    'let s = 0; for (let n = 0; n < 2e8; n++) s += n</script>"}]',
    "lilypond": '\\version "2.24.0" #(let loop ((n 0)) (if (< n 3000000) (loop (1+ n)))) { c }',
}
PROGRAMS = {"latex": "pdflatex", "webpage": "chromium-headle", "lilypond": "lilypond"}


class Engine:
    """Counts what becomes of it."""

    started = 0

    def __init__(self) -> None:
        Engine.started += 1
        self.closed = False
        self.is_reusable = True

    def reusable(self) -> bool:
        return self.is_reusable

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def workers():
    Engine.started = 0
    return Workers()


def test_worker_is_kept_for_the_next_job_of_its_kind(workers):
    with workers.checkout("a", Engine) as first:
        pass
    with workers.checkout("a", Engine) as second, workers.checkout("a", Engine) as third:
        assert second is first
        assert third is not first
    with workers.checkout("b", Engine) as other:
        assert other not in (first, third)
    workers.close()
    assert first.closed
    assert third.closed
    assert other.closed


def test_worker_is_replaced_after_an_exception_when_not_reusable_and_after_its_jobs(
    workers, monkeypatch
):
    with pytest.raises(RenderError), workers.checkout("a", Engine) as failed:
        raise RenderError("timeout", "")
    with workers.checkout("a", Engine) as not_reusable:
        not_reusable.is_reusable = False
    monkeypatch.setattr(pool, "MAX_JOBS_PER_WORKER", 3)
    served = []
    for _ in range(4):
        with workers.checkout("a", Engine) as worker:
            served.append(worker)
    assert failed.closed
    assert not_reusable.closed
    assert served[0] is served[1] is served[2] is not served[3]
    assert [worker.closed for worker in served] == [True, True, True, False]
    assert Engine.started == 4


@pytest.mark.parametrize(
    "error", [ProcessDied("cannot open display"), RenderError("resource", "cannot open display")]
)
def test_engine_that_does_not_start_is_the_machines_fault(workers, error):
    def start() -> Engine:
        raise error

    with pytest.raises(SetupError, match="cannot open display"), workers.checkout("a", start):
        pass


def test_job_that_dies_is_tried_again_alone():
    for deaths in (1, 2):
        tries: list[int] = []

        def dies_at_first(tries: list[int] = tries, deaths: int = deaths) -> str:
            tries.append(pool.slots().free)
            if len(tries) <= deaths:
                raise ProcessDied("signal 9")
            return "done"

        assert run_job(dies_at_first) == "done"
        assert tries == [worker_count() - 1, *[0] * deaths]

    def dies() -> None:
        raise ProcessDied("signal 9")

    with pytest.raises(RenderError, match=r"resource: the engine died each time \(signal 9\)"):
        run_job(dies)
    assert pool.slots().free == worker_count()


def test_a_job_that_gets_no_processor_is_not_at_fault():
    tries = []

    def waits() -> str:
        tries.append(pool.slots().free)
        if len(tries) < 3:
            clock = JobClock(1)
            clock.started -= 2 * PATIENCE
            clock.check([os.getpid()])
        return "done"

    with pytest.raises(SetupError, match=r"The machine is too busy: .* had 0.0 of its 1"):
        run_job(waits)
    assert run_job(waits) == "done"
    assert tries == [worker_count() - 1, 0, worker_count() - 1]


def test_an_engine_that_is_killed_as_it_starts_is_started_again(workers):
    tries = []

    def start() -> Engine:
        tries.append(None)
        if len(tries) == 1:
            raise ProcessDied("signal 9")
        return Engine()

    with workers.checkout("a", start) as engine:
        assert isinstance(engine, Engine)


def test_second_try_meets_no_engine_that_another_job_has_used(workers):
    with workers.checkout("a", Engine) as first, workers.checkout("a", Engine) as second:
        spoiled = {first, second}
    with workers.checkout("b", Engine) as other:
        pass
    met = []

    def job() -> str:
        with workers.checkout("a", Engine) as one:
            met.append(one)
            if one in spoiled:
                raise ProcessDied("spoiled")
        with workers.checkout("a", Engine) as again:
            assert again is one
        return "done"

    assert run_job(job) == "done"
    assert met[0] in spoiled
    assert first.closed
    assert second.closed
    assert not other.closed
    with workers.checkout("a", Engine) as kept:
        assert kept is met[1]
    assert Engine.started == 4


def test_engine_that_dies_after_it_was_given_back_is_not_met_again(workers):
    met = []

    def job() -> None:
        with workers.checkout("a", Engine) as one:
            met.append(one)
        raise ProcessDied("its picture is not whole")

    with pytest.raises(RenderError, match="resource: the engine died each time"):
        run_job(job)
    assert met[0] is not met[1]


def test_no_more_jobs_at_a_time_than_slots():
    slots, running, most = Slots(3), [], []

    def job(alone: bool) -> None:
        with slots.take_all() if alone else slots.take():
            running.append(alone)
            most.append((len(running), any(running)))
            time.sleep(0.002)
            running.remove(alone)

    def meet(_: int) -> None:
        with slots.take():
            all_three.wait(30)

    all_three = threading.Barrier(3)
    with ThreadPoolExecutor(12) as threads:
        list(threads.map(meet, range(3)))
        list(threads.map(job, [n % 7 == 0 for n in range(70)]))
    assert max(count for count, _ in most) <= 3
    assert all(count == 1 for count, alone in most if alone)
    assert slots.free == 3


def test_a_job_that_sleeps_lends_its_place_and_all_are_there_again():
    slots, quick = Slots(2), []

    def sleep_together() -> None:
        with slots.take(), job_clock(60) as clock:
            clock.idle = ASLEEP_SECONDS
            both.wait(30)
            clock.check([os.getpid()])
            woken.wait(30)

    def work(number: int) -> None:
        with slots.take():
            quick.append((number, slots.free))

    both, woken = threading.Barrier(2), threading.Event()
    with ThreadPoolExecutor(8) as threads:
        sleepers = [threads.submit(sleep_together) for _ in range(2)]
        list(threads.map(work, range(4)))
        assert len(quick) == 4  # while both sleep
        assert not any(one.done() for one in sleepers)
        woken.set()
    assert slots.free == 2
    assert all(free < 2 for _, free in quick)


def test_a_job_that_slept_through_its_time_is_not_alone_with_its_second_try(monkeypatch):
    slots, tries, seen = Slots(2), [], []
    monkeypatch.setattr(pool, "slots", lambda: slots)

    def job() -> None:
        tries.append(1)
        if len(tries) == 2:
            with ThreadPoolExecutor(1) as threads:
                threads.submit(lambda: run_job(lambda: seen.append("quick"))).result(30)
        raise Stalled("timeout", "not finished in time: it did nothing")

    with pytest.raises(RenderError, match="it did nothing"):
        run_job(job)
    assert (len(tries), seen, slots.free) == (2, ["quick"], 2)


@pytest.mark.parametrize("value", ["0", "-1", "two"])
def test_number_of_workers_is_checked(value, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WORKERS", value)
    with pytest.raises(SetupError, match=f"HELM_STRUCTEXT_WORKERS is '{value}'"):
        worker_count()


@pytest.mark.parametrize("format", SLOW)
def test_engine_killed_in_mid_job_loses_nothing(format):
    expected = render(format, SLOW[format]).image.tobytes()
    over = threading.Event()

    def kill() -> list[int]:
        over.wait(0.2)
        while not (pids := running(PROGRAMS[format])) and not over.wait(0.01):
            pass
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return pids

    with ThreadPoolExecutor(1) as threads:
        killed = threads.submit(kill)
        try:
            assert render(format, SLOW[format]).image.tobytes() == expected
        finally:
            over.set()
    assert killed.result()


def test_started_engine_outlives_the_thread_that_needed_it():
    pool.workers.close()
    code = '\\version "2.24.0" { c }'
    for _ in range(2):
        thread = threading.Thread(target=render, args=("lilypond", code))
        thread.start()
        thread.join()
    servers = running("lilypond")
    render("lilypond", code)
    assert running("lilypond") == servers
    assert len(servers) == 1


def test_forked_process_starts_engines_of_its_own():
    render("lilypond", '\\version "2.24.0" { c }')
    mine = running("lilypond")
    child = os.fork()
    if not child:
        status = 1
        try:
            render("lilypond", '\\version "2.24.0" { d }')
            status = len(running("lilypond")) - 1
            pool.workers.close()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert running("lilypond") == mine
    assert render("lilypond", '\\version "2.24.0" { c }').image


@pytest.mark.parametrize("format", ["webpage", "lilypond"])
def test_many_threads_share_the_engines(format):
    codes = {
        "webpage": [f'[{{"filename": "index.html", "content": "<h1>{n}"}}]' for n in range(8)],
        "lilypond": [f'\\version "2.24.0" {{ c\'{n + 1} }}' for n in range(8)],
    }[format]
    alone = [render(format, code).image.tobytes() for code in codes]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda code: render(format, code).image.tobytes(), codes))
    assert together == alone
    assert len(set(alone)) > 1
