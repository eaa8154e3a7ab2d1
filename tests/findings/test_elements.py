"""What became of shapes, rules and controls is told once, by its cause."""

from dataclasses import replace

import pytest
from PIL import Image

from helm_structext.findings import compare_layouts, draw_findings
from helm_structext.layouts import (
    ChartData,
    ElementBox,
    PictureLayout,
    PlotPoint,
    PlotSeries,
    TextBox,
    layout_record,
    read_layout,
)

TITLE = TextBox("Title of it", (150, 10, 250, 30), "#202020", 16.0)
RAIN = TextBox("Rain", (50, 70, 86, 90), "#202020", 16.0)
MAY = TextBox("in May", (50, 100, 104, 120), "#202020", 16.0)
CARD = ElementBox("shape", (40, 60, 160, 140), "#ffeecc")
BARS = tuple(
    ElementBox("shape", (40 + 60 * n, 120 - 20 * n, 80 + 60 * n, 200), color)
    for n, color in enumerate(("#3366cc", "#cc3333", "#33cc33"))
)


def page(*parts, size=(400, 300)):
    texts = tuple(one for one in parts if isinstance(one, TextBox))
    return PictureLayout(size, texts, tuple(one for one in parts if one not in texts))


def pushed(one, right=0, down=0):
    left, top, *corner = one.box
    return replace(one, box=(left + right, top + down, corner[0] + right, corner[1] + down))


def grown(one, *, by):
    return replace(one, box=tuple(side + more for side, more in zip(one.box, by, strict=True)))


def sentence(wrong, right):
    return compare_layouts(page(*wrong), page(*right)).sentence


def test_a_card_that_moved_takes_its_texts_along():
    moved = [pushed(one, 150, 80) for one in (RAIN, MAY, CARD)]
    assert sentence((TITLE, *moved), (TITLE, RAIN, MAY, CARD)) == (
        "1 of 1 elements moved (#ffeecc shape of 120x80 at 40, 60 by +150, +80 px)."
    )


@pytest.mark.parametrize(
    ("dashed", "wanted", "said"),
    [
        (True, False, "1 of 1 elements restyled (#ffeecc shape of 120x80 at 40, 60 is dashed, not solid)."),
        (False, True, "1 of 1 elements restyled (#ffeecc shape of 120x80 at 40, 60 is solid, not dashed)."),
        (True, True, "Nothing differs that is on the picture."),
        (None, True, "Nothing differs that is on the picture."),
        (True, None, "Nothing differs that is on the picture."),
    ],
)  # fmt: skip
def test_lines_that_are_dashed_and_should_not_be_are_told(dashed, wanted, said):
    """Where an engine does not tell, nothing is."""
    card = replace(CARD, line="#202020")
    wrong, right = (replace(card, dashed=one) for one in (dashed, wanted))
    assert sentence((TITLE, wrong), (TITLE, right)) == said
    kept = read_layout(layout_record(page(wrong)))
    assert kept.elements == (wrong,)


def test_what_lies_on_its_own_color_in_part_is_seen():
    """A door that is too high reaches beyond its house, to a sky of its own color."""
    sky = ElementBox("shape", (20, 40, 380, 280), "#8c4b8a")
    house = ElementBox("shape", (100, 100, 200, 200), "#ffffff")
    door = ElementBox("shape", (140, 150, 160, 200), "#8c4b8a")
    high = grown(door, by=(0, 0, 12, 30))
    assert sentence((sky, house, high), (sky, house, door)) == (
        "1 of 3 elements resized (#8c4b8a shape of 20x50 at 140, 150 has 32x80: +12 px at the right, +30 px at the bottom)."
    )
    hidden = replace(high, box=(140, 190, 160, 270))  # Where most of it is sky.
    assert "missing" in sentence((sky, house, hidden), (sky, house, door))


