"""What jobs of each engine may use, and how long code may be.

Each limit of a format can be set by the environment (`helm_structext.sandbox.limits_for`).
"""

from helm_structext.sandbox import Limits

MAX_SOURCE = 10_000_000
"""Characters of a completion or of code; a longer one is an error of kind ``resource``."""

LATEX_LIMITS = Limits(seconds=30, memory=1024, processes=16, scratch=128, output=64)
LILYPOND_LIMITS = Limits(seconds=60, memory=2048, processes=16, scratch=128, output=64)
PYTHON_LIMITS = Limits(seconds=30, memory=2048, processes=16, scratch=128, output=64)
"""Of Matplotlib and Typst."""
BROWSER_LIMITS = Limits(seconds=30, memory=2048, processes=64, scratch=256, output=64)
"""Of all that a browser draws, with the compilers before it."""
LAYOUT_LIMITS = Limits(seconds=10, memory=1024, processes=4, scratch=64, output=64)
"""Of the job that reads what is on a PDF's page, which no rendering pays for."""


def check_timeout(timeout: float | None) -> None:
    """Raises ValueError if it is neither None nor a number of seconds above 0."""
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout is {timeout!r}; expected a number of seconds above 0")
