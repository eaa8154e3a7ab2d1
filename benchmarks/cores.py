"""How benchmarks keep to some of the cores, and time what they call."""

import os
import time
from collections.abc import Callable
from typing import TypeVar

from helm_structext.sandbox import pool

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def bind(cores: list[int]) -> None:
    """Binds this thread, and with it all that it starts, to cores; engines begin anew."""
    os.sched_setaffinity(0, cores)
    pool.workers.close()
    pool.reset_after_fork()  # with as many places, and the thread that starts engines on these cores too


def timed(function: Callable[[Argument], Result], argument: Argument) -> tuple[float, Result]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = function(argument)
    return time.perf_counter() - start, result
