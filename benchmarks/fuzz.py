"""Tries random hostile inputs, and keeps the smallest ones that break a promise.

    python benchmarks/fuzz.py text [--count 1000000] [--seed 0] [--only TARGET ...]
    python benchmarks/fuzz.py renderers [--count 10000] [--seed 0] [--only FORMAT ...]
    python benchmarks/fuzz.py --replay fuzz-findings/parser-1a2b3c4d.json

``text`` tries all that reads what a model, a dataset or a disk says (`fuzz_texts`), in one process
for each core; ``renderers`` renders code of every format (`fuzz_renderers`). An input is a finding if
it raises what is not declared, takes more than `MAX_SECONDS` of processor time or `MAX_MEMORY` more
of ours, ends the process or never ends, or if an honest input gives something else afterwards. Each
kind of finding is made smaller, kept as a file, and printed with the command that tries it again.

Seed and number say which input it is: `--start` goes on where an earlier call stopped.
"""

import argparse
import hashlib
import json
import logging
import multiprocessing
import os
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from ctypes import c_longlong
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from fuzz_inputs import Input, Target, check_error, minimized
from fuzz_texts import TARGETS
from helm_structext.sandbox import MIB

MAX_SECONDS = 10
MAX_MEMORY = 500 * MIB
MAX_WALL_SECONDS = 180
"""A process that is at one input for so long is ended: another machine may be this slow."""

EVERY = 500
"""After so many inputs of a process, all honest ones are tried again."""

PAGE = os.sysconf("SC_PAGESIZE")
Number = Any
"""A number that processes share: mypy knows no type of it that Python knows."""


class Finding(NamedTuple):
    """An input that breaks a promise.

    Args:
        target: a key of `TARGETS`, or a format.
        kind: what is the same in findings of the same cause.
        error: for people.
        input: the arguments of the check.
    """

    target: str
    kind: str
    error: str
    input: Input

    @property
    def file_name(self) -> str:
        """Of the file that keeps it."""
        digest = hashlib.sha256(self.kind.encode("utf-8", "replace")).hexdigest()
        return f"{self.target.replace(' ', '-')}-{digest[:8]}.json"


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def peak() -> int:
    """Bytes of memory that this process has held at most since `forget_peak`."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def forget_peak() -> None:
    """Lets `peak` begin again from what is held now."""
    Path("/proc/self/clear_refs").write_text("5")


def broken(error: Exception) -> str:
    """What is the same in errors of the same cause: their type, and where in our code they arose."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "helm_structext" in frame.filename] or frames[-1:]
    return f"{type(error).__name__} in {Path(ours[-1].filename).name}, {ours[-1].name}"


def tried(name: str, target: Target, input: Input) -> Finding | None:
    """Checks an input; returns a finding if it breaks a promise."""
    before, start = resident(), time.process_time()
    try:
        try:
            target.check(**input)
        except target.declared as error:
            check_error(error)
    except Exception as error:  # which is what is looked for
        said = "".join(traceback.format_exception(error)[-6:])
        return Finding(name, broken(error), said, input)
    seconds, memory = time.process_time() - start, peak() - before
    if memory > MAX_MEMORY:
        return Finding(name, "memory", f"it took {memory // MIB} MiB", input)
    if seconds > MAX_SECONDS:
        return Finding(name, "time", f"it took {seconds:.1f} s of processor time", input)
    return None


def input_of(targets: Mapping[str, Target], seed: int, number: int) -> tuple[str, Input]:
    """Returns an input and the name of its target; the same for the same seed and number."""
    chance = Random(f"{seed}:{number}")
    (name,) = chance.choices(list(targets), [target.weight for target in targets.values()])
    return name, targets[name].make(chance)


def honest_results(targets: Mapping[str, Target]) -> dict[str, str]:
    """Returns what comes of each target's honest input."""
    found = {}
    for name, target in targets.items():
        try:
            found[name] = repr(target.check(**target.honest))
        except target.declared as error:
            found[name] = repr(error)
    return found


def findings(
    targets: Mapping[str, Target],
    seed: int,
    numbers: range,
    started: Callable[[int], None] = lambda number: None,
) -> Iterator[Finding]:
    """Tries inputs, and yields what breaks a promise, made smaller.

    Args:
        targets: what is tried.
        seed: of all inputs.
        numbers: those of the inputs.
        started: is told the number of each input before it is tried.
    """
    expected = honest_results(targets)
    known: set[tuple[str, str]] = set()
    for count, number in enumerate(numbers, 1):
        started(number)
        name, input = input_of(targets, seed, number)
        forget_peak()
        found = tried(name, targets[name], input)
        if found and (name, found.kind) not in known:
            known.add((name, found.kind))
            yield smallest(found, targets[name])
        if count % EVERY == 0 or number == numbers[-1]:
            results = honest_results(targets)
            for name in results:
                if results[name] != expected[name]:
                    error = f"{expected[name]} became {results[name]} up to input {number}"
                    yield Finding(name, "honest", error, targets[name].honest)


