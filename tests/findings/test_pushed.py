"""What stands elsewhere as something above it is lost is no mistake of its own."""

from dataclasses import replace

from helm_structext.findings import compare_layouts
from helm_structext.layouts import PictureLayout, TextBox

ROWS = ("Title", "Apples", "Bread", "Cheese", "Dates", "Eggs")


def page(*rows, first=0.0):
    texts = (
        TextBox(word, (left, first + 50.0 * n, left + 60, first + 50.0 * n + 30), size=20)
        for n, row in enumerate(rows)
        for left, word in ((20.0, row), (200.0, f"{row} cost {len(row)}"))
    )
    return PictureLayout((400, 400), tuple(texts))


def kinds(prediction, reference):
    return [one.kind for one in compare_layouts(prediction, reference).findings]


def test_a_lost_row_is_told_and_not_the_rows_below_that_moved_up():
    assert kinds(page(*ROWS[:2], *ROWS[3:]), page(*ROWS)) == ["text missing"] * 2


def test_a_lost_title_is_told_and_not_all_that_moved_up():
    assert kinds(page(*ROWS[1:]), page(*ROWS)) == ["text missing"] * 2


def test_a_row_too_many_is_told_and_not_the_rows_below_that_moved_down():
    assert kinds(page(*ROWS), page(*ROWS[:2], *ROWS[3:])) == ["text extra"] * 2


def test_what_moves_farther_than_what_is_lost_has_moved():
    wrong = page(*ROWS[1:], first=100.0)
    assert "text moved" in kinds(wrong, page(*ROWS))


def test_one_text_that_moves_while_others_below_stay_has_moved():
    right = page(*ROWS)
    texts = list(page(*ROWS).texts)
    del texts[4:6]
    texts[4] = replace(texts[4], box=(20.0, 110.0, 80.0, 140.0))
    assert "text moved" in kinds(replace(right, texts=tuple(texts)), right)


def test_what_moves_over_a_text_and_covers_it_has_moved():
    right = page("Title", "Apples")
    moved = (replace(one, box=(one.box[0], 5.0, one.box[2], 35.0)) for one in right.texts[2:])
    covered = (replace(one, visible=False) for one in right.texts[:2])
    wrong = replace(right, texts=(*covered, *moved))
    assert "text moved" in kinds(wrong, right)
