"""The journal of rounds: every candidate, what came of it and why, and the drafts that it gave.

One SQLite file (`database`), with the answers of hosts in it (`answers`). What belongs together is
written in one transaction, so that a round that is killed goes on where it was.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.answers import Answers, drop
from helm_structext.image2struct.collect.database import Database, lock_of
from helm_structext.image2struct.collect.records import Draft, RoundSettings, SourceCandidate
from helm_structext.storage.cache import content_key
from helm_structext.storage.locks import hold_files
from helm_structext.texts import one_line

JOURNAL = "journal.sqlite"
"""The file in a dataset's folder, where no other one is named."""

TAKEN, ADMITTED = "taken", "admitted"
"""Stages of a candidate whose turn has not come yet, and of one that gave an instance."""

NOT_DECIDED = "not_decided"
"""Why a draft is not in a round that needed none any more when its turn came."""

UNFINISHED, FULL, EXHAUSTED = "unfinished", "full", "exhausted"
"""States of a round: there is more to do; every subset has its number; the listings have ended."""

MAX_REASON, MAX_NAME = 500, 500
"""Characters of a reason and of a name that are kept."""


@dataclass(frozen=True)
class RefusalRecord:
    """What a filter said against a candidate, or against a draft of a subset.

    Args:
        stage: at which it was refused, such as ``download``.
        filter: name under which it is counted.
        reason: one line for people.
        subset: of the draft; "" where it was the candidate.
    """

    stage: str
    filter: str
    reason: str
    subset: str = ""


