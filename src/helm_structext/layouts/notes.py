"""The music on a picture, as the engine that drew it was told of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeVar, get_args

from helm_structext.layouts.boxes import PixelBox, is_placed, read_box, read_words

SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
"""Steps above C of an octave, without sharps and flats."""
ALTERS = {-2: "bb", -1: "b", 0: "", 1: "#", 2: "##"}
REST = "rest"
MAX_NOTES = 20_000
"""Of a picture: notes and rests, which is about an hour of music; and as many other signs."""
MAX_NUMBER = 10**6
"""Of what is counted in music: staves, bars, quarter notes, and their parts."""
MAX_WORD = 100
"""Characters of a sign's value."""

SignKind = Literal["key", "time", "clef", "dynamic", "lyric", "mark", "slur"]
HELD: tuple[SignKind, ...] = ("key", "time", "clef")
"""Signs that hold until the next one, and are printed again on each line."""


@dataclass(frozen=True)
class MusicNote:
    """A note or a rest.

    Args:
        staff: 0 for the uppermost of its score.
        onset: quarter notes from the beginning; of several scores, each begins where the one above it ends.
            A grace note begins before what it leads to.
        duration: quarter notes, with what a tuplet makes of it.
        step: ``C`` to ``B`` as it is written, or "" where there is no pitch.
        alter: semitones by which it is higher than its step: 1 of a sharp, with or without a sign of its own.
        octave: 4 from middle C on, as it sounds: a clef with an 8 is in it.
        sound: ``rest``, or a drum's name in LilyPond, or "".
        voice: 1 for stems that go down where a bar has two voices on one staff, or else 0.
        bar: its number as LilyPond counts them.
        grace: whether it takes no time.
        tied: whether it goes on from an earlier one.
        box: around its head.
    """

    staff: int
    onset: Fraction
    duration: Fraction
    step: str = ""
    alter: Fraction = Fraction(0)
    octave: int = 4
    sound: str = ""
    voice: int = 0
    bar: int = 1
    grace: bool = False
    tied: bool = False
    box: PixelBox = (0.0, 0.0, 0.0, 0.0)

    @property
    def pitch(self) -> Fraction | None:
        """Semitones, as MIDI counts them: 60 is middle C; None where there is no pitch.

        >>> print(MusicNote(0, Fraction(0), Fraction(1), "F", Fraction(1)).pitch)
        66
        """
        if not self.step:
            return None
        return 12 * (self.octave + 1) + SEMITONES[self.step] + self.alter

    @property
    def name(self) -> str:
        """What it is called.

        >>> MusicNote(0, Fraction(0), Fraction(1), "F", Fraction(1)).name, MusicNote(0, Fraction(0), Fraction(1), sound="rest").name
        ('F#4', 'rest')
        """
        if not self.step:
            return self.sound or "note"
        return f"{self.step}{alter_name(self.alter)}{self.octave}"


@dataclass(frozen=True)
class MusicSign:
    """What else is printed with notes.

    Args:
        kind: what it is.
        staff: as of a note; -1 where it belongs to none, as dynamics between two.
        onset: quarter notes from the beginning.
        value: ``F# C#`` of a key, "" where it has no sharps or flats; ``3/4`` of a time; ``G -2`` of a clef, its sign
            and the staff position of its middle; ``mf`` or ``<`` of dynamics; a syllable; a mark's name.
        duration: quarter notes; of slurs and hairpins.
        bar: its number.
        box: around it.
    """

    kind: SignKind
    staff: int
    onset: Fraction
    value: str
    duration: Fraction = Fraction(0)
    bar: int = 1
    box: PixelBox = (0.0, 0.0, 0.0, 0.0)


_One = TypeVar("_One", MusicNote, MusicSign)


@dataclass(frozen=True)
class Music:
    """The music on a picture.

    Args:
        notes: by onset; rests are among them.
        signs: by onset; keys, times and clefs only where they change.
        left_out: notes and signs that are not listed, beyond `MAX_NOTES`, or nowhere.
    """

    notes: tuple[MusicNote, ...] = ()
    signs: tuple[MusicSign, ...] = ()
    left_out: int = 0