def test_lines_that_are_dashed_alike_are_told_once():
    lines = [
        ElementBox("rule", (40, 50 * n, 300, 50 * n + 1), "#202020", dashed=False) for n in range(4)
    ]
    dashed = [replace(one, dashed=True) for one in lines]
    assert sentence(dashed, lines) == (
        "4 of 4 elements restyled (#202020 rule of 260x1 at 40, 0 and 3 others is dashed, not solid)."
    )


def test_a_frame_that_goes_along_with_a_text_beside_it_is_not_told():
    swatch = ElementBox("shape", (30, 70, 46, 86), "#3366cc")
    wrong = (TITLE, MAY, pushed(RAIN, 120), pushed(swatch, 120))
    assert sentence(wrong, (TITLE, MAY, RAIN, swatch)) == (
        '1 of 3 texts moved ("Rain" by +120, +0 px).'
    )


def test_a_card_that_has_grown_pushes_what_is_in_it_and_below():
    below = ElementBox("rule", (40, 160, 160, 160), "#000000")
    wrong = (TITLE, RAIN, pushed(MAY, 0, 40), grown(CARD, by=(0, 0, 0, 40)), pushed(below, 0, 40))
    assert sentence(wrong, (TITLE, RAIN, MAY, CARD, below)) == (
        "1 of 2 elements resized (#ffeecc shape of 120x80 at 40, 60 has 120x120: +40 px at the bottom)."
    )


def test_a_bar_that_has_grown_lifts_the_number_above_it():
    label = TextBox("35", (50, 95, 70, 115), "#202020", 16.0)
    wrong = (TITLE, pushed(label, 0, -60), grown(BARS[0], by=(0, -60, 0, 0)), *BARS[1:])
    assert sentence(wrong, (TITLE, label, *BARS)) == (
        "1 of 3 elements resized (#3366cc shape of 40x80 at 40, 120 has 40x140: +60 px at the top)."
    )


DISC = ElementBox("shape", (100, 100, 200, 200), "#302050")
RING = ElementBox("shape", (110, 110, 190, 190), "#e0e0e0", "#e0e0e0")
FACE = ElementBox("shape", (135, 115, 165, 145), "#e0e0e0")
SINK = ElementBox("shape", (120, 60, 150, 80), "#ffffff", "#333333")


def test_a_shape_of_its_grounds_color_is_seen_by_its_outline():
    floor = ElementBox("shape", (200, 40, 380, 200), "#ddffee")
    assert sentence((TITLE, floor, pushed(SINK, 120)), (TITLE, floor, SINK)) == (
        "1 of 2 elements moved (#ffffff shape of 30x20 at 120, 60 by +120, +0 px)."
    )
    assert sentence((TITLE, replace(SINK, line="")), (TITLE, SINK)) == (
        "1 of 1 elements missing (#ffffff shape of 30x20 at 120, 60)."
    )


def test_an_outline_of_another_color_is_told_and_paper_in_it_is_nothing():
    empty = replace(SINK, color="#333333")
    assert not compare_layouts(page(TITLE, empty), page(TITLE, SINK)).findings
    assert sentence((TITLE, replace(SINK, line="#cc0000")), (TITLE, SINK)) == (
        "1 of 1 elements recolored (shape is #cc0000, not #333333)."
    )


def test_what_lies_in_an_outline_lies_on_what_is_below_that():
    smaller = grown(RING, by=(30, 30, -30, -30))
    found = compare_layouts(page(TITLE, DISC, smaller, FACE), page(TITLE, DISC, RING, FACE))
    assert [one.kind for one in found.findings] == ["element resized"]


def test_a_gap_in_a_wall_is_seen_though_it_has_the_color_of_its_room():
    wall = ElementBox("shape", (40, 60, 340, 260), "#202020", "#202020")
    gap = ElementBox("shape", (100, 55, 180, 65), "#ffffff")
    assert sentence((TITLE, wall, grown(gap, by=(0, 0, -30, 0))), (TITLE, wall, gap)) == (
        "1 of 2 elements resized (#ffffff shape of 80x10 at 100, 55 has 50x10: -30 px at the right)."
    )


