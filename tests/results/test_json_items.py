"""Lists in JSON files, item by item: the same as read whole, in bounded memory."""

import json
import random
import tracemalloc

import pytest

from helm_structext.errors import SetupError
from helm_structext.results import json_items as module
from helm_structext.results.json_items import json_items

VALUES = [
    *(None, True, 0, -1.5e-7, 12345678901234567890, "", "é·中\ud800", '"\\', "]}", [], {}),
    [1, [2, {"a": [3]}], "x" * 50],
    {"a": {"b": [None, {}]}, "request_states": [1]},
]


def read(path, text: str, key: str | None = None) -> list:
    path.write_text(text, encoding="utf-8")
    return list(json_items(path, "write it again", key))


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 2**20])
@pytest.mark.parametrize("indent", [None, 2])
def test_the_items_are_those_of_the_whole_file(tmp_path, monkeypatch, chunk, indent):
    monkeypatch.setattr(module, "CHUNK", chunk)
    for ascii in (True, False):
        values = [value for value in VALUES if ascii or "\ud800" not in str(value)]
        text = json.dumps(values, indent=indent, ensure_ascii=ascii)
        assert read(tmp_path / "a.json", text) == json.loads(text)
        text = json.dumps({"a": values, "b": 7, "c": values, "d": []}, indent=indent)
        assert read(tmp_path / "a.json", text, "c") == json.loads(text)["c"]
        assert read(tmp_path / "a.json", f" {text}\n", "d") == []


def test_numbers_that_only_python_writes_are_read(tmp_path):
    text = f"[NaN, -Infinity, 1e400, {10**400}]"
    assert repr(read(tmp_path / "a.json", text)) == repr(json.loads(text))


@pytest.mark.parametrize("chunk", [1, 5, 2**20])
def test_whatever_is_not_json_is_refused(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    whole = json.dumps([1, "a", {"b": [2, 3]}])
    chance = random.Random(1)
    for _ in range(300):
        place = chance.randrange(len(whole))
        text = (
            whole[:place] + chance.choice(["", '"', "[", "}", ",", ":", "x", "\\"]) + whole[place:]
        )
        text = chance.choice([text, text[: chance.randrange(len(text))]])
        try:
            expected = json.loads(text)
        except ValueError:
            with pytest.raises(SetupError, match=r"a\.json can't be read .*; write it again"):
                read(tmp_path / "a.json", text)
        else:
            assert read(tmp_path / "a.json", text) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [("{}", "a"), ('{"b": [1]}', "a"), ('{"a": 1}', "a"), ("[1]", "a"), ("7", None), ("", None)],
)
def test_a_file_without_the_list_is_refused(tmp_path, text, key):
    with pytest.raises(SetupError, match=r"a\.json can't be read"):
        read(tmp_path / "a.json", text, key)


def test_an_item_beyond_its_bound_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 100)
    monkeypatch.setattr(module, "MAX_ITEM", 1000)
    assert read(tmp_path / "a.json", json.dumps(["x" * 400] * 20)) == ["x" * 400] * 20
    with pytest.raises(SetupError, match="far too large"):
        read(tmp_path / "a.json", json.dumps(["x" * 4000]))


def test_an_item_of_nothing_but_lists_is_refused_before_it_is_made(tmp_path):
    text = "[[" + "[]," * 5_000_000 + "[]]]"
    (tmp_path / "a.json").write_text(text)
    tracemalloc.start()
    try:
        with pytest.raises(SetupError, match="it holds more than"):
            list(json_items(tmp_path / "a.json", "write it again"))
        # 56 bytes for a list, 8 in the list that holds it: 320 MB in all.
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path):
    item = json.dumps({"text": "x" * 1000, "list": list(range(100))})
    peaks = []
    for count in (4000, 16_000):
        (tmp_path / "a.json").write_text(f"[{', '.join([item] * count)}]")
        tracemalloc.start()
        assert sum(1 for _ in json_items(tmp_path / "a.json", "write it again")) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
