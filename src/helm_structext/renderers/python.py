"""Python in the sandbox: a few libraries, loaded once, and a fork for each job.

The interpreter is ours, but sees nothing of its own packages except those asked for, with what they
need in turn. The jobs are modules in `etc/`, served by `etc/python_server.py`: a job has its own
process and folder. What it starts, or leaves behind, ends the server.
"""

import json
import platform
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from helm_structext.errors import MAX_MISSING, PYPI, MissingResource, SetupError
from helm_structext.extras import how_to_install
from helm_structext.machine.fonts import PAGE_FAMILIES
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import add_place, find_packages
from helm_structext.renderers.outcome import make_error
from helm_structext.sandbox import ForkServer, Limits, SandboxProfile, workers
from helm_structext.texts import shorten_text

SCRIPT = 'exec "$1" -s "$ETC/python_server.py" "$2"'
MAX_PLACE = 10_000_000
"""No code has as many lines, or columns."""
MAX_TOLD = 1_000_000
"""Bytes of what a job tells (`etc/python_server.py`); more was written by the code itself."""
MISSING_KINDS = ("data", "font", "package")
"""What a job may tell."""
MISSING_MODULE = Pattern(
    r"\A(?:ModuleNotFoundError: No module named '(\w+|mpl_toolkits\.basemap)'"
    r"|ImportError: Missing optional dependency '([\w.-]+)')"
)
"""What Python says. A part of a package that is here is not missing, but wrong."""
UNREACHED = Pattern(r"\A(?:URLError|HTTPError|ConnectionError|gaierror): ")
BESIDE = {
    "matplotlib_job": ("matplotlib_charts.py", "matplotlib_layout.py"),
    "typst_layout_job": ("pdf_job.py", "typst_job.py"),
}
"""Modules in `etc/` that jobs import."""
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
    from packaging.utils import canonicalize_name

    found: dict[str, Distribution] = {}
    wanted = list(names)
    while wanted:
        name = canonicalize_name(wanted.pop())
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
def profile(
    packages: tuple[str, ...],
    etc: tuple[str, ...] = (),
    folders: tuple[tuple[str, str], ...] = (),
) -> SandboxProfile:
    """Returns what Python finds inside: its standard library and some packages.

    Args:
        packages: their names on PyPI.
        etc: files below /etc, as those of any profile.
        folders: what else can be read: the variable that names it to the job, and its path.
    """
    standard = Path(sysconfig.get_path("stdlib"))
    found = library(packages)
    return SandboxProfile(
        programs=(str(interpreter()),),
        paths=(
            *(str(path) for path in sorted(standard.iterdir()) if path.name not in NOT_OURS),
            *(str(path) for path in sorted(Path(sys.base_prefix).glob("lib/lib*.so*"))),
            *map(str, found),
            *(path for _, path in folders),
        ),
        etc=("passwd", "nsswitch.conf", *etc),
        fonts=PAGE_FAMILIES,
        environment={
            **{name: path.replace("{", "{{").replace("}", "}}") for name, path in folders},
            "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONHOME": "{root}" + sys.base_prefix,
            "PYTHONPATH": ":".join(dict.fromkeys(f"{{root}}{path.parent}" for path in found)),
            # It looks for shared memory, which is not there.
            "JOBLIB_MULTIPROCESSING": "0",
            # Threads do not survive a fork.
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        },
    )


@dataclass(frozen=True)
class Made:
    """What a job made and printed, what the code asked for in vain, and what tells what is on the page."""

    page: bytes
    log: str
    missing: Sequence[MissingResource] = ()
    layout: bytes = b""


def make(
    job: str,
    packages: tuple[str, ...],
    source: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    folders: tuple[tuple[str, str], ...] = (),
    *,
    layout: bool = False,
) -> Made:
    r"""Does a job with a server that is already started, if there is one.

    Args:
        job: name of a module in `etc/`.
        packages: what it needs, by their names on PyPI.
        source: the code.
        assets: files beside it.
        protocol: by which it is rendered.
        limits: what the job may use.
        folders: see `profile`.
        layout: whether it shall tell what is on the page.

    Raises:
        RenderError: the code is wrong, or takes too much.
        SetupError: a package is missing, or the sandbox.
        ProcessDied: the job was ended by a signal.

    >>> packages = "markdown-it-py", "mdit-py-plugins"
    >>> make("markdown_job", packages, "*Hi*", {}, "published", Limits()).page
    b'<p><em>Hi</em></p>\n'
    """
    files = {f"files/{name}": content for name, content in assets.items()}
    files |= {"source": source.encode("utf-8", "replace"), "protocol": protocol.encode()}
    files |= {"wanted": b""} if layout else {}
    modules = ("python_server.py", f"{job}.py", *BESIDE.get(job, ()))
    inside = profile(packages, modules, folders)
    command = (str(interpreter()), job)
    key = (job, folders, replace(limits, seconds=0))
    with workers.checkout(key, lambda: ForkServer(command, inside, limits, SCRIPT)) as server:
        reply = server.process(files, limits.seconds)
    reply.check_signal()
    missing = read_missing(reply.files["missing"])
    match read_json(reply.files["failure"]):  # The code may have written it itself.
        case [("syntax" | "resource") as kind, str(message), *place]:
            message = message.encode("utf-8", "replace").decode()
            message = shorten_text(" ".join(message.split()), 1000)
            cause = find_cause(message, missing) if kind == "syntax" else []
            match place:
                case [int(line), int(column)] if 0 < line < MAX_PLACE and 0 <= column < MAX_PLACE:
                    message = add_place(source, message, line, column)
            raise make_error(message, reply.log, [*missing, *cause], cause, kind)
    return Made(reply.files["page"], reply.log, missing, reply.files["layout"])


def find_cause(message: str, missing: Sequence[MissingResource]) -> list[MissingResource]:
    """Returns what of all that is missing explains an error.

    Args:
        message: of Python or Typst, on one line.
        missing: what the job told.

    >>> print(*find_cause("ModuleNotFoundError: No module named 'cartopy'", ()))
    package cartopy of pypi.org
    >>> find_cause("ModuleNotFoundError: No module named 'numpy.nothing'", ())
    []
    """
    if packages := find_packages(MISSING_MODULE, message, PYPI):
        return packages
    kind = "data" if UNREACHED.match(message) else "package"
    return [*dict.fromkeys(one for one in missing if one.kind == kind)]


def read_missing(data: bytes) -> list[MissingResource]:
    """Returns what a job says it lacked; the code may have written it itself.

    >>> print(*read_missing(b'[["font", "", "Papyrus", ""], ["font", 1], 2]'))
    font Papyrus
    """
    found = read_json(data)
    return [
        MissingResource(*one)
        for one in (found if isinstance(found, list) else [])[:MAX_MISSING]
        if isinstance(one, list) and [*map(type, one)] == [str] * 4 and one[0] in MISSING_KINDS
    ]


def read_json(data: bytes) -> Any:
    """Returns what is in a file of a job, or None if it is not JSON, or more than `MAX_TOLD`."""
    try:
        return json.loads(data or b"null") if len(data) <= MAX_TOLD else None
    except (ValueError, RecursionError):
        return None
