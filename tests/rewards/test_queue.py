"""Places that batches share: whose turn it is, and what cancelling frees."""

import os
import threading
import time
import weakref
from concurrent.futures import wait

import pytest

from helm_structext.rewards.queue import WorkQueue
from helm_structext.sandbox.job_time import ASLEEP_SECONDS, check_cancelled, job_clock

LONG = 60
"""Seconds after which a test that waits has failed."""


class Gate:
    """Work that says that it runs, and goes on when it may."""

    def __init__(self):
        self.entered, self.open = threading.Event(), threading.Event()

    def __call__(self):
        self.entered.set()
        assert self.open.wait(LONG)

    def until_cancelled(self):
        self.entered.set()
        while not self.open.wait(0.01):
            check_cancelled()


def test_a_lane_that_has_had_time_lets_others_go_first():
    queue, gate, order = WorkQueue(1), Gate(), []
    jobs = [queue.submit(["slow"], gate)]
    jobs += [queue.submit(["slow"], lambda: order.append("slow")) for _ in range(3)]
    assert gate.entered.wait(LONG)
    jobs += [queue.submit(["quick"], lambda: order.append("quick")) for _ in range(3)]
    time.sleep(0.05)  # which the first lane has had, and the second has not
    gate.open.set()
    for job in jobs:
        job.future.result(LONG)
    assert order[0] == "quick"
    assert sorted(order) == ["quick"] * 3 + ["slow"] * 3


@pytest.mark.parametrize("batches", [False, True], ids=["formats", "requests of one completion"])
def test_slow_work_leaves_a_place_to_others(batches):
    def turns(format, batch):
        return [format, batch] if batches else [format]

    queue, gates = WorkQueue(2), [Gate(), Gate()]
    first = queue.submit(turns("slow", 0), gates[0])
    assert gates[0].entered.wait(LONG)
    block = Gate()  # takes the other place until both lanes wait
    blocking = queue.submit(turns("block", 1), block)
    assert block.entered.wait(LONG)
    second = queue.submit(turns("slow", 2), gates[1])
    quick = [queue.submit(turns("quick", number), lambda: None) for number in range(3, 8)]
    block.open.set()
    for job in [*quick, blocking]:
        job.future.result(LONG)
    for gate in gates:
        gate.open.set()
    for job in (first, second):
        job.future.result(LONG)


class Sleeper(Gate):
    """Work whose job sleeps until it may go on."""

    def __call__(self):
        with job_clock(LONG) as clock:
            clock.idle = ASLEEP_SECONDS
            clock.check([os.getpid()])
            super().__call__()


def test_work_that_sleeps_lends_its_place_but_once():
    queue, sleepers = WorkQueue(2), [Sleeper() for _ in range(5)]
    jobs = [queue.submit(["slow"], sleeper) for sleeper in sleepers]
    for sleeper in sleepers[:2]:
        assert sleeper.entered.wait(LONG)
    assert queue.submit(["quick"], lambda: "done").future.result(LONG).result == "done"
    assert queue.running == 2
    assert not any(sleeper.entered.is_set() for sleeper in sleepers[2:])
    for sleeper in sleepers:
        sleeper.open.set()
    for job in jobs:
        job.future.result(LONG)
    while queue.running:
        time.sleep(0.01)
    gates = [Gate() for _ in range(3)]  # There are two places again.
    jobs = [queue.submit(["one"], gate) for gate in gates]
    assert all(gate.entered.wait(LONG) for gate in gates[:2])
    assert (queue.running, queue.waiting) == (2, 1)
    for gate in gates:
        gate.open.set()
    for job in jobs:
        job.future.result(LONG)


def test_a_lane_alone_has_all_places():
    queue, gates = WorkQueue(2), [Gate(), Gate()]
    jobs = [queue.submit(["one"], gate) for gate in gates]
    for gate in gates:
        assert gate.entered.wait(LONG)
    assert (queue.running, queue.waiting) == (2, 0)
    for gate, job in zip(gates, jobs, strict=True):
        gate.open.set()
        job.future.result(LONG)


