"""What a job may use, and what it does use."""

import contextlib
import errno
import os
import re
import select
import signal
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from os.path import samestat
from pathlib import Path
from typing import IO, NamedTuple

from helm_structext.errors import SetupError

MIB = 2**20
START_SECONDS = 120
"""Wall time that an engine that stays started may take for its start: a machine may be busy."""
FILE_BYTES = 4096
"""What a file or folder counts at least: without content, it still takes memory of the kernel."""
# What stands for memory of the kernel. No engine comes near: a browser with 60 workers has 330
# descriptors, 90 of them in one process, and 140 threads.
DESCRIPTORS, MAX_DESCRIPTORS, MAX_THREADS = 256, 1024, 1024
"""Descriptors of one process; descriptors and threads of all processes of an engine."""
READ_BYTES = 65536
SOCKET_BYTES = 320 * 1024
"""What a socket holds at most: the usual buffer, of 208 KiB, and one message above it."""


@dataclass(frozen=True)
class Limits:
    """What one job may use before it is stopped; each engine's values are in `renderers/limits.py`.

    Args:
        seconds: wall time, as far as the job did not wait for a processor (`job_time.py`).
        memory: MiB, the sum over the job's processes (and each one's address space), with their
            page tables.
        processes: how many at a time.
        scratch: MiB of files, each of which counts `FILE_BYTES` at least.
        output: MiB of results.
    """

    seconds: float = 30.0
    memory: int = 1024
    processes: int = 16
    scratch: int = 128
    output: int = 64


def limits_for(name: str, defaults: Limits) -> Limits:
    """Returns a format's limits: each field may be set by the environment.

    `HELM_STRUCTEXT_LATEX_SECONDS=60` gives LaTeX a minute, `HELM_STRUCTEXT_WEBPAGE_MEMORY=4096`
    gives a webpage 4 GiB, and so on for every format and every field of `Limits`.

    Raises:
        SetupError: a value is not a positive number.
    """
    changes = {}
    for limit in fields(Limits):
        variable = f"HELM_STRUCTEXT_{name}_{limit.name}".upper()
        if text := os.environ.get(variable):
            try:
                changes[limit.name] = type(getattr(Limits, limit.name))(text)
            except ValueError:
                changes[limit.name] = 0
            if not changes[limit.name] > 0:
                raise SetupError(f"{variable} is {text!r}; expected a number above 0.")
    return replace(defaults, **changes)


def shell(
    script: str, command: Sequence[str], limits: Limits, *, virtual: bool = True
) -> list[str]:
    """Returns the command line of a shell script that has `command` as its arguments.

    The limits that a process can have of its own come on top of what is watched from outside.

    Args:
        script: for a POSIX shell.
        command: ``"$@"`` in the script.
        limits: what each process may use.
        virtual: whether address space counts as memory, as it does for most programs.
    """
    own = f"ulimit -c 0; ulimit -l 0; ulimit -n {DESCRIPTORS}; ulimit -f {limits.scratch * MIB // 512}; "
    if virtual:
        own += f"ulimit -v {limits.memory * 1024}; "
    return ["sh", "-c", own + script, "sh", *command]


def threads(pid: int) -> Iterator[str]:
    """Yields the folder in /proc of each thread of a process, and of no more than may run.

    >>> f"/proc/{os.getpid()}/task/{os.getpid()}" in threads(os.getpid())
    True
    """
    with os.scandir(f"/proc/{pid}/task") as entries:
        for entry in islice(entries, MAX_THREADS + 1):
            yield entry.path


