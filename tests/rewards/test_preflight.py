"""What samples of a base model say of a reward before any training."""

import http.server
import json
import runpy
import sys
from threading import Thread
from typing import ClassVar

import pytest

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.rewards import MMRReward, RewardResult, StructEvalReward
from helm_structext.rewards.files import (
    RewardSample,
    make_reward,
    read_reference,
    read_reward,
    read_samples,
)
from helm_structext.rewards.preflight import check_reward
from support import ROOT

REWARD = MMRReward("text")


def samples(*groups):
    return [
        RewardSample(completion, "Emma", str(number))
        for number, group in enumerate(groups)
        for completion in group
    ]


def test_groups_whose_rewards_are_the_same_have_no_gradient():
    found = check_reward(
        REWARD, samples(["EMMA", "anna"], ["EMMA", "EMMA"], ["xyz", "xyz"], ["EMMA"])
    )
    assert (found.flat, found.single) == (3, 1)
    warnings = [*found.warnings()]
    assert warnings[0] == "3 of 4 groups have no gradient"
    assert warnings[1].startswith("1 of 4 groups have one completion")
    assert found.identical == pytest.approx(2 / 7)


def test_a_reward_that_teaches_has_nothing_against_it():
    found = check_reward(REWARD, samples(["EMMA", "Em", "Emmi"], ["xyz Emm", "E", "Anna"]))
    assert [*found.warnings()] == []
    assert found.spread > 0.1
    assert found.noise == 0


def test_rewards_of_nothing_and_full_rewards_are_counted():
    none = check_reward(StructEvalReward("text_to_json"), [RewardSample("no", ["a"], "1")] * 3)
    assert none.nonzero == 0
    assert none.kinds == {"syntax": 3}
    assert any("hardly finds any" in one for one in none.warnings())
    full = check_reward(REWARD, samples(["EMMA", "emma"]))
    assert full.saturated == 1
    assert any("little to learn" in one for one in full.warnings())


def test_guards_that_fire_and_what_has_no_score_are_named():
    copied = check_reward(REWARD, samples(["EMMA", "EMMA " * 100]))
    assert copied.guards == {"text": 1}
    assert any("text 1" in one for one in copied.warnings())
    unscored = check_reward(REWARD, [RewardSample("a", 7, "1"), RewardSample("Emma", "Emma", "1")])
    assert unscored.unscored == 0.5
    assert any("could not be scored" in one for one in unscored.warnings())


def test_of_no_rewards_no_share_is_told():
    found = check_reward(REWARD, [RewardSample("a", 7, "1"), RewardSample("b", 7, "1")])
    assert (found.nonzero, found.saturated, found.unscored) == (None, None, 1)
    assert not any("hardly finds any" in one for one in found.warnings())


def test_the_start_of_engines_is_in_no_second_of_a_step(monkeypatch):
    asked = []

    def score(self, ours, theirs):
        asked.append([*ours])
        return [RewardResult(0.5, worked=9.0 if len(asked) == 1 else 0.25) for _ in ours]

    monkeypatch.setattr(MMRReward, "__call__", score)
    monkeypatch.setattr("helm_structext.rewards.preflight.worker_count", lambda: 2)
    assert check_reward(REWARD, samples(["a", "a", "b", "c"])).work == 0.25
    assert asked[0] == ["a", "b"]


def test_noise_is_the_difference_of_two_scorings(monkeypatch):
    scores = iter(range(100))
    monkeypatch.setattr(
        MMRReward,
        "__call__",
        lambda self, ours, theirs: [RewardResult(next(scores) / 10) for _ in ours],
    )
    found = check_reward(REWARD, samples(["a", "b"]))
    assert found.noise == pytest.approx(0.2)
    assert any("from one scoring to the next" in one for one in found.warnings())


def test_a_step_costs_what_is_measured_once():
    found = check_reward(REWARD, samples(["EMMA"] * 4))
    assert found.identical == 0.75
    one, other = found.step_cost(100, 1, core_hour=3600, judged=1), found.step_cost(100, 10)
    assert one.seconds == pytest.approx(25 * found.work)
    assert one.money == pytest.approx(25 * found.work + 25)
    assert other.seconds == pytest.approx(one.seconds / 10)


