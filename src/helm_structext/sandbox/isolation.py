"""Which way there is on this machine to keep a process apart from it.

`HELM_STRUCTEXT_SANDBOX` says which: ``bubblewrap`` (namespaces), ``landlock`` (where namespaces are
forbidden, as in most containers), or ``auto``, the first of the two that works. ``off`` runs the same
without any isolation, for machines that are thrown away afterwards. Nothing else turns it off: where
none can be had, rendering refuses to start.
"""

import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.machine.programs import program
from helm_structext.sandbox import launcher
from helm_structext.sandbox.bubblewrap import installed_bubblewrap
from helm_structext.sandbox.landlock import Landlock, write
from helm_structext.sandbox.launch import Isolation, Launch
from helm_structext.sandbox.limits import Limits, scratch_size
from helm_structext.sandbox.profile import SandboxProfile

SETTING = "HELM_STRUCTEXT_SANDBOX"
PROBE_SECONDS = 60

logger = logging.getLogger(__name__)


class NoIsolation:
    """The user's rights, files and network; a scratch folder of its own."""

    name = "off"
    gaps = {"all": "WITHOUT A SANDBOX, with your rights, your files and your network"}  # noqa: RUF012
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
        home = Path(folder.name, "job")
        try:
            home.mkdir()
            for name, path in shared.items():
                (home / name).symlink_to(path.resolve())
            etc = Path(folder.name, "etc")
            write(etc, profile.made_up())
            environment = profile.variables(etc, folder.name)
            size = partial(scratch_size, home, limits, True)
            return Launch(list(command), environment, (), size, home, folder)
        except BaseException:
            folder.cleanup()
            raise


def supported_landlock() -> Landlock:
    """Returns Landlock as the kernel has it.

    Raises:
        SetupError: the kernel has none, or one that knows no network.
    """
    abi = launcher.landlock_abi()
    if abi < launcher.OLDEST_ABI:
        raise SetupError(
            f"The kernel's Landlock has version {abi}; {launcher.OLDEST_ABI} or newer is needed "
            "(Linux 6.7)."
        )
    return Landlock(abi)


WAYS: dict[str, Callable[[], Isolation]] = {
    "bubblewrap": installed_bubblewrap,
    "landlock": supported_landlock,
    "off": NoIsolation,
}
"""The strongest first."""
STRONG = ("bubblewrap", "landlock")
SETTINGS = {"auto": STRONG, "on": STRONG, **{name: (name,) for name in WAYS}}


@lru_cache(maxsize=1)
def current_isolation() -> Isolation:
    """Returns this machine's way to isolate programs; each is tried once.

    Raises:
        SetupError: none of those that the user allows works.
    """
    wanted = os.environ.get(SETTING, "auto")
    if wanted not in SETTINGS:
        raise SetupError(f"{SETTING} is {wanted!r}; expected {', '.join(SETTINGS)}.")
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        raise SetupError("The kernel does not tell a process's children (CONFIG_PROC_CHILDREN).")
    reasons = []
    for name in SETTINGS[wanted]:
        try:
            found = WAYS[name]()
            probe(found)
        except SetupError as error:
            reasons.append(f"{name}: {error}")
            continue
        if found.gaps:
            logger.warning("Code written by models runs by %s", describe(found))
        return found
    raise SetupError(
        "Rendering runs untrusted code and needs a sandbox. "
        f"{' '.join(reasons)} Or set {SETTING}=off on a machine that you can lose."
    )


def describe(isolation: Isolation) -> str:
    """Returns the name of a way, and what it does not promise."""
    return f"{isolation.name}" + "".join(f"; {gap}" for gap in isolation.gaps.values())


def probe(isolation: Isolation) -> None:
    """Starts a program that does nothing.

    Raises:
        SetupError: it can't be started this way.
    """
    shell = str(program("sh"))
    launch = isolation.prepare([shell, "-c", ":"], SandboxProfile(()), Limits(), {})
    try:
        tried = subprocess.run(
            launch.command,
            env=launch.environment,
            pass_fds=launch.descriptors,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{isolation.name} does not start: {error}") from error
    finally:
        for descriptor in launch.descriptors:
            os.close(descriptor)
        launch.reap()
        if launch.folder:
            launch.folder.cleanup()
    if tried.returncode:
        said = tried.stderr.decode("utf-8", "replace").strip()
        raise SetupError(f"{isolation.name} does not work here ({said}).")
