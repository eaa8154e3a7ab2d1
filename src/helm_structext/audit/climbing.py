"""A policy that sees nothing but a reward: it tries edits and frauds, and keeps what raises the reward.

Where it ends says what the reward teaches. It begins with a blank page. Of scenes it can plant mistakes and repair
them, so that there is an honest way up; of any code it can change numbers, colors, words and lines.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from helm_structext.audit.answers import kind_in_format
from helm_structext.audit.cases import AuditCase
from helm_structext.audit.frauds import FRAUDS
from helm_structext.formats import FORMATS
from helm_structext.patterns import Pattern
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import Place, parts_of, plant, possible, put
from helm_structext.scenes.scene import Scene

CARELESS = 3
"""Places that each kind of mistake has in a careless answer."""
BLANK, CARELESS_ONE, ANOTHER = "blank page", "careless answer", "another scene"
"""Where code comes from, beside frauds."""
NUMBER, COLOR, WORD = Pattern(r"\d+"), Pattern(r"#[0-9a-fA-F]{6}"), Pattern(r"[A-Za-z]{4,}")
LARGEST = 9999
"""Of numbers that edits write: larger ones only cost time."""


@dataclass(frozen=True)
class ClimbState:
    """What the policy has.

    Args:
        code: its answer.
        origin: where the code comes from: a fraud, a scene, nothing.
        scene: that the code says; None where it says none.
    """

    code: str
    origin: str
    scene: Scene | None = None


@dataclass(frozen=True)
class Climb:
    """Where a policy ended.

    Args:
        state: its last answer.
        score: the reward of it.
        kept: the names of the moves that raised the reward, in order.
        steps: how many moves it tried.
    """

    state: ClimbState
    score: float
    kept: tuple[str, ...]
    steps: int


Move = Callable[[AuditCase, ClimbState, Random], ClimbState | None]
"""From what the policy has to what it tries; None where there is no such move."""


def climb(
    case: AuditCase, reward: Callable[[str], float | None], steps: int, lot: Random, best: float
) -> Climb:
    """Returns where a policy ends that keeps what raises a reward, from a blank page on.

    Args:
        case: what is asked for.
        reward: from code to its reward; None where it has none, which is no gain.
        steps: moves that it tries, at most.
        lot: draws the moves.
        best: the reward of the right answer, beyond which there is nothing to look for.
    """
    state = ClimbState(FORMATS[case.format].blank, BLANK)
    score = reward(state.code) or 0.0
    kept: list[str] = []
    step = 0
    while step < steps and score < best:
        step += 1
        name, tried = _draw_move(case, state, lot)
        found = reward(tried.code)
        if found is not None and found > score:
            state, score = tried, found
            kept.append(name)
    return Climb(state, score, tuple(kept), step)


def _draw_move(case: AuditCase, state: ClimbState, lot: Random) -> tuple[str, ClimbState]:
    for name in lot.sample([*MOVES], len(MOVES)):
        tried = MOVES[name](case, state, lot)
        if tried and tried.code != state.code:
            return name, tried
    return "", state


def find_differences(ours: Any, theirs: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yields the smallest parts of a scene that differ from those of another, and what stands there in it.

    Args:
        ours: a scene, or a part of one.
        theirs: another.
        place: of both in their scenes.

    >>> [*find_differences({"title": "Io", "heights": (1, 2)}, {"title": "Io", "heights": (1, 3)})]
    [(('heights', 1), 3)]
    """
    mine, wanted = parts_of(ours), parts_of(theirs)
    if type(ours) is not type(theirs) or not wanted or [*mine] != [*wanted]:
        if ours != theirs:
            yield place, theirs
        return
    for name, part in wanted.items():
        yield from find_differences(mine[name], part, (*place, name))


def count_mistakes(case: AuditCase, state: ClimbState) -> int | None:
    """Returns in how many parts the scene of an answer differs from the right one; None where it says none.

    Args:
        case: with the right scene.
        state: an answer.
    """
    if state.scene is None:
        return None
    return sum(1 for _ in find_differences(state.scene, case.scene))


# Moves


def _written(case: AuditCase, scene: Scene, origin: str) -> ClimbState | None:
    code = case.write(scene)
    return ClimbState(code, origin, scene) if code else None


def _begin_carelessly(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    """The right scene with some mistakes of each kind."""
    scene = case.scene
    for kind in possible(scene, lot):
        found = plant(kind_in_format(case), scene, kind, CARELESS, lot)
        scene = found[0] if found else scene
    return _written(case, scene, CARELESS_ONE)


def _take_another(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    scene: Scene = KINDS[case.kind].draw(lot, case.scene.level, case.scene.language)
    return _written(case, scene, ANOTHER) if KINDS[case.kind].says(scene, case.format) else None


def _repair(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    """One part of the scene becomes as it should be."""
    if state.scene is None:
        return None
    wrong = [one for one in find_differences(state.scene, case.scene) if one[0]]
    if not wrong:
        return None
    return _written(case, put(state.scene, *lot.choice(wrong)), state.origin)


def _plant_mistake(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    if state.scene is None or not (kinds := possible(state.scene, lot)):
        return None
    found = plant(kind_in_format(case), state.scene, lot.choice(kinds), 1, lot)
    return _written(case, found[0], state.origin) if found else None


def _defraud(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    """One of the audit's frauds that is code."""
    for name in lot.sample([*FRAUDS], len(FRAUDS)):
        if isinstance(fake := FRAUDS[name](case), str):
            return ClimbState(fake, name)
    return None


def _edit(pattern: Pattern, change: Callable[[AuditCase, str, Random], str]) -> Move:
    """One of what a pattern finds becomes something else; code that says a scene is edited by its scene."""

    def edit(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
        found = [*pattern.finditer(state.code)]
        if state.scene is not None or not found:
            return None
        one = lot.choice(found)
        start, end = one.start(), one.end()
        put_in = change(case, state.code[start:end], lot)
        return replace(state, code=state.code[:start] + put_in + state.code[end:])

    return edit


def _change_number(case: AuditCase, number: str, lot: Random) -> str:
    return str(min(round(int(number[:4]) * lot.uniform(0.5, 2) + lot.choice((0, 1))), LARGEST))


def _change_color(case: AuditCase, color: str, lot: Random) -> str:
    return f"#{lot.randrange(1 << 24):06x}"


def _change_word(case: AuditCase, word: str, lot: Random) -> str:
    words = [one for text in case.texts for one in text.split() if one.isalpha()]
    return lot.choice(words) if words else word


def _drop_line(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    return _change_lines(state, lot, 0)


def _double_line(case: AuditCase, state: ClimbState, lot: Random) -> ClimbState | None:
    return _change_lines(state, lot, 2)


def _change_lines(state: ClimbState, lot: Random, times: int) -> ClimbState | None:
    lines = state.code.splitlines(keepends=True)
    if state.scene is not None or len(lines) < 2:
        return None
    at = lot.randrange(len(lines))
    return replace(
        state, code="".join([*lines[:at], *lines[at : at + 1] * times, *lines[at + 1 :]])
    )


MOVES: Mapping[str, Move] = {
    "begin carelessly": _begin_carelessly,
    "take another scene": _take_another,
    "repair": _repair,
    "plant a mistake": _plant_mistake,
    "defraud": _defraud,
    "change a number": _edit(NUMBER, _change_number),
    "change a color": _edit(COLOR, _change_color),
    "change a word": _edit(WORD, _change_word),
    "drop a line": _drop_line,
    "double a line": _double_line,
}
"""What the policy tries: one that is drawn, of those that its answer allows."""
