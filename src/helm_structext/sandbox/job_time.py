"""How long an answer may take, whatever else the machine does, and however many steps it has.

Of the wall time of a job, each stretch is divided into what its processes

- used: at least one of them had a processor;
- idled: none of them wanted one;
- waited: they wanted one, and others had it. This is not the job's fault, and does not count.

Where more of its threads than one want a processor at a time, their processor time is divided by how
many they are, up to the machine's processors. So on an idle machine what a job uses and idles is its
wall time, and beside busy processes it is the same.

A job that has used its time is stopped for good. One that has idled for as long sleeps, or its engine
hangs: it is worth another try (`Stalled`), as is one that gets no processor at all (`Starved`).

Source: linux/Documentation/scheduler/sched-stats.rst, proc_pid_stat(5).
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import NamedTuple

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox.limits import read_proc, threads

SAMPLE_SECONDS = 0.2
"""How often it is looked at what a job has used; a job's first stretch of it does not count."""
ASLEEP_SECONDS = 1.0
"""After which of idling a job lends its place to others (`lendable`)."""
PATIENCE = 10
"""How many times its time a job may take of wall time."""

TICKS = os.sysconf("SC_CLK_TCK")
NANOSECONDS = 1e9


class Stalled(RenderError):
    """The time is over, but the job has not used it: kind ``timeout``."""


class Starved(SetupError):
    """The job got hardly any processor, which says nothing about it."""


class Cancelled(BaseException):
    """Nobody waits for the job any more. No handler of errors takes it for one."""


class Sample(NamedTuple):
    """What some processes have had of the processors so far.

    Args:
        ran: seconds, with those of children that have ended.
        waited: seconds for which each thread wanted a processor and had none: by its folder.
        stopped: whether one is stopped, as by SIGSTOP.
        ready: whether a thread has a processor or wants one. Linux counts a wait when it ends, so that one which
            lasts can be seen by this alone.
    """

    ran: float
    waited: dict[str, float]
    stopped: bool
    ready: bool = False


def sample(pids: Sequence[int]) -> Sample:
    """Returns what processes have had, such as a `tree` of them.

    >>> sample([os.getpid()]).ran > 0, sample([os.getpid()]).stopped
    (True, False)
    """
    ran, waited, stopped, ready = 0.0, {}, False, False
    for one in pids:
        with contextlib.suppress(OSError):
            fields = _stat(f"/proc/{one}")
            stopped |= fields[0] == "T"
            ran += sum(map(int, fields[11:15])) / TICKS
            for thread in threads(one):
                with contextlib.suppress(OSError):
                    delay = read_proc(f"{thread}/schedstat").split()[1]
                    waited[thread] = int(delay) / NANOSECONDS
                    ready = ready or _stat(thread)[0] == "R"
    return Sample(ran, waited, stopped, ready)


def _stat(folder: str) -> list[str]:
    """What proc_pid_stat(5) says of a process or thread, from its state on."""
    return read_proc(f"{folder}/stat").rpartition(")")[2].split()


_lenders: ContextVar[tuple[Callable[[], None], ...]] = ContextVar("lenders", default=())


@contextlib.contextmanager
def lendable(lend: Callable[[], None]) -> Iterator[None]:
    """Calls `lend` as soon as a job that begins in here has idled for long: it needs no processor.

    >>> with lendable(lambda: print("asleep")), job_clock(9) as clock:
    ...     clock.idle = 2.0
    ...     sample = clock.check([os.getpid()])
    asleep
    """
    token = _lenders.set((*_lenders.get(), lend))
    try:
        yield
    finally:
        _lenders.reset(token)


