"""Whether what is wrong with a picture is found: generated scenes with planted mistakes, by kind and format.

    python benchmarks/layout_findings.py [KIND ...] [--formats svg tikz] [--mistakes moved] [--scenes 2] [--first 0]
        [--places 1] [--seed 1] [--show FOLDER] [--cache FOLDER]

Each scene is written right, right in another way, and with planted mistakes, each alone. Prints for each kind of
scenes and format the similarity of the right picture to itself and to the other right one (the least of all), how many
of the other right ones have findings nevertheless, and of the mistakes that a person can see how many were found
(recall). Of those that change one thing alone (`ALONE`), it also prints which share of all findings is about it
(precision). With a folder, pictures of what was not found, or found too much, are kept in it: the right one, and beside
it the wrong one with its findings. `layout_costs.py` prints what a layout costs.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image, ImageChops, ImageFilter

from helm_structext.errors import RenderError
from helm_structext.findings import FINDING_KINDS, Findings, compare_layouts, draw_findings
from helm_structext.metrics.layout import layout_similarity
from helm_structext.renderers import Rendering, render
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import MISTAKES, plant
from helm_structext.scenes.scene import LANGUAGES, LEVELS, Scene, SceneKind

OF_NAMES = frozenset(
    one for one in FINDING_KINDS if one.startswith(("title ", "label ", "category "))
)
OF_SYMBOLS = frozenset(one for one in FINDING_KINDS if one.startswith("symbol"))
OF_NOTES = frozenset(one for one in FINDING_KINDS if one.startswith(("note", "rest", "wrong ")))
LOST = frozenset(one for one in FINDING_KINDS if one.endswith(" missing"))
TOLD: Mapping[str, frozenset[str]] = {
    "text misspelt": frozenset({"text misspelt", "text missing", "wrong lyric"})
    | {"symbol wrong", "symbol missing"}
    | OF_NAMES,
    "text changed": frozenset({"text missing", "text extra", "text misspelt", "wrong lyric"})
    | OF_SYMBOLS
    | OF_NAMES,
    "recolored": frozenset(
        {"text recolored", "element recolored", "element missing", "element extra"}
        | {"series recolored"}
    ),
    "item lost": LOST | {"text misspelt"},
    "order changed": frozenset(
        {"text moved", "text misspelt", "text missing", "text extra"}
        | {"element missing", "element extra", "element recolored", "element moved"}
        | {"element resized", "category order"}
    )
    | OF_SYMBOLS
    | OF_NOTES,
    "resized": frozenset({"element resized", "element moved"}),
    "moved": frozenset({"element moved", "element resized", "text moved"}),
    "number changed": frozenset(
        {"value wrong", "element resized", "element moved", "element missing", "text misspelt"}
        | {"point extra", "point missing", "element extra"}
    ),
}
"""Kind of planted mistake to the kinds of findings that tell it."""
SCENES_HEADER = """\
| scenes | format | pictures | similarity, written otherwise | of these with findings | seen mistakes | recall | precision |
|---|---|---|---|---|---|---|---|"""
MISTAKES_HEADER = """
| planted | format | seen | recall | precision |
|---|---|---|---|---|"""
ALONE = ("text misspelt", "recolored", "resized", "moved", "number changed")
LEVELS_SEEN, PIXELS_SEEN = 32, 12
"""Levels of a color, and pixels of a picture, from which on a person sees a difference."""
HARMLESS = "written otherwise"
"""What is planted where nothing is."""
NEAR = {"resized": 2, "moved": 2, "number changed": 2, HARMLESS: 2}
"""What is planted to the pixels by which edges may be elsewhere without that a person sees it."""


@dataclass(frozen=True)
class Trial:
    """A picture compared with the right one.

    Args:
        scenes: their kind.
        format: in which both are written.
        planted: a kind of mistake, or `HARMLESS`.
        found: kinds of what was found.
        similarity: of the two layouts.
    """

    scenes: str
    format: str
    planted: str
    found: tuple[str, ...]
    similarity: float

    @property
    def told(self) -> int:
        """How many findings are about what was planted."""
        return sum(one in TOLD.get(self.planted, ()) for one in self.found)


def main() -> None:
    """Prints a row for each kind of scenes and format, and one for each kind of mistake and format."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=[*KINDS], metavar="KIND")
    parser.add_argument("--formats", nargs="*", help="by default, all of a kind")
    parser.add_argument("--mistakes", nargs="*", choices=MISTAKES, help="by default, all")
    parser.add_argument("--scenes", type=int, default=2, help="of each kind")
    parser.add_argument("--first", type=int, default=0, help="the first scene's number")
    parser.add_argument("--places", type=int, default=1, help="of each kind of mistake, in a scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=Path, help="where pictures of what went wrong are kept")
    parser.add_argument("--cache", type=Path, help="of renderings, for the next time")
    options = parser.parse_args()
    trials: list[Trial] = []
    print(SCENES_HEADER, flush=True)
    for name in options.kinds:
        kind = KINDS[name]
        for format in options.formats or kind.writers:
            done: list[Trial] = []
            for number in range(options.first, options.first + options.scenes):
                scene = draw(kind, options.seed, number)
                if format in kind.writers and kind.says(scene, format):
                    done += try_scene(kind, format, scene, number, options)
            if done:
                print(row_of_scenes(done), flush=True)
            trials += done
    print(MISTAKES_HEADER)
    for mistake in options.mistakes or MISTAKES:
        one_kind = [one for one in trials if one.planted == mistake]
        for format in dict.fromkeys(one.format for one in one_kind):
            print(row_of_mistakes([one for one in one_kind if one.format == format], format))
        print(row_of_mistakes(one_kind, "all"))


def draw(kind: SceneKind, seed: int, number: int) -> Scene:
    """Returns the scene of a number; levels and languages take turns."""
    language = [*LANGUAGES][number % len(LANGUAGES)]
    scene: Scene = kind.draw(
        Random(f"{seed}/{kind.name}/{number}"), LEVELS[number % len(LEVELS)], language
    )
    return scene


def try_scene(
    kind: SceneKind, format: str, scene: Scene, number: int, options: argparse.Namespace
) -> Iterator[Trial]:
    """Yields what is found on the pictures of one scene in one format."""
    right = picture(kind, format, scene, cache=options.cache)
    if right is None or right.layout is None:
        return
    for planted, wrong, lot in versions(kind, scene, number, options):
        drawn = picture(kind, format, wrong, lot, cache=options.cache)
        if drawn is None or drawn.layout is None:
            continue
        # Some are written as charts of libraries, which are laid out in another way: those are no mistakes, and not equal.
        if differ(drawn.image, right.image, NEAR.get(planted, 0)) != (planted in MISTAKES):
            continue
        found = compare_layouts(drawn.layout, right.layout)
        names = tuple(one.kind for one in found.findings)
        similarity = layout_similarity(drawn.layout, right.layout)
        trial = Trial(kind.name, format, planted, names, similarity)
        if options.show and (len(names) > trial.told or (planted in MISTAKES and not trial.told)):
            show(options.show, f"{kind.name}-{format}-{number}-{planted}", right, drawn, found)
        yield trial


def versions(
    kind: SceneKind, scene: Scene, number: int, options: argparse.Namespace
) -> Iterator[tuple[str, Scene, int]]:
    """Yields the scene itself, to be written in another way, and with each mistake that it has a place for."""
    yield HARMLESS, scene, 1
    for mistake in options.mistakes or MISTAKES:
        done = set()
        for place in range(options.places):
            rng = Random(f"{number}/{mistake}" + f"/{place}" * bool(place))
            if (wrong := plant(kind, scene, mistake, 1, rng)) and str(wrong[1]) not in done:
                done.add(str(wrong[1]))
                yield mistake, wrong[0], 0


def picture(
    kind: SceneKind, format: str, scene: Scene, lot: int = 0, *, cache: Path | None
) -> Rendering | None:
    """Returns a scene's picture with its layout, or None where the code is none."""
    try:
        code = kind.writers[format](scene, Random(lot))
        return render(format, code, protocol="corrected", cache=cache, layout=True)
    except RenderError:
        return None


def differ(one: Image.Image, other: Image.Image, near: int = 0) -> bool:
    """Returns whether a person sees a difference between two pictures: a color that the other one has nowhere near."""
    if one.size != other.size:
        return True
    pictures = [it.convert("RGB") for it in (one, other)]
    return any(
        _pixels_of_its_own(mine, yours, 2 * near + 1) >= PIXELS_SEEN
        for mine, yours in (pictures, reversed(pictures))
    )


def _pixels_of_its_own(one: Image.Image, other: Image.Image, side: int) -> int:
    """How many pixels are lighter or darker than all of the other picture in a square around them."""
    lightest, darkest = (it(side) for it in (ImageFilter.MaxFilter, ImageFilter.MinFilter))
    beyond = (
        ImageChops.subtract(one, other.filter(lightest)).convert("L"),
        ImageChops.subtract(other.filter(darkest), one).convert("L"),
    )
    return sum(sum(it.histogram()[LEVELS_SEEN:]) for it in beyond)


def show(folder: Path, name: str, right: Rendering, wrong: Rendering, found: Findings) -> None:
    """Writes the right picture, beside it the wrong one with its findings, and these as text."""
    folder.mkdir(parents=True, exist_ok=True)
    number = len([*folder.glob("*.png")])
    pictures = right.image.convert("RGB"), draw_findings(wrong.image, found)
    both = Image.new("RGB", (sum(it.width for it in pictures), max(it.height for it in pictures)))
    both.paste(pictures[0], (0, 0))
    both.paste(pictures[1], (pictures[0].width, 0))
    stem = f"{number:03}-{name.replace(' ', '-')}"
    both.save(folder / f"{stem}.png")
    lines = [f"{one.kind}: {one.text}\n" for one in found.findings]
    (folder / f"{stem}.txt").write_text("".join(lines), encoding="utf-8")


def row_of_scenes(trials: Sequence[Trial]) -> str:
    """Returns a row of the first table, of trials of one kind of scenes and format."""
    harmless = [one for one in trials if one.planted == HARMLESS]
    mistakes = [one for one in trials if one.planted != HARMLESS]
    found = sum(bool(one.told) for one in mistakes)
    return (
        f"| {trials[0].scenes} | `{trials[0].format}` | {len(harmless)} "
        f"| {min((one.similarity for one in harmless), default=1):.3f} "
        f"| {sum(bool(one.found) for one in harmless)} "
        f"| {len(mistakes)} | {share(found, len(mistakes))} | {precision(mistakes)} |"
    )


def row_of_mistakes(trials: Sequence[Trial], format: str) -> str:
    """Returns a row of the second table, of trials of one kind of mistake."""
    planted = trials[0].planted if trials else ""
    found = sum(bool(one.told) for one in trials)
    return (
        f"| {planted} | {format} | {len(trials)} | {share(found, len(trials))} "
        f"| {precision(trials)} |"
    )


def precision(trials: Sequence[Trial]) -> str:
    """Returns which share of what was found is about what was planted, where that changes one thing alone."""
    alone = [one for one in trials if one.planted in ALONE]
    return share(sum(one.told for one in alone), sum(len(one.found) for one in alone))


def share(part: int, whole: int) -> str:
    """Returns a share in percent, or a dash of nothing."""
    return f"{part / whole:.0%}" if whole else "–"


if __name__ == "__main__":
    main()
