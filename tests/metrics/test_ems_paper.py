"""The earth mover similarity by the paper's equations: against all of them solved at once, and its range."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.distance import cdist

from helm_structext.metrics import (
    block_emd,
    earth_mover_similarity,
    earth_mover_similarity_corrected,
    earth_mover_similarity_paper,
    ems_paper,
    match_sizes,
    transport,
)
from helm_structext.metrics.transport import Cloud, emd_bounds
from support import GOLDEN
from support.lazy import Lazy
from support.pictures import drawn, photo

ot = Lazy("ot")


def noise(seed, size):
    gray = np.random.default_rng(seed).integers(0, 256, size[::-1], np.uint8)
    return Image.fromarray(gray)


def block_emd_as_printed(first, second, grid=4):
    """Equations 2 and 3 with equation 7: every patch with every other, and every pixel with every other."""

    def patches(picture):
        rows = np.array_split(np.asarray(picture.convert("L")).astype(float), grid)
        return [patch for row in rows for patch in np.array_split(row, grid, axis=1)]

    def signature(patch):
        return np.column_stack([*np.indices(patch.shape).reshape(2, -1), patch.ravel()])

    def emd(one, other):
        ground = cdist(signature(one), signature(other))
        return ot.emd2(ot.unif(one.size), ot.unif(other.size), ground)

    ours, theirs = patches(first), patches(second)
    height, width = first.height // grid, first.width // grid
    places = [(row * height, column * width) for row in range(grid) for column in range(grid)]
    costs = [[emd(one, other) for other in theirs] for one in ours] + cdist(places, places)
    return ot.emd2(ot.unif(len(ours)), ot.unif(len(theirs)), costs)


def similarity_as_printed(prediction, reference):
    black, white = (Image.new("L", reference.size, color) for color in (0, 255))
    farthest = max(block_emd_as_printed(reference, blank) for blank in (black, white))
    return 1 - block_emd_as_printed(reference, prediction) / farthest


def shifted(picture, right, down):
    moved = Image.new(picture.mode, picture.size, "white")
    moved.paste(picture, (right, down))
    return moved


@pytest.mark.parametrize("size", [(16, 12), (12, 24)])
def test_equals_all_equations_solved_at_once(monkeypatch, size):
    monkeypatch.setattr(ems_paper, "GRID", 4)  # of 256 pairs of patches instead of 4,096
    pairs = [
        (photo(1, size), photo(2, size)),
        (noise(3, size), noise(4, size)),
        (shifted(photo(5, size), 5, 2), photo(5, size)),
        (Image.new("L", size, 255), photo(6, size)),
    ]
    for prediction, reference in pairs:
        value, bounds = earth_mover_similarity_paper(prediction, reference, explain=True)
        assert value == pytest.approx(similarity_as_printed(prediction, reference), abs=1e-9)
        assert bounds.low == pytest.approx(bounds.high, abs=1e-12)


def test_patches_move_where_that_is_cheaper():
    """As in Appendix B: what moves as a whole costs its way and nothing else."""
    page = np.full((64, 64), 255, np.uint8)
    page[8:16, 8:16] = 0
    other = np.roll(
        page, 8, axis=1
    )  # The black patch goes one patch to the right, a white one back.
    value = earth_mover_similarity_paper(Image.fromarray(other), Image.fromarray(page))
    brightness = page.mean()
    assert value == pytest.approx(1 - 2 * 8 / 64 / brightness)


@st.composite
def clouds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = draw(st.tuples(st.integers(1, 60), st.integers(1, 60)))
    spread = draw(st.sampled_from([3, 30, 256]))
    masses = [rng.random(count) + 0.01 for count in counts]
    return [
        Cloud(rng.integers(0, spread, (count, 3)).astype(float), mass / mass.sum())
        for count, mass in zip(counts, masses, strict=True)
    ]


@given(clouds(), st.sampled_from([2, 8, 20]))
@settings(deadline=None, max_examples=40)
def test_bounds_hold_the_distance_and_are_it_where_there_are_few_points(pair, merged):
    first, second = pair
    distance = ot.emd2(first.mass, second.mass, cdist(first.places, second.places))
    assert emd_bounds(first, second) == pytest.approx((distance, distance))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport, "MAX_POINTS", merged)
        patch.setattr(transport, "_MERGED", merged)
        low, high = emd_bounds(first, second)
    assert 0 <= low <= high
    assert low - 1e-9 <= distance <= high + 1e-9


def test_bounds_hold_the_value_where_points_are_merged(monkeypatch):
    size = (120, 96)
    pairs = [(photo(1, size), photo(2, size)), (noise(1, size), noise(2, size))]
    exact = [earth_mover_similarity_paper(*pair, explain=True) for pair in pairs]
    for name in ("MAX_POINTS", "_MERGED"):
        monkeypatch.setattr(transport, name, 20)
    monkeypatch.setattr(ems_paper, "MAX_POINTS", 20)
    for pair, (value, bounds) in zip(pairs, exact, strict=True):
        assert bounds.low == pytest.approx(bounds.high, abs=1e-6)
        low, high = earth_mover_similarity_paper(*pair, explain=True)[1]
        assert low < high
        assert low - 1e-9 <= value <= high + 1e-9


def test_bounds_are_close_on_rendered_pages_and_photographs():
    def gap(prediction, reference, handling="padding"):
        value, (low, high) = earth_mover_similarity_paper(
            prediction, reference, handling, explain=True
        )
        assert low <= value <= high
        return high - low

    rows = json.loads((GOLDEN / "image_metrics.json").read_text())
    gaps = [
        gap(*(Image.open(GOLDEN / "images" / row[name]) for name in ("prediction", "reference")), row["size_handling"])
        for row in rows
        if "photo" not in row["prediction"]
    ]  # fmt: skip
    assert np.median(gaps) < 0.002
    assert max(gaps) < 0.02
    for kind in ("table", "music"):
        assert gap(*(drawn(kind, seed, (900, 600), (255, 255, 255)) for seed in (1, 2))) < 0.02
    assert gap(photo(1, (640, 480)), photo(2, (640, 480))) < 0.02


def pages():
    """A dark top, a bar at the side, a dark photograph in a white frame, halves, a photograph."""
    hero, side, halves = (Image.new("RGB", (640, 360), "white") for _ in range(3))
    hero.paste((20, 30, 60), (0, 0, 640, 150))
    side.paste((0, 0, 0), (0, 0, 150, 360))
    halves.paste((0, 0, 0), (0, 0, 640, 180))
    dark = np.random.default_rng(0).integers(1, 40, (360, 640, 3), np.uint8)
    dark[:10] = dark[-10:] = dark[:, :10] = dark[:, -10:] = 255
    return {
        "hero": hero,
        "side": side,
        "dark": Image.fromarray(dark),
        "halves": halves,
        "photo": photo(1, (640, 360)),
    }


def test_a_blank_page_may_be_worse_than_none_by_the_published_program_alone():
    blank = Image.new("RGB", (640, 360), "white")
    published = {name: earth_mover_similarity(blank, page) for name, page in pages().items()}
    assert published["hero"] == pytest.approx(-0.89, abs=0.01)
    assert published["side"] == pytest.approx(-1.04, abs=0.01)
    assert published["dark"] < -3
    for name, page in pages().items():
        negative = Image.fromarray(255 - np.asarray(page))
        for prediction in (blank, negative):
            for metric in (earth_mover_similarity_corrected, earth_mover_similarity_paper):
                assert 0 <= metric(prediction, page) <= 1, name


def test_the_published_denominator_is_not_the_larger_distance():
    def distances(page):
        blanks = (Image.new("RGB", page.size, color) for color in ("white", "black"))
        return [block_emd(blank, page) for blank in blanks]

    blank, page = (Image.new("RGB", (640, 360), "white") for _ in range(2))
    page.paste((20, 30, 60), (0, 0, 640, 72))
    # HELM 0.5.16 has these three values.
    assert distances(page) == pytest.approx([0.9199, 0.6093], abs=1e-4)
    assert earth_mover_similarity(blank, page) == pytest.approx(-0.5098, abs=1e-4)
    assert earth_mover_similarity_corrected(blank, page) == 0
    for gray, larger, chosen in ((130, 0.691, 0.371), (155, 0.626, 0.436)):
        page = Image.new("RGB", (800, 600), (gray,) * 3)
        page.paste("black", (0, 0, 800 // 3, 600))
        assert distances(page) == pytest.approx([larger, chosen], abs=1e-3)
        prediction = photo(1, page.size)
        published = earth_mover_similarity(prediction, page)
        assert published == pytest.approx(1 - block_emd(prediction, page) / chosen, abs=0.01)
        assert published < earth_mover_similarity_corrected(prediction, page)


@given(st.integers(0, 2**32 - 1), st.tuples(st.integers(1, 40), st.integers(1, 40)))
@settings(deadline=None, max_examples=25)
def test_the_range_is_zero_to_one_and_only_equal_pictures_have_one(seed, size):
    rng = np.random.default_rng(seed)
    levels = rng.choice(256, rng.integers(1, 5))
    first, second = (Image.fromarray(rng.choice(levels, size).astype(np.uint8)) for _ in range(2))
    value, (low, high) = earth_mover_similarity_paper(first, second, explain=True)
    assert 0 <= low <= value <= high <= 1
    assert (value == 1) == (first.tobytes() == second.tobytes())
    assert earth_mover_similarity_paper(first, first) == 1
    corrected = earth_mover_similarity_corrected(first, second)
    assert 0 <= corrected <= 1


def test_the_equation_falls_below_zero_and_the_metric_does_not():
    board = np.kron(np.indices((2, 2)).sum(axis=0) % 2, np.full((400, 400), 255)).astype(np.uint8)
    first, second = Image.fromarray(board), Image.fromarray(255 - board)
    low, high = ems_paper._block_emd_bounds(
        *(ems_paper._grays(picture.convert("RGB"), (800, 800)) for picture in (first, second)), 0
    )
    assert low == pytest.approx(high)
    assert 1 - high / 127.5 < -0.4  # it is as far from black as from white
    assert earth_mover_similarity_paper(first, second) == 0


def test_black_and_white_are_as_far_away_as_the_brightness_says():
    size = (24, 16)
    reference = photo(7, size)
    for color in (0, 255):
        blank = Image.new("L", size, color)
        distance = block_emd_as_printed(reference, blank)
        gray = np.asarray(reference.convert("L")).astype(float)
        assert distance == pytest.approx(np.abs(gray - color).mean())


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 4000), (4000, 1), (7, 9), (8, 8), (20_000, 3), (81, 8)]
)
def test_every_shape_is_defined(size):
    first, second = photo(1, size), photo(2, size)
    assert earth_mover_similarity_paper(second, second) == 1
    value, bounds = earth_mover_similarity_paper(first, second, explain=True)
    assert 0 <= bounds.low <= value <= bounds.high <= 1


def test_a_large_picture_is_scaled_down(monkeypatch):
    first, second = photo(1, (200, 100)), photo(2, (200, 100))
    monkeypatch.setattr(ems_paper, "MAX_PIXELS", 5000)
    scaled = [picture.resize((100, 50)) for picture in (first, second)]
    assert earth_mover_similarity_paper(first, second) == pytest.approx(
        earth_mover_similarity_paper(*scaled)
    )
    wide, tall = Image.new("RGB", (7000, 1)), Image.new("RGB", (1, 7000))
    assert 0.9 < earth_mover_similarity_paper(wide, tall) < 1


def test_sizes_are_matched_as_in_the_other_metrics():
    first, second = photo(1, (60, 40)), photo(2, (40, 60))
    for handling in ("padding", "resize"):
        matched = match_sizes(first, second, handling)
        assert earth_mover_similarity_paper(first, second, handling) == pytest.approx(
            earth_mover_similarity_paper(*matched)
        )
    with pytest.raises(ValueError, match="expected the reference's size"):
        earth_mover_similarity_paper(first, second, "error")
