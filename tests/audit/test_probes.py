"""A policy that becomes one of the audit's frauds is told from one that learns."""

import pytest

from helm_structext.audit.probes import (
    WATCH_PROBES,
    WatchedCase,
    find_frauds,
    find_nearest,
    score_above_frauds,
)
from helm_structext.rewards import PRESETS, MMRReward, Reference, Reward
from helm_structext.rewards.watch import PROBES, RewardEntry, find_warnings, watch_points

WORDS = ("Ferry times", "Harbour", "Lighthouse", "Mail boat", "Last one at nine")
PAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">{}</svg>'


def draw(words, color="navy"):
    boxes = "".join(
        f'<rect x="20" y="{36 * at + 8}" width="180" height="30" fill="none" stroke="{color}"/>'
        f'<text x="30" y="{36 * at + 28}" fill="{color}">{word}</text>'
        for at, word in enumerate(words)
    )
    return PAGE.format(boxes)


RIGHT = draw(WORDS)
REWARD = Reward("svg", PRESETS["structure"])


def entries(codes):
    results = REWARD(codes, [RIGHT] * len(codes))
    return [
        RewardEntry(code, RIGHT, result.score) for code, result in zip(codes, results, strict=True)
    ]


@pytest.fixture(scope="module")
def frauds():
    return find_frauds("svg", RIGHT)


def test_frauds_of_a_reference_are_code_and_have_its_texts(frauds):
    assert {"blank page", "texts in lines", "under a sheet", "embedded: data URI"} <= {*frauds}
    assert "noise" not in frauds, "it is a picture alone"
    assert [word in frauds["texts in lines"] for word in WORDS] == [True] * len(WORDS)
    assert WatchedCase("svg", RIGHT).texts == [*WORDS]


def test_the_nearest_is_the_one_that_a_completion_is(frauds):
    for name, code in frauds.items():
        assert frauds[find_nearest(code, frauds)] == code, name


def test_a_fraud_is_not_above_itself_and_what_is_right_is(frauds):
    scored = entries([RIGHT, frauds["texts in lines"]])
    right, fraud = score_above_frauds(REWARD, scored)
    assert right > 0.5
    assert fraud == 0
    assert scored[1].score > 0.8, "the reward alone takes it for nearly right"


def test_a_policy_that_becomes_a_fraud_is_warned_of_and_one_that_learns_is_not(frauds):
    known = {"fraud": WATCH_PROBES["fraud"]}
    begins = [draw(word[: 3 + at] for word in WORDS) for at in range(2)]
    cheats = entries([*begins, *[frauds["texts in lines"]] * 4])
    learns = entries([*begins, *[RIGHT] * 4])
    warned = [*find_warnings(watch_points(REWARD, cheats, 3, known))]
    assert any("the probe fraud falls" in one for one in warned)
    assert [*find_warnings(watch_points(REWARD, learns, 3, known))] == []


def test_what_has_no_frauds_has_no_probe():
    assert score_above_frauds(MMRReward("text"), [RewardEntry("Emma", "Emma", 1.0)]) == []
    assert find_frauds("svg", "<svg") == {}
    without = [
        RewardEntry(RIGHT, "<svg", None),
        RewardEntry(RIGHT, None, 1.0),
        RewardEntry(RIGHT, Reference(b"PNG"), 1.0),
    ]
    assert score_above_frauds(REWARD, without) == []


def test_all_other_probes_stay():
    assert [*WATCH_PROBES] == [*PROBES, "fraud"]
