"""Resolves this package together with other harnesses and trainers, as a user's command would.

    python scripts/try_resolve.py [--python 3.11 3.12 …] [NAME …]

Each file of `requirements-integrations/` is resolved for each Python, once as it is and once without this package;
nothing is installed. The table has the versions of what is asked for and of what both need. It fails where a file does
not resolve though the others do without us, and where we hold the others back at an older version. It needs uv.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements-integrations"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NAME = "helm-structext"
HEADINGS = "asked for", "Python", "versions", "what both need", "packages"


class Unresolved(Exception):
    """What the resolver says of it."""


def name_of(requirement: str) -> str:
    """Returns the normal name of a requirement.

    >>> name_of("ray[data,serve]>=2.60"), name_of("Inspect_AI")
    ('ray', 'inspect-ai')
    """
    return re.sub("[-_.]+", "-", re.split(r"[\s\[<>=!~;@]", requirement.strip())[0]).lower()


def resolved(requirements: Iterable[str], python: str) -> dict[str, str]:
    """Returns the version of each package of an environment.

    Raises:
        Unresolved: they don't fit together.
    """
    command = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "-"]
    # Away from the checkout, whose pyproject.toml has settings of uv's that no user's command has.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, "--python-version", python],
            input="\n".join(requirements),
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
        )
    if done.returncode:
        raise Unresolved(done.stderr.strip())
    pins = (line.partition(" ;")[0] for line in done.stdout.splitlines())
    return {name_of(pin): pin.partition("==")[2] for pin in pins if "==" in pin}


def our_requirements() -> set[str]:
    """Returns the names of what the light core requires itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return set(map(name_of, project["dependencies"]))


def versions(found: Mapping[str, str], others: Mapping[str, str], where: str) -> str:
    """Returns the versions of packages, and those that are others elsewhere.

    >>> versions({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, "by itself")
    'a 1, b 2 (by itself 3)'
    """
    cells = []
    for name, other in others.items():
        note = "" if found[name] == other else f" ({where} {other})"
        cells.append(f"{name} {found[name]}{note}")
    return ", ".join(cells)


def row(name: str, python: str) -> Iterator[str]:
    """Yields the cells of a file and a Python, as far as they are known.

    Raises:
        Unresolved: they don't fit together, or this package holds the others back.
    """
    asked = (FOLDER / f"{name}.in").read_text("utf-8").split()
    others = [text for text in asked if name_of(text) != NAME]
    yield " ".join(asked)
    yield python
    try:
        alone = resolved(others, python)
    except Unresolved as error:
        reason = str(error).splitlines()[-1]
        yield f"the others don't fit together, or this Python, without us: {reason.strip()}"
        return
    ours = [f"{text} @ {ROOT.as_uri()}" for text in asked if name_of(text) == NAME]
    together = resolved([*others, *ours], python)
    friends = {name_of(text): text for text in others}
    newest = {name: resolved([text], python)[name] for name, text in friends.items()}
    yield versions(together, newest, "by itself")
    shared = {one: alone[one] for one in sorted(our_requirements() & alone.keys())}
    yield versions(together, shared, "without us")
    yield f"{len(together)} ({len(alone)} without us)"
    for friend in friends:
        if together[friend] != alone[friend]:
            raise Unresolved(f"{friend} would be {alone[friend]} without us")


def main() -> int:
    """Prints the table; returns 1 if anything failed."""
    summary, _, details = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = sorted(path.stem for path in FOLDER.glob("*.in"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--python", nargs="+", default=PYTHONS, metavar="VERSION")
    options = parser.parse_args()
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    failures = 0
    for name in options.names or known:
        for python in options.python:
            cells = []
            try:
                for cell in row(name, python):
                    cells.append(cell)
            except Unresolved as error:
                failures += 1
                cells.append(f"FAILED: {error}".replace("\n", " "))
            print(f"| {' | '.join(cells)} |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
