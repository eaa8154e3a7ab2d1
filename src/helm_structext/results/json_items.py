"""Reads a list in a JSON file item by item, so that memory does not grow with the file.

Not by ijson, which is as fast: it refuses NaN and large numbers, which HELM writes, and reads half of an emoji as
a question mark, which would change what was answered.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

from helm_structext.errors import SetupError
from helm_structext.texts import check_json_size, describe_error

Item = TypeVar("Item")

CHUNK = 2**20
"""Characters that are read at a time."""
MAX_ITEM = 2**26
"""Characters of one item; HELM writes some thousand."""

FOLLOWING = tuple(" \t\n\r,:]}")
"""What may stand after a value."""

_decoder = json.JSONDecoder()


def json_items(path: Path, remedy: str, key: str | None = None) -> Iterator[Any]:
    """Yields the items of the list that a file holds, in their order.

    Args:
        path: a file in JSON.
        remedy: what to do if it can't be read, for the message.
        key: of the list, where the file holds an object.

    Raises:
        SetupError: the file can't be read, is not JSON, or holds no such list. Items before the place
            of the error have been yielded then.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_text('{"a": [0], "b": [1, {"c": 2}], "d": null}')
    >>> list(json_items(path, "write it again", "b"))
    [1, {'c': 2}]
    """
    return _read(
        path, remedy, lambda text: text.items() if key is None else _items_below(text, key)
    )


def json_fields(path: Path, remedy: str, key: str) -> Iterator[tuple[str, Any]]:
    """Yields the fields of the object that a file holds, in their order: name and value.

    Args:
        path: a file in JSON.
        remedy: what to do if it can't be read, for the message.
        key: of a list; each of its items is yielded with this name, and the list is not.

    Raises:
        SetupError: as `json_items`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_text('{"a": [0], "b": [1, 2], "c": null}')
    >>> list(json_fields(path, "write it again", "b"))
    [('a', [0]), ('b', 1), ('b', 2), ('c', None)]
    """
    return _read(path, remedy, lambda text: _fields(text, key))


def _read(path: Path, remedy: str, parse: Callable[["_Text"], Iterator[Item]]) -> Iterator[Item]:
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError("it is not a file")
        with path.open(encoding="utf-8") as file:
            text = _Text(file)
            yield from parse(text)
            if text.peek():
                raise ValueError("something follows its end")
    except (OSError, ValueError, RecursionError) as error:
        raise SetupError(f"{path} can't be read ({describe_error(error)}); {remedy}") from error


def _items_below(text: "_Text", key: str) -> Iterator[Any]:
    found = False
    for name in text.separated("{", "}"):
        text.take(":")
        if name == key:
            found = True
            yield from text.items()
        else:
            text.value()
    if not found:
        raise ValueError(f"it has no {key}")


def _fields(text: "_Text", key: str) -> Iterator[tuple[str, Any]]:
    for name in text.separated("{", "}"):
        text.take(":")
        if name == key:
            for item in text.items():
                yield name, item
        else:
            yield name, text.value()


class _Text:
    """A window on a file's text that moves on."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.window = ""
        self.place = 0

    def items(self) -> Iterator[Any]:
        return self.separated("[", "]")

    def separated(self, opening: str, closing: str) -> Iterator[Any]:
        """Yields the values of a list, or the keys of an object, whose values the caller reads."""
        self.take(opening)
        if self.peek() == closing:
            self.place += 1
            return
        while True:
            yield self.value()
            if self.peek() == closing:
                self.place += 1
                return
            self.take(",")

    def peek(self) -> str:
        """Returns the next character that is not blank, or "" at the end."""
        while True:
            while self.place < len(self.window):
                if not self.window[self.place].isspace():
                    return self.window[self.place]
                self.place += 1
            if not self._read(CHUNK):
                return ""

    def take(self, character: str) -> None:
        found = self.peek()
        if found != character:
            raise ValueError(f"expected {character}, found {found or 'the end'}")
        self.place += 1

    def value(self) -> Any:
        self.peek()
        size = CHUNK
        while True:
            whole = False
            if size > CHUNK:  # as often as the item is tried: what is read doubles
                check_json_size(self.window[self.place :].encode(errors="replace"))
            try:
                value, end = _decoder.raw_decode(self.window, self.place)
                # More of a number may follow: what is there of "1.5" may be "1." as yet.
                whole = self.window[end : end + 1] in FOLLOWING
            except json.JSONDecodeError as error:
                if not self._read(size):
                    raise ValueError(f"{error.msg}, near its end") from error
            else:
                if whole or not self._read(size):
                    self.place = end
                    return value
            if len(self.window) > MAX_ITEM:
                raise ValueError("a part of it is far too large")
            size *= 2  # so that a long item is not tried too often

    def _read(self, size: int) -> bool:
        """Reads on, and forgets what lies behind; says whether there was anything."""
        more = self.file.read(size)
        if more:
            self.window = self.window[self.place :] + more
            self.place = 0
        return bool(more)
