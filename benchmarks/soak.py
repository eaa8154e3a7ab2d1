"""Renders thousands of mixed completions in one go and looks for what leaks, is lost or differs.

    python benchmarks/soak.py [--count 2000] [--hostile 0.2]

Renders the samples' own completions once, to know their pictures and how long each format takes; then
over and over, as many seconds of each format, with a share of the tests' hostile ones among them.
Prints what this process and its engines held in each tenth, and at once what differs: a completion
that gave another picture, byte for byte, or ended otherwise. Exits with an error if anything did, or
is left at the end.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from completions import completions
from cores import timed
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import rendered_formats
from helm_structext.renderers import render
from helm_structext.sandbox import MIB, pool, tree
from looks import looking, mean

ROOT = Path(__file__).parent.parent


class Job(NamedTuple):
    """A completion, how it ends (None for one of the samples), and the seconds that it may take."""

    format: str
    code: str
    end: str | None = None
    seconds: float | None = None


def main() -> None:
    """Runs the soak."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--hostile", type=float, default=0.2, help="share of them")
    options = parser.parse_args()
    before, start = files(), time.monotonic()
    known, seconds = first_time()
    jobs = mixed(options.count, options.hostile, seconds)
    counts = Counter(job.format for job in jobs)
    print(f"{len(known)} once in {time.monotonic() - start:.0f} s; then {dict(counts)}", flush=True)
    wrong: list[str] = []
    kinds, start = Counter[str](), time.monotonic()
    with ThreadPoolExecutor(2 * pool.worker_count()) as threads:
        for tenth in range(10):
            part = jobs[len(jobs) * tenth // 10 : len(jobs) * (tenth + 1) // 10]
            with looking(os.getpid()) as looks:
                ends = list(threads.map(end, part))
            kinds.update(map(kind, ends))
            print(f"{kinds.total()} in {time.monotonic() - start:.0f} s:", mean(looks), flush=True)
            for difference in differing(part, ends, known):
                wrong.append(difference)
                print(difference, flush=True)
    pool.workers.close()
    left = [f"process left: {pid}" for pid in tree(os.getpid())[1:]]
    left += [f"file left: {path}" for path in files() - before]
    print(f"{sum(job.end is not None for job in jobs)} hostile; ends: {dict(kinds)}")
    print("\n".join(left) or "nothing left")
    print(f"{len(wrong)} differ")
    sys.exit(bool(wrong or left))


def first_time() -> tuple[dict[Job, str], dict[str, float]]:
    """How each sample ends, and how long those of each format take on average."""
    jobs = [Job(format, code) for format in rendered_formats() for code in completions(format)]
    with ThreadPoolExecutor(pool.worker_count()) as threads:
        found = list(threads.map(partial(timed, end), jobs))
    known: dict[Job, str] = {}
    taken: defaultdict[str, list[float]] = defaultdict(list)
    for job, (seconds, ended) in zip(jobs, found, strict=True):
        known[job] = ended
        taken[job.format].append(seconds)
    return known, {format: fmean(seconds) for format, seconds in taken.items()}


def mixed(count: int, hostile: float, seconds: Mapping[str, float]) -> list[Job]:
    """As many jobs, in random order; samples so that each format takes as long as the others."""
    sys.path.append(str(ROOT / "tests" / "support"))
    from attacks import ATTACKS, ENDLESS_SECONDS

    chance = random.Random(1)
    samples = {format: completions(format) for format in seconds}
    formats = chance.choices([*seconds], [1 / one for one in seconds.values()], k=count)
    attacks = [
        Job(format, attack.code, attack.end, ENDLESS_SECONDS if attack.end == "timeout" else None)
        for format, all_of_it in ATTACKS.items()
        for attack in all_of_it.values()
        if len(attack.code) < MIB and "HUGE" not in attack.code
    ]
    return [
        chance.choice(attacks)
        if chance.random() < hostile
        else Job(format, chance.choice(samples[format]))
        for format in formats
    ]


def differing(jobs: list[Job], ends: list[str], known: Mapping[Job, str]) -> Iterator[str]:
    """Yields what did not end as it should, or as it did the first time."""
    for job, found in zip(jobs, ends, strict=True):
        right = job.end or known[job]
        if (kind(found) if job.end else found) != right:
            yield f"{job.format}: {found} instead of {right}: {job.code[:80]!r}"


def end(job: Job) -> str:
    """A hash of the picture, or the kind of error."""
    code = job.code.replace("CANARY", "/nowhere/canary").replace("PORT", "9")
    try:
        code = extract(code, job.format)
        image = render(job.format, code, timeout=job.seconds).image
    except RenderError as error:
        return error.kind
    return hashlib.sha256(json.dumps(image.size).encode() + image.tobytes()).hexdigest()


def kind(result: str) -> str:
    """The kind of error, or ``drawn``."""
    return "drawn" if len(result) == 64 else result


def files() -> set[Path]:
    """What lies in the folder for temporary files, as far as it is ours."""
    return set(Path(tempfile.gettempdir()).glob("helm-structext*"))


if __name__ == "__main__":
    main()
