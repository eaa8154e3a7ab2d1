import pytest

from helm_structext import benchmarks
from support.tiny import tiny


@pytest.fixture
def tiny_row(monkeypatch):
    """Adds the tests' own benchmark to the table."""
    monkeypatch.setattr(benchmarks, "BENCHMARKS", (*benchmarks.BENCHMARKS, tiny()))
