"""Whether mistakes that are planted in generated scores are found, and what it costs to tell of notes.

    python benchmarks/notes_pairs.py [--scenes 20] [--most 3]

Each score is written once as it is, once for each kind of mistake with 1 to `--most` of them, and once otherwise (another
order of definitions, absolute or relative pitches, another language), which is no mistake. A mistake is found if there is
a finding of its kind in its bar; a finding is right if it is one that was planted, or follows from one (the words below
a note that is lost). Prints recall and precision of each kind, the mean of `note_similarity`, and, in pairs, what telling
costs as a share of rendering.
"""

import argparse
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random
from statistics import mean, median
from typing import NamedTuple

from helm_structext.findings import compare
from helm_structext.metrics.notes import note_similarity
from helm_structext.renderers import Rendering, render
from helm_structext.scenes.mistakes import put
from helm_structext.scenes.scene import Level
from helm_structext.scenes.score import KIND
from helm_structext.scenes.score.music import KEYS, Tone
from helm_structext.scenes.score.scene import ScoreNote, ScoreScene, draw_score

BAR = re.compile(r"bar (\d+)")
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
MARKS = ("wrong slur", "wrong articulation", "wrong dynamic", "wrong lyric")
HEADER = """\
| mistake | pairs | planted | found | recall | findings | right | precision | note_similarity |
|---|---|---|---|---|---|---|---|---|"""
Place = tuple[str, int, str, int, int, int]


class Planted(NamedTuple):
    """A score with one more mistake.

    Args:
        scene: with it.
        bars: in which something is to be found; 0 for any.
    """

    scene: ScoreScene
    bars: tuple[int, ...]


def places(scene: ScoreScene) -> Iterator[tuple[Place, int, ScoreNote]]:
    """Yields all notes that are no rests, with their bars."""
    for staff, one in enumerate(scene.staves):
        for voice, measures in enumerate(one.voices):
            for bar, measure in enumerate(measures):
                for number, note in enumerate(measure):
                    if note.tones:
                        yield ("staves", staff, "voices", voice, bar, number), bar + 1, note


def change_tone(change: Callable[[Tone], Tone]) -> Callable[[ScoreScene, Random], Planted | None]:
    """Returns what changes a single note's tone."""

    def plant(scene: ScoreScene, rng: Random) -> Planted | None:
        single = [one for one in places(scene) if len(one[2].tones) == 1]
        if not single:
            return None
        place, bar, note = rng.choice(single)
        wrong = replace(note, tones=(change(note.tones[0]),))
        return Planted(put(scene, place, wrong), (bar,))

    return plant


def lose_note(scene: ScoreScene, rng: Random) -> Planted | None:
    """A note is gone, and all later ones of its voice come earlier."""
    found = [one for one in places(scene) if not one[2].slur and len(one[2].tones) == 1]
    if not found:
        return None
    (_, staff, _, voice, place, number), bar, _ = rng.choice(found)
    measure = scene.staves[staff].voices[voice][place]
    left = (*measure[:number], *measure[number + 1 :])
    return (
        Planted(put(scene, ("staves", staff, "voices", voice, place), left), (bar,))
        if left
        else None
    )


def neighbors(
    scene: ScoreScene, rng: Random, differ: str
) -> tuple[Place, int, ScoreNote, ScoreNote] | None:
    """Two notes in a bar, one after the other."""
    notes = [*places(scene)]
    found = [
        (place, bar, one, other)
        for (place, bar, one), (after, _, other) in pairwise(notes)
        if place[:-1] == after[:-1] and getattr(one, differ) != getattr(other, differ)
    ]
    return rng.choice(found) if found else None


def exchange(differ: str) -> Callable[[ScoreScene, Random], Planted | None]:
    """Returns what gives each of two neighbors what the other one has."""

    def plant(scene: ScoreScene, rng: Random) -> Planted | None:
        found = neighbors(scene, rng, differ)
        if not found:
            return None
        place, bar, one, other = found
        first = replace(one, **{differ: getattr(other, differ)})
        second = replace(other, **{differ: getattr(one, differ)})
        after = (*place[:-1], place[-1] + 1)
        scene = put(put(scene, place, first), after, second)
        return Planted(scene, (bar,))

    return plant


