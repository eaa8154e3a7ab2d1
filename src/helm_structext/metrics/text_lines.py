"""Texts of a picture put together to lines, however engines and authors cut them; and lines to paragraphs, however
these are wrapped. All is a pure function of boxes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from unicodedata import bidirectional

from Levenshtein import ratio

from helm_structext.layouts import PixelBox, TextBox, box_around, middle_of

MAX_PIECES = 5_000
"""Pieces of text of a picture that are put together to lines: the first ones from the top."""
SAME_SIZE = 0.95
"""Least ratio of two sizes of letters in one line."""
GAP = 0.8
"""Share of a line's height by which pieces of a text may stand apart."""
TALL = 2.0
"""How many times as high as wide, and as high as its letters are, the box of a turned text is at least."""
SLANTED = 2.5
"""How many times as high as its letters the box of a slanted text is at least."""
LEADING = 1.0
"""Share of a line's height by which the next line of its paragraph may lie below it."""
AGREE = 0.9
"""Share of their letters that two paragraphs have in common at least to be one that is wrapped in another way."""
FIRST = 3
"""Letters with which both begin, without a mistake."""
MAX_PARAGRAPH, MAX_TRIES = 5_000, 5
"""Letters of a paragraph; and lines of the other side with which it may begin."""
MAX_STEPS = 5_000
"""Times that a line is looked for with which some paragraph of a picture may go on: each looks at all that are left."""
HYPHENS = "-\N{HYPHEN}\N{SOFT HYPHEN}"
BULLETS = (
    "*\N{MIDDLE DOT}\N{BULLET}\N{TRIANGULAR BULLET}\N{BULLET OPERATOR}\N{WHITE BULLET}"
    "\N{BLACK CIRCLE}\N{WHITE CIRCLE}\N{BLACK SQUARE}\N{BLACK SMALL SQUARE}"
)
IDEOGRAPHS = "\u3000"
"""From here on scripts have no blanks between words."""


def letters_of(text: str) -> str:
    """Returns a text without its blanks, which engines set in their own ways.

    >>> letters_of("in May")
    'inMay'
    """
    return "".join(text.split())


def likeness_of(one: str, other: str) -> float:
    """Returns how alike two texts' letters are, from 0 to 1, by their longest common subsequence."""
    first, second = letters_of(one), letters_of(other)
    return 1.0 if first == second else float(ratio(first, second))


def is_number(text: str) -> bool:
    """Returns whether a text has digits and no letters.

    >>> [is_number(text) for text in ("12.40", "-3 %", "2024-05-01", "A4", "+")]
    [True, True, True, False, False]
    """
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def join_lines(texts: Sequence[TextBox]) -> list[TextBox]:
    """Returns visible pieces of text put together to lines, from top to bottom; turned and slanted ones at the end.

    >>> pieces = [TextBox("red", (30, 0, 50, 10)), TextBox("A", (0, 0, 26, 10)), TextBox("b", (90, 0, 99, 10))]
    >>> [line.text for line in join_lines(pieces)]
    ['A red', 'b']
    """
    seen = [one for one in texts if one.visible and letters_of(one.text)]
    level = sorted(
        (one for one in seen if not is_turned(one) and not is_slanted(one)),
        key=lambda text: (middle_of(text.box)[1], text.box[0]),
    )[:MAX_PIECES]
    turned = [one for one in seen if is_turned(one)][: MAX_PIECES - len(level)]
    slanted = [one for one in seen if is_slanted(one)][: MAX_PIECES - len(level) - len(turned)]
    return [*_join_level(level), *_join_turned(turned), *slanted]


def is_turned(text: TextBox) -> bool:
    """Returns whether a text stands upright, as the titles of vertical axes do: by its engine, or by its box.

    >>> is_turned(TextBox("Rain (mm)", (0, 0, 14, 80), size=12)), is_turned(TextBox("il", (0, 0, 6, 16), size=12))
    (True, False)
    """
    if text.turned:
        return True
    left, top, right, bottom = text.box
    high = bottom - top > TALL * (right - left)
    several = len(letters_of(text.text)) > (1 if text.size else 2)
    return high and several and bottom - top > TALL * text.size


def is_slanted(text: TextBox) -> bool:
    """Returns whether a text stands aslant, as the names of narrow bars do: its box says nothing of its line."""
    _, top, _, bottom = text.box
    several = len(letters_of(text.text)) > 2
    return (
        bool(text.size) and several and bottom - top > SLANTED * text.size and not is_turned(text)
    )


