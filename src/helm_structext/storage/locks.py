"""Locks of files: a process that ends, in whatever way, no longer has any."""

import fcntl
from typing import IO, Any


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
