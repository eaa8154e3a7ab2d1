"""How long this machine takes for an answer, measured on a few of the embedded sample's."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from itertools import islice

from helm_structext.errors import RenderError, SetupError
from helm_structext.planning.records import Job
from helm_structext.progress import progress
from helm_structext.sandbox import worker_count
from helm_structext.threads import thread_pool

ANSWERS = 4
"""Of each format that are tried; with more cores, as many more are taken to be done at a time."""


def calibrated(
    formats: Sequence[str],
    jobs_of: Callable[[str], Iterable[Job]],
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Mapping[str, float], Mapping[str, str]]:
    """Measures what an answer of each format takes when as many are at work as there are cores.

    Engines are started first, which counts once in an evaluation and not here. On an idle machine it
    takes one or two seconds for each format.

    Args:
        formats: those that occur.
        jobs_of: returns a format's jobs.
        clock: returns seconds.

    Returns:
        Format to seconds for each answer; and format to why it could not be measured.
    """
    workers = worker_count()
    at_a_time = min(workers, ANSWERS)
    seconds: dict[str, float] = {}
    failures: dict[str, str] = {}
    with thread_pool(at_a_time) as threads:
        for format in progress(formats, "trying this machine"):
            jobs = list(islice(jobs_of(format), ANSWERS))
            if not jobs:
                failures[format] = "the sample has no answer of it"
                continue
            try:
                _run_all(threads, jobs[:at_a_time])
                start = clock()
                _run_all(threads, jobs)
            except (SetupError, RenderError) as error:
                failures[format] = str(error)
                continue
            seconds[format] = (clock() - start) * at_a_time / len(jobs) / workers
    return seconds, failures


def _run_all(threads: Executor, jobs: Iterable[Job]) -> None:
    for _ in threads.map(lambda job: job(), jobs):
        pass
