"""How many planted mistakes in charts are found, and how many findings are of planted ones.

    python benchmarks/chart_pairs.py [FORMAT ...] [--scenes 20] [--seed 1]

Scenes of charts get one mistake each, of every kind that they can have and in three severities. What
`helm_structext.findings.chart` finds between the pictures of the wrong and the right scene, each written in ways of
its own, should be that kind and no other; between two pictures of the right scene it should be nothing. Prints, for
each kind and format, recall and precision, and the mean `chart_similarity`.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from helm_structext.errors import RenderError
from helm_structext.findings.chart import compare_charts
from helm_structext.layouts import PictureLayout
from helm_structext.metrics.chart import chart_similarity
from helm_structext.renderers import render
from helm_structext.scenes.chart import KIND, ChartScene, draw_chart
from helm_structext.scenes.chart.scene import TYPES
from helm_structext.scenes.mistakes import put
from helm_structext.scenes.scene import LEVELS

LEAST = 0.95
"""Recall and precision that every kind and format should have."""
FORMATS = ("matplotlib", "vega", "canvas", "tikz")
SEVERITIES = (0.03, 0.1, 0.3)
"""Of a value or range: share of the axis by which it is changed."""
ONE_VALUE_EACH = ("bar", "grouped bars", "stacked bars", "line", "area", "scatter", "heat map")
"""Types whose series have one value for each category or place."""
TRIES = 8
"""Ways of writing a scene, until one has a library that knows its data."""
HEADER = """\
| kind | format | pairs | recall | precision | similarity |
|---|---|---|---|---|---|"""

Wrong = ChartScene | None


def change_value(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """One value of a series is another one."""
    if scene.type not in (*ONE_VALUE_EACH, "pie"):
        return None
    number = rng.randrange(len(scene.series))
    values = scene.series[number].values
    index = rng.randrange(len(values))
    span = 100.0 if scene.type == "pie" else scene.y.high - scene.y.low
    if scene.type == "heat map":
        known = [value for one in scene.series for value in one.values]
        span = max(known) - min(known)
    change = severity * span
    value = values[index] - change if values[index] - change > max(scene.y.low, 0) else None
    if value is None:
        value = values[index] + change
    if scene.type != "pie" and value > scene.y.high:
        return None
    changed = (*values[:index], round(value, 2), *values[index + 1 :])
    return put(scene, ("series", number, "values"), changed)  # type: ignore[no-any-return]


def lose_series(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """One of several series is not there."""
    if len(scene.series) < 3 or scene.type in ("pie", "histogram"):
        return None
    number = rng.randrange(len(scene.series))
    left = (*scene.series[:number], *scene.series[number + 1 :])
    palette = (*scene.theme.palette[:number], *scene.theme.palette[number + 1 :])
    names = scene.categories
    if scene.type == "box plot":
        names = (*names[:number], *names[number + 1 :])
        palette = scene.theme.palette
    theme = replace(scene.theme, palette=palette)
    return replace(scene, series=left, theme=theme, categories=names, peak=None)


def lose_points(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """One category, or one place, is not there."""
    if scene.type not in ONE_VALUE_EACH or scene.type == "pie" or scene.peak:
        return None
    count = len(scene.series[0].values)
    if count < 3 or scene.tilted:
        return None
    index = rng.randrange(count)

    def without(values: tuple[float, ...]) -> tuple[float, ...]:
        return (*values[:index], *values[index + 1 :])

    series = tuple(
        replace(one, values=without(one.values), at=without(one.at)) for one in scene.series
    )
    names = (*scene.categories[:index], *scene.categories[index + 1 :])
    return replace(scene, series=series, categories=names)


def swap_legend(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """Two entries of the legend have each other's texts."""
    if scene.legend == "none" or len(scene.entries) < 2:
        return None
    first, second = rng.sample(range(len(scene.entries)), 2)
    if scene.type == "pie":
        names = [*scene.categories]
        names[first], names[second] = names[second], names[first]
        return replace(scene, categories=tuple(names))
    series = [*scene.series]
    series[first] = replace(series[first], name=scene.series[second].name)
    series[second] = replace(series[second], name=scene.series[first].name)
    return replace(scene, series=tuple(series))


