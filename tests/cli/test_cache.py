"""`helm-structext cache`: what it prints, and what it takes for an age and a size."""

import argparse
import os
import time

import pytest

from helm_structext.cli import main
from helm_structext.cli.cache import age, size
from helm_structext.storage.cache import content_key, keep, renderings_folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Three renderings that were not used for 10, 20 and 30 days, and a file of somebody's."""
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    for days in (10, 20, 30):
        path = renderings_folder() / "aa" / f"{content_key(str(days))}.png"
        keep(path, b"x" * 10**6)
        at = time.time() - days * 86400
        os.utime(path.with_suffix(".json"), (at, at))
    (tmp_path / "cache" / "a\x1b[2Jb").write_text("mine")
    return tmp_path / "cache"


def test_info_prints_what_there_is_and_names_what_is_not_ours(cache, capsys):
    assert main(["cache", "info"]) == 0
    printed = capsys.readouterr()
    (row,) = (line for line in printed.out.splitlines() if line.startswith("rendered answers"))
    oldest = time.strftime("%Y-%m-%d", time.localtime(time.time() - 30 * 86400))
    newest = time.strftime("%Y-%m-%d", time.localtime(time.time() - 10 * 86400))
    words = row.split()
    assert words[2:6] == ["renderings/", "3", "3.0", "MB"]
    assert (words[6], words[8]) == (oldest, newest)
    assert f"{cache}: 3.0 MB" in printed.out
    assert "not of this package, and left alone: a\\u001b[2Jb" in printed.err


def test_prune_says_what_it_removed_and_what_is_left(cache, capsys):
    assert main(["cache", "prune", "--older-than", "25d", "--dry-run"]) == 0
    assert "would go: 1 of rendered answers, 1.0 MB" in capsys.readouterr().out
    assert main(["cache", "prune", "--older-than", "25d"]) == 0
    assert "removed: 1 of rendered answers, 1.0 MB" in capsys.readouterr().out
    assert main(["cache", "prune", "--max-size", "1.5MB"]) == 0
    printed = capsys.readouterr().out
    assert "removed: 1 of rendered answers, 1.0 MB" in printed
    assert f"{cache}: 1.0 MB left" in printed
    assert main(["cache", "prune"]) == 0
    assert "nothing to remove" in capsys.readouterr().out


def test_what_is_in_use_is_said(cache, capsys):
    for path in renderings_folder().glob("*/*.json"):
        os.utime(path)
    assert main(["cache", "prune", "--max-size", "1MB"]) == 0
    printed = capsys.readouterr().out
    assert "3 entries, 3.0 MB, stay: they were used within the last hour" in printed
    assert "what is left is in use" in printed


def test_what_can_not_be_removed_is_an_error_that_names_it(cache, capsys, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("helm_structext.storage.contents.os.unlink", refused)
    assert main(["cache", "prune", "--older-than", "25d"]) == 2
    assert "can't be removed: renderings/aa/" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "d", "-1d", "1y", "1e999", "nan", "inf h", "3 d d", "٣d ago"])
def test_what_is_no_age_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="such as 30d"):
        age(text)


@pytest.mark.parametrize("text", ["", "GB", "-1", "1PB", "1e999", "nan", "1,5 GB", "0x10"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="such as 20GB"):
        size(text)
