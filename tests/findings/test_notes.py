"""What is wrong with music is found, named by its bar, and placed; whoever wrote the score."""

import pytest

from helm_structext.findings import compare, compare_layouts
from helm_structext.layouts import Music, PictureLayout

RIGHT = r"""\version "2.24.0"
\score { \relative c' { \key d \major \time 3/4 d4\mf fis a | b8( cis d4) a | g-. fis e | d2. } \layout { } }
"""
WRONG = {
    "note accidental": ("fis a |", "f a |", "bar 1: F4 for F#4"),
    "note pitch": ("b8( cis", "b8( d", "bar 2: D5 for C#5"),
    "note missing": ("fis e |", "fis r |", "bar 3: rest for E4"),
    "note octave": ("fis e |", "fis' e, |", "bar 3: F#5 for F#4"),
    "wrong key": (r"\key d \major", r"\key g \major", "bar 1: F# for F# C#"),
    "wrong time": (r"\time 3/4", r"\time 6/8", "bar 1: 6/8 for 3/4"),
    "wrong dynamic": (r"\mf", r"\p", 'bar 1: "p" for "mf"'),
    "wrong articulation": ("g-.", "g", 'bar 3: "staccato" is missing'),
    "wrong slur": ("b8( cis d4)", "b8 cis d4", 'bar 2: "slur" is missing'),
    "notes transposed": (
        r"\relative c'",
        r"\relative c''",
        "all notes transposed, an octave too high",
    ),
}


def musical(found):
    return [
        one for one in found.findings if one.kind.split()[0] in ("note", "notes", "rest", "wrong")
    ]


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_score_says_what_is_wrong(kind):
    before, after, said = WRONG[kind]
    assert before in RIGHT
    found = compare("lilypond", RIGHT.replace(before, after), RIGHT, protocol="corrected")
    (one,) = musical(found)
    assert (one.kind, one.text) == (kind, said)
    assert said in found.sentence
    # What engraving makes of it is not told once more: stems, bar lines, digits, words.
    assert {it.kind for it in found.findings} <= {kind, "page size"}
    assert one.there or one.should


@pytest.mark.parametrize(
    "rewrite",
    [
        ("d4\\mf fis a", "<d>4\\mf fis4 a4"),
        (r"\relative c'", r"\transpose c d \relative c'"),
        ("g-. fis e", r"\repeat unfold 1 { g\staccato fis e }"),
        (r"\score { \relative", r"melody = \relative"),
    ],
)
def test_the_same_music_written_otherwise_is_the_same(rewrite):
    code = RIGHT
    if "transpose" in rewrite[1]:
        code = code.replace(
            "d4\\mf fis a | b8( cis d4) a | g-. fis e | d2.",
            "c4\\mf e g | a8( b c4) g | f-. e d | c2.",
        )
        code = code.replace(r"\key d", r"\key c")
    code = code.replace(*rewrite)
    if "melody" in code:
        code = code.replace(r" \layout { } }", "\n\\score { \\new Staff \\melody \\layout { } }")
    found = compare("lilypond", code, RIGHT, protocol="corrected")
    assert musical(found) == []
    assert found.scores["omr_ned"] == 1


def test_where_one_has_no_music_there_is_nothing_to_compare():
    silent, told = PictureLayout((9, 9), ()), PictureLayout((9, 9), (), notes=Music())
    assert "note_recall" not in compare_layouts(silent, told).scores
    assert "note_recall" not in compare_layouts(told, told).scores
