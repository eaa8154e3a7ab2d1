"""Results in JSON lines, written as they come, so that a command that was stopped goes on where it was.

Each line begins with a key: a hash of what was scored, how and by which release. By its keys a file is known
as one of the same results. A file of anything else is refused, and stays as it is.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from helm_structext.errors import SetupError
from helm_structext.storage.files import MAX_LINE
from helm_structext.storage.locks import lock
from helm_structext.texts import describe_error

Result = TypeVar("Result")

OTHERS = (
    "what the file to continue has is not of these answers, or they were scored with other "
    "arguments or by another release; name another file, or delete it"
)


def complete_lines(
    path: Path, keys: Iterable[str], lines: Callable[[int], Iterator[bytes]]
) -> Iterator[int]:
    """Writes the lines that a file in JSON lines lacks; no other process can at the same time.

    Neither what the file has is in memory at once, nor what comes. Where the file system has no locks,
    as Lustre without ``flock``, other processes are not kept out.

    Args:
        path: the file. What its end has of a line that was being written when the command was stopped
            is cut off, and so are the zero bytes that are left of lines when a machine lost its power.
        keys: of all lines in their order, as each has it as ``key``, which comes first.
        lines: yields those that follow the first so many.

    Yields:
        How many lines there are, first before any is written, then after each.

    Raises:
        SetupError: what the file has are not the first of these lines, another process writes it, or
            it can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            _hold(file, path)
            done = _first_lines(file, path, keys)
            yield done
            for line in lines(done):
                file.write(line)
                file.flush()
                done += 1
                yield done
            os.fsync(file.fileno())
    except OSError as error:
        raise SetupError(f"{path} can't be written: {describe_error(error)}") from error


def _hold(file: BinaryIO, path: Path) -> None:
    if not lock(file):
        raise SetupError(f"another process writes {path}: wait for its end, or name another file")


def _first_lines(file: BinaryIO, path: Path, keys: Iterable[str]) -> int:
    """Checks the lines that a file has, cuts off what follows them, and returns how many there are."""
    whole = number = 0
    expected = iter(keys)
    key: str | None = None
    file.seek(0)
    for number, line in enumerate(_lines(file), 1):
        key = next(expected, None)
        value = _object(line)
        if value is None and _is_rest(line, file, _make_opening(key)):
            number -= 1
            break
        if value is None or key is None or value.get("key") != key:
            raise SetupError(f"{path}, line {number}: {OTHERS}")
        whole += len(line)
    file.truncate(whole)
    return number


def whole_lines(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Yields what `complete_lines` wrote: each line's number from 1 on, its bytes and its object.

    What `complete_lines` would cut off is left out.

    Raises:
        SetupError: the file can't be read, or is none of those.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_lines(file), 1):
                value = _object(line)
                if value is None and _is_rest(line, file, OPENING):
                    return
                if value is None:
                    raise SetupError(f"{path}, line {number}: {OTHERS}")
                yield number, line, value
    except OSError as error:
        raise SetupError(f"{path} can't be read: {describe_error(error)}") from error


def results_in(path: Path, kind: Callable[..., Result]) -> Iterator[Result]:
    """Yields what `complete_lines` wrote as results.

    Args:
        path: the file.
        kind: the results' class, with the lines' fields.

    Raises:
        SetupError: the file can't be read, or is none of those.
    """
    for number, _, fields in whole_lines(path):
        try:
            result = kind(**fields)
        except TypeError as error:
            raise SetupError(f"{path}, line {number}: {describe_error(error)}") from error
        yield result


OPENING = b'{"key": "'
"""How the lines begin that `complete_lines` writes."""


def _make_opening(key: str | None) -> bytes:
    return b"" if key is None else OPENING + key.encode() + b'"'


def _lines(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(file.readline, MAX_LINE), b"")


def _is_rest(line: bytes, file: BinaryIO, opening: bytes) -> bool:
    """Whether this is the beginning of a line, if of anything, and the file has only zero bytes more.

    Without an opening no line may begin here.
    """
    start = line.rstrip(b"\0")
    begun = opening and start[: len(opening)] == opening[: len(start)] and start[-1:] != b"\n"
    return not (start and not begun) and not any(more.strip(b"\0") for more in _lines(file))


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
