"""Scores in PDF, typeset from chance by LilyPond, and pages that are none.

LilyPond takes two seconds to start, so that one call makes all files of a corpus. What it gets is
ours, so that it needs no sandbox.
"""

import io
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageFilter

from helm_structext.image2struct.collect.pdf import picture, rasterize_page

KEYS = ("c \\major", "g \\major", "f \\major", "d \\minor", "bes \\major", "a \\major")
SYLLABLES = ("la", "ri", "lu", "Mond", "licht", "wald", "ein", "ber", "und")
PITCHES = {
    "treble": ("c'", "d'", "e'", "f'", "g'", "a'", "b'", "c''", "d''", "e''", "f''", "g''"),
    "bass": ("e,", "f,", "g,", "a,", "b,", "c", "d", "e", "f", "g", "a", "b"),
}
RHYTHMS = (
    ("4", "4", "4", "4"),
    ("8", "8", "4", "2"),
    ("4.", "8", "4", "4"),
    ("16", "16", "16", "16", "8", "8", "4", "4"),
    ("2", "4", "8", "8"),
    ("1",),
)
MEASURES = 3
"""On a line."""


def part(random: Random, lines: int, per_page: int, clef: str = "treble") -> str:
    """Lines of a voice in 4/4, with slurs and dynamics."""
    pitches = PITCHES[clef]
    place = random.randrange(len(pitches))
    written = [f"\\clef {clef}"]
    for number in range(1, lines * MEASURES + 1):
        notes = []
        for length in random.choice(RHYTHMS):
            place = min(max(place + random.randint(-2, 2), 0), len(pitches) - 1)
            notes.append(pitches[place] + length)
        if len(notes) > 2 and random.random() < 0.4:
            notes[0] += "("
            notes[-1] += ")"
        if random.random() < 0.2:
            notes[0] += random.choice(("\\p", "\\mf", "\\f"))
        written += [*notes, "|"]
        if number % (MEASURES * per_page) == 0:
            written.append("\\pageBreak")
        elif number % MEASURES == 0:
            written.append("\\break")
    return " ".join(written)


def words(random: Random, lines: int) -> str:
    return " ".join(random.choices(SYLLABLES, k=lines * MEASURES * 4))


def melody(random: Random, lines: int, per_page: int) -> str:
    return f"\\new Staff {{ \\key {random.choice(KEYS)} {part(random, lines, per_page)} }}"


def song(random: Random, lines: int, per_page: int) -> str:
    voice = f'\\new Staff \\new Voice = "v" {{ {part(random, lines, per_page)} }}'
    return f'<< {voice} \\new Lyrics \\lyricsto "v" {{ {words(random, lines)} }} >>'


def piano(random: Random, lines: int, per_page: int) -> str:
    key = random.choice(KEYS)
    staves = [
        f"\\new Staff {{ \\key {key} {part(random, lines, per_page, clef)} }}"
        for clef in ("treble", "bass")
    ]
    return f"\\new PianoStaff << {' '.join(staves)} >>"


def choir(random: Random, lines: int, per_page: int) -> str:
    staves = []
    for name, clef in (("Soprano", "treble"), ("Alto", "treble"), ("Bass", "bass")):
        voice = f'\\new Voice = "{name}" {{ {part(random, lines, per_page, clef)} }}'
        staves.append(f'\\new Staff \\with {{ instrumentName = "{name}" }} {voice}')
        staves.append(f'\\new Lyrics \\lyricsto "{name}" {{ {words(random, lines)} }}')
    return f"\\new ChoirStaff << {' '.join(staves)} >>"


def quartet(random: Random, lines: int, per_page: int) -> str:
    staves = [
        f"\\new Staff {{ {part(random, lines, per_page, clef)} }}"
        for clef in ("treble", "treble", "bass", "bass")
    ]
    return f"\\new StaffGroup << {' '.join(staves)} >>"


KINDS: dict[str, tuple[Callable[[Random, int, int], str], int]] = {
    "melody": (melody, 6),
    "song": (song, 5),
    "piano": (piano, 4),
    "choir": (choir, 3),
    "quartet": (quartet, 3),
}
"""How music is made, and how many systems of it are on a page."""

