"""The metric of all runs: it reads what annotators stored, and computes nothing."""

from dataclasses import replace

import pytest
from helm.benchmark.adaptation.adapter_spec import AdapterSpec

from helm_structext.helm.metric import ScoreMetric
from support.door import answered


def stats_of(annotations):
    state = replace(answered("2", {}), annotations=annotations)
    return ScoreMetric().evaluate_generation(AdapterSpec(), state, None, "")


def test_a_statistic_for_each_score_and_one_without_a_value_has_no_count():
    shown = {"text": "read as 2", "scores": {"right": 0.5, "speed": None}}
    stats = stats_of({"reading": [shown, {"text": "(reference)"}]})
    assert [(stat.name.name, stat.count, stat.mean) for stat in stats] == [
        *(("right", 1, 0.5), ("speed", 0, None))
    ]


def test_scores_of_several_items_and_annotators_stand_side_by_side():
    """So do old suites have a judge's."""
    stats = stats_of(
        {"rendering": [{"scores": {"syntax": 1.0}}], "judge": [{"scores": {"vqa": 0.25}}]}
    )
    assert {stat.name.name: stat.mean for stat in stats} == {"syntax": 1.0, "vqa": 0.25}


@pytest.mark.parametrize("annotations", [None, {}, {"reading": []}, {"reading": [{"text": ""}]}])
def test_an_instance_that_nobody_scored_has_no_statistics(annotations):
    assert stats_of(annotations) == []