def test_weights_below_nothing_don_t_raise_what_is_the_highest():
    reward = MMRReward("text_box", {"pnls": 1.0, "iou": -0.5}, failure=-1.0)
    answer = '["Emma", [0, 0, 1, 1]]'
    found = check_reward(
        reward,
        [RewardSample(f"Emma {box}", answer, "1") for box in ([0, 0, 1, 1], [0, 0, 1e-9, 0])],
    )
    assert found.saturated == 0.5, "1 is the highest, of the right text in a wrong box"


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"format": "no"},
        {"format": "svg", "task": "a"},
        {"kind": "text", "colour": 1},
        {"format": "svg", "components": {"pixel_similarity": float("nan")}},
        {1: 2},
    ],
)
def test_what_says_no_reward_is_refused(said):
    with pytest.raises(ValueError):  # noqa: PT011
        make_reward(said)


def test_files_that_can_t_be_read_say_why(tmp_path):
    for text in (b"{", b"format: [", b"\xff\xfe", b"x" * 200_000, b"- 1"):
        (tmp_path / "r.yaml").write_bytes(text)
        with pytest.raises(SetupError, match="says no reward"):
            read_reward(tmp_path / "r.yaml")
    for text, said in ((b"", "no completions"), (b"{}\n", "line 1"), (b"{", "it is not JSON")):
        (tmp_path / "c.jsonl").write_bytes(text)
        with pytest.raises(SetupError, match=said):
            read_samples(tmp_path / "c.jsonl")


def test_a_group_is_said_or_a_line_of_its_own(tmp_path):
    lines = [{"group": 1}, {"group": "1"}, {"group": None}, {}, {"group": [1]}]
    text = [json.dumps({"completion": "a", "reference": "b"} | one) for one in lines]
    (tmp_path / "c.jsonl").write_text("\n".join(text[:4]))
    groups = [one.group for one in read_samples(tmp_path / "c.jsonl")]
    assert groups == ["1", "1", "line 3", "line 4"]
    (tmp_path / "c.jsonl").write_text("\n".join(text))
    with pytest.raises(SetupError, match=r"line 5 of .* a group is a text or a number"):
        read_samples(tmp_path / "c.jsonl")


def test_references_of_files_are_those_of_rewards():
    assert read_reference(["a"]) == ["a"]
    assert read_reference({"code": "x"}).code == "x"
    assert str(read_reference({"picture": "p.png"}).picture) == "p.png"
    assert read_reference({"raw_output_metric": ["a"]}) == {"raw_output_metric": ["a"]}


class Parrot(http.server.BaseHTTPRequestHandler):
    """Answers as a model behind OpenAI's interface does, with what it was asked for."""

    asked: ClassVar[list] = []

    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(said)
        message = {"role": "assistant", "content": f"{{}} {said['seed']}"}
        data = json.dumps({"choices": [{"index": 0, "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Says nothing."""


def test_the_example_asks_for_groups_and_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    file, entry = tmp_path / "samples.jsonl", "structeval:task=text_to_json,source=sample"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Parrot) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        options = ["--url", url, "--entry", entry, "--samples", "3", "-o", str(file)]
        monkeypatch.setattr(sys, "argv", ["preflight_samples.py", *options])
        script = str(ROOT / "examples" / "preflight_samples.py")
        runpy.run_path(script, run_name="__main__")
        whole = file.read_text()
        file.write_text("".join(whole.splitlines(keepends=True)[:-2]))
        runpy.run_path(script, run_name="__main__")
        server.shutdown()
    assert file.read_text() == whole
    assert len(Parrot.asked) == 6 + 2
    found = check_reward(read_reward(tmp_path / "reward.yaml"), read_samples(file))
    assert [*map(len, found.groups.values())] == [3, 3]
    assert found.unscored == 0


def test_the_command_ends_with_a_verdict(tmp_path, capsys):
    (tmp_path / "reward.yaml").write_text("kind: text\n")
    lines = [
        {"completion": one, "reference": "Emma", "group": "1"} for one in ("EMMA", "Anna", "Emmi")
    ]
    flat = [{"completion": "EMMA", "reference": "Emma", "group": "2"}] * 2
    file = tmp_path / "c.jsonl"
    arguments = [
        "reward",
        "preflight",
        "--reward",
        str(tmp_path / "reward.yaml"),
        "--completions",
        str(file),
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert main([*arguments, "--step", "10", "--cores", "2", "--core-hour", "1"]) == 0
    said = capsys.readouterr().out
    assert "a step of 10 on 2 cores" in said
    assert said.endswith("Nothing speaks against it.\n")
    file.write_text("\n".join(map(json.dumps, lines + flat)))
    assert main([*arguments, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["warnings"] == [
        "1 of 2 groups have no gradient",
        "60% of the rewards are as high as can be: there is little to learn",
    ]
    assert document["groups"] == 2
