"""Kinds of pages with exact labels: the table of what the classifier learns from and is tested on.

A page is sheet music if there are notes on staves of five lines in its middle, which is what the
classifier sees; tablature beneath such a staff belongs to it. Tablature alone, music paper without
notes, and words of songs without notes are not sheet music. Notations that are older than five
lines (square notes, neumes) are in neither class.

What tests alone see differs from all that training sees in what is on the page, in the program that
engraves it, or in the music font.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from PIL import Image

from helm_structext.image2struct.collect.classifier import documents, drawings, vectors
from helm_structext.image2struct.collect.classifier.documents import Body, typst_page
from helm_structext.image2struct.collect.classifier.engravers import lilypond_page, verovio_page
from helm_structext.image2struct.collect.classifier.pieces import ENSEMBLES

FONTS = ("Leipzig", "Bravura", "Gootville")
"""Music fonts that training sees."""
UNSEEN_FONTS = ("Leland", "Petaluma")
SIZES = (12, 28)
"""Points of the staves that training sees, from a miniature score's to large print."""
TABLATURES = {"tablature", "lute"}
"""Ensembles that have no notes."""


@dataclass(frozen=True)
class Kind:
    """A kind of pages.

    Args:
        draw: makes a page, in grayscale.
        sheet: whether it is sheet music.
        seen: whether training sees pages of this kind; else they are for tests alone.
    """

    draw: Callable[[Random], Image.Image]
    sheet: bool
    seen: bool


def _verovio(ensemble: str, fonts: Sequence[str], symbols: bool, random: Random) -> Image.Image:
    return verovio_page(random, ENSEMBLES[ensemble](random), fonts, symbols)


def _lilypond(ensemble: str, sizes: tuple[float, float], random: Random) -> Image.Image:
    return lilypond_page(random, ENSEMBLES[ensemble](random), sizes)


def _typst(body: Body, random: Random) -> Image.Image:
    return typst_page(random, body)


def _engraved(ensemble: str, fonts: Sequence[str] = FONTS, symbols: bool = False) -> Kind:
    return Kind(
        partial(_verovio, ensemble, fonts, symbols), ensemble not in TABLATURES, fonts == FONTS
    )


def _engraved_by_lilypond(ensemble: str, size: float | None = None) -> Kind:
    """A kind of pages for training, of all sizes; or one for tests, of a size that varies a little."""
    sizes = (0.85 * size, 1.15 * size) if size else SIZES
    return Kind(partial(_lilypond, ensemble, sizes), ensemble not in TABLATURES, size is None)


def _other(draw: Callable[[Random], Image.Image], seen: bool = True) -> Kind:
    return Kind(draw, sheet=False, seen=seen)


def _document(body: Body, seen: bool = True) -> Kind:
    return _other(partial(_typst, body), seen)


KINDS: Mapping[str, Kind] = {
    # Sheet music
    "melody": _engraved("melody"),
    "verses": _engraved("verses"),
    "piano": _engraved("piano"),
    "song": _engraved("song"),
    "choir": _engraved("choir"),
    "duet": _engraved("duet"),
    "quartet": _engraved("quartet"),
    "lead sheet": _engraved("melody", symbols=True),
    "guitar with tablature": _engraved("guitar"),
    "melody, LilyPond": _engraved_by_lilypond("melody"),
    "piano, LilyPond": _engraved_by_lilypond("piano"),
    "quartet, LilyPond": _engraved_by_lilypond("quartet"),
    "orchestra, other fonts": _engraved("orchestra", UNSEEN_FONTS),
    "hymn, other fonts": _engraved("hymn", UNSEEN_FONTS),
    "organ, other fonts": _engraved("organ", UNSEEN_FONTS),
    "verses with chords, other fonts": _engraved("verses", UNSEEN_FONTS, symbols=True),
    "guitar with tablature, LilyPond": _engraved_by_lilypond("guitar", 19),
    "drums, LilyPond": _engraved_by_lilypond("drums", 20),
    "orchestra, LilyPond": _engraved_by_lilypond("orchestra", 14),
    "choir, LilyPond": _engraved_by_lilypond("choir", 17),
    "large print, LilyPond": _engraved_by_lilypond("duet", 28),
    # Other pages
    "prose": _document(documents.prose),
    "columns": _document(documents.columns),
    "table": _document(documents.table),
    "thin rules": _document(documents.thin_rules),
    "title page": _document(documents.title_page),
    "blank": _document(documents.blank),
    "lyrics": _document(documents.lyrics),
    "contents": _document(documents.contents),
    "form": _document(documents.form),
    "dictionary": _document(documents.dictionary),
    "mathematics": _document(documents.mathematics),
    "lined paper": _other(drawings.lined_paper),
    "music paper": _other(drawings.music_paper),
    "texts in fives": _other(drawings.texts_in_fives),
    "tablature": _other(vectors.tablature),
    "guitar tablature": _engraved("tablature"),
    "lute tablature": _engraved("lute"),
    "ornaments": _other(vectors.ornaments),
    "strokes": _other(vectors.strokes),
    "chart": _other(drawings.chart),
    "picture": _other(drawings.picture),
    "diagram": _other(drawings.diagram),
    "marks": _other(drawings.marks),
    "code": _document(documents.code, seen=False),
    "letter": _document(documents.letter, seen=False),
    "chant text": _document(documents.chant_text, seen=False),
    "timetable": _document(documents.timetable, seen=False),
    "report": _document(documents.report, seen=False),
    "catalogue": _document(documents.catalogue, seen=False),
    "cover": _document(documents.cover, seen=False),
    "graph paper": _other(drawings.graph_paper, seen=False),
    "crossword": _other(drawings.crossword, seen=False),
    "engraving": _other(drawings.engraving, seen=False),
    "map": _other(drawings.map_page, seen=False),
    "tablature, LilyPond": _engraved_by_lilypond("tablature", 20),
}
"""Name → kind. Each set of pages has as many sheets as others, and of each kind nearly as many."""


def names(sheet: bool, seen: bool) -> list[str]:
    """Returns the kinds of a class that training sees, or does not.

    >>> names(sheet=True, seen=False)[:2]
    ['orchestra, other fonts', 'hymn, other fonts']
    """
    return [name for name, kind in KINDS.items() if (kind.sheet, kind.seen) == (sheet, seen)]
