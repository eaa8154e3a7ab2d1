"""Block-EMD and EMS beyond the published values: exactness, shapes, plans and settings."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.distance import cdist

from helm_structext.metrics import (
    EmsSettings,
    block_emd,
    earth_mover_distance,
    earth_mover_similarity,
    earth_mover_similarity_corrected,
    ems,
)
from helm_structext.metrics.transport import Patches, nested_emd
from support.lazy import Lazy
from support.pictures import drawn, photo

ot = Lazy("ot")

WHITE = (255, 255, 255)
SPOTS = np.indices((4, 4)).reshape(2, -1).T / 4


def by_all_costs(weight, first, second, position_cost, metric):
    """Solves every inner problem in full, then the outer one."""

    def inner(i, j):
        points = (
            np.column_stack((side.gray[k], side.places)) for side, k in ((first, i), (second, j))
        )
        return ot.emd2(first.mass[i], second.mass[j], cdist(*points, metric))

    n = range(len(weight))
    cost = np.array([[inner(i, j) for j in n] for i in n]) + position_cost
    return ot.emd2(weight, weight, cost)


@st.composite
def patches(draw, count):
    """Few grey values, so that equal pixels, equal patches and single greys are common."""
    seed, levels = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 6))
    rng = np.random.default_rng(seed)
    gray = rng.choice([0.0, 0.25, 0.5, 0.9, 1.0, 1 / 3][:levels], (count, len(SPOTS)))
    gray[rng.random(count) < 0.3] = gray[0]
    mass = np.where(
        gray == draw(st.sampled_from([0.0, 1.0])), draw(st.sampled_from([0.001, 1])), 1.0
    )
    return Patches(gray, mass / mass.sum(axis=1, keepdims=True), SPOTS)


@given(st.data(), st.integers(1, 7), st.sampled_from(["cityblock", "euclidean"]))
@settings(deadline=None, max_examples=60)
def test_equals_the_solution_from_all_costs(data, count, metric):
    first, second = data.draw(patches(count)), data.draw(patches(count))
    rng = np.random.default_rng(count)
    weight = rng.choice([0.001, 1.0], count)
    weight /= weight.sum()
    position_cost = cdist(*[rng.random((count, 2))] * 2, metric) * data.draw(
        st.sampled_from([0, 0.1, 1])
    )
    value, flow, pixel_cost = nested_emd(weight, first, second, position_cost, metric)
    assert value == pytest.approx(
        by_all_costs(weight, first, second, position_cost, metric), abs=1e-9
    )
    assert (flow * (pixel_cost + position_cost)).sum() == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("metric", ["cityblock", "euclidean"])
def test_equals_the_solution_from_ten_thousand_costs(monkeypatch, metric):
    seen = []
    solve = ems.nested_emd
    monkeypatch.setattr(ems, "nested_emd", lambda *args: seen.append(args) or solve(*args))
    first, second = (drawn("music", seed, (160, 160), (0, 0, 0)) for seed in (1, 2))
    value = block_emd(
        first, second, settings=EmsSettings(threshold_most_frequent_color=1, metric=metric)
    )
    (problem,) = seen
    assert len(problem[0]) == 100
    assert value == pytest.approx(by_all_costs(*problem), abs=1e-9)


def test_appendix_b():
    """Whole patches move as they are; where that is cheaper, pixels move inside a patch."""
    rng = np.random.default_rng(0)
    page = np.full((64, 64), 255, np.uint8)
    for row, column in ((1, 1), (1, 5), (3, 2), (6, 3)):
        page[8 * row : 8 * row + 8, 8 * column : 8 * column + 8] = rng.choice([0, 255], (8, 8))
    page[48:56, 24:32] = 255
    page[50:53, 26:29] = 0
    altered = page.copy()
    cycle = [(1, 1), (1, 5), (3, 2)]
    for (row, column), (r, c) in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        altered[8 * r : 8 * r + 8, 8 * c : 8 * c + 8] = page[
            8 * row : 8 * row + 8, 8 * column : 8 * column + 8
        ]
    altered[48:56, 24:32] = np.roll(page[48:56, 24:32], (2, 1), axis=(0, 1))

    value, plan = block_emd(Image.fromarray(altered), Image.fromarray(page), explain=True)
    heavy = {move.source: move for move in plan.moves if move.mass > 0.1}
    moved = {move.source: move.target for move in heavy.values() if move.source != move.target}
    assert moved == dict(zip(cycle[1:] + cycle[:1], cycle, strict=True))
    assert all(heavy[source].pixel_cost == 0 for source in moved)
    assert heavy[6, 3].target == (6, 3)
    assert heavy[6, 3].pixel_cost > 0

    scattered = rng.permutation(page.ravel()).reshape(page.shape)
    assert value < block_emd(Image.fromarray(scattered), Image.fromarray(page))
    assert earth_mover_distance(Image.fromarray(scattered), Image.fromarray(page)) == 0


def block(x=16, y=16, color=0):
    page = Image.new("L", (80, 80), 255)
    page.paste(color, (x, y, x + 16, y + 16))
    return page


def test_distance_grows_with_translation_and_with_recolouring():
    near, far = block(x=24), block(x=56, y=48)
    paler, palest = block(color=60), block(color=200)
    distances = [block_emd(picture, block()) for picture in (block(), near, far)]
    assert distances == sorted(set(distances))
    distances = [block_emd(picture, block()) for picture in (block(), paler, palest)]
    assert distances == sorted(set(distances))
    # Moving a block is cheaper than losing it.
    assert block_emd(far, block()) < block_emd(Image.new("L", (80, 80), 255), block())


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 4000), (4000, 1), (7, 9), (8, 8), (100_000, 3), (3, 30_000), (81, 8)]
)
def test_every_shape_is_defined(size):
    first, second = photo(1, size), photo(2, size)
    assert earth_mover_similarity(second, second) == 1
    assert 0 < earth_mover_similarity(first, second) < 1
    assert earth_mover_similarity_corrected(first, second) < 1


@pytest.mark.parametrize("size", [(40, 24), (33, 17)])
def test_blank_pictures_of_any_colour_are_equal_to_themselves(size):
    for color in ("white", "black", "#804020", "yellow"):
        blank = Image.new("RGB", size, color)
        assert earth_mover_similarity(blank, blank) == 1
        assert earth_mover_similarity_corrected(blank, blank) == 1


def test_plan_adds_up():
    first, second = drawn("table", 1, (200, 90), WHITE), drawn("table", 2, (190, 100), WHITE)
    value, plan = block_emd(first, second, explain=True)
    assert value == plan.block_emd == block_emd(first, second)
    assert sum(move.mass for move in plan.moves) == pytest.approx(1)
    cost = sum(move.mass * (move.pixel_cost + move.position_cost) for move in plan.moves)
    assert cost == pytest.approx(value)
    rows, columns = plan.size[1] // 8, plan.size[0] // 8
    assert rows * columns <= 100
    for source, target, *_ in plan.moves:
        assert (0, 0) <= source < (rows, columns)
        assert (0, 0) <= target < (rows, columns)
    similarity, same_plan = earth_mover_similarity(first, second, explain=True)
    assert similarity == earth_mover_similarity(first, second)
    assert same_plan == plan


def test_corrected_agrees_on_white_and_black_and_not_on_dark_pages(monkeypatch):
    monkeypatch.setattr(ems, "_UNDISPUTED", ())  # so that the corrected one is really computed
    for background in (WHITE, (0, 0, 0)):
        pair = [drawn("algorithm", seed, (160, 120), background) for seed in (1, 2)]
        assert earth_mover_similarity_corrected(*pair) == earth_mover_similarity(*pair)
    pair = [drawn("algorithm", seed, (160, 120), (13, 17, 23)) for seed in (1, 2)]
    assert earth_mover_similarity_corrected(*pair) < earth_mover_similarity(*pair) - 0.05


def test_denominator_is_computed_once_per_reference_and_settings(monkeypatch):
    compared = []
    plan = ems._plan
    for name in ("_plan", "_recent_plan"):
        monkeypatch.setattr(ems, name, lambda *args: compared.append(args) or plan(*args))
    monkeypatch.setattr(ems, "_MAX_BASES", 2)
    page = (90, 60), (250, 240, 230)
    first, second, reference = (drawn("plot", seed, *page) for seed in (51, 52, 53))
    for _ in range(2):
        earth_mover_similarity(first, reference)
        earth_mover_similarity(second, reference.copy())
    assert len(compared) == 4 + 1
    earth_mover_similarity(first, reference, settings=EmsSettings(max_num_patches=9))
    earth_mover_similarity_corrected(first, reference)
    assert len(compared) == 4 + 1 + 2 + 3, "the corrected one needs black and white"
    earth_mover_similarity(first, reference)  # the oldest of four had to go
    assert len(compared) == 4 + 1 + 2 + 3 + 2


def test_distance_and_similarity_of_a_pair_share_their_plan(monkeypatch):
    compared = []
    plan = ems._plan
    monkeypatch.setattr(ems, "_plan", lambda *args: compared.append(args) or plan(*args))
    first, second = (drawn("plot", seed, (91, 60), WHITE) for seed in (61, 62))
    distance = block_emd(first, second)
    assert len(compared) == 1
    _, explained = earth_mover_similarity(first.copy(), second.copy(), explain=True)
    assert explained.block_emd == distance
    assert len(compared) == 2, "only the denominator is new"
    corrected = earth_mover_similarity_corrected(first, second)
    assert len(compared) == 3, "of the background there is nothing to correct on white"
    # But a white picture may be farther away than a black one.
    white, black = (ems._base(c, second, ems.PUBLISHED, ems._PUBLISHED) for c in ("white", "black"))
    assert white > black
    assert corrected == 1 - distance / white
    assert earth_mover_similarity(first, second) == 1 - distance / black


def test_classic_distance_is_that_of_histograms():
    from scipy.stats import wasserstein_distance

    first, second = photo(1, (50, 40)).convert("L"), photo(2, (50, 40)).convert("L")
    expected = wasserstein_distance(np.asarray(first).ravel(), np.asarray(second).ravel())
    assert earth_mover_distance(first, second) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"patch_size": (0, 8)}, r"patch_size: expected two positive integers, got \(0, 8\)"),
        ({"patch_size": (8,)}, "patch_size: expected two positive integers"),
        ({"max_num_patches": 0}, "max_num_patches: expected a positive integer, got 0"),
        ({"weight_most_frequent_color": 0}, r"weight_most_frequent_color: expected a number in"),
        ({"weight_most_frequent_color": float("nan")}, r"weight_most_frequent_color: .* got nan"),
        ({"threshold_most_frequent_color": 1.5}, r"threshold_most_frequent_color: .* got 1.5"),
        ({"metric": "chebyshev"}, "metric: expected one of cityblock, euclidean, got 'chebyshev'"),
    ],
)
def test_settings_out_of_range(wrong, message):
    with pytest.raises(ValueError, match=message):
        EmsSettings(**wrong)


def test_torch_is_not_loaded_for_a_solver_that_does_not_use_it():
    program = """if True:
        import os, sys
        from PIL import Image
        from helm_structext.metrics import earth_mover_similarity
        before = dict(os.environ)
        assert not {"ot", "scipy", "nltk"} & sys.modules.keys()
        earth_mover_similarity(Image.new("L", (9, 9)), Image.new("L", (9, 9), 255))
        assert "ot" in sys.modules and "torch" not in sys.modules
        assert os.environ == before
    """
    subprocess.run([sys.executable, "-c", program], check=True)
