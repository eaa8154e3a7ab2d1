"""Tables of VLMEvalKit: a row for each question, with the dataset's columns and ``prediction``.

A table is an Excel sheet, values between tabs or commas, or a list in JSON. A pickle is refused: it runs
what whoever wrote it wants.

Source: github.com/open-compass/VLMEvalKit, ``vlmeval/inference.py`` and ``vlmeval/smp/file.py``.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from arro3.core import DataType, Field, Schema
from arro3.io import infer_csv_schema, read_csv

from helm_structext.completions.instances import (
    ID_COLUMNS,
    TASK_COLUMN,
    instance_of,
    number_tasks,
    place_of,
)
from helm_structext.completions.predictions import Prediction
from helm_structext.data.sources import batch_rows
from helm_structext.errors import SetupError
from helm_structext.results.json_items import json_items
from helm_structext.storage.files import MAX_LINE
from helm_structext.texts import byte_size, describe_error, quote_value

REMEDY = "write the table again by VLMEvalKit, with PRED_FORMAT=tsv"
COLUMNS = ("index", "prediction", "entry", TASK_COLUMN, *ID_COLUMNS)
"""Those that are read."""
FAILURE = "Failed to obtain answer"
"""How a prediction begins that VLMEvalKit wrote itself, as there was none."""
CELL = 32_767
"""Characters of a cell in Excel; of a longer text the rest is lost."""
BATCH = 64
"""Rows of a table in text that are in memory at a time: some have pictures."""
MAX_ROWS, MAX_COLUMNS = 2**20, 1000
"""Rows of a sheet in Excel, and columns that are looked at."""
MAX_SHEET = 2**28
"""Bytes of an Excel file when it is unpacked."""
CHUNK = 2**20
"""Bytes that are unpacked at a time."""
ESCAPED_ESCAPE = b"x005F_"
"""What Excel files write before a text that looks like their escapes; openpyxl loses the difference."""
TASK_ID_DIGITS = 6
"""Of StructEval's task ids, which readers of tables take for numbers."""

Row = Mapping[str, Any]
Rows = Callable[[Path], Iterator[Row]]


def read_table(path: Path, entry: str | None, rows: Rows) -> Iterator[Prediction]:
    """Yields the predictions in a table.

    Args:
        path: the table.
        entry: the run entry under which all are scored; by default each row's ``entry`` names it.
        rows: reads such tables.

    Raises:
        SetupError: the table can't be read, or a row is not as it should be.
    """
    model = _model(path)
    named = cache(lambda: number_tasks((_number(row), row) for row in rows(path)))
    for number, row in enumerate(rows(path), 1):
        try:
            yield _prediction(number, row, entry, model, named)
        except ValueError as error:
            raise SetupError(f"{path}, row {number}: {error}") from error


def _prediction(
    number: int,
    row: Row,
    entry: str | None,
    model: str | None,
    named: Callable[[], Mapping[int, str]],
) -> Prediction:
    for column in ("index", "prediction"):
        if column not in row:
            raise ValueError(f"it has no column '{column}'")
    ids = {**row, "task_id": _task_id(row.get("task_id"))}
    instance = instance_of(ids, _number(row), named) or _text(row["index"])
    if not instance:
        raise ValueError("its 'index' is empty")
    completion = row["prediction"]
    if completion is None or completion != completion:  # NaN, which pandas has for nothing
        completion = None
    elif not isinstance(completion, str):
        raise ValueError(
            f"'prediction' is {quote_value(completion)}, and not text any more; {REMEDY}"
        )
    elif completion.startswith(FAILURE):
        completion = None
    return Prediction(number, (place_of(instance, row, entry),), completion, model, None)


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _task_id(value: object) -> str:
    text = _text(value)
    return text.zfill(TASK_ID_DIGITS) if text.isdecimal() else text


def _number(row: Row) -> int | None:
    text = _text(row.get("index"))
    # No more digits than int takes.
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _model(path: Path) -> str | None:
    """The model's name: that of the folder, or the one above, by which the table's name begins, too."""
    names = [folder.name for folder in path.absolute().parents][:2]
    return next((name for name in names if name and path.name.startswith(f"{name}_")), None)


def json_rows(path: Path) -> Iterator[Row]:
    """Yields the rows of a table that is a list of objects in JSON."""
    for number, row in enumerate(json_items(path, REMEDY), 1):
        if not isinstance(row, dict):
            raise SetupError(f"{path}, row {number}: expected an object, not {type(row).__name__}")
        yield row


