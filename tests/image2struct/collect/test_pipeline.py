import json
import logging
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from helm_structext.errors import RenderError, SetupError
from helm_structext.image2struct.collect import pipeline
from helm_structext.image2struct.collect.admission import Admission
from helm_structext.image2struct.collect.blocklist import BlockList
from helm_structext.image2struct.collect.client import HostClient
from helm_structext.image2struct.collect.database import Database
from helm_structext.image2struct.collect.journal import EXHAUSTED, FULL, JOURNAL, Journal
from helm_structext.image2struct.collect.pipeline import AHEAD, empty, in_turn, replay_journal, walk
from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Listing,
    SourceCandidate,
    Tools,
)
from support import ROOT
from support.collecting import FIRST, SUBSETS, Item, Shop, collector, items, settings, shop
from support.hosts import CONTACT, Reply


class Collected:
    """A round that was walked to its end."""

    def __init__(self, folder: Path, host: Shop, table=None, **options):
        table = table or collector(*host.listings)
        self.tally = empty(table.subsets)
        chosen = settings(host.url, **options.pop("settings", {}))
        with Database(folder / JOURNAL) as database:
            journal = Journal(database, chosen)
            client = HostClient(journal.answers(), chosen.addresses, contact=CONTACT, pace=0)
            tools = Tools(client, chosen, None)
            limits = {"count": chosen.count, "most": table.most, "per_day": chosen.per_day}
            admission = Admission("latex", table.subsets, **limits, **options)
            for _ in walk(table, tools, journal, admission, self.tally):
                pass
            self.state = journal.state
            again = Admission("latex", table.subsets, **limits, **options)
            self.replayed = replay_journal(journal, again)
            self.stages = dict(
                database.rows("SELECT name, stage || ' ' || filter FROM candidates ORDER BY place")
            )

    @property
    def names(self) -> dict[str, list[tuple[str, int]]]:
        found = self.tally.instances
        return {subset: [(one.name, number) for one, number in of] for subset, of in found.items()}


def one(name: str, *texts: str, **about) -> Item:
    return Item(name, [("equation", text) for text in texts], **about)


def test_candidates_of_listings_come_in_turn_until_all_have_ended():
    def listing(name: str, count: int) -> Listing:
        made = [SourceCandidate(f"{name}{n}", "", "", FIRST, "", "") for n in range(count)]
        return Listing(name, lambda tools: iter(made))

    found = in_turn([listing("a", 2), listing("b", 0), listing("c", 4)], None, lambda name: True)
    assert [candidate.name for _, candidate in found] == ["a0", "c0", "a1", "c1", "c2", "c3"]


def test_the_listing_of_a_full_subset_is_read_no_further(tmp_path):
    equations = [one(f"e{number}", f"{number}") for number in range(60)]
    tables = [Item(f"t{number}", [("table", f"{number}")] * (number % 2)) for number in range(60)]
    with shop(equation=equations, table=tables) as host:
        round = Collected(tmp_path, host)
        assert round.state == FULL
        pages = [request.query["page"] for request in host.requests if "list/e" in request.path]
        assert pages == ["0", "1"]
        asked = len(host.requests)
        assert Collected(tmp_path, host).tally == round.tally
        assert len(host.requests) == asked


def test_a_round_ends_when_every_subset_has_its_number(tmp_path):
    with shop(a=items(60), b=items(60, "b")) as host:
        round = Collected(tmp_path, host)
        asked = len(host.requests)
        assert round.state == FULL
        assert {subset: len(of) for subset, of in round.names.items()} == dict.fromkeys(SUBSETS, 12)
        # Listings are read as far as they are needed.
        assert asked < 60
        assert round.replayed == round.tally
        again = Collected(tmp_path, host)
        assert len(host.requests) == asked
        assert again.tally == round.tally
        assert again.state == FULL


def test_a_round_ends_where_the_listings_end(tmp_path):
    with shop(a=items(5)) as host:
        round = Collected(tmp_path, host)
        asked = len(host.requests)
        assert round.state == EXHAUSTED
        assert len(round.stages) == 5
        assert {name for name, _ in round.names["table"]} == {"a0", "a3"}
        assert Collected(tmp_path, host).tally == round.tally
        assert len(host.requests) == asked


