"""Renders each page and sample many times, idle and beside busy processes: one hash each.

    python benchmarks/determinism.py [--times 30] [--busy 8] [--samples 4] [--folder FOLDER --files 100]

Prints how far it is, at once what came out in another way, and all of it in the end, which may be early (Ctrl+C).
Exits with an error if anything came out in more than one way.
"""

import argparse
import hashlib
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.formats import rendered_formats
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render, render_completion
from helm_structext.sandbox.pool import worker_count
from steady_pages import pages
from world_files import find_files

Job = tuple[str, str, str, Callable[[str, str], Any]]
"""Name, format, code or completion, and what renders it."""

EVERY = 30.0
"""Seconds from one line that says how far it is to the next."""

BUSY = [sys.executable, "-c", "while True: pass"]


def main() -> int:
    """Renders all of it, first on the machine as it is, then beside busy processes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=30, help="each page, idle and busy")
    parser.add_argument("--busy", type=int, default=8, help="processes beside")
    parser.add_argument("--samples", type=int, default=4, help="of each format")
    parser.add_argument(
        "--folder", type=Path, help="of files, as benchmarks/world_files.py reads it"
    )
    parser.add_argument("--files", type=int, default=100, help="of the folder, evenly drawn")
    parser.add_argument(
        "--protocol", choices=PROTOCOLS, default="published", help="by which the files are drawn"
    )
    parser.add_argument(
        "--only-files", action="store_true", help="neither pages nor samples, only the folder's"
    )
    options = parser.parse_args()
    jobs: list[Job] = [] if options.only_files else [*own_jobs(options.samples)]
    if options.folder:
        files = [*find_files(options.folder)]
        draw = partial(render, protocol=options.protocol)
        jobs += [
            (f"{format}: {path.name}", format, path.read_text("utf-8", "replace"), draw)
            for format, path in files[:: max(1, len(files) // options.files)][: options.files]
        ]
    print(f"{len(jobs)} pages, samples and files, {options.times} times idle and busy each")
    seen: dict[str, Counter[str]] = {name: Counter() for name, *_ in jobs}
    signal.signal(signal.SIGTERM, interrupt)
    try:
        for busy in (0, options.busy):
            draw_all(jobs, options.times, busy, seen)
    except KeyboardInterrupt:
        print("ended early")
    print(describe_seen(seen), flush=True)
    several = {name: found for name, found in seen.items() if len(found) > 1}
    for name, found in several.items():
        print(f"{name}: {dict(found)}")
    return 1 if several else 0


def own_jobs(samples: int) -> Iterator[Job]:
    """Yields the pages of `steady_pages`, and some samples of each format."""
    for name, format, code in pages():
        yield f"{format}: {name}", format, code, render
    for format in rendered_formats():
        for number, code in enumerate(completions(format)[:samples]):
            yield f"{format}: sample {number}", format, code, render_completion


def draw_all(jobs: list[Job], times: int, busy: int, seen: dict[str, Counter[str]]) -> None:
    """Renders all jobs some times, one after the other, beside busy processes, and notes what came of it."""
    print(f"beside {busy} busy processes", flush=True)
    start = told = time.monotonic()
    threads = ThreadPoolExecutor(worker_count())
    beside = [subprocess.Popen(BUSY) for _ in range(busy)]
    try:
        for name, key in threads.map(outcome, [job for job in jobs for _ in range(times)]):
            if seen[name] and key not in seen[name]:
                print(f"another hash: {name}", flush=True)
            seen[name][key] += 1
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                print(f"{told - start:.0f} s: {describe_seen(seen)}", flush=True)
    finally:
        threads.shutdown(cancel_futures=True)
        for process in beside:
            process.kill()
            process.wait()
    print(f"{time.monotonic() - start:.0f} s: {describe_seen(seen)}", flush=True)


def describe_seen(seen: dict[str, Counter[str]]) -> str:
    """How many were drawn more than once, and how many of these have one hash."""
    drawn = [found for found in seen.values() if found.total() > 1]
    one = sum(len(found) == 1 for found in drawn)
    renderings = sum(found.total() for found in seen.values())
    return f"{one} of {len(drawn)} have one hash ({renderings} renderings)"


def interrupt(*_: object) -> None:
    """Ends the work as Ctrl+C does, so that what was seen is printed."""
    raise KeyboardInterrupt


def outcome(job: Job) -> tuple[str, str]:
    """Returns the job's name, and the hash of its picture and text, or the error."""
    name, format, code, draw = job
    try:
        rendered = draw(format, code)
    except RenderError as error:
        return name, str(error)[:200]
    content = rendered.image.tobytes() + rendered.text.encode()
    return name, hashlib.sha256(content).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
