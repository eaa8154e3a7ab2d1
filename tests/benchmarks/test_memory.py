"""A large picture on its way from engine to scores stays within bounds, as the benchmark measures."""

import subprocess
import sys

import pytest

from support import ROOT

CASES = ["page of 1920×1080", "tall page, 2560×10,000"]


@pytest.mark.parametrize("case", CASES)
def test_a_picture_takes_less_than_the_limit(case):
    command = [sys.executable, str(ROOT / "benchmarks" / "memory.py"), "measure", case]
    finished = subprocess.run(command, capture_output=True, text=True)
    _, name, own, scoring, limit, ended, _ = (part.strip() for part in finished.stdout.split("|"))
    assert (name, finished.returncode) == (case, 0), finished.stderr
    assert ended.startswith("EMS ")
    # The decoded picture alone takes 8 and 98 MiB: these are figures of what really happened.
    assert 5 < int(own) < int(limit)
    assert 5 < int(scoring) < int(limit)
