"""What can be seen of a process from outside that another process might have set.

Jobs that share a started server are kept from changing it (`seccomp.py`, `etc/python_server.py`). This
is the proof: the server's state is the same before each job.
"""

import contextlib
from collections import Counter
from pathlib import Path
from typing import Any

# Of /proc/PID/stat, counted from the state on: group, session, nice, real-time priority and policy.
SCHEDULING = (2, 3, 16, 37, 38)
# Of /proc/PID/status: user, signals, rights and processors.
STATUS = ("Umask", "Uid", "Gid", "Groups", "SigBlk", "SigIgn", "SigCgt", "CapEff", "NoNewPrivs",
          "Seccomp", "Cpus_allowed", "Mems_allowed")  # fmt: skip
FILES = ("limits", "oom_score_adj", "timerslack_ns")


def state_of(pid: int) -> dict[str, Any]:
    """Returns what does not change while a process waits for its next job.

    What can't be read, such as all of a process that has ended, is missing.

    >>> import os
    >>> state_of(os.getpid())["cwd"] == os.getcwd()
    True
    """
    folder = Path(f"/proc/{pid}")
    found: dict[str, Any] = {}
    with contextlib.suppress(OSError):
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        found["scheduling"] = [fields[place] for place in SCHEDULING]
    with contextlib.suppress(OSError):
        lines = (line.partition(":\t") for line in (folder / "status").read_text().splitlines())
        found |= {name: value for name, _, value in lines if name in STATUS}
    for name in FILES:
        with contextlib.suppress(OSError):
            found[name] = (folder / name).read_bytes()
    with contextlib.suppress(OSError):
        found["cwd"] = str((folder / "cwd").readlink())
    return found | descriptors(folder)


def descriptors(folder: Path) -> dict[str, tuple[str, ...]]:
    """Where a process's descriptors lead, with their offsets and flags.

    Left out are pipes that begin and end in the process: by these it wakes its own threads.
    """
    found: dict[str, tuple[str, ...]] = {}
    with contextlib.suppress(OSError):
        for link in (folder / "fd").iterdir():
            with contextlib.suppress(OSError):
                about = (folder / "fdinfo" / link.name).read_text().splitlines()
                found[f"descriptor {link.name}"] = (str(link.readlink()), *about[:2])
    ends = Counter(leads for leads, *_ in found.values())
    return {
        number: about
        for number, about in found.items()
        if not about[0].startswith("pipe:") or ends[about[0]] == 1
    }
