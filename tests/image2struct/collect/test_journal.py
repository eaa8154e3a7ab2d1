import json
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.database import Database, holder
from helm_structext.image2struct.collect.journal import (
    ADMITTED,
    EXHAUSTED,
    JOURNAL,
    TAKEN,
    UNFINISHED,
    Journal,
    Outcome,
    RefusalRecord,
    Rendered,
    open_journal,
)
from helm_structext.image2struct.collect.records import Draft, SourceCandidate
from support.collecting import settings

CANDIDATE = SourceCandidate(
    "2411.01234",
    "math",
    "ann",
    date(2026, 11, 1),
    "http://a/b",
    "cc",
    {"title": "\ud800 é", "n": [1]},
)
DRAFT = Draft(CANDIDATE, "equation", "x\ud800", None, b"png\0", 3, (b"\0asset",), {"log": {"a": 1}})
OUTCOME = Outcome(
    frozenset({"equation", "table"}),
    (RefusalRecord("render", "syntax", "no\nway", "table"),),
    (Rendered(DRAFT, ("8x8:00", "picture:11")),),
    {"render": 1.5},
)


@pytest.fixture(name="database")
def open_database(tmp_path):
    with Database(tmp_path / JOURNAL) as database:
        yield database


@pytest.fixture(name="journal")
def one_round(database):
    return Journal(database, settings("http://a"))


def test_what_is_noted_is_read_back(journal):
    entry = journal.take(0, CANDIDATE, "math")
    journal.keep(entry.candidate.name, OUTCOME)
    assert [(one.candidate, one.stage) for one in journal.entries()] == [(CANDIDATE, TAKEN)]
    found = journal.outcome(entry.candidate)
    assert found.rendered == OUTCOME.rendered
    assert found.subsets == OUTCOME.subsets
    assert found.refused == (RefusalRecord("render", "syntax", "no way", "table"),)
    assert journal.instance(CANDIDATE, 0) == DRAFT
    journal.conclude(entry, None, [None])
    assert [one.stage for one in journal.entries()] == [ADMITTED]
    journal.conclude(
        entry, RefusalRecord("admission", "blocked", "why"), [RefusalRecord("admission", "b", "w")]
    )
    assert [one.stage for one in journal.entries()] == ["admission"]


def test_an_outcome_takes_the_place_of_an_earlier_one(journal):
    journal.keep(CANDIDATE.name, OUTCOME)
    journal.keep(CANDIDATE.name, Outcome(frozenset(), (RefusalRecord("file", "f", "r"),)))
    assert journal.outcome(CANDIDATE) == Outcome(frozenset(), (RefusalRecord("file", "f", "r"),))


def test_names_are_bounded_texts(journal):
    entry = journal.take(
        0, SourceCandidate("a\n\ud800" + "b" * 9999, "", "", date.min, "", ""), "x"
    )
    assert len(entry.candidate.name) < 600
    assert journal.entries() == [entry]


def test_a_round_is_found_again_by_its_settings(database, tmp_path):
    first = Journal(database, settings("http://a"))
    first.finish(EXHAUSTED)
    again = Journal(database, settings("http://a"))
    assert (again.id, again.started, again.state) == (first.id, first.started, EXHAUSTED)
    with pytest.raises(SetupError, match=rf"{tmp_path} holds a round with another count, seed"):
        Journal(database, settings("http://a", count=13, seed=1))
    with pytest.raises(SetupError, match="by -o"):
        Journal(database, settings("http://a"), "/elsewhere")
    other = Journal(database, settings("http://a", count=13), "/elsewhere")
    assert (other.id, other.state) == (2, UNFINISHED)
    assert (first.superseded, other.superseded) == (True, False)
    music = Journal(database, settings("http://a", domain="music"), "/third")
    assert (other.superseded, music.earlier()) == (False, (set(), {}))


