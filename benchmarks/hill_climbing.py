"""Where a policy ends that sees nothing but a preset's reward: at honest answers, or at frauds?

    python benchmarks/hill_climbing.py FOLDER [--formats svg html typst vega] [--presets image layout whole own]
        [--steps 150] [--seed 1] [--minutes M]

It begins with a blank page and keeps each move that raises the reward: mistakes that are planted and repaired, edits of
numbers, colors, words and lines, other scenes, and the audit's frauds. Prints where it ends, beside the reward of the right
and of a half-right answer; `FOLDER/climbs.png` shows the pictures. What was measured is kept in the folder.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from PIL import Image, ImageDraw

from helm_structext.audit.answers import AuditAnswer, halve
from helm_structext.audit.cases import LATIN, AuditCase, draw_code, find_cases
from helm_structext.audit.climbing import Climb, climb, count_mistakes
from helm_structext.audit.measure import measure_answer
from helm_structext.audit.tables import PRESET, score_of
from helm_structext.protocols import OWN_PROTOCOL
from helm_structext.results.tabular import markdown
from helm_structext.rewards.pictures import PRESETS, suited_preset
from helm_structext.scenes.settings import choose_settings

KIND = {"svg": "chart", "html": "page", "typst": "drawing", "vega": "chart", "tikz": "diagram"}
"""Format → the kind of scenes that it is asked for; of others, the first that can be written in it."""
OWN = "own"
"""In place of a preset: the one that suits the format."""
CELL = 300, 220
"""Pixels of a picture on the sheet."""
HEAD = (
    "format",
    "preset",
    "ends at",
    "mistakes left",
    "reward",
    "right",
    "half right",
    "kept",
    "tried",
)
ENOUGH = 1 - 1e-9
"""Share of the right answer's reward at which there is nothing more to find."""


class Row(NamedTuple):
    """A climb, and what it is compared with."""

    case: AuditCase
    preset: str
    end: Climb
    right: float
    half: float | None


def main() -> int:
    """Climbs, prints and draws."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--formats", nargs="+", default=["svg", "html", "typst", "vega"])
    parser.add_argument(
        "--presets", nargs="+", default=["image", "layout", "whole"], choices=[*PRESETS, OWN]
    )
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="then no climb is begun"
    )
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    rows: list[Row] = []
    for format in options.formats:
        case = find_case(format, options.seed)
        for preset in options.presets:
            if time.monotonic() < end:
                named = suited_preset(format) if preset == OWN else preset
                rows.append(climb_for(case, named, options.steps, options.folder))
                print(" | ".join(map(str, cells(rows[-1]))), flush=True)
    print("\n" + markdown(HEAD, [cells(row) for row in rows]))
    draw_sheet(rows).save(options.folder / "climbs.png")
    return 0


def find_case(format: str, seed: int) -> AuditCase:
    """Returns the first scene of a seed that can be drawn in a format."""
    kinds = [KIND[format]] if format in KIND else ["all"]
    settings = choose_settings(kinds=kinds, formats=[format], count=1, seed=seed, languages=LATIN)
    return next(find_cases(settings))


def climb_for(case: AuditCase, preset: str, steps: int, folder: Path) -> Row:
    """Returns where a policy ends; the moves that are drawn are the same for each preset, as long as it keeps the same."""
    reward = reward_of(case, preset, folder)
    right, half = reward(case.code), halve(case)
    assert right is not None, f"{preset} has no score of {case.name}"
    end = climb(case, reward, steps, Random(case.name), right * ENOUGH)
    return Row(case, preset, end, right, reward(half) if half else None)


def reward_of(case: AuditCase, preset: str, folder: Path) -> Callable[[str], float | None]:
    """Returns a preset as a function of code; with its guards, as in the audit."""

    def reward(code: str) -> float | None:
        answer = AuditAnswer("fraud", "step", code)
        return score_of(measure_answer(case, answer, folder, short=True), f"{PRESET}{preset}")

    return reward


def cells(row: Row) -> list[str]:
    """Returns a climb as a row of the table."""
    left = count_mistakes(row.case, row.end.state)
    return [
        row.case.format,
        row.preset,
        row.end.state.origin,
        "" if left is None else str(left),
        f"{row.end.score:.3f}",
        f"{row.right:.3f}",
        "" if row.half is None else f"{row.half:.3f}",
        str(len(row.end.kept)),
        str(row.end.steps),
    ]


def draw_sheet(rows: list[Row]) -> Image.Image:
    """Returns a row of pictures for each format: the right one, the half-right one, and where each preset ended."""
    by_case: dict[str, list[Row]] = {}
    for row in rows:
        by_case.setdefault(row.case.name, []).append(row)
    width = max(map(len, by_case.values()), default=0) + 2
    sheet = Image.new("RGB", (width * CELL[0], len(by_case) * CELL[1]), "white")
    for down, these in enumerate(by_case.values()):
        for across, (title, code) in enumerate(pictures(these)):
            place = across * CELL[0], down * CELL[1]
            sheet.paste(draw_cell(these[0].case, title, code), place)
    return sheet


def pictures(rows: list[Row]) -> Iterator[tuple[str, str]]:
    """Yields titles and codes of the pictures of one case."""
    case = rows[0].case
    yield f"{case.name}: right", case.code
    yield "half right", halve(case) or case.code
    for row in rows:
        yield f"{row.preset}: {row.end.state.origin}, {row.end.score:.3f}", row.end.state.code


def draw_cell(case: AuditCase, title: str, code: str) -> Image.Image:
    """Returns a picture with its title above."""
    cell = Image.new("RGB", CELL, "#cccccc")
    picture = draw_code(case.format, code, protocol=OWN_PROTOCOL, layout=True).image.convert("RGB")
    picture.thumbnail((CELL[0] - 6, CELL[1] - 20))
    cell.paste(picture, (3, 17))
    ImageDraw.Draw(cell).text((4, 3), title, fill="black")
    return cell


if __name__ == "__main__":
    sys.exit(main())
