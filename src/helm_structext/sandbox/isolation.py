"""How a process is kept apart from the machine.

With bubblewrap it has namespaces of its own: no network, no home, an own view of processes, a file
system made of the few paths that its engine needs, read-only, and one scratch folder in memory; the
system calls of `seccomp.py` are refused.

`HELM_STRUCTEXT_SANDBOX=off` runs the same without any isolation, for machines that are thrown away
afterwards. Nothing else turns it off: where it can't be had, rendering refuses to start.
"""

import logging
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from helm_structext.errors import SetupError
from helm_structext.sandbox.limits import MIB, Limits
from helm_structext.sandbox.profile import (
    DEVICES,
    ETC,
    SYSTEM_PATHS,
    SYSTEM_PROGRAMS,
    SandboxProfile,
    program,
)
from helm_structext.sandbox.seccomp import seccomp_filter

SCRATCH = "/job"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Launch:
    """How to start an isolated program.

    Args:
        command: the program that isolates, its arguments, and the isolated program.
        environment: all of it.
        descriptors: what `command` reads; to be closed as soon as it is started.
        scratch: a scratch folder on the disk, to be removed at the end.
    """

    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()
    scratch: tempfile.TemporaryDirectory[str] | None = None


class Isolation(Protocol):
    """One way to isolate a program."""

    complaint: str
    """What a message begins with which says that the isolation could not be built."""

    def prepare(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        shared: Mapping[str, Path],
    ) -> Launch:
        """Returns how to start `command`; see `Process` for the arguments."""
        ...


@dataclass(frozen=True)
class Bubblewrap:
    """Namespaces, made by the program bubblewrap."""

    path: Path
    complaint = "bwrap: "

    def prepare(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        shared: Mapping[str, Path],
    ) -> Launch:
        """Returns how to start `command`."""
        environment = profile.variables(Path("/etc"), SCRATCH)
        line = [str(self.path), *_arguments(profile, limits, shared)]
        reading, writing = os.pipe()
        os.write(writing, seccomp_filter())
        os.close(writing)
        line += ["--seccomp", str(reading), "--", *command]
        return Launch(line, environment, (reading,))


def _arguments(profile: SandboxProfile, limits: Limits, shared: Mapping[str, Path]) -> list[str]:
    """Bubblewrap's arguments, but for the system calls' filter."""
    line = ["--unshare-all", "--unshare-user", "--disable-userns"]
    line += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    line += ["--uid", "1000", "--gid", "1000", "--hostname", "localhost"]
    for name in (*SYSTEM_PROGRAMS, *profile.programs):
        path = program(name)
        # What lies behind /etc/alternatives and the like appears at the program's usual place.
        line += ["--ro-bind", str(path.resolve()), str(path)]
    for text in (*SYSTEM_PATHS, *profile.paths):
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
    return [*line, "--remount-ro", "/"]


class NoIsolation:
    """The user's rights, files and network; a scratch folder of its own."""

    complaint = "\0"  # There is nothing that could fail.

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
            for name, path in shared.items():
                (Path(folder.name) / name).symlink_to(path.resolve())
            return Launch(list(command), profile.variables(ETC, folder.name), scratch=folder)
        except BaseException:
            folder.cleanup()
            raise


@lru_cache(maxsize=1)
def current_isolation() -> Isolation:
    """Returns this machine's way to isolate programs.

    Raises:
        SetupError: there is none, and the user has not turned it off.
    """
    wanted = os.environ.get("HELM_STRUCTEXT_SANDBOX", "on")
    if wanted == "off":
        logger.warning(
            "HELM_STRUCTEXT_SANDBOX=off: code written by models runs WITHOUT A SANDBOX, "
            "with your rights, your files and your network."
        )
        return NoIsolation()
    if wanted != "on":
        raise SetupError(f"HELM_STRUCTEXT_SANDBOX is {wanted!r}; expected 'on' or 'off'.")
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        raise SetupError("The kernel does not tell a process's children (CONFIG_PROC_CHILDREN).")
    return _bubblewrap()


def _bubblewrap() -> Bubblewrap:
    advice = (
        "Install bubblewrap 0.8 or newer and allow user namespaces (Debian: "
        "`apt install bubblewrap`), or set HELM_STRUCTEXT_SANDBOX=off on a machine that "
        "you can lose."
    )
    found = shutil.which("bwrap")
    if found is None:
        raise SetupError(f"Rendering runs untrusted code and needs bubblewrap. {advice}")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    if version < (0, 8):
        raise SetupError(f"{found} is version {said.strip()!r}, which is too old. {advice}")
    return Bubblewrap(Path(found))
