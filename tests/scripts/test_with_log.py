"""A command's log goes to a file; runs are shown, and the end of the log if it fails."""

import sys
from pathlib import Path

import with_log

HELM = """\
2026-11-22 10:58:40,212 INFO       2 entries produced 2 run specs
2026-11-22 10:58:40,216 INFO       Running in local mode with base path: prod_env
2026-11-22 10:58:40,231 INFO       Running mmr:task=all,model=structext_oracle {
2026-11-22 10:58:40,300 INFO         Writing 3 characters to stats.json
2026-11-22 10:58:40,531 INFO       } [0.3s]
2026-11-22 10:58:40,600 INFO       Running mmr:task=all,model=structext_blank {
2026-11-22 10:58:41,000 INFO       } [0.4s]
"""


def printing(text: str, status: int = 0) -> list[str]:
    code = f"import sys; print({text!r}, end=''); print('also this', file=sys.stderr)"
    return [sys.executable, "-c", f"{code}; sys.exit({status})"]


def test_each_run_has_one_line_with_its_seconds():
    times = iter([10.0, 12.0, 12.5, 15.25])
    assert "".join(with_log.progress(HELM.splitlines(), times.__next__)).splitlines() == [
        "[1/2] mmr:task=all,model=structext_oracle  2.0 s",
        "[2/2] mmr:task=all,model=structext_blank  2.8 s",
    ]


def test_numbers_of_many_runs_stand_below_each_other():
    log = ["71 entries produced 71 run specs", *["x Running a:b {"] * 10]
    log[0] = f"INFO {log[0]}"
    shown = "".join(with_log.progress(log, lambda: 0.0)).splitlines()
    assert (shown[0], shown[9]) == ("[ 1/71] a:b  0.0 s", "[10/71] a:b  0.0 s")


def test_the_log_is_in_the_file_that_is_named_and_not_shown(tmp_path: Path, capfd):
    log = tmp_path / "helm-run.log"
    assert with_log.main(log, printing(HELM)) == 0
    assert log.read_text() in (HELM + "also this\n", "also this\n" + HELM)
    said = capfd.readouterr()
    first, *runs = said.out.splitlines()
    assert str(log) in first
    assert [run.rpartition("  ")[0] for run in runs] == [
        "[1/2] mmr:task=all,model=structext_oracle",
        "[2/2] mmr:task=all,model=structext_blank",
    ]
    assert said.err == ""


def test_a_failure_shows_the_end_of_the_log_and_has_the_command_s_status(tmp_path: Path, capfd):
    log = tmp_path / "helm-run.log"
    lines = "".join(f"line {number}\n" for number in range(100))
    assert with_log.main(log, printing(lines, status=3)) == 3
    said = capfd.readouterr().err.splitlines()
    assert "line 99" in said
    assert "line 0" not in said
    assert str(log) in said[-1]


def test_output_that_is_no_text_is_kept_as_far_as_it_is(tmp_path: Path):
    code = "import sys; sys.stdout.buffer.write(b'\\xff\\n')"
    assert with_log.main(tmp_path / "log", [sys.executable, "-c", code]) == 0
    assert (tmp_path / "log").read_text(encoding="utf-8") == "\N{REPLACEMENT CHARACTER}\n"
