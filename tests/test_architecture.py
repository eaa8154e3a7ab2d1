"""What may import what, read from the source."""

import ast
from pathlib import Path

import pytest

from support import TESTS


def imported(file: Path) -> set[str]:
    """The dotted names of all that a file imports, wherever the statement stands."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


TEST_MODULES = sorted(TESTS.glob("**/test_*.py"))


@pytest.mark.parametrize("file", TEST_MODULES, ids=lambda file: str(file.relative_to(TESTS)))
def test_no_test_module_imports_another(file):
    """What several need stands in `support`, fixtures in conftest.py."""
    stems = {module.stem for module in TEST_MODULES}
    parts = {part for name in imported(file) for part in name.split(".")}
    assert not parts & (stems | {"tests", "conftest"})
