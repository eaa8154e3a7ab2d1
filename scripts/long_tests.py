"""Notes which tests take long: `make check` leaves them out.

    .venv/bin/pytest --numprocesses 2 --dist loadfile --quick --junitxml times.xml
    .venv/bin/python scripts/long_tests.py times.xml [--seconds 0.8]

Those whose cases of a quick run take so long together are added to `tests/support/long_tests.txt`. Take off by hand what
became short, or is no more (`tests/test_quick.py` tells).
"""

import argparse
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

NAMES = Path(__file__).parents[1] / "tests/support/long_tests.txt"
SECONDS = 0.8
"""Where so long tests are left out, a quick run takes two minutes of two cores."""


def main() -> None:
    """Adds the names, and prints how many there are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("times", type=Path, help="of a run, as JUnit's XML")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    took: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(options.times).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name', '').partition('[')[0]}"
        took[name] += float(case.get("time", 0))
    long = {name for name, seconds in took.items() if seconds >= options.seconds}
    names = {*NAMES.read_text().split(), *long} if NAMES.exists() else long
    NAMES.write_text("".join(f"{name}\n" for name in sorted(names)))
    print(f"{len(names)} tests take long, of which {len(long)} were measured now")


if __name__ == "__main__":
    main()
