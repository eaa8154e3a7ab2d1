"""A server of scores in a process of its own, and items for it."""

import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from support.commands import BIN

ENDLESS = r"\def\x{\x}\x"
"""LaTeX that works until its time is over."""


def text_item(completion: str = "EMMA", reference: str = "Emma", **options: Any) -> dict[str, Any]:
    """A question of MMR's, which takes no time."""
    return {"kind": "text", "completion": completion, "reference": reference, **options}


def latex_item(completion: str = "$x^2$", **options: Any) -> dict[str, Any]:
    """A formula, beside the one of another."""
    components = {"earth_mover_similarity": 1.0}
    given = {"reference": "$x^2$", "components": components, **options}
    return {"format": "latex", "completion": completion, **given}


@dataclass
class Server:
    """One that runs.

    Attributes:
        process: `helm-structext serve`.
        url: where it is.
    """

    process: subprocess.Popen[str]
    url: str

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self) -> int:
        """Asks it to stop, and returns how it ended."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def metric(self, name: str) -> float:
        """A value of /metrics; 0 if it is not there yet."""
        with urllib.request.urlopen(f"{self.url}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(name)), 0)


def start(*arguments: str, port: int = 0, **environment: str) -> Server:
    """Starts a server that keeps no engine warm, and waits until it takes requests."""
    process = subprocess.Popen(
        [BIN / "helm-structext", "serve", "--port", str(port), "--warm", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert " at http://" in line, line
    return Server(process, line.split()[-1])


@contextmanager
def served(*arguments: str, **options: Any) -> Iterator[Server]:
    """Yields a server, and kills it at the end if it still runs."""
    server = start(*arguments, **options)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def until(reached: Callable[[], bool]) -> None:
    """Waits until something is so."""
    end = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.05)
