"""Pieces → pages of sheet music, by two engravers: Verovio and LilyPond.

Both get our own pieces and no others.
"""

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING

from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.classifier.pieces import (
    LUTES,
    Note,
    Part,
    Piece,
    random_piece,
)
from helm_structext.image2struct.collect.classifier.vectors import rasterized
from helm_structext.renderers import render

if TYPE_CHECKING:
    import verovio

TIMEOUT = 600
"""Seconds for one page."""
WIDTH = 1200
"""Pixels of a page's width, about; what is seen in the end has 1,024 at the shorter side."""

_LENGTHS = {
    16: (1, 0),
    12: (2, 1),
    8: (2, 0),
    6: (4, 1),
    4: (4, 0),
    3: (8, 1),
    2: (8, 0),
    1: (16, 0),
}
"""Sixteenths → MEI's and LilyPond's number of a length, and its dots."""
_LILYPOND_KEYS = dict(enumerate(("aes", "ees", "bes", "f", "c", "g", "d", "a", "e"), -4))
_TUNINGS = {
    "TabStaff": ("tab.guitar", "guitar.standard"),
    **{lute: (lute, "lute.renaissance.6") for lute in LUTES},
}
"""How a tablature is engraved → MEI's notation and tuning."""
_BEAMED = 3
"""The longest note that has a flag."""


def verovio_page(
    random: Random, parts: Sequence[Part], fonts: Sequence[str], symbols: bool = False
) -> Image.Image:
    """Returns a full page, engraved by Verovio.

    Args:
        random: of the piece and its looks.
        parts: from top to bottom.
        fonts: of which one is taken, such as ``Leland``.
        symbols: whether there are chord symbols.

    Raises:
        SetupError: Verovio is not installed.
    """
    width, height = random.choice(((2100, 2970), (2100, 2970), (2160, 2790), (2970, 2100)))
    zoom = random.uniform(0.5, 1.6)
    looks = _verovio_looks(random) | {
        "font": random.choice(fonts),
        "pageWidth": round(width / zoom),
        "pageHeight": round(height / zoom),
        "scale": round(100 * WIDTH * zoom / 2100),
    }
    toolkit = _toolkit()
    toolkit.setOptions(looks)
    systems = height / zoom / (90 + 190 * len(parts))
    measures = max(8, round(systems * width / zoom / 380))
    while True:
        piece = random_piece(random, parts, measures, symbols)
        toolkit.loadData(_mei(piece, random))
        if toolkit.getPageCount() > 1:  # The last one may be half empty.
            break
        measures *= 2
    return rasterized(toolkit.renderToSVG(random.choice((1, 1, toolkit.getPageCount() - 1))))


def _verovio_looks(random: Random) -> dict[str, object]:
    margin = random.randint(60, 220)
    return {
        "footer": "none",
        "header": random.choice(("encoded", "encoded", "none")),
        "condense": "none",
        "justifyVertically": random.random() < 0.7,
        "mnumInterval": random.choice((0, 0, 1, 5)),
        "pageMarginLeft": margin,
        "pageMarginRight": margin,
        "pageMarginTop": random.randint(60, 220),
        "pageMarginBottom": random.randint(60, 220),
        "spacingLinear": random.uniform(0.2, 0.35),
        "spacingStaff": random.randint(8, 16),
        "spacingSystem": random.randint(4, 14),
        "staffLineWidth": random.uniform(0.1, 0.22),
        "stemWidth": random.uniform(0.15, 0.3),
        "barLineWidth": random.uniform(0.2, 0.5),
        "lyricSize": random.uniform(4, 6),
        "lyricTopMinMargin": random.uniform(2, 4),
        "graceFactor": 0.75,
        "xmlIdSeed": 1,
    }


@cache
def _toolkit() -> "verovio.toolkit":
    try:
        import verovio
    except ImportError as error:
        raise SetupError(
            "Verovio is not installed: pip install 'helm-structext[collect]'"
        ) from error
    verovio.enableLog(verovio.LOG_OFF)
    return verovio.toolkit()


