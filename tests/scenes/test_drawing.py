"""Drawings: what is drawn by lot, how it is written in each format, and what is on its pictures."""

import json
import subprocess
from collections import Counter
from itertools import product
from random import Random
from xml.etree import ElementTree

import numpy as np
import pytest

from helm_structext.renderers import render
from helm_structext.renderers.web.javascript import node
from helm_structext.scenes.drawing import KIND
from helm_structext.scenes.drawing.icons import FITTING
from helm_structext.scenes.drawing.infographic import TOPICS
from helm_structext.scenes.drawing.pictograms import PICTOGRAMS
from helm_structext.scenes.drawing.poster import DATES
from helm_structext.scenes.drawing.scene import DrawingScene, draw_drawing
from helm_structext.scenes.drawing.shapes import (
    Circle,
    Curve,
    DrawingText,
    Gradient,
    Polygon,
    Rectangle,
    Shape,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    bounds,
    color_names,
    cubic_segments,
    ends,
    walk,
)
from helm_structext.scenes.drawing.sheet import PALETTES
from helm_structext.scenes.drawing.tikz import ESCAPES
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words

FORMATS = ("svg", "canvas", "tikz", "typst")
SPECIAL = "A & B_1 <50 %> #2 \"c\" 'd' $5 \\e {f} ~g^h </script>"
BLUE, RED = (0, 0, 255), (255, 0, 0)


def draw(seed: int, type: str, level: str = "medium", language: str = "en") -> DrawingScene:
    return draw_drawing(Random(seed), level, language, type)


def write(scene: DrawingScene, format: str, seed: int = 0) -> str:
    return KIND.writers[format](scene, Random(seed))


def scene_of(*items, language: str = "en", size: float = 200) -> DrawingScene:
    return DrawingScene(
        type="badge",
        language=language,
        level="easy",
        title="Test",
        width=size,
        height=size,
        background="#ffffff",
        serif=False,
        items=items,
    )


def picture(scene: DrawingScene, format: str, seed: int = 0) -> np.ndarray:
    """The page of a scene, of any format, as 200 × 200 pixels."""
    image = render(format, write(scene, format, seed), protocol="corrected").image.convert("RGB")
    if format in ("svg", "canvas"):
        left, top = (image.width - 200) // 2, (image.height - 200) // 2
        image = image.crop((left, top, left + 200, top + 200))
    return np.asarray(image.resize((200, 200)))


def escaped(text: str, format: str) -> str:
    """A text as it stands in code."""
    if format == "tikz":
        return text.translate(ESCAPES)
    if format == "svg":
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if format == "typst":
        return text.replace("\\", "\\\\").replace('"', '\\"')
    return json.dumps(text, ensure_ascii=False)[1:-1].replace("</", "<\\/")


# Words


