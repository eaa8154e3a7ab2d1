"""What lies on the pictures of a run: scores and findings in `corrected`, and absent where that is not known."""

from dataclasses import replace

import pytest

from helm_structext.benchmarks import run_of_entry
from helm_structext.findings import read_findings
from helm_structext.image2struct import scorer as module
from helm_structext.scoring.scorer import Door
from support import door

ENTRY = "image2struct:format=svg,source=sample"


def scorer_of(entry):
    benchmark, run = run_of_entry(entry)
    return benchmark.scorer(run.arguments, Door())


def first(scorer):
    """An instance: what is asked, and what answers are compared with."""
    (asked, *_) = scorer.inputs()
    ((_, target),) = scorer.find([asked.key.id])
    return asked, target


@pytest.fixture(scope="module")
def svg():
    scorer = scorer_of(ENTRY)
    return scorer, *first(scorer)


def test_the_oracle_has_every_score_and_nothing_is_wrong(svg):
    scorer, asked, target = svg
    found = scorer.score(target, asked.oracle)
    assert found.scores["layout_similarity"] == 1
    assert found.findings.sentence == "Nothing differs that is on the picture."
    assert "layout_similarity" in scorer.metrics


def test_a_lost_text_is_named_and_costs(svg):
    scorer, asked, target = svg
    start = asked.oracle.index("<text")
    end = asked.oracle.index("</text>", start) + len("</text>")
    found = scorer.score(target, asked.oracle[:start] + asked.oracle[end:])
    assert found.scores["layout_similarity"] < 1
    assert "text missing" in {one.kind for one in found.findings.findings}


def test_what_does_not_render_scores_zero_and_has_no_findings(svg):
    scorer, _, target = svg
    found = scorer.score(target, "no code")
    assert (found.scores["layout_similarity"], found.findings) == (0, None)


def test_a_reference_without_code_has_a_reason_and_no_value(svg):
    scorer, asked, target = svg
    alone = replace(target, code=None)
    drawn, failed = scorer.score(alone, asked.oracle), scorer.score(alone, "no code")
    assert "layout_similarity" not in drawn.scores.keys() | failed.scores.keys()
    assert "no code of the reference" in drawn.findings.reason
    assert drawn.scores["metric_errors"] == 0


def test_an_engine_that_can_not_tell_costs_no_score(svg, monkeypatch):
    scorer, asked, target = svg
    draw = module.render_completion

    def untold(*arguments, **options):
        return replace(draw(*arguments, **options), layout=None, layout_reason="too many boxes")

    monkeypatch.setattr(module, "render_completion", untold)
    found = scorer.score(target, asked.oracle)
    assert "layout_similarity" not in found.scores
    assert found.findings.reason.endswith("too many boxes")
    assert found.scores["metric_errors"] == 0


def test_published_runs_look_at_pictures_alone():
    entry = "image2struct_latex:subset=equation,source=sample"
    published, corrected = scorer_of(entry), scorer_of(f"{entry},protocol=corrected")
    assert "layout_similarity" not in published.metrics
    asked, target = first(published)
    assert (asked.code, target.code) == (None, None)
    assert published.score(target, asked.oracle).findings is None
    asked, target = first(corrected)
    assert corrected.score(target, asked.oracle).scores["layout_similarity"] == 1


def test_helms_door_keeps_what_is_wrong_with_each_answer(tmp_path):
    """The reference's code goes from the scenario to the annotator."""
    arguments = {"domain": "image2struct_format_svg", "subset": "all", "protocol": "corrected"}
    instance, *_ = door.instances(tmp_path / "scenario", "image2struct", **arguments)
    ours = door.annotator(tmp_path / "door", "image2struct", **arguments)
    answer = "<svg xmlns='http://www.w3.org/2000/svg'><text y='50'>Nobody asked</text></svg>"
    state = replace(door.answered(answer, {}), instance=instance)
    rendering, *_ = found = ours.annotate(state)
    kinds = {one.kind for one in read_findings(rendering["findings"]).findings}
    assert {"text missing", "text extra"} <= kinds
    assert 0 < door.measured(ours, found, state)["layout_similarity"] < 1
