"""An environment with the dependencies of the light core and nothing else, as processes see it."""

import json
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from helm_structext.extras import PROJECT
from helm_structext.renderers.python import distributions
from support import TESTS

SCRIPT = Path(sys.executable).with_name(PROJECT)
"""The command, as a program of Python's."""


@cache
def core_distributions() -> set[str]:
    """The normal names of all that an installation without extras brings."""
    required = [
        requirement.name
        for requirement in map(Requirement, requires(PROJECT) or [])
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]
    return {PROJECT, *map(canonicalize_name, distributions(tuple(required)))}


@cache
def hidden_modules() -> set[str]:
    """The modules of packages that such an installation lacks."""
    core = core_distributions()
    return {
        module
        for module, owners in packages_distributions().items()
        if not core & {*map(canonicalize_name, owners)}
    }


class LightCore:
    """Runs commands of this environment without what only extras bring.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        seen = {"distributions": [*core_distributions()], "hidden_modules": [*hidden_modules()]}
        (folder / "seen.json").write_text(json.dumps(seen))

    def python(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Runs Python to its end, without raising."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd or self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(TESTS / "support" / "light_core"),
                "LIGHT_CORE": str(self.folder / "seen.json"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs `helm-structext` in the folder."""
        return self.python(str(SCRIPT), *arguments)
