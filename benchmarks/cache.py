"""Seconds and memory of `helm-structext cache` on a cache of a million renderings.

    python benchmarks/cache.py 1000000

Half of the entries are pictures (two small files each), half are errors (one file).
"""

import argparse
import os
import sys
import time
from pathlib import Path
from subprocess import check_output
from tempfile import TemporaryDirectory

from helm_structext.storage.cache import content_key, prefix_folder

SCRIPT = """
import resource, sys, time
from pathlib import Path
from helm_structext.storage.pruning import prune, usage
start, used = time.monotonic(), time.process_time()
{call}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{{time.monotonic() - start:.1f}} | {{time.process_time() - used:.1f}} | {{peak:.0f}}")
"""
CALLS = {
    "info": "usage(Path(sys.argv[1]), 'js-0')",
    "prune --max-size (half), --dry-run": "prune(Path(sys.argv[1]), 'js-0', max_size=int(sys.argv[2]) // 2, dry_run=True)",
    "prune --max-size (half)": "prune(Path(sys.argv[1]), 'js-0', max_size=int(sys.argv[2]) // 2)",
    "prune --older-than 0": "prune(Path(sys.argv[1]), 'js-0', older_than=0)",
}


def fill(folder: Path, number: int) -> int:
    """Writes entries that were used in the last year, and returns their bytes."""
    now, size = time.time(), 0
    for place in range(256):
        (folder / f"{place:02x}").mkdir(parents=True)
    for place in range(number):
        key = content_key(str(place))
        record = prefix_folder(folder, key) / f"{key}.json"
        contents = {record: b"r" * 200}
        if place % 2:
            contents[record.with_suffix(".png")] = b"p" * 400
        for path, content in contents.items():
            path.write_bytes(content)
            size += len(content)
        at = now - 7200 - place * 365 * 86400 / number
        os.utime(record, (at, at))
    return size


def main() -> None:
    """Prints a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", type=int, nargs="?", default=1_000_000)
    entries = parser.parse_args().entries
    with TemporaryDirectory() as folder:
        size = fill(Path(folder) / "renderings", entries)
        print(f"{entries:,} entries\n\n| command | seconds | processor seconds | MiB |")
        print("|---|---|---|---|")
        for name, call in CALLS.items():
            script = SCRIPT.format(call=call)
            said = check_output([sys.executable, "-c", script, folder, str(size)], text=True)
            print(f"| {name} | {said.strip()} |", flush=True)


if __name__ == "__main__":
    main()
