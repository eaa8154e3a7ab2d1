"""CSV files in which a spreadsheet computes nothing: names and texts in them are not ours.

A spreadsheet takes a cell for a formula by its first character, whatever quotes stand around it.
Such a text gets an apostrophe before it, which `csv_rows` takes away again. Numbers stay numbers.

Source: OWASP, "CSV Injection".
"""

import csv
import io
from collections.abc import Iterable

FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
"""How a cell begins that is computed, or of which a spreadsheet drops the first character."""

_IGNORED = "' \0\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u200b\u3000\ufeff"
"""What may stand before it: blanks, which some spreadsheets drop, and our own apostrophes."""


def csv_text(rows: Iterable[Iterable[str | int | float | None]]) -> str:
    """Returns rows as CSV: six decimals, nothing for None and NaN.

    >>> print(csv_text([["Model", "=1+1"], ["-x", -0.5], ["'=a", None]]))
    Model,'=1+1
    '-x,-0.5
    ''=a,
    """
    file = io.StringIO()
    # Before Python 3.13, the writer leaves a cell with \r in it without quotes.
    plain, quoted = (
        csv.writer(file, lineterminator="\n", quoting=quoting)
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    for row in rows:
        cells = [_cell(value) for value in row]
        (quoted if any("\r" in cell for cell in cells) else plain).writerow(cells)
    return file.getvalue()


def csv_rows(text: str) -> list[dict[str, str]]:
    """Returns the rows of CSV as `csv_text` writes it: column to cell.

    Raises:
        csv.Error: the text is not CSV, or has a cell of more than 131,072 characters.

    >>> csv_rows("Model,label\\n'=a,''b\\n")
    [{'Model': '=a', 'label': "''b"}]
    """
    # Not by csv.DictReader, whose keys would still have their apostrophes.
    header, *rows = [
        [_text(cell) for cell in row]
        for row in csv.reader(io.StringIO(text, newline=""), strict=True)
        if row
    ] or [[]]
    return [dict(zip(header, row, strict=False)) for row in rows]


def _cell(value: str | int | float | None) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{round(value, 6) + 0.0}"
    text = str(value)
    return f"'{text}" if isinstance(value, str) and _is_computed(text) else text


def _text(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _is_computed(cell) else cell


def _is_computed(text: str) -> bool:
    return text.lstrip(_IGNORED)[:1] in FORMULA
