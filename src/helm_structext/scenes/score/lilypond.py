"""Scores in LilyPond."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from helm_structext.scenes.score.music import (
    Metre,
    MusicKey,
    Tone,
    beat_length,
    chord_letters,
    measure_length,
)
from helm_structext.scenes.score.scene import Measure, ScoreNote, ScoreScene, ScoreStaff
from helm_structext.scenes.writing import indent, write_string

LENGTHS = {1: "16", 2: "8", 3: "8.", 4: "4", 6: "4.", 8: "2", 12: "2.", 16: "1"}
ALTERS = {
    "nederlands": {-1: "es", 0: "", 1: "is"},
    "english": {-1: "f", 0: "", 1: "s"},
}
ARTICULATIONS = {
    "staccato": ("-.", "\\staccato"),
    "accent": ("->", "\\accent"),
    "tenuto": ("--", "\\tenuto"),
    "fermata": ("\\fermata", "\\fermata"),
}
SLURS = {"": "", "begin": "(", "end": ")"}
HAIRPINS = {"<": "\\<", ">": "\\>"}
HANDS = (("upper", "lower"), ("right", "left"), ("rightHand", "leftHand"))
MELODIES = ("melody", "music", "theMusic", "tune")
QUALITIES = {
    "major": ("", ":m", ":m", "", ":7", ":m", ":dim"),
    "minor": (":m", ":dim", "", ":m", ":7", "", ""),
}
ENSEMBLES = {
    (3, False): ("violin", "viola", "cello"),
    (4, False): ("violinOne", "violinTwo", "viola", "cello"),
    (4, True): ("sopranoMusic", "altoMusic", "tenorMusic", "bassMusic"),
}
"""How many staves there are, and whether they are sung, to the names of their variables."""


def write_lilypond(scene: ScoreScene, rng: Random) -> str:
    """Writes a score in LilyPond."""
    return _Writer(scene, rng).document()


class _Writer:
    def __init__(self, scene: ScoreScene, rng: Random) -> None:
        self.scene = scene
        self.relative = rng.random() < 0.6
        self.language = rng.choice(["nederlands", "nederlands", "nederlands", "english"])
        self.short = rng.random() < 0.7
        self.signs = rng.randrange(2)
        self.per_line = rng.choice([1, 2, 4])
        self.numbered = rng.random() < 0.3
        self.checked = rng.random() < 0.85
        self.shared = len(scene.staves) > 1 or rng.random() < 0.3
        self.inline = not self.shared and not scene.chords and rng.random() < 0.4
        self.lyricsto = len(scene.staves) > 1 or rng.random() < 0.5
        self.parts = rng.choice(HANDS)
        self.melody = rng.choice(MELODIES)
        self.wrapped = rng.random() < 0.5

    def document(self) -> str:
        scene = self.scene
        blocks = [['\\version "2.24.0"']]
        if self.language != "nederlands":
            blocks[0].append(f'\\language "{self.language}"')
        head = {"title": scene.title, "subtitle": scene.subtitle, "composer": scene.composer}
        fields = [f"  {name} = {write_string(text)}" for name, text in head.items() if text]
        blocks.append(["\\header {", *fields, "  tagline = ##f", "}"])
        paper = [
            f"  indent = {indent_for([staff.name for staff in scene.staves])}",
            f"  system-count = {scene.systems}",
            "  ragged-right = ##f",
        ]
        blocks.append(["\\paper {", *paper, "}"])
        if self.shared:
            blocks.append(["global = {", *(f"  {line}" for line in self.opening()), "}"])
        if scene.chords:
            blocks.append(
                ["harmonies = \\chordmode {", *(f"  {line}" for line in self.chord_names()), "}"]
            )
        names = self.voice_names()
        if not self.inline:
            for staff, group in zip(scene.staves, names, strict=True):
                for i, name in enumerate(group):
                    first, *others = self.music(staff, i)
                    blocks.append([f"{name} = {first}", *others])
        words = next((staff.syllables for staff in scene.staves if staff.syllables), ())
        if words and not self.inline:
            blocks.append(
                ["text = \\lyricmode {", *(f"  {line}" for line in self.lyrics(words)), "}"]
            )
        blocks.append(self.score(names))
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    def voice_names(self) -> list[tuple[str, ...]]:
        """Names of the variables of each staff's voices."""
        staves = self.scene.staves
        if len(staves) > 2:
            sung = bool(staves[0].syllables)
            return [(name,) for name in ENSEMBLES[len(staves), sung]]
        if len(staves) == 2:
            return [(part,) for part in self.parts]
        return [("upperVoice", "lowerVoice")] if len(staves[0].voices) == 2 else [(self.melody,)]

    def opening(self) -> list[str]:
        first, scene = self.scene.sections[0], self.scene
        beat = "4." if beat_length(first.metre) == 6 else "4"
        return [
            self.key(first.key),
            self.metre(first.metre),
            f"\\tempo {write_string(scene.tempo)} {beat} = {scene.beats}",
        ]

    def key(self, key: MusicKey) -> str:
        return f"\\key {self.name(key.tone(key.tonic))} \\{key.mode}"

    def metre(self, metre: Metre) -> str:
        return f"\\time {metre[0]}/{metre[1]}"

    def name(self, tone: Tone) -> str:
        letter = "cdefgab"[tone.letter % 7]
        alter = ALTERS[self.language][tone.alter]
        # Dutch leaves out the second e of ees and aes.
        return letter + (alter[1:] if alter == "es" and letter in "ea" else alter)

    def music(self, staff: ScoreStaff, voice: int) -> list[str]:
        """A voice as a block whose first line may stand behind a name."""
        lines = [f"  {line}" for line in self.measures(staff.voices[voice])]
        clef = []
        if not voice and (staff.clef != "treble" or len(self.scene.staves) > 1):
            clef = [f"  \\clef {write_string(staff.clef) if '_' in staff.clef else staff.clef}"]
        start = (
            []
            if voice
            else ["  \\global"]
            if self.shared
            else [f"  {line}" for line in self.opening()]
        )
        open = (
            f"\\relative {self.pitch(self.start(staff.voices[voice]), None)} {{"
            if self.relative
            else "{"
        )
        return [open, *clef, *start, *lines, "}"]

    def start(self, measures: Sequence[Measure]) -> Tone:
        """The C that is nearest to the first note of a voice."""
        first = next(note.tones[0] for measure in measures for note in measure if note.tones)
        return Tone(round(first.letter / 7) * 7)

    def pitch(self, tone: Tone, before: int | None) -> str:
        """A tone, by its octave, or by its distance from the letter before it."""
        marks = tone.letter // 7 + 1 if before is None else (tone.letter - before + 3) // 7
        return self.name(tone) + ("'" * marks if marks > 0 else "," * -marks)

    def measures(self, measures: Sequence[Measure]) -> Iterator[str]:
        """Lines of one or several measures."""
        before = self.start(measures).letter if self.relative else None
        length: int | None = None
        changes = {}
        at = 0
        for last, section in zip((None, *self.scene.sections), self.scene.sections, strict=False):
            if last:
                changes[at] = [
                    *([self.key(section.key)] if section.key != last.key else []),
                    *([self.metre(section.metre)] if section.metre != last.metre else []),
                ]
            at += len(section.harmonies)
        line: list[str] = []
        for i, measure in enumerate(measures):
            if i in changes:
                if line:
                    yield self.closed(line, i)
                    line = []
                yield " ".join(changes[i])
            words = []
            for note in measure:
                word, before = self.note(note, before, length if self.short else None)
                length = note.length
                words.append(word)
            line.append(" ".join(words) + (" |" if self.checked and i < len(measures) - 1 else ""))
            if len(line) == self.per_line or i == len(measures) - 1:
                yield self.closed(line, i + 1)
                line = []
        yield '\\bar "|."'

    def closed(self, line: list[str], count: int) -> str:
        comment = f" % {count}" if self.numbered and count % 4 == 0 else ""
        return " ".join(line) + comment

    def note(
        self, note: ScoreNote, before: int | None, length: int | None
    ) -> tuple[str, int | None]:
        """A note, and the letter that the next one is told by."""
        pitches = []
        last = before
        for tone in note.tones:
            pitches.append(self.pitch(tone, last))
            last = tone.letter if self.relative else None
        text = pitches[0] if len(pitches) == 1 else f"<{' '.join(pitches)}>" if pitches else "r"
        text += "" if note.length == length else LENGTHS[note.length]
        if note.articulation:
            text += ARTICULATIONS[note.articulation][self.signs]
        text += (
            HAIRPINS.get(note.dynamic, f"\\{note.dynamic}" if note.dynamic else "")
            + SLURS[note.slur]
        )
        return text, note.tones[0].letter if self.relative and note.tones else before

    def chord_names(self) -> list[str]:
        lines = []
        for section in self.scene.sections:
            length = LENGTHS[measure_length(section.metre)]
            names = []
            for degree in section.harmonies:
                root = section.key.tone(chord_letters(section.key, degree)[0])
                names.append(f"{self.name(root)}{length}{QUALITIES[section.key.mode][degree]}")
            lines += [" ".join(names[i : i + 4]) for i in range(0, len(names), 4)]
        return lines

    def lyrics(self, syllables: Sequence[str]) -> list[str]:
        words = [
            f"{quote(syllable[:-1])} --" if syllable.endswith("-") else quote(syllable)
            for syllable in syllables
        ]
        return [" ".join(words[i : i + 8]) for i in range(0, len(words), 8)]

    def score(self, names: list[tuple[str, ...]]) -> list[str]:
        scene = self.scene
        staves = [
            line
            for i, (staff, group) in enumerate(zip(scene.staves, names, strict=True))
            for line in self.staff(staff, group, i)
        ]
        if scene.chords:
            staves = ["<<", *indent(["\\new ChordNames \\harmonies", *staves]), ">>"]
        elif len(scene.staves) > 1:
            sung = any(staff.syllables for staff in scene.staves)
            group = "PianoStaff" if scene.braced else "ChoirStaff" if sung else "StaffGroup"
            staves = [f"\\new {group} <<", *indent(staves), ">>"]
        elif self.lyricsto and scene.staves[0].syllables and not self.inline:
            staves = ["<<", *indent(staves), ">>"]
        layout = ["\\layout { }"]
        return ["\\score {", *indent([*staves, *layout]), "}"]

    def staff(self, staff: ScoreStaff, names: tuple[str, ...], index: int) -> list[str]:
        set_name = (
            f" \\with {{ instrumentName = {write_string(staff.name)} }}" if staff.name else ""
        )
        sung = bool(staff.syllables)
        if self.inline and len(names) == 1:
            lines = self.music(staff, 0)
            lines = [f"\\new Staff{set_name} {lines[0]}", *lines[1:]]
            return (
                [*lines, "\\addlyrics {", *indent(self.lyrics(staff.syllables)), "}"]
                if sung
                else lines
            )
        if len(names) == 2:
            upper, lower = (
                (self.music(staff, 0), self.music(staff, 1))
                if self.inline
                else ([f"\\{names[0]}"], [f"\\{names[1]}"])
            )
            voices = [*upper, "\\\\", *lower]
            if not self.inline and self.wrapped:
                voices = [
                    f"\\new Voice {{ \\voiceOne {upper[0]} }}",
                    f"\\new Voice {{ \\voiceTwo {lower[0]} }}",
                ]
            return [f"\\new Staff{set_name} <<", *indent(voices), ">>"]
        if sung and self.lyricsto:
            voice = f"voice{'ABCD'[index]}" if len(self.scene.staves) > 1 else "singer"
            return [
                f'\\new Staff{set_name} \\new Voice = "{voice}" \\{names[0]}',
                f'\\new Lyrics \\lyricsto "{voice}" \\text',
            ]
        if sung:
            return [f"\\new Staff{set_name} \\{names[0]}", "\\addlyrics \\text"]
        return [f"\\new Staff{set_name} \\{names[0]}"]


def indent_for(names: Iterable[str]) -> str:
    r"""Returns how far the first system is indented, so that names of instruments have room.

    >>> print(indent_for(["Violin I", "Violin II"]), indent_for([""]))
    24\mm 0
    """
    widths = [sum(4.2 if sign >= "\u2e80" else 2.3 for sign in name) for name in names if name]
    return f"{round(max(widths) + 3)}\\mm" if widths else "0"


def quote(syllable: str) -> str:
    """Returns a syllable as it stands between lyrics: in quotes where it has signs that mean something.

    >>> quote("light,"), quote("50%")
    ('light,', '"50%"')
    """
    plain = all(sign.isalpha() or sign in ",.!?’;:" for sign in syllable)
    return syllable if plain else write_string(syllable)
