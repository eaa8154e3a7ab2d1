"""Large pictures are compared band by band, with the values and bytes of the whole."""

import numpy as np
import pytest

from helm_structext import metrics, pictures
from helm_structext.image2struct.scores import PICTURE_METRICS
from helm_structext.metrics import pixel, sizes
from helm_structext.metrics.colors import most_frequent_color, most_frequent_of_all, pack_colors
from helm_structext.metrics.sizes import Canvas, match_sizes, match_unpadded, pad_rows
from support.pictures import noise, photo

PAIRS = [((90, 400), (300, 70)), ((1, 1), (50, 9)), ((3, 200), (200, 3)), ((120, 90), (120, 90))]


@pytest.fixture(params=[1, 700, 5000])
def narrow_bands(request, monkeypatch):
    """Bands of so few pixels that even small pictures have many."""
    cut_finely(monkeypatch, request.param)


def cut_finely(monkeypatch, pixels):
    for module in (pixel, sizes):
        monkeypatch.setattr(module, "bands", lambda size: pictures.bands(size, 0, pixels))


@pytest.mark.parametrize("handling", ["padding", "resize"])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("make", [noise, photo])
def test_values_are_those_of_whole_pictures(pair, handling, make, monkeypatch):
    functions = {**PICTURE_METRICS, "earth_mover_distance": metrics.earth_mover_distance}
    images = [make(number, size).convert("RGB") for number, size in enumerate(pair)]
    whole = match_sizes(*images, handling)
    expected = {name: metric(*whole) for name, metric in functions.items()}
    for pixels in (1, 700, 5000):
        cut_finely(monkeypatch, pixels)
        assert {name: metric(*images, handling) for name, metric in functions.items()} == expected


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("size", [(8, 8), (299, 299), (1, 300), (77, 3)])
def test_a_huge_canvas_is_scaled_as_pillow_scales_all_of_it(pair, size, monkeypatch):
    cut_finely(monkeypatch, 700)
    images = [noise(number, side).convert("RGB") for number, side in enumerate(pair)]
    for canvas in match_unpadded(*images, "padding"):
        whole = canvas.resized(size)
        assert whole.tobytes() == canvas.band(0, canvas.size[1]).resize(size).tobytes()
        monkeypatch.setattr(sizes, "MAX_PIXELS", 0)
        steps = np.asarray(canvas.resized(size)).astype(int) - np.asarray(whole)
        assert np.abs(steps).max() <= 40  # of 255, in noise
        assert np.abs(steps).mean() < 2
        monkeypatch.setattr(sizes, "MAX_PIXELS", pictures.MAX_PIXELS)


def test_bands_of_a_canvas_are_its_rows(narrow_bands):
    canvas = Canvas(noise(1, (40, 30)).convert("RGB"), (60, 50))
    whole = canvas.band(0, 50)
    assert whole.size == (60, 50)
    assert b"".join(band.tobytes() for band in canvas.bands()) == whole.tobytes()
    packs = np.concatenate(list(canvas.colors()))
    assert packs.tolist() == pack_colors(whole).tolist()
    gray = pad_rows(np.asarray(canvas.picture.convert("L")), canvas.size, 20, 45)
    assert gray.tolist() == np.asarray(whole.convert("L"))[20:45].tolist()


def test_the_most_frequent_color_of_many_parts():
    random = np.random.default_rng(3)
    for most in (1, 2, 5, 256):
        for parts in (1, 2, 7):
            found = random.integers(0, most, (parts, 100)).astype(np.uint32) * 0x10101
            assert most_frequent_of_all(iter(found)) == most_frequent_color(found.ravel())[0]


@pytest.mark.parametrize("heavy", [[], [0.5], [0.3, 0.3], [0.4, 0.3, 0.2], [0.06] * 3, [1]])
@pytest.mark.parametrize("others", [1, 3, 1000])
@pytest.mark.parametrize("shuffled", [True, False])
def test_the_most_frequent_color_is_that_of_all_counts(heavy, others, shuffled):
    random = np.random.default_rng(4)
    parts = [np.full(int(share * 5000), 90 - color) for color, share in enumerate(heavy)]
    rest = 5000 - sum(map(len, parts))
    colors = np.concatenate([*parts, random.integers(0, others, rest) * 7]).astype(np.uint32)
    if shuffled:
        random.shuffle(colors)
    values, counts = np.unique(colors, return_counts=True)
    assert most_frequent_color(colors) == (values[counts.argmax()], counts.max() / 5000)
