"""What a quick run leaves out is there: a name that nothing has any more would leave out nothing."""

import re

import pytest

from support import ROOT
from support.engines import LONG, LONG_TESTS, UNSEEN

DEFINED = re.compile(r"^ *def (\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def defined() -> set[str]:
    """The names of all functions of the tests."""
    files = (ROOT / "tests").rglob("*.py")
    return {name for file in files for name in DEFINED.findall(file.read_text("utf-8"))}


@pytest.mark.parametrize("names", [LONG, UNSEEN], ids=["seconds", "engines"])
def test_what_a_quick_run_leaves_out_is_a_test_or_a_fixture(names, defined):
    assert {name for name in names if "." not in name} - defined == set()


def test_long_tests_are_there():
    missing = []
    for name in LONG_TESTS:
        module, _, test = name.partition("::")
        file = ROOT / f"{module.replace('.', '/')}.py"
        text = file.read_text("utf-8") if file.is_file() else ""
        if not re.search(rf"^ *(?:def|class) {test.rpartition('.')[2]}\b", text, re.MULTILINE):
            missing.append(name)
    assert missing == []