@dataclass(frozen=True)
class Rendered:
    """A draft with its picture, and by what it is recognized again."""

    draft: Draft
    fingerprints: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What came of a candidate, before it is decided what of it is admitted.

    Args:
        subsets: whose drafts were tried: those that were not full.
        refused: the candidate or its drafts, in order.
        rendered: what passed every filter, in order.
        seconds: that each stage took.
    """

    subsets: frozenset[str]
    refused: tuple[RefusalRecord, ...] = ()
    rendered: tuple[Rendered, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class JournalEntry:
    """A candidate in the order of the listings; its stage is `TAKEN` until its turn came."""

    place: int
    candidate: SourceCandidate
    stage: str


@contextmanager
def open_journal(path: Path, *also_held: Path) -> Iterator[Database]:
    """Opens a journal for this process alone, and makes it if it is not there.

    Args:
        path: of the file.
        also_held: further files that no other process may hold (`hold_files`).

    Raises:
        SetupError: another process has it, or it is damaged.
    """
    if path.is_dir():
        raise SetupError(f"{path} is a folder; name a file for the journal")
    with hold_files(lock_of(path), *also_held), Database(path) as database:
        database.check()
        yield database


class Journal:
    """One round of a journal.

    Args:
        database: the journal.
        settings: of the round, by which it is found again.
        folder: of the dataset, which is that of no other round; "" where the journal lies in it.

    Raises:
        SetupError: the folder is that of another round.
    """

    def __init__(self, database: Database, settings: RoundSettings, folder: str = "") -> None:
        self._database, self.settings = database, settings
        document = settings.document()
        key = content_key(document)
        if not database.rows("SELECT 1 FROM rounds WHERE key = ?", key):
            self._check_folder(folder, document)
            day = datetime.now(UTC).date()
            database.write(
                "INSERT INTO rounds (key, domain, settings, folder, started, state) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                *(key, settings.domain, document, folder, str(day), UNFINISHED),
            )
        self._state: str
        ((self.id, started, self._state, known),) = database.rows(
            "SELECT id, started, state, folder FROM rounds WHERE key = ?", key
        )
        if known != folder:
            raise SetupError(
                f"The dataset of this round lies in {known or database.path.parent}: name it by -o"
            )
        self.started = date.fromisoformat(started)

    def _check_folder(self, folder: str, document: str) -> None:
        for (other,) in self._database.rows("SELECT settings FROM rounds WHERE folder = ?", folder):
            before, now = json.loads(other), json.loads(document)
            differing = ", ".join(name for name in now if now[name] != before.get(name))
            raise SetupError(
                f"{folder or self._database.path.parent} holds a round with another {differing}: "
                f"give the same options to go on with it, or name another folder"
            )

    @property
    def state(self) -> str:
        """`UNFINISHED`, `FULL` or `EXHAUSTED`."""
        return self._state

    @property
    def superseded(self) -> bool:
        """Whether a later round of the domain has begun, which does not know what this one takes."""
        return bool(
            self._database.rows(
                "SELECT 1 FROM rounds WHERE domain = ? AND id > ?", self.settings.domain, self.id
            )
        )

    def answers(self) -> Answers:
        """Returns the answers of the round."""
        return Answers(self._database, self.id)

    def finish(self, state: str) -> None:
        """Notes how the round ended, and drops what was downloaded for candidates beyond its end."""
        self._database.write(
            "UPDATE answers SET body = NULL WHERE round = ? AND candidate != '' AND body IS NOT NULL",
            self.id,
        )
        if state != self._state:
            self._database.write("UPDATE rounds SET state = ? WHERE id = ?", state, self.id)
            self._state = state
        self._database.shrink()

    # Candidates

    def entries(self) -> list[JournalEntry]:
        """Returns all candidates in order."""
        rows = self._database.rows(
            "SELECT place, document, stage FROM candidates WHERE round = ? ORDER BY place", self.id
        )
        return [JournalEntry(place, _candidate(document), stage) for place, document, stage in rows]

    def take(self, place: int, candidate: SourceCandidate, listing: str) -> JournalEntry:
        """Notes a candidate at its place, before anything is done with it; returns it as it is kept."""
        document = _document(candidate)
        entry = JournalEntry(place, _candidate(document), TAKEN)
        self._database.write(
            "INSERT INTO candidates VALUES (?, ?, ?, ?, ?, ?, '', '')",
            *(self.id, place, entry.candidate.name, listing, document, TAKEN),
        )
        return entry

    def conclude(
        self,
        entry: JournalEntry,
        refused: RefusalRecord | None,
        verdicts: Sequence[RefusalRecord | None],
    ) -> None:
        """Notes what became of a candidate in the end.

        Args:
            entry: the candidate.
            refused: why it gave nothing; None if it gave something.
            verdicts: of each draft, why it is not admitted; None if it is.
        """
        name, key = entry.candidate.name, (self.id, entry.place)
        said = (refused.stage, refused.filter, refused.reason) if refused else (ADMITTED, "", "")
        drafts = [(one.filter, one.reason) if one else (ADMITTED, "") for one in verdicts]
        known = self._database.rows(
            "SELECT stage, filter, reason FROM candidates WHERE round = ? AND place = ?", *key
        )
        judged = self._database.rows(
            "SELECT verdict, reason FROM drafts WHERE round = ? AND name = ? ORDER BY number",
            *(self.id, name),
        )
        if known == [said] and judged[: len(drafts)] == drafts:
            return
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE candidates SET stage = ?, filter = ?, reason = ? WHERE round = ? AND place = ?",
                (*said, *key),
            )
            connection.executemany(
                "UPDATE drafts SET verdict = ?, reason = ? WHERE round = ? AND name = ? AND number = ?",
                [(*one, self.id, name, number) for number, one in enumerate(drafts)],
            )

    # Outcomes

    def keep(self, name: str, outcome: Outcome) -> None:
        """Keeps an outcome, in place of an earlier one, and drops the downloads of its candidate."""
        with self._database.transaction() as connection:
            for table in ("outcomes", "refusals", "drafts"):
                connection.execute(
                    f"DELETE FROM {table} WHERE round = ? AND name = ?", (self.id, name)
                )
            connection.execute(
                "INSERT INTO outcomes VALUES (?, ?, ?, ?)",
                (
                    self.id,
                    name,
                    json.dumps(sorted(outcome.subsets)),
                    json.dumps(dict(outcome.seconds)),
                ),
            )
            for number, refused in enumerate(outcome.refused):
                said = (
                    refused.subset,
                    refused.stage,
                    refused.filter,
                    one_line(refused.reason, MAX_REASON),
                )
                connection.execute(
                    "INSERT INTO refusals VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (self.id, name, number, *said),
                )
            for number, rendered in enumerate(outcome.rendered):
                connection.execute(
                    "INSERT INTO drafts VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '')",
                    (self.id, name, number, *_row(rendered)),
                )
            drop(connection, self.id, name)

    def outcome(self, candidate: SourceCandidate) -> Outcome | None:
        """Returns what came of a candidate, if that is known.

        Raises:
            SetupError: it is damaged.
        """
        key = self.id, candidate.name
        rows = self._database.rows(
            "SELECT subsets, seconds FROM outcomes WHERE round = ? AND name = ?", *key
        )
        if not rows:
            return None
        refused = self._database.rows(
            "SELECT stage, filter, reason, subset FROM refusals WHERE round = ? AND name = ? "
            "ORDER BY number",
            *key,
        )
        drafts = self._database.rows(
            "SELECT subset, document, image, fingerprints, seal FROM drafts "
            "WHERE round = ? AND name = ? ORDER BY number",
            *key,
        )
        ((subsets, seconds),) = rows
        return Outcome(
            frozenset(json.loads(subsets)),
            tuple(RefusalRecord(*row) for row in refused),
            tuple(self._rendered(candidate, *row) for row in drafts),
            json.loads(seconds),
        )

    def not_admitted(self, candidate: SourceCandidate) -> dict[int, RefusalRecord]:
        """Returns why drafts of a candidate, by their numbers, are not in the round as it ended."""
        rows = self._database.rows(
            "SELECT number, subset, verdict, reason FROM drafts "
            "WHERE round = ? AND name = ? AND verdict != ?",
            *(self.id, candidate.name, ADMITTED),
        )
        return {
            number: RefusalRecord("admission", filter or NOT_DECIDED, reason, subset)
            for number, subset, filter, reason in rows
        }

    def instance(self, candidate: SourceCandidate, number: int) -> Draft:
        """Returns a draft of a candidate by its number.

        Raises:
            SetupError: it is damaged.
        """
        ((*row,),) = self._database.rows(
            "SELECT subset, document, image, fingerprints, seal FROM drafts "
            "WHERE round = ? AND name = ? AND number = ?",
            *(self.id, candidate.name, number),
        )
        return self._rendered(candidate, *row).draft

    def _rendered(
        self,
        candidate: SourceCandidate,
        subset: str,
        document: str,
        image: bytes,
        prints: str,
        seal: str,
    ) -> Rendered:
        if seal != content_key(candidate.name, subset, document, image, prints):
            raise self._database.damaged(f"a draft of {candidate.name} is not what was written")
        fields = json.loads(document)
        fields["assets"] = tuple(base64.b64decode(asset) for asset in fields["assets"])
        return Rendered(
            Draft(candidate=candidate, subset=subset, image=image, **fields),
            tuple(json.loads(prints)),
        )

    # Earlier rounds

    def earlier(self) -> tuple[set[str], dict[str, str]]:
        """Returns names that earlier rounds took, and fingerprints of theirs with whose they are."""
        rows = self._database.rows(
            "SELECT drafts.name, fingerprints FROM drafts JOIN rounds ON rounds.id = drafts.round "
            "WHERE domain = ? AND rounds.id < ? AND verdict = ? ORDER BY rounds.id DESC",
            *(self.settings.domain, self.id, ADMITTED),
        )
        known = {one: name for name, fingerprints in rows for one in json.loads(fingerprints)}
        return {name for name, _ in rows}, known


def _document(candidate: SourceCandidate) -> str:
    # A name that is no text for people has one here that is.
    fields = {
        **vars(candidate),
        "name": one_line(candidate.name, MAX_NAME),
        "day": str(candidate.day),
    }
    return json.dumps({**fields, "info": dict(candidate.info)})


def _candidate(document: str) -> SourceCandidate:
    fields = json.loads(document)
    return SourceCandidate(**{**fields, "day": date.fromisoformat(fields["day"])})


def _row(rendered: Rendered) -> tuple[Any, ...]:
    draft = rendered.draft
    document = json.dumps(
        {
            "structure": draft.structure,
            "text": draft.text,
            "length": draft.length,
            "assets": [base64.b64encode(asset).decode() for asset in draft.assets],
            "info": dict(draft.info),
        }
    )
    prints = json.dumps(rendered.fingerprints)
    seal = content_key(draft.candidate.name, draft.subset, document, draft.image, prints)
    return draft.subset, document, draft.image, prints, seal
