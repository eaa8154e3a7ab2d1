"""This package's own functions in processes of their own: the threads of one share a core.

Untrusted code runs in `helm_structext.sandbox` instead.
"""

import os
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import BrokenExecutor, Future
from multiprocessing.util import Finalize
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from loky import ProcessPoolExecutor
from loky.backend import get_context

from helm_structext.errors import SetupError
from helm_structext.sandbox import worker_count
from helm_structext.texts import shorten_text
from helm_structext.threads import SERIAL, in_thread, is_serial, thread_pool

Arguments = ParamSpec("Arguments")
Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Results for each worker that `map_in_threads` has ready, or in work, before they are asked for."""

DEATHS = 3
"""Of workers, after which a call is what they die of: one may have been killed while it was idle."""

# NumPy's libraries read these when they are loaded, hence before the process starts.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def run_in_process(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Calls a function in one of the worker processes, which are fresh interpreters.

    As many calls run at a time as there are workers (`HELM_STRUCTEXT_WORKERS`); others wait. A
    worker that dies is replaced and the call made again.

    Args:
        function: of a module; it, its arguments and its result travel by pickle.
        args: of the function.
        kwargs: of the function.

    Raises:
        RuntimeError: `DEATHS` workers died of this call.
        SetupError: all is to be done in one thread (`helm_structext.threads`), and this is not it.

    >>> run_in_process(divmod, 7, 2)
    (3, 1)
    """
    if is_serial():
        if threading.current_thread() is not threading.main_thread():  # which alone has timers
            raise SetupError(
                f"with {SERIAL}=1 all has to be called in the main thread: helm-run has "
                "--num-threads 1, other programs have options of their own"
            )
        return function(*args, **kwargs)
    for _ in range(DEATHS):
        idle = _idle_workers()
        worker = idle.get()
        try:
            worker = worker or _start()
            # No name for the future, which would keep what a killed worker worked on.
            result: Result = worker.pool.submit(function, *args, **kwargs).result()
            return result
        except BrokenExecutor:
            if worker is not None:
                worker.end()  # or it would keep what it worked on
            worker = None
        finally:
            idle.put(worker)
    said = shorten_text(repr(args), 500)
    raise RuntimeError(f"{function.__name__}{said} ended {DEATHS} processes")


def map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Yields a function's results in the order of items, from as many threads as there are workers.

    Items are taken as they are needed, so that there can be any number of them: results that are
    not asked for yet are few, and if no more are asked for, no more are begun.

    >>> from itertools import count
    >>> results = map_in_threads(lambda number: number**2, count())
    >>> next(results), next(results)
    (0, 1)
    >>> results.close()
    """
    workers = worker_count()
    pending: deque[Future[Result]] = deque()
    with thread_pool(workers) as threads:
        try:
            for item in items:
                pending.append(threads.submit(function, item))
                if len(pending) > AHEAD * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def map_in_processes(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Yields a function's results in the order of items, from all worker processes at a time.

    Args:
        function: as in `run_in_process`.
        items: are taken a few ahead, so that there may be any number.

    Raises:
        RuntimeError: `DEATHS` workers died of an item.

    >>> list(map_in_processes(abs, [-2, 1, -3]))
    [2, 1, 3]
    """
    return map_in_threads(lambda item: run_in_process(function, item), items)


class _Worker(NamedTuple):
    """A pool of one process: where one dies, loky gives up all of a pool.

    Args:
        pool: of loky.
        end: ends it, at the latest before this process ends.
    """

    pool: ProcessPoolExecutor
    end: Callable[[], object]


Idle = queue.LifoQueue[_Worker | None]
_lock = threading.Lock()
_idle: Idle | None = None
_inherited: list[Idle | None] = []


def _idle_workers() -> Idle:
    """The workers that wait, and a None for each that has not been started yet."""
    global _idle
    with _lock:
        if _idle is None:
            _idle = queue.LifoQueue()
            for _ in range(worker_count()):
                _idle.put(None)
        return _idle


def _start() -> _Worker:
    with _lock:
        before = _semaphores()
        pool = ProcessPoolExecutor(
            1,
            context=get_context("loky"),
            initializer=_end_with,
            initargs=(os.getpid(),),
            env=ONE_THREAD,
        )
        started = pool.submit(os.getpid)
        made = _semaphores() - before
    # A process of `multiprocessing` waits for its children before it ends its pools.
    end = Finalize(None, pool.shutdown, kwargs={"kill_workers": True}, exitpriority=1)
    started.result()
    # It has opened them. Who kills this process may kill those who would remove them, too.
    for semaphore in made:
        semaphore.unlink(missing_ok=True)
    return _Worker(pool, end)


def _semaphores() -> set[Path]:
    """The files of this process's semaphores."""
    return {*Path("/dev/shm").glob(f"sem.loky-{os.getpid()}-*")}


def _end_with(parent: int) -> None:
    """Ends this process soon after its parent has ended, even if that was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)

    in_thread(watch)


def _reset_after_fork() -> None:
    """Starts other workers: what is idle belongs to the parent, and must not be ended here."""
    global _lock, _idle
    _inherited.append(_idle)
    _lock, _idle = threading.Lock(), None


os.register_at_fork(after_in_child=_reset_after_fork)