def test_every_refusal_has_its_stage_and_name(tmp_path):
    late = date(2026, 12, 1)
    found = [
        one("late", "x", day=late),
        one("long", *map(str, range(21))),
        one("white", "white"),
        one("wrong", "wrong"),
        one("bug", "bug"),
        one("none"),
        one("first", "the same", owner="ann"),
        one("owner", "another", owner="ann"),
        one("first", "again"),
        one("same", "the same"),
    ]
    with shop(a=found) as host:
        round = Collected(tmp_path, host)
    assert list(round.stages.items()) == [
        ("late", "fetch outside_window"),
        ("long", "file too_many_texts"),
        ("white", "rendering white_image"),
        ("wrong", "render not_rendered"),
        ("bug", "render internal"),
        ("none", "drafts no_drafts"),
        ("first", "admission repeated"),
        ("owner", "admission one_per_owner"),
        ("same", "admission duplicate"),
    ]
    assert round.names == {"equation": [("first", 0)], "table": []}
    assert round.tally.candidates == len(found)
    assert sum(round.tally.refusals.values()) == len(found) - 1
    assert host.paths.count("/item/first") == 1
    assert "/item/late" not in host.paths


def test_a_mistake_of_ours_costs_one_candidate_and_is_in_the_log(tmp_path, caplog):
    table = collector("a")

    def download(candidate, tools):
        if candidate.name == "a1":
            raise ZeroDivisionError("what?")
        return table.download(candidate, tools)

    def drafts(download, tools):
        yield from table.drafts(download, tools)
        if download.candidate.name == "a2":
            raise RenderError("timeout", "too long")

    caplog.set_level(logging.ERROR)
    with shop(a=items(4)) as host:
        round = Collected(tmp_path, host, replace(table, download=download, drafts=drafts))
    assert round.stages["a1"] == "download internal"
    assert "ZeroDivisionError: what?" in caplog.text
    assert "Traceback" in caplog.text
    assert round.tally.refusals["drafts", "timeout"] == 1
    assert {name for name, _ in round.names["equation"]} == {"a0", "a2", "a3"}


def test_what_the_machine_lacks_stops_the_round_which_then_goes_on(tmp_path):
    table = collector("a")
    broken = [True]

    def render(draft, tools):
        if draft.candidate.name == "a3" and broken:
            raise SetupError("start the sandbox")
        return table.render(draft, tools)

    with shop(a=items(8)) as host:
        with pytest.raises(SetupError, match="start the sandbox"):
            Collected(tmp_path, host, replace(table, render=render))
        broken.clear()
        round = Collected(tmp_path, host, replace(table, render=render))
        assert set(host.paths) == {"/list/a", *(f"/item/a{number}" for number in range(8))}
        paths = [f"{request.path}{request.query}" for request in host.requests]
        # What was in flight when it stopped may be asked again.
        assert len(paths) - len(set(paths)) <= AHEAD
        (tmp_path / "x").mkdir()
        undisturbed = Collected(tmp_path / "x", host, table)
    assert round.tally == undisturbed.tally


def test_a_candidate_that_can_give_nothing_is_not_downloaded(tmp_path):
    found = [*items(30), *(replace(item, day=FIRST) for item in items(40, "b"))]
    with shop(a=found) as host:
        round = Collected(tmp_path, host, settings={"count": 100, "per_day": 4})
    downloads = [path for path in host.paths if path.startswith("/item/b")]
    refused = [name for name, why in round.stages.items() if why == "admission limit_a_day"]
    assert len(refused) > 20
    assert len(downloads) <= 10 + AHEAD
    assert round.state == EXHAUSTED