def test_a_line_of_the_grid_below_an_axis_is_nothing():
    line, axis = (
        ElementBox("rule", (40, 250, 360, 251), color) for color in ("#eeeeee", "#202020")
    )
    lines = [pushed(line, 0, -20 * n) for n in range(6)]
    found = compare_layouts(page(TITLE, *lines, axis), page(TITLE, *lines[1:], axis))
    assert not found.findings
    found = compare_layouts(page(TITLE, *lines), page(TITLE, *lines[1:], axis))
    assert [one.kind for one in found.findings] == ["element recolored"]


def test_a_frame_that_leaves_the_picture_is_told_though_little_of_it_is_seen_to_move():
    paper = ElementBox("shape", (0, 0, 400, 300), "#fbfaf5")
    frame = ElementBox("shape", (5, 5, 395, 295), "#202020", "#202020")
    wrong = (paper, TITLE, grown(frame, by=(0, 0, 5, 0)))
    found = compare_layouts(page(*wrong), page(paper, TITLE, frame))
    assert [one.kind for one in found.findings] == ["element resized"]
    wrong = (paper, TITLE, grown(frame, by=(0, 0, -5, 0)))
    assert not compare_layouts(page(*wrong), page(paper, TITLE, frame)).findings


def test_what_is_left_on_its_like_is_not_missing():
    hand = ElementBox("shape", (148, 120, 152, 132), "#302050")
    moved = (TITLE, DISC, pushed(FACE, -30, 40), hand)
    found = compare_layouts(page(*moved), page(TITLE, DISC, FACE, hand))
    assert [one.kind for one in found.findings] == ["element moved"]


@pytest.mark.parametrize("by", [4, 0.1])
def test_a_bar_that_shares_little_with_its_place_is_neither_missing_nor_extra(by):
    small = replace(BARS[0], box=(40, 200 - 80 * by, 80, 200))
    found = compare_layouts(page(small, *BARS[1:], size=(400, 400)), page(*BARS, size=(400, 400)))
    (only,) = found.findings
    assert only.kind == "element resized"
    assert 0.5 < only.size < 1


def test_two_bars_that_have_grown_by_the_same_are_two_mistakes():
    wrong = [grown(one, by=(0, -60, 0, 0)) for one in BARS[:2]]
    found = compare_layouts(page(*wrong, BARS[2]), page(*BARS))
    assert [one.kind for one in found.findings] == ["element resized"] * 2


def test_what_moved_and_has_grown_is_told_once_with_both():
    circle = ElementBox("shape", (40, 60, 100, 120), "#ff0000")
    wrong = replace(circle, box=(90, 150, 170, 230))
    assert sentence((TITLE, wrong), (TITLE, circle)) == (
        "1 of 1 elements moved (#ff0000 shape of 60x60 at 40, 60 by +50, +90 px, and has 80x80)."
    )


def test_an_element_of_another_color_and_size_elsewhere_is_another_one():
    square = ElementBox("shape", (10, 10, 30, 30), "#ff0000")
    other = ElementBox("shape", (300, 200, 390, 290), "#0000ff")
    kinds = [one.kind for one in compare_layouts(page(other), page(square)).findings]
    assert kinds == ["element missing", "element extra"]


def test_what_all_elements_do_is_one_finding():
    found = compare_layouts(page(*(pushed(one, 0, 90) for one in BARS)), page(*BARS))
    (only,) = found.findings
    assert (only.kind, "and 2 others" in only.text) == ("element moved", True)


def test_elements_go_along_with_a_page_that_begins_lower():
    right = (TITLE, RAIN, MAY, CARD, ElementBox("rule", (200, 250, 390, 250), "#000000"))
    found = compare_layouts(page(*(pushed(one, 0, 30) for one in right)), page(*right))
    assert [one.kind for one in found.findings] in (["text moved"], ["element moved"])


