"""Completions that come with the sample of Image2Struct, as lines of replay files."""

from collections.abc import Iterator

from helm_structext.data.sources import SAMPLES
from helm_structext.image2struct.rows import read_problem, rows_of
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.models.answer_index import request_key

REPLAYS = SAMPLES / "replay"
"""Completions of the paper's domains in ``NAME.jsonl``, and of ours in ``NAME.formats.jsonl``."""


def replay_lines(records: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Yields the lines of a replay file: each completion with the key of its request.

    Args:
        records: lines of a file in `REPLAYS`, with ``scenario``, ``subset``, ``uuid`` and
            ``completion``.
    """
    keys = {}
    for name, subset in sorted({(record["scenario"], record["subset"]) for record in records}):
        for row in rows_of(name, subset, "all", "sample"):
            problem = read_problem(row, DOMAINS[name], subset)
            prompt = f"{DOMAINS[name].instructions}\n{problem.prompt}"
            keys[name, problem.uuid] = request_key(prompt, [problem.picture])
    for record in records:
        yield {
            "key": keys[record["scenario"], record["uuid"]],
            "instance": record["uuid"],
            "completion": record["completion"],
        }