def test_drafts_of_full_subsets_are_not_rendered(tmp_path):
    table = collector("a")
    drawn: list[str] = []

    def render(draft, tools):
        drawn.append(draft.subset)
        return table.render(draft, tools)

    found = [replace(item, texts=[("equation", f"{item.name}"), *item.texts]) for item in items(90)]
    with shop(a=found) as host:
        round = Collected(tmp_path, host, replace(table, render=render))
    assert drawn.count("equation") <= 12 + 2 * AHEAD + 4
    assert drawn.count("table") >= 12
    assert round.tally.refusals["drafts", "subset_full"] > 10


def test_a_block_list_counts_as_if_it_had_been_there_from_the_start(tmp_path):
    (tmp_path / "late").mkdir()
    (tmp_path / "early").mkdir()
    with shop(a=items(60)) as host:
        first = Collected(tmp_path / "late", host)
        gone = first.names["equation"][0][0]
        blocked = BlockList(frozenset({gone}))
        late = Collected(tmp_path / "late", host, blocked=blocked)
        early = Collected(tmp_path / "early", host, blocked=blocked)
    assert gone not in dict(late.names["equation"])
    assert late.names == early.names
    assert len(late.names["table"]) == 12


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Reply("no", 404), "listing a can't be read.*404.*goes on where it stopped"),
        (Reply("no", 403), "listing a can't be read.*403"),
        (Reply("x" * 100, cut=5), "listing a can't be read"),
        (
            Reply(json.dumps([{"name": "a", "owner": "", "day": "2026-10-01", "license": ""}] * 9)),
            "names the same 1 candidates again and again",
        ),
    ],
)
def test_a_listing_that_can_not_be_read_stops_the_round(tmp_path, monkeypatch, answer, words):
    monkeypatch.setattr(pipeline, "MAX_REPEATS", 20)
    with shop(a=items(5)) as host:
        usual = host.answer
        host.answer = lambda request: answer if "/list/" in request.path else usual(request)
        with pytest.raises(SetupError, match=words):
            Collected(tmp_path, host)


def test_a_listing_may_ask_again_where_it_was_cut(tmp_path):
    table = collector("a")
    usual = table.listings[0]

    def cut(tools: Tools):
        for number, candidate in enumerate(usual.candidates(tools)):
            if number == 13 and len(host.requests) < 20:
                raise CandidateRefused("not_served", "later")
            yield candidate

    with shop(a=items(30)) as host:
        broken = replace(table, listings=(Listing("a", cut),))
        with pytest.raises(SetupError, match="later"):
            Collected(tmp_path, host, broken)
        round = Collected(tmp_path, host, table)
        paths = [f"{request.path}{request.query}" for request in host.requests]
        (tmp_path / "x").mkdir()
        assert round.tally == Collected(tmp_path / "x", host, table).tally
    assert len(set(paths)) >= len(paths) - AHEAD


# Killed


def digests(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name[:7] != "journal"
    }


def start(url: str, folder: Path) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    return subprocess.Popen(
        [sys.executable, "-m", "support.collecting", url, str(folder), "12"],
        env={**os.environ, "PYTHONPATH": paths},
        stderr=subprocess.PIPE,
    )


def test_killed_anywhere_and_continued_it_is_the_same_round(tmp_path):
    with shop(a=items(40), b=items(40, "b")) as host:
        with start(host.url, tmp_path / "whole") as whole:
            assert whole.wait(120) == 0, whole.stderr.read()
        undisturbed = [f"{request.path}{request.query}" for request in host.requests]
        host.requests.clear()
        kills = 0
        for requests in (3, 14, 30):
            with start(host.url, tmp_path / "killed") as killed:
                while len(host.requests) < requests and killed.poll() is None:
                    time.sleep(0.002)
                killed.send_signal(signal.SIGKILL)
                kills += killed.wait() == -signal.SIGKILL
        assert kills == 3
        assert not list((tmp_path / "killed").glob("*/*.parquet"))
        with start(host.url, tmp_path / "killed") as last:
            assert last.wait(120) == 0, last.stderr.read()
        asked = [f"{request.path}{request.query}" for request in host.requests]
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")
    assert len(digests(tmp_path / "whole")) == 3
    # The one that was in flight is asked again.
    assert len(asked) - len(set(asked)) <= kills
    assert len(set(undisturbed)) == len(undisturbed)
