"""Gives every reader of foreign text each character and token over and over, from 1 kB to 1 MB.

    PYTHONPATH=tests python benchmarks/growth.py [--last 1000000] [--only NAME …]

Prints where four times the text took much more than four times as long, and each entry's time; exits
with an error if there is such a place.
"""

import argparse
import sys
import time

from support.growth import CHARACTERS, ENTRIES, LAST, TOKENS, growth

HARMLESS = 0.2
"""Seconds that any text may take. Below, the garbage collector and new pages of memory are seen:
a step of five times at some length, before and after which the work is linear."""


def main() -> int:
    """Grows each entry by each token."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--last", type=int, default=LAST, help="characters of the longest text")
    parser.add_argument("--only", nargs="*", default=list(ENTRIES), choices=list(ENTRIES))
    options = parser.parse_args()
    tokens = (*CHARACTERS, *TOKENS)
    print(f"{len(options.only)} entries, {len(tokens)} characters and tokens")
    faster = 0
    for name in options.only:
        start = time.process_time()
        found = [
            said
            for token in tokens
            if (said := growth(ENTRIES[name], token, options.last, HARMLESS))
        ]
        print(f"{name}: {time.process_time() - start:.1f} s", *found, sep="\n    ", flush=True)
        faster += len(found)
    print(f"{faster} of {len(options.only) * len(tokens)} grow faster than the text")
    return 1 if faster else 0


if __name__ == "__main__":
    sys.exit(main())
