"""Tests that need Slurm run where they are asked for: `make test-slurm`."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = config.getoption("--slurm")
    return True if collection_path.name == "test_on_slurm.py" and not asked else None
