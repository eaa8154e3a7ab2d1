"""Scores: notes as data, and how they are drawn by lot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal

from helm_structext.scenes.scene import Level, Scene, read_words
from helm_structext.scenes.score.music import (
    KEYS,
    RHYTHMS,
    Metre,
    MusicKey,
    Tone,
    chord_letters,
    draw_harmonies,
    draw_line,
    measure_length,
    nearest,
)

Clef = Literal["treble", "alto", "bass", "treble_8"]
Articulation = Literal["staccato", "accent", "tenuto", "fermata"]


@dataclass(frozen=True, kw_only=True)
class ScoreNote:
    """A note, a chord or a rest.

    Args:
        tones: from the lowest to the highest; a rest has none.
        length: in sixteenths: 1, 2, 3, 4, 6, 8, 12 or 16.
        slur: whether a slur begins or ends here.
        dynamic: such as ``mf``; ``<`` and ``>`` begin a hairpin that lasts to the next dynamic.
    """

    tones: tuple[Tone, ...]
    length: int
    slur: Literal["", "begin", "end"] = ""
    dynamic: str = ""
    articulation: Articulation | None = None


Measure = tuple[ScoreNote, ...]


@dataclass(frozen=True, kw_only=True)
class ScoreStaff:
    """A staff.

    Args:
        name: before its first system; may be empty.
        voices: one or two, the upper one first; each has all measures.
        syllables: below it, one for each note of the first voice; those that end in ``-`` go on.
    """

    name: str
    clef: Clef
    voices: tuple[tuple[Measure, ...], ...]
    syllables: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScoreSection:
    """Measures of one key and one metre.

    Args:
        harmonies: degree of each measure's harmony, 0 for the tonic.
    """

    key: MusicKey
    metre: Metre
    harmonies: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ScoreScene(Scene):
    """A piece of music on one page.

    Args:
        composer: empty where it has none.
        tempo: a word for it.
        beats: a minute; dotted quarters in six eighths, else quarters.
        sections: in turn; they have all measures of each voice.
        systems: lines of staves on the page.
        chords: whether names of the harmonies stand above.
        braced: whether a brace joins its staves, as for a piano, or a bracket.
    """

    title: str
    subtitle: str
    composer: str
    tempo: str
    beats: int
    sections: tuple[ScoreSection, ...]
    staves: tuple[ScoreStaff, ...]
    systems: int
    chords: bool = False
    braced: bool = False

    @property
    def texts(self) -> list[str]:
        """Its head, names of staves and syllables; not the names of chords and dynamics, which are notation."""
        head = [text for text in (self.title, self.subtitle, self.composer, self.tempo) if text]
        below = [syllable.rstrip("-") for staff in self.staves for syllable in staff.syllables]
        return [*head, *(staff.name for staff in self.staves if staff.name), *below]


MEASURES: Mapping[Level, tuple[int, ...]] = {
    "easy": (4, 8),
    "medium": (8, 12),
    "hard": (12, 16, 20),
}
PACES = {"slow": (56, 76), "moderate": (84, 112), "fast": (120, 152)}
"""Beats a minute."""
FORMS = {(4, 4): "even", (2, 4): "even", (3, 4): "three", (6, 8): "six"}
"""Metre to a key of the words: what pieces in it are called."""
SOFT, LOUD = ("p", "mp"), ("mf", "f")


@dataclass(frozen=True)
class _Frame:
    """What is drawn before any note."""

    rng: Random
    level: Level
    words: Mapping[str, Any]
    song: Mapping[str, Any]
    sections: tuple[ScoreSection, ...]

    def line(
        self, low: int, high: int, rhythms: Sequence[Sequence[int]] | None = None
    ) -> list[Measure]:
        """A melody through all sections."""
        rhythms = rhythms or self.rhythms()
        measures: list[Measure] = []
        for i, section in enumerate(self.sections):
            part = rhythms[len(measures) : len(measures) + len(section.harmonies)]
            letters = draw_line(
                self.rng,
                section.key,
                section.metre,
                section.harmonies,
                part,
                low,
                high,
                ends=i == len(self.sections) - 1,
            )
            measures += [
                tuple(
                    ScoreNote(tones=(section.key.tone(letter, leading=degree == 4),), length=length)
                    for letter, length in zip(notes, lengths, strict=True)
                )
                for notes, lengths, degree in zip(letters, part, section.harmonies, strict=True)
            ]
        return measures

    def rhythms(self, most: int | None = None) -> list[tuple[int, ...]]:
        """A rhythm for each measure: few different ones, and long notes where four measures end."""
        rng = self.rng
        found: list[tuple[int, ...]] = []
        for section in self.sections:
            table = RHYTHMS[section.metre]
            top = most or {"easy": 4, "medium": 6, "hard": 8}[self.level]
            counts = [count for count in table if 2 <= count <= min(top, max(table))]
            motifs = [rng.choice(table[rng.choice(counts)]) for _ in range(3)]
            total = len(section.harmonies)
            for i in range(total):
                if i == total - 1:
                    found.append(table[1][0] if rng.random() < 0.6 else table[2][0])
                elif i % 4 == 3:
                    found.append(rng.choice(table[2]))
                else:
                    found.append(
                        motifs[(0, 1, 0, 2)[i % 4]] if rng.random() < 0.8 else rng.choice(motifs)
                    )
        return found

    def measures(self) -> list[tuple[ScoreSection, int]]:
        """Each measure's section and the degree of its harmony."""
        return [(section, degree) for section in self.sections for degree in section.harmonies]