def shape_of(words):
    if isinstance(words, dict):
        return {name: shape_of(value) for name, value in words.items()}
    return [shape_of(value) for value in words] if isinstance(words, list) else type(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_one_shape(language):
    words, english = read_words("drawing", language), read_words("drawing", "en")
    assert words.keys() == english.keys()
    for name in english:
        assert shape_of(words[name]) == shape_of(english[name]), name
    assert words["icons"].keys() == PICTOGRAMS.keys()
    assert words["topics"].keys() == TOPICS.keys()
    assert len(words["events"]) == len(DATES)
    assert {brand["icon"] for brand in words["brands"]} <= PICTOGRAMS.keys()
    for name in ("greetings", "events", "brands", "icon_titles", "maps", "homes", "topics"):
        assert len(words[name]) >= 10
    for place in words["maps"]:
        assert len(set(place["places"])) == 10


# Lots


def test_a_seed_makes_the_same_code_each_time():
    for type, level in product(KIND.types, LEVELS):
        first, second = draw(7, type, level), draw(7, type, level)
        assert first == second
        for format in FORMATS:
            assert write(first, format, 3) == write(second, format, 3)


def test_two_seeds_share_no_scene():
    for level in LEVELS:
        scenes = [str(KIND.draw(Random(seed), level, "en").items) for seed in range(200)]
        assert len(set(scenes)) == 200


def test_all_types_are_drawn():
    drawn = Counter(KIND.draw(Random(seed), "easy", "de").type for seed in range(200))
    assert drawn.keys() == set(KIND.types)
    assert min(drawn.values()) > 10


def test_style_differs_with_the_lot_alone():
    scene = draw(1, "landscape")
    for format in FORMATS:
        assert len({write(scene, format, seed) for seed in range(12)}) > 3, format


def test_levels_have_sizes():
    lines = {level: [] for level in LEVELS}
    for type, level, seed in product(KIND.types, LEVELS, range(5)):
        for format in FORMATS:
            lines[level].append(write(draw(seed, type, level), format, seed).count("\n"))
    easy, medium, hard = (sorted(lines[level])[len(lines[level]) // 2] for level in LEVELS)
    assert easy < medium < hard
    assert max(lines["hard"]) <= 330


# What formats can say


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type", KIND.types)
def test_nothing_is_drawn_that_formats_disagree_about(type, level):
    """Strokes that are scaled, gradients that are turned, and texts in symbols."""

    def check(items, scale, angle, used):
        for item in items:
            if isinstance(item, ShapeGroup):
                check(item.children, scale * item.scale, angle + item.angle, used)
            elif isinstance(item, SymbolUse):
                check(item.symbol.children, scale * item.scale, angle + item.angle, True)
            elif isinstance(item, DrawingText):
                assert scale == 1
                assert not used
            else:
                assert scale == 1 or not (item.stroke or getattr(item, "radius", 0))
                assert not angle or not isinstance(item.fill, Gradient)
                if isinstance(item.fill, Gradient) and item.fill.direction == "out":
                    assert isinstance(item, Circle)
                    assert len(item.fill.colors) == 2
                if isinstance(item, Polygon) and item.open:
                    assert item.stroke
                    assert not item.fill
                assert len(item.dash) % 2 == 0

    for seed in range(40):
        check(draw(seed, type, level).items, 1, 0, False)


@pytest.mark.parametrize("type", KIND.types)
def test_texts_stay_on_the_page(type):
    def places(items, x, y):
        for item in items:
            if isinstance(item, ShapeGroup) and not item.angle:
                yield from places(item.children, x + item.x, y + item.y)
            elif isinstance(item, DrawingText):
                yield x + item.x, y + item.y, item

    for seed, level, language in product(range(10), LEVELS, LANGUAGES):
        scene = draw(seed, type, level, language)
        for x, y, item in places(scene.items, 0, 0):
            assert 0 < x < scene.width, item.text
            assert item.size * 0.7 < y < scene.height - item.size * 0.2, item.text
            assert item.size >= 10, item.text


def test_names_are_used_once():
    """A gradient's name stands for one gradient, a symbol's for one symbol."""
    for seed, type, level in product(range(20), KIND.types, LEVELS):
        items = list(walk(draw(seed, type, level).items))
        fills = [item.fill for item in items if isinstance(item, Shape)]
        gradients = {fill for fill in fills if isinstance(fill, Gradient)}
        symbols = {item.symbol for item in items if isinstance(item, SymbolUse)}
        for found in (gradients, symbols):
            assert len({one.name for one in found}) == len(found)


# Code


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("type", KIND.types)
def test_texts_are_in_the_code(type, language):
    for level, format in product(LEVELS, FORMATS):
        scene = draw(11, type, level, language)
        code = write(scene, format, 5)
        for text in scene.texts:
            assert escaped(text, format) in code.replace(f"'{text}'", escaped(text, format))


def test_svg_is_well_formed():
    for seed, type, level in product(range(6), KIND.types, LEVELS):
        scene = draw(seed, type, level)
        root = ElementTree.fromstring(write(scene, "svg", seed))
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        used = {element.get("href")[1:] for element in root.iter() if element.get("href")}
        assert used <= set(ids)
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts == scene.texts


def test_scripts_of_canvases_are_right(tmp_path):
    """Node.js reads them; it does not run them."""
    for number, (type, level) in enumerate(product(KIND.types, LEVELS)):
        code = write(draw(number, type, level), "canvas", number)
        script = code.partition("<script>")[2].partition("</script>")[0]
        (tmp_path / f"{number}.js").write_text(script, encoding="utf-8")
    for file in tmp_path.iterdir():
        subprocess.run([node(), "--check", file], check=True)


# Shapes


def test_arcs_become_cubic_curves():
    arc = Curve(start=(10, 0), segments=((10, 0, 270),))
    same = cubic_segments(arc)
    assert ends(same)[-1] == ends(arc)[-1] == (0, -10)
    assert len(same.segments) == 3
    assert np.allclose(bounds(same), bounds(arc), atol=0.05)


def test_names_of_colors_differ():
    colors = [color for palette in PALETTES for color in (*palette.accents, *palette.pale)]
    names = color_names(dict.fromkeys(colors))
    assert len(set(names.values())) == len(names)


# Pictures


@pytest.mark.parametrize("format", FORMATS)
def test_special_signs_are_drawn_as_they_are(format):
    text = DrawingText(text=SPECIAL, x=10, y=40, size=20, color="#000000")
    scene = scene_of(text, size=700)
    code = write(scene, format)
    assert escaped(SPECIAL, format) in code
    picture = render(format, code, protocol="corrected").image.convert("L")
    ink = np.asarray(picture) < 128
    plain = scene_of(DrawingText(text="A", x=10, y=40, size=20, color="#000000"), size=700)
    one = (
        np.asarray(render(format, write(plain, format), protocol="corrected").image.convert("L"))
        < 128
    )
    assert ink.sum() > 15 * one.sum()


def test_icons_suit_the_title_of_their_sheet():
    words = read_words("drawing", "en")
    titles = {words["icon_titles"][place]: names.split() for place, names in FITTING.items()}
    found = set()
    for seed in range(100):
        sheet = draw(seed, "icon sheet", level="hard")
        if sheet.title in titles:
            found.add(sheet.title)
            suitable = {words["icons"][name] for name in titles[sheet.title]}
            assert {*sheet.texts} - {sheet.title} <= suitable
    assert found == {*titles}
    assert {name for names in titles.values() for name in names} <= PICTOGRAMS.keys()


@pytest.mark.parametrize("format", FORMATS)
def test_moves_turns_and_scales_are_the_same_everywhere(format):
    """A blue square whose place each format has to work out, and a red arc."""
    square = Rectangle(x=0, y=0, w=20, h=20, fill="#0000ff")
    mark = ShapeSymbol("mark", (square,))
    turned = ShapeGroup(
        name="turned",
        x=100,
        y=50,
        angle=90,
        scale=2,
        children=(SymbolUse(symbol=mark, x=10, y=5), SymbolUse(symbol=mark, x=50, y=5)),
    )
    half = Curve(start=(60, 160), segments=((30, 0, 180),), fill="#ff0000")
    shown = picture(scene_of(turned, half), format)
    # Turned by a right angle, (10, 5) … (30, 25) of the group are (-25, 10) … (-5, 30), and twice as large.
    assert tuple(shown[90, 70]) == BLUE
    assert tuple(shown[170, 70]) == BLUE
    assert tuple(shown[130, 70]) == tuple(shown[60, 130]) == (255, 255, 255)
    assert tuple(shown[175, 30]) == RED
    assert tuple(shown[150, 30]) == (255, 255, 255)


@pytest.mark.parametrize("format", FORMATS)
def test_gradients_run_the_same_way_everywhere(format):
    down = Gradient("down", "down", ("#ff0000", "#00ff00", "#0000ff"))
    right = Gradient("right", "right", ("#000000", "#ffffff"))
    out = Gradient("out", "out", ("#ff0000", "#0000ff"))
    shown = picture(
        scene_of(
            Rectangle(x=0, y=0, w=100, h=100, fill=down),
            Curve(start=(100, 0), segments=((200, 0), (200, 100), (100, 100)), fill=right),
            Circle(x=50, y=150, r=40, fill=out),
        ),
        format,
    ).astype(int)
    assert np.abs(shown[3, 50] - (240, 15, 0)).max() < 25
    assert np.abs(shown[50, 50] - (0, 255, 0)).max() < 25
    assert np.abs(shown[97, 50] - (0, 15, 240)).max() < 25
    assert np.abs(shown[50, 150] - 128).max() < 12
    assert np.abs(shown[150, 50] - (255, 0, 0)).max() < 25
    assert np.abs(shown[150, 70] - (128, 0, 128)).max() < 25


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("type", KIND.types)
def test_scenes_are_drawn(type, format):
    languages = list(LANGUAGES)
    number = KIND.types.index(type)
    scene = draw(number, type, LEVELS[number % 3], languages[number % 8])
    rendering = render(format, write(scene, format, number), protocol="corrected")
    assert not rendering.tex_errors
    assert not rendering.missing
    width, height = rendering.image.size
    if format in ("tikz", "typst"):
        assert abs(width / height - scene.width / scene.height) < 0.02