def test_times_say_how_long_a_job_waited_and_worked():
    queue, gate = WorkQueue(1), Gate()
    first, second = queue.submit(["one"], gate), queue.submit(["one"], lambda: "done")
    assert gate.entered.wait(LONG)
    time.sleep(0.05)
    gate.open.set()
    assert first.future.result(LONG).worked >= 0.05
    timed = second.future.result(LONG)
    assert timed.result == "done"
    assert timed.waited >= 0.05 > timed.worked


def test_cancelled_work_does_not_begin_and_what_has_begun_ends():
    queue, gate, begun = WorkQueue(1), Gate(), []
    running = queue.submit(["one"], gate.until_cancelled)
    waiting = queue.submit(["one"], lambda: begun.append(1))
    assert gate.entered.wait(LONG)
    waiting.cancel()
    running.cancel()
    assert queue.submit(["one"], lambda: "free").future.result(LONG).result == "free"
    assert not begun


def test_what_work_raises_is_its_result():
    def fail():
        raise KeyError("x")

    queue = WorkQueue(1)
    with pytest.raises(KeyError):
        queue.submit(["one"], fail).future.result(LONG)
    assert queue.submit(["one"], lambda: 1).future.result(LONG).result == 1


def test_requests_of_one_completion_take_turns_by_format():
    queue, gate, order = WorkQueue(1), Gate(), []
    jobs = [queue.submit(["slow", "request 0"], gate)]
    assert gate.entered.wait(LONG)
    for number in range(1, 4):
        jobs.append(queue.submit(["slow", f"request {number}"], lambda: order.append("slow")))
    jobs.append(queue.submit(["quick", "request 4"], lambda: order.append("quick")))
    time.sleep(0.05)
    gate.open.set()
    for job in jobs:
        job.future.result(LONG)
    assert order == ["quick", "slow", "slow", "slow"]


def test_what_a_format_had_long_ago_does_not_count(monkeypatch):
    monkeypatch.setattr("helm_structext.rewards.queue.MOST_AHEAD", 0.02)
    queue, order = WorkQueue(1), []
    jobs = [queue.submit(["slow", 0], lambda: time.sleep(1))]
    for number in range(1, 31):
        jobs.append(
            queue.submit(["quick", number], lambda: order.append("quick") or time.sleep(0.02))
        )
    jobs.append(queue.submit(["slow", 31], lambda: order.append("slow")))
    for job in jobs:
        job.future.result(LONG)
    assert order.index("slow") < 5


def test_a_long_batch_leaves_a_place_to_another_one_of_its_format():
    queue, gates, block = WorkQueue(2), [Gate(), Gate()], Gate()
    long = [queue.submit(["latex", "long"], gates[0])]
    blocking = queue.submit(["html", "other"], block)
    assert gates[0].entered.wait(LONG)
    assert block.entered.wait(LONG)
    long.append(queue.submit(["latex", "long"], gates[1]))
    short = queue.submit(["latex", "short"], lambda: "done")
    block.open.set()
    assert short.future.result(LONG).result == "done"
    for gate in gates:
        gate.open.set()
    for job in [*long, blocking]:
        job.future.result(LONG)


def test_who_waits_for_cancelled_work_need_not_wait_for_a_place():
    queue, gate = WorkQueue(1), Gate()
    running = queue.submit(["one"], gate)
    assert gate.entered.wait(LONG)
    large = Gate()
    alive = weakref.ref(large)
    waiting = queue.submit(["one"], large)
    del large
    waiting.cancel()
    waiting.cancel()
    assert wait([waiting.future], LONG).done  # not before who takes it out, else
    assert alive() is None
    gate.open.set()
    running.future.result(LONG)
    assert queue.submit(["one"], lambda: 1).future.result(LONG).result == 1