class JobClock:
    """What a job has used of its time.

    Args:
        seconds: that it may use, and that it may idle.

    Attributes:
        used: seconds.
        idle: seconds.
        virtual: seconds by which the virtual clock of a page went on, which costs the job nothing.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.used = self.idle = self.virtual = 0.0
        self.started = time.monotonic()
        self._pid = 0
        self._at = 0.0
        self._last = Sample(0, {}, False)
        self._lenders = _lenders.get()

    def check(self, pids: Sequence[int]) -> Sample:
        """Counts what processes have had, if the first is the one of the last call.

        Args:
            pids: a process, and all that descend from it; see `tree`.

        Returns:
            The last sample of it.

        Raises:
            RenderError: kind ``timeout``.
            Stalled: the same, but the job has not used its time.
            Starved: others have used it.
            Cancelled: see `cancellable`.
        """
        check_cancelled()
        pid, now = pids[0], time.monotonic()
        if pid != self._pid or now - self._at >= SAMPLE_SECONDS:
            taken = sample(pids)
            if pid == self._pid:
                self.count(self._last, taken, now - self._at)
            self._pid, self._at, self._last = pid, now, taken
        if self._lenders and self.idle >= ASLEEP_SECONDS:
            lenders, self._lenders = self._lenders, ()
            for lend in lenders:
                lend()
        if self.used >= self.seconds:
            raise RenderError("timeout", "not finished in time")
        if self.idle >= self.seconds:
            raise Stalled("timeout", "not finished in time: it did nothing")
        if now - self.started >= PATIENCE * self.seconds:
            raise Starved(
                f"The machine is too busy: after {PATIENCE * self.seconds:.0f} seconds a job has had "
                f"{self.used:.1f} of its {self.seconds:g}. Let fewer programs run, or call again later"
            )
        return self._last

    def count(self, before: Sample, after: Sample, wall: float) -> None:
        """Adds what was used and idled between two samples.

        >>> clock = JobClock(9)
        >>> nothing = Sample(0, {}, False)
        >>> clock.count(nothing, Sample(1, {"1": 4}, False), 5)  # one of six processes
        >>> clock.used, clock.idle
        (1.0, 0.0)
        >>> clock.count(nothing, Sample(1, {}, False), 5)  # sleeps
        >>> clock.used, clock.idle
        (2.0, 4.0)
        >>> clock.count(Sample(1, {}, False, True), Sample(1, {}, False, True), 5)  # waits all the time
        >>> clock.idle
        4.0
        """
        ran = max(after.ran - before.ran, 0)
        waited = sum(
            max(delay - before.waited.get(thread, 0), 0) for thread, delay in after.waited.items()
        )
        wanted = max((ran + waited) / wall, before.ready and after.ready)
        at_a_time = min(max(wanted, 1), len(os.sched_getaffinity(0)))
        self.used += min(ran / at_a_time, wall)
        self.idle += max(1 - wanted, 0) * wall

    def leave_out(self, seconds: float) -> None:
        """Takes seconds that have just gone by as if they had not."""
        self.started += seconds
        self._pid = 0


_running: ContextVar[JobClock | None] = ContextVar("running", default=None)


@contextlib.contextmanager
def job_clock(seconds: float) -> Iterator[JobClock]:
    """Gives the clock of the job that runs, or starts one.

    Args:
        seconds: for another clock; the one that runs goes on as it is.

    >>> with job_clock(3) as job, job_clock(9) as step:
    ...     step is job, step.seconds
    (True, 3)
    """
    if (running := _running.get()) is not None:
        yield running
        return
    clock = JobClock(seconds)
    if (watched := _watched.get()) is not None:
        watched.append(clock)
    token = _running.set(clock)
    try:
        yield clock
    finally:
        _running.reset(token)


_watched: ContextVar[list[JobClock] | None] = ContextVar("watched", default=None)


@contextlib.contextmanager
def watched_clocks() -> Iterator[list[JobClock]]:
    """Gives the clocks of the jobs that this thread begins in here, one for each try of a job.

    >>> with watched_clocks() as clocks, job_clock(9):
    ...     advance_virtual(0.1)
    >>> [clock.virtual for clock in clocks]
    [0.1]
    """
    clocks: list[JobClock] = []
    token = _watched.set(clocks)
    try:
        yield clocks
    finally:
        _watched.reset(token)


def advance_virtual(seconds: float) -> None:
    """Notes, for the job that runs, that its page's virtual clock has gone on."""
    if (running := _running.get()) is not None:
        running.virtual += seconds


_cancelled: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)


@contextlib.contextmanager
def cancellable(cancelled: threading.Event) -> Iterator[None]:
    """Jobs that run in here end with `Cancelled`, engines and all, soon after the event is set.

    >>> cancelled = threading.Event()
    >>> with contextlib.suppress(Cancelled), cancellable(cancelled), job_clock(9) as clock:
    ...     cancelled.set()
    ...     clock.check([os.getpid()])
    ...     print("goes on")
    """
    token = _cancelled.set(cancelled)
    try:
        yield
    finally:
        _cancelled.reset(token)


def check_cancelled() -> None:
    """Raises `Cancelled` if nobody waits for this job."""
    if (cancelled := _cancelled.get()) is not None and cancelled.is_set():
        raise Cancelled


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """No job pays for what is done in here: it serves those after it, too."""
    running, start = _running.get(), time.monotonic()
    tokens = _running.set(None), _watched.set(None)
    try:
        yield
    finally:
        _running.reset(tokens[0])
        _watched.reset(tokens[1])
        if running is not None:
            running.leave_out(time.monotonic() - start)
