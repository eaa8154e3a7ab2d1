"""HELM's commands and ours, run as a user would type them, and what they leave behind."""

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from support.commands import BIN, run


@cache
def _initialized() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="helm-structext-")
    run(Path(folder.name), "helm-structext", "init")
    return folder


def init(folder: Path) -> None:
    """Gives a new folder what `helm-structext init` writes, which takes seconds only once.

    Models of the folder's own, which the command would keep, come later.
    """
    assert not (folder / "prod_env").exists()
    shutil.copytree(_initialized().name, folder, dirs_exist_ok=True)


def helm_run(folder: Path, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return run(
        folder,
        "helm-run",
        "--suite",
        "s",
        "--num-threads",
        "2",
        "--exit-on-error",
        *arguments,
        **options,
    )


def dry_requests(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """What a dry run would ask, as ``requests.jsonl`` has it."""
    helm_run(folder, "--dry-run", "--suite", "dry", *arguments)
    run(folder, "helm-structext", "predictions", "export", "dry", "-o", "requests.jsonl")
    return [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]


def write_replay(folder: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Writes what the model `structext/replay-mine` answers."""
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "prod_env" / "replay" / "mine.jsonl").write_text(text)


def stats_of(run_folder: Path) -> dict[str, float]:
    stats = json.loads((run_folder / "stats.json").read_text())
    return {s["name"]["name"]: s["mean"] for s in stats if s["count"]}


def without_run_times(path: Path) -> str:
    """The statistics in one of a run's files, without those that never repeat."""
    entries = json.loads(path.read_text())
    for entry in entries:
        if "stats" in entry:
            entry["stats"] = [s for s in entry["stats"] if "runtime" not in s["name"]["name"]]
    kept = [entry for entry in entries if "runtime" not in entry.get("name", {}).get("name", "")]
    return json.dumps(kept, indent=1)


def suite(folder: Path) -> Path:
    return folder / "benchmark_output" / "runs" / "s"


def summarize(folder: Path) -> str:
    """Runs helm-summarize, and returns its log."""
    done = run(folder, "helm-summarize", "--suite", "s", "--schema-path", "schema.yaml")
    return done.stdout + done.stderr


def levels(log: str) -> set[str]:
    """The levels of the lines in a log of HELM's."""
    return set(re.findall(r"^[-\d]+ [:,\d]+ ([A-Z]+) ", log, re.MULTILINE))


def write_stats(suite_folder: Path) -> None:
    """Writes the means of runs that were kept without them, as HELM does."""
    for path in suite_folder.glob("*/per_instance_stats.json"):
        values: dict[str, list[float]] = {}
        names: dict[str, dict[str, str]] = {}
        for entry in json.loads(path.read_text()):
            for stat in entry["stats"]:
                if stat["count"]:
                    names[stat["name"]["name"]] = stat["name"]
                    values.setdefault(stat["name"]["name"], []).append(stat["mean"])
        stats = [
            {"name": name, "count": 1, "sum": mean, "mean": mean, "min": mean, "max": mean}
            for key, name in names.items()
            for mean in [fmean(values[key])]
        ]
        path.with_name("stats.json").write_text(json.dumps(stats))


@contextmanager
def helm_server(folder: Path) -> Iterator[str]:
    """Serves the suite, and writes what is asked for to `server.log`; yields the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [BIN / "helm-server", "--suite", "s", "--port", str(port)],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            _wait_for_port(port)
            yield f"http://localhost:{port}/"
        finally:
            server.terminate()
            server.wait()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("helm-server did not start")
