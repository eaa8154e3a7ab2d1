"""Rows of MMR's dataset, task by task."""

from collections import Counter
from collections.abc import Collection, Iterator

from helm_structext.data import NEWEST, Row, load_rows
from helm_structext.errors import SetupError
from helm_structext.mmr.tasks import TASKS
from helm_structext.texts import quote_value

DATASET = "puar-playground/MMR"
SPLITS = ("train", "test")
"""The dataset's only split, by its present and its older name."""


def rows_of_run(
    source: str, tasks: Collection[str], limit: int, revision: str = NEWEST
) -> Iterator[tuple[Row, str, str]]:
    """Yields what `number_rows` does, and sees that there is something of each task.

    Args:
        source: see `number_rows`; so are the others.
        tasks: see there.
        limit: see there.
        revision: see there.

    Raises:
        SetupError: see `number_rows`; or there is no row of a task.
    """
    missing = dict.fromkeys(tasks)
    for row, task, name in number_rows(source, tasks, limit, revision):
        missing.pop(task, None)
        yield row, task, name
    for task in missing:
        raise SetupError(f"source={source} has no row with task {task}")


def number_rows(
    source: str, tasks: Collection[str], limit: int, revision: str = NEWEST
) -> Iterator[tuple[Row, str, str]]:
    """Yields the first rows of each task, in the source's order.

    Args:
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        tasks: keys of `helm_structext.mmr.tasks.TASKS`.
        limit: how many rows of each.
        revision: of the published dataset.

    Yields:
        A row, its task, and its name: the task and a number from 0 on.

    Raises:
        SetupError: the source can't be read, or a row's task is unknown.
    """
    found: Counter[str] = Counter()
    rows = load_rows(
        source,
        benchmark="mmr",
        dataset=DATASET,
        config="default",
        splits=SPLITS,
        revision=revision,
    )
    for row in rows:
        task = row.verbatim("task")
        if task not in TASKS:
            raise SetupError(
                f"{row.origin}: task {quote_value(task)} is unknown; it is one of {', '.join(TASKS)}"
            )
        if task in tasks and found[task] < limit:
            yield row, task, f"{task}-{found[task]}"
            found[task] += 1
            if all(found[other] >= limit for other in tasks):
                return
