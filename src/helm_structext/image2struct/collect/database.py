"""The SQLite file of a journal: one process writes it, and what is wrong with it is said with what to do.

A transaction is on the disk when it has ended (``journal_mode=TRUNCATE``, ``synchronous=FULL``), and
a process that is killed in one leaves the state before it. WAL would do as much, but writes each
download twice and needs memory that processes share, which network file systems don't have.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.storage.locks import lock
from helm_structext.texts import describe_error, one_line

APPLICATION = 0x68737463
"""SQLite's ``application_id`` of our files."""

VERSION = 1
"""Changes with `SCHEMA`."""

SCHEMA = """
CREATE TABLE rounds (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, domain TEXT NOT NULL, settings TEXT NOT NULL,
  folder TEXT NOT NULL, started TEXT NOT NULL, state TEXT NOT NULL
);
CREATE TABLE answers (
  round INTEGER NOT NULL, question TEXT NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL,
  candidate TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, url TEXT NOT NULL,
  filter TEXT NOT NULL, reason TEXT NOT NULL, digest TEXT NOT NULL, body BLOB,
  PRIMARY KEY (round, question)
);
CREATE INDEX answers_by_question ON answers (question);
CREATE INDEX answers_by_candidate ON answers (round, candidate);
CREATE TABLE candidates (
  round INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, listing TEXT NOT NULL,
  document TEXT NOT NULL, stage TEXT NOT NULL, filter TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (round, place)
);
CREATE TABLE outcomes (
  round INTEGER NOT NULL, name TEXT NOT NULL, subsets TEXT NOT NULL, seconds TEXT NOT NULL,
  PRIMARY KEY (round, name)
);
CREATE TABLE refusals (
  round INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, subset TEXT NOT NULL,
  stage TEXT NOT NULL, filter TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (round, name, number)
);
CREATE TABLE drafts (
  round INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, subset TEXT NOT NULL,
  document TEXT NOT NULL, image BLOB NOT NULL, fingerprints TEXT NOT NULL, seal TEXT NOT NULL,
  verdict TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (round, name, number)
);
"""

SYNCHRONOUS = "FULL"
"""Whether a transaction waits for the disk."""

BUSY_SECONDS = 60.0
"""How long a reader waits for the end of a transaction."""

_CONTINUE = "then give the same command again: it goes on where it stopped"
_REMEDIES = (
    ("is full", f"free some space on its disk, {_CONTINUE}"),
    ("malformed", "restore it from a copy, or move it away and begin its rounds anew"),
    ("not a database", "name another file, or move this one away"),
    ("locked", "another program is using it; end that and try again"),
    ("readonly", "set its permissions, and those of its folder"),
    ("unable to open", "name a file in a folder that can be written to"),
)
"""What SQLite says, and what to do then."""


class Database:
    """An open file. Threads may share it.

    Raises:
        SetupError: it can't be read or written, is damaged, or is none of ours.

    >>> import tempfile
    >>> with Database(Path(tempfile.mkdtemp()) / "journal.sqlite") as database:
    ...     database.rows("SELECT count(*) FROM rounds")
    [(0,)]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with self._told():
            self._connection = sqlite3.connect(
                path, BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
            self._connection.execute("PRAGMA journal_mode=TRUNCATE")
            self._prepare()

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self) -> None:
        if not self.rows("PRAGMA schema_version")[0][0]:
            with self._told():
                self._connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                self._connection.executescript(
                    f"BEGIN IMMEDIATE; PRAGMA application_id={APPLICATION}; "
                    f"PRAGMA user_version={VERSION}; {SCHEMA} COMMIT;"
                )
        found = self.rows("PRAGMA application_id")[0][0], self.rows("PRAGMA user_version")[0][0]
        if found[0] != APPLICATION:
            raise SetupError(f"{self.path} is no journal of collecting; name another file")
        if found[1] != VERSION:
            raise SetupError(
                f"{self.path} is of version {found[1]}, and this package writes {VERSION}: name "
                f"another file, or install the package that wrote it"
            )

    def check(self) -> None:
        """Looks through the whole file.

        Raises:
            SetupError: it is damaged.
        """
        (said,) = self.rows("PRAGMA quick_check(1)")[0]
        if said != "ok":
            raise self.damaged(said)

    def damaged(self, what: str) -> SetupError:
        """Returns the error that says so."""
        return SetupError(
            f"{self.path} is damaged ({one_line(what)}): {dict(_REMEDIES)['malformed']}"
        )

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Returns what a statement finds."""
        with self._lock, self._told():
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is written in here is on the disk when it ends, or nothing of it."""
        with self._lock, self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def write(self, sql: str, *values: Any) -> None:
        """Runs one statement in a transaction of its own."""
        with self.transaction() as connection:
            connection.execute(sql, values)

    def shrink(self) -> None:
        """Gives back the space of what was dropped."""
        with self._lock, self._told():
            self._connection.executescript("PRAGMA incremental_vacuum")  # a step for each page

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            remedy = next((do for said, do in _REMEDIES if said in str(error)), _CONTINUE)
            raise SetupError(f"{self.path}: {describe_error(error)}; {remedy}") from error


def holder(path: Path) -> str:
    """Returns who holds the lock of a journal, in words, or ""."""
    with suppress(FileNotFoundError), lock_of(path).open() as file:
        if not lock(file, shared=True):
            return one_line(file.read(1000)) or "another process"
    return ""


def lock_of(path: Path) -> Path:
    """Returns the file that whoever writes a journal holds."""
    return path.with_name(f"{path.name}.lock")
