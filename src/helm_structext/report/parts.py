"""What a benchmark's part of the report is: data, of which the page has one way to draw each kind.

A benchmark has a *view*: a sheet for each condition under which its models were asked, with sections of
boards, matrices, radars and tables, and below them the answers, which facets filter, metrics sort and
panels (`helm_structext.report.panels`) show.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from helm_structext.errors import ERROR_KINDS
from helm_structext.report.panels import Panel
from helm_structext.report.words import Word, words_in, words_of
from helm_structext.results.model_facts import fact_columns
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.runs import InstanceResult
from helm_structext.results.tabular import LEADERBOARD, SCORE, Cell, Table, format_cell
from helm_structext.scoring.handling import INTERNAL, JUDGE
from helm_structext.scoring.scorer import InstanceKey

MAX_CELLS = 20_000
"""Of one table that a report shows."""

AnyResultSet = TypeVar("AnyResultSet", bound=ResultSet[Any])

Filters = Mapping[str, str]
"""Which answers a click shows: a facet's name to its value; ``order`` says in which order."""


@dataclass(frozen=True)
class Metric:
    """A number that each answer may have.

    Args:
        name: in the answers' scores.
        label: its short name on the page.
        words: what words in the label mean.
        less: whether less is better.
        brief: whether it stands on every card, chosen or not.
        verdict: whether 1 means right, 0 wrong, and all between half right.
    """

    name: str
    label: str
    words: Sequence[Word] = ()
    less: bool = False
    brief: bool = False
    verdict: bool = False


def brief_metrics(
    labels: Mapping[str, str], words: Mapping[str, str] | None = None
) -> list[Metric]:
    """Returns metrics that stand on every card.

    Args:
        labels: name to label.
        words: short words of the benchmark, with their meanings.
    """
    return [
        Metric(name, label, words_in([label], words or {}), brief=True)
        for name, label in labels.items()
    ]


@dataclass(frozen=True)
class Facet:
    """What answers are filtered by; the page has one for models beside those of the view.

    Args:
        name: in addresses, and in the tags of instances and answers.
        label: above the choice.
        options: value to label; the page offers those that its answers have.
        groups: value to the heading that it stands under, for values that have one.
    """

    name: str
    label: str
    options: Mapping[str, str]
    groups: Mapping[str, str] = field(default_factory=dict)


Figure = tuple[float, str]
"""A number of many answers: for bars and shades, and as every table prints it."""


@dataclass(frozen=True)
class Score:
    """A number in a board.

    Args:
        text: as tables print it.
        value: for its bar, and to sort by; None for what is no number.
        interval: its two ends, or None.
        title: what a pointer is told.
    """

    text: str
    value: float | None = None
    interval: tuple[Figure, Figure] | None = None
    title: str = ""

    def data(self) -> list[Any]:
        """Returns it as the page reads it: boards may have tens of thousands."""
        found = [self.text, self.value, *(self.interval or (None, None)), self.title]
        while len(found) > 2 and not found[-1]:
            found.pop()
        return found


@dataclass(frozen=True)
class Counts:
    """How many of a model's answers have each value of a facet: a stacked bar.

    Args:
        facet: its name.
        counts: value to number, in the order of the bar.
    """

    facet: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Spread:
    """How many of a model's answers score in each of some equal parts from 0 to 1: a histogram.

    Args:
        bins: a number for each part.
    """

    bins: Sequence[int]


BoardCell = Score | Counts | Spread | None


@dataclass(frozen=True)
class BoardColumn:
    """A column of a board.

    Args:
        title: its header.
        small: below that.
        group: heading over columns side by side, or "".
        group_small: below that.
        most: where bars end, or None for no bars.
        best: whether the highest number is marked.
        show: which answers a click on a cell shows, beside the model's.
        when: number of the section's option with which it is shown, or None for all.
    """

    title: str
    small: str = ""
    group: str = ""
    group_small: str = ""
    most: float | None = None
    best: bool = False
    show: Filters = field(default_factory=dict)
    when: int | None = None


@dataclass(frozen=True)
class BoardRow:
    """A model's row.

    Args:
        model: its name.
        cells: one for each column.
    """

    model: str
    cells: Sequence[BoardCell]


@dataclass(frozen=True, kw_only=True)
class Item:
    """What stands in a section.

    Args:
        title: what it is called.
        note: how to read it.
        words: short words in it, with their meanings.
        when: number of the section's option with which it is shown, or None for all.
    """

    title: str = ""
    note: str = ""
    words: Sequence[Word] = ()
    when: int | None = None


