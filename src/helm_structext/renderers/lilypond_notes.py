"""What LilyPond tells of the music that it printed → notes, rests and other signs.

It tells of what it draws (`etc/lilypond_server.scm`), not of what stands in the code: repeats are as they are
printed, hidden notes are not there, of several pages there is the first. A sign brings the moments at which it
begins and ends, and the event that it stands for, so pitches are those that sound.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from PIL import Image

from helm_structext.layouts import Music, MusicNote, MusicSign, PixelBox, TextBox, box_area
from helm_structext.layouts.notes import HELD, REST, SignKind, note_order, read_number, read_word
from helm_structext.renderers.outcome import VISIBLE
from helm_structext.renderers.page_layout import MAX_LOOKS, is_seen, on_picture

QUARTERS = 4
"""Of a whole note, by which LilyPond counts."""
STEPS = "CDEFGAB"
HEADS = ("NoteHead", "TabNoteHead")
BAR_REST = "MultiMeasureRest"
RESTS = ("Rest", BAR_REST)
TIES = ("Tie", "RepeatTie")
SIGNS: Mapping[str, SignKind] = {
    "KeySignature": "key",
    "TimeSignature": "time",
    "Clef": "clef",
    "DynamicText": "dynamic",
    "Hairpin": "dynamic",
    "LyricText": "lyric",
    "Script": "mark",
    "Slur": "slur",
    "PhrasingSlur": "slur",
}
"""LilyPond's name to our kind."""
AROUND = 0.4
"""Share of a sign's smaller side by which one looks around it for paper."""
PAPER = "#ffffff"


class PrintedSign(NamedTuple):
    """A sign as it is told.

    Args:
        name: LilyPond's, of the kind of sign.
        number: of the sign.
        score: number of its score.
        staff: number of its staff, or 0.
        height: of the staff in its system.
        onset: quarter notes from the score's beginning; for grace notes before that to which they lead.
        end: of a sign with two ends, in quarter notes.
        grace: whether it is before its time.
        bar: its number.
        details: by the name.
        box: in pixels.
        color: as ``#rrggbb``.
    """

    name: str
    number: int
    score: int
    staff: int
    height: float
    onset: Fraction
    end: Fraction
    grace: bool
    bar: int
    details: Sequence[Any]
    box: PixelBox
    color: str


def read_sign(told: Sequence[Any], box: PixelBox, color: str) -> PrintedSign:
    """Returns a sign that LilyPond, or a score, tells.

    Raises:
        ValueError: it has another form; so TypeError, LookupError, ArithmeticError.
    """
    name, number, score, staff, height, (main, grace, end), bar, details = told
    # A bar's rest begins with the bar, whatever adorns what stands above it.
    before = Fraction(0) if name == BAR_REST else read_fraction(grace)
    return PrintedSign(
        name=read_word(name),
        number=read_number(number),
        score=read_number(score),
        staff=read_number(staff),
        height=float(height),
        onset=QUARTERS * (read_fraction(main) + before),
        end=QUARTERS * read_fraction(end),
        grace=before < 0,
        bar=read_number(bar),
        details=[*details],
        box=box,
        color=color,
    )


def read_fraction(pair: Any) -> Fraction:
    """Returns a fraction of two bounded numbers.

    >>> read_fraction([3, 4])
    Fraction(3, 4)
    """
    above, below = pair
    return Fraction(read_number(above), read_number(below))


def keep_seen(signs: Iterable[PrintedSign], picture: Image.Image) -> list[PrintedSign]:
    """Returns the signs that a person can see: on the picture, in a color that is not the paper's, with some ink.

    Args:
        signs: told of the picture.
        picture: RGB.
    """
    left: float = MAX_LOOKS * picture.width * picture.height
    seen = []
    for one in signs:
        if one.name in (*HEADS, *RESTS):
            box = _wider(one.box)
            left -= box_area(on_picture(box, picture.size))
            pale = min(bytes.fromhex(one.color[1:])) > 255 - VISIBLE
            if left < 0 or pale or not is_seen(TextBox(one.name, box, one.color), picture):
                continue
        seen.append(one)
    return seen


def _wider(box: PixelBox) -> PixelBox:
    left, top, right, bottom = box
    more = AROUND * min(right - left, bottom - top) + 1
    return left - more, top - more, right + more, bottom + more


def make_music(signs: Sequence[PrintedSign]) -> Music:
    """Returns the music of which signs are printed."""
    begins, staves = score_beginnings(signs), staff_numbers(signs)
    tied = {int(one.details[0]) for one in signs if one.name in TIES}
    double = two_voiced_bars(signs)
    notes = []
    found: dict[tuple[Any, ...], MusicSign] = {}
    octaves = {_place(one): _clef_octave(one) for one in signs if one.name == "ClefModifier"}
    for one in signs:
        staff, onset = staves[one.score, one.staff], begins[one.score] + one.onset
        if one.name in (*HEADS, *RESTS):
            voice = (one.score, one.staff, one.bar) in double and direction_of(one) < 0
            notes.append(read_note(one, staff, onset, int(voice), one.number in tied))
        elif one.name in SIGNS:
            kind = SIGNS[one.name]
            value = sign_value(one) + octaves.get(_place(one), "") * (kind == "clef")
            duration = max(one.end - one.onset, Fraction(0))
            # A slur over a line's end is drawn in two pieces.
            key = (one.number,) if duration else (kind, staff, onset, value, one.box)
            found[key] = MusicSign(kind, staff, onset, value, duration, one.bar, one.box)
    places = {(one.kind, one.staff, one.onset) for one in found.values()}
    for (score, _), staff in staves.items():
        for held in HELD:
            # What holds in one score holds no longer in the next one.
            if (held, staff, begins[score]) not in places:
                found[held, staff, begins[score]] = MusicSign(held, staff, begins[score], "")
    ordered = sorted(found.values(), key=lambda one: (one.onset, one.staff, one.kind, one.box))
    return Music(tuple(sorted(notes, key=note_order)), tuple(only_changes(ordered)))


