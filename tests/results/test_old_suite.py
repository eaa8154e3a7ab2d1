"""A suite written before the code moved to today's folders: every command still reads it.

The tables beside it were printed by the code that wrote it.
"""

import csv
import json
import shutil
from collections.abc import Iterator
from itertools import compress
from pathlib import Path
from typing import Any

import pytest

from helm_structext.benchmarks import run_of_entry
from helm_structext.cli import main
from support import GOLDEN

SUITE = GOLDEN / "suite"
OCR = "structext/ocr-judge"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what HELM wrote, in the folder that it ran in."""
    shutil.copytree(SUITE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def runs(folder: Path, suite: str = "demo") -> list[Path]:
    return sorted((folder / "benchmark_output" / "runs" / suite).iterdir())


def change(file: Path, edit: Any) -> None:
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


NEWER = (
    "Missing",
    "ranks",
    "Tied",
    "SE",
    "Detectable",
    "n needed",
    "EMS low",
    "EMS high",
    "tied",
    *(f"{rate} {end}" for rate in ("Win rate", "strict", "ranks") for end in ("low", "high")),
)
"""How headers end of columns that the code which wrote it did not know."""
CLUSTERED = ("95% low", "95% high", "p", "p (Holm)")
"""Columns that say nothing now of MMR's questions here, as all are about one picture."""
OF_TASKS = ("95% low", "95% high")
"""Columns of StructEval that took tasks for a sample, too."""
JUDGE = f" (judge: {OCR})"
"""What that code did not say in the headers of what a judge scored."""


def cells(file: Path) -> list[list[Any]]:
    """The cells of a table, but for columns that are newer than the suite."""

    def cell(text: str) -> Any:
        try:
            return pytest.approx(float(text), abs=2e-6)
        except ValueError:
            return text

    with file.open() as lines:
        header, *rows = csv.reader(lines)
    header = [name.removesuffix(JUDGE) for name in header]
    other = NEWER + CLUSTERED * file.name.startswith("mmr") + OF_TASKS * ("structeval" in file.name)
    known = [not name.endswith(other) for name in header]
    return [list(map(cell, compress(row, known))) for row in (header, *rows)]


def test_it_names_classes_that_are_no_more():
    for run in runs(SUITE):
        path = json.loads((run / "run_spec.json").read_text())["scenario_spec"]["class_name"]
        with pytest.raises(ModuleNotFoundError):
            __import__(path.rpartition(".")[0])


def test_its_tables_have_not_changed(folder, capsys):
    assert main(["tables", "demo", "--all", "--count-baselines", "-o", "out"]) == 0
    expected = {path.name: cells(path) for path in (SUITE / "tables").iterdir()}
    made = {path.name: cells(path) for path in Path("out").glob("*.csv")}
    assert made.pop("summary.csv")
    # What the code that wrote it did not know.
    examples = made.pop(
        "published-structext_ocr-judge-not-comparable-structeval-leaderboard-examples.csv"
    )
    assert [row[1] for row in examples] == ["Rank", "", ""]
    assert [row[-1] for row in examples] == ["n of 2,035", 6, 6]
    assert made.pop("published-averages.csv")
    newer = ("-tasks", "-types", "-difficulty", "-length", "-mistakes", "usage", "usage-runs")
    newer_tables = [name for name in made if name.removesuffix(".csv").endswith(newer)]
    assert len([made.pop(name) for name in newer_tables]) == 5 + 1 + 3 + 3 + 2
    # Its leaderboard is the plain one today; those of StructEval's tables that are made of published scores
    # since are as they are made today.
    assert made == expected
    printed = capsys.readouterr().out
    titles = ("**Leaderboard (Table 2).**", "**MMR (Table 1).**", "NOT COMPARABLE (Table 6).**")
    assert all(title in printed for title in titles)
    # Its runs have the older name of MMR's sentence.
    assert any("system=published" in run.name for run in runs(folder))
    assert "system=scale" in printed
    conditions = [line for line in printed.splitlines() if line.startswith("**MMR")]
    assert not any("system=published" in line for line in conditions)


def test_a_run_entry_with_the_older_name_is_read():
    _, run = run_of_entry("mmr:task=all,source=sample,system=published")
    assert run.arguments.system == "scale"


