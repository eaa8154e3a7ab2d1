"""Logs of Inspect: every way in which they are compressed, cut off, damaged or hostile."""

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from helm_structext.completions import inspect_logs
from helm_structext.completions.logs import log_format
from helm_structext.completions.predictions import Prediction, RequestPlace
from helm_structext.errors import SetupError
from helm_structext.results import json_items
from support.harness_logs import (
    ENTRY,
    MODEL,
    header,
    members,
    sample,
    write_archive,
    write_eval,
    write_json_log,
)

WRITERS = {".eval": write_eval, ".json": write_json_log}


def read(path: Path, entry: str | None = None, epoch: int | None = None) -> list[Prediction]:
    return list(log_format(path).read(path, entry, epoch))


@pytest.fixture(params=WRITERS)
def write(request, tmp_path):
    """Writes a log in each form, and returns its path."""
    return lambda *log: WRITERS[request.param](tmp_path / f"log{request.param}", *log)


def test_a_sample_has_what_a_line_of_ours_has(write):
    cut = sample(1, "It is")
    cut["output"]["choices"][0]["stop_reason"] = "max_tokens"
    assert read(write([sample(0), cut])) == [
        Prediction(1, (RequestPlace("", ENTRY, "font_color-0"),), "2", MODEL, "stop"),
        Prediction(2, (RequestPlace("", ENTRY, "font_color-1"),), "It is", MODEL, "length"),
    ]


@pytest.mark.parametrize("method", [0, 8, 93])
def test_every_compression_gives_the_same(tmp_path, method):
    samples = [sample(number, "é" * 10_000) for number in range(3)]
    path = write_archive(tmp_path / "a.eval", members(samples), method)
    assert [one.completion for one in read(path)] == ["é" * 10_000] * 3


def test_a_log_is_known_by_its_content_whatever_its_name(tmp_path):
    assert read(write_eval(tmp_path / "a", [sample(0)])) == read(
        write_json_log(tmp_path / "b.txt", [sample(0)])
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("2", "2"),
        ([{"type": "reasoning", "reasoning": "…"}, {"type": "text", "text": "2"}], "2"),
        (
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 7, {"type": "text"}],
            "a\nb",
        ),
        ("", ""),
        (None, None),
    ],
)
def test_an_older_log_has_the_completion_in_its_message(write, content, text):
    choice = {"message": {"role": "assistant", "content": content}, "stop_reason": "stop"}
    (one,) = read(write([sample(0, output={"model": "model", "choices": [choice]})]))
    assert one.completion == text


def test_numbers_may_be_ids(write):
    (one,) = read(write([sample(0, id=500)]))
    assert one.places[0].instance == "500"


def test_a_sample_that_failed_has_no_completion_and_one_that_failed_later_keeps_it(write):
    error = {"message": "no answer", "traceback": ""}
    answers = [sample(0, None, error=error), sample(1, "2", error=error), sample(2, "")]
    assert [one.completion for one in read(write(answers))] == [None, "2", ""]


def test_a_sample_that_was_declared_invalid_has_no_completion(write):
    (one,) = read(write([sample(0, invalidation={"author": "me", "reason": "a wrong key"})]))
    assert one.completion is None


def test_several_epochs_are_refused_until_one_is_named(write):
    path = write([sample(n, f"{n} of {e}", epoch=e) for e in (1, 2) for n in (0, 1)])
    with pytest.raises(SetupError, match=r"sample 3: .* several times \(epoch 2\).* by --epoch"):
        read(path)
    assert [(one.line, one.completion) for one in read(path, epoch=2)] == [
        (1, "0 of 2"),
        (2, "1 of 2"),
    ]
    with pytest.raises(SetupError, match="holds no samples of epoch 3"):
        read(path, epoch=3)


def test_samples_that_are_cut_into_parts_are_read(tmp_path):
    files = members([sample(0)])
    whole = json.loads(files.pop("samples/font_color-0_epoch_1.json"))
    folder = "samples/font_color-0_epoch_1"
    parts = {"sample.json": whole, "metadata.json": whole.pop("metadata"), "events/0.json": []}
    files |= {f"{folder}/{name}": json.dumps(part).encode() for name, part in parts.items()}
    (one,) = read(write_archive(tmp_path / "a.eval", files))
    assert (one.completion, one.places[0]) == ("2", RequestPlace("", ENTRY, "font_color-0"))


def test_a_log_without_run_entries_asks_for_one(write):
    path = write([sample(0, metadata={})])
    with pytest.raises(
        SetupError, match=r"sample 1: it names no run entry; name one by --benchmark"
    ):
        read(path)
    assert read(path, ENTRY)[0].places[0].entry == ENTRY


def test_a_log_without_samples_says_why(write):
    with pytest.raises(SetupError, match=r"holds no samples: .* --no-log-samples"):
        read(write([]))


def test_samples_that_are_lacking_are_counted_once(write, caplog):
    path = write([sample(0)], header([sample(0), sample(1), sample(2)], status="error"))
    with caplog.at_level(logging.WARNING):
        assert len(read(path)) == len(read(path)) == 1
    (said,) = [record.getMessage() for record in caplog.records]
    assert said == f"{path} holds 1 of 3 samples; the others have no scores"


# Cut off


def test_an_archive_that_inspect_did_not_finish_is_refused(tmp_path):
    files = members([sample(0)])
    del files["header.json"], files["summaries.json"]
    with pytest.raises(
        SetupError, match=r"is unfinished: .*inspect log recover.*inspect eval-retry"
    ):
        read(write_archive(tmp_path / "a.eval", files))


