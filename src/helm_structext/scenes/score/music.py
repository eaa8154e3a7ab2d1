"""What scores are made of: tones, keys, harmonies, rhythms, and melodies that follow them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Mode = Literal["major", "minor"]
Metre = tuple[int, int]

SHARPS = (3, 0, 4, 1, 5, 2, 6)
"""Letters in the order in which sharps are written; flats in the reverse order."""


@dataclass(frozen=True)
class Tone:
    """A pitch.

    Args:
        letter: steps from middle C, on the white keys: 0 is C, 6 the B above it, -1 the B below it.
        alter: 1 for a sharp, -1 for a flat.
    """

    letter: int
    alter: int = 0


@dataclass(frozen=True)
class MusicKey:
    """A key.

    Args:
        tonic: letter of its first tone, from 0 for C to 6 for B.
        sharps: of its signature; flats are negative.
    """

    tonic: int
    sharps: int
    mode: Mode

    def tone(self, letter: int, *, leading: bool = False) -> Tone:
        """Returns the tone of the scale on a letter.

        Args:
            letter: steps from middle C.
            leading: whether the seventh tone of minor is raised.

        >>> MusicKey(4, 1, "major").tone(3)
        Tone(letter=3, alter=1)
        """
        place = SHARPS.index(letter % 7)
        alter = int(place < self.sharps) - int(6 - place < -self.sharps)
        if leading and self.mode == "minor" and (letter - self.tonic) % 7 == 6:
            alter += 1
        return Tone(letter, alter)


KEYS = (
    *(MusicKey(*one, "major") for one in ((0, 0), (4, 1), (1, 2), (5, 3), (3, -1), (6, -2), (2, -3))),
    *(MusicKey(*one, "minor") for one in ((5, 0), (2, 1), (6, 2), (1, -1), (4, -2), (0, -3))),
)  # fmt: skip

PROGRESSIONS: Mapping[Mode, tuple[tuple[int, ...], ...]] = {
    "major": (
        (0, 3, 4, 0),
        (0, 5, 3, 4),
        (0, 4, 5, 3),
        (0, 1, 4, 0),
        (5, 3, 0, 4),
        (0, 3, 0, 4),
        (3, 0, 1, 4),
    ),
    "minor": ((0, 3, 4, 0), (0, 5, 2, 4), (0, 6, 5, 4), (0, 3, 0, 4), (5, 2, 3, 4), (0, 5, 3, 4)),
}
"""Degrees of the harmonies of four measures, 0 for the tonic."""
CADENCE = (3, 1, 4, 0)

# Durations in sixteenths by number of notes: what fills a measure.
RHYTHMS: Mapping[Metre, Mapping[int, tuple[tuple[int, ...], ...]]] = {
    (4, 4): {
        1: ((16,),),
        2: ((8, 8), (12, 4)),
        3: ((8, 4, 4), (4, 4, 8), (6, 2, 8)),
        4: ((4, 4, 4, 4), (6, 2, 4, 4), (4, 4, 6, 2)),
        5: ((4, 4, 2, 2, 4), (4, 2, 2, 4, 4), (2, 2, 4, 4, 4), (6, 2, 2, 2, 4)),
        6: ((4, 2, 2, 4, 2, 2), (2, 2, 2, 2, 4, 4), (4, 4, 2, 2, 2, 2), (3, 1, 4, 3, 1, 4)),
        7: ((2, 2, 2, 2, 4, 2, 2), (4, 2, 2, 2, 2, 2, 2)),
        8: ((2, 2, 2, 2, 2, 2, 2, 2),),
    },
    (3, 4): {
        1: ((12,),),
        2: ((8, 4),),
        3: ((4, 4, 4), (6, 2, 4)),
        4: ((4, 4, 2, 2), (4, 2, 2, 4), (2, 2, 4, 4), (6, 2, 2, 2)),
        5: ((2, 2, 2, 2, 4), (4, 2, 2, 2, 2), (2, 2, 4, 2, 2)),
        6: ((2, 2, 2, 2, 2, 2),),
    },
    (2, 4): {
        1: ((8,),),
        2: ((4, 4), (6, 2)),
        3: ((4, 2, 2), (2, 2, 4), (3, 1, 4)),
        4: ((2, 2, 2, 2), (3, 1, 2, 2)),
        5: ((2, 1, 1, 2, 2), (2, 2, 2, 1, 1)),
        6: ((2, 1, 1, 2, 1, 1),),
    },
    (6, 8): {
        1: ((12,),),
        2: ((6, 6),),
        3: ((6, 4, 2), (4, 2, 6)),
        4: ((4, 2, 4, 2), (2, 2, 2, 6), (6, 2, 2, 2)),
        5: ((4, 2, 2, 2, 2), (2, 2, 2, 4, 2)),
        6: ((2, 2, 2, 2, 2, 2),),
    },
}


def measure_length(metre: Metre) -> int:
    """Returns the sixteenths of a measure.

    >>> measure_length((6, 8))
    12
    """
    return metre[0] * 16 // metre[1]


def beat_length(metre: Metre) -> int:
    """Returns the sixteenths of a beat: in six eighths, three of them."""
    return 6 if metre[1] == 8 else 4


def draw_harmonies(rng: Random, mode: Mode, measures: int) -> list[int]:
    """Returns the degree of each measure's harmony; the last four are a cadence.

    >>> draw_harmonies(Random(1), "minor", 8)[-2:]
    [4, 0]
    """
    groups = [rng.choice(PROGRESSIONS[mode]) for _ in range(max(measures // 4 - 1, 0))]
    last = rng.choice([CADENCE, (0, 3, 4, 0), (5, 3, 4, 0)])
    degrees = [degree for group in (*groups, last) for degree in group]
    return degrees[-measures:]


def chord_letters(key: MusicKey, degree: int) -> tuple[int, int, int]:
    """Returns the letters of a degree's triad, from 0 to 6, the root first."""
    root = key.tonic + degree
    return root % 7, (root + 2) % 7, (root + 4) % 7


