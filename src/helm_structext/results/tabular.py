"""A table, and the three forms in which people take it along: Markdown, CSV and LaTeX."""

import math
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from helm_structext.errors import SetupError
from helm_structext.patterns import Match, Pattern
from helm_structext.results.spreadsheets import csv_text
from helm_structext.storage.cache import write_atomically
from helm_structext.storage.files import write_text
from helm_structext.texts import file_name, make_printable, one_line

Group = TypeVar("Group")
"""What belongs in the same tables."""


@dataclass(frozen=True)
class Estimate:
    """A mean, how sure it is, and the others that it can't be told from.

    Args:
        value: the mean.
        interval: of the mean, low and high; NaN where it is not known.
        group: letters, of which those that can't be told apart share one; "" without rivals.
        error: the standard error, or NaN; only files have it.

    >>> format_cell(Estimate(0.5, (0.25, 0.75), "ab")), format_cell(Estimate(0.5, (math.nan, math.nan), ""))
    ('0.500 ±0.250 ab', '0.500')
    """

    value: float
    interval: tuple[float, float]
    group: str
    error: float = math.nan

    @property
    def half(self) -> float:
        """Half of the interval."""
        return (self.interval[1] - self.interval[0]) / 2


Cell = str | int | float | None | tuple[float, float] | Estimate
"""A text, a number, an interval; None and NaN stand for what is not there."""

DASH = "–"

SCORE = ".3f"
"""How scores up to 1 are printed, everywhere."""

PER_CENT = ".1f"
"""How per cents are printed: to the same place as scores."""

P_VALUE = ".4f"
"""How p-values are printed, and only these; what rounds to 0 is printed as less than the last place."""

# Signs that every installation has a font for: \$ outside of formulas takes one that many lack.
_LATEX = {
    **{sign: f"\\{sign}" for sign in "#%&_{}"},
    **{"\\": r"$\backslash$", "~": r"$\sim$", "^": r"$\wedge$", "$": r"$\$$"},
    # After a row's \\ these would be its arguments.
    **{"[": "{[}", "*": "{*}"},
    **{
        "±": r"$\pm$",
        "−": "$-$",
        "Δ": r"$\Delta$",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        "≥": r"$\geq$",
        "→": r"$\to$",
        "·": r"$\cdot$",
    },
    **{"–": "--", "“": "``", "”": "''", "’": "'", "…": r"\dots{}"},
}


@dataclass(frozen=True)
class Column:
    """A column's name, and how its numbers with a point are printed."""

    name: str
    format: str = SCORE


class Rows(Sequence[Sequence[Cell]]):
    """Rows that are computed when somebody looks at them.

    Args:
        number: of the rows.
        compute: returns them.

    >>> rows = Rows(1, lambda: [["a", 0.5]])
    >>> len(rows), rows[0]
    (1, ['a', 0.5])
    """

    def __init__(self, number: int, compute: Callable[[], Sequence[Sequence[Cell]]]) -> None:
        self._number, self._compute = number, compute

    @cached_property
    def _rows(self) -> Sequence[Sequence[Cell]]:
        return self._compute()

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]


