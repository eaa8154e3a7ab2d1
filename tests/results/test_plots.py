import io
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from helm_structext.machine import fonts
from helm_structext.results import plots
from helm_structext.results.plots import (
    AFTER,
    BAR,
    BEFORE,
    COLORS,
    DPI,
    GRAY,
    LINES,
    MAX_BARS,
    NO_INTERVAL,
    PALE,
    PLOT,
    BinMean,
    Mark,
    PictureCell,
    Point,
    draw_histograms,
    heat_map,
    horizontal_bars,
    length_panels,
    picture_grid,
    radar,
    scatter,
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


NAN = (float("nan"), float("nan"))


def bar(value: float, interval: tuple[float, float] = NAN, **more) -> bytes:
    return horizontal_bars({"Text → TOML": (value, interval)}, "Tasks", **more)


def test_bars_are_as_long_as_their_numbers():
    whole = PLOT[0] * 0.62 * BAR * DPI**2
    for value, most in ((0.25, 1), (0.5, 1), (50.0, 100)):
        assert area(bar(value, most=most), AFTER) / whole == pytest.approx(value / most, abs=0.02)
    assert area(bar(-0.25), AFTER) > 0.15 * whole, "below 0 to the left"
    assert area(bar(0.5, (0.3, 0.9)), "#222222") > area(bar(0.5), "#222222") + 0.5 * DPI


def test_bars_stand_one_below_the_other():
    heights = [
        pixels(horizontal_bars({str(i): (0.5, NAN) for i in range(n)}, "T")).shape[0]
        for n in (1, 5)
    ]
    assert heights[1] - heights[0] == pytest.approx(4 * BAR * DPI, abs=3)


def test_points_are_as_high_as_their_scores_and_have_the_color_of_their_kind():
    marks = [Mark("o", 1, 0.2, (0.1, 0.3), "open"), Mark("c", 10, 0.8, (0.7, 0.9), "closed")]
    picture = pixels(scatter(marks, "T", "x", "y")).astype(int)
    places = []
    for color in COLORS[:2]:
        rgb = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
        rows, columns = np.nonzero((picture == rgb).all(axis=2))
        plot = rows < (PLOT[1] + 0.6) * DPI  # above the legend
        places.append((np.median(columns[plot]), np.median(rows[plot])))
    (left, low), (right, high) = places
    assert left < right
    assert low - high == pytest.approx(0.6 * PLOT[1] * DPI, rel=0.05)


@pytest.mark.parametrize("number", [1, 3, 60])
def test_names_of_points_stand_apart(number):
    heights = plots._apart([0.5] * number, 1 / max(number, 17), 0.0, 1.0)
    assert len({round(height, 6) for height in heights}) == number
    assert min(heights) >= 0
    assert max(heights) <= 1
    scatter([Mark(f"m{i}", 7, 0.5, NAN) for i in range(number)], "T", "x", "y")


def test_a_radar_has_a_line_for_each_model_and_says_how_many_it_leaves_out():
    axes = ["a", "b", "c", "d"]
    one = radar(axes, {"m": [1.0] * 4}, "T")
    assert area(one, COLORS[0]) > area(radar(axes, {"m": [0.5] * 4}, "T"), COLORS[0])
    assert area(one, COLORS[1]) == 0
    assert area(radar(axes, {"m": [1.0] * 4, "n": [None, 0.5, 0.5, None]}, "T"), COLORS[1]) > 100
    many = {f"m{i}": [0.5] * 4 for i in range(len(LINES) + 5)}
    assert radar(axes, many, "T") != radar(axes, dict([*many.items()][: len(LINES)]), "T")
    assert radar(["a", "b"], {}, "T")
    with pytest.raises(ValueError, match="expected 4 shares, got 3 for m"):
        radar(axes, {"m": [1.0] * 3}, "T")


LONG = "a very long name of a model " * 3


@pytest.mark.parametrize("label", [LONG, "模型" * 30, "$x^2$ $y_1", "نموذج", "\u200b\x00\x1b[2J"])
def test_no_label_is_cut(label):
    for picture in (
        horizontal_bars({label: (1.0, (0.9, 1.0))}, label),
        scatter([Mark(label, 7, 1.0, (0.9, 1.0), label)], label, label[:40], label[:40]),
        radar([label, "b", label], {label: [1.0, 1.0, 1.0]}, label),
        heat_map([label], MATRIX[:1, :1], label),
    ):
        image = pixels(picture)
        edges = (image[:20], image[-20:], image[:, :20], image[:, -20:])
        assert all((edge == 255).all() for edge in edges)


@pytest.mark.filterwarnings("error")
def test_signs_of_other_scripts_are_drawn_by_fonts_that_have_them(monkeypatch):
    assert plots._families("ascii → ω") == [plots.FONT]
    assert plots._label("模型 a") == "模型 a"
    assert len(plots._families("模型")) == 2
    drawn = horizontal_bars({"模": (0.5, NAN)}, "T")
    assert drawn != horizontal_bars({"型": (0.5, NAN)}, "T")
    # Nothing has a sign of the private use area, and a machine without fontconfig only what comes with Matplotlib.
    assert plots._label("a\ue123b\u0b95\u0bcd")[:3] == "a?b"
    monkeypatch.setenv("PATH", "")
    plots._family_of.cache_clear()
    fonts.installed_fonts.cache_clear()
    try:
        assert plots._label("模型 ω") == "?? ω"
        assert horizontal_bars({"模型": (0.5, NAN)}, "T")[1:4] == b"PNG"
    finally:
        plots._family_of.cache_clear()
        fonts.installed_fonts.cache_clear()


@pytest.mark.filterwarnings("error")
def test_histograms_are_drawn_in_any_script():
    drawn = draw_histograms({"模": {3: 10, 4: 20}}, "模")
    assert drawn != draw_histograms({"型": {3: 10, 4: 20}}, "型")


def test_fonts_are_listed_once_whatever_the_signs(monkeypatch):
    started = []
    run = fonts.subprocess.run
    monkeypatch.setattr(fonts.subprocess, "run", lambda *a, **k: started.append(a) or run(*a, **k))
    plots._family_of.cache_clear()
    fonts.installed_fonts.cache_clear()
    plots._label("".join(map(chr, range(0x4E00, 0x5200))), 1024)
    assert len(started) == 1


def test_several_threads_add_a_font_once(monkeypatch):
    from matplotlib.font_manager import fontManager

    family = plots._family_of("模")
    add, added = fontManager.addfont, []

    def add_slowly(path):
        time.sleep(0.2)
        added.append(path)
        add(path)

    others = [font for font in fontManager.ttflist if font.name != family]
    monkeypatch.setattr(fontManager, "ttflist", others)
    monkeypatch.setattr(fontManager, "addfont", add_slowly)
    plots._family_of.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert {*pool.map(plots._family_of, "模型模型")} == {family}
    assert len(added) == 1


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
            bar(0.5, (0.4, 0.6)),
            scatter([Mark("m", 7, 0.5, (0.4, 0.6), "open")], "T", "x", "y"),
            radar(["模", "b", "c"], {"m": [0.5, 1.0, 0.2]}, "T"),
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


def test_more_bars_than_can_be_read_are_left_out_which_is_said():
    many = pixels(horizontal_bars({f"{n}": (1.0, NO_INTERVAL) for n in range(5000)}, "T"))
    assert len(many) < (MAX_BARS * BAR + 2) * DPI
    assert area(horizontal_bars({"none": (0.0, NO_INTERVAL)}, "T"), AFTER) == 0


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
