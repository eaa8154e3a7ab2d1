"""The one place that starts a process on what a model wrote.

A process runs inside bubblewrap: no network, no environment, no home, an own view of processes,
a file system made of the few paths that its engine needs, read-only, and one scratch folder in
memory. From outside, its wall time, memory, number of processes and output are watched; what
exceeds a limit is killed with everything it started.

`HELM_STRUCTEXT_SANDBOX=off` runs the same without bubblewrap, for machines that are thrown away
afterwards. Nothing else turns the sandbox off: where it can't be had, rendering refuses to start.
"""

import contextlib
import fcntl
import io
import logging
import os
import re
import selectors
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox.seccomp import seccomp_filter

MIB = 2**20
EPOCH = 1704067200
"""The time inside, where an engine asks for one: 2024-01-01 00:00 UTC."""

WATCH_SECONDS = 0.05
START_SECONDS = 120
"""Wall time that an engine that stays started may take for its start: a machine may be busy."""
SCRATCH = "/job"
ETC = Path(__file__).with_name("etc")
"""What the sandbox has instead of the machine's own files in /etc."""

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "SOURCE_DATE_EPOCH": str(EPOCH),
}

# What any program needs to start: the loader, the libraries, and the shell that unpacks the job.
SYSTEM_PATHS = (
    *(("/bin",) if Path("/bin").is_symlink() else ()),
    "/lib",
    "/lib64",
    "/usr/lib64",
    *(str(path) for path in sorted(Path("/usr/lib").glob("*-linux-gnu*"))),
    "/etc/ld.so.cache",
)
SYSTEM_PROGRAMS = ("sh", "tar")
DEVICES = ("/dev/null", "/dev/urandom")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """What one job may use before it is stopped.

    Args:
        seconds: wall time.
        memory: MiB, the sum over the job's processes (and each one's address space).
        processes: how many at a time.
        scratch: MiB of files.
        output: MiB of results.
    """

    seconds: float = 30.0
    memory: int = 1024
    processes: int = 16
    scratch: int = 128
    output: int = 64


def limits_for(name: str, defaults: Limits) -> Limits:
    """Returns a format's limits: each field may be set by the environment.

    `HELM_STRUCTEXT_LATEX_SECONDS=60` gives LaTeX a minute, `HELM_STRUCTEXT_WEBPAGE_MEMORY=4096`
    gives a webpage 4 GiB, and so on for every format and every field of `Limits`.

    Raises:
        SetupError: a value is not a positive number.
    """
    changes = {}
    for limit in fields(Limits):
        variable = f"HELM_STRUCTEXT_{name}_{limit.name}".upper()
        if text := os.environ.get(variable):
            try:
                changes[limit.name] = type(getattr(Limits, limit.name))(text)
            except ValueError:
                changes[limit.name] = 0
            if not changes[limit.name] > 0:
                raise SetupError(f"{variable} is {text!r}; expected a number above 0.")
    return replace(defaults, **changes)


@dataclass(frozen=True)
class SandboxProfile:
    """What an engine finds inside: an allow-list.

    Args:
        programs: names, found on the user's PATH.
        paths: files and folders that keep their place; those that don't exist are left out.
        etc: made-up files below /etc, which lie beside this module.
        environment: variables beside `ENVIRONMENT`; `{etc}` stands for the made-up /etc.
        proc: whether the engine needs /proc (that of the sandbox, never the host's).
    """

    programs: tuple[str, ...]
    paths: tuple[str, ...] = ()
    etc: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    proc: bool = False


@dataclass(frozen=True)
class Finished:
    """A program that ran to its end: exit status, what it printed, the files asked for."""

    status: int
    output: str
    files: dict[str, bytes]


class ProcessDied(Exception):
    """The process ended without a reason that we know of: a signal, or the connection broke."""


def program(name: str) -> Path:
    """Returns where a program lies.

    Raises:
        SetupError: it is not installed.
    """
    found = shutil.which(name)
    if found is None:
        raise SetupError(
            f"The program {name!r} was not found. `helm-structext doctor` names the package."
        )
    return Path(found)


