"""Batches: order, bounds, cancelling, and the same without blocking an event loop."""

import asyncio
import threading
from collections import Counter
from dataclasses import replace

import pytest

from helm_structext.rewards.batch import Batch, Task
from helm_structext.rewards.queue import WorkQueue
from helm_structext.rewards.result import RewardResult
from helm_structext.sandbox.job_time import check_cancelled
from helm_structext.scoring.handling import UNFINISHED

LONG = 60


def task(score, lane="any"):
    return Task(lane, lambda: RewardResult(score))


def forever(entered):
    def work():
        entered.set()
        while True:
            check_cancelled()
            threading.Event().wait(0.01)

    return Task("slow", work)


@pytest.fixture
def queue():
    return WorkQueue(2)


def test_results_are_in_the_order_of_the_tasks(queue):
    gate = threading.Event()

    def last():
        assert gate.wait(LONG)
        return RewardResult(0.0)

    batch = Batch([Task("slow", last), *(task(float(n)) for n in range(1, 9))], queue=queue)
    found = []
    for number, result in batch.as_completed():
        found.append((number, result.score))
        if len(found) == 8:
            gate.set()
    assert found[-1] == (0, 0.0)
    assert sorted(found) == [(n, float(n)) for n in range(9)]
    assert [r.score for r in Batch([task(1.0), task(2.0)], queue=queue).results()] == [1.0, 2.0]


def test_those_that_prepare_something_for_others_begin_first():
    queue, gate, order = WorkQueue(1), threading.Event(), []

    def named(name, prepares):
        def work():
            assert gate.wait(LONG)
            order.append(name)
            return RewardResult(0.0)

        return Task("any", work, prepares)

    tasks = [named(f"{letter}{n}", letter) for letter in "ab" for n in range(2)]
    batch = Batch([*tasks, named("c", None)], queue=queue)
    gate.set()
    assert len(batch.results()) == 5
    assert order == ["a0", "b0", "c", "a1", "b1"]


def test_an_empty_batch_has_no_results(queue):
    assert Batch([], queue=queue).results() == []
    assert asyncio.run(Batch([], queue=queue).results_async()) == []


@pytest.mark.parametrize("places", [1, 2])
def test_what_is_not_finished_in_the_batchs_time_has_no_score(places):
    queue, entered = WorkQueue(places), threading.Event()
    batch = Batch([forever(entered), *(task(1.0) for _ in range(3))], 0.5, queue)
    results = batch.results()
    assert entered.is_set()
    assert (results[0].score, results[0].error_kind) == (None, UNFINISHED)
    assert results[0].worked > 0
    assert [result.score for result in results[1:]] == [None if places == 1 else 1.0] * 3
    assert Batch([task(1.0)], queue=queue).results()[0].score == 1.0  # its place is free


def test_who_stops_asking_cancels_the_batch(queue):
    entered = threading.Event()
    batch = Batch([task(1.0), forever(entered)], queue=queue)
    results = batch.as_completed()
    assert next(results)[1].score == 1.0
    assert entered.wait(LONG)
    results.close()
    assert [r.score for r in Batch([task(1.0, "slow")] * 3, queue=queue).results()] == [1.0] * 3


def test_cancelling_the_task_cancels_the_batch(queue):
    entered = [threading.Event(), threading.Event()]

    async def main():
        batch = Batch([forever(one) for one in entered], queue=queue)
        waiting = asyncio.ensure_future(batch.results_async())
        for one in entered:
            await asyncio.to_thread(one.wait, LONG)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await Batch([task(1.0)], queue=queue).results_async()

    assert [result.score for result in asyncio.run(main())] == [1.0]


def test_the_event_loop_goes_on_meanwhile(queue):
    gate = threading.Event()

    def gated():
        assert gate.wait(LONG)
        return RewardResult(1.0)

    async def main():
        batch = Batch([Task("any", gated), task(2.0)], queue=queue)
        waiting = asyncio.ensure_future(batch.results_async())
        await asyncio.sleep(0)
        gate.set()
        found = [r.score for r in await waiting]
        streamed = Batch([task(1.0), forever(threading.Event())], 0.5, queue)
        return found, [(n, r.score) async for n, r in streamed.as_completed_async()]

    assert asyncio.run(main()) == ([1.0, 2.0], [(0, 1.0), (1, None)])


def counted(counts, same, lane="any"):
    """A task that is the same as others of its key, and says how often such were done."""

    def work():
        counts[same] += 1
        return RewardResult(float(counts[same]))

    return Task(lane, work, same=same)


@pytest.mark.parametrize("awaited", [False, True])
def test_tasks_that_are_the_same_are_done_once_and_all_have_the_result(queue, awaited):
    counts = Counter()
    tasks = [counted(counts, letter) for letter in "abab"] + [counted(counts, None)] * 2
    batch = Batch(tasks, queue=queue)
    results = asyncio.run(batch.results_async()) if awaited else batch.results()
    assert counts == {"a": 1, "b": 1, None: 2}
    assert results[0] == results[2]
    assert results[1] == results[3]
    assert [result.score for result in results[:4]] == [1.0] * 4


def test_the_same_tasks_of_two_batches_are_done_in_each(queue):
    counts = Counter()
    for _ in range(2):
        Batch([counted(counts, "a")], queue=queue).results()
    assert counts["a"] == 2


@pytest.mark.parametrize("awaited", [False, True])
def test_the_end_of_a_batchs_time_reaches_all_that_are_the_same(queue, awaited):
    endless = replace(forever(threading.Event()), same="endless")
    batch = Batch([endless, task(1.0), endless], 0.5, queue)
    results = asyncio.run(batch.results_async()) if awaited else batch.results()
    assert [result.error_kind for result in results] == [UNFINISHED, None, UNFINISHED]
