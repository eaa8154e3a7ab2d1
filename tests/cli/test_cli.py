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