@dataclass(frozen=True)
class Table:
    """A table of names, numbers and intervals.

    Args:
        name: of its files, without an ending.
        title: what it shows.
        note: how to read it.
        columns: the first holds the names of the rows.
        rows: a cell for each column.
        printed: whether it is short enough to be printed, or goes to files alone.
        drawing: plots the same numbers as a PNG file, for tables that are better looked at.
        apart: how many of the last rows stand apart from the others: those of baselines.

    >>> columns = [Column("Model"), Column("EMS"), Column("95%")]
    >>> rows = [["a_b", 0.5, (0.25, 0.75)], ["c", None, None]]
    >>> table = Table("ems", "Similarity", "Means.", columns, rows)
    >>> print(table.markdown())
    **Similarity.** Means.
    <BLANKLINE>
    | Model |   EMS |            95% |
    | ----- | ----: | -------------: |
    | a_b   | 0.500 | [0.250, 0.750] |
    | c     |     – |              – |
    """

    name: str
    title: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    printed: bool = True
    drawing: Callable[[], bytes] | None = None
    apart: int = 0

    def markdown(self) -> str:
        """Returns title, note and table in Markdown."""
        # Blanks that textwrap does not know as such cost it time by the square.
        said = " ".join(make_printable(f"**{self.title}.** {self.note}").split())
        text = textwrap.fill(said, 100, break_on_hyphens=False)
        between = ["*baselines*", *("" for _ in self.columns[1:])]
        return f"{text}\n\n{_grid(self._header(), self._shown(between))}"

    def csv(self) -> str:
        r"""Returns the table as CSV (`csv_text`): intervals are two columns, estimates four.

        >>> columns = [Column("Model"), Column("EMS 95%")]
        >>> print(Table("ems", "", "", columns, [["a", (0.25, 2 / 3)], ["b", None]]).csv())
        Model,EMS 95% low,EMS 95% high
        a,0.25,0.666667
        b,,
        """
        ends = [_endings([row[i] for row in self.rows]) for i in self._indices()]
        header = [
            column.name + end
            for column, of_column in zip(self.columns, ends, strict=True)
            for end in of_column
        ]
        rows = (
            [
                part
                for cell, of_column in zip(row, ends, strict=True)
                for part in _parts(cell, len(of_column))
            ]
            for row in self.rows
        )
        return csv_text([header, *rows])

    def latex(self) -> str:
        r"""Returns the table as a LaTeX float that needs no package.

        >>> print(Table("t", "A & B", "", [Column("Model"), Column("n")], [["a_b", 3]]).latex())
        \begin{table}
        \centering\small\setlength{\tabcolsep}{4pt}
        \caption{A \& B.}
        \begin{tabular}{lr}
        \hline
        Model & n \\
        \hline
        a\_b & 3 \\
        \hline
        \end{tabular}
        \end{table}
        """
        header, *rows = (
            " & ".join(map(latex_text, row)) + r" \\" if row else r"\hline"
            for row in [self._header(), *self._shown([])]
        )
        lines = [
            r"\begin{table}",
            r"\centering\small\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{latex_text(f'{self.title}. {self.note}')}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}",
            *(r"\hline", header, r"\hline", *rows, r"\hline"),
            *(r"\end{tabular}", r"\end{table}", ""),
        ]
        return "\n".join(lines)

    def _indices(self) -> range:
        return range(len(self.columns))

    def _header(self) -> list[str]:
        return [one_line(column.name) for column in self.columns]

    def _shown(self, between: list[str]) -> list[list[str]]:
        """The rows as texts, with another one above those that stand apart."""
        rows = [
            [format_cell(row[i], self.columns[i].format) for i in self._indices()]
            for row in self.rows
        ]
        place = len(rows) - self.apart
        return [*rows[:place], *([between] if self.apart else []), *rows[place:]]


