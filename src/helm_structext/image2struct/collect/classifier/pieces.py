"""Random pieces of music: enough like music that a page of them looks like one.

Lengths are counted in sixteenths, pitches in steps of the C major scale, of which 28 is middle C.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

MIDDLE_C = 28
METERS = {(4, 4): 16, (3, 4): 12, (2, 4): 8, (6, 8): 12, (2, 2): 16}
"""Beats and unit → sixteenths in a measure."""
LENGTHS = (16, 12, 8, 6, 4, 3, 2, 1)
"""All lengths that one note can have here."""
CLEFS = {"G2": MIDDLE_C + 6, "F4": MIDDLE_C - 6, "C3": MIDDLE_C, "G2-8": MIDDLE_C - 1}
"""Shape and line → the pitch on the middle line."""
LUTES = ("tab.lute.french", "tab.lute.italian")
"""Tablatures by MEI's names: letters or numbers on six rules."""


@dataclass(frozen=True)
class Note:
    """A note, a chord, or a rest.

    Args:
        pitches: from low to high; a rest has none.
        length: one of `LENGTHS`.
        accidental: of the lowest pitch: ``s`` (sharp), ``f`` (flat), ``n`` (natural) or nothing.
        mark: an articulation by its MEI name, or nothing.
        syllable: sung to it, or nothing.
    """

    pitches: tuple[int, ...]
    length: int
    accidental: str = ""
    mark: str = ""
    syllable: str = ""


@dataclass(frozen=True)
class Part:
    """One staff of an ensemble.

    Args:
        clef: one of `CLEFS`.
        name: before its first system.
        sung: there are syllables beneath it.
        chords: how many of its notes are chords, in [0, 1].
        engraved: how it is shown, by the name of a context of LilyPond, or as one of `LUTES`.
    """

    clef: str
    name: str = ""
    sung: bool = False
    chords: float = 0.0
    engraved: str = "Staff"


@dataclass(frozen=True)
class Piece:
    """A piece, as an engraver gets it.

    Args:
        title: above it.
        composer: above it, at the right.
        key: sharps, or flats if below 0.
        meter: one of `METERS`.
        parts: from top to bottom.
        measures: for each measure, the notes of each part.
        harmony: a chord symbol for each measure, or nothing.
    """

    title: str
    composer: str
    key: int
    meter: tuple[int, int]
    parts: tuple[Part, ...]
    measures: tuple[tuple[tuple[Note, ...], ...], ...]
    harmony: tuple[str, ...]


_SYLLABLES = (
    "a la re mi no va ter sum que ti lo men da ra vis cor pal nu es so lum gra ven per tus or "
    "ni fe bel han den ste wir kom lich nen ver ge schau on ing the ly oh ry mo un pre dis"
)
SYLLABLES = tuple(_SYLLABLES.split())
"""Of no language."""


def word(random: Random) -> str:
    """Returns a word of no language.

    >>> word(Random(1))
    'feon'
    """
    return "".join(random.choices(SYLLABLES, k=random.choice((1, 2, 2, 3))))


def words(random: Random, least: int, most: int) -> str:
    """Returns between `least` and `most` words, the first one with a capital."""
    return " ".join(word(random) for _ in range(random.randint(least, most))).capitalize()


def random_piece(random: Random, parts: Sequence[Part], measures: int, symbols: bool) -> Piece:
    """Returns a piece that depends on the source of chance alone.

    Args:
        random: the source of chance.
        parts: from top to bottom.
        measures: how many.
        symbols: whether there are chord symbols.
    """
    meter = random.choice(list(METERS))
    shortest = random.choice((1, 2, 2, 4))
    rests, marks = random.uniform(0, 0.25), random.choice((0.0, 0.1, 0.3))

    def notes(part: Part) -> tuple[Note, ...]:
        pitch = CLEFS[part.clef] + random.randint(-4, 4)
        made = []
        for length in _rhythm(random, METERS[meter], shortest):
            pitch = _step(random, pitch, CLEFS[part.clef])
            made.append(_note(random, part, pitch, length, rests, marks))
        return tuple(made)

    return Piece(
        title=words(random, 1, 4),
        composer=words(random, 2, 3).title(),
        key=random.randint(-4, 4),
        meter=meter,
        parts=tuple(parts),
        measures=tuple(tuple(notes(part) for part in parts) for _ in range(measures)),
        harmony=tuple(_symbol(random) if symbols else "" for _ in range(measures)),
    )


