"""Finding systems: on pages that LilyPond typeset, and on drawn ones that are hard."""

import numpy as np
import pytest

from helm_structext.image2struct.collect.pdf import page_count, picture, rasterize_page
from helm_structext.image2struct.collect.systems import (
    DARK,
    INK,
    excerpt_widths,
    ink_columns,
    published_systems,
    staves,
    systems,
)
from support.scores import corpus, scan

HEIGHT, WIDTH, SPACE = 1200, 800, 10


@pytest.fixture(scope="module", name="pages")
def rasterized_pages():
    """Every page of the corpus: name and number → gray."""
    return {
        (name, number): gray(pdf, number)
        for name, pdf in corpus().items()
        for number in range(1, page_count(pdf) + 1)
    }


def gray(pdf, number):
    return np.asarray(picture(rasterize_page(pdf, number)).convert("L"))


def blank():
    return np.full((HEIGHT, WIDTH), 255, np.uint8)


def draw_staff(page, top, left=50, right=750, lines=5):
    for line in range(lines):
        page[top + line * SPACE : top + line * SPACE + 2, left:right] = 0
    return page


def rows(page, first_page=False):
    return [system.rows for system in systems(page, first_page)]


# Typeset pages

STAVES = {"melody": 1, "song": 1, "piano": 2, "choir": 3, "quartet": 4}


def test_every_staff_of_a_typeset_page_is_found(pages):
    systems_at_least = {"melody": 6, "song": 5, "piano": 4, "choir": 3, "quartet": 3}
    for (name, number), page in pages.items():
        kind = name.partition("-")[0]
        count = len(staves(page))
        if kind in ("text", "table") or (kind == "quartet" and number < 3):
            assert count == 0
        else:
            assert count % STAVES[kind] == 0  # LilyPond may break a line once more
            assert count >= STAVES[kind] * systems_at_least[kind]


def test_systems_have_all_their_staves_and_nothing_of_them_is_cut(pages):
    found = 0
    for (name, number), page in pages.items():
        inked = (page < INK).any(axis=1)
        for system in systems(page, number == 1):
            found += 1
            top, bottom = system.rows
            assert len(system.staves) == STAVES[name.partition("-")[0]]
            assert not inked[top - 1]
            assert not inked[bottom]
            assert inked[top]
            assert inked[bottom - 1]
            others = [s for s in staves(page) if s not in system.staves]
            assert not any(top <= staff.top < bottom for staff in others)
    assert found > 25


def test_nearly_every_page_of_music_has_a_system_that_can_be_taken(pages):
    with_staves = {key for key, page in pages.items() if staves(page)}
    taken = {key for key in with_staves if systems(pages[key], key[1] == 1)}
    assert len(taken) >= 0.9 * len(with_staves)


def test_pages_of_text_and_tables_have_no_system(pages):
    for (name, number), page in pages.items():
        if name in ("text-3", "table-1"):
            assert systems(page, number == 1) == []


def test_the_title_and_what_hangs_on_the_first_system_is_left_out(pages):
    page = pages["piano-3", 1]
    assert len(systems(page, False)) - len(systems(page, True)) in (0, 1)
    assert systems(page, True)[0].staves[0].top > staves(page)[2].top - 1


def test_at_a_cut_there_is_nothing_but_lines_and_a_bar_before_it(pages):
    cuts = 0
    for (_, number), page in pages.items():
        for system in systems(page, number == 1):
            columns = ink_columns(page, system.rows)
            *inner, right = excerpt_widths(page, system, columns)
            assert right == columns[1]
            here = np.zeros(len(page), bool)
            here[slice(*system.rows)] = True
            for staff in system.staves:
                for top, bottom in staff.lines:
                    here[top - 1 : bottom + 1] = False
            for end in inner:
                cuts += 1
                assert columns[0] < end < columns[1]
                assert not (page[here, end : end + 4] < INK).any()
                for staff in system.staves:
                    bar = (page[staff.top : staff.bottom, end - 5 : end] < DARK).all(axis=0)
                    assert bar.any()
    assert cuts > 25


def test_a_crooked_scan_has_no_level_lines():
    assert systems(gray(scan(corpus()["piano-3"], 2), 1), False) == []


# Drawn pages


def test_staves_that_a_line_connects_are_one_system_and_others_are_not():
    page = draw_staff(draw_staff(draw_staff(blank(), 300), 400), 600)
    page[300:442, 50:52] = 0
    assert rows(page) == [(300, 442), (600, 642)]


def test_words_between_connected_staves_stay():
    page = draw_staff(draw_staff(blank(), 300), 420)
    page[300:462, 50] = 0
    page[370:380, 100:300] = 0
    assert rows(page) == [(300, 462)]


def test_words_below_stay_if_they_are_near_and_go_if_they_are_far():
    page = draw_staff(draw_staff(blank(), 300), 600)
    page[350:360, 100:300] = 0
    page[700:710, 100:300] = 0
    assert rows(page) == [(300, 360), (600, 642)]


def test_systems_that_nothing_separates_are_left_out():
    page = draw_staff(draw_staff(draw_staff(blank(), 300), 350), 600)
    page[341:351, 400:403] = 0  # a stem that reaches down to the next staff's height
    page[341:349, 500:520] = 0
    page[345:352, 100:120] = 0
    assert (600, 642) in rows(page)
    assert len(rows(page)) < 3


