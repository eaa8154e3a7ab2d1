"""Compares two systems by what they make of the embedded samples: scores, and pictures.

    python benchmarks/compare_systems.py scores OLD NEW       # benchmark_output/runs/demo of each system
    python benchmarks/compare_systems.py draw FOLDER          # on each system: the samples' pictures
    python benchmarks/compare_systems.py pictures OLD NEW     # the folders that `draw` filled

`scores` prints for each format and metric how many values there are, how many are equal, and the largest
difference. The samples' references are stored pictures, so the oracle's scores show what a system draws in another
way. `pictures` prints for each format how many pictures are the same to the last bit, how many have another size,
and the smallest earth mover similarity of a pair.
"""

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from compare_suites import Place, equal, read_suite
from completions import completions
from helm_structext.errors import RenderError
from helm_structext.formats import rendered_formats
from helm_structext.metrics import earth_mover_similarity
from helm_structext.pictures import open_png
from helm_structext.renderers import Rendering, render_completion

FORMAT = re.compile(
    r"image2struct_(\w+):|image2struct:format=(\w+)|structeval:task=\w+?_to_(\w+)|(mmr):"
)
"""What a run's name begins with."""
PER_FORMAT = 12


class Row(NamedTuple):
    """What is printed of the values of one format and metric."""

    format: str
    metric: str
    values: int
    equal: int
    largest: float


def format_of(run: str) -> str:
    """Returns the format of a run, as the tables name it.

    >>> format_of("structeval:task=text_to_react,source=sample"), format_of("image2struct:format=svg,source=sample")
    ('react', 'svg')
    """
    found = FORMAT.match(run)
    return next(filter(None, found.groups())) if found else run


def rows(old: dict[Place, Any], new: dict[Place, Any]) -> Iterator[Row]:
    """Yields what two suites share, by format and metric. What only one has, or has no number for, is infinitely far."""
    places: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for place in old.keys() | new.keys():
        places[format_of(place.run), place.metric.partition(" ")[0]].append(place)
    for (format, metric), group in sorted(places.items()):
        pairs = [(old.get(place, "absent"), new.get(place, "absent")) for place in group]
        distances = [distance(*pair) for pair in pairs if not equal(*pair)]
        yield Row(
            format, metric, len(pairs), len(pairs) - len(distances), max(distances, default=0.0)
        )


def distance(old: Any, new: Any) -> float:
    """How far two values are from each other."""
    numbers = all(isinstance(value, int | float) for value in (old, new))
    return abs(old - new) if numbers else float("inf")


def report(found: list[Row]) -> Iterator[str]:
    """Yields the lines to print: those metrics of a format that differ, and how many do not."""
    width = max(len(row.metric) for row in found)
    yield f"{'format':10} {'metric':{width}}  values   equal  largest difference"
    for format in dict.fromkeys(row.format for row in found):
        group = [row for row in found if row.format == format]
        for row in group:
            if row.equal < row.values:
                numbers = f"{row.values:7} {row.equal:7}  {row.largest:18.6f}"
                yield f"{format:10} {row.metric:{width}} {numbers}"
        values, same = sum(row.values for row in group), sum(row.equal for row in group)
        yield f"{format:10} {'all metrics':{width}} {values:7} {same:7}"


def draw(folder: Path) -> None:
    """Writes what each sample of each format looks like: a PNG, or the kind of its error."""
    folder.mkdir(parents=True, exist_ok=True)
    for format in rendered_formats():
        for number, completion in enumerate(completions(format)[:PER_FORMAT]):
            path = folder / f"{format}-{number:02}"
            try:
                picture = render_completion(format, completion)
                assert isinstance(picture, Rendering)
                picture.image.save(path.with_suffix(".png"))
            except RenderError as error:
                path.with_suffix(".txt").write_text(error.kind)
        print(format, flush=True)


def compared(old: Path, new: Path) -> Iterator[str]:
    """Yields the lines to print of two folders of pictures."""
    names: dict[str, list[str]] = defaultdict(list)
    for path in sorted({*old.iterdir(), *new.iterdir()}):
        if path.name not in names[format := path.name.rpartition("-")[0]]:
            names[format].append(path.name)
    yield f"{'format':16} pictures    same  other size  smallest similarity"
    for format, group in sorted(names.items()):
        both = [name for name in group if (old / name).exists() and (new / name).exists()]
        different = [
            name for name in both if (old / name).read_bytes() != (new / name).read_bytes()
        ]
        pictures = [
            (open_png((old / name).read_bytes()), open_png((new / name).read_bytes()))
            for name in different
            if name.endswith(".png")
        ]
        sizes = sum(first.size != second.size for first, second in pictures)
        least = min((earth_mover_similarity(*pair) for pair in pictures), default=1.0)
        yield f"{format:16} {len(group):8} {len(both) - len(different):7} {sizes:11} {least:20.4f}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, dest="command")
    for name in ("scores", "pictures"):
        command = commands.add_parser(name)
        command.add_argument("old", type=Path)
        command.add_argument("new", type=Path)
    commands.add_parser("draw").add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "draw":
        draw(options.folder)
    elif options.command == "pictures":
        print(*compared(options.old, options.new), sep="\n")
    else:
        print(*report(list(rows(read_suite(options.old), read_suite(options.new)))), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
