"""Which completion is scored next, and by whom: places that many batches share fairly.

Work waits in lanes, one for each batch and format. A place that gets free takes from the lane that
has had the least time so far, so that neither slow completions nor long batches hold up others; and
while another lane waits, no lane has the last place.
"""

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from helm_structext.sandbox import cancellable, worker_count

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timed(Generic[Result]):
    """A result, and how long it took.

    Args:
        result: what the work returned.
        waited: seconds in the queue.
        worked: seconds from its start to its end.
    """

    result: Result
    waited: float
    worked: float


@dataclass(eq=False)
class Job(Generic[Result]):
    """Work that waits, is done or has been.

    Args:
        work: what is to be done, in a thread of the queue.

    Attributes:
        future: its result with its times; an exception where it raised one, or was cancelled.
    """

    work: Callable[[], Result]
    future: "Future[Timed[Result]]" = field(default_factory=Future)
    submitted: float = field(default_factory=time.monotonic)
    started: float = math.inf
    _cancelled: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Takes it out of the queue; if it has begun, its engine is ended and its place is freed."""
        self._cancelled.set()
        self.future.cancel()

    def run(self) -> None:
        """Does the work, unless it was cancelled."""
        if not self.future.set_running_or_notify_cancel():
            return
        self.started = time.monotonic()
        try:
            with cancellable(self._cancelled):
                result = self.work()
        except BaseException as error:
            self.future.set_exception(error)
            return
        now = time.monotonic()
        waited, worked = self.started - self.submitted, now - self.started
        self.future.set_result(Timed(result, waited, worked))


@dataclass(eq=False)
class _Lane:
    """Work of one batch and format.

    Args:
        had: seconds that its jobs have taken, counted from where the others stood when it began.
    """

    had: float
    waiting: deque[Job[Any]] = field(default_factory=deque)
    running: set[Job[Any]] = field(default_factory=set)

    def time(self, now: float) -> float:
        return self.had + sum(now - job.started for job in self.running if job.started <= now)


class WorkQueue:
    """Threads that do work lane by lane.

    Args:
        places: how much is done at a time.

    >>> queue = WorkQueue(1)
    >>> queue.submit("sums", lambda: 1 + 1).future.result().result
    2
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._lanes: dict[Hashable, _Lane] = {}
        self._changed = threading.Condition()
        self._threads = 0

    def submit(self, lane: Hashable, work: Callable[[], Result]) -> Job[Result]:
        """Puts work at the end of a lane."""
        job = Job(work)
        with self._changed:
            if lane not in self._lanes:
                now = time.monotonic()
                least = min((known.time(now) for known in self._lanes.values()), default=0.0)
                self._lanes[lane] = _Lane(least)
            self._lanes[lane].waiting.append(job)
            if self._threads < self.places:
                self._threads += 1
                threading.Thread(
                    target=self._serve, name="helm-structext-reward", daemon=True
                ).start()
            self._changed.notify()
        return job

    @property
    def waiting(self) -> int:
        """How many jobs have not begun, and are not cancelled."""
        with self._changed:
            return sum(
                not job.future.cancelled() for lane in self._lanes.values() for job in lane.waiting
            )

    @property
    def running(self) -> int:
        """How many places are taken."""
        with self._changed:
            return sum(len(lane.running) for lane in self._lanes.values())

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._next() is not None)
                key = self._next()
                lane = self._lanes[key]
                job = lane.waiting.popleft()
                lane.running.add(job)
            job.run()
            with self._changed:
                lane.running.discard(job)
                lane.had += max(time.monotonic() - job.started, 0.0)
                if not lane.waiting and not lane.running:
                    del self._lanes[key]
                self._changed.notify()
            del job  # or its result lives until the next one

    def _next(self) -> Hashable | None:
        """The lane whose turn it is, or None if nothing may begin."""
        waiting = {key: lane for key, lane in self._lanes.items() if lane.waiting}
        if len(waiting) > 1:
            most = max(self.places - 1, 1)
            waiting = {
                k: lane for k, lane in waiting.items() if len(lane.running) < most
            } or waiting
        now = time.monotonic()
        return min(waiting, key=lambda key: waiting[key].time(now), default=None)


@lru_cache(maxsize=1)
def work_queue() -> WorkQueue:
    """Returns the queue of this process, with a place for each worker (`HELM_STRUCTEXT_WORKERS`)."""
    return WorkQueue(worker_count())


os.register_at_fork(after_in_child=work_queue.cache_clear)