def recolor(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """One series has another color."""
    if scene.type == "heat map":
        return None
    many = len(scene.entries) if scene.type != "box plot" else 1
    number = rng.randrange(max(many, 1))
    others = [one for one in ("#111111", "#00c2ff", "#ffb703") if one not in scene.theme.palette]
    palette = [*scene.theme.palette]
    palette[number] = rng.choice(others)
    return replace(scene, theme=replace(scene.theme, palette=tuple(palette)))


def stretch_axis(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """The axis of values ends elsewhere."""
    if scene.type in ("pie", "heat map"):
        return None
    steps = max(round(severity * 2 * (scene.y.high - scene.y.low) / scene.y.step), 1)
    return replace(scene, y=replace(scene.y, high=scene.y.high + steps * scene.y.step))


def change_type(scene: ChartScene, severity: float, rng: Random) -> Wrong:
    """The same values are drawn in another way."""
    others = {"bar": "line", "line": "bar", "grouped bars": "line"}
    if scene.type not in others or scene.numeric or scene.horizontal or scene.peak:
        return None
    type = others[scene.type]
    if type == "bar" and len(scene.series) > 1:
        type = "grouped bars"
    return replace(scene, type=type, labels=False)


Mistake = Callable[[ChartScene, float, Random], Wrong]

MISTAKES: dict[str, tuple[Mistake, bool]] = {
    "value wrong": (change_value, False),
    "series missing": (lose_series, False),
    "series extra": (lose_series, True),
    "point missing": (lose_points, False),
    "point extra": (lose_points, True),
    "legend swapped": (swap_legend, False),
    "series recolored": (recolor, False),
    "axis range": (stretch_axis, False),
    "chart type": (change_type, False),
}
"""Kind of finding → what makes it of a right scene, and whether the changed scene is the right one."""


def main() -> int:
    """Prints a row for each kind and format; returns 1 if one is below `LEAST`."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("formats", nargs="*", default=FORMATS, metavar="FORMAT")
    parser.add_argument("--scenes", type=int, default=20, help="of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print what is not as it should be")
    options = parser.parse_args()
    print(HEADER)
    enough = [
        row
        for format in options.formats
        for row in measure(format, options.scenes, options.seed, options.verbose)
    ]
    return int(not all(enough))


def measure(format: str, count: int, seed: int, verbose: bool) -> Iterator[bool]:
    """Prints the rows of one format; yields whether each is enough."""
    rows: dict[str, list[tuple[bool, int, int, float]]] = defaultdict(list)
    for number in range(count):
        rng = Random(f"{seed} {number}")
        type, level = TYPES[number % len(TYPES)], LEVELS[number % len(LEVELS)]
        scene = draw_chart(rng, level, "en", type=type)
        right = draw_layout(format, scene, 1)
        if right is None:
            continue
        again = draw_layout(format, scene, 2)
        pairs = [("nothing", again, right)] if again else []
        for place, (kind, (change, turned)) in enumerate(MISTAKES.items()):
            severity = SEVERITIES[(number + place) % len(SEVERITIES)]
            wrong = change(scene, severity, rng)
            drawn = draw_layout(format, wrong, 2) if wrong else None
            if drawn:
                pairs.append((kind, right, drawn) if turned else (kind, drawn, right))
        for kind, prediction, reference in pairs:
            compared = compare_charts(prediction, reference)
            assert compared is not None
            kinds = {one.kind for one in compared.findings}
            hit = kind in kinds or kind == "nothing"
            alike = chart_similarity(prediction, reference) or 0.0
            rows[kind].append((hit, len(kinds & {kind}), len(kinds), alike))
            if verbose and kinds != {kind} - {"nothing"}:
                print(format, number, type, kind, compared.clauses)
    for kind, found in rows.items():
        recall = sum(hit for hit, *_ in found) / len(found)
        told = sum(all_kinds for _, _, all_kinds, _ in found)
        precision = sum(right_kinds for _, right_kinds, _, _ in found) / told if told else 1.0
        alike = sum(value for *_, value in found) / len(found)
        print(
            f"| {kind} | `{format}` | {len(found)} | {recall:.1%} | {precision:.1%} | {alike:.3f} |",
            flush=True,
        )
        yield min(recall, precision) >= LEAST


def draw_layout(format: str, scene: ChartScene, first: int) -> PictureLayout | None:
    """Returns what is on a picture of a scene, or None where no way of writing it tells its data."""
    if format not in KIND.formats_of(scene):
        return None
    for seed in range(first, 2 * TRIES + first, 2):
        code = KIND.writers[format](scene, Random(seed))
        if format == "canvas" and "chart.js" not in code:
            continue
        try:
            layout = render(format, code, protocol="corrected", layout=True).layout
        except RenderError:
            return None
        return layout if layout and layout.charts else None
    return None


if __name__ == "__main__":
    raise SystemExit(main())
