"""What a job may use, and what it does use."""

import contextlib
import os
import re
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from helm_structext.errors import SetupError

MIB = 2**20
START_SECONDS = 120
"""Wall time that an engine that stays started may take for its start: a machine may be busy."""


@dataclass(frozen=True)
class Limits:
    """What one job may use before it is stopped.

    Args:
        seconds: wall time.
        memory: MiB, the sum over the job's processes (and each one's address space).
        processes: how many at a time.
        scratch: MiB of files.
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
    own = f"ulimit -c 0; ulimit -n 1024; ulimit -f {limits.scratch * MIB // 512}; "
    if virtual:
        own += f"ulimit -v {limits.memory * 1024}; "
    return ["sh", "-c", own + script, "sh", *command]


def tree(pid: int, most: int = sys.maxsize) -> list[int]:
    """Returns `pid` and all processes that descend from it, as far as they live.

    Args:
        pid: of the first.
        most: how many at least, if there are more: to count those of a fork bomb never ends.
    """
    found = [pid]
    for parent in found:
        if len(found) > most:
            break
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def usage(pid: int, most: int = sys.maxsize) -> tuple[int, int]:
    """Returns the number of processes below `pid`, itself included, and their bytes of memory.

    Counted is memory that no file backs: a library mapped by ten processes is not ten libraries.

    Args:
        pid: of the first.
        most: how many processes at least are counted, if there are more.
    """
    pids = tree(pid, most)
    memory = 0
    for one in pids:
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue
        memory += sum(int(size) for size in re.findall(r"Rss(?:Anon|Shmem):\s*(\d+)", status))
    return len(pids), memory * 1024


MAX_COUNTED = 1000
"""More processes than any engine may have."""
FILE_BYTES = 4096
"""What a file or folder counts at least: without content, it still takes memory of the kernel."""


def scratch_size(folder: Path, pid: int) -> int:
    """Returns the bytes of files in a folder, with those deleted but still open in a process.

    Args:
        folder: a scratch folder.
        pid: whose descendants' open files count.
    """
    size = 0
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    size += max(entry.stat(follow_symlinks=False).st_blocks * 512, FILE_BYTES)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    deleted = {}
    for one in tree(pid, MAX_COUNTED):
        with contextlib.suppress(OSError):
            for entry in os.scandir(f"/proc/{one}/fd"):
                with contextlib.suppress(OSError):
                    status = Path(entry.path).stat()
                    if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                        deleted[status.st_dev, status.st_ino] = status.st_blocks * 512
    return size + sum(deleted.values())