def _place(one: PrintedSign) -> tuple[Any, ...]:
    return one.score, one.staff, one.onset


def read_note(one: PrintedSign, staff: int, onset: Fraction, voice: int, tied: bool) -> MusicNote:
    """Returns a note or a rest of what is told of it."""
    duration = one.end - one.onset
    step, alter, octave, sound = "", Fraction(0), 4, REST
    if one.details:
        length, _, *what = one.details
        duration = QUARTERS * read_fraction(length)
        if len(what) == 3:
            above, number, sharp = what
            step, octave, sound = STEPS[read_number(number)], 4 + read_number(above), ""
            alter = 2 * read_fraction(sharp)
        elif what:
            sound = read_letters(what[0])
    return MusicNote(
        *(staff, onset, duration, step, alter, octave, sound, voice, one.bar, one.grace, tied),
        one.box,
    )


def direction_of(one: PrintedSign) -> float:
    """Returns which way a note's stem or a rest goes: above 0 is up."""
    return float(one.details[1]) if len(one.details) > 1 else 0.0


def sign_value(one: PrintedSign) -> str:
    """Returns what a sign says, as `MusicSign` has it."""
    match one.name:
        case "KeySignature":
            return " ".join(map(key_letter, one.details[::-1]))
        case "TimeSignature":
            above, below = one.details
            return f"{read_number(above)}/{read_number(below)}"
        case "Clef":
            glyph, place = one.details
            return f"{read_letters(glyph).rpartition('.')[2]} {read_number(place)}"
        case "Hairpin":
            return "<" if one.details[0] > 0 else ">"
        case "Slur" | "PhrasingSlur":
            return "slur"
    return read_letters(one.details[0])


def key_letter(told: Any) -> str:
    """Returns a sharp or flat of a key.

    >>> key_letter([3, [1, 2]])
    'F#'
    """
    number, sharp = told
    return MusicNote(
        0, Fraction(0), Fraction(0), STEPS[read_number(number)], 2 * read_fraction(sharp)
    ).name[:-1]


def _clef_octave(one: PrintedSign) -> str:
    text, direction = one.details
    return f" {'^' if direction > 0 else '_'}{read_letters(text)}"


def read_letters(codes: Sequence[int]) -> str:
    """Returns a text of its characters' numbers."""
    return read_word("".join(map(chr, codes)))


def score_beginnings(signs: Sequence[PrintedSign]) -> dict[int, Fraction]:
    """Returns at which quarter note each score begins: where the one above it ends."""
    tops: dict[int, float] = {}
    ends: dict[int, Fraction] = defaultdict(Fraction)
    for one in signs:
        tops[one.score] = min(tops.get(one.score, one.box[1]), one.box[1])
        length = (
            QUARTERS * read_fraction(one.details[0])
            if one.details and one.name in (*HEADS, *RESTS)
            else Fraction(0)
        )
        ends[one.score] = max(ends[one.score], one.end, one.onset + length)
    begins, now = {}, Fraction(0)
    for score in sorted(tops, key=tops.__getitem__):
        begins[score] = now
        now += ends[score]
    return begins


def staff_numbers(signs: Sequence[PrintedSign]) -> dict[tuple[int, int], int]:
    """Returns which staff of its score each is, from the uppermost; -1 for what belongs to none."""
    heights: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in signs:
        heights[one.score][one.staff].append(one.height)
    found: dict[tuple[int, int], int] = {}
    for score, staves in heights.items():
        means = {staff: sum(all) / len(all) for staff, all in staves.items() if staff}
        rows = sorted(means, key=means.__getitem__, reverse=True)
        found |= {(score, staff): row for row, staff in enumerate(rows)}
        found[score, 0] = -1
    return found


def two_voiced_bars(signs: Iterable[PrintedSign]) -> set[tuple[int, int, int]]:
    """Returns score, staff and bar of each bar in which stems go up and down at the same time."""
    ends: dict[tuple[int, int, int], dict[bool, Fraction]] = defaultdict(dict)
    found = set()
    for one in sorted(signs, key=lambda one: one.onset):
        if one.name in (*HEADS, "Rest") and not one.grace and direction_of(one):
            bar, up = (one.score, one.staff, one.bar), direction_of(one) > 0
            if one.onset < ends[bar].get(not up, one.onset):
                found.add(bar)
            end = one.onset + QUARTERS * read_fraction(one.details[0])
            ends[bar][up] = max(ends[bar].get(up, end), end)
    return found


def only_changes(signs: Iterable[MusicSign]) -> Iterable[MusicSign]:
    """Yields signs in order, those of a key, time or clef only where it is another one than before."""
    held: dict[tuple[str, int], str] = {}
    for one in signs:
        if one.kind in HELD:
            if held.get((one.kind, one.staff), "") == one.value:
                continue
            held[one.kind, one.staff] = one.value
        yield one
