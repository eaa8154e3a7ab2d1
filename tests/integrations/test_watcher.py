"""A journal that verl's reward function writes, one by one or in batches, is looked at while it grows."""

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from helm_structext.integrations import verl
from helm_structext.integrations.trainers import append_journal
from helm_structext.integrations.trl import RewardFunction
from helm_structext.integrations.verl import compute_score, compute_scores
from helm_structext.integrations.watcher import JournalWatcher
from helm_structext.rewards import MMRReward, NotScored, RewardResult
from helm_structext.rewards.watch import find_passport_changes, read_journal
from support.serving import served

TEXT = {"item": {"kind": "text"}}


def rows(replies):
    """What verl's manager of batches hands over: arrays of objects, as its batches hold them."""
    return {
        "data_sources": np.array(["mine"] * len(replies), dtype=object),
        "solution_strs": [*replies],
        "ground_truths": ["Emma"] * len(replies),
        "extra_infos": np.array([{"index": at} for at in range(len(replies))], dtype=object),
    }


def without_times(found):
    return {name: value for name, value in found.items() if not name.startswith("seconds/")}


def one_by_one(asked, **told):
    async def score():
        columns = zip(*asked.values(), strict=True)
        return [await compute_score(*row, **told) for row in columns]

    return asyncio.run(score())


def test_a_batch_has_the_scores_that_its_completions_have_one_by_one():
    asked = rows(["EMMA", "x", "EMMA", ""])
    batch, single = compute_scores(**asked, **TEXT), one_by_one(asked, **TEXT)
    assert [*map(without_times, batch)] == [*map(without_times, single)]
    assert [one["score"] for one in batch] == [1, 0, 1, 0]


def test_a_batch_may_be_asked_for_where_a_loop_runs_and_with_nothing_but_its_columns():
    async def score():
        return compute_scores(["mine"], ["EMMA"], ["Emma"], **TEXT)

    assert asyncio.run(score())[0]["score"] == 1


def test_rows_say_themselves_what_they_are():
    told = [
        {"structext": json.dumps({"kind": "text"})},
        {"structext": {"task": "text_to_json", "reference": ["title"], "kind": None}},
    ]
    found = compute_scores(["a", "b"], ["EMMA", '{"title": "Io"}'], ["Emma", None], told)
    assert [one["score"] for one in found] == [1, 1]
    assert [*found[0]] == [*found[1]], "verl wants the same names of all completions"


def test_columns_of_different_lengths_and_items_that_are_none_are_refused():
    with pytest.raises(ValueError, match="zip"):
        compute_scores(["a"], ["EMMA", "x"], ["Emma"], **TEXT)
    with pytest.raises(ValueError, match="item"):
        compute_scores(["a"], ["EMMA"], ["Emma"], item={"kinds": "text"})


def test_what_has_no_score_is_in_the_journal_before_it_is_raised(tmp_path, monkeypatch):
    class Failing:
        async def score_async(self, items, **options):
            return [RewardResult(1.0), RewardResult(None, error_kind="setup", message="no disk")]

    monkeypatch.setattr(verl, "client_of", lambda url, token: Failing())
    journal = tmp_path / "rewards.jsonl"
    with pytest.raises(NotScored, match="no disk"):
        compute_scores(**rows(["EMMA", "x"]), **TEXT, journal=str(journal))
    assert [(one.score, one.passport) for one in read_journal(journal)] == [(1, None), (None, None)]


@pytest.mark.parametrize(
    "score", [one_by_one, lambda asked, **told: compute_scores(**asked, **told)]
)
def test_each_line_has_the_passport_of_its_reward(tmp_path, score):
    journal = tmp_path / "rewards.jsonl"
    score(rows(["EMMA", "x"]), **TEXT, journal=str(journal))
    score(rows(["x"]), **TEXT, failure=-1.0, components={"pnls": 0.5}, journal=str(journal))
    passports = [one.passport for one in read_journal(journal)]
    assert passports[:2] == [MMRReward("text").passport.hash] * 2
    other = MMRReward("text", components={"pnls": 0.5}, failure=-1.0)
    assert passports[2] == other.passport.hash != passports[0]
    assert len([*find_passport_changes(read_journal(journal))]) == 1


def test_a_server_s_lines_have_no_passport(tmp_path):
    journal = tmp_path / "rewards.jsonl"
    with served() as server:
        compute_scores(**rows(["EMMA"]), **TEXT, url=server.url, journal=str(journal))
    assert [one.passport for one in read_journal(journal)] == [None]


def test_trl_s_lines_have_it_too(tmp_path):
    journal = tmp_path / "rewards.jsonl"
    function = RewardFunction(MMRReward("text"), references="name", journal=journal)
    asyncio.run(function(["?"], ["EMMA"], name=["Emma"]))
    assert read_journal(journal)[0].passport == MMRReward("text").passport.hash


def test_verl_s_function_looks_at_the_journal_each_so_many_completions(tmp_path, monkeypatch):
    looks, threads = [], []
    journal, gauges = tmp_path / "rewards.jsonl", tmp_path / "watch.prom"
    note = JournalWatcher.note
    monkeypatch.setattr(
        JournalWatcher,
        "note",
        lambda self, number: looks.append(number) or threads.append(note(self, number)),
    )
    told = {**TEXT, "journal": str(journal), "watch_every": 4, "gauges": str(gauges)}
    for _ in range(2):
        compute_scores(**rows(["x", "EMMA"]), **told)
    assert looks == [2, 2]
    first, second = threads
    assert first is None
    second.result(60)
    assert 'helm_structext_watch{what="reward"} 1' in gauges.read_text()


def test_a_watch_without_an_item_for_all_completions_is_refused(tmp_path):
    told = [{"structext": {"kind": "text"}}]
    with pytest.raises(ValueError, match="a reward is a mapping"):
        compute_scores(
            ["a"], ["EMMA"], ["Emma"], told, journal=str(tmp_path / "j.jsonl"), watch_every=1
        )


def test_one_look_is_done_before_the_next_one_begins(tmp_path):
    class Slow(JournalWatcher):
        def look(self):
            done.wait(30)
            return []

    from threading import Event

    done = Event()
    watcher = Slow(MMRReward("text"), tmp_path / "j.jsonl", every=2)
    assert watcher.note(1) is None
    look = watcher.note(1)
    assert look is not None
    assert watcher.note(5) is None, "the first look is not done"
    done.set()
    look.result(30)
    assert watcher.note(0) is not None, "what was noted meanwhile counts"


def test_a_look_warns_of_a_passport_that_changes_and_of_a_journal_that_can_not_be_read(
    tmp_path, caplog
):
    journal = tmp_path / "rewards.jsonl"
    watcher = JournalWatcher(MMRReward("text"), journal, every=1, gauges=tmp_path / "watch.prom")
    (missing,) = watcher.look()
    assert "rewards.jsonl" in missing
    for passport in ("aa", "bb"):
        append_journal(journal, ["EMMA"] * 2, ["Emma"] * 2, [RewardResult(1.0)] * 2, passport)
    assert any("passport changes at completion 3, to bb" in one for one in watcher.look())
    assert "passport changes" in caplog.text
    assert Path(tmp_path / "watch.prom").read_text().endswith("warnings 1\n")
