"""What describes the rows of MMR's dataset, and what is in its pictures, where that is known.

Source: MMR, Figures 2 and 3, for which an OCR model read texts and another one named objects.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from helm_structext.data import Row
from helm_structext.data.sources import SAMPLES
from helm_structext.errors import SetupError
from helm_structext.mmr.rows import number_rows
from helm_structext.mmr.tasks import TASKS, read_answer
from helm_structext.results.descriptions import RowFacts, split_words
from helm_structext.texts import describe_error

Shown = Mapping[str, Sequence[str]]

MAX_LINE = 2**20
"""Characters of a line of ``scenes.jsonl``."""


def describe_source(entry: str, source: str, revision: str) -> Iterator[RowFacts]:
    """Yields what describes each row, whichever task it is of.

    Args:
        entry: the name of the run entry.
        source: ``hub``, ``sample`` or a folder.
        revision: of the published dataset.

    Raises:
        SetupError: the source can't be read, or a row is not as it should be.
    """
    folder = SAMPLES / entry if source == "sample" else Path(source).expanduser()
    scenes = {} if source == "hub" else dict(_scenes(folder / "scenes.jsonl"))
    every = 2**62  # rows of a task: the limit of runs is no part of the dataset
    for row, task, _ in number_rows(source, TASKS, every, revision):
        yield _of_row(row, task, scenes)


def _scenes(path: Path) -> Iterator[tuple[str, Shown]]:
    """Yields what generated pictures show, by their ids, of a set that says it."""
    if not path.is_file():
        return
    try:
        with path.open(encoding="utf-8") as file:
            while line := file.readline(MAX_LINE):
                scene = json.loads(line)
                texts = [word for text in scene["texts"] for word in split_words(text["text"])]
                objects = [str(one["name"]) for one in scene["objects"]]
                yield str(scene["img_id"]), {"Text in pictures": texts, "Objects": objects}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise SetupError(
            f"{path} does not say what pictures show, as generate mmr writes it "
            f"({describe_error(error)}); mend it, or move it away"
        ) from error


def _of_row(row: Row, task: str, scenes: Mapping[str, Shown]) -> RowFacts:
    try:
        answer = read_answer(TASKS[task], row.verbatim("Answer"))
    except ValueError as error:
        raise SetupError(f"{row.origin}: column 'Answer': {error}") from error
    question, _, choices = row.verbatim("Question").partition("\nChoices:\n")
    numbers = {}
    if answer.box is not None:
        left, top, right, bottom = answer.box
        numbers["Box, % of the picture"] = 100 * (right - left) * (bottom - top)
    texts = {"Questions": question, "Choices": choices, "Answers in words": answer.text}
    picture = row.text("img_id") if row.has("img_id") else row.origin
    return RowFacts(
        {"Task": task},
        numbers,
        {name: text for name, text in texts.items() if text},
        picture,
        scenes.get(picture, {}),
        row.picture_size("image"),
        partial(row.base64_picture, "image"),
    )
