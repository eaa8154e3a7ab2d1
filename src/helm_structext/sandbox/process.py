"""The one place that starts a process on what a model wrote.

A process runs isolated (`isolation.py`), with no environment but that of its profile. From outside,
its time, memory, number of processes and output are watched; what exceeds a limit is killed
with everything it started.
"""

import contextlib
import fcntl
import io
import math
import os
import selectors
import signal
import subprocess
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox.cgroup import new_group
from helm_structext.sandbox.isolation import current_isolation
from helm_structext.sandbox.job_time import PATIENCE, JobClock, job_clock
from helm_structext.sandbox.launch import remove
from helm_structext.sandbox.limits import (
    MAX_DESCRIPTORS,
    MAX_THREADS,
    MIB,
    START_SECONDS,
    Limits,
    end_orphans,
    shell,
    tree,
    usage,
)
from helm_structext.sandbox.profile import EPOCH, SandboxProfile
from helm_structext.sandbox.state import state_of
from helm_structext.storage.tar import TarError, entries

WATCH_SECONDS = 0.05
END_SECONDS = 60
"""What the program that isolates may take to kill what it has started; killed itself, it would leave that."""
STDERR_BYTES = 65536
"""How much of the end of standard error is kept."""


@dataclass(frozen=True)
class Finished:
    """A program that ran to its end: exit status, what it printed, the files asked for."""

    status: int
    output: str
    files: dict[str, bytes]


class ProcessDied(Exception):
    """The process ended without a reason that we know of: a signal, or the connection broke."""