@lru_cache(maxsize=1)
def _bubblewrap() -> Path | None:
    """Where bubblewrap lies; None if the user has turned the sandbox off."""
    wanted = os.environ.get("HELM_STRUCTEXT_SANDBOX", "on")
    if wanted == "off":
        logger.warning(
            "HELM_STRUCTEXT_SANDBOX=off: code written by models runs WITHOUT A SANDBOX, "
            "with your rights, your files and your network."
        )
        return None
    if wanted != "on":
        raise SetupError(f"HELM_STRUCTEXT_SANDBOX is {wanted!r}; expected 'on' or 'off'.")
    advice = (
        "Install bubblewrap 0.8 or newer and allow user namespaces (Debian: "
        "`apt install bubblewrap`), or set HELM_STRUCTEXT_SANDBOX=off on a machine that "
        "you can lose."
    )
    found = shutil.which("bwrap")
    if found is None:
        raise SetupError(f"Rendering runs untrusted code and needs bubblewrap. {advice}")
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        raise SetupError("The kernel does not tell a process's children (CONFIG_PROC_CHILDREN).")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    if version < (0, 8):
        raise SetupError(f"{found} is version {said.strip()!r}, which is too old. {advice}")
    return Path(found)


def _bubblewrap_arguments(
    bubblewrap: Path, profile: SandboxProfile, shared: Mapping[str, Path], limits: Limits
) -> list[str]:
    """The bubblewrap command line up to the program, but for the system calls' filter."""
    line = [str(bubblewrap), "--unshare-all", "--unshare-user", "--disable-userns"]
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


