"""A layered layout of graphs: ranks from top to bottom, or from left to right.

As Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures" (1981),
have it: edges against the direction are turned, nodes get ranks, long edges and labels get places in the
ranks between, orders with few crossings are looked for, and then places come as near to their neighbors
as their sizes allow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import fsum

Point = tuple[float, float]
SWEEPS = 12
SNAP = 6.0
"""Pixels by which a line may lean before it is made straight."""
PAD = 16.0
"""Pixels between a group's nodes and its frame; above them are twice as many, for its name."""
LONG, STRAIGHT = 8.0, 1000.0
"""How much more a long edge, or one of those that matter, is kept straight than others."""


@dataclass(frozen=True)
class Link:
    """An edge to be routed.

    Args:
        source: number of a node.
        target: number of another one.
        size: width and height of its label; of none, zeros.
        straight: whether it is to run straight, and others have to go aside.
    """

    source: int
    target: int
    size: Point = (0, 0)
    straight: bool = False


@dataclass(frozen=True)
class Route:
    """Where an edge runs.

    Args:
        points: from the source's center to the target's.
        label: the center of its label.
    """

    points: tuple[Point, ...]
    label: Point


@dataclass(frozen=True)
class Placement:
    """Where all of a graph is.

    Args:
        centers: of its nodes.
        routes: of its edges.
        frames: left, top, right and bottom of what belongs to each group.
    """

    centers: tuple[Point, ...]
    routes: tuple[Route, ...]
    frames: tuple[tuple[float, float, float, float], ...] = ()


@dataclass
class Cell:
    """A place in a rank: of a node, or of an edge that passes."""

    rank: int
    width: float
    height: float
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    weights: dict[int, float] = field(default_factory=dict)
    edge: bool = True
    x: float = 0.0