def test_later_rounds_see_what_earlier_ones_took(database):
    first = Journal(database, settings("http://a"))
    taken = first.take(0, CANDIDATE, "math")
    first.keep(CANDIDATE.name, OUTCOME)
    second = Journal(database, settings("http://a", seed=8), "/second")
    assert second.earlier() == (set(), {})
    first.conclude(taken, None, [None])
    names = {CANDIDATE.name}
    assert second.earlier() == (names, dict.fromkeys(("8x8:00", "picture:11"), CANDIDATE.name))
    assert first.earlier() == (set(), {})
    assert second.outcome(CANDIDATE) is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE drafts SET image = x'00'",
        "UPDATE drafts SET document = replace(document, '3', '4')",
        "UPDATE drafts SET fingerprints = '[]'",
        "UPDATE drafts SET subset = 'table'",
    ],
)
def test_a_draft_that_was_altered_is_noticed(database, journal, change):
    journal.keep(CANDIDATE.name, OUTCOME)
    database.write(change)
    for read in (lambda: journal.outcome(CANDIDATE), lambda: journal.instance(CANDIDATE, 0)):
        with pytest.raises(SetupError, match=r"journal\.sqlite is damaged"):
            read()


# The file


def test_who_holds_a_journal_is_named(tmp_path):
    path = tmp_path / JOURNAL
    assert holder(path) == ""
    code = f"""
import sys, pathlib
sys.path.insert(0, {str(Path(__file__).parents[3] / "src")!r})
from helm_structext.image2struct.collect.journal import open_journal
with open_journal(pathlib.Path({str(path)!r})):
    print("held", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        refused = pytest.raises(SetupError, match=rf"in use by process {other.pid} on .* since 2")
        with refused, open_journal(path):
            pass
        assert str(other.pid) in holder(path)
        other.kill()
        other.wait()
    assert holder(path) == ""
    with open_journal(path), pytest.raises(SetupError, match="in use"), open_journal(path):
        pass


def damaged_header(data: bytes) -> bytes:
    return b"SQLite format 3\0" + b"\xff" * 100 + data[116:]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def scribbled(data: bytes) -> bytes:
    return data[:4096] + b"\x55" * (len(data) - 4096)


@pytest.mark.parametrize(
    "damage", [damaged_header, cut, scribbled, lambda data: b"something else" * 1000]
)
def test_a_damaged_journal_is_named(tmp_path, damage):
    path = tmp_path / JOURNAL
    with open_journal(path) as database:
        journal = Journal(database, settings("http://a"))
        for place in range(3):
            journal.take(place, replace(CANDIDATE, info={"title": "x" * 20_000}), "math")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SetupError, match=r"journal\.sqlite"), open_journal(path):
        pass


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("PRAGMA user_version=99", "of version 99"),
        ("PRAGMA application_id=1", "no journal of collecting"),
    ],
)
def test_files_of_others_are_left_alone(tmp_path, sql, words):
    path = tmp_path / JOURNAL
    with Database(path) as database:
        database.rows(sql)
    before = path.read_bytes()
    with pytest.raises(SetupError, match=words):
        Database(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE things (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SetupError, match="no journal of collecting"):
        Database(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["absent/journal.sqlite", "."])
def test_a_place_that_is_none_has_a_message(tmp_path, name):
    with pytest.raises(SetupError, match="unable to open"):
        Database(tmp_path / name)


def test_a_full_disk_loses_nothing(database, journal):
    journal.take(0, CANDIDATE, "math")
    pages = database.rows("PRAGMA page_count")[0][0]
    database.rows(f"PRAGMA max_page_count={pages}")
    big = Outcome(frozenset(), (), (Rendered(DRAFT, tuple(map(str, range(10_000)))),))
    with pytest.raises(SetupError, match="free some space on its disk, then give the same command"):
        journal.keep(CANDIDATE.name, big)
    assert journal.outcome(CANDIDATE) is None
    database.rows("PRAGMA max_page_count=100000")
    journal.keep(CANDIDATE.name, big)
    assert journal.outcome(CANDIDATE) == big


def test_space_is_given_back(database, journal, tmp_path):
    answers = journal.answers()
    database.write(
        "INSERT INTO answers VALUES (1, 'q', 'h', 'a', 'c', 200, '{}', 'u', '', '', 'd', ?)",
        bytes(5_000_000),
    )
    assert (tmp_path / JOURNAL).stat().st_size > 5_000_000
    journal.finish(EXHAUSTED)
    assert (tmp_path / JOURNAL).stat().st_size < 1_000_000
    assert answers is not None


def test_settings_are_kept_as_json(journal, database):
    ((text,),) = database.rows("SELECT settings FROM rounds")
    assert json.loads(text)["window"] == {"first": "2026-10-01", "last": "2026-10-31"}