class Process:
    """A program in a sandbox, with a pipe in, a pipe out, and someone watching.

    Args:
        command: a program of `profile` and its arguments, started in the scratch folder.
        profile: what it finds inside.
        limits: what it may use, but for the time, which is that of the job.
        shared: files of ours that appear, read-only, in the scratch folder: name → path.
        stdout: an open file for its output, in place of a pipe.

    Raises:
        SetupError: the sandbox can't be built.
    """

    def __init__(
        self,
        command: Sequence[str],
        profile: SandboxProfile,
        limits: Limits,
        shared: Mapping[str, Path] | None = None,
        stdout: int = subprocess.PIPE,
    ) -> None:
        self.limits = limits
        launch = current_isolation().prepare(command, profile, limits, shared or {})
        self._launch = launch
        self._group = new_group(limits)
        try:
            self._process = subprocess.Popen(
                self._group.entering(launch.command) if self._group else launch.command,
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=launch.environment,
                cwd=launch.scratch or "/",
                start_new_session=True,
                pass_fds=launch.descriptors,
            )
        except OSError as error:
            self._remove_what_was_made()
            raise SetupError(f"The sandbox could not be started: {error}") from error
        finally:
            for descriptor in launch.descriptors:
                os.close(descriptor)
        self._stderr = bytearray()
        self._watched = 0.0
        for stream in self._pipes():
            os.set_blocking(stream.fileno(), False)
            # A user has a share of large pipes; beyond it they stay small.
            with contextlib.suppress(OSError):
                fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, MIB)

    def wait_until_ready(self) -> None:
        """Waits until the program says that it is, by a line that says ``ready``.

        Raises:
            RenderError: it takes too long, or too much.
            ProcessDied: it ended.
        """
        self.exchange(b"", lambda data: data == b"ready\n", START_SECONDS)

    def exchange(
        self,
        request: bytes,
        complete: Callable[[bytearray], bool],
        seconds: float,
        *,
        close: bool = False,
    ) -> bytearray:
        """Sends all of `request` and reads until `complete` says that the reply is whole.

        Args:
            request: bytes for the program's standard input.
            complete: called with all that was read so far.
            seconds: that it may take, unless a job runs, whose time it takes (`job_time.py`).
            close: whether the input ends here; the reply then ends where the output does.

        Raises:
            RenderError: kind ``timeout`` or ``resource``; the process is gone.
            ProcessDied: the output ended before the reply was whole; the process is gone.
        """
        rest, reply = memoryview(request), bytearray()
        stdin, stdout = self._process.stdin, self._process.stdout
        try:
            with job_clock(seconds) as clock, selectors.PollSelector() as selector:
                rest = self._send(rest)  # Mostly all of it goes through at once.
                for stream in self._pipes():
                    if stream is not stdin:
                        selector.register(stream, selectors.EVENT_READ)
                    elif rest or close:
                        selector.register(stream, selectors.EVENT_WRITE)
                # A browser may speak before it has heard all of the request.
                while rest or not complete(reply):
                    ready = selector.select(WATCH_SECONDS)
                    # What was said of an end comes before the end.
                    for key, _ in sorted(ready, key=lambda it: it[0].fileobj is stdout):
                        stream = cast(IO[bytes], key.fileobj)
                        if stream is stdin:
                            rest = self._send(rest)
                            ended = not rest
                        else:
                            ended = not self._receive(stream, reply)
                        if ended:
                            selector.unregister(stream)
                            if stream is not stdin or close:
                                stream.close()
                            if stream is stdout and not close:
                                raise ProcessDied(self.stderr)
                    self.watch(clock)
                    if all(stream is stdin for stream in self._pipes()):
                        break  # Nothing more can come.
                return reply
        except BaseException:
            self.close()
            raise

    def _send(self, rest: memoryview) -> memoryview:
        """Writes a part of a request; returns what is left of it, or nothing if nobody reads it."""
        assert self._process.stdin is not None
        try:
            return rest[os.write(self._process.stdin.fileno(), rest[:MIB]) :]
        except BlockingIOError:
            return rest
        except BrokenPipeError:
            return rest[:0]

    def _receive(self, stream: IO[bytes], reply: bytearray) -> bool:
        """Reads what is there; returns whether more may come."""
        data = os.read(stream.fileno(), MIB)
        if stream is self._process.stderr:
            self._stderr = (self._stderr + data)[-STDERR_BYTES:]
        else:
            reply += data
            if len(reply) > self.limits.output * MIB:
                raise RenderError("resource", f"more than {self.limits.output} MiB of output")
        return bool(data)

    def watch(self, clock: JobClock) -> None:
        """Looks now and then at what the job takes.

        Raises:
            RenderError: kind ``timeout`` or ``resource``.
            ProcessDied: it was killed or stopped, and will not go on.
        """
        now = time.monotonic()
        if now - max(self._watched, clock.started) < WATCH_SECONDS:
            return
        self._watched = now
        if (self._process.poll() or 0) < 0:  # What it has started may still hold the pipes.
            raise ProcessDied(self.stderr or "killed")
        processes = self.limits.processes
        # First they are counted, once, and what else is looked at is no more than may run: a fork bomb is the
        # larger the longer it takes to look at it.
        pids = tree(self._process.pid, processes)
        if len(pids) > processes:
            raise RenderError("resource", f"more than {processes} processes")
        if clock.check(pids).stopped:
            raise ProcessDied("stopped by a signal")
        used = usage(pids)
        for number, most, what in (
            (used.threads, MAX_THREADS, "threads"),
            (used.descriptors, MAX_DESCRIPTORS, "open files"),
            (-(-used.memory // MIB), self.limits.memory, "MiB of memory"),
        ):
            if number > most:
                raise RenderError("resource", f"more than {most} {what}")
        self._check_scratch()

    def _check_scratch(self) -> None:
        if self._launch.scratch_size(self._process.pid) > self.limits.scratch * MIB:
            raise RenderError("resource", f"files of more than {self.limits.scratch} MiB")

    @property
    def stderr(self) -> str:
        """The last that the process has printed on its standard error."""
        return self._stderr.decode("utf-8", "replace")

    def wait(self, seconds: float) -> int:
        """Waits for the end and returns the exit status; see `exchange`."""
        try:
            with job_clock(seconds) as clock:
                while True:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        status = self._process.wait(WATCH_SECONDS)
                        break
                    self.watch(clock)
            self._check_scratch()
            return status
        finally:
            self.close()

    @property
    def state(self) -> dict[int, dict[str, Any]]:
        """The process and all that descend from it, with what can be seen of each: by number."""
        return {pid: state_of(pid) for pid in tree(self._process.pid, self.limits.processes)}

    @property
    def holds_much(self) -> bool:
        """Whether they hold so much memory between jobs that the next one could miss it."""
        used = usage(tree(self._process.pid, self.limits.processes))
        return used.memory > self.limits.memory * MIB // 4

    def close(self) -> None:
        """Kills whatever still runs and frees what was held; may be called twice."""
        if self._process.poll() is None and self._launch.end is not None:
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                self._launch.end(self._process.pid)
                self._process.wait(END_SECONDS)
        if self._process.poll() is None:
            for pid in tree(self._process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)
        self._process.wait()
        for stream in self._pipes():
            if stream is self._process.stderr:
                end_orphans(stream)
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self._remove_what_was_made()

    def _pipes(self) -> list[IO[bytes]]:
        ours = (self._process.stdin, self._process.stdout, self._process.stderr)
        return [stream for stream in ours if stream is not None and not stream.closed]

    def _remove_what_was_made(self) -> None:
        self._launch.reap()
        if self._group is not None:
            self._group.remove()
        if self._launch.folder is not None and Path(self._launch.folder.name).exists():
            remove(self._launch.folder)


# Unpack the job from standard input, run it with its output in a file, pack the results. These go
# into a file in memory, not through a pipe: they are pictures of many megabytes.
UNPACKING_FAILED = 99
_JOB = (
    f"tar -xf - || exit {UNPACKING_FAILED}; "
    '"$@" >.stdout 2>&1 </dev/null; status=$?; '
    "tar -cf - --ignore-failed-read .stdout {outputs} 2>/dev/null; exit $status"
)


def run(
    command: Sequence[str],
    profile: SandboxProfile,
    limits: Limits,
    *,
    files: Mapping[str, bytes] | None = None,
    shared: Mapping[str, Path] | None = None,
    outputs: Sequence[str] = (),
) -> Finished:
    """Runs one program to its end in a sandbox of its own.

    Args:
        command: a program of `profile` and its arguments.
        profile: what it finds inside.
        limits: what it may use.
        files: written into the scratch folder before the start: relative name → content.
        shared: files of ours that appear there, read-only: name → path.
        outputs: names of files and folders in the scratch folder to bring back, if they are there.

    Raises:
        RenderError: kind ``timeout`` or ``resource``.
        ProcessDied: it was ended by a signal, and not by us.
        SetupError: the sandbox can't be built.
        ValueError: the profile has /proc.

    >>> finished = run(["sh", "-c", "cat < in > out"], SandboxProfile(("cat",)), Limits(seconds=9),
    ...                files={"in": b"ping"}, outputs=["out"])
    >>> finished.status, finished.files
    (0, {'out': b'ping'})
    """
    if profile.proc:
        raise ValueError("the profile has /proc, which only a `Process` can have")
    with os.fdopen(os.memfd_create("results"), "rb") as results, job_clock(limits.seconds):
        # What starts while we are killed may outlive us: then nobody else ends it.
        most = f"ulimit -t {math.ceil(limits.seconds * PATIENCE * len(os.sched_getaffinity(0)))}; "
        line = shell(most + _JOB.format(outputs=" ".join(outputs)), command, limits)
        process = Process(line, profile, limits, shared, results.fileno())
        process.exchange(_pack(files or {}), lambda _: False, limits.seconds, close=True)
        status = process.wait(limits.seconds)
        size = os.fstat(results.fileno()).st_size
        if not size and current_isolation().complaint in process.stderr:
            raise SetupError(f"The sandbox could not be built: {process.stderr.strip()}")
        if not size and status == UNPACKING_FAILED:
            raise RenderError("resource", f"files of more than {limits.scratch} MiB")
        if status == 128 + signal.SIGXFSZ:
            raise RenderError("resource", f"a file of more than {limits.scratch} MiB")
        if status < 0 or status >= 128:
            raise ProcessDied(f"ended by signal {-status if status < 0 else status - 128}")
        if size > limits.output * MIB:
            raise RenderError("resource", f"more than {limits.output} MiB of output")
        found = _unpack(results)
    output = found.pop(".stdout", b"").decode("utf-8", "replace")
    return Finished(status, output + process.stderr, found)


def _pack(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), EPOCH
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def _unpack(packed: IO[bytes]) -> dict[str, bytes]:
    """The regular files of an archive: links and whatever else a job may leave are ignored."""
    packed.seek(0)
    try:
        found = entries(packed.read())
        return {entry.name: bytes(entry.content) for entry in found if entry.kind == "file"}
    except TarError as error:
        raise ProcessDied(f"the results are not whole: {error}") from error
