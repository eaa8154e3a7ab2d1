"""A policy keeps what raises a reward: it ends at the right answer, or at the fraud that the reward prefers."""

import json
from random import Random

import pytest

from helm_structext.audit.climbing import (
    ANOTHER,
    BLANK,
    CARELESS_ONE,
    MOVES,
    ClimbState,
    climb,
    count_mistakes,
    find_differences,
)
from helm_structext.audit.frauds import FRAUDS
from helm_structext.formats import FORMATS
from helm_structext.metrics import levenshtein_similarity
from support.audit import case_of


@pytest.fixture(scope="module")
def case():
    return case_of("diagram", "svg")


def likeness(case):
    """How alike an answer and the right one are written; frauds are noticed."""
    frauds = [make(case) for make in FRAUDS.values()]
    return lambda code: 0.0 if code in frauds else levenshtein_similarity(code, case.code)


def test_an_honest_reward_leads_to_an_honest_answer(case):
    reward = likeness(case)
    end = climb(case, reward, 60, Random(1), best=1.0)
    assert end.state.origin == CARELESS_ONE
    assert end.score == reward(end.state.code) > 0.8
    assert "repair" in end.kept


def test_nothing_is_tried_once_it_is_right(case):
    end = climb(case, lambda code: 1.0, 60, Random(1), best=1.0)
    assert (end.steps, end.score, end.state.origin) == (0, 1, BLANK)


def test_a_reward_with_a_hole_leads_to_the_fraud(case):
    fraud = FRAUDS["texts in a remark"](case)
    end = climb(case, lambda code: float(code == fraud), 60, Random(1), best=1.0)
    assert (end.state.origin, end.score) == ("texts in a remark", 1)
    assert count_mistakes(case, end.state) is None


def test_what_raises_nothing_or_has_no_reward_is_not_kept(case):
    for reward in (lambda code: 0.5, lambda code: None):
        end = climb(case, reward, 20, Random(1), best=1.0)
        assert (end.state.origin, end.kept, end.steps) == (BLANK, (), 20)


def test_the_same_lot_climbs_the_same_way(case):
    first, again = (climb(case, likeness(case), 10, Random(7), best=1.0) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("name", MOVES)
def test_each_move_gives_other_code(case, name):
    blank = ClimbState(FORMATS["svg"].blank, BLANK)
    careless = MOVES["begin carelessly"](case, blank, Random(2))
    fraud = ClimbState(FRAUDS["texts in lines"](case).replace("><", ">\n<"), "texts in lines")
    found = [MOVES[name](case, state, Random(n)) for state in (careless, fraud) for n in range(5)]
    assert any(one and one.code not in (careless.code, fraud.code) for one in found)
    origins = {one.origin for one in found if one}
    assert origins <= {CARELESS_ONE, ANOTHER, *FRAUDS}


def test_a_repair_leaves_one_mistake_less(case):
    careless = MOVES["begin carelessly"](case, ClimbState("", BLANK), Random(2))
    repaired = [one for n in range(9) if (one := MOVES["repair"](case, careless, Random(n)))]
    assert {count_mistakes(case, one) for one in repaired} == {count_mistakes(case, careless) - 1}


def test_differences_are_the_smallest_parts():
    ours, theirs = ({"a": [1, {"b": b}], "c": c} for b, c in (("x", [1]), ("y", [1, 2])))
    found = [*find_differences(ours, theirs)]
    assert json.dumps(found) == '[[["a", 1, "b"], "y"], [["c"], [1, 2]]]'
