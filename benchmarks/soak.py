"""Renders thousands of mixed completions twice and looks for what leaks, is lost or differs.

    python benchmarks/soak.py [--count 2000]

Four in five completions are the samples' own, as many of each format, the others the hostile ones of
the tests. Prints what this process, its files and its engines hold on the way, and exits with an
error unless every result is there, the second soak's pictures equal the first one's byte for byte,
and nothing is left at the end.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import rendered_formats
from helm_structext.renderers import render
from helm_structext.sandbox import MIB, pool, tree, usage

ROOT = Path(__file__).parent.parent
PAGE = os.sysconf("SC_PAGESIZE")
HOSTILE_SHARE = 0.2
SECONDS = 5  # for those that never end


class Job(NamedTuple):
    """A completion, and how it ends; None for one of the samples."""

    format: str
    code: str
    end: str | None


def main() -> None:
    """Runs both soaks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    jobs = mixed(parser.parse_args().count)
    print(f"{len(jobs)} completions, {sum(job.end is not None for job in jobs)} hostile")
    before = files()
    first, second = (soak(jobs, name) for name in ("first", "second"))
    pool.workers.close()
    wrong = [
        f"{job.format}: {one} then {other}: {job.code[:80]!r}"
        for job, one, other in zip(jobs, first, second, strict=True)
        if (job.end is None and one != other)
        or (job.end is not None and {kind(one), kind(other)} != {job.end})
    ]
    left = tree(os.getpid())[1:]
    wrong += [f"process left: {pid}" for pid in left]
    wrong += [f"file left: {path}" for path in files() - before]
    print("ends:", dict(Counter(kind(one) for one in first)))
    print("\n".join(wrong) or "every result present, all pictures the same twice, nothing left")
    sys.exit(bool(wrong))


def mixed(count: int) -> list[Job]:
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
        chance.choice(attacks if chance.random() < HOSTILE_SHARE else chance.choice(samples))
        for _ in range(count)
    ]


def soak(jobs: list[Job], name: str) -> list[str]:
    """Renders all and returns a hash of each picture, or the kind of error."""
    start = time.monotonic()
    results: list[str] = []
    with ThreadPoolExecutor(2 * pool.worker_count()) as threads:
        for result in threads.map(end, jobs):
            results.append(result)
            if len(results) % max(len(jobs) // 8, 1) == 0:
                processes, memory, *_ = usage(os.getpid())
                own = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
                descriptors = len(list(Path("/proc/self/fd").iterdir()))
                print(
                    f"{name}: {len(results)} after {time.monotonic() - start:.0f} s, "
                    f"{processes} processes, {memory / MIB:.0f} MiB in all, "
                    f"{own / MIB:.0f} MiB our own, "
                    f"{descriptors} descriptors",
                    flush=True,
                )
    return results


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
