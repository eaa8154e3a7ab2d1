"""How to start a program that is isolated, whatever isolates it."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
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
        scratch_size: bytes that the scratch folder of the started process, by its number, has; those
            that its own size does not already hold back.
        scratch: a scratch folder on the disk, in which to start.
        folder: all that was made on the disk, to be removed at the end.
        end: lets the started process, by its number, end after all that it has started.
        reap: called when that has ended; waits for what it has left to us, if anything; may be called twice.
    """

    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()
    scratch_size: Callable[[int], int] = lambda _: 0
    scratch: Path | None = None
    folder: tempfile.TemporaryDirectory[str] | None = None
    end: Callable[[int], None] | None = None
    reap: Callable[[], None] = lambda: None


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


def remove(folder: tempfile.TemporaryDirectory[str]) -> None:
    """Removes a folder, however deep it is, and whoever may read what is in it.

    A folder in it is moved up before it is emptied: neither paths nor calls get any deeper.
    """
    emptied, moved = [folder.name], 0
    for path in emptied:
        with os.scandir(path) as found:
            entries = list(found)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                Path(entry.path).chmod(0o700)
                emptied.append(f"{folder.name}/{moved}")
                moved += 1
                Path(entry.path).rename(emptied[-1])
            else:
                Path(entry.path).unlink()
    for path in reversed(emptied):
        Path(path).rmdir()
    folder.cleanup()
