"""Starts one program under Landlock and seccomp, and ends all that it has started.

This file is also a program of its own (`python launcher.py DESCRIPTOR`), which needs nothing but the
standard library. It reads its task, a JSON object with the fields of `LaunchTask`, from the descriptor. Where the
process that wrote the task has gone, however early, nothing starts, all ends, and the job's folder is removed.

It stays as the program's parent. Orphans become its children, and it is in a signal domain of its
own, in which the program's domain is nested: the kernel lets it signal whatever the program started
and nothing else, and lets the program not signal it. When the program has ended, or when it is told
to end (SIGTERM, or its own parent's death), it kills everything in that domain at once.

Sources: linux/Documentation/userspace-api/landlock.rst, linux/include/uapi/linux/landlock.h,
linux/include/uapi/linux/prctl.h, seccomp(2), capabilities(7).
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

COMPLAINT = "sandbox: "

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION, RULE_PATH_BENEATH = 1, 1
# What a ruleset decides on. Actions that it handles are refused but for what its rules allow.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE, MAKE_CHAR, MAKE_DIR, MAKE_REG = 3 << 4, 1 << 6, 1 << 7, 1 << 8
MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = 1 << 9, 1 << 10, 1 << 11, 1 << 12
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
BIND_TCP, CONNECT_TCP = 1, 2
ABSTRACT_SOCKET, SIGNAL = 1, 2
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""Those that a rule for a file, not a folder, may give."""
READ = EXECUTE | READ_FILE | READ_DIR
DEVICE = READ_FILE | WRITE_FILE
WRITE = READ | WRITE_FILE | REMOVE | MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM | REFER | TRUNCATE

SIGNALS_ABI, DEVICES_ABI, OLDEST_ABI = 6, 5, 4
"""The first versions that hold signals back, know devices, and know the network."""

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECCOMP = 1, 24, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


class LaunchTask(NamedTuple):
    """What to start, and how.

    Args:
        command: the program and its arguments.
        paths: path → rights; what does not exist is left out.
        proc: whether the program sees, of /proc, the folders, and the files of its own and of none.
            What it starts sees the same: the program's files, and not those of its own.
        filter: of system calls, in hexadecimal digits.
        abi: version of Landlock.
        parent: number of the process that starts this one.
        folder: what is removed if that process has gone.
    """

    command: Sequence[str]
    paths: dict[str, int]
    proc: bool
    filter: str
    abi: int
    parent: int
    folder: str


OWN = (
    *("auxv", "cmdline", "fd", "limits", "maps", "oom_score_adj"),
    *("smaps_rollup", "stat", "statm", "status"),
)
"""A process's own files that it sees: not those of the machine, such as its mounts and connections."""
PUBLIC = ("meminfo", "cpuinfo", "stat", "version", "filesystems", "sys/kernel/osrelease")
"""Files of /proc that tell of no process."""


class Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


def call(result: int, what: str) -> int:
    """Passes on what a system call returned.

    Raises:
        OSError: it failed.
    """
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def prctl(option: int, *values: object) -> None:
    """Sets something of this process.

    Raises:
        OSError: it can't be set.
    """
    arguments = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in values]
    arguments += [ctypes.c_ulong(0)] * (4 - len(arguments))
    call(libc.prctl(option, *arguments), f"prctl {option}")


def landlock_abi() -> int:
    """Returns the version of Landlock that this kernel has; 0 if it has none, or none for us."""
    abi: int = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), CREATE_RULESET_VERSION)
    return max(0, abi)


