"""Completions that come with the sample of StructEval, as lines of replay files."""

from collections.abc import Iterator

from helm_structext.data.sources import SAMPLES
from helm_structext.models.answer_index import request_key
from helm_structext.structeval.rows import load_questions
from helm_structext.structeval.tasks import TASKS, prompt_of

REPLAYS = SAMPLES / "structeval" / "replay"


def replay_lines(records: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Yields the lines of a replay file: each completion with the key of its request.

    Args:
        records: lines of a file in `REPLAYS`, with ``instance`` and ``completion``.
    """
    keys = {
        question.id: request_key(prompt_of(question.query), [])
        for question in load_questions("sample", TASKS)
    }
    for record in records:
        yield {"key": keys[record["instance"]], **record}
