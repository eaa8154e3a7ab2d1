"""What LilyPond tells of the music that it printed, and what a score can make it tell."""

import json
from fractions import Fraction

import pytest
from PIL import Image

from helm_structext.layouts.notes import MAX_NOTES
from helm_structext.renderers import lilypond, render

HEAD = '\\version "2.24.0"\n'
PRINTED = r"""
\score { <<
  \new Staff << { \voiceOne \time 3/4 \key ees \major c''4\f d''\trill \tuplet 3/2 { e''8 f'' g'' } | <c'' ges''>2. }
    \new Voice { \voiceTwo c'2. | r4 r c' } >>
  \new DrumStaff \drummode { bd4 sn hh | r2. }
  \new Staff { \clef "treble_8" c'4 ~ c' \hideNotes c' \unHideNotes | \acciaccatura d'8 R2. }
>> }
\score { { \clef bass c4\repeatTie d \repeat volta 2 { e f } s1 \once \override NoteHead.color = #white g1 } \addlyrics { la _ \markup \bold lu } }
"""


def music(code, **options):
    layout = render("lilypond", HEAD + code, layout=True, **options).layout
    return layout.notes


def names(found, staff):
    return [one.name for one in found.notes if one.staff == staff]


@pytest.fixture(scope="module")
def printed():
    return music(PRINTED, protocol="corrected")


def test_notes_are_told_as_they_are_printed(printed):
    first = [one for one in printed.notes if one.onset < 6]
    upper = [one for one in first if (one.staff, one.voice) == (0, 0)]
    assert [one.name for one in upper] == ["C5", "D5", "E5", "F5", "G5", "C5", "Gb5"]
    assert [one.duration for one in upper] == [1, 1, *[Fraction(1, 3)] * 3, 3, 3]
    assert [one.onset for one in upper] == [0, 1, 2, Fraction(7, 3), Fraction(8, 3), 3, 3]
    assert [one.bar for one in upper] == [1] * 5 + [2] * 2
    lower = [one for one in first if (one.staff, one.voice) == (0, 1)]
    assert [one.name for one in lower] == ["C4", "rest", "rest", "C4"]
    assert [one.sound for one in first if one.staff == 1] == ["bassdrum", "snare", "hihat", "rest"]
    assert [(one.name, one.tied, one.grace) for one in first if one.staff == 2] == [
        ("C4", False, False),
        ("C4", True, False),
        ("D4", False, True),
        ("rest", False, False),
    ]


def test_a_score_begins_where_the_one_above_it_ends(printed):
    later = [one for one in printed.notes if one.onset >= 6]
    assert [(one.name, one.onset) for one in later] == [("C3", 6), ("D3", 7), ("E3", 8), ("F3", 9)]
    assert [one.tied for one in later] == [True, False, False, False]


def test_signs_are_told_where_they_change(printed):
    told = {(one.kind, one.staff, one.onset): one.value for one in printed.signs}
    assert told == {
        ("clef", 0, 0): "G -2",
        ("clef", 1, 0): "percussion 0",
        ("clef", 2, 0): "G -2 _8",
        ("key", 0, 0): "Bb Eb Ab",
        ("time", 0, 0): "3/4",
        ("time", 1, 0): "3/4",
        ("time", 2, 0): "3/4",
        ("dynamic", 0, 0): "f",
        ("mark", 0, 1): "trill",
        ("slur", 2, Fraction(5, 2)): "slur",
        ("clef", 0, 6): "F 2",
        ("key", 0, 6): "",
        ("time", 0, 6): "4/4",
        ("lyric", 0, 6): "la",
        ("lyric", 0, 8): "lu",
    }


def test_boxes_are_around_heads():
    rendering = render("lilypond", HEAD + "{ c'4 e' g' c'' }", protocol="corrected", layout=True)
    boxes = [one.box for one in rendering.layout.notes.notes]
    assert [left for left, *_ in boxes] == sorted(left for left, *_ in boxes)
    assert [top for _, top, *_ in boxes] == sorted((top for _, top, *_ in boxes), reverse=True)
    for left, top, right, bottom in boxes:
        middle = rendering.image.getpixel((int((left + right) / 2), int((top + bottom) / 2)))
        assert max(middle) < 100
        assert 5 < right - left < 20
        assert 5 < bottom - top < 20


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (r"\relative c' { c e g c }", ["C4", "E4", "G4", "C5"]),
        (r"\transpose c d { c' e' }", ["D4", "F#4"]),
        (r"{ \transposition bes c'4 }", ["C4"]),
        (r"\repeat unfold 2 { c'4 d' }", ["C4", "D4", "C4", "D4"]),
        (r"{ <c' e'>4 q }", ["C4", "E4", "C4", "E4"]),
        (r"{ ceh'4 }", ["C(-1/2)4"]),
        (r"\new TabStaff { c'4 }", ["C4"]),
        (r"\chords { c1 }", []),
        (r"\markup { word }", []),
    ],
)
def test_what_music_becomes(code, expected):
    assert names(music(code, protocol="corrected"), 0) == expected