def change_field(
    field: str, values: tuple[str | None, ...]
) -> Callable[[ScoreScene, Random], Planted | None]:
    """Returns what gives a note that has a mark another one, or none."""

    def plant(scene: ScoreScene, rng: Random) -> Planted | None:
        found = [
            one
            for one in places(scene)
            if getattr(one[2], field) in values and getattr(one[2], field)
        ]
        if not found:
            return None
        place, bar, note = rng.choice(found)
        other = rng.choice([one for one in values if one != getattr(note, field)])
        return Planted(put(scene, (*place, field), other), (bar,))

    return plant


def change_key(scene: ScoreScene, rng: Random) -> Planted | None:
    """Another key is written; all notes sound as before."""
    section = rng.randrange(len(scene.sections))
    bar = sum(len(one.harmonies) for one in scene.sections[:section]) + 1
    own = scene.sections[section].key
    key = rng.choice([one for one in KEYS if one.sharps != own.sharps])
    return Planted(put(scene, ("sections", section, "key"), key), (bar,))


def change_word(scene: ScoreScene, rng: Random) -> Planted | None:
    """A syllable is another one, on all staves that have it."""
    sung = [n for n, staff in enumerate(scene.staves) if staff.syllables]
    if not sung:
        return None
    number = rng.randrange(len(scene.staves[sung[0]].syllables))
    for staff in sung:
        scene = put(scene, ("staves", staff, "syllables", number), "zzq")
    return Planted(scene, (0,))


def move_octave(scene: ScoreScene, rng: Random) -> Planted | None:
    """A whole staff is an octave higher."""
    staff = rng.randrange(len(scene.staves))
    for place, _, note in places(scene):
        if place[1] == staff:
            scene = put(
                scene,
                place,
                replace(note, tones=tuple(Tone(one.letter + 7, one.alter) for one in note.tones)),
            )
    return Planted(scene, (0,))


MISTAKES: dict[str, tuple[Callable[[ScoreScene, Random], Planted | None], str, tuple[str, ...]]] = {
    "another tone": (change_tone(lambda one: Tone(one.letter + 2, one.alter)), "note pitch", ()),
    "another octave": (change_tone(lambda one: Tone(one.letter + 7, one.alter)), "note octave", ()),
    "another accidental": (
        change_tone(
            lambda one: Tone(one.letter, one.alter - 1 if one.alter > 0 else one.alter + 1)
        ),
        "note accidental",
        (),
    ),
    "a note lost": (lose_note, "note missing", MARKS),
    "tones exchanged": (
        exchange("tones"),
        "note pitch",
        ("note octave", "note accidental", "note missing", "note extra"),
    ),
    "lengths exchanged": (exchange("length"), "note duration", MARKS),
    "another dynamic": (
        change_field("dynamic", ("pp", "p", "mp", "mf", "f", "ff")),
        "wrong dynamic",
        (),
    ),
    "another articulation": (
        change_field("articulation", ("staccato", "accent", "tenuto", None)),
        "wrong articulation",
        (),
    ),
    "another key": (change_key, "wrong key", ()),
    "another word": (change_word, "wrong lyric", ()),
    "a staff in another octave": (move_octave, "notes transposed", ()),
}
"""Name to what plants it, the kind of what is to be found, and what may follow from it."""


def plant_all(
    name: str, scene: ScoreScene, number: int, rng: Random
) -> tuple[ScoreScene, list[int]] | None:
    """Returns a score with several mistakes of a kind, in other bars each, and in which bars they are."""
    bars: list[int] = []
    for _ in range(number):
        planted = MISTAKES[name][0](scene, rng)
        if planted and not {*planted.bars} & {*bars}:
            scene, bars = planted.scene, [*bars, *planted.bars]
    return (scene, bars) if bars else None


