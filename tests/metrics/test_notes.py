"""What of the music is right, by number."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from helm_structext.layouts import Music, MusicNote, MusicSign, PictureLayout
from helm_structext.metrics.notes import (
    WEIGHTS,
    PitchShift,
    match_music,
    match_staves,
    note_scores,
    note_similarity,
    written_length,
)

QUARTER = Fraction(1)
SIGNS = (
    MusicSign("clef", 0, Fraction(0), "G -2"),
    MusicSign("key", 0, Fraction(0), "F#"),
    MusicSign("time", 0, Fraction(0), "4/4"),
    MusicSign("dynamic", 0, Fraction(0), "mf"),
    MusicSign("lyric", 0, Fraction(0), "Rain"),
    MusicSign("lyric", 0, Fraction(4), "in"),
)


def tune(letters, staff=0, octave=4, duration=QUARTER):
    return [
        MusicNote(
            staff,
            n * duration,
            duration,
            *([one] if one != "r" else [""]),
            octave=octave,
            bar=n // 4 + 1,
            sound="rest" * (one == "r"),
        )
        for n, one in enumerate(letters)
    ]


def music(notes, signs=SIGNS):
    return Music(tuple(sorted(notes, key=lambda one: (one.onset, one.staff, one.voice))), signs)


LETTERS = "CEGDFACEGBDFCDEC"
RIGHT = music(tune(LETTERS))


def scores(prediction, reference=RIGHT):
    return note_scores(match_music(prediction, reference))


def similarity(prediction, reference=RIGHT):
    return note_similarity(
        *(PictureLayout((90, 60), (), notes=one) for one in (prediction, reference))
    )


def without(number):
    """A note is lost, and all later ones come earlier."""
    notes = tune(LETTERS[:number] + LETTERS[number + 1 :])
    return music(notes)


def test_the_same_music_is_right():
    assert {value for value in scores(RIGHT).values() if value is not None} == {1.0}
    assert similarity(RIGHT) == 1


@pytest.mark.parametrize("number", [0, 1, 7, 15])
def test_a_lost_note_makes_no_other_one_wrong(number):
    found = scores(without(number))
    assert found["note_recall"] == 15 / 16
    assert found["note_precision"] == found["note_pitch"] == found["note_duration"] == 1
    assert found["note_onset"] >= 14 / 15


def test_a_note_too_many_is_one_of_precision():
    found = scores(RIGHT, without(7))
    assert (found["note_recall"], found["note_precision"]) == (1, 15 / 16)


@pytest.mark.parametrize(
    ("change", "pitch"),
    [({"alter": Fraction(1)}, 0.5), ({"octave": 5}, 0.5), ({"step": "G"}, 0.0)],
)
def test_a_wrong_pitch_counts_by_what_is_wrong_of_it(change, pitch):
    notes = [*RIGHT.notes]
    notes[3] = replace(notes[3], **change)
    found = scores(music(notes))
    assert found["note_pitch"] == pytest.approx(15 / 16 + pitch / 16)
    assert found["note_recall"] == 15 / 16
    assert found["note_duration"] == 1


@pytest.mark.parametrize(
    ("kind", "score"), [("key", "key"), ("time", "time"), ("clef", "clef"), ("dynamic", "dynamics")]
)
def test_a_wrong_sign_is_a_score_of_its_own(kind, score):
    signs = tuple(replace(one, value="other") if one.kind == kind else one for one in SIGNS)
    found = scores(music(RIGHT.notes, signs))
    assert found[score] == 0
    assert found["note_recall"] == 1
    assert similarity(music(RIGHT.notes, signs)) == pytest.approx(1 - WEIGHTS[score] / 0.99)


def test_a_sign_counts_until_the_next_one():
    later = MusicSign("key", 0, Fraction(8), "")
    assert scores(music(RIGHT.notes, (*SIGNS, later)))["key"] == 0.5


def test_words_belong_to_notes():
    moved = tuple(replace(one, onset=Fraction(5)) if one.value == "in" else one for one in SIGNS)
    assert scores(music(RIGHT.notes, moved))["lyrics"] == 0.75
    misspelt = tuple(replace(one, value="Rein") if one.value == "Rain" else one for one in SIGNS)
    assert scores(music(RIGHT.notes, misspelt))["lyrics"] == 0.875
    # A note before is lost: the words stand where they should.
    shifted = tuple(replace(one, onset=max(one.onset - 1, 0)) for one in SIGNS)
    assert scores(music(without(2).notes, shifted))["lyrics"] == 1


def shifted(steps, octave=0):
    letters = "".join("CDEFGAB"[("CDEFGAB".index(one) + steps) % 7] for one in LETTERS)
    notes = tune(letters)
    carried = [
        replace(note, octave=note.octave + octave + ("CDEFGAB".index(one) + steps) // 7)
        for note, one in zip(notes, LETTERS, strict=True)
    ]
    return music(carried)


def test_transpositions_are_recognised():
    assert match_music(shifted(0, 1), RIGHT).shifts == {0: PitchShift(7, Fraction(12))}
    assert match_music(shifted(-2), RIGHT).shifts == {0: PitchShift(-2, None)}
    assert match_music(shifted(0), RIGHT).shifts == {}
    assert scores(shifted(0, 1))["note_pitch"] == 0.5
    assert scores(shifted(-2))["note_pitch"] == 0.25


def test_a_tone_that_is_wrong_here_and_there_is_no_transposition():
    notes = [replace(one, octave=5) if n % 3 == 0 else one for n, one in enumerate(RIGHT.notes)]
    assert match_music(music(notes), RIGHT).shifts == {}


def test_every_note_wrong_is_far_below_half_right_and_rests_are_next_to_nothing():
    rng = random.Random(1)
    wrong = music(
        [
            replace(one, step=rng.choice([s for s in "CDEFGAB" if s != one.step]))
            for one in RIGHT.notes
        ]
    )
    half = music(
        [
            right if n % 2 else false
            for n, (right, false) in enumerate(zip(RIGHT.notes, wrong.notes, strict=True))
        ]
    )
    rests = music(tune("r" * 16))
    values = [similarity(one) for one in (Music(), rests, wrong, half, RIGHT)]
    assert values[0] == 0
    assert values[1] < 0.25 < values[2] < 0.45 < 0.6 < values[3] < 0.8
    # A long rest in each bar, with the right key and time, is no better.
    long = music(tune("rrrr", duration=Fraction(4)))
    assert similarity(long) < 0.25


def test_a_reference_without_notes_has_no_value():
    rests = music(tune("rrrr"))
    assert similarity(RIGHT, rests) is None
    assert similarity(RIGHT, Music()) is None
    told, silent = (PictureLayout((90, 60), (), notes=one) for one in (RIGHT, None))
    assert note_similarity(told, silent) is None
    assert note_similarity(silent, told) is None


def test_a_lost_note_of_one_voice_leaves_the_other_one_alone():
    upper = tune(LETTERS)
    lower = [replace(one, voice=1, octave=3) for one in tune("CCGGCCGG", duration=Fraction(2))]
    short = tune(LETTERS[:4] + LETTERS[5:])
    found = scores(music([*short, *lower]), music([*upper, *lower]))
    assert found["note_recall"] == 23 / 24
    assert found["note_precision"] == 1


def test_staves_are_matched_by_what_they_have_in_common():
    staves = {n: tune(one, n) for n, one in enumerate(("CEGC", "DFAD", "EGBE"))}
    assert match_staves({0: staves[0], 1: staves[2]}, staves) == [(0, 0), (-1, 1), (1, 2)]
    found = scores(
        music([*staves[0], *staves[2]]), music([one for all in staves.values() for one in all])
    )
    assert found["note_recall"] == pytest.approx(2 / 3)


def test_chords_are_matched_note_by_note():
    def chords(*names):
        return music(
            [MusicNote(0, Fraction(n), QUARTER, one) for n, all in enumerate(names) for one in all]
        )

    found = scores(chords("CEG", "CG", "DFA"), chords("CEG", "CEG", "DFA"))
    assert (found["note_recall"], found["note_precision"], found["note_onset"]) == (8 / 9, 1, 1)


def test_drums_are_known_by_their_names():
    def beat(*names):
        return music([MusicNote(0, Fraction(n), QUARTER, sound=one) for n, one in enumerate(names)])

    assert scores(beat("snare", "hihat"), beat("snare", "snare"))["note_recall"] == 0.5


def test_omr_ned_is_0_for_nothing_and_1_for_the_same():
    assert scores(RIGHT)["omr_ned"] == 1
    assert scores(Music())["omr_ned"] == 0
    one_off = [replace(RIGHT.notes[0], step="D"), *RIGHT.notes[1:]]
    # 16 heads and 6 signs on each side.
    assert scores(music(one_off))["omr_ned"] == pytest.approx(1 - 1 / 44)


@pytest.mark.parametrize(
    ("duration", "written"),
    [("4", (2, 0, 0)), ("6", (2, 0, 1)), ("2", (1, 0, 0)), ("7/4", (0, 0, 2)), ("1/4", (0, 2, 0))],
)
def test_lengths_are_heads_flags_and_dots(duration, written):
    assert written_length(Fraction(duration)) == written


def test_strange_lengths_and_many_staves_are_scored():
    odd = [MusicNote(n, Fraction(n, 7), Fraction(-3, 11), "C", Fraction(1, 3)) for n in range(300)]
    found = scores(music(odd), music(odd[5:]))
    assert all(value is None or 0 <= value <= 1 for value in found.values())
    assert found["note_recall"] == 1
