"""Suites say under which passports they were scored, and two suites where theirs differ."""

import json

import pytest

from helm_structext.cli import main
from helm_structext.passport import Passport
from helm_structext.results.passports import (
    BESIDE,
    FILE,
    SAME,
    join_run_passports,
    machine_tables,
    passport_tables,
    read_beside,
    read_passports,
    read_run_passport,
    scores_line,
    stamp_lines,
    suite_line,
    write_passport,
)
from helm_structext.results.resuming import whole_lines

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
        ([OTHER, ONE], [["numpy", "scores", "2.4", "2.5 or 2.4"]], "may come from these"),
        ([OTHER], [["numpy", "scores", "2.4", "2.5"]], "may come from these"),
        ([None], [], "t has no passport"),
    ],
    ids=["same", "some", "other", "none"],
)
def test_a_comparison_says_what_comes_from_the_machine(tmp_path, new, rows, said):
    old = suite_of(tmp_path / "s", ONE)
    (table,) = machine_tables(old, suite_of(tmp_path / "t", *new))
    assert table.rows == rows
    assert said in table.note


def test_a_comparison_says_which_runs_a_machine_can_have_changed(tmp_path):
    old = suite_of(tmp_path / "s", ONE, ONE.having(protocol="corrected"), ONE)
    (table,) = machine_tables(old, suite_of(tmp_path / "t", OTHER, ONE))
    assert "1 of 2 runs that both have are of the same passport" in table.note
    assert table.note.endswith("In run0 it may.")
    (table,) = machine_tables(old, suite_of(tmp_path / "u", None, OTHER))
    assert table.note.endswith("in run0, run1 what changed may come from the machine."), (
        "of a run without a passport nothing is known"
    )


def test_a_run_of_parts_has_a_passport_of_all_places_where_they_were_scored(tmp_path):
    places = suite_of(tmp_path / "s", ONE, ONE, OTHER, None)
    merged, same, other, none = sorted(places.iterdir())
    join_run_passports(merged, [same, same])
    assert read_run_passport(merged) == ONE
    join_run_passports(merged, [same, other])
    found = read_run_passport(merged)
    assert found.parts == {"numpy": "2.4 or 2.5", "fonts": "12 files"}
    assert found.hash not in {ONE.hash, OTHER.hash}
    join_run_passports(merged, [same, none])
    assert read_run_passport(merged) is None, "what is not known of a part is not known of the run"


def test_lines_carry_the_hash_of_the_passport_that_stands_beside_them(tmp_path, monkeypatch):
    scores = tmp_path / "scores.jsonl"
    for passport in (ONE, ONE, OTHER):
        monkeypatch.setattr("helm_structext.results.passports.make_passport", lambda p=passport: p)
        with scores.open("ab") as file:
            file.writelines(stamp_lines(scores, [{"key": "k"}]))
    assert [fields["passport"] for _, _, fields in whole_lines(scores)] == [
        ONE.hash,
        ONE.hash,
        OTHER.hash,
    ]
    assert read_beside(scores) == {ONE.hash: ONE, OTHER.hash: OTHER}
    line = scores_line(scores)
    assert f"{ONE.hash} (2 answers)" in line
    assert "differ in: numpy." in line
    alone = tmp_path / "elsewhere.jsonl"
    alone.write_bytes(scores.read_bytes() + b'{"key": "k", "passport": 3}\n{"key": "k"}\n')
    assert "differ in: parts that are not known" in scores_line(alone)
    assert "2 answers have no passport." in scores_line(alone)


def test_who_scores_nothing_writes_no_passport(tmp_path):
    scores = tmp_path / "scores.jsonl"
    scores.write_bytes(b'{"key": "k"}\n')
    assert [*stamp_lines(scores, [])] == []
    assert scores_line(scores) == ""
    assert [*tmp_path.iterdir()] == [scores]


def test_what_stands_beside_scores_is_read_without_trust(tmp_path):
    scores = tmp_path / "scores.jsonl"
    for text in ("", "[3]", "{}", '[{"parts": {"numpy": 3}}]'):
        (tmp_path / f"scores.jsonl{BESIDE}").write_text(text)
        assert read_beside(scores) == {}


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
