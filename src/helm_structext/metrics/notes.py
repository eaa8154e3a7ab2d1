"""What differs between the music on two pictures: notes, lengths, keys, times, words, dynamics.

Staves are laid beside each other from above, and in each what comes after another, so that a note that is lost or
too many does not make all later ones wrong. All is a pure function of two `Music`s.

TEDn (Mayer et al., 2024) counts edits of MusicXML's tree, which LilyPond does not write; it is not computed.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from Levenshtein import ratio

from helm_structext.layouts import Music, MusicNote, MusicSign, PictureLayout
from helm_structext.layouts.notes import HELD, REST, SEMITONES, SignKind
from helm_structext.metrics.alignment import align
from helm_structext.metrics.means import mean, weighted_mean

LETTERS = list(SEMITONES)
MARKED: Mapping[SignKind, str] = {
    "lyric": "lyrics",
    "dynamic": "dynamics",
    "mark": "marks",
    "slur": "marks",
}
"""Signs that belong to a place, and the score in which they count."""
FEW = 4
"""Notes from which on there is such a thing as a transposition."""
LIKELY = 0.7
"""Share of notes that begin together which must differ alike."""
EXACT = 0.9
"""Share of these that must differ by as many semitones, too."""
TRANSPOSED = 0.6
"""Share of what two staves differ by that a transposition must explain."""
SLIP = 0.5
"""How much a note counts that is wrong by its accidental or its octave alone."""
SHIFTED = 0.25
"""How much a note counts that is right in a staff that is transposed."""
MISPLACED = 0.5
"""How much a sign counts that stands at another note."""
SIGN_CELLS = 100_000
"""Pairs of signs of one kind that are compared."""
NO_PITCH = 10**4


class PitchShift(NamedTuple):
    """By how much a whole staff is too high.

    Args:
        steps: of the staff.
        semitones: None where they differ from note to note, as when a clef is misread.
    """

    steps: int
    semitones: Fraction | None


class NotePair(NamedTuple):
    """A note or rest of the prediction and of the reference; one is None where the other is missing or extra.

    Args:
        prediction: what is there.
        reference: what should be.
        in_time: whether it begins as long after the pair before it as it should.
        shift: of its staff, if that is transposed.
    """

    prediction: MusicNote | None
    reference: MusicNote | None
    in_time: bool = True
    shift: PitchShift | None = None


class SignPair(NamedTuple):
    """A sign of the prediction and of the reference; one is None where the other is missing or extra.

    Args:
        prediction: what is there.
        reference: what should be.
        placed: whether it stands at the note at which it should.
    """

    prediction: MusicSign | None
    reference: MusicSign | None
    placed: bool = True


class HeldPair(NamedTuple):
    """Which key, time or clef holds where a note is on both sides."""

    kind: SignKind
    prediction: MusicSign | None
    reference: MusicSign | None
    bar: int

    @property
    def equal(self) -> bool:
        """Whether it is the same."""
        return value_of(self.prediction) == value_of(self.reference)


@dataclass(frozen=True)
class MusicMatch:
    """The music on two pictures side by side.

    Args:
        notes: by staff, in order.
        signs: of the kinds in `MARKED`.
        held: a row for each pair of notes and each kind in `HELD`.
        shifts: staves of the reference that are transposed.
    """

    notes: tuple[NotePair, ...]
    signs: tuple[SignPair, ...]
    held: tuple[HeldPair, ...]
    shifts: Mapping[int, PitchShift]

    @property
    def both(self) -> list[tuple[NotePair, MusicNote, MusicNote]]:
        """Pairs of two notes, without rests: the pair, the prediction's, the reference's."""
        return [
            (pair, pair.prediction, pair.reference)
            for pair in self.notes
            if pair.prediction
            and pair.reference
            and _sounds(pair.prediction)
            and _sounds(pair.reference)
        ]


@lru_cache(maxsize=4)
def match_music(prediction: Music, reference: Music) -> MusicMatch:
    """Returns two pictures' music side by side.

    Args:
        prediction: what is there.
        reference: what should be there.

    >>> def tune(*letters):
    ...     return Music(tuple(MusicNote(0, Fraction(n), Fraction(1), one) for n, one in enumerate(letters)))
    >>> match = match_music(tune(*"CDFG"), tune(*"CDEFG"))
    >>> [pair.reference.name for pair in match.notes if pair.prediction is None]
    ['E4']
    """
    ours, theirs = _by_staff(prediction.notes), _by_staff(reference.notes)
    staves = match_staves(ours, theirs)
    notes: list[NotePair] = []
    shifts = {}
    for mine, wanted in staves:
        pairs = match_staff(ours.get(mine, ()), theirs.get(wanted, ()))
        notes += pairs
        shift = next((pair.shift for pair in pairs if pair.shift), None)
        if shift:
            shifts[wanted] = shift
    rows = {mine: wanted for mine, wanted in staves if mine >= 0 and wanted >= 0}
    return MusicMatch(
        tuple(notes),
        tuple(_match_signs(prediction, reference, notes, rows)),
        tuple(_match_held(prediction, reference, notes)),
        shifts,
    )


def _by_staff(notes: Iterable[MusicNote]) -> dict[int, list[MusicNote]]:
    found: dict[int, list[MusicNote]] = defaultdict(list)
    for one in notes:
        found[one.staff].append(one)
    return dict(sorted(found.items()))


def match_staves(
    ours: Mapping[int, Sequence[MusicNote]], theirs: Mapping[int, Sequence[MusicNote]]
) -> list[tuple[int, int]]:
    """Returns which staves stand for each other, from above; -1 for one that has no partner.

    Where both have as many, it is their order that counts; else what they have in common, too.

    Args:
        ours: the prediction's notes by staff, counted from above.
        theirs: the reference's.

    Returns:
        Pairs of staves, the prediction's first.

    >>> def staff(letter):
    ...     return [MusicNote(0, Fraction(0), Fraction(1), letter)]
    >>> match_staves({0: staff("C")}, {0: staff("G"), 1: staff("C")})
    [(-1, 0), (0, 1)]
    """
    mine, wanted = [*ours], [*theirs]
    if len(mine) == len(wanted):
        return [*zip(mine, wanted, strict=True)]
    counts = [[_sounds_of(notes) for notes in staves.values()] for staves in (ours, theirs)]

    def costs(i: int, low: int, high: int) -> list[float]:
        return [1 - _common(counts[0][i], other) for other in counts[1][low:high]]

    pairs = align((len(mine), len(wanted)), costs, max_cells=SIGN_CELLS).pairs
    return [(-1 if i is None else mine[i], -1 if j is None else wanted[j]) for i, j in pairs]


def _sounds_of(notes: Sequence[MusicNote]) -> Counter[tuple[str, Fraction]]:
    return Counter((one.name, one.duration) for one in notes)


def _common(one: Counter[Any], other: Counter[Any]) -> float:
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


def match_staff(ours: Sequence[MusicNote], theirs: Sequence[MusicNote]) -> list[NotePair]:
    """Returns pairs of two staves' notes, each voice for itself or all together, as costs less.

    Args:
        ours: notes and rests of a staff of the prediction, in order.
        theirs: those of the staff of the reference that it stands for.
    """
    ways = [[(ours, theirs)]]
    if all(any(one.voice for one in notes) for notes in (ours, theirs)):
        voices = [
            [[one for one in notes if one.voice == voice] for voice in (0, 1)]
            for notes in (ours, theirs)
        ]
        ways.append([*zip(*voices, strict=True)])
    plain = min((_match_parts(way, None) for way in ways), key=_cost)
    shifted = [_match_parts(way, one) for one in likely_shifts(ours, theirs) for way in ways]
    explained = [one for one in shifted if _cost(one) <= (1 - TRANSPOSED) * _cost(plain)]
    return min([plain, *explained], key=_cost)[1]


def _cost(matched: tuple[float, list[NotePair]]) -> float:
    return matched[0]


def _match_parts(
    parts: Sequence[tuple[Sequence[MusicNote], Sequence[MusicNote]]], shift: PitchShift | None
) -> tuple[float, list[NotePair]]:
    total, found = 0.0, []
    for ours, theirs in parts:
        cost, pairs = _match_voice(ours, theirs, shift)
        total += cost
        found += pairs
    return total, found


def likely_shifts(ours: Sequence[MusicNote], theirs: Sequence[MusicNote]) -> list[PitchShift]:
    """Returns by which shifts many notes differ that begin at the same time: what a transposition may be.

    Args:
        ours: notes and rests of a staff of the prediction.
        theirs: those of the staff of the reference that it stands for.

    >>> low = [MusicNote(0, Fraction(n), Fraction(1), one) for n, one in enumerate("CDEFG")]
    >>> high = [MusicNote(0, Fraction(n), Fraction(1), one) for n, one in enumerate("EFGAB")]
    >>> likely_shifts(high, low)
    [PitchShift(steps=2, semitones=None)]
    """
    starts: dict[Fraction, list[MusicNote]] = defaultdict(list)
    for one in ours:
        if one.step:
            starts[one.onset].append(one)
    differences = [
        (step_number(mine) - step_number(wanted), mine.pitch - wanted.pitch)
        for wanted, mine in _same_place(starts, theirs)
        if mine.pitch is not None and wanted.pitch is not None
    ]
    if len(differences) < FEW:
        return []
    steps, often = Counter(steps for steps, _ in differences).most_common(1)[0]
    if often < LIKELY * len(differences):
        return []
    heard = Counter(heard for step, heard in differences if step == steps)
    semitones, alike = heard.most_common(1)[0]
    shift = PitchShift(steps, semitones if alike >= EXACT * often else None)
    return [shift] if steps or shift.semitones else []


def _same_place(
    starts: Mapping[Fraction, Sequence[MusicNote]], theirs: Sequence[MusicNote]
) -> Iterator[tuple[MusicNote, MusicNote]]:
    """Notes that begin together, of chords the first with the first."""
    taken: Counter[Fraction] = Counter()
    for one in theirs:
        if one.step:
            place = taken[one.onset]
            taken[one.onset] += 1
            if place < len(starts.get(one.onset, ())):
                yield one, starts[one.onset][place]


def step_number(note: MusicNote) -> int:
    """Returns how many steps a note is above the C of octave 0.

    >>> step_number(MusicNote(0, Fraction(0), Fraction(1), "D", octave=4))
    29
    """
    return 7 * note.octave + LETTERS.index(note.step) if note.step else NO_PITCH


def _match_voice(
    ours: Sequence[MusicNote], theirs: Sequence[MusicNote], shift: PitchShift | None
) -> tuple[float, list[NotePair]]:
    """What it costs to make one voice of another, and the pairs."""
    alignment = align((len(theirs), len(ours)), _note_costs(ours, theirs, shift))
    pairs = []
    before = Fraction(0), Fraction(0)
    for i, j in alignment.pairs:
        mine, wanted = None if j is None else ours[j], None if i is None else theirs[i]
        in_time = True
        if mine and wanted:
            in_time = mine.onset - before[0] == wanted.onset - before[1]
            before = mine.onset, wanted.onset
        pairs.append(NotePair(mine, wanted, in_time, shift))
    return alignment.cost, pairs


def _note_costs(
    ours: Sequence[MusicNote], theirs: Sequence[MusicNote], shift: PitchShift | None
) -> Callable[[int, int, int], Any]:
    """What it costs that one note stands for another: less than one lost and one too many, or a rest for a note
    more, if it has another length."""
    numbers: dict[Any, int] = {}

    def number(value: Any) -> int:
        return numbers.setdefault(value, len(numbers))

    def table(notes: Sequence[MusicNote], by: PitchShift) -> Any:
        rows = [
            (
                step_number(one) - by.steps * bool(one.step),
                float((one.pitch or 0) - (by.semitones or 0)),
                *(number(one.sound), number(one.duration), number(one.onset)),
                *(one.grace, one.tied, one.sound == REST),
            )
            for one in notes
        ]
        return np.array(rows, dtype=float).reshape(-1, 8).T

    mine = table(ours, shift or PitchShift(0, Fraction(0)))
    wanted = table(theirs, PitchShift(0, Fraction(0)))
    altered = not shift or shift.semitones is not None

    def costs(i: int, low: int, high: int) -> Any:
        step, pitch, sound, duration, onset, grace, tied, rest = mine[:, low:high]
        one = wanted[:, i]
        apart = np.abs(step - one[0])
        wrong = np.where(apart % 7 == 0, 0.5, 0.6 + np.minimum(0.02 * apart, 0.2))
        wrong[apart == 0] = 0.3 * (altered & (pitch != one[1]))[apart == 0]
        pitched = (step < NO_PITCH // 2) & (one[0] < NO_PITCH // 2)
        silent = rest != one[7]
        cost = np.where(pitched, wrong, np.where(silent, 1.3, 0.8 * (sound != one[2])))
        cost += (0.4 + 0.4 * silent) * (duration != one[3]) + 0.4 * (onset != one[4])
        return cost + 0.1 * (grace != one[5]) + 0.05 * (tied != one[6])

    return costs


def _match_held(
    prediction: Music, reference: Music, notes: Sequence[NotePair]
) -> Iterator[HeldPair]:
    ours, theirs = _in_force(prediction.signs), _in_force(reference.signs)
    for pair in notes:
        if pair.prediction and pair.reference:
            for kind in HELD:
                mine = _sign_at(ours, kind, pair.prediction)
                wanted = _sign_at(theirs, kind, pair.reference)
                yield HeldPair(kind, mine, wanted, pair.reference.bar)


def _in_force(signs: Iterable[MusicSign]) -> dict[tuple[str, int], list[MusicSign]]:
    found: dict[tuple[str, int], list[MusicSign]] = defaultdict(list)
    for one in signs:
        if one.kind in HELD:
            found[one.kind, one.staff].append(one)
    return found


def _sign_at(
    table: Mapping[tuple[str, int], Sequence[MusicSign]], kind: SignKind, note: MusicNote
) -> MusicSign | None:
    signs = table.get((kind, note.staff), ())
    place = bisect_right(signs, note.onset, key=lambda one: one.onset)
    return signs[place - 1] if place else None


def value_of(sign: MusicSign | None) -> str:
    """Returns what a sign says, or "" where there is none."""
    return sign.value if sign else ""


def _match_signs(
    prediction: Music, reference: Music, notes: Sequence[NotePair], rows: Mapping[int, int]
) -> Iterator[SignPair]:
    """Signs of each kind and staff in their order; ``rows`` has the reference's staff for each of the prediction."""
    onsets: dict[int, dict[Fraction, Fraction]] = defaultdict(dict)
    for pair in notes:
        if pair.prediction and pair.reference:
            for staff in (pair.reference.staff, -1):
                onsets[staff][pair.reference.onset] = pair.prediction.onset
    groups: dict[tuple[SignKind, int], tuple[list[MusicSign], list[MusicSign]]] = defaultdict(
        lambda: ([], [])
    )
    for side, music in enumerate((prediction, reference)):
        for one in music.signs:
            if one.kind in MARKED:
                row = one.staff if side or one.staff < 0 else rows.get(one.staff, -2)
                groups[one.kind, row][side].append(one)
    for (_, staff), (ours, theirs) in sorted(groups.items()):
        yield from _match_marked(ours, theirs, onsets[staff])