def alter_name(alter: Fraction) -> str:
    """Returns how sharps and flats are written behind a letter.

    >>> alter_name(Fraction(-1)), alter_name(Fraction(1, 2))
    ('b', '(+1/2)')
    """
    return ALTERS[int(alter)] if alter in ALTERS else f"({'+' * (alter > 0)}{alter})"


def music_record(music: Music) -> dict[str, Any]:
    """Returns music as JSON.

    >>> music_record(Music((MusicNote(0, Fraction(1, 2), Fraction(1), "C"),)))["notes"]
    [[0, [1, 2], [1, 1], 'C', [0, 1], 4, '', 0, 1, False, False, [0.0, 0.0, 0.0, 0.0]]]
    """
    return {
        "notes": [
            [
                *(one.staff, _pair(one.onset), _pair(one.duration), one.step, _pair(one.alter)),
                *(one.octave, one.sound, one.voice, one.bar, one.grace, one.tied, [*one.box]),
            ]
            for one in music.notes
        ],
        "signs": [
            [
                *(one.kind, one.staff, _pair(one.onset), one.value),
                *(_pair(one.duration), one.bar, [*one.box]),
            ]
            for one in music.signs
        ],
        "left_out": music.left_out,
    }


def read_music(record: Any) -> Music:
    """Returns what `music_record` wrote, or what an engine says in the same form, within bounds.

    Raises:
        ValueError: it has another form; so TypeError, KeyError and OverflowError.

    >>> music = Music((MusicNote(0, Fraction(1, 2), Fraction(1), "C"),), (MusicSign("time", 0, Fraction(0), "3/4"),))
    >>> read_music(music_record(music)) == music
    True
    """
    notes, lost_notes = _read_all(record["notes"], _read_note)
    signs, lost_signs = _read_all(record["signs"], _read_sign)
    left_out = lost_notes + lost_signs + max(int(record.get("left_out", 0)), 0)
    return Music(
        tuple(sorted(notes, key=note_order)),
        tuple(sorted(signs, key=lambda one: (one.onset, one.staff, one.kind))),
        left_out,
    )


def note_order(note: MusicNote) -> tuple[Any, ...]:
    """Returns by what notes are in order: time, staff, voice, and from low to high."""
    return (
        note.onset,
        note.staff,
        note.voice,
        not note.grace,
        note.pitch or Fraction(0),
        note.sound,
    )


def _read_all(told: Iterable[Any], read: Callable[..., _One]) -> tuple[list[_One], int]:
    """What has a place, and how much is left out."""
    given = [*told]
    found = [read(*one) for one in given[:MAX_NOTES]]
    placed = [one for one in found if is_placed(one.box)]
    return placed, len(given) - len(placed)


def _read_note(
    staff: int,
    onset: Any,
    duration: Any,
    step: Any,
    alter: Any,
    octave: int,
    sound: Any,
    voice: int,
    bar: int,
    grace: Any,
    tied: Any,
    box: Any,
) -> MusicNote:
    if step and step not in SEMITONES:
        raise ValueError(step)
    return MusicNote(
        read_number(staff),
        _fraction(onset),
        _fraction(duration),
        step or "",
        _fraction(alter),
        read_number(octave),
        read_word(sound),
        int(bool(voice)),
        read_number(bar),
        bool(grace),
        bool(tied),
        read_box(*box),
    )


def _read_sign(
    kind: Any, staff: int, onset: Any, value: Any, duration: Any, bar: int, box: Any
) -> MusicSign:
    if kind not in get_args(SignKind):
        raise ValueError(kind)
    return MusicSign(
        kind,
        read_number(staff),
        _fraction(onset),
        read_word(value),
        _fraction(duration),
        read_number(bar),
        read_box(*box),
    )


def read_number(value: Any) -> int:
    """Returns a whole number that music can have.

    Raises:
        ValueError: none, or too large.
    """
    number = int(value)
    if isinstance(value, str) or abs(number) > MAX_NUMBER:
        raise ValueError(value)
    return number


def read_word(value: Any) -> str:
    """Returns the beginning of a word, blanks joined.

    Raises:
        TypeError: it is no text.
    """
    return read_words(value, MAX_WORD)


def _fraction(pair: Any) -> Fraction:
    above, below = pair
    if below == 0:
        raise ValueError(pair)
    return Fraction(read_number(above), read_number(below))


def _pair(value: Fraction) -> list[int]:
    return [value.numerator, value.denominator]
