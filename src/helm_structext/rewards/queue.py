"""Which completion is scored next, and by whom: places that many batches share fairly.

Formats take turns, and in each format batches do. A place that gets free takes from what has had the
least time so far, so that neither slow completions nor long batches hold up others; and while
another format waits, none has the last place, nor any batch while another one waits in its format.
A job that sleeps uses no processor, and lends its place to another format: with all that are lent there are
twice as many.
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
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

from helm_structext.sandbox import cancellable, lendable, worker_count
from helm_structext.threads import in_thread, is_serial

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

    def prune(self) -> None:
        """Forgets those below it that are done."""
        self.lanes = {key: lane for key, lane in self.lanes.items() if lane.waiting or lane.running}


def _next_lane(lanes: Sequence[_Lane], places: int, now: float) -> _Lane:
    """Returns the lane whose turn it is, of those where work waits."""
    least = min(lane.time(now) for lane in lanes)
    for lane in lanes:
        lane.had -= max(lane.time(now) - least - MOST_AHEAD, 0.0)
    if len(lanes) > 1:
        most = max(places - 1, 1)
        lanes = [lane for lane in lanes if len(lane.running) < most] or lanes
    return min(lanes, key=lambda lane: lane.time(now))


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
        self._asleep: set[QueuedJob[Any]] = set()

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
        self._add_thread()
        return job

    def _add_thread(self) -> None:
        """Starts a thread if there is a place for one."""
        with self._lock:
            more = self._all.waiting > 0 and self._threads < self._present_places
            self._threads += more
        if more:
            in_thread(self._serve, "helm-structext-reward")

    @property
    def _present_places(self) -> int:
        return self.places + len(self._asleep)

    def _lend(self, job: QueuedJob[Any]) -> None:
        with self._lock:
            if len(self._asleep) < self.places and not is_serial():
                self._asleep.add(job)
        self._add_thread()

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
                turns = self._turns() if self._threads <= self._present_places else []
                if not turns:
                    self._threads -= 1
                    return
                job = turns[-1].jobs.popleft()
                for lane in turns:
                    lane.waiting -= 1
                    lane.running.add(job)
            with lendable(partial(self._lend, job)):
                job.run()
            with self._lock:
                self._asleep.discard(job)
                for lane in turns:
                    lane.running.discard(job)
                    lane.had += max(time.monotonic() - job.started, 0.0)
                for lane in turns:
                    lane.prune()
            del job, turns  # or its result lives until the next one

    def _turns(self) -> list[_Lane]:
        """From all work to the lane whose turn it is, if there is one."""
        now = time.monotonic()
        lent = len(self._all.running) >= self.places
        lanes = [lane for lane in self._all.lanes.values() if lane.waiting]
        if lent:  # not for more of what sleeps
            lanes = [lane for lane in lanes if lane.running.isdisjoint(self._asleep)]
        if not lanes:
            return []
        turns = [self._all, _next_lane(lanes, self._present_places, now)]
        while lanes := [lane for lane in turns[-1].lanes.values() if lane.waiting]:
            turns.append(_next_lane(lanes, self._present_places, now))
        return turns


@lru_cache(maxsize=1)
def work_queue() -> WorkQueue:
    """Returns the queue of this process, with a place for each worker (`HELM_STRUCTEXT_WORKERS`)."""
    return WorkQueue(worker_count())


os.register_at_fork(after_in_child=work_queue.cache_clear)
