import io
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from helm_structext.results.plots import (
    AFTER,
    BEFORE,
    DPI,
    MAX_BARS,
    PALE,
    Point,
    draw_bars,
    draw_histograms,
    heat_map,
    timeline,
)

MATRIX = np.array([[1.0, -0.8, np.nan], [-0.8, 1.0, 0.0], [np.nan, 0.0, 1.0]])
NAMES = ["EMS", "SSIM", "Levenshtein"]
POINTS = [Point(date(2024, 1, day), 0.5, 0.4, 0.6) for day in (10, 20, 30)]


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def area(png: bytes, color: str) -> int:
    rgb = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return int((pixels(png) == rgb).all(axis=2).sum())


def test_a_heat_map_is_red_for_one_blue_below_zero_and_gray_where_nothing_is_known():
    picture = heat_map(NAMES, MATRIX, "Correlation")
    red, _, blue = pixels(picture).astype(int).transpose(2, 0, 1)
    cell = (0.58 * DPI) ** 2
    assert 2 < ((red - blue) > 60).sum() / cell < 3
    assert 1.5 < ((blue - red) > 60).sum() / cell < 2
    assert 1.8 < area(picture, PALE) / cell < 2


def test_long_names_and_titles_are_inside_of_the_picture():
    long = ["a very long name of a metric", "another one that is as long"]
    edge = pixels(heat_map(long, MATRIX[:2, :2], "many words " * 20))
    assert (edge[:20] == 255).all()
    assert (edge[:, -20:] == 255).all()
    assert (edge[:, :20] == 255).all()


def test_a_matrix_has_a_row_and_a_column_for_each_name():
    with pytest.raises(ValueError, match=r"expected 2 × 2 values, got the shape \(3, 3\)"):
        heat_map(NAMES[:2], MATRIX, "")


@pytest.mark.parametrize(
    ("cutoff", "before"),
    [(date(2020, 1, 1), 0), (date(2024, 1, 10), 1), (date(2024, 1, 20), 2), (date(2030, 1, 1), 3)],
)
def test_points_up_to_the_cutoff_are_orange_and_later_ones_blue(cutoff, before):
    picture = timeline({"m": POINTS}, {"m": cutoff}, "EMS")
    early, late = area(picture, BEFORE), area(picture, AFTER)
    assert early / (early + late) == pytest.approx(before / 3, abs=0.05)


def test_a_point_without_interval_and_a_single_day_are_plotted():
    nan = float("nan")
    picture = timeline({"m": [Point(date(2024, 1, 1), 0.5, nan, nan)]}, {"m": date.max}, "EMS")
    assert area(picture, BEFORE) > 20


def test_a_timeline_has_a_panel_for_each_model():
    one = pixels(timeline({"a": POINTS}, {"a": date.min}, "EMS"))
    two = pixels(timeline(dict.fromkeys("ab", POINTS), dict.fromkeys("ab", date.min), "EMS"))
    assert two.shape[0] > one.shape[0] + 1.4 * DPI


def test_plots_depend_on_their_numbers_alone():
    def draw(_: int) -> tuple[bytes, bytes]:
        return (
            heat_map(NAMES, MATRIX, "Correlation"),
            timeline({"m": POINTS}, {"m": date(2024, 1, 20)}, "EMS"),
        )

    expected = draw(0)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(draw, range(8))) == {expected}
    # What a user's matplotlibrc may say.
    theirs = {"font.family": "serif", "axes.grid": True, "savefig.dpi": 50, "text.color": "red"}
    with mpl.rc_context(theirs):
        assert draw(0) == expected


def test_bars_are_as_long_as_their_numbers_and_bounded():
    bar = 5.0 * 0.26 * 0.72 * DPI**2
    assert area(draw_bars(["a", "b"], [4, 1], "T"), AFTER) == pytest.approx(1.25 * bar, rel=0.05)
    long = pixels(draw_bars([f"{n} $x$ {'very ' * 60}" for n in range(9)], range(9), "T " * 200))
    assert (long[:20] == 255).all()
    assert (long[:, :20] == 255).all()
    many = pixels(draw_bars([f"{n}" for n in range(5000)], [1.0] * 5000, "T"))
    assert len(many) < (MAX_BARS * 0.26 + 2) * DPI
    assert area(draw_bars(["none"], [0], "T"), AFTER) == 0
    with pytest.raises(ValueError, match="expected 2, got 1"):
        draw_bars(["a", "b"], [1], "T")


def test_a_histogram_has_a_bar_for_each_number_and_no_long_tail():
    def height(picture: bytes) -> np.ndarray:
        rgb = [int(AFTER[i : i + 2], 16) for i in (1, 3, 5)]
        return (pixels(picture) == rgb).all(axis=2).sum(axis=0)

    columns = height(draw_histograms({"W": {1: 10, 2: 20, 4: 10}}, "T"))
    (low, _), (high, _) = sorted(Counter(int(n) for n in columns if n).most_common(2))
    assert high == pytest.approx(2 * low, abs=3)
    tail = draw_histograms({"W": {**dict.fromkeys(range(10), 100), 10**9: 1}}, "T")
    assert area(tail, AFTER) > 0.5 * 7.2 * DPI * DPI  # not one bar at the edge
    assert draw_histograms({"One": {5: 1}, "Two": {0: 3}}, "T")[1:4] == b"PNG"
