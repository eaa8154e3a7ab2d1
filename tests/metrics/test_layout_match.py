"""What of one picture is what of another: by letters, place and size, and by all having been pushed along."""

from dataclasses import replace

import pytest

from helm_structext.layouts import ElementBox, PictureLayout, TextBox
from helm_structext.metrics.element_pairs import Frame
from helm_structext.metrics.layout import layout_scores, layout_similarity
from helm_structext.metrics.layout_match import displacement, match_layouts

SIZE = (800, 600)


def text(words, left, top, size=16.0, visible=True):
    return TextBox(words, (left, top, left + 9 * len(words), top + 20), "#202020", size, visible)


def shape(left, top, right, bottom, color="#3366cc"):
    return ElementBox("shape", (left, top, right, bottom), color)


def scores(prediction, reference):
    return layout_scores(match_layouts(prediction, reference))


def page(*texts, elements=(), size=SIZE):
    return PictureLayout(size, texts, tuple(elements))


def test_a_wrapped_paragraph_is_neither_missing_nor_extra():
    wide = page(text("Some words that are wrapped here", 20, 20))
    narrow = page(text("Some words that", 20, 20), text("are wrapped here", 20, 44))
    match = match_layouts(narrow, wide)
    assert [(pair.prediction.text, pair.similarity) for pair in match.texts] == [
        ("Some words that are wrapped here", 1.0)
    ]
    assert layout_similarity(narrow, wide) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(("left", "matched"), [(20, True), (700, False)])
def test_a_look_alike_is_the_same_only_where_it_should_be(left, matched):
    match = match_layouts(page(text("130", left, 20)), page(text("120", 20, 20)))
    assert bool(match.matched) == matched


@pytest.mark.parametrize(("words", "matched"), [("12", False), ("Rain in May", True)])
def test_a_short_text_far_away_is_another_one(words, matched):
    match = match_layouts(page(text(words, 600, 500)), page(text(words, 20, 20)))
    assert bool(match.matched) == matched


def test_on_a_larger_page_short_texts_are_where_they_are_in_its_measure():
    near = page(text("12", 700, 500))
    large = replace(near, size=(1600, 1200), texts=(text("12", 1400, 1000, 32.0),))
    assert match_layouts(large, near).matched


def test_shapes_that_are_pushed_along_with_the_texts_are_there():
    right = page(
        text("Rain", 20, 20), elements=[shape(100, 100, 104, 400), shape(100, 400, 400, 403)]
    )
    pushed = page(
        text("Rain", 32, 32), elements=[shape(112, 112, 116, 412), shape(112, 412, 412, 415)]
    )
    match = match_layouts(pushed, right)
    assert match.frame == Frame(right=12, down=12)
    assert layout_scores(match)["elements"] == pytest.approx(1)


def test_shapes_that_stay_while_texts_move_are_where_they_were():
    bars = [shape(100, 100, 140, 400)]
    match = match_layouts(
        page(text("Rain", 60, 20), elements=bars), page(text("Rain", 20, 20), elements=bars)
    )
    assert match.frame == Frame()
    assert layout_scores(match)["elements"] == 1


def test_a_shape_that_goes_along_with_its_own_words_is_there():
    names = ("Oak", "Elm", "Ash", "Fir")
    places = [(40, 40), (40, 120), (40, 200), (240, 40)]
    away = [*places[:3], (280, 160)]

    def boxed(corners, *more):
        texts = [text(name, left, top) for name, (left, top) in zip(names, corners, strict=True)]
        boxes = [shape(left - 10, top - 10, left + 70, top + 30) for left, top in corners]
        return page(*texts, elements=(*boxes, *more))

    pairs = match_layouts(boxed(away), boxed(places)).elements
    assert all(one and other for one, other in pairs)
    alone = boxed(away, shape(240, 250, 300, 260))
    lonely = [one for one, other in match_layouts(alone, boxed(places)).elements if not other]
    assert lonely == [shape(240, 250, 300, 260)]
    assert scores(boxed(away), boxed(places))["elements"] < 0.9


@pytest.mark.parametrize("words", [("Oak", "Elm", "Ash", "Fir"), ("Fir",)])
def test_a_shape_far_from_a_text_does_not_go_along_with_it(words):
    """With one text on the page, too, where its way is that of most texts."""
    places = dict(zip(words, ((40, 40), (40, 120), (40, 200), (240, 40)), strict=False))
    last = words[-1]
    left, top = places[last]
    away = places | {last: (left + 200, top + 120)}
    lonely = shape(500, 400, 560, 460), shape(700, 520, 760, 580)

    def spread(corners, one):
        texts = (text(name, *corner) for name, corner in corners.items())
        still = shape(20, 560, 60, 580), shape(100, 560, 160, 580)
        return page(*texts, elements=(*still, one))

    pairs = match_layouts(spread(away, lonely[1]), spread(places, lonely[0])).elements
    assert {pair for pair in pairs if None in pair} == {(lonely[1], None), (None, lonely[0])}


def test_a_text_that_keeps_an_edge_is_in_its_place():
    assert displacement((10, 0, 90, 20), (10, 0, 50, 20)) == (0, 0)
    assert displacement((10, 0, 50, 20), (50, 0, 90, 20)) == (-40, 0)


