"""What a suite took: requests, pictures and tokens, by model, by run and in all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from helm_structext.baselines import is_offline
from helm_structext.results.result_sets import ResultSet, group_values
from helm_structext.results.runs import InstanceResult, RequestUsage
from helm_structext.results.tabular import Cell, Column, Table

WHOLE = "all"
"""The row of all models."""

QUANTITIES = {
    "Pictures": "pictures",
    "Input tokens": "input_tokens",
    "Output tokens": "output_tokens",
}
"""Header to what a `RequestUsage` says."""

NOTE = (
    "Tokens of models: as HELM counts them by the tokenizer of the model's deployment, in prompts of the words "
    "alone; those of judges: as the provider counts them. Sums are over the requests of which a number is "
    "known; how many others there are stands in the columns with a question mark. A request that HELM's cache "
    "answered counts too, and an answer that several runs share counts once."
)
OFFLINE = " Offline models ask no server and take no tokens."
APART = " They stand apart, and count in no row of all."


def usage_tables(result_sets: Iterable[ResultSet[Any]]) -> Iterator[Table]:
    """Yields what each model took and all together, then what each run took.

    Args:
        result_sets: of all benchmarks of a suite; an answer that is in several counts once.
    """
    answers: Mapping[tuple[str, str, Any], InstanceResult] = {
        (answer.run, model, answer.key): answer
        for one in result_sets
        for model in one.models
        for answer in one.of_model(model)
    }
    found = [
        (answer.run, name, usage)
        for answer in answers.values()
        for name, usage in answer.usage.items()
    ]
    if not found:
        return
    of_model = group_values(found, lambda one: one[1])
    hosted = {name: ours for name, ours in sorted(of_model.items()) if not _is_offline(name)}
    offline = {name: ours for name, ours in sorted(of_model.items()) if _is_offline(name)}
    whole = {WHOLE: [one for ours in hosted.values() for one in ours]} if hosted else {}
    yield _table(
        "usage", "Usage", [*hosted.items(), *whole.items(), *offline.items()], len(offline)
    )
    runs = group_values(found, lambda one: (one[0], _is_offline(one[1])))
    ordered = sorted(runs.items(), key=lambda item: (item[0][1], item[0][0]))
    yield _table(
        "usage-runs",
        "Usage by run",
        [(run, ours) for (run, _), ours in ordered],
        sum(apart for (_, apart), _ in ordered),
    )


def _is_offline(name: str) -> bool:
    return is_offline(name.removesuffix(" (judge)"))


def _table(
    name: str,
    title: str,
    rows: Sequence[tuple[str, Sequence[tuple[str, str, RequestUsage]]]],
    apart: int,
) -> Table:
    """A row for each group of requests; columns of what is unknown only where there is any."""
    cells: dict[str, list[Cell]] = {
        "Requests": [sum(usage.requests for *_, usage in ours) for _, ours in rows]
    }
    for header, quantity in QUANTITIES.items():
        values = [[getattr(usage, quantity) for *_, usage in ours] for _, ours in rows]
        known = [[value for value in of_row if value is not None] for of_row in values]
        unknown = [len(all) - len(some) for all, some in zip(values, known, strict=True)]
        cells[header] = [sum(some) if some else None for some in known]
        if any(unknown[: len(rows) - apart]):
            cells[f"{header}?"] = [*unknown]
    return Table(
        name,
        title,
        NOTE + (OFFLINE if apart else "") + (APART if 0 < apart < len(rows) else ""),
        [Column("Run" if name.endswith("runs") else "Model"), *map(Column, cells)],
        [
            [row, *(column[place] for column in cells.values())]
            for place, (row, _) in enumerate(rows)
        ],
        apart=apart if apart < len(rows) else 0,
    )
