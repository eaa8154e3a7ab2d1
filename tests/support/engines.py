"""What starts an engine, and so is no part of `make check`."""

import sys
from pathlib import Path
from typing import Any

import pytest

from helm_structext.sandbox import launcher
from support import commands

ENGINES = {
    *("bwrap", "chromium", "chromium-headless-shell", "chromedriver", "jekyll", "lilypond"),
    *("node", "pdflatex", "pdftoppm", "tesseract"),
    *("helm-run", "helm-server", "helm-structext", "helm-summarize"),
}
"""The sandbox, the programs that run in it, and commands that take seconds to start."""
STARTERS = {launcher.__file__, commands.__name__}
"""What stands in the arguments where the program is Python."""
UNSEEN = {
    "app",
    "browser",
    "light_core",
    "helm_structext.renderers.render",
    "test_a_judge_that_the_server_was_started_with_looks_at_pictures",
    "test_cache_is_shared_by_processes",
    "test_format_is_made_once_by_many_at_a_time",
    "test_programs_run",
}
"""Tests and fixtures that start one where it can't be skipped: in a doctest that ends in an exception,
or in another process; or where others have worked for it by then."""

LONG = {"imagenet", "site", "tried"}
"""Fixtures that take seconds without an engine, and so are no part of `make check` either."""
LONG_TESTS = frozenset(Path(__file__).with_name("long_tests.txt").read_text().split())
"""Tests that do, module and name, as `scripts/long_tests.py` measured them."""


def name_test(nodeid: str) -> str:
    """Returns the name of a test as `LONG_TESTS` has it.

    >>> name_test("tests/test_a.py::test_b[c]")
    'tests.test_a::test_b'
    """
    file, _, name = nodeid.partition("[")[0].partition("::")
    return f"{file.removesuffix('.py').replace('/', '.')}::{name}"


def skip_engines() -> None:
    """From now on, a test that starts one of `ENGINES` is skipped at that moment.

    So no test needs a mark, and none can have a wrong one.
    """

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            name = Path(str(arguments[0])).name
            if name in ENGINES or STARTERS & {*map(str, arguments[1])}:
                pytest.skip(f"starts {name}")

    sys.addaudithook(watch)
