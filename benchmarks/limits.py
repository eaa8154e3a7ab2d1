"""Times our renderers and the bare engines on the same completions: on one core, and on two.

    python benchmarks/limits.py [FORMAT ...] [--count 12] [--rounds 3] [--one-core]

What a rendering costs at least is what its engine takes, warm, without a sandbox, without a pool, and
with nothing decoded (`bare_engines.py`). On one core, every completion goes through the bare engine
and through ours, one right after the other and in changing order, so that other programs on the
machine matter little. Then all of them go through ours on one core and on two, in turn, and through
the bare engine, which shows what the engine itself gains by a second core. Completions that are not
rendered are left out.

Prints a Markdown table of medians: `ratio` is the median of the pairs' ratios, 1 where ours costs
nothing, and `same` says of how many completions both have the same picture. Of formats whose ratio is
above `MOST`, a second table says where the time goes.
"""

import argparse
import io
import os
import platform
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import date
from queue import SimpleQueue
from typing import Any, NamedTuple
from unittest.mock import patch

from PIL import Image, ImageChops

from bare_engines import BOUNDARIES, Bare, Chromium, Step, recorded
from completions import completions
from cores import bind, timed
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.renderers import engine, render
from helm_structext.renderers.web.browser import Browser
from helm_structext.renderers.web.javascript import Compiler
from helm_structext.renderers.web.tab import Tab
from helm_structext.sandbox import ForkServer

MOST = 1.25
"""Ratio above which it is said where the time goes."""
FEWEST_MS = 0.5
"""Milliseconds of a stage that is listed."""
REPEATS = 2
"""How often a turn on one core or two takes all completions, so that it counts little that one waits at the end."""
FOOTERS = {"latex": 0.2, "lilypond": 0.2}
"""What is cut off a page of the published protocol."""
HEADER = """\
| format | completions | bare, ms | ours, ms | ratio | ours, times on two cores | bare, times on two cores | same |
|---|---|---|---|---|---|---|---|"""


class Job(NamedTuple):
    """Code, what ours asks of the engines for it, and the picture."""

    code: str
    steps: Sequence[Step]
    image: Image.Image


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--count", type=int, default=12, help="completions of each format")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one-core", action="store_true", help="without what a second one gains")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    several = len(cores) > 1 and not options.one_core
    print(f"{date.today()}, {platform.machine()}, load {os.getloadavg()[0]:.1f}\n\n{HEADER}")
    slow = []
    for format in options.formats or rendered_formats():
        bind(cores[:1])
        jobs = jobs_of(format, options.count)
        pairs = paired(format, jobs, options.rounds)
        bare, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for other, one in pairs)
        cells = [
            format,
            len(jobs),
            f"{1000 * bare:.0f}",
            f"{1000 * ours:.0f}",
            f"{ratio:.2f}",
            *(gains(format, jobs, options.rounds, cores) if several else "––"),
            same(format, jobs),
        ]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        if ratio > MOST:
            slow.append((format, jobs))
    bind(cores[:1])
    if slow:
        print("\n| format | stage | bare, ms | ours, ms |\n|---|---|---|---|")
    for format, jobs in slow:
        print_stages(format, jobs)
    print(f"\nload {os.getloadavg()[0]:.1f}")


def jobs_of(format: str, count: int) -> list[Job]:
    """Completions of a format that are rendered, from all over the samples."""
    render(format, FORMATS[format].blank)  # engines start, and TeX's preamble is dumped
    jobs: list[Job] = []
    found = completions(format)
    for completion in random.Random(1).sample(found, len(found)):
        with recorded() as steps:
            try:
                code = extract(completion, format)
                image = render(format, code).image
            except RenderError:
                continue
        jobs.append(Job(code, steps, image))
        if len(jobs) == count:
            break
    return jobs


def paired(format: str, jobs: Sequence[Job], rounds: int) -> list[tuple[float, float]]:
    """Seconds of the bare engine and of ours, for each completion and round."""
    pairs = []
    with bare_engines(format, 1) as draw:
        sides = [draw, lambda job: ours(format, job)]
        draw(jobs[0])
        for number in range(rounds):
            for job in jobs:
                times = {side: timed(side, job)[0] for side in sides[:: (-1) ** number]}
                pairs.append((times[sides[0]], times[sides[1]]))
    return pairs


def ours(format: str, job: Job) -> None:
    """Renders code as anybody does."""
    render(format, job.code)


