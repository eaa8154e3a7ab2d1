"""Completions that come with the sample of MMR, as lines of replay files."""

from collections.abc import Iterator

from helm_structext.data.sources import SAMPLES
from helm_structext.mmr.rows import number_rows
from helm_structext.mmr.tasks import DEFAULT_SYSTEM, TASKS, prompt_of
from helm_structext.models.answer_index import request_key

REPLAYS = SAMPLES / "mmr" / "replay"


def replay_lines(records: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Yields the lines of a replay file: each completion with the key of its request.

    Args:
        records: lines of a file in `REPLAYS`, with ``instance`` and ``completion``.
    """
    keys = {}
    for row, task, name in number_rows("sample", TASKS, len(records)):
        prompt = prompt_of(row.verbatim("Question"), TASKS[task], DEFAULT_SYSTEM)
        keys[name] = request_key(prompt, [row.base64_picture("image")])
    for record in records:
        yield {"key": keys[record["instance"]], **record}
