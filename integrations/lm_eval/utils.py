"""What the tasks of lm-evaluation-harness in this folder call: questions, pictures and scores."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from datasets import Dataset
from PIL import Image

from helm_structext.integrations.evaluations import evaluation
from helm_structext.pictures import read_picture
from helm_structext.processes import map_in_threads
from helm_structext.scoring.scorer import Scored

PLACEHOLDER = "<image>"
"""Where models of the harness put a picture in a prompt."""


def questions(entry: str, **metadata: Any) -> dict[str, Dataset]:
    """Returns the instances of a run.

    Args:
        entry: name of the run entry.
        metadata: the harness's; under the name of the run entry its arguments, as in a conf file, such as
            ``task=font_color,source=sample``.

    Raises:
        SetupError: the arguments are wrong, or the data can't be read.
    """
    asked = f"{entry}:{metadata[entry]}" if metadata.get(entry) else entry
    run = evaluation(asked)
    return {
        "test": Dataset.from_list(
            [
                {
                    "asked": asked,
                    "run": run.run,
                    "entry": question.entry,
                    "part": question.part,
                    "instance": question.id,
                    "prompt": "".join(question.texts),
                    "picture": str(question.picture or ""),
                    "target": question.target,
                }
                for question in run.questions
            ]
        )
    }


def prompt(doc: Mapping[str, str]) -> str:
    """Returns the text that a model gets."""
    return doc["prompt"] + (PLACEHOLDER if doc["picture"] else "")


def pictures(doc: Mapping[str, str]) -> list[Image.Image]:
    """Returns the picture that a model gets."""
    return [read_picture(Path(doc["picture"]))]


def score_ahead(
    answers: Sequence[Sequence[str]], docs: Sequence[Mapping[str, str]]
) -> Sequence[Sequence[str]]:
    """Scores all answers, as many at a time as there are workers: the harness asks for one at a time.

    Returns:
        The answers.

    Raises:
        SetupError: the machine fails.
    """
    places = [(doc, text) for doc, texts in zip(docs, answers, strict=True) for text in texts]
    for _ in map_in_threads(lambda place: _scored(*place), places):
        pass
    return answers


def scores(doc: Mapping[str, str], results: Sequence[str]) -> dict[str, float]:
    """Returns the scores of an answer: metric to value, without those that have none."""
    (completion,) = results
    return dict(_scored(doc, completion).scores)


def _scored(doc: Mapping[str, str], completion: str) -> Scored:
    return _score(doc["asked"], doc["instance"], completion)


@cache
def _score(asked: str, instance: str, completion: str) -> Scored:
    return evaluation(asked).score(instance, completion)
