"""The lines that ran are summed up behind the tests; where that fails, the tests don't."""

import os
import subprocess
import sys
from pathlib import Path

from support import ROOT


def run_examples(summary: Path, *options: str) -> str:
    """Runs a few examples and asks for a summary; returns what pytest says."""
    files = ("tests/support/tested_lines.py", "src/helm_structext/texts.py")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, *files],
        cwd=ROOT,
        # Else it would take itself for a worker of the run that it is in.
        env={name: value for name, value in os.environ.items() if "PYTEST_XDIST" not in name}
        | {"TESTED_LINES": str(summary)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def test_lines_of_all_processes_are_in_the_summary_and_the_file(tmp_path):
    said = run_examples(tmp_path / "lines.txt", "--numprocesses", "2")
    assert "lines ran, least of:\n  0.0%" in said
    assert "not counted" in said
    rows = [line.split() for line in (tmp_path / "lines.txt").read_text().splitlines()]
    shares = {row[0]: int(row[3]) for row in rows if row and row[0].startswith("src/")}
    assert shares["src/helm_structext/texts.py"] > 80
    assert shares["src/helm_structext/explain.py"] == 0
    assert not any("sandbox/etc/" in file for file in shares)


def test_a_file_that_cannot_be_written_is_said_and_fails_no_test(tmp_path):
    said = run_examples(tmp_path / "none" / "lines.txt")
    assert "FileNotFoundError" in said
    assert " passed" in said
