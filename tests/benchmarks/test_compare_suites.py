"""Two suites compared: run times do not count, everything else does."""

import pytest

from compare_suites import main
from support.suites import suite

RUNS = {"mmr:task=all,model=a": {"1": {"iou": 0.5, "pnls": 1.0}, "2": {"iou": 0.25, "pnls": None}}}


def test_suites_that_differ_in_run_times_alone_are_equal(tmp_path, capsys):
    old, new = suite(tmp_path / "old", RUNS), suite(tmp_path / "new", RUNS, seconds=9.0)
    assert main([old, new]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["iou", "2", "2", "0"],
        ["pnls", "2", "2", "0"],
    ]
    assert lines[3:] == ["1 runs, 2 answers, 4 values: 4 equal, 0 different"]


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        (
            {"2": {"iou": 0.25000000001, "pnls": None}},
            'iou {"split": "test"}: 0.25 → 0.25000000001',
        ),
        ({"2": {"iou": 0.25, "pnls": 0.0}}, 'pnls {"split": "test"}: None → 0.0'),
        ({"2": {"iou": 0.25}}, 'pnls {"split": "test"}: None → absent'),
        ({"2": {"iou": float("nan"), "pnls": None}}, 'iou {"split": "test"}: 0.25 → nan'),
    ],
)
def test_each_difference_is_printed(tmp_path, capsys, changed, shown):
    (run, instances), *_ = RUNS.items()
    old = suite(tmp_path / "old", RUNS)
    assert main([old, suite(tmp_path / "new", {run: {**instances, **changed}})]) == 1
    printed = capsys.readouterr().out
    assert "4 values: 3 equal, 1 different" in printed
    assert f'["2", 0, null] {shown}' in printed


def test_not_a_number_equals_itself(tmp_path):
    runs = {"run": {"1": {"iou": float("nan")}}}
    assert main([suite(tmp_path / "old", runs), suite(tmp_path / "new", runs)]) == 0


def test_runs_that_one_suite_lacks_are_differences(tmp_path, capsys):
    old = suite(tmp_path / "old", RUNS)
    new = suite(tmp_path / "new", {**RUNS, "another run": {"1": {"iou": 1.0}}})
    assert main([old, new]) == main([new, old]) == 1
    assert "absent → 1.0" in capsys.readouterr().out


def test_a_folder_without_runs_is_named(tmp_path):
    with pytest.raises(SystemExit, match="holds no finished run"):
        main([suite(tmp_path / "old", RUNS), str(tmp_path / "absent")])
