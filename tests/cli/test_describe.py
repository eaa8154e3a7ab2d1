"""`helm-structext describe`: what it prints and writes of every source, and what it refuses."""

import csv
import io
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.data.sources import SAMPLES
from support.hub_server import card, hub_of_this_process
from support.rows import IMAGE2STRUCT_SCHEMA, latex_row, mmr_row, png


def described(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["describe", *arguments]) == 0
    return capsys.readouterr().out


def test_the_sample_on_the_screen_and_in_files(capsys, tmp_path):
    out = tmp_path / "out"
    said = described(capsys, "sample", "--benchmark", "mmr", "--words", "3", "-o", str(out))
    assert "**MMR, sample by task.**" in said
    assert "| grounding_t       |         5 |   9.1 |" in said
    assert "most frequent words of questions" not in said  # a table of all is on the screen
    files = {path.name for path in out.iterdir()}
    for name in ("task", "lengths", "words-objects"):
        assert {f"mmr-sample-{name}.{ending}" for ending in ("csv", "tex", "png")} <= files
    assert Image.open(out / "mmr-sample-lengths.png").format == "PNG"
    assert (out / "mmr-sample-words-objects.csv").read_text().splitlines()[1] == (
        "hot air balloon,2,95.238095"
    )


def test_csv_is_printed_alone(capsys):
    said = described(capsys, "sample", "--benchmark", "structeval", "--csv")
    first = said.split("\n\n")[0]
    rows = list(csv.reader(io.StringIO(first)))
    assert rows[0] == ["Subset", "Tasks", "Instances", "%", "Keywords", "Question pairs"]
    assert rows[-1][:3] == ["all", "44", "124"]


def test_all_benchmarks_are_described_if_none_is_named(capsys):
    said = described(capsys, "sample", "--words", "1")
    for title in ("Image2Struct, sample by domain", "MMR, sample by task", "StructEval, sample"):
        assert title in said


def test_folders_of_rows_of_pictures_and_of_generated_questions(capsys, tmp_path):
    rows = tmp_path / "rows"
    (rows / "equation").mkdir(parents=True)
    table = pa.Table.from_pylist([latex_row(n) for n in range(3)], IMAGE2STRUCT_SCHEMA)
    pq.write_table(table, rows / "equation" / "validation.parquet")
    said = described(capsys, str(rows), "--benchmark", "image2struct_latex")
    assert "| all        |         3 | 100.0 |" in said
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in "ab":
        (pictures / f"{name}.png").write_bytes(png(size=(40, 20)))
    said = described(capsys, str(pictures), "--benchmark", "image2struct_latex")
    assert "| wild   |         2 | 100.0 |" in said
    generated = tmp_path / "generated"  # as `generate mmr` writes it
    generated.mkdir()
    for name in ("train.parquet", "scenes.jsonl"):
        shutil.copy(SAMPLES / "mmr" / name, generated)
    assert "| Objects          |     11 |" in described(
        capsys, str(generated), "--benchmark", "mmr"
    )


def test_the_published_data_is_read_from_the_hub(capsys, tmp_path):
    sample = SAMPLES / "image2struct_music" / "music" / "validation.parquet"
    with hub_of_this_process(tmp_path / "hub") as hub:
        readme = card({"music": {"validation": "music/validation-*"}})
        hub.repository("stanford-crfm/image2struct-musicsheet-v1").commit(
            {"README.md": readme, "music/validation-00000-of-00001.parquet": sample.read_bytes()}
        )
        said = described(capsys, "hub", "--benchmark", "image2struct_music")
    assert "Image2Struct, hub by difficulty" in said
    assert "| all        |         9 | 100.0 |" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent", "--benchmark", "mmr"], "source=absent: there is no such folder"),
        (["absent"], "--benchmark: name that of the folder; there are image2struct"),
        (["sample", "--benchmark", "mrr"], "'mrr' is none; there are image2struct"),
        (["sample", "--revision", "v1", "--benchmark", "mmr"], "is for source=hub"),
        ([".", "--benchmark", "structeval"], "has no default/train*.parquet"),
        ([".", "--benchmark", "image2struct_music"], "has no music/validation*.parquet"),
    ],
)
def test_a_bad_source_is_told(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["describe", *arguments]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("scenes", ["{", "[]", '{"texts": 1}', "[" * 100_000, "\udcff", "1\n" * 9])
def test_damaged_scenes_are_told(scenes, capsys, tmp_path):
    shutil.copy(SAMPLES / "mmr" / "train.parquet", tmp_path)
    (tmp_path / "scenes.jsonl").write_bytes(scenes.encode("utf-8", "surrogateescape"))
    assert main(["describe", str(tmp_path), "--benchmark", "mmr"]) == 2
    assert "scenes.jsonl does not say what pictures show" in capsys.readouterr().err


def test_damaged_rows_are_told_and_an_empty_set_too(capsys, tmp_path):
    pq.write_table(pa.Table.from_pylist([mmr_row(Answer="so")]), tmp_path / "train.parquet")
    assert main(["describe", str(tmp_path), "--benchmark", "mmr"]) == 2
    assert "row 0 of" in capsys.readouterr().err
    empty = pa.Table.from_pylist([mmr_row()]).slice(0, 0)
    pq.write_table(empty, tmp_path / "train.parquet")
    assert main(["describe", str(tmp_path), "--benchmark", "mmr"]) == 2
    assert "has no row of mmr" in capsys.readouterr().err
    (tmp_path / "train.parquet").write_bytes(b"PAR1" + json.dumps({}).encode())
    assert main(["describe", str(tmp_path), "--benchmark", "mmr"]) == 2
    assert "can't be read" in capsys.readouterr().err


def test_hostile_words_are_shown_and_not_obeyed(capsys, tmp_path: Path):
    row = mmr_row("recognition_label", Question="\x1b[2Jclear =cmd|x \u202eright")
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "train.parquet")
    out = tmp_path / "out"
    said = described(capsys, str(tmp_path), "--benchmark", "mmr", "-o", str(out))
    assert "\x1b" not in said
    assert "\u202e" not in said
    for path in out.glob("*.csv"):
        assert "\x1b" not in path.read_text()
        assert "\n=" not in path.read_text()
