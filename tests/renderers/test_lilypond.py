"""The LilyPond renderer: the published steps, and a fork that gives what a fresh start gives."""

import pytest
from PIL import Image, ImageChops

from helm_structext.errors import RenderError
from helm_structext.renderers import render, render_completion
from helm_structext.renderers.engine import crop_to_ink, read_engine_picture
from helm_structext.renderers.lilypond import (
    ENGINE,
    PROFILE,
    draw,
    explain_conversion,
    find_missing,
)
from helm_structext.sandbox import Limits, ProcessDied, run

VERSION = '\\version "2.24.0"\n'
TUNE = '\\relative c\' { \\key g \\major \\time 3/4 g4 a b | c2.\\trill | <d fis>8( e) r4 g, \\bar "|." }'
SCORES = {
    "tune": TUNE,
    "song": '\\header { title = "Été" composer = "N. N." } << \\chords { g2. a:m7 } '
    f"\\new Staff {TUNE} \\addlyrics {{ One two three four }} >>",
    "piano": "\\new PianoStaff << \\new Staff { c''4 \\tuplet 3/2 { d''8 e'' f'' } g''2\\fermata }"
    " \\new Staff { \\clef bass c1 } >>",
    "lines": "\\repeat unfold 40 { c'4 d' e' f' }",
}


def equal(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and ImageChops.difference(one, other).getbbox() is None


@pytest.mark.parametrize("name", SCORES)
def test_fork_gives_the_picture_of_a_fresh_start(name):
    code = VERSION + SCORES[name]
    files = {"score.ly": code.encode()}
    fresh = run(["lilypond", "--png", "score.ly"], PROFILE, Limits(seconds=60, memory=2048),
                files=files, outputs=["score.png"])  # fmt: skip
    page = crop_to_ink(read_engine_picture(fresh.files["score.png"]), 0.2)
    assert equal(render("lilypond", code).image, page)


def test_old_code_is_converted():
    old = '\\version "2.10.0" \\relative c\' { \\set Staff.midiInstrument = "flute" c4 }'
    assert render("lilypond", old).image.width > 50
    assert "convert-ly" in render("lilypond", old).log


def test_death_of_a_program_that_lilypond_starts_is_no_mistake_of_the_score():
    killed = VERSION + '#(ly:spawn "sh" "-c" "kill -9 $$") { c }'  # as it starts Ghostscript
    with pytest.raises(ProcessDied, match="ended by signal 9"):
        draw(killed, {}, "published", ENGINE.limits)


def test_published_steps_leave_fences_in_the_code():
    assert (
        "error: syntax error"
        in render_completion("lilypond", f"```lilypond\n{VERSION}{TUNE}\n```").log
    )


def test_partial_score_is_a_picture():
    rendered = render("lilypond", VERSION + "{ c' d' \\nonsense e' f' }")
    assert "unknown escaped string" in rendered.log


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("{ c d e", "syntax", r"Unable to determine version.*the code has no .version"),
        (
            VERSION + "{ c d e",
            "syntax",
            "line 2, column 7: syntax error, unexpected end of input: { c d e",
        ),
        (VERSION + "{ c1 \\pageBreak d1 }", "syntax", "more than one page"),
        (VERSION, "empty", "no page: all music is part of definitions"),
        (VERSION + "tune = { c' }", "empty", "no page: all music is part of definitions"),
        (VERSION + "\\score { { c' } \\midi {} }", "empty", r"\\midi needs .layout"),
        (
            '\\version "2.18.0"\n\\score { \\applyMusic #unfold-repeats { c4 } }',
            "syntax",
            "line 2: Wrong number of arguments to #<procedure unfold-repeats",
        ),
        (VERSION + "#(nope)\n{ c' }", "syntax", "line 2, column 2: Unbound variable: nope"),
        (VERSION + "{ c' #(car '()) }", "syntax", "line 2, column 7: In procedure car: Wrong type"),
        (VERSION + '#(ly:error "gone")\n{ c\' }', "syntax", "gone"),
        (VERSION + "{ h'4 }", "syntax", "not a note name: h .names of other languages need"),
        (
            "\\version \"2.0.0\" #(ly:set-option 'old-relative)\n{ c' }",
            "syntax",
            "convert-ly failed: Not smart enough to convert",
        ),
        ("", "empty", "there is no code"),
        ("% Soon", "syntax", "Unable to determine version"),
    ],
)
def test_errors_of_the_code(code, kind, message):
    with pytest.raises(RenderError, match=message) as caught:
        render("lilypond", code)
    assert caught.value.kind == kind


