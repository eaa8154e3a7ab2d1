"""Reads what StructEval's judge replies: strictly, as published, or all that can be meant in one way only.

The prompt asks for a JSON object that maps each question's number to true, false or null. Many
models write a fence or a sentence around it, a list, Python's ``True``, or ``"yes"``. Others run
out of tokens. ``published`` reads the bare object alone, and what it can't read counts as wrong.
``corrected`` never guesses: a reply that contradicts itself, leaves a question out or says more
than was asked has no verdicts, and the answer no score.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from helm_structext.extraction.reasoning import answer
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.results.tabular import format_count, list_some

MAX_REPLY = 100_000
"""Characters of a reply that ``corrected`` reads; a list of a hundred verdicts with reasons is shorter."""

MAX_DEPTH = 6
"""Of brackets in each other."""

Verdict = bool | None

WORDS: Mapping[str, Verdict] = {
    **{"true": True, "yes": True, "false": False, "no": False},
    **{"null": None, "none": None},
}
DIGITS: Mapping[str, Verdict] = {"1": True, "0": False}
"""They mean a verdict only where a question's number is beside them: a list of 1 and 0 may be anything."""

NUMBERS = frozenset({"question", "question_number", "number", "id", "pair", "q"})
"""Fields of a record that may say which question it is about."""

NUMBER = Pattern(r"(?i)\s*(?:question|answer|pair|q|a)?[\s_#.-]*(\d{1,4})\s*[.:)]?\s*")
LINE = Pattern(
    r"(?im)^[ \t>*_#|-]*(?:question|answer|pair|q|a)?[ \t#*_.]*(\d{1,4})[ \t.:)*_|=>-]+"
    r"(true|false|null)(?:[ \t\r*_.;,|]*|[ \t*_.;]*[(:–—-](?P<why>.*))$"
)
CONTRADICTION = Pattern(r"(?i)\b(?:true|false)\b", ascii=True)


class Unread(NamedTuple):
    """Why there are no verdicts in a reply.

    Args:
        reason: what to say after "the reply".
        short: whether it is empty or cut, so that more room may help.
    """

    reason: str
    short: bool = False


class _NotRead(Exception):
    """Carries an `Unread`."""

    def __init__(self, reason: str, short: bool = False) -> None:
        super().__init__(reason)
        self.unread = Unread(reason, short)


def read_verdicts(reply: str, count: int, protocol: ProtocolName) -> list[Verdict] | Unread:
    """Reads a judge's reply.

    Args:
        reply: as the judge wrote it.
        count: how many pairs of question and answer it was asked about.
        protocol: ``published`` or ``corrected``.

    Returns:
        A verdict for each pair, None for no verdict; or why there are none.

    >>> read_verdicts('{"1": true, "2": null, "4": "true"}', 4, "published")
    [True, None, None, None]
    >>> fenced = '```json\\n{"Q1": "yes", "Q2": False}\\n```'
    >>> read_verdicts(fenced, 2, "corrected"), read_verdicts(fenced, 2, "published")
    ([True, False], Unread(reason='is not a JSON object alone', short=False))
    >>> read_verdicts("[true, false]", 3, "corrected").reason
    'has 2 verdicts in a list, of 3'
    >>> read_verdicts('{"1": true, "2": fal', 2, "corrected")
    Unread(reason='is cut', short=True)
    """
    return READERS[protocol](reply, count)


def _read_strictly(reply: str, count: int) -> list[Verdict] | Unread:
    try:
        said = json.loads(reply)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return Unread("is not a JSON object alone")
    found = (said.get(str(number)) for number in range(1, count + 1))
    return [verdict if isinstance(verdict, bool) else None for verdict in found]


def _read_meaning(reply: str, count: int) -> list[Verdict] | Unread:
    if len(reply) > MAX_REPLY:
        return Unread(f"is longer than {MAX_REPLY:,} characters")
    text = answer(reply)
    if not text:
        return Unread("is empty", short=True)
    try:
        votes = [vote for group in _groups(text) for vote in _votes(group, count)]
        votes = votes or [*_lines(text)] or [*_votes(_whole(text), count)]
        return _verdicts(votes, count)
    except _NotRead as error:
        return error.unread


READERS: Mapping[ProtocolName, Callable[[str, int], list[Verdict] | Unread]] = {
    "published": _read_strictly,
    "corrected": _read_meaning,
}

_Vote = tuple[int, Verdict]
"""A question's number, and the verdict on it."""


def _verdicts(votes: Iterable[_Vote], count: int) -> list[Verdict]:
    """Puts votes in order."""
    found: dict[int, Verdict] = {}
    for number, verdict in votes:
        if number > count or number < 1:
            raise _NotRead(f"has a verdict on question {number}, of {count}")
        if found.setdefault(number, verdict) is not verdict:
            raise _NotRead(f"has two verdicts on question {number}")
    if not found:
        raise _NotRead("has no verdicts")
    if missing := [str(number) for number in range(1, count + 1) if number not in found]:
        raise _NotRead(f"has no verdict on question {list_some(missing)}")
    return [found[number] for number in range(1, count + 1)]


# What is in brackets: JSON, and what Python and people write for it


MARKS = "{}[]:,"
QUOTES = "\"'"


class _Object(NamedTuple):
    items: Sequence[tuple[str, Any]]


class _Broken(Exception):
    """A bracket begins nothing that could be read."""


def _groups(text: str) -> Iterator[Any]:
    """Yields what is in the outermost brackets that can be read."""
    position = 0
    while position < len(text):
        if text[position] in "{[":
            try:
                value, position = _value(text, position, 0)
            except _Broken:
                position += 1
            else:
                yield value
        else:
            position += 1


