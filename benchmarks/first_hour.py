"""Walks the first hour of a new user: a model of one's own, from an empty folder to the viewer.

    python benchmarks/first_hour.py [--instances 2] [--folder FOLDER]
    python benchmarks/first_hour.py --base-url http://localhost:8000/v1 [--model-name NAME] [--text-only] [--max-tokens 64]

The model is a server on this machine that always answers the same, or one that is there. It is described, tried and
run, first as one that reads pictures (not with ``--text-only``), then as one of text. Prints the seconds of each command,
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
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent
NAME = "me/my-vlm"
ANSWER = "```latex\n$x^2$\n```"
TRIED = (0, 1)
"""How `try` ends; with 1 where it saw something to mend, such as a server that gives every picture the same answer."""
SERVER_SECONDS = 60
"""How long helm-server may take to answer."""


def main() -> int:
    """Runs every command in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instances", default="2", help="of each run")
    parser.add_argument("--folder", type=Path, help="an empty one, which stays")
    parser.add_argument("--base-url", metavar="URL", help="of a server that is there")
    parser.add_argument("--model-name", metavar="NAME", help="by which that server knows the model")
    parser.add_argument("--text-only", action="store_true", help="the model reads no pictures")
    parser.add_argument("--max-tokens", metavar="NUMBER", help="of an answer")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    from support.openai_server import openai_server

    with (
        tempfile.TemporaryDirectory() as scratch,
        nullcontext() if options.base_url else openai_server(ANSWER) as made_up,
    ):
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        url = made_up.url if made_up else options.base_url
        seconds = [timed(*command, folder) for command in commands_of(options, url)]
        seconds.append(viewed(folder))
    print(f"{len(seconds)} commands, {sum(seconds):.0f} s")
    return 0


def commands_of(
    options: argparse.Namespace, url: str
) -> Iterator[tuple[list[str], Collection[int]]]:
    """Yields each command with the statuses by which it may end."""
    ours = "helm-structext"
    count = ["--max-eval-instances", options.instances]
    fewer = ["--max-tokens", options.max_tokens] if options.max_tokens else []
    known_as = ["--model-name", options.model_name] if options.model_name else []
    yield [ours, "add-model", NAME, "--base-url", url, *known_as], (0,)
    yield [ours, "try", NAME], TRIED
    if not options.text_only:
        yield [ours, "run", NAME, *count, *fewer], (0,)
    yield [ours, "add-model", NAME, "--text-only"], (0,)
    yield [ours, "try", NAME], TRIED
    yield [ours, "run", NAME, "--suite", "text", *count, *fewer], (0,)
    entry = f"structeval:task=text_to_json,source=sample{',num_output_tokens=' * bool(fewer)}{options.max_tokens or ''}"
    yield ["helm-run", "--suite", "s", *count, "--models-to-run", NAME, "-r", entry], (0,)
    yield [ours, "summarize", "s"], (0,)
    yield [ours, "report", "s"], (0,)


def timed(command: list[str], expected: Collection[int], folder: Path) -> float:
    """Runs a command and returns its seconds; ends with an error where its status is not expected."""
    start = time.monotonic()
    finished = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - start
    print(f"{seconds:6.1f} s  {' '.join(command)}", flush=True)
    if finished.returncode not in expected:
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
