"""A few of many, drawn at random and always the same: for people to look at.

What is drawn depends on the seed and on ids alone, never on the order of files or on what else there
is: who draws again, or draws more, finds those that were drawn before among them.

Source: Image2Struct, Appendix I (7 answers of each subdomain); StructEval, section 2.1 (397 pairs).
"""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from helm_structext.results.result_sets import group_values
from helm_structext.storage.cache import content_key

Item = TypeVar("Item")


def draw_sample(
    items: Iterable[Item],
    count: int,
    seed: int,
    id_of: Callable[[Item], str],
    group_of: Callable[[Item], Hashable] = lambda item: None,
) -> list[Item]:
    """Returns so many items of each group: those whose ids have the lowest hashes with the seed.

    Items of several groups that share an id, such as answers of several models to one instance, are
    drawn together where each group has all of them.

    Args:
        items: at most one of an id in each group, in any order.
        count: of each group, from 1 on; of a smaller group all are drawn.
        seed: another one draws others.
        id_of: returns what tells an item from the others of its group.
        group_of: returns the group of an item; by default all are of one.

    Returns:
        The items in the order in which they came.

    >>> draw_sample(["a", "b", "c", "d"], 2, 1, str), draw_sample(["d", "c", "b", "a"], 2, 1, str)
    (['a', 'c'], ['c', 'a'])
    >>> draw_sample(["a1", "a2", "b1", "b2"], 1, 1, lambda item: item[1], lambda item: item[0])
    ['a1', 'b1']
    """
    numbered = [(content_key(str(seed), id_of(item)), item) for item in items]
    places = group_values(range(len(numbered)), lambda place: group_of(numbered[place][1]))
    drawn = [
        place
        for ours in places.values()
        for place in sorted(ours, key=lambda place: numbered[place][0])[:count]
    ]
    return [numbered[place][1] for place in sorted(drawn)]
