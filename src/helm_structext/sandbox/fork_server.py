"""An engine that is started once, and then forks for each job.

The servers themselves (`etc/python_server.py`, `etc/lilypond_server.scm`) run inside of the sandbox
and keep to one protocol. When started they say ``ready``. Then, for each job:

    request:  one line, `<name> <bytes>` for each file (a name as in an address: `%20` for a blank);
              the files.
    reply:    one line of JSON, {"status": …, "left": …, "files": {name: bytes, …}}: the child's exit
              status, or below 0 the signal that ended it; how many files and processes were left
              behind; what the job made. Then these files.

A job has a child and a folder of its own. Neither can outlive it: what it leaves behind is noticed,
as is what it changes of the server (`state.py`), which then takes no other job.
"""

import json
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from helm_structext.errors import RenderError
from helm_structext.sandbox.limits import MIB, Limits, shell
from helm_structext.sandbox.process import Process, ProcessDied
from helm_structext.sandbox.profile import SandboxProfile

MAX_HEAD = 65536
"""Bytes of a reply's first line."""


@dataclass(frozen=True)
class JobReply:
    """What a job made.

    Args:
        status: how its child exited; below 0, the signal that ended it.
        files: those that the server looks for: name → content, empty where there is none.
    """

    status: int
    files: Mapping[str, bytes]

    @property
    def log(self) -> str:
        """What the job printed."""
        return self.files.get("log", b"").decode("utf-8", "replace")

    def check_signal(self) -> None:
        """Raises an exception if the child was ended by a signal.

        Raises:
            ProcessDied: it was.
        """
        if self.status < 0:
            raise ProcessDied(f"ended by signal {-self.status}")


class ForkServer:
    """One started server in one sandbox.

    Args:
        command: the server and its arguments.
        profile: what it finds inside.
        limits: what it may use; the time is that of each job.
        script: starts the command, which is ``"$@"`` in it.

    Raises:
        SetupError: the sandbox can't be built.
        RenderError: the server takes too long to start, or too much.
        ProcessDied: the server ended.
    """

    def __init__(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        script: str = 'exec "$@"',
    ) -> None:
        self._process = Process(shell(script, command, limits), profile, limits)
        self._process.wait_until_ready()
        self._state = self._process.state
        self._clean = True

    def reusable(self) -> bool:
        """Whether the last job ended by itself and left nothing, and the server is as it began."""
        return self._clean and self._process.state == self._state

    def close(self) -> None:
        """Ends the server."""
        self._process.close()

    def process(self, files: Mapping[str, bytes], seconds: float) -> JobReply:
        """Does one job.

        Args:
            files: relative name → content.
            seconds: that it may take; see `Process.exchange`.

        Raises:
            RenderError: kind ``timeout`` or ``resource``; the server is gone.
            ProcessDied: the server ended.
        """
        sizes = " ".join(
            f"{quote(os.fsencode(name))} {len(content)}" for name, content in files.items()
        )
        request = b"".join([sizes.encode(), b"\n", *files.values()])
        reply = self._process.exchange(request, self._is_whole, seconds)
        head = _head(reply)
        assert head is not None
        self._clean = head.left == 0 and head.status >= 0
        made: dict[str, bytes] = defaultdict(bytes)
        start = head.length
        for name, size in head.sizes.items():
            made[name] = bytes(reply[start : start + size])
            start += size
        return JobReply(head.status, made)

    def _is_whole(self, reply: bytearray) -> bool:
        head = _head(reply)
        if head is None:
            return False
        length = head.length + sum(head.sizes.values())
        if length > self._process.limits.output * MIB:
            raise RenderError("resource", f"more than {self._process.limits.output} MiB of output")
        if len(reply) > length:
            raise ProcessDied("the server said more than a reply")
        return len(reply) == length


class _Head(NamedTuple):
    """A reply's first line, and its length."""

    status: int
    left: int
    sizes: dict[str, int]
    length: int


def _head(reply: bytearray) -> _Head | None:
    """Reads what a server says first, if all of it is there; a job may have written it instead."""
    length = reply.find(b"\n", 0, MAX_HEAD) + 1
    if not length and len(reply) < MAX_HEAD:
        return None
    try:
        said = json.loads(reply[:length])
    except (ValueError, RecursionError):
        said = None
    match said:
        case {"status": int(status), "left": int(left), "files": dict(sizes)}:
            if all(isinstance(size, int) and size >= 0 for size in sizes.values()):
                return _Head(status, left, sizes, length)
    raise ProcessDied("the server's reply is not one")
