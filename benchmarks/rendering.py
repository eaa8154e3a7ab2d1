"""Times our renderers and HELM's own compilers on the same completions, in one run.

    pip install "crfm-helm[image2struct]"
    python benchmarks/rendering.py [FORMAT ...] [--count 24]

On one core, every completion goes through HELM's compiler and then at once through ours, so that
other programs on the machine matter little; then ours alone on one core and on all, in turn (HELM
compiles one at a time, whatever the number of threads). HELM has no compilers of StructEval's
formats. What its package lacks (the Gemfile and configuration of Jekyll, LilyPond at the path where
it looks) is supplied. Prints a Markdown table.
"""

import argparse
import os
import platform
import random
import statistics
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from helm.benchmark.annotation.image2struct.image_compiler_annotator import ImageCompilerAnnotator
from helm.benchmark.annotation.image2struct.latex_compiler_annotator import LatexCompilerAnnotator
from helm.benchmark.annotation.image2struct.lilypond_compiler_annotator import (
    LilypondCompilerAnnotator,
)
from helm.benchmark.annotation.image2struct.webpage_compiler_annotator import (
    WebpageCompilerAnnotator,
)
from helm.benchmark.scenarios.vision_language.image2struct.webpage import jekyll_server
from helm.common.cache import BlackHoleCacheConfig
from PIL import Image, ImageChops

from completions import completions
from cores import bind, timed
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import rendered_formats
from helm_structext.renderers import render
from helm_structext.sandbox import MIB, pool, program, tree, usage

BROKEN = {
    "latex": ["I can't read this image.", "$x", r"\begin{nothing}x\end{nothing}", r"\unknown", ""],
    "webpage": ["<p>No JSON", '[{"filename": "index.html", "content": "<p>'],
    "lilypond": ['\\version "2.24.0" { c d', "{ no version }", "A waltz in A."],
}
ROUNDS = 5
# So that it counts little that one core waits at the end for the other.
REPEATS = 2
HEADER = """\
| format | completions | HELM, median s | ours, median s | HELM, per s | ours, per s | ratio | \
ours on all cores, per s | times one core | peak MiB: HELM, ours, on all cores | MiB at rest | \
same result |
|---|---|---|---|---|---|---|---|---|---|---|---|"""
HELM: dict[str, type[ImageCompilerAnnotator]] = {
    "latex": LatexCompilerAnnotator,
    "webpage": WebpageCompilerAnnotator,
    "lilypond": LilypondCompilerAnnotator,
}


def main() -> None:
    """Prints a row for each format."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("formats", nargs="*", default=rendered_formats(), metavar="FORMAT")
    parser.add_argument("--count", type=int, default=24, help="completions of each format")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    print(
        f"{date.today()}, {platform.processor() or platform.machine()}, {len(cores)} cores\n\n{HEADER}"
    )
    with tempfile.TemporaryDirectory() as folder, supplied(Path(folder)):
        for format in options.formats:
            measure(format, chosen(format, options.count), cores)


def chosen(format: str, count: int) -> list[str]:
    """Completions of the samples, from all over them, and some that are broken."""
    found, broken = completions(format), BROKEN.get(format, [])
    return random.Random(1).sample(found, min(count - len(broken), len(found))) + broken


@contextmanager
def supplied(folder: Path) -> Iterator[None]:
    """What HELM needs and does not bring: files of Jekyll, and LilyPond where it looks for it."""
    defaults = Path(jekyll_server.__file__).parent
    made = {"Gemfile.default": 'gem "jekyll"\n', "_config.default.yml": "port: 4000\n"}
    missing = {
        defaults / name: text for name, text in made.items() if not (defaults / name).exists()
    }
    for path, text in missing.items():
        path.write_text(text)
    binaries = folder / LilypondCompilerAnnotator.base_path
    binaries.mkdir(parents=True)
    for name in ("lilypond", "convert-ly"):
        (binaries / name).symlink_to(program(name))
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        for path in missing:
            path.unlink()


def measure(format: str, codes: list[str], cores: list[int]) -> None:
    """Prints the row of one format."""
    compiler = HELM[format](BlackHoleCacheConfig(), "files") if format in HELM else None
    state: Any = SimpleNamespace(instance=SimpleNamespace(references=[]))

    def theirs(code: str) -> Image.Image | None:
        assert compiler is not None
        try:
            return compiler.compile_completion_into_image(state, code.strip())[0].convert("RGB")
        except Exception:  # HELM's failures have many types.
            return None

    def ours(code: str) -> Image.Image | None:
        try:
            return render(format, extract(code, format)).image
        except RenderError:
            return None

    bind(cores[:1])
    ours(codes[0])
    memory = {"HELM": 0, "ours": 0, "all": 0}
    rows = []
    for code in codes:
        with watched(memory, "HELM"):
            their = timed(theirs, code) if compiler else None
        with watched(memory, "ours"):
            rows.append((their, timed(ours, code)))

    def all_at(count: int) -> float:
        bind(cores[:count])
        with ThreadPoolExecutor(count) as threads:
            list(threads.map(ours, codes[: 2 * count]))
            return timed(lambda _: list(threads.map(ours, REPEATS * codes)), "")[0]

    # In turn, since other programs come and go; the memory apart, since watching takes time.
    rounds = [(all_at(1), all_at(len(cores))) for _ in range(ROUNDS)]
    with watched(memory, "all"):
        all_at(len(cores))
    at_rest = usage(tree(os.getpid())).memory
    pool.workers.close()
    at_rest -= usage(tree(os.getpid())).memory

    our_times = [our[0] for _, our in rows]
    their_times = [their[0] for their, _ in rows if their]
    alike = [same(their[1], our[1]) for their, our in rows if their]
    single, parallel = map(sum, zip(*rounds, strict=True))
    cells = [
        format,
        len(codes),
        f"{statistics.median(their_times):.2f}" if compiler else "–",
        f"{statistics.median(our_times):.2f}",
        f"{len(codes) / sum(their_times):.2f}" if compiler else "–",
        f"{len(codes) / sum(our_times):.2f}",
        f"{sum(their_times) / sum(our_times):.1f}" if compiler else "–",
        f"{ROUNDS * REPEATS * len(codes) / parallel:.2f}",
        f"{single / parallel:.2f}",
        ", ".join(f"{peak / MIB:.0f}" if peak else "–" for peak in memory.values()),
        f"{at_rest / MIB:.0f}",
        f"{sum(alike)}" if compiler else "–",
    ]
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


@contextmanager
def watched(memory: dict[str, int], name: str) -> Iterator[None]:
    """Keeps the most memory that this process and all below it have at a time."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            memory[name] = max(memory.get(name, 0), usage(tree(os.getpid())).memory - own)

    own = usage(tree(os.getpid())).memory
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def same(one: Image.Image | None, other: Image.Image | None) -> bool:
    """Whether both are no picture, or the same picture as far as HELM's window reaches.

    Today's Chromium takes its tool bar, 143 pixels, from the window that HELM asks for.
    """
    if one is None or other is None:
        return one is other
    if one.width != other.width or other.height - one.height not in (0, 143):
        return False
    return not ImageChops.difference(one, other.crop((0, 0, *one.size))).getbbox()


if __name__ == "__main__":
    main()
