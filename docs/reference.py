"""What the API reference shows, and that nothing public is missing from it.

MkDocs calls the functions below; Griffe, which reads the docstrings, loads the extension.
"""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

# Warnings of this logger end a strict build.
logger = logging.getLogger("mkdocs.hooks.reference")

SOURCES = Path(__file__).parents[1] / "src"
PUBLIC = (
    "helm_structext.metrics",
    "helm_structext.renderers",
    "helm_structext.formats",
    "helm_structext.extraction",
    "helm_structext.errors",
    "helm_structext.benchmarks",
)
"""The modules whose names are public."""

SESSION = re.compile(r"^(>>> .*(?:\n.+)*)", re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts a fence around each doctest, which Markdown would take for a quotation."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring of an object that was read."""
        if obj.docstring:
            obj.docstring.value = SESSION.sub(r"\n```pycon\n\1\n```", obj.docstring.value)


def on_config(config: Any) -> None:
    """Warns of every public name without a docstring: once for each build."""
    for module in PUBLIC:
        for name in undocumented(module, SOURCES):
            logger.warning("%s has no docstring", name)


def undocumented(module: str, folder: Path) -> Iterator[str]:
    """Yields the public names without a docstring: of the module, its names and their methods.

    Args:
        module: a dotted name.
        folder: the one that its package lies in.
    """
    loaded = griffe.load(module, search_paths=[folder], resolve_aliases=True)
    if not loaded.has_docstring:
        yield module
    for name in public_names(loaded):
        member = loaded[name]
        if member.is_module:  # A function may have the name of the file that it is in.
            member = member[name]
        if not member.has_docstring and not (member.is_attribute and loaded.exports is None):
            yield f"{module}.{name}"
        if member.is_class:
            for method, function in member.functions.items():
                if not method.startswith("_") and not function.has_docstring:
                    yield f"{module}.{name}.{method}"


def public_names(module: Any) -> list[str]:
    """Returns what a module exports: `__all__`, or the functions, classes and values it defines."""
    if module.exports is not None:
        return [str(name) for name in module.exports]
    return [
        name
        for name, member in module.members.items()
        if not name.startswith("_") and not member.is_alias and not member.is_module
    ]