def _whole(text: str) -> Any:
    """A reply without any brackets, such as ``true, false``, as a list."""
    try:
        value, end = _value(f"[{text}]", 0, 0)
    except _Broken:
        return []
    return value if end == len(text) + 2 else []


def _value(text: str, position: int, depth: int) -> tuple[Any, int]:
    token, position = _token(text, position)
    if token not in ("{", "["):
        return _plain(token), position
    if depth == MAX_DEPTH:
        raise _Broken
    named, close = token == "{", "}" if token == "{" else "]"
    items: list[Any] = []
    while _mark(text, position)[0] != close:
        key = ""
        if named:
            key, position = _token(text, position)
            mark, position = _mark(text, position)
            if mark != ":":
                raise _Broken
        value, position = _value(text, position, depth + 1)
        items.append((key.strip(QUOTES), value) if named else value)
        mark, after = _mark(text, position)
        if mark == ",":
            position = after
        elif mark != close:
            raise _Broken
    return (_Object(items) if named else items), _mark(text, position)[1]


def _mark(text: str, position: int) -> tuple[str, int]:
    """Returns the next character that is no blank, and where it ends."""
    while position < len(text) and text[position].isspace():
        position += 1
    if position == len(text):
        raise _NotRead("is cut", short=True)
    return text[position], position + 1


def _token(text: str, position: int) -> tuple[str, int]:
    """Returns the next mark, string in its quotes, or word, and where it ends."""
    first, end = _mark(text, position)
    if first in MARKS:
        return first, end
    start = end - 1
    if first in QUOTES:
        while text[end : end + 1] not in (first, ""):
            end += 2 if text[end] == "\\" else 1
        end += 1
    else:
        while end < len(text) and text[end] not in MARKS + QUOTES and not text[end].isspace():
            end += 1
        end += end == len(text)
    if end > len(text):
        raise _NotRead("is cut", short=True)
    return text[start:end], end


def _plain(token: str) -> Any:
    """A verdict, or a text; what stands in quotes, and yes and no, stay texts."""
    if token in MARKS:
        raise _Broken
    if token.lower() in ("true", "false", "null", "none"):
        return WORDS[token.lower()]
    return token.strip(QUOTES)


# What the brackets say


def _votes(value: Any, count: int) -> Iterator[_Vote]:
    if isinstance(value, _Object):
        numbered = [
            (number, said) for key, said in value.items if (number := _number(key)) is not None
        ]
        yield from _clear((number, _verdict(said)) for number, said in numbered)
        if not numbered:
            for _, said in value.items:
                yield from _votes(said, count)
    elif isinstance(value, list):
        objects = [item for item in value if isinstance(item, _Object)]
        if len(objects) < len(value):
            yield from _in_order([_word(item, WORDS) for item in value], count)
        elif any(_number(key) is not None for one in objects for key, _ in one.items):
            for one in objects:
                yield from _votes(one, count)
        else:
            yield from _of_records(objects, count)


def _of_records(records: Sequence[_Object], count: int) -> Iterator[_Vote]:
    """What a list of objects says that have a question's number in one field, or in none, and a verdict in one."""
    verdicts = [_verdict(record) for record in records]
    numbers = [
        {
            n
            for key, said in one.items
            if key.lower() in NUMBERS and (n := _number(said)) is not None
        }
        for one in records
    ]
    if not any(numbers):
        yield from _in_order(verdicts, count)
    elif all(len(found) == 1 for found in numbers):
        yield from _clear((found.pop(), v) for found, v in zip(numbers, verdicts, strict=True))
    else:
        raise _NotRead("does not say of each verdict to which question it belongs")


def _in_order(verdicts: Sequence[Any], count: int) -> Iterator[_Vote]:
    found = [*_clear(enumerate(verdicts, 1))]
    if found and len(found) != count:
        raise _NotRead(f"has {format_count(len(found), 'verdict')} in a list, of {count}")
    yield from found


def _clear(votes: Iterable[tuple[int, Any]]) -> Sequence[_Vote]:
    """The votes, none where nothing is a verdict: then something else was numbered."""
    votes = list(votes)
    unclear = [number for number, verdict in votes if verdict is ...]
    if unclear and len(unclear) < len(votes):
        raise _NotRead(f"says neither true nor false of question {unclear[0]}")
    return [] if unclear else votes


def _number(said: Any) -> int | None:
    """The number of a question in texts such as ``Q1``."""
    match = NUMBER.fullmatch(said) if isinstance(said, str) else None
    return int(match[1]) if match else None


def _verdict(said: Any) -> Any:
    """A verdict, or ``...``; of an object with several fields that may be one it can't be known which is."""
    if not isinstance(said, _Object):
        return _word(said, {**WORDS, **DIGITS})
    maybe = [inner for _, inner in said.items if _word(inner, WORDS) is not ...]
    return ... if len(maybe) != 1 or isinstance(maybe[0], str) else maybe[0]


def _word(said: Any, words: Mapping[str, Verdict]) -> Any:
    """A verdict, or ``...`` for anything else."""
    if said is None or isinstance(said, bool):
        return said
    return words.get(said.strip(" .").lower(), ...) if isinstance(said, str) else ...


def _lines(text: str) -> Iterator[_Vote]:
    """What numbered lines say; yes and no may answer the question there, and are no verdicts."""
    for line in LINE.finditer(text):
        if line["why"] and CONTRADICTION.search(line["why"]):
            raise _NotRead(f"has two verdicts on question {int(line[1])}")
        yield int(line[1]), WORDS[line[2].lower()]
