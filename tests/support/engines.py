"""What starts an engine, and so is no part of `make check`."""

import sys
from pathlib import Path
from typing import Any

import pytest

from helm_structext.sandbox import launcher

ENGINES = {
    *("bwrap", "chromium", "chromium-headless-shell", "chromedriver", "jekyll", "lilypond"),
    *("node", "pdflatex", "pdftoppm", "tesseract"),
    *("helm-run", "helm-server", "helm-structext", "helm-summarize"),
}
"""The sandbox, the programs that run in it, and commands that take seconds to start."""
UNSEEN = {
    "helm_structext.renderers.render",
    "test_cache_is_shared_by_processes",
    "test_format_is_made_once_by_many_at_a_time",
    "test_programs_run",
}
"""What starts one where it can't be skipped: in a doctest that ends in an exception, or in another
process."""


def skip_engines() -> None:
    """From now on, a test that starts one of `ENGINES` is skipped at that moment.

    So no test needs a mark, and none can have a wrong one.
    """

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            name = Path(str(arguments[0])).name
            if name in ENGINES or launcher.__file__ in list(arguments[1]):
                pytest.skip(f"starts {name}")

    sys.addaudithook(watch)
