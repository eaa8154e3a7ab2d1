"""What is on a picture: how it is asked for, kept and read; no engine is believed."""

import math
from dataclasses import replace

import pytest
from PIL import Image

from helm_structext import renderers
from helm_structext.errors import RenderError, SetupError
from helm_structext.renderers import render, render_completion
from helm_structext.renderers.engine import Engine
from helm_structext.renderers.layout import (
    MAX_BOXES,
    MAX_CHARACTERS,
    ElementBox,
    LayoutLost,
    PictureLayout,
    TextBox,
    layout_record,
    read_layout,
)
from helm_structext.renderers.outcome import Drawing
from helm_structext.sandbox import EngineDied, Limits
from helm_structext.storage.cache import read_record, write_record

PAGE = Image.new("RGB", (60, 40), "white")
LAYOUT = PictureLayout(
    PAGE.size,
    (TextBox("Total", (1.0, 2.0, 30.5, 14.0), "#102030", 12.0, True),),
    (ElementBox("rule", (0.0, 20.0, 60.0, 21.0), "#ff0000"),),
    3,
)


class FakeEngine:
    """Draws one page, and notes how it was asked."""

    def __init__(self, layout=LAYOUT, reason="", page=PAGE):
        self.asked = []
        self.told = {"layout": layout, "layout_reason": reason}
        self.page = page

    def draw(self, code, assets, protocol, limits):
        self.asked.append("picture")
        return Drawing(self.page, code, code, "")

    def draw_with_layout(self, code, assets, protocol, limits):
        self.asked.append("layout")
        if isinstance(self.told["layout"], Exception):
            raise self.told["layout"]
        return Drawing(self.page, code, code, "", **self.told)

    @property
    def engine(self):
        return Engine(self.draw, lambda: "fake 1", Limits(), {}, self.draw_with_layout)


@pytest.fixture
def use(monkeypatch):
    def use(fake, **changes):
        engine = replace(fake.engine, **changes)
        monkeypatch.setattr(renderers, "engine_of", lambda format: engine)
        return fake

    return use


def test_a_layout_is_told_only_where_it_is_wanted(use):
    fake = use(FakeEngine())
    assert render("typst", "x").layout is None
    assert render("typst", "x", layout=True).layout == LAYOUT
    assert render_completion("typst", "x", layout=True).layout == LAYOUT
    assert fake.asked == ["picture", "layout", "layout"]


def test_whether_a_layout_is_wanted_is_true_or_false():
    with pytest.raises(TypeError, match="layout"):
        render("typst", "x", layout="no")


def test_an_engine_that_knows_none_says_so_and_draws_once(use, tmp_path):
    fake = use(FakeEngine(), draw_with_layout=None)
    for cache in (None, tmp_path, tmp_path):
        rendering = render("typst", "x", layout=True, cache=cache)
        assert rendering.layout is None
        assert rendering.layout_reason == "engines of typst don't tell what is on a picture"
    assert render("typst", "x", cache=tmp_path).layout_reason == ""
    assert fake.asked == ["picture", "picture"]


def test_a_layout_is_kept_beside_its_picture(use, tmp_path):
    fake = use(FakeEngine())
    first = render("typst", "x", layout=True, cache=tmp_path)
    second = render("typst", "x", layout=True, cache=tmp_path)
    assert first.layout == second.layout == LAYOUT
    assert first.path == second.path
    assert render("typst", "x", cache=tmp_path).layout is None
    assert fake.asked == ["layout"]


def test_a_kept_picture_is_completed_once_and_stays(use, tmp_path):
    fake = use(FakeEngine())
    first = render("typst", "x", cache=tmp_path)
    kept = first.path.read_bytes(), first.path.stat().st_mtime_ns
    for _ in range(2):
        rendering = render("typst", "x", layout=True, cache=tmp_path)
        assert rendering.layout == LAYOUT
        assert (rendering.path, rendering.seconds) == (first.path, first.seconds)
    assert (first.path.read_bytes(), first.path.stat().st_mtime_ns) == kept
    assert fake.asked == ["picture", "layout"]


def test_the_layout_of_another_picture_is_none(use, tmp_path):
    fake = use(FakeEngine())
    render("typst", "x", cache=tmp_path)
    fake.page = Image.new("RGB", PAGE.size, "red")
    for _ in range(2):
        rendering = render("typst", "x", layout=True, cache=tmp_path)
        assert rendering.layout is None
        assert "another picture" in rendering.layout_reason
        assert rendering.image.getpixel((0, 0)) == (255, 255, 255)
    assert fake.asked == ["picture", "layout"]


def test_why_there_is_no_layout_is_kept_as_well(use, tmp_path):
    fake = use(FakeEngine(layout=None, reason="the page closed itself"))
    for _ in range(2):
        rendering = render("typst", "x", layout=True, cache=tmp_path)
        assert (rendering.layout, rendering.layout_reason) == (None, "the page closed itself")
    assert fake.asked == ["layout"]