def _match_marked(
    ours: Sequence[MusicSign], theirs: Sequence[MusicSign], onsets: Mapping[Fraction, Fraction]
) -> Iterator[SignPair]:
    def placed(mine: MusicSign, wanted: MusicSign) -> bool:
        return onsets.get(wanted.onset, mine.onset) == mine.onset

    def costs(i: int, low: int, high: int) -> list[float]:
        return [
            1.6 * (1 - sign_likeness(mine, theirs[i])) + 0.3 * (not placed(mine, theirs[i]))
            for mine in ours[low:high]
        ]

    for i, j in align((len(theirs), len(ours)), costs, max_cells=SIGN_CELLS).pairs:
        mine, wanted = None if j is None else ours[j], None if i is None else theirs[i]
        yield SignPair(mine, wanted, not (mine and wanted) or placed(mine, wanted))


def sign_likeness(one: MusicSign, other: MusicSign) -> float:
    """Returns how like two signs of one kind are, from 0 to 1: syllables by their letters, others are the same or not."""
    if one.value == other.value:
        return 1.0
    return float(ratio(one.value, other.value)) if one.kind == "lyric" else 0.0


def note_scores(match: MusicMatch) -> dict[str, float | None]:
    """Returns how much of a reference's music a prediction has: name → value in [0, 1], or None without any.

    ``note_recall`` and ``note_precision``: share of the reference's and of the prediction's notes that are there on
    the other side with their pitch, or their drum. Of those that stand for each other, ``note_pitch``: `pitch_likeness`;
    ``note_onset`` and ``note_duration``: share that begins as long after the one before as it should, and lasts
    as long; ``key``, ``time`` and ``clef``: share for which the same one holds. ``lyrics``, ``dynamics`` and
    ``marks`` (articulations, slurs, ties): F1. ``omr_ned``: 1 − OMR-NED, where what it costs to make one of the
    other is divided by how many symbols both have (Martinez-Sevilla et al., Sheet Music Benchmark, 2025); symbols
    are what LilyPond tells (`count_symbols`), so values are not those of musicdiff.
    """
    both = match.both
    wanted = sum(_is_note(pair.reference) for pair in match.notes)
    found = sum(_is_note(pair.prediction) for pair in match.notes)
    right = sum(pitch_likeness(pair) == 1 for pair, _, _ in both)
    scores: dict[str, float | None] = {
        "note_recall": right / wanted if wanted else None,
        "note_precision": right / found if found and wanted else None,
        "note_pitch": mean([pitch_likeness(pair) for pair, _, _ in both]),
        "note_onset": mean([pair.in_time for pair, _, _ in both]),
        "note_duration": mean([one.duration == other.duration for _, one, other in both]),
    }
    for kind in HELD:
        scores[kind] = mean([pair.equal for pair in match.held if pair.kind == kind])
    for name in dict.fromkeys(MARKED.values()):
        scores[name] = weighted_mean([*_mark_pairs(match, name)])
    return scores | {"omr_ned": _omr_ned(match)}


