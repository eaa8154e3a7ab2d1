"""What runs of MMR will take."""

from collections.abc import Sequence
from functools import lru_cache

from helm_structext.data import NEWEST, Row
from helm_structext.errors import SetupError
from helm_structext.mmr.rows import DATASET, SPLITS, number_rows
from helm_structext.mmr.tasks import KINDS, TASKS, prompt_of, read_answer
from helm_structext.planning.records import (
    Arguments,
    Dataset,
    Expected,
    Planning,
    picture_tokens,
    text_tokens,
)

ROWS = {
    "recognition_label": 59,
    "recognition_pos": 60,
    "font_size": 58,
    "font_color": 50,
    "localize_o": 50,
    "localize_t": 53,
    "spatial_ot": 50,
    "spatial_oo": 59,
    "spatial_tt": 57,
    "grounding_o": 513,
    "grounding_t": 993,
}
"""Of each task in the published data; a run takes the first ones, up to its limit."""


def _tasks(arguments: Arguments) -> tuple[str, ...]:
    return tuple(TASKS) if arguments["task"] == "all" else (arguments["task"],)


def _datasets(arguments: Arguments) -> list[Dataset]:
    return [Dataset(DATASET, "default", SPLITS, arguments["revision"])]


def _expect(arguments: Arguments) -> list[Expected]:
    source, revision = arguments["source"], arguments["revision"]
    found = _of_all_tasks(source, arguments["limit"], arguments["system"], revision)
    tasks = _tasks(arguments)
    return [of_row for task, of_row in found if task in tasks]


@lru_cache(maxsize=8)
def _of_all_tasks(
    source: str, limit: int, system: str, revision: str
) -> Sequence[tuple[str, Expected]]:
    rows = number_rows(source, TASKS, limit, revision)
    return [(task, _of_row(row, task, system)) for row, task, _ in rows]


def _of_row(row: Row, task: str, system: str) -> Expected:
    kind = TASKS[task]
    try:
        answer = KINDS[kind].write(read_answer(kind, row.verbatim("Answer")))
    except ValueError as error:
        raise SetupError(f"{row.origin}: column 'Answer': {error}") from error
    prompt = prompt_of(row.verbatim("Question"), kind, system)
    picture = picture_tokens(row.picture_size("image"))
    return Expected(text_tokens(prompt) + picture, text_tokens(answer, code=True), pictures=1)


def _find_published(arguments: Arguments) -> tuple[int, Arguments]:
    number = sum(min(arguments["limit"], ROWS[task]) for task in _tasks(arguments))
    return number, {**arguments, "source": "sample", "revision": NEWEST}


PLANNING = Planning(_datasets, _expect, _find_published)
