"""Results in JSON lines, written as they come, so that a command that was stopped goes on where it was."""

import fcntl
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from helm_structext.errors import SetupError
from helm_structext.texts import described, json_line, quoted, utf8

Result = TypeVar("Result")


def written_lines(path: Path) -> list[dict[str, Any]]:
    """Returns the objects that a file in JSON lines begins with, and cuts off what follows them.

    A line that was being written when the command was stopped is such a rest. Without the file there
    are none.

    Raises:
        SetupError: the file can't be read or written.
    """
    found: list[dict[str, Any]] = []
    if not path.exists():
        return found
    try:
        with path.open("r+b") as file:
            whole = 0
            for line in file:
                value = _object(line)
                if value is None:
                    break
                found.append(value)
                whole += len(line)
            file.truncate(whole)
    except OSError as error:
        raise SetupError(f"{path} can't be continued: {described(error)}") from error
    return found


OTHERS = (
    "what the file to continue has is not of these answers, or they were scored with other "
    "arguments or by another release; name another file, or delete it"
)


def complete_lines(
    path: Path, keys: Iterable[str], lines: Callable[[int], Iterator[bytes]]
) -> Iterator[int]:
    """Writes the lines that a file in JSON lines lacks; no other process can at the same time.

    Neither what the file has is in memory at once, nor what comes.

    Args:
        path: the file; a line that was being written when the command was stopped is cut off.
        keys: of all lines in their order, as each has it as ``key``.
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
    except OSError as error:
        raise SetupError(f"{path} can't be written: {described(error)}") from error


def _hold(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise SetupError(
            f"another process writes {path}: wait for its end, or name another file"
        ) from error


def _first_lines(file: BinaryIO, path: Path, keys: Iterable[str]) -> int:
    """Checks the lines that a file has, and returns how many there are."""
    whole = done = 0
    expected = iter(keys)
    file.seek(0)
    for done, line, value in _objects(file, path):
        if value.get("key") != next(expected, None):
            raise SetupError(f"{path}, line {done}: {OTHERS}")
        whole += len(line)
    file.truncate(whole)
    return done


def whole_lines(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Yields what `complete_lines` wrote: each line's number from 1 on, its bytes and its object.

    A line that was being written when the command was stopped is left out.

    Raises:
        SetupError: the file can't be read, or is none of those.
    """
    try:
        with path.open("rb") as file:
            yield from _objects(file, path)
    except OSError as error:
        raise SetupError(f"{path} can't be read: {described(error)}") from error


def _objects(file: BinaryIO, path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n") and line[: len(OPENING)] == OPENING[: len(line)]:
            return
        value = _object(line)
        if value is None:
            raise SetupError(f"{path}, line {number}: {OTHERS}")
        yield number, line, value


OPENING = b'{"key": "'
"""How the lines begin that `complete_lines` writes: others are left alone."""


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def append_lines(path: Path, results: Iterable[Result], done: int) -> Iterator[Result]:
    """Yields results, having written each as a line; the first ones are there already.

    Args:
        path: a file in JSON lines.
        results: dataclasses.
        done: how many of them the file has.

    Raises:
        SetupError: the file can't be written.
    """
    try:
        with path.open("ab") as file:
            for number, result in enumerate(results):
                if number >= done:
                    file.write(utf8(json_line(asdict(result))))  # type: ignore[call-overload]
                    file.flush()
                yield result
    except OSError as error:
        raise SetupError(f"{path} can't be written: {described(error)}") from error


def restored(
    done: Sequence[Mapping[str, Any]], keys: Sequence[str], make: Callable[..., Result]
) -> Iterator[Result]:
    """Yields the results that an earlier call wrote.

    Args:
        done: their fields, one of which is ``key``.
        keys: of all results, in their order.
        make: the results' class.

    Raises:
        SetupError: they are not the first of these results.

    >>> list(restored([{"key": "a", "n": 1}], ["a", "b"], dict))
    [{'key': 'a', 'n': 1}]
    """
    if [fields.get("key") for fields in done] != list(keys[: len(done)]):
        raise SetupError(OTHERS)
    for fields in done:
        try:
            result = make(**fields)
        except TypeError as error:
            raise SetupError(f"a line to continue has {quoted(list(fields), 200)}") from error
        yield result