def pitch_likeness(pair: NotePair) -> float:
    """Returns how right a note's pitch is: 1, `SLIP` by accidental or octave alone, `SHIFTED` by its staff, or 0.

    >>> def note(step, alter=0, octave=4):
    ...     return MusicNote(0, Fraction(0), Fraction(1), step, Fraction(alter), octave)
    >>> [pitch_likeness(NotePair(one, note("C"))) for one in (note("C"), note("C", 1), note("C", 0, 3), note("D"))]
    [1.0, 0.5, 0.5, 0.0]
    """
    one, other = pair.prediction, pair.reference
    if not one or not other:
        return 0.0
    if not (one.step and other.step):
        return float(one.sound == other.sound and one.step == other.step)
    if (one.step, one.octave, one.alter) == (other.step, other.octave, other.alter):
        return 1.0
    if one.step == other.step and (one.octave == other.octave or one.alter == other.alter):
        return SLIP
    shift = pair.shift
    return SHIFTED * bool(shift and step_number(one) - step_number(other) == shift.steps)


def _mark_pairs(match: MusicMatch, name: str) -> Iterator[tuple[float, int]]:
    """How right each pair is, and how many of both sides it stands for."""
    for pair in match.signs:
        one, other = pair.prediction, pair.reference
        if MARKED[cast(MusicSign, one or other).kind] == name:
            if one and other:
                yield sign_likeness(one, other) * (1 if pair.placed else MISPLACED), 2
            else:
                yield 0.0, 1
    if name == "marks":
        for _, mine, wanted in match.both:
            if mine.tied or wanted.tied:
                yield float(mine.tied and wanted.tied), int(mine.tied) + int(wanted.tied)


