"""What Vega says of a chart, with the line of the chart that it means.

Vega names what is wrong (``Unrecognized scale name: "x"``), not where. So the name is looked for among
the texts of the chart. Where it may be one of several lines, none is told.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from helm_structext.patterns import Pattern
from helm_structext.renderers.engine import add_place
from helm_structext.texts import shorten_text

STRING = Pattern(r'"((?:[^"\\\n]|\\.)*)"([ \t\r\n]*:)?')
MAX_MESSAGE = 2_000
WORD = Pattern(r"[\w$]+")
SCALE = Pattern(r"TypeError: _\.%(\S+) is not a function")
EXPRESSION = Pattern(r"Expression parse error: \(?(.*?)\)?\z")
DATA = Pattern(r"(?:Loading|Data ingestion) failed: (\S+): ")
FUNCTION = Pattern(r"Unrecognized function: (\w+)")
NAME = Pattern(
    r'(?:Duplicate|Unrecognized|Undefined|Unknown|Invalid|Missing required)((?: [\w-]+)*):? (?:"([^"]+)"|([\w.-]+)\z)'
)
MARKS = {
    *("arc", "area", "bar", "boxplot", "circle", "errorband", "errorbar", "geoshape", "group"),
    *("image", "line", "path", "point", "rect", "rule", "shape", "square", "symbol", "text"),
    *("tick", "trail"),
}
"""The marks of Vega and of Vega-Lite."""


class ChartText(NamedTuple):
    """A text of a chart: its value, the name before it, and where it stands, both from 1."""

    value: str
    key: str
    line: int
    column: int


def explain_error(error: str, code: str) -> str:
    r"""Returns what an exception says, on one line, with the line of the chart that it means.

    Args:
        error: with the places of Vega's script where it was thrown.
        code: the chart, JSON.

    >>> explain_error('Error: Unrecognized scale name: "y"\n    at a.js:1:2', '{"axes": [\n{"scale": "y"}]}')
    'line 2, column 11: Unrecognized scale name: "y": {"scale": "y"}]}'
    >>> explain_error("TypeError: no", '{"mark": "bars"}')
    'line 1, column 10: Vega has no mark "bars" (TypeError: no): {"mark": "bars"}'
    """
    said = " ".join(error[:MAX_MESSAGE].partition("\n    at ")[0].removeprefix("Error: ").split())
    if found := SCALE.match(said):
        said = f'Unrecognized scale name: "{found[1]}"'
    texts = list(texts_of(code))
    place: ChartText | None = None
    if said.startswith("TypeError"):
        place = unknown_mark(texts)
        what = "a mark, type or channel that Vega does not know, or a part is missing"
        said = f"{f'Vega has no mark {json.dumps(place.value)}' if place else what} ({said})"
    else:
        place = find_named_text(said, texts)
    said = shorten_text(said, 500)
    return add_place(code, said, place.line, place.column) if place else said


def texts_of(code: str) -> Iterator[ChartText]:
    r"""Yields the texts of a chart, names of properties left out.

    >>> list(texts_of('{"a": "b",\n "c": ["d"]}'))
    [ChartText(value='b', key='a', line=1, column=7), ChartText(value='d', key='c', line=2, column=8)]
    """
    key, line, beginning = "", 1, 0
    done = 0
    for found in STRING.finditer(code):
        start = found.start()
        if lines := code.count("\n", done, start):
            line += lines
            beginning = code.rfind("\n", done, start) + 1
        done = start
        value = unescape_json(found[1])
        if found[2]:
            key = value
        else:
            yield ChartText(value, key, line, start - beginning + 1)


def unescape_json(written: str) -> str:
    """Returns what a text of JSON says; as it is written, if that can't be read."""
    try:
        return str(json.loads(f'"{written}"', strict=False))
    except ValueError:
        return written


def find_named_text(said: str, texts: list[ChartText]) -> ChartText | None:
    """Returns the text that a message of Vega's names, if it can only be that."""
    if found := EXPRESSION.match(said):
        wrong = [one for one in texts if found[1] in " ".join(one.value.split())]
        return wrong[0] if wrong and found[1] else None
    if found := FUNCTION.match(said):
        return next((one for one in texts if f"{found[1]}(" in one.value), None)
    if found := DATA.match(said):
        return next((one for one in texts if one.value == found[1]), None)
    if not (found := NAME.match(said)):
        return None
    about, name = found[1].split(), found[2] or found[3]
    equal = [one for one in texts if one.value == name]
    if said.startswith("Duplicate"):
        return next((one for one in reversed(equal) if one.key == "name"), None)
    # Of a scale it says `scale`, as the property is called that names one.
    if sure := [one for one in equal if one.key in about]:
        return sure[0]
    found_in = equal or [
        one for one in texts if any(word[0] == name for word in WORD.finditer(one.value))
    ]
    return found_in[0] if len({one.line for one in found_in}) == 1 else None


def unknown_mark(texts: list[ChartText]) -> ChartText | None:
    """Returns the first mark of a chart that neither Vega nor Vega-Lite has."""
    return next((one for one in texts if one.key == "mark" and one.value not in MARKS), None)
