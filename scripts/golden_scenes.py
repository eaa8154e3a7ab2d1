"""Writes down which code a seed gives, so that a test notices where another system, Python or version gives other code.

Call it after a change of scenes or of how they are written:

    python scripts/golden_scenes.py              # all kinds
    python scripts/golden_scenes.py chart page   # some

Sets are the same on each machine but for their pictures, so that the hashes are of code alone.
"""

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.settings import choose_settings

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "scenes.json"
SEED = 2026
SCENES = 12
"""Of each kind, in all levels and languages."""


def hashes(kind: str) -> dict[str, str]:
    """Returns a hash for each format of a kind: of the code of the first scenes that a seed gives.

    >>> hashes("score") == hashes("score")
    True
    """
    settings = choose_settings(kinds=[kind], count=SCENES, seed=SEED, parallel=True)
    codes: dict[str, list[str]] = defaultdict(list)
    for number in range(SCENES):
        scene = draw_number(settings, kind, number)
        for format, code in write_number(settings, kind, number, scene).items():
            codes[format].append(code)
    return {
        format: hashlib.sha256(json.dumps(found).encode()).hexdigest()[:32]
        for format, found in sorted(codes.items())
    }


def golden() -> dict[str, Mapping[str, str]]:
    """Returns what was written: kind to format to hash."""
    found: dict[str, Mapping[str, str]] = json.loads(GOLDEN.read_text("utf-8"))
    return found


def write(kinds: Iterable[str]) -> None:
    """Writes the hashes of some kinds, and keeps those of the others."""
    known = golden() if GOLDEN.exists() else {}
    known |= {kind: hashes(kind) for kind in kinds}
    GOLDEN.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=[*KINDS])
    write(parser.parse_args().kinds)
