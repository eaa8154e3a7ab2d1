"""The one place that prints: a terminal shows what models and files say, and obeys nothing of it."""

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

from helm_structext.texts import make_printable

_kept: list[TextIO] = []
"""Standard output, while it is kept for what commands say."""


@contextmanager
def stdout_is_kept() -> Iterator[None]:
    """Keeps standard output for what commands say: what others print, such as HELM, goes beside it."""
    _kept.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _kept.pop()


def stdout() -> TextIO:
    """Returns standard output, kept or not."""
    return _kept[-1] if _kept else sys.stdout


def say(text: object, *, end: str = "\n") -> None:
    """Prints what a command is for."""
    _write(f"{text}{end}", stdout())


def complain(text: object) -> None:
    """Prints why a command fails."""
    _write(f"{text}\n", sys.stderr)


def columns(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """Returns the lines of a table.

    Args:
        rows: of cells.
        right: the columns whose cells stand at the right.

    >>> columns([("", "runs", "of"), ("all", "2", "me")], right={1})
    ['     runs  of', 'all     2  me']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _write(text: str, stream: TextIO) -> None:
    encoding = stream.encoding or "utf-8"
    # What an old terminal has no character for is escaped, too.
    stream.write(make_printable(text).encode(encoding, "backslashreplace").decode(encoding))
