"""What is drawn for people: the same for a seed in any order, and evenly spread."""

import random
from collections import Counter

from helm_structext.results.sampling import draw_sample

ITEMS = [(group, f"{number}") for group in "ab" for number in range(40)]


def drawn(items: list[tuple[str, str]], count: int, seed: int) -> list[tuple[str, str]]:
    return draw_sample(items, count, seed, lambda item: item[1], lambda item: item[0])


def test_the_order_of_items_changes_nothing():
    shuffled = ITEMS.copy()
    random.Random(0).shuffle(shuffled)
    found = drawn(ITEMS, 7, 1)
    assert sorted(drawn(shuffled, 7, 1)) == sorted(found)
    assert drawn(ITEMS, 7, 1) == found
    assert found == sorted(found, key=ITEMS.index)  # as they came
    assert drawn(ITEMS, 7, 2) != found


def test_groups_with_the_same_ids_get_the_same():
    found = drawn(ITEMS, 7, 1)
    assert Counter(group for group, _ in found) == {"a": 7, "b": 7}
    assert {id for group, id in found if group == "a"} == {
        id for group, id in found if group == "b"
    }


def test_a_larger_sample_holds_a_smaller_one_and_others_change_nothing():
    few, more = ({*drawn(ITEMS, count, 1)} for count in (3, 30))
    assert few < more
    # Without what was not drawn, the same are drawn.
    assert {*drawn([item for item in ITEMS if item in more], 3, 1)} == few


def test_a_small_group_is_drawn_whole():
    assert drawn(ITEMS[:5], 7, 1) == ITEMS[:5]
    assert drawn([], 7, 1) == []


def test_every_item_is_drawn_about_as_often():
    """1,000 seeds, 7 of 40: each 175 times, with a standard deviation of 12."""
    counts = Counter(item for seed in range(1000) for item in drawn(ITEMS[:40], 7, seed))
    assert len(counts) == 40
    assert 115 < min(counts.values()) <= max(counts.values()) < 235
