"""Scores a published evaluation of StructEval's size again: once undisturbed, once killed and continued.

    python benchmarks/rescore.py [--rows 2035] [--kills 5] [--seed 1]

The evaluation has as many rows of each subset as the published dataset, in the published form: the answers
of the sample over and over, right and broken ones, each rendered one with spaces of its own, so that none
comes from a cache. Their published scores are made up. Of every ten rows one has no answer: its
``generation`` is null or absent. Both calls start without renderings. Prints lines of progress, seconds, and
the highest memory at each quarter; exits with an error unless both files are the same, byte for byte, and
nothing is left running of what was killed.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from helm_structext.data.sources import SAMPLES
from helm_structext.sandbox import MIB, tree, usage
from helm_structext.storage.cache import cache_folder, renderings_folder
from helm_structext.structeval.evaluations import SUBSET_SIZES, evaluation_row
from helm_structext.structeval.rows import load_questions
from helm_structext.structeval.tasks import TASKS

INCOMPLETE = 10
"""One row in so many has no answer."""
MADE_UP = {
    "syntax_score": 1.0,
    "path_score": 0.5,
    "keyword_score": 0.5,
    "vqa_score": 0.5,
    "structeval_score": 0.6,
}
SECONDS_BETWEEN = 0.1
SECONDS_TO_END = 20
"""How long what a killed call started may take to end."""


def main() -> int:
    """Makes both calls."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=sum(SUBSET_SIZES.values()))
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        evaluation = folder / "evaluation.json"
        rows = list(islice(evaluation_rows(), options.rows))
        evaluation.write_text(json.dumps(rows), encoding="utf-8")
        total = sum(row.get("generation") is not None for row in rows)
        size = evaluation.stat().st_size / MIB
        print(f"{len(rows):,} rows, {total:,} with an answer, {size:.1f} MiB")
        whole, pieces = folder / "whole.jsonl", folder / "pieces.jsonl"
        print("\nundisturbed", flush=True)
        rescore(evaluation, whole, quarters=[total * part // 4 for part in (1, 2, 3)])
        print(f"\nkilled {options.kills} times and continued", flush=True)
        stops = random.Random(options.seed).sample(range(1, total), options.kills)
        for stop in [*sorted(stops), None]:
            rescore(evaluation, pieces, stop)
        complete = written(whole) == total
        same = whole.read_bytes() == pieces.read_bytes()
    print(
        f"\nall {total:,} lines: {'yes' if complete else 'NO'}; the same bytes: {'yes' if same else 'NO'}"
    )
    return int(not (complete and same))


def evaluation_rows() -> Iterator[dict[str, Any]]:
    """Yields rows of an evaluation, subsets mixed, as many of each as in the published dataset."""
    questions = list(load_questions("sample", TASKS))
    answers = {one.id: [one.oracle] for one in questions if one.oracle}
    for file in sorted((SAMPLES / "structeval" / "replay").glob("*.jsonl")):
        for record in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            answers[record["instance"]].append(record["completion"])
    drawn = []
    for subset, size in SUBSET_SIZES.items():
        asked = [one for one in questions if one.kind.subset == subset]
        repeated = cycle((one, text) for one in asked for text in answers[one.id])
        drawn += [(number, *next(repeated)) for number in range(size)]
    random.Random(1).shuffle(drawn)
    for place, (number, question, text) in enumerate(drawn):
        own = replace(question, id=f"{question.id[:4]}{number:04}")
        varied = text.replace("\n", " " * number + "\n", 1)
        row = evaluation_row(own, varied, MADE_UP, [True, False])
        if place % INCOMPLETE == 0:
            row["generation"] = None
        if place % (2 * INCOMPLETE) == 0:
            del row["generation"]
        yield row


def rescore(
    evaluation: Path, output: Path, stop: int | None = None, quarters: Sequence[int] = ()
) -> None:
    """Calls the command, kills it once its file has so many lines, and prints what was seen.

    Args:
        evaluation: the file to read.
        output: the file to write or to continue.
        stop: at how many lines it is killed, or None.
        quarters: at how many lines memory is printed; and at the end.
    """
    command = ["helm-structext", "rescore", str(evaluation), "-o", str(output)]
    environment = {**os.environ, "HELM_STRUCTEXT_CACHE": str(own_cache(output))}
    there, start = written(output), time.monotonic()
    with (
        output.with_suffix(".err").open("w+", encoding="utf-8") as stderr,
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True
        ) as process,
    ):
        watch(process, output, stop, quarters)
        if process.poll() is None:
            kill(process)
        shown = process.stdout.read() if process.stdout else ""
        stderr.seek(0)
        said = [line for line in stderr.read().splitlines() if "scoring answers" in line]
    if stop is None and process.returncode:
        raise SystemExit(f"the command ended with {process.returncode}")
    print(
        f"  lines {there:,} to {written(output):,} in {time.monotonic() - start:.0f} s, "
        f"{len(said)} lines of progress{f', the last: {said[-1]}' if said else ''}"
    )
    print("\n".join(shown.splitlines()), flush=True)


def watch(
    process: "subprocess.Popen[str]", output: Path, stop: int | None, quarters: Sequence[int]
) -> None:
    """Waits until the command has ended or is to be killed; prints its memory at each quarter."""
    own = with_engines = 0
    waiting, there = list(quarters), written(output)
    while process.poll() is None:
        done = written(output)
        if stop is not None and done >= stop and done > there:
            return
        own = max(own, peak(process.pid))
        with_engines = max(with_engines, usage(tree(process.pid)).memory)
        if waiting and done >= waiting[0]:
            print_memory(waiting.pop(0), own, with_engines)
        time.sleep(SECONDS_BETWEEN)
    if quarters:
        print_memory(written(output), own, with_engines)


def peak(pid: int) -> int:
    """The highest memory in use of a process so far, in bytes; 0 once it has ended."""
    try:
        _, found, rest = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")
    except OSError:
        return 0
    return int(rest.split()[0]) * 1024 if found else 0


def print_memory(done: int, own: int, with_engines: int) -> None:
    """Prints the highest memory so far."""
    print(
        f"  {done:,} lines: at most {own / MIB:.0f} MiB our own, "
        f"{with_engines / MIB:.0f} MiB with engines",
        flush=True,
    )


def kill(process: "subprocess.Popen[str]") -> None:
    """Kills a process, and waits until all that it started has ended by itself."""
    started = tree(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + SECONDS_TO_END
    while left := [pid for pid in started if Path(f"/proc/{pid}").exists()]:
        if time.monotonic() > deadline:
            raise SystemExit(f"processes are left of what was killed: {left}")
        time.sleep(SECONDS_BETWEEN)


def own_cache(output: Path) -> Path:
    """Returns the cache of an output file's calls: what was set up is there, renderings are not at first."""
    folder = output.with_suffix(".cache")
    if not folder.exists():
        folder.mkdir()
        for path in cache_folder().iterdir():
            if path != renderings_folder():
                (folder / path.name).symlink_to(path)
    return folder


def written(file: Path) -> int:
    """How many lines a file has."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


if __name__ == "__main__":
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    sys.exit(main())
