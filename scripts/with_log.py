"""Runs a command of HELM with its log in a file, and shows one line for each run.

    python scripts/with_log.py helm-run.log helm-run --suite demo …

If the command fails, the end of its log is shown, and its exit status is this one's.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

NUMBER_OF_RUNS = re.compile(r" entries produced (\d+) run specs$")
START_OF_RUN = re.compile(r" Running (\S+:\S+) \{$")
END_LINES = 40
"""How much of the log a failure shows: a traceback, and what led to it."""


def progress(lines: Iterable[str], clock: Callable[[], float] = time.monotonic) -> Iterator[str]:
    """Yields what to show of a log of helm-run: a run when it starts, its seconds when it ends."""
    total, number, start = "?", 0, 0.0
    for line in lines:
        if found := NUMBER_OF_RUNS.search(line):
            total = found[1]
        elif found := START_OF_RUN.search(line):
            if number:
                yield f"  {clock() - start:.1f} s\n"
            number, start = number + 1, clock()
            yield f"[{number:{len(total)}}/{total}] {found[1]}"
    if number:
        yield f"  {clock() - start:.1f} s\n"


def logged(lines: Iterable[str], log: Path) -> Iterator[str]:
    """Yields lines once they are in the log."""
    with log.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line)
            file.flush()
            yield line.rstrip("\n")


def main(log: Path, command: list[str]) -> int:
    name = Path(command[0]).name
    print(f"{name}; its log: {log.resolve()}")
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for text in progress(logged(process.stdout, log)):
            print(text, end="", flush=True)
    if process.returncode:
        end = log.read_text(encoding="utf-8").splitlines()[-END_LINES:]
        print(*end, f"{name} failed; all of its log: {log.resolve()}", sep="\n", file=sys.stderr)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