HOSTILE = [
    r"{ \override NoteHead.cause = #42 c'4 }",
    r"""{ \override NoteHead.X-extent = #'(+inf.0 . -inf.0) c'4 }""",
    r"#(module-set! (resolve-module '(lily)) 'event-cause (lambda (grob) (error grob))) { c'4 }",
    r"{ \override Staff.KeySignature.alteration-alist = #'(1 . 2) \key d \major c'4 }",
    r"{ \override Staff.Clef.glyph = ##f c'4 }",
    r"""{ c'4 } \addlyrics { \markup \with-url #(make-string 100000 #\[) x }""",
    r"#(set! event-cause 5) { c'4 }",
]


@pytest.mark.parametrize("code", HOSTILE)
def test_what_a_score_does_to_what_is_told_changes_no_picture(code):
    outcomes = []
    for layout in (False, True):
        try:
            rendering = render("lilypond", HEAD + code, protocol="corrected", layout=layout)
        except Exception as error:
            outcomes.append(str(error))
        else:
            outcomes.append(rendering.image.tobytes())
            assert rendering.layout or rendering.layout_reason or not layout
    assert outcomes[0] == outcomes[1]


PAGE = b'["page", 25.4, 1, 100, 100]\n'
BOX = (0, 0, 100, 100)


def told(name="NoteHead", details=((1, 4), 1, 0, 0, (0, 1)), place=(10, -10, 0, 9, 0, 9), **other):
    facts = {
        "number": 1,
        "score": 1,
        "staff": 1,
        "height": 0,
        "times": [[0, 1], [0, 1], [0, 1]],
        "bar": 1,
    }
    return json.dumps(["sign", name, *(facts | other).values(), details, place]).encode() + b"\n"


def striped():
    """A picture on which every place has some ink."""
    page = Image.new("RGB", (100, 100), "white")
    for left in range(0, 100, 2):
        page.paste("black", (left, 0, left + 1, 100))
    return page


def test_notes_are_only_where_there_is_ink():
    steps = PAGE + told()
    assert len(lilypond.read_steps(steps, striped(), BOX)[0].notes.notes) == 1
    white = Image.new("RGB", (100, 100), "white")
    assert lilypond.read_steps(steps, white, BOX)[0].notes.notes == ()
    aside = PAGE + told(place=(500, -500, 0, 9, 0, 9))
    assert lilypond.read_steps(aside, striped(), BOX)[0].notes.notes == ()
    pale = PAGE + b'["color", 1, 1, 1]\n' + told()
    assert lilypond.read_steps(pale, striped(), BOX)[0].notes.notes == ()


@pytest.mark.parametrize(
    "sign",
    [
        told(details=[[1, 0], 1]),
        told(details=[[1, 4], 1, 0, 99, [0, 1]]),
        told(details=[[1, 4], 1, 0, 1]),
        told(details=5),
        told(bar="x"),
        told(times=[[0, 1], [0, 1]]),
        told(times=[[10**30, 1], [0, 1], [0, 1]]),
        told(score=1e300),
        told(name=7),
        told("KeySignature", [[99, [1, 2]]]),
        told("TimeSignature", []),
        told("Clef", [[10**9], 0]),
        told("Hairpin", ["up"]),
        told("Tie", []),
        told(place=[1]),
    ],
)
def test_what_is_no_sign_has_a_reason(sign):
    layout, reason = lilypond.read_steps(PAGE + sign, striped(), BOX)
    assert (layout is None) == bool(reason)
    assert reason or not layout.notes.notes


def test_an_hour_of_notes_is_bounded():
    place = [5, -5, 0, 0.1, 0, 0.1]
    steps = PAGE + b"".join(
        told(number=n, times=[[n, 4], [0, 1], [n + 1, 4]], place=place)
        for n in range(MAX_NOTES + 9)
    )
    layout, reason = lilypond.read_steps(steps, striped(), BOX)
    assert reason or len(layout.notes.notes) <= MAX_NOTES