def read_proc(path: str) -> str:
    """Returns what a file of /proc says.

    All that runs is looked at many times a second, and `Path.read_text` takes three times as long.

    >>> read_proc(f"/proc/{os.getpid()}/cmdline").endswith("\\0")
    True
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        parts = [os.read(descriptor, READ_BYTES)]
        while parts[-1]:
            parts.append(os.read(descriptor, READ_BYTES))
    finally:
        os.close(descriptor)
    return b"".join(parts).decode(errors="replace")


def tree(pid: int, most: int | None = None) -> list[int]:
    """Returns `pid` and all processes that descend from it, as far as they live.

    Args:
        pid: of the first.
        most: how many may run; where there are more, only one more is returned, and none of the others
            is looked at: they could grow faster than they are counted.

    >>> tree(os.getpid(), 0) == [os.getpid()]
    True
    """
    return list(islice(_descendants(pid), None if most is None else most + 1))


def _descendants(pid: int) -> Iterator[int]:
    """Yields a process, its children, theirs, and so on."""
    yield pid
    parents = [pid]
    for parent in parents:
        with contextlib.suppress(OSError):
            for thread in threads(parent):
                with contextlib.suppress(OSError):  # It may end while others go on.
                    children = [int(child) for child in read_proc(f"{thread}/children").split()]
                    parents += children
                    yield from children


ORPHAN_SECONDS, KILLED_SECONDS = 0.2, 5.0
"""What a sandbox may take to end after the program that has made it, and when it is killed itself."""


def end_orphans(pipe: IO[bytes]) -> None:
    """Waits until nobody writes to a pipe any more; kills those in sandboxes who still could.

    bwrap tells the kernel late that what it starts shall end with it: where it is killed while it
    builds a sandbox, that goes on, as nobody's child.
    """
    ended = select.poll()
    ended.register(pipe, 0)
    if ended.poll(ORPHAN_SECONDS * 1000):
        return
    ours, wanted = Path("/proc/self/ns/pid").stat(), os.fstat(pipe.fileno())
    killed = False
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            inside = not samestat(ours, (process / "ns/pid").stat())
            if inside and any(samestat(wanted, one.stat()) for one in (process / "fd").iterdir()):
                os.kill(int(process.name), signal.SIGKILL)
                killed = True
    if killed:
        ended.poll(KILLED_SECONDS * 1000)


class ProcessUsage(NamedTuple):
    """What a process and its descendants use.

    Attributes:
        processes: how many there are.
        memory: bytes that no file backs, and of page tables.
        threads: how many there are.
        descriptors: how many are open.
    """

    processes: int
    memory: int
    threads: int
    descriptors: int


COUNTED = re.compile(r"^(Threads|RssAnon|RssShmem|VmPTE):\s*(\d+)", re.MULTILINE)


def usage(pids: Sequence[int]) -> ProcessUsage:
    """Returns what processes use, such as a `tree` of them.

    Memory that a file backs does not count: a library mapped by ten processes is not ten libraries.

    >>> usage([os.getpid()]).threads > 0
    True
    """
    total: Counter[str] = Counter()
    for one in pids:
        with contextlib.suppress(OSError):
            folder, status = _alive(one)
            total.update({name: int(number) for name, number in COUNTED.findall(status)})
            # Since Linux 6.2 the size of the folder; before it was 0.
            opened = Path(folder, "fd")
            total["descriptors"] += opened.stat().st_size or len(list(opened.iterdir()))
    kilobytes = total["RssAnon"] + total["RssShmem"] + total["VmPTE"]
    return ProcessUsage(len(pids), kilobytes * 1024, total["Threads"], total["descriptors"])


HAS_MEMORY = "\nVmPTE:"
"""In the status of a thread that has not ended."""


def _alive(pid: int) -> tuple[str, str]:
    """Where /proc tells of a process, and its status: of the first thread that has not ended.

    Raises:
        OSError: there is no such process.
    """
    process = f"/proc/{pid}"
    status = read_proc(f"{process}/status")
    if HAS_MEMORY not in status:
        for thread in threads(pid):
            with contextlib.suppress(OSError):
                own = read_proc(f"{thread}/status")
                if HAS_MEMORY in own:
                    return thread, own
    return process, status


@contextlib.contextmanager
def _unless_ended(pid: int) -> Iterator[None]:
    """Passes over what can't be seen of a process that ends.

    Raises:
        PermissionError: it goes on, and nobody may look into it.
    """
    try:
        yield
    except (FileNotFoundError, ProcessLookupError):
        pass
    except PermissionError:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if HAS_MEMORY in _alive(pid)[1]:
                raise


MAX_PATH = 1024
"""Characters; beyond, to look at each of many files takes too long, and in the end is refused."""


def scratch_size(folder: Path, limits: Limits, mapped: bool, pid: int) -> int:
    """Returns the bytes of files in a folder on the disk, with those deleted but still in use.

    Args:
        folder: a scratch folder.
        limits: of the job; beyond `scratch` it does not matter how many there are: to count all may never end.
        mapped: whether processes may map deleted files, of which nobody can tell the size.
        pid: whose descendants' open files count.
    """
    most, pids = limits.scratch * MIB, tree(pid, limits.processes)
    try:
        if not mapped and any(_maps_deleted(one, folder) for one in pids):
            return most + 1
        return _sum_listed(folder, most) + _sum_deleted(pids)
    except OSError:
        # Folders that nobody may list or whose names are too long, and processes that nobody may
        # look into, could hold anything. No engine has a reason for them.
        return most + 1


def _sum_listed(folder: Path, most: int) -> int:
    """The bytes of the files that can be found in a folder, or as soon as there are too many.

    Raises:
        OSError: there are some that can't be found.
    """
    size = 0
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    size += max(entry.stat(follow_symlinks=False).st_blocks * 512, FILE_BYTES)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if size > most:
                    return size
                if len(entry.path) > MAX_PATH:
                    raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return size


def _sum_deleted(pids: Sequence[int]) -> int:
    """The bytes of deleted files that are open in processes."""
    found = {}
    for pid in pids:
        with _unless_ended(pid):
            for entry in os.scandir(f"{_alive(pid)[0]}/fd"):
                with contextlib.suppress(OSError):
                    status = Path(entry.path).stat()
                    if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                        found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def _maps_deleted(pid: int, folder: Path) -> bool:
    """Whether a process has mapped a deleted file of a folder."""
    below = f" {folder}/".encode()
    with _unless_ended(pid):
        lines = Path(_alive(pid)[0], "maps").read_bytes().splitlines()
        return any(below in line for line in lines if line.endswith(b" (deleted)"))
    return False


def scratch_inodes(folder: str, size: int, pid: int) -> int:
    """Returns what the files of a folder in memory count at least, whatever is in them.

    Args:
        folder: its path inside of the sandbox.
        size: bytes that the folder may hold, by which it is known from any other.
        pid: of the process that isolates, whose child is inside.
    """
    for inside in tree(pid, 1)[1:2]:
        with contextlib.suppress(OSError):
            status = os.statvfs(f"/proc/{inside}/root{folder}")
            if status.f_blocks * status.f_frsize == size:
                return (status.f_files - status.f_ffree) * FILE_BYTES
    return 0