def _omr_ned(match: MusicMatch) -> float | None:
    cost = symbols = 0
    for pair in match.notes:
        sizes = [count_symbols(one) for one in (pair.prediction, pair.reference) if one]
        symbols += sum(sizes)
        both = pair.prediction and pair.reference
        cost += min(count_edits(pair), sum(sizes)) if both else sum(sizes)
    signs = [(one.prediction, one.reference) for one in match.signs]
    signs += dict.fromkeys((one.prediction, one.reference) for one in match.held)
    for mine, wanted in signs:
        symbols += bool(mine) + bool(wanted)
        cost += value_of(mine) != value_of(wanted)
    return 1 - min(cost / symbols, 1) if symbols else None


def count_symbols(note: MusicNote) -> int:
    """Returns of how many symbols a note is made: head, sharp or flat, flags, dots, tie.

    >>> count_symbols(MusicNote(0, Fraction(0), Fraction(3, 4), "F", Fraction(1)))
    4
    """
    return 1 + (note.alter != 0) + sum(written_length(note.duration)[1:]) + note.tied


def count_edits(pair: NotePair) -> int:
    """Returns how many symbols of two notes are to be changed to make one of the other."""
    one, other = cast(MusicNote, pair.prediction), cast(MusicNote, pair.reference)
    lengths = zip(written_length(one.duration), written_length(other.duration), strict=True)
    return (
        ((one.step, one.octave, one.sound) != (other.step, other.octave, other.sound))
        + (one.alter != other.alter)
        + sum(abs(mine - wanted) for mine, wanted in lengths)
        + (one.tied != other.tied)
    )