def test_baselines_stand_below_and_change_nothing_but_win_rates(folder):
    assert main(["tables", "demo", "--all", "-o", "out"]) == 0
    per_model = 0
    for path in (SUITE / "tables").glob("*.csv"):
        if path.stem.endswith("significance"):  # other pairs stand next to each other
            continue
        _, *before = cells(path)
        _, *after = cells(Path("out") / path.name)
        if path.stem == "published-leaderboard":
            assert [row[:3] for row in after] == [
                ["structext/replay-careful", 1, 1],
                ["structext/replay-careless", 0, 0],
                ["structext/blank", "", ""],
            ]
            before, after = ([row[3:] for row in rows] for rows in (before, after))
        elif path.stem.endswith("scores"):
            per_model += 1
            names = [row[0] for row in after]
            assert "structext/blank" not in names[: -names.count("structext/blank") or None]
        if path.stem.endswith(("significant", "pairs")):
            continue
        assert sorted(before, key=str) == sorted(after, key=str)
    assert per_model == 4


def test_runs_are_recognized_by_their_entry_in_whatever_folder_they_lie(folder, capsys):
    for number, run in enumerate(runs(folder)):
        run.rename(run.with_name(f"run{number}"))
    arguments = ["--show", "leaderboard", "--count-baselines", "-o", "out"]
    assert main(["tables", "demo", *arguments]) == 0
    leaderboards = list(Path("out").glob("*leaderboard.csv"))
    assert len(leaderboards) == 3
    for path in leaderboards:
        assert cells(path) == cells(SUITE / "tables" / path.name)


def test_its_metrics_correlate_as_before(folder):
    assert main(["tables", "demo", "--show", "correlations", "-o", "out"]) == 0
    name = "published-correlation.csv"
    assert cells(Path("out") / name) == cells(SUITE / "tables" / name)


def test_its_report_shows_every_answer(folder, capsys):
    assert main(["report", "demo", "--no-plans", "-o", "report.html"]) == 0
    # 3 models on 5 formulas and plots, 2 on 5 questions, 2 on 6 structures.
    assert "report.html: 37 answers" in capsys.readouterr().out
    text = Path("report.html").read_text()
    page = json.loads(text.partition('id="index">')[2].partition("</script>")[0])
    assert [model for model in page["models"] if "replay" in model] == [
        *("structext/replay-careful", "structext/replay-careless")
    ]
    views = {view["name"]: view for view in page["views"]}
    (mmr,) = views["mmr"]["sheets"]
    board = next(item for item in mmr["sections"][0]["items"] if item["kind"] == "board")
    ends = [cell and cell[-1] for cell in board["rows"][0]["cells"]]
    assert ends == ["1 of 1", *[None] * 6, *["1 of 1"] * 5, "6 of 6", None]
    (structeval,) = views["structeval"]["sheets"]
    assert OCR in structeval["label"]
    # Every picture that an answer or a question has is in the file.
    assert text.count('<script type="text/plain" id="p') == len(page["pictures"])


def test_a_judge_agrees_with_another_one(folder, capsys):
    """The second judge is a copy of the first that says yes to every question about one picture."""
    judged: dict[str, int] = {}
    for run in runs(folder):
        if "judge=" not in run.name:
            continue
        copy = run.with_name(run.name.replace("ocr-judge", "second"))
        shutil.copytree(run, copy)

        def rename(spec: dict[str, Any]) -> None:
            (arguments,) = (a["args"] for a in spec["annotators"] if "judge" in a["args"])
            arguments["judge"] = "structext/second"

        def agree(content: dict[str, Any]) -> None:
            for state in content["request_states"]:
                (judge,) = state["annotations"]["judge"]
                if judge["reply"] is None:
                    continue
                verdicts = judge["answers"]
                judged["pairs"] = judged.get("pairs", 0) + len(verdicts)
                if not judged.get("changed"):
                    judged["changed"] = verdicts.count(False)
                    judge["answers"] = [True] * len(verdicts)

        change(copy / "run_spec.json", rename)
        change(copy / "scenario_state.json", agree)
    assert 0 < judged["changed"] < judged["pairs"]
    assert main(["judge-agreement", "demo", "-o", "out"]) == 0
    (file,) = Path("out").glob("*.csv")
    header, everything, *_ = cells(file)
    row = dict(zip(header, everything, strict=True))
    assert row["Pairs"] == judged["pairs"]
    assert row["Accuracy"] == 1 - judged["changed"] / judged["pairs"]


def test_requests_are_exported_once_for_each_instance(folder):
    assert main(["predictions", "export", "demo", "-o", "requests.jsonl"]) == 0
    requests = [json.loads(line) for line in Path("requests.jsonl").read_text().splitlines()]
    assert len({request["key"] for request in requests}) == len(requests) == 5 + 5 + 6
    assert {len(request["images"]) for request in requests} == {0, 1}


