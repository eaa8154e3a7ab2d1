"""Files that are named by their content."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.storage.cache import read_stored, store, store_copy, write_atomically
from support.damage import ANY_FILE, PNG_FILE
from support.rows import png


def test_a_copy_is_a_hard_link_and_one_for_each_content(tmp_path):
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    for path in (one, two):
        path.write_bytes(b"picture")
    copy = store_copy(tmp_path / "copies", one)
    assert copy.samefile(one)
    assert (
        store_copy(tmp_path / "copies", two)
        == copy
        == store(tmp_path / "copies", b"picture", "png")
    )


def test_where_no_hard_link_can_be_the_content_is_copied(tmp_path, monkeypatch):
    def link(*_: object, **__: object) -> None:
        raise OSError("another file system")

    monkeypatch.setattr(os, "link", link)
    (tmp_path / "one.png").write_bytes(b"picture")
    copy = store_copy(tmp_path / "copies", tmp_path / "one.png")
    assert copy.read_bytes() == b"picture"
    assert not copy.samefile(tmp_path / "one.png")


@pytest.mark.parametrize("damage", PNG_FILE)
def test_a_damaged_file_is_written_again(tmp_path, damage):
    content = png()
    path = store(tmp_path, content, "png")
    PNG_FILE[damage](path)
    assert store(tmp_path, content, "png") == path
    assert path.read_bytes() == content
    PNG_FILE[damage](path)
    (tmp_path / "fresh.png").write_bytes(content)
    assert store_copy(tmp_path, tmp_path / "fresh.png") == path
    assert path.read_bytes() == content


@pytest.mark.parametrize("damage", [*PNG_FILE, "honest"])
def test_a_file_that_is_not_what_its_name_says_is_an_error(tmp_path, damage):
    path = store(tmp_path, png(), "png")
    if damage == "honest" or (damage == "not to be read" and os.geteuid() == 0):
        assert read_stored(path) == png()
        return
    PNG_FILE[damage](path)
    with pytest.raises(SetupError, match=path.name):
        read_stored(path)


def test_a_full_disk_and_a_missing_file_are_the_machines_fault(tmp_path):
    (tmp_path / "folder").write_text("")
    with pytest.raises(SetupError, match=r"folder.*can't be written"):
        store(tmp_path / "folder", b"x", "png")
    with pytest.raises(SetupError, match=r"absent.*can't be read"):
        store_copy(tmp_path, tmp_path / "absent")


def test_a_file_for_users_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """A crash leaves the old file or the new one: what is renamed was synchronized before."""
    calls = []
    replace = os.replace
    sync = os.fsync

    def fsync(descriptor):
        calls.append(f"sync {Path(f'/proc/self/fd/{descriptor}').readlink().name[:6]}")
        sync(descriptor)

    def rename(*names, **folders):
        calls.append("rename")
        return replace(*names, **folders)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    write_atomically(tmp_path / "folder" / "a.csv", b"x")
    assert calls == ["sync .a.csv", "rename", "sync folder"]


@pytest.mark.parametrize("damage", ["a folder", "a folder with files"])
def test_a_folder_of_the_users_is_never_removed(tmp_path, damage):
    (tmp_path / "a.csv").write_text("x")
    ANY_FILE[damage](tmp_path / "a.csv")
    with pytest.raises(OSError, match=r"a\.csv"):
        write_atomically(tmp_path / "a.csv", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_nothing_is_left_of_a_process_that_dies_while_it_keeps_a_file(tmp_path):
    code = (
        "import os\nfrom pathlib import Path\nfrom helm_structext.storage.cache import store\n"
        f"os.{{}} = lambda *_, **__: os._exit(9)\nstore(Path({str(tmp_path)!r}), b'a', 'txt')"
    )
    for last in ("fchmod", "link"):
        died = subprocess.run([sys.executable, "-c", code.format(last)], check=False)
        assert died.returncode == 9
        assert list(tmp_path.iterdir()) == []


def test_a_file_system_on_which_files_need_names_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY | os.O_TRUNC | os.O_CREAT)
    path = store(tmp_path, b"a", "txt")
    assert path.read_bytes() == b"a"
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o644
