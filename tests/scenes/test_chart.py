"""Charts: what is drawn by lot, how it is written in each format, and what is on its pictures."""

import json
import subprocess
from dataclasses import replace
from itertools import pairwise, product
from random import Random
from statistics import quantiles
from xml.etree import ElementTree

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

from helm_structext.renderers import render
from helm_structext.renderers.web.javascript import node
from helm_structext.scenes.chart import KIND, ChartScene, chart_data, draw_chart
from helm_structext.scenes.chart.scene import (
    MarkedPoint,
    ReferenceLine,
    make_axis,
    summarize_sample,
)
from helm_structext.scenes.chart.themes import (
    DARK_GROUNDS,
    DARK_PALETTES,
    LIGHT_GROUNDS,
    LIGHT_PALETTES,
)
from helm_structext.scenes.chart.tikz import escape_tex
from helm_structext.scenes.chart.topics import TOPICS
from helm_structext.scenes.colors import luminance
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words

FORMATS = ("matplotlib", "vega", "tikz", "svg", "canvas")
SPECIAL = "A & B_1 <50 %> #2 \"c\" 'd' $5"


def draw(seed: int, type: str, level: str = "medium", language: str = "en") -> ChartScene:
    return draw_chart(Random(seed), level, language, type)


def write(scene: ChartScene, format: str, seed: int = 0) -> str:
    return KIND.writers[format](scene, Random(seed))


def escaped(text: str, format: str) -> str:
    """A text as it stands in code."""
    if format == "matplotlib":
        return json.dumps(text.replace("$", r"\$"), ensure_ascii=False)[1:-1]
    if format == "tikz":
        return escape_tex(text)
    if format == "svg":
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return json.dumps(text, ensure_ascii=False)[1:-1]


# Words


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_one_shape(language):
    words, english = read_words("chart", language), read_words("chart", "en")
    assert words.keys() == english.keys()
    for group in english.keys() - {"climates"}:
        assert words[group].keys() == english[group].keys()
    assert words["topics"].keys() == TOPICS.keys()
    for name, topic in english["topics"].items():
        assert words["topics"][name].keys() == topic.keys()
        for role, said in topic.items():
            other = words["topics"][name][role]
            assert type(other) is type(said), f"{name}: {role}"
            if isinstance(said, list):
                assert len(other) == len(said) == len(set(other))
                assert all(isinstance(text, str) for text in other)
    for group, role in (("lists", name) for name in english["lists"]):
        assert len(words[group][role]) == len(english[group][role])


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_city_has_a_climate(language):
    words = read_words("chart", language)
    assert list(words["climates"]) == words["lists"]["cities"]
    for rain, more, wettest, mean, warmer in words["climates"].values():
        assert 0 < more < rain < 250
        assert wettest in range(1, 13)
        assert -20 < mean - warmer < mean + warmer < 33


def of_topic(topic: str, type: str, language: str) -> list[ChartScene]:
    """The drawn charts whose values have a topic's label."""
    label = read_words("chart", language)["topics"][topic]["value"]
    drawn = (draw(seed, type, "hard", language) for seed in range(60))
    return [scene for scene in drawn if scene.y.label == label]


def months_of(topic: str, language: str) -> list[dict[int, float]]:
    """Of each row of its heat maps, month (from 1 on) to value, where April, July and October are in it."""
    months = read_words("chart", language)["lists"]["months"]
    found = [
        {
            months.index(month) + 1: value
            for month, value in zip(scene.categories, series.values, strict=True)
        }
        for scene in of_topic(topic, "heat map", language)
        for series in scene.series
    ]
    whole = [row for row in found if {4, 7, 10} <= row.keys()]
    assert whole
    return whole


@pytest.mark.parametrize("language", LANGUAGES)
def test_places_are_warmer_in_summer(language):
    assert all(row[4] < row[7] > row[10] for row in months_of("temperature", language))


def test_summers_are_dry_in_the_south_and_wet_in_the_east():
    assert all(row[7] < row[4] for row in months_of("rainfall", "el"))
    assert all(row[7] > row[10] for row in months_of("rainfall", "zh"))


