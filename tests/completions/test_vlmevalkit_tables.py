"""Tables of VLMEvalKit: what is in a cell, what is lost in one, and files that are hostile."""

import json
import pickle
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from helm_structext.completions import vlmevalkit_tables
from helm_structext.completions.logs import log_format
from helm_structext.completions.predictions import Prediction
from helm_structext.errors import SetupError
from support.harness_logs import ENTRY, row, write_separated, write_sheet


def write_json(path: Path, rows: list[dict]) -> Path:
    path.write_text(json.dumps(rows, indent=4))
    return path


WRITERS: dict[str, Callable[[Path, list[dict]], Path]] = {
    ".tsv": write_separated,
    ".csv": write_separated,
    ".json": write_json,
    ".xlsx": write_sheet,
}


def read(path: Path, entry: str | None = None) -> list[Prediction]:
    return list(log_format(path).read(path, entry, None))


@pytest.fixture(params=WRITERS)
def write(request, tmp_path):
    """Writes rows as a table of each kind, and returns its path."""
    return lambda *rows: WRITERS[request.param](tmp_path / f"model_MMR{request.param}", list(rows))


TEXTS = [
    "2",
    "x\r\ny",
    "\x1b[2J",
    "a\nb\tc",
    '"quoted", and ""',
    "=1+1",
    "NaN",
    "null",
    " 02 ",
    "1e5",
    "é中😀",
    "x" * 30_000,
]


def test_a_prediction_is_what_the_model_wrote(write):
    path = write(*(row(number, text) for number, text in enumerate(TEXTS)))
    assert [one.completion for one in read(path)] == TEXTS


def test_nothing_and_a_failure_of_the_harness_are_missing(write):
    failed = "Failed to obtain answer via API."
    assert [one.completion for one in read(write(row(0, None), row(1, failed), row(2)))] == [
        *(None, None, "2")
    ]


def test_an_empty_answer_is_one_where_the_table_can_say_it(write):
    path = write(row(0, ""), row(1))
    assert read(path)[0].completion == ("" if path.suffix == ".json" else None)


def test_a_row_names_its_instance(write):
    ids = [
        {"task": "", "uuid": '"0a1b"', "task_id": ""},
        {"task": "", "uuid": "", "task_id": "500"},
        {"task": "", "uuid": "", "task_id": "000501"},
    ]
    path = write(*(row(number, **one) for number, one in enumerate(ids)))
    assert [one.places[0].instance for one in read(path)][:2] == ["0a1b", "000500"]
    assert read(path)[2].places[0].instance == "000501"


def test_without_a_column_that_names_it_the_index_is_the_instance(write):
    rows = [{"index": f"font_color-{n}", "question": "?", "prediction": "2"} for n in range(2)]
    found = [one.places[0].instance for one in read(write(*rows), ENTRY)]
    assert found == ["font_color-0", "font_color-1"]


def test_a_question_of_mmr_without_its_place_in_the_dataset_is_refused(write):
    with pytest.raises(SetupError, match=r"row 1: .* not numbered from 0 to 1"):
        read(write(row(0), row(7)))


def test_the_model_is_the_folder_by_which_the_table_is_named(tmp_path):
    folder = tmp_path / "GPT4o_MINI" / "T20261124_Gab12cd34"
    folder.mkdir(parents=True)
    assert read(write_json(folder / "GPT4o_MINI_MMR.json", [row(0)]))[0].model == "GPT4o_MINI"
    for name in ("other_MMR.json", "_MMR.json"):
        assert read(write_json(folder / name, [row(0)]))[0].model is None


@pytest.mark.parametrize("column", ["index", "prediction"])
def test_a_table_without_a_column_is_refused(write, column):
    rows = [{name: value for name, value in row(0).items() if name != column}]
    with pytest.raises(SetupError, match=f"row 1: it has no column '{column}'"):
        read(write(*rows))


def test_a_table_without_a_run_entry_asks_for_one(write):
    with pytest.raises(SetupError, match="row 1: it names no run entry; name one by --benchmark"):
        read(write(row(0, entry="")))


@pytest.mark.parametrize("suffix", [".json", ".xlsx"])
def test_a_prediction_that_became_a_number_is_refused(tmp_path, suffix):
    path = WRITERS[suffix](tmp_path / f"a{suffix}", [row(0), row(1, 2)])
    with pytest.raises(SetupError, match=r"row 2: 'prediction' is 2, and not text any more"):
        read(path)


def test_nan_is_nothing(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([row(0, float("nan"))]))
    assert read(path)[0].completion is None


# Text


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('"index","prediction"\n"a","2\n', "a quote is not closed: it was cut off"),
        ('"index","prediction"\n"a"', "line 2, expected 2 got 1"),
        ('"index","prediction"\n"a","2","3"\n', "line 2, expected 2 got 3"),
        ('"index","index","prediction"\n"a","a","2"\n', "two columns of the same name"),
        ("", "it is empty"),
        ('"index","prediction"\n"a","\udcff"\n', "invalid UTF-8"),
    ],
)
def test_a_table_of_text_that_is_damaged_is_refused(tmp_path, table, said):
    path = tmp_path / "a.csv"
    path.write_bytes(table.encode("utf-8", "surrogateescape"))
    with pytest.raises(SetupError, match=rf"a\.csv can't be read .*{said}.*PRED_FORMAT=tsv"):
        read(path, ENTRY)


def test_control_characters_stay(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b'\xef\xbb\xbf"index"\t"prediction"\r\n"a"\t"x\r\ny\0z"\r\n')
    (one,) = read(path, ENTRY)
    assert one.completion == "x\r\ny\0z"


