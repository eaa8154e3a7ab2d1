"""The one place that prints: a terminal shows what models and files say, and obeys nothing of it."""

import sys
from typing import TextIO

from helm_structext.texts import printable


def say(text: object, *, end: str = "\n") -> None:
    """Prints what a command is for."""
    _write(f"{text}{end}", sys.stdout)


def complain(text: object) -> None:
    """Prints why a command fails."""
    _write(f"{text}\n", sys.stderr)


def _write(text: str, stream: TextIO) -> None:
    encoding = stream.encoding or "utf-8"
    # What an old terminal has no character for is escaped, too.
    stream.write(printable(text).encode(encoding, "backslashreplace").decode(encoding))