def test_where_it_is_not_clear_to_whom_words_belong_both_systems_are_left_out():
    page = draw_staff(draw_staff(blank(), 300), 371)
    page[352:361, 100:300] = 0  # 10 rows from each of them
    page[500:502, 100:120] = page[100:102, 100:120] = 0
    assert rows(page) == []
    page[352:361] = 255
    page[344:353, 100:300] = 0  # 2 rows from the upper, 18 from the lower
    assert rows(page) == [(300, 353), (371, 413)]


def test_a_copyright_that_hangs_on_the_last_system_leaves_it_out():
    page = draw_staff(draw_staff(blank(), 300), 1000)
    page[1052:1060, 100:700] = page[1070:1085, 300:500] = 0
    assert rows(page) == [(300, 342)]


def test_a_title_that_hangs_on_a_system_leaves_it_out():
    page = draw_staff(draw_staff(blank(), 300), 600)
    page[100:105, 10:20] = 0
    for top in (505, 519, 530, 545, 558, 574, 589):
        page[top : top + 5, 300:500] = 0
    assert rows(page) == [(300, 342)]


def test_what_runs_to_the_edge_of_the_page_is_left_out():
    page = draw_staff(blank(), 300)
    page[:, 10] = 0
    assert rows(page) == []


@pytest.mark.parametrize("lines", [1, 4, 6, 10])
def test_other_numbers_of_lines_are_no_staff(lines):
    assert staves(draw_staff(blank(), 300, lines=lines)) == []


def test_blocks_at_equal_distances_are_no_staff():
    page = blank()
    for top in range(300, 400, 20):
        page[top : top + 12, 100:700] = 0
    assert staves(page) == []


def test_lines_of_other_lengths_do_not_count_to_a_staff():
    page = draw_staff(blank(), 300)
    page[350:352, 100:600] = 0  # a pedal's, where a sixth line would be
    page[290:292, 300:700] = 0
    assert [staff.top for staff in staves(page)] == [300]


def test_columns_side_by_side_are_no_staff():
    page = blank()
    for left in (50, 300, 550):
        draw_staff(page, 300, left, left + 200)
        draw_staff(page, 342, left, left + 200)
    assert all(len(staff.lines) == 5 for staff in staves(page))


def test_stripes_take_no_time_and_are_no_music():
    page = np.full((40_000, 40), 255, np.uint8)
    page[::4] = 0
    assert staves(page) == []


@pytest.mark.parametrize("value", [0, 255])
def test_a_page_of_one_color_has_no_system(value):
    page = np.full((HEIGHT, WIDTH), value, np.uint8)
    assert systems(page, False) == []
    assert published_systems(page, False) == []


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1)])
def test_tiny_pages_have_no_system(shape):
    page = np.full(shape, 255, np.uint8)
    page[0, 0] = 0
    assert systems(page, True) == []
    assert published_systems(page, False) == []


# Bar lines


def bars(page):
    (system,) = systems(page, False)
    return excerpt_widths(page, system, ink_columns(page, system.rows))


def test_bar_lines_are_cuts_and_stems_and_double_bars_are_none():
    page = draw_staff(blank(), 300)
    page[300:342, 300:302] = 0
    page[290:342, 350:352] = 0  # a stem
    page[300:342, 400:402] = page[320:328, 402:412] = 0  # a stem with its head
    page[300:342, 500:502] = page[300:342, 505:510] = 0  # a double bar
    page[300:342, 600:602] = 0
    assert bars(page) == [303, 603, 750]


def test_a_bar_line_that_something_crosses_is_no_cut():
    page = draw_staff(blank(), 300)
    page[300:342, 300:302] = page[300:342, 600:602] = 0
    page[350:352, 280:350] = 0  # a tie
    assert bars(page) == [603, 750]


def test_a_bar_line_goes_through_all_staves():
    page = draw_staff(draw_staff(blank(), 300), 400)
    page[300:442, 50] = 0
    page[300:342, 300:302] = 0
    page[300:442, 400:402] = 0
    page[300:342, 600:602] = page[400:442, 600:602] = 0
    assert bars(page) == [403, 603, 750]


def test_an_excerpt_is_a_quarter_of_its_system_at_least():
    page = draw_staff(blank(), 300)
    page[300:342, 100:102] = page[300:342, 300:302] = 0
    assert bars(page) == [303, 750]


# As published


def test_the_published_rule_ends_a_system_at_its_first_empty_row(pages):
    page = draw_staff(blank(), 300)
    page[300:342, 50:52] = 0  # 42 rows are too few
    assert published_systems(page, False) == []
    page[260:345, 100] = 0
    page[348:360, 100:300] = 0  # words
    assert published_systems(page, False) == [(260, 345)]
    assert rows(page) == [(260, 360)]
    assert len(published_systems(pages["song-2", 1].astype(float), True)) < 5


def test_the_published_rule_takes_text_for_a_system():
    page = blank()
    page[300:380, 100:700] = 0
    assert published_systems(page, False) == [(300, 380)]
    assert published_systems(page, True) == []
