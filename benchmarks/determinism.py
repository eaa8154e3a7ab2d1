"""Renders each page and sample many times, idle and beside busy processes: one hash each.

    python benchmarks/determinism.py [--times 30] [--busy 8] [--samples 4] [--folder FOLDER --files 100]

Prints what came out in more than one way, and exits with an error if anything did.
"""

import argparse
import hashlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.formats import rendered_formats
from helm_structext.renderers import render, render_completion
from helm_structext.sandbox.pool import worker_count
from steady_pages import pages
from world_files import find_files

Job = tuple[str, str, str, Callable[[str, str], Any]]
"""Name, format, code or completion, and what renders it."""

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
    options = parser.parse_args()
    jobs: list[Job] = [
        (f"{format}: {name}", format, code, render) for name, format, code in pages()
    ]
    jobs += [
        (f"{format}: sample {number}", format, code, render_completion)
        for format in rendered_formats()
        for number, code in enumerate(completions(format)[: options.samples])
    ]
    if options.folder:
        files = [*find_files(options.folder)]
        jobs += [
            (f"{format}: {path.name}", format, path.read_text("utf-8", "replace"), render)
            for format, path in files[:: max(1, len(files) // options.files)][: options.files]
        ]
    print(f"{len(jobs)} pages, samples and files, {options.times} times idle and busy each")
    seen: dict[str, Counter[str]] = {name: Counter() for name, *_ in jobs}
    for busy in (0, options.busy):
        beside = [subprocess.Popen(BUSY) for _ in range(busy)]
        start = time.monotonic()
        try:
            with ThreadPoolExecutor(worker_count()) as threads:
                for name, key in threads.map(outcome, jobs * options.times):
                    seen[name][key] += 1
        finally:
            for process in beside:
                process.kill()
                process.wait()
        several = {name: found for name, found in seen.items() if len(found) > 1}
        print(
            f"beside {busy} busy processes: {time.monotonic() - start:.0f} s; "
            f"{len(seen) - len(several)} of {len(seen)} have one hash",
            flush=True,
        )
    for name, found in several.items():
        print(f"{name}: {dict(found)}")
    return 1 if several else 0


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