@dataclass(frozen=True, kw_only=True)
class Note(Item):
    """What is said of all that stands above it."""


@dataclass(frozen=True, kw_only=True)
class Board(Item):
    """Models by columns, which readers sort.

    Args:
        columns: from left to right.
        rows: the best model first.
        show: which answers a click on a model shows, beside its own.
        keys: whether the keys that choose models stand before the rows.
        heading: whether the title stands above it.
    """

    columns: Sequence[BoardColumn]
    rows: Sequence[BoardRow]
    show: Filters = field(default_factory=dict)
    keys: bool = False
    heading: bool = False


@dataclass(frozen=True)
class MatrixRow:
    """A row of a matrix.

    Args:
        title: its header.
        cells: one for each column, or None; a number from -1 to 1 is the shade, and its text.
        group: heading over rows one below the other, or "".
        show: which answers a click on a cell shows, beside the column's model's.
    """

    title: str
    cells: Sequence[Figure | None]
    group: str = ""
    show: Filters = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Matrix(Item):
    """Shaded numbers: of models, or of pairs of metrics, of which a click plots the answers.

    Args:
        columns: names of models or of metrics.
        rows: from top to bottom; of metrics, in the order of the columns.
        corner: header of the rows.
        pairs: whether rows and columns are metrics.
        leave_out: models that are not plotted.
        plot: which answers are plotted.
    """

    columns: Sequence[str]
    rows: Sequence[MatrixRow]
    corner: str = ""
    pairs: bool = False
    leave_out: Sequence[str] = ()
    plot: Filters = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Radar(Item):
    """An axis for each of some counts, a line for each model.

    Args:
        axes: what is counted, to what it is counted out of.
        lines: model to a count for each axis, or None.
    """

    axes: Mapping[str, int]
    lines: Mapping[str, Sequence[int | None]]


