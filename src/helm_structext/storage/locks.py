"""Locks of files: a process that ends, in whatever way, no longer has any."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from helm_structext.errors import SetupError
from helm_structext.texts import describe_error, one_line


def lock(file: int | IO[Any], *, shared: bool = False, wait: bool = False) -> bool:
    """Takes the lock of an open file, and says whether it could be had.

    Where the file system has no locks, as Lustre mounted without ``flock``, anybody has it.

    Args:
        file: an open file, or its descriptor. Its lock lasts until it is closed.
        shared: whether others may have it too, if they share it.
        wait: whether to wait until it can be had.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile()
    >>> with open(file.name) as one, open(file.name) as other:
    ...     lock(one), lock(other)
    (True, False)
    """
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, how if wait else how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def hold_files(*files: Path) -> Iterator[None]:
    """Holds files whose only use is that one process can hold them, or says who does.

    Raises:
        SetupError: another process holds one.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "journal.sqlite.lock"
    >>> with hold_files(file), hold_files(file):
    ...     pass
    Traceback (most recent call last):
    helm_structext.errors.SetupError: ...journal.sqlite is in use by process ... since ...
    """
    with ExitStack() as stack:
        for file in files:
            stack.enter_context(_held(file))
        yield


@contextmanager
def _held(file: Path) -> Iterator[None]:
    what = file.parent if file.name.startswith(".") else file.with_suffix("")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise SetupError(f"{file} can't be written: {describe_error(error)}") from error
    try:
        if not lock(handle):
            who = one_line(os.pread(handle, 1000, 0).decode(errors="replace")) or "another process"
            raise SetupError(f"{what} is in use by {who}: wait for its end, or name another folder")
        now = datetime.now(UTC).isoformat(" ", "seconds")
        os.ftruncate(handle, 0)
        os.pwrite(
            handle, f"process {os.getpid()} on {socket.gethostname()} since {now}".encode(), 0
        )
        yield
    finally:
        os.close(handle)
