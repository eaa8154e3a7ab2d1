"""Commands for people's analyses: a sample's report with categories, and what tables make of the labels."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.results.spreadsheets import csv_text
from support.image2struct_answers import result, write_suite

HEADER = ("answer", "model", "run", "categories", "annotator", "note")


@pytest.fixture
def suite(tmp_path, monkeypatch) -> Path:
    """Two models' answers to five instances."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    names = "abcde"
    write_suite(tmp_path, [result(m, name, 0.7) for m in ("x/good", "x/bad") for name in names])
    (tmp_path / "pictures").mkdir()
    for number, name in enumerate([*names, "{}"]):
        Image.new("RGB", (40, 30), (number, 0, 0)).save(tmp_path / "pictures" / f"{name}.png")
    Path("list.txt").write_text("n missing newline\nl layout\n")
    return tmp_path


def index_of(path: Path) -> dict:
    return json.loads(re.findall(r'id="index">(.*?)</script>', path.read_text("utf-8"))[0])


def test_a_report_of_a_sample_has_the_categories(suite, capsys):
    command = ["report", "s", "--no-plans", "--sample", "2", "--seed", "3"]
    assert main([*command, "--categories", "list.txt"]) == 0
    assert "report.html: 4 answers" in capsys.readouterr().out
    index = index_of(Path("report.html"))
    assert index["sample"] == {"number": 2, "seed": 3, "shown": 4, "of": 10}
    assert index["categories"]["names"] == {"n": "missing newline", "l": "layout"}
    (view,) = index["views"]
    assert len(view["instances"]["id"]) == 2  # the same for both models
    Path("report.html").rename("first.html")
    assert main([*command, "--categories", "list.txt"]) == 0
    assert Path("report.html").read_bytes() == Path("first.html").read_bytes()
    assert main(["report", "s", "--no-plans", "--sample", "2", "--seed", "3", "-o", "out/"]) == 0
    assert "categories" not in index_of(Path("out/index.html"))


def test_labels_are_tallied_and_written(suite, capsys):
    runs = sorted(path.name for path in (suite / "benchmark_output/runs/s").iterdir())
    bad, good = runs
    rows = [
        ("a", "x/good", good, "layout", "ann", ""),
        ("b", "x/good", good, "", "ann", "fine"),
        ("a", "x/bad", bad, "layout; =cmd()", "ann", ""),
        ("zz", "x/bad", bad, "layout", "ann", ""),
    ]
    Path("ann.csv").write_text(csv_text([HEADER, *rows]))
    data = {"answer": "a", "model": "x/good", "run": good}
    choice = {"type": "choices", "value": {"choices": ["missing newline"]}}
    tasks = [{"data": data, "annotations": [{"completed_by": 2, "result": [choice]}]}]
    Path("studio.json").write_text(json.dumps(tasks))
    command = ["tables", "s", "--show", "categories", "--categories", "ann.csv", "studio.json"]
    assert main([*command, "-o", "out"]) == 0
    said = capsys.readouterr().out
    assert "1 labels are of answers that are not shown and do not count: zz of run" in " ".join(
        said.split()
    )
    assert "**Agreement of annotators.** Of 2 annotators." in said
    table = Path("out/categories.csv").read_text().splitlines()
    assert table[0] == "Model,Of,Category,Chosen,Looked at,Share,95% low,95% high"
    assert any(line.startswith("x/good,") and ",layout,0.5,2,0.25," in line for line in table)
    assert any(",'=cmd(),1,1," in line for line in table)
    assert Path("out/categories-parts.tex").exists()
    # The suite may stand behind the files, and a summary beside the tally.
    assert main(["tables", "--categories", "ann.csv", "s"]) == 0
    said = capsys.readouterr().out
    assert "**Categories.**" in said
    assert "Win rate" in said or "EMS" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tables", "s", "--show", "categories"], "--show categories needs --categories FILE"),
        (["tables", "s", "--categories", "absent.csv"], "absent.csv can't be read"),
        (["tables", "s", "--categories", "list.txt"], "no column answer, model, run, categories"),
        (["tables", "s", "--against", "s", "--categories", "x.csv"], "shows what changed"),
        (["report", "s", "--categories", "absent.txt"], "absent.txt can't be read"),
        (["report", "s", "--sample", "0"], "expected a whole number from 1 on"),
        (["report", "s", "--sample", "1", "--seed", "x"], "expected a whole number from 0 on"),
        (["judge-agreement", "s", "--sample", "3"], "holds no finished runs of StructEval"),
    ],
)
def test_wrong_options_are_told(arguments, said, suite, capsys):
    assert main(arguments) == 2
    assert said in " ".join(capsys.readouterr().err.split())