def written_length(duration: Fraction) -> tuple[int, int, int]:
    """Returns how a length is written: head (0 as that of quarters and less, 1 of halves, 2 of wholes), flags, dots.

    >>> written_length(Fraction(3)), written_length(Fraction(3, 4)), written_length(Fraction(1, 3))
    ((1, 0, 1), (0, 1, 1), (0, 1, 0))
    """
    if duration <= 0:
        return 0, 0, 0
    if duration.denominator % 3 == 0:
        duration *= Fraction(3, 2)
    odd = duration.numerator // (duration.numerator & -duration.numerator)
    dots = {1: 0, 3: 1, 7: 2, 15: 3}.get(odd, 0)
    plain = duration / (2 - Fraction(1, 2**dots))
    if plain >= 2:
        return (1 if plain < 4 else 2), 0, dots
    return 0, max(plain.denominator.bit_length() - 1, 0), dots


WEIGHTS = {
    "note_recall": 0.25,
    "note_precision": 0.15,
    "note_pitch": 0.2,
    "note_onset": 0.1,
    "note_duration": 0.1,
    "key": 0.04,
    "time": 0.04,
    "clef": 0.03,
    "lyrics": 0.05,
    "dynamics": 0.03,
    "marks": 0.01,
}
"""What each score counts in `note_similarity`: a score of nothing but wrong notes has a third."""