def test_corrected_steps():
    expected = render("lilypond", VERSION + TUNE).image
    for code in (f"Here it is:\n```\n{VERSION}{TUNE}\n```", TUNE, f"```lilypond\n{VERSION}{TUNE}"):
        assert equal(render_completion("lilypond", code, protocol="corrected").image, expected)
    first_page = render("lilypond", VERSION + "{ c'1 \\pageBreak d'1 }", protocol="corrected")
    assert first_page.image.height < 100


def test_published_page_is_cut_and_the_corrected_one_has_no_footer():
    low = VERSION + "\\paper { top-margin = 250 } { c' }"
    assert render("lilypond", low).image.getextrema() == ((255, 255),) * 3
    assert render("lilypond", low, protocol="corrected").image.height < 100


def test_clock_and_chance_are_fixed():
    code = VERSION + '\\markup #(strftime "%c" (localtime (current-time))) { c\'1 } '
    code += "\\markup #(number->string (random 1000000000))"
    first, second = render("lilypond", code).image, render("lilypond", code).image
    assert equal(first, second)


def test_score_does_not_change_what_comes_after_it():
    expected = render("lilypond", VERSION + TUNE).image
    render("lilypond", VERSION + '#(set-global-staff-size 40) #(set-default-paper-size "a6") { c }')
    render("lilypond", VERSION + "#(ly:set-option 'resolution 30) #(set! pitchnames '()) { c }")
    assert equal(render("lilypond", VERSION + TUNE).image, expected)


def test_convert_ly_that_dies_is_told_and_not_needed_in_corrected():
    died = "Traceback (most recent call last):\nre.error: bad escape \\l at position 3\n"
    assert explain_conversion(died) == "convert-ly failed: re.error: bad escape \\l at position 3"
    old = "\\version \"2.0.0\" #(ly:set-option 'old-relative)\n{ c' }"
    assert render("lilypond", old, protocol="corrected").image.width > 50


def test_files_and_fonts_that_are_not_there_are_told():
    code = '\\include "notes.ily"\n\\include "english.ly"\n'
    code += '\\paper { property-defaults.fonts.sans = "Papyrus" property-defaults.fonts.serif = "C059" }'
    missing = render("lilypond", VERSION + code + "{ cs' }").missing
    assert [str(one) for one in missing] == ["data notes.ily", "font Papyrus"]
    with pytest.raises(RenderError, match=r"cannot find file: `notes\.ily'") as caught:
        render("lilypond", VERSION + '\\include "notes.ily"')
    assert [str(one) for one in caught.value.missing] == ["data notes.ily"]
    tree = '#(make-pango-font-tree "Nimbus Roman" "Comic Sans MS" "Courier New" 1)'
    assert [one.package for one in find_missing(tree, "")] == ["Comic Sans MS"]


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("#(use-modules (oll-core tree))\n", "package oll-core tree"),
        ("#(use-modules (srfi srfi-1) (json))\n", "package json"),
        ('#(load "macros.scm")\n', "data macros.scm"),
    ],
)
def test_modules_and_files_of_scheme_that_are_not_there_are_told(code, named, protocol):
    """What is drawn without them is a picture in the published protocol."""
    try:
        missing, kind = render("lilypond", VERSION + code + "{ c' }", protocol=protocol).missing, ""
    except RenderError as error:
        missing, kind = error.missing, error.kind
    assert [str(one) for one in missing] == [named]
    assert kind in ("missing", "" if protocol == "published" else "missing")


def test_fonts_of_music_that_are_not_there_are_told():
    fonts = '#(define fonts (set-global-fonts #:music "lilyjazz" #:brace "emmentaler"))'
    assert [str(one) for one in find_missing(fonts, "")] == ["font lilyjazz"]
