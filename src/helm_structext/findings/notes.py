"""What is wrong with music: `helm_structext.metrics.notes` by name, bar and place."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from helm_structext.findings.kinds import (
    Comparison,
    FindingKind,
    PictureFinding,
    in_order,
    quote_text,
    worst_by_kind,
)
from helm_structext.layouts import MusicNote, MusicSign, PictureLayout
from helm_structext.layouts.notes import REST, SignKind
from helm_structext.metrics.notes import (
    HeldPair,
    MusicMatch,
    NotePair,
    PitchShift,
    SignPair,
    match_music,
    note_scores,
    step_number,
    value_of,
)

SIGN_FINDINGS: Mapping[SignKind, FindingKind] = {
    "key": "wrong key",
    "time": "wrong time",
    "clef": "wrong clef",
    "lyric": "wrong lyric",
    "dynamic": "wrong dynamic",
    "mark": "wrong articulation",
    "slur": "wrong slur",
}
CLEFS: Mapping[str, str] = {
    "G -2": "treble",
    "F 2": "bass",
    "C 0": "alto",
    "C 2": "tenor",
    "C -4": "soprano",
}
"""Glyph and line of a clef, from the middle, to what it is called."""
NOTHING: Mapping[SignKind, str] = {"key": "no sharps or flats"}
INTERVALS = ("nothing", "a second", "a third", "a fourth", "a fifth", "a sixth", "a seventh")
LENGTHS = {
    Fraction(4): "a whole",
    Fraction(2): "a half",
    Fraction(1): "a quarter",
    Fraction(1, 2): "an eighth",
    Fraction(1, 4): "a sixteenth",
}
NOUNS: Mapping[str, str] = {
    "note missing": "{number} of {of} notes missing",
    "note extra": "{number} note{s} too many",
    "rest missing": "{number} rest{s} missing",
    "rest extra": "{number} rest{s} too many",
    "note pitch": "{number} of {of} notes with another pitch",
    "note accidental": "{number} of {of} notes with another accidental",
    "note octave": "{number} of {of} notes in another octave",
    "note duration": "{number} of {of} notes with another duration",
    "note tie": "{number} ties differ",
}
"""How findings of a kind are counted in a sentence; those of `SIGN_FINDINGS` by their last word."""


def compare_notes(prediction: PictureLayout, reference: PictureLayout) -> Comparison | None:
    """Returns what of a prediction's music is not as in the reference's; None where one has told of none."""
    if prediction.notes is None or reference.notes is None:
        return None
    if not (prediction.notes.notes or reference.notes.notes):
        return None
    match = match_music(prediction.notes, reference.notes)
    found = in_order(
        [
            *_shift_findings(match),
            *_note_findings(match),
            *_held_findings(match.held),
            *_sign_findings(match.signs),
        ]
    )
    return Comparison(note_scores(match), tuple(found), tuple(_clauses(match, found)))


def _shift_findings(match: MusicMatch) -> Iterator[PictureFinding]:
    staves = {pair.reference.staff for pair in match.notes if pair.reference}
    same = len({*match.shifts.values()}) == 1 and match.shifts.keys() == staves
    for staff, shift in [*match.shifts.items()][: 1 if same else None]:
        where = "all notes" if same else f"staff {staff + 1}"
        first = next(
            pair
            for pair in match.notes
            if pair.prediction and pair.reference and pair.reference.staff == staff
        )
        yield _finding(
            "notes transposed", f"{where} transposed, {describe_shift(shift)}", first, 1.0
        )


def describe_shift(shift: PitchShift) -> str:
    """Returns by how much notes are too high or too low, in words.

    >>> describe_shift(PitchShift(-7, Fraction(-12))), describe_shift(PitchShift(1, Fraction(2))), describe_shift(PitchShift(12, None))
    ('an octave too low', 'a second too high', 'a sixth and an octave too high on the staff')
    """
    steps, semitones = shift
    way = "high" if (steps or semitones or 0) > 0 else "low"
    octaves, rest = divmod(abs(steps), 7)
    if semitones is None:
        return f"{INTERVALS[rest]}{' and an octave' * (octaves > 0)} too {way} on the staff"
    if abs(semitones) == 12 * octaves and not rest:
        return f"{'an octave' if octaves == 1 else f'{octaves} octaves'} too {way}"
    if not steps:
        return f"{abs(semitones)} semitones too {way}"
    return f"{INTERVALS[rest]}{' and an octave' * (octaves > 0)} too {way}"


def _note_findings(match: MusicMatch) -> Iterator[PictureFinding]:
    total = sum(pair.reference is not None for pair in match.notes) or 1
    for pair in match.notes:
        one, other = pair.prediction, pair.reference
        if one and other and REST in (one.sound, other.sound) and one.sound != other.sound:
            lost: FindingKind = "note missing" if one.sound == REST else "note extra"
            said = f"bar {other.bar}: {one.name} for {other.name}"
            yield _finding(lost, said, pair, 1 / total)
        elif one and other:
            for kind, text, size in _differences(one, other, pair.shift):
                yield _finding(kind, f"bar {other.bar}: {text}", pair, size)
        elif one or other:
            alone = one or other
            assert alone is not None
            kind = _lonely_kind(alone, missing=one is None)
            yield _finding(kind, f"bar {alone.bar}: {alone.name}", pair, 1 / total)


def _lonely_kind(note: MusicNote, *, missing: bool) -> FindingKind:
    if note.sound == REST:
        return "rest missing" if missing else "rest extra"
    return "note missing" if missing else "note extra"


def _differences(
    one: MusicNote, other: MusicNote, shift: PitchShift | None
) -> Iterator[tuple[FindingKind, str, float]]:
    """Kind, text and size of each way in which a note is not as it should be."""
    kind = _pitch_kind(one, other, shift or PitchShift(0, Fraction(0)))
    if kind:
        apart = abs((one.pitch or 0) - (other.pitch or 0)) if one.step and other.step else 12
        yield kind, f"{one.name} for {other.name}", min(float(apart) / 12, 1.0)
    if one.duration != other.duration:
        said = f"{other.name} lasts {name_length(one.duration)}, not {name_length(other.duration)}"
        yield "note duration", said, _length_difference(one.duration, other.duration)
    if one.tied != other.tied:
        yield "note tie", f"{other.name} {'is' if one.tied else 'is not'} tied", 0.5


def _length_difference(one: Fraction, other: Fraction) -> float:
    longest = max(one, other)
    shortest = max(min(one, other), Fraction(0))
    return float(1 - shortest / longest) if longest > 0 else 1.0


def _pitch_kind(one: MusicNote, other: MusicNote, shift: PitchShift) -> FindingKind | None:
    if not (one.step and other.step):
        return None if (one.step, one.sound) == (other.step, other.sound) else "note pitch"
    apart = step_number(one) - step_number(other) - shift.steps
    if apart:
        return "note octave" if apart % 7 == 0 and one.alter == other.alter else "note pitch"
    if shift.semitones is None or (one.pitch or 0) - (other.pitch or 0) == shift.semitones:
        return None
    return "note accidental"


def name_length(duration: Fraction) -> str:
    """Returns a length in words.

    >>> name_length(Fraction(3, 2)), name_length(Fraction(1, 3))
    ('a dotted quarter', '1/3 of a quarter')
    """
    if duration in LENGTHS:
        return LENGTHS[duration]
    if (plain := duration * 2 / 3) in LENGTHS:
        return f"a dotted {LENGTHS[plain].split()[1]}"
    return f"{duration} of a quarter"


def _held_findings(held: Iterable[HeldPair]) -> Iterator[PictureFinding]:
    """One for each key, time or clef that is another one, however many staves have it."""
    wrong: Counter[tuple[SignKind, str, str]] = Counter()
    first: dict[tuple[SignKind, str, str], HeldPair] = {}
    number: Counter[SignKind] = Counter()
    for pair in held:
        number[pair.kind] += 1
        if not pair.equal:
            key = pair.kind, value_of(pair.prediction), value_of(pair.reference)
            wrong[key] += 1
            first.setdefault(key, pair)
    for (kind, one, other), often in wrong.items():
        pair = first[kind, one, other]
        nothing = NOTHING.get(kind, "none")
        names = CLEFS if kind == "clef" else {}
        said = f"bar {pair.bar}: {names.get(one, one) or nothing} for {names.get(other, other) or nothing}"
        yield _finding(SIGN_FINDINGS[kind], said, pair, often / number[kind])


def _sign_findings(signs: Iterable[SignPair]) -> Iterator[PictureFinding]:
    for pair in signs:
        one, other = pair.prediction, pair.reference
        sign = other or one
        if sign and not (one and other and one.value == other.value and pair.placed):
            said = f"bar {sign.bar}: {_describe(one, other)}"
            yield _finding(SIGN_FINDINGS[sign.kind], said, pair, 0.5 if one and other else 1.0)


def _describe(one: MusicSign | None, other: MusicSign | None) -> str:
    if one and other:
        if one.value != other.value:
            return f"{quote_text(one.value)} for {quote_text(other.value)}"
        return f"{quote_text(one.value)} stands at another note, in bar {one.bar}"
    if other:
        return f"{quote_text(other.value)} is missing"
    return f"{quote_text(one.value)} is too many" if one else ""


def _finding(
    kind: FindingKind, text: str, pair: NotePair | SignPair | HeldPair, size: float
) -> PictureFinding:
    there = pair.prediction.box if pair.prediction else None
    should = pair.reference.box if pair.reference else None
    return PictureFinding(kind, text, there, should, size)


def _clauses(match: MusicMatch, findings: Sequence[PictureFinding]) -> Iterator[str]:
    """How many of how many, by kind, with the worst one of each."""
    total = sum(pair.reference is not None and pair.reference.sound != REST for pair in match.notes)
    for kind, (number, worst) in worst_by_kind(findings).items():
        if kind == "notes transposed":
            yield worst.text
            continue
        said = NOUNS.get(kind, f"{{number}} {kind}{'s' * (number > 1)}")
        yield f"{said.format(number=number, of=total, s='s' * (number > 1))} ({worst.text})"
