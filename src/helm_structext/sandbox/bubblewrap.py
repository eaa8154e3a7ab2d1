"""Isolation by namespaces, which the program bubblewrap makes.

A process has no network, no home, an own view of processes, a file system made of the few paths that
its engine needs, read-only, and one scratch folder in memory. `seccomp.py` refuses system calls.
"""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

from helm_structext.errors import SetupError
from helm_structext.machine.programs import find_program, program
from helm_structext.sandbox.launch import Launch
from helm_structext.sandbox.limits import MAX_THREADS, MIB, Limits, read_proc, scratch_inodes, tree
from helm_structext.sandbox.profile import (
    DEVICES,
    ETC,
    FONTS,
    SYSTEM_PROGRAMS,
    SandboxProfile,
)
from helm_structext.sandbox.seccomp import seccomp_filter

SCRATCH = "/job"
SHELL = "bash"
"""The one that all distributions have, and that writes to descriptors of any number."""
# bwrap dies with its parent from some moment on. Who was killed before has closed what this is written to.
# What is started in a namespace is counted there: it may be no more than an engine's threads.
IF_SUPERVISED = f'ulimit -u {MAX_THREADS} 2>&-; printf . >&"$0" && eval "exec $0>&-" && exec "$@"'
CHILD = re.compile(rb'"child-pid": (\d+)')
NUMBERS = re.compile(r"^NSpid:(.*)$", re.MULTILINE)
"""Those that a process has in its namespaces, the innermost last."""
ADVICE = (
    "Install bubblewrap 0.8 or newer and allow user namespaces (Debian: `apt install bubblewrap`)"
)


@dataclass(frozen=True)
class Bubblewrap:
    """Namespaces, made by the program bubblewrap."""

    path: Path
    name = "bubblewrap"
    complaint = "bwrap: "
    gaps: Mapping[str, str] = field(default_factory=dict)

    def prepare(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        shared: Mapping[str, Path],
    ) -> Launch:
        """Returns how to start `command`."""
        environment = profile.variables(Path("/etc"), SCRATCH)
        shell = find_program(SHELL)
        programs = [*SYSTEM_PROGRAMS, *([SHELL] if shell else []), *profile.programs]
        line = [str(self.path), *_arguments(profile, limits, shared, programs)]
        descriptors: list[int] = []
        if profile.fonts:
            descriptors.append(os.memfd_create("fonts"))
            os.write(descriptors[0], profile.fonts_conf())
            os.lseek(descriptors[0], 0, os.SEEK_SET)
            line += ["--ro-bind-data", str(descriptors[0]), f"/etc/{FONTS}"]
        line += ["--remount-ro", "/"]
        reading, writing = os.pipe()
        os.write(writing, seccomp_filter(profile.sockets))
        os.close(writing)
        told, telling = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        line += ["--seccomp", str(reading), "--info-fd", str(telling), "--"]
        descriptors += [reading, telling]
        open_files = [os.fdopen(told, "rb")]
        if shell:
            alive, telling_alive = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            line += [str(shell), "-c", IF_SUPERVISED, str(telling_alive)]
            descriptors.append(telling_alive)
            open_files.append(os.fdopen(alive, "rb"))
        inodes = partial(scratch_inodes, SCRATCH, limits.scratch * MIB)
        reap = partial(_reap, *open_files)
        return Launch(
            [*line, *command], environment, tuple(descriptors), inodes, end=_end, reap=reap
        )


def _end(pid: int) -> None:
    """Kills the first process of the namespace, which bwrap reaps, or bwrap where there is none yet."""
    for inside in tree(pid, 1)[1:2] or [pid]:
        os.kill(inside, signal.SIGKILL)
    os.kill(pid, signal.SIGCONT)  # It may have been stopped.


