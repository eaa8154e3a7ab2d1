"""What has to be there before a model is evaluated: each step says what it found, or what to do."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Literal, TypeVar

from helm_structext.errors import SetupError
from helm_structext.texts import one_line
from helm_structext.threads import in_thread

Outcome = Literal["ok", "note", "model", "setup"]
"""Whether all is well, or something that one may need later is missing, or whose fault it is."""

STATUS: dict[Outcome, int] = {"ok": 0, "note": 0, "model": 1, "setup": 2}
"""What the command ends with where this is the first thing that is wrong."""

MAX_DETAIL = 500
"""Characters of what is said of one check."""

Result = TypeVar("Result")


class CheckFailed(Exception):
    """Something is not as it should be, and not for the machine's fault.

    Args:
        outcome: ``model`` where the model's side is at fault, ``note`` where what is missing is not needed
            for every evaluation.
        message: says what to do.
    """

    def __init__(self, outcome: Literal["model", "note"], message: str) -> None:
        super().__init__(message)
        self.outcome: Outcome = outcome


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and what was found or is to be done."""

    name: str
    outcome: Outcome
    detail: str


def looked_at(name: str, look: Callable[[], str]) -> Check:
    """Returns what a step found.

    >>> looked_at("key", lambda: "none is needed")
    Check(name='key', outcome='ok', detail='none is needed')
    """
    outcome: Outcome = "ok"
    try:
        detail = look()
    except SetupError as error:
        outcome, detail = "setup", str(error)
    except CheckFailed as error:
        outcome, detail = error.outcome, str(error)
    return Check(name, outcome, one_line(detail, MAX_DETAIL))


def status(checks: list[Check]) -> int:
    """Returns what the command ends with: 0, or that of the first check that failed."""
    return next((STATUS[check.outcome] for check in checks if STATUS[check.outcome]), 0)


class Deadline:
    """The time that all requests have together.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def within(self, work: Callable[[], Result]) -> Result:
        """Returns what `work` returns; what takes too long is left alone.

        Raises:
            TimeoutError: it takes longer than there is time.
            Exception: what `work` raises.
        """
        return in_thread(work).result(max(0.0, self._end - monotonic()))


@contextmanager
def helm_is_quiet() -> Iterator[None]:
    """Keeps HELM's log off the terminal, which says each thing once; our own mistakes stay in it."""
    helm, ours = logging.getLogger("helm"), logging.getLogger("helm.structext")
    null, shown = logging.NullHandler(), logging.StreamHandler()
    propagate = helm.propagate
    helm.addHandler(null)
    ours.addHandler(shown)
    helm.propagate = False
    try:
        yield
    finally:
        helm.removeHandler(null)
        ours.removeHandler(shown)
        helm.propagate = propagate
