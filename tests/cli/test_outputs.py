"""Where commands write: a place that can't be written is one line, and standard output is theirs alone."""

import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from helm_structext.cli import main
from helm_structext.terminal import say, stdout_is_kept
from support import GOLDEN
from support.helm import run
from support.rows import png

SUITE = "demo"
OUTPUTS = (
    ("render", "latex", "code.tex", "-o"),
    ("generate", "mmr", "--count", "1", "--seed", "1", "-o"),
    ("generate", "structeval", "--model", "me/my-vlm", "--count", "1", "--seed", "1", "-o"),
    ("generate", "image2struct", "--kind", "formula", "--count", "1", "--seed", "1", "-o"),
    ("audit", "metrics", "--kinds", "absent", "-o"),
    ("predictions", "export", SUITE, "-o"),
    ("export-structeval", SUITE, "-o"),
    ("rescore", "absent.json", "-o"),
    ("score-file", "bare.jsonl", "--benchmark", "mmr:task=font_color,source=sample", "-o"),
    ("score-file", "bare.jsonl", "--benchmark", "mmr:task=font_color,source=sample", "--pictures"),
    ("tables", SUITE, "-o"),
    ("judge-agreement", SUITE, "-o"),
    ("judge-agreement", SUITE, "--export"),
    ("report", SUITE, "-o"),
    ("try", "me/my-vlm", "-o"),
    ("init", "--local-path"),
    ("add-model", "me/my-vlm", "--base-url", "http://127.0.0.1:9/v1", "--local-path"),
    ("run", "structext/oracle", "-m", "1", "--output-path"),
    *(
        ("collect", domain, "--from", "2026-11-01", "--to", "2026-11-02", "--count", "1", "-o")
        for domain in ("latex", "webpage", "music")
    ),
)


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(GOLDEN / "suite/benchmark_output", "benchmark_output")
    Path("file").touch()
    Path("code.tex").write_text("$x$")
    Path("bare.jsonl").write_text('{"instance": "font_color-0", "completion": "2"}\n')
    return tmp_path


@pytest.mark.parametrize("place", ["/proc/x", "/proc/x/y", "/sys/x", "file/in/it"])
@pytest.mark.parametrize("command", OUTPUTS, ids=" ".join)
def test_a_place_that_can_not_be_written_is_one_line(here, capsys, command, place):
    assert main([*command, place]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert len(said.splitlines()) == 1, said
    assert place.partition("/in")[0].rpartition("/x")[0] in said


def test_a_folder_that_can_no_longer_be_written_is_one_line_too(here, monkeypatch, capsys):
    def full(path: Path, data: bytes) -> None:
        raise OSError(27, os.strerror(27), str(path))

    monkeypatch.setattr("helm_structext.mmr.generate.dataset.write_atomically", full)
    assert main(["generate", "mmr", "--count", "4", "--seed", "1", "--no-check", "-o", "out"]) == 2
    said = capsys.readouterr().err
    assert (
        said
        == "helm-structext: out/train.parquet can't be written: File too large; name another place\n"
    )


def test_what_others_print_is_no_part_of_what_a_command_says(capsys):
    with stdout_is_kept():
        print("Looking in path")
        say("data")
    print("later")
    assert capsys.readouterr() == ("data\nlater\n", "Looking in path\n")


def test_scores_on_standard_output_are_json_and_nothing_else(here):
    """HELM prints where it looks for the credentials of a judge."""
    entry = "structeval:task=text_to_latex,source=sample,judge=structext/ocr-judge"
    listed = run(
        here,
        "helm-run",
        "--dry-run",
        "--suite",
        "s",
        "-m",
        "1",
        "-r",
        f"{entry},model=structext/blank",
    )
    assert listed.returncode == 0
    run(here, "helm-structext", "predictions", "export", "s", "-o", "asked.jsonl")
    asked = json.loads(Path("asked.jsonl").read_text())
    Path("filled.jsonl").write_text(json.dumps({**asked, "completion": "$x$"}) + "\n")
    done = run(here, "helm-structext", "score-file", "filled.jsonl")
    assert "Looking in path" in done.stderr
    (line,) = done.stdout.splitlines()
    assert "vqa_score" in json.loads(line)["scores"]


def test_a_picture_on_standard_output_is_the_picture(here, monkeypatch, capsysbinary):
    from helm_structext import renderers

    def noisy(*arguments, **options):
        print("something of a library's")
        return render(*arguments, **options)

    render = renderers.render
    monkeypatch.setattr(renderers, "render", noisy)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"$x$")))
    assert main(["render", "latex", "-", "-o", "-"]) == 0
    assert capsysbinary.readouterr().out.startswith(png()[:8])
