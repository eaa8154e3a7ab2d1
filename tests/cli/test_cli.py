import io
import shutil
import sys
from pathlib import Path

import pytest
from PIL import Image

from helm_structext.cli import main
from support import GOLDEN
from support.rows import png


def test_render_writes_a_picture(tmp_path, capsys):
    (tmp_path / "code.tex").write_text("```latex\n$x^2$\n```")
    picture = tmp_path / "out.png"
    assert main(["render", "latex", str(tmp_path / "code.tex"), "-o", str(picture)]) == 0
    assert Image.open(picture).width > 10
    assert "pixels" in capsys.readouterr().out


def test_render_reads_standard_input(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"$y$")))
    assert main(["render", "latex", "-", "-o", str(tmp_path / "out.png")]) == 0


def test_wrong_code_ends_with_its_kind_and_log(tmp_path, capsys):
    (tmp_path / "code.tex").write_text(r"\nonsense")
    picture = tmp_path / "out.png"
    assert main(["render", "latex", str(tmp_path / "code.tex"), "-o", str(picture)]) == 1
    assert "syntax: " in capsys.readouterr().err
    assert not picture.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "poem", "x", "-o", "y.png"], ["unknown format poem", "latex"]),
        (["render", "latex", "absent.tex", "-o", "y.png"], ["absent.tex can't be read"]),
        (["score", "absent.png", "absent.png"], ["absent.png is not a picture"]),
        (["predictions", "export", "absent"], ["no suite absent", "asked, empty"]),
        (["predictions", "export", "empty"], ["holds no runs", "--dry-run"]),
        (["tables", "absent"], ["no suite absent", "asked, empty"]),
        (["tables", "asked", "--against", "absent"], ["no suite absent", "asked, empty"]),
        (["report", "absent", "-o", "r.html"], ["no suite absent", "asked, empty"]),
        (["tables", "empty"], ["no finished runs"]),
        (["tables", "any", "--output-path", "elsewhere"], ["no suite any", "none"]),
    ],
)
def test_a_fault_of_the_user_says_what_to_do(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN / "suite/benchmark_output/runs/demo", "benchmark_output/runs/asked")
    Path("benchmark_output/runs/empty").mkdir()
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words)


def test_ctrl_c_ends_in_one_line(monkeypatch, capsys):
    def interrupted(*_: str, **__: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("helm_structext.renderers.render", interrupted)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"$y$")))
    assert main(["render", "latex", "-", "-o", "out.png"]) == 130
    assert capsys.readouterr().err == "\nhelm-structext: interrupted\n"


def test_score_prints_every_metric(tmp_path, capsys):
    (tmp_path / "a.png").write_bytes(png())
    (tmp_path / "b.png").write_bytes(png((0, 0, 0)))
    assert main(["score", str(tmp_path / "a.png"), str(tmp_path / "a.png")]) == 0
    same = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert float(same["earth_mover_similarity"]) == 1
    assert float(same["block_emd"]) == 0
    assert main(["score", str(tmp_path / "a.png"), str(tmp_path / "b.png")]) == 0
    other = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert float(other["pixel_similarity"]) < 1


@pytest.fixture
def demo(tmp_path, monkeypatch) -> Path:
    """A folder, made the current one, with a finished suite."""
    shutil.copytree(GOLDEN / "suite/benchmark_output", tmp_path / "benchmark_output")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_suite_may_follow_an_option_that_takes_several_names(demo, capsys):
    assert main(["tables", "demo", "--show", "leaderboard"]) == 0
    expected = capsys.readouterr().out
    assert main(["tables", "--show", "leaderboard", "demo"]) == 0
    assert capsys.readouterr().out == expected
    assert main(["tables", "--show", "leaderboard"]) == 2
    assert "Which suite? benchmark_output/runs holds demo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "option", "file"),
    [
        (["predictions", "export", "demo"], "-o", "demo.jsonl"),
        (["judge-agreement", "demo"], "--export", "pairs.csv"),
    ],
)
def test_file_can_be_printed(demo, capsysbinary, command, option, file):
    assert main([*command, option, file]) == 0
    capsysbinary.readouterr()
    assert main([*command, option, "-"]) == 0
    printed = capsysbinary.readouterr()
    assert printed.out == Path(file).read_bytes()
    assert sorted(path.name for path in demo.iterdir()) == sorted(["benchmark_output", file])
    assert printed.err


def test_picture_can_be_printed(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"$x$")))
    assert main(["render", "latex", "-", "-o", "-"]) == 0
    assert Image.open(io.BytesIO(capsysbinary.readouterr().out)).format == "PNG"


@pytest.mark.parametrize(
    ("place", "words"),
    [(".", "no report of ours"), ("report.html/x", "report.html is a file")],
)
def test_place_that_can_not_be_written_is_refused_before_any_work(demo, capsys, place, words):
    Path("report.html").touch()
    assert main(["report", "absent", "-o", place]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_shells_can_complete_commands(shell, capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--print-completion", shell])
    assert "judge-agreement" in capsys.readouterr().out


def test_help_names_suites_formats_and_defaults(demo, capsys):
    for command, words in (
        ("tables", ["here: demo", "(by default benchmark_output)"]),
        ("render", ["latex, webpage", "(by default published)"]),
    ):
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        said = " ".join(capsys.readouterr().out.split())
        assert all(word in said for word in words)
