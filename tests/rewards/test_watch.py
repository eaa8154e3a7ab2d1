"""A policy that finds what its reward overlooks is noticed, and one that gets better is not taken for it."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.integrations.trainers import append_journal
from helm_structext.rewards import MMRReward, Reference, Reward, RewardResult, StructEvalReward
from helm_structext.rewards.watch import (
    ProbeMean,
    RewardEntry,
    WatchPoint,
    find_change,
    find_passport_changes,
    find_warnings,
    look_at_journal,
    read_journal,
    watch_points,
    write_gauges,
)

TASK = StructEvalReward("text_to_json", {"syntax_score": 1.0})


def entries(codes, reward=TASK, references=(["title"], ["moons[0]"])):
    asked = [references[number % len(references)] for number in range(len(codes))]
    return [
        RewardEntry(code, reference, result.score, result.error_kind)
        for code, reference, result in zip(codes, asked, reward(codes, asked), strict=True)
    ]


def test_a_reward_that_rises_without_its_probes_is_warned_of():
    learns_syntax_alone = ["no"] * 8 + ["{"] * 8 + ["[1]"] * 8
    warnings = [*find_warnings(watch_points(TASK, entries(learns_syntax_alone), 3))]
    assert "the reward rises by 1, and the probe other does not" in warnings


def test_a_policy_that_gets_better_is_not_warned_of():
    right = ['{"title": "Io"}', '{"moons": ["Io"]}'] * 4
    points = watch_points(TASK, entries(["no"] * 8 + right), 2)
    assert find_change(points, "other") > 0
    assert not any("other" in one for one in find_warnings(points))


def test_a_guard_that_fires_more_often_is_warned_of():
    reward = MMRReward("text")
    codes = ["EMMA"] * 16 + ["EMMA " * 100, "EMMA"] * 4
    warnings = [*find_warnings(watch_points(reward, entries(codes, reward, ["Emma", "Anna"]), 3))]
    assert warnings[-1] == "the guard text fires more often, by 0.5 of the completions"


def test_changes_within_the_error_are_none():
    def points(error):
        return [WatchPoint(n, {"reward": ProbeMean(n / 10, error)}) for n in range(6)]

    assert find_change(points(0.01), "reward") == pytest.approx(0.4)
    assert find_change(points(0.5), "reward") == 0
    assert find_change(points(0.1)[:1], "reward") is None
    assert find_change([], "reward") is None


def test_a_comment_that_nobody_sees_and_a_blank_page_are_probes_of_pictures():
    reward = Reward("svg")
    codes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60"><rect width="{n}0" height="40" fill="navy"/></svg>'
        for n in (3, 6)
    ]
    found = [RewardEntry(code, Reference(code=code), 1.0) for code in codes]
    means = watch_points(reward, found, 1)[0].means
    assert means["rewritten"].value == 1
    assert means["other"].value == 1
    assert 0 < means["elsewhere"].value < 1
    assert means["advantage"].value > 0.1


def test_what_has_no_score_or_no_reference_is_left_out_of_probes():
    found = [RewardEntry("{}", None, 1.0), RewardEntry("{}", ["a"], None)]
    (point,) = watch_points(TASK, found, 1)
    assert [*point.means] == ["reward"]
    (point,) = watch_points(TASK, found[1:], 1)
    assert point.means == {}
    assert write_gauges([point]).endswith("warnings 0\n")


def test_a_journal_has_what_was_scored_whoever_writes(tmp_path):
    journal = tmp_path / "j.jsonl"
    results = [RewardResult(1.0, {"pnls": 1.0}), RewardResult(None, error_kind="setup")]
    references = [Reference(code="x"), tmp_path / "a.png"]
    with ThreadPoolExecutor(8) as threads:
        for done in [
            threads.submit(append_journal, journal, ["a" * 9000, "b"], references, results)
            for _ in range(50)
        ]:
            done.result()
    found = read_journal(journal)
    assert len(found) == 100
    assert {(one.completion[0], one.score, one.error_kind) for one in found} == {
        ("a", 1.0, None),
        ("b", None, "setup"),
    }
    assert {one.reference.code for one in found} == {"x", None}


def test_references_that_JSON_can_t_say_are_none(tmp_path):
    journal = tmp_path / "j.jsonl"
    odd = [b"PNG", Reference(code="x", assets={"a": b""}), float("nan"), ("Emma", (3, 4))]
    append_journal(journal, ["a"] * 4, odd, [RewardResult(1.0)] * 4)
    assert [one.reference for one in read_journal(journal)] == [None, None, None, ["Emma", [3, 4]]]


def test_a_passport_that_changes_is_told_and_rewards_in_turn_are_no_change():
    def journal(*passports):
        return [RewardEntry("", "", 1.0, passport=one) for one in passports]

    assert [*find_passport_changes(journal("a", "a", None, "a"))] == []
    assert [*find_passport_changes(journal("a", "b", "a", "b"))] == []
    assert [*find_passport_changes(journal(None, None))] == []
    (told,) = find_passport_changes(journal("a", "b", "a", "b", "c", "d", "c"))
    assert "at completion 5, to c" in told


def test_what_is_no_journal_is_refused(tmp_path):
    journal = tmp_path / "j.jsonl"
    for text in (
        "",
        "{}",
        '{"completion": "a", "score": NaN}',
        '{"completion": 1, "score": 1}',
        "[",
    ):
        journal.write_text(text)
        with pytest.raises(SetupError):
            read_journal(journal)


def test_the_command_warns_plots_and_tells_prometheus(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    (tmp_path / "r.yaml").write_text("task: text_to_json\ncomponents: {syntax_score: 1}\n")
    codes = ["no"] * 12 + ["[1]"] * 12
    asked = [["title"], ["moons[0]"]] * 12
    append_journal(tmp_path / "j.jsonl", codes, asked, TASK(codes, asked))
    plot, gauges = tmp_path / "p.png", tmp_path / "g.prom"
    arguments = ["reward", "watch", str(tmp_path / "j.jsonl"), "--reward", str(tmp_path / "r.yaml")]
    assert main([*arguments, "--plot", str(plot), "--prometheus", str(gauges)]) == 1
    assert "the probe other does not" in capsys.readouterr().out
    assert plot.read_bytes()[1:4] == b"PNG"
    assert 'helm_structext_watch{what="reward"} 1' in gauges.read_text()
    means, warnings = look_at_journal(TASK, tmp_path / "j.jsonl")
    assert means["reward"] == 1
    assert warnings
    assert json.loads((tmp_path / "j.jsonl").read_text().splitlines()[0])["components"]