def test_a_cell_that_is_far_too_long_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(vlmevalkit_tables, "MAX_LINE", 100_000)
    path = write_separated(tmp_path / "a.tsv", [row(0), row(1, "x" * 300_000)])
    with pytest.raises(SetupError, match=r"a\.tsv can't be read"):
        read(path)


def test_a_table_that_holds_no_rows_holds_no_predictions(tmp_path):
    (tmp_path / "a.tsv").write_text('"index"\t"prediction"\n')
    assert read(tmp_path / "a.tsv", ENTRY) == []


# Pickles


class Hostile:
    def __reduce__(self):
        return exec, ("raise AssertionError('it was unpickled')",)


@pytest.mark.parametrize("name", ["a.pkl", "a.pickle", "a.tmp"])
def test_a_pickle_is_never_read(tmp_path, name):
    (tmp_path / name).write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(SetupError, match=r"is a pickle, which runs code .* PRED_FORMAT=tsv"):
        read(tmp_path / name)


# Excel


def test_without_the_package_that_reads_sheets_it_is_named(tmp_path, monkeypatch):
    path = write_sheet(tmp_path / "a.xlsx", [row(0)])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        SetupError, match=r"pip install 'helm-structext\[xlsx\]', or write the table"
    ):
        read(path)


def test_a_prediction_that_excel_cut_is_refused(tmp_path):
    path = write_sheet(tmp_path / "a.xlsx", [row(0), row(1, "x" * 32_767)])
    with pytest.raises(SetupError, match="the prediction of index 1 has 32,767 characters"):
        read(path)


def rewritten(path: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """Changes a part of an Excel file."""
    with ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for part, data in parts.items():
            archive.writestr(part, change(data) if part == name else data)
    return path


STRINGS, SHEET = "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize("text", ["_x000D_", "a_x0041_", "_x005F_", "x005F_"])
def test_a_text_that_looks_like_an_escape_of_excel_is_refused(tmp_path, text):
    path = write_sheet(tmp_path / "a.xlsx", [row(0, text)])
    with pytest.raises(SetupError, match=r"would be taken for an escape.*PRED_FORMAT=tsv"):
        read(path)
    assert read(write_separated(tmp_path / "a.tsv", [row(0, text)]))[0].completion == text


@pytest.mark.filterwarnings("ignore:Ignoring URL")
def test_what_excel_did_not_keep_is_missing(tmp_path):
    path = write_sheet(tmp_path / "a.xlsx", [row(0, "http://a.b/ " + "x" * 2100), row(1)])
    assert [one.completion for one in read(path)] == [None, "2"]


def test_empty_rows_of_a_sheet_are_left_out(tmp_path):
    path = write_sheet(tmp_path / "a.xlsx", [row(0), {}, row(1)])
    assert [one.line for one in read(path)] == [1, 2]


def test_a_sheet_that_claims_endless_rows_and_columns_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(vlmevalkit_tables, "MAX_ROWS", 1000)
    path = write_sheet(tmp_path / "a.xlsx", [row(0), row(1)])
    rewritten(path, SHEET, lambda data: data.replace(b'r="3"', b'r="999999999999"'))
    rewritten(path, SHEET, lambda data: data.replace(b"A1:E3", b"A1:XFD999999999999"))
    assert [one.line for one in read(path)] == [1]


ENTITIES = b'<!DOCTYPE sst [<!ENTITY a "aaaaaaaaaa">%s]>' % b"".join(
    b'<!ENTITY %c "%s">' % (ord("b") + n, b"&%c;" % (ord("a") + n) * 10) for n in range(9)
)


def test_entities_of_a_sheet_are_not_expanded(tmp_path):
    path = write_sheet(tmp_path / "a.xlsx", [row(0, "x|y")])
    rewritten(path, STRINGS, lambda data: ENTITIES + data.replace(b"x|y", b"&j;"))
    with pytest.raises(SetupError, match=r"could not read strings from .*PRED_FORMAT=tsv"):
        read(path)


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(vlmevalkit_tables, "MAX_SHEET", 10**6)
    path = write_sheet(tmp_path / "a.xlsx", [row(0, "x|y")])
    rewritten(path, STRINGS, lambda data: data.replace(b"x|y", b" " * 10**7))
    with pytest.raises(SetupError, match=r"it unpacks to more than 1.0 MB"):
        read(path)


@pytest.mark.parametrize("part", [STRINGS, "xl/workbook.xml"])
def test_a_part_that_is_larger_than_it_says_takes_no_memory(tmp_path, part):
    path = write_sheet(tmp_path / "a.xlsx", [row(0)])
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data + b" " * 300_000_000 if name == part else data)
            known = archive.getinfo(name)
            known.file_size, known.CRC = len(data), zlib.crc32(data)
    tracemalloc.start()
    try:
        assert len(read(path)) == 1
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_part_that_is_compressed_in_another_way_is_refused(tmp_path):
    path = write_sheet(tmp_path / "a.xlsx", [row(0)])
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(path, "w", ZIP_BZIP2) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(SetupError, match="compressed by method 12"):
        read(path)


@pytest.mark.parametrize("part", [STRINGS, SHEET, "xl/workbook.xml", "[Content_Types].xml"])
@pytest.mark.parametrize("data", [b"", b"<a>", b"\xff" * 9])
def test_a_damaged_sheet_is_named(tmp_path, part, data):
    path = rewritten(write_sheet(tmp_path / "a.xlsx", [row(0)]), part, lambda _: data)
    with pytest.raises(SetupError, match=r"a\.xlsx can't be read .*PRED_FORMAT=tsv"):
        read(path)