def nearest(letters: Sequence[int], near: int, low: int, high: int) -> int:
    """Returns the letter within a range, of those of a chord, that is nearest to another one.

    >>> nearest((0, 2, 4), 6, -7, 14)
    7
    """
    found = [letter for letter in range(low, high + 1) if letter % 7 in letters]
    return min(found, key=lambda letter: (abs(letter - near), letter))


def draw_line(
    rng: Random,
    key: MusicKey,
    metre: Metre,
    harmonies: Sequence[int],
    rhythms: Sequence[Sequence[int]],
    low: int,
    high: int,
    *,
    ends: bool = True,
) -> list[list[int]]:
    """Returns a melody: the letters of each measure's notes.

    On beats it has tones of the harmony, between them it goes by steps. It leaps seldom.

    Args:
        rng: the lot.
        key: of all of it.
        metre: of all of it.
        harmonies: degree of each measure's.
        rhythms: durations of each measure's notes, in sixteenths.
        low: its lowest letter.
        high: its highest letter.
        ends: whether it ends on the tonic.
    """
    beat = beat_length(metre)
    place = nearest(
        chord_letters(key, harmonies[0]), (low + high) // 2 + rng.choice([-1, 0, 1]), low, high
    )
    direction = rng.choice([-1, 1])
    measures: list[list[int]] = []
    for degree, rhythm in zip(harmonies, rhythms, strict=True):
        chord = chord_letters(key, degree)
        time = 0
        notes: list[int] = []
        for duration in rhythm:
            if measures or notes:
                if (
                    place + direction * 2 > high
                    or place + direction * 2 < low
                    or rng.random() < 0.3
                ):
                    direction = -direction
                if time % beat == 0:
                    reach = [place + direction * step for step in (1, 2, 3)] + [
                        place - direction,
                        place - direction * 2,
                    ]
                    found = [one for one in reach if one % 7 in chord and low <= one <= high]
                    place = found[0] if found else nearest(chord, place, low, high)
                else:
                    place = min(max(place + direction, low), high)
            notes.append(place)
            time += duration
        measures.append(notes)
    if ends:
        measures[-1][-1] = nearest((key.tonic,), measures[-1][-1], low, high)
    return measures