def test_texts_on_each_other_count_unless_they_should_be():
    clear = page(text("Rain", 20, 20), text("Wind", 20, 60))
    crowded = page(text("Rain", 20, 20), text("Wind", 24, 24))
    assert scores(crowded, clear)["text_overlap"] == 0
    assert scores(crowded, crowded)["text_overlap"] == scores(clear, crowded)["text_overlap"] == 1


def test_texts_cut_off_on_both_pictures_are_no_mistake():
    whole = page(text("Rain in May", 20, 20), text("Wind", 20, 60))
    cut = page(text("Rain in May", 750, 20, visible=False), text("Wind", 20, 60))
    assert scores(cut, whole)["text_cut"] == pytest.approx(4 / 13)
    assert scores(cut, cut)["text_cut"] == scores(whole, cut)["text_cut"] == 1
    assert layout_similarity(cut, cut) == 1


@pytest.mark.parametrize(
    "twice",
    [
        [shape(100, 100, 200, 300), shape(99, 99, 201, 301, "#202020")],
        [shape(100, 100, 200, 300), shape(100, 100, 200, 300, "#202020")],
    ],
)
def test_a_shape_that_is_told_as_filling_and_outline_is_one(twice):
    once = [shape(100, 100, 200, 300)]
    found = scores(page(elements=twice), page(elements=once))
    assert found["elements"] == pytest.approx(1, abs=0.05)
    assert len(match_layouts(page(elements=twice), page(elements=once)).elements) == 1


def test_what_a_gradient_fills_has_not_the_color_of_what_lies_below_it():
    first, second = (
        page(elements=[shape(100, 100, 200, 300, color), shape(100, 100, 200, 300, "")])
        for color in ("#cc3333", "#3333cc")
    )
    assert scores(first, second)["elements"] == pytest.approx(1)


WORDS = ("sun", "moon", "tree", "lake", "bird", "river", "stone", "cloud", "wind")


def grid(words, left=0, top=0, across=120, down=70):
    places = [(left + across * (n % 3), top + down * (n // 3)) for n in range(len(words))]
    return page(*(text(word, *place) for word, place in zip(words, places, strict=True)))


def test_texts_that_are_dealt_anew_are_not_beside_their_neighbors():
    dealt = grid(("river", "wind", "sun", "stone", "moon", "cloud", "tree", "bird", "lake"))
    found = scores(dealt, grid(WORDS))
    assert found["text_recall"] > 0.9
    assert found["text_neighbors"] < 0.2
    assert layout_similarity(dealt, grid(WORDS)) < layout_similarity(grid(WORDS[:5]), grid(WORDS))


def test_only_what_was_exchanged_is_blamed():
    words = list(WORDS)
    words[0], words[8] = words[8], words[0]
    found = scores(grid(words), grid(WORDS))
    letters = [*map(len, WORDS)]
    assert found["text_neighbors"] == pytest.approx(1 - (letters[0] + letters[8]) / sum(letters))


@pytest.mark.parametrize("place", [{"left": 200, "top": 90}, {"left": 3}])
def test_texts_that_move_together_are_beside_their_neighbors(place):
    assert scores(grid(WORDS, **place), grid(WORDS))["text_neighbors"] == 1


def test_what_is_missing_takes_no_neighbor_from_what_is_there():
    found = scores(grid(WORDS[:6]), grid(WORDS))
    there, all_letters = sum(map(len, WORDS[:6])), sum(map(len, WORDS))
    assert found["text_neighbors"] == pytest.approx(2 * there / (there + all_letters))


def test_a_larger_page_has_its_neighbors_in_its_measure():
    large = grid(WORDS, across=240, down=140)
    twice = replace(large, size=(1600, 1200))
    assert scores(twice, grid(WORDS))["text_neighbors"] > 0.95
    assert scores(large, grid(WORDS))["text_neighbors"] < 0.5


@pytest.mark.parametrize(("words", "counts"), [("24.90", False), ("24.90 EUR", True)])
def test_a_number_is_right_or_wrong(words, counts):
    wrong = page(text(words.replace("4", "5"), 20, 20))
    (pair,) = match_layouts(wrong, page(text(words, 20, 20))).texts
    assert pair.prediction is not None
    assert (pair.similarity > 0) == counts


def test_an_arrow_that_is_turned_has_no_head_where_it_should():
    line = ElementBox("rule", (20, 98, 220, 102), "#333333")
    start, end = (
        ElementBox("arrowhead", box, "#333333") for box in ((20, 95, 30, 105), (210, 95, 220, 105))
    )
    right = page(elements=(line, end))
    assert scores(right, right)["arrowheads"] == 1
    assert scores(page(elements=(line, start)), right)["arrowheads"] == 0
    assert scores(page(elements=(line,)), page(elements=(line,)))["arrowheads"] is None
    assert layout_similarity(page(elements=(line, start)), right) < 0.8


def test_a_large_ground_does_not_hide_what_is_on_it():
    ground = shape(0, 0, 700, 500, "#dddddd")
    bars = [shape(50 + 100 * n, 100, 90 + 100 * n, 400) for n in range(4)]
    assert scores(page(elements=[ground]), page(elements=[ground, *bars]))["elements"] < 0.75
