"""Walks the first hour of a new user: a model of one's own, from an empty folder to the viewer.

    python benchmarks/first_hour.py [--instances 2] [--folder FOLDER]

The model is a server on this machine that always answers the same. Prints the seconds of each command,
and exits with an error if one fails or the viewer shows nothing.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent
NAME = "me/my-vlm"
ANSWER = "```latex\n$x^2$\n```"
NO_PICTURES_READ = 1
"""How `try` ends where every picture gets the same answer."""
SERVER_SECONDS = 60
"""How long helm-server may take to answer."""


def main() -> int:
    """Runs every command in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instances", default="2", help="of each run")
    parser.add_argument("--folder", type=Path, help="an empty one, which stays")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    from support.openai_server import openai_server

    with tempfile.TemporaryDirectory() as scratch, openai_server(ANSWER) as server:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        samples = ["--conf-paths", "run_specs/sample.conf", "--max-eval-instances"]
        commands = [
            (["helm-structext", "add-model", NAME, "--base-url", server.url], 0),
            (["helm-structext", "try", NAME], NO_PICTURES_READ),
            (["helm-run", "--suite", "s", *samples, options.instances, "--models-to-run", NAME], 0),
            (["helm-structext", "summarize", "s"], 0),
            (["helm-structext", "report", "s"], 0),
        ]
        seconds = [timed(command, folder, expected) for command, expected in commands]
        seconds.append(viewed(folder))
    print(f"{len(seconds)} commands, {sum(seconds):.0f} s")
    return 0


def timed(command: list[str], folder: Path, expected: int) -> float:
    """Runs a command and returns its seconds."""
    start = time.monotonic()
    finished = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - start
    print(f"{seconds:6.1f} s  {' '.join(command)}", flush=True)
    if finished.returncode != expected:
        raise SystemExit(f"ended with {finished.returncode}:\n{finished.stdout}{finished.stderr}")
    return seconds


def viewed(folder: Path) -> float:
    """Starts helm-server, and returns the seconds until it has the suite's groups."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["helm-server", "--suite", "s", "--port", str(port)]
    start = time.monotonic()
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            groups = asked(f"http://127.0.0.1:{port}/benchmark_output/runs/s/groups.json")
        finally:
            server.terminate()
    if not groups:
        raise SystemExit("helm-server shows no groups")
    seconds = time.monotonic() - start
    print(f"{seconds:6.1f} s  {' '.join(command)}")
    return seconds


def asked(address: str) -> object:
    """Returns JSON as soon as a server has it."""
    end = time.monotonic() + SERVER_SECONDS
    while True:
        try:
            with urlopen(address) as reply:
                found: object = json.load(reply)
                return found
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def environment() -> dict[str, str]:
    """The environment, with this Python's commands first."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


if __name__ == "__main__":
    sys.exit(main())