def _join_level(pieces: Sequence[TextBox]) -> list[TextBox]:
    lines: list[TextBox] = []
    open_lines: list[int] = []
    for one in pieces:
        open_lines = [i for i in open_lines if lines[i].box[3] > one.box[1]]
        joined = next((i for i in open_lines if _goes_on(lines[i], one)), None)
        if joined is None:
            open_lines.append(len(lines))
            lines.append(one)
        else:
            lines[joined] = _join_beside(lines[joined], one)
    return lines


def _join_turned(pieces: Sequence[TextBox]) -> list[TextBox]:
    """In the order in which the engine tells them, as it alone knows in which direction they are read."""
    lines: list[TextBox] = []
    for one in pieces:
        if lines and _goes_on(_laid(lines[-1]), _laid(one)):
            text, faces = f"{lines[-1].text} {one.text}", _join_faces((lines[-1], one))
            box = box_around((lines[-1].box, one.box))
            lines[-1] = replace(lines[-1], text=text, box=box, faces=faces)
        else:
            lines.append(one)
    return lines


def _laid(text: TextBox) -> TextBox:
    left, top, right, bottom = text.box
    return replace(text, box=(top, left, bottom, right))


def _goes_on(line: TextBox, piece: TextBox) -> bool:
    """Whether a piece stands beside a line, as its next word does."""
    (left, top, right, bottom), (left2, top2, right2, bottom2) = line.box, piece.box
    height = min(bottom - top, bottom2 - top2)
    beside = min(bottom, bottom2) - max(top, top2) > 0.6 * height
    apart = max(left2 - right, left - right2)
    return beside and _same_size(line, piece) and -0.2 * height < apart < GAP * height


def _same_size(one: TextBox, other: TextBox) -> bool:
    least, most = sorted((one.size, other.size))
    return not least or least / most > SAME_SIZE


def _join_beside(line: TextBox, piece: TextBox) -> TextBox:
    leftmost = sorted((line, piece), key=lambda one: one.box[0])
    backwards = all(_reads_leftwards(one.text) for one in leftmost)
    first, second = reversed(leftmost) if backwards else leftmost
    apart = leftmost[1].box[0] - leftmost[0].box[2]
    blank = " " if apart > 0.12 * (first.box[3] - first.box[1]) else ""
    longer = max(line, piece, key=lambda one: len(one.text))
    box = box_around((line.box, piece.box))
    text, faces = f"{first.text}{blank}{second.text}", _join_faces((first, second))
    return TextBox(text, box, longer.color, longer.size, faces=faces)


def _join_faces(texts: Sequence[TextBox]) -> str:
    return "".join(one.spread_faces for one in texts)


