"""Times the renderers of this checkout and of another one on the same completions, in turn.

    python benchmarks/compare_renderers.py OTHER_CHECKOUT [FORMAT ...] [--count 12] [--rounds 5]

Each side has a process and engines of its own. Every completion goes through both, one right after
the other and in changing order, on one core, so that other programs on the machine matter little.
Prints the medians for each format and the median of the pairs' ratios: above 1, this checkout is
slower. Completions that end in another way or in a picture of another size are another task and left
out; how many is printed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from completions import completions
from helm_structext.formats import rendered_formats

ROOT = Path(__file__).parent.parent
SIDE = """
import json, sys, time
from helm_structext import renderers
from helm_structext.errors import RenderError

render = getattr(renderers, "render_completion", renderers.render)
for line in sys.stdin:
    start = time.perf_counter()
    try:
        end = render(*json.loads(line)).image.size
    except RenderError as error:
        end = error.kind
    print(json.dumps([time.perf_counter() - start, end]), flush=True)
"""


class Side:
    """The renderers of a checkout, in a process of their own."""

    def __init__(self, checkout: Path) -> None:
        path = os.pathsep.join([str(checkout / "src"), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-c", SIDE],
            env={**os.environ, "PYTHONPATH": path, "HELM_STRUCTEXT_WORKERS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def rendered(self, format: str, completion: str) -> tuple[float, object]:
        """Renders it, and returns the wall time, and the picture's size or the kind of error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([format, completion]), file=self._process.stdin, flush=True)
        seconds, end = json.loads(self._process.stdout.readline())
        return seconds, end


def main() -> None:
    """Prints a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, metavar="OTHER_CHECKOUT")
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--count", type=int, default=12, help="completions of each format")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    sides = [Side(options.other.resolve()), Side(ROOT)]
    print("| format | completions | other, median s | this, median s | ratio | left out |")
    print("|---|---|---|---|---|---|")
    for format in options.formats or rendered_formats():
        chosen = completions(format)[: options.count]
        # Engines start.
        alike = [
            completion
            for completion in chosen
            if len({repr(side.rendered(format, completion)[1]) for side in sides}) == 1
        ]
        pairs = []
        for number in range(options.rounds):
            for completion in alike:
                times = {
                    side: side.rendered(format, completion)[0] for side in sides[:: (-1) ** number]
                }
                pairs.append([times[side] for side in sides])
        if not pairs:
            print(f"| {format} | 0 | | | | {len(chosen)} |", flush=True)
            continue
        other, this = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(ours / theirs for theirs, ours in pairs)
        print(
            f"| {format} | {len(alike)} | {other:.3f} | {this:.3f} | {ratio:.2f} "
            f"| {len(chosen) - len(alike)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
