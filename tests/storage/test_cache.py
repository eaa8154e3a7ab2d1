"""Where the cache lies for users without a home, or with one that can't be written."""

import os
import stat

import pytest

from helm_structext.errors import SetupError
from helm_structext.storage import cache


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    """A machine whose temporary files lie in a folder, and where no variable names a cache."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(temporary))
    for variable in ("HELM_STRUCTEXT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    cache._usable.cache_clear()
    cache._made_up.cache_clear()
    yield temporary / f"helm-structext-{os.getuid()}"
    cache._usable.cache_clear()
    cache._made_up.cache_clear()


@pytest.mark.parametrize("home", ["read-only", "absent"])
def test_without_a_home_that_can_be_written_the_cache_is_a_private_temporary_folder(
    home, no_cache, tmp_path, monkeypatch, caplog
):
    if home == "absent":
        monkeypatch.setattr("os.path.expanduser", lambda path: path)
    else:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr("os.access", lambda path, mode: False)
    assert cache.cache_folder() == cache.cache_folder() == no_cache
    assert stat.S_IMODE(no_cache.stat().st_mode) == 0o700
    (said,) = [record.getMessage() for record in caplog.records]
    assert "HELM_STRUCTEXT_CACHE" in said
    assert str(no_cache) in said


def test_a_cache_that_is_there_is_used_though_it_cannot_be_written(no_cache, tmp_path, monkeypatch):
    there = tmp_path / ".cache" / "helm-structext"
    there.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert cache.cache_folder() == there


def test_a_temporary_cache_that_others_can_write_is_refused(no_cache, monkeypatch):
    no_cache.mkdir()
    no_cache.chmod(0o777)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(SetupError, match="someone else's"):
        cache.cache_folder()