def note_similarity(prediction: PictureLayout, reference: PictureLayout) -> float | None:
    """Returns the weighted mean of `note_scores` in [0, 1], by `WEIGHTS`; None where the reference has no notes.

    What the reference has nothing of is left out; what the prediction has nothing of is 0.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.

    >>> def page(*letters):
    ...     notes = (MusicNote(0, Fraction(n), Fraction(1), one) for n, one in enumerate(letters))
    ...     return PictureLayout((90, 60), (), notes=Music(tuple(notes)))
    >>> note_similarity(page(*"CDEF"), page(*"CDEF")), note_similarity(page(), page(*"CDEF")), note_similarity(page("C"), page())
    (1.0, 0.0, None)
    """
    wanted = reference.notes
    if wanted is None or prediction.notes is None or not any(map(_is_note, wanted.notes)):
        return None
    found = note_scores(match_music(prediction.notes, wanted))
    rare = {*MARKED.values()}
    counted = [name for name in WEIGHTS if name not in rare or found[name] is not None]
    return weighted_mean([(found[name] or 0.0, WEIGHTS[name]) for name in counted])


def _is_note(note: MusicNote | None) -> bool:
    return note is not None and _sounds(note)


def _sounds(note: MusicNote) -> bool:
    return note.sound != REST
