"""How far rounds are: what their journal says, as tables."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.database import Database, holder
from helm_structext.image2struct.collect.journal import ADMITTED, JOURNAL, TAKEN
from helm_structext.results.tabular import Cell, Column, Table
from helm_structext.texts import one_line

MAX_DAYS = 40
"""Days that are listed one by one."""

MAX_EXAMPLE = 60
"""Characters of a reason."""

_STAGES = {
    TAKEN: "listed, turn not come yet",
    "fetch": "refused by what the listing says",
    "download": "refused at the download",
    "file": "refused by what came",
    "drafts": "without anything to make an instance of",
    "render": "without anything that renders",
    "rendering": "refused by the pictures",
    "admission": "refused for what the round has already",
    ADMITTED: "gave instances",
}
"""Stages of candidates in order, and what they say."""


def status(path: Path) -> Iterator[Table | str]:
    """Yields what there is to say of each round of a journal.

    Args:
        path: of the journal, or of the folder that it lies in.

    Raises:
        SetupError: there is no journal, or it is damaged.
    """
    file = path / JOURNAL if path.is_dir() else path
    if not file.is_file():
        raise SetupError(f"{file} is not there: name a journal, or the folder of a round")
    running = holder(file)
    with Database(file) as database:
        yield f"{file}: {f'in use by {running}' if running else 'no collector is running'}"
        rounds = database.rows("SELECT id, domain, settings, folder, started, state FROM rounds")
        for round, domain, settings, folder, started, state in rounds:
            window = json.loads(settings)["window"]
            yield (
                f"Round {round}: {domain} from {window['first']} to {window['last']}, begun on "
                f"{started}, {state}; dataset in {folder or file.parent}"
            )
            yield from _tables(database, round, json.loads(settings)["count"])


def _tables(database: Database, round: int, count: int) -> Iterator[Table]:
    yield _by_subset(database, round, count)
    stages = dict(
        database.rows(
            "SELECT stage, count(*) FROM candidates WHERE round = ? GROUP BY stage", round
        )
    )
    rows = [[said, stages[stage]] for stage, said in _STAGES.items() if stage in stages]
    yield _table("stages", "Candidates", "By how far they came.", ["Stage", "Candidates"], rows)
    yield _by_filter(database, round)
    yield _by_day(database, round)
    asked = database.rows(
        "SELECT host, count(*), sum(filter != ''), sum(length(body)) / 1e6 FROM answers "
        "WHERE round = ? GROUP BY host ORDER BY host",
        round,
    )
    names = ["Host", "Answers", "Not had", "MB kept"]
    yield _table("hosts", "Requests", "What hosts answered.", names, asked)


def _by_subset(database: Database, round: int, count: int) -> Table:
    verdicts: dict[str, dict[str, int]] = defaultdict(dict)
    for subset, verdict, number in database.rows(
        "SELECT subset, verdict, count(*) FROM drafts WHERE round = ? GROUP BY subset, verdict",
        round,
    ):
        verdicts[subset][verdict] = number
    rows = [
        [subset, found.get(ADMITTED, 0), count, sum(found.values())]
        for subset, found in sorted(verdicts.items())
    ]
    names = ["Subset", "Instances", "Wanted", "Drafts with pictures"]
    return _table("subsets", "Instances", "Admitted, of each subset.", names, rows)


def _by_filter(database: Database, round: int) -> Table:
    rows = database.rows(
        "SELECT stage || ': ' || filter, sum(candidates), sum(drafts), min(reason) FROM ("
        # What was refused as a whole; drafts were refused when they were made, or by admission.
        " SELECT stage, filter, 1 AS candidates, 0 AS drafts, reason FROM candidates"
        " WHERE round = ?1 AND filter != ''"
        " UNION ALL SELECT stage, filter, 0, 1, reason FROM refusals WHERE round = ?1 AND subset != ''"
        " UNION ALL SELECT 'admission', verdict, 0, 1, reason FROM drafts"
        " WHERE round = ?1 AND verdict NOT IN ('', ?2)"
        ") GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1",
        *(round, ADMITTED),
    )
    names = ["Filter", "Candidates", "Drafts", "For example"]
    note = "What refuses, by candidates that gave nothing and by drafts."
    cut = [[*row[:-1], one_line(row[-1], MAX_EXAMPLE)] for row in rows]
    return _table("filters", "Refusals", note, names, cut)


def _by_day(database: Database, round: int) -> Table:
    rows = database.rows(
        "SELECT json_extract(document, '$.day') AS day, count(*), sum(stage = ?), ("
        " SELECT count(*) FROM drafts JOIN candidates AS others USING (round, name)"
        " WHERE round = candidates.round AND verdict = ?"
        " AND json_extract(others.document, '$.day') = json_extract(candidates.document, '$.day'))"
        " FROM candidates WHERE round = ? GROUP BY day ORDER BY day DESC LIMIT ?",
        *(ADMITTED, ADMITTED, round, MAX_DAYS),
    )
    names = ["Day", "Candidates", "that gave instances", "Instances"]
    return _table("days", "Days", f"The last {MAX_DAYS} that candidates are dated.", names, rows)


def _table(
    name: str, title: str, note: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> Table:
    cells: list[list[Cell]] = [list(row) for row in rows]
    return Table(name, title, note, [Column(column, ".1f") for column in columns], cells)