def smallest(found: Finding, target: Target) -> Finding:
    """Returns a smaller input with the same finding, unless trying takes too long."""
    if found.kind in ("memory", "time"):
        return found
    end = time.monotonic() + 20

    def fails(input: Input) -> bool:
        if time.monotonic() > end:
            return False
        again = tried(found.target, target, input)
        return again is not None and again.kind == found.kind

    input = minimized(found.input, fails)
    return tried(found.target, target, input) or found


def keep(found: Finding, folder: Path) -> bool:
    """Writes a finding to a file and prints it, unless there is one of its kind."""
    path = folder / found.file_name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            json.dump(found._asdict(), file, indent=1)
    except FileExistsError:
        return False
    shown = ascii(found.input)
    print(
        f"\n{found.target}: {found.kind}\n{found.error[-1_000:]!a}\n{shown[:500]}\n"
        f"python benchmarks/fuzz.py --replay {path}",
        flush=True,
    )
    return True


def replay(path: Path) -> int:
    """Tries a kept input again and prints what comes of it."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    if kept["target"] not in TARGETS:
        from fuzz_renderers import replayed

        found = replayed(kept["target"], kept["input"])
        print(found)
        return int(found is not None)
    again = tried(kept["target"], TARGETS[kept["target"]], kept["input"])
    print(again.error if again else "it keeps all promises")
    return int(again is not None)


class Job(NamedTuple):
    """A process, and the number of the input that it is at."""

    process: multiprocessing.process.BaseProcess
    at: Number
    numbers: range


def _search(
    targets: Mapping[str, Target], seed: int, numbers: range, at: Number, folder: Path
) -> None:
    warnings.simplefilter("ignore")  # of Pillow, about broken pictures
    logging.disable()  # of damaged files that are made anew

    def started(number: int) -> None:
        at.value = number

    for found in findings(targets, seed, numbers, started):
        keep(found, folder)
    at.value = numbers.stop


def search(targets: Mapping[str, Target], options: argparse.Namespace) -> None:
    """Tries inputs in several processes."""
    honest_results(targets)  # which raises if even these fail
    context = multiprocessing.get_context("fork")
    last = options.start + options.count
    begin = time.monotonic()

    def launch(first: int) -> Job:
        numbers = range(first, last, options.jobs)
        at = context.Value(c_longlong, first)
        arguments = (targets, options.seed, numbers, at, options.findings)
        # No daemon: those may have no processes of their own, in which StructEval's texts are parsed.
        process = context.Process(target=_search, args=arguments)
        process.start()
        return Job(process, at, numbers)

    jobs = [launch(options.start + number) for number in range(options.jobs)]
    moved = dict.fromkeys(range(options.jobs), (-1, time.monotonic()))
    try:
        while any(job.process.is_alive() or job.process.exitcode for job in jobs):
            time.sleep(0.5)
            now = time.monotonic()
            for slot, job in enumerate(jobs):
                at = job.at.value
                if at != moved[slot][0]:
                    moved[slot] = (at, now)
                stuck = now - moved[slot][1] > MAX_WALL_SECONDS and job.process.is_alive()
                if stuck:
                    job.process.kill()
                    job.process.join()
                if job.process.exitcode:
                    name, input = input_of(targets, options.seed, at)
                    kind = "endless" if stuck else f"ended by {job.process.exitcode}"
                    keep(Finding(name, kind, f"input {at}: {kind}", input), options.findings)
                    jobs[slot] = launch(at + options.jobs)
                    moved[slot] = (-1, now)
            done = max(min(job.at.value for job in jobs) - options.start, 0)
            rate = done / (now - begin)
            said = f"{done:,} of {options.count:,} inputs, {rate:,.0f} per s"
            print(f"\r{said}, {now - begin:.0f} s", end="", flush=True)
    except KeyboardInterrupt:
        print(f"\ngo on with --start {min(job.at.value for job in jobs)}")
        raise SystemExit(130) from None
    finally:
        for job in jobs:
            job.process.kill()
    print()


def main() -> int:
    """Tries inputs, or one that was kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", choices=("text", "renderers"))
    parser.add_argument("--count", type=int, help="of inputs; by default 1,000,000 or 10,000")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", nargs="+", metavar="NAME", help="targets or formats")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), metavar="FOLDER")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="a finding")
    options = parser.parse_args()
    if options.replay:
        return replay(options.replay)
    if options.what == "renderers":
        from fuzz_renderers import search_renderers

        search_renderers(options)
    elif options.what == "text":
        options.count = options.count or 1_000_000
        names = options.only or list(TARGETS)
        search({name: TARGETS[name] for name in names}, options)
    else:
        parser.error("say what to try: text or renderers")
    kept = sorted(options.findings.glob("*.json"))
    print(f"{len(kept)} findings in {options.findings}" if kept else "no finding")
    return int(bool(kept))


if __name__ == "__main__":
    sys.exit(main())
