"""Files that are named by their content."""

import os

from helm_structext.cache import store, store_copy


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
    def link(*_: object) -> None:
        raise OSError("another file system")

    monkeypatch.setattr(os, "link", link)
    (tmp_path / "one.png").write_bytes(b"picture")
    copy = store_copy(tmp_path / "copies", tmp_path / "one.png")
    assert copy.read_bytes() == b"picture"
    assert not copy.samefile(tmp_path / "one.png")
