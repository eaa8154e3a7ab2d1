"""Whether what is wrong with a picture is found: generated scenes with planted mistakes, by kind and format.

    python benchmarks/layout_findings.py [KIND ...] [--formats svg tikz] [--mistakes moved] [--scenes 2] [--seed 1]

Each scene is written right, right in another way, and with one planted mistake of each kind. Prints for each kind of
scenes and format the similarity of the right picture to itself and to the other right one (the least of all), and of
the mistakes that a person can see how many were found (recall). Of those that change one thing alone (`ALONE`), it
also prints which share of all findings is about it (precision). `layout_costs.py` prints what a layout costs.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from PIL import Image, ImageChops

from helm_structext.errors import RenderError
from helm_structext.findings import compare_layouts
from helm_structext.metrics.layout import layout_similarity
from helm_structext.renderers import Rendering, render
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import MISTAKES, plant
from helm_structext.scenes.scene import LANGUAGES, LEVELS, Scene, SceneKind

TOLD: Mapping[str, frozenset[str]] = {
    "text misspelt": frozenset({"text misspelt", "text missing"}),
    "text changed": frozenset({"text missing", "text extra", "text misspelt"}),
    "recolored": frozenset(
        {"text recolored", "element recolored", "element missing", "element extra"}
    ),
    "item lost": frozenset({"text missing", "text misspelt", "element missing"}),
    "order changed": frozenset(
        {"text moved", "text misspelt", "text missing", "text extra"}
        | {"element missing", "element extra", "element recolored", "element moved"}
        | {"element resized"}
    ),
    "resized": frozenset({"element resized", "element moved"}),
    "moved": frozenset({"element moved", "element resized", "text moved"}),
    "number changed": frozenset(
        {"value wrong", "element resized", "element moved", "element missing", "text misspelt"}
    ),
}
"""Kind of planted mistake to the kinds of findings that tell it."""
ALONE = ("text misspelt", "recolored", "resized", "moved", "number changed")
LEVELS_SEEN, PIXELS_SEEN = 32, 12
"""Levels of a color, and pixels of a picture, from which on a person sees a difference."""
HEADER = """\
| scenes | format | pictures | itself | written otherwise | seen mistakes | recall | precision |
|---|---|---|---|---|---|---|---|"""


def main() -> None:
    """Prints a row for each kind and format, and one for each kind of mistake."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=[*KINDS], metavar="KIND")
    parser.add_argument("--formats", nargs="*", help="by default, all of a kind")
    parser.add_argument("--scenes", type=int, default=2, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mistakes", nargs="*", choices=MISTAKES, help="by default, all")
    options = parser.parse_args()
    mistakes = options.mistakes or [*MISTAKES]
    print(HEADER, flush=True)
    total: Counter[str] = Counter()
    for name in options.kinds:
        kind = KINDS[name]
        for format in options.formats or kind.writers:
            counts: Counter[str] = Counter()
            least = [1.0, 1.0]
            for number in range(options.scenes):
                scene = draw(kind, options.seed, number)
                if format in kind.writers and kind.says(scene, format):
                    measure(kind, format, scene, number, mistakes, counts, least)
            if counts["pictures"]:
                print(row(name, format, counts, least), flush=True)
            total += counts
    print("\n| planted | seen | recall | precision |\n|---|---|---|---|")
    for mistake in mistakes:
        seen, told = total[f"{mistake} seen"], total[f"{mistake} told"]
        precision = share(told, total[f"{mistake} findings"])
        print(f"| {mistake} | {seen} | {share(total[f'{mistake} found'], seen)} | {precision} |")


def draw(kind: SceneKind, seed: int, number: int) -> Scene:
    """Returns the scene of a number; levels and languages take turns."""
    language = [*LANGUAGES][number % len(LANGUAGES)]
    scene: Scene = kind.draw(
        Random(f"{seed}/{kind.name}/{number}"), LEVELS[number % len(LEVELS)], language
    )
    return scene


def measure(
    kind: SceneKind,
    format: str,
    scene: Scene,
    number: int,
    mistakes: Sequence[str],
    counts: Counter[str],
    least: list[float],
) -> None:
    """Adds what is found on the pictures of one scene in one format."""
    right = picture(kind, format, scene)
    if right is None or right.layout is None:
        return
    counts["pictures"] += 1
    least[0] = min(least[0], layout_similarity(right.layout, right.layout))
    other = picture(kind, format, scene, lot=1)
    if other is not None and other.layout is not None:
        least[1] = min(least[1], layout_similarity(other.layout, right.layout))
    for mistake, wrong in planted(kind, scene, number, mistakes):
        drawn = picture(kind, format, wrong)
        if drawn is None or drawn.layout is None or not differ(drawn.image, right.image):
            continue
        found = [one.kind for one in compare_layouts(drawn.layout, right.layout).findings]
        told = [one for one in found if one in TOLD[mistake]]
        counts.update({"seen": 1, f"{mistake} seen": 1})
        counts.update({"found": bool(told), f"{mistake} found": bool(told)})
        if mistake in ALONE:
            for name in ("", f"{mistake} "):
                counts.update({f"{name}told": len(told), f"{name}findings": len(found)})


def planted(
    kind: SceneKind, scene: Scene, number: int, mistakes: Sequence[str]
) -> Iterator[tuple[str, Scene]]:
    """Yields a scene with one mistake of each kind that it has a place for."""
    for mistake in mistakes:
        if wrong := plant(kind, scene, mistake, 1, Random(f"{number}/{mistake}")):
            yield mistake, wrong[0]


def picture(kind: SceneKind, format: str, scene: Scene, lot: int = 0) -> Rendering | None:
    """Returns a scene's picture with its layout, or None where the code is none."""
    try:
        code = kind.writers[format](scene, Random(lot))
        return render(format, code, protocol="corrected", layout=True)
    except RenderError:
        return None


def differ(one: Image.Image, other: Image.Image) -> bool:
    """Returns whether a person sees a difference between two pictures."""
    if one.size != other.size:
        return True
    apart = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    return sum(apart.histogram()[LEVELS_SEEN:]) >= PIXELS_SEEN


def row(name: str, format: str, counts: Counter[str], least: list[float]) -> str:
    """Returns a row of the table."""
    recall = share(counts["found"], counts["seen"])
    precision = share(counts["told"], counts["findings"])
    return (
        f"| {name} | `{format}` | {counts['pictures']} | {least[0]:.3f} | {least[1]:.3f} "
        f"| {counts['seen']} | {recall} | {precision} |"
    )


def share(part: int, whole: int) -> str:
    """Returns a share in percent, or a dash of nothing."""
    return f"{part / whole:.0%}" if whole else "–"


if __name__ == "__main__":
    main()
