"""Results in JSON lines, written as they come, so that a command that was stopped goes on where it was."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

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
        raise SetupError(
            "what the file to continue has is not of these answers, or they were scored with other "
            "arguments or by another release; name another file, or delete it"
        )
    for fields in done:
        try:
            result = make(**fields)
        except TypeError as error:
            raise SetupError(f"a line to continue has {quoted(list(fields), 200)}") from error
        yield result