def _mei(piece: Piece, random: Random) -> str:
    staves = "".join(_mei_staff(part, n) for n, part in enumerate(piece.parts, 1))
    symbol = "" if len(piece.parts) == 1 else random.choice(("brace", "bracket", "bracket"))
    group = f'<staffGrp symbol="{symbol}" bar.thru="true">' if symbol else "<staffGrp>"
    key = f"{abs(piece.key)}{'s' if piece.key > 0 else 'f'}" if piece.key else "0"
    count, unit = piece.meter
    measures = "".join(_mei_measure(piece, number, random) for number in range(len(piece.measures)))
    return (
        '<mei xmlns="http://www.music-encoding.org/ns/mei" meiversion="5.0"><meiHead><fileDesc>'
        "<titleStmt><title/></titleStmt><pubStmt/></fileDesc></meiHead><music><body><mdiv><score>"
        f'<scoreDef keysig="{key}" meter.count="{count}" meter.unit="{unit}"><pgHead>'
        f'<rend halign="center" fontsize="x-large">{piece.title}</rend>'
        f'<rend halign="right">{piece.composer}</rend></pgHead>'
        f"{group}{staves}</staffGrp></scoreDef><section>{measures}</section>"
        "</score></mdiv></body></music></mei>"
    )


def _mei_staff(part: Part, number: int) -> str:
    if part.engraved in _TUNINGS:
        notation, tuning = _TUNINGS[part.engraved]
        return (
            f'<staffDef n="{number}" lines="6" notationtype="{notation}">'
            f'<tuning tuning.standard="{tuning}"/></staffDef>'
        )
    below = ' clef.dis="8" clef.dis.place="below"' * part.clef.endswith("-8")
    return (
        f'<staffDef n="{number}" lines="5" clef.shape="{part.clef[0]}" '
        f'clef.line="{part.clef[1]}"{below}><label>{part.name}</label></staffDef>'
    )


def _mei_measure(piece: Piece, number: int, random: Random) -> str:
    staves = "".join(
        f'<staff n="{n}"><layer n="1">{_mei_layer(notes, part)}</layer></staff>'
        for n, (notes, part) in enumerate(zip(piece.measures[number], piece.parts, strict=True), 1)
    )
    extras = ""
    if piece.harmony[number]:
        extras += f'<harm staff="1" tstamp="1" place="above">{piece.harmony[number]}</harm>'
    if random.random() < 0.15:
        loud = random.choice(("p", "pp", "f", "mf", "sf"))
        extras += f'<dynam staff="{random.randint(1, len(piece.parts))}" tstamp="1">{loud}</dynam>'
    if random.random() < 0.25:
        staff = random.randint(1, len(piece.parts))
        extras += f'<slur staff="{staff}" tstamp="1" tstamp2="0m+{piece.meter[0]}"/>'
    right = random.choice(("dbl", "rptend")) if random.random() < 0.05 else "single"
    return f'<measure n="{number + 1}" right="{right}">{staves}{extras}</measure>'


def _mei_layer(notes: Sequence[Note], part: Part) -> str:
    """The notes of one staff in a measure; those with flags that share a beat have a beam."""
    if part.engraved in _TUNINGS:
        return "".join(map(_mei_fingers, notes))
    placed, place = [], 0
    for note in notes:
        beat = place // 4 if note.length <= _BEAMED and note.pitches else -1 - place
        placed.append((beat, note))
        place += note.length
    layer = ""
    for beat, group in groupby(placed, key=lambda pair: pair[0]):
        events = [_mei_note(note) for _, note in group]
        beamed = beat >= 0 and len(events) > 1
        layer += f"<beam>{''.join(events)}</beam>" if beamed else "".join(events)
    return layer


def _mei_note(note: Note) -> str:
    number, dots = _LENGTHS[note.length]
    length = f'dur="{number}"' + f' dots="{dots}"' * bool(dots)
    if not note.pitches:
        return f"<rest {length}/>"
    mark = f' artic="{note.mark}"' if note.mark else ""
    verse = f'<verse n="1"><syl>{note.syllable}</syl></verse>' if note.syllable else ""
    accidentals = [note.accidental] + [""] * (len(note.pitches) - 1)
    heads = [
        f'pname="{"cdefgab"[pitch % 7]}" oct="{pitch // 7}"' + f' accid="{sign}"' * bool(sign)
        for pitch, sign in zip(note.pitches, accidentals, strict=True)
    ]
    if len(heads) == 1:
        return f"<note {length}{mark} {heads[0]}>{verse}</note>"
    chord = "".join(f"<note {head}/>" for head in heads)
    return f"<chord {length}{mark}>{chord}{verse}</chord>"


def _mei_fingers(note: Note) -> str:
    number, dots = _LENGTHS[note.length]
    frets = "".join(
        f'<note tab.course="{1 + pitch % 6}" tab.fret="{pitch % 8}"/>' for pitch in note.pitches
    )
    sign = "<tabDurSym/>" if note.mark or not note.pitches else ""
    return f'<tabGrp dur="{number}" dots="{dots}">{sign}{frets}</tabGrp>'