def test_a_json_log_that_inspect_did_not_finish_is_refused(tmp_path):
    path = write_json_log(tmp_path / "a.json", [sample(0)], header([sample(0)], status="started"))
    with pytest.raises(SetupError, match="is unfinished"):
        read(path)


def test_a_log_that_is_cut_off_anywhere_is_refused(write):
    path = write([sample(0), sample(1)])
    whole = path.read_bytes()
    for length in range(1, len(whole) - 2, max(1, len(whole) // 100)):
        path.write_bytes(whole[:length])
        with pytest.raises(SetupError):
            read(path, ENTRY)


def test_a_damaged_archive_gives_what_it_had_or_an_error(tmp_path):
    path = write_eval(tmp_path / "a.eval", [sample(0), sample(1)])
    whole = path.read_bytes()
    chance = random.Random(1)
    refused = 0
    for _ in range(400):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            assert {one.completion for one in read(path)} == {"2"}
        except SetupError:
            refused += 1
    assert 200 < refused < 400


# Hostile


@pytest.mark.parametrize("method", [8, 93])
def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch, method):
    monkeypatch.setattr(inspect_logs, "MAX_LINE", 100_000)
    path = write_archive(
        tmp_path / "a.eval", members([sample(0), sample(1, " " * 10_000_000)]), method
    )
    assert path.stat().st_size < 100_000
    with pytest.raises(SetupError, match=r"font_color-1.* it has more than 100,000 bytes"):
        read(path)


def test_a_huge_sample_of_a_json_log_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(json_items, "MAX_ITEM", 100_000)
    path = write_json_log(tmp_path / "a.json", [sample(0), sample(1, " " * 5_000_000)])
    with pytest.raises(SetupError, match="a part of it is far too large"):
        read(path)


@pytest.mark.parametrize("method", [12, 14, 99])
def test_a_compression_that_inspect_does_not_use_is_refused(tmp_path, method):
    path = write_archive(tmp_path / "a.eval", members([sample(0)]), 0)
    raw = bytearray(path.read_bytes())
    for start in (place for place in range(len(raw)) if raw[place : place + 4] == b"PK\1\2"):
        raw[start + 10] = method
    path.write_bytes(raw)
    with pytest.raises(SetupError, match=f"compressed by method {method}"):
        read(path)


def test_a_password_is_not_asked_for(tmp_path):
    path = write_archive(tmp_path / "a.eval", members([sample(0)]), 8)
    raw = path.read_bytes().replace(b"PK\1\2\x14\x03\x14\x00\x00", b"PK\1\2\x14\x03\x14\x00\x01")
    path.write_bytes(raw)
    with pytest.raises(SetupError, match="is encrypted"):
        read(path)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("samples/../../outside_epoch_1.json", b"{}"),
        ("samples//etc/passwd_epoch_1.json", b"[1]"),
        ("samples/a_epoch_1.json", b"[" * 100_000),
        ("samples/a_epoch_1.json", b"9" * 5000),
        ("samples/a_epoch_1.json", b"\xff"),
        ("header.json", b"null"),
    ],
)
def test_a_hostile_file_in_an_archive_is_refused(tmp_path, name, data):
    path = write_archive(tmp_path / "a.eval", {**members([sample(0)]), name: data})
    with pytest.raises(SetupError, match=r"a\.eval"):
        read(path)
    assert [file.name for file in tmp_path.rglob("*")] == ["a.eval"]


def changed(change: dict[str, Any]) -> dict[str, Any]:
    return {**sample(0), **change}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (changed({"id": None}), "it has no 'id'"),
        (changed({"id": ["a"]}), "it has no 'id'"),
        (changed({"output": None}), "it is no sample with an 'output'"),
        (
            changed({"output": {"completion": 7, "choices": [{}]}}),
            "its 'completion' is not a string",
        ),
        (
            changed({"output": {"completion": "2", "choices": [{"stop_reason": 7}]}}),
            "its 'stop_reason'",
        ),
        (changed({"metadata": {"entry": 7}}), "it names no run entry"),
        (changed({"metadata": ["entry"]}), "it names no run entry"),
        (changed({"epoch": "two"}), "was answered several times"),
        (["font_color-0"], "it is no sample"),
    ],
)
def test_a_sample_that_is_wrong_is_named(tmp_path, wrong, said):
    path = write_json_log(tmp_path / "a.json", [sample(1)])
    log = json.loads(path.read_text())
    path.write_text(json.dumps({**log, "samples": [sample(1), wrong]}))
    with pytest.raises(SetupError, match=rf"a\.json, sample 2: .*{said}"):
        read(path)


@pytest.mark.parametrize("choices", [7, "x", [7], {"a": 1}])
def test_choices_of_any_type_stop_nothing(tmp_path, choices):
    wrong = sample(0, output={"completion": "2", "choices": choices})
    (one,) = read(write_json_log(tmp_path / "a.json", [wrong]))
    assert (one.completion, one.finish_reason) == ("2", None)


@pytest.mark.parametrize("evaluation", [None, 7, [], {"model": 7}, {"dataset": 7}])
def test_a_header_of_any_type_is_no_traceback(tmp_path, evaluation):
    head = header([sample(0)], eval=evaluation)
    path = write_json_log(tmp_path / "a.json", [sample(0)], head)
    if evaluation == {"model": 7}:
        with pytest.raises(SetupError, match="its 'model' is not a string"):
            read(path)
    else:
        assert read(path)[0].model is None
