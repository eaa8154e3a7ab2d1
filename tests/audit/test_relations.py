"""Frauds that rearrange a scene: all that is said is there, and stands elsewhere."""

from collections import Counter
from operator import eq
from random import Random

import pytest

from helm_structext.audit.cases import UNWRITABLE, AuditCase
from helm_structext.audit.frauds import COPIES, FRAUDS
from helm_structext.audit.probes import WatchedCase
from helm_structext.audit.relations import (
    RELATIONS,
    deal,
    deal_numbers,
    deal_texts,
    draw_number,
    fade_marks,
    near_color,
    redraw_digits,
    turn_edges,
)
from helm_structext.scenes.chart.scene import TYPES, draw_chart
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import texts_of, values_of
from support.audit import case_of


class Kept:
    """A case that hands back the scene itself in place of code."""

    format, code, others, texts, drawing = "svg", "", (), (), None

    def __init__(self, scene, number=0):
        self.scene, self.number = scene, number

    def write(self, scene):
        return scene


def first(kind, format, wanted):
    """The first scene of a kind that is as it is wanted."""
    scenes = (case_of(kind, format, number).scene for number in range(40))
    return next(scene for scene in scenes if wanted(scene))


def test_they_are_frauds_and_no_copies():
    assert {name: FRAUDS[name] for name in RELATIONS} == RELATIONS
    assert not COPIES & {*RELATIONS}


@pytest.mark.parametrize("kind", ["diagram", "page", "document", "drawing", "chart"])
def test_dealt_texts_are_the_same_ones_and_few_stand_where_they_stood(kind):
    scene = case_of(kind, next(iter(KINDS[kind].writers)), 1).scene
    before, after = scene.texts, deal_texts(Kept(scene)).texts
    assert Counter(before) == Counter(after)
    assert sum(map(eq, before, after)) <= len(before) / 4


def test_a_label_goes_to_another_edge_and_not_into_a_box():
    scene = first("diagram", "svg", lambda one: one.type == "flow")
    dealt = deal_texts(Kept(scene))
    for name in ("nodes", "edges"):
        texts = [Counter(one.text for one in getattr(it, name)) for it in (scene, dealt)]
        assert texts[0] == texts[1]


def test_what_is_named_twice_is_named_the_same_afterwards():
    scene = draw_chart(Random(1), "medium", "en", type="box plot")
    dealt = deal_texts(Kept(scene))
    assert [series.name for series in dealt.series] == [*dealt.categories]
    assert dealt.categories != scene.categories


def test_texts_of_which_one_is_more_than_half_are_dealt_as_far_as_can_be():
    dealt = deal(["Yes", "Yes", "Yes", "No"], Random(1))
    assert sorted(dealt) == ["No", "Yes", "Yes", "Yes"]
    assert dealt[3] == "Yes"
    assert deal([], Random(1)) == []


@pytest.mark.parametrize("type", TYPES)
def test_a_chart_of_other_numbers_fits_on_its_axes(type):
    for seed in range(8):
        scene = draw_chart(Random(seed), "hard", "en", type=type)
        dealt = deal_numbers(Kept(scene, seed))
        before, after = ([one.values for one in it.series] for it in (scene, dealt))
        assert [*map(len, before)] == [*map(len, after)]
        if type == "pie":
            assert sorted(after[0]) == sorted(before[0])
        elif type == "histogram":
            assert sorted(dealt.counts) == sorted(scene.counts)
        else:
            pairs = [*zip(sum(before, ()), sum(after, ()), strict=True)]
            assert all(one != other for one, other in pairs)
            assert all(scene.y.low <= one <= scene.y.high for _, one in pairs)
        if scene.stacked:
            assert max(map(sum, zip(*after, strict=True))) <= scene.y.high


def test_a_number_keeps_its_sign_its_decimals_and_its_digits_where_there_is_room():
    lot = Random(3)
    for value, low, high in ((42, 0, 100), (2.5, 0, 60), (-13, -40, 40), (7, 5, 9), (100, 0, 100)):
        drawn = [draw_number(value, low, high, lot) for _ in range(40)]
        assert value not in drawn
        assert all(low <= one <= high for one in drawn)
        if value != 100:
            assert {len(f"{one:.1f}") for one in drawn} == {len(f"{value:.1f}")}


def test_every_digit_of_a_text_is_another_one():
    text = "Room 204, 9:30"
    other = redraw_digits(text, Random(5))
    assert len(other) == len(text)
    assert all((one == two) != one.isdigit() for one, two in zip(text, other, strict=True))


def test_one_date_on_a_page_of_words_is_a_mistake_and_no_fraud():
    def share(scene):
        texts = [text for _, text in texts_of(scene)]
        return sum(any(map(str.isdigit, text)) for text in texts) / len(texts)

    assert deal_numbers(Kept(first("page", "html", lambda one: 0 < share(one) < 0.3))) is None
    assert deal_numbers(Kept(first("page", "html", lambda one: share(one) > 1 / 3))) is not None


@pytest.mark.parametrize("type", ["flow", "sequence", "class"])
def test_turned_edges_lead_back(type):
    scene = first("diagram", "svg", lambda one: one.type == type)
    before, after = (
        [(one.source, one.target) for one in getattr(it, "edges", ()) or it.steps]
        for it in (scene, turn_edges(Kept(scene)))
    )
    assert after != before
    assert all(one in (other, other[::-1]) for one, other in zip(after, before, strict=True))
    assert dict(texts_of(turn_edges(Kept(scene)))) == dict(texts_of(scene))


@pytest.mark.parametrize(("kind", "format"), [("chart", "matplotlib"), ("drawing", "svg")])
def test_faded_marks_are_within_one_level_of_their_ground(kind, format):
    scene = case_of(kind, format).scene
    ground = scene.background if kind == "drawing" else scene.theme.ground
    levels = bytes.fromhex(ground[1:])
    faded = fade_marks(Kept(scene))
    before, after = (dict(values_of(one)) for one in (scene, faded))
    changed = [
        after[place]
        for place in before
        if before[place] != after[place] and "#" in str(after[place])[:1]
    ]
    assert len(changed) > 1
    for color in changed:
        away = [abs(one - two) for one, two in zip(bytes.fromhex(color[1:]), levels, strict=True)]
        assert max(away) == 1
    assert faded.texts == scene.texts


def test_faded_colors_differ_from_each_other():
    assert len({near_color("#808080", number) for number in range(7)}) == 7


@pytest.mark.parametrize("name", RELATIONS)
def test_where_no_scene_is_known_there_is_none(name):
    assert RELATIONS[name](WatchedCase("svg", "<svg/>")) is None


def test_the_same_case_is_dealt_in_the_same_way():
    first_time, again = (
        [make(case_of("chart", "vega", 2)) for make in RELATIONS.values()] for _ in range(2)
    )
    assert first_time == again


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_writes_them_or_says_that_it_can_not(kind):
    for format in KINDS[kind].writers:
        for number in range(3):
            try:
                case = case_of(kind, format, number)
            except KeyError:  # a scene that this format can't say
                continue
            for name, make in RELATIONS.items():
                code = make(case)
                assert code is None or code != case.code, (format, name)


def test_what_a_writer_can_not_write_is_none():
    case = case_of("diagram", "svg")
    assert issubclass(LookupError, UNWRITABLE)
    assert AuditCase.write(case, None) is None
