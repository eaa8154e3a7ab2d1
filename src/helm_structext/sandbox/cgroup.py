"""Control groups (version 2): the kernel's own count of all that an engine holds, where we may have them.

A group counts memory of every kind, also the kernel's, and threads. It is one more bound beside those
that are watched and the calls that are refused: nothing depends on it. Whether there is one is for
those to say who start us: systemd delegates a group to what runs by
``systemd-run --user --scope -p Delegate=yes``.

Sources: linux/Documentation/admin-guide/cgroup-v2.rst, systemd's "Control Group APIs and Delegation".
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helm_structext.machine.programs import program
from helm_structext.sandbox.limits import MAX_THREADS, MIB, Limits

CONTROLLERS = frozenset({"memory", "pids"})
OURS = "helm-structext-host"
"""The group into which a delegated group's processes move: only leaves may hold any."""
SLACK = 512
"""MiB for libraries that are read, page tables, buffers: what the watch does not count as memory."""
REMOVE_TRIES, REMOVE_SECONDS = 50, 0.01


def own_group() -> Path | None:
    """Returns the folder of the group that this process is in, if the machine has version 2."""
    groups = Path("/proc/self/cgroup").read_text().splitlines()
    path = next((line[3:] for line in groups if line.startswith("0::")), None)
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if path is not None and after.startswith("cgroup2 "):
            root, folder = before.split()[3:5]
            return Path(os.path.normpath(f"{folder}/{os.path.relpath(path, root)}"))
    return None


@cache
def parent_group() -> Path | None:
    """Returns the group in which we may make others that count memory and threads."""
    try:
        own = own_group()
        if own is None:
            return None
        if own.name == OURS:
            own = own.parent
        if not set((own / "cgroup.controllers").read_text().split()) >= CONTROLLERS:
            return None
        if not set((own / "cgroup.subtree_control").read_text().split()) >= CONTROLLERS:
            if os.getxattr(own, "user.delegate") != b"1":
                return None
            (own / OURS).mkdir(exist_ok=True)
            for pid in (own / "cgroup.procs").read_text().split():
                (own / OURS / "cgroup.procs").write_text(pid)
            enabled = " ".join(f"+{name}" for name in sorted(CONTROLLERS))
            (own / "cgroup.subtree_control").write_text(enabled)
        Path(tempfile.mkdtemp(dir=own)).rmdir()
    except OSError:
        return None
    return own


@dataclass(frozen=True)
class Group:
    """A group of one engine."""

    path: Path

    def entering(self, command: Sequence[str]) -> list[str]:
        """Returns how to start a program in the group."""
        enter = 'echo $$ > "$0"; exec "$@"'
        return [str(program("sh")), "-c", enter, str(self.path / "cgroup.procs"), *command]

    def remove(self) -> None:
        """Ends what is left in the group, and the group."""
        with contextlib.suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        for _ in range(REMOVE_TRIES):
            try:
                self.path.rmdir()
                return
            except OSError:  # The last process may take a moment.
                time.sleep(REMOVE_SECONDS)


def new_group(limits: Limits) -> Group | None:
    """Returns a new group that holds no more than the limits, if we may have one."""
    parent = parent_group()
    if parent is None:
        return None
    try:
        path = Path(tempfile.mkdtemp(prefix="helm-structext-", dir=parent))
        memory = (limits.memory + limits.scratch + limits.output + SLACK) * MIB
        (path / "memory.max").write_text(str(memory))
        (path / "pids.max").write_text(str(MAX_THREADS))
        with contextlib.suppress(OSError):  # Kernels may lack what swaps.
            (path / "memory.swap.max").write_text("0")
    except OSError:
        return None
    return Group(path)
