"""One Python that is started once, loads what its jobs need, and then forks for each job.

Argument: the name of a job module beside this file. It has `prepare()`, called once, and
`draw(source)`, called in the fork, which returns the picture (or whatever it makes) as bytes and
raises `Failure` if the code is wrong.

The protocol is that of `fork_server.py`. A job has the code in the file `source`, and what lies
beside the code in the folder `files`, in which it runs. It makes a `log`, a `page`, and a `failure`:
null, or [kind, message] in JSON.
"""

import gc
import importlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote_to_bytes

SCRATCH = Path.cwd()
FOLDER = SCRATCH / "job"
MADE = ("log", "page", "failure")
"""Files that a job makes."""


class Failure(Exception):
    """What is wrong with the code: kind and message."""


def content(name: str) -> bytes:
    """The bytes of a file that a child has left, if it is one."""
    path = FOLDER / name
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def child(job: Any) -> None:
    """Processes a job, and writes the page or the failure."""
    os.setsid()
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
    (FOLDER / "failure").write_text(json.dumps(failure), "ascii")


def serve(job: Any, head: str, requests: IO[bytes], replies: IO[bytes]) -> None:
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
            child(job)
        finally:
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    made = {name: content(name) for name in MADE}
    os.chdir(SCRATCH)
    shutil.rmtree(FOLDER, ignore_errors=True)
    try:
        left = len(list(SCRATCH.iterdir()))
    except OSError:
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
    gc.freeze()  # A collection would touch, and so copy, all memory shared with the children.
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    replies.write(b"ready\n")
    replies.flush()
    while line := requests.readline():
        serve(job, line.decode(), requests, replies)


if __name__ == "__main__":
    main(sys.argv[1])
