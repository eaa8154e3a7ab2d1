"""The two ways in which turning a completion into a score can go wrong, and what a machine lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from typing import Literal, get_args

from helm_structext.texts import MAX_MESSAGE, make_printable, one_line, shorten_text

ErrorKind = Literal["syntax", "timeout", "resource", "empty", "missing"]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
MISSING: Literal["missing"] = "missing"
"""The kind of what could not be drawn for what the machine lacks (`helm_structext.renderers.outcome`)."""

MAX_MISSING = 100
"""Resources that one answer can lack; further ones are not looked at."""
MAX_HOST, MAX_PACKAGE, MAX_ADDRESS = 100, 100, 300
"""Characters of each text of a `MissingResource`, more or less: the middle of a longer one is left out."""

NPM, PYPI, CTAN, TYPST = "npmjs.com", "pypi.org", "ctan.org", "packages.typst.org"
"""The hosts of what code names without an address: packages of JavaScript, Python, TeX and Typst."""
HOW_TO_GET: Mapping[str, str] = {
    NPM: "it is not one of the packages that `helm-structext setup` installs",
    PYPI: "it is not one of the packages that the sandbox shows to scripts",
    TYPST: "with network, `helm-structext setup --typst NAME` installs it",
    CTAN: "install the system's package that has it, such as Debian's texlive-latex-extra",
}
"""Host to how what is missing of it can be had; of any other, nothing here leads there."""

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
        kind: what it was to be: ``script``, ``style``, ``font``, ``picture``, ``icon``, ``media``, ``page``
            (in a frame), ``data``, ``program``, or ``package`` where code imports one by its name.
        host: that an address leads to, or that has what is imported by its name (`HOW_TO_GET`), or "".
        package: that an address or an import names, the file or the icon, or "".
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
        return self._name + f" ({self.address})" * bool(self.address)

    @property
    def _name(self) -> str:
        return f"{self.kind} {' of '.join(filter(None, [self.package, self.host]))}"

    def explain(self) -> str:
        """Returns what is not here, from where, and how to get it.

        >>> MissingResource("script", "unpkg.com", "left-pad", "https://unpkg.com/left-pad@1").explain()
        'the script left-pad of unpkg.com is not here: nothing here reaches unpkg.com, and `helm-structext setup` installs no such file'
        """
        how = self.how_to_get
        name = self._name if self.package or not self.address else f"{self.kind} {self.address}"
        return f"the {name} is not here" + f": {how}" * bool(how)

    @property
    def how_to_get(self) -> str:
        """What to do about it, or why it can't be had; "" where no host is named."""
        if self.host in HOW_TO_GET or not self.host:
            return HOW_TO_GET.get(self.host, "")
        named = ", and `helm-structext setup` installs no such file" * bool(self.package)
        return f"nothing here reaches {self.host}{named}"


class RenderError(Exception):
    """Code could not be drawn or read: it is scored 0 with its kind, and is never retried.

    Args:
        kind: the model's mistake: ``syntax`` (the code did not compile, was refused, or threw and left
            nothing to see), ``timeout``, ``resource`` (memory, output size or processes) or ``empty`` (no
            code, or it ended without complaint and without a page or a structure); or ``missing``:
            there is nothing to see for what this machine lacks.
        message: what was wrong with the code, for people; it is kept as one line of bounded length
            that no terminal obeys.
        log: the engine's own output, as far as it helps.
        missing: what the code asked for and did not get.

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
