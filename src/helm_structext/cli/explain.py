"""The command that says what became of one completion."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from helm_structext.cli.options import Commands, any_path, read_input
from helm_structext.errors import SetupError
from helm_structext.formats import FORMATS
from helm_structext.terminal import say
from helm_structext.texts import quote_value

if TYPE_CHECKING:
    from helm_structext.explain import Cut, Explanation, Reading, Try

MAX_CUT = 80
"""Characters that are shown of what was cut off at one side."""
MAX_LOG_LINES = 12
"""Of the end of a log, where the engine says what it made, or why not."""


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    explain = commands.add_parser(
        "explain",
        help="say what became of a completion, and why",
        description="Takes the code from a completion by both protocols and renders or parses it anew: what "
        "was cut out, what the engine said, what the clocks counted, which guards of rewards fired, and "
        "where renderings of the code are cached.",
    )
    explain.add_argument("format", help=f"one of {', '.join(FORMATS)}")
    explain.add_argument("file", help="the completion, or - for standard input")
    explain.add_argument(
        "--reference",
        type=any_path,
        metavar="FILE",
        help="what it should look like, for the guards that compare: a picture, or code",
    )
    explain.add_argument("--json", action="store_true", help="print one object in JSON instead")
    explain.set_defaults(command=_explain)


def _explain(options: argparse.Namespace) -> int:
    from helm_structext.explain import explain

    if options.format not in FORMATS:
        raise SetupError(f"unknown format {options.format}; there are {', '.join(FORMATS)}")
    completion = read_input(options.file).decode("utf-8", "replace")
    reference = None if options.reference is None else _reference(options.reference)
    explained = explain(options.format, completion, reference)
    if options.json:
        say(json.dumps(asdict(explained), ensure_ascii=False, indent=1, default=str))
    else:
        for line in _lines(explained):
            say(line)
    return 0


def _reference(path: Path) -> Path | str:
    """A picture as it is, or code."""
    data = read_input(str(path))
    try:
        return data.decode("utf-8")  # which no file of a picture is
    except UnicodeDecodeError:
        return path


def _lines(explained: "Explanation") -> Iterator[str]:
    yield f"format     {explained.format}, rule `{explained.extraction}`"
    yield f"engine     {explained.engine}"
    for reading in explained.readings:
        yield ""
        yield f"{reading.protocol}:"
        for name, text in _fields(reading, explained):
            for number, line in enumerate(text.splitlines() or [""]):
                yield f"  {'' if number else name:8} {line}".rstrip()


def _fields(reading: "Reading", explained: "Explanation") -> Iterator[tuple[str, str]]:
    """What is said of a reading: names and texts, which may have several lines."""
    yield "cut out", "\n".join(map(_cut_text, reading.cuts)) or "nothing"
    yield "code", f"{len(reading.code):,} characters, {quote_value(reading.code)}"
    yield "result", reading.made or f"{reading.error_kind}: {reading.error}"
    if reading.log:
        lines = reading.log.splitlines()
        more = [f"… {len(lines) - MAX_LOG_LINES} lines before, all of them with --json"]
        yield "log", "\n".join(more * (len(lines) > MAX_LOG_LINES) + lines[-MAX_LOG_LINES:])
    if reading.missing:
        yield "missing", "\n".join(map(str, reading.missing))
    if reading.tex_errors:
        yield "errors", "\n".join(reading.tex_errors)
    if reading.tries:
        yield "clock", "\n".join(map(_try_text, reading.tries))
    fired = [f"{name}: {reason}" for name, reason in reading.guards.items()]
    yield "guards", "\n".join(fired) or f"none of {', '.join(explained.guards)} fired"
    if reading.wrong:
        yield "wrong", reading.wrong
    if reading.cache:
        there = "is there" if reading.cached else "is not there"
        yield "cache", f"{reading.cache} {there}"


def _cut_text(cut: "Cut") -> str:
    if cut.rewritten:
        return f"{cut.rule}, put together"
    sides = {"before": cut.before, "behind": cut.behind}
    return f"{cut.rule}; gone: " + ", ".join(
        f"{len(text):,} characters {side}, {quote_value(text, MAX_CUT)}"
        for side, text in sides.items()
        if text
    )


def _try_text(one: "Try") -> str:
    page = f"; the page's own clock went on {one.virtual:.1f} s" if one.virtual else ""
    return f"{one.used:.1f} s used and {one.idle:.1f} s idle, of {one.allowed:g} s each{page}"