@dataclass(frozen=True, kw_only=True)
class Printed(Item):
    """A table as `helm-structext tables` prints it.

    Args:
        columns: headers.
        rows: texts; the first is the row's name.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Section:
    """A part of a sheet that is gone to by a link of its own.

    Args:
        name: in addresses.
        title: its heading.
        items: from top to bottom.
        switch: label of a choice, or "" for none.
        options: what is chosen from.
        first: number of the option that is chosen at first.
        printed: whether it stands on paper, too.
    """

    name: str
    title: str
    items: Sequence[Item]
    switch: str = ""
    options: Sequence[str] = ()
    first: int = 0
    printed: bool = True


@dataclass(frozen=True)
class Sheet:
    """All that is shown of one condition.

    Args:
        label: the condition.
        result_sets: whose answers are shown.
        ranking: their models, as the leaderboard ranks them.
        sections: above the answers.
        warning: what nobody may overlook, or "".
    """

    label: str
    result_sets: Sequence[Any]
    ranking: Sequence[str]
    sections: Sequence[Section]
    warning: str = ""


def add_fact_columns(sheet: Sheet) -> Sheet:
    """Returns a sheet whose leaderboards begin with access and size of the models, where any is known.

    Args:
        sheet: as a benchmark describes it.
    """
    facts = {name: of for one in sheet.result_sets for name, of in one.model_facts.items()}

    def describe(item: Item) -> Item:
        if not isinstance(item, Board):
            return item
        added = fact_columns(facts, [row.model for row in item.rows])
        cells = [
            [_fact_cell(cell, column.format) for cell in of_column]
            for column, of_column in added.items()
        ]
        return replace(
            item,
            columns=[*(BoardColumn(column.name) for column in added), *item.columns],
            rows=[
                replace(row, cells=[*(of_column[place] for of_column in cells), *row.cells])
                for place, row in enumerate(item.rows)
            ],
        )

    return replace(
        sheet,
        sections=[
            replace(section, items=[*map(describe, section.items)])
            if section.name == LEADERBOARD
            else section
            for section in sheet.sections
        ],
    )


def _fact_cell(cell: Cell, format: str) -> Score | None:
    if cell is None:
        return None
    return Score(format_cell(cell, format), cell if isinstance(cell, float) else None)


@dataclass(frozen=True)
class View:
    """A benchmark's part of the report, but for its answers.

    Args:
        title: the benchmark's name in prose.
        metrics: of answers, in the order in which scores are listed.
        score: the name of that which shades the grid, and sorts at first.
        facets: what answers are filtered by, beside their models.
        sheets: one for each condition.
        unit: what the list shows: a card for each answer, or, if it is another word, for each instance
            with all answers to it.
        plan: the title of plans of what moves where between two pictures, or "" where there are none.
        boxes: whether boxes are drawn over pictures.
        marks: the facet of mistakes that are drawn over the output of answers that have some, or "" where there are none.
    """

    title: str
    metrics: Sequence[Metric]
    score: str
    facets: Sequence[Facet]
    sheets: Sequence[Sheet]
    unit: str = "answer"
    plan: str = ""
    boxes: bool = False
    marks: str = ""


Tags = Mapping[str, Sequence[str]]
"""Facet to the values that an instance or an answer has."""


@dataclass(frozen=True)
class Instance:
    """What answers are to.

    Args:
        part: the subset or task, unique in the benchmark, for addresses and files.
        label: the same for readers.
        tags: what it is found by.
        remarks: short facts.
        input: path of the picture that is asked about, or None.
        reference: path of the picture that answers should give, or None.
        resize: whether pictures are compared in the reference's size, or padded to the larger one.
        panels: what else there is to see.
    """

    part: str
    label: str
    tags: Tags = field(default_factory=dict)
    remarks: Sequence[str] = ()
    input: Path | None = None
    reference: Path | None = None
    resize: bool = False
    panels: Sequence[Panel] = ()

    @property
    def pictures(self) -> list[Path]:
        """Its pictures."""
        return [path for path in (self.input, self.reference) if path]


@dataclass(frozen=True)
class AnswerCard:
    """What came of an answer.

    Args:
        scores: metric to value; a metric without a value is absent.
        tags: what it is found by.
        kind: of its failure, or None.
        error: the message of that, or "".
        input: path of what the model saw in place of the instance's input, or None.
        output: path of the picture that the answer gave, or None.
        panels: what else there is to see.
    """

    scores: Mapping[str, float]
    tags: Tags = field(default_factory=dict)
    kind: str | None = None
    error: str = ""
    input: Path | None = None
    output: Path | None = None
    panels: Sequence[Panel] = ()

    @property
    def pictures(self) -> list[Path]:
        """Its pictures."""
        return [path for path in (self.input, self.output) if path]


class ReportPart(Protocol):
    """A benchmark's part of the report: a module with these functions, which only describe.

    Numbers, files and the page itself are made of what they return. All result sets are of the
    benchmark, and there is at least one.
    """

    def make_view(self, result_sets: Sequence[Any]) -> View:
        """Returns what is shown above the answers, and how these are filtered and sorted.

        Args:
            result_sets: all that the report shows.
        """

    def describe_instance(self, answer: Any) -> Instance:
        """Returns what an answer is to.

        Args:
            answer: any of those to the instance.
        """

    def describe_answer(self, answer: Any, *, plans: bool) -> AnswerCard:
        """Returns what came of an answer.

        Args:
            answer: of a result set.
            plans: whether plans of what moves where may be computed.
        """


Parts = Mapping[str, tuple[ReportPart, Sequence[ResultSet[Any]]]]
"""Name of a benchmark to its part of the report, and what that shows."""


@dataclass(frozen=True)
class Shown(Generic[AnyResultSet]):
    """A result set in the report.

    Args:
        sheet: number of the sheet that it stands on.
        result_set: what tables and charts show.
        ranking: the sheet's models, as its leaderboard ranks them.
        instances: those whose answers are shown, of the result set's in their order.
    """

    sheet: int
    result_set: AnyResultSet
    ranking: Sequence[str]
    instances: Sequence[InstanceKey]

    @property
    def answers(self) -> Iterator[Any]:
        """The answers that are shown, instance by instance, the best model's first."""
        keys = ((model, instance) for instance in self.instances for model in self.ranking)
        return (found for key in keys if (found := self.result_set.answers.get(key)))


def all_shown(view: View) -> list[Shown[Any]]:
    """Returns the result sets of a view with all their answers.

    Args:
        view: of a benchmark.
    """
    return [
        Shown(number, one, sheet.ranking, one.instances)
        for number, sheet in enumerate(view.sheets)
        for one in sheet.result_sets
    ]


FAILURES: tuple[str, ...] = (*ERROR_KINDS, INTERNAL, JUDGE)
"""Kinds of failures, in the order in which they are listed."""