SENTENCE = "Where the sources of this edition differ from each other, the first print is followed."
TEXT = " \\markup \\vspace #2 ".join([f"\\markup \\wordwrap {{ {' '.join([SENTENCE] * 9)} }}"] * 4)
COLUMNS = [
    f"\\column {{ {' '.join(str(row * column) for row in range(11, 50))} }}"
    for column in range(1, 8)
]
TABLE = f"\\markup \\fill-line {{ {' '.join(COLUMNS)} }}"


def music(kind: str, pages: int, seed: str, per_page: int = 0) -> str:
    """A piece that fills some pages."""
    make, systems = KINDS[kind]
    systems = per_page or systems
    return f"\\score {{ {make(Random(seed), pages * systems, systems)} }}"


def book(body: str, title: str) -> str:
    """The code of a file, with a title, numbers of pages and a copyright."""
    header = (
        f'title = "{title}" composer = "H. Structext" copyright = "Public domain" tagline = ##f'
    )
    paper = '#(set-paper-size "a4") print-first-page-number = ##t'
    return f'\\version "2.24.0" \\paper {{ {paper} }} \\header {{ {header} }}\n{body}\n'


def typeset(codes: Mapping[str, str]) -> dict[str, bytes]:
    """The PDF of each of some LilyPond files, all from one call."""
    with tempfile.TemporaryDirectory() as folder:
        for name, code in codes.items():
            Path(folder, f"{name}.ly").write_text(code, encoding="utf-8")
        command = ["lilypond", "-s", "-dno-point-and-click", *(f"{name}.ly" for name in codes)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return {name: Path(folder, f"{name}.pdf").read_bytes() for name in codes}


@cache
def corpus() -> Mapping[str, bytes]:
    """Scores of one page and more, of every kind, by name; and books of text and of tables."""
    later = " \\pageBreak "
    return typeset(
        {
            "melody-1": book(music("melody", 1, "a"), "One Page"),
            "song-2": book(music("song", 2, "b"), "Two Pages"),
            "piano-3": book(music("piano", 3, "c"), "Three Pages"),
            "choir-4": book(music("choir", 4, "d"), "Four Pages"),
            "quartet-6": book(
                TEXT + later + TEXT + later + music("quartet", 4, "e"), "With a Preface"
            ),
            "text-3": book(later.join([TEXT] * 3), "Nothing but Text"),
            "table-1": book(TABLE, "A Table of Readings"),
        }
    )


@cache
def scores(count: int, seed: int) -> tuple[bytes, ...]:
    """Many scores of one page and three systems, of three kinds in turn, no two of them alike."""
    kinds = ("melody", "piano", "song")
    each = -(-count // len(kinds))
    made = typeset({kind: book(music(kind, each, f"{kind} {seed}", 3), kind) for kind in kinds})
    pages = [separated(made[kind]) for kind in kinds]
    return tuple(page for row in zip(*pages, strict=True) for page in row)[:count]


def separated(pdf: bytes) -> list[bytes]:
    """Each page of a PDF as a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "all.pdf").write_bytes(pdf)
        subprocess.run(["pdfseparate", "all.pdf", "%05d.pdf"], cwd=folder, check=True)
        return [path.read_bytes() for path in sorted(Path(folder).glob("0*.pdf"))]


def scan(pdf: bytes, page: int, *, black_and_white: bool = False) -> bytes:
    """A page as if it had been scanned: askew, blurred, on gray paper, with noise; one picture.

    Args:
        pdf: where the page is.
        page: its number.
        black_and_white: whether the scanner knows no gray.
    """
    drawn = picture(rasterize_page(pdf, page)).convert("L")
    askew = drawn.rotate(0.4, Image.Resampling.BICUBIC, fillcolor=255).filter(
        ImageFilter.GaussianBlur(0.8)
    )
    noise = np.random.default_rng(page).normal(0, 6, (askew.height, askew.width))
    gray = np.clip(np.asarray(askew) * 0.88 + noise, 0, 255).astype(np.uint8)
    picture_of = Image.fromarray(gray)
    if black_and_white:
        picture_of = picture_of.point(lambda value: 255 * (value > 140)).convert("1")
    file = io.BytesIO()
    picture_of.save(file, "PDF", resolution=200)
    return file.getvalue()
