"""Which instance another harness's record is about: its own names, to those of our runs.

A record is a row of a dataset as the harness kept it, column to value.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from helm_structext.completions.predictions import RequestPlace
from helm_structext.texts import quote_value, unquote_json

ID_COLUMNS = ("instance", "uuid", "task_id")
"""Columns that name an instance; the first that is there counts. The first is of datasets that were made
for a harness, the others are Image2Struct's and StructEval's."""
TASK_COLUMN = "task"
"""Of MMR, whose rows have no names."""


def instance_of(
    record: Mapping[str, Any], number: object, named: Callable[[], Mapping[int, str]]
) -> str | None:
    """Returns the instance that a record is about, or None where no column says it.

    Args:
        record: of a dataset.
        number: of the record in its dataset, from 0.
        named: returns the names of MMR's questions (`number_tasks`); called where they are needed.

    Raises:
        ValueError: a question of MMR has no number.

    >>> instance_of({"uuid": '"0a1b"', "task": ""}, 7, dict)
    '0a1b'
    >>> instance_of({"task": "font_color"}, 7, lambda: {7: "font_color-2"})
    'font_color-2'
    """
    for column in ID_COLUMNS:
        value = record.get(column)
        if isinstance(value, str | int) and value != "":
            return unquote_json(str(value))
    if not isinstance(record.get(TASK_COLUMN), str):
        return None
    names = named()
    if not isinstance(number, int) or number not in names:
        raise ValueError(f"a question of MMR has the number {quote_value(number)}")
    return names[number]


def number_tasks(records: Iterable[tuple[int | None, Mapping[str, Any]]]) -> dict[int, str]:
    """Names MMR's questions as its runs do: the task, and how many of the task come before.

    Args:
        records: numbers from 0 on in the dataset, each with its record, in any order; a number may
            come again, and None stands for what is no number.

    Raises:
        ValueError: numbers are left out, so that nobody knows how many of a task come before.

    >>> number_tasks([(1, {"task": "b"}), (0, {"task": "a"}), (2, {"task": "b"})])
    {0: 'a-0', 1: 'b-0', 2: 'b-1'}
    """
    tasks = {number: record.get(TASK_COLUMN) for number, record in records}
    if tasks.keys() != set(range(len(tasks))):
        raise ValueError(
            "MMR's questions have no names and are counted, and those of this file are not numbered "
            f"from 0 to {len(tasks) - 1}; add a column 'instance' to the dataset of the harness, such "
            "as font_color-0"
        )
    found: Counter[str] = Counter()
    names = {}
    for number in range(len(tasks)):
        task = str(tasks[number])
        names[number] = f"{task}-{found[task]}"
        found[task] += 1
    return names


def place_of(instance: str, record: Mapping[str, Any], entry: str | None) -> RequestPlace:
    """Returns where an answer is scored.

    Args:
        instance: the id.
        record: may name a run entry as ``entry``.
        entry: the run entry that counts for all records, or None.

    Raises:
        ValueError: none is named.
    """
    named = entry or record.get("entry")
    if not isinstance(named, str) or not named:
        raise ValueError("it names no run entry; name one by --benchmark")
    return RequestPlace("", named, instance)