def test_a_copy_with_other_scores_is_compared_with_it(folder):
    shutil.copytree(runs(folder)[0].parent, runs(folder)[0].parent.with_name("new"))
    careless = [run for run in runs(folder, "new") if run.name.endswith("careless")]
    better = {"earth_mover_similarity": 0.1, "correct": 0.2, "structeval_score": 0.3}

    def improve(stats: list[dict[str, Any]]) -> None:
        for stat in (stat for entry in stats for stat in entry["stats"]):
            stat["mean"] += better.get(stat["name"]["name"], 0)

    for run in careless:
        change(run / "per_instance_stats.json", improve)
    assert main(["tables", "new", "--against", "demo", "-o", "out"]) == 0
    changes = {}
    for path in Path("out").glob("*-against.csv"):
        header, *rows = cells(path)
        for row in rows:
            values = dict(zip(header, row, strict=True))
            changes[path.name.removesuffix("-against.csv"), row[0]] = values["Change"]
    benchmarks = (
        ("published-latex", 0.1),
        ("mmr-sample", 0.2),
        ("published-structext_ocr-judge-not-comparable-structeval", 30),
    )
    assert changes == {
        ("published-latex", "structext/blank"): 0,
        **{(name, "structext/replay-careful"): 0 for name, _ in benchmarks},
        **{(name, "structext/replay-careless"): change for name, change in benchmarks},
    }


def test_instances_that_are_not_the_same_are_not_compared(folder, capsys):
    shutil.copytree(runs(folder)[0].parent, runs(folder)[0].parent.with_name("new"))
    (run,) = (r for r in runs(folder, "new") if "json" in r.name and "careful" in r.name)

    def ask(content: dict[str, Any]) -> None:
        content["request_states"][0]["instance"]["input"]["text"] += "?"

    change(run / "scenario_state.json", ask)
    assert main(["tables", "new", "--against", "demo", "--models", "*careful"]) == 2
    assert "structeval, text_to_json: 1 with another content (000500)" in capsys.readouterr().err


def test_it_holds_no_runs_of_helm_s_own_to_score_again(folder, capsys):
    assert main(["rescore", "benchmark_output/runs/demo"]) == 2
    assert "holds no runs of image2latex, image2webpage, image2musicsheet" in (
        capsys.readouterr().err
    )


def test_structevals_own_files_are_written_and_read_back(folder, capsys):
    """As an evaluation and as scores alone; both give the suite's own numbers."""
    assert main(["export-structeval", "demo", "-o", "files"]) == 0
    capsys.readouterr()
    careful, careless = sorted(Path("files").glob("*.json"))
    rows = json.loads(careful.read_text())
    assert [row["task_name"] for row in rows] == [
        *("Text to JSON", "Text to JSON", "Text to React", "Text to React"),
        *("Convert Matplotlib to TikZ", "Convert Matplotlib to TikZ"),
    ]
    for file in (careful, Path("files/artifacts") / careful.name):
        assert main(["tables", "demo", "--against", str(file), "-o", "out"]) == 0
        (table,) = Path("out").glob("*against.csv")
        by_model = {row[0]: row for row in cells(table)[1:]}
        change = cells(table)[0].index("Change")
        # Its own scores, but for the two decimals of a file.
        assert by_model["structext/replay-careful"][change] == pytest.approx(0, abs=0.5)
        assert by_model["structext/replay-careless"][change] == pytest.approx(-65.2, abs=0.1)
    assert main(["judge-agreement", "demo", "--published", str(careful)]) == 0
    assert "| all    |" in (said := capsys.readouterr().out)
    assert "1.000" in said
    assert main(["judge-agreement", "demo", "--published", str(careless)]) == 0
    Path("texts.json").write_text(json.dumps(rows[:2]))  # Pictures would need their engines.
    assert main(["rescore", "texts.json"]) == 0
    (line,) = (
        row for row in capsys.readouterr().out.splitlines() if row.startswith("| T generation")
    )
    found = [cell.strip() for cell in line.strip("|").split("|")]
    assert found[2] == found[3] == "100.00"
    artifact = Path("files/artifacts") / careful.name
    assert main(["rescore", str(artifact)]) == 0
    stated, ours = capsys.readouterr().out.splitlines()[-2:]
    assert stated.split("|")[2:10] == ours.split("|")[2:10]
