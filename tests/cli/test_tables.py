"""`tables`, as a user calls it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helm_structext.cli import main
from support import GOLDEN
from support.image2struct_answers import scored, write_suite


def test_tables_prints_one_screen_and_writes_everything(dated_suite, capsys):
    assert main(["tables", "s", "-o", "out"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("**Summary.** EMS: LaTeX 3 instances (protocol=published).")
    assert printed.count("| x/good ") == 1
    assert "helm-structext tables s --all" in printed
    assert len(printed.splitlines()) < 24
    assert Path("out/summary.csv").exists()
    assert Path("out/published-latex-scores.csv").exists()


def test_tables_prints_and_writes_all(dated_suite, capsys):
    assert main(["tables", "s", "--all", "-o", "out"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("**Summary.**")
    assert "**Leaderboard (Table 2).** protocol=published" in printed
    assert "| x/good |" in printed
    assert "all pairs" not in printed
    assert Path("out/published-latex-pairs.csv").exists()
    assert Path("out/published-correlation.png").exists()


def test_tables_say_which_models_are_open_and_how_large(dated_suite, capsys):
    assert main(["tables", "s", "--show", "groups", "sizes"]) == 2
    said = capsys.readouterr().err
    assert "s has nothing to show of groups, sizes; helm-structext add-model NAME --access" in said
    main(["add-model", "x/good", "--access", "closed"])
    main(["add-model", "x/bad", "--access", "open", "--parameters", "7"])
    assert main(["tables", "s", "--show", "leaderboard", "groups", "sizes", "-o", "out"]) == 0
    printed = capsys.readouterr().out
    assert "| Model  | Access | Size (B) |" in printed
    assert "| x/bad  |   open |        7 |" in printed
    assert "Δ best closed − best open (x/good − x/bad)" in printed
    assert "size is not known: 1 model (x/good)" in printed.replace("\n", " ")
    assert {"published-latex-sizes.png", "published-latex-groups.csv"} <= {
        path.name for path in Path("out").iterdir()
    }
    first = Path("out/published-leaderboard.csv").read_text().splitlines()[1]
    assert first.startswith("x/good,closed,,")


def test_facts_are_read_where_helm_s_files_lie(dated_suite, tmp_path, capsys):
    folder = tmp_path / "elsewhere"
    main(["add-model", "x/good", "--access", "open", "--local-path", str(folder)])
    arguments = ["tables", "s", "--show", "groups"]
    assert main(arguments) == 2
    assert main([*arguments, "--local-path", str(folder)]) == 0
    (folder / "model_facts.yaml").write_text("models: [{name: x/good, access: maybe}]")
    capsys.readouterr()
    assert main([*arguments, "--local-path", str(folder)]) == 2
    assert "model_facts.yaml, entry 1: access: expected open or closed" in capsys.readouterr().err


def test_tables_shows_what_it_is_asked_for(dated_suite, capsys):
    Path("cutoffs.yaml").write_text("x/good: 2024-01\n")
    arguments = ["--show", "answers", "--models", "x/g*", "--cutoffs", "cutoffs.yaml"]
    assert main(["tables", "s", *arguments]) == 0
    printed = capsys.readouterr().out
    assert "Leaderboard" not in printed
    assert "before and after the training cut-off" in printed
    assert "x/bad" not in printed


def test_half_life_changes_the_means(dated_suite, capsys):
    assert main(["tables", "s", "--show", "scores", "--half-life", "1"]) == 0
    printed = capsys.readouterr().out
    assert "0.800" in printed.split("x/good")[1]  # (0.9 + 0.6 / 2) / 1.5, near enough
    assert "half-life of 1 days" in printed.replace("\n", " ")


def test_a_suite_against_itself_has_not_changed(dated_suite, capsys):
    assert main(["tables", "s", "--against", "s"]) == 0
    printed = capsys.readouterr().out
    assert "+0.000" in printed
    assert "1 → 1" in printed
    assert "1.0000" in printed


def test_suites_that_have_no_benchmark_in_common(dated_suite, capsys):
    suite = Path("benchmark_output/runs")
    shutil.copytree(GOLDEN / "suite" / suite / "demo", suite / "t")
    for run in (suite / "t").iterdir():
        if not run.name.startswith("mmr"):
            shutil.rmtree(run)
    assert main(["tables", "s", "--against", "t"]) == 2
    assert "t and s have no benchmark in common" in capsys.readouterr().err


def test_correlations_are_a_matrix_and_drawn(dated_suite, capsys):
    assert main(["tables", "s", "--show", "correlations", "-o", "out"]) == 0
    assert "| 2 Block EMD |" in capsys.readouterr().out
    assert {path.suffix for path in Path("out").iterdir()} == {".csv", ".tex", ".png"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["tables", "s", "--half-life", "0"],
            "--half-life: it is '0'; expected a number of days above 0",
        ),
        (["tables", "s", "--half-life", "nan"], "--half-life: it is 'nan'; expected"),
        (
            ["tables", "s", "--show", "everything"],
            "unknown section everything; there are summary, l",
        ),
        (["tables", "s", "--against", "s", "--show", "scores"], "--against shows"),
        (["tables", "s", "--against", "s", "--all"], "--against shows"),
        (["tables", "s", "--all", "--show", "scores"], "leave --show out"),
        (["tables", "s", "--against", "absent"], "no suite absent; there is s"),
        (["tables", "s", "--cutoffs", "absent.yaml"], "absent.yaml can't be read"),
        (["tables", "s", "--models", "nobody"], "no model of the suite is named nobody"),
        (["tables", "absent"], "no suite absent; there is s"),
    ],
)
def test_faults_of_the_user_say_what_to_do(dated_suite, capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_nothing_to_show_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(write_suite(tmp_path, scored(**{"structext/blank": [0.5, 0.6]})))
    assert main(["tables", "s", "--show", "correlations"]) == 2
    assert "s has nothing to show of correlations" in capsys.readouterr().err


def test_a_reader_who_leaves_early_is_no_error(dated_suite):
    code = "import sys; from helm_structext.cli import main; sys.exit(main(sys.argv[1:]))"
    program = [sys.executable, "-c", code, "tables", "s", "--show", "leaderboard"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")
