"""Music that an engine tells is read without trust."""

import json
from fractions import Fraction

import pytest

from helm_structext.layouts import (
    Music,
    MusicNote,
    MusicSign,
    PictureLayout,
    layout_record,
    read_layout,
)
from helm_structext.layouts.notes import MAX_NOTES, music_record, read_music

MUSIC = Music(
    (
        MusicNote(0, Fraction(0), Fraction(1, 3), "F", Fraction(1), box=(1, 2, 3, 4)),
        MusicNote(
            1, Fraction(1, 3), Fraction(2), sound="snare", voice=1, bar=2, grace=True, tied=True
        ),
    ),
    (
        MusicSign("key", 0, Fraction(0), "F#"),
        MusicSign("slur", -1, Fraction(1), "slur", Fraction(2)),
    ),
)


def test_what_is_written_is_read():
    layout = PictureLayout((90, 60), (), notes=MUSIC)
    assert read_layout(json.loads(json.dumps(layout_record(layout)))) == layout


def changed(place, value):
    record = json.loads(json.dumps(music_record(MUSIC)))
    record["notes"][0][place] = value
    return record


@pytest.mark.parametrize(
    "record",
    [
        [],
        {"notes": []},
        {"notes": [[]], "signs": []},
        {"notes": {}, "signs": [["tune", 0, [0, 1], "", [0, 1], 1, [0, 0, 0, 0]]]},
        changed(0, 10**9),
        changed(0, "1"),
        changed(1, [1, 0]),
        changed(1, [1, 10**30]),
        changed(1, "1e999999999"),
        changed(2, None),
        changed(3, "H"),
        changed(4, [float("nan"), 1]),
        changed(5, float("inf")),
        changed(6, 7),
        changed(11, [1, 2]),
    ],
)
def test_what_is_no_music_is_not_believed(record):
    with pytest.raises(ValueError, match="is not a layout"):
        read_layout({"size": [9, 9], "texts": [], "elements": [], "notes": record})


def test_notes_nowhere_and_too_many_are_counted():
    nowhere = changed(11, [float("nan")] * 4)
    assert (len(read_music(nowhere).notes), read_music(nowhere).left_out) == (1, 1)
    many = {"notes": [changed(0, 0)["notes"][0]] * (MAX_NOTES + 5), "signs": [], "left_out": 2}
    found = read_music(many)
    assert (len(found.notes), found.left_out) == (MAX_NOTES, 7)


def test_words_are_bounded():
    assert len(read_music(changed(6, "x" * 10**6)).notes[0].sound) == 100