@pytest.mark.parametrize(
    "error",
    [RenderError("timeout", "late"), EngineDied("resource", "died"), SetupError("too busy")],
)
def test_a_kept_picture_stays_a_rendering_whatever_the_second_drawing_does(use, tmp_path, error):
    fake = use(FakeEngine())
    render("typst", "x", cache=tmp_path)
    fake.told["layout"] = error
    rendering = render("typst", "x", layout=True, cache=tmp_path)
    assert rendering.layout is None
    assert rendering.layout_reason == f"it can't be drawn again: {error}"
    fake.told["layout"] = LAYOUT
    assert render("typst", "x", layout=True, cache=tmp_path).layout == LAYOUT


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: {**record, "layout": {"size": [60, 40], "texts": [], "elements": "x"}},
        lambda record: {**record, "layout": {**record["layout"], "size": [61, 40]}},
        lambda record: {**record, "layout": [1]},
        lambda record: {},
    ],
)
def test_a_kept_layout_that_is_none_is_made_anew(use, tmp_path, damage):
    fake = use(FakeEngine())
    picture = render("typst", "x", layout=True, cache=tmp_path).path
    (place,) = (path for path in tmp_path.glob("*/*.json") if path.stem != picture.stem)
    write_record(place, damage(read_record(place)))
    assert render("typst", "x", layout=True, cache=tmp_path).layout == LAYOUT
    assert fake.asked == ["layout", "layout"]


def test_a_layout_that_was_lost_costs_no_rendering_and_may_be_had_another_time(use, tmp_path):
    fake = use(FakeEngine(layout=LayoutLost("resource", "reading it: not finished in time")))
    rendering = render("typst", "x", layout=True, cache=tmp_path)
    assert (rendering.layout, rendering.layout_reason) == (None, "reading it: not finished in time")
    assert rendering.path.exists()
    fake.told["layout"] = LAYOUT
    assert render("typst", "x", layout=True, cache=tmp_path).layout == LAYOUT
    assert fake.asked == ["layout", "picture", "layout"]


def test_what_is_written_is_read():
    assert read_layout(layout_record(LAYOUT)) == LAYOUT


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        "layout",
        {},
        {"size": [1, 2], "texts": None, "elements": []},
        {"size": [1, math.inf], "texts": [], "elements": []},
        {"size": [1, 2], "texts": [["a"]], "elements": []},
        {"size": [1, 2], "texts": [[7, [0, 0, 1, 1], "", 1, True]], "elements": []},
        {"size": [1, 2], "texts": [["a", [0, 0, 1], "", 1, True]], "elements": []},
        {"size": [1, 2], "texts": [["a", [0, 0, 1, "x"], "", 1, True]], "elements": []},
        {"size": [1, 2], "texts": [["a", [0, 0, 1, 10**400], "", 1, True]], "elements": []},
        {"size": [1, 2], "texts": [["a", [0, 0, 1, 1], 7, 1, True]], "elements": []},
        {"size": [1, 2], "texts": [], "elements": [["ghost", [0, 0, 1, 1], ""]]},
        {"size": [1, 2], "texts": [], "elements": [[["rule"], [0, 0, 1, 1], ""]]},
        {"size": [1, 2], "texts": [], "elements": [], "left_out": None},
    ],
)
def test_what_has_another_form_is_refused(record):
    with pytest.raises(ValueError, match="is not a layout"):
        read_layout(record)


def test_what_is_nowhere_is_left_out():
    somewhere = ["a", [0, 0, 1, 1], "#abcdef", 9, True]
    nowhere = [
        ["a", [0, 0, math.nan, 1], "", 9, True],
        ["a", [0, 0, math.inf, 1], "", 9, True],
        ["a", [0, 0, 1e9, 1], "", 9, True],
        ["a", [5, 0, 1, 1], "", 9, True],
        [" \n", [0, 0, 1, 1], "", 9, True],
    ]
    elements = [["shape", [0, 0, 1, -math.inf], ""]]
    layout = read_layout({"size": [9, 9], "texts": [somewhere, *nowhere], "elements": elements})
    assert [one.text for one in layout.texts] == ["a"]
    assert (layout.elements, layout.left_out) == ((), len(nowhere) + 1)


def test_places_are_rounded_and_halves_of_characters_replaced():
    text = ["\ud83d!", [0.12345, 1, 2 / 3, 2], "", 12.0000001, True]
    layout = read_layout({"size": [9, 9], "texts": [text], "elements": []})
    assert layout.texts == (TextBox("?!", (0.12, 1.0, 0.67, 2.0), "", 12.0),)


def test_sizes_and_colors_that_are_none_are_not_known():
    texts = [["a", [0, 0, 1, 1], color, size, 1] for color, size in
             [("red", math.nan), ("#12345", -1), ("#ABCDEF", math.inf)]]  # fmt: skip
    layout = read_layout({"size": [9, 9], "texts": texts, "elements": []})
    assert {(one.color, one.size, one.visible) for one in layout.texts} == {("", 0.0, True)}


def test_boxes_and_characters_are_bounded():
    text, element = ["a", [0, 0, 1, 1], "", 9, True], ["shape", [0, 0, 1, 1], ""]
    record = {"size": [9, 9], "texts": [text] * (MAX_BOXES - 1), "elements": [element] * 5}
    layout = read_layout({**record, "left_out": 2})
    assert (len(layout.texts), len(layout.elements), layout.left_out) == (MAX_BOXES - 1, 1, 6)
    long = ["x" * MAX_CHARACTERS, *text[1:]]
    layout = read_layout({"size": [9, 9], "texts": [long, text], "elements": []})
    assert (len(layout.texts), layout.left_out) == (1, 1)
