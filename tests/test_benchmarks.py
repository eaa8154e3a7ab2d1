"""A fourth benchmark is a package and one row: here is a tiny one."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from helm_structext import benchmarks
from helm_structext.benchmarks import BENCHMARKS, Benchmark
from helm_structext.cli import main
from helm_structext.results.result_sets import ResultSet, Selection, drop_repeated
from helm_structext.results.runs import InstanceResult, Run
from helm_structext.results.tabular import Table, for_each, model_table


class SpellingResultSet(ResultSet[InstanceResult]):
    MEASURES: ClassVar = {"Spelled": "spelled"}
    entry = "spelling"
    label = "Spelling"

    def content(self, answer: InstanceResult) -> str:
        return answer.instance


def read_run(run: Run) -> Iterator[InstanceResult]:
    return run.results(
        lambda _, fields: InstanceResult(**fields, conditions={"protocol": "published"})
    )


def result_sets(
    results: Iterable[InstanceResult], selection: Selection
) -> Sequence[SpellingResultSet]:
    answers = drop_repeated(selection.of(results), lambda result: result.completion)
    return [
        SpellingResultSet(
            conditions=(("protocol", "published"),),
            models=sorted({model for model, _ in answers}),
            instances=sorted({key for _, key in answers}),
            answers=answers,
        )
    ]


def leaderboard(result_set: SpellingResultSet) -> Iterator[Table]:
    means = {"Spelled": result_set.means("spelled").tolist()}
    name = f"{result_set.name}-leaderboard"
    yield model_table(name, "Spelling bee", "", result_set.models, means)


SPELLING = Benchmark(
    name="spelling",
    title="Spelling",
    entries=("spelling",),
    result=InstanceResult,
    read_run=read_run,
    result_sets=result_sets,
    sections={"leaderboard": for_each(leaderboard)},
)


def write_run(suite: Path, model: str, scores: Sequence[float]) -> None:
    run = suite / f"spelling:model={model}"
    run.mkdir(parents=True)
    states = [
        {
            "instance": {"id": str(number)},
            "result": {"success": True, "completions": [{"text": "a word"}]},
        }
        for number in range(len(scores))
    ]
    stats = [
        {
            "instance_id": str(number),
            "stats": [{"name": {"name": "spelled"}, "count": 1, "mean": score}],
        }
        for number, score in enumerate(scores)
    ]
    spec = {
        "name": f"spelling:model={model}",
        "scenario_spec": {"args": {}},
        "adapter_spec": {"model": model},
    }
    for name, content in (
        ("run_spec", spec),
        ("scenario_state", {"request_states": states}),
        ("per_instance_stats", stats),
    ):
        (run / f"{name}.json").write_text(json.dumps(content))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", (*BENCHMARKS, SPELLING))
    for suite, scores in (("old", [0.0, 1.0]), ("new", [1.0, 1.0])):
        write_run(tmp_path / "benchmark_output" / "runs" / suite, "x", scores)
    return tmp_path


def test_a_row_in_the_table_gives_a_benchmark_its_tables(folder, capsys):
    assert main(["tables", "old", "-o", "out"]) == 0
    printed = capsys.readouterr().out
    assert "| Model |     Spelling |" in printed
    assert "**Spelling bee.**" not in printed
    assert Path("out/spelling-published-leaderboard.csv").read_text() == "Model,Spelled\nx,0.5\n"


def test_and_compares_its_suites(folder, capsys):
    assert main(["tables", "new", "--against", "old"]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| x")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:5] == ["x", "2", "0.500", "1.000", "+0.500"]


def test_and_a_report_that_has_its_leaderboard_and_its_answers(folder, capsys):
    assert main(["report", "old"]) == 0
    assert "report.html: 2 answers" in capsys.readouterr().out
    assert "Spelled: Spelling 2 instances (protocol=published)" in Path("report.html").read_text()


def test_without_the_row_its_runs_are_of_nobody(folder, capsys, monkeypatch):
    monkeypatch.setattr(benchmarks, "BENCHMARKS", BENCHMARKS)
    assert main(["tables", "old"]) == 2
    assert "holds no finished runs" in capsys.readouterr().err


def test_run_entries_and_names_belong_to_one_benchmark():
    entries = [entry for benchmark in BENCHMARKS for entry in benchmark.entries]
    names = [benchmark.name for benchmark in BENCHMARKS]
    assert len(set(entries)) == len(entries)
    assert names == ["image2struct", "mmr", "structeval"]
