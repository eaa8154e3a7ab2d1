"""Measures tables and reports of suites with many models: time, processor time and peak memory.

    python benchmarks/leaderboards.py 50x128 200x128 500x128 200x512 -o FOLDER [--against CHECKOUT]

`200x128` is 200 models with 128 answers each. Each suite is made once (`benchmarks/suite.py`) and read by commands in
processes of their own: `tables` with an empty cache, `tables` again, `tables` with all files, and the report as a
folder without EMS plans. With `--against` the package of another checkout does the same first, with a cache of its
own, so that both sides are measured on the same machine in the same minutes. A command that takes longer than
`--limit` seconds is stopped and counts as such. Memory is the most that one process had.

The aim for 200x128, on two idle cores: `tables` in 12 s, again in 6, the report in 30, each below 600 MB.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from suite import SUITE, write_suite

COMMANDS = {
    "tables": ("tables", SUITE.name),
    "tables, again": ("tables", SUITE.name),
    "tables, files": ("tables", SUITE.name, "-o", "tables"),
    "report": ("report", SUITE.name, "--no-plans", "-o", "report/"),
}


def main() -> None:
    """Prints a row for each suite, checkout and command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suites", nargs="+", metavar="MODELSxANSWERS")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="measured first")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--only", nargs="+", choices=list(COMMANDS), default=list(COMMANDS))
    options = parser.parse_args()
    checkouts = [*filter(None, [options.against]), Path(__file__).parents[1]]
    print("| models × answers | checkout | command | seconds | of processors | MB | load |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for suite in options.suites:
        models, answers = map(int, suite.split("x"))
        folder = options.output / suite
        if not (folder / SUITE).is_dir():
            write_suite(folder, models, answers)
        for checkout in checkouts:
            cache = folder / "caches" / checkout.resolve().name
            shutil.rmtree(cache, ignore_errors=True)
            for name in options.only:
                found = measured(folder, checkout, cache, options.limit, *COMMANDS[name])
                load = f"{os.getloadavg()[0]:.1f}"
                print(
                    f"| {suite} | {checkout.resolve().name} | {name} | {found} | {load} |",
                    flush=True,
                )


def measured(folder: Path, checkout: Path, cache: Path, limit: float, *command: str) -> str:
    """Runs `helm-structext` of a checkout; seconds, processor seconds and megabytes as cells."""
    environment = {
        **os.environ,
        "HELM_STRUCTEXT_CACHE": str(cache),
        "PYTHONPATH": str(checkout.resolve() / "src"),
    }
    start = time.monotonic()
    code = "import sys; from helm_structext.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        ["timeout", f"{limit}", sys.executable, "-c", code, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    ended = os.waitstatus_to_exitcode(status)
    said = f"{seconds:.1f}" if not ended else f"{seconds:.1f}, ended with {ended}"
    processors = usage.ru_utime + usage.ru_stime
    return f"{said} | {processors:.1f} | {usage.ru_maxrss / 1000:.0f}"


if __name__ == "__main__":
    main()
