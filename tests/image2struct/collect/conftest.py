import pytest

from helm_structext.image2struct.collect import database


@pytest.fixture(autouse=True)
def unhurried_disk(monkeypatch):
    """Who kills a process here leaves the machine running: nothing need be on the disk for that."""
    monkeypatch.setattr(database, "SYNCHRONOUS", "OFF")