@contextmanager
def bare_engines(format: str, count: int) -> Iterator[Callable[[Job], bytes]]:
    """Gives a function that any number of threads may call, each of which gets an engine."""
    idle: SimpleQueue[Bare] = SimpleQueue()
    with ExitStack() as stack:
        for _ in range(count):
            bare = Bare(format)
            stack.callback(bare.close)
            idle.put(bare)

        def draw(job: Job) -> bytes:
            bare = idle.get()
            try:
                return bare.draw(job.steps)
            finally:
                idle.put(bare)

        yield draw


def gains(format: str, jobs: Sequence[Job], rounds: int, cores: list[int]) -> Iterator[str]:
    """How many times as fast two cores are as one: ours, and the bare engines."""

    def seconds(draw: Callable[[Job], Any], count: int) -> float:
        with ThreadPoolExecutor(count) as threads:
            list(threads.map(draw, jobs[: 2 * count]))  # engines start
            start = time.perf_counter()
            list(threads.map(draw, [*jobs] * REPEATS))
            return time.perf_counter() - start

    def of_ours(count: int) -> float:
        bind(cores[:count])
        return seconds(lambda job: ours(format, job), count)

    def of_bare(count: int) -> float:
        bind(cores[:count])
        with bare_engines(format, count) as draw:
            return seconds(draw, count)

    for measured in (of_ours, of_bare):
        ratios = [measured(1) / measured(len(cores)) for _ in range(rounds)]
        yield f"{statistics.median(ratios):.2f}"


def same(format: str, jobs: Sequence[Job]) -> int:
    """Of how many completions the bare engine makes the same picture."""

    def is_same(job: Job) -> bool:
        with Image.open(io.BytesIO(draw(job))) as image:
            page = image.convert("RGB")
        if format in FOOTERS:
            page = engine.crop_to_ink(page, FOOTERS[format])
        return page.size == job.image.size and not ImageChops.difference(page, job.image).getbbox()

    with bare_engines(format, 1) as draw:
        return sum(map(is_same, jobs))


class Stages:
    """Where time goes: seconds of each stage, without those of the stages within it."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._within: list[float] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Counts the time of what is done in here."""
        self._within.append(0.0)
        start = time.perf_counter()
        try:
            yield
        finally:
            took = time.perf_counter() - start
            self.seconds[name] += took - self._within.pop()
            if self._within:
                self._within[-1] += took

    def watching(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """A function whose calls are a stage, or, without a name, one for each first argument."""

        def watched(*arguments: Any, **options: Any) -> Any:
            with self.stage(name or str(arguments[1])):
                return function(*arguments, **options)

        return watched


STAGES: list[tuple[Any, str, str]] = [
    *((owner, name, f"engine: {name_of}") for owner, name, name_of in BOUNDARIES),
    (ForkServer, "reusable", "whether the engine is as before"),
    (Compiler, "reusable", "whether the compiler is as before"),
    (Browser, "reusable", "whether the browser is as before"),
    (engine, "decode", "decoding"),
    (Tab, "_rest", "the page's clock"),
    (Tab, "_call", ""),
    *((Bare, name_of, f"engine: {name_of}") for _, _, name_of in BOUNDARIES),
    (Chromium, "_wait", "loading"),
    (Chromium, "_call", ""),
]
"""Owner, function, and stage; without one, the command to the browser is the stage."""


def print_stages(format: str, jobs: Sequence[Job]) -> None:
    """Prints what takes how many milliseconds of a rendering, on average."""
    with bare_engines(format, 1) as draw:
        sides: list[Callable[[Job], Any]] = [draw, lambda job: ours(format, job)]
        found = []
        for side in sides:
            side(jobs[0])
            stages = Stages()
            with ExitStack() as patches:
                for owner, name, stage in STAGES:
                    watched = stages.watching(getattr(owner, name), stage)
                    patches.enter_context(patch.object(owner, name, watched))
                for job in jobs:
                    with stages.stage("all else"):
                        side(job)
            found.append({name: 1000 * s / len(jobs) for name, s in stages.seconds.items()})
    bare, our = found
    for name in sorted({**our, **bare}, key=lambda name: -our.get(name, 0)):
        if max(our.get(name, 0), bare.get(name, 0)) >= FEWEST_MS:
            print(f"| {format} | {name} | {bare.get(name, 0):.1f} | {our.get(name, 0):.1f} |")


if __name__ == "__main__":
    main()
