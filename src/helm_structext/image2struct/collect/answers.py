"""The answers of hosts, kept whole: what was asked in a round is not asked again in it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from helm_structext.image2struct.collect.database import Database
from helm_structext.image2struct.collect.refusals import CandidateRefused
from helm_structext.storage.cache import content_key

MAX_BYTES = 64 * 2**20
OK = frozenset({200})

VALIDATORS = {"etag": "if-none-match", "last-modified": "if-modified-since"}
"""Headers by which a host recognizes what it sent, and the headers that ask whether it is the same."""

_TEXTS = ("text/", "application/json", "application/xml", "+json", "+xml")
"""In content types of what listings and descriptions are; anything else is a download."""


@dataclass(frozen=True)
class HostResponse:
    """What a host said, whole.

    Args:
        status: HTTP's.
        headers: by their names in lower case.
        content: the body, decompressed as HTTP says, within the bound that was asked for.
        url: from where it came in the end, without credentials.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    url: str


@dataclass(frozen=True)
class HostRequest:
    """What is asked of a host; without credentials.

    Args:
        host: its name in the table of hosts.
        method: HTTP's.
        url: absolute, with its query.
        headers: beside those that every request has.
        body: JSON, or None.
        max_bytes: of the body of the answer.
        accept: the states that are answers.
        expires: the address is good for this process only: the answer is not kept.
    """

    host: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    max_bytes: int = MAX_BYTES
    accept: frozenset[int] = OK
    expires: bool = False

    @property
    def key(self) -> str:
        """Equal for questions that are the same."""
        headers = json.dumps(sorted((name.lower(), value) for name, value in self.headers.items()))
        return content_key(self.method, self.url, headers, self.body or b"")


class Answers:
    """The answers that a journal keeps for one of its rounds.

    Args:
        database: of the journal.
        round: number of the round.

    >>> import tempfile; from pathlib import Path
    >>> answers = Answers(Database(Path(tempfile.mkdtemp()) / "journal.sqlite"), 1)
    >>> question = HostRequest("arxiv-oai", "GET", "http://127.0.0.1/oai", {}, None)
    >>> answers.keep(question, HostResponse(200, {}, b"<OAI-PMH/>", question.url), "")
    >>> answers.find(question).content
    b'<OAI-PMH/>'
    """

    def __init__(self, database: Database, round: int) -> None:
        self._database, self._round = database, round

    def find(self, question: HostRequest) -> HostResponse | None:
        """Returns the answer that came in this round, or None.

        Raises:
            CandidateRefused: the answer was that it can't be had.
        """
        rows = self._rows("round = ? AND question = ?", self._round, question.key)
        return next(map(_read, rows), None)

    def earlier(self, question: HostRequest) -> tuple[HostResponse, dict[str, str]] | None:
        """Returns what came in another round, with the headers that ask whether it is still so."""
        kept = (
            "question = ? AND round != ? AND filter = '' AND body IS NOT NULL ORDER BY round DESC"
        )
        for row in self._rows(kept, question.key, self._round):
            if (answer := _read(row)) and (asks := _conditions(answer.headers)):
                return answer, asks
        return None

    def _rows(self, which: str, *values: Any) -> list[tuple[Any, ...]]:
        columns = "status, headers, url, body, digest, filter, reason"
        return self._database.rows(f"SELECT {columns} FROM answers WHERE {which}", *values)

    def keep(
        self, question: HostRequest, answer: HostResponse | CandidateRefused, candidate: str
    ) -> None:
        """Keeps an answer before anybody sees it.

        Args:
            question: to which it came.
            answer: that came, or why none can be had.
            candidate: whose download it is, for `drop`; else "".

        Raises:
            SetupError: the disk is full, for example.
        """
        filter = reason = ""
        if isinstance(answer, CandidateRefused):
            filter, reason, answer = answer.filter, answer.reason, HostResponse(0, {}, b"", "")
        self._database.write(
            "INSERT OR REPLACE INTO answers VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            *(self._round, question.key, question.host, question.url),
            "" if _is_text(answer.headers) else candidate,
            *(answer.status, json.dumps(dict(answer.headers)), answer.url, filter, reason),
            *(sha256(answer.content).hexdigest(), None if filter else answer.content),
        )

    def forget(self, answer: HostResponse) -> None:
        """Drops an answer, in all rounds."""
        digest = sha256(answer.content).hexdigest()
        self._database.write("DELETE FROM answers WHERE url = ? AND digest = ?", answer.url, digest)


def _is_text(headers: Mapping[str, str]) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return any(kind.startswith(text) or kind.endswith(text) for text in _TEXTS)


def _read(row: tuple[Any, ...]) -> HostResponse | None:
    """An answer as it was kept; None if it was dropped or is damaged.

    Raises:
        CandidateRefused: the answer was that it can't be had.
    """
    status, headers, url, body, digest, filter, reason = row
    if filter:
        raise CandidateRefused(filter, reason)
    if body is None or sha256(body).hexdigest() != digest:
        return None
    with suppress(ValueError):
        return HostResponse(status, json.loads(headers), body, url)
    return None


def _conditions(headers: Mapping[str, str]) -> dict[str, str]:
    return {asks: headers[name] for name, asks in VALIDATORS.items() if name in headers}


def drop(connection: Any, round: int, candidate: str) -> None:
    """Drops the downloads of a candidate whose outcome is kept; what was said about it stays."""
    connection.execute(
        "UPDATE answers SET body = NULL WHERE round = ? AND candidate = ?", (round, candidate)
    )