def _reap(told: IO[bytes], *alive: IO[bytes]) -> None:
    """Ends the first process of the namespace, if it has become our child.

    It ends after bwrap. Where we are the machine's first process, as in many containers, it is then
    ours, and takes up a number until we have waited for it.

    Args:
        told: what bwrap says of it; closed here.
        alive: what its program has written to; closed here, too.
    """
    for file in alive:
        file.close()
    if told.closed:
        return
    with told:
        found = CHILD.search(told.read() or b"")
    with contextlib.suppress(OSError):
        # Else it has been reaped, and the number may be another one's.
        if found and _is_orphan(pid := int(found[1])):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _is_orphan(pid: int) -> bool:
    """Whether a process is our child, and the first one of a namespace.

    Raises:
        OSError: there is no such process.
    """
    status = read_proc(f"/proc/{pid}/status")
    numbers = NUMBERS.search(status)
    ours = f"\nPPid:\t{os.getpid()}\n" in status
    return (
        ours and numbers is not None and len(numbers[1].split()) > 1 and numbers[1].endswith("\t1")
    )


def end_left_behind() -> None:
    """Ends what is left of sandboxes of ours whose bwrap was killed with who started it, as they were built.

    The first process of such a namespace waits for its bwrap for ever. It runs nothing: see `IF_SUPERVISED`.
    """
    depth = len(_numbers_of("self"))
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            inside = _numbers_of(entry.name)
            if len(inside) <= depth or inside[-1] != "1" or not _is_of_ours(entry.name):
                continue
            if not _is_of_ours(_parent_of(entry.name)):
                os.kill(int(entry.name), signal.SIGKILL)


def _numbers_of(pid: str) -> list[str]:
    found = NUMBERS.search(read_proc(f"/proc/{pid}/status"))
    return found[1].split() if found else []


def _parent_of(pid: str) -> str:
    return read_proc(f"/proc/{pid}/stat").rpartition(")")[2].split()[1]


def _is_of_ours(pid: str) -> bool:
    """Whether a process is a bwrap of ours, before its namespace or in it, under whatever name."""
    return IF_SUPERVISED in read_proc(f"/proc/{pid}/cmdline")


def _arguments(
    profile: SandboxProfile, limits: Limits, shared: Mapping[str, Path], programs: Sequence[str]
) -> list[str]:
    """Bubblewrap's arguments, but for what it reads from descriptors, and what comes last."""
    line = ["--unshare-all", "--unshare-user", "--disable-userns"]
    line += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    line += ["--uid", "1000", "--gid", "1000", "--hostname", "localhost"]
    for name in programs:
        path = program(name)
        # What lies behind /etc/alternatives and the like appears at the program's usual place.
        line += ["--ro-bind", str(path.resolve()), str(path)]
    for text in profile.readable:
        path = Path(text)
        if path.is_symlink() and path.is_dir():
            line += ["--symlink", str(path.readlink()), text]
        else:
            line += ["--ro-bind-try", text, text]
    for name in profile.etc:
        line += ["--ro-bind", str(ETC / name), f"/etc/{name}"]
    for device in DEVICES:
        line += ["--dev-bind", device, device]
    if profile.proc:
        # To root, even without capabilities, a writable /proc is the host's kernel settings.
        line += ["--proc", "/proc", "--remount-ro", "/proc"]
    line += ["--size", str(limits.scratch * MIB), "--tmpfs", SCRATCH, "--chdir", SCRATCH]
    for name, path in shared.items():
        line += ["--ro-bind", str(path), f"{SCRATCH}/{name}"]
    return line


def installed_bubblewrap() -> Bubblewrap:
    """Returns the machine's bubblewrap.

    Raises:
        SetupError: there is none, or it is too old.
    """
    found = find_program("bwrap")
    if found is None:
        raise SetupError(f"bubblewrap is missing. {ADVICE}")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    if version < (0, 8):
        raise SetupError(f"{found} is version {said.strip()!r}, which is too old. {ADVICE}")
    end_left_behind()
    return Bubblewrap(found)