def _rhythm(random: Random, measure: int, shortest: int) -> list[int]:
    """Lengths that fill a measure, none across a beat that it does not start on."""
    lengths: list[int] = []
    while (place := sum(lengths)) < measure:
        beat = place % 4
        room = 4 - beat if beat else measure - place
        fitting = [length for length in LENGTHS if shortest <= length <= room] or [room]
        lengths.append(random.choice(fitting[-3:] if random.random() < 0.8 else fitting))
    return lengths


def _step(random: Random, pitch: int, middle: int) -> int:
    pitch += random.choice((-3, -2, -1, -1, 0, 1, 1, 2, 3))
    return max(middle - 7, min(middle + 7, pitch))


def _note(random: Random, part: Part, pitch: int, length: int, rests: float, marks: float) -> Note:
    if random.random() < rests:
        return Note((), length)
    chord = random.random() < part.chords
    pitches = (pitch, pitch + 2, pitch + random.choice((4, 5, 7))) if chord else (pitch,)
    return Note(
        pitches,
        length,
        accidental=random.choice("sfn") if random.random() < 0.07 else "",
        mark=random.choice(("stacc", "acc", "ten")) if random.random() < marks else "",
        syllable=random.choice(SYLLABLES) if part.sung else "",
    )


def _symbol(random: Random) -> str:
    return random.choice("CDEFGAB") + random.choice(("", "", "m", "7", "m7", "maj7", "dim"))


def _strings(count: int) -> tuple[Part, ...]:
    names = ("Violin I", "Violin II", "Viola", "Violoncello", "Double bass")
    clefs = ("G2", "G2", "C3", "F4", "F4")
    return tuple(Part(clef, name) for clef, name in list(zip(clefs, names, strict=True))[:count])


def _winds() -> tuple[Part, ...]:
    names = ("Flute", "Oboe", "Clarinet", "Bassoon", "Horn", "Trumpet", "Timpani")
    return tuple(Part("F4" if name in {"Bassoon", "Timpani"} else "G2", name) for name in names)


_PIANO = (Part("G2", chords=0.3), Part("F4", chords=0.2))

ENSEMBLES: Mapping[str, Callable[[Random], tuple[Part, ...]]] = {
    "melody": lambda random: (Part(random.choice(("G2", "G2", "F4", "C3"))),),
    "verses": lambda random: (Part("G2", sung=True),),
    "piano": lambda random: _PIANO,
    "song": lambda random: (Part("G2", "Voice", sung=True), *_PIANO),
    "choir": lambda random: tuple(
        Part(clef, name, sung=True)
        for clef, name in (("G2", "S"), ("G2", "A"), ("G2-8", "T"), ("F4", "B"))
    ),
    "duet": lambda random: (Part("G2", "Flute"), Part(random.choice(("G2", "F4")))),
    "quartet": lambda random: _strings(4),
    "orchestra": lambda random: (*_winds(), *_strings(random.randint(3, 5))),
    "hymn": lambda random: (Part("G2", sung=True, chords=0.9), Part("F4", chords=0.9)),
    "organ": lambda random: (*_PIANO, Part("F4")),
    "drums": lambda random: (Part("G2", engraved="DrumStaff"),),
    "guitar": lambda random: (Part("G2-8"), Part("G2-8", engraved="TabStaff")),
    "tablature": lambda random: (Part("G2-8", engraved="TabStaff"),),
    "lute": lambda random: (Part("G2", engraved=random.choice(LUTES)),),
}
"""Name → its parts."""
