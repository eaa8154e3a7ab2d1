"""Puts the files that the main package and this distribution share into what is built from a checkout."""

from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "helm_structext_client"
FILES = {
    "src/helm_structext/serving/client.py": "__init__.py",
    "src/helm_structext/py.typed": "py.typed",
    "LICENSE": "LICENSE",
}


class Hook(BuildHookInterface[BuilderConfig]):
    """Maps each of `FILES` into the package; a source distribution has them there already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds them."""
        root = Path(self.root)
        if (root / PACKAGE).exists():
            return
        for source, name in FILES.items():
            build_data["force_include"][str(root.parent / source)] = f"{PACKAGE}/{name}"
