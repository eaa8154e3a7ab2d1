"""Python in the sandbox: a few libraries, loaded once, and a fork for each job.

The interpreter is ours, but sees nothing of its own packages except those asked for, with what they
need in turn. The jobs are modules in `etc/`, served by `etc/python_server.py`: a job has its own
process and folder. What it starts, or leaves behind, ends the server.
"""

import json
import platform
import re
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import islice
from pathlib import Path

from helm_structext.errors import MAX_MISSING, PYPI, TYPST, MissingResource, SetupError
from helm_structext.extras import how_to_install
from helm_structext.machine.fonts import PAGE_FAMILIES
from helm_structext.patterns import Pattern
from helm_structext.renderers.engine import add_place, find_packages
from helm_structext.renderers.outcome import make_error
from helm_structext.sandbox import ForkServer, Limits, SandboxProfile, workers
from helm_structext.texts import shorten_text

SCRIPT = 'exec "$1" -s "$ETC/python_server.py" "$2"'
MAX_PLACE = 10_000_000
"""No code has as many lines, or columns."""
MISSING_MODULE = Pattern(
    r"\A(?:ModuleNotFoundError: No module named '(\w+|mpl_toolkits\.basemap)'"
    r"|ImportError: Missing optional dependency '([\w.-]+)')"
)
"""What Python says. A part of a package that is here is not missing, but wrong."""
MISSING_TYPST = Pattern(
    r"\A(?:the package (@[\w/.:-]+) (?:can't be downloaded|is not installed)"
    r"|package not found \(searched for (@[\w/.:-]+)\))"
)
"""What our job of Typst says."""
UNREACHED = Pattern(r"\A(?:URLError|HTTPError|ConnectionError|gaierror): ")
ADDRESS = Pattern(r"https?://([\w.-]+)[^\s'\"<>]*")
NOT_OURS = ("site-packages", "dist-packages")


@lru_cache
def distributions(names: tuple[str, ...]) -> dict[str, Distribution]:
    """Returns packages and what they need in turn: name → package.

    Raises:
        SetupError: one is not installed.

    >>> sorted(distributions(("markdown-it-py",)))
    ['markdown-it-py', 'mdurl']
    """
    from packaging.requirements import Requirement

    found: dict[str, Distribution] = {}
    wanted = list(names)
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            raise SetupError(
                f"The Python package {name!r} is missing: {how_to_install(name)}"
            ) from None
        for text in found[name].requires or ():
            requirement = Requirement(text)
            if not requirement.marker or requirement.marker.evaluate({"extra": ""}):
                wanted.append(requirement.name)
    return found


def versions(names: tuple[str, ...]) -> str:
    """Returns the interpreter's version and those of packages and of what they need.

    >>> versions(("mdurl",))
    'Python 3..., mdurl ...'
    """
    found = sorted(distributions(names).items())
    parts = [
        f"Python {platform.python_version()}",
        *(f"{name} {one.version}" for name, one in found),
    ]
    return ", ".join(parts)


@lru_cache
def library(names: tuple[str, ...]) -> tuple[Path, ...]:
    """Returns the files and folders of packages and of what they need."""
    paths = {
        Path(str(package.locate_file(file.parts[0])))
        for package in distributions(names).values()
        for file in package.files or ()
        if file.parts[0] not in ("..", "__pycache__")
    }
    return tuple(sorted(paths))


@lru_cache
def interpreter() -> Path:
    """Returns the program that a virtual environment only links to."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


@lru_cache
def profile(packages: tuple[str, ...], etc: tuple[str, ...] = ()) -> SandboxProfile:
    """Returns what Python finds inside: its standard library and some packages.

    Args:
        packages: their names on PyPI.
        etc: files below /etc, as those of any profile.
    """
    standard = Path(sysconfig.get_path("stdlib"))
    found = library(packages)
    return SandboxProfile(
        programs=(str(interpreter()),),
        paths=(
            *(str(path) for path in sorted(standard.iterdir()) if path.name not in NOT_OURS),
            *(str(path) for path in sorted(Path(sys.base_prefix).glob("lib/lib*.so*"))),
            *map(str, found),
        ),
        etc=("passwd", "nsswitch.conf", *etc),
        fonts=PAGE_FAMILIES,
        environment={
            "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONHOME": "{root}" + sys.base_prefix,
            "PYTHONPATH": ":".join(dict.fromkeys(f"{{root}}{path.parent}" for path in found)),
            # Threads do not survive a fork.
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        },
    )


@dataclass(frozen=True)
class Made:
    """What a job made and printed."""

    page: bytes
    log: str


def make(
    job: str,
    packages: tuple[str, ...],
    source: str,
    assets: Mapping[str, bytes],
    limits: Limits,
) -> Made:
    r"""Does a job with a server that is already started, if there is one.

    Args:
        job: name of a module in `etc/`.
        packages: what it needs, by their names on PyPI.
        source: the code.
        assets: files beside it.
        limits: what the job may use.

    Raises:
        RenderError: the code is wrong, or takes too much.
        SetupError: a package is missing, or the sandbox.
        ProcessDied: the job was ended by a signal.

    >>> make("markdown_job", ("markdown-it-py", "mdit-py-plugins"), "*Hi*", {}, Limits()).page
    b'<p><em>Hi</em></p>\n'
    """
    files = {f"files/{name}": content for name, content in assets.items()}
    files["source"] = source.encode("utf-8", "replace")
    inside = profile(packages, ("python_server.py", f"{job}.py"))
    command = (str(interpreter()), job)
    key = (job, replace(limits, seconds=0))
    with workers.checkout(key, lambda: ForkServer(command, inside, limits, SCRIPT)) as server:
        reply = server.process(files, limits.seconds)
    reply.check_signal()
    try:
        failure = json.loads(reply.files["failure"] or b"null")
    except (ValueError, RecursionError):
        failure = None
    match failure:  # The code may have written it itself.
        case [("syntax" | "resource") as kind, str(message), *place]:
            message = message.encode("utf-8", "replace").decode()
            message = shorten_text(" ".join(message.split()), 1000)
            missing = find_lacking(message, source) if kind == "syntax" else []
            match place:
                case [int(line), int(column)] if 0 < line < MAX_PLACE and 0 <= column < MAX_PLACE:
                    message = add_place(source, message, line, column)
            raise make_error(message, reply.log, missing, missing, kind)
    return Made(reply.files["page"], reply.log)


def find_lacking(message: str, source: str) -> list[MissingResource]:
    """Returns what an error says that this machine lacks.

    Args:
        message: of Python or Typst, on one line.
        source: the code, whose addresses are what can't be reached.

    >>> print(*find_lacking("ModuleNotFoundError: No module named 'cartopy'", ""))
    package cartopy of pypi.org
    >>> find_lacking("ModuleNotFoundError: No module named 'numpy.nothing'", "")
    []
    """
    if typst := find_packages(MISSING_TYPST, message, TYPST):
        return typst
    if packages := find_packages(MISSING_MODULE, message, PYPI):
        return packages
    if not UNREACHED.match(message):
        return []
    found = islice(ADDRESS.finditer(source), MAX_MISSING)
    return [*dict.fromkeys(MissingResource("data", one[1], "", one[0]) for one in found)]