def test_ranked_values_differ():
    scenes = of_topic("harvest", "grouped bars", "en")
    assert scenes
    for series in (series for scene in scenes for series in scene.series):
        assert len(set(series.values)) == len(series.values)


def test_shares_are_rounded_and_not_cut_off():
    pie = draw(0, "pie")
    codes = [write(pie, "matplotlib", seed) for seed in range(4)]
    assert all("%.0f%%" in code for code in codes)


def test_each_type_has_several_topics():
    for type in KIND.types:
        assert sum(type in topic.types for topic in TOPICS.values()) >= 3, type


# Lots


def test_a_seed_makes_the_same_code_each_time():
    for type, level in product(KIND.types, LEVELS):
        first, second = draw(7, type, level), draw(7, type, level)
        assert first == second
        for format in FORMATS:
            assert write(first, format, 3) == write(second, format, 3)


def test_two_seeds_share_no_scene():
    data = [str(chart_data(KIND.draw(Random(seed), "easy", "en"))) for seed in range(200)]
    assert len(set(data)) == 200


def test_style_differs_with_the_lot_alone():
    scene = draw(1, "grouped bars")
    for format in FORMATS:
        assert len({write(scene, format, seed) for seed in range(12)}) > 3, format


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type", KIND.types)
def test_values_are_on_their_axes(type, level):
    for seed in range(30):
        scene = draw(seed, type, level)
        if type == "pie":
            assert sum(scene.series[0].values) == 100
            assert min(scene.series[0].values) >= 6
            continue
        shown = scene.counts if type == "histogram" else [v for s in scene.series for v in s.values]
        if scene.stacked:
            shown = [sum(values) for values in zip(*(s.values for s in scene.series), strict=True)]
        assert scene.y.low <= min(shown)
        assert max(shown) <= scene.y.high
        assert 3 <= len(scene.y.ticks) <= 14
        if type in ("bar", "grouped bars", "stacked bars", "histogram"):
            assert scene.y.low <= 0 <= scene.y.high
        if scene.reference:
            assert scene.y.low < scene.reference.value < scene.y.high
        if scene.peak:
            assert scene.series[scene.peak.series].values[scene.peak.index] == max(shown)
        if type == "histogram":
            assert sum(scene.counts) == len(scene.series[0].values)


def test_levels_have_sizes():
    lines = {level: [] for level in LEVELS}
    for type, level, seed in product(KIND.types, LEVELS, range(3)):
        for format in FORMATS:
            lines[level].append(write(draw(seed, type, level), format, seed).count("\n"))
    easy, medium, hard = (sorted(lines[level])[len(lines[level]) // 2] for level in LEVELS)
    assert easy < medium < hard
    assert max(lines["hard"]) <= 300


# Numbers


def test_boxes_have_the_quartiles_of_matplotlib():
    values = [3.0, 9.5, 4.0, 7.0, 5.5, 30.0, 6.0]
    box = summarize_sample(values)
    assert [box.lower, box.median, box.upper] == [
        round(float(np.percentile(values, share)), 3) for share in (25, 50, 75)
    ]
    assert box.outliers == (30.0,)
    assert box.high == 9.5
    assert quantiles(values, method="inclusive")[1] == box.median


def test_axes_of_any_values_have_round_ticks():
    for low, high in ((-13, 17), (0, 1), (0, 9999), (380, 1850), (-3, -1)):
        axis = make_axis("", low, high)
        assert axis.low <= low < high <= axis.high
        assert all(second - first == axis.step for first, second in pairwise(axis.ticks))
        assert len(axis.ticks) <= 21


def test_data_of_a_chart():
    grouped = draw(2, "grouped bars")
    data = chart_data(grouped)
    assert list(data) == [series.name for series in grouped.series]
    assert [at for at, _ in data[grouped.series[0].name]] == list(grouped.categories)
    scatter = draw(2, "scatter")
    first = scatter.series[0]
    assert chart_data(scatter)[first.name] == list(zip(first.at, first.values, strict=True))
    box = chart_data(draw(2, "box plot"))
    assert [name for name, _ in next(iter(box.values()))][:5] == [
        "low",
        "lower",
        "median",
        "upper",
        "high",
    ]


# Looks


def test_colors_can_be_told_apart():
    for palettes, grounds in ((LIGHT_PALETTES, LIGHT_GROUNDS), (DARK_PALETTES, DARK_GROUNDS)):
        for palette in palettes:
            for ground, *_ in grounds:
                colors = [*palette, ground]
                rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colors])
                lab = rgb2lab(rgb[None])[0]
                for one in range(len(colors)):
                    for other in range(one):
                        apart = deltaE_ciede2000(lab[one], lab[other])
                        assert apart > 14, (colors[one], colors[other], apart)


