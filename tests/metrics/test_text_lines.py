"""Pieces of text become lines and paragraphs, however an engine or an author cuts and wraps them."""

import pytest

from helm_structext.layouts import TextBox
from helm_structext.metrics import text_lines
from helm_structext.metrics.text_lines import MAX_PARAGRAPH, find_rewrapped, join_lines


def line(words, left=0, top=0, size=16.0, height=20):
    return TextBox(words, (left, top, left + 9 * len(words), top + height), "#202020", size)


def lines_of(*words, left=0, top=0, size=16.0):
    return [line(one, left, top + 24 * number, size) for number, one in enumerate(words)]


def test_the_title_of_a_vertical_axis_does_not_swallow_its_ticks():
    title = TextBox("Rainfall (mm)", (0, 20, 18, 140), "#202020", 16)
    ticks = [line("100", 24, 30), line("50", 24, 100)]
    assert {one.text for one in join_lines([title, *ticks])} == {"Rainfall (mm)", "100", "50"}


def test_pieces_of_a_turned_text_are_one_in_the_order_of_reading():
    pieces = [
        TextBox("Rainfall", (0, 80, 18, 160), "#202020", 16),
        TextBox("(mm)", (0, 30, 18, 74), "#202020", 16),
    ]
    assert [one.text for one in join_lines(pieces)] == ["Rainfall (mm)"]


def test_slanted_texts_stay_apart():
    names = [
        TextBox(name, (60 * n, 0, 60 * n + 60, 60), "", 12)
        for n, name in enumerate(("March", "April"))
    ]
    assert [one.text for one in join_lines(names)] == ["March", "April"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["Some words that are", "wrapped here"], ["Some words", "that are wrapped", "here"]),
        (["The size of the streets"], ["The size of the stre-", "ets"]),
        (["雨の多い", "月です"], ["雨の多い月です"]),
        (["A long text with a mistoke", "in it"], ["A long text with", "a mistake in it"]),
    ],
)
def test_a_paragraph_is_one_however_it_is_wrapped(ours, theirs):
    found = [*find_rewrapped(lines_of(*ours), lines_of(*theirs))]
    assert found == [(tuple(range(len(ours))), tuple(range(len(theirs))))]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["Some words that are", "wrapped here"], ["Some words", "of another text"]),
        (["North"], ["South"]),
        (["Some words", "more of it"], ["Some words more"]),
    ],
)
def test_other_texts_are_no_paragraph(ours, theirs):
    assert [*find_rewrapped(lines_of(*ours), lines_of(*theirs))] == []


def test_a_paragraph_does_not_go_on_in_another_column_or_size():
    whole = lines_of("Rain in May and June")
    beside = [line("Rain in May"), line("and June", 300, 24)]
    larger = [line("Rain in May"), line("and June", 0, 24, size=30.0)]
    assert [*find_rewrapped(whole, beside)] == [*find_rewrapped(whole, larger)] == []


def test_words_that_stand_apart_on_one_side_are_one_text():
    ours = lines_of("AUTHORS: Ann Ben")
    theirs = [line("AUTHORS:"), line("Ann", 120), line("Ben", 180)]
    assert [*find_rewrapped(ours, theirs)] == [((0,), (0, 1, 2))]
    assert [*find_rewrapped(theirs, ours)] == [((0, 1, 2), (0,))]


def test_a_paragraph_goes_on_below_it_beside_another_column():
    ours = lines_of("Rain in May is rare")
    columns = [line("Rain in May"), line("Wind in June", 300), line("is rare", 0, 24)]
    assert [*find_rewrapped(ours, columns)] == [((0,), (0, 2))]


def test_neighboring_paragraphs_are_told_apart():
    ours = lines_of("Rain in May", "is rare", "Wind in June is not")
    theirs = lines_of("Rain in May is rare", "Wind in June", "is not")
    assert [*find_rewrapped(ours, theirs)] == [((0, 1), (0,)), ((2,), (1, 2))]


def test_paragraphs_without_end_are_bounded():
    many = lines_of(*["ab" * 20] * 900)
    assert all(len(ours) * 40 <= MAX_PARAGRAPH + 40 for ours, _ in find_rewrapped(many, many[:-1]))


def test_lines_of_hyphens_that_stand_beside_each_other_in_a_circle_come_to_an_end():
    boxes = (0, 95, 300, 105), (0, 112, 10, 122), (20, 0, 30, 122), (40, 80, 50, 90)
    dashes = [TextBox("-", box, "", 16) for box in boxes]
    hello = TextBox("Hello", (60, 80, 90, 90), "", 16)
    assert [*find_rewrapped([hello, *dashes], lines_of("Hello world"))] == []
    world = TextBox("world", (94, 80, 140, 90), "", 16)
    found = [*find_rewrapped([hello, *dashes, world], lines_of("Hello world"))]
    assert found == [((0, 5), (0,))]


def test_steps_of_all_paragraphs_together_are_bounded(monkeypatch):
    compared = []
    measured = text_lines.ratio
    monkeypatch.setattr(text_lines, "ratio", lambda *pair: (compared.append(1), measured(*pair))[1])
    ours, theirs = lines_of(*["abc"] * 400), lines_of(*["abcab"] * 400)
    ours[-1], theirs[-1] = line("abcx", 0, 24 * 399), line("abcaby", 0, 24 * 399)
    monkeypatch.setattr(text_lines, "MAX_STEPS", 900)
    assert [*find_rewrapped(ours, theirs)] == []
    assert len(compared) == 900


@pytest.mark.parametrize("words", [("A", "B", "C"), ("Q1", "Q2", "Q3"), ("Jan", "Feb", "Mar")])
def test_short_texts_that_their_engine_turns_are_one_text_each(words):
    def told(turned):
        boxes = ((20.0 * n, 0, 20.0 * n + 15, 8.0 * len(word)) for n, word in enumerate(words))
        pieces = zip(words, boxes, strict=True)
        return [TextBox(word, box, size=14, turned=turned) for word, box in pieces]

    assert [one.text for one in join_lines(told(turned=True))] == [*words]