def drawn(scene: ScoreScene, seed: int) -> Rendering:
    """Returns a score as it is written with a seed."""
    return render(
        "lilypond", KIND.writers["lilypond"](scene, Random(seed)), protocol="corrected", layout=True
    )


def bar_of(text: str) -> int:
    """Returns the bar that a finding names, or 0."""
    named = BAR.match(text)
    return int(named[1]) if named else 0


def main() -> int:
    """Prints the table; returns 1 if less than 95% is found, or right."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--most", type=int, default=3, help="mistakes in one score")
    parser.add_argument("--costs", type=int, default=8, help="scores that are timed")
    options = parser.parse_args()
    counts: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in range(options.scenes):
        rng = Random(seed)
        scene = draw_score(rng, LEVELS[seed % 3], "en", KIND.types[seed % len(KIND.types)])
        right = drawn(scene, seed)
        for name in (*MISTAKES, "nothing, written otherwise"):
            if name in MISTAKES:
                planted = plant_all(name, scene, 1 + seed % options.most, rng)
                if not planted:
                    continue
                wrong, bars = planted
                prediction = drawn(wrong, seed)
            else:
                prediction, bars = drawn(scene, seed + 1000), []
            judge(name, prediction, right, bars, counts[name])
    print(HEADER)
    rates = [print_row(name, counts[name]) for name in counts]
    print_costs(options.costs)
    return int(min(min(one) for one in rates) < 0.95)


def judge(
    name: str,
    prediction: Rendering,
    right: Rendering,
    bars: list[int],
    count: dict[str, list[float]],
) -> None:
    """Counts what is found of a pair."""
    found = compare("lilypond", prediction, right, protocol="corrected")
    assert not found.reason, found.reason
    musical = [
        one for one in found.findings if one.kind.split()[0] in ("note", "notes", "rest", "wrong")
    ]
    _, kind, follows = MISTAKES.get(name, (None, "", ()))
    told = {(one.kind, bar_of(one.text)) for one in musical}
    kinds = {one.kind for one in musical}
    explained = {kind, *follows}
    count["planted"].append(len(bars))
    count["found"].append(sum((kind, bar) in told if bar else kind in kinds for bar in bars))
    count["findings"].append(len(musical))
    count["right"].append(sum(one.kind in explained for one in musical))
    if prediction.layout and right.layout:
        count["similarity"].append(note_similarity(prediction.layout, right.layout) or 0.0)
    for one in musical:
        if one.kind not in explained:
            print(f"    {name}: {one.kind}, {one.text}")
    for bar in bars:
        if (kind, bar) not in told and (bar or kind not in kinds):
            print(f"    {name}: not found in bar {bar}")


def print_row(name: str, count: dict[str, list[float]]) -> tuple[float, float]:
    """Prints what was found of a kind; returns recall and precision."""
    planted, found, findings, right = (
        sum(count[part]) for part in ("planted", "found", "findings", "right")
    )
    recall = found / planted if planted else 1.0
    precision = right / findings if findings else 1.0
    print(
        f"| {name} | {len(count['planted'])} | {planted} | {found} | {recall:.1%} | {findings} | {right} | {precision:.1%} "
        f"| {mean(count['similarity']):.3f} |"
    )
    return recall, precision


def print_costs(number: int) -> None:
    """Prints what telling costs, in pairs whose order changes."""
    shares = []
    plain: list[float] = []
    for seed in range(number):
        scene = draw_score(Random(seed), "medium", "en", KIND.types[seed % len(KIND.types)])
        code = KIND.writers["lilypond"](scene, Random(seed))
        for turn in range(2):
            times = {}
            for layout in (False, True) if turn else (True, False):
                start = time.perf_counter()
                render("lilypond", code, layout=layout)
                times[layout] = time.perf_counter() - start
            plain.append(times[False])
            shares.append(times[True] / times[False] - 1)
    if shares:
        print(
            f"\nTelling costs {median(shares):.1%} of a rendering, whose median is {1000 * median(plain):.0f} ms."
        )


if __name__ == "__main__":
    raise SystemExit(main())