class Process:
    """A program in a sandbox, with a pipe in, a pipe out, and someone watching.

    Args:
        command: a program of `profile` and its arguments, started in the scratch folder.
        profile: what it finds inside.
        limits: what it may use, but for the time, which each exchange has of its own.
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
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        bubblewrap = _bubblewrap()
        shared = shared or {}
        folders = dict.fromkeys(str(program(name).parent) for name in profile.programs)
        etc = ETC if bubblewrap is None else Path("/etc")
        environment = {name: value.format(etc=etc) for name, value in profile.environment.items()}
        environment["ETC"] = str(etc)
        environment["PATH"] = ":".join(dict.fromkeys([*folders, "/usr/bin", "/bin"]))
        home, filter_pipe = SCRATCH, []
        if bubblewrap is None:
            self._folder = tempfile.TemporaryDirectory(prefix="helm-structext-")
            home = self._folder.name
            for name, path in shared.items():
                (Path(self._folder.name) / name).symlink_to(path.resolve())
            line = list(command)
        else:
            reading, writing = os.pipe()
            os.write(writing, seccomp_filter())
            os.close(writing)
            filter_pipe = [reading]
            line = _bubblewrap_arguments(bubblewrap, profile, shared, limits)
            line += ["--seccomp", str(reading), "--", *command]
        try:
            self._process = subprocess.Popen(
                line,
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env={**ENVIRONMENT, "HOME": home, "TMPDIR": home, **environment},
                cwd=self._folder.name if self._folder else "/",
                start_new_session=True,
                pass_fds=filter_pipe,
            )
        except OSError as error:
            self._clean()
            raise SetupError(f"The sandbox could not be started: {error}") from error
        finally:
            for descriptor in filter_pipe:
                os.close(descriptor)
        self._stderr = bytearray()
        for stream in self._pipes():
            os.set_blocking(stream.fileno(), False)
            # A user has a share of large pipes; beyond it they stay small.
            with contextlib.suppress(OSError):
                fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, MIB)

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
            seconds: wall time that it may take.
            close: whether the input ends here; the reply then ends where the output does.

        Raises:
            RenderError: kind ``timeout`` or ``resource``; the process is gone.
            ProcessDied: the output ended before the reply was whole; the process is gone.
        """
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        start = watched = time.monotonic()
        reply = bytearray()
        rest = memoryview(request)
        try:
            with selectors.DefaultSelector() as selector:
                reading = 0
                for stream in self._pipes():
                    event = selectors.EVENT_WRITE if stream is stdin else selectors.EVENT_READ
                    selector.register(stream, event)
                    reading += stream is not stdin
                # A browser may speak before it has heard all of the request.
                while rest or not complete(reply):
                    ready = selector.select(WATCH_SECONDS)
                    now = time.monotonic()
                    if now - start > seconds:
                        raise RenderError("timeout", "not finished in time")
                    if now - watched > WATCH_SECONDS:
                        watched = now
                        self._watch()
                    for key, _ in ready:
                        stream = cast(IO[bytes], key.fileobj)
                        if stream is stdin:
                            try:
                                rest = rest[os.write(key.fd, rest[:MIB]) :]
                            except BrokenPipeError:
                                rest = rest[:0]
                            if not rest:
                                selector.unregister(stream)
                                if close:
                                    stream.close()
                            continue
                        data = os.read(key.fd, MIB)
                        if not data:
                            selector.unregister(stream)
                            stream.close()
                            reading -= 1
                            if stream is stdout and not close:
                                raise ProcessDied(self.stderr)
                            if not reading:
                                return reply
                        elif stream is stderr:
                            self._stderr = (self._stderr + data)[-65536:]
                        else:
                            reply += data
                            if len(reply) > self.limits.output * MIB:
                                message = f"more than {self.limits.output} MiB of output"
                                raise RenderError("resource", message)
                return reply
        except BaseException:
            self.close()
            raise

    @property
    def stderr(self) -> str:
        """The last that the process has printed on its standard error."""
        return self._stderr.decode("utf-8", "replace")

    def _watch(self) -> None:
        processes, memory = usage(self._process.pid)
        if processes > self.limits.processes:
            raise RenderError("resource", f"more than {self.limits.processes} processes")
        if memory > self.limits.memory * MIB:
            raise RenderError("resource", f"more than {self.limits.memory} MiB of memory")

    def wait(self, seconds: float) -> int:
        """Waits for the end and returns the exit status."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise RenderError("timeout", "not finished in time") from None
        finally:
            self.close()

    @property
    def processes(self) -> set[int]:
        """The process and all that descend from it."""
        return set(tree(self._process.pid))

    def close(self) -> None:
        """Kills whatever still runs and frees what was held; may be called twice."""
        if self._process.poll() is None:
            # Inside bubblewrap the first kill takes all along; without it the others do.
            for pid in tree(self._process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, 9)
        self._process.wait()
        for stream in self._pipes():
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self._clean()

    def _pipes(self) -> list[IO[bytes]]:
        ours = (self._process.stdin, self._process.stdout, self._process.stderr)
        return [stream for stream in ours if stream is not None and not stream.closed]

    def _clean(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def tree(pid: int) -> list[int]:
    """Returns `pid` and all processes that descend from it, as far as they live."""
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def usage(pid: int) -> tuple[int, int]:
    """Returns the number of processes below `pid`, itself included, and their bytes of memory.

    Counted is memory that no file backs: a library mapped by ten processes is not ten libraries.
    """
    pids = tree(pid)
    memory = 0
    for one in pids:
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue
        memory += sum(int(size) for size in re.findall(r"Rss(?:Anon|Shmem):\s*(\d+)", status))
    return len(pids), memory * 1024


def shell(
    script: str, command: Sequence[str], limits: Limits, *, virtual: bool = True
) -> list[str]:
    """Returns the command line of a shell script that has `command` as its arguments.

    The limits that a process can have of its own come on top of what is watched from outside.

    Args:
        script: for a POSIX shell.
        command: ``"$@"`` in the script.
        limits: what each process may use.
        virtual: whether address space counts as memory, as it does for most programs.
    """
    own = f"ulimit -c 0; ulimit -n 1024; ulimit -f {limits.scratch * MIB // 512}; "
    if virtual:
        own += f"ulimit -v {limits.memory * 1024}; "
    return ["sh", "-c", own + script, "sh", *command]


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

    >>> finished = run(["sh", "-c", "cat < in > out"], SandboxProfile(("cat",)), Limits(seconds=9),
    ...                files={"in": b"ping"}, outputs=["out"])
    >>> finished.status, finished.files
    (0, {'out': b'ping'})
    """
    with os.fdopen(os.memfd_create("results"), "rb") as results:
        line = shell(_JOB.format(outputs=" ".join(outputs)), command, limits)
        process = Process(line, profile, limits, shared, results.fileno())
        process.exchange(_pack(files or {}), lambda _: False, limits.seconds, close=True)
        status = process.wait(limits.seconds)
        size = os.fstat(results.fileno()).st_size
        if not size and "bwrap: " in process.stderr:
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
    found = {}
    packed.seek(0)
    try:
        with tarfile.open(fileobj=packed) as archive:
            for entry in archive:
                if entry.isreg():
                    content = archive.extractfile(entry)
                    assert content is not None
                    found[entry.name] = content.read()
    except tarfile.TarError as error:
        raise ProcessDied(f"the results are not whole: {error}") from error
    return found
