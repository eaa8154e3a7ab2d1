"""Scenes as structures and replies: the holes that are known are found, and no failure is a score."""

import json

import pytest

from helm_structext.audit.cases import AuditCase
from helm_structext.audit.tables import fraud_margins
from helm_structext.audit.texts import (
    REWARD,
    TEXT_FORMATS,
    find_paths,
    measure_texts,
    replace_values,
    structure_of,
)
from helm_structext.metrics import parse_structure, path_score
from helm_structext.scenes.items import draw_number
from helm_structext.scenes.settings import choose_settings


@pytest.fixture(scope="module")
def scene():
    settings = choose_settings(count=1, seed=7, kinds=["diagram"], languages=["en"])
    return draw_number(settings, "diagram", 0)


@pytest.fixture(scope="module")
def answers(scene):
    return [*measure_texts(AuditCase(7, "diagram", 0, "svg", scene, "", ()), 5)]


def test_every_path_of_a_scene_is_found_in_it_by_the_benchmark(scene):
    structure = structure_of(scene)
    paths = [*find_paths(structure)]
    assert len(paths) > 10
    assert path_score(json.dumps(structure), paths, "json") == 1


def test_other_values_have_the_same_paths(scene):
    structure = structure_of(scene)
    assert [*find_paths(replace_values(structure, None))] == [*find_paths(structure)]


@pytest.mark.parametrize("format", ["json", "yaml"])
def test_a_scene_is_the_same_in_each_format(scene, format):
    code = TEXT_FORMATS[format].write(scene)
    assert parse_structure(code, format) == json.loads(TEXT_FORMATS["json"].write(scene))


def test_the_right_answer_has_all_and_nothing_fails(answers):
    assert {one.format for one in answers} == set(TEXT_FORMATS)
    assert all(
        value == 1 for one in answers if one.role == "right" for value in one.values.values()
    )
    assert [one.failures for one in answers if one.failures] == []


def test_harmless_changes_cost_nothing(answers):
    assert {one.values[REWARD] for one in answers if one.role == "harmless"} == {1.0}


def test_one_value_at_all_keys_is_right_by_the_metric_and_noticed_by_the_reward(answers):
    structures = [one for one in answers if one.format == "json"]
    for name in ("keys with null", "keys with one text"):
        (same,) = [one for one in structures if one.name == name]
        assert (same.values["path_score"], same.values[REWARD]) == (1, 0)
    (highest,) = fraud_margins(structures, REWARD)
    assert highest.margin > 0.4


def test_everything_as_the_answer_is_right_by_the_metric(answers):
    (all_of_it,) = [one for one in answers if one.name == "everything as the answer"]
    assert all_of_it.values["pnls"] == 1
