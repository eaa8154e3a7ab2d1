"""The embedded sample of formats: the oracle is right in each, a blank page at its floor, and mistakes cost."""

import json

import pytest

from helm_structext.benchmarks import run_of_entry
from helm_structext.data.sources import SAMPLES
from helm_structext.formats import rendered_formats
from helm_structext.image2struct.samples import REPLAYS
from helm_structext.image2struct.tasks import format_domain
from helm_structext.rewards import InstanceReward
from helm_structext.scoring.scorer import Door

EMS = "earth_mover_similarity"


def replies(name, format):
    lines = (REPLAYS / f"{name}.formats.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return {
        one["uuid"]: one["completion"]
        for one in records
        if one["scenario"] == format_domain(format)
    }


def scored(format):
    """Each instance's scores: of the oracle, of a blank answer, and of the replays."""
    benchmark, run = run_of_entry(f"image2struct:format={format},source=sample")
    scorer = benchmark.scorer(run.arguments, Door())
    inputs = {one.key.id: one for one in scorer.inputs()}
    careful, careless = (replies(name, format) for name in ("careful", "careless"))
    assert careful.keys() == careless.keys() == inputs.keys()
    for key, target in scorer.find(inputs.keys()):
        one = inputs[key.id]
        answers = (one.oracle, one.blank, careful[key.id], careless[key.id])
        yield one, [scorer.score(target, answer) for answer in answers]


@pytest.mark.parametrize("format", rendered_formats())
def test_the_oracle_is_right_and_what_is_wrong_scores_less(format):
    found = list(scored(format))
    assert found
    for one, (oracle, blank, careful, careless) in found:
        # Other releases of LilyPond draw edges in another way.
        assert oracle.scores[EMS] >= (0.99 if format == "lilypond" else 1), one.key
        assert oracle.scores["levenshtein_similarity"] == 1
        assert blank.scores[EMS] < 1
        assert careful.scores["compilation_success"] == 1
        assert careful.scores[EMS] < 1 or careful.scores["levenshtein_similarity"] < 1, one.key
        assert careless.scores[EMS] < 1


@pytest.mark.parametrize("format", ["svg", "typst", "lilypond"])
def test_a_reward_of_the_oracle_is_that_of_its_runs(format):
    entry = f"image2struct:format={format},source=sample"
    benchmark, run = run_of_entry(entry)
    inputs = list(benchmark.scorer(run.arguments, Door()).inputs())
    reward = InstanceReward(entry, {EMS: 1.0})
    results = reward([one.oracle for one in inputs], [one.key.id for one in inputs])
    assert all(result.score >= 0.99 for result in results)


def test_the_careful_one_is_better_than_the_careless_one():
    """Over all formats, as some mistakes are small to a metric of pictures."""
    careful, careless = [], []
    for format in ("svg", "mermaid", "typst", "latex"):
        for _, (_, _, one, other) in scored(format):
            careful.append(one.scores[EMS])
            careless.append(other.scores[EMS])
    assert sum(careful) > sum(careless)


def test_every_planted_mistake_is_listed():
    listed = json.loads((SAMPLES / "image2struct_formats" / "mistakes.json").read_text())
    assert {one["replay"] for one in listed} == {"careful", "careless"}
    for one in listed:
        kinds = {mistake["kind"] for mistake in one["mistakes"]}
        assert len(kinds) >= (1 if one["replay"] == "careful" else 2), one["kind"]


def test_each_scene_is_there_in_all_its_formats():
    scenes = {}
    for format in rendered_formats():
        benchmark, run = run_of_entry(f"image2struct:format={format},source=sample")
        for one in benchmark.scorer(run.arguments, Door()).inputs():
            scenes.setdefault(one.details["scene"], set()).add((one.key.part, format))
    assert all(len({kind for kind, _ in pairs}) == 1 for pairs in scenes.values())
    assert sum(len(pairs) > 2 for pairs in scenes.values()) >= 5