def place_graph(
    sizes: Sequence[Point],
    links: Sequence[Link],
    *,
    right: bool = False,
    groups: Sequence[int | None] = (),
    gap: float = 36,
    rank_gap: float = 26,
) -> Placement:
    """Returns where the nodes and edges of a graph are; nothing overlaps.

    Args:
        sizes: width and height of its nodes, in the order in which they are met.
        links: its edges, none of which leads from a node to itself.
        right: whether ranks go from left to right, and not from top to bottom.
        groups: the number of each node's group, or None. Groups may share no
            rank, and ranks go down.
        gap: between neighbors in a rank.
        rank_gap: between a rank and the labels behind it.

    >>> placed = place_graph([(80, 40)] * 3, [Link(0, 1), Link(0, 2)])
    >>> placed.centers
    ((98.0, 20.0), (40.0, 112.0), (156.0, 112.0))
    >>> placed.routes[0].points[0]
    (98.0, 20.0)
    """
    if right:
        links = [replace(link, size=link.size[::-1]) for link in links]
        sizes = [size[::-1] for size in sizes]
    groups = groups or [None] * len(sizes)
    forward = _forward_links(len(sizes), links)
    ranks = _find_ranks(len(sizes), forward)
    cells = [Cell(rank, *size, edge=False) for rank, size in zip(ranks, sizes, strict=True)]
    chains = [_add_chain(cells, *ends, link) for ends, link in zip(forward, links, strict=True)]
    rows = _order_rows(cells, _first_rows(cells))
    _place_cells(cells, rows, gap, down_last=any(link.straight for link in links))
    middles, heights = _place_rows(cells, rows, groups, rank_gap)

    def center(number: int) -> Point:
        return cells[number].x, middles[cells[number].rank]

    members = [
        [number for number, one in enumerate(groups) if one == group]
        for group in sorted({group for group in groups if group is not None})
    ]
    frames = [_frame_group(group, cells, chains, forward, center) for group in members]
    left = min([cell.x - cell.width / 2 for cell in cells] + [frame[0] for frame in frames])

    def turned(point: Point) -> Point:
        x, y = round(point[0] - left, 1), round(point[1], 1)
        return (y, x) if right else (x, y)

    routes = []
    for link, ends, chain in zip(links, forward, chains, strict=True):
        points = [center(ends[0])]
        for number in chain:
            (x, y), half = center(number), heights[cells[number].rank] / 2
            points += [(x, y - half), (x, y + half)] if half else [(x, y)]
        points.append(center(ends[1]))
        along = points if ends[0] == link.source else points[::-1]
        label = center(chain[len(chain) // 2])
        routes.append(Route(tuple(turned(point) for point in along), turned(label)))
    corners = [(*turned(frame[:2]), *turned(frame[2:])) for frame in frames]
    return Placement(
        tuple(turned(center(number)) for number in range(len(sizes))), tuple(routes), tuple(corners)
    )


def _forward_links(count: int, links: Sequence[Link]) -> list[tuple[int, int]]:
    """Returns the ends of edges, turned where they would close a circle."""
    after: list[list[int]] = [[] for _ in range(count)]
    for link in links:
        after[link.source].append(link.target)
    back, open_nodes, seen = set(), set(), set()

    def visit(node: int) -> None:
        seen.add(node)
        open_nodes.add(node)
        for target in after[node]:
            if target in open_nodes:
                back.add((node, target))
            elif target not in seen:
                visit(target)
        open_nodes.remove(node)

    for node in range(count):
        if node not in seen:
            visit(node)
    ends = [(link.source, link.target) for link in links]
    return [
        (target, source) if (source, target) in back else (source, target)
        for source, target in ends
    ]


def _find_ranks(count: int, ends: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the ranks of nodes: even ones, so that a label has one between."""
    ranks = [0] * count
    for _ in range(count):
        for source, target in ends:
            ranks[target] = max(ranks[target], ranks[source] + 2)
    for node in range(count):
        after = [ranks[target] for source, target in ends if source == node]
        if after and all(target != node for _, target in ends):
            ranks[node] = min(after) - 2
    return ranks


def _add_chain(cells: list[Cell], source: int, target: int, link: Link) -> list[int]:
    """Adds the places that an edge needs between its ends, and returns their numbers."""
    first, last = cells[source].rank, cells[target].rank
    chain = list(range(len(cells), len(cells) + last - first - 1))
    middle = (first + 1 + last) // 2
    cells += [
        Cell(rank, *(link.size if rank == middle else (0, 0))) for rank in range(first + 1, last)
    ]
    for one, other in zip([source, *chain], [*chain, target], strict=True):
        cells[one].after.append(other)
        cells[other].before.append(one)
        long = LONG if cells[one].edge and cells[other].edge else 1.0
        cells[one].weights[other] = cells[other].weights[one] = STRAIGHT if link.straight else long
    return chain


def _first_rows(cells: Sequence[Cell]) -> list[list[int]]:
    """Returns ranks with their places in the order in which a walk along the edges meets them."""
    rows: list[list[int]] = [[] for _ in range(max(cell.rank for cell in cells) + 1)]
    seen = set()

    def visit(number: int) -> None:
        if number not in seen:
            seen.add(number)
            rows[cells[number].rank].append(number)
            for other in cells[number].after:
                visit(other)

    for number in range(len(cells)):
        if not cells[number].before:
            visit(number)
    return rows


def _order_rows(cells: Sequence[Cell], rows: list[list[int]]) -> list[list[int]]:
    """Returns the order with the fewest crossings of those that barycenters lead to."""
    best, fewest = [*rows], _count_crossings(cells, rows)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        rows = [*rows]
        for rank in range(len(rows)) if down else reversed(range(len(rows))):
            place = {number: index for row in rows for index, number in enumerate(row)}
            rows[rank] = sorted(
                rows[rank] if sweep % 4 < 2 else reversed(rows[rank]),
                key=lambda number: _mean(
                    [
                        place[other]
                        for other in (cells[number].before if down else cells[number].after)
                    ],
                    place[number],
                ),
            )
        if (crossings := _count_crossings(cells, rows)) < fewest:
            best, fewest = rows, crossings
    return best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return fsum(values) / len(values) if values else otherwise


def _count_crossings(cells: Sequence[Cell], rows: Sequence[Sequence[int]]) -> int:
    place = {number: index for row in rows for index, number in enumerate(row)}
    count = 0
    for row in rows:
        lines = [(place[number], place[other]) for number in row for other in cells[number].after]
        count += sum(
            (a - c) * (b - d) < 0
            for index, (a, b) in enumerate(lines)
            for c, d in lines[index + 1 :]
        )
    return count


def _place_cells(
    cells: Sequence[Cell], rows: Sequence[Sequence[int]], gap: float, *, down_last: bool
) -> None:
    """Sets where places are across the direction: as near to their neighbors as may be."""
    for row in rows:
        _settle_row(cells, row, [(0.0, 1.0)] * len(row), gap)
    for sweep in range(2 * SWEEPS):
        down = (sweep % 2 == 1) == down_last
        for row in rows if down else reversed(rows):
            wishes = []
            for number in row:
                cell = cells[number]
                others = cell.before if down else cell.after
                weight = fsum(cell.weights[other] for other in others)
                near = fsum(cell.weights[other] * cells[other].x for other in others)
                wishes.append((near / weight, weight) if others else (cell.x, 0.1))
            _settle_row(cells, row, wishes, gap)
    for row in rows:
        for number in row:
            for other in cells[number].before:
                if abs(cells[number].x - cells[other].x) < SNAP:
                    cells[number].x = cells[other].x


def _settle_row(
    cells: Sequence[Cell], row: Sequence[int], wishes: Sequence[tuple[float, float]], gap: float
) -> None:
    """Puts a row's places as near to where they wish to be, and how much, as the gaps between allow.

    The least squares under these bounds are found by pooling neighbors that are too near.
    """
    offsets = [0.0]
    for one, other in pairwise(row):
        space = gap / 2 if cells[one].edge and cells[other].edge else gap
        offsets.append(offsets[-1] + (cells[one].width + cells[other].width) / 2 + space)
    pools: list[tuple[float, float, int]] = []
    for (wish, weight), offset in zip(wishes, offsets, strict=True):
        pools.append(((wish - offset) * weight, weight, 1))
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            total, mass, count = pools[-1]
            pools[-1] = (total + last[0], mass + last[1], count + last[2])
    starts = [total / mass for total, mass, count in pools for _ in range(count)]
    for number, start, offset in zip(row, starts, offsets, strict=True):
        cells[number].x = start + offset


def _place_rows(
    cells: Sequence[Cell],
    rows: Sequence[Sequence[int]],
    groups: Sequence[int | None],
    rank_gap: float,
) -> tuple[list[float], list[float]]:
    """Returns the middle and the height of each rank."""
    heights = [max(cells[number].height for number in row) for row in rows]
    nodes = range(len(groups))
    group_of = {cells[number].rank: groups[number] for number in nodes}
    middles, y = [], 0.0
    for rank, height in enumerate(heights):
        group = group_of.get(rank)
        starts = rank in group_of and group is not None and group_of.get(rank - 2) != group
        ended = rank % 2 == 1 and group_of.get(rank - 1) is not None
        ended = ended and group_of.get(rank + 1) != group_of.get(rank - 1)
        y += rank_gap * (rank > 0) + 2 * PAD * starts + PAD * ended
        middles.append(y + height / 2)
        y += height
    return middles, heights


def _frame_group(
    members: Sequence[int],
    cells: Sequence[Cell],
    chains: Sequence[Sequence[int]],
    ends: Sequence[tuple[int, int]],
    center: Callable[[int], Point],
) -> tuple[float, float, float, float]:
    """Returns the bounds of a group's nodes, and of the edges between them."""
    inside = [
        number
        for chain, (source, target) in zip(chains, ends, strict=True)
        if source in members and target in members
        for number in chain
    ]
    boxes = [(*center(number), cells[number]) for number in [*members, *inside]]
    return (
        min(x - cell.width / 2 for x, y, cell in boxes) - PAD,
        min(y - cell.height / 2 for x, y, cell in boxes) - 2 * PAD,
        max(x + cell.width / 2 for x, y, cell in boxes) + PAD,
        max(y + cell.height / 2 for x, y, cell in boxes) + PAD,
    )
