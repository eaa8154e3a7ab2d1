"""What a process and its engines hold, looked at now and then, and a table of it by tenths of the time."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import fmean

from helm_structext.results.tabular import Cell, markdown
from helm_structext.sandbox import MIB, tree, usage

SECONDS = 0.5
"""Between two looks."""
PAGE = os.sysconf("SC_PAGESIZE")


@dataclass(frozen=True)
class Look:
    """What a process held at a time.

    Args:
        own: MiB of its own.
        all: MiB of it and all below it.
        processes: how many.
        descriptors: that it has open.
    """

    own: float
    all: float
    processes: int
    descriptors: int


def look(pid: int) -> Look:
    """Looks at a process.

    Raises:
        OSError: it is gone.
    """
    held = usage(tree(pid))
    own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return Look(own / MIB, held.memory / MIB, held.processes, descriptors)


@contextmanager
def now_and_then(do: Callable[[], object]) -> Iterator[None]:
    """Does something meanwhile, in a thread; what is gone by then is passed over."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(SECONDS):
            with suppress(OSError):
                do()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def looking(pid: int) -> Iterator[list[Look]]:
    """Gives a list that grows by a look now and then."""
    looks: list[Look] = []
    with now_and_then(lambda: looks.append(look(pid))):
        yield looks


def mean(looks: Sequence[Look]) -> Look:
    """The means of each of what they hold."""
    return Look(*(round(fmean(column)) for column in zip(*map(astuple, looks), strict=True)))


def by_tenths(looks: Sequence[Look]) -> str:
    """Returns a table of the means of each tenth of the time."""
    rows: list[list[Cell]] = []
    for number in range(10):
        begin, end = (len(looks) * part // 10 for part in (number, number + 1))
        held = mean(looks[begin : max(end, begin + 1)])
        rows.append([number + 1, *map(str, astuple(held))])
    return markdown(["tenth", "MiB of its own", "MiB in all", "processes", "descriptors"], rows)