def restrict(files: int, network: int, scopes: int, rules: dict[str, int], abi: int) -> None:
    """Lets this process, and all that it starts, do no more than the rules allow.

    Args:
        files: rights that are refused without a rule.
        network: the same of TCP.
        scopes: what ends at the border of the new domain.
        rules: path → rights.
        abi: version of Landlock.

    Raises:
        OSError: it can't be done.
    """
    attributes = struct.pack("=QQQ", files, network, scopes)
    if abi < SIGNALS_ABI:
        attributes = attributes[:16]
    size = ctypes.c_size_t(len(attributes))
    ruleset = call(libc.syscall(CREATE_RULESET, attributes, size, 0), "landlock_create_ruleset")
    for path, rights in rules.items():
        try:
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if not Path(path).is_dir():
            rights &= FILE_RIGHTS
        rule = struct.pack("=Qi", rights & files, beneath)
        call(libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0), f"rule for {path}")
        os.close(beneath)
    call(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def drop_capabilities() -> None:
    """Takes from root what makes it more than another user, for good.

    Raises:
        OSError: it can't be done.
    """
    for number in range(64):
        with contextlib.suppress(OSError):  # The last ones do not exist; others may drop nothing.
            prctl(PR_CAPBSET_DROP, number)
    head = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    call(libc.capset(head, bytes(24)), "capset")


def start(task: LaunchTask, launcher: int) -> NoReturn:
    """Becomes the program, a child of the launcher with that number.

    Raises:
        OSError: it can't be isolated, or does not exist, or the launcher has gone.
    """
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != launcher:
        raise OSError("the launcher was killed")
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    drop_capabilities()
    paths = dict(task.paths)
    if task.proc:
        # A browser counts the threads and descriptors of each of its processes.
        paths["/proc"] = READ_DIR
        own = f"/proc/{os.getpid()}"
        for path in (*(f"/proc/{name}" for name in PUBLIC), *(f"{own}/{name}" for name in OWN)):
            paths[path] = READ_FILE | READ_DIR
    files = (IOCTL_DEV << 1) - 1 if task.abi >= DEVICES_ABI else IOCTL_DEV - 1
    scopes = ABSTRACT_SOCKET | SIGNAL if task.abi >= SIGNALS_ABI else 0
    restrict(files, BIND_TCP | CONNECT_TCP, scopes, paths, task.abi)
    program = bytes.fromhex(task.filter)
    calls = Filter(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(calls))
    os.execvp(task.command[0], list(task.command))


def descendants() -> list[int]:
    """Returns all processes below this one."""
    found = [os.getpid()]
    for parent in found:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found[1:]


def kill_all(abi: int) -> None:
    """Ends everything below this process."""
    while True:
        if abi >= SIGNALS_ABI:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)  # All that this domain may signal; no fork escapes.
        else:
            for kind in (signal.SIGSTOP, signal.SIGKILL):
                for pid in descendants():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, kind)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def supervise(child: int, abi: int) -> int:
    """Waits for the program's end, or for the order to end it; returns its exit status."""
    while True:
        if signal.sigwait({signal.SIGCHLD, signal.SIGTERM}) == signal.SIGTERM:
            kill_all(abi)
            return 128 + signal.SIGTERM
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    kill_all(abi)
                    status = os.waitstatus_to_exitcode(ended[1])
                    return status if status >= 0 else 128 - status


def go_first() -> None:
    """Gets a turn before whatever the program starts, if the machine allows it.

    A fork bomb fills a machine faster than one process in its queue can kill.
    """
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def main(descriptor: int) -> int:
    """Does the task that the descriptor holds; returns the exit status."""
    with open(descriptor, encoding="utf-8") as file:
        task = LaunchTask(**json.load(file))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    status = 1
    if os.getppid() == task.parent:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        if task.abi >= SIGNALS_ABI:
            restrict(0, 0, SIGNAL, {}, task.abi)
        launcher, child = os.getpid(), os.fork()
        if not child:
            start(task, launcher)
        go_first()  # The program does not: it was forked before.
        os.closerange(0, 3)  # Else nobody would see the program close them.
        status = supervise(child, task.abi)
    if os.getppid() != task.parent:
        remove(task.folder)
    return status


def remove(folder: str) -> NoReturn:
    """Becomes what removes a folder, however deep it is: nobody else is left to do it."""
    script = 'chmod -R u+rwX -- "$1"; exec rm -rf -- "$1"'
    os.execv("/bin/sh", ["sh", "-c", script, "sh", folder])


if __name__ == "__main__":
    try:
        status = main(int(sys.argv[1]))
    except OSError as error:
        sys.exit(f"{COMPLAINT}{error}")
    sys.exit(status)
