"""Logs of other harnesses through score-file: the bytes that a file of ours gives for the same answers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from helm_structext.cli import main
from support.completions import read_lines, write_lines
from support.harness_logs import (
    ENTRY,
    MODEL,
    document,
    row,
    sample,
    write_eval,
    write_json_log,
    write_separated,
    write_sheet,
)

ANSWERS = ["2", "It is the second:\n2\t\"é\" '中'", "<think>…</think>2", None, "=1+1"]


def rows() -> list[dict]:
    return [
        row(n, "Failed to obtain answer via API." if a is None else a)
        for n, a in enumerate(ANSWERS)
    ]


def write_json_table(path: Path) -> None:
    path.write_text(json.dumps([row(n, answer) for n, answer in enumerate(ANSWERS)], indent=4))


LOGS: dict[str, Callable[[Path], object]] = {
    "log.eval": lambda path: write_eval(path, [sample(n, a) for n, a in enumerate(ANSWERS)]),
    "log.json": lambda path: write_json_log(path, [sample(n, a) for n, a in enumerate(ANSWERS)]),
    "samples_mmr_2026-11-24T10-00-00.000001.jsonl": lambda path: write_lines(
        path,
        [
            document(n, answer or "", **({} if answer is not None else {"resps": [[]]}))
            for n, answer in enumerate(ANSWERS)
        ],
    ),
    "model_MMR.tsv": lambda path: write_separated(path, rows()),
    "model_MMR.csv": lambda path: write_separated(path, rows()),
    "model_MMR.json": write_json_table,
    "model_MMR.xlsx": lambda path: write_sheet(path, rows()),
}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(file: str, *arguments: str) -> int:
    return main(["score-file", file, *arguments])


def ours(folder: Path, reason: str | None) -> bytes:
    """What is written of the same answers in a file of ours."""
    lines = [
        {
            "entry": ENTRY,
            "instance": f"font_color-{number}",
            "completion": answer,
            "model": MODEL,
            "finish_reason": reason if answer is not None else None,
        }
        for number, answer in enumerate(ANSWERS)
    ]
    write_lines(folder / "ours.jsonl", lines)
    assert score("ours.jsonl", "-o", "ours-scores.jsonl") == 0
    return (folder / "ours-scores.jsonl").read_bytes()


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_scored_as_a_file_of_ours_in_shards_and_continued(folder, name):
    LOGS[name](folder / name)
    model = () if name.startswith("log.") else ("--model", MODEL)
    expected = ours(folder, "stop" if name.startswith("log.") else None)
    assert score(name, *model, "-o", "whole.jsonl") == 0
    assert (folder / "whole.jsonl").read_bytes() == expected
    assert [answer["error_kind"] for answer in read_lines(folder / "whole.jsonl")].count(
        "no_completion"
    ) == 1
    (folder / "whole.jsonl").write_bytes(expected[: len(expected) // 2])
    assert score(name, *model, "-o", "whole.jsonl") == 0
    assert (folder / "whole.jsonl").read_bytes() == expected
    for number in (1, 2):
        assert score(name, *model, "--shard", f"{number}/2", "-o", f"{number}.jsonl") == 0
    assert score(name, *model, "--merge", "2.jsonl", "1.jsonl", "-o", "all.jsonl") == 0
    assert (folder / "all.jsonl").read_bytes() == expected


@pytest.mark.parametrize("name", LOGS)
def test_a_run_entry_counts_for_all_of_a_log_whatever_it_says(folder, name):
    LOGS[name](folder / name)
    entry = f"{ENTRY},lenient=pixel"
    assert score(name, "--benchmark", entry, "-o", "scores.jsonl") == 0
    assert {answer["entry"] for answer in read_lines(folder / "scores.jsonl")} == {entry}


@pytest.mark.parametrize("name", LOGS)
def test_what_is_wrong_with_an_answer_is_said_with_its_place(folder, capsys, name):
    LOGS[name](folder / name)
    item = {".eval": "sample", ".jsonl": "line"}.get(Path(name).suffix, "row")
    item = "sample" if name == "log.json" else item
    assert score(name, "--benchmark", "mmr:task=font_size,source=sample", "-o", "no.jsonl") == 2
    assert (
        f"{name}, {item} 1: mmr:task=font_size,source=sample has no instance"
        in capsys.readouterr().err
    )


def test_two_answers_of_a_model_to_an_instance_are_named_as_the_log_counts_them(folder, capsys):
    write_separated(
        folder / "a.tsv", [row(0, instance="font_color-0"), row(1, instance="font_color-0")]
    )
    assert score("a.tsv", "-o", "no.jsonl") == 2
    assert "a.tsv, row 2: row 1 answers instance 'font_color-0'" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "one", "9" * 5000])
def test_an_epoch_is_a_number(folder, capsys, number):
    assert score("a.eval", f"--epoch={number}") == 2
    said = capsys.readouterr().err
    assert f"--epoch: it is '{number[:20]}" in said
    assert "expected a whole number from 1 on" in said