def _chord(key: MusicKey, degree: int, near: int, low: int, high: int) -> tuple[Tone, ...]:
    """A triad in close position whose lowest tone is near to a letter."""
    letters = chord_letters(key, degree)
    first = nearest(letters, near, low, high)
    found = [letter for letter in range(first, first + 7) if letter % 7 in letters]
    return tuple(key.tone(letter, leading=degree == 4) for letter in found)


def _ornament(
    rng: Random, level: Level, measures: list[Measure], *, loud: bool | None = None
) -> list[Measure]:
    """Adds dynamics, slurs and articulations; ``loud`` says how it begins, or else the lot."""
    marked = [list(measure) for measure in measures]
    if level == "easy":
        if rng.random() < 0.5 or loud is not None:
            chosen = (*SOFT, *LOUD) if loud is None else LOUD if loud else SOFT
            marked[0][0] = replace(marked[0][0], dynamic=rng.choice(chosen))
    else:
        loud = rng.random() < 0.5 if loud is None else loud
        for start in range(0, len(marked), 4):
            marked[start][0] = replace(marked[start][0], dynamic=rng.choice(LOUD if loud else SOFT))
            loud = not loud
            before = start + 2
            if start + 4 < len(marked) and len(marked[before]) > 1 and rng.random() < 0.6:
                marked[before][0] = replace(marked[before][0], dynamic="<" if loud else ">")
    style = rng.choice(["legato", "mixed", "plain" if level == "easy" else "detached"])
    for measure in marked:
        if style == "plain" or len(measure) < 2:
            continue
        if style == "legato" or (style == "mixed" and rng.random() < 0.5):
            end = len(measure) - 1 if rng.random() < 0.6 else max(1, len(measure) // 2)
            measure[0] = replace(measure[0], slur="begin")
            measure[end] = replace(measure[end], slur="end")
        elif style == "detached" or rng.random() < 0.4:
            for i, note in enumerate(measure):
                if note.length == 2 or (
                    note.length == 4 and style == "detached" and rng.random() < 0.5
                ):
                    measure[i] = replace(note, articulation="staccato")
            if rng.random() < 0.4:
                measure[0] = replace(measure[0], articulation=rng.choice(["accent", "tenuto"]))
    if rng.random() < 0.3:
        marked[-1][-1] = replace(marked[-1][-1], articulation="fermata")
    return [tuple(measure) for measure in marked]


SOLOS: tuple[tuple[Clef, str, int, int], ...] = (
    ("treble", "flute", 2, 13),
    ("treble", "violin", -1, 12),
    ("treble", "recorder", 1, 11),
    ("treble", "clarinet", -1, 11),
    ("bass", "cello", -13, 0),
    ("bass", "bassoon", -13, -1),
)
"""Clef, instrument, lowest and highest letter."""


def _melody(frame: _Frame) -> list[ScoreStaff]:
    rng, names = frame.rng, frame.words["instruments"]
    clef, name, low, high = rng.choice(SOLOS)
    notes = _ornament(rng, frame.level, frame.line(low, high))
    return [
        ScoreStaff(
            name=names[name] if rng.random() < 0.6 else "", clef=clef, voices=(tuple(notes),)
        )
    ]


def _lead_sheet(frame: _Frame) -> list[ScoreStaff]:
    notes = frame.line(0, 11)
    if frame.level != "easy":
        notes = _ornament(frame.rng, "easy", notes)
    return [ScoreStaff(name="", clef="treble", voices=(tuple(notes),))]


def _piano(frame: _Frame) -> list[ScoreStaff]:
    rng = frame.rng
    upper = _ornament(rng, frame.level, frame.line(1, 13))
    style = rng.choice(["block", "broken", "bass and chords", "walk"])
    lower: list[Measure] = []
    for i, (section, degree) in enumerate(frame.measures()):
        key, length = section.key, measure_length(section.metre)
        chord = _chord(key, degree, -8, -11, -4)
        root = key.tone(nearest(chord_letters(key, degree)[:1], -12, -14, -8))
        last = i == len(frame.measures()) - 1
        if style == "block" or last:
            parts = (
                [(chord, length)]
                if length != 16 or last or rng.random() < 0.5
                else [(chord, 8), (chord, 8)]
            )
        elif style == "broken":
            turns = (
                (0, 2, 1)
                if section.metre == (6, 8)
                else (0, 2, 1, 2)
                if length % 8 == 0
                else (0, 1, 2, 1, 2, 1)
            )
            parts = [((chord[turns[j % len(turns)]],), 2) for j in range(length // 2)]
        elif style == "walk":
            fifth = key.tone(root.letter + 4)
            step = 6 if section.metre == (6, 8) else 8 if length == 16 else 4
            parts = [((root if j % 2 == 0 else fifth,), step) for j in range(length // step)]
        elif section.metre == (6, 8):
            parts = [((root,), 4), (chord, 2), ((root,), 4), (chord, 2)]
        else:
            parts = [((root,), 4), *[(chord, 4)] * (length // 4 - 1)]
        lower.append(tuple(ScoreNote(tones=tones, length=part) for tones, part in parts))
    return [
        ScoreStaff(name="", clef="treble", voices=(tuple(upper),)),
        ScoreStaff(name="", clef="bass", voices=(tuple(lower),)),
    ]


def _two_voices(frame: _Frame) -> list[ScoreStaff]:
    upper = frame.line(4, 12)
    lower: list[Measure] = []
    near = 0
    for (section, degree), above in zip(frame.measures(), upper, strict=True):
        length = measure_length(section.metre)
        parts = (
            [8, 8]
            if length == 16
            else [6, 6]
            if section.metre == (6, 8)
            else [8, 4]
            if length == 12
            else [8]
        )
        if section is frame.sections[-1] and len(lower) == len(upper) - 1:
            parts = [length]
        ceiling = min(note.tones[0].letter for note in above) - 2
        letters = chord_letters(section.key, degree)
        notes = []
        for part in parts:
            near = nearest(
                letters, near + frame.rng.choice([-2, 0, 2]), -4, min(max(ceiling, 0), 6)
            )
            notes.append(
                ScoreNote(tones=(section.key.tone(near, leading=degree == 4),), length=part)
            )
        lower.append(tuple(notes))
    return [ScoreStaff(name="", clef="treble", voices=(tuple(upper), tuple(lower)))]


def _syllables(line: str) -> list[str]:
    """Syllables of a line of words; those within a word end in ``-``."""
    found = []
    for word in line.split():
        *first, last = word.split("-")
        found += [f"{syllable}-" for syllable in first] + [last]
    return found


def _text_rhythms(frame: _Frame) -> tuple[list[str], list[tuple[int, ...]]]:
    """The syllables of a song, two measures for each line, and a rhythm for each measure."""
    rng, lines = frame.rng, frame.song["lines"].split("/")
    syllables: list[str] = []
    rhythms: list[tuple[int, ...]] = []
    for i, (section, _) in enumerate(frame.measures()[::2]):
        found = _syllables(lines[i % len(lines)])
        table = RHYTHMS[section.metre]
        second = max(len(found) // 2 - 1, 1)
        first = len(found) - second
        syllables += found
        rhythms += [
            rng.choice(table[first]),
            table[second][0] if second < 3 else rng.choice(table[second]),
        ]
    return syllables, rhythms


def _song(frame: _Frame) -> list[ScoreStaff]:
    syllables, rhythms = _text_rhythms(frame)
    notes = frame.line(0, 10, rhythms)
    return [ScoreStaff(name="", clef="treble", voices=(tuple(notes),), syllables=tuple(syllables))]


RANGES: tuple[tuple[int, int], ...] = ((2, 11), (-3, 6), (-7, 1), (-14, -4))
QUARTET: tuple[tuple[str, Clef], ...] = (
    ("violin1", "treble"),
    ("violin2", "treble"),
    ("viola", "alto"),
    ("cello", "bass"),
)
TRIO: tuple[tuple[str, Clef], ...] = (("violin", "treble"), ("viola", "alto"), ("cello", "bass"))
CHOIR: tuple[tuple[str, Clef], ...] = (
    ("soprano", "treble"),
    ("alto", "treble"),
    ("tenor", "treble_8"),
    ("bass", "bass"),
)


def _four(frame: _Frame, upper: list[Measure], *, hold: bool) -> list[list[Measure]]:
    """The lower three parts below an upper one: tones of the harmony, in its rhythm or held."""
    parts: list[list[Measure]] = []
    for low, high in RANGES[1:]:
        near = (low + high) // 2
        part: list[Measure] = []
        for (section, degree), above in zip(frame.measures(), upper, strict=True):
            letters = chord_letters(section.key, degree)
            bass = low == RANGES[-1][0]
            lengths = [note.length for note in above]
            if hold and (bass or frame.rng.random() < 0.6):
                table = RHYTHMS[section.metre]
                lengths = list(table[1][0] if frame.rng.random() < 0.5 else table[2][0])
            notes = []
            for i, length in enumerate(lengths):
                wish = near if i == 0 or bass else near + frame.rng.choice([-2, 0, 0, 2])
                near = nearest(letters[:1] if bass and i == 0 else letters, wish, low, high)
                notes.append(
                    ScoreNote(tones=(section.key.tone(near, leading=degree == 4),), length=length)
                )
            part.append(tuple(notes))
        parts.append(part)
    return parts


def _ensemble(frame: _Frame) -> list[ScoreStaff]:
    rng, names = frame.rng, frame.words["instruments"]
    if rng.random() < 0.5:
        upper = frame.line(*RANGES[0])
        loud = rng.random() < 0.5
        parts = [
            _ornament(rng, frame.level, part, loud=loud)
            for part in (upper, *_four(frame, upper, hold=True))
        ]
        players = rng.choice((QUARTET, TRIO))
        if players is TRIO:  # without a second violin
            del parts[1]
        return [
            ScoreStaff(name=names[name], clef=clef, voices=(tuple(part),))
            for (name, clef), part in zip(players, parts, strict=True)
        ]
    syllables, rhythms = _text_rhythms(frame)
    upper = frame.line(*RANGES[0], rhythms)
    return [
        ScoreStaff(name=names[name], clef=clef, voices=(tuple(part),), syllables=tuple(syllables))
        for (name, clef), part in zip(CHOIR, (upper, *_four(frame, upper, hold=False)), strict=True)
    ]


TYPES = {
    "melody": _melody,
    "lead sheet": _lead_sheet,
    "piano": _piano,
    "two voices": _two_voices,
    "song": _song,
    "ensemble": _ensemble,
}


def _sections(rng: Random, level: Level, type: str) -> tuple[ScoreSection, ...]:
    measures = rng.choice(MEASURES[level])
    if type == "ensemble":
        measures = {"easy": 4, "medium": 8, "hard": 12}[level]
    key = rng.choice(KEYS)
    sung = type in ("song", "ensemble")
    metre = rng.choice([(4, 4), (4, 4), (3, 4), (6, 8)] if sung else list(RHYTHMS))
    harmonies = draw_harmonies(rng, key.mode, measures)
    if level != "hard" or rng.random() < 0.3:
        return (ScoreSection(key=key, metre=metre, harmonies=tuple(harmonies)),)
    change = rng.choice(["key", "metre", "both"])
    later = key
    if change != "metre":
        later = rng.choice([one for one in KEYS if 0 < abs(one.sharps - key.sharps) <= 1])
    after = metre
    if change != "key":
        after = (3, 4) if metre != (3, 4) else (4, 4)
    middle = measures // 2 // 4 * 4
    return (
        ScoreSection(key=key, metre=metre, harmonies=tuple(draw_harmonies(rng, key.mode, middle))),
        ScoreSection(
            key=later,
            metre=after,
            harmonies=tuple(draw_harmonies(rng, later.mode, measures - middle)),
        ),
    )


def draw_score(rng: Random, level: Level, language: str, type: str | None = None) -> ScoreScene:
    """Draws a score by lot; ``type`` is drawn, too, where none is given.

    >>> scene = draw_score(Random(2), "easy", "de")
    >>> scene.title in scene.texts, scene.type in TYPES
    (True, True)
    """
    words = read_words("score", language)
    type = type or rng.choice(list(TYPES))
    sections = _sections(rng, level, type)
    song = rng.choice(words["songs"])
    staves = TYPES[type](_Frame(rng, level, words, song, sections))
    pace = rng.choice(list(PACES))
    title = rng.choice(words["titles"])
    if staves[0].syllables:
        title = song["title"]
    elif rng.random() < 0.5:
        title = rng.choice(words["forms"][FORMS[sections[0].metre]]).replace(
            "{number}", str(rng.randint(1, 12))
        )
    people = words["people"]
    composer = rng.choice(people["order"]).replace("{first}", rng.choice(people["first"]))
    return ScoreScene(
        type=type,
        language=language,
        level=level,
        title=title,
        subtitle=rng.choice(words["occasions"]) if rng.random() < 0.3 else "",
        composer=composer.replace("{last}", rng.choice(people["last"])),
        tempo=rng.choice(words["tempi"][pace]),
        beats=round(rng.randrange(*PACES[pace], 2) * (0.7 if sections[0].metre == (6, 8) else 1)),
        sections=sections,
        staves=tuple(staves),
        systems=-(-len(staves[0].voices[0]) // 4),
        chords=type == "lead sheet",
        braced=type == "piano",
    )
