"""Answers that can't be drawn for what is missing here: 0 or no score, as the user says, by every door."""

import json
from pathlib import Path

import pytest

from helm_structext.benchmarks import run_of_entry
from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.integrations.trainers import batch_means
from helm_structext.integrations.training import items, training_set
from helm_structext.protocols import MISSING_RULES
from helm_structext.results.runs import InstanceResult
from helm_structext.rewards import InstanceReward, NotScored, Reward, RewardResult, StructEvalReward
from helm_structext.scoring.handling import MISSING_RESOURCES, UNDRAWN, Failure, handle
from helm_structext.scoring.scorer import Door, Scored
from helm_structext.serving.items import tasks
from helm_structext.serving.messages import ScoreRequest

NEEDS = '#import "@preview/no-such:0.1.0": x\nHi'
WRONG = "#let"
BLANK = "<script type=module>import a from 'https://esm.sh/no-such'; document.body.textContent = a</script>"


def first_id(task: str) -> str:
    benchmark, run = run_of_entry(f"structeval:task={task},source=sample,judge=none")
    return next(iter(benchmark.scorer(run.arguments, Door()).inputs())).key.id


def scored(task: str, completion: str, *more: str) -> Scored:
    entry = ",".join([f"structeval:task={task},source=sample,judge=none", *more])
    benchmark, run = run_of_entry(entry)
    scorer = benchmark.scorer(run.arguments, Door())
    ((_, item),) = scorer.find({first_id(task)})
    return scorer.score(item, completion)


def test_in_corrected_it_scores_0_unless_it_is_to_be_unscored():
    zero = scored("text_to_typst", NEEDS, "protocol=corrected")
    assert (zero.error_kind, zero.failure.fault) == ("missing", "model")
    assert (zero.scores["syntax_score"], zero.scores[UNDRAWN]) == (0, 1)
    none = scored("text_to_typst", NEEDS, "protocol=corrected", "missing=unscored")
    assert (none.error_kind, none.failure.fault) == ("missing", "machine")
    assert none.scores.keys() == {
        "internal_error", MISSING_RESOURCES, UNDRAWN,
        *(f"render_error_{kind}" for kind in ("syntax", "timeout", "resource", "empty")),
    }  # fmt: skip
    assert (none.scores[MISSING_RESOURCES], none.scores[UNDRAWN]) == (1, 1)


@pytest.mark.parametrize("rule", MISSING_RULES)
def test_a_mistake_scores_0_by_both_rules(rule):
    found = scored("text_to_typst", WRONG, "protocol=corrected", f"missing={rule}")
    assert (found.error_kind, found.scores["syntax_score"], found.scores[UNDRAWN]) == (
        *("syntax", 0),
        0,
    )


def test_as_published_a_blank_page_keeps_its_score_and_is_counted():
    published = scored("text_to_html", BLANK)
    assert (published.error_kind, published.scores["syntax_score"]) == (None, 1)
    assert (published.scores[UNDRAWN], published.scores[MISSING_RESOURCES]) == (1, 1)
    corrected = scored("text_to_html", BLANK, "protocol=corrected")
    assert (corrected.error_kind, corrected.scores["syntax_score"]) == ("missing", 0)
    # What throws is a blank page of the published code, whyever it does.
    throws = scored(
        "text_to_html", "<script src=https://a.example/b.js></script><script>B()</script>"
    )
    assert throws.error_kind == "missing"
    assert (throws.scores["syntax_score"], throws.scores["syntax_score_published"]) == (0, 1)


@pytest.mark.parametrize("name", ["structeval", "image2struct_webpage"])
def test_a_run_entry_takes_the_rule_where_the_protocol_does(name):
    judge = ",judge=none" if name == "structeval" else ""
    plain = f"{name}:source=sample{judge},protocol=corrected"
    _, run = run_of_entry(f"{plain},missing=zero")
    assert "missing" not in run.name
    assert run == run_of_entry(plain)[1]
    _, unscored = run_of_entry(f"{plain},missing=unscored")
    assert unscored.name.endswith(",missing=unscored")
    assert unscored.all_arguments["missing"] == "unscored"
    assert not set(unscored.groups) & set(run.groups)
    with pytest.raises(SetupError, match="protocol published"):
        run_of_entry(f"{name}:source=sample{judge},missing=unscored")
    with pytest.raises(SetupError, match="missing=none is unknown; it is one of zero, unscored"):
        run_of_entry(f"{plain},missing=none")


