import io
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
    GRAY,
    PALE,
    BinMean,
    PictureCell,
    Point,
    heat_map,
    length_panels,
    picture_grid,
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


LENGTHS = np.array([10.0, 20.0, 30.0, 4000.0])


def test_lengths_have_a_panel_for_each_model_with_points_and_means():
    nan = float("nan")
    points = {"a": (LENGTHS, np.array([0.9, 0.7, -0.2, nan])), "b": (LENGTHS, LENGTHS * nan)}
    means = {"a": [BinMean(10, 20, 0.8, 0.7, 0.9), BinMean(30, 4000, -0.2, nan, nan)], "b": []}
    both = length_panels(points, means, "EMS", "characters")
    assert area(both, AFTER) > 100
    assert not area(length_panels({"b": points["b"]}, {"b": []}, "EMS", "characters"), AFTER)
    one = length_panels({"a": points["a"]}, means, "EMS", "characters")
    assert pixels(both).shape[0] > pixels(one).shape[0] + 1.4 * DPI


def test_one_length_and_one_answer_are_plotted():
    point = np.array([7.0]), np.array([50.0])
    picture = length_panels({"m": point}, {"m": [BinMean(7, 7, 50, 40, 60)]}, "Score", "x", 100)
    assert area(picture, AFTER) > 20


def test_pictures_stand_in_boxes_of_one_size():
    red, blue = Image.new("RGB", (300, 300), "red"), Image.new("RGB", (900, 90), "blue")
    picture = picture_grid([PictureCell("Reference", red), PictureCell("m", blue)], "One")
    side = (2.4 - 0.1) * DPI
    assert area(picture, "#ff0000") == pytest.approx(side**2, rel=0.03)
    assert area(picture, "#0000ff") == pytest.approx(side**2 / 10, rel=0.05)
    assert area(picture, PALE) > 8 * side * 0.5


def test_texts_stay_in_their_boxes():
    long = PictureCell("a name " * 40, None, "word " * 5000 + "x" * 5000, "note " * 100)
    edge = pixels(picture_grid([long], "title " * 50))
    assert (edge[:20] == 255).all()
    assert (edge[:, -20:] == 255).all()
    assert area(picture_grid([PictureCell("m", None, "word " * 50)], ""), GRAY) > 100
    assert area(picture_grid([PictureCell("m", None, "")], ""), GRAY) < 5


def test_plots_depend_on_their_numbers_alone():
    def draw(_: int) -> tuple[bytes, ...]:
        return (
            heat_map(NAMES, MATRIX, "Correlation"),
            timeline({"m": POINTS}, {"m": date(2024, 1, 20)}, "EMS"),
            length_panels(
                {"m": (LENGTHS, LENGTHS / 4000)}, {"m": [BinMean(9, 99, 0.5, 0.4, 0.6)]}, "EMS", "x"
            ),
            picture_grid([PictureCell("m", Image.new("RGB", (9, 9), "red"), below="0.5")], "One"),
        )

    expected = draw(0)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(draw, range(8))) == {expected}
    # What a user's matplotlibrc may say.
    theirs = {"font.family": "serif", "axes.grid": True, "savefig.dpi": 50, "text.color": "red"}
    with mpl.rc_context(theirs):
        assert draw(0) == expected
