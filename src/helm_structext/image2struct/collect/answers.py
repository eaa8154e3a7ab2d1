"""The answers of hosts, kept whole: what was asked in a round is not asked again in it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from helm_structext.image2struct.collect.database import Database
from helm_structext.image2struct.collect.refusals import Refusal
from helm_structext.storage.cache import content_key

VALIDATORS = {"etag": "if-none-match", "last-modified": "if-modified-since"}
"""Headers by which a host recognizes what it sent, and the headers that ask whether it is the same."""

_TEXTS = ("text/", "application/json", "application/xml", "+json", "+xml")
"""In content types of what listings and descriptions are; anything else is a download."""


@dataclass(frozen=True)
class Answer:
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
class Question:
    """What is asked of a host; without credentials.

    Args:
        host: its name in the table of hosts.
        method: HTTP's.
        url: absolute, with its query.
        headers: beside those that every request has.
        body: JSON, or None.
    """

    host: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None

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
    >>> question = Question("arxiv-oai", "GET", "http://127.0.0.1/oai", {}, None)
    >>> answers.keep(question, Answer(200, {}, b"<OAI-PMH/>", question.url), "")
    >>> answers.find(question).content
    b'<OAI-PMH/>'
    """

    def __init__(self, database: Database, round: int) -> None:
        self._database, self._round = database, round

    def find(self, question: Question) -> Answer | None:
        """Returns the answer that came in this round, or None.

        Raises:
            Refusal: the answer was that it can't be had.
        """
        rows = self._database.rows(
            "SELECT status, headers, url, body, digest, filter, reason FROM answers "
            "WHERE round = ? AND question = ?",
            self._round,
            question.key,
        )
        for *answer, filter, reason in rows:
            if filter:
                raise Refusal(filter, reason)
            return _read(*answer)
        return None

    def earlier(self, question: Question) -> tuple[Answer, dict[str, str]] | None:
        """Returns what came in another round, with the headers that ask whether it is still so."""
        rows = self._database.rows(
            "SELECT status, headers, url, body, digest FROM answers "
            "WHERE question = ? AND round != ? AND filter = '' AND body IS NOT NULL "
            "ORDER BY round DESC",
            question.key,
            self._round,
        )
        for row in rows:
            answer = _read(*row)
            if answer is not None and (asks := _conditions(answer.headers)):
                return answer, asks
        return None

    def keep(self, question: Question, answer: Answer | Refusal, candidate: str) -> None:
        """Keeps an answer before anybody sees it.

        Args:
            question: to which it came.
            answer: that came, or why none can be had.
            candidate: whose download it is, for `drop`; else "".

        Raises:
            SetupError: the disk is full, for example.
        """
        refused = isinstance(answer, Refusal)
        said = Answer(0, {}, b"", "") if isinstance(answer, Refusal) else answer
        self._database.write(
            "INSERT OR REPLACE INTO answers VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            self._round,
            question.key,
            question.host,
            question.url,
            "" if _is_text(said.headers) else candidate,
            said.status,
            json.dumps(dict(said.headers)),
            said.url,
            answer.filter if isinstance(answer, Refusal) else "",
            answer.reason if isinstance(answer, Refusal) else "",
            sha256(said.content).hexdigest(),
            None if refused else said.content,
        )

    def forget(self, answer: Answer) -> None:
        """Drops an answer, in all rounds."""
        digest = sha256(answer.content).hexdigest()
        self._database.write("DELETE FROM answers WHERE url = ? AND digest = ?", answer.url, digest)


def _is_text(headers: Mapping[str, str]) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return any(kind.startswith(text) or kind.endswith(text) for text in _TEXTS)


def _read(status: int, headers: str, url: str, body: bytes | None, digest: str) -> Answer | None:
    """An answer as it was kept; None if it was dropped or is damaged."""
    if body is None or sha256(body).hexdigest() != digest:
        return None
    with suppress(ValueError):
        return Answer(status, json.loads(headers), body, url)
    return None


def _conditions(headers: Mapping[str, str]) -> dict[str, str]:
    return {asks: headers[name] for name, asks in VALIDATORS.items() if name in headers}


def drop(connection: Any, round: int, candidate: str) -> None:
    """Drops the downloads of a candidate whose outcome is kept; what was said about it stays."""
    connection.execute(
        "UPDATE answers SET body = NULL WHERE round = ? AND candidate = ?", (round, candidate)
    )
