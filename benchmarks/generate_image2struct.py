"""Times the generator of scenes, counts what is kept by kind and format, and measures its memory.

    python benchmarks/generate_image2struct.py [scenes of each kind] [kind …]

Prints Markdown tables: what became of a set in which each scene is written in all formats (100 scenes of
each kind unless the first argument says otherwise; some seconds of two cores for each scene), what
two seeds have in common, and the highest memory of processes that make ever larger sets. In these no
engine runs: what one would have drawn is noise, so that pictures are as large as real ones.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

from PIL import Image

from helm_structext.renderers import Rendering, render
from helm_structext.results.tabular import Cell, markdown
from helm_structext.sandbox import worker_count
from helm_structext.scenes.items import draw_number
from helm_structext.scenes.sets import generate_set
from helm_structext.scenes.settings import choose_settings

SEED = 2026
DRAWN = 5_000
"""Scenes of each kind and seed that are compared."""
COUNTS = (1_000, 5_000, 20_000)
"""Scenes of the sets whose memory is measured."""


class Clock:
    """A renderer that notes how long each format takes."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.pictures: Counter[str] = Counter()

    def __call__(self, format: str, source: str, *, protocol: str, layout: bool) -> Rendering:
        start = time.perf_counter()
        try:
            return render(format, source, protocol="corrected", layout=layout)
        finally:
            self.seconds[format] += time.perf_counter() - start
            self.pictures[format] += 1


def noise(format: str, source: str, *, protocol: str, layout: bool) -> Rendering:
    """A picture of 48 KB, the same for the same code."""
    image = Image.frombytes("RGB", (128, 128), Random(source).randbytes(3 * 128 * 128))
    return Rendering(image, source, source, "", 0.0, None)


def measure(count: int, kinds: list[str]) -> None:
    """Makes a set in this process, and prints its highest memory in MiB."""
    with tempfile.TemporaryDirectory() as name:
        settings = choose_settings(kinds=kinds, count=count, seed=SEED, proof=False)
        start = time.perf_counter()
        generate_set(settings, Path(name) / "set", noise)
        seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1024, seconds)


def print_memory(kinds: list[str]) -> None:
    rows: list[list[Cell]] = []
    for count in COUNTS:
        command = [sys.executable, __file__, "--memory", str(count), *kinds]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        peak, seconds = map(float, done.stdout.split())
        rows.append([f"{count:,}", f"{peak:.0f}", f"{1000 * seconds / count / len(kinds):.1f}"])
    print(markdown([f"scenes of {', '.join(kinds)}", "MiB", "ms a scene, without engines"], rows))


def print_shared(kinds: list[str]) -> None:
    rows: list[list[Cell]] = []
    for kind in kinds:
        drawn = [
            {
                repr(draw_number(settings, kind, number))
                for settings in [choose_settings(kinds=[kind], count=1, seed=seed)]
                for number in range(DRAWN)
            }
            for seed in (SEED, SEED + 1)
        ]
        rows.append([kind, *map(len, drawn), len(drawn[0] & drawn[1])])
    header = ["kind", f"different scenes of {DRAWN:,}", "of another seed", "in both"]
    print(markdown(header, rows))


def main(count: int, kinds: list[str]) -> None:
    settings = choose_settings(kinds=kinds, count=count, seed=SEED, parallel=True)
    clock = Clock()
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        made = generate_set(settings, Path(name) / "set", clock)
        seconds = time.perf_counter() - start
    rows: list[list[Cell]] = []
    for kind, record in made.items():
        for format in settings.formats:
            if tried := record.sums[format, "tried"]:
                wrong = {why: n for (of, why), n in record.dropped.items() if of == format}
                good = tried - sum(wrong.values())
                said = ", ".join(f"{number} {why}" for why, number in wrong.items())
                rows.append([kind, format, tried, f"{good / tried:.1%}", said])
        rows.append([kind, "all", record.tried, f"{record.kept / record.tried:.1%}", ""])
    print(markdown(["kind", "format", "drawn", "as they should be", "others"], rows))
    times: list[list[Cell]] = [
        [format, number, f"{clock.seconds[format] / number:.2f}"]
        for format, number in clock.pictures.items()
    ]
    print(f"\n{markdown(['format', 'pictures', 'seconds each'], times)}")
    print(
        f"\n{clock.pictures.total()} pictures in {seconds:.0f} s with {worker_count()} workers; load of "
        f"the machine {os.getloadavg()[0]:.1f} at the end\n"
    )
    print_shared(kinds)
    print()
    print_memory(kinds)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--memory", number, *named]:
            measure(int(number), named)
        case [*words]:
            named = list(choose_settings(kinds=words[1:] or ["all"], count=1, seed=SEED).kinds)
            main(int(words[0]) if words else 100, named)
