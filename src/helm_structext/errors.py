"""The two ways in which turning a completion into a score can go wrong."""

from typing import Literal, get_args

ErrorKind = Literal["syntax", "timeout", "resource", "empty"]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)


def error_values(kind: str | None) -> dict[str, float]:
    """Returns a value for each kind of error: 1 for the one that occurred, if any.

    >>> error_values("empty")["render_error_empty"], sum(error_values(None).values())
    (1.0, 0.0)
    """
    return {f"render_error_{known}": float(known == kind) for known in ERROR_KINDS}


class RenderError(Exception):
    """The model's mistake: it is scored 0 with its kind, and is never retried.

    Args:
        kind: ``syntax`` (the code did not compile, was refused, or threw and left nothing to see),
            ``timeout``, ``resource`` (memory, output size or processes) or ``empty`` (no code, or
            it ended without complaint and without a page or a structure).
        message: one line for a person who wants to know what was wrong with the code.
        log: the engine's own output, as far as it helps.

    >>> error = RenderError("syntax", "Undefined control sequence \\\\foo")
    >>> print(error)
    syntax: Undefined control sequence \\foo
    """

    def __init__(self, kind: ErrorKind, message: str, log: str = "") -> None:
        super().__init__(kind, message, log)
        self.kind: ErrorKind = kind
        self.message = message
        self.log = log

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class SetupError(Exception):
    """The machine's mistake, or the user's: it stops the run and never becomes a score.

    The message says what is wrong and what to do about it.
    """
