"""Files of offline models on a disk that was damaged, or as people write them."""

import json
import os

import pytest

from helm_structext.errors import SetupError
from helm_structext.models.answer_index import KnownAnswer, read_answer, write_answer
from helm_structext.models.clients import OfflineModelError, read_completions
from support.damage import ANY_FILE, JSON_FILE, keys_lost_and_changed

KEY = "ab" * 32
ANSWER = KnownAnswer("id7", "latex", "$x$", "\ud800 of a broken row")
NO_DAMAGE = {"an extra key", "without its hash", "a hash of another type", "another hash",
             "an unknown kind"}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    write_answer(tmp_path, KEY, ANSWER)
    assert read_answer(tmp_path, KEY) == ANSWER
    return tmp_path / KEY[:2] / f"{KEY}.json"


@pytest.mark.parametrize("damage", JSON_FILE)
def test_a_damaged_answer_is_named_and_written_again(tmp_path, path, damage):
    JSON_FILE[damage](path)
    if damage == "gone":
        assert read_answer(tmp_path, KEY) is None
    elif damage in NO_DAMAGE or (damage == "not to be read" and os.geteuid() == 0):
        assert read_answer(tmp_path, KEY).oracle == "$x$"
    elif damage not in ("a flipped bit", "without its last byte"):  # They may say nothing.
        with pytest.raises(SetupError, match=rf"{KEY}.*run the entry again"):
            read_answer(tmp_path, KEY)
    write_answer(tmp_path, KEY, ANSWER)
    assert read_answer(tmp_path, KEY) == ANSWER


def test_every_key_of_an_answer_counts(tmp_path, path):
    for name, damage in keys_lost_and_changed(path).items():
        write_answer(tmp_path, KEY, ANSWER)
        damage(path)
        try:
            answer = read_answer(tmp_path, KEY)
        except SetupError:
            continue
        assert isinstance(answer, KnownAnswer), name
        assert all(isinstance(value, str | None) for value in vars(answer).values()), name


def test_a_folder_that_can_not_be_written_is_the_machines_fault(tmp_path):
    (tmp_path / KEY[:2]).write_text("")
    with pytest.raises(SetupError, match="can't be written"):
        write_answer(tmp_path, KEY, ANSWER)


@pytest.mark.parametrize("damage", [name for name in ANY_FILE if "2 GiB" not in name])
def test_a_damaged_replay_is_named(tmp_path, damage):
    path = tmp_path / "mine.jsonl"
    lines = [json.dumps({"key": f"{i}", "completion": "x"}) for i in range(9)]
    path.write_text("\n".join(lines))
    ANY_FILE[damage](path)
    try:
        assert set(read_completions(path)) <= set("012345678x:")
    except OfflineModelError as error:
        said = str(error)
    else:
        return
    assert "mine.jsonl" in said


@pytest.mark.parametrize(
    "line",
    [
        b"[]", b"null", b"7", b'"x"', b"{}", b"NaN", b"9" * 5000, b"[" * 100_000, b"\xff\xfe",
        b'{"key": "a"}', b'{"completion": "a"}', b'{"key": [], "completion": "a"}',
        b'{"key": {}, "completion": "a"}', b'{"key": null, "completion": "a"}',
        b'{"key": "a", "completion": 7}', b'{"key": "0", "completion": "another"}', b'{"key": "a',
    ],
    ids=range(17),
)  # fmt: skip
def test_a_line_that_is_not_a_completion_is_named(tmp_path, line):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b'{"key": "0", "completion": "x"}\n\n' + line + b"\n")
    with pytest.raises(OfflineModelError, match=r"mine\.jsonl, line 3"):
        read_completions(path)
