import sys
import time

import pytest

from helm_structext import progress as module
from helm_structext.progress import progress, working


def test_lines_say_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(module, "LINE_SECONDS", 0)
    assert list(progress(["a", "b"], "reading\nletters")) == ["a", "b"]
    assert [line.rpartition(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "reading letters: 0 of 2",
        "reading letters: 1 of 2",
    ]
    assert list(progress(iter("ab"), "reading", 3)) == ["a", "b"]
    assert "1 of 3" in capsys.readouterr().err
    assert list(progress(iter("a"), "reading")) == ["a"]
    assert capsys.readouterr().err.startswith("reading: 0, ")


def test_quick_work_says_nothing(capsys):
    assert list(progress(range(1000), "counting")) == list(range(1000))
    with working("counting"):
        pass
    assert capsys.readouterr().err == ""


def test_there_is_a_bar_in_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(module, "BAR_SECONDS", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert list(progress("ab", "reading")) == ["a", "b"]
    assert "reading:   0%" in capsys.readouterr().err


def test_work_that_nobody_sees_says_that_it_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(module, "LINE_SECONDS", 0.01)
    said = ""
    with working("waiting"):
        while not said:
            time.sleep(0.01)
            said = capsys.readouterr().err
    assert said.startswith("waiting, 0 s")
    with pytest.raises(KeyError), working("failing"):
        raise KeyError
