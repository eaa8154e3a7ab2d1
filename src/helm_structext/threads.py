"""The one place that starts threads of ours, or for a debugger none, and keeps BLAS from starting its own.

With `HELM_STRUCTEXT_SERIAL=1`, what would be done in threads and processes of ours is done where it is
asked for, in turn: a breakpoint in a renderer or a metric stops in the debugger of whoever called.
Engines run in their sandboxes as ever.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from helm_structext.errors import SetupError

SERIAL = "HELM_STRUCTEXT_SERIAL"

Result = TypeVar("Result")


def is_serial() -> bool:
    """Returns whether all is done in the caller's thread and process: `HELM_STRUCTEXT_SERIAL`.

    Raises:
        SetupError: the variable is neither 0 nor 1.
    """
    said = os.environ.get(SERIAL) or "0"
    if said not in ("0", "1"):
        raise SetupError(f"{SERIAL} is {said!r}; expected 1, or 0 as if it were not there")
    return said == "1"


class _AtOnce(Executor):
    """Calls functions when they are submitted, or when their results are asked for."""

    def submit(
        self, function: Callable[..., Result], /, *args: Any, **kwargs: Any
    ) -> Future[Result]:
        future: Future[Result] = Future()
        _fulfill(future, lambda: function(*args, **kwargs))
        return future

    def map(
        self,
        fn: Callable[..., Result],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int = 1,
    ) -> Iterator[Result]:
        return map(fn, *iterables)


def thread_pool(count: int, name: str = "") -> Executor:
    """Returns a pool of threads.

    Args:
        count: of threads.
        name: that they have, with a number.

    >>> with thread_pool(2) as threads:
    ...     list(threads.map(abs, [-1, -2]))
    [1, 2]
    """
    return _AtOnce() if is_serial() else ThreadPoolExecutor(count, name)


def in_thread(function: Callable[[], Result], name: str = "helm-structext") -> Future[Result]:
    """Calls a function in a thread of its own, for which nobody waits when the process ends.

    >>> in_thread(lambda: 1 + 1).result()
    2
    """
    if is_serial():
        return _AtOnce().submit(function)
    future: Future[Result] = Future()
    threading.Thread(target=_fulfill, args=(future, function), name=name, daemon=True).start()
    return future


@contextmanager
def beside(repeat: Callable[[threading.Event], object]) -> Iterator[None]:
    """Lets a function run in a thread while something else is done in here.

    Args:
        repeat: says how far that is, say, until the event is set that it gets. Where all is done in
            one thread, it is not called.

    >>> with beside(lambda ended: ended.wait()):
    ...     pass
    """
    if is_serial():
        yield
        return
    ended = threading.Event()
    running = in_thread(lambda: repeat(ended))
    try:
        yield
    finally:
        ended.set()
        running.result()


@contextmanager
def in_one_blas_thread() -> Iterator[None]:
    """Lets NumPy multiply matrices in the caller's thread.

    BLAS starts as many threads as there are cores. They wait for each other actively, which for small matrices
    takes longer than multiplying, and on a busy machine many times as long.

    >>> with in_one_blas_thread():
    ...     pass
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        yield


def _fulfill(future: "Future[Result]", function: Callable[[], Result]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)