def lilypond_page(
    random: Random, parts: Sequence[Part], sizes: tuple[float, float] = (17, 23)
) -> Image.Image:
    """Returns a full page, engraved by LilyPond.

    Args:
        random: of the piece and its looks.
        parts: from top to bottom.
        sizes: the smallest and the largest of a staff, in points.

    Raises:
        SetupError: as `helm_structext.renderers.render`.
        RenderError: kind ``timeout``: the machine is far too busy.
    """
    size = random.uniform(*sizes)
    systems = 750 / (size * (2 + 2.9 * len(parts)))
    measures = max(8, round(systems * 800 / (size * 5)))  # More than fit, for a full page.
    piece = random_piece(random, parts, measures, symbols=False)
    code = _lilypond(piece, random, size)
    # These scores are ours: where one takes long, the machine is busy.
    music = render("lilypond", code, protocol="corrected", timeout=TIMEOUT).image
    width = round(music.width / random.uniform(0.8, 0.92))
    page = Image.new("L", (width, max(round(width * 1.41), music.height + 100)), 255)
    page.paste(music.convert("L"), ((width - music.width) // 2, (page.height - music.height) // 2))
    return page


def _lilypond(piece: Piece, random: Random, size: float) -> str:
    # LilyPond draws 101 pixels an inch: so paper and staves are a third larger.
    staves = "\n".join(_lilypond_staff(piece, number) for number in range(len(piece.parts)))
    context = "StaffGroup" if len(piece.parts) > 3 else "PianoStaff"
    return f"""\\version "2.24.0"
#(set-default-paper-size '(cons (* 280 mm) (* 396 mm)))
#(set-global-staff-size {size * 1.33:.1f})
\\paper {{ tagline = ##f ragged-last-bottom = ##f indent = {random.randint(0, 20)}\\mm }}
\\layout {{ \\context {{ \\Score
  \\override SpacingSpanner.base-shortest-duration = #(ly:make-moment 1/{random.choice((4, 8, 16))})
  \\override StaffSymbol.thickness = #{random.uniform(0.7, 1.5):.2f}
  \\override Stem.thickness = #{random.uniform(0.9, 1.8):.2f}
  \\override Beam.beam-thickness = #{random.uniform(0.4, 0.55):.2f} }} }}
\\header {{ title = "{piece.title}" composer = "{piece.composer}" }}
\\score {{ \\new {context} << {staves} >> }}
"""


def _lilypond_staff(piece: Piece, number: int) -> str:
    part = piece.parts[number]
    beats, unit = piece.meter
    notes = [note for measure in piece.measures for note in measure[number]]
    start = f"\\time {beats}/{unit} "
    if part.engraved == "DrumStaff":
        music = " ".join(_lilypond_note(note, drums=True) for note in notes)
        return f"\\new DrumStaff \\drummode {{ {start} {music} }}"
    key = _LILYPOND_KEYS[piece.key]
    music = " ".join(_lilypond_note(note) for note in notes)
    if part.engraved == "TabStaff":
        return f"\\new TabStaff {{ {start} {music} }}"
    clef = {"G2": "treble", "F4": "bass", "C3": "alto", "G2-8": '"treble_8"'}[part.clef]
    sung = ""
    if part.sung:
        sung = f"\\addlyrics {{ {' '.join(note.syllable for note in notes if note.syllable)} }}"
    name = f'\\with {{ instrumentName = "{part.name}" }}' if part.name else ""
    return f"\\new Staff {name} {{ \\clef {clef} \\key {key} \\major {start} {music} }} {sung}"


def _lilypond_note(note: Note, drums: bool = False) -> str:
    number, dots = _LENGTHS[note.length]
    length = f"{number}{'.' * dots}"
    if not note.pitches:
        return f"r{length}"
    mark = {"stacc": "-.", "acc": "->", "ten": "--", "": ""}[note.mark]
    if drums:
        return ("bd", "sn", "hh", "hhc", "tomfh", "cymc")[note.pitches[0] % 6] + length + mark
    sign = {"s": "is", "f": "es", "n": "!", "": ""}[note.accidental]
    names = [_lilypond_pitch(pitch, sign if not n else "") for n, pitch in enumerate(note.pitches)]
    head = names[0] if len(names) == 1 else f"<{' '.join(names)}>"
    return f"{head}{length}{mark}"


def _lilypond_pitch(pitch: int, sign: str) -> str:
    octave = pitch // 7 - 3
    name = "cdefgab"[pitch % 7] + sign.replace("!", "")
    return name + ("'" * octave if octave >= 0 else "," * -octave) + "!" * (sign == "!")
