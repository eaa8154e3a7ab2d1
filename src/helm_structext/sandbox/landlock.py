"""Isolation where namespaces are forbidden, as in most containers: Landlock with seccomp.

No right is needed for either. A process opens the files of its profile and of its scratch folder and
no others, has no network, reaches no process that it did not start, and no call that `seccomp.py`
refuses. What namespaces give beyond that is in `Landlock.gaps`.
"""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.machine.programs import program
from helm_structext.sandbox import launcher
from helm_structext.sandbox.launch import Launch
from helm_structext.sandbox.limits import Limits, scratch_size
from helm_structext.sandbox.profile import (
    DEVICES,
    SYSTEM_PROGRAMS,
    SandboxProfile,
)
from helm_structext.sandbox.seccomp import seccomp_filter


@dataclass(frozen=True)
class Landlock:
    """The rules of one process about itself, given by `launcher.py`.

    Args:
        abi: version of Landlock.
    """

    abi: int
    name = "landlock"
    complaint = launcher.COMPLAINT
    gaps = {  # noqa: RUF012
        "names": "whether a file of the machine exists, its size and dates, where a link leads, and the "
        "size of its disk can be asked for; its content and attributes can't be read",
        "processes": "whether a process of the machine exists, and how many threads and open files "
        "it has, can be asked for; it can't be reached",
        "machine": "the user's number and the machine's name are the real ones",
        "scratch": "the scratch folder is on the disk: when it is full, the job is stopped, up to "
        "0.05 s late",
        "killed launcher": "if the machine kills our launcher for want of memory, what a job has "
        "started may go on",
    }

    def prepare(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        shared: Mapping[str, Path],
    ) -> Launch:
        """Returns how to start `command`."""
        folder = tempfile.TemporaryDirectory(prefix="helm-structext-")
        try:
            home, view, etc = (
                Path(folder.name).resolve() / name for name in ("job", "view", "etc")
            )
            _link(home, shared)
            _link(view, profile.view)
            write(etc, profile.made_up())
            paths = _readable(profile, [*shared.values(), view, etc])
            paths |= dict.fromkeys(DEVICES, launcher.DEVICE)
            paths[str(home)] = launcher.WRITE
            calls = seccomp_filter(profile.sockets, self.abi < launcher.SIGNALS_ABI).hex()
            task = launcher.LaunchTask(
                list(command), paths, profile.proc, calls, self.abi, os.getpid(), folder.name
            )
            environment = profile.variables(etc, str(home), str(view))
            told = _memory(task)
            # A browser's processes share memory by files that they have deleted and closed.
            size = partial(scratch_size, home, limits, profile.sockets)
            return Launch(_line(told), environment, (told,), size, home, folder, _end)
        except OSError as error:
            folder.cleanup()
            raise SetupError(f"The sandbox could not be built: {error}") from error
        except BaseException:
            folder.cleanup()
            raise


def _end(pid: int) -> None:
    """Tells the launcher to end."""
    os.kill(pid, signal.SIGTERM)


def _readable(profile: SandboxProfile, more: Sequence[Path]) -> dict[str, int]:
    """What can be read: path → rights.

    A link is followed wherever it leads; a rule is needed for what lies there. A folder that is a
    link, such as /bin, gets none: what is allowed of that folder is listed by its own name.
    """
    programs = [program(name) for name in (*SYSTEM_PROGRAMS, *profile.programs)]
    listed = map(Path, profile.readable)
    folders = [path for path in listed if not (path.is_symlink() and path.is_dir())]
    return {os.path.realpath(path): launcher.READ for path in (*programs, *folders, *more)}


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Makes a folder of files: name inside → content."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _link(folder: Path, paths: Mapping[str, Path]) -> None:
    """Makes a folder of links: name inside → what it leads to."""
    folder.mkdir()
    for name, path in paths.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path.resolve(strict=True))


def _memory(task: launcher.LaunchTask) -> int:
    """A file in memory that holds a task."""
    descriptor = os.memfd_create("task")
    os.write(descriptor, json.dumps(task._asdict()).encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _line(descriptor: int) -> list[str]:
    # Of Python, the launcher needs no more than the standard library.
    return [sys.executable, "-I", "-S", launcher.__file__, str(descriptor)]
