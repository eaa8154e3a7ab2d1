"""What `fuzz.py renderers` tries: code of every format that is rendered, mutated from honest code.

An answer may be drawn or be a `RenderError`, and nothing else. After every `EVERY` answers, an honest
one of each of their formats has to give the bytes that it gave in the beginning; in the end no process
and no file may be left.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from random import Random

from completions import completions
from fuzz_inputs import Input, check_error, minimized, mutated, written
from helm_structext.errors import RenderError
from helm_structext.formats import rendered_formats
from helm_structext.renderers import render_completion
from helm_structext.sandbox import MIB, pool, tree

EVERY = 20
SECONDS = 5
"""Of an answer that may be endless."""

MAX_SECONDS = 120
"""Of any answer, with all that it waits for on a busy machine."""

MAX_MEMORY = 500 * MIB
MAX_CODE = 200_000
ROOT = Path(__file__).parent.parent

WRITTEN = {
    **dict.fromkeys(("latex", "latex_document", "tikz"), "latex"),
    **dict.fromkeys(("html", "canvas", "react", "vue", "angular", "svg", "markdown"), "page"),
    "webpage": "files",
    "vega": "json",
}
"""Format to a name of the grammar; ``any`` for others."""


@lru_cache
def honest(format: str) -> list[str]:
    """What samples and attacks hold of a format."""
    sys.path.append(str(ROOT / "tests" / "support"))
    from attacks import ATTACKS

    found = [*completions(format), *(attack.code for attack in ATTACKS[format].values())]
    return [code for code in found if len(code) < MAX_CODE and "HUGE" not in code]


def input_of(formats: Sequence[str], seed: int, number: int) -> tuple[str, Input]:
    """Returns an answer and its format; the same for the same seed and number."""
    chance = Random(f"{seed}:{number}")
    format = chance.choice(formats)
    if chance.random() < 0.15:
        text = written(chance, WRITTEN.get(format, "any"))
    else:
        text = mutated(chance, chance.choice(honest(format)), chance.choice(honest(format)))
    text = text.replace("CANARY", "/nowhere/canary").replace("PORT", "9")
    return format, {"completion": text, "protocol": chance.choice(("published", "corrected"))}


def outcome(format: str, completion: str, protocol: str, timeout: float | None = None) -> str:
    """Returns a hash of the picture, or the kind of error."""
    try:
        made = render_completion(format, completion, protocol=protocol, timeout=timeout)  # type: ignore[arg-type]
    except RenderError as error:
        check_error(error)
        return error.kind
    image = made.image  # type: ignore[union-attr]
    return hashlib.sha256(f"{image.size}".encode() + image.tobytes()).hexdigest()


def broken(format: str, input: Input) -> tuple[str, str] | None:
    """Returns what breaks a promise and an explanation, or None."""
    start = time.monotonic()
    try:
        outcome(format, **input, timeout=SECONDS)
    except Exception as error:  # which is what is looked for
        return type(error).__name__, "".join(traceback.format_exception(error)[-6:])
    seconds = time.monotonic() - start
    return ("time", f"it took {seconds:.0f} s") if seconds > MAX_SECONDS else None


def innocents(formats: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Returns an honest answer of each format, and what it gives."""
    found = {}
    for format in formats:
        results = ((code, outcome(format, code, "published")) for code in completions(format))
        found[format] = next((code, key) for code, key in results if len(key) == 64)
    return found


def search_renderers(options: argparse.Namespace) -> None:
    """Renders answers in as many threads as there are engines."""
    from fuzz import Finding, forget_peak, keep, peak

    formats = options.only or rendered_formats()
    numbers = range(options.start, options.start + (options.count or 10_000))
    memory = peak()
    forget_peak()

    def found(target: str, kind: str, error: str, input: Input) -> None:
        keep(Finding(target, kind, error, input), options.findings)

    def tried(number: int) -> tuple[str, Input]:
        format, input = input_of(formats, options.seed, number)
        if wrong := broken(format, input):
            kind, error = wrong
            found(format, kind, error, _smaller(format, input, kind))
        return format, input

    with alone() as folder:
        others = set(tree(os.getpid()))
        expected = innocents(formats)
        begin = time.monotonic()
        done = 0
        with ThreadPoolExecutor(pool.worker_count()) as threads:
            try:
                while done < len(numbers):
                    inputs = list(threads.map(tried, numbers[done : done + EVERY]))
                    done += len(inputs)
                    for format in sorted({format for format, _ in inputs}):
                        code, key = expected[format]
                        if (now := outcome(format, code, "published")) != key:
                            before = [input for other, input in inputs if other == format]
                            found(format, "innocent", f"{key} became {now}", {"before": before})
                    if peak() - memory > MAX_MEMORY:
                        said = f"{(peak() - memory) // MIB} MiB up to {numbers[done - 1]}"
                        found("renderers", "memory", said, {})
                        forget_peak()
                    seconds = time.monotonic() - begin
                    said = f"{done:,} of {len(numbers):,} answers, {done / seconds:.2f} per s"
                    print(f"\r{said}, {seconds:.0f} s", end="", flush=True)
            except KeyboardInterrupt:
                print(f"\ngo on with --start {numbers.start + done}", end="")
        pool.workers.close()
        processes = set(tree(os.getpid())) - others
        if left := [*map(str, processes), *(path.name for path in folder.iterdir())]:
            found("renderers", "left", f"left: {left}", {})
    print()


@contextmanager
def alone() -> Iterator[Path]:
    """Gives this process a folder for temporary files that no other one uses."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before


def _smaller(format: str, input: Input, kind: str) -> Input:
    end = time.monotonic() + 60

    def fails(less: Input) -> bool:
        again = broken(format, less) if time.monotonic() < end else None
        return again is not None and again[0] == kind

    return input if kind == "time" else minimized(input, fails, tries=200)


def replayed(format: str, input: Input) -> str | None:
    """Tries a kept answer again; returns what is wrong, or None."""
    if "before" not in input:
        found = broken(format, input)
        return found[1] if found else None
    ((code, key),) = innocents([format]).values()
    for before in input["before"]:
        broken(format, before)
    now = outcome(format, code, "published")
    return None if now == key else f"{key} became {now}"
