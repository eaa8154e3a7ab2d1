"""Asks MMR's questions and scores replies.

MMR: Evaluating Reading Ability of Large Multimodal Models. Chen, Zhang, Zhou, Rossi, Gu and Chen, 2024
(arXiv 2408.14594).

A model sees a picture with much text in it, a cover or a poster, and answers a question about it.
Eleven tasks, of which the first 50 questions each count.
"""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from helm_structext.data import Row
from helm_structext.errors import RenderError, SetupError
from helm_structext.mmr.replies import Box, UnreadableReply
from helm_structext.mmr.rows import number_rows, rows_of_run
from helm_structext.mmr.scores import LENIENT_METRICS, METRICS, metrics_of, reply_scores
from helm_structext.mmr.tasks import (
    KINDS,
    TASKS,
    MMRArguments,
    ParsedReply,
    prompt_of,
    read_answer,
    read_reply,
)
from helm_structext.pictures import size_of
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import (
    Door,
    Input,
    InstanceKey,
    Kept,
    Scored,
    Scorer,
    make_scored,
)

_log = logging.getLogger("helm")
"""HELM's own: what is said of rows is no mistake of ours."""


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


def scorer(arguments: MMRArguments, door: Door) -> Scorer[Truth]:
    """Returns what a run asks, and how replies are scored.

    Args:
        arguments: those of the run.
        door: is not used: nothing is judged, and nothing takes long.
    """
    lenient, tasks = arguments.lenient, arguments.tasks
    rows = arguments.source, tasks, arguments.limit, arguments.revision

    def inputs() -> Iterator[Input]:
        found: Counter[str] = Counter()
        for row, task, name in rows_of_run(*rows):
            yield _input(row, task, name, arguments.system)
            found[task] += 1
        for task in tasks:
            if found[task] < arguments.limit:
                count, limit = found[task], arguments.limit
                _log.info(f"mmr: all {count} rows of task {task}; the limit is {limit}")

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, Truth]]:
        for row, task, name in number_rows(*rows):
            if name in ids:
                answer = _answer(row, TASKS[task])
                found = truth(name, TASKS[task], answer, partial(row.base64_picture, "image"))
                yield InstanceKey(task, name), found

    def recall(kept: Kept) -> Truth:
        kind = TASKS[kept.details["task"]]
        picture = kept.picture.read_bytes if kept.picture else None
        return truth(kept.id, kind, read_answer(kind, kept.target), picture)

    def truth(
        name: str, kind: str, answer: ParsedReply, picture: Callable[[], bytes] | None
    ) -> Truth:
        measured = lenient != "none" and answer.box is not None
        return Truth(name, kind, answer, size_of(picture()) if measured and picture else None)

    return Scorer(
        metrics=[*metrics_of({TASKS[task] for task in tasks}, lenient), INTERNAL_ERROR],
        statistics=[*METRICS, *LENIENT_METRICS],
        inputs=inputs,
        find=find,
        recall=recall,
        score=lambda truth, reply: score_reply(truth, reply, lenient),
        parted=arguments.task == "all",
        annotation="reading",
    )


def score_reply(truth: Truth, reply: str, lenient: str) -> Scored:
    """Scores a reply to a question.

    Args:
        truth: what it should say.
        reply: as the model wrote it.
        lenient: the scale in which boxes are read leniently, or ``none``.
    """
    reading = handle(f"reading of instance {truth.id}", lambda: _read(truth.kind, reply))
    failures, text, box = [], None, None
    if isinstance(reading, Failure):
        failures = [reading]
    else:
        text, box = f"read as {KINDS[truth.kind].write(reading)}", reading.box
        if truth.answer.box is not None:
            text += " (dashed magenta; green: the true box)"
    return make_scored(
        f"metrics of instance {truth.id}",
        lambda: reply_scores(truth.kind, truth.answer, reply, lenient, lambda: _size(truth)),
        failures,
        text=text,
        boxes=None if truth.answer.box is None else (truth.answer.box, box),
    )


def _input(row: Row, task: str, name: str, system: str) -> Input:
    kind = TASKS[task]
    truth = _answer(row, kind)
    if truth.box is not None and _is_odd(truth.box):
        _log.warning(
            f"{row.origin}: the box {list(truth.box)} is kept, although it is no part of 0 to 1"
        )
    return Input(
        InstanceKey(task, name),
        prompt_of(row.verbatim("Question"), kind, system),
        KINDS[kind].format,
        row.base64_picture("image"),
        row.verbatim("Answer"),
        oracle=KINDS[kind].write(truth),
        blank=KINDS[kind].blank,
        details={"task": task, "img_id": row.verbatim("img_id")},
        dataset=row.dataset,
    )


def _is_odd(box: Box) -> bool:
    x_min, y_min, x_max, y_max = box
    return not (0 <= x_min < x_max <= 1 and 0 <= y_min < y_max <= 1)


def _answer(row: Row, kind: str) -> ParsedReply:
    try:
        return read_answer(kind, row.verbatim("Answer"))
    except ValueError as error:
        raise SetupError(f"{row.origin}: column 'Answer': {error}") from error


def _size(truth: Truth) -> tuple[int, int]:
    assert truth.size is not None
    return truth.size


def _read(kind: str, reply: str) -> ParsedReply:
    try:
        return read_reply(kind, reply)
    except UnreadableReply as error:
        raise RenderError("syntax", str(error)) from error
