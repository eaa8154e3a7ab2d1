"""A passport is the same where nothing differs, and names what does."""

import json

import pytest

from helm_structext import passport as module
from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.passport import (
    ABSENT,
    Passport,
    describe_passports,
    find_differences,
    make_passport,
    read_passport,
)
from helm_structext.rewards import MMRReward, Reward, StructEvalReward

ONE = Passport({"numpy": "2.4", "engine typst": "3"})
OTHER = Passport({"numpy": "2.5", "engine typst": "3"})


def test_the_order_of_parts_does_not_matter_and_each_part_does():
    assert Passport(dict(reversed(ONE.parts.items()))).hash == ONE.hash
    assert len({ONE.hash, OTHER.hash, Passport({}).hash, ONE.having(judge="a").hash}) == 4
    assert ONE.having(judge=None).hash == ONE.hash


def test_an_engine_that_is_not_here_is_said_to_be_absent(monkeypatch):
    def lacking(format):
        raise SetupError("no such program")

    monkeypatch.setattr(module, "engine_of", lacking)
    module._machine_passport.cache_clear()
    assert make_passport(["tikz"]).parts["engine tikz"] == ABSENT
    module._machine_passport.cache_clear()


def test_what_others_wrote_is_read_within_bounds():
    assert read_passport(json.loads(json.dumps(ONE.document()))).hash == ONE.hash
    many = {str(number): "1" for number in range(1000)}
    for wrong in (
        None,
        [],
        {},
        {"parts": []},
        {"parts": {"a": 1}},
        {"parts": {"a": "x" * 10**5}},
        {"parts": many},
    ):
        with pytest.raises(ValueError, match="no passport"):
            read_passport(wrong)


def test_differences_are_named_part_by_part():
    assert find_differences([ONE, OTHER]) == {"numpy": ["2.4", "2.5"]}
    assert find_differences([ONE, Passport({})])["engine typst"] == ["3", ABSENT]
    assert describe_passports([ONE, OTHER]).count("numpy") == 1
    assert "may differ for that alone" in describe_passports([ONE, OTHER])
    assert "may differ" not in describe_passports([ONE, ONE])
    assert describe_passports([]) == ""


def test_a_reward_has_a_passport_of_its_engine_and_its_protocol():
    typst, published = Reward("typst").passport, Reward("typst", protocol="published").passport
    assert "engine typst" in typst.parts
    assert "engine svg" not in typst.parts
    assert find_differences([typst, published]) == {"protocol": ["corrected", "published"]}
    assert not any(name.startswith("engine") for name in MMRReward("text").passport.parts)
    assert "engine tikz" in StructEvalReward("text_to_tikz").passport.parts


def test_a_reward_s_passport_has_what_the_reward_was_told_and_our_guards():
    usual = MMRReward("text").passport
    assert module.REWARDS in usual.parts
    assert module.REWARDS not in make_passport([]).parts
    told = {
        "components": MMRReward("text", {"pnls": 2}),
        "guards": MMRReward("text", guards=("length",)),
        "failure": MMRReward("text", failure=-1),
        "kind": MMRReward("choice", MMRReward("text").components),
    }
    for name, reward in told.items():
        assert [*find_differences([usual, reward.passport])] == [f"reward {name}"]
    assert module.explain_part("reward guards") == "rewards, by their guards"
    hasty = MMRReward("text", batch_seconds=9, machine_failures="raise")
    turned = MMRReward("text", guards=MMRReward("text").guards[::-1])
    assert hasty.passport.hash == turned.passport.hash == usual.hash


def test_the_command_prints_the_passport_of_this_machine(capsys, monkeypatch):
    monkeypatch.setattr(module, "rendered_formats", lambda: ["typst"])
    assert main(["passport"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"passport {make_passport().hash}\n")
    assert "engine typst" in said
    assert main(["passport", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == make_passport().document()
