"""What looks wrong in scores that others published."""

from dataclasses import replace

import pytest

from helm_structext.results.defects import LEAST, RULES, CheckedAnswer, defects_text, find_defects

GOOD = CheckedAnswer(
    "Text to SVG", "x", 0.8, True, without_picture=0.1, unseen=0.4, right=5, drawn=True
)


def answers(number: int = LEAST, **changes) -> list[CheckedAnswer]:
    """Answers with different scores, which the changes replace."""
    return [
        replace(GOOD, instance=str(n), **{"score": 0.5 + n / 100, **changes}) for n in range(number)
    ]


def found(answers: list[CheckedAnswer]) -> dict[str, int]:
    return {defect.rule: len(defect.answers) for defect in find_defects(answers)}


BROKEN = {
    "no answer has a picture": {"rendered": False, "score": 0.1},
    "scored as rendered, and nothing here renders": {"drawn": False},
    "pictures on which next to nothing is seen: blank?": {"score": 0.3, "right": 1},
    "credit without a picture": {"rendered": False},
    "the same score for all": {"score": 0.75},
    "every verdict of the judge is false": {"right": 0},
}


def test_each_rule_is_tried():
    assert list(BROKEN) == list(RULES)


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_counts_the_answers_that_it_is_about(rule):
    broken = answers(**BROKEN[rule])
    assert found(broken)[rule] == LEAST
    assert rule in (said := defects_text(broken))
    assert f"{LEAST} of {LEAST}" in said
    one_good = [*broken, replace(GOOD, instance="good")]
    if rule != "pictures on which next to nothing is seen: blank?":
        assert found(one_good).get(rule) == (LEAST if "credit" in rule else None)
    else:
        assert found(one_good)[rule] == LEAST, "nine tenths are enough"


@pytest.mark.parametrize("rule", [rule for rule in BROKEN if "credit" not in rule])
def test_a_few_answers_say_nothing(rule):
    assert rule not in found(answers(LEAST - 1, **BROKEN[rule]))


def test_one_credit_without_a_picture_is_enough_and_keywords_are_none():
    assert found(answers(1, rendered=False, score=0.65)) == {"credit without a picture": 1}
    assert found(answers(1, rendered=False, score=0.1)) == {}


def test_nothing_is_wrong_with_good_answers_with_perfect_ones_and_with_text():
    assert found(answers()) == {}
    assert found(answers(score=1.0)) == {}
    text = answers(rendered=None, unseen=None, right=None, drawn=None)
    assert found(text) == {}
    assert defects_text([]) == ""


def test_what_is_not_known_is_not_counted():
    assert found(answers(drawn=None, right=None, unseen=None)) == {}
    unjudged = answers(score=0.3, unseen=None, right=None)
    assert list(found(unjudged)) == ["the same score for all"]


def test_parts_are_apart():
    two = [*answers(LEAST - 1, right=0), *answers(LEAST - 1, right=0, part="Text to HTML")]
    assert found(two) == {}
