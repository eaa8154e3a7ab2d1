"""What it costs to tell what is on a picture, beside the rendering itself.

    python benchmarks/layout_costs.py [FORMAT ...] [--count 6] [--pairs 3]

Every completion of the samples is rendered with and without its layout, in pairs whose order changes, so that
other programs on the machine matter little. Prints, for each format, the median times, the median of what a pair
differs by as a share of the rendering, and how many boxes and how many reasons for none there were.
"""

import argparse
import random
import time
from statistics import median

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import rendered_formats
from helm_structext.renderers import Rendering, engine_of, render

MOST = 0.15
"""The share of a rendering's time that a layout may take."""
HEADER = """\
| format | completions | median ms without | with | more, share | texts | elements | without a layout |
|---|---|---|---|---|---|---|---|"""


def main() -> int:
    """Prints a row for each format; returns 1 if a layout costs too much."""
    told = [format for format in rendered_formats() if engine_of(format).draw_with_layout]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("formats", nargs="*", default=told, metavar="FORMAT")
    parser.add_argument("--count", type=int, default=6, help="completions of each format")
    parser.add_argument("--pairs", type=int, default=3, help="of each completion")
    options = parser.parse_args()
    print(HEADER)
    shares = [measure(format, options.count, options.pairs) for format in options.formats]
    return int(max(shares) > MOST)


def measure(format: str, count: int, pairs: int) -> float:
    """Prints the row of one format; returns the share."""
    found = completions(format)
    codes = random.Random(1).sample(found, min(count, len(found)))
    plain: list[float] = []
    told: list[float] = []
    renderings: list[Rendering] = []
    used = 0
    for code in codes:
        try:
            source = extract(code, format)
            renderings.append(render(format, source, layout=True))  # It also starts the engine.
        except RenderError:
            continue
        used += 1
        for number in range(pairs):
            for layout in (False, True) if number % 2 else (True, False):
                start = time.perf_counter()
                render(format, source, layout=layout)
                (told if layout else plain).append(time.perf_counter() - start)
    share = median((after - before) / before for before, after in zip(plain, told, strict=True))
    layouts = [one.layout for one in renderings if one.layout]
    texts = sum(len(one.texts) for one in layouts)
    elements = sum(len(one.elements) for one in layouts)
    print(
        f"| `{format}` | {used} | {1000 * median(plain):.0f} | {1000 * median(told):.0f} | {share:.1%} "
        f"| {texts} | {elements} | {used - len(layouts)} |",
        flush=True,
    )
    return share


if __name__ == "__main__":
    raise SystemExit(main())
