"""HELM's commands and ours, run as a user would type them, and what they leave behind."""

import json
import re
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent


def run(folder: Path, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [str(BIN / command[0]), *command[1:]], cwd=folder, capture_output=True, text=True
    )
    if check and result.returncode:
        raise AssertionError(
            f"{' '.join(command)}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
        )
    return result


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


def stats_of(run_folder: Path) -> dict[str, float]:
    stats = json.loads((run_folder / "stats.json").read_text())
    return {s["name"]["name"]: s["mean"] for s in stats if s["count"]}


def suite(folder: Path) -> Path:
    return folder / "benchmark_output" / "runs" / "s"


def summarize(folder: Path) -> str:
    """Runs helm-summarize, and returns its log."""
    done = run(folder, "helm-summarize", "--suite", "s", "--schema-path", "schema.yaml")
    return done.stdout + done.stderr


def levels(log: str) -> set[str]:
    """The levels of the lines in a log of HELM's."""
    return set(re.findall(r"^[-\d]+ [:,\d]+ ([A-Z]+) ", log, re.MULTILINE))
