"""Files of results: continued wherever they end, and never cut where they are somebody else's."""

import errno
import fcntl
import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helm_structext.errors import SetupError
from helm_structext.results import resuming
from helm_structext.results.resuming import complete_lines, results_in, whole_lines

KEYS = ["aa", "bb", "cc"]
LINES = [f'{{"key": "{key}", "score": 0.5}}\n'.encode() for key in KEYS]
WHOLE = b"".join(LINES)


def complete(path: Path, keys: list[str] = KEYS) -> list[int]:
    def lines(done: int) -> Iterator[bytes]:
        return iter([line for key, line in zip(KEYS, LINES, strict=True) if key in keys][done:])

    return list(complete_lines(path, keys, lines))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scores.jsonl"


@pytest.mark.parametrize("zeros", [0, 1, 4096])
def test_a_file_that_ends_anywhere_is_continued(path, zeros, monkeypatch):
    """After zero bytes, too: a file system may have noted the size and not the content."""
    monkeypatch.setattr(resuming, "MAX_LINE", 1000)
    for cut in range(len(WHOLE) + 1):
        path.write_bytes(WHOLE[:cut] + bytes(zeros))
        there = WHOLE[:cut].count(b"\n")
        assert [number for number, _, _ in whole_lines(path)] == [*range(1, there + 1)]
        assert complete(path) == [*range(there, len(KEYS) + 1)]
        assert path.read_bytes() == WHOLE


FOREIGN = {
    "notes": b"dear diary",
    "a line of notes": b"dear diary\n",
    "JSON lines": b'{"a": 1}\n',
    "JSON lines without an end": b'{"a": 1}',
    "a key of another": b'{"key": "zz", "score": 0.5}\n',
    "a key of another without an end": b'{"key": "zz", "sco',
    "notes after zeros": bytes(100) + b"dear diary",
    "notes after a line": LINES[0] + b"dear diary\n",
    "notes without an end": LINES[0] + b"dear diary",
    "a damaged line in the middle": LINES[0] + b'{"key": "bb", "sc\n' + LINES[2],
    "zeros in the middle": LINES[0] + bytes(len(LINES[1])) + LINES[2],
    "another order": LINES[1] + LINES[0],
    "more than all": WHOLE + b"{}\n",
    "more than all without an end": WHOLE + b'{"key": "',
    "brackets": b"[" * 100_000 + b"\n",
    "no text": b"\xff\xfe\n",
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_what_is_not_of_these_results_is_refused_and_stays(path, content):
    path.write_bytes(content)
    with pytest.raises(SetupError, match=r"scores\.jsonl, line \d: what the file to continue has"):
        complete(path)
    assert path.read_bytes() == content


def test_without_any_results_a_file_stays_too(path):
    path.write_bytes(b"dear diary")
    with pytest.raises(SetupError, match="line 1"):
        complete(path, [])
    assert path.read_bytes() == b"dear diary"


def test_a_line_without_an_end_is_not_read_into_memory(path, monkeypatch):
    monkeypatch.setattr(resuming, "MAX_LINE", 100)
    path.write_bytes(b"a" * 1000)
    with pytest.raises(SetupError, match="line 1"):
        deque(whole_lines(path))


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_written_all_the_same(path, monkeypatch, code):
    """Lustre mounted without flock, for example."""

    def refused(*_: Any) -> None:
        raise OSError(code, "no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    assert complete(path)[-1] == 3
    assert path.read_bytes() == WHOLE


def test_what_another_process_writes_is_left_to_it(path):
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(SetupError, match="another process writes"):
            complete(path)
    assert complete(path)[-1] == 3


def test_lines_are_read_back_as_results(path):
    path.write_bytes(WHOLE)
    assert [one.key for one in results_in(path, SimpleNamespace)] == KEYS
    path.write_text(f"{json.dumps({'key': 'aa', 'strange': 1})}\n")
    with pytest.raises(SetupError, match=r"scores\.jsonl, line 1: TypeError"):
        list(results_in(path, lambda key, score: None))