def _reads_leftwards(text: str) -> bool:
    """Whether a text's first letter that has a direction is of a script from right to left."""
    kinds = (bidirectional(letter) for letter in text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


Rewrapped = tuple[tuple[int, ...], tuple[int, ...]]
"""Numbers of the lines of one paragraph on both sides."""


def find_rewrapped(ours: Sequence[TextBox], theirs: Sequence[TextBox]) -> Iterator[Rewrapped]:
    """Yields paragraphs that have the same letters on both sides, but other lines; each line is in one at most.

    Args:
        ours: lines of a picture that have no equal on the other.
        theirs: lines of the other one.

    >>> wide = [TextBox("It rains in May", (0, 0, 90, 10))]
    >>> narrow = [TextBox("It rains", (0, 0, 50, 10)), TextBox("in May", (0, 12, 40, 22))]
    >>> list(find_rewrapped(wide, narrow))
    [((0,), (0, 1))]

    Words that stand farther apart on one side are a paragraph, too:

    >>> apart = [TextBox("It rains", (0, 0, 50, 10)), TextBox("in May", (90, 0, 130, 10))]
    >>> list(find_rewrapped(wide, apart))
    [((0,), (0, 1))]

    The bullet of an item, which one side does not have, is no reason against it:

    >>> item = [TextBox("\N{BULLET} It rains", (0, 0, 50, 10)), TextBox("in May", (9, 12, 49, 22))]
    >>> list(find_rewrapped(wide, item))
    [((0,), (0, 1))]
    """
    starts: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(theirs):
        starts[_start(line)].append(number)
    left, wanted = {*range(len(ours))}, {*range(len(theirs))}
    steps = iter(range(MAX_STEPS))
    for number, line in enumerate(ours):
        begins = (other for other in starts[_start(line)] if other in wanted)
        for other in [*islice(begins, MAX_TRIES)] if number in left else ():
            if found := _grow((ours, theirs), (left, wanted), number, other, steps):
                left -= {*found[0]}
                wanted -= {*found[1]}
                yield found
                break


def _grow(
    sides: tuple[Sequence[TextBox], Sequence[TextBox]],
    left: tuple[set[int], set[int]],
    mine: int,
    wanted: int,
    steps: Iterator[int],
) -> Rewrapped | None:
    """The lines of a paragraph that begins with a line of each side, or None if their letters don't agree.

    The side that has fewer letters goes on with its next line, until both have the same, or no steps are left.
    """
    found = [mine], [wanted]
    for _ in steps:
        letters = [
            "".join(_strip_bullets(side[i].text) for i in lines)
            for side, lines in zip(sides, found, strict=True)
        ]
        shorter = len(letters[0]) > len(letters[1])  # 0 or 1
        length = len(letters[shorter])
        if length > MAX_PARAGRAPH or ratio(letters[0][:length], letters[1][:length]) < AGREE:
            return None
        if length >= AGREE * len(letters[not shorter]) and _ends_alike(letters):
            return (tuple(found[0]), tuple(found[1])) if len(found[0]) + len(found[1]) > 2 else None
        others = left[shorter].difference(found[shorter])
        following = _next_lines(sides[shorter], found[shorter][-1], others)
        if not following:
            return None
        rest = letters[not shorter][length:]
        begins = {one: _start(sides[shorter][one]) for one in following}  # "" of a hyphen alone.
        going_on = (one for one, start in begins.items() if start and rest.startswith(start))
        found[shorter].append(next(going_on, following[0]))
    return None


def _ends_alike(letters: Sequence[str]) -> bool:
    return letters[0][-FIRST:] == letters[1][-FIRST:]


def _next_lines(lines: Sequence[TextBox], last: int, left: set[int]) -> list[int]:
    """With what one may go on: the line right below it, and the words right beside it, of those that are left."""
    box = lines[last].box
    others = [one for one in left if _same_size(lines[last], lines[one])]
    below = [
        number
        for number in others
        if middle_of(lines[number].box)[1] > box[3]
        and lines[number].box[1] - box[3] < LEADING * (box[3] - box[1])
        and _is_below(box, lines[number].box)
    ]
    beside = [number for number in others if _is_beside(box, lines[number].box)]
    return [
        *sorted(below, key=lambda number: lines[number].box[1])[:1],
        *sorted(beside, key=lambda number: lines[number].box[0])[:1],
    ]


def _is_beside(before: PixelBox, after: PixelBox) -> bool:
    """Whether a box is to the right of another one, on its line."""
    common = min(before[3], after[3]) - max(before[1], after[1])
    return after[0] >= before[2] and common > 0.6 * min(before[3] - before[1], after[3] - after[1])


def _is_below(above: PixelBox, below: PixelBox) -> bool:
    common = min(above[2], below[2]) - max(above[0], below[0])
    return common > 0.5 * min(above[2] - above[0], below[2] - below[0])


def _start(line: TextBox) -> str:
    return _strip_bullets(line.text)[:FIRST]


def _strip_bullets(text: str) -> str:
    """Letters without the mark of an item in a list, which some draw and others write."""
    return _plain(text).lstrip(BULLETS)


def _plain(text: str) -> str:
    """Letters without hyphens, which stand at the ends of lines."""
    return "".join(letter for letter in letters_of(text) if letter not in HYPHENS)


def join_paragraph(lines: Sequence[TextBox]) -> TextBox:
    """Returns lines as one text; it looks as its first line does.

    >>> join_paragraph([TextBox("It rains", (0, 0, 50, 10)), TextBox("in May", (0, 12, 40, 22))]).text
    'It rains in May'
    """
    text = lines[0].text
    for line in lines[1:]:
        text += ("" if min(text[-1], line.text[0]) >= IDEOGRAPHS else " ") + line.text
    box = box_around(line.box for line in lines)
    return replace(lines[0], text=text, box=box, faces=_join_faces(lines))


def paragraph_likeness(one: TextBox, other: TextBox) -> float:
    """Returns how alike two paragraphs' letters are, from 0 to 1; hyphens don't count."""
    first, second = _plain(one.text), _plain(other.text)
    return 1.0 if first == second else float(ratio(first, second))
