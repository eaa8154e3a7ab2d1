"""How many jobs run at a time, which engines stay started, and what happens to a job that dies."""

import atexit
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox.process import ProcessDied

MAX_JOBS_PER_WORKER = 500
"""Jobs that one worker does before another takes its place."""

Result = TypeVar("Result")


class Worker(Protocol):
    """An engine that stays started between jobs."""

    def reusable(self) -> bool: ...

    def close(self) -> None: ...


AnyWorker = TypeVar("AnyWorker", bound=Worker)


def worker_count() -> int:
    """Returns the number of jobs at a time: `HELM_STRUCTEXT_WORKERS`, or one per core."""
    text = os.environ.get("HELM_STRUCTEXT_WORKERS", "")
    if not text:
        return len(os.sched_getaffinity(0))
    if not text.isdecimal() or int(text) < 1:
        raise SetupError(f"HELM_STRUCTEXT_WORKERS is {text!r}; expected a number from 1 on.")
    return int(text)


class Slots:
    """A semaphore of which one holder can also take all places at once.

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
        self._changed = threading.Condition()
        self._alone = threading.Lock()

    @contextmanager
    def take(self, count: int = 1) -> Iterator[None]:
        """Holds `count` places from the moment that they are free."""
        taken = 0
        try:
            for _ in range(count):
                with self._changed:
                    self._changed.wait_for(lambda: self.free > 0)
                    self.free -= 1
                taken += 1
            yield
        finally:
            with self._changed:
                self.free += taken
                self._changed.notify_all()

    @contextmanager
    def take_all(self) -> Iterator[None]:
        """Holds every place; two who ask for it wait for each other."""
        with self._alone, self.take(self.size):
            yield


@lru_cache(maxsize=1)
def _slots() -> Slots:
    return Slots(worker_count())


def run_job(job: Callable[[], Result]) -> Result:
    """Runs `job` when a place is free; one that dies without explanation is tried again, alone.

    Raises:
        RenderError: what the job raises; kind ``resource`` if it died twice.
    """
    try:
        with _slots().take():
            return job()
    except ProcessDied:
        pass
    try:
        with _slots().take_all():
            return job()
    except ProcessDied as error:
        raise RenderError("resource", f"the engine died twice ({error})") from error


class Workers:
    """Started engines, lent to one job at a time.

    They are started from a thread of their own: Linux ends a process that is to die with its
    parent when the thread that started it ends, and threads that render come and go.
    """

    def __init__(self) -> None:
        self._inherited: list[Any] = []
        self._idle: dict[Hashable, list[tuple[Worker, int]]] = {}
        self.reset_after_fork()

    @contextmanager
    def checkout(self, key: Hashable, start: Callable[[], AnyWorker]) -> Iterator[AnyWorker]:
        """Lends a worker of that key.

        One whose job ends in any exception, or leaves it unfit, is replaced.

        Args:
            key: what makes workers interchangeable.
            start: makes a new one.

        Raises:
            SetupError: it can't be made.
        """
        with self._lock:
            worker, jobs = self._idle[key].pop() if self._idle[key] else (None, 0)
        if worker is None:
            try:
                worker = self._launcher.submit(start).result()
            except (ProcessDied, RenderError) as error:
                raise SetupError(f"An engine could not be started: {error}") from error
        try:
            yield worker  # type: ignore[misc]
        except BaseException:
            worker.close()
            raise
        if jobs + 1 >= MAX_JOBS_PER_WORKER or not worker.reusable():
            worker.close()
            return
        with self._lock:
            self._idle[key].append((worker, jobs + 1))

    def close(self) -> None:
        """Ends all that are idle."""
        with self._lock:
            idle, self._idle = self._idle, defaultdict(list)
        for workers in idle.values():
            for worker, _ in workers:
                worker.close()

    def reset_after_fork(self) -> None:
        """Begins anew without ending what is idle."""
        self._inherited.append(self._idle)
        self._lock = threading.Lock()
        self._idle = defaultdict(list)
        self._launcher = ThreadPoolExecutor(1, "helm-structext-launcher")


workers = Workers()


def reset_after_fork() -> None:
    """Counts the cores again and starts other engines, without ending what is idle."""
    workers.reset_after_fork()
    _slots.cache_clear()


atexit.register(workers.close)
os.register_at_fork(after_in_child=reset_after_fork)  # What is idle belongs to the parent.