@pytest.mark.parametrize(
    ("wrong", "right", "kinds"),
    [
        ((RAIN, grown(CARD, by=(0, 0, 0, -30))), (RAIN, MAY, CARD), ["text missing"]),
        (
            (replace(RAIN, text="Rains of", box=(50, 70, 122, 90)), grown(CARD, by=(0, 0, 36, 0))),
            (RAIN, CARD),
            ["text misspelt"],
        ),
    ],
)
def test_a_frame_that_makes_room_for_its_texts_is_not_told(wrong, right, kinds):
    found = compare_layouts(page(TITLE, *wrong), page(TITLE, *right))
    assert [one.kind for one in found.findings] == kinds


def test_what_is_seen_below_a_shape_that_has_shrunk_is_no_reason_for_it():
    dot = ElementBox("shape", (100, 100, 190, 190), "#00ff00")
    disk = ElementBox("shape", (40, 60, 240, 260), "#112233")
    wrong = page(TITLE, grown(disk, by=(40, 40, -40, -40)), dot)
    found = compare_layouts(wrong, page(TITLE, disk))
    assert [one.kind for one in found.findings] == ["element extra", "element resized"]


def test_a_background_of_a_larger_page_is_told_by_the_page():
    back = ElementBox("shape", (0, 0, 400, 300), "#eeeeee")
    wrong = page(TITLE, CARD, grown(back, by=(0, 0, 0, 100)), size=(400, 400))
    found = compare_layouts(wrong, page(TITLE, CARD, back))
    assert [one.kind for one in found.findings] == ["page size"]


def test_marks_of_charts_are_told_by_their_values():
    chart = ChartData(
        series=(PlotSeries("", "bar", "#3366cc", (PlotPoint("A", 80.0),)),), box=(30, 10, 390, 200)
    )
    right = replace(page(*BARS), charts=(chart,))
    higher = replace(chart.series[0], points=(PlotPoint("A", 140.0),))
    wrong = page(grown(BARS[0], by=(0, -60, 0, 0)), *BARS[1:])
    told = compare_layouts(
        replace(wrong, charts=(replace(chart, series=(higher,)),)), right
    ).findings
    assert [one.kind for one in told] == ["value wrong"]
    lost = replace(wrong, charts=(replace(chart, series=(higher,)),), elements=BARS[1:])
    assert [one.kind for one in compare_layouts(lost, right).findings] == ["value wrong"]
    drawn = compare_layouts(replace(wrong, charts=(chart,)), right).findings
    assert [one.kind for one in drawn] == ["element resized"]


def test_an_arrow_leads_to_where_what_moved_should_be_and_a_frame_shows_the_size():
    picture = Image.new("RGB", (400, 300), "white")
    wrong, right = page(TITLE, pushed(BARS[0], 200)), page(TITLE, BARS[0])
    moved = draw_findings(picture, compare_layouts(wrong, right))
    assert moved.getpixel((160, 160)) != (255, 255, 255)
    wrong = page(TITLE, grown(BARS[0], by=(0, 50, 0, 0)))
    resized = draw_findings(picture, compare_layouts(wrong, page(TITLE, BARS[0])))
    assert resized.getpixel((60, 120)) != (255, 255, 255)


@pytest.mark.parametrize("spread", [0, 1])
def test_fifty_thousand_boxes_are_bounded(spread):
    """All on one place, or each elsewhere than on the other side."""
    one, other = (
        PictureLayout(
            (2000, 2000),
            (),
            tuple(
                ElementBox("shape", (at, at, at + 9 + n % 7, at + 9), f"#{n % 5 + side:02x}0000")
                for n in range(50_000)
                for at in [spread * (n * (7 + side) % 1900)]
            ),
        )
        for side in (0, 9)
    )
    found = compare_layouts(one, other)
    assert len(found.findings) <= 800
