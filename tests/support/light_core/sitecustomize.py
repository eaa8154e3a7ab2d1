"""Hides packages from an interpreter, and from those that it starts, as if they weren't installed.

Python imports this file when it starts, where its folder is on PYTHONPATH. `LIGHT_CORE` names a file of
what may be seen (`support.core`).
"""

import json
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

SEEN = json.loads(Path(os.environ["LIGHT_CORE"]).read_text())


class OnlySeen:
    """`PathFinder`, but for what is to be hidden."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in SEEN["hidden_modules"]:
            return None
        return PathFinder.find_spec(name, path, target)

    @staticmethod
    def find_distributions(*context):
        for found in PathFinder.find_distributions(*context):
            if found.name.replace("_", "-").replace(".", "-").lower() in SEEN["distributions"]:
                yield found

    invalidate_caches = PathFinder.invalidate_caches


sys.meta_path[sys.meta_path.index(PathFinder)] = OnlySeen
