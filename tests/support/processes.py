"""What runs below the tests."""

import os
from collections.abc import Sequence
from pathlib import Path

from helm_structext.sandbox import Limits, Process, SandboxProfile, tree
from helm_structext.sandbox.limits import shell


def running(name: str = "") -> list[int]:
    """The processes below this one, but for Python's own; or those of one name."""
    found = []
    for pid in tree(os.getpid())[1:]:
        try:
            comm = Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            continue
        if comm == name or (not name and not comm.startswith("python")):
            found.append(pid)
    return found


def output_of(command: Sequence[str], profile: SandboxProfile) -> str:
    """What a program prints that is the sandbox's first, and so may have /proc."""
    limits = Limits()
    process = Process(shell('exec "$@"', command, limits), profile, limits)
    printed = process.exchange(b"", lambda _: False, limits.seconds, close=True)
    process.wait(limits.seconds)
    return printed.decode() + process.stderr
