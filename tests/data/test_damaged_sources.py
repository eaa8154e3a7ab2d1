"""Datasets on a disk that was damaged, and rows with odd values: an error that names file or row."""

import base64
import datetime
import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helm_structext.data import Row, load_rows
from helm_structext.errors import SetupError
from helm_structext.image2struct.rows import read_problem, rows_of
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.mmr.rows import number_rows
from helm_structext.structeval.rows import load_questions
from helm_structext.structeval.tasks import TASKS
from support.archives import END, header
from support.damage import ANY_FILE
from support.rows import latex_row, png

DAMAGES = [name for name in ANY_FILE if name not in ("not to be read", "gone", "a dangling link")]
ODD = (None, "", "x", 7, -1, 2**62, 0.5, float("nan"), True, b"\xff", [], [None], {}, {"bytes": 7},
       '"', '"\\ud800"', '"' + "9" * 5000 + '"', "[" * 100_000, datetime.datetime(1, 1, 1))  # fmt: skip


def problems(folder: Path) -> list[object]:
    rows = rows_of("image2struct_latex", "equation", "all", str(folder))
    return [read_problem(row, DOMAINS["image2struct_latex"], "equation") for row in rows]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named(tmp_path, suffix, damage):
    path = tmp_path / f"validation-0.{suffix}"
    table = pa.Table.from_pylist([latex_row(number) for number in range(20)])
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table)
    ANY_FILE[damage](path)
    try:
        problems(tmp_path)
    except SetupError as error:
        said = str(error)
    else:
        return
    assert "validation-0" in said


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_picture_of_ones_own_is_named(tmp_path, damage):
    path = tmp_path / "mine.png"
    path.write_bytes(png())
    ANY_FILE[damage](path)
    rows = load_rows(
        str(tmp_path), benchmark="b", dataset="d", config="wild", splits=["validation"]
    )
    try:
        for row in rows:
            row.picture("image")
    except SetupError as error:
        said = str(error)
    else:
        return
    assert "mine.png" in said


def test_values_that_python_does_not_have_are_named(dataset):
    """A date beyond the years of Python, and bytes in a text that are not UTF-8."""
    folder = dataset([latex_row(0)])
    (path,) = folder.glob("*/*.parquet")
    for column in (
        pa.array([2**62], pa.timestamp("us")),
        pa.array([b"\xff"]).view(pa.string()),
    ):
        pq.write_table(pa.table({"uuid": column}), path)
        with pytest.raises(SetupError, match=r"validation-0\.parquet can't be read"):
            problems(folder)


LATEX = {"uuid": '"a"', "category": "equation", "difficulty": "easy", "structure": "$x$",
         "text": "x", "image": {"bytes": png()}}  # fmt: skip
STRUCTEVAL = {"task_id": "000100", "task_name": "Text to JSON", "query": "q",
              "raw_output_metric": ["a.b"], "VQA": []}  # fmt: skip
MMR = {"task": "recognition_label", "Question": "What?", "Answer": "x", "image": base64.b64encode(png()).decode(),
       "img_id": "1"}  # fmt: skip


def read_latex(monkeypatch, row):
    monkeypatch.setattr("helm_structext.image2struct.rows.load_rows", lambda *_, **__: [row])
    return [
        read_problem(row, DOMAINS["image2struct_latex"], "equation")
        for row in rows_of("image2struct_latex", "equation", "easy", "sample")
    ]


def read_webpage(monkeypatch, row):
    return read_problem(row, DOMAINS["image2struct_webpage"], "css")


def read_structeval(monkeypatch, row):
    monkeypatch.setattr("helm_structext.structeval.rows.load_rows", lambda *_, **__: [row])
    return list(load_questions("sample", TASKS))


def read_mmr(monkeypatch, row):
    monkeypatch.setattr("helm_structext.mmr.rows.load_rows", lambda *_, **__: [row])
    return [
        row.base64_picture("image") for row, _, _ in number_rows("sample", ["recognition_label"], 9)
    ]


ARCHIVE = base64.b64encode(gzip.compress(header("index.html") + END)).decode()
READERS = {
    "latex": (read_latex, LATEX),
    "webpage": (read_webpage, {**LATEX, "structure": ARCHIVE}),
    "structeval": (read_structeval, STRUCTEVAL),
    "mmr": (read_mmr, MMR),
}


@pytest.mark.parametrize("reader", READERS)
def test_odd_values_are_read_or_named(monkeypatch, reader):
    read, honest = READERS[reader]
    assert read(monkeypatch, Row(honest, "row 3 of it"))
    refused = 0
    for column in honest:
        for values in (
            {name: value for name, value in honest.items() if name != column},
            *({**honest, column: value} for value in ODD),
        ):
            try:
                read(monkeypatch, Row(values, "row 3 of it"))
            except SetupError as error:
                said = str(error)
                refused += 1
                assert "row 3 of it" in said
                assert len(said) < 3000
    assert refused > len(ODD)
