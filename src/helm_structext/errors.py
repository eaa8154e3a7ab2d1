"""The two ways in which turning a completion into a score can go wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from typing import Literal, get_args

from helm_structext.texts import MAX_MESSAGE, make_printable, one_line, shorten_text

ErrorKind = Literal["syntax", "timeout", "resource", "empty"]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)

MAX_MISSING = 100
"""Resources that one answer can lack; further ones are not looked at."""
MAX_HOST, MAX_PACKAGE, MAX_ADDRESS = 100, 100, 300
"""Characters of each text of a `MissingResource`, more or less: the middle of a longer one is left out."""

_NAMES = {Real: "number", PathLike: "path", type(None): "None"}


def check_types(expected: type | tuple[type, ...], **arguments: object) -> None:
    """Raises TypeError, naming it, if an argument is of none of the expected types.

    >>> check_types(str, prediction="a", reference=None)
    Traceback (most recent call last):
    TypeError: reference: expected a str, got NoneType
    """
    types = expected if isinstance(expected, tuple) else (expected,)
    for name, value in arguments.items():
        if not isinstance(value, types):
            names = " or ".join(_NAMES.get(one, one.__name__) for one in types)
            raise TypeError(f"{name}: expected a {names}, got {type(value).__name__}")


def check_strings(**arguments: object) -> None:
    """Raises TypeError if an argument is no list or tuple of strings, as where it is one string.

    >>> check_strings(reference="title")
    Traceback (most recent call last):
    TypeError: reference: expected a list of strings, got 'title'
    """
    for name, value in arguments.items():
        if (
            isinstance(value, str)
            or not isinstance(value, Sequence)
            or not all(isinstance(one, str) for one in value)
        ):
            raise TypeError(f"{name}: expected a list of strings, got {value!r:.80}")


def error_values(kind: str | None) -> dict[str, float]:
    """Returns a value for each kind of error: 1 for the one that occurred, if any.

    >>> error_values("empty")["render_error_empty"], sum(error_values(None).values())
    (1.0, 0.0)
    """
    return {f"render_error_{known}": float(known == kind) for known in ERROR_KINDS}


@dataclass(frozen=True, order=True)
class MissingResource:
    r"""What code asked for and this machine does not have: no network leads there.

    What code wrote is kept as one line of bounded length that no terminal obeys.

    Args:
        kind: what it was to be: ``script``, ``style``, ``font``, ``picture``, ``media``, ``page`` (in
            a frame), ``data``, or ``package`` where code imports one by its name.
        host: that an address leads to, or "".
        package: that an address or an import names, or "".
        address: all of it, or "".

    >>> print(MissingResource("script", "unpkg.com", "left-pad", "https://unpkg.com/left-pad@1"))
    script left-pad of unpkg.com (https://unpkg.com/left-pad@1)
    >>> print(MissingResource("package", package="zustand\x1b[2J"))
    package zustand\u001b[2J
    """

    kind: str
    host: str = ""
    package: str = ""
    address: str = ""

    def __post_init__(self) -> None:
        for name, most in (("host", MAX_HOST), ("package", MAX_PACKAGE), ("address", MAX_ADDRESS)):
            object.__setattr__(self, name, one_line(getattr(self, name), most))

    def __str__(self) -> str:
        what = " of ".join(filter(None, [self.package, self.host]))
        return f"{self.kind} {what}" + f" ({self.address})" * bool(self.address)


class RenderError(Exception):
    """The model's mistake: it is scored 0 with its kind, and is never retried.

    Args:
        kind: ``syntax`` (the code did not compile, was refused, or threw and left nothing to see),
            ``timeout``, ``resource`` (memory, output size or processes) or ``empty`` (no code, or
            it ended without complaint and without a page or a structure).
        message: what was wrong with the code, for people; it is kept as one line of bounded length
            that no terminal obeys.
        log: the engine's own output, as far as it helps.
        missing: what the code asked for and did not get, which may be why.

    >>> error = RenderError("syntax", "Undefined control sequence \\\\foo")
    >>> print(error)
    syntax: Undefined control sequence \\foo
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        log: str = "",
        missing: Sequence[MissingResource] = (),
    ) -> None:
        self.message = one_line(message)
        super().__init__(kind, self.message, log, missing)
        self.kind: ErrorKind = kind
        self.log = log
        self.missing = tuple(missing)

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class SetupError(Exception):
    """The machine's mistake, or the user's: it stops the run and never becomes a score.

    The message says what is wrong and what to do about it. What it quotes of files and datasets has
    bounds there, too.

    >>> print(SetupError("column 'a\\x1b[2J' is unknown"))
    column 'a\\u001b[2J' is unknown
    """

    def __init__(self, message: str) -> None:
        length = 2 * MAX_MESSAGE
        super().__init__(shorten_text(make_printable(shorten_text(message, length)), length))
