"""Suites say under which passports they were scored, and two suites where theirs differ."""

import json

import pytest

from helm_structext.cli import main
from helm_structext.passport import Passport
from helm_structext.results.passports import (
    FILE,
    SAME,
    machine_tables,
    passport_tables,
    read_passports,
    suite_line,
    write_passport,
)

ONE = Passport({"numpy": "2.4", "fonts": "12 files"})
OTHER = Passport({"numpy": "2.5", "fonts": "12 files"})


def suite_of(folder, *passports):
    for number, passport in enumerate(passports):
        run = folder / f"run{number}"
        run.mkdir(parents=True)
        (run / "per_instance_stats.json").write_text("[]")
        if passport is not None:
            text = passport if isinstance(passport, str) else json.dumps(passport.document())
            (run / FILE).write_text(text)
    return folder


def test_a_suite_of_one_machine_has_one_passport(tmp_path):
    suite = suite_of(tmp_path / "s", ONE, ONE.having(protocol="corrected"))
    assert suite_line(suite) == f"Passport {ONE.hash}."
    (table,) = passport_tables(suite)
    assert ["numpy", "2.4", 2] in table.rows
    assert ["protocol", "corrected", 1] in table.rows


def test_runs_of_several_machines_are_not_ranked_without_saying_so(tmp_path):
    line = suite_line(suite_of(tmp_path / "s", ONE, OTHER, None, "no JSON"))
    assert "differ in: numpy. What is ranked here may differ for that alone." in line
    assert "2 runs have no passport" in line


def test_a_suite_without_passports_says_nothing(tmp_path):
    suite = suite_of(tmp_path / "s", None, "[]")
    assert suite_line(suite) == ""
    assert [*passport_tables(suite)] == []
    assert read_passports(suite) == {"run0": None, "run1": None}


@pytest.mark.parametrize(
    ("new", "rows", "said"),
    [
        ([ONE], [], SAME),
        ([OTHER, ONE], [["numpy", "2.4", "2.5 or 2.4"]], "may come from these"),
        ([OTHER], [["numpy", "2.4", "2.5"]], "may come from these"),
        ([None], [], "t has no passport"),
    ],
    ids=["same", "some", "other", "none"],
)
def test_a_comparison_says_what_comes_from_the_machine(tmp_path, new, rows, said):
    old = suite_of(tmp_path / "s", ONE)
    (table,) = machine_tables(old, suite_of(tmp_path / "t", *new))
    assert table.rows == rows
    assert said in table.note


def test_a_run_s_passport_has_its_protocol_and_its_judge(tmp_path):
    write_passport(tmp_path, {"protocol": "published", "judge": "me/judge", "task": "x"})
    parts = json.loads((tmp_path / FILE).read_text())["parts"]
    assert (parts["protocol"], parts["judge"]) == ("published", "me/judge")
    assert "task" not in parts


def test_the_command_shows_the_passports_of_a_suite(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    suite_of(tmp_path / "benchmark_output" / "runs" / "s", ONE)
    suite_of(tmp_path / "benchmark_output" / "runs" / "t", None)
    assert main(["passport", "s"]) == 0
    assert "12 files" in capsys.readouterr().out
    assert main(["passport", "s", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run0"]["passport"] == ONE.hash
    assert main(["passport", "t"]) == 2
    assert "helm-run writes one" in capsys.readouterr().err
