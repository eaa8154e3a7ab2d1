"""Files of people: read within bounds, written whole or not at all, with messages that say what to do."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.storage.cache import write_atomically
from helm_structext.texts import describe_error, parse_json, quote_value, utf8

MAX_JSON = 2**30
"""Bytes of a file in JSON: what it holds takes several times as much memory."""
MAX_LINE = 2**26
"""Bytes of a line of JSON: more than the longest completion that is rendered has."""


def read_json(path: Path, remedy: str) -> Any:
    """Returns what a file in JSON holds.

    Args:
        path: the file.
        remedy: what to do if it can't be read, for the message.

    Raises:
        SetupError: it can't be read, or is not JSON.
    """
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError("it is not a file")
        if path.stat().st_size > MAX_JSON:
            raise ValueError("it is far too large")
        return parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SetupError(f"{path} can't be read ({describe_error(error)}); {remedy}") from error


def read_json_lines(path: Path, most: int | None = None) -> Iterator[tuple[int, Any]]:
    """Yields the values of a file in JSON lines, one at a time, with their lines' numbers from 1.

    Empty lines are left out.

    Args:
        path: the file.
        most: lines that it may have; by default any number.

    Raises:
        SetupError: the file can't be read, has more lines, or one is not JSON or longer than `MAX_LINE`;
            the message has its number.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(partial(file.readline, MAX_LINE + 1), b""), 1):
                if len(line) > MAX_LINE:
                    raise SetupError(f"{path}, line {number}: it has more than {MAX_LINE:,} bytes")
                if most is not None and number > most:
                    raise SetupError(f"{path} has more than {most:,} lines")
                if line.strip():
                    yield number, _parse_line(line, f"{path}, line {number}")
    except OSError as error:
        raise SetupError(f"{path} can't be read: {describe_error(error)}") from error


def _parse_line(line: bytes, where: str) -> Any:
    try:
        return parse_json(line)
    except ValueError as error:
        raise SetupError(f"{where}: it is not JSON: {describe_error(error)}; mend it") from error


def read_text(path: Path, most: int) -> str:
    """Returns what a file of text in UTF-8 holds.

    Args:
        path: the file.
        most: bytes that it may have.

    Raises:
        SetupError: it can't be read, or is larger.
    """
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError("it is not a file")
        if path.stat().st_size > most:
            raise ValueError(f"it has more than {most:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise SetupError(f"{path} can't be read: {describe_error(error)}") from error


def write_text(path: Path, text: str) -> None:
    """Writes a file of text for people, as `utf8` has it and `write_file` does."""
    write_file(path, utf8(text))


def write_file(path: Path, data: bytes) -> None:
    """Writes a file for people, all of it or nothing.

    Raises:
        SetupError: it can't be written.
    """
    try:
        write_atomically(path, data)
    except (OSError, ValueError) as error:  # a ValueError where no file can have the name
        raise SetupError(
            f"{quote_value(str(path), 500)} can't be written: {describe_error(error)}"
        ) from error
