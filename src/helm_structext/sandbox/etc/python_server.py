"""One Python that is started once, loads what its jobs need, and then forks for each job.

Argument: the name of a job module beside this file. It has `prepare()`, called once, and
`draw(source)`, called in the fork, which returns the picture (or whatever it makes) as bytes and
raises `Failure` if the code is wrong.

The protocol is that of `fork_server.py`. A job has the code in the file `source`, the name of the
benchmark's protocol in `protocol`, and what lies beside the code in the folder `files`, in which it
runs. It makes a `log`, a `page`, a `failure`: null, or [kind, message], or [kind, message, line,
column] in JSON, and what is `missing`: a list of [kind, host, package, address]. Where there is a file
`wanted`, it also makes a `layout`: what tells what is on the page.

A job shares nothing with the server that it could change: memory is copied, files that the server
holds open are opened anew, and where the kernel can (Landlock, ABI 6), signals end at the job.

Sources: linux/include/uapi/linux/prctl.h, linux/include/uapi/linux/landlock.h.
"""

import ctypes
import gc
import importlib
import io
import json
import os
import shutil
import struct
import sys
import traceback
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote_to_bytes

SCRATCH = Path.cwd()
FOLDER = SCRATCH / "job"
MADE = ("log", "page", "failure", "missing", "layout")
"""Files that a job makes."""
layouts: list[bytes] = []
"""What this job tells of its page; see `tell_layout`."""
MAX_LAYOUT, MAX_BESIDE = 8 * 2**20, 32 * 2**20
"""Bytes of it, and of a page beside which it is told: there is a limit for both together."""
missing: list[list[str]] = []
"""What this job's code asked for in vain; see `lack`."""
MAX_MISSING, MAX_TEXT, MAX_MESSAGE = 100, 400, 10_000
"""What is told of it, characters of each text, and those of a failure: `python.py` reads no more."""

PR_SET_CHILD_SUBREAPER = 36
CREATE_RULESET, RESTRICT_SELF = 444, 446
SIGNAL = 2
"""A scope of Landlock, which ends at the border of a domain."""
libc = ctypes.CDLL(None)


class Failure(Exception):
    """What is wrong with the code: kind and message, and line and column from 1, if any (or 0)."""


def content(name: str) -> bytes:
    """The bytes of a file that a child has left, if it is one."""
    path = FOLDER / name
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def lack(kind: str, host: str, package: str, address: str = "") -> None:
    """Notes what this job's code asked for in vain; the words are those of `MissingResource`."""
    if len(missing) < MAX_MISSING:
        missing.append([text[:MAX_TEXT] for text in (kind, host, package, address)])


def layout_wanted() -> bool:
    """Whether this job shall tell what is on its page."""
    return (FOLDER / "wanted").exists()


def tell_layout(data: bytes) -> None:
    """Tells what is on this job's page, unless it is too much."""
    layouts[:] = [data] if len(data) <= MAX_LAYOUT else []


def protocol() -> str:
    """The benchmark's protocol by which this job is rendered."""
    return (FOLDER / "protocol").read_text("ascii")


def is_open(number: int) -> bool:
    """Whether there is such a descriptor."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def opened() -> dict[int, str]:
    """The files that are open beside the three, and where they lie.

    Raises:
        OSError: there is something else open, which can't be opened anew.
    """
    gc.collect()
    files = [one for one in gc.get_objects() if isinstance(one, io.FileIO) and not one.closed]
    names = {file.fileno(): str(file.name) for file in files}
    found = {number: names.get(number, "") for number in range(3, 1024) if is_open(number)}
    if not all(map(os.path.isfile, found.values())):
        raise OSError(f"one of these is open, and no file: {found}")
    return found


def leave_server(files: dict[int, str]) -> None:
    """Gives this process descriptors of its own, and no way to signal the server.

    Who shares a descriptor shares its offset: to read a font would move it for the next job.
    """
    os.setsid()
    for number, path in files.items():
        if is_open(number):  # Some libraries close their files in a fork.
            own = os.open(path, os.O_RDONLY)
            os.lseek(own, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
            os.dup2(own, number, inheritable=False)
            os.close(own)
    attributes = struct.pack("=QQQ", 0, 0, SIGNAL)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset >= 0:
        libc.syscall(RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


def processes_left() -> bool:
    """Whether anything runs that a job has started: orphans become the server's children."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def child(job: Any, files: dict[int, str]) -> None:
    """Processes a job, and writes the page or the failure."""
    leave_server(files)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    log = os.open("log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace", buffering=1)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", buffering=1)
    source = (FOLDER / "source").read_text("utf-8")
    os.chdir(FOLDER / "files")
    page, failure = b"", None
    try:
        page = job.draw(source)
    except Failure as error:
        failure = error.args
    except MemoryError:
        failure = ("resource", "out of memory")
    except BaseException as error:
        failure = ("resource", f"the engine failed: {type(error).__name__}: {error}")
    (FOLDER / "page").write_bytes(page)
    if failure:
        failure = (failure[0], failure[1][:MAX_MESSAGE], *failure[2:])
    (FOLDER / "failure").write_text(json.dumps(failure), "ascii")
    (FOLDER / "missing").write_text(json.dumps(missing), "ascii")
    if layouts and len(page) <= MAX_BESIDE:
        (FOLDER / "layout").write_bytes(layouts[0])


def serve(
    job: Any, files: dict[int, str], head: str, requests: IO[bytes], replies: IO[bytes]
) -> None:
    """Does one job."""
    (FOLDER / "files").mkdir(parents=True)
    os.chdir(FOLDER)
    words = head.split()
    for name, size in zip(words[::2], words[1::2], strict=True):
        path = FOLDER / os.fsdecode(unquote_to_bytes(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(requests.read(int(size)))
    pid = os.fork()
    if pid == 0:
        try:
            child(job, files)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os.abort()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    made = {name: content(name) for name in MADE}
    os.chdir(SCRATCH)
    try:
        shutil.rmtree(FOLDER, ignore_errors=True)
        left = len(list(SCRATCH.iterdir())) + processes_left()
    except (OSError, RecursionError):  # Folders may be deep.
        left = 1
    sizes = {name: len(data) for name, data in made.items()}
    reply = json.dumps({"status": status, "left": left, "files": sizes})
    replies.write(b"".join([reply.encode(), b"\n", *made.values()]))
    replies.flush()


def main(name: str) -> None:
    """Serves until the input ends."""
    sys.modules["python_server"] = sys.modules["__main__"]
    job = importlib.import_module(name)
    job.prepare()
    for entry in SCRATCH.iterdir():
        shutil.rmtree(entry)
    files = opened()
    libc.prctl(PR_SET_CHILD_SUBREAPER, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    gc.freeze()  # A collection would touch, and so copy, all memory shared with the children.
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    replies.write(b"ready\n")
    replies.flush()
    while line := requests.readline():
        serve(job, files, line.decode(), requests, replies)


if __name__ == "__main__":
    main(sys.argv[1])
