"""Leaderboards of a finished suite, pooled over instances."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from helm_structext.suite import Result

Cells = Mapping[str, Mapping[str, float]]
"""Column to row to value."""


def means(results: Iterable[Result], metric: str) -> dict[tuple[str, str], dict[str, float]]:
    """Returns a metric's mean over instances: (domain, subset) to model to mean."""
    values: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if metric in result.scores:
            values[result.domain, result.subset][result.model].append(result.scores[metric])
    return {
        group: {model: fmean(of_model) for model, of_model in models.items()}
        for group, models in values.items()
    }


def mean_win_rates(columns: Cells) -> dict[str, float]:
    """Returns each row's mean over columns of the share of other rows that it beats.

    Higher values win; a tie counts as half a win, as in helm-summarize (paper, section 3.3).

    >>> mean_win_rates({"EMS": {"a": 0.9, "b": 0.5, "c": 0.5}, "rendered": {"a": 1, "b": 1}})
    {'a': 0.75, 'b': 0.375, 'c': 0.25}
    """
    rates: dict[str, list[float]] = defaultdict(list)
    for column in columns.values():
        if len(column) < 2:
            continue
        for row, value in column.items():
            others = [other for name, other in column.items() if name != row]
            wins = sum((value > other) + (value == other) / 2 for other in others)
            rates[row].append(wins / len(others))
    return {row: fmean(of_row) for row, of_row in rates.items()}


def markdown(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Returns a table in Markdown; numbers have three decimals, missing values are dashes.

    >>> print(markdown(["Model", "EMS"], [["a", 0.5], ["bc", None]]))
    | Model | EMS   |
    | ----- | ----: |
    | a     | 0.500 |
    | bc    |     – |
    """
    cells = [
        [
            "–" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)
            for cell in row
        ]
        for row in rows
    ]
    widths = [max(3, *(len(row[i]) for row in [list(header), *cells])) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        first, *rest = (
            cell.rjust(width) if i and row is not header else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return f"| {' | '.join([first, *rest])} |"

    rule = [("-" * (width - 1) + ":") if i else "-" * width for i, width in enumerate(widths)]
    return "\n".join([line(header), f"| {' | '.join(rule)} |", *map(line, cells)])


def leaderboard(results: Sequence[Result]) -> str:
    """Returns Table 2 of the Image2Struct paper for a suite: one table for each protocol."""
    tables = []
    for protocol in sorted({result.protocol for result in results}):
        ours = [result for result in results if result.protocol == protocol]
        columns = {
            f"{label} {domain.removeprefix('image2struct_')}/{subset}": column
            for metric, label in (
                ("earth_mover_similarity", "EMS"),
                ("compilation_success", "rendered"),
            )
            for (domain, subset), column in sorted(means(ours, metric).items())
        }
        rates = mean_win_rates(columns)
        models = sorted({result.model for result in ours}, key=lambda model: -rates.get(model, 0.0))
        header = ["Model", "Mean win rate", *columns]
        rows = [
            [model, rates.get(model), *(column.get(model) for column in columns.values())]
            for model in models
        ]
        tables.append(
            f"Image2Struct, protocol={protocol}; means over instances, failures count as 0\n\n"
            + markdown(header, rows)
        )
    return "\n\n".join(tables)
