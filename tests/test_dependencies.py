"""What pyproject.toml requires, and what is imported."""

import ast
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from helm_structext import extras
from helm_structext.renderers import matplotlib
from support import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
USERS = sorted(EXTRAS.keys() - {"all", "ray"})
"""Extras with what the source imports; Ray's is installed for its own tests alone."""
GROUPS = ("dev", "docs")
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "helm_structext"
ELSEWHERE = {
    PACKAGE / "integrations" / "inspect_ai.py",
    PACKAGE / "integrations" / "trl.py",
    PACKAGE / "integrations" / "verifiers.py",
    PACKAGE / "serving" / "ray.py",
}
"""What only another harness, or a cluster, loads: what it imports comes with that."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[str]) -> set[str]:
    """The normal names of requirements that count for this Python, without extras of our own."""
    parsed = map(Requirement, requirements)
    names = {normal(r.name) for r in parsed if r.marker is None or r.marker.evaluate()}
    return names - {normal(PROJECT["name"])}


def modules(code: str) -> Iterator[str]:
    """Yields the first name of every module that code imports, or looks for by name.

    Code in its texts counts, too: some run in processes of their own.
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "find_spec":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))
        elif isinstance(node, ast.Constant) and "\nfrom " in str(node.value):
            with suppress(SyntaxError):
                yield from modules(node.value)


def source_files(folder: Path) -> Iterator[Path]:
    for file in folder.glob("**/*.py"):
        if "node_modules" not in file.parts and file not in ELSEWHERE:
            yield file


@cache
def distributions(folder: Path) -> set[str]:
    """The normal names of installed distributions whose modules a folder's files import.

    Of those that share a namespace, such as ``backports``, only what is required counts, if any of them is.
    """
    owners = packages_distributions()
    required = named(PROJECT["dependencies"])
    found = set()
    for file in source_files(folder):
        for name in modules(file.read_text(encoding="utf-8")):
            these = {normal(owner) for owner in owners.get(name, ())}
            found |= these & required or these
    return found - {normal(PROJECT["name"])}


def test_every_runtime_dependency_is_imported_by_the_source():
    assert named(PROJECT["dependencies"]) - distributions(SOURCE) == set()


def test_everything_that_the_source_imports_is_a_dependency():
    required = named(
        [*PROJECT["dependencies"], *(name for extra in USERS for name in EXTRAS[extra])]
    )
    assert distributions(SOURCE) - required == set()


def test_what_only_the_tests_import_is_for_development():
    extras = [name for extra in USERS for name in EXTRAS[extra]]
    grouped = [name for group in GROUPS for name in PYPROJECT["dependency-groups"][group]]
    developed = [name for name in grouped if isinstance(name, str)]  # a group includes another
    own = named([*PROJECT["dependencies"], *extras, *developed])
    assert distributions(ROOT / "tests") - own == set()


@pytest.mark.parametrize("extra", USERS)
def test_an_extra_holds_nothing_that_is_required_anyway(extra):
    assert named(EXTRAS[extra]) & named(PROJECT["dependencies"]) == set()


OF_HELM = {"legacy-cgi"}
"""What HELM's own server imports, and does not ask for."""


@pytest.mark.parametrize("extra", USERS)
def test_every_package_of_an_extra_is_imported_by_the_source(extra):
    assert named(EXTRAS[extra]) - distributions(SOURCE) <= OF_HELM | {*matplotlib.PACKAGES}


def test_every_extra_for_users_is_known_to_what_names_missing_ones():
    assert {*extras.EXTRAS} == EXTRAS.keys() - {"all"}


def test_of_every_module_that_the_core_lacks_the_extra_is_known():
    owners = packages_distributions()
    required = named(PROJECT["dependencies"])
    lacking = {
        name
        for file in source_files(SOURCE)
        for name in modules(file.read_text(encoding="utf-8"))
        if owners.get(name) and not {normal(owner) for owner in owners[name]} & required
    } - {PACKAGE.name}
    assert len(lacking) > 10
    for name in lacking:
        assert extras.extras_of(extras.DISTRIBUTIONS.get(name, name)), name
