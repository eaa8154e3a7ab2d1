"""The embedded sample of formats: the oracle is right in each, a blank page at its floor, and mistakes cost."""

import json
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

import pytest

import build_format_sample as sample
from helm_structext.benchmarks import run_of_entry
from helm_structext.data.packaged import lm_eval_tasks
from helm_structext.data.sources import SAMPLES
from helm_structext.formats import rendered_formats
from helm_structext.image2struct.floors import blank_floor
from helm_structext.image2struct.samples import REPLAYS
from helm_structext.image2struct.tasks import DOMAINS, format_domain
from helm_structext.integrations.evaluations import evaluation
from helm_structext.rewards import InstanceReward
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.scene import LANGUAGES
from helm_structext.scoring.scorer import Door
from support.helm import helm_run, init, stats_of, suite

EMS = "earth_mover_similarity"
LEAST = {"lilypond": 0.99}
"""Of the oracle, where other releases draw edges in another way."""


def replies(name, format):
    lines = (REPLAYS / f"{name}.formats.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return {
        one["uuid"]: one["completion"]
        for one in records
        if one["scenario"] == format_domain(format)
    }


def entry_of(format):
    return f"image2struct:format={format},source=sample"


@cache
def scored(format):
    """Each instance with its target and its scores: of the oracle, of a blank answer, and of the replays."""
    benchmark, run = run_of_entry(entry_of(format))
    scorer = benchmark.scorer(run.arguments, Door())
    inputs = {one.key.id: one for one in scorer.inputs()}
    careful, careless = (replies(name, format) for name in ("careful", "careless"))
    assert careful.keys() == careless.keys() == inputs.keys()
    found = []
    for key, target in scorer.find(inputs.keys()):
        one = inputs[key.id]
        answers = (one.oracle, one.blank, careful[key.id], careless[key.id])
        found.append((one, target, [scorer.score(target, answer) for answer in answers]))
    return found


@pytest.mark.parametrize("format", rendered_formats())
def test_the_oracle_is_right_and_what_is_wrong_scores_less(format):
    assert scored(format)
    for one, _, (oracle, blank, careful, careless) in scored(format):
        assert oracle.scores[EMS] >= LEAST.get(format, 1), one.key
        assert oracle.scores["levenshtein_similarity"] == 1
        assert blank.scores[EMS] < 1
        assert blank.scores["levenshtein_similarity"] < 1  # Each answer has a text to compare.
        assert careful.scores["compilation_success"] == 1
        assert careful.scores[EMS] < 1 or careful.scores["levenshtein_similarity"] < 1, one.key
        assert careless.scores[EMS] < 1


@pytest.mark.parametrize("format", rendered_formats())
def test_a_blank_answer_is_at_its_floor(format):
    domain = DOMAINS[format_domain(format)]
    floors = blank_floor(
        [target.picture for _, target, _ in scored(format)], domain.size_handling, domain.blank
    )
    blanks = [blank.scores[EMS] for _, _, (_, blank, _, _) in scored(format)]
    assert blanks == pytest.approx(floors)


@pytest.mark.parametrize("format", rendered_formats())
def test_the_careful_one_is_better_than_the_careless_one(format):
    """Over the instances of a format, as some mistakes are small to a metric of pictures."""
    careful, careless = (
        [scores[place].scores[EMS] for _, _, scores in scored(format)] for place in (2, 3)
    )
    assert sum(careful) > sum(careless)


@pytest.mark.parametrize("format", rendered_formats())
def test_the_oracle_scores_in_other_harnesses_and_rewards_what_it_does_in_runs(format):
    one, _, (expected, *_) = scored(format)[0]
    id, entry = one.key.id, entry_of(format)
    assert evaluation(entry).score(id, one.oracle).scores == expected.scores
    assert lm_eval_utils().scores({"asked": entry, "instance": id}, [one.oracle]) == expected.scores
    assert InstanceReward(entry, {EMS: 1.0})(one.oracle, id).score == expected.scores[EMS]


def test_the_oracle_is_right_in_helm_s_runs_of_every_format(tmp_path):
    init(tmp_path)
    runs = [f"{entry_of(format)},model=structext/oracle" for format in rendered_formats()]
    helm_run(tmp_path, "--max-eval-instances", "1", "-r", *runs)
    for format in rendered_formats():
        (run,) = suite(tmp_path).glob(f"image2struct:format={format},*")
        assert stats_of(run)[EMS] >= LEAST.get(format, 1), format


def lm_eval_utils():
    """The functions that lm-evaluation-harness calls, which it finds beside its tasks."""
    spec = spec_from_file_location("lm_eval_utils", lm_eval_tasks() / "utils.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_planted_mistake_is_listed():
    listed = json.loads((SAMPLES / "image2struct_formats" / "mistakes.json").read_text())
    assert {one["replay"] for one in listed} == {"careful", "careless"}
    for one in listed:
        kinds = {mistake["kind"] for mistake in one["mistakes"]}
        assert len(kinds) >= (1 if one["replay"] == "careful" else 2), one["kind"]


def test_each_scene_is_there_in_all_its_formats():
    scenes = {}
    for format in rendered_formats():
        benchmark, run = run_of_entry(entry_of(format))
        for one in benchmark.scorer(run.arguments, Door()).inputs():
            scenes.setdefault(one.details["scene"], set()).add((one.key.part, format))
            assert one.details["scene_type"]
            assert one.details["scene_language"] in LANGUAGES
    assert all(len({kind for kind, _ in pairs}) == 1 for pairs in scenes.values())
    assert sum(len(pairs) > 2 for pairs in scenes.values()) >= 5


def test_the_sample_is_what_its_seed_gives():
    """Code alone, so that scenes that are drawn or written in another way are noticed at once."""
    rows = sample.read_rows()
    scenes = {(row.kind, row.number) for row in rows}
    drawn = {pair: draw_number(sample.SETTINGS, *pair) for pair in scenes}
    codes = {pair: write_number(sample.SETTINGS, *pair, drawn[pair]) for pair in scenes}
    others = {row.kind for row in rows if codes[row.kind, row.number].get(row.format) != row.code}
    assert not others, f"{others} are other code; call `python scripts/build_format_sample.py`"
    assert {(row.kind, row.format) for row in rows} == {
        (kind, format) for (kind, _), written in codes.items() for format in written
    }


def test_the_replays_are_what_the_sample_s_script_writes():
    answers, listed = sample.write_replays(sample.read_rows())
    assert listed == sample.LISTED.read_text(encoding="utf-8")
    for name, text in answers.items():
        assert text == sample.replay_file(name).read_text(encoding="utf-8")