def test_rewards_take_it_and_a_mistake_beside_it_has_no_excuse():
    references = ["#let a = 1\nHello"] * 3
    for rule, expected in (("zero", 0.0), ("unscored", None)):
        reward = Reward("typst", {"compilation_success": 1.0}, missing=rule)
        found = reward([NEEDS, WRONG, f"{NEEDS}\n{WRONG}"], references)
        assert [one.score for one in found] == [expected, 0, 0]
        assert [one.error_kind for one in found] == ["missing", "syntax", "syntax"]
        assert batch_means(found, [])["failures/missing"] == pytest.approx(1 / 3)
    strict = Reward("typst", missing="unscored", machine_failures="raise")
    with pytest.raises(NotScored, match="no-such"):
        strict(NEEDS, references[0])


def test_rewards_of_tasks_and_of_instances_take_it_too():
    id = first_id("text_to_typst")
    entry = "structeval:task=text_to_typst,source=sample,judge=none,protocol=corrected"
    for rule, expected in (("zero", 0.0), ("unscored", None)):
        components = {"syntax_score": 1.0}
        of_task = StructEvalReward("text_to_typst", components, missing=rule)
        of_rule = InstanceReward(entry, components, missing=rule)
        of_entry = InstanceReward(f"{entry},missing={rule}", components)
        for result in (of_task(NEEDS, ["Hi"]), of_rule(NEEDS, id), of_entry(NEEDS, id)):
            assert (result.score, result.error_kind) == (expected, "missing")
    with pytest.raises(ValueError, match="protocol published"):
        Reward("typst", protocol="published", missing="unscored")
    with pytest.raises(ValueError, match="protocol published"):
        InstanceReward(entry.replace("corrected", "published"), components, missing="unscored")
    with pytest.raises(ValueError, match="expected one of zero, unscored"):
        Reward("typst", missing="none")


def test_a_reference_that_needs_it_is_no_fault_of_the_completion():
    result = Reward("typst")("Hi", NEEDS)
    assert (result.score, result.error_kind) == (None, "reference")


def test_training_sets_and_servers_pass_it_on():
    entry = "structeval:task=text_to_typst,source=sample,judge=none,protocol=corrected"
    found = training_set(f"{entry},missing=unscored", {"syntax_score": 1.0})
    assert {reward.missing for reward in found.rewards.values()} == {"unscored"}
    ((id, item), *_) = items(found).items()
    request = ScoreRequest(items=[{**item, "completion": NEEDS}])
    (result,) = (task.score() for task in tasks(request, []))
    assert (result.score, result.error_kind) == (None, "missing")
    again = ScoreRequest(items=[{**item, "missing": "zero", "completion": NEEDS}])
    (result,) = (task.score() for task in tasks(again, []))
    assert (result.score, result.error_kind) == (0.0, "missing")
    assert found.batch([NEEDS], [id]).results()[0].score is None


def test_what_is_raised_as_not_scored_never_scores_0():
    def refuse() -> None:
        raise NotScored(Failure("missing", "the package cetz is not here"))

    found = handle("a completion", refuse)
    assert (found.kind, found.fault) == ("missing", "machine")


def test_results_say_which_answers_have_no_score_for_it():
    def result(kind: str, **conditions: str) -> InstanceResult:
        return InstanceResult(
            run="r", model="m", conditions=conditions, instance="1", completion="x",
            finish_reason="stop", scores={}, error_kind=kind,
        )  # fmt: skip

    assert result("missing", missing="unscored").unscored == "missing"
    assert result("missing").unscored is None
    assert result("syntax", missing="unscored").unscored is None
    assert result("missing").undrawn
    assert not result("no_completion").undrawn
    assert result("no_completion").unscored == "no_completion"


@pytest.mark.parametrize(("rule", "score"), [("zero", 0.0), ("unscored", None)])
def test_files_of_completions_say_how_many(rule, score, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    entry = (
        f"structeval:task=text_to_typst,source=sample,judge=none,protocol=corrected,missing={rule}"
    )
    id = first_id("text_to_typst")
    lines = [
        {"entry": entry, "instance": id, "model": model, "completion": text}
        for model, text in (("a", NEEDS), ("b", None))
    ]
    Path("file.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert main(["score-file", "file.jsonl", "-o", "scores.jsonl"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    needs, absent = map(json.loads, Path("scores.jsonl").read_text().splitlines())
    assert (needs["error_kind"], needs["scores"].get("syntax_score")) == ("missing", score)
    assert (absent["error_kind"], absent["scores"]) == ("no_completion", {})
    assert "1 answer without a completion count in no mean" in said
    expected = {
        "zero": "Nothing is to be seen of 1 answer for what is missing here.",
        "unscored": "1 answer can't be drawn for what is missing here, and count in no mean",
    }
    assert expected[rule] in said


def test_scores_of_machine_kinds_are_none_for_trainers():
    results = [RewardResult(None, {}, "missing"), RewardResult(0.0, {}, "missing")]
    means = batch_means(results, [])
    assert (means["failures/missing"], means["unscored"]) == (1, 0.5)
