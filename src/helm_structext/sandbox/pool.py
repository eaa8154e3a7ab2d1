"""How many jobs run at a time, which engines stay started, and what happens when an engine dies."""

import atexit
import math
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox.job_time import Stalled, Starved, job_clock, lendable, uncounted
from helm_structext.sandbox.process import ProcessDied
from helm_structext.threads import is_serial, thread_pool

MAX_JOBS_PER_WORKER = 500
"""How many jobs a worker does before it is replaced."""

Result = TypeVar("Result")


class EngineDied(RenderError):
    """A job's engine died each time: most likely of the job, which is not certain (nor kept in caches)."""


class Worker(Protocol):
    """An engine that stays started between jobs."""

    def reusable(self) -> bool: ...

    def close(self) -> None: ...


AnyWorker = TypeVar("AnyWorker", bound=Worker)


def worker_count() -> int:
    """Returns the number of jobs at a time: `HELM_STRUCTEXT_WORKERS`, or one per core.

    It is 1 where all is done in one thread (`helm_structext.threads`).
    """
    if is_serial():
        return 1
    text = os.environ.get("HELM_STRUCTEXT_WORKERS", "")
    if not text:
        return len(os.sched_getaffinity(0))
    if not text.isdecimal() or int(text) < 1:
        raise SetupError(f"HELM_STRUCTEXT_WORKERS is {text!r}; expected a number from 1 on.")
    return int(text)


class Slots:
    """A semaphore whose places one holder can also take all at once.

    A holder whose job sleeps lends its places to others; as many as there are may be lent at a time.

    >>> slots = Slots(2)
    >>> with slots.take(), slots.take():
    ...     slots.free
    0
    >>> with slots.take_all():
    ...     slots.free
    0
    """

    def __init__(self, size: int) -> None:
        self.size = self.free = size
        self._lent = 0
        self._changed = threading.Condition()
        self._alone = threading.Lock()

    @contextmanager
    def take(self, count: int = 1) -> Iterator[None]:
        """Waits until `count` places are free, and holds them."""
        taken = lent = 0

        def lend() -> None:
            nonlocal taken, lent
            with self._changed:
                more = min(taken, self.size - self._lent)
                taken, lent = taken - more, lent + more
                self._lent += more
                self.free += more
                self._changed.notify_all()

        try:
            for _ in range(count):
                with self._changed:
                    self._changed.wait_for(lambda: self.free > 0)
                    self.free -= 1
                taken += 1
            with lendable(lend):
                yield
        finally:
            with self._changed:
                self.free += taken
                self._lent -= lent
                self._changed.notify_all()

    @contextmanager
    def take_all(self) -> Iterator[None]:
        """Holds every place. Two callers wait for each other."""
        with self._alone, self.take(self.size):
            yield


@lru_cache(maxsize=1)
def slots() -> Slots:
    return Slots(worker_count())


def run_job(job: Callable[[], Result], seconds: float = math.inf) -> Result:
    """Runs `job` when a slot is free; if its engine dies or hangs without a reason, once more.

    It has engines then that no other job has used, and is alone, unless it hung without wanting a
    processor. If these engines die, too, it is run a third time: whatever kills one, such as a machine that
    is out of memory, may kill two.

    Args:
        job: may have any number of steps.
        seconds: for all steps together, beginning when there is a slot (`job_time.py`); by default,
            each step has those of its own limits.

    Raises:
        RenderError: what the job raises.
        EngineDied: its engine died each time.
        SetupError: what the job raises; or it got no processor, even alone.
    """
    try:
        with slots().take(), _in_time(seconds):
            return job()
    except Stalled:
        with suppress(ProcessDied), slots().take(), fresh_workers(), _in_time(seconds):
            return job()
    except (ProcessDied, Starved):
        pass
    with suppress(ProcessDied):
        return _alone(job, seconds)
    try:
        return _alone(job, seconds)
    except ProcessDied as error:
        raise EngineDied("resource", f"the engine died each time ({error})") from error


def _alone(job: Callable[[], Result], seconds: float) -> Result:
    with slots().take_all(), fresh_workers(), _in_time(seconds):
        return job()


def _in_time(seconds: float) -> AbstractContextManager[object]:
    return nullcontext() if seconds == math.inf else job_clock(seconds)


_renewed: ContextVar[set[Hashable] | None] = ContextVar("renewed", default=None)
"""The keys for which a job has been given a fresh worker, where it must have no other."""


@contextmanager
def fresh_workers() -> Iterator[None]:
    """Whoever checks out a worker in here gets one that was started in here."""
    token = _renewed.set(set())
    try:
        yield
    finally:
        _renewed.reset(token)


class Workers:
    """Started engines, each checked out by one job at a time.

    Engines are started from a thread of their own. Linux kills a process that has asked to die with
    its parent as soon as the thread that started it ends, and threads that render come and go.

    Attributes:
        idle: the engines that no job has checked out, and how many jobs each has done: by key.
    """

    def __init__(self) -> None:
        self._inherited: list[Any] = []
        self.idle: dict[Hashable, list[tuple[Worker, int]]] = {}
        self.reset_after_fork()

    @contextmanager
    def checkout(self, key: Hashable, start: Callable[[], AnyWorker]) -> Iterator[AnyWorker]:
        """Gives the job a worker of that key, and takes it back afterwards.

        A worker is replaced when the job ends in an exception, when it is no longer reusable, and
        after `MAX_JOBS_PER_WORKER` jobs.

        Args:
            key: equal for workers that are interchangeable.
            start: starts another worker.

        Raises:
            SetupError: the worker can't be started.
        """
        if (renewed := _renewed.get()) is not None and key not in renewed:
            renewed.add(key)
            self.close(key)
        with self._lock:
            worker, jobs = self.idle[key].pop() if self.idle[key] else (None, 0)
        if worker is None:
            with uncounted():
                worker = self._started(start)
        try:
            yield worker  # type: ignore[misc]
        except BaseException:
            worker.close()
            raise
        with uncounted():
            reusable = jobs + 1 < MAX_JOBS_PER_WORKER and worker.reusable()
        if not reusable:
            worker.close()
            return
        with self._lock:
            self.idle[key].append((worker, jobs + 1))

    def _started(self, start: Callable[[], AnyWorker]) -> AnyWorker:
        try:
            with suppress(ProcessDied):  # once more: it may have been killed
                return self._launcher.submit(start).result()
            return self._launcher.submit(start).result()
        except (ProcessDied, RenderError) as error:
            raise SetupError(f"An engine could not be started: {error}") from error

    def close(self, *keys: Hashable) -> None:
        """Ends the idle workers of some keys, or all."""
        with self._lock:
            idle = [one for key in keys or [*self.idle] for one in self.idle.pop(key, ())]
        for worker, _ in idle:
            worker.close()

    def reset_after_fork(self) -> None:
        """Forgets the idle workers without ending them: they belong to the parent process."""
        self._inherited.append(self.idle)
        self._lock = threading.Lock()
        self.idle = defaultdict(list)
        self._launcher = thread_pool(1, "helm-structext-launcher")


workers = Workers()


def reset_after_fork() -> None:
    """Counts the cores again, and forgets the engines of the parent process."""
    workers.reset_after_fork()
    slots.cache_clear()


atexit.register(workers.close)
os.register_at_fork(after_in_child=reset_after_fork)
