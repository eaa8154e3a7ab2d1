"""Tests of other harnesses run in these harnesses' environments: `make test-integrations`."""

from pathlib import Path

import pytest

HERE = ("test_evaluations.py", "test_trainers.py", "test_watcher.py")
"""What needs no other harness."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = config.getoption("--integrations")
    elsewhere = collection_path.name.startswith("test_") and collection_path.name not in HERE
    return True if elsewhere and not asked else None
