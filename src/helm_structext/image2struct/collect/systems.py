"""Systems of a page of music, and short excerpts of them that keep whole staves.

A system is what is played at the same time: the staves that lines at their left or through them
connect, or one staff alone.

- `published_systems` is the published rule. Rows without ink separate: what follows after 1 % of the
  page's height without ink, up to the next row without ink, is a system if it is 5 % high. So the
  words of a song, if they do not touch its notes, are cut off; a staff of 7 mm is too low to be found
  unless notes above or below it help; a block of text is a system.
- `systems` starts at the staves: five lines at equal distances. To them belongs all ink above and
  below, up to 1 % of the height without ink. A system is left out, rather than cut, where less than
  that separates it from the next one; where more hangs on it than music has, such as a title; where
  it is the first or last thing on its page and what hangs on it may be a page's number or a
  copyright; and, on the first page, if it is the first. Titles and other texts are no systems.
- `bar_lines` are places at which a system may be cut short: behind a thin line through all of its
  staves, at which nothing crosses but the lines of the staves. A slur or a word that goes on there
  forbids it.

Pages are arrays of gray, height × width, 0 (black) to 255 (white): digital ones, whose lines are level
(`scanned` refuses the others).

Sources: Image2Struct, Section 2.1.3, and its published collector; the levels of the lines as peaks of
a projection follow Fujinaga, "Optical music recognition using projections" (1988); bar lines as runs
from the first line of a staff to its last, Vigliensoni, Burlet and Fujinaga, "Optical measure
recognition in common music notation" (ISMIR 2013).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Gray = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Span = tuple[int, int]
"""Where something begins, and where it is over."""

MIN_EMPTY, MIN_HEIGHT = 0.01, 0.05
"""Shares of a page's height: without ink before a system, and of a published system."""
MIN_CLEAR = 0.005
"""Share without ink between systems if it is twice as high as any other gap between them."""
NO_INK = 1e-6
"""Mean darkness, of at most 1, of a row that the published rule takes for empty."""
INK, DARK = 250, 192
"""Below these grays there is something, and something black, as thin as it may be."""
MIN_LINE = 0.2
"""Share of the page's width that a line of a staff has at least."""
LINES = 5
EVEN = 0.25
"""How much, at most, the gaps between the lines of a staff differ from each other."""
SIDES = 4
"""Columns by which they may begin or end before each other."""
MAX_SPACE = 0.03
"""Share of a page's height that lies between two of them at most."""
MAX_LINES = 1000
"""A page with more of them is no music."""
REACH, EDGE_REACH = 8, 4
"""Spaces above and below its staves that a system has at most, and next to the edge of the page."""
MIN_EXCERPT = 0.25
"""Share of a system's width that an excerpt has at least."""


@dataclass(frozen=True)
class Line:
    """A level line; rows that touch are one.

    Args:
        rows: of it.
        sides: where its longest row begins, and where it is over.
    """

    rows: Span
    sides: Span

    def like(self, other: "Line") -> bool:
        """Whether it begins and ends below another one."""
        return all(
            abs(mine - its) <= SIDES for mine, its in zip(self.sides, other.sides, strict=True)
        )


@dataclass(frozen=True)
class Staff:
    """Five lines.

    Args:
        lines: rows of each, from the highest on.
    """

    lines: tuple[Span, ...]

    @property
    def top(self) -> int:
        return self.lines[0][0]

    @property
    def bottom(self) -> int:
        """The row below the lowest line."""
        return self.lines[-1][1]

    @property
    def space(self) -> float:
        """Rows from one line to the next."""
        return (self.lines[-1][0] - self.lines[0][0]) / (LINES - 1)


@dataclass(frozen=True)
class StaffSystem:
    """Rows of a page, and the staves in them.

    Args:
        rows: of all that belongs to it.
        staves: from the highest on, at least one.
    """

    rows: Span
    staves: tuple[Staff, ...]


def published_systems(page: Gray | NDArray[np.float64], first_page: bool) -> list[Span]:
    """Returns the rows of each system, by the published rule.

    Args:
        page: of gray, the mean of the channels, which need not be whole.
        first_page: whether it is the first of its score: its first system is taken for the title.

    >>> page = np.full((200, 100), 255, np.uint8)
    >>> page[10:30, 5:90] = page[50:70] = page[90:93] = page[94:120] = 0
    >>> published_systems(page, False), published_systems(page, True)
    ([(10, 30), (50, 70)], [(50, 70)])
    """
    height = len(page)
    empty = 1 - page.mean(axis=1) / 255 < NO_INK
    found: list[Span] = []
    start, gap = -1, 0
    # The first row counts for nothing, nor does the one that ends a system.
    for row in range(1, height + 1):
        if start >= 0:
            if row == height or empty[row]:
                if row - start >= int(MIN_HEIGHT * height):
                    found.append((start, row))
                start = -1
        elif row < height and empty[row]:
            gap += 1
        else:
            start = row if row < height and gap >= int(MIN_EMPTY * height) else -1
            gap = 0
    return found[1:] if first_page else found


