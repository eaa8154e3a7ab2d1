"""Image2Struct's floors, and skill above them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helm_structext.baselines import BLANK
from helm_structext.benchmarks import suite_result_sets
from helm_structext.errors import SetupError
from helm_structext.formats import FORMATS
from helm_structext.image2struct import floors
from helm_structext.image2struct.floors import shuffled_floor
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS
from helm_structext.metrics import earth_mover_similarity
from helm_structext.renderers import render
from support import GOLDEN
from support.image2struct_answers import result, rows, scored, section
from support.rows import png


def test_skill_is_above_the_blank_page_on_the_same_instances():
    results = scored(**{"m": [0.8, 0.9], "late": [0.8], "structext/blank": [0.6, 0.8]})
    found = rows(section("scores", results)["latex-scores"])
    assert found["m"]["Skill (blank)"] == pytest.approx(0.15 / 0.3)
    assert found["late"]["Skill (blank)"] == pytest.approx(0.5)
    assert found["structext/blank"]["Skill (blank)"] == pytest.approx(0)
    assert "blank page 0.700" in section("scores", results)["latex-scores"].note


def test_without_a_floor_there_is_no_skill():
    results = scored(m=[0.8, 0.9])  # of pictures that are not there
    table = section("scores", results)["latex-scores"]
    assert not any("Skill" in column.name for column in table.columns)
    assert "blank page unknown (pictures are gone)" in table.note
    assert "shuffled references unknown" in table.note
    assert list(section("leaderboard", results)) == ["leaderboard", "averages"]


def test_a_model_without_instances_of_the_floor_has_no_skill():
    results = [
        *scored(**{"m": [0.8, 0.9], "structext/blank": [0.5]}),
        result("other", "2", 0.7),
    ]
    table = section("scores", results)["latex-scores"]
    assert rows(table)["m"]["Skill (blank)"] == pytest.approx(0.6)
    assert table.markdown().splitlines()[-2].split()[1:4:2] == ["other", "1"]
    assert np.isnan(rows(table)["other"]["Skill (blank)"])


@pytest.fixture
def pictures(tmp_path, monkeypatch) -> list[Path]:
    """Three pictures that differ, with a cache of their own."""
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    paths = []
    for i in range(3):
        image = Image.new("RGB", (48, 32), "white")
        image.paste((200, 0, 0), (8 * i, 4, 8 * i + 12 + 6 * i, 28))
        paths.append(tmp_path / f"{i}.png")
        image.save(paths[-1])
    return paths


def test_the_shuffled_floor_is_what_others_references_score(pictures):
    images = [Image.open(path) for path in pictures]
    values = shuffled_floor(pictures, "padding")
    for i, value in enumerate(values):
        others = [earth_mover_similarity(images[j], images[i]) for j in range(3) if j != i]
        assert value in others
    backwards = shuffled_floor(pictures[::-1], "padding")
    assert backwards == values[::-1]


def test_the_shuffled_floor_is_kept_by_content(pictures, monkeypatch):
    values = shuffled_floor(pictures, "padding")
    moved = [path.rename(path.with_name(f"moved-{path.name}")) for path in pictures]
    monkeypatch.setattr(floors, "map_in_processes", None)
    assert shuffled_floor(moved, "padding") == values
    moved[0].write_bytes(png())
    with pytest.raises(TypeError):  # it would have to be computed again
        shuffled_floor(moved, "padding")


def test_the_floor_of_a_blank_page_is_computed_where_it_was_not_run():
    (whole,) = (
        one
        for benchmark, result_sets in suite_result_sets(GOLDEN / "suite/benchmark_output/runs/demo")
        if benchmark.name == "image2struct"
        for one in result_sets
    )
    ran = {key: answer for key, answer in whole.answers.items() if key[0] == BLANK}
    others = {key: answer for key, answer in whole.answers.items() if key[0] != BLANK}
    half = dict(list(ran.items())[::2])
    assert 0 < len(half) < len(ran)
    for kept in ({}, half):
        floor = replace(whole, answers={**others, **kept}).blank_floor
        assert floor == pytest.approx(whole.blank_floor, abs=1e-9)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_blank_page_has_the_size_that_an_empty_answer_renders_to(name):
    domain, protocol = DOMAINS[name], "published" if name in PUBLISHED_DOMAINS else "corrected"
    page = render(domain.format, FORMATS[domain.format].blank, protocol=protocol).image
    assert page.size == domain.blank
    assert page.convert("L").getextrema() == (255, 255)


def test_skill_above_shuffled_references(pictures):
    results = [
        result("m", str(i), value, picture=pictures[i]) for i, value in enumerate([1, 0.9, 0.95])
    ]
    floor = sum(shuffled_floor(pictures, "padding")) / 3
    table = section("scores", results)["latex-scores"]
    assert rows(table)["m"]["Skill (shuffled)"] == pytest.approx((0.95 - floor) / (1 - floor))
    assert f"shuffled references {floor:.3f}" in table.note


def test_a_broken_picture_is_named(pictures):
    pictures[1].write_bytes(b"no picture")
    results = [result("m", str(i), 0.5, picture=path) for i, path in enumerate(pictures)]
    with pytest.raises(SetupError, match=r"can't be read.*1\.png"):
        section("scores", results)
