"""Modules that take seconds to import, imported by the first test that uses them."""

import importlib
from typing import Any


class Lazy:
    """Stands for a module, which is imported when an attribute of it is asked for.

    Collecting the tests, of which few need such modules, would take ten seconds more.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest looks for marks of its own at everything
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)