def systems(page: Gray, first_page: bool) -> list[StaffSystem]:
    """Returns the systems of a page that can be taken out whole, from the highest on.

    Args:
        page: of gray.
        first_page: whether it is the first of its score: the first system, on which title and
            composer may hang, is left out.

    >>> page = np.full((400, 300), 255, np.uint8)
    >>> page[10:15, 290:300] = 0  # the page's number
    >>> for top in (100, 150, 250):
    ...     page[top : top + 25 : 6, 20:280] = 0
    >>> page[100:175, 20] = 0  # connects the first two staves
    >>> page[178:183, 30:60] = 0  # words
    >>> [(system.rows, len(system.staves)) for system in systems(page, False)]
    [((100, 183), 2), ((250, 275), 1)]
    """
    height = len(page)
    groups = _connect_staves(page < DARK, staves(page))
    gaps = list(spans(np.asarray((page >= INK).all(axis=1))))
    ends = [0, *(group[-1].bottom for group in groups)]
    starts = [*(group[0].top for group in groups), height]
    borders = [_border(gaps, rows, height) for rows in zip(ends, starts, strict=True)]
    found = []
    for group, (above, below) in zip(groups, pairwise(borders), strict=True):
        if above is None or below is None:
            continue
        top, bottom = above[1], below[0]
        reach = [EDGE_REACH if edge else REACH for edge in (above[0] == 0, below[1] == height)]
        if (
            group[0].top - top <= reach[0] * group[0].space
            and bottom - group[-1].bottom <= reach[1] * group[0].space
        ):
            found.append(StaffSystem((top, bottom), tuple(group)))
    return [system for system in found if not first_page or system.staves[0] != groups[0][0]]


def _border(gaps: Sequence[Span], between: Span, height: int) -> Span | None:
    """Where a system ends, and where the next one begins; None if that is not clear.

    Args:
        gaps: rows without ink, from the highest on.
        between: rows from the last line of a system, or the edge of the page, to the next first one.
        height: of the page.
    """
    inside = [gap for gap in gaps if between[0] <= gap[0] and gap[1] <= between[1]]
    wide = [
        (start, end)
        for start, end in inside
        if end - start >= MIN_EMPTY * height or start == 0 or end == height
    ]
    if wide:
        return wide[0][0], wide[-1][1]
    inside.sort(key=lambda gap: gap[0] - gap[1])
    heights = [end - start for start, end in inside] + [0, 0]
    clear = heights[0] >= max(2 * heights[1], MIN_CLEAR * height)
    return inside[0] if clear else None


def staves(page: Gray) -> list[Staff]:
    """Returns the staves of five lines on a page, from the highest on.

    Other numbers of lines, such as the six of a tablature, are none.

    >>> page = np.full((300, 200), 255, np.uint8)
    >>> page[50:75:6, 10:190] = page[200:231:6, 10:190] = 0
    >>> page[80, 50:150] = 0  # a pedal's line, or a beam
    >>> [(staff.top, staff.bottom, staff.space) for staff in staves(page)]
    [(50, 75, 6.0)]
    """
    found = []
    waiting = _long_lines(page < DARK)
    while waiting:
        group = [waiting.pop(0)]
        for line in waiting:
            gap = line.rows[0] - group[-1].rows[0]
            first = group[1].rows[0] - group[0].rows[0] if len(group) > 1 else gap
            if gap > max((1 + EVEN) * first, MAX_SPACE * len(page)):
                break
            if line.like(group[0]) and abs(gap - first) <= max(EVEN * first, 1):
                group.append(line)
        if len(group) >= LINES:
            waiting = [line for line in waiting if line not in group]
        staff = Staff(tuple(line.rows for line in group))
        if len(group) == LINES and all(
            end - start <= staff.space / 2 for start, end in staff.lines
        ):
            found.append(staff)
    return found


