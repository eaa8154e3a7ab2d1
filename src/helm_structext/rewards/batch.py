"""Batches of completions through the queue: in order or as they come, bounded, and cancelled whole."""

import asyncio
import builtins
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, TimeoutError, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from helm_structext.rewards.queue import QueuedJob, Timed, WorkQueue, work_queue
from helm_structext.rewards.result import RewardResult
from helm_structext.sandbox import Cancelled
from helm_structext.scoring.handling import UNFINISHED

Score = Callable[[Any], RewardResult]


@dataclass(frozen=True)
class Task:
    """A completion to be scored.

    Args:
        lane: what it shares its turns with: its format.
        score: scores it; `Cancelled` ends it.
        prepares: what the first one has to prepare for all others of its batch, such as a reference
            that is rendered: the others begin after the first ones of all.
        same: what is equal for tasks of a batch that must come to the same, of which the first one is done for
            all; None for one that is done by itself.
    """

    lane: str
    score: Callable[[], RewardResult]
    prepares: Hashable = None
    same: Hashable = None


class Batch:
    """Completions that are scored together; those that are the same, once.

    Args:
        tasks: the completions.
        seconds: after which what is not finished has no score; None waits for all, each of which
            has bounds of its own.
        queue: that they wait in; by default this process's.

    >>> batch = Batch([Task("sums", lambda: RewardResult(1.0))])
    >>> [result.score for result in batch.results()]
    [1.0]
    """

    def __init__(
        self, tasks: Sequence[Task], seconds: float | None = None, queue: WorkQueue | None = None
    ) -> None:
        queue = queue or work_queue()
        self._end = None if seconds is None else time.monotonic() + seconds
        firsts = _firsts(tasks)
        jobs = {
            number: queue.submit((tasks[number].lane, id(self)), tasks[number].score)
            for number in _order(tasks, sorted({*firsts}))
        }
        self._jobs = [jobs[first] for first in firsts]

    def cancel(self) -> None:
        """Takes what has not begun out of the queue, and ends what has; what is done stays."""
        for job in self._jobs:
            job.cancel()

    def results(self) -> list[RewardResult]:
        """Waits for the results, in the order of the tasks."""
        found: dict[int, RewardResult] = dict(self.as_completed())
        return [found[number] for number in range(len(self._jobs))]

    def as_completed(self) -> Iterator[tuple[int, RewardResult]]:
        """Yields the results as they come, each with the number of its task, from 0.

        Who stops asking cancels the batch.
        """
        numbers: dict[Future[Any], list[int]] = {}
        for number, job in enumerate(self._jobs):
            numbers.setdefault(job.future, []).append(number)
        try:
            try:
                for future in as_completed(numbers, self._seconds_left()):
                    for number in numbers.pop(future):
                        yield number, self._result(self._jobs[number])
            except TimeoutError:
                self.cancel()
                for number in chain.from_iterable(numbers.values()):
                    yield number, self._result(self._jobs[number])
        finally:
            self.cancel()

    async def results_async(self) -> list[RewardResult]:
        """As `results`, without blocking the event loop; to cancel the task is to cancel the batch."""
        found = {number: result async for number, result in self.as_completed_async()}
        return [found[number] for number in range(len(self._jobs))]

    async def as_completed_async(self) -> AsyncIterator[tuple[int, RewardResult]]:
        """As `as_completed`, without blocking the event loop."""
        loop = asyncio.get_running_loop()
        done: asyncio.Queue[int] = asyncio.Queue()
        for number, job in enumerate(self._jobs):
            job.future.add_done_callback(partial(_tell, loop, done, number))
        left = dict.fromkeys(range(len(self._jobs)))
        try:
            while left:
                try:
                    finished = [await asyncio.wait_for(done.get(), self._seconds_left())]
                except builtins.TimeoutError:
                    self.cancel()
                    finished = list(left)
                for number in finished:
                    del left[number]
                    yield number, self._result(self._jobs[number])
        finally:
            self.cancel()

    def _seconds_left(self) -> float | None:
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def _result(self, job: QueuedJob[RewardResult]) -> RewardResult:
        """What is known of a job now."""
        if job.future.done():
            try:
                timed: Timed[RewardResult] = job.future.result()
            except (CancelledError, Cancelled):
                pass
            else:
                return replace(timed.result, waited=timed.waited, worked=timed.worked)
        now = time.monotonic()
        started = min(job.started, now)
        message = "the time of its batch was over, or the batch was cancelled"
        return RewardResult(
            None,
            error_kind=UNFINISHED,
            message=message,
            waited=started - job.submitted,
            worked=now - started,
        )


def _firsts(tasks: Sequence[Task]) -> list[int]:
    """For each task, the number of the one that is done for it: its own, or of the first that is the same."""
    firsts: dict[Hashable, int] = {}
    return [
        number if task.same is None else firsts.setdefault(task.same, number)
        for number, task in enumerate(tasks)
    ]


def _order(tasks: Sequence[Task], numbers: Sequence[int]) -> list[int]:
    """Numbers of tasks in the order in which they wait: first those that prepare something."""
    seen: Counter[Hashable] = Counter()
    places = {}
    for number in numbers:
        prepares = tasks[number].prepares
        places[number] = 0 if prepares is None else seen[prepares]
        seen[prepares] += 1
    return sorted(numbers, key=places.__getitem__)


def _tell(
    loop: asyncio.AbstractEventLoop, done: "asyncio.Queue[int]", number: int, _: "Future[Any]"
) -> None:
    """Says in the loop that a job is done; nobody listens where the loop has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(done.put_nowait, number)
