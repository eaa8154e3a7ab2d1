"""Pages to train on: their labels, and that they are the same again."""

from random import Random

import numpy as np
import pytest

from helm_structext.image2struct.collect.classifier.pages import KINDS, names
from helm_structext.image2struct.collect.classifier.pieces import (
    CLEFS,
    ENSEMBLES,
    METERS,
    random_piece,
)

BY_LILYPOND = [name for name in KINDS if "LilyPond" in name]
DRAWN_FAST = [name for name in KINDS if name not in BY_LILYPOND]
RULED = {
    *("lined paper", "music paper", "texts in fives", "thin rules", "tablature", "table", "form"),
    *("chant text", "timetable", "graph paper", "crossword", "picture", "engraving"),
    *("lute tablature", "guitar tablature", "ornaments", "strokes"),
}
"""Kinds of others that may have long dark lines across."""


def lines_across(page) -> int:
    """Rows in the middle of a page that are dark all the way, but for a notehead or a skew."""
    width, height = page.size
    middle = page.crop((width // 4, height // 3, width * 3 // 4, height * 2 // 3))
    return int(((np.asarray(middle) < 200).mean(axis=1) > 0.7).sum())


def blobs(page) -> int:
    """Dark patches in the middle that are as high and wide as the smallest noteheads, and no lines."""
    width, height = page.size
    middle = np.asarray(page.crop((width // 4, height // 3, width * 3 // 4, height * 2 // 3))) < 128
    patches = np.lib.stride_tricks.sliding_window_view(middle, (4, 4))
    return int(patches.all(axis=(2, 3)).sum())


@pytest.mark.parametrize("kind", [*DRAWN_FAST, "guitar with tablature, LilyPond"])
def test_sheets_have_lines_and_notes_in_the_middle(kind):
    page = KINDS[kind].draw(Random(f"a page of {kind}"))
    assert page.mode == "L"
    assert min(page.size) >= 1000
    if KINDS[kind].sheet:
        assert lines_across(page) >= 5
        assert blobs(page) >= 3
    elif kind not in RULED:
        assert lines_across(page) < 5


def test_music_paper_has_lines_but_no_notes():
    for number in range(5):
        page = KINDS["music paper"].draw(Random(number))
        assert lines_across(page) >= 4
        assert blobs(page) == 0


def test_tablature_alone_is_no_sheet_music_and_beneath_a_staff_it_is():
    alone = [kind for name, kind in KINDS.items() if "tablature" in name and "with" not in name]
    assert len(alone) == 4
    assert not any(kind.sheet for kind in alone)
    assert KINDS["guitar with tablature, LilyPond"].sheet
    assert KINDS["guitar with tablature"].sheet


@pytest.mark.parametrize(
    "kind",
    [
        *("song", "chart", "table", "picture", "drums, LilyPond", "lute tablature", "tablature"),
        *("ornaments", "strokes"),
    ],
)
def test_the_same_chance_gives_the_same_page(kind):
    first, again, other = (KINDS[kind].draw(Random(seed)) for seed in (5, 5, 6))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_measures_are_full_and_pitches_near_their_clef(ensemble):
    random = Random(ensemble)
    piece = random_piece(random, ENSEMBLES[ensemble](random), 30, symbols=False)
    assert len(piece.measures) == 30
    for measure in piece.measures:
        for part, notes in zip(piece.parts, measure, strict=True):
            assert sum(note.length for note in notes) == METERS[piece.meter]
            middle = CLEFS[part.clef]
            assert all(abs(note.pitches[0] - middle) <= 7 for note in notes if note.pitches)


def test_each_class_has_kinds_that_training_never_sees():
    sets = [set(names(sheet, seen)) for sheet in (True, False) for seen in (True, False)]
    assert all(len(kinds) >= 9 for kinds in sets)
    assert sum(map(len, sets)) == len(KINDS) == len(set().union(*sets))
