"""Columns of finished runs: the same answers as in HELM's files, and noticed when these change."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helm_structext.benchmarks import BENCHMARKS, Benchmark
from helm_structext.errors import SetupError
from helm_structext.processes import run_in_process
from helm_structext.results.runs import InstanceResult, Run
from helm_structext.scoring.handling import INTERNAL_ERROR
from support import GOLDEN
from support.caches import kept_kinds

SUITE = Path("benchmark_output/runs/demo")


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of all benchmarks, in the folder that HELM ran in, and an empty cache."""
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "here"
    shutil.copytree(GOLDEN / "suite" / SUITE, folder / SUITE)
    monkeypatch.chdir(folder)
    return SUITE


def columns(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "runs").glob("*/*.arrow"))


class Counted:
    """A benchmark whose reading of HELM's files is counted."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.runs: list[str] = []
        self.benchmark = replace(benchmark, read_run=self.read_run)
        self.read = benchmark.read_run

    def read_run(self, run: Run) -> Iterator[InstanceResult]:
        self.runs.append(run.name)
        return self.read(run)


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_columns_give_the_answers_that_helms_files_gave(suite, benchmark, tmp_path):
    counted = Counted(benchmark)
    first = counted.benchmark.read(suite)
    assert first
    assert len(counted.runs) == len(columns(tmp_path)) == len({result.run for result in first})
    assert kept_kinds() == {"runs": len(counted.runs)}
    again = counted.benchmark.read(suite)
    assert len(counted.runs) == len(columns(tmp_path))
    assert again == first
    for before, after in zip(first, again, strict=True):
        assert after.refused == before.refused
        assert list(after.scores) == [name for name in after.scores if name in before.scores]
        for name, value in vars(before).items():
            assert type(getattr(after, name)) is type(value), name


@pytest.mark.parametrize(
    "file", ["run_spec.json", "scenario_state.json", "per_instance_stats.json"]
)
def test_another_content_is_read_anew(suite, file):
    counted = Counted(BENCHMARKS[0])
    counted.benchmark.read(suite)
    (run, *_) = sorted(suite.glob("image2struct*"))
    text = (run / file).read_text()
    (run / file).write_text(f"{text}\n")
    counted.runs.clear()
    counted.benchmark.read(suite)
    assert counted.runs == [run.name]
    (run / file).write_text(text)
    counted.benchmark.read(suite)
    assert counted.runs == [run.name]


def test_a_suite_that_was_moved_has_its_pictures_where_it_is(suite, tmp_path, monkeypatch):
    counted = Counted(BENCHMARKS[0])
    before = counted.benchmark.read(suite)
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    counted.runs.clear()
    after = counted.benchmark.read(suite)
    assert not counted.runs
    assert [result.picture for result in after] == [
        tmp_path / "there" / result.picture.relative_to(tmp_path / "here") for result in before
    ]


def test_damaged_columns_are_made_anew(suite, tmp_path):
    counted = Counted(BENCHMARKS[1])
    first = counted.benchmark.read(suite)
    for file in columns(tmp_path):
        file.write_bytes(file.read_bytes()[:-9])
    assert counted.benchmark.read(suite) == first
    assert len(counted.runs) == 2 * len(columns(tmp_path))
    assert counted.benchmark.read(suite) == first
    assert len(counted.runs) == 2 * len(columns(tmp_path))


def test_what_we_could_not_handle_is_not_kept(suite, tmp_path, monkeypatch):
    def fail(self: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("helm_structext.mmr.results.MMRResult.interpret", fail)
    results = BENCHMARKS[1].read(suite)
    assert all(result.scores == {INTERNAL_ERROR: 1.0} for result in results)
    assert columns(tmp_path) == []


def test_answers_without_any_score_are_kept(suite):
    for run in suite.glob("mmr*"):
        file = run / "per_instance_stats.json"
        entries = json.loads(file.read_text())
        file.write_text(json.dumps([{**entry, "stats": []} for entry in entries]))
    first = BENCHMARKS[1].read(suite)
    assert {tuple(result.scores) for result in first} == {()}
    assert BENCHMARKS[1].read(suite) == first


ODD = "half an emoji \ud83d, another \udc80, \x00 \u2028 \U0001f600"


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_any_text_of_json_survives(suite, benchmark, tmp_path):
    """A completion that was cut within an emoji, for example: JSON can hold half of one."""

    def odd(value: Any) -> Any:
        if isinstance(value, list):
            return [odd(item) for item in value]
        if isinstance(value, dict):
            changed = {
                key: f"{item}{ODD}" if key in ("text", "error", "prompt") else odd(item)
                for key, item in value.items()
            }
            kept = {key: value[key] for key in ("references",) if key in value}
            return {**changed, **kept}
        return value

    for file in suite.glob("*/scenario_state.json"):
        file.write_text(json.dumps(odd(json.loads(file.read_text()))))
    for file in suite.glob("*/per_instance_stats.json"):
        entries = json.loads(file.read_text())
        entries[0]["stats"].append({"name": {"name": f'"{ODD}'}, "count": 1, "mean": 0.25})
        file.write_text(json.dumps(entries))
    first = benchmark.read(suite)
    assert any(ODD in result.completion for result in first)
    assert any(f'"{ODD}' in result.scores for result in first)
    counted = Counted(benchmark)
    assert counted.benchmark.read(suite) == first
    assert not counted.runs


@pytest.mark.parametrize("seconds", ["soon", [1], 10**400], ids=["text", "list", "huge"])
def test_what_no_column_holds_is_no_run_of_helms(suite, seconds):
    (first, *_) = sorted(suite.glob("mmr*"))
    file = first / "scenario_state.json"
    content = json.loads(file.read_text())
    content["request_states"][0]["result"]["request_time"] = seconds
    file.write_text(json.dumps(content))
    with pytest.raises(SetupError, match="holds no run as HELM writes it") as found:
        BENCHMARKS[1].read(suite)
    assert first.name in str(found.value)


def test_what_is_large_is_read_in_processes_of_its_own(suite, tmp_path, monkeypatch):
    def counted(*arguments: Any) -> Any:
        asked.append(arguments)
        return run_in_process(*arguments)

    asked: list[Any] = []
    here = BENCHMARKS[2].read(suite)
    runs = len(columns(tmp_path))
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "another"))
    monkeypatch.setattr("helm_structext.results.columns.LARGE", 0)
    monkeypatch.setattr("helm_structext.results.columns.run_in_process", counted)
    assert BENCHMARKS[2].read(suite) == here
    assert len(asked) == runs
    assert BENCHMARKS[2].read(suite) == here
    assert len(asked) == runs
