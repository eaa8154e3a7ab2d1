"""Where the cache lies, for users without a home, too, and what others who write it can do."""

import os
import stat
from pathlib import Path

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
    cache._make_folder.cache_clear()
    yield temporary / f"helm-structext-{os.getuid()}"
    cache._usable.cache_clear()
    cache._make_folder.cache_clear()


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


# Others who write the same cache


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """A cache that others write, and a folder outside of it that is private."""
    folder, outside = tmp_path / "cache", tmp_path / "outside"
    folder.mkdir()
    folder.chmod(0o770)
    outside.mkdir(mode=0o700)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(folder))
    return folder, outside


WRITERS = {
    "kept": lambda path: cache.keep(path, b"content"),
    "stored": lambda path: cache.store(path.parent, b"content", "png"),
    "written": lambda path: cache.write_atomically(path, b"content"),
    "copied": lambda path: cache.store_copy(path.parent, Path(__file__)),
}


only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link to others")


@only_root
@pytest.mark.parametrize("write", WRITERS)
def test_a_link_that_someone_else_has_set_is_not_followed(shared, write):
    folder, outside = shared
    (folder / "renderings").symlink_to(outside)
    os.chown(folder / "renderings", 65534, 65534, follow_symlinks=False)
    with pytest.raises((SetupError, PermissionError), match="someone else has set"):
        WRITERS[write](folder / "renderings" / "ab" / "a.png")
    assert not [*outside.iterdir()]


@pytest.mark.parametrize("write", WRITERS)
def test_a_link_of_one_s_own_is_followed(shared, write):
    folder, outside = shared
    (folder / "renderings").symlink_to(outside)
    WRITERS[write](folder / "renderings" / "ab" / "a.png")
    assert [*(outside / "ab").iterdir()]


@only_root
@pytest.mark.parametrize("write", WRITERS)
def test_a_folder_that_becomes_a_link_as_it_is_made_leads_nowhere(shared, write, monkeypatch):
    folder, outside = shared
    made = os.mkdir

    def swap(name, *rest, dir_fd=None, **options):
        made(name, *rest, dir_fd=dir_fd, **options)
        if name == "ab":
            os.rmdir(name, dir_fd=dir_fd)
            os.symlink(outside, name, dir_fd=dir_fd)
            os.chown(name, 65534, 65534, dir_fd=dir_fd, follow_symlinks=False)

    monkeypatch.setattr(cache.os, "mkdir", swap)
    with pytest.raises((SetupError, OSError)):
        WRITERS[write](folder / "renderings" / "ab" / "a.png")
    assert stat.S_IMODE(outside.stat().st_mode) == 0o700
    assert not [*outside.iterdir()]


def test_what_is_made_is_open_to_those_who_write_the_cache(shared):
    folder, _ = shared
    cache.keep(folder / "renderings" / "ab" / "a.png", b"content")
    for made in (folder / "renderings", folder / "renderings" / "ab"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o770
