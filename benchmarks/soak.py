"""Renders thousands of mixed completions in one go and looks for what leaks, is lost or differs.

    python benchmarks/soak.py [--count 2000] [--hostile 0.2]

The completions are the samples' own, over and over, as many of each format; a share of them are the
hostile ones of the tests. Prints what this process and its engines held in each tenth of the time, and
exits with an error unless every result is there, each completion gave the same picture byte for byte
whenever it was rendered, and nothing is left at the end.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import rendered_formats
from helm_structext.renderers import render
from helm_structext.sandbox import MIB, pool, tree
from looks import by_tenths, looking

ROOT = Path(__file__).parent.parent
SECONDS = 5  # for those that never end


class Job(NamedTuple):
    """A completion, and how it ends; None for one of the samples."""

    format: str
    code: str
    end: str | None


def main() -> None:
    """Runs the soak."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--hostile", type=float, default=0.2, help="share of them")
    options = parser.parse_args()
    jobs = mixed(options.count, options.hostile)
    print(
        f"{len(jobs)} completions, {sum(job.end is not None for job in jobs)} hostile", flush=True
    )
    before, start = files(), time.monotonic()
    with looking(os.getpid()) as looks:
        ends = soak(jobs)
    seconds = time.monotonic() - start
    print(f"{seconds:.0f} s, {len(jobs) / seconds:.1f} a second\n{by_tenths(looks)}")
    pool.workers.close()
    wrong = [*differing(jobs, ends)]
    wrong += [f"process left: {pid}" for pid in tree(os.getpid())[1:]]
    wrong += [f"file left: {path}" for path in files() - before]
    print("ends:", dict(Counter(map(kind, ends))))
    print("\n".join(wrong[:20]) or "every result present, all pictures the same, nothing left")
    sys.exit(bool(wrong))


def mixed(count: int, hostile: float) -> list[Job]:
    """The jobs, in the same random order each time."""
    sys.path.append(str(ROOT / "tests" / "support"))
    from attacks import ATTACKS

    chance = random.Random(1)
    samples = [
        [Job(format, code, None) for code in completions(format)] for format in rendered_formats()
    ]
    attacks = [
        Job(format, attack.code, attack.end)
        for format, all_of_it in ATTACKS.items()
        for attack in all_of_it.values()
        if len(attack.code) < MIB and "HUGE" not in attack.code
    ]
    return [
        chance.choice(attacks if chance.random() < hostile else chance.choice(samples))
        for _ in range(count)
    ]


def soak(jobs: list[Job]) -> list[str]:
    """Renders all and returns a hash of each picture, or the kind of error."""
    with ThreadPoolExecutor(2 * pool.worker_count()) as threads:
        return list(threads.map(end, jobs))


def differing(jobs: list[Job], ends: list[str]) -> Iterator[str]:
    """Yields what did not end as it should, or as it did before."""
    known: dict[Job, str] = {}
    for job, found in zip(jobs, ends, strict=True):
        right = known.setdefault(job, found) if job.end is None else job.end
        if (found if job.end is None else kind(found)) != right:
            yield f"{job.format}: {found} instead of {right}: {job.code[:80]!r}"


def end(job: Job) -> str:
    """A hash of the picture, or the kind of error."""
    code = job.code.replace("CANARY", "/nowhere/canary").replace("PORT", "9")
    try:
        code = extract(code, job.format)
        image = render(job.format, code, timeout=SECONDS if job.end == "timeout" else None).image
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
