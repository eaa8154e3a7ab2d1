"""How to start a program that is isolated, whatever isolates it."""

import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from helm_structext.sandbox.limits import Limits
from helm_structext.sandbox.profile import SandboxProfile


@dataclass(frozen=True)
class Launch:
    """How to start an isolated program.

    Args:
        command: the program that isolates, its arguments, and the isolated program.
        environment: all of it.
        descriptors: what `command` reads; to be closed as soon as it is started.
        scratch: a scratch folder on the disk, in which to start, and to be watched.
        folder: all that was made on the disk, to be removed at the end.
        end: the signal at which `command` takes along all that it has started, if there is one.
    """

    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()
    scratch: Path | None = None
    folder: tempfile.TemporaryDirectory[str] | None = None
    end: signal.Signals | None = None


class Isolation(Protocol):
    """One way to isolate a program."""

    @property
    def name(self) -> str:
        """As it is called in `HELM_STRUCTEXT_SANDBOX`."""
        ...

    @property
    def complaint(self) -> str:
        """What a message begins with which says that the isolation could not be built."""
        ...

    @property
    def gaps(self) -> Mapping[str, str]:
        """What namespaces promise and this way does not: a word for it → what is so instead."""
        ...

    def prepare(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        shared: Mapping[str, Path],
    ) -> Launch:
        """Returns how to start `command`; see `Process` for the arguments."""
        ...
