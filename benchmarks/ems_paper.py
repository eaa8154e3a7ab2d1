"""The earth mover similarity by the paper's equations beside the published program's, as pictures grow.

    python benchmarks/ems_paper.py

Prints a Markdown table: of pairs of a page, of a table of small print and of noise, in several sizes,
processor time, peak memory and value of both metrics, and how far apart the bounds of the paper's are.
The two take turns on each pair. Each measurement has a process of its own, which has not seen the
pictures before. Needs the pictures in tests/golden.
"""

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from helm_structext.metrics import earth_mover_similarity, earth_mover_similarity_paper

IMAGES = Path(__file__).parent.parent / "tests" / "golden" / "images"
SIZES = [(320, 180), (640, 360), (1280, 720), (1920, 1080), (3840, 2160)]
REPEATS = 3
MB = 2**20 / (1 if sys.platform == "darwin" else 1024)

Pair = tuple[Image.Image, Image.Image]


class Measured(NamedTuple):
    """One call of a metric."""

    seconds: float
    megabytes: float
    value: float
    gap: float


def main() -> None:
    """Prints the table."""
    for metric in METRICS:
        metric(Image.new("L", (9, 9)), Image.new("L", (9, 9), 255))  # imports what it needs
    print(
        "| pair | size | published, ms | MB | value | paper, ms | MB | value | bounds apart | paper ÷ published, time |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, make in PAIRS.items():
        for size in SIZES:
            pair = make(size)
            turns = [[measured(metric, pair) for metric in METRICS] for _ in range(REPEATS)]
            published, paper = (min(of_metric) for of_metric in zip(*turns, strict=True))
            cells = (
                f"{1000 * one.seconds:.0f} | {one.megabytes:.0f} | {one.value:.3f}"
                for one in (published, paper)
            )
            ratio = paper.seconds / published.seconds
            print(
                f"| {name} | {size[0]}×{size[1]} | {' | '.join(cells)} | {paper.gap:.4f} | {ratio:.1f} |",
                flush=True,
            )


def published(*pair: Any) -> tuple[float, float]:
    """The published program's similarity, which is exact."""
    return earth_mover_similarity(*pair), 0.0


def paper(*pair: Any) -> tuple[float, float]:
    """The paper's similarity, and how far its bounds are apart."""
    value, bounds = earth_mover_similarity_paper(*pair, explain=True)
    return value, bounds.high - bounds.low


METRICS = (published, paper)


def measured(metric: Callable[..., tuple[float, float]], pair: Pair) -> Measured:
    """Calls a metric in a process of its own."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(metric, pair, sending))
    process.start()
    found: Measured = receiving.recv()
    process.join()
    return found


def _measure(metric: Callable[..., tuple[float, float]], pair: Pair, sending: Any) -> None:
    before, start = _peak(), time.process_time()
    value, gap = metric(*pair)
    sending.send(Measured(time.process_time() - start, _peak() - before, value, gap))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MB


def of_golden(prediction: str, reference: str) -> Callable[[tuple[int, int]], Pair]:
    """Returns how a pair of golden pictures is made in a size."""

    def make(size: tuple[int, int]) -> Pair:
        first, second = (
            Image.open(IMAGES / name).convert("RGB").resize(size)
            for name in (prediction, reference)
        )
        return first, second

    return make


def of_noise(size: tuple[int, int]) -> Pair:
    """Returns two pictures without anything in common, the worst case."""
    random = np.random.default_rng(0)
    first, second = (
        Image.fromarray(random.integers(0, 256, size[::-1], np.uint8)) for _ in range(2)
    )
    return first, second


PAIRS: dict[str, Callable[[tuple[int, int]], Pair]] = {
    "webpage": of_golden("web_light_b.png", "web_light_a.png"),
    "table": of_golden("tab_b.png", "tab_a.png"),
    "noise": of_noise,
}


if __name__ == "__main__":
    main()
