"""Which completion is scored next, and by whom: places that many batches share fairly.

Formats take turns, and in each format batches do. A place that gets free takes from what has had the
least time so far, so that neither slow completions nor long batches hold up others; and while
another format waits, none has the last place, nor any batch while another one waits in its format.
Time that a format had long ago does not count, or a few endless completions would hold up all others of it.
"""

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from helm_structext.sandbox import cancellable, worker_count
from helm_structext.threads import in_thread

MOST_AHEAD = 10.0
"""Seconds more than its neighbors' that count against a format or a batch: what was long ago does not."""

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


def _nothing() -> Any:
    raise AssertionError("cancelled work does not begin")


@dataclass(eq=False)
class QueuedJob(Generic[Result]):
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
    _begins: threading.Lock = field(default_factory=threading.Lock)

    def cancel(self) -> None:
        """Takes it out of the queue; if it has begun, its engine is ended and its place is freed."""
        self._cancelled.set()
        with self._begins:
            if not self.future.cancelled() and self.future.cancel():
                self.future.set_running_or_notify_cancel()  # Who waits for it need not wait on.
                self.work = _nothing  # It may hold pictures, and waits for a place to be taken out.

    def run(self) -> None:
        """Does the work, unless it was cancelled."""
        with self._begins:
            if self.future.cancelled() or not self.future.set_running_or_notify_cancel():
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
    """What takes turns with its neighbors: a format, or a batch in it.

    Args:
        had: seconds that its jobs have taken, counted from where its neighbors stood when it began.

    Attributes:
        jobs: that wait here.
        lanes: below it.
        waiting: how many jobs wait here and below.
        running: those of them that have begun.
    """

    had: float = 0.0
    jobs: deque[QueuedJob[Any]] = field(default_factory=deque)
    lanes: "dict[Hashable, _Lane]" = field(default_factory=dict)
    waiting: int = 0
    running: set[QueuedJob[Any]] = field(default_factory=set)

    def time(self, now: float) -> float:
        return self.had + sum(now - job.started for job in self.running if job.started <= now)

    def lane(self, key: Hashable, now: float) -> "_Lane":
        """The one below it of this key."""
        if key not in self.lanes:
            self.lanes[key] = _Lane(
                min((lane.time(now) for lane in self.lanes.values()), default=0.0)
            )
        return self.lanes[key]

    def next(self, places: int, now: float) -> "_Lane":
        """The one below it whose turn it is; one waits."""
        waiting = [lane for lane in self.lanes.values() if lane.waiting]
        least = min(lane.time(now) for lane in waiting)
        for lane in waiting:
            lane.had -= max(lane.time(now) - least - MOST_AHEAD, 0.0)
        if len(waiting) > 1:
            most = max(places - 1, 1)
            waiting = [lane for lane in waiting if len(lane.running) < most] or waiting
        return min(waiting, key=lambda lane: lane.time(now))

    def prune(self) -> None:
        """Forgets those below it that are done."""
        self.lanes = {key: lane for key, lane in self.lanes.items() if lane.waiting or lane.running}


class WorkQueue:
    """Threads that do work lane by lane.

    Args:
        places: how much is done at a time.

    >>> queue = WorkQueue(1)
    >>> queue.submit(["sums"], lambda: 1 + 1).future.result().result
    2
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._all = _Lane()
        self._lock = threading.Lock()
        self._threads = 0

    def submit(self, turns: Sequence[Hashable], work: Callable[[], Result]) -> QueuedJob[Result]:
        """Puts work at the end of a lane.

        Args:
            turns: what it takes turns with others as, the widest first: its format, its batch. All
                work names as many.
            work: what is to be done.
        """
        job = QueuedJob(work)
        with self._lock:
            now = time.monotonic()
            lane = self._all
            lane.waiting += 1
            for key in turns:
                lane = lane.lane(key, now)
                lane.waiting += 1
            lane.jobs.append(job)
            more = self._threads < self.places
            self._threads += more
        if more:
            in_thread(self._serve, "helm-structext-reward")
        return job

    @property
    def waiting(self) -> int:
        """How many jobs have not begun, and are not cancelled."""

        def count(lane: _Lane) -> int:
            here = sum(not job.future.cancelled() for job in lane.jobs)
            return here + sum(map(count, lane.lanes.values()))

        with self._lock:
            return count(self._all)

    @property
    def running(self) -> int:
        """How many places are taken."""
        with self._lock:
            return len(self._all.running)

    def _serve(self) -> None:
        """Works off what waits."""
        while True:
            with self._lock:
                if not self._all.waiting:
                    self._threads -= 1
                    return
                turns = self._turns()
                job = turns[-1].jobs.popleft()
                for lane in turns:
                    lane.waiting -= 1
                    lane.running.add(job)
            job.run()
            with self._lock:
                for lane in turns:
                    lane.running.discard(job)
                    lane.had += max(time.monotonic() - job.started, 0.0)
                for lane in turns:
                    lane.prune()
            del job, turns  # or its result lives until the next one

    def _turns(self) -> list[_Lane]:
        """From all work to the lane whose turn it is."""
        now = time.monotonic()
        turns = [self._all]
        while turns[-1].lanes:
            turns.append(turns[-1].next(self.places, now))
        return turns


@lru_cache(maxsize=1)
def work_queue() -> WorkQueue:
    """Returns the queue of this process, with a place for each worker (`HELM_STRUCTEXT_WORKERS`)."""
    return WorkQueue(worker_count())


os.register_at_fork(after_in_child=work_queue.cache_clear)
