"""Scores: music that fills its measures, how it is written, and what LilyPond makes of it."""

from collections import Counter
from itertools import pairwise, product
from random import Random

import pytest

from helm_structext.renderers import render
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words
from helm_structext.scenes.score import KIND
from helm_structext.scenes.score.music import KEYS, RHYTHMS, chord_letters, measure_length
from helm_structext.scenes.score.scene import ScoreScene, draw_score
from helm_structext.scenes.writing import write_string

RANGES = {"treble": (-4, 13), "treble_8": (-8, 4), "alto": (-8, 4), "bass": (-15, 1)}
"""Lowest and highest letter on each clef, from middle C."""


def draw(seed: int, type: str, level: str = "medium", language: str = "en") -> ScoreScene:
    return draw_score(Random(seed), level, language, type)


def write(scene: ScoreScene, seed: int = 0) -> str:
    return KIND.writers["lilypond"](scene, Random(seed))


SCENES = [draw(seed, type, level) for seed in range(12) for type in KIND.types for level in LEVELS]


# Words


def shape_of(words):
    if isinstance(words, dict):
        return {name: shape_of(value) for name, value in words.items()}
    return [shape_of(value) for value in words] if isinstance(words, list) else type(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_one_shape(language):
    words, english = read_words("score", language), read_words("score", "en")
    assert shape_of(words) == shape_of(english)
    assert len(words["songs"]) >= 10
    for song in words["songs"]:
        lines = song["lines"].split("/")
        assert len(lines) == 4
        for line in lines:
            assert 4 <= len(line.replace("-", " ").split()) <= 10, line


# Lots


def test_a_seed_makes_the_same_code_each_time():
    for type, level in product(KIND.types, LEVELS):
        first, second = draw(7, type, level), draw(7, type, level)
        assert first == second
        assert write(first, 3) == write(second, 3)


def test_two_seeds_share_no_scene():
    for level in LEVELS:
        scenes = [str(KIND.draw(Random(seed), level, "en").staves) for seed in range(200)]
        assert len(set(scenes)) == 200


def test_all_types_are_drawn():
    drawn = Counter(KIND.draw(Random(seed), "easy", "de").type for seed in range(200))
    assert drawn.keys() == set(KIND.types)
    assert min(drawn.values()) > 15


def test_style_differs_with_the_lot_alone():
    scene = draw(1, "piano")
    assert len({write(scene, seed) for seed in range(20)}) > 10


def test_levels_have_sizes():
    lines = {level: [] for level in LEVELS}
    for scene in SCENES:
        lines[scene.level].append(write(scene).count("\n"))
    easy, medium, hard = (sorted(lines[level])[len(lines[level]) // 2] for level in LEVELS)
    assert easy < medium < hard


# Music


def test_rhythms_fill_their_measures():
    for metre, table in RHYTHMS.items():
        for count, rhythms in table.items():
            for rhythm in rhythms:
                assert len(rhythm) == count
                assert sum(rhythm) == measure_length(metre)


def test_voices_fill_each_measure():
    for scene in SCENES:
        lengths = [measure_length(part.metre) for part in scene.sections for _ in part.harmonies]
        for staff in scene.staves:
            for voice in staff.voices:
                assert [sum(note.length for note in measure) for measure in voice] == lengths


def test_notes_are_in_their_instruments_ranges():
    for scene in SCENES:
        for staff in scene.staves:
            low, high = RANGES[staff.clef]
            for voice in staff.voices:
                letters = [
                    tone.letter for measure in voice for note in measure for tone in note.tones
                ]
                assert low <= min(letters)
                assert max(letters) <= high


def test_melodies_leap_seldom():
    leaps = Counter()
    for scene in SCENES:
        notes = [note.tones[0].letter for measure in scene.staves[0].voices[0] for note in measure]
        leaps.update(abs(a - b) for a, b in pairwise(notes))
    assert max(leaps) <= 7
    assert sum(count for leap, count in leaps.items() if leap > 4) < 0.03 * leaps.total()
    assert sum(count for leap, count in leaps.items() if leap <= 2) > 0.75 * leaps.total()


def test_pieces_end_on_the_tonic():
    for scene in SCENES:
        last = scene.sections[-1]
        assert last.harmonies[-2:] == (4, 0)
        tonic = chord_letters(last.key, 0)
        for staff in scene.staves:
            for voice in staff.voices:
                assert {tone.letter % 7 for tone in voice[-1][-1].tones} <= set(tonic)
        assert scene.staves[0].voices[0][-1][-1].tones[0].letter % 7 == last.key.tonic


def test_two_voices_do_not_cross():
    for seed, level in product(range(30), LEVELS):
        (staff,) = draw(seed, "two voices", level).staves
        for above, below in zip(*staff.voices, strict=True):
            assert max(note.tones[0].letter for note in below) <= min(
                note.tones[0].letter for note in above
            )


def test_signatures_are_those_of_their_keys():
    names = {}
    for key in KEYS:
        flats_and_sharps = [key.tone(letter).alter for letter in range(7)]
        assert sum(flats_and_sharps) == key.sharps
        assert key.tone(key.tonic).alter in (-1, 0, 1)
        names.setdefault((key.mode, key.sharps), key)
    assert len(names) == len(KEYS)
    g_minor = next(key for key in KEYS if key.mode == "minor" and key.sharps == -2)
    assert g_minor.tone(3).alter == 0
    assert g_minor.tone(3, leading=True).alter == 1


def test_scores_have_one_to_four_staves():
    assert {len(scene.staves) for scene in SCENES} == {1, 2, 3, 4}
    for scene in SCENES:
        assert write(scene).count(r"\new Staff") >= len(scene.staves)


def test_slurs_begin_and_end():
    for scene in SCENES:
        for staff in scene.staves:
            for measure in staff.voices[0]:
                marks = [note.slur for note in measure if note.slur]
                assert marks in ([], ["begin", "end"])


def test_each_note_of_a_song_has_its_syllable():
    for seed, level, language in product(range(10), LEVELS, LANGUAGES):
        for scene in (draw(seed, "song", level, language), draw(seed, "ensemble", level, language)):
            for staff in scene.staves:
                notes = sum(len(measure) for measure in staff.voices[0])
                assert len(staff.syllables) in (0, notes)


# Code


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("type", KIND.types)
def test_texts_are_in_the_code(type, language):
    for level in LEVELS:
        scene = draw(11, type, level, language)
        code = write(scene, 5)
        for text in scene.texts:
            assert text in code


def test_special_signs_are_escaped():
    assert write_string('the "old" \\ mill') == '"the \\"old\\" \\\\ mill"'


# Pictures


@pytest.mark.parametrize("type", KIND.types)
def test_scores_are_drawn(type):
    number = KIND.types.index(type)
    for level, language in ((LEVELS[number % 3], list(LANGUAGES)[number]), ("hard", "ja")):
        rendering = render("lilypond", write(draw(number, type, level, language), number))
        assert "warning" not in rendering.log.lower()
        assert "error" not in rendering.log.lower()
        assert rendering.image.width > 500


def test_both_ways_of_writing_draw_the_same():
    scene = draw(3, "piano", "easy")
    pictures = {
        "relative" in code: render("lilypond", code).image.tobytes()
        for code in (write(scene, seed) for seed in range(8))
    }
    assert pictures[True] == pictures[False]