def _long_lines(dark: Mask) -> list[Line]:
    """Level lines that are at least `MIN_LINE` long, from the highest on; at most `MAX_LINES`."""
    width = dark.shape[1]
    least = max(int(MIN_LINE * width), 1)
    rows = np.flatnonzero(dark.sum(axis=1) >= least)
    columns = np.arange(width, dtype=np.int32)
    last_white = np.maximum.accumulate(np.where(dark[rows], np.int32(-1), columns), axis=1)
    ends = (columns - last_white).argmax(axis=1) if len(rows) else rows
    starts = last_white[np.arange(len(rows)), ends]
    sides = {
        int(row): (int(start) + 1, int(end) + 1)
        for row, start, end in zip(rows, starts, ends, strict=True)
        if end - start >= least
    }
    long = np.zeros(len(dark), bool)
    long[list(sides)] = True
    found = [
        Line(
            (top, bottom),
            max((sides[row] for row in range(top, bottom)), key=lambda s: s[1] - s[0]),
        )
        for top, bottom in spans(long)
    ]
    return found if len(found) <= MAX_LINES else []


def _connect_staves(dark: Mask, found: Sequence[Staff]) -> list[list[Staff]]:
    """Staves in groups: those that a line without a gap joins, anywhere, to the next one."""
    groups: list[list[Staff]] = [[staff] for staff in found[:1]]
    for upper, lower in pairwise(found):
        if dark[upper.bottom - 1 : lower.top + 1].all(axis=0).any():
            groups[-1].append(lower)
        else:
            groups.append([lower])
    return groups


def bar_lines(page: Gray, system: StaffSystem) -> list[int]:
    """Returns the columns behind bar lines at which a system may be cut, from the left on.

    >>> page = np.full((1000, 300), 255, np.uint8)
    >>> page[30:71:10, 20:280] = 0
    >>> page[30:71, 100:102] = page[30:71, 200:202] = page[30:71, 278:280] = 0
    >>> page[78:80, 150:250] = 0  # a slur goes on over the second bar line
    >>> bar_lines(page, systems(page, False)[0])
    [103, 281]
    """
    first, last = system.staves[0], system.staves[-1]
    space = first.space
    reach = max(round(0.4 * space), 3)
    dark, ink = page < DARK, page < INK
    through = np.logical_and.reduce([dark[s.top : s.bottom].all(axis=0) for s in system.staves])
    beyond = _beyond(dark, first.top - reach, first.top) | _beyond(
        dark, last.bottom, last.bottom + reach
    )
    on_lines = np.zeros(len(page), bool)
    for top, bottom in (line for staff in system.staves for line in staff.lines):
        on_lines[top - 1 : bottom + 1] = True
    in_staves = np.zeros(len(page), bool)
    for staff in system.staves:
        in_staves[staff.top : staff.bottom] = True
    here = np.zeros(len(page), bool)
    here[slice(*system.rows)] = True
    between = np.asarray(ink[in_staves & ~on_lines].any(axis=0))
    anything = np.asarray(ink[here & ~on_lines].any(axis=0))
    # The columns next to a line may be gray.
    return [
        end + 1
        for start, end in spans(through)
        if end - start <= 0.5 * space
        and not beyond[start:end].any()
        and not between[max(start - reach, 0) : max(start - 1, 0)].any()
        and not anything[end + 1 : end + 1 + reach].any()
    ]


def _beyond(dark: Mask, start: int, end: int) -> Mask:
    """Which columns are dark in all of some rows, as those of a stem that goes on."""
    return np.asarray(dark[max(start, 0) : end].all(axis=0))


def excerpt_widths(page: Gray, system: StaffSystem, columns: Span) -> list[int]:
    """Returns where an excerpt of a system may end: behind bar lines, or with the system.

    It begins where the system does, so that it has its clefs and key, and is at least a quarter of
    it wide.

    Args:
        page: all of it.
        system: one of its.
        columns: of the system's ink.
    """
    left, right = columns
    least = left + MIN_EXCERPT * (right - left)
    return [*(end for end in bar_lines(page, system) if least <= end < right), right]


def ink_columns(page: Gray, rows: Span) -> Span:
    """Returns the columns from the first with ink to the last, of some rows that have ink.

    >>> page = np.full((10, 100), 255, np.uint8)
    >>> page[5, 20:30] = 0
    >>> ink_columns(page, (0, 10))
    (20, 30)
    """
    inked = np.flatnonzero((page[slice(*rows)] < 255).any(axis=0))
    return (int(inked[0]), int(inked[-1]) + 1)


def spans(mask: Mask) -> Iterator[Span]:
    """Yields where a mask begins to hold, and where it ends to.

    >>> list(spans(np.array([True, False, True, True])))
    [(0, 1), (2, 4)]
    """
    changes = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    for start, end in zip(changes[::2], changes[1::2], strict=True):
        yield int(start), int(end)
