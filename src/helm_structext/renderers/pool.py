"""How many jobs run at a time, and what happens to one that dies."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from helm_structext.errors import RenderError, SetupError
from helm_structext.renderers.sandbox import Died

Result = TypeVar("Result")


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
    except Died:
        pass
    try:
        with _slots().take_all():
            return job()
    except Died as error:
        raise RenderError("resource", f"the engine died twice ({error})") from error