def format_cell(cell: Cell, format: str = SCORE) -> str:
    """Returns a cell as people read it, in one line and without what a terminal would obey.

    Args:
        cell: a number, a text, an interval, or nothing.
        format: of numbers, as Python's `format` takes it, or `P_VALUE`.

    >>> format_cell(0.5), format_cell(-0.0001, "+.3f"), format_cell(7), format_cell(None), format_cell((0.0, 0.25))
    ('0.500', '+0.000', '7', '–', '[0.000, 0.250]')
    >>> format_cell(0.00004, P_VALUE), format_cell(0.00006, P_VALUE)
    ('<0.0001', '0.0001')
    """
    if isinstance(cell, tuple):
        return (
            DASH
            if _is_missing(cell[0])
            else f"[{format_cell(cell[0], format)}, {format_cell(cell[1], format)}]"
        )
    if isinstance(cell, Estimate):
        group = f" {cell.group}" if cell.group else ""
        half = "" if _is_missing(cell.half) else f" ±{format_cell(cell.half, format)}"
        return f"{format_cell(cell.value, format)}{half}{group}"
    if _is_missing(cell):
        return DASH
    if not isinstance(cell, float):
        return one_line(str(cell))
    text = f"{cell:{format}}"
    if float(text):
        return text
    return "<0.0001" if format == P_VALUE else f"{0.0:{format}}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Returns a table in Markdown; numbers have three decimals, missing values are dashes.

    >>> print(markdown(["Model", "EMS"], [["a", 0.5], ["bc", None]]))
    | Model |   EMS |
    | ----- | ----: |
    | a     | 0.500 |
    | bc    |     – |
    """
    return _grid(header, [[format_cell(cell) for cell in row] for row in rows])


LEADERBOARD = "leaderboard"
"""The section of each benchmark that shows its models, the best first."""


def section_tables(
    sections: Mapping[str, Callable[[Group], Iterator[Table]]],
    groups: Iterable[Group],
    names: Iterable[str] | None = None,
) -> list[Table]:
    """Returns the tables of groups of answers, group by group, section by section.

    Args:
        sections: name to what makes the tables of a group.
        groups: the answers.
        names: of the sections to show, by default all; those that are not there are none.

    >>> sections = {"best": lambda group: iter([f"best of {group}"]), "all": iter}
    >>> section_tables(sections, ["ab"]), section_tables(sections, ["ab", "c"], ["all", "other"])
    (['best of ab', 'a', 'b'], ['a', 'b', 'c'])
    """
    wanted = set(sections if names is None else names)
    return [
        table
        for group in groups
        for name, section in sections.items()
        if name in wanted
        for table in section(group)
    ]


def for_each(
    section: Callable[[Group], Iterator[Table]],
) -> Callable[[Sequence[Group]], Iterator[Table]]:
    """Returns a section of several groups: the tables of the one, then those of the next.

    >>> list(for_each(lambda group: iter([f"best of {group}"]))("ab"))
    ['best of a', 'best of b']
    """

    def tables(groups: Sequence[Group]) -> Iterator[Table]:
        for group in groups:
            yield from section(group)

    return tables


def model_table(
    name: str,
    title: str,
    note: str,
    models: Sequence[str],
    columns: Mapping[str, Sequence[Cell]],
    *,
    ranking: Sequence[str] | None = None,
    apart: Collection[str] = (),
    format: str = SCORE,
) -> Table:
    """Returns a table with a row for each model.

    Args:
        name: see `Table`.
        title: see `Table`.
        note: see `Table`.
        models: names.
        columns: header to a cell for each model.
        ranking: the models in the order of the rows, if that is another.
        apart: models that stand below the others, in the same order.
        format: of the numbers.

    >>> table = model_table("t", "T", "", ["a", "b"], {"EMS": [0.5, 0.7]}, ranking=["b", "a"])
    >>> table.rows
    [['b', 0.7], ['a', 0.5]]
    >>> print(model_table("t", "T", "", ["a", "b"], {"n": [1, 2]}, apart=["a"]).markdown())
    **T.**
    <BLANKLINE>
    | Model       |   n |
    | ----------- | --: |
    | b           |   2 |
    | *baselines* |     |
    | a           |   1 |
    """
    row_of = {
        model: [model, *(cells[number] for cells in columns.values())]
        for number, model in enumerate(models)
    }
    return Table(
        name,
        title,
        note,
        [Column("Model"), *(Column(header, format) for header in columns)],
        [row_of[model] for model in sorted(ranking or models, key=apart.__contains__)],
        apart=len({*apart}.intersection(models)),
    )


def write_tables(tables: Iterable[Table], folder: Path) -> list[Path]:
    """Writes each table as CSV and LaTeX, and where it has a drawing as PNG.

    Returns:
        The files.

    Raises:
        SetupError: the folder can't be written.
    """
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            for ending, text in (("csv", table.csv()), ("tex", table.latex())):
                files.append(folder / f"{file_name(table.name)}.{ending}")
                write_text(files[-1], text)
            if table.drawing:
                files.append(folder / f"{file_name(table.name)}.png")
                write_atomically(files[-1], table.drawing())
    except OSError as error:
        raise SetupError(f"{folder} can't be written: {error}") from error
    return files


def format_count(number: int, noun: str) -> str:
    """Returns a number with its noun.

    >>> format_count(1, "model"), format_count(0, "model")
    ('1 model', '0 models')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def list_some(names: Iterable[str], limit: int = 5, separator: str = ", ") -> str:
    """Returns the first few of several names.

    >>> list_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    names = list(names)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return separator.join(names[:limit]) + more


def latex_text(text: str) -> str:
    r"""Returns a text so that LaTeX prints it: signs escaped, other alphabets as question marks.

    >>> print(latex_text("50% of [a_b] ≥ é"))
    50\% of {[}a\_b] $\geq$ e
    """
    signs = []
    for sign in " ".join(make_printable(text).split()):
        basic = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        plain = "".join(_LATEX.get(letter, letter) for letter in basic)
        signs.append(_LATEX.get(sign, plain or ("" if unicodedata.combining(sign) else "?")))
    return "".join(signs)


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    table = [[_PIPE.sub(_escape_pipe, cell) for cell in row] for row in [header, *rows]]
    widths = [max(3, *(len(row[i]) for row in table)) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        first, *rest = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        return f"| {' | '.join(cells)} |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(table[0]), f"| {' | '.join(rule)} |", *map(line, table[1:])])


_PIPE = Pattern(r"\\*\|")


def _escape_pipe(pipe: Match) -> str:
    """A pipe that ends no cell, whatever backslashes stand before it."""
    return pipe[0][:-1] * 2 + "\\|"


def _is_missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _endings(cells: Sequence[Cell]) -> Sequence[str]:
    """What the names of a column's parts end with."""
    if any(isinstance(cell, Estimate) for cell in cells):
        return ("", " SE", " low", " high", " tied")
    return (" low", " high") if any(isinstance(cell, tuple) for cell in cells) else ("",)


def _parts(cell: Cell, number: int) -> Sequence[str | float | None]:
    if isinstance(cell, Estimate):
        return [cell.value, cell.error, *cell.interval, cell.group or None]
    if isinstance(cell, tuple):
        return cell
    return [cell] if number == 1 else [None] * number