OUTCOMES = {
    **{kind: f"failed: {kind}" for kind in FAILURES},
    JUDGE: "not judged",
    "truncated": "truncated",
    "refused": "refused",
}
"""What may come of any answer: values of a facet, with their labels."""


def outcomes_of(answer: InstanceResult, kind: str | None = None, **ours: bool) -> list[str]:
    """Returns which outcomes an answer has, those of `OUTCOMES` last.

    Args:
        answer: of any benchmark.
        kind: of its failure, or None.
        ours: which of the benchmark's own it has.
    """
    failed = {kind: True} if kind else {}
    found = {**ours, **failed, "truncated": answer.truncated, "refused": answer.refused}
    return [name for name, is_so in found.items() if is_so]


def print_table(
    table: Table, words: Mapping[str, str] | None = None, when: int | None = None
) -> Printed:
    """Returns a table as the page shows it: every cell as text.

    Of a table that would make the page slow, such as that of all pairs of 200 models, there are the header and
    where the rows are.

    Args:
        table: as `helm-structext tables` prints it.
        words: short words of the benchmark, with their meanings.
        when: see `Item`.
    """
    number = len(table.rows)
    if number * len(table.columns) > MAX_CELLS:
        where = (
            f"{number:,} rows are too many for a page: helm-structext tables -o FOLDER writes them."
        )
        table = replace(table, note=f"{table.note} {where}", rows=[])
    return Printed(
        title=table.title,
        note=table.note,
        words=words_of(table, words or {}),
        when=when,
        columns=[column.name for column in table.columns],
        rows=[
            [
                format_cell(cell, column.format)
                for cell, column in zip(row, table.columns, strict=True)
            ]
            for row in table.rows
        ],
    )


def tables_section(tables: Iterable[Table], words: Mapping[str, str]) -> list[Section]:
    """Returns a section of which one table is shown at a time; none where there are no tables.

    Args:
        tables: as `helm-structext tables` prints them.
        words: short words of the benchmark, with their meanings.
    """
    items = [print_table(table, words, number) for number, table in enumerate(tables)]
    titles = [item.title for item in items]
    return [Section("tables", "Tables", items, "Table", titles, printed=False)] if items else []


PLACE = Decimal(f"{0:{SCORE}}")
"""The last place of scores that the page shows."""


def figure(value: float | None, format: str = SCORE) -> Figure | None:
    """Returns a number with its text, or None where there is none.

    >>> figure(2 / 3), figure(62.345678, ".1f"), figure(math.nan)
    ((0.666667, '0.667'), (62.345678, '62.3'), None)
    """
    if value is None or not math.isfinite(value):
        return None
    return round(value, 6), format_cell(float(value), format)


def score(
    value: float | None, interval: Sequence[float] | None = None, format: str = SCORE
) -> Score | None:
    """Returns a number for a board, or None where there is none.

    Args:
        value: the number.
        interval: its two ends, if they are known.
        format: as tables print it.

    >>> score(0.5, (0.25, 0.75))
    Score(text='0.500', value=0.5, interval=((0.25, '0.250'), (0.75, '0.750')), title='')
    >>> score(0.5, (math.nan, math.nan)).interval, score(math.nan)
    (None, None)
    """
    whole = figure(value, format)
    if whole is None:
        return None
    low, high = (figure(end, format) for end in interval or (None, None))
    return Score(whole[1], whole[0], (low, high) if low and high else None)


def tie(groups: Mapping[str, str], model: str) -> Score | None:
    """Returns the letters of the groups of ties that a model is in, for a board, or None.

    Args:
        groups: model to letters.
        model: its name.
    """
    return Score(groups[model]) if model in groups else None


def round_score(value: float) -> float | None:
    """Returns the score of one answer, of which the page itself makes the text.

    It has six decimals, unless a browser would make another text of them than `format_cell` makes of the
    whole number: where that lies half-way between two texts, or does so when it is rounded.

    Returns:
        None for what is not a number, which JSON does not have.

    >>> round_score(2 / 3), round_score(0.0625), round_score(0.5624999999), round_score(-0.0001), round_score(math.nan)
    (0.666667, 0.062, 0.562, 0.0, None)
    """
    if not math.isfinite(value):
        return None
    fine = round(value, 6)
    text = f"{Decimal(fine).quantize(PLACE, ROUND_HALF_UP)}"  # as `toFixed` does
    return fine if text == format_cell(float(value)) else float(format_cell(float(value)))