def split_rows(path: Path, delimiter: str) -> Iterator[Row]:
    """Yields the rows of a table in text, whose cells may have quotes around them.

    An empty cell is None: such a table has the same for nothing and for an empty text.
    """
    try:
        _check_records(path)
        with path.open("rb") as file:
            there = infer_csv_schema(
                file, has_header=True, max_records=0, delimiter=delimiter
            ).names
        if not there:
            raise ValueError("it is empty")
        if len(there) != len(set(there)):
            raise ValueError("it has two columns of the same name")
        texts = Schema([Field(name, DataType.utf8()) for name in there])
        with path.open("rb") as file:
            for batch in read_csv(
                file, texts, has_header=True, batch_size=BATCH, delimiter=delimiter
            ):
                for row in batch_rows(batch):
                    yield {name: cell for name, cell in row.items() if name in COLUMNS}
    except Exception as error:  # of one row in a batch, arro3 raises
        raise SetupError(f"{path} can't be read ({describe_error(error)}); {REMEDY}") from error


def _check_records(path: Path) -> None:
    """Raises ValueError if a row is too long, or a quote is not closed, as where a table was cut off."""
    size = quotes = 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE + 1):
            size += len(line)
            quotes += line.count(b'"')
            if size > MAX_LINE:
                raise ValueError(f"a row has more than {MAX_LINE:,} bytes")
            if quotes % 2 == 0:  # else the line ends within a cell
                size = 0
    if quotes % 2:
        raise ValueError("a quote is not closed: it was cut off")


def sheet_rows(path: Path) -> Iterator[Row]:
    """Yields the rows of the first sheet of an Excel file.

    Raises:
        SetupError: it can't be read; what reads it is not installed; or a prediction is as long as
            a cell can be, so that its rest is lost.
    """
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise SetupError(
            f"{path} is an Excel sheet: pip install 'helm-structext[xlsx]', or {REMEDY}"
        ) from error
    try:
        with TemporaryFile() as honest, ZipFile(path) as archive:
            _unpack_sheet(archive, honest)
            book = load_workbook(honest, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            header = next(sheet.iter_rows(max_row=1, max_col=MAX_COLUMNS, values_only=True), ())
            width = max((place for place, name in enumerate(header, 1) if name), default=1)
            # A sheet may claim any number of rows and columns: cells that it lacks are empty.
            rows = sheet.iter_rows(min_row=2, max_col=width, values_only=True)
            for cells in islice(rows, MAX_ROWS):
                if any(cell is not None for cell in cells):
                    yield _sheet_row(dict(zip(header, cells, strict=False)))
    except Exception as error:  # openpyxl raises whatever comes of a damaged file
        raise SetupError(f"{path} can't be read ({describe_error(error)}); {REMEDY}") from error


def _unpack_sheet(archive: ZipFile, file: IO[bytes]) -> None:
    """Writes the parts of an Excel file to one of ours, in which all have the sizes that they say.

    openpyxl takes some of them into memory at once, and what an archive says of a part's size need not be true.
    """
    left = MAX_SHEET
    with ZipFile(file, "w") as whole:
        for part in archive.infolist():
            # All that Excel writes; others are decompressed by more at a time than is asked for.
            if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise ValueError(f"it is compressed by method {part.compress_type}")
            end = b""
            with archive.open(part) as packed, whole.open(part.filename, "w") as unpacked:
                while chunk := packed.read(CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise ValueError(f"it unpacks to more than {byte_size(MAX_SHEET)}")
                    if ESCAPED_ESCAPE in end + chunk:
                        raise ValueError(
                            "it holds a text such as _x000D_, which would be taken for an escape"
                        )
                    end = chunk[-len(ESCAPED_ESCAPE) :]
                    unpacked.write(chunk)


def _sheet_row(cells: Mapping[Any, Any]) -> Row:
    from openpyxl.utils.escape import unescape  # which openpyxl itself does not call

    row = {
        name: unescape(cell) if isinstance(cell, str) else cell
        for name, cell in cells.items()
        if name in COLUMNS
    }
    prediction = row.get("prediction")
    if isinstance(prediction, str) and len(prediction) >= CELL:
        raise ValueError(
            f"the prediction of index {quote_value(row.get('index'))} has {CELL:,} characters, as many as "
            "a cell of Excel can have, and was cut there"
        )
    return row
