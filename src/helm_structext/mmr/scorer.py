"""Asks MMR's questions and scores replies, without HELM."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helm_structext.data import Row
from helm_structext.errors import RenderError, SetupError
from helm_structext.mmr.replies import UnreadableReply
from helm_structext.mmr.rows import numbered_rows, rows_of_run
from helm_structext.mmr.scores import metrics_of, reply_scores
from helm_structext.mmr.tasks import TASKS, ParsedReply, prompt_of, read_answer, read_reply
from helm_structext.pictures import size_of
from helm_structext.results.runs import InstanceKey
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import Input, Scored, Scorer, scored


@dataclass(frozen=True)
class Truth:
    """What a reply should say.

    Args:
        id: of the instance.
        kind: of the question, a key of `helm_structext.mmr.tasks.KINDS`.
        answer: the right one.
        size: width and height of the picture, or None where no score needs them.
    """

    id: str
    kind: str
    answer: ParsedReply
    size: tuple[int, int] | None


def scorer(arguments: Mapping[str, Any]) -> Scorer[Truth]:
    """Returns what a run asks, and how replies are scored.

    Args:
        arguments: all that the parts of the run get (`helm_structext.results.runs.Run.all_arguments`).
    """
    lenient = arguments["lenient"]
    tasks = tuple(TASKS) if arguments["task"] == "all" else (arguments["task"],)
    rows = arguments["source"], tasks, arguments["limit"], arguments["revision"]
    metrics = metrics_of({TASKS[task] for task in tasks}, lenient)

    def inputs() -> Iterator[Input]:
        for row, task, name in rows_of_run(*rows):
            yield Input(
                InstanceKey(task, name),
                prompt_of(row.verbatim("Question"), TASKS[task], arguments["system"]),
                row.base64_picture("image"),
                row.verbatim("Answer"),
                row.dataset,
            )

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, Truth]]:
        for row, task, name in numbered_rows(*rows):
            if name in ids:
                yield InstanceKey(task, name), _truth(row, TASKS[task], name, lenient)

    def score(truth: Truth, reply: str) -> Scored:
        return score_reply(truth, reply, lenient)

    return Scorer([*metrics, INTERNAL_ERROR], inputs, find, score)


def score_reply(truth: Truth, reply: str, lenient: str) -> Scored:
    """Scores a reply to a question.

    Args:
        truth: what it should say.
        reply: as the model wrote it.
        lenient: the scale in which boxes are read leniently, or ``none``.
    """
    reading = handle(f"reading of instance {truth.id}", lambda: _read(truth.kind, reply))
    return scored(
        f"metrics of instance {truth.id}",
        lambda: reply_scores(truth.kind, truth.answer, reply, lenient, lambda: _size(truth)),
        [reading] if isinstance(reading, Failure) else [],
    )


def _truth(row: Row, kind: str, name: str, lenient: str) -> Truth:
    try:
        answer = read_answer(kind, row.verbatim("Answer"))
    except ValueError as error:
        raise SetupError(f"{row.origin}: column 'Answer': {error}") from error
    measured = lenient != "none" and answer.box is not None
    size = size_of(row.base64_picture("image")) if measured else None
    return Truth(name, kind, answer, size)


def _size(truth: Truth) -> tuple[int, int]:
    assert truth.size is not None
    return truth.size


def _read(kind: str, reply: str) -> ParsedReply:
    try:
        return read_reply(kind, reply)
    except UnreadableReply as error:
        raise RenderError("syntax", str(error)) from error
