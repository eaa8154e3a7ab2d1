"""Builds the distributions, and installs each from its file into empty environments of every Python that is here.

    python scripts/try_release.py

Nothing is compiled, and nothing comes from a cache: seconds are those of a first installation, megabytes those of all
that it brings. pip compiles bytecode, uv does not. What is installed then extracts, renders and scores; an engine whose
programs are missing is named and left out. It fails where a check does, or where something is larger than it may be.
It needs uv.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
ENVIRONMENT = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}

CORE = """
import shutil
from helm_structext.extraction import extract
from helm_structext.renderers import programs
from helm_structext.rewards import Reward, StructEvalReward

code = extract("Here it is:\\n```latex\\n$x^2$\\n```", "latex", "corrected").strip()
assert code == "$x^2$", code
result = StructEvalReward("text_to_json")('{"a": 1}', ["a"])
assert result.score == 1, result
for format, right, wrong in (("latex", code, "$y$"), ("html", "<h1>Yes</h1>", "<p>No</p>")):
    missing = [name for name in programs()[format] if not shutil.which(name) and name != "bwrap"]
    if missing:
        print(f"{format}: no {', '.join(missing)} here")
        continue
    right, wrong = Reward(format, {"earth_mover_similarity": 1.0})([right, wrong], [right, right])
    assert right.score == 1 and 0 <= wrong.score < 1, (right, wrong)
    print(f"{format}: {right.score}, {wrong.score:.3f}")
"""
CLIENT = """
from helm_structext_client import Client, picture

item = {"format": "latex", "completion": "$x$", "reference": picture(b"x")}
with Client("http://127.0.0.1:9", patience=0) as client:
    (result,) = client.score([item])
assert (result.score, result.error_kind) == (None, "server"), result
print("no server, no score")
"""


@dataclass(frozen=True)
class Release:
    """A distribution: its folder, its oldest Python (3.x), its bound, and what shows that it works."""

    name: str
    folder: Path
    oldest: int
    megabytes: int
    check: str


RELEASES = (
    Release("helm-structext", ROOT, 11, 400, CORE),
    Release("helm-structext-client", ROOT / "client", 10, 2, CLIENT),
)
NEWEST = 14
DOCTOR_LINES = 5
FILES = {"pip": ".whl", "uv": ".whl", "uv, from the source": ".tar.gz"}
"""Installers, and the end of the file that each is given."""


@dataclass(frozen=True)
class Installed:
    """What an installation took and brought."""

    seconds: float
    megabytes: float
    packages: list[str]


def pythons() -> Iterator[tuple[int, str]]:
    """Yields one Python of each version 3.x that is on `PATH` or pyenv's: x, and its path."""
    for minor in range(min(release.oldest for release in RELEASES), NEWEST + 1):
        name = f"python3.{minor}"
        for path in (shutil.which(name), *sorted(PYENV.glob(f"3.{minor}.*/bin/{name}"))):
            # pyenv puts programs on `PATH` that say only that no such version is chosen.
            if path and not subprocess.run([path, "-c", ""], capture_output=True).returncode:
                yield minor, str(path)
                break


def output(*command: str | Path, folder: Path | None = None) -> str:
    """Returns what a command prints; one that fails ends the program, with what it said."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=ENVIRONMENT
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def size(folder: Path) -> int:
    """Returns the bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def install(file: Path, name: str, installer: str, python: str, environment: Path) -> Installed:
    """Installs a distribution's file into a new environment."""
    command: list[str | Path]
    if installer == "pip":
        output(python, "-m", "venv", environment)
        command = [environment / "bin/pip", "install", "--no-cache-dir"]
    else:
        output("uv", "venv", "--quiet", "--python", python, environment)
        command = ["uv", "pip", "install", "--no-cache", "--python", environment]
    before, started = size(environment), time.monotonic()
    # Of what is not a wheel, only the file itself is built.
    built = [] if file.suffix == ".whl" else ["--no-binary", name]
    output(*command, "--quiet", "--only-binary", ":all:", *built, file)
    seconds, megabytes = time.monotonic() - started, (size(environment) - before) / 1e6
    found = json.loads(output("uv", "pip", "list", "--format", "json", "--python", environment))
    # What comes with an environment of Python's own is not counted.
    listed = [one for one in found if one["name"] not in ("pip", "setuptools")]
    packages = [f"{one['name']} {one['version']}" for one in listed]
    return Installed(seconds, megabytes, packages)


def check(release: Release, environment: Path, folder: Path) -> None:
    """Prints what the check of what is installed prints, away from the checkout."""
    ENVIRONMENT["HELM_STRUCTEXT_CACHE"] = str(folder / "cache")
    print(output(environment / "bin/python", "-I", "-c", release.check, folder=folder), end="")
    if (doctor := environment / "bin/helm-structext").exists():
        # It ends with 1 where a program of the system is missing.
        said = subprocess.run([doctor, "doctor"], capture_output=True, text=True, env=ENVIRONMENT)
        if "Traceback" in said.stderr or not said.stdout:
            sys.exit(f"doctor failed:\n{said.stderr}")
        print(*said.stdout.splitlines()[:DOCTOR_LINES], sep="\n")


def main() -> int:
    """Prints what it finds, and a table at the end; returns 1 if something is too large."""
    table = [
        "distribution | Python | installer | seconds | MB | packages",
        "---|---|---|---|---|---",
    ]
    too_large = False
    for release in RELEASES:
        with tempfile.TemporaryDirectory() as built:
            output("uv", "build", "--quiet", "--out-dir", built, release.folder)
            for minor, python in pythons():
                if minor < release.oldest:
                    continue
                for installer, end in FILES.items():
                    (file,) = Path(built).glob(f"*{end}")
                    with tempfile.TemporaryDirectory() as scratch:
                        folder = Path(scratch)
                        environment = folder / "environment"
                        found = install(file, release.name, installer, python, environment)
                        table.append(
                            f"{release.name} | 3.{minor} | {installer} | {found.seconds:.1f} "
                            f"| {found.megabytes:.1f} | {len(found.packages)}"
                        )
                        print(f"\n{table[-1]}", flush=True)
                        check(release, environment, folder)
                    too_large |= found.megabytes > release.megabytes
                print(*found.packages, sep=", ", flush=True)
    print(*("", *(f"| {row} |" for row in table)), sep="\n")
    return too_large


if __name__ == "__main__":
    sys.exit(main())