def test_inks_can_be_read():
    for ground, ink, rule in (*LIGHT_GROUNDS, *DARK_GROUNDS):
        low, high = sorted((luminance(ground), luminance(ink)))
        assert (high + 0.05) / (low + 0.05) > 7
        assert rule not in (ground, ink)


# Code


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("type", KIND.types)
def test_texts_are_in_the_code(type, format):
    for language in LANGUAGES:
        scene = draw(11, type, "hard", language)
        assert KIND.says(scene, format)
        code = write(scene, format, 5)
        numbers = (
            {scene.label_of(v) for s in scene.series for v in s.values} if scene.labels else set()
        )
        for text in scene.texts:
            if text not in numbers:
                assert escaped(text, format) in code, (language, text)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("type", KIND.types)
def test_special_signs_are_escaped(type, format):
    scene = replace(special(type))
    for seed in range(6):
        code = write(scene, format, seed)
        assert code.count(escaped(SPECIAL, format)) >= 1
        if format == "svg":
            found = ["".join(text.itertext()) for text in ElementTree.fromstring(code).iter()]
            assert SPECIAL in found
        if format == "vega":
            assert SPECIAL in str(json.loads(code)["title"]["text"])
        if format == "matplotlib":
            compile(code, "chart.py", "exec")


def special(type: str) -> ChartScene:
    """A scene whose title, label, first category and first series have signs that mean something in code."""
    scene = draw(4, type)
    first, *others = scene.series
    return replace(
        scene,
        title=SPECIAL,
        x=replace(scene.x, label=SPECIAL),
        categories=(SPECIAL, *scene.categories[1:]) if scene.categories else (),
        series=(replace(first, name=f"{SPECIAL} 2"), *others),
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("type", KIND.types)
def test_scripts_of_pages_can_be_parsed(type, seed, tmp_path):
    code = write(draw(seed, type, "hard"), "canvas", seed)
    file = tmp_path / "chart.js"
    file.write_text(code.rpartition("<script>")[2].partition("</script>")[0], encoding="utf-8")
    subprocess.run([node(), "--check", file], check=True)


# Pictures


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("type", KIND.types)
def test_charts_are_rendered(type, format):
    language = list(LANGUAGES)[(KIND.types.index(type) + FORMATS.index(format)) % len(LANGUAGES)]
    picture = render(
        format, write(draw(5, type, "hard", language), format, 2), protocol="corrected"
    )
    assert not picture.missing
    assert not picture.tex_errors
    assert picture.image.width > 500
    assert len(picture.image.getcolors(1 << 24) or ()) > 10


@pytest.mark.parametrize("format", FORMATS)
def test_special_signs_and_notes_are_rendered(format):
    scene = replace(
        special("line"),
        reference=ReferenceLine(50, "50 % & more"),
        peak=MarkedPoint(0, 1, "top_1 #"),
        legend="bottom",
    )
    for seed in (0, 1):
        picture = render(format, write(scene, format, seed), protocol="corrected")
        assert not picture.tex_errors


@pytest.mark.parametrize("type", ["histogram", "scatter", "line"])
def test_axes_of_vega_begin_where_they_should(type):
    """Scales of Vega begin at 0 unless they say not to."""
    for seed in range(40):
        scene = draw_chart(Random(seed), "medium", "en", type)
        code = json.loads(KIND.writers["vega"](scene, Random(seed)))
        for scale in code.get("scales", ()):
            if scale["type"] == "linear" and isinstance(scale["domain"], list):
                low, high = scale["domain"]
                assert low <= 0 <= high or scale["zero"] is False
