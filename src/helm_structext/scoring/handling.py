"""What is done with one answer ends well for all others: our own mistakes cost that answer alone.

`RenderError` is the model's mistake, or of kind ``missing`` what the machine lacks; `SetupError` is the
machine's. Any other exception while an answer is handled is ours. `handle` is the one place that
catches it: the answer is then of kind ``internal``, has no score at all (absent, not 0) and
`INTERNAL_ERROR` counts it; the traceback is in the log. What is handled can be tried again: nothing of
it is kept in a cache.
"""

import errno
import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from helm_structext.errors import MISSING, MissingResource, RenderError, SetupError
from helm_structext.protocols import MissingRule
from helm_structext.texts import describe_error, make_printable, one_line, shorten_text

INTERNAL: Literal["internal"] = "internal"
"""The kind of what failed for a mistake of ours; see `helm_structext.errors.ErrorKind`."""

SETUP: Literal["setup"] = "setup"
"""The machine failed: a program, the sandbox, memory or space on the disk is missing."""
REFERENCE: Literal["reference"] = "reference"
"""What the completion was to be compared with can't be read or does not render."""
UNFINISHED: Literal["unfinished"] = "unfinished"
"""The batch was over, or cancelled, before the completion's turn or end."""
SERVER: Literal["server"] = "server"
"""A server of scores did not answer."""
NO_COMPLETION: Literal["no_completion"] = "no_completion"
"""There is no completion, and no scores, not even 0."""
JUDGE: Literal["judge"] = "judge"
"""What a judge replied can't be read: what it was to decide has no score."""

Fault = Literal["model", "machine", "judge", "us"]
FAULTS: Mapping[str, Fault] = {
    INTERNAL: "us",
    SETUP: "machine",
    REFERENCE: "machine",
    UNFINISHED: "machine",
    SERVER: "machine",
    NO_COMPLETION: "machine",
    JUDGE: "judge",
}
"""Whose fault it is that an answer has no score, by the kind of failure; any other kind is the model's."""

INTERNAL_ERROR = "internal_error"
"""The statistic of an answer: 1 if something of it could not be handled, else 0."""

MISSING_RESOURCES = "missing_resources"
"""The statistic of an answer that is rendered: how much it asked for and did not get, at most `MAX_MISSING`."""

UNDRAWN = f"render_error_{MISSING}"
"""The statistic of an answer: 1 if it can't be drawn for what is missing, or is a blank page for it."""

TEX_ERRORS = "tex_errors"
"""The statistic of a picture that TeX drew: how many errors it told and went on after."""

MAX_LOG = 20_000
"""Characters of a traceback that are kept."""

MACHINE_ERRORS = {
    errno.ENOSPC: "free some space on the disk",
    errno.EDQUOT: "free some space within your quota",
    errno.EROFS: "make the file system writable",
    errno.EACCES: "set the permissions of the file",
    errno.EIO: "the disk may be damaged",
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENFILE: "the machine has too many open files",
    errno.ENOMEM: "free some memory",
}
"""What the system says when an answer can't be at fault, and what to do then."""

_SPARE = 64 << 20
"""Bytes. A machine that can't give so much has run out of memory, whatever the answer asked for."""

Result = TypeVar("Result")
# Below HELM's own logger, whose handlers and level are then those of this one, too.
_log = logging.getLogger("helm.structext")


@dataclass(frozen=True)
class Failure:
    """Why an answer scores 0, or has no score.

    Args:
        kind: that of a `RenderError`, the name of a guard, or one of `FAULTS`.
        message: one line for people.
        log: the engine's output, or the traceback.
        missing: what the code asked for and did not get.
        excused: whether the answer has no score whatever the kind, which is the machine's fault then.

    >>> Failure("syntax", "line 1: what?").fault, Failure("setup", "the disk is full").fault
    ('model', 'machine')
    """

    kind: str
    message: str
    log: str = ""
    missing: Sequence[MissingResource] = ()
    excused: bool = False

    @property
    def fault(self) -> Fault:
        """Whose it is: only the model's scores 0, others leave the answer without a score."""
        return FAULTS.get(self.kind, "machine" if self.excused else "model")

    def excuse(self, rule: MissingRule | None) -> "Failure":
        """Returns the failure as a rule has it: of kind ``missing`` it leaves no score by ``unscored``.

        >>> found = Failure("missing", "the package zustand is not here")
        >>> found.fault, found.excuse("zero").fault, found.excuse("unscored").fault
        ('model', 'model', 'machine')
        """
        excused = self.excused or (self.kind == MISSING and rule == "unscored")
        return replace(self, excused=excused)

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class NotScored(SetupError):
    """A completion has no score, and not for its own fault.

    Args:
        failure: why.

    >>> print(NotScored(Failure("reference", "its code does not render")))
    a completion has no score (reference): its code does not render
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"a completion has no score ({failure.kind}): {failure.message}")
        self.failure = replace(failure, excused=True)

    def __reduce__(self) -> tuple[type["NotScored"], tuple[Failure]]:
        return NotScored, (self.failure,)


def bad_reference(why: str) -> NotScored:
    """Returns what to raise where a completion's reference can't be used."""
    return NotScored(Failure(REFERENCE, why))


def handle(what: str, work: Callable[[], Result]) -> Result | Failure:
    """Returns what `work` returns, or why it failed.

    Args:
        what: is handled, for the log: such as ``the rendering of instance id7``.
        work: on one answer.

    Raises:
        SetupError: what `work` raises, and instead of errors that say that the machine has no
            memory, space or files left: the next answers would fare no better.

    >>> handle("a sum", lambda: 1 + 1)
    2
    >>> def refuse() -> int:
    ...     raise RenderError("syntax", "line 1: what?")
    >>> print(handle("an answer", refuse))
    syntax: line 1: what?
    >>> print(handle("a quotient", lambda: 1 / 0))
    internal: ZeroDivisionError: division by zero
    """
    try:
        return work()
    except RenderError as error:
        return Failure(error.kind, error.message, error.log, error.missing)
    except NotScored as error:
        return error.failure
    except SetupError:
        raise
    except Exception as error:
        what = one_line(what)
        if remedy := _remedy(error):
            raise SetupError(f"{what} failed: {describe_error(error)}; {remedy}") from error
        log = make_printable(shorten_text("".join(traceback.format_exception(error)), MAX_LOG))
        _log.error("%s could not be handled, and has no score: a bug of ours.\n%s", what, log)
        return Failure(INTERNAL, describe_error(error), log)


def _remedy(error: Exception) -> str | None:
    """What to do about an error that is the machine's, or None for one that is ours."""
    if isinstance(error, OSError):
        return MACHINE_ERRORS.get(error.errno or 0)
    if isinstance(error, MemoryError):
        # An answer may ask for more than any machine has; then there is still some left.
        try:
            bytearray(_SPARE)
        except MemoryError:
            return MACHINE_ERRORS[errno.ENOMEM]
    return None
