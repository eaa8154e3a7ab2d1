"""A folder that `generate image2struct` wrote is a benchmark: the oracle is right in it, and a blank page at its floor."""

import pytest

from helm_structext.benchmarks import run_of_entry
from helm_structext.image2struct.floors import blank_floor
from helm_structext.image2struct.tasks import DOMAINS, format_domain
from helm_structext.integrations.evaluations import evaluation
from helm_structext.rewards import InstanceReward
from helm_structext.scenes.sets import generate_set
from helm_structext.scenes.settings import choose_settings
from helm_structext.scoring.scorer import Door
from support.helm import helm_run, init, stats_of, suite

EMS = "earth_mover_similarity"
FORMATS = ("svg", "typst")


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """One drawing in two formats."""
    folder = tmp_path_factory.mktemp("generated") / "set"
    settings = choose_settings(
        kinds=["drawing"], formats=FORMATS, count=1, seed=5, levels=["easy"], parallel=True
    )
    assert generate_set(settings, folder)["drawing"].kept == 1
    return folder


def entry_of(format, folder):
    return f"image2struct:format={format},source={folder}"


@pytest.mark.parametrize("format", FORMATS)
def test_the_oracle_is_right_and_a_blank_page_at_its_floor_in_each_harness(format, generated):
    entry = entry_of(format, generated)
    benchmark, run = run_of_entry(entry)
    scorer = benchmark.scorer(run.arguments, Door())
    (one,) = scorer.inputs()
    ((_, target),) = scorer.find({one.key.id})
    domain = DOMAINS[format_domain(format)]
    floors = blank_floor([target.picture], domain.size_handling, domain.blank)
    for score in (evaluation(entry).score, lambda id, answer: scorer.score(target, answer)):
        assert score(one.key.id, one.oracle).scores[EMS] == 1
        assert score(one.key.id, one.blank).scores[EMS] == pytest.approx(floors[0])
    reward = InstanceReward(entry, {EMS: 1.0})
    assert reward(one.oracle, one.key.id).score == 1
    assert reward(one.blank, one.key.id).score == pytest.approx(max(floors[0], 0))


def test_helm_runs_it(generated, tmp_path):
    init(tmp_path)
    runs = [
        f"{entry_of(format, generated)},model=structext/{model}"
        for format in FORMATS
        for model in ("oracle", "blank")
    ]
    helm_run(tmp_path, "--max-eval-instances", "1", "-r", *runs)
    found = {
        (format, model): stats_of(run)[EMS]
        for format in FORMATS
        for model in ("oracle", "blank")
        for run in suite(tmp_path).glob(f"image2struct:format={format},*model=structext_{model}*")
    }
    assert len(found) == len(runs)
    for format in FORMATS:
        assert found[format, "oracle"] == 1
        assert found[format, "blank"] < 1
