"""The reward for instances of any run entry."""

import pytest

from helm_structext.errors import SetupError
from helm_structext.integrations.evaluations import evaluation
from helm_structext.rewards import InstanceReward, NotScored
from helm_structext.rewards.guards import MAX_CHARACTERS

TEXT = "structeval:task=text_to_json,source=sample,judge=none"
COLOR = "mmr:task=font_color,source=sample"


@pytest.fixture(scope="module")
def reward():
    return InstanceReward(TEXT)


def test_scores_are_those_of_the_run(reward):
    run = evaluation(TEXT)
    ids = [question.id for question in run.questions]
    completions = [run.questions[0].target, '{"title": 1}', "{"]
    pairs = [(completion, id) for completion in completions for id in ids]
    results = reward(*zip(*pairs, strict=True))
    for (completion, id), result in zip(pairs, results, strict=True):
        scored = run.score(id, completion)
        assert result.error_kind == scored.error_kind
        assert result.components["structeval_score"] == scored.scores["structeval_score"]
        assert result.score == scored.scores["structeval_score"]
    assert len({result.score for result in results}) > 2


def test_components_are_the_runs_and_by_default_what_ranks_models(reward):
    assert dict(reward.components) == {"structeval_score": 1.0}
    assert dict(InstanceReward(COLOR).components) == {"correct": 1.0}
    mixed = InstanceReward(TEXT, {"syntax_score": 0.25, "path_score": 0.75})
    (id, *_) = (question.id for question in evaluation(TEXT).questions)
    assert mixed('{"a": 1}', id).score == 0.25
    for name in ("iou", "internal_error"):
        with pytest.raises(ValueError, match=f"no component '{name}'"):
            InstanceReward(TEXT, {name: 1.0})


def test_what_fails_scores_the_failure_and_guards_notice(reward):
    (id, *_) = (question.id for question in evaluation(TEXT).questions)
    strict = InstanceReward(TEXT, failure=-1.0)
    assert (strict("{", id).score, strict("{", id).error_kind) == (-1.0, "syntax")
    assert reward('"' + "a " * MAX_CHARACTERS + '"', id).error_kind == "length"
    lax = InstanceReward(TEXT, guards=())
    assert lax('"' + "a " * MAX_CHARACTERS + '"', id).error_kind is None


@pytest.mark.parametrize("reference", ["font_color-999", "", None, 7, {"id": "font_color-0"}])
def test_an_instance_that_is_not_there_is_nobodys_completion(reference):
    result = InstanceReward(COLOR)("2", reference)
    assert (result.score, result.error_kind) == (None, "reference")
    with pytest.raises(NotScored, match="has no instance"):
        InstanceReward(COLOR, machine_failures="raise")("2", reference)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("ocr:source=sample", "no run entry"),
        ("mmr:task=counting,source=sample", "task=counting is unknown"),
        ("mmr:source=/no/such/folder", "no such folder"),
        ("structeval:task=text_to_html,source=sample", "has a judge.*judge=none"),
    ],
)
def test_a_run_entry_that_can_t_be_is_said_at_once(entry, words):
    with pytest.raises(SetupError, match=words):
        InstanceReward(entry)
